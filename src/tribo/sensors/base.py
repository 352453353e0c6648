"""What all sensors share: where they sit, when they measure, what they last said."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.description.extents import rotation_matrix
from tribo.engine.subtree import TreeRecords, tree_records
from tribo.objects import ArticulatedSystem, Object
from tribo.objects.base import shift_since
from tribo.objects.frames import Frame
from tribo.objects.world_view import WorldView
from tribo.queries import point as queries
from tribo.sensors.noise import Noise, NoiseState

EARLY = 1e-6  # [-] of a step: a measurement that is due so little later is due now


class SensorHost(Protocol):
    """The sensors of a world, as each of them sees them."""

    world: WorldView

    def mean_acceleration(self, sensor: Any) -> np.ndarray:
        """Return (v⁺ − v)/Δt of the last step for all degrees of freedom of the world [m/s², rad/s²]."""

    def last_wrench(self, sensor: Any) -> Any:
        """Return the external torque and force on every body in the last step, and on which link."""

    def shapes_at(self, mount: Any) -> slice:
        """Return which shapes are on the body that carries a sensor."""

    def look_along(self, place: np.ndarray, directions: np.ndarray, nearest: float, reach: np.ndarray,
                   hidden: Any) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Return distance [m] (infinity: nothing) and object number (−1) of rays; some shapes are hidden."""


class Mount:
    """A frame fixed to a body of an object, or to the world (no object)."""

    def __init__(self, sensors: SensorHost, part: Any, frame: str | None,
                 position: Any, orientation: Any) -> None:  # fmt: skip
        """Find the body; position and orientation are those of the sensor in the frame."""
        self.sensors, self.world = sensors, sensors.world
        self.body, self.link = 0, ""
        if isinstance(part, Frame) and frame is None:  # a link or a joint of a robot
            part, frame = part.owner, part.name
        self.part: Object | None = part
        offset = check.vector(position, "position", 3)
        turn = rotation_matrix(check.quaternion(orientation, "orientation"))
        if part is not None and not isinstance(part, Object):
            raise TypeError(
                f"parent must be an object of the world, a link of a robot, or None, got {check.shown(part)}"
            )
        if part is not None and (part.is_removed or part not in self.world.objects):
            raise ValueError(f"parent: {part.name} is not in this world")
        if frame is not None:
            if not isinstance(part, ArticulatedSystem):
                raise TypeError(f"frame {check.shown(frame)}: only robots have named frames")
            found = part.frame(frame)
            self.body, self.link = found.body_index, found.part_name
            within = rotation_matrix(found.orientation_in_body)
            offset, turn = found.position_in_body + within @ offset, within @ turn
        self._offset, self.turn = np.ascontiguousarray(offset), turn
        self._origin = None if part is None else part.description.origin
        self._records: TreeRecords | None = None

    @property
    def offset(self) -> np.ndarray:
        """Where the sensor is, (3,) [m], frame of its body or of the world."""
        return np.asarray(self._offset + shift_since(self._origin, self.part))

    def records(self) -> TreeRecords:
        """Return the records of the object's tree."""
        assert self.part is not None
        self.part.check_present("a measurement")
        engine = self.world.engine
        assert self.part.span is not None
        if self._records is None or self._records.world_model is not engine.model:
            self._records = tree_records(engine, self.part.span)
        return self._records

    def motion(self, acceleration: np.ndarray | None = None) -> np.ndarray:
        """Return position, rotation (9), velocity, ω, acceleration, angular acceleration, (24,)."""
        out = np.zeros((1, 24))
        if self.part is None:
            out[0, :3], out[0, 3:12] = self.offset, np.eye(3).ravel()
            return np.asarray(out[0])
        records, span, state = self.records(), self.part.span, self.world.engine.state
        assert span is not None
        q, v = state.q[span.q][None], state.v[span.v][None]
        vdot = np.zeros_like(v) if acceleration is None else acceleration[span.v][None]
        queries.motions(records.model, records.settings, records.work, q, v,
                        np.ascontiguousarray(vdot), self.body, self.offset[None], out)  # fmt: skip
        return np.asarray(out[0])

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Return position (3,) [m] and rotation (3, 3), sensor axes to world."""
        motion = self.motion()
        return motion[:3], motion[3:12].reshape(3, 3) @ self.turn


# What the sensors of a world call of one another; completion shows users the rest.
INNER = frozenset(("collect", "drop", "due", "get_state", "restart", "set_state", "update"))


class Sensor(Sealed, ABC):
    """A sensor; `World.add_imu` and its kin make one.

    With an `update_rate` it measures by itself during `World.step`, at the end of the first step at or
    after each due time; without, whenever `measure` is called.
    """

    def __init__(self, mount: Mount, name: str, update_rate: float | None,
                 noise: Noise | None, seed: int) -> None:  # fmt: skip
        """Use the `add_…` methods of `World`."""
        self._mount, self._name, self._seed = mount, name, check.integer(seed, "seed", 0)
        if noise is not None and not isinstance(noise, Noise):
            raise TypeError(f"noise must be a Noise or None, got {check.shown(noise)}")
        self._rate = None
        if update_rate is not None:
            self._rate = check.positive(update_rate, "update_rate")
        self._noise = self._stream(noise, "")
        self._start, self._ticks = 0.0, 0
        self._reading: Any = None
        self._is_removed = False

    def _stream(self, noise: Noise | None, part: str) -> NoiseState:
        return NoiseState(noise, self._seed, f"{self._name}/{part}")

    def __dir__(self) -> list[str]:
        """Return the names that users call, for completion."""
        return [name for name in super().__dir__() if name not in INNER]

    def __repr__(self) -> str:
        """Return class, name, where it sits and its rate."""
        place = self._mount.part.name if self._mount.part is not None else "the world"
        rate = "on request" if self._rate is None else f"{self._rate:g} Hz"
        return f"<{type(self).__name__} {self._name!r} on {place}, {rate}>"

    @property
    def name(self) -> str:
        """Name under which `World.sensor` finds it."""
        return self._name

    @property
    def world(self) -> Any:
        """The `World` that it is in."""
        return self._mount.world.face

    @property
    def parent(self) -> Object | None:
        """The object that carries it; None: it is fixed to the world."""
        return self._mount.part

    @property
    def update_rate(self) -> float | None:
        """Measurements per second of world time [Hz]; None: on request."""
        return self._rate

    @property
    def reading(self) -> Any:
        """The last measurement, None before the first; its arrays are read-only."""
        return self._reading

    @property
    def position(self) -> np.ndarray:
        """Where the sensor is now, (3,) [m], world."""
        return frozen(self._mount.pose()[0])

    @property
    def rotation_matrix(self) -> np.ndarray:
        """Rotation, (3, 3), sensor axes (x forward, y left, z up) to world."""
        return frozen(self._mount.pose()[1])

    def measure(self) -> Any:
        """Measure now, whatever the rate, and return the reading.

        Raises:
            EditError: The sensor or what carries it was removed, or no step was made whose forces or
                accelerations could be measured.
        """
        if self._is_removed:
            raise EditError(f"sensor {self._name} was removed from its world; add a new one")
        self._reading = self._measured(self._mount.world.time)
        return self._reading

    @abstractmethod
    def _measured(self, time: float) -> Any:
        """Return a new reading; time [s]."""

    # -- what the world does -------------------------------------------------------------------
    def restart(self, time: float) -> None:
        """Count the measurements anew from a time [s]."""
        self._start, self._ticks = time, 0

    def due(self) -> float:
        """Return when the next measurement is due [s]; infinity: never by itself."""
        return math.inf if self._rate is None else self._start + (self._ticks + 1) / self._rate

    def update(self, time: float, dt: float) -> None:
        """Measure if it is time."""
        if self.due() > time + EARLY * dt:
            return
        self.measure()
        assert self._rate is not None
        self._ticks = max(
            self._ticks + 1, math.floor((time + EARLY * dt - self._start) * self._rate)
        )

    def drop(self) -> None:
        """Be removed."""
        self._is_removed = True

    def _streams(self) -> list[NoiseState]:
        return [self._noise]

    def get_state(self) -> tuple[Any, ...]:
        """Return what the future of the sensor depends on."""
        return self._start, self._ticks, self._reading, [s.get() for s in self._streams()]

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Go back to an earlier state."""
        self._start, self._ticks, self._reading = state[:3]
        for stream, saved in zip(self._streams(), state[3], strict=True):
            stream.set(saved)
