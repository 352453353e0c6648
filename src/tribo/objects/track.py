"""Tracks: belts of pads, hinged to a closed chain round wheels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.sealed import Sealed

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
        radius = check.positive(check.number(self.radius, "radius of a wheel"), "radius of a wheel")
        object.__setattr__(self, "radius", radius)
        point = check.vector(self.point, "point of a wheel", 3)
        object.__setattr__(self, "point", tuple(check.within_range(point, "point of a wheel")))


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
