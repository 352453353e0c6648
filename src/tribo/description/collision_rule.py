"""The rule of one collision shape in a world file, where it differs from its object's."""

from __future__ import annotations

from typing import NamedTuple

STILL = (0.0, 0.0, 0.0)


class CollisionRule(NamedTuple):
    """Material, collision group and mask of a shape, and how its surface runs."""

    material: str
    group: int
    mask: int
    surface_velocity: tuple[float, ...] = STILL  # [m/s], body frame
    belt_velocity: tuple[float, ...] = STILL  # axis times speed [m/s], body frame
