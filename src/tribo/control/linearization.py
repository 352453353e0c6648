"""`Linearization`: derivatives of steps, how well they are known, and where they are one-sided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made

SIDES = ("central", "forward", "backward")
KINK = 0.02  # [–] of the largest number of a column by which its two sides differ at a border
NOTHING = 1e-12  # [m, rad, m/s, rad/s] change of a result that is rounding


@dataclass(frozen=True)
class Change:
    """Something that acts otherwise where an input is moved by a step."""

    input: str
    what: str  # "contact box–ground", "stop arm/elbow", "drive arm/elbow", "dry friction arm/elbow"
    below: str  # in words, where the input is less
    at: str
    above: str

    def __str__(self) -> str:
        """Return input, object and its states in one line."""
        return f"{self.input}: {self.what}: {self.below} | {self.at} | {self.above}"


class Part(Protocol):
    """Derivatives by some of the inputs, side by side with those by others."""

    @property
    def central(self) -> np.ndarray:
        """The mean of both sides, (rows, inputs)."""

    @property
    def forward(self) -> np.ndarray:
        """Where inputs grow."""

    @property
    def backward(self) -> np.ndarray:
        """Where inputs fall."""

    @property
    def error(self) -> np.ndarray:
        """Of the mean."""

    @property
    def changes_of(self) -> Callable[[], tuple[Change, ...]]:
        """Returns the changes on both sides of an input."""


def _block(row: int, column: int, doc: str) -> Made[np.ndarray]:
    """Return the property of the derivatives of x⁺ or y by x, u or p."""

    def read(self: Linearization) -> np.ndarray:
        n, m = len(self.state_names), len(self.command_names)
        rows = (slice(0, n), slice(n, None))[row]
        columns = (slice(0, n), slice(n, n + m), slice(n + m, None))[column]
        return self.central[rows, columns]

    return Made(read, None, doc)


@dataclass(frozen=True, repr=False, eq=False)
class Linearization:
    """Derivatives of the steps of a world, as `tribo.linearize` returns them.

    δx⁺ = A δx + B δu + E δp, δy = C δx + D δu + F δp. Rows and columns of x: changes of the coordinates of n
    dofs, then their velocities. A row of "q/box/rz" is a part of a rotation vector [rad].

    Attributes:
        state_names: Of x, 2n: "q/arm/elbow", "q/box/rz", "v/box/wz"; of z "q/direction 0", "v/direction 0".
        command_names: Of u: "force/arm/elbow", "wrench/box/box/fz".
        parameter_names: Of p.
        units: Of all x, u and p.
        directions: N (n, m): x = (N z_q, N z_v), where x is moved along contacts only; else the unit matrix.
        sizes: By which inputs were moved, in their units.
        world_steps: Steps of a world that were made: the cost.
        time_step: [s] from x to x⁺.
        method: "exact": by the equations of the step; "differences"; "bundled"; or "exact, parameters by
            differences".
        obstacle: Why it is not exact; "" where it is, or where another method was asked for.
        output_names: Of y where it is of `Reading`: "velocity/dog/LF_FOOT/x"; () of a function.
        parts: Of which `central`, `forward`, `backward`, `error` and `changes` are put together when asked.
    """

    state_names: tuple[str, ...]
    command_names: tuple[str, ...]
    parameter_names: tuple[str, ...]
    units: tuple[str, ...]
    directions: np.ndarray
    sizes: np.ndarray
    world_steps: int
    time_step: float
    method: str
    obstacle: str
    parts: tuple[Part, ...]
    output_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return sizes, largest error and how many inputs are at a border."""
        sizes = f"{len(self.state_names)} states, {len(self.command_names)} commands"
        border = f", {len(self.kinks)} inputs at a border" if self.kinks else ""
        return f"<Linearization of {sizes}, {self.method}, error ≤ {self.error.max():.2g}{border}>"

    @cached_property
    def central(self) -> np.ndarray:
        """All derivatives, (2n + outputs, 2n + commands + parameters); the mean of two sides."""
        return _joined([part.central for part in self.parts])

    @cached_property
    def forward(self) -> np.ndarray:
        """The same where inputs grow: it differs at a border, for instance of a contact that would open."""
        return _joined([part.forward for part in self.parts])

    @cached_property
    def backward(self) -> np.ndarray:
        """The same where inputs fall."""
        return _joined([part.backward for part in self.parts])

    @cached_property
    def error(self) -> np.ndarray:
        """Estimate of the error of `central`, its difference to steps twice as long; 0 where it is exact."""
        return _joined([part.error for part in self.parts])

    # By the names that everybody calls them.
    A = _block(0, 0, "Derivative of x⁺ by x, (2n, 2n) [units of x per unit of x].")
    B = _block(0, 1, "Derivative of x⁺ by commands, (2n, commands) [units of x per unit of u].")
    E = _block(0, 2, "Derivative of x⁺ by parameters, (2n, parameters) [units of x per unit of p].")
    C = _block(1, 0, "Derivative of outputs by x, (outputs, 2n) [units of y per unit of x].")
    D = _block(1, 1, "Derivative of outputs by commands, (outputs, commands) [units of y per unit of u].")
    F = _block(1, 2, "Derivative of outputs by parameters, (outputs, parameters) [units of y per unit of p].")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all inputs: x, u and p."""
        return self.state_names + self.command_names + self.parameter_names

    def of(self, result: str, by: str, side: Literal["central", "forward", "backward"] = "central") -> float:
        """Return one derivative by name.

        Args:
            result: One of `state_names` or `output_names`.
            by: One of `names`.
            side: "central", "forward" or "backward".

        Raises:
            KeyError: There is no such name; the message proposes the nearest.
            ValueError: The side is another word.

        Example:
            >>> import tribo
            >>> world = tribo.World(time_step=0.01)
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball", position=(0, 0, 1))
            >>> round(tribo.linearize(world).of("v/ball/vx", "v/ball/vx"), 9)
            1.0
        """
        rows = self.state_names + self.output_names
        row = rows.index(check.known(result, rows, "state or output"))
        column = self.names.index(check.known(by, self.names, "input"))
        table = getattr(self, check.choice(side, SIDES, "side"))
        return float(table[row, column])

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Contacts, stops and limits that act otherwise where an input is moved by a step.

        Where derivatives are exact: to first order, as impulses, gaps and corrections of positions change.
        """
        return tuple(change for part in self.parts for change in part.changes_of())

    @property
    def kinks(self) -> tuple[str, ...]:
        """Names of the inputs whose forward and backward derivatives differ: the state is at a border."""
        n = len(self.state_names)
        at_border = np.zeros(len(self.names), bool)
        for rows in (slice(0, n // 2), slice(n // 2, n), slice(n, None)):
            both = np.maximum(np.abs(self.forward[rows]), np.abs(self.backward[rows]))
            if not both.size:
                continue
            apart = np.abs(self.forward[rows] - self.backward[rows]).max(axis=0)
            largest = both.max(axis=0)
            at_border |= (apart > KINK * largest) & (apart * self.sizes > NOTHING)
        return tuple(name for name, is_one in zip(self.names, at_border, strict=True) if is_one)

    @property
    def is_smooth(self) -> bool:
        """Whether no input is at a border, and nothing acts otherwise where one is moved by a step."""
        return not self.changes and not self.kinks

    @property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of A, (2n,) [–], complex, largest first: above 1 in size is a motion that grows."""
        found = np.linalg.eigvals(self.A)
        return np.asarray(found[np.argsort(-np.abs(found))])


def _joined(tables: list[np.ndarray]) -> np.ndarray:
    """Return tables side by side."""
    return tables[0] if len(tables) == 1 else np.concatenate(tables, axis=1)
