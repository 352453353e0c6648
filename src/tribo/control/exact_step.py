"""`ExactStep`: derivatives of a step by its own equations, where these are known, and why not elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import ref

import numpy as np

from tribo.batch_kernels.copies import copy_worlds
from tribo.compiler.jit import DISABLED
from tribo.engine.engine import Engine
from tribo.model import Integrator, Status
from tribo.queries.step_tangents import step_tangents
from tribo.queries.tangents import Count, Obstacle, Tangents

ROOM = 16  # rows of contacts and joints for which there is room at first
SAME = 1e-9  # [–] of the largest change of velocity, by which an acceleration may miss it
MAX_ROUNDS = 10  # of the bias force of a step
FIRST = np.zeros(1, np.int64)
CONSISTENT = 1e-9  # [–] of the largest number, by which rows that say the same may differ
REASONS = {
    Obstacle.CONSTRAINT: "constraints tie bodies or joints together",
    Obstacle.FAST_ROTATION: "{body} turns too far for one evaluation of its bias force, or rk4 is used",
    Obstacle.FLOATS: "{body} floats and keeps its momentum while overlaps are corrected",
    Obstacle.RESTS: "{body} sleeps",
    Obstacle.COMPLIANT: "a contact gives way or pulls",
    Obstacle.AHEAD: "a contact was found ahead on the way of the step",
    Obstacle.REBOUND: "impacts come one after the other, or a body that tumbles is hit",
    Obstacle.ROLLING_LENGTH: "rolling friction has the distance of the centre of mass as its length",
    Obstacle.STATIC_FRICTION: "a contact slips whose static friction is another one",
    Obstacle.SURFACES: "a contact is between surfaces whose curvature is not known",
    Obstacle.CARRIER: "{body} is moved by the user and touches something",
    Obstacle.BOX_FRICTION: "friction has a bound along each direction",
    Obstacle.OVERLAP: "positions of {body} are corrected besides",
    Obstacle.JOINT_ROW: "a joint of {body} is at a cone, a speed limit or the bound of a stop",
    Obstacle.AT_STOP: "a joint of {body} is exactly at its stop",
    Obstacle.BORNE: "the weight of {body} is borne",
    Obstacle.MISMATCH: "the step of {body} has a stage besides",
    Obstacle.ACTUATOR: "the force of an actuator depends on where {body} is, or how fast",
    Obstacle.BORDER: "a contact is about to press or to slip",
    Obstacle.HIT: "{body} hangs on a ball joint and is hit in a midpoint step",
    Obstacle.SAG: "a contact sags with another one of its pair",
    Obstacle.SHARES: "contacts that slip share a load in ways that end at different velocities",
}
NO_NUMBER = "the step leads to what is no number"
PARTS = "contacts share a load in more ways than one, and one of them would part"


@dataclass(frozen=True)
class StepMap:
    """The derivative of a step in any direction d: linear d + jumps |gaps d|, where gaps are 0.

    Columns of inputs: δq, δv, δτ, and under the midpoint rule the accelerations of the last two steps.
    """

    linear: np.ndarray  # (rows, inputs)
    jumps: np.ndarray  # (rows, gaps) by the size of each gap
    gaps: np.ndarray  # (gaps, inputs) changes of gaps by the inputs

    def along(self, ways: np.ndarray) -> np.ndarray:
        """Return the derivatives (rows, k) in directions (inputs, k)."""
        made = np.asarray(self.linear @ ways)
        if self.jumps.size:
            made += self.jumps @ np.abs(self.gaps @ ways)
        return made

    def of_rows(self, table: np.ndarray) -> StepMap:
        """Return the same of other rows of the step, the mean of both sides of them."""
        gaps, width = self.gaps.shape
        return StepMap(table[:, :width], table[:, width : width + gaps], self.gaps)


def remembering(model: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the dofs (nv,) of bool whose accelerations the next step counts on: a free body keeps none."""
    tree = model["body_tree"][0][model["dof_body"][0]]
    return np.asarray((model["dof_is_moved"][0] != 0) & (model["tree_is_single"][0][tree] == 0))


class Reader(Protocol):
    """Something that reads what a step has left."""

    def keep(self) -> None:
        """Copy it."""


class ExactStep:
    """One world apart in which steps are made and differentiated, on the model and settings of a world.

    After `take`, `contacts` … `slips` say which contacts press, and `grown`, `fallen` hold derivatives of δq⁺
    and δv⁺ (first 2 nv rows) and of the impulses by δq, δv and δτ (3 nv columns).

    Args:
        engine: Of a world, whose steps they are.
        bodies: Names of bodies, by row.
        has_memory: Whether derivatives by the accelerations of the last two steps are wanted.
        has_directions: Whether `directional` and `left_over` are.
    """

    def __init__(
        self, engine: Engine, bodies: Mapping[int, str], *, has_memory: bool = False,
        has_directions: bool = False,
    ) -> None:  # fmt: skip
        self._has_memory, self._has_directions = has_memory, has_directions
        self._bodies = bodies
        self._source = engine
        self._model = self._source.model
        self.engine = Engine(self._model, self._source.sizes, self._source.capacity, 1, self._source.settings)
        self._tables: tuple[Any, ...] = ()
        self._reader: ref[Reader] | None = None
        self._make_room(ROOM)

    def fits(self, engine: Engine) -> bool:
        """Tell whether the world is still made of what this was made of."""
        return engine is self._source and self._source.model is self._model

    def take(self) -> str:
        """Make the next step apart, and differentiate it; return why that cannot be, "" if it can.

        Raises:
            FloatingPointError: The step leads to what is no number.
        """
        reader = self._reader() if self._reader else None
        if reader is not None:
            reader.keep()
        self._reader = None
        self._make(0)
        found = self._differentiate(0, is_last=True)
        if found == Obstacle.ROUNDS:
            found = self._differentiate_rounds()
        if found == Obstacle.ROOM:
            self._make_room(int(self.tangents.arrays["counts"][0, Count.ROWS]) - self.nv)
            return self.take()
        return self._reason(found, int(self.tangents.arrays["counts"][0, Count.PLACE])) if found else ""

    def take_or_say(self) -> str:
        """Do as `take`; that the step leads to what is no number is a reason, too."""
        try:
            return self.take()
        except FloatingPointError:
            return NO_NUMBER

    def _make(self, most: int) -> None:
        """Make the step, with fewer rounds of its bias force than `most`; 0: with as many as it takes.

        Raises:
            FloatingPointError: It leads to what is no number.
        """
        engine = self.engine
        self._copy()
        engine.work.arrays["bias_rounds"][0, 1:] = most, 1
        engine.work.arrays["shift_v"][...] = 0.0
        if engine.run(1) and engine.status[0, 0] & Status.INVALID:
            raise FloatingPointError

    def _differentiate(self, rounds: int, *, is_last: bool) -> Obstacle:
        """Differentiate the step that was made with so many rounds; return the obstacle."""
        self._stage = (rounds, is_last, rounds > 0 and self.has_sides)
        found = self._solve(*self._stage, 0, 0)
        if found == Obstacle.LASTING:
            found = self._differentiate_free() or self._solve(*self._stage, 0, 1)
        return found

    def _solve(self, *stage: int) -> Obstacle:
        engine, own = self.engine, self.tangents.arrays
        own["stage"][0] = (*stage, self._has_memory, self._has_directions)
        step_tangents(self._model, engine.state, engine.command, engine.settings, engine.work, self.tangents)
        return Obstacle(int(own["counts"][0, Count.OBSTACLE]))

    def _differentiate_free(self) -> Obstacle:
        """Differentiate what forces alone add to velocities in the round at hand; return the obstacle."""
        n, own, next_v = self.nv, self.tangents.arrays, self.engine.work.arrays["next_v"]
        end = next_v.copy()
        rounds, _, sides = self._stage
        found = self._solve(rounds, False, sides, 1, 0)
        next_v[...] = end
        own["free_by"][0] = own["grown"][0, n : 2 * n]
        own["free_by"][0, :, n : 2 * n] -= np.eye(n)
        own["free_by"][0, :, self.width :] = 0.0
        return found

    def _differentiate_rounds(self) -> Obstacle:
        """Differentiate a step whose bias force was taken anew, from round to round; return the obstacle.

        v̄ of a round is (v + v⁺)/2 of the one before, of the trees that go on; all end with the v̄ of the step.
        """
        n, own, work = self.nv, self.tangents.arrays, self.engine.work.arrays
        wanted = work["mid_v"][0].copy()
        mean = end = wanted
        dofs = np.arange(n)
        for rounds in range(MAX_ROUNDS):
            self._make(rounds + 1)
            goes_on = np.flatnonzero(work["mid_v"][0] != mean) if rounds else dofs[:0]
            mean = work["mid_v"][0].copy()
            own["mean"][0] = mean
            own["mean"][0, goes_on] = 0.5 * (own["start_v"][0] + end)[goes_on]
            for side, made in (("grown", self._all_grown), ("fallen", self._all_fallen)):
                by = own[f"mean_by_{side}"][0]
                by[goes_on] = 0.5 * made[n + goes_on]
                by[goes_on, n + goes_on] += 0.5
            is_last = np.array_equal(mean, wanted)
            if is_last:
                self._make(0)
            found = self._differentiate(rounds, is_last=is_last)
            if found or is_last:
                return Obstacle.FAST_ROTATION if found == Obstacle.ROUNDS else found
            if rounds == 0:
                for side in ("grown", "fallen"):
                    by = own[f"mean_by_{side}"][0]
                    by[...] = 0.0
                    by[dofs, n + dofs] = 1.0
                    if self.width > 3 * n:
                        by[dofs[:, None], np.stack([3 * n + dofs, 4 * n + dofs], 1)] = own["first_mean_by"][0]
            end = work["next_v"][0].copy()
        return Obstacle.FAST_ROTATION

    @property
    def nv(self) -> int:
        """Dofs of the world."""
        return int(self._source.sizes["nv"])

    @property
    def _all_grown(self) -> np.ndarray:
        return np.asarray(self.tangents.arrays["grown"][0])

    @property
    def _all_fallen(self) -> np.ndarray:
        return np.asarray(self.tangents.arrays["fallen" if self.has_sides else "grown"][0])

    @property
    def grown(self) -> np.ndarray:
        """Derivatives where inputs grow, (2 nv + impulses, 3 nv)."""
        return self._all_grown[:, : 3 * self.nv]

    @property
    def fallen(self) -> np.ndarray:
        """Derivatives where inputs fall, (2 nv + impulses, 3 nv)."""
        return self._all_fallen[:, : 3 * self.nv]

    def by_memory(self) -> np.ndarray:
        """Return the mean of both sides by the accelerations of the last two steps, (2 nv, 2 nv)."""
        n = self.nv
        return np.asarray(0.5 * (self._all_grown + self._all_fallen)[: 2 * n, 3 * n : 5 * n])

    @property
    def width(self) -> int:
        """Number of inputs: 5 nv where the last accelerations are among them, else 3 nv."""
        is_midpoint = self.engine.settings.arrays["integrator"].flat[0] != Integrator.SEMI_IMPLICIT
        return (5 if self._has_memory and is_midpoint else 3) * self.nv

    @property
    def rounds(self) -> int:
        """How often the bias force was taken anew."""
        return int(self.tangents.arrays["stage"][0, 0])

    @property
    def is_shifted(self) -> bool:
        """Whether positions are corrected at the end of the step."""
        return bool(self.tangents.arrays["counts"][0, Count.SHIFTED])

    @property
    def time_step(self) -> float:
        """Length of the step [s]."""
        return float(self.engine.settings.arrays["dt"].flat[0])

    def lend(self, reader: Reader) -> None:
        """Let a reader copy what it reads before the next step is made."""
        self._reader = ref(reader)

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all columns of `grown` and `fallen`, of rows in use; one table where both are the same."""
        rows = self.nv + int(self.tangents.arrays["counts"][0, Count.ROWS])
        grown = self._all_grown[:rows]
        return grown, self._all_fallen[:rows] if self.has_sides else grown

    def _gaps(self) -> int:
        """Return how many gaps change what the step does when they open or close."""
        contacts, scalars = self.tangents.arrays["counts"][0, :2]
        return int(contacts + scalars) if self.has_sides else 0

    def directional(self) -> StepMap:
        """Return derivatives of δq⁺, δv⁺ and of the impulses in any direction.

        Of a step of one round; where sides do not differ, of others as well.
        """
        rows = self.nv + int(self.tangents.arrays["counts"][0, Count.ROWS])
        return self._map(0.5 * (self._all_grown + self._all_fallen)[:rows])

    def left_over(self) -> StepMap:
        """Return what rows that say the same ask for differently, in any direction."""
        rows, own = int(self.tangents.arrays["counts"][0, Count.ROWS]), self.tangents.arrays
        fallen = own["left_fallen" if self.has_sides else "left"]
        return self._map(0.5 * (own["left"] + fallen)[0, :rows])

    def _map(self, table: np.ndarray) -> StepMap:
        width, gaps = self.width, self._gaps()
        return StepMap(
            table[:, :width].copy(), table[:, width : width + gaps].copy(),
            self.tangents.arrays["gap_by"][0, :gaps, :width].copy(),
        )  # fmt: skip

    def rates_map(self, made: StepMap) -> StepMap | None:
        """Return `rates` in any direction, of the step whose `directional` is `made`."""
        rates, width = self.rates(), self.width
        if rates is None:
            return None
        return StepMap(rates[:, :width], rates[:, width : width + len(made.gaps)], made.gaps)

    def rates(self) -> np.ndarray | None:
        """Return derivatives (nv, …) of the accelerations on which the next step counts, by the inputs.

        That is (v⁺ − v)/dt, or what forces alone make of it where contacts change more than all other forces
        (`integrate.store_acceleration`). None: it is neither. The tables of `take` may be overwritten.
        """
        n, own = self.nv, self.tangents.arrays
        dt = float(self.engine.settings.arrays["dt"].flat[0])
        last = dt * self.engine.state.arrays["vdot"][0]
        change = self.engine.work.arrays["next_v"][0] - own["start_v"][0]
        made = 0.5 * (self._all_grown + self._all_fallen)[n : 2 * n]
        keeps = self.engine.work.arrays["tree_is_kept"][0] != 0
        if keeps.any():  # what is kept is set besides
            made = own["solved_by"][0].copy()
        made[:, n : 2 * n] -= np.eye(n)
        near = SAME * max(dt, float(np.abs(change).max(initial=0.0)))
        lasts = remembering(self._model.arrays) & (np.abs(last - change) > near)
        self.counts_without_impulses = bool(lasts.any())
        if self.counts_without_impulses:
            if not own["stage"][0, 4] and self._differentiate_free():
                return None
            if (np.abs(last - own["free_v"][0])[lasts] > near).any():
                return None
            made[lasts] = own["free_by"][0][lasts]
        return np.asarray(made / dt)

    @property
    def has_sides(self) -> bool:
        """Whether the two differ: a contact touches without a gap."""
        return bool(self.tangents.arrays["counts"][0, 7])

    @property
    def redundant(self) -> int:
        """Rows that say what others say: a load is shared in more ways than one."""
        return int(self.tangents.arrays["counts"][0, 4])

    def contradicts(self, ways: np.ndarray | None = None) -> bool:
        """Tell whether rows that say the same ask for different changes.

        ways: (3 nv, k) along which the mean of both sides is wanted; None: by each of δq and δv on its own.
        """
        if not self.redundant:
            return False
        n, own = self.nv, self.tangents.arrays
        rows = int(own["counts"][0, Count.ROWS])
        left = own["left"][0, :rows]
        fallen = own["left_fallen"][0, :rows] if self.has_sides else left
        if ways is None:
            pairs = [(left[:, : 2 * n], self.grown), (fallen[:, : 2 * n], self.fallen)]
            sizes = [np.abs(made[:rows, : 2 * n]).max(initial=0.0) for _, made in pairs]
        else:
            pairs = [(0.5 * (left + fallen)[:, : 3 * n] @ ways, self.grown)]
            sizes = [np.abs(self.grown[:rows] @ ways).max(initial=0.0)]
        return any(
            np.abs(one).max(initial=0.0) > CONSISTENT * size
            for (one, _), size in zip(pairs, sizes, strict=True)
        )

    def central(self) -> np.ndarray:
        """Return the mean of both sides, (2 nv + impulses, 3 nv)."""
        return 0.5 * (self.grown + self.fallen) if self.has_sides else self.grown.copy()

    def forces_of(self, kind: str, places: np.ndarray, follows: np.ndarray | None = None) -> np.ndarray:
        """Return joint forces (nv, inputs) of commands of one kind, a unit each, at their places.

        follows: of one side; None: the mean of both.
        """
        nv, command = self.nv, self.engine.command.arrays
        if kind == "wrench":
            return np.asarray(self.tangents.arrays["com_rows"][0].reshape(-1, nv)[places].T)
        made = np.zeros((nv, len(places)))
        gains = {"target": command["kp"][0], "velocity_target": command["kd"][0]}
        gain = gains[kind][places] if kind in gains else 1.0
        made[places, np.arange(len(places))] = gain * (self.follows() if follows is None else follows)[places]
        return made

    def follows(self, side: float = 0.0) -> np.ndarray:
        """Return of each dof 1 where its drive is within its limits, else 0: commands change nothing there.

        A constant force that is exactly at a limit changes to one side alone.
        """
        made = np.asarray(self.tangents.arrays["follows"][0])
        if not self.drives_at_bounds:
            return made
        one_side = np.where(made == 3, 0.5 * (1.0 + side), made)
        return np.where(made == 2, 0.5 * (1.0 - side), one_side)

    @property
    def drives_at_bounds(self) -> bool:
        """Whether a force of a drive is exactly at a limit."""
        return bool(self.tangents.arrays["counts"][0, Count.LIMITS])

    def room_of_forces(self) -> tuple[np.ndarray, np.ndarray]:
        """Return how far constant forces of drives are from their limits, above and below, (nv,) [N, N m]."""
        model, command = self._model.arrays, self.engine.command.arrays
        force = self.engine.work.arrays["feed_forward"][0]
        is_driven = (command["kp"][0] != 0.0) | (command["kd"][0] != 0.0)
        upper, lower = model["dof_effort_upper"][0], model["dof_effort_lower"][0]
        none = np.where(is_driven | (upper == lower), np.inf, 0.0)
        return upper - force + none, force - lower + none

    def by_targets(self, targets: np.ndarray) -> np.ndarray:
        """Return the change of δq⁺ and δv⁺ (2 nv, …) by targets (contacts, …) of contacts that press.

        Of a step of one round that shifts no positions.
        """
        n, own = self.nv, self.tangents.arrays
        rows = int(own["counts"][0, Count.ROWS])
        first = 4 * (-(-rows // 4)) + 4 * n
        made = own["answer"][0, :n, first : first + len(targets)] @ targets
        return np.concatenate([own["end_by_v"][0] @ made, made])

    def _make_room(self, extra: int) -> None:
        n = self.nv
        rows = -(-(n + extra + 1) // 4) * 4
        sizes = self.engine.sizes | {
            "nrow": rows, "ncolumn": rows + 5 * n + rows + 8, "nresult": n + rows,
            "nby": (5 if self._has_memory else 3) * n + (rows if self._has_directions else 0),
        }  # fmt: skip
        self.tangents = Tangents.allocate(sizes)
        self._tables = ()

    def _copy(self) -> None:
        """Take over state and commands of the world; nothing sleeps."""
        tables = (self._source.state, self._source.command, self.engine.state, self.engine.command)
        if len(self._tables) != 4 or any(a is not b for a, b in zip(tables, self._tables, strict=True)):
            self.engine.make_room(self._source.state.arrays["warm_key"].shape[1])
            tables = (*tables[:2], self.engine.state, self.engine.command)
            self._tables, self._pairs = tables, self._pairs_of(tables)
            self._copies = np.array(
                [(ours.ctypes.data, 0, theirs.ctypes.data, 0, theirs.nbytes // 8)
                 for ours, theirs in self._pairs], np.int64,
            )  # fmt: skip
        if not DISABLED:
            copy_worlds(self._copies, FIRST, FIRST)
            return
        for ours, theirs in self._pairs:
            ours[...] = theirs

    def _pairs_of(self, tables: tuple[Any, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
        state, command, own_state, own_command = (table.arrays for table in tables)
        pairs = []  # of numbers of 8 bytes, side by side in memory: a longer table is filled from its begin
        for theirs, ours in ((state, own_state), (command, own_command)):
            for name, array in theirs.items():
                if array.size and name not in {"tree_is_asleep", "can_sleep"}:
                    region = tuple(slice(0, size) for size in array.shape)
                    pairs.append((ours[name][region], array))
        own = self.tangents.arrays
        pairs += [(own[f"start_{name}"], state[name]) for name in ("q", "v", "vdot", "vdot_before")]
        return [*pairs, (own["wrench"], command["wrench"])]

    def _reason(self, obstacle: Obstacle, place: int) -> str:
        return REASONS[obstacle].format(body=self._bodies.get(place, f"body {place}"))
