"""Links that hang on one another → bodies: what does not move relative to its parent is merged with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from tribo.checks import check
from tribo.description.joints import check_joint_numbers, direction_of
from tribo.description.trees import (
    BodyDescription,
    DescriptionError,
    FrameDescription,
    JointDescription,
    LinkDescription,
    PartDescription,
    ShapeDescription,
    TreeDescription,
    VisualDescription,
)
from tribo.engine.layout import COORDINATES
from tribo.formats.inertia import Inertial, merged
from tribo.formats.nodes import Spot
from tribo.formats.pose import NO_POSE, Pose
from tribo.formats.report import Report
from tribo.formats.shape_mass import solid
from tribo.formats.urdf_mass import check_masses
from tribo.model import Joint

Drawn = TypeVar("Drawn", ShapeDescription, VisualDescription)
MOVABLE = (Joint.REVOLUTE, Joint.PRISMATIC, Joint.SPHERICAL)


def merge(root: LinkDescription, report: Report) -> tuple[TreeDescription, list[list[str]]]:
    """Walk depth first; return the bodies and, for each, the names of its links, its own first."""
    base = root.joint or JointDescription(root.name, Joint.FREE)
    tree = TreeDescription([BodyDescription(root.name, -1, replace(base))])
    joint_frames: dict[str, FrameDescription] = {}
    link_frames: dict[str, FrameDescription] = {}
    parts: list[list[Inertial]] = [[]]
    members: list[list[str]] = [[]]
    todo: list[tuple[LinkDescription, int, Pose, JointDescription | None, str]] = [
        (root, 0, NO_POSE, None, "")
    ]
    while todo:
        link, body, pose, joint, above = todo.pop()
        part = ""
        if joint is not None:
            placed = pose @ Pose(joint.position, joint.quaternion)
            if joint.type == Joint.FIXED:
                pose, part = placed, link.name
            else:
                moved = replace(joint, position=placed.position, quaternion=placed.quaternion)
                tree.bodies.append(BodyDescription(link.name, body, moved, parent_link=above))
                parts.append([])
                members.append([])
                body, pose = len(tree.bodies) - 1, NO_POSE
        frame = FrameDescription(link.name, body, pose.position, pose.quaternion, part)
        link_frames[link.name] = frame
        if joint is not None:
            joint_frames[joint.name] = replace(frame, name=joint.name)
        members[body].append(link.name)
        own = Inertial(link.mass, link.com, link.inertia).moved(pose)
        parts[body].append(own)
        on = above if part else ""
        tree.parts.append(PartDescription(part, body, on, own.mass, own.com, own.inertia))
        _take_shapes(link, tree.bodies[body], pose, part)
        todo += [(child, body, pose, child.joint, part) for child in reversed(link.children)]
    for made, inertials in zip(tree.bodies, parts, strict=True):
        whole = merged(inertials)
        made.mass, made.com, made.inertia = whole.mass, whole.com, whole.inertia
    tree.parts = [made for made in tree.parts if len(members[made.body]) > 1]
    tree.frames = _frames(joint_frames, link_frames, report)
    return tree, members


def _frames(
    joints: dict[str, FrameDescription], links: dict[str, FrameDescription], report: Report
) -> list[FrameDescription]:
    """Return one frame per name: that of the joint, else that of the link."""
    for name, frame in links.items():
        if name in joints and joints[name] != frame:
            report.note(
                f"frame {name!r} is that of the joint; a link of the same name is elsewhere", "frames"
            )
    return [*joints.values(), *(frame for name, frame in links.items() if name not in joints)]


def _take_shapes(link: LinkDescription, body: BodyDescription, pose: Pose, part: str) -> None:
    """Add the shapes and visuals of a link to its body."""
    for k, shape in enumerate(link.shapes):
        name = shape.name or f"{link.name}/{k}"
        body.shapes.append(replace(moved(shape, pose), name=name, link=part))
    body.visuals += [moved(visual, pose) for visual in link.visuals]


def moved(item: Drawn, pose: Pose) -> Drawn:
    """Return a shape or visual as seen from the frame in which its own has a pose."""
    placed = pose @ Pose(item.position, item.quaternion)
    return replace(item, position=placed.position, quaternion=placed.quaternion)


def assemble(root: LinkDescription) -> TreeDescription:
    """Return the robot that begins with a link; the links stay as they are.

    Raises:
        DescriptionError: A name appears twice, a number is wrong, a body would move without inertia.
    """
    checked = _checked(root)
    report = Report(strict=False)
    tree, members = merge(checked, report)
    check_masses(tree, [[Spot(f"link {name!r}", report) for name in names] for names in members])
    tree.notes, tree.doubts = report.notes, report.doubts
    return tree


def _checked(root: LinkDescription) -> LinkDescription:
    """Return a copy of all links with numbers checked, axes and quaternions of unit length."""
    links: set[str] = set()
    joints: set[str] = set()
    copy = _checked_link(root, links, joints, is_root=True)
    todo = [(root, copy)]
    while todo:
        link, made = todo.pop()
        for child in link.children:
            made.children.append(_checked_link(child, links, joints, is_root=False))
            todo.append((child, made.children[-1]))
    return copy


def _checked_link(
    link: LinkDescription, links: set[str], joints: set[str], *, is_root: bool
) -> LinkDescription:
    what = f"link {link.name!r}"
    if not link.name:
        raise DescriptionError(f"{what} has no name; every link needs one of its own")
    if link.name in links:
        raise DescriptionError(f"{what} appears twice; every link has one name and one parent")
    links.add(link.name)
    try:
        inertia = np.array(link.inertia, np.float64)
        if inertia.shape != (3, 3) or not np.allclose(inertia, inertia.T, rtol=1e-9, atol=0.0):
            raise ValueError(f"inertia of {what} must be a symmetric (3, 3) matrix")
        own = Inertial(
            check.number(link.mass, f"mass of {what}", minimum=0.0),
            _vector(link.com, f"com of {what}"),
            np.array([check.vector(row, f"inertia of {what}", 3) for row in inertia]),
        )
        solids = [_solid(s, what, mass=m) for m, s in link.solids]
        solids += [_solid(s, what, density=d) for d, s in link.dense]
        whole = merged([own, *solids]) if solids else own
        return LinkDescription(
            link.name,
            whole.mass,
            whole.com,
            whole.inertia,
            _checked_joint(link.joint, what, joints, is_root=is_root),
            [replace(s, **_placement(s, f"a shape of {what}")) for s in link.shapes],
            [replace(s, **_placement(s, f"a visual of {what}")) for s in link.visuals],
        )
    except (TypeError, ValueError) as error:
        raise DescriptionError(str(error)) from None


def _solid(
    shape: ShapeDescription, what: str, *, mass: float | None = None, density: float | None = None
) -> Inertial:
    """Return a homogeneous solid of a shape, in the frame of its link."""
    placed = replace(shape, **_placement(shape, f"a solid of {what}"))
    if mass is not None:
        mass = check.number(mass, f"mass of a solid of {what}", minimum=0.0)
    return solid(placed, mass=mass, density=density)


def _checked_joint(
    joint: JointDescription | None, what: str, joints: set[str], *, is_root: bool
) -> JointDescription | None:
    if joint is None:
        if is_root:
            return None
        raise DescriptionError(f"{what} has no joint; use parent.attach(link, joint)")
    joint = replace(joint)  # which checks what was assigned to it since it was made
    name = f"joint {joint.name!r}"
    if joint.name in joints:
        raise DescriptionError(f"{name} appears twice; every joint needs a name of its own")
    joints.add(joint.name)
    allowed = (Joint.FREE, Joint.FIXED) if is_root else (*MOVABLE, Joint.FIXED)
    if joint.type not in allowed:
        kinds = ", ".join(kind.name for kind in allowed)
        raise DescriptionError(f"{name} of {what} must be one of {kinds}, got {joint.type!r}")
    axis = direction_of(joint)
    joint = replace(joint, **_placement(joint, name))
    check_joint_numbers(joint)
    if joint.spring_reference is not None:
        joint = replace(joint, spring_reference=_spring_reference(joint, name))
    return replace(joint, axis=axis)


def _spring_reference(joint: JointDescription, name: str) -> tuple[float, ...]:
    what = f"spring_reference of {name}"
    if joint.type == Joint.SPHERICAL:
        return tuple(check.quaternion(joint.spring_reference, what).tolist())
    return tuple(check.vector(joint.spring_reference, what, COORDINATES[joint.type]).tolist())


def _placement(item: Any, what: str) -> dict[str, Any]:
    quaternion = check.quaternion(item.quaternion, f"quaternion of {what}")
    return {
        "position": _vector(item.position, f"position of {what}"),
        "quaternion": tuple(quaternion.tolist()),
    }


def _vector(value: Any, what: str) -> tuple[float, ...]:
    return tuple(check.vector(value, what, 3).tolist())
