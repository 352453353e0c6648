"""`equilibrium`: coordinates and forces of drives with which a world stays at rest, contacts included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.readonly import frozen
from tribo.control.inputs import TANGENT, diagonal_of_mass, tangent_name
from tribo.identification.state_layout import StateLayout
from tribo.model import Kind, Status
from tribo.world.checked import checked_world
from tribo.world.world import World

STIFF = 1.0  # [–] M/dt² of gains that hold joints; more makes drives with limits tremble
STRETCH = 20  # steps between two looks at whether all is at rest
DIFFERENCE = 1e-6  # [m, rad] by which coordinates are moved; forces: by what changes a velocity by so much
NEWTON_STEPS = 50
HALVINGS = 12  # of a step that does not help
LONGEST = 0.5  # [m, rad] that a coordinate moves in a step
SMALLEST = 1e-9  # [–] singular values below this part of the largest count as zero


@dataclass(frozen=True, repr=False, eq=False)
class Equilibrium:
    """Where a world is at rest, and with which forces.

    Attributes:
        coordinate: By name of an object q, (nq,) [m, rad, –].
        force: By name of a robot the feed-forward forces of its drives, (dof,) [N, N m].
        acceleration: Largest that is left in a step from rest [m/s², rad/s²].
        is_at_rest: Whether that is within the tolerance.
        points: How many contact points press.
        steps: World steps that the search took.
    """

    coordinate: dict[str, np.ndarray]
    force: dict[str, np.ndarray]
    acceleration: float
    is_at_rest: bool
    points: int
    steps: int
    _held: bool

    def __repr__(self) -> str:
        """Return whether it is at rest, on how many points."""
        said = "at rest" if self.is_at_rest else f"{self.acceleration:.3g} m/s², rad/s² are left"
        return f"<Equilibrium on {self.points} points, {said}>"

    def apply(self, world: World) -> None:
        """Put a world there, without velocities, with these forces, drives' targets where the joints are.

        Raises:
            KeyError: The world has no such object.
        """
        for name, q in self.coordinate.items():
            part: Any = world[name]
            part.set_state(q, np.zeros(part.dof))
            if self._held and name in self.force:
                part.pd_target = q
                part.pd_velocity_target = np.zeros(part.dof)
                part.generalized_force = self.force[name]


@answered_call
def equilibrium(
    world: World, *, free: Sequence[str] = (), hold: bool = True, settle: bool = True,
    time: float = 10.0, tolerance: float = 1e-6,
) -> Equilibrium:  # fmt: skip
    """Find where a world is at rest, and the forces of drives that it takes.

    First all joints are held where they are by stiff drives within their effort limits (they sag by Δt² τ/M,
    with M of the joint alone), and what floats falls until contacts bear it; velocities are taken away
    whenever the kinetic energy begins to fall. The forces of the drives are then those that are sought. If
    coordinates are `free`, these and the forces of
    all other joints are moved by Newton steps, least in size, until a step from rest has no acceleration: an
    equilibrium need not be stable. The world stays as it is; see `Equilibrium.apply`.

    Args:
        world: In a state near the one that is sought.
        free: Coordinates that are sought too, and joints that have no drive: "robot/joint", or of a base
            that floats "robot/x" … "robot/rz", as `linearize` names states. Nothing else falls then:
            `settle` does not move these.
        hold: Let joints be held; False: leave commands as they are and find where the world comes to rest
            under them; without `free` the joints of one dof are.
        settle: Let things fall until they are at rest; False: they are where they should be.
        time: [s] for which they may fall at most.
        tolerance: [m/s², rad/s²] acceleration that counts as rest.

    Raises:
        KeyError: There is no such coordinate; the message proposes the nearest.
        TypeError, ValueError: An argument is wrong, or a free coordinate is one of a ball joint.

    Source: Day 1965, "An introduction to dynamic relaxation" (velocities at peaks of energy); Nocedal, Wright
    2006, "Numerical optimization", ch. 11 (Newton's method).

    Example:
        >>> import tribo
        >>> from tribo.tools.demo import ASSETS
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 0.6))
        >>> found = tribo.equilibrium(world)
        >>> found.is_at_rest, found.points
        (True, 4)
        >>> found.apply(world)
        >>> world.step()
        >>> bool(abs(dog.generalized_velocity).max() < 1e-8)
        True
    """
    checked_world(world)
    check.boolean(hold, "hold")
    check.boolean(settle, "settle")
    check.positive(tolerance, "tolerance")
    search = _Search(world, [check.text(name, "free coordinate") for name in free], hold)
    if settle:
        search.settle(int(check.positive(time, "time") / world.time_step) + 1, tolerance)
    elif hold:
        search.release()
    if free or not hold:
        search.solve(tolerance)
    return search.result(tolerance)


class _Search:
    """A world, copied, that is brought to rest."""

    def __init__(self, world: World, free: list[str], hold: bool) -> None:
        self._world, self._layout = world, StateLayout(world)
        layout, names = self._layout, list(self._layout.dofs)
        places = {tangent_name(name): k for k, name in enumerate(names)}
        self._free = np.array([places[check.known(f, places, "coordinate")] for f in free], int)
        self._moves, joints = np.zeros(layout.nv, bool), np.zeros(layout.nv, bool)
        for name, _, at in layout.objects:
            self._moves[at] = world[name].body_type == Kind.DYNAMIC
        for k, name in enumerate(names):
            joints[k] = self._moves[k] and name.rpartition("/")[2] not in TANGENT
        if not hold and not free:  # wherever its joints come to rest
            turning = [first + k for _, first in layout.rotations for k in range(3)]
            self._free = np.setdiff1d(np.flatnonzero(joints), turning)
        self._hold = hold
        self._joints = np.flatnonzero(joints) if hold else np.zeros(0, int)
        self._driven = np.setdiff1d(self._joints, self._free)
        self._mass = diagonal_of_mass(world, layout)
        self._batch = self._copy(1)
        self._force = self._batch.engine.command.arrays["tau"][0].copy()
        self.steps = 0

    def _copy(self, count: int) -> Batch:
        """Return worlds at rest in the state of the world."""
        batch = Batch(self._world, count, threads=1)
        batch.set_settings(sleeping=False)
        batch.engine.state.arrays["tree_is_asleep"][...] = 0
        self._stop(batch)
        return batch

    def _stop(self, batch: Batch) -> None:
        """Take away velocities, and what is remembered of accelerations."""
        state = batch.engine.state.arrays
        for field in ("v", "vdot", "vdot_before"):
            state[field][:, self._moves] = 0.0

    def _hold_joints(self, dofs: np.ndarray) -> None:
        """Let stiff drives hold joints where they are."""
        command, dt = self._batch.engine.command.arrays, self._layout.time_step
        command["target_q"][...] = self._batch.engine.state.arrays["q"]
        command["target_v"][:, dofs] = 0.0
        command["drive_form"][:, dofs] = 0
        command["kp"][:, dofs] = STIFF * self._mass[dofs] / dt**2
        command["kd"][:, dofs] = STIFF * self._mass[dofs] / dt

    def release(self) -> None:
        """Let forces stand in for drives: those that the drives have, at the coordinates where they are."""
        command = self._batch.engine.command.arrays
        self._force[np.setdiff1d(self._joints, self._driven)] = 0.0  # they have no drive
        command["kp"][:, self._joints] = command["kd"][:, self._joints] = 0.0
        command["tau"][:, self._joints] = self._force[self._joints]

    def settle(self, most: int, tolerance: float) -> None:
        """Let things fall until they are at rest, or for a number of steps."""
        batch = self._batch
        if self._hold:
            self._hold_joints(self._joints)
        work, before = batch.engine.work.arrays, 0.0
        while self.steps < most:
            for _ in range(STRETCH):
                batch.step()
                now = self._energy()
                if now < before:
                    self._stop(batch)
                    now = 0.0
                before = now
            self._stop(batch)
            batch.step()
            self.steps += STRETCH + 1
            if self._left(batch)[0] <= tolerance:
                break
        if self._hold:
            push = batch.engine.model.arrays["dof_effort_is_total"] * work["actuator_push"]  # not of drives
            self._force[self._joints] = (work["applied_torque"] - push)[0, self._joints]
            self._stop(batch)
            self.release()

    def _energy(self) -> float:
        """Return ½ Σ m v² with the diagonal of M: it rises and falls with the kinetic energy."""
        v = self._batch.engine.state.arrays["v"][0, self._moves]
        return float(0.5 * (self._mass[self._moves] * v * v).sum())

    def _left(self, batch: Batch) -> np.ndarray:
        """Return the largest acceleration of each world after a step from rest, (worlds,)."""
        v = batch.engine.state.arrays["v"][:, self._moves]
        return np.asarray(np.abs(v).max(axis=1) / self._layout.time_step)

    # -- Newton's method -----------------------------------------------------------------------
    def solve(self, tolerance: float) -> None:
        """Move free coordinates and forces until a step from rest has no acceleration."""
        count = len(self._free) + len(self._driven)
        trial = self._copy(max(1 + 2 * count, HALVINGS))
        self._stop(self._batch)
        start = {
            record: {field: np.repeat(array, len(trial), axis=0) for field, array in fields.items()}
            for record, fields in self._batch.snapshot().items()
        }
        size = np.concatenate(
            [
                np.full(len(self._free), DIFFERENCE),
                DIFFERENCE * self._mass[self._driven] / self._layout.time_step,
            ]
        )
        moves = np.concatenate([np.zeros((1, count)), np.diag(size), -np.diag(size)])
        q = self._batch.engine.state.arrays["q"][0].copy()
        force = self._force[self._driven].copy()
        for _ in range(NEWTON_STEPS):
            left = self._accelerations(trial, start, q, force, moves)
            worst = np.abs(left[0]).max(initial=0.0)
            if worst <= tolerance:
                break
            slopes = (left[1 : count + 1] - left[count + 1 :]).T / (2.0 * size)
            scale = size * self._layout.time_step / DIFFERENCE  # of forces: to accelerations
            step = scale * np.linalg.lstsq(slopes * scale, -left[0], rcond=SMALLEST)[0]
            largest = np.abs(step[: len(self._free)]).max(initial=0.0)
            step *= min(1.0, LONGEST / max(largest, 1e-300))
            shares = 0.5 ** np.arange(HALVINGS)
            tried = self._accelerations(trial, start, q, force, shares[:, None] * step)
            better = np.flatnonzero(np.linalg.norm(tried, axis=1) < np.linalg.norm(left[0]))
            if not better.size:
                break
            step *= shares[better[0]]
            q = self._moved(q, step[None, : len(self._free)])[0]
            force = force + step[len(self._free) :]
        self._batch.engine.state.arrays["q"][0] = q
        self._force[self._driven] = force
        self.release()

    def _moved(self, q: np.ndarray, by: np.ndarray) -> np.ndarray:
        change = np.zeros((len(by), self._layout.nv))
        change[:, self._free] = by
        return self._layout.plus(q, change)

    def _accelerations(
        self, trial: Batch, start: Any, q: np.ndarray, force: np.ndarray, moves: np.ndarray
    ) -> np.ndarray:
        """Return the accelerations of a step from rest, (n, moving dofs), with unknowns moved, (n, ·)."""
        trial.restore(start)
        state, command = trial.engine.state.arrays, trial.engine.command.arrays
        own = slice(0, len(moves))
        state["q"][own] = self._moved(q, moves[:, : len(self._free)])
        command["tau"][own, self._driven] = force + moves[:, len(self._free) :]
        trial.step()
        self.steps += len(moves)
        return np.asarray(state["v"][own][:, self._moves] / self._layout.time_step)

    def result(self, tolerance: float) -> Equilibrium:
        """Return what was found, judged by a step from rest."""
        batch, layout = self._batch, self._layout
        q = batch.engine.state.arrays["q"][0].copy()
        self._stop(batch)
        made = batch.step()
        left = float(self._left(batch)[0]) if made.all() else np.inf
        pressing = np.einsum("ij,ij->i", batch.contacts.force, batch.contacts.normal) > 0.0
        is_known = not batch.status[0] & (Status.INVALID | Status.NOT_CONVERGED)
        return Equilibrium(
            coordinate={name: frozen(q[at].copy()) for name, at, _ in layout.objects},
            force={
                name: frozen(self._force[at].copy())
                for name, _, at in layout.objects
                if hasattr(self._world[name], "generalized_force")
            },
            acceleration=left,
            is_at_rest=bool(left <= tolerance and is_known),
            points=int(pressing.sum()),
            steps=self.steps + 1,
            _held=self._hold,
        )
