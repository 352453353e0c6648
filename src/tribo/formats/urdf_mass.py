"""Refuse trees whose mass matrix is singular: something would move without inertia."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tribo.checks.check import LARGEST
from tribo.description.trees import BodyDescription, DescriptionError, TreeDescription
from tribo.formats import elements, shape_mass
from tribo.formats.inertia import (
    FEW_DIGITS,
    Inertial,
    axis_inertia,
    impossible_moments,
    merged,
    nearest_possible,
    negative_moment,
)
from tribo.formats.nodes import Node, Written
from tribo.model import Joint

INERTIA_NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
REMEDY = "give the link mass and inertia, make its joint fixed, or set rotor_inertia (MJCF: armature)"
NOT_RIGID = "violate the triangle inequality: no rigid body has them"


def check_masses(tree: TreeDescription, links: Sequence[Sequence[Written]]) -> None:
    """Check each movable body; `links` are the places that each was merged from, its own first."""
    bodies = tree.bodies
    mass_below = [body.mass for body in bodies]
    has_children = [False] * len(bodies)
    for i in range(len(bodies) - 1, 0, -1):
        mass_below[bodies[i].parent] += mass_below[i]
        has_children[bodies[i].parent] = True
    for i, body in enumerate(bodies):
        node = links[i][0]
        if not max(body.mass, np.abs(body.com).max(), np.abs(body.inertia).max()) <= LARGEST:
            raise node.error(
                f"mass, centre of mass and inertia of body {body.name!r} must be at most "
                f"{LARGEST:g} in size, got {body.mass:.6g} kg, {np.abs(body.com).max():.6g} m, "
                f"{np.abs(body.inertia).max():.6g} kg m²"
            )
        _repair_moments(body, links[i])
        _doubt_moments(body, links[i])
        if body.joint.type == Joint.FIXED or (body.joint.armature > 0.0 and mass_below[i] > 0.0):
            continue
        if mass_below[i] <= 0.0 and body.joint.armature <= 0.0:
            how = "floats" if body.joint.type == Joint.FREE else f"moves (joint {body.joint.name!r})"
            raise node.error(f"{how} but neither it nor what hangs on it has mass; {REMEDY}")
        if not has_children[i]:
            _fill_inertia(body, links[i])
            if (found := _free_turn(body)) is not None:
                turn = f"{found[1]} (moment {found[0]:.6g} kg m²)"
                raise node.error(f"can turn without inertia {turn}; {REMEDY}")
        elif body.mass <= 0.0:
            node.note("has no mass of its own; what hangs on it has")


def _repair_moments(body: BodyDescription, links: Sequence[Written]) -> None:
    """Replace an inertia with a negative principal moment by the nearest one of a rigid body; name a link.

    Raises:
        DescriptionError: No file wrote it, or no part of it can be kept.
    """
    whole = Inertial(body.mass, body.com, body.inertia)
    least = negative_moment(whole)
    if least is None or body.joint.type == Joint.FIXED:
        return
    faulty = [matrix for _, matrix, own in _written(links) if negative_moment(own) is not None]
    repaired = nearest_possible(body.inertia)
    if not faulty or not repaired.any():
        place: Written = faulty[0] if faulty else links[0]
        raise place.error(
            f"the inertia of body {body.name!r} has eigenvalue {least:.6g} kg m², must be ≥ 0; "
            "check the signs and the products of inertia"
        )
    body.inertia = repaired
    moments = ", ".join(f"{x:.4g}" for x in np.linalg.eigvalsh(body.inertia))
    faulty[0].doubt(
        f"the inertia of body {body.name!r} has eigenvalue {least:.6g} kg m², must be ≥ 0; it is replaced by "
        f"the nearest one that a rigid body has, of principal moments {moments} kg m²; check the signs and "
        "the products of inertia"
    )


def _written(links: Sequence[Written]) -> Iterator[tuple[Written, Node, Inertial]]:
    """Iterate over the links of a body whose inertia is an element of a file."""
    for link in links:
        inertial = link.one("inertial")
        matrix = inertial.one("inertia") if inertial else None
        if matrix is not None:
            yield link, matrix, Inertial(0.0, inertia=elements.inertia(matrix, INERTIA_NAMES))


def _doubt_moments(body: BodyDescription, links: Sequence[Written]) -> None:
    """Doubt a body that moves with an inertia that no rigid body has; note links and rounding."""
    whole = Inertial(body.mass, body.com, body.inertia)
    moments = impossible_moments(whole, FEW_DIGITS)
    moves = body.joint.type != Joint.FIXED
    if moves and moments is not None and negative_moment(whole) is None:
        faulty = [m for _, m, own in _written(links) if impossible_moments(own, FEW_DIGITS)]
        (faulty[0] if faulty else links[0]).doubt(
            f"the principal moments of body {body.name!r} ({moments}) {NOT_RIGID}; they are used as they "
            "stand, correct the inertia"
        )
        return
    for link, matrix, own in _written(links):
        moments = impossible_moments(own)
        if moments is not None and negative_moment(own) is None:
            why = "it is a part of a sound body" if impossible_moments(own, FEW_DIGITS) else "rounding"
            why = why if moves else "it does not move"
            matrix.note(f"the principal moments of {link.place} ({moments}) {NOT_RIGID} ({why})")


def _fill_inertia(body: BodyDescription, links: Sequence[Written]) -> None:
    """Give a body with mass that could turn without inertia that of its collision shapes."""
    if body.mass <= 0.0 or _free_turn(body) is None:
        return
    try:
        whole = merged([shape_mass.of_hollow(shape) for shape in body.shapes])
    except (DescriptionError, ImportError):
        return
    if whole.mass <= 0.0:
        return
    body.inertia = whole.inertia * (body.mass / whole.mass)
    place: Written = next((matrix for _, matrix, _ in _written(links)), links[0])
    place.doubt(f"body {body.name!r} has mass and an inertia of 0 about an axis: that of "
                "its collision shapes is taken", "inertia 0")  # fmt: skip


def _free_turn(body: BodyDescription) -> tuple[float, str] | None:
    """Return the moment and the direction in which a body turns without inertia; None: there is none."""
    part = Inertial(body.mass, body.com, body.inertia)
    if body.joint.type == Joint.PRISMATIC or body.joint.armature > 0.0:
        return None
    if body.joint.type == Joint.REVOLUTE:
        least = axis_inertia(part, (0.0, 0.0, 0.0), body.joint.axis)
        what = f"about the axis of joint {body.joint.name!r}"
    else:
        about = body.com if body.joint.type == Joint.FREE else (0.0, 0.0, 0.0)
        least = float(np.linalg.eigvalsh(part.about(about))[0])
        what = "about at least one direction"
    scale = float(np.trace(part.about((0.0, 0.0, 0.0))))
    return (least, what) if least <= 1e-12 * scale else None
