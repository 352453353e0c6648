"""From MJCF's bodies to trees: bodies without joints are merged, joints get bodies of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tribo.checks.by_name import primed
from tribo.description.trees import (
    BodyDescription,
    FrameDescription,
    JointDescription,
    PartDescription,
    TreeDescription,
    Vector,
)
from tribo.formats.assembly import moved
from tribo.formats.inertia import Inertial, merged
from tribo.formats.loops import poses_at
from tribo.formats.mjcf.bodies import WORLD, Body
from tribo.formats.mjcf.contacts import Contacts, tops
from tribo.formats.mjcf.geoms import Geom
from tribo.formats.nodes import Node
from tribo.formats.pose import NO_POSE, Pose
from tribo.formats.report import Report
from tribo.formats.urdf_mass import check_masses
from tribo.model import Joint, Kind

FLAT = {"plane": "plane", "hfield": "height field"}  # what only stands


@dataclass(slots=True)
class Tree:
    """A tree and where MJCF's bodies are in it."""

    description: TreeDescription
    members: list[int] = field(default_factory=list)  # MJCF's bodies, in their order
    place: dict[int, tuple[int, Pose]] = field(default_factory=dict)  # body of the tree, pose in it
    links: dict[int, str] = field(default_factory=dict)  # that they became: `PartDescription.link`
    frames: list[tuple[str, FrameDescription]] = field(default_factory=list)  # body, joint or site
    sites: dict[str, FrameDescription] = field(default_factory=dict)  # by their names in the file

    @property
    def is_loose(self) -> bool:
        """Tell whether its root moves."""
        return self.description.bodies[0].joint.type != Joint.FIXED


def split(bodies: list[Body], contacts: Contacts) -> tuple[list[Tree], list[tuple[Geom, Pose]]]:
    """Return a tree for each body of the world that moves, and all geoms that stand, where they do."""
    top = tops(bodies)
    moving = {top[k] for k, body in enumerate(bodies) if body.joints or body.is_mocap}
    trees: dict[int, Tree] = {}
    standing: list[tuple[Geom, Pose]] = []
    poses: list[Pose] = []
    for k, body in enumerate(bodies):
        poses.append(NO_POSE if k == WORLD else poses[body.parent] @ body.pose)
        if k != WORLD and top[k] in moving:
            if top[k] == k:
                trees[k] = _start(body)
            elif body.joints and bodies[top[k]].is_mocap:
                name = bodies[top[k]].name
                raise body.node.error(f"hangs on the mocap body {name!r}; weld a free body to it instead")
            _hang(trees[top[k]], k, body, contacts)
            for geom in body.geoms:
                if geom.type in FLAT:
                    if trees[top[k]].place[k][0] > 0 or trees[top[k]].is_loose:
                        raise geom.node.error(
                            f"a {FLAT[geom.type]} cannot move; use another shape, or put it into the world"
                        )
                    standing.append((geom, poses[k] @ geom.pose))
            continue
        standing += [(geom, poses[k] @ geom.pose) for geom in body.geoms]
        if body.sites:
            body.node.report.note("sites of bodies that stand have no object to be frames of")
    made = list(trees.values())
    for tree in made:
        _finish(tree, bodies)
    _exclude(made, bodies, contacts)
    return made, standing


def _start(body: Body) -> Tree:
    """Return a tree with its root: the body itself if it stands or floats, else the world."""
    if body.joints and body.joints[0].type != Joint.FREE:
        root = BodyDescription("world", -1, JointDescription("world", Joint.FIXED))
        return Tree(TreeDescription([root]))
    position, quaternion = body.pose.position, body.pose.quaternion
    if body.is_mocap:
        joint = JointDescription(body.name, Joint.FREE, position, quaternion)
    elif body.joints:
        joint = replace(body.joints[0].description, position=position, quaternion=quaternion)
    else:
        joint = JointDescription(body.name, Joint.FIXED, position, quaternion)
    tree = TreeDescription([BodyDescription(body.name, -1, joint)])
    tree.kind = Kind.KINEMATIC if body.is_mocap else Kind.DYNAMIC
    return Tree(tree)


def _hang(tree: Tree, number: int, body: Body, contacts: Contacts) -> None:
    """Add a body to its tree: as bodies, one for each joint, or as a part of its parent."""
    bodies, frames = tree.description.bodies, tree.frames
    tree.members.append(number)
    part, above_part = "", tree.links.get(body.parent, "")
    is_root = len(tree.members) == 1 and bodies[0].name == body.name
    is_root = is_root and (not body.joints or body.joints[0].type == Joint.FREE)
    if is_root:
        parent, pose = 0, NO_POSE
    else:
        parent, pose = tree.place.get(body.parent, (0, NO_POSE))
        pose = pose @ body.pose
        above = parent
        part = "" if body.joints else body.name
        for k, joint in enumerate(body.joints, start=1):
            name = body.name if k == len(body.joints) else f"{body.name}/{joint.description.name}"
            on = above_part if k == 1 else ""
            bodies.append(BodyDescription(name, parent, joint.placed(pose), parent_link=on))
            parent = len(bodies) - 1
            frames.append(("joint", FrameDescription(joint.description.name, parent)))
            pose = Pose(tuple(-x for x in joint.anchor)) if any(joint.anchor) else NO_POSE
        if len(body.joints) > 1 and (above > 0 or tree.is_loose):
            tree.description.ignored.add((above, parent))  # MuJoCo: parent and child do not meet
    tree.place[number], tree.links[number] = (parent, pose), part
    at = pose
    frames.append(("body", FrameDescription(body.name, parent, at.position, at.quaternion, part)))
    for name, where in body.sites:
        at = pose @ where
        made = FrameDescription(name, parent, at.position, at.quaternion, part)
        frames.append(("site", made))
        tree.sites[name] = made
    for geom in body.geoms:
        shape = contacts.shape(geom) if geom.type not in FLAT else None
        if shape is not None:
            bodies[parent].shapes.append(replace(moved(shape, pose), link=part))
        visual = geom.visual()
        if visual is not None:
            bodies[parent].visuals.append(moved(visual, pose))


def _finish(tree: Tree, bodies: list[Body]) -> None:
    """Merge the masses, check them, and make the names of frames unique."""
    made = tree.description
    parts: list[list[Inertial]] = [[] for _ in made.bodies]
    nodes: list[list[Node]] = [[] for _ in made.bodies]
    quiet = Report(strict=False)  # MuJoCo says nothing of these either
    for number in tree.members:
        at, pose = tree.place[number]
        own, link = bodies[number].inertial.moved(pose), tree.links[number]
        above = tree.links.get(bodies[number].parent, "") if link else ""
        parts[at].append(own)
        made.parts.append(PartDescription(link, at, above, own.mass, own.com, own.inertia))
        first = at - max(len(bodies[number].joints) - 1, 0)
        for k in range(first, at + 1):
            nodes[k].append(replace(bodies[number].node, report=quiet))
    made.parts = [part for part in made.parts if len(parts[part.body]) > 1]
    for body, inertials in zip(made.bodies, parts, strict=True):
        whole = merged(inertials)
        body.mass, body.com, body.inertia = whole.mass, whole.com, whole.inertia
    _support(tree, bodies)
    if not nodes[0]:
        nodes[0].append(replace(bodies[WORLD].node, report=quiet))
    if made.kind == Kind.DYNAMIC:
        check_masses(made, nodes)
    elif made.bodies[0].mass == 0.0:  # it moves as it is told; its mass counts nowhere
        made.bodies[0].mass, made.bodies[0].inertia = 1.0, np.eye(3)
    made.frames = _named(tree.frames, bodies[WORLD].node.report)
    taken: set[str] = set()
    for one in made.bodies:
        one.name = primed(one.name, taken)
        taken.add(one.name)


def _support(tree: Tree, bodies: list[Body]) -> None:
    """Let bodies be borne from outside, as gravcomp says; what is merged must agree."""
    shares: dict[int, float] = {}
    for number in tree.members:
        body, at = bodies[number], tree.place[number][0]
        if body.inertial.mass == 0.0:
            continue
        if shares.setdefault(at, body.support) != body.support:
            body.node.doubt("gravcomp differs from that of the body that it is fixed to, whose share counts")
    for at, share in shares.items():
        tree.description.bodies[at].gravity_compensation = share


def _named(frames: list[tuple[str, FrameDescription]], report: Report) -> list[FrameDescription]:
    """Return one frame per name: a joint or site that is called like another thing says what it is."""
    names: dict[str, FrameDescription] = {}
    for kind, frame in sorted(frames, key=lambda item: item[0] != "body"):
        found = names.get(frame.name)
        if found is not None and found != frame:
            name = primed(f"{frame.name} ({kind})", names)
            report.note(f"the frame of {kind} {frame.name!r} is called {name!r}", f"frame {kind}")
            frame.name = name
        names.setdefault(frame.name, frame)
    return list(names.values())


def _exclude(trees: list[Tree], bodies: list[Body], contacts: Contacts) -> None:
    """Let links of one robot pass through each other that <exclude> names; `excludes` has the others."""
    where = {bodies[k].name: (n, at[0]) for n, tree in enumerate(trees) for k, at in tree.place.items()}
    for _, first, second in contacts.excluded:
        (one, a), (other, b) = (where.get(name, (-1, 0)) for name in (first, second))
        if one >= 0 and one == other and a != b:
            trees[one].description.ignored.add((min(a, b), max(a, b)))


@dataclass(slots=True)
class Place:
    """A body of the file in the tree that it is part of."""

    tree: int  # −1: it stands
    body: int  # of the tree; −1: the world
    inner: Pose  # of the file's body in that of the tree
    world: Pose  # of the file's body as the file draws it
    link: str = ""  # that it became, as `PartDescription.link`


class Places:
    """All bodies of a file, and their sites and geoms by name."""

    def __init__(
        self, bodies: Sequence[Body], trees: Sequence[Tree], drawn: Sequence[Vector], sprung: Sequence[Vector]
    ) -> None:
        """Find them; in `drawn` the file draws each tree, in `sprung` springs of joints are at rest."""
        self.trees, self.drawn = trees, drawn
        self.poses, self.sprung = (  # of the bodies of each tree
            [poses_at(tree.description, q) for tree, q in zip(trees, those, strict=True)]
            for those in (drawn, sprung)
        )
        self.bodies = self._places(bodies)
        self.spans = {joint.description.name: joint.span for body in bodies for joint in body.joints}
        self.sites: dict[str, tuple[int, Pose]] = {
            name: (k, at) for k, body in enumerate(bodies) for name, at in body.sites
        }
        self.geoms: dict[str, tuple[int, Geom]] = {
            geom.name: (k, geom) for k, body in enumerate(bodies) for geom in body.geoms
        }

    def _places(self, bodies: Sequence[Body]) -> list[Place]:
        stand: list[Pose] = []
        for number, own in enumerate(bodies):
            stand.append(NO_POSE if number == WORLD else stand[own.parent] @ own.pose)
        made = [Place(-1, -1, pose, pose) for pose in stand]
        for t, tree in enumerate(self.trees):
            poses = self.poses[t]
            for number, (body, inner) in tree.place.items():
                made[number] = Place(t, body, inner, poses[body] @ inner, tree.links[number])
        return made
