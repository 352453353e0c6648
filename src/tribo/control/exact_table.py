"""`ExactTable`: exact derivatives of a step by states and commands, and contacts about to change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np

from tribo.checks.errors import SimulationError
from tribo.control.borders import Borders, Taken
from tribo.control.exact_parameters import Changes, ForcesOfParameters
from tribo.control.exact_step import PARTS, ExactStep
from tribo.control.inputs import Inputs
from tribo.control.linearization import Change
from tribo.control.readings import Readings
from tribo.engine.engine import Engine
from tribo.identification.state_layout import StateLayout

ENDS = "linearize: a step from the world's own state leads to what is no number"
LENGTHS = "a parameter moves what is read besides the state"
SHARED = "a parameter asks of contacts that share a load in more ways than one"

Tables = tuple[np.ndarray, np.ndarray]  # where inputs grow, where they fall


def _nothing() -> Tables:
    """Return tables of nothing."""
    return np.zeros((0, 0)), np.zeros((0, 0))


class Exact:
    """Derivatives (2n, inputs) by states and commands, or why there are none.

    Args:
        obstacle: Why there are none, or "".
        both: Returns derivatives where inputs grow and where they fall; it is asked once, when they are.
        changes_of: Returns what acts otherwise.
        worlds: Steps that were made.
        mean: Returns the mean of both sides at less cost.
    """

    def __init__(
        self, obstacle: str, both: Callable[[], Tables] = _nothing,
        changes_of: Callable[[], tuple[Change, ...]] = tuple, worlds: int = 1,
        mean: Callable[[], np.ndarray] | None = None,
    ) -> None:  # fmt: skip
        self.obstacle, self.changes_of, self.worlds = obstacle, changes_of, worlds
        self._later, self._mean = both, mean

    @cached_property
    def _both(self) -> Tables:
        return self._later()

    @cached_property
    def central(self) -> np.ndarray:
        """The mean of both sides."""
        if self._mean is not None:
            return self._mean()
        forward, backward = self._both
        return forward if forward is backward else 0.5 * (forward + backward)

    @property
    def forward(self) -> np.ndarray:
        """Where inputs grow."""
        return self._both[0]

    @property
    def backward(self) -> np.ndarray:
        """Where inputs fall."""
        return self._both[1]

    @property
    def error(self) -> np.ndarray:
        """Zeros."""
        return np.zeros_like(self.forward)


class ExactTable:
    """Derivatives of the next steps of a world by its states and commands.

    Args:
        engine: Of the world.
        layout: Of its states.
        dofs: Numbers of the dofs that are states, (n,).
        readings: Read at the end.
        of_several: Whether derivatives by all that the next step depends on are wanted, in any direction.
    """

    def __init__(
        self, engine: Engine, layout: StateLayout, dofs: np.ndarray, readings: Readings | None = None, *,
        of_several: bool = False,
    ) -> None:  # fmt: skip
        bodies = layout.names_of_bodies
        self._step = ExactStep(engine, bodies, has_memory=of_several, has_directions=of_several)
        self._layout, self._dofs, self._readings = layout, dofs, readings
        self._borders = Borders(layout, engine.model.arrays)
        nv = layout.nv
        self._rows = np.concatenate([dofs, nv + dofs])
        self._takes_all = np.array_equal(dofs, np.arange(nv))
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
            raise SimulationError(ENDS) from None
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
                return Exact(PARTS)
        taken = Taken(step, self._forces)
        read = self._read(step.engine)
        both = partial(self._all_sides, taken, directions, read)
        mean = partial(self._mean, taken, directions, read)
        return Exact("", both, partial(self._changes, taken, inputs, directions), mean=mean)

    def _changes(self, taken: Taken, inputs: Inputs, directions: np.ndarray) -> tuple[Change, ...]:
        """Return what acts otherwise where an input is moved."""
        forces = taken.tables()[2]
        sides = partial(self._sides, directions, forces)
        return self._borders.changes(taken, inputs.names, inputs.sizes_without_parameters, sides)

    def _sides(self, directions: np.ndarray, forces: Tables, grown: np.ndarray, fallen: np.ndarray) -> Tables:
        """Return columns by the inputs of tables by (δq, δv, δτ), on both sides, along contacts the mean."""
        if directions.shape[0] != directions.shape[1] and fallen is not grown:
            grown = fallen = 0.5 * (grown + fallen)
        made = self._columns(grown, forces[0], directions)
        is_same = fallen is grown and forces[1] is forces[0]
        return made, made if is_same else self._columns(fallen, forces[1], directions)

    def _read(self, engine: Engine) -> np.ndarray | None:
        """Return derivatives (readings, 2 nv) of what is read by the state at the end of the step."""
        if self._readings is None:
            return None
        state = engine.state.arrays
        return self._readings.derivatives(state["q"][0], state["v"][0])

    def _mean(self, taken: Taken, directions: np.ndarray, read: np.ndarray | None) -> np.ndarray:
        """Return the rows of states and readings by the inputs, the mean of both sides."""
        rows = 2 * self._layout.nv
        grown, fallen, forces = taken.tables()
        if forces[1] is not forces[0]:
            forward, backward = self._all_sides(taken, directions, read)
            return 0.5 * (forward + backward)
        table = grown[:rows] if fallen is grown else 0.5 * (grown[:rows] + fallen[:rows])
        return self._results(self._columns(table, forces[0], directions), directions, read)

    def _all_sides(self, taken: Taken, directions: np.ndarray, read: np.ndarray | None) -> Tables:
        """Return the rows of states and readings by the inputs, on both sides."""
        rows = 2 * self._layout.nv
        grown, fallen, forces = taken.tables()
        top = grown[:rows]
        forward, backward = self._sides(directions, forces, top, top if fallen is grown else fallen[:rows])
        made = self._results(forward, directions, read)
        return made, made if backward is forward else self._results(backward, directions, read)

    def by_parameters(self, changes: Sequence[Changes], directions: np.ndarray) -> Exact:
        """Return derivatives by parameters of the step of the last `at`, or why there are none.

        changes: what each sets (`exact_parameters.changed_fields`).
        """
        step, nv = self._step, self._layout.nv
        if self._readings is not None and any("joint_pos" in one for one in changes):
            return Exact(LENGTHS)
        forces = ForcesOfParameters(step)
        both: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        for one in changes:
            made = forces.of(one)
            if isinstance(made, str):
                return Exact(made)
            push, target = made
            if target.any() and step.redundant:
                return Exact(SHARED)
            more = step.by_targets(target) if target.any() else 0.0
            for side, table in zip(both, (step.grown, step.fallen), strict=True):
                side.append(table[: 2 * nv, 2 * nv :] @ push + more)
        read = self._read(step.engine)
        forward, backward = (self._results(np.stack(one, axis=1), directions, read) for one in both)
        return Exact("", lambda: (forward, backward), worlds=0)

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
            return by_state, table[self._rows, 2 * self._layout.nv :] @ self._forces_on(step.follows())
        by_force = table[: 2 * n, 2 * n :]
        if len(self._kinds) == 1 and self._kinds[0][0] == "force":
            places = self._kinds[0][1]
            return table[: 2 * n, : 2 * n].copy(), by_force[:, places] * step.follows()[places]
        return table[: 2 * n, : 2 * n].copy(), by_force @ self._forces_on(step.follows())

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

    def _forces(self) -> Tables:
        """Return the joint forces (nv, commands) of commands of one unit each, as these grow and fall."""
        step = self._step
        if step.drives_at_bounds:
            return self._forces_on(step.follows(1.0)), self._forces_on(step.follows(-1.0))
        made = self._forces_on(step.tangents.arrays["follows"][0])
        return made, made

    def _forces_on(self, follows: np.ndarray) -> np.ndarray:
        """Return the joint forces (nv, commands) of commands, where drives follow them."""
        parts = [self._step.forces_of(kind, places, follows) for kind, places in self._kinds]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts, axis=1) if parts else np.zeros((self._layout.nv, 0))

    def _columns(self, table: np.ndarray, forces: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """Return columns of a table of all results by (δq, δv, δτ) along directions and by commands."""
        nv = self._layout.nv
        by_q, by_v = table[:, :nv], table[:, nv : 2 * nv]
        if not self._takes_all:
            by_q, by_v = by_q[:, self._dofs], by_v[:, self._dofs]
        if directions.shape[0] != directions.shape[1]:
            by_q, by_v = by_q @ directions, by_v @ directions
        first, stop = by_q.shape[1], by_q.shape[1] + by_v.shape[1]
        made = np.empty((len(table), stop + forces.shape[1]))
        made[:, :first], made[:, first:stop] = by_q, by_v
        np.matmul(table[:, 2 * nv : 3 * nv], forces, out=made[:, stop:])
        return made

    def _results(self, columns: np.ndarray, directions: np.ndarray, read: np.ndarray | None) -> np.ndarray:
        """Return the rows of the states, then those of what is read."""
        n = len(self._dofs)
        made = columns[: 2 * n] if self._takes_all else columns[self._rows]
        if directions.shape[0] != directions.shape[1]:
            made = np.concatenate([directions.T @ made[:n], directions.T @ made[n:]])
        if read is None:
            return made
        return np.concatenate([made, read @ columns[: read.shape[1]]])
