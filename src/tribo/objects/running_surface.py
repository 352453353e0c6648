"""Surfaces that run over their shapes: conveyors and tracks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import reading
from tribo.checks.sealed import Sealed


class RunningSurface(Sealed, ABC):
    """Velocity of a surface: of the root's shapes of an object, of a link's, or of one collision body.

    A conveyor, or a track, carries what lies on it: friction is as if the body moved so, and the body stays
    where it is. It holds until it is changed. In a batch, values have a first axis of length worlds.
    """

    @property
    def _has_worlds(self) -> bool:
        """Whether its values have a first axis of length worlds."""
        return False

    @property
    @abstractmethod
    def name(self) -> str:
        """Name under which it is found."""

    @abstractmethod
    def _surface_rows(self) -> np.ndarray:
        """Return the numbers of its shapes themselves, (worlds, shapes, 6); refuse if it was removed."""

    def _check_surface(self, what: str) -> None:
        """Refuse an edit of what was removed, or between `update` and `advance`."""

    @property
    def surface_velocity(self) -> np.ndarray:
        """Velocity of the surface over the body, (3,) [m/s], body frame; assign to let it run: a conveyor.

        Of an object: of all shapes of its root body. Reading gives that of the first shape.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> belt = world.add_box((4, 1, 0.2), mass=1.0, body_type=tribo.STATIC, position=(0, 0, -0.1))
            >>> belt.surface_velocity = (0.5, 0, 0)
            >>> crate = world.add_box((0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
            >>> world.step(500)
            >>> round(float(crate.linear_velocity[0]), 6)
            0.5
        """
        return self._running(slice(0, 3))

    @surface_velocity.setter
    def surface_velocity(self, value: Any) -> None:
        self._run(slice(0, 3), value, "surface_velocity")

    @property
    def belt_velocity(self) -> np.ndarray:
        """Axis about which a belt runs round the body, times its speed, (3,) [m/s], body frame.

        Where n is the outward normal the surface moves along axis × n at that speed, whatever the distance:
        below, a belt about +y moves along −x, and drives its body along +x as a wheel would.
        """
        return self._running(slice(3, 6))

    @belt_velocity.setter
    def belt_velocity(self, value: Any) -> None:
        self._run(slice(3, 6), value, "belt_velocity")

    @property
    def runs(self) -> bool:
        """Whether one of its surfaces runs."""
        return bool(self._surface_rows().any())

    def _running(self, where: slice) -> np.ndarray:
        found = self._surface_rows()
        first = found[:, 0, where].copy() if found.shape[1] else np.zeros((len(found), 3))
        return reading(first if self._has_worlds else first[0])

    def _run(self, where: slice, value: Any, what: str) -> None:
        what = f"{what} of {self.name}"
        self._check_surface(what)
        found = self._surface_rows()
        given = check.array(value, what, "three numbers")
        if given.shape not in {(3,), (len(found), 3)} or (given.ndim == 2 and not self._has_worlds):
            raise ValueError(f"{what} must have shape (3,), got {given.shape}")
        found[:, :, where] = check.within_range(given, what).reshape(-1, 1, 3)
