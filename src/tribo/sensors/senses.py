"""Quantities that a sensor may read: of one world, or of all worlds of a batch at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks.errors import EditError
from tribo.description.trees import TreeDescription
from tribo.engine.engine import Engine
from tribo.engine.layout import Span
from tribo.engine.subtree import TreeRecords, tree_records
from tribo.objects.parts import Part
from tribo.queries import point as queries


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sensor sits: on which body of which object, or in the world (no span)."""

    name: str  # of the object
    span: Span | None
    description: TreeDescription | None
    body: int
    link: str  # that became a part of the body, "": the body's own
    offset: np.ndarray  # (3,) [m] frame of the body or of the world
    turn: np.ndarray  # (3, 3) sensor axes to those of the body or of the world


@dataclass(frozen=True, slots=True)
class Grip:
    """Wrench of a constraint on a body of an object in the last step, in N worlds."""

    name: str  # of the constraint
    body: int
    link: str | None  # that it holds; None: not known
    point: np.ndarray  # (N, 3) [m] world
    force: np.ndarray  # (N, 3) [N] world
    torque: np.ndarray  # (N, 3) [N m] besides that of the force


class Before:
    """Velocities and external forces before the last step of N worlds, which it changed."""

    __slots__ = (
        "has_wrench", "is_known", "is_of_many", "is_pushed", "model", "next_velocity", "next_wrench",
        "pushes", "velocity", "wrench",
    )  # fmt: skip

    def __init__(self, engine: Engine) -> None:
        """Make room for the state of worlds whose next step is to be made."""
        self.model = engine.model  # of a world alone: to which the rest belongs
        self.next_velocity = engine.state.arrays["v"]
        self.next_wrench = engine.command.arrays["wrench"]
        self.has_wrench = engine.command.has_wrench  # of world 0
        self.velocity = np.zeros_like(self.next_velocity)  # (N, dofs of the world)
        self.wrench = np.zeros_like(self.next_wrench)  # (N, bodies, 6) external torque and force
        self.is_of_many = self.is_pushed = engine.worlds > 1  # pushed: some row of `wrench` may not be 0
        self.pushes: dict[Any, Any] = {}  # how much of it acts on merged links
        self.is_known = True  # False: of a world alone that has made steps since the last that was noted

    def note(self, pushes: dict[Any, Any]) -> None:
        """Keep the present state, before a step; `pushes`: what of the external forces acts on which link."""
        self.velocity[:] = self.next_velocity
        if self.is_pushed or self.has_wrench[0]:
            self.wrench[:] = self.next_wrench
            self.is_pushed = self.is_of_many or bool(self.has_wrench[0])
        self.pushes, self.is_known = pushes, True


UNKNOWN = (-1, "")  # in `Before.pushes`: acts on nobody knows which link


class Senses(ABC):
    """N worlds as a sensor sees them; N = 1 for a world alone. Arrays have the world as first axis."""

    place: Place
    owner: Any = None  # the object that carries the sensor, as keys of `Before.pushes` name it
    made_step: Any = True  # which worlds made the last step, (N,)
    is_batch = False  # in one, sensors measure when they are asked, and lidars whole turns

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """Return the records of the worlds."""

    @abstractmethod
    def records(self) -> TreeRecords:
        """Return the records of the tree of the object that carries the sensor."""

    @abstractmethod
    def before(self) -> Before:
        """Return velocities and external forces before the last step."""

    @abstractmethod
    def grips(self) -> Iterable[Grip]:
        """Return what constraints did to the object that carries the sensor, in the last step."""

    @abstractmethod
    def look(
        self, start: np.ndarray, toward: np.ndarray, nearest: float, reach: np.ndarray, hides: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distance [m] (infinity: nothing) and object number (−1) of R rays in each world, (N, R).

        Args:
            start, toward: (N, R, 3) [m], world.
            nearest: Distance from which on something is seen [m].
            reach: (R,) [m].
            hides: The body that carries the sensor is not seen.
        """

    # -- what follows --------------------------------------------------------------------------
    def mean_acceleration(self) -> np.ndarray:
        """Return (v⁺ − v)/Δt of the last step, (N, dofs of the world); NaN: there was none."""
        before = self.before()
        found = np.full(before.velocity.shape, np.nan)
        known = np.reshape(self.made_step, (-1, 1))
        np.subtract(before.next_velocity, before.velocity, out=found, where=known)
        return np.asarray(found / self.dt)

    def last_wrench(self) -> np.ndarray:
        """Return torque and force from outside on all bodies in the last step, (N, bodies, 6)."""
        return self.before().wrench

    def pushes(self, part: Part) -> np.ndarray:
        """Return how much of the last wrench acts on a part of the sensor's body, (N, 6).

        Raises:
            EditError: That is not known.
        """
        pushes = self.before().pushes
        if UNKNOWN in pushes:
            raise EditError(
                f"an external force on {self.place.name} comes from a state that does not say on which link "
                f"it acts, so it is not known whether {part.name!r} feels it; step once more"
            )
        total = np.zeros((self.engine.worlds, 6))
        for (owner, link), wrench in pushes.items():
            if owner == self.owner and link in part.links:
                total += wrench
        return total

    @property
    def time(self) -> np.ndarray:
        """World times, (N,) [s]."""
        return np.array(self.engine.state.arrays["time"][:, 0])

    @property
    def dt(self) -> np.ndarray:
        """Time steps, (N, 1) [s]."""
        return self.engine.settings.arrays["dt"].reshape(-1, 1)

    @property
    def gravity(self) -> np.ndarray:
        """Gravity, (N, 3) [m/s²]."""
        settings = self.engine.settings.arrays
        return np.stack([settings[f"gravity_{axis}"].reshape(-1) for axis in "xyz"], axis=-1)

    @property
    def hidden(self) -> slice:
        """Shapes of the body that carries the sensor."""
        if self.place.span is None:
            return slice(0, 0)
        model = self.engine.model.arrays
        body = self.place.span.body.start + self.place.body
        first = int(model["body_shape_start"][0, body])
        return slice(first, first + int(model["body_shape_count"][0, body]))

    def motion(self, acceleration: np.ndarray | None = None) -> np.ndarray:
        """Return position, rotation (9), velocity, ω, acceleration, angular acceleration, (N, 24)."""
        count, span, offset = self.engine.worlds, self.place.span, self.place.offset
        out = np.zeros((count, 24))
        if span is None:
            out[:, :3], out[:, 3:12] = offset, np.eye(3).ravel()
            return out
        records, state = self.records(), self.engine.state.arrays
        q = np.ascontiguousarray(state["q"][:, span.q])
        v = np.ascontiguousarray(state["v"][:, span.v])
        vdot = np.zeros_like(v) if acceleration is None else acceleration[:, span.v]
        queries.motions(records.model, records.settings, records.work, q, v,
                        np.ascontiguousarray(vdot), self.place.body, np.tile(offset, (count, 1)),
                        out)  # fmt: skip
        return out

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (N, 3) [m] and rotations (N, 3, 3), sensor axes to world."""
        motion = self.motion()
        return motion[:, :3], motion[:, 3:12].reshape(-1, 3, 3) @ self.place.turn


def midway_poses(
    engine: Engine, span: Span, records: TreeRecords | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (N, bodies, 3) and rotations (N, bodies, 3, 3) where the last step was evaluated."""
    records = tree_records(engine, span) if records is None else records
    q = np.ascontiguousarray(engine.work.arrays["mid_q"][:, span.q])
    count = span.body.stop - span.body.start
    at, turns = np.zeros((len(q), count, 3)), np.zeros((len(q), count, 9))
    queries.poses(records.model, records.work, q, at, turns)
    return at, turns.reshape(-1, count, 3, 3)
