"""The part of an object that sleeps and wakes."""

from __future__ import annotations

import numpy as np

from tribo.checks import check
from tribo.enums import Sleep
from tribo.objects.owner import Member


class Sleeper(Member):
    """Sleep of an object: docs/physics/sleep."""

    _sleeps_unasked = True  # where the world lets things sleep

    def _stay_awake(self, dof: int) -> None:
        """Make room for the numbers of an object with some degrees of freedom, awake."""
        self._tree_is_asleep, self._rest_keys = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._quiet_time, self._rest_marks = np.zeros(1), np.zeros(1)
        self._rest_force = np.zeros(dof)
        self._can_sleep = np.full(1, int(self._sleeps_unasked))

    @property
    def can_sleep(self) -> bool:
        """Whether the object may fall asleep where `world.sleeping` is on; of robots False at first."""
        return bool(self._can_sleep[0])

    @can_sleep.setter
    def can_sleep(self, value: bool) -> None:
        self.check_editable("can_sleep")
        self._can_sleep[0] = int(check.boolean(value, f"can_sleep of {self.name}"))
        if not self._can_sleep[0]:
            self.wake()

    @property
    def is_asleep(self) -> bool:
        """Whether the object sleeps: it rests, and steps leave it alone until something disturbs it."""
        return bool(self._world.sleeping and self._tree_is_asleep[0] == Sleep.ASLEEP)

    def wake(self) -> None:
        """End the object's sleep, and in the next step that of all sleepers it touches.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> world.sleeping = True
            >>> ground, box = world.add_ground(), world.add_box(size=(1, 1, 1), mass=1, position=(0, 0, 0.5))
            >>> world.step(300)
            >>> box.wake()
            >>> box.is_asleep
            False
        """
        self.check_editable("wake")

        self._tree_is_asleep[0] = Sleep.AWAKE
        self._quiet_time[0] = 0.0
