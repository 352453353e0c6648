"""`linearize`: derivatives of steps by state, command and parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.checks.errors import SimulationError
from tribo.control.active_set import ActiveSet, in_words
from tribo.control.inputs import COMMANDS, Input, Inputs, dofs_of, tangent_name
from tribo.control.linearization import Change, Linearization
from tribo.identification.state_layout import StateLayout
from tribo.identification.unknowns import Unknown
from tribo.world.world import World

AMOUNTS = (-2.0, -1.0, 1.0, 2.0)  # steps by which an input is moved, besides 0
MOST_INPUTS = 128  # of a batch: more bring no speed, only memory
LARGEST_STEP = 0.1  # [m, rad, m/s, rad/s]

Outputs = Callable[[Batch], np.ndarray]


def linearize(
    world: World, *, steps: int = 1, controls: str | Sequence[str] = "force",
    parameters: Unknown | Sequence[Unknown] = (), outputs: Outputs | None = None,
    objects: Sequence[str] | None = None, step: float = 1e-6, threads: int | None = None,
) -> Linearization:  # fmt: skip
    """Return derivatives of the next steps of a world: δx⁺ = A δx + B δu + E δp, δy = C δx + D δu + F δp.

    x = (q, v): a change δq has a number for each dof, of a quaternion the rotation vector δ in the axes in
    which angular velocity is given, q ← exp(δ/2) q. Derivatives are central differences; each moved state is
    a world of one `Batch`, which begins with the impulses and accelerations of the last step that the world
    has. The world stays as it is.

    Args:
        world: In the state about which it is linearized, with its commands.
        steps: n ≥ 1 steps that are taken as one; commands are held.
        controls: What u is, one or several of "force" (feed-forward [N, N m]), "target" [rad, m] and
            "velocity_target" [rad/s, m/s] of all joints with one dof, "wrench" (torque and force at the
            centre of mass of each body, world axes [N m, N]).
        parameters: p: `identification.pair`, `body`, `inertial`, `joint`, `motors`, `tilt` or an `Unknown`,
            with bounds around the present value.
        outputs: y: returns numbers (worlds, …) of a batch after the steps, such as positions of a frame.
        objects: Names of those whose states are x; None: of all that forces move.
        step: By which coordinates and velocities are moved [m, rad, m/s, rad/s], and as a second look by
            twice as much; a force by what changes its dof's velocity by so much, a parameter by 1e-5 of its
            span.
        threads: As `Batch` has them.

    Raises:
        KeyError: There is no such object, joint, material or kind of control; the message proposes another.
        TypeError, ValueError: An argument is wrong, or a parameter is at its bound.
        SimulationError: A step from one of the states is not finite.

    Source: Nocedal, Wright 2006, "Numerical optimization", section 8.1.

    Example:
        >>> import tribo
        >>> world = tribo.World(time_step=0.01)
        >>> ball = world.add_sphere(0.1, mass=2.0, name="ball", position=(0, 0, 1))
        >>> found = tribo.linearize(world, controls="wrench")
        >>> found.A.shape, found.B.shape, found.is_smooth
        ((12, 12), (12, 6), True)
        >>> round(float(found.of("q/ball/z", "v/ball/vz")), 9), found.command_names[5]
        (0.01, 'wrench/ball/ball/fz')
    """
    if not isinstance(world, World):
        raise TypeError(f"world must be a tribo.World, got {check.shown(world)}")
    check.integer(steps, "steps", 1)
    size = check.number(step, "step", minimum=1e-12, maximum=LARGEST_STEP)
    kinds = [controls] if isinstance(controls, str) else list(controls)
    for kind in kinds:
        check.known(kind, COMMANDS, "kind of control")
    if outputs is not None and not callable(outputs):
        raise TypeError(
            f"outputs must be a function of a batch that returns numbers (worlds, …), got "
            f"{check.shown(outputs)}"
        )
    unknowns = [parameters] if isinstance(parameters, Unknown) else list(parameters)
    for one in unknowns:
        if not isinstance(one, Unknown):
            raise TypeError(
                f"parameters must be as tribo.identification.pair returns them, got {check.shown(one)}"
            )
    layout = StateLayout(world)
    dofs = dofs_of(world, layout, None if objects is None else list(objects))
    inputs = Inputs(world, layout, dofs, kinds, unknowns, size)
    runs = [
        _Run(world, layout, dofs, inputs, inputs.all[k : k + MOST_INPUTS]).take(
            steps, outputs, threads
        )
        for k in range(0, len(inputs.all), MOST_INPUTS)
    ]
    names = list(layout.dofs)
    state_names = [f"q/{tangent_name(names[k])}" for k in dofs] + [f"v/{names[k]}" for k in dofs]
    return Linearization(
        state_names=tuple(state_names),
        command_names=tuple(one.name for one in inputs.all[inputs.command]),
        parameter_names=tuple(one.name for one in inputs.all[inputs.parameter]),
        units=tuple(one.unit for one in inputs.all),
        central=np.concatenate([run.central for run in runs], axis=1),
        forward=np.concatenate([run.forward for run in runs], axis=1),
        backward=np.concatenate([run.backward for run in runs], axis=1),
        error=np.concatenate([run.error for run in runs], axis=1),
        changes=tuple(change for run in runs for change in run.changes),
        world_steps=steps * sum(run.worlds for run in runs),
        time_step=steps * layout.time_step,
    )


class _Run:
    """Some inputs, moved by four amounts each in worlds of one batch, and what the steps make of them."""

    def __init__(
        self, world: World, layout: StateLayout, dofs: np.ndarray, inputs: Inputs,
        moved: Sequence[Input],
    ) -> None:  # fmt: skip
        self._world, self._layout, self._dofs = world, layout, dofs
        self._inputs, self._moved = inputs, moved
        self.worlds = 1 + len(AMOUNTS) * len(moved)
        self._amounts = np.zeros((self.worlds, len(moved)))
        for k in range(len(moved)):
            self._amounts[self._rows(k), k] = AMOUNTS
        self.changes: list[Change] = []

    @staticmethod
    def _rows(k: int) -> slice:
        """Return the worlds in which input k is moved."""
        return slice(1 + len(AMOUNTS) * k, 1 + len(AMOUNTS) * (k + 1))

    def take(self, steps: int, outputs: Outputs | None, threads: int | None) -> _Run:
        """Take the steps, and differentiate what they lead to."""
        batch = Batch(self._world, self.worlds, threads=threads)
        command = batch.engine.command.arrays
        base = command["wrench"][0].ravel() * (command["has_wrench"][0, 0] != 0)
        batch.engine.state.arrays["tree_is_asleep"][...] = 0
        batch.set_settings(sleeping=False)
        self._inputs.write(batch, self._moved, self._amounts)
        for k in range(steps):
            last_one_step = base if k == 0 else 0.0
            self._inputs.hold_wrenches(batch, self._moved, self._amounts, last_one_step)
            made = batch.step()
            if not made.all():
                world = int(np.flatnonzero(~made)[0])
                where = "the world's own state" if world == 0 else self._name(world)
                raise SimulationError(f"linearize: a step from {where} leads to what is no number")
            self._compare(ActiveSet(batch, list(self._layout.dofs)))
        self._differentiate(self._results(batch, outputs))
        return self

    def _name(self, world: int) -> str:
        """Return which input is moved in a world."""
        return f"{self._moved[(world - 1) // len(AMOUNTS)].name} moved"

    def _compare(self, active: ActiveSet) -> None:
        """Note what acts otherwise where an input is moved by one step than where none is."""
        for what, numbers in active.numbers.items():
            for k, one in enumerate(self._moved):
                _, below, above, _ = numbers[self._rows(k)]
                if below == numbers[0] == above:
                    continue
                said = (in_words(what, n) for n in (below, numbers[0], above))
                change = Change(one.name, what, *said)
                if change not in self.changes:
                    self.changes.append(change)

    def _results(self, batch: Batch, outputs: Outputs | None) -> np.ndarray:
        """Return δq, v and y of each world, (worlds, rows); δq is counted from where world 0 is."""
        state = batch.engine.state.arrays
        start = np.broadcast_to(state["q"][0], state["q"].shape)
        parts = [
            self._layout.minus(state["q"], start)[:, self._dofs],
            state["v"][:, self._dofs],
        ]
        if outputs is not None:
            made: Any = np.asarray(outputs(batch), float)
            if made.ndim < 1 or made.shape[0] != self.worlds:
                raise ValueError(
                    f"outputs must return numbers with the worlds as first axis, ({self.worlds}, …), got "
                    f"shape {made.shape}"
                )
            if not np.isfinite(made).all():
                raise ValueError("outputs returned what is no number")
            parts.append(made.reshape(self.worlds, -1))
        return np.concatenate(parts, axis=1)

    def _differentiate(self, results: np.ndarray) -> None:
        """Set derivatives (rows, inputs) from results (worlds, rows)."""
        moved = results[1:].reshape(len(self._moved), len(AMOUNTS), -1)
        far_below, below, above, far_above = moved.transpose(1, 2, 0)
        base, size = results[0][:, None], np.array([one.size for one in self._moved])
        self.central = (above - below) / (2.0 * size)
        self.error = np.abs(self.central - (far_above - far_below) / (4.0 * size))
        self.forward = (4.0 * above - far_above - 3.0 * base) / (2.0 * size)
        self.backward = (3.0 * base + far_below - 4.0 * below) / (2.0 * size)
