"""Sensors of a batch: what each measures in all worlds at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tribo.batch.constraints import BatchConstraints
from tribo.batch.owner import BatchOwner
from tribo.batch.rays import BatchRays
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.engine.engine import Engine
from tribo.engine.subtree import TreeRecords
from tribo.model import Status
from tribo.readout.rays import MAX_RAYS
from tribo.sensors.base import Errors, Sensor
from tribo.sensors.senses import UNKNOWN, Before, Grip, Place, Senses


class BatchSenses(Senses):
    """All worlds of a batch as one of their sensors sees them."""

    is_batch = True

    def __init__(self, sensors: BatchSensors, place: Place) -> None:
        self._sensors, self._batch, self.place = sensors, sensors.batch, place
        self.owner, self.made_step = place.name, sensors.made_step

    @property
    def engine(self) -> Engine:
        """Return the records of the worlds."""
        return self._batch.engine

    def records(self) -> TreeRecords:
        """Return the records of the tree of the object that carries the sensor."""
        return self._batch.records_of(self.place.name)

    def before(self) -> Before:
        """Return velocities and external forces before the last step."""
        return self._sensors.before

    def grips(self) -> Iterable[Grip]:
        """Return what constraints did to the object that carries the sensor, in the last step."""
        return self._sensors.ties.grips_on(self.place.name)

    def look(
        self, start: np.ndarray, toward: np.ndarray, nearest: float, reach: np.ndarray, hides: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distance [m] (infinity: nothing) and object number (−1) of rays, (worlds, R)."""
        hidden = self.hidden if hides else slice(0, 0)
        return self._sensors.rays.look(start, toward, nearest, reach, hidden)


class SensorBatch(Sealed):
    """One sensor in all worlds of a batch, as ``batch.sensor(name)``.

    It measures when it is asked, whatever its `update_rate`. Readings are those of the sensor of a world
    (`ImuReading` and its kin) with arrays whose first axis is the world: bit for bit what the sensor of a
    world alone says in that state after that step. The errors of world k are those of a sensor whose seed is
    `seed` + k.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> box = world.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0.5), name="box")
        >>> imu = world.add_imu(box, name="imu")
        >>> batch = tribo.Batch(world, 3, threads=1)
        >>> felt = batch.sensor("imu")
        >>> batch["box"].generalized_coordinate[2, 2] = 5.0
        >>> _ = batch.step(10)
        >>> (felt.measure().linear_acceleration[:, 2].round(6) + 0.0).tolist()
        [9.81, 9.81, 0.0]
    """

    def __init__(self, sensors: BatchSensors, sensor: Sensor, place: Place) -> None:
        """Use ``batch.sensor(name)``."""
        self._sensors, self._sensor, self._place = sensors, sensor, place
        self._seed = sensor.seed
        self._reading: Any = None
        count = len(sensors.batch)
        self._errors: Errors = [[stream] * count for stream in sensor.error_streams()]
        self.restart()

    def __repr__(self) -> str:
        """Return class, name, where it sits and how many worlds there are."""
        place, worlds = self._place.name or "the world", len(self._sensors.batch)
        return f"<SensorBatch {self.name!r}: {type(self._sensor).__name__} on {place} in {worlds} worlds>"

    @property
    def name(self) -> str:
        """Name in the world that was copied."""
        return self._sensor.name

    @property
    def reading(self) -> Any:
        """The last measurement, None before the first; its arrays are read-only."""
        return self._reading

    @property
    def position(self) -> np.ndarray:
        """Where the sensor is now, (worlds, 3) [m], world."""
        return frozen(BatchSenses(self._sensors, self._place).pose()[0].copy())

    @property
    def rotation_matrix(self) -> np.ndarray:
        """Rotation, (worlds, 3, 3), sensor axes (x forward, y left, z up) to world."""
        return frozen(BatchSenses(self._sensors, self._place).pose()[1])

    def measure(self, worlds: Any = slice(None)) -> Any:
        """Measure now in all worlds, or in some, and return the reading.

        Args:
            worlds: Index, slice or mask of worlds: the reading has a row for each of them, in their order.
                Errors of the others do not go on. It costs what all worlds cost.

        Returns:
            A reading; its arrays are read-only. Quantities of the last step (accelerations, forces)
            is NaN in a world that made no step since the sensor was first asked for, since its state was
            restored, reset or copied, or because the step failed. Lidars cover a whole turn, and have
            `points` (n, yaws, pitches, 3) with NaN where a beam hit nothing.

        Raises:
            ValueError: There is no such world.
            EditError: Another thread steps the batch, or it is not known what a part of a body feels.
            MemoryError: More than 2²⁴ rays in all worlds together; nothing was measured.
        """
        batch = self._sensors.batch
        batch.check_idle(f"a measurement of {self.name}")
        rows = batch.chosen_worlds(worlds).ravel()
        rays = self._sensor.ray_count
        if len(batch) * rays > MAX_RAYS:  # before there is anything as large
            raise MemoryError(
                f"a measurement of {self.name} casts {rays} rays in each of {len(batch)} worlds, at most "
                f"{MAX_RAYS} in all; take a sensor of fewer rays, or a batch of at most "
                f"{MAX_RAYS // rays} worlds (all count, also if some are chosen)"
            )
        errors = [[streams[k] for k in rows] for streams in self._errors]
        senses = BatchSenses(self._sensors, self._place)
        found = self._sensor.readings(senses, rows, errors)
        self._reading = type(found)(*(frozen(np.asarray(value)) for value in found))
        return self._reading

    def restart(self, worlds: Any = slice(None), seed: int | None = None) -> None:
        """Begin the errors of all worlds or some anew, as before their first reading.

        `Batch.restore` and `Batch.reset` leave errors as they are; who wants episodes to be the same, number
        by number, calls this with them.

        Args:
            worlds: Index, slice or mask of worlds.
            seed: World k then has the errors of a sensor of this seed + k; None: of the seed that it had.

        Raises:
            TypeError, ValueError: The seed is no whole number ≥ 0, or there is no such world.
        """
        batch = self._sensors.batch
        rows = batch.chosen_worlds(worlds).ravel()
        begin = self._seed if seed is None else check.integer(seed, "seed", 0)
        for k in rows.tolist():
            made = self._sensor.streams_of(begin + k)
            for streams, stream in zip(self._errors, made, strict=True):
                streams[k] = stream


class BatchSensors:
    """The part of a batch that knows its sensors, and what they need of the last step."""

    before: Before  # as soon as a sensor is asked for

    def __init__(
        self, batch: BatchOwner, rays: BatchRays, ties: BatchConstraints, sensors: Iterable[Sensor]
    ) -> None:
        self.batch, self.rays, self.ties = batch, rays, ties
        self._places: dict[str, tuple[Sensor, Place]] = {}
        for sensor in sensors:
            place = sensor.copied_place()
            if place.span is not None:
                part = batch.parts[place.name]
                place = replace(place, span=part.span, description=part.description)
            self._places[sensor.name] = sensor, place
        self._made: dict[str, SensorBatch] = {}
        command = batch.engine.command.arrays
        self._pending: dict[tuple[Any, str], np.ndarray] = {}  # forces that act in the next step
        if command["has_wrench"].any():
            self._pending[UNKNOWN] = np.zeros(6)
        self.made_step = np.zeros(len(batch), bool)

    @property
    def sensor_names(self) -> tuple[str, ...]:
        """Names of the sensors, for ``batch.sensor(name)``."""
        return tuple(self._places)

    @property
    def are_used(self) -> bool:
        """Whether some sensor was asked for: then each call of `step` makes its last step alone."""
        return bool(self._made)

    def sensor(self, name: str) -> SensorBatch:
        """Return a sensor of the world that was copied, in all worlds.

        From then on each call of `step` notes what its last step changes; numbers stay the same, bit for bit.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        check.known(name, self._places, "sensor")
        if name not in self._made:
            if not self._made:
                self.before = Before(self.batch.engine)
            self._made[name] = SensorBatch(self, *self._places[name])
        return self._made[name]

    # -- what the batch does -------------------------------------------------------------------
    def note_push(self, name: str, link: str, wrench: np.ndarray) -> None:
        """Remember on which link of a body an external force acts in the next step, (worlds, 6)."""
        key = (name, link)
        self._pending[key] = self._pending.get(key, 0.0) + wrench

    def note_before(self) -> None:
        """Keep what the next step changes and sensors need."""
        self.before.note(dict(self._pending))
        self.made_step[:] = True

    def note_after(self, left: np.ndarray) -> None:
        """Note which worlds made the step; left: steps that each has left undone."""
        self.made_step &= left == 0
        self.made_step &= self.batch.engine.status[:, 0] & Status.INVALID == 0

    def forget_pushes(self) -> None:
        """Note that the forces which were applied have acted."""
        self._pending.clear()

    def forget_last_step(self, worlds: Any = slice(None)) -> None:
        """Note that what is known about the last step of some worlds belongs to another state."""
        self.made_step[worlds] = False
        for source, pushes in self._pending.items():
            if source != UNKNOWN:  # of that one it is not known in which worlds
                left = pushes.copy()
                left[worlds] = 0.0
                self._pending[source] = left
        if self.batch.engine.command.arrays["has_wrench"][worlds].any():
            self._pending[UNKNOWN] = np.zeros(6)
