"""Parts of a policy within a batch: layers, inputs, outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import inf
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.enums import Activation

ACTIVATIONS = {kind.name.lower(): kind for kind in Activation}
# What can be seen of an object: how many numbers, None: as many as it has.
OF_OBJECTS = {
    "coordinates": None, "velocities": None, "joint_coordinates": None, "joint_velocities": None,
    "position": 3, "linear_velocity": 3, "angular_velocity": 3, "down": 3,
}  # fmt: skip
OF_POLICY = ("command", "action", "clock")


@dataclass(frozen=True, eq=False)
class Network:
    """Layers of a policy in NumPy arrays, which `Batch.set_policy` hands to compiled code.

    Inputs are scaled, (s − mean)/deviation, and limited to ± farthest; every layer is y = f(W x + b);
    the action is middle + span · y, limited to low … high. Numbers that stand for an array are one for all.
    Arrays are copied, and read-only: other weights are another network.

    Attributes:
        layers: Weights (out, in) and bias (out,) of each, first to last.
        activation: f between the layers: "tanh", "relu", "elu" or "none".
        output_activation: f of the last one.
        mean, deviation: Of what is seen, (n,); deviation > 0.
        farthest: [–] > 0.
        middle, span: (k,) [–].
        low, high: Limits of the action, (k,) [–].

    Raises:
        TypeError, ValueError: Layers do not fit together, a number is not finite or out of its range, or
            there is no such activation.

    Example:
        >>> import numpy as np
        >>> hidden, last = (np.array([[1.0, -1.0]]), np.zeros(1)), (np.array([[2.0]]), np.zeros(1))
        >>> Network([hidden, last], "relu", high=1.5)([[0.5, 0.0], [0.0, 0.5], [3.0, 0.0]]).tolist()
        [[1.0], [0.0], [1.5]]
    """

    layers: Sequence[tuple[Any, Any]]
    activation: str = "tanh"
    output_activation: str = "none"
    mean: Any = 0.0
    deviation: Any = 1.0
    farthest: float = inf
    middle: Any = 0.0
    span: Any = 1.0
    low: Any = -inf
    high: Any = inf

    def __post_init__(self) -> None:
        """Check everything, and keep it as float64."""
        for name in ("activation", "output_activation"):
            check.choice(getattr(self, name), ACTIVATIONS, f"{name} of a network")
        layers = self._checked_layers()
        given: dict[str, Any] = {"layers": layers}
        inputs, outputs = layers[0][0].shape[1], layers[-1][0].shape[0]
        for name, count in (
            ("mean", inputs), ("deviation", inputs), ("middle", outputs), ("span", outputs),
        ):  # fmt: skip
            given[name] = spread(getattr(self, name), count, f"{name} of a network")
        for name in ("low", "high"):
            given[name] = spread(getattr(self, name), outputs, f"{name} of a network", may_be_endless=True)
        if not (given["deviation"] >= check.SMALLEST).all():
            raise ValueError(
                f"deviation of a network must be > 0, at least {check.SMALLEST:g}, "
                f"got {check.shown(self.deviation)}"
            )
        low, high = given["low"], given["high"]
        if (low > high).any() or (low == inf).any() or (high == -inf).any():
            raise ValueError(
                "low of a network must be ≤ high, and a finite action between them, got "
                f"{check.shown(self.low)} and {check.shown(self.high)}"
            )
        for name, value in given.items():
            object.__setattr__(self, name, value if name == "layers" else frozen(value))
        if not check.is_scalar(self.farthest) or self.farthest != inf:
            farthest = check.positive(self.farthest, "farthest of a network")
            object.__setattr__(self, "farthest", farthest)

    def __repr__(self) -> str:
        """Return the widths of the layers."""
        widths = [self.inputs, *(len(bias) for _, bias in self.layers)]
        return f"<Network {' → '.join(map(str, widths))}, {self.activation}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Let copies and pickles be checked, and read-only, like the network itself."""
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @property
    def inputs(self) -> int:
        """How many numbers it sees."""
        return int(self.layers[0][0].shape[1])

    @property
    def outputs(self) -> int:
        """How many numbers an action has."""
        return len(self.layers[-1][1])

    def __call__(self, seen: Any) -> np.ndarray:
        """Return actions, (worlds, k) or (k,), for what is seen, (worlds, n) or (n,), with NumPy.

        Raises:
            TypeError, ValueError: They are no numbers, or not as many as it takes.
        """
        given = check.array(seen, "what the network sees", "numbers")
        if given.shape[-1:] != (self.inputs,):
            raise ValueError(f"the network takes {self.inputs} numbers, got an array of shape {given.shape}")
        value = np.clip((given - self.mean) / self.deviation, -self.farthest, self.farthest)
        for k, (weight, bias) in enumerate(self.layers):
            is_last = k + 1 == len(self.layers)
            way = self.output_activation if is_last else self.activation
            value = _bent(way, value @ weight.T + bias)
        return np.asarray(np.clip(self.middle + self.span * value, self.low, self.high))

    def _checked_layers(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Return the layers as float64, read-only."""
        made: list[tuple[np.ndarray, np.ndarray]] = []
        given = check.listed(self.layers, "layers of a network", "pairs of weights and bias")
        if not given:
            raise ValueError("a network needs at least one layer")
        for k, pair in enumerate(given):
            what = f"layer {k} of a network"
            both = check.listed(pair, what, "two arrays, weights and bias")
            if len(both) != 2:
                raise ValueError(f"{what} must be weights and bias, got {len(both)} entries")
            weight, bias = (check.within_range(check.array(part, what, "numbers"), what) for part in both)
            width = made[-1][0].shape[0] if made else weight.shape[-1] if weight.ndim else 0
            if weight.ndim != 2 or weight.shape[1] != width or 0 in weight.shape:
                before = f", {width} numbers come from the layer before" if made else ""
                raise ValueError(f"weights of {what} must have shape (out, in){before}, got {weight.shape}")
            check.shaped(bias, f"bias of {what}", weight.shape[:1])
            made.append((frozen(weight), frozen(bias)))
        return tuple(made)


@dataclass(frozen=True)
class Seen:
    """Some numbers that a policy within a batch sees: (what it is − shift) · scale.

    | what | of an object |
    | --- | --- |
    | "coordinates", "velocities" | all of q (nq) [m, rad, –], all of v (dof) [m/s, rad/s] |
    | "joint_coordinates", "joint_velocities" | of joints with one degree of freedom, all or `joints` |
    | "position" | of what floats: of its base, (3) [m], world axes |
    | "linear_velocity", "angular_velocity" | of its base, (3) [m/s, rad/s], its own axes or the world's |
    | "down" | of its base: direction of −z of the world in its own axes, (3) [–] |

    | what | of the policy |
    | --- | --- |
    | "command" | what the user wants, `width` numbers: `BatchPolicy.command` |
    | "action" | the last action (k) [–], at first 0 |
    | "clock" | sine and cosine of 2π (`frequency` · time + phase), (2) [–] |

    Attributes:
        what: One of these words.
        of: The object; None: the first one that the policy commands.
        joints: Names, for joint coordinates and velocities; None: all with one degree of freedom.
        axes: "body" or "world", for velocities of a base.
        shift: Number or one for each [that of the number].
        scale: The same.
        width: Of a command, ≥ 1 [–].
        frequency: Of a clock [1/s].

    Example:
        >>> Seen("joint_velocities", scale=0.05).what
        'joint_velocities'
    """

    what: str
    of: str | None = None
    joints: Sequence[str] | None = None
    axes: str = "body"
    shift: Any = 0.0
    scale: Any = 1.0
    width: int = 1
    frequency: float = 1.0

    def __post_init__(self) -> None:
        """Check what does not need the batch."""
        check.choice(self.what, (*OF_OBJECTS, *OF_POLICY), "what is seen")
        check.choice(self.axes, ("body", "world"), f"axes of {self.what}")
        check.integer(self.width, f"width of {self.what}", 1)
        check.number(self.frequency, f"frequency of {self.what}")
        if self.joints is not None and not self.what.startswith("joint_"):
            raise ValueError(f"{self.what} takes no joints; 'joint_coordinates' and 'joint_velocities' do")
        if self.of is not None and self.what in OF_POLICY:
            raise ValueError(f"{self.what} is of the policy, not of an object: leave out 'of'")


@dataclass(frozen=True)
class Commanded:
    """Commands of an object that a policy within a batch gives: shift + scale · action.

    Attributes:
        of: The object.
        what: "targets" of drives, "velocity_targets", or "forces" (feed-forward).
        joints: Names of joints with one degree of freedom; None: all of these.
        shift: Number or one for each joint [rad, m; rad/s, m/s; N m, N].
        scale: The same.

    Example:
        >>> Commanded("dog", scale=0.5).what
        'targets'
    """

    of: str
    what: str = "targets"
    joints: Sequence[str] | None = None
    shift: Any = 0.0
    scale: Any = 1.0

    def __post_init__(self) -> None:
        """Check what does not need the batch."""
        check.choice(self.what, ("forces", "targets", "velocity_targets"), "what is commanded")


def spread(value: Any, count: int, what: str, *, may_be_endless: bool = False) -> np.ndarray:
    """Return a number for each of some, (count,).

    Args:
        value: One for all, or (count,).
        count: How many.
        what: For messages.
        may_be_endless: Let ±inf be.

    Raises:
        TypeError, ValueError: The shape is wrong, or a number is not finite.
    """
    given = check.for_each(value, what, count)
    finite = np.where(np.isinf(given), 0.0, given) if may_be_endless else given
    check.within_range(finite, what)
    return given.copy()


def _bent(way: str, x: np.ndarray) -> np.ndarray:
    """Return what an activation makes of numbers."""
    if way == "tanh":
        return np.asarray(np.tanh(x))
    if way == "relu":
        return np.asarray(np.maximum(x, 0.0))
    if way == "elu":
        return np.where(x > 0.0, x, np.expm1(np.minimum(x, 0.0)))
    return x
