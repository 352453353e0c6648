"""Robots whose file lets them float, fixed to the world."""

from __future__ import annotations

from dataclasses import replace

from tribo.checks.by_name import primed
from tribo.description.trees import DescriptionError, JointDescription, TreeDescription
from tribo.engine.layout import COORDINATES
from tribo.model import Joint

BASE = COORDINATES[Joint.FREE]


def based(tree: TreeDescription, *, is_fixed: bool) -> TreeDescription:
    """Return a robot whose base is as asked for, fixed to the world or floating.

    A base that gets fixed stands where the file starts it; its joint is then "ROOT_root", and no file says
    all of the robot any more.

    Args:
        tree: The robot; it stays as it is.
        is_fixed: Whether its base shall be fixed.

    Raises:
        DescriptionError: It shall float, and its description fixes it.

    Example:
        >>> from tribo.formats.assembly import assemble
        >>> from tribo import LinkDescription
        >>> ball = LinkDescription("ball")
        >>> ball.add_shape("sphere", (0.1,), mass=1.0)
        >>> based(assemble(ball), is_fixed=True).bodies[0].joint.name
        'ball_root'
    """
    root = tree.bodies[0]
    if (root.joint.type == Joint.FIXED) == is_fixed:
        return tree
    if not is_fixed:
        raise DescriptionError(
            f"fixed_base=False: the root {root.name!r} is fixed to the world by its description; leave "
            "fixed_base out, or take away what fixes it: the link 'world' of a URDF with its joint, "
            "fix_to_world() in Python; in MJCF its first body needs a <freejoint/>"
        )
    taken = {frame.name for frame in tree.frames} | {body.joint.name for body in tree.bodies}
    name = primed(f"{root.name}_root", taken)
    start = tree.start
    joint = JointDescription(name, Joint.FIXED)
    if start is not None:
        joint.position, joint.quaternion = start[:3], start[3:BASE]
    return replace(
        tree,
        bodies=[replace(root, joint=joint), *tree.bodies[1:]],
        start=None if start is None else start[BASE:],
        drawn=None if tree.drawn is None else tree.drawn[BASE:],
        closed=None if tree.closed is None else tree.closed[BASE:],
        keyframes={key: numbers[BASE:] for key, numbers in tree.keyframes.items()},
        source=None,
        text=None,
    )
