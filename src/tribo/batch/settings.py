"""Settings of a batch: every world may have numbers of its own. Sleep of an object in every world."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.batch.part import Part
from tribo.batch.values import SettingValues
from tribo.checks import check
from tribo.checks.made import Made
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.engine.settings import Setting, WorldSettings
from tribo.enums import Sleep

NAMES = ("time_step", "gravity", "erp", "sleeping", "sleep_speed", "sleep_angular_speed", "sleep_time")


def setting(name: str) -> Setting[Any]:
    """Return what `World` declares of a setting: its field and its check."""
    made: Setting[Any] = vars(WorldSettings)[name]
    return made


def of_worlds(name: str, doc: str) -> Made[np.ndarray]:
    """Return the property of a setting of `World` that each world of a batch has for itself, (worlds,)."""
    declared = setting(name)

    def read(self: BatchSettings) -> np.ndarray:
        found = self._read(declared.field)
        return frozen(found != 0) if declared.shown is bool else found

    def write(self: BatchSettings, value: Any) -> None:
        self.set_settings(**{name: value})

    return Made(read, write, doc)


class BatchSettings(Sealed):
    """The part of a batch that is numbers: time step, gravity, erp, sleep.

    Readouts are read-only copies, one entry for each world. Assign one value for all worlds or one for
    each; the checks are those of `World`, and nothing is changed if a value is wrong.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
        >>> batch = tribo.Batch(world, 2, threads=1)
        >>> batch.gravity = [(0, 0, -9.81), (0, 0, -1.62)]
        >>> _ = batch.step(100)
        >>> batch["ball"].generalized_velocity[:, 2].round(6).tolist()
        [-0.981, -0.162]
    """

    _inside: BatchOwner

    def __init__(self, inside: BatchOwner) -> None:
        self._inside = inside

    def _read(self, field: str) -> np.ndarray:
        return frozen(self._inside.engine.settings.arrays[field].reshape(len(self._inside)).copy())

    @staticmethod
    def _checked_setting(name: str, value: Any, count: int) -> np.ndarray:
        """Return what a world would write, () or (count,)."""
        given = check.values(value, name)
        if given.shape not in ((), (count,)):
            raise ValueError(f"{name} must be one value or have shape ({count},), got {given.shape}")
        few = given.ravel()
        if few.dtype.kind == "f" and few.size:
            # Ranges are intervals: where the least and the largest may be, so may the others; NaN is either.
            few = np.array([few.min(), few.max()])
        for one in few.tolist():
            setting(name).checked(one, name)
        return np.asarray(given, float)

    def set_settings(self, *, worlds: Any = slice(None), **values: Unpack[SettingValues]) -> None:
        """Set numbers of some worlds: all that are given, or none if one is wrong. The others stay.

        Args:
            worlds: Index, slice or mask of worlds.
            values: By name, each one value or one for each of the n worlds: gravity, (3,) or (n, 3) [m/s²];
                time_step [s]; erp; sleeping; sleep_speed [m/s]; sleep_angular_speed [rad/s]; sleep_time [s].

        Raises:
            KeyError: There is no such setting; the message proposes the nearest name.
            TypeError, ValueError: A value or the worlds are wrong; nothing is changed.
            EditError: Another thread steps the batch.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> moon = np.array([False, True, True])
            >>> batch.set_settings(worlds=moon, gravity=(0, 0, -1.62), time_step=0.002)
            >>> batch.gravity[:, 2].tolist(), batch.time_step.tolist()
            ([-9.81, -1.62, -1.62], [0.001, 0.002, 0.002])
        """
        self._inside.check_idle("settings")
        chosen = self._inside.chosen_worlds(worlds).ravel()
        made: list[tuple[str, np.ndarray]] = []
        for name, value in values.items():
            if check.known(name, NAMES, "setting") != "gravity":
                numbers = self._checked_setting(name, value, len(chosen))
                made.append((setting(name).field, numbers))
                continue
            gravity = self._checked_gravity(value, len(chosen))
            made += [(f"gravity_{axis}", gravity[..., k]) for k, axis in enumerate("xyz")]
        for field, numbers in made:
            self._inside.engine.settings.arrays[field].reshape(len(self._inside))[chosen] = numbers

    @staticmethod
    def _checked_gravity(value: Any, count: int) -> np.ndarray:
        made = check.within_range(check.array(value, "gravity", "numbers"), "gravity")
        return check.shaped(made, "gravity", (3,), (count, 3))

    time_step = of_worlds("time_step", "Time steps, (worlds,) [s], 1e-9 … 10.")

    @property
    def gravity(self) -> np.ndarray:
        """Gravity, (worlds, 3) [m/s²], world axes."""
        return frozen(np.stack([self._read(f"gravity_{axis}") for axis in "xyz"], axis=1))

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self.set_settings(gravity=value)

    erp = of_worlds("erp", "Share of an overlap that one step removes, (worlds,), 0…1 [–].")
    sleeping = of_worlds(
        "sleeping", "Whether objects at rest fall asleep, (worlds,) of bool [–]; see `World.sleeping`."
    )
    sleep_speed = of_worlds("sleep_speed", "Upper bounds of the speed of an object at rest, (worlds,) [m/s].")
    sleep_angular_speed = of_worlds(
        "sleep_angular_speed", "Upper bounds of the angular speed of an object at rest, (worlds,) [rad/s]."
    )
    sleep_time = of_worlds(
        "sleep_time", "Durations of rest of an island before it falls asleep, (worlds,) [s]."
    )


class BatchSleeper(Sealed):
    """Sleep of an object in the worlds of a batch: docs/physics/sleep."""

    name: str
    _batch: BatchOwner
    _part: Part

    def _tree(self, record: str, name: str) -> np.ndarray:
        """Return a number of the object's tree in a record, (worlds,), live."""
        array: np.ndarray = getattr(self._batch.engine, record).arrays[name]
        return array[:, self._part.span.tree]

    @property
    def can_sleep(self) -> np.ndarray:
        """Whether the object may fall asleep where `sleeping` is on, (worlds,) of bool [–]; assign to set it.

        One value stands for all worlds. Objects take theirs from the world that was copied: of robots False.
        """
        return frozen(self._tree("command", "can_sleep") != 0)

    @can_sleep.setter
    def can_sleep(self, value: Any) -> None:
        what = f"can_sleep of {self.name}"
        self._batch.check_idle(what)
        given, worlds = check.booleans(value, what), len(self._batch)
        if given.shape not in ((), (worlds,)):
            raise ValueError(f"{what} must be one value or have shape ({worlds},), got {given.shape}")
        may = np.broadcast_to(given, worlds)
        self._tree("command", "can_sleep")[:] = may
        if not may.all():
            self.wake(~may)

    @property
    def is_asleep(self) -> np.ndarray:
        """Whether the object sleeps, (worlds,) of bool [–], as `sleeping` and the last step have it."""
        return frozen(self._batch.sleeping & (self._tree("state", "tree_is_asleep") == Sleep.ASLEEP))

    def wake(self, worlds: Any = slice(None)) -> None:
        """End the object's sleep in all worlds or some, and in the next step that of all it touches there.

        Args:
            worlds: Index, slice or mask of worlds.

        Raises:
            ValueError: There is no such world.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> world.sleeping = True
            >>> ground = world.add_ground()
            >>> box = world.add_box((1, 1, 1), mass=1, position=(0, 0, 0.5), name="box")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> _ = batch.step(300)
            >>> batch["box"].wake(1)
            >>> batch["box"].is_asleep.tolist()
            [True, False, True]
        """
        self._batch.check_idle(f"wake of {self.name}")
        chosen = self._batch.chosen_worlds(worlds)
        self._tree("state", "tree_is_asleep")[chosen] = Sleep.AWAKE
        self._tree("state", "quiet_time")[chosen] = 0.0
