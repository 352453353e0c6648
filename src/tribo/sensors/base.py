"""The common base of sensors: pose, clock, last reading."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, Protocol

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.checks.orientation import orientation as as_quaternion
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.description.extents import rotation_matrix
from tribo.engine.engine import Engine
from tribo.engine.subtree import TreeRecords, tree_records
from tribo.objects import ArticulatedSystem, Object
from tribo.objects.base import shift_since
from tribo.objects.end import End
from tribo.objects.frames import Frame
from tribo.objects.states import turned
from tribo.objects.world_view import WorldView
from tribo.sensors.noise import Noise, NoiseState
from tribo.sensors.senses import Before, Grip, Place, Senses, midway_poses

EARLY = 1e-6  # [-] of a step: a measurement that is due so little later is due now
# Of a sensor: the streams of each of its readings, one for each world.
Errors = list[list[NoiseState]]


class SensorHost(Protocol):
    """The sensors of a world, as each of them sees them."""

    world: WorldView

    def last_wrench(self, sensor: Any) -> Before:
        """Return the external torque and force on every body in the last step, and on which link."""

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
        turn = rotation_matrix(as_quaternion(orientation, "orientation"))
        check.instance(
            part, Object | None, "parent must be an object of the world, a link of a robot, or None"
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
        engine = self.world.engine
        assert self.part.span is not None
        if self._records is None or self._records.world_model is not engine.model:
            self._records = tree_records(engine, self.part.span)
        return self._records

    def place(self) -> Place:
        """Return where the sensor sits now."""
        if self.part is None:
            return Place("", None, None, 0, "", self.offset, self.turn)
        self.part.check_present("a measurement")
        _ = self.world.engine  # gives the object its place in the records, if that is due
        return Place(
            self.part.name, self.part.span, self.part.description, self.body, self.link, self.offset,
            self.turn,
        )  # fmt: skip


class WorldSenses(Senses):
    """A world alone as one of its sensors sees it: N = 1."""

    def __init__(self, mount: Mount, sensor: Any) -> None:
        self._mount, self._sensor = mount, sensor
        self.place, self.owner = mount.place(), None if mount.part is None else mount.part.id

    @property
    def engine(self) -> Engine:
        """Return the records of the world."""
        return self._mount.world.engine

    def records(self) -> TreeRecords:
        """Return the records of the tree of the object that carries the sensor."""
        return self._mount.records()

    def before(self) -> Before:
        """Return velocities and external forces before the last step."""
        return self._mount.sensors.last_wrench(self._sensor)

    def grips(self) -> Iterable[Grip]:
        """Return what constraints did to the object that carries the sensor, in the last step."""
        poses: dict[int, tuple[np.ndarray, np.ndarray]] = {}

        def pose(end: End) -> tuple[np.ndarray, np.ndarray]:
            if end.part is None:
                return end.point, end.axes
            if end.part.id not in poses:
                assert end.part.span is not None
                poses[end.part.id] = midway_poses(self.engine, end.part.span)
            at, turns = (rows[0, end.body] for rows in poses[end.part.id])
            return at + turned(turns, end.point), turns @ end.axes

        own = self._mount.part
        for tie in self._mount.world.constraints:
            if own in tie.parts:
                way = tie.way
                for end, load in zip(way, tie.loads([pose(end) for end in way]), strict=True):
                    if end.part is own:
                        yield Grip(tie.name, end.body, end.link, *(value[None] for value in load))

    def look(
        self, start: np.ndarray, toward: np.ndarray, nearest: float, reach: np.ndarray, hides: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distance [m] (infinity: nothing) and object number (−1) of R rays, (1, R)."""
        hidden = self.hidden if hides else ()
        look = self._mount.sensors.look_along
        distance, number = look(start[0], toward[0], nearest, reach, hidden)
        return distance[None], number[None]


def disturbed(
    truth: np.ndarray, streams: list[NoiseState], times: np.ndarray, *, is_whole: bool = True
) -> np.ndarray:
    """Return what a sensor reads of the truth, (n, …), each world with errors of its own stream.

    Args:
        truth: In n worlds, (n, …).
        streams: Of errors, n.
        times: World times, (n,) [s].
        is_whole: A reading is lost as a whole or not at all.
    """
    if not streams or streams[0].noise is None:
        return truth
    return np.stack([
        stream.applied(row, float(time), is_whole=is_whole)
        for stream, row, time in zip(streams, truth, times, strict=True)
    ])  # fmt: skip


class Sensor(Sealed, ABC):
    """A sensor; `World.add_imu` and its kin make one.

    With an `update_rate` it measures by itself during `World.step`, at the end of the first step at or
    after each due time; without, whenever `measure` is called.
    """

    _called = "sensor"
    _inner = frozenset((
        "alone", "collect", "copied_place", "drop", "due", "error_streams", "get_state", "hidden_body",
        "ray_count", "readings", "restart", "set_state", "streams_of", "unpacked", "update",
    ))  # fmt: skip
    _reads: ClassVar[Any]  # class of its readings
    _bias_shape: ClassVar[tuple[int, ...]] = ()  # of each of its streams

    def __init__(self, mount: Mount, name: str, update_rate: float | None,
                 noise: Noise | None, seed: int) -> None:  # fmt: skip
        """Use the `add_…` methods of `World`."""
        self._mount, self._name, self._seed = mount, name, check.integer(seed, "seed", 0)
        check.instance(noise, Noise | None, "noise must be a Noise or None")
        self._rate = None
        if update_rate is not None:
            self._rate = check.positive(update_rate, "update_rate")
        self._noise = self._stream(noise, "")
        self._start, self._ticks = 0.0, 0
        self._reading: Any = None
        self._is_removed = False

    def _stream(self, noise: Noise | None, part: str) -> NoiseState:
        return NoiseState(noise, self._seed, f"{self._name}/{part}")

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
    def seed(self) -> int:
        """Seed of its errors."""
        return self._seed

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
        return frozen(self._senses().pose()[0][0])

    @property
    def rotation_matrix(self) -> np.ndarray:
        """Rotation, (3, 3), sensor axes (x forward, y left, z up) to world."""
        return frozen(self._senses().pose()[1][0])

    def measure(self) -> Any:
        """Measure now, whatever the rate, and return the reading.

        Raises:
            EditError: The sensor or what carries it was removed, or no step was made whose forces or
                accelerations could be measured.
        """
        if self._is_removed:
            raise EditError(f"sensor {self._name} was removed from its world; add a new one")
        senses, alone = self._senses(), np.arange(1)
        self._reading = self.alone(self.readings(senses, alone, [[one] for one in self.error_streams()]))
        return self._reading

    def copied_place(self) -> Place:
        """Return where it sits now, with arrays of its own."""
        place = self._mount.place()
        return replace(place, offset=place.offset.copy(), turn=place.turn.copy())

    def _senses(self) -> Senses:
        return WorldSenses(self._mount, self)

    @abstractmethod
    def readings(self, senses: Senses, rows: np.ndarray, errors: Errors) -> Any:
        """Return what the sensor reads in some worlds, arrays whose first axis is the world.

        Args:
            senses: All worlds.
            rows: Which of them are wanted, (n,).
            errors: For each of `error_streams` a list of n.
        """

    @property
    def ray_count(self) -> int:
        """Return how many rays a whole measurement of it casts in one world."""
        return 0

    def alone(self, readings: Any) -> Any:
        """Return the reading of a world alone, of `readings` for one world."""
        return type(readings)(*(_only(value) for value in readings))

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
        self._ticks = max(self._ticks + 1, math.floor((time + EARLY * dt - self._start) * self._rate))

    def drop(self) -> None:
        """Be removed."""
        self._is_removed = True

    def error_streams(self) -> list[NoiseState]:
        """Return the streams of errors of its readings."""
        return [self._noise]

    def streams_of(self, seed: int) -> list[NoiseState]:
        """Return such streams at their beginning, of another seed."""
        return [stream.seeded(seed) for stream in self.error_streams()]

    def get_state(self) -> tuple[Any, ...]:
        """Return what the future of the sensor depends on."""
        return self._start, self._ticks, self._reading, [s.get() for s in self.error_streams()]

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Go back to an earlier state."""
        self._start, self._ticks, self._reading = state[:3]
        for stream, saved in zip(self.error_streams(), state[3], strict=True):
            stream.set(saved)

    def unpacked(self, saved: Any) -> tuple[Any, ...]:
        """Return a state from lists in place of its tuples; ValueError or TypeError: it is none."""
        start, ticks, seen, errors = saved
        streams = zip(self.error_streams(), errors, strict=True)
        fits = [stream.fits(self._bias_shape, *one) for stream, one in streams]
        fits += [isinstance(value, (float, int, np.ndarray)) for value in seen or ()]
        if not all(fits) or type(ticks) is not int or not 0 <= ticks < 1 << 53 or not math.isfinite(start):
            raise ValueError(f"this is no state of sensor {self._name}")
        return start, ticks, None if seen is None else self._reads(*seen), errors


def _only(values: np.ndarray) -> Any:
    """Return the entry of an array with one: a number of Python, or an array that is only read."""
    if values.ndim == 1:
        return values[0].item()
    return frozen(values[0].copy())
