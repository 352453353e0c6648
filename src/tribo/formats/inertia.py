"""Masses of links: their checks, and the parallel-axis theorem that merges them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

from tribo.description.hulls import solid_inertia
from tribo.description.trees import IDENTITY, ORIGIN, Vector
from tribo.formats.nodes import Written
from tribo.formats.pose import Pose, matrix

ROUNDING = 1e-15  # [m²] inertia per mass; CAD programs write noise of this size instead of 0
THICKNESS = 1e-3  # [–] of the largest moment: least second moment of an inertia that is repaired
FEW_DIGITS = 0.01  # [–] by which moments that were rounded to two or three digits may be impossible


@dataclass(slots=True)
class Inertial:
    """Mass, centre of mass and inertia about it, in the axes of a link or body."""

    mass: float = 0.0
    com: Vector = ORIGIN
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    def about(self, point: Vector) -> np.ndarray:
        """Return the inertia about a point.   I + m (‖r‖² 1 − r rᵀ)"""
        r = np.subtract(self.com, point)
        shift: np.ndarray = float(r @ r) * np.eye(3) - np.outer(r, r)
        return np.asarray(self.inertia + self.mass * shift)

    def weighing(self, mass: float) -> Inertial:
        """Return the same solid with another mass [kg]."""
        return Inertial(mass, self.com, self.inertia * (mass / self.mass))

    def moved(self, pose: Pose) -> Inertial:
        """Return the same mass seen from the frame in which `pose` is given."""
        if pose.quaternion == IDENTITY:
            return Inertial(self.mass, pose.point(self.com), self.inertia)
        turn = matrix(pose.quaternion)
        turned = turn @ self.inertia @ turn.T
        return Inertial(self.mass, pose.point(self.com), 0.5 * (turned + turned.T))


def of_moments(volume: float, centre: np.ndarray, second: np.ndarray) -> Inertial:
    """Return a solid at density 1 kg/m³ of its volume, centroid and second moment."""
    return Inertial(volume, tuple(centre.tolist()), solid_inertia(second))


def merged(parts: list[Inertial]) -> Inertial:
    """Return several masses as one; a single one stays bitwise as it is."""
    parts = [part for part in parts if part.mass > 0.0 or part.inertia.any()]
    if not parts:
        return Inertial()
    if len(parts) == 1:
        return parts[0]
    mass = sum(part.mass for part in parts)
    com: Vector = ORIGIN
    if mass > 0.0:
        com = tuple(sum(part.mass * part.com[i] for part in parts) / mass for i in range(3))
    inertia = np.zeros((3, 3))
    for part in parts:
        inertia += part.about(com)
    return Inertial(mass, com, inertia)


def axis_inertia(part: Inertial, point: Vector, axis: Vector) -> float:
    """Return the inertia about a line.   aᵀ I a + m ‖a × r‖²"""
    a = np.asarray(axis)
    return float(a @ part.about(point) @ a)


def negative_moment(part: Inertial) -> float | None:
    """Return the smallest principal moment if it is negative beyond rounding, else None."""
    moments = np.linalg.eigvalsh(part.inertia)
    least = float(moments[0])
    rounding = 1e-9 * float(np.abs(moments).max()) + ROUNDING * part.mass
    return least if least < -rounding else None


def nearest_possible(inertia: np.ndarray) -> np.ndarray:
    """Return the inertia of a rigid body that is nearest, in the sum of squares of differences.

    A rigid body's principal moments are sums b + c, a + c, a + b of three numbers ≥ 0, its second moments of
    mass. Here they are at least a thousandth of the largest moment, so that it can turn about every axis.
    Axes stay; the nearest such numbers are least squares with some of them at that bound. Without a moment
    above 0 nothing can be kept: zero.

    Example:
        >>> nearest_possible(np.diag([-0.02, 0.1, 0.1])).diagonal().round(3).tolist()
        [0.0, 0.1, 0.1]
    """
    moments, axes = np.linalg.eigh(inertia)
    if moments[2] <= 0.0:
        return np.zeros((3, 3))
    sums = np.ones((3, 3)) - np.eye(3)
    least = sums @ np.full(3, THICKNESS * moments[2])
    moments = moments - least
    best = np.zeros(3)
    for chosen in product((False, True), repeat=3):
        columns = np.flatnonzero(chosen)
        if not len(columns):
            continue
        found = np.linalg.lstsq(sums[:, columns], moments, rcond=None)[0]
        made = sums[:, columns] @ found
        if found.min() >= 0.0 and np.square(made - moments).sum() < np.square(best - moments).sum():
            best = made
    return np.asarray((axes * (best + least)) @ axes.T)


def impossible_moments(part: Inertial, tolerance: float = 1e-6) -> str | None:
    """Return the principal moments as text if one exceeds the sum of the others, else None.

    Args:
        part: Its inertia is about its centre of mass.
        tolerance: [–] by which it may exceed that sum.

    Example:
        >>> impossible_moments(Inertial(1.0, inertia=np.diag([5.0, 1.0, 1.0])))
        '1, 1, 5 kg m²'
    """
    low, middle, high = (float(x) for x in np.linalg.eigvalsh(part.inertia))
    if high <= (low + middle) * (1.0 + tolerance) + ROUNDING * part.mass:
        return None
    return f"{low:.6g}, {middle:.6g}, {high:.6g} kg m²"


def check_inertia(node: Written, part: Inertial, owner: str) -> None:
    """Doubt an inertia with a negative moment; what links make up together is checked later."""
    least = negative_moment(part)
    if least is not None:
        node.doubt(
            f"the inertia of {owner} has eigenvalue {least:.6g} kg m², must be ≥ 0; "
            "check the signs and the products of inertia"
        )
