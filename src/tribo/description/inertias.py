"""Inertia of homogeneous solids about their centre, diagonal in their own axes [kg m²]."""

from __future__ import annotations

from math import pi

import numpy as np

from tribo.model import Shape


def sphere(mass: float, radius: float) -> np.ndarray:
    """Return 2/5 m r² on the diagonal."""
    return np.diag([0.4 * mass * radius**2] * 3)


def box(mass: float, size: tuple[float, float, float]) -> np.ndarray:
    """Return m/12 (b² + c²) … for full edge lengths."""
    x, y, z = (s * s for s in size)
    return np.diag([mass / 12.0 * (y + z), mass / 12.0 * (x + z), mass / 12.0 * (x + y)])


def cylinder(mass: float, radius: float, height: float) -> np.ndarray:
    """Return m/12 (3 r² + h²) across and m r²/2 along the axis z."""
    across = mass / 12.0 * (3.0 * radius**2 + height**2)
    return np.diag([across, across, 0.5 * mass * radius**2])


def cone(mass: float, radius: float, height: float) -> np.ndarray:
    """Return the inertia about the centre of mass, a quarter of the height above the base."""
    across = mass * (3.0 / 20.0 * radius**2 + 3.0 / 80.0 * height**2)
    return np.diag([across, across, 0.3 * mass * radius**2])


def ellipsoid(mass: float, semi_axes: tuple[float, ...]) -> np.ndarray:
    """Return m/5 (b² + c²) … for semi-axes a, b, c."""
    x, y, z = (0.2 * mass * s * s for s in semi_axes)
    return np.diag([y + z, x + z, x + y])


def capsule(mass: float, radius: float, height: float) -> np.ndarray:
    """Return the inertia of a cylinder of `height` between two half balls, all of one density."""
    rod, caps = pi * radius**2 * height, 4.0 / 3.0 * pi * radius**3
    m_rod, m_caps = mass * rod / (rod + caps), mass * caps / (rod + caps)
    # A half ball has its centre of mass 3/8 r from its flat side: 2/5 r² + h²/4 + 3/8 r h per mass.
    across = m_rod / 12.0 * (3.0 * radius**2 + height**2)
    across += m_caps * (0.4 * radius**2 + 0.25 * height**2 + 0.375 * radius * height)
    return np.diag([across, across, 0.5 * m_rod * radius**2 + 0.4 * m_caps * radius**2])


def about_middle(kind: Shape, size: tuple[float, ...], mass: float) -> np.ndarray:
    """Return the inertia of a solid about its centre of mass; size as in `tribo.model.Shape`."""
    if kind == Shape.SPHERE:
        return sphere(mass, size[0])
    if kind == Shape.BOX:
        return box(mass, (2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
    if kind == Shape.ELLIPSOID:
        return ellipsoid(mass, size)
    with_height = {Shape.CAPSULE: capsule, Shape.CYLINDER: cylinder}.get(kind, cone)
    return with_height(mass, size[0], 2.0 * size[1])


def of_shape(kind: Shape, size: tuple[float, ...]) -> tuple[float, np.ndarray, np.ndarray]:
    """Return volume [m³], centre of mass [m] and inertia per mass [m²]; size as in `tribo.model.Shape`."""
    r, centre, moments = size[0], np.zeros(3), about_middle(kind, size, 1.0)
    if kind == Shape.SPHERE:
        return 4.0 / 3.0 * pi * r**3, centre, moments
    if kind == Shape.BOX:
        edges = (2.0 * size[0], 2.0 * size[1], 2.0 * size[2])
        return edges[0] * edges[1] * edges[2], centre, moments
    if kind == Shape.ELLIPSOID:
        return 4.0 / 3.0 * pi * size[0] * size[1] * size[2], centre, moments
    h = 2.0 * size[1]
    if kind == Shape.CAPSULE:
        return pi * r * r * (h + 4.0 / 3.0 * r), centre, moments
    if kind == Shape.CYLINDER:
        return pi * r * r * h, centre, moments
    return pi * r * r * h / 3.0, np.array([0.0, 0.0, -h / 4.0]), moments
