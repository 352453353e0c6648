"""Settings of a batch: every world may have numbers of its own. Sleep of an object in every world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.contact.sleep import ASLEEP, AWAKE
from tribo.engine.engine import Engine
from tribo.engine.settings import WorldSettings

if TYPE_CHECKING:
    from tribo.batch.batch import Batch


class _Trial(WorldSettings):
    """Settings that nobody uses: they check a value as a world does."""

    def check_editable(self, what: str) -> None:
        """Allow every edit."""

    def checked(self, name: str, value: Any, field: str) -> float:
        """Return the number that a world would write for a setting."""
        setattr(self, name, value)
        return float(getattr(self._settings, field))


class BatchSettings(check.Sealed):
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

    engine: Engine

    def __len__(self) -> int:
        """Return the number of worlds."""
        raise NotImplementedError

    def check_idle(self, what: str) -> None:
        """Refuse an edit while another thread steps the batch."""
        raise NotImplementedError

    def _read(self, field: str) -> np.ndarray:
        return frozen(self.engine.settings.arrays[field].reshape(len(self)).copy())

    def _write(self, name: str, value: Any, field: str = "") -> None:
        """Check a setting as a world does and write it, for all worlds or world by world."""
        self.check_idle(name)
        given = check.values(value, name)
        if given.shape not in ((), (len(self),)):
            raise ValueError(
                f"{name} must be one value or have shape ({len(self)},), got {given.shape}"
            )
        trial, field = _Trial(), field or name
        made = np.empty(given.shape)
        for k, one in enumerate(given.ravel().tolist()):
            made.flat[k] = trial.checked(name, one, field)
        self.engine.settings.arrays[field].reshape(len(self))[:] = made

    @property
    def time_step(self) -> np.ndarray:
        """Time steps, (worlds,) [s], 1e-9 … 10."""
        return self._read("dt")

    @time_step.setter
    def time_step(self, value: Any) -> None:
        self._write("time_step", value, "dt")

    @property
    def gravity(self) -> np.ndarray:
        """Gravity, (worlds, 3) [m/s²], world axes."""
        return frozen(np.stack([self._read(f"gravity_{axis}") for axis in "xyz"], axis=1))

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self.check_idle("gravity")
        made = check.within_range(check.array(value, "gravity", "numbers"), "gravity")
        if made.shape not in ((3,), (len(self), 3)):
            raise ValueError(f"gravity must have shape (3,) or ({len(self)}, 3), got {made.shape}")
        for k, axis in enumerate("xyz"):
            self.engine.settings.arrays[f"gravity_{axis}"].reshape(len(self))[:] = made[..., k]

    @property
    def erp(self) -> np.ndarray:
        """Part of an overlap that one step removes, (worlds,), 0…1 [–]."""
        return self._read("erp")

    @erp.setter
    def erp(self, value: Any) -> None:
        self._write("erp", value)

    @property
    def sleeping(self) -> np.ndarray:
        """Whether what rests for a while is left alone, (worlds,) of bool [–]; see `World.sleeping`."""
        return frozen(self._read("sleeping") != 0)

    @sleeping.setter
    def sleeping(self, value: Any) -> None:
        self._write("sleeping", value)

    @property
    def sleep_speed(self) -> np.ndarray:
        """Speeds up to which an object is quiet, (worlds,) [m/s]."""
        return self._read("sleep_speed")

    @sleep_speed.setter
    def sleep_speed(self, value: Any) -> None:
        self._write("sleep_speed", value)

    @property
    def sleep_angular_speed(self) -> np.ndarray:
        """Angular speeds up to which an object is quiet, (worlds,) [rad/s]."""
        return self._read("sleep_angular_speed")

    @sleep_angular_speed.setter
    def sleep_angular_speed(self, value: Any) -> None:
        self._write("sleep_angular_speed", value)

    @property
    def sleep_time(self) -> np.ndarray:
        """Times for which an island has to be quiet before it falls asleep, (worlds,) [s]."""
        return self._read("sleep_time")

    @sleep_time.setter
    def sleep_time(self, value: Any) -> None:
        self._write("sleep_time", value)


class BatchSleeper(check.Sealed):
    """What an object in the worlds of a batch has to do with sleep: docs/physics/sleep."""

    name: str
    _batch: Batch

    def _array(self, record: str, name: str, index: str) -> np.ndarray:
        """Return the numbers of the object in a record, live."""
        raise NotImplementedError

    def _tree(self, record: str, name: str) -> np.ndarray:
        return self._array(record, name, "tree")

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
            raise ValueError(
                f"{what} must be one value or have shape ({worlds},), got {given.shape}"
            )
        may = np.broadcast_to(given, worlds)
        self._tree("command", "can_sleep")[:] = may
        if not may.all():
            self.wake(~may)

    @property
    def is_asleep(self) -> np.ndarray:
        """Whether the object sleeps, (worlds,) of bool [–], as `sleeping` and the last step have it."""
        return frozen(self._batch.sleeping & (self._tree("state", "tree_is_asleep") == ASLEEP))

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
        self._tree("state", "tree_is_asleep")[chosen] = AWAKE
        self._tree("state", "quiet_time")[chosen] = 0.0
