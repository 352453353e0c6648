"""Values that every language of files writes in words of its own: colours, lengths, inertias, meshes, axes.

Readers take the numbers out of their nodes; what these may be, and what is said of those that are wrong, is
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tribo.checks.check import LARGEST, SMALLEST
from tribo.description.trees import MeshFile, Vector
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.nodes import Node, Written
from tribo.formats.pose import normalized

NO_DIRECTION = 1e-12  # largest component of what is no axis


def color(numbers: Sequence[float]) -> Vector:
    """Return red, green, blue and opacity, 1 if it is not there, each within 0 … 1."""
    return tuple(min(max(x, 0.0), 1.0) for x in (*numbers, 1.0)[:4])


def lengths(node: Written, given: Iterable[float], what: str = "lengths") -> Vector:
    """Return lengths [m] with which can be calculated: their squares and products are numbers.

    Raises:
        DescriptionError: One is not > 0, too small or too large.
    """
    size = tuple(map(float, given))
    if not SMALLEST <= min(size) <= max(size) <= LARGEST:
        bounds = f"from {SMALLEST:g} to {LARGEST:g} m; units are SI and lengths > 0"
        raise node.error(f"{what} must be {bounds}, got {list(size)}")
    return size


def symmetric(xx: float, xy: float, xz: float, yy: float, yz: float, zz: float) -> np.ndarray:
    """Return a matrix (3, 3) of moments and products of inertia."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def inertia(node: Node, names: Sequence[str]) -> np.ndarray:
    """Read six attributes in the order xx, xy, xz, yy, yz, zz."""
    return symmetric(*(node.number(name) for name in names))


def unit_axis(axis: Vector, node: Written) -> Vector:
    """Return an axis of unit length; refuse one without direction."""
    if max(abs(x) for x in axis) < NO_DIRECTION:
        raise node.error(f"axis {axis} has no direction; give for example xyz='0 0 1'")
    return normalized(axis)


def factors(node: Written, scale: Sequence[float]) -> Vector:
    """Return three factors of a scale, of one or three numbers that are not 0."""
    if len(scale) not in {1, 3} or 0.0 in scale:
        raise node.error(f"scale={tuple(scale)} must be three numbers, or one for all, none of them 0")
    return tuple(scale) * (3 // len(scale))


def mesh(node: Written, finder: MeshFinder, reference: str, scale: Vector, mode: str = "") -> MeshFile:
    """Return the mesh that an element names; that it is not found is noted."""
    path, reason = finder.find(reference)
    if path is None:
        node.note(f"mesh {reference!r}: {reason}", f"mesh {reference}")
    return MeshFile(path, reference, scale, mode)
