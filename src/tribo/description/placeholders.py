"""Numbers of a robot that are hardly meant: placeholders, degrees for radians, millimetres for metres."""

from __future__ import annotations

import math

import numpy as np

from tribo.description.trees import BodyDescription, TreeDescription
from tribo.model import Joint, Shape

WIDEST = 3.0  # [m] radius of gyration of a link
TURN = 4.0 * math.pi  # [rad] beyond which a stop of a hinge, or an angle of an origin, is hardly meant
LONGEST = 100.0  # [m] length of a shape
PRIMITIVES = (Shape.BOX, Shape.SPHERE, Shape.CYLINDER, Shape.CAPSULE, Shape.CONE, Shape.ELLIPSOID)


def remarks(tree: TreeDescription) -> list[str]:
    """Return what a user should look at again.

    Example:
        >>> from tribo.description.trees import BodyDescription, JointDescription
        >>> joint = JointDescription("hip", Joint.REVOLUTE, lower=-90.0, upper=90.0)
        >>> remarks(TreeDescription([BodyDescription("leg", -1, joint)]))
        ["joint 'hip': stops at -90 and 90 rad; degrees?"]
    """
    found = [text for body in tree.bodies for text in (*_of_inertia(body), *_of_stops(body))]
    for body in tree.bodies:
        for shape in body.shapes:
            longest = 2.0 * max(shape.size, default=0.0)
            if shape.kind in PRIMITIVES and longest > LONGEST:
                found.append(f"collision body {shape.name!r}: {longest:.6g} m long; millimetres?")
    return found


def _of_inertia(body: BodyDescription) -> list[str]:
    """Find moments of inertia that are too large for the mass."""
    if body.mass <= 0.0:
        return []
    high = float(np.linalg.eigvalsh(np.asarray(body.inertia))[-1])
    reach = math.sqrt(max(high, 0.0) / body.mass)
    if reach <= WIDEST:
        return []
    text = (
        f"link {body.name!r}: inertia {high:.3g} kg m² is very large for {body.mass:.3g} kg (radius of "
        f"gyration {reach:.2g} m); a placeholder, or other units?"
    )
    return [text]


def _of_stops(body: BodyDescription) -> list[str]:
    joint = body.joint
    stops = [x for x in (joint.lower, joint.upper) if math.isfinite(x)]
    if joint.type != Joint.REVOLUTE or max(map(abs, stops), default=0.0) <= TURN:
        return []
    if max(map(abs, stops)) > 1e4:  # as good as none, and meant so
        return []
    return [f"joint {joint.name!r}: stops at {joint.lower:g} and {joint.upper:g} rad; degrees?"]
