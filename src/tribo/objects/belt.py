"""Belts of body files: the surface of a link that runs about an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tribo.checks import check
from tribo.checks.sealed import Sealed
from tribo.objects.base import Object


class Belt(Sealed):
    """The belt of a link of type `pseudoContinuousTrack`, as `World.load_body` returns it.

    The link stays as it is; the surface of all its shapes runs about the joint's axis. It is `belt_velocity`
    of its collision bodies: snapshots and batches hold it.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> parts = world.load_body('''
        ... format: ChoreonoidBody
        ... name: Sled
        ... links:
        ...   - { name: hull, jointType: free, translation: [ 0, 0, 0.1 ], mass: 1.0,
        ...       inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ] }
        ...   - { name: belt, parent: hull, jointType: pseudoContinuousTrack, jointAxis: Y, mass: 9.0,
        ...       inertia: [ 0.2, 0, 0, 0.2, 0, 0.2 ],
        ...       elements: { Shape: { geometry: { type: Box, size: [ 1, 0.4, 0.2 ] } } } }
        ... ''')
        >>> parts.belts["belt"].speed = 0.5
        >>> world.step(500)
        >>> round(float(parts[0].linear_velocity[0]), 6)
        0.5
    """

    def __init__(self, robot: Object, link: str, axis: Sequence[float]) -> None:
        """Use `World.load_body`."""
        self._robot, self._link, self._axis = robot, link, np.array(axis)
        self._shapes = [
            body for body in robot.collision_bodies if body.name.rpartition("/")[0] == link
        ]

    def __repr__(self) -> str:
        """Return its link and speed."""
        if self._robot.is_removed:
            return f"<Belt {self._link!r} of {self._robot.name!r}: removed>"
        return f"<Belt {self._link!r} of {self._robot.name!r}: {self.speed:g} m/s>"

    @property
    def name(self) -> str:
        """Name of its link."""
        return self._link

    @property
    def speed(self) -> float:
        """Speed of its surface along axis × outward normal [m/s]; assign to let it run.

        With the axis +y, below, it runs along −x and drives its body along +x. A belt of a link without
        shapes that collide has no surface: its speed stays 0.
        """
        return float(self._axis @ self._shapes[0].belt_velocity) if self._shapes else 0.0

    @speed.setter
    def speed(self, value: float) -> None:
        given = check.number(value, f"speed of belt {self._link!r}")
        if not self._shapes:
            raise ValueError(
                f"belt {self._link!r} has no shape that collides, so no surface; give its link a Shape"
            )
        for body in self._shapes:
            body.belt_velocity = given * self._axis
