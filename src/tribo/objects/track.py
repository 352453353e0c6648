"""Tracks of pads round wheels, and belts: the surface of a link that runs about an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.sealed import Sealed
from tribo.objects.base import Object

if TYPE_CHECKING:
    from tribo.objects.constraint import Constraint
    from tribo.objects.single_body import SingleBody


@dataclass(frozen=True)
class TrackWheel:
    """A wheel round which a track runs.

    Args:
        body: Object, or link of a robot, that is the wheel; None: the world.
        radius: [m] at which pads touch it.
        point: (3,) [m] of its centre, in the frame of `body`.

    Raises:
        ValueError, TypeError: A value is wrong.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> wheel = world.add_cylinder(0.15, 0.4, mass=5.0)
        >>> tribo.TrackWheel(wheel, 0.15).radius
        0.15
    """

    body: Any
    radius: float
    point: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check radius and point."""
        object.__setattr__(self, "radius", check.positive(self.radius, "radius of a wheel"))
        object.__setattr__(self, "point", tuple(check.vector(self.point, "point of a wheel", 3)))


class Track(Sealed):
    """A belt of pads, as `World.add_track` makes it.

    Its pads and hinges are objects and constraints of the world, named TRACK/0, TRACK/hinge_0 and so on;
    snapshots, world files and batches hold them. `remove` takes them all out.
    """

    def __init__(
        self, world: Any, name: str, pitch: float, pads: Sequence[SingleBody], hinges: Sequence[Constraint]
    ) -> None:  # fmt: skip
        """Use `World.add_track`."""
        self._world, self._name, self._pitch = world, name, pitch
        self._pads, self._hinges = tuple(pads), tuple(hinges)

    def __repr__(self) -> str:
        """Return its name, number of pads and pitch."""
        return f"<Track {self._name!r}: {len(self._pads)} pads of {self._pitch:g} m>"

    @property
    def name(self) -> str:
        """Name, with which those of its parts begin."""
        return self._name

    @property
    def pads(self) -> tuple[SingleBody, ...]:
        """Its boxes in the order in which they go round; x is along the belt, z outward."""
        return self._pads

    @property
    def hinges(self) -> tuple[Constraint, ...]:
        """Constraints that join pad k − 1 to pad k; compliance, damping and break_force may be set."""
        return self._hinges

    @property
    def pitch(self) -> float:
        """Distance of two hinges [m] as it was laid."""
        return self._pitch

    @property
    def mass(self) -> float:
        """Mass of all pads [kg]."""
        return float(sum(pad.mass for pad in self._pads))

    @property
    def opening(self) -> float:
        """How far the widest hinge is open [m]."""
        return float(max(np.linalg.norm(hinge.gap[:3]) for hinge in self._hinges))

    def remove(self) -> None:
        """Take it out of its world."""
        for pad in self._pads:
            if not pad.is_removed:
                self._world.remove(pad)


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
        self._shapes = [body for body in robot.collision_bodies if body.name.rpartition("/")[0] == link]

    def __repr__(self) -> str:
        """Return its link and speed."""
        state = "removed" if self._robot.is_removed else f"{self.speed:g} m/s"
        return f"<Belt {self._link!r} of {self._robot.name!r}: {state}>"

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
