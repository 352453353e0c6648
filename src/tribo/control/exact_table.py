"""`ExactTable`: exact derivatives of a step by states and commands, and contacts about to change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tribo.checks.errors import SimulationError
from tribo.control.active_set import POINTS, SLIPPING, in_words
from tribo.control.exact_parameters import Changes, ForcesOfParameters
from tribo.control.exact_step import ExactStep, Pressing
from tribo.control.inputs import Inputs
from tribo.control.linearization import Change
from tribo.engine.engine import Engine
from tribo.identification.state_layout import StateLayout

EMPTY = np.zeros((0, 0))


@dataclass
class Exact:
    """Derivatives (2n, inputs) by states and commands, or why there are none."""

    obstacle: str
    central: np.ndarray = field(default_factory=lambda: EMPTY)
    forward: np.ndarray = field(default_factory=lambda: EMPTY)
    backward: np.ndarray = field(default_factory=lambda: EMPTY)
    error: np.ndarray = field(default_factory=lambda: EMPTY)
    changes_of: Callable[[], tuple[Change, ...]] = tuple
    worlds: int = 1


class ExactTable:
    """Derivatives of the next steps of a world by its states and commands.

    Args:
        engine: Of the world.
        layout: Of its states.
        dofs: Numbers of the dofs that are states, (n,).
        of_several: Whether derivatives by all that the next step depends on are wanted, in any direction.
    """

    def __init__(
        self, engine: Engine, layout: StateLayout, dofs: np.ndarray, *, of_several: bool = False
    ) -> None:
        bodies_by_row = {row: name for name, row in layout.bodies.items()}
        self._step = ExactStep(engine, bodies_by_row, has_memory=of_several, has_directions=of_several)
        self._layout, self._dofs = layout, dofs
        nv = layout.nv
        self._rows = np.concatenate([dofs, nv + dofs])
        self._takes_all = np.array_equal(dofs, np.arange(nv))
        owners = {row: name for name, (a, b) in layout.body_range.items() for row in range(a, b)}
        bodies = engine.model.arrays["shape_body"][0]
        self._owner_of_shape = [owners[int(row)] for row in bodies]
        self._known: Inputs | None = None

    def fits(self, engine: Engine) -> bool:
        """Tell whether the world is still made of what this was made of."""
        return self._step.fits(engine)

    def at(self, inputs: Inputs, directions: np.ndarray) -> Exact:
        """Return derivatives along directions (n, m) and by commands at the present state.

        Raises:
            SimulationError: The step leads to what is no number.
        """
        step, nv = self._step, self._layout.nv
        try:
            why = step.take()
        except FloatingPointError:
            raise SimulationError(
                "linearize: a step from the world's own state leads to what is no number"
            ) from None
        if why:
            return Exact(why)
        self._take(inputs)
        n, m = len(self._dofs), directions.shape[1]
        is_whole = m == n
        if step.redundant:
            ways = None
            if not is_whole:
                ways = np.zeros((3 * nv, 2 * m))
                ways[self._dofs, :m] = ways[nv + self._dofs, m:] = directions
            if step.contradicts(ways):
                return Exact("contacts share a load in more ways than one, and one of them would part")
        forces = self._forces()
        if not is_whole or not step.has_sides:
            central = self._columns(step.central(), forces, directions)
            forward = backward = central
        else:
            forward = self._columns(step.grown, forces, directions)
            backward = self._columns(step.fallen, forces, directions)
            central = 0.5 * (forward + backward)
        made = self._results(central, directions)
        ahead = made if forward is central else self._results(forward, directions)
        behind = made if forward is central else self._results(backward, directions)
        return Exact("", made, ahead, behind, np.zeros_like(made), self._look(inputs, forward, backward))

    def by_parameters(self, changes: Sequence[Changes], directions: np.ndarray) -> Exact:
        """Return derivatives by parameters of the step of the last `at`, or why there are none.

        changes: what each sets (`exact_parameters.changed_fields`).
        """
        step, nv = self._step, self._layout.nv
        forces = ForcesOfParameters(step)
        both: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        for one in changes:
            made = forces.of(one)
            if isinstance(made, str):
                return Exact(made)
            push, target = made
            more = step.by_targets(target) if target.any() else 0.0
            for side, table in zip(both, (step.grown, step.fallen), strict=True):
                side.append(table[: 2 * nv, 2 * nv :] @ push + more)
        forward, backward = (self._results(np.stack(one, axis=1), directions) for one in both)
        central = 0.5 * (forward + backward)
        return Exact("", central, forward, backward, np.zeros_like(central), worlds=0)

    def matrices(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return derivatives by states and by the commands of the last `at`; None where `at` has to look."""
        step, n = self._step, len(self._dofs)
        try:
            if self._known is None or step.take() or step.redundant:
                return None
        except FloatingPointError:
            return None
        table = step.grown[: 2 * self._layout.nv]
        if step.has_sides:
            table = table + step.fallen[: 2 * self._layout.nv]
            table *= 0.5
        if not self._takes_all:
            by_state = table[np.ix_(self._rows, self._rows)]
            return by_state, table[self._rows, 2 * self._layout.nv :] @ self._forces()
        by_force = table[: 2 * n, 2 * n :]
        if len(self._kinds) == 1 and self._kinds[0][0] == "force":
            places = self._kinds[0][1]
            return table[: 2 * n, : 2 * n].copy(), by_force[:, places] * step.follows[places]
        return table[: 2 * n, : 2 * n].copy(), by_force @ self._forces()

    def _take(self, inputs: Inputs) -> None:
        """Note where the commands of a linearization stand."""
        if inputs is self._known:
            return
        self._known = inputs
        self._kinds: list[tuple[str, np.ndarray]] = []
        made = inputs.all[inputs.command]
        for kind in dict.fromkeys(one.kind for one in made):
            places = [one.place for one in made if one.kind == kind]
            if kind == "target":
                places = [self._layout.dof_of[place] for place in places]
            self._kinds.append((kind, np.array(places, int)))

    def _forces(self) -> np.ndarray:
        """Return the joint forces (nv, commands) of commands of one unit each."""
        parts = [self._step.forces_of(kind, places) for kind, places in self._kinds]
        return np.concatenate(parts, axis=1) if parts else np.zeros((self._layout.nv, 0))

    def _columns(self, table: np.ndarray, forces: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """Return columns of a table of all results by (δq, δv, δτ) along directions and by commands."""
        nv = self._layout.nv
        by_q, by_v = table[:, :nv], table[:, nv : 2 * nv]
        if not self._takes_all:
            by_q, by_v = by_q[:, self._dofs], by_v[:, self._dofs]
        if directions.shape[0] != directions.shape[1]:
            by_q, by_v = by_q @ directions, by_v @ directions
        return np.concatenate([by_q, by_v, table[:, 2 * nv :] @ forces], axis=1)

    def _results(self, columns: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """Return the rows of the states."""
        n = len(self._dofs)
        made = columns[: 2 * n] if self._takes_all else columns[self._rows]
        if directions.shape[0] == directions.shape[1]:
            return made
        return np.concatenate([directions.T @ made[:n], directions.T @ made[n:]])

    def _look(
        self, inputs: Inputs, forward: np.ndarray, backward: np.ndarray
    ) -> Callable[[], tuple[Change, ...]]:
        """Return a function of nothing that says which contacts act otherwise."""
        pressing = self._step.pressing()
        if not len(pressing[0]):
            return tuple
        return partial(self._changes, inputs, forward, backward, pressing)

    def _changes(
        self, inputs: Inputs, forward: np.ndarray, backward: np.ndarray, pressing: Pressing
    ) -> tuple[Change, ...]:
        """Return which contacts act otherwise where an input is moved by its size, to first order."""
        shapes, impulse, friction, slips = pressing
        nv, count = self._layout.nv, len(shapes)
        size = inputs.sizes[: inputs.command.stop]
        rows = slice(2 * nv, 2 * nv + 3 * count)
        numbers = [
            _numbers(impulse, by * amount, friction, slips)
            for by, amount in ((backward[rows], -size), (forward[rows], size))
        ]
        base = _numbers(impulse, np.zeros((3 * count, 1)), friction, slips)
        if all((one == base).all() for one in numbers):
            return ()
        pairs = [tuple(self._owner_of_shape[int(s)] for s in pair) for pair in shapes]
        made = []
        for pair in dict.fromkeys(pairs):
            own = [k for k, one in enumerate(pairs) if one == pair]
            below, at, above = (x[own].sum(axis=0) for x in (numbers[0], base, numbers[1]))
            name = f"contact {pair[0]}–{pair[1]}"
            made += [
                Change(inputs.all[k].name, name, *(in_words(name, x) for x in (below[k], at[0], above[k])))
                for k in np.flatnonzero((below != at) | (above != at)).tolist()
            ]
        return tuple(made)


def _numbers(impulse: np.ndarray, change: np.ndarray, friction: np.ndarray, slips: np.ndarray) -> np.ndarray:
    """Return what each contact does (contacts, inputs), as numbers of an active set."""
    x, y, z = np.moveaxis(impulse[:, :, None] + change.reshape(*impulse.shape, -1), 1, 0)
    presses = z > 0.0
    bound = friction[:, None] * z
    slides = presses & (slips[:, None] | (x * x + y * y > bound * bound))
    return np.asarray(POINTS * presses + SLIPPING * slides)
