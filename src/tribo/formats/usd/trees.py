"""Bodies and joints of USD as a tree: what hangs on what, and which joints close loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from tribo.description.constraints import LOCKED, ConstraintDescription
from tribo.description.joint_checks import check_mimics
from tribo.description.trees import JointDescription, LinkDescription, TreeDescription
from tribo.engine.layout import DOFS
from tribo.formats.assembly import merge
from tribo.formats.loops import across, place_of, poses_at
from tribo.formats.mjcf.damping_ratio import mass_matrix
from tribo.formats.pose import NO_POSE, Pose, inverse, matrix
from tribo.formats.urdf_mass import check_masses
from tribo.formats.usd.bodies import Body
from tribo.formats.usd.joints import AXES, Drive, Link, Way, coordinates, descriptions, drive_of
from tribo.formats.usd.stage import Prim, Stage
from tribo.model import Joint, Kind

ARTICULATION = "PhysicsArticulationRootAPI"
ALSO = " (joint)"  # behind the name of the frame of a joint that is called like a body
SLIDING = 0b111011  # locked directions of what slides along z


@dataclass(slots=True)
class Group:
    """Bodies that joints hold together."""

    bodies: list[Body] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)


@dataclass(slots=True)
class _Drawn:
    """A robot while it is put together."""

    root: LinkDescription
    starts: dict[str, tuple[float, ...]] = field(default_factory=dict)  # by joint
    drives: list[Drive] = field(default_factory=list)
    closing: list[Link] = field(default_factory=list)
    names: frozenset[str] = frozenset()  # of its bodies
    offsets: dict[str, Pose] = field(default_factory=dict)  # of bodies in their links, by name


def _root(group: Group) -> tuple[Body, Link | None]:
    """Return the body from which a group hangs, and the joint that holds it to the world."""
    held = [link for link in group.links if None in link.bodies and _in_tree(link)]
    held.sort(key=lambda link: not link.is_fixed)
    if held:
        body = held[0].bodies[0] or held[0].bodies[1]
        assert body is not None
        return body, held[0]
    for body in group.bodies:
        if body.is_kinematic:
            return body, None
    for body in group.bodies:
        if body.prim is not None and ARTICULATION in body.prim.applied:
            return body, None
    hung = {id(link.bodies[1]) for link in group.links}
    return next((body for body in group.bodies if id(body) not in hung), group.bodies[0]), None


def _in_tree(link: Link) -> bool:
    return not link.prim.is_set("physics:excludeFromArticulation", default=False)


def tree_of(stage: Stage, group: Group) -> TreeDescription:
    """Hang the bodies of a group on one another; what is left of its joints closes loops."""
    root, held = _root(group)
    drawn, start = _begin(root, held)
    drawn.names = frozenset(body.name for body in group.bodies)
    left = [link for link in group.links if link is not held]
    placed: dict[int, tuple[LinkDescription, Pose]] = {}  # by body: its link, its frame in the link's
    base = _hang(stage, drawn, drawn.root, NO_POSE, root, held) if held and not held.is_fixed else None
    if base is None:
        made = root.link(NO_POSE)
        made.joint = drawn.root.joint
        drawn.root = made
        placed[id(root)] = made, NO_POSE
    else:
        placed[id(root)] = base
    todo = [root]
    while todo:
        body = todo.pop(0)
        for link in [one for one in left if body in one.bodies and _in_tree(one)]:
            other = link.bodies[1] if link.bodies[0] is body else link.bodies[0]
            if other is None or id(other) in placed:
                continue
            left.remove(link)
            placed[id(other)] = _hang(stage, drawn, *placed[id(body)], other, link, body)
            todo.append(other)
    drawn.closing = left
    drawn.offsets = {link.name: offset for link, offset in placed.values()}
    for body in group.bodies:
        if id(body) not in placed:
            assert body.prim is not None
            raise body.prim.error(
                "hangs on joints that are all excluded from the articulation; let one hold it"
            )
    return _finish(stage, group, drawn, root, start)


def _begin(root: Body, held: Link | None) -> tuple[_Drawn, Pose]:
    """Return the beginning of a robot, and where its root stands or floats."""
    pose = root.pose
    if held is not None and held.is_fixed:
        side = 0 if held.bodies[0] is root else 1
        pose = held.frames[1 - side] @ inverse(held.frames[side])
        joint = JointDescription(held.name, Joint.FIXED, pose.position, pose.quaternion)
        return _Drawn(LinkDescription(root.name, joint=joint)), pose
    if held is not None:
        joint = JointDescription(f"{held.name}/world", Joint.FIXED)
        return _Drawn(LinkDescription(f"{held.name}/world", joint=joint)), NO_POSE
    if root.is_kinematic:
        joint = JointDescription(f"{root.name}_root", Joint.FREE)
        return _Drawn(LinkDescription(root.name, joint=joint)), pose
    return _Drawn(LinkDescription(root.name)), pose


def _hang(
    stage: Stage, drawn: _Drawn, link: LinkDescription, frame: Pose, body: Body, joint: Link,
    above: Body | None = None,
) -> tuple[LinkDescription, Pose]:  # fmt: skip
    """Hang a body on a link by a joint; return its link, and the body's frame in it.

    Args:
        stage, drawn: The file, and the robot so far.
        link, frame: On which it hangs, and the frame of the body above in it.
        body, joint: The child and its joint.
        above: Body of the link; None: the world.
    """
    side = 0 if joint.bodies[0] is above else 1
    at, own = frame @ joint.frames[side], joint.frames[1 - side]
    made = descriptions(joint, at, is_turned=side == 1, stage=stage)
    offset = inverse(own)
    if joint.is_fixed:
        made[0].position, made[0].quaternion = (at @ offset).position, (at @ offset).quaternion
        offset = NO_POSE
    hung = body.link(offset)
    ways = (joint.ways or [Way(Joint.FIXED, "X", ())])[:: -1 if side == 1 else 1]
    first, second = (
        (NO_POSE if one is None else one.pose) @ f for one, f in zip(joint.bodies, joint.frames, strict=True)
    )
    found = coordinates(joint, first, second) if joint.ways else [()]
    for k, (description, way, start) in enumerate(
        zip(made, ways, found[:: -1 if side == 1 else 1], strict=True)
    ):
        if way.kind == Joint.SPHERICAL and side == 1:
            start = (start[0], *(-x for x in start[1:]))  # noqa: PLW2901
        drawn.starts[description.name] = start
        drive = drive_of(joint, description, way, stage)
        if drive is not None:
            drawn.drives.append(drive)
        if description.name in drawn.names:
            description.name += ALSO
        last = k == len(made) - 1
        below = hung if last else LinkDescription(f"{body.name}/{description.name}")
        link.attach(below, description)
        link = below
    return hung, offset


def _finish(stage: Stage, group: Group, drawn: _Drawn, root: Body, start: Pose) -> TreeDescription:
    """Merge what is fixed, check masses, close loops, give starts and drives."""
    tree, members = merge(drawn.root, stage.report)
    tree.source = stage.path
    for part in tree.bodies:
        part.joint.name = part.joint.name.removesuffix(ALSO)
    for frame in tree.frames:
        if frame.name in drawn.offsets:  # that of the prim, which need not be where the joint is
            at = Pose(frame.position, frame.quaternion) @ drawn.offsets[frame.name]
            frame.position, frame.quaternion = at.position, at.quaternion
    prims = {body.name: body.prim for body in group.bodies if body.prim is not None}
    somewhere = next(iter(prims.values()))
    if root.is_kinematic and len(group.bodies) == 1:
        tree.kind = Kind.KINEMATIC
    elif root.is_kinematic:
        somewhere.doubt(f"{root.name} is kinematic and joints hang on it: it stands", "kinematic")
        tree.bodies[0].joint = JointDescription(
            f"{root.name}_root", Joint.FIXED, start.position, start.quaternion
        )
    places = [[prims.get(name) or somewhere for name in names] or [somewhere] for names in members]
    if tree.kind == Kind.DYNAMIC:
        check_masses(tree, places)
    check_mimics(tree)
    tree.start = _starts(tree, drawn, start)
    tree.drawn = tree.start
    for drive in drawn.drives:
        actuator = drive.actuator
        if drive.ratio:
            felt = _inertia(tree, actuator.joint, somewhere)
            actuator.gain *= felt
            actuator.bias = tuple(felt * x for x in actuator.bias)
        tree.actuators.append(actuator)
        tree.start_controls[actuator.name] = drive.target
    for link in drawn.closing:
        _close(link, tree)
    for prim in stage.prims.values():
        is_off = prim.values.get("physxArticulation:enabledSelfCollisions") is False
        if is_off and any(f"{own.path}/".startswith(f"{prim.path}/") for own in prims.values()):
            tree.ignored |= set(combinations(range(len(tree.bodies)), 2))
    for link in group.links:
        if link.prim.is_set("physics:collisionEnabled", default=False):
            found = [place_of(tree, b.name) for b in link.bodies if b is not None]
            if len(found) == 2 and found[0] and found[1] and found[0][0] != found[1][0]:
                low, high = sorted((found[0][0], found[1][0]))
                if tree.bodies[high].parent == low:
                    tree.bodies[high].joint.collision_enabled = True
    for body in tree.bodies:
        own = prims.get(body.name)
        if own is not None and own.is_set("physxRigidBody:disableGravity", default=False):
            body.gravity_compensation = 1.0
    return tree


def _starts(tree: TreeDescription, drawn: _Drawn, start: Pose) -> tuple[float, ...]:
    """Return the coordinates in which the file draws a robot."""
    q: tuple[float, ...] = ()
    for body in tree.bodies:
        if body.joint.type == Joint.FREE:
            q += (*start.position, *start.quaternion)
        elif body.joint.type != Joint.FIXED:
            q += drawn.starts[body.joint.name]
    return q


def _inertia(tree: TreeDescription, joint: str, prim: Prim) -> float:
    """Return the inertia that a joint feels as drawn.   1/(M⁻¹)_jj"""
    places = zip(tree.bodies, tree.joint_slices(DOFS), strict=True)
    dof = next(where.start for body, where in places if body.joint.name == joint)
    try:
        eased = np.linalg.inv(mass_matrix(tree, tree.start or ())[0])[dof, dof]
    except np.linalg.LinAlgError:
        raise prim.error(
            "a drive of type acceleration needs inertia, and the mass matrix is singular as drawn"
        ) from None
    return 1.0 / float(eased)


def _close(link: Link, tree: TreeDescription) -> None:
    """Add a joint that closes a loop as a constraint."""
    way = link.ways[0] if link.ways else None
    if len(link.ways) > 1:
        link.prim.doubt("closes a loop and leaves several directions free: it is left out", "loop")
        return
    kind, locked, axis = "weld", LOCKED["weld"], (0.0, 0.0, 1.0)
    if way is not None:
        kinds = {Joint.REVOLUTE: "hinge", Joint.SPHERICAL: "pin", Joint.PRISMATIC: "equality"}
        kind, axis = kinds[way.kind], AXES[way.axis]
        locked = LOCKED.get(kind, SLIDING)
        if np.isfinite(way.lower) or np.isfinite(way.upper):
            link.prim.doubt("closes a loop: its limits are not read", "loop limits")
    numbers, ends = [], []
    for body, frame in zip(link.bodies, link.frames, strict=True):
        found = None if body is None else place_of(tree, body.name)
        numbers.append(-1 if found is None else found[0])
        ends.append(frame if found is None else found[1] @ frame)
    if numbers[0] == numbers[1]:
        link.prim.note("ties two links that are one body: it is left out", "one body")
        return
    turn = across(axis)
    if tree.bodies[0].joint.type == Joint.FIXED and -1 in numbers:  # the world is the robot's base
        side = numbers.index(-1)
        base = poses_at(tree, tree.start or ())[0]
        numbers[side], ends[side] = 0, inverse(base) @ ends[side]
        if numbers[0] == numbers[1]:
            return
    made = ConstraintDescription(
        kind, (numbers[0], numbers[1]), np.array([end.position for end in ends]),
        np.array([matrix(end.quaternion) @ turn for end in ends]), locked, link.name,
    )  # fmt: skip
    tree.closed = tree.start
    tree.constraints.append(made)
    link.prim.note(f"closes a loop, as a {kind}")
