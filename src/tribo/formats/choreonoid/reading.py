"""Read a body file: links become trees, one for each link that no joint holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tribo.description.constraints import ConstraintDescription
from tribo.description.trees import IDENTITY, DescriptionError, LinkDescription, TreeDescription, Vector
from tribo.engine.layout import COORDINATES
from tribo.formats import urdf
from tribo.formats.assembly import assemble
from tribo.formats.choreonoid import (
    collision_rules,
    joint_compliance,
    joint_devices,
    track_devices,
    track_links,
    wire_devices,
)
from tribo.formats.choreonoid.body_links import BodyReader
from tribo.formats.choreonoid.keys import find
from tribo.formats.choreonoid.links import BodyLink, Placement, place
from tribo.formats.fixed_base import based
from tribo.formats.loops import drawn, motion
from tribo.formats.pose import NO_POSE, Pose, matrix
from tribo.formats.report import Report
from tribo.formats.self_collision import part_by_bits, set_pair
from tribo.formats.yaml_nodes import YamlNode, is_text, parse
from tribo.materials import MaterialLibrary
from tribo.materials.mixing import mixed
from tribo.materials.table import Law
from tribo.model import Joint

MAX_BITS = 48  # collision groups for links of different things that pass through each other
Laws = dict[tuple[str, str], Law]


@dataclass(slots=True)
class BeltDescription:
    """The belt of a link: where the link is, and the axis about which its surface runs, frame of the body."""

    link: str
    tree: int
    body: int
    axis: Vector


@dataclass(slots=True)
class BodyFile:
    """Contents of a body file: trees that no joint connects, and the contact laws of its own materials."""

    name: str
    trees: list[TreeDescription] = field(default_factory=list)
    laws: Laws = field(default_factory=dict)
    ties: list[ConstraintDescription] = field(default_factory=list)  # `objects`: numbers of trees
    wires: list[wire_devices.WireDescription] = field(default_factory=list)
    tracks: list[track_devices.TrackDescription] = field(default_factory=list)
    belts: list[BeltDescription] = field(default_factory=list)
    without_wires: list[str] = field(default_factory=list)  # links that wires pass through
    chains: list[str] = field(default_factory=list)  # first pads of tracks, that touch what is theirs
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    is_apart: bool = False  # whether its things pass through each other


def read_urdf(
    path: Path, placement: Placement, *, package_dirs: Sequence[Path] = (), strict: bool = False
) -> BodyFile:
    """Read the URDF that a project names as a body; joint displacements are in the order of the file.

    Raises:
        DescriptionError: The file cannot be simulated, or a root fixed to the world is to float.
    """
    tree = urdf.read(path, package_dirs=package_dirs, strict=strict)
    if placement.is_fixed:
        tree = based(tree, is_fixed=True)
    at = NO_POSE if placement.root is None else placement.root
    joint = tree.bodies[0].joint
    tree.start = drawn(tree, (*at.position, *at.quaternion))
    if joint.type == Joint.FIXED:
        joint.position, joint.quaternion = at.position, at.quaternion
    first = len(drawn(TreeDescription(tree.bodies[:1])))
    count = min(len(placement.joints), len(tree.start) - first)
    own = placement.joints[:count]
    tree.start = (*tree.start[:first], *own, *tree.start[first + count :])
    if placement.touches_itself is False:
        tree.self_collision = "none"
    return BodyFile(tree.bodies[0].name, [tree], notes=tree.notes, doubts=tree.doubts)


def read_robot(
    source: str | Path, *, package_dirs: Sequence[Path] = (), materials: MaterialLibrary | None = None,
    strict: bool = False,
) -> tuple[TreeDescription, Laws]:  # fmt: skip
    """Read a body file that is one tree; return it and the contact laws of its own materials.

    Raises:
        DescriptionError: As `read`; or several trees are in the file.
    """
    made = read(source, package_dirs=package_dirs, materials=materials, strict=strict)
    if len(made.trees) != 1:
        names = ", ".join(repr(tree.bodies[0].name) for tree in made.trees[:5])
        raise DescriptionError(
            f"{made.name}: {len(made.trees)} things that no joint connects ({names}), must be one; "
            "world.load_body takes them all"
        )
    said = [
        f"{made.name}: the belt of {belt.link!r} stands still: world.load_body returns belts with a "
        f"speed; here set belt_velocity of collision_body('{belt.link}/0') and so on"
        for belt in made.belts
    ]
    laid: list[tuple[str, wire_devices.WireDescription | track_devices.TrackDescription]] = [
        *(("wire", wire) for wire in made.wires),
        *(("track", track) for track in made.tracks),
    ]
    said += [
        f"{item.place}: the {what} {item.name!r} is left out: it is no part of a robot; "
        "world.load_body lays it"
        for what, item in laid
    ]
    if strict and said:
        raise DescriptionError(said[0])
    made.trees[0].notes += said
    made.trees[0].doubts += said
    return made.trees[0], made.laws


def read(
    source: str | Path, *, package_dirs: Sequence[Path] = (), materials: MaterialLibrary | None = None,
    strict: bool = False, placement: Placement | None = None, compliant_joints: bool = False,
) -> BodyFile:  # fmt: skip
    r"""Read a body file of Choreonoid.

    A root whose joint is fixed, or that names none, stands in the world; a link with a free joint begins a
    tree of its own, wherever it hangs.

    Args:
        source: Path, or text of several lines.
        package_dirs: Folders in which meshes are looked up, besides those around the file.
        materials: For densities (``massType: density``) and for pairs with ``material: useLinkInfo``.
        strict: Unknown elements and omissions are errors instead of notes.
        placement: Settings of a project for it.
        compliant_joints: Let joints give way across what they move, as their links say, by more coordinates.

    Raises:
        DescriptionError: The file cannot be simulated; the message says where, what and the remedy.

    Example:
        >>> text = "format: ChoreonoidBody\nformatVersion: 1.0\nname: Ball\nlinks:\n"
        >>> text += " - { name: ball, jointType: free, massType: density, density: 700, elements:\n"
        >>> text += "     { Shape: { geometry: { type: Sphere, radius: 0.1 } } } }\n"
        >>> round(read(text).trees[0].bodies[0].mass, 9)
        2.932153143
    """
    report = Report(strict=strict)
    root = parse(source, "body file", report).need("mapping", "a body file")
    path = None if is_text(source) else Path(source)
    put = Placement() if placement is None else placement
    files = BodyReader(package_dirs, materials, is_fixed=put.is_fixed, gives_way=compliant_joints)
    links, base = files.read(root, path)
    place(links, base, put)
    made = BodyFile(files.name_of(root, path), is_apart=put.touches_itself is False)
    below = _below(links, base)
    poses = _poses(base, below)
    rules = collision_rules.read(root, _neighbours(links), touches_itself=put.touches_itself)
    track_links.part(files.chains, rules)
    made.without_wires = sorted(rules.without_wires)
    made.chains = [chain.pads[0] for chain in files.chains]
    for link in links.values():
        if link.lacking and not _stands(link, base, links):
            link.node.doubt(link.lacking)
        if link.name in rules.excluded:
            for shape in link.contents.shapes:
                shape.group = shape.mask = 0
    roots = [link for link in links.values() if link is base or link.joint.type == Joint.FREE]
    for first in roots:
        try:
            made.trees.append(_tree(first, below, poses[first.name], links))
        except DescriptionError as error:
            raise first.node.error(f"from link {first.name!r} on: {error}") from None
    _part(made.trees, rules, root)
    joint_devices.read_extra(root, made.trees)
    devices = [device for link in links.values() for device in link.contents.devices]
    made.ties = joint_devices.read(devices, made.trees)
    made.ties += track_links.close(files.chains, links, made.trees)
    made.belts = _belts(links, made.trees)
    if len(made.trees) == 1:
        for tie in made.ties:
            tie.objects = (None, None)
        made.trees[0].constraints += made.ties
        made.ties = []
    wires = [wire for link in links.values() for wire in link.contents.wires]
    made.wires = wire_devices.read(wires, made.trees, materials)
    tracks = [track for link in links.values() for track in link.contents.tracks]
    made.tracks = track_devices.read(tracks, made.trees, materials)
    made.laws = _laws(links, materials)
    made.notes, made.doubts = report.notes, report.doubts
    for tree in made.trees[:1]:
        tree.notes, tree.doubts = report.notes + tree.notes, report.doubts + tree.doubts
    return made


def _belts(links: dict[str, BodyLink], trees: Sequence[TreeDescription]) -> list[BeltDescription]:
    """Return the pseudo continuous tracks, their axes in the frames of their bodies."""
    made = []
    for link in links.values():
        if link.belt is None:
            continue
        found = find(link.name, trees)
        if found is not None:
            along = matrix(found[2].quaternion) @ np.array(link.belt)
            made.append(BeltDescription(link.name, found[0], found[1], tuple(along.tolist())))
    return made


def _stands(link: BodyLink, base: BodyLink, links: dict[str, BodyLink]) -> bool:
    """Return whether fixed joints hold a link to the world."""
    while link.joint.type == Joint.FIXED and link is not base:
        link = links[link.parent]
    return link.joint.type == Joint.FIXED


def _below(links: dict[str, BodyLink], base: BodyLink) -> dict[str, list[BodyLink]]:
    """Return the links that hang on each link, those with a free joint included."""
    below: dict[str, list[BodyLink]] = {name: [] for name in links}
    for link in links.values():
        if link is not base:
            below[link.parent].append(link)
    return below


def _neighbours(links: dict[str, BodyLink]) -> dict[str, list[str]]:
    """Return by link those to which a joint connects it."""
    made: dict[str, list[str]] = {name: [] for name in links}
    for link in links.values():
        if link.parent and link.joint.type != Joint.FREE:
            made[link.parent].append(link.name)
            made[link.name].append(link.parent)
    return made


def _poses(base: BodyLink, below: dict[str, list[BodyLink]]) -> dict[str, Pose]:
    """Return where each link starts in the world."""
    poses = {base.name: base.pose}
    todo = [base]
    while todo:
        link = todo.pop()
        for child in below[link.name]:
            poses[child.name] = poses[link.name] @ child.pose @ motion(child.joint, (child.start,))
            todo.append(child)
    return poses


def _tree(
    first: BodyLink, below: dict[str, list[BodyLink]], place: Pose, links: dict[str, BodyLink]
) -> TreeDescription:
    """Hang links on one another from a root on; give the coordinates in which the tree starts."""
    root = first.description
    first.joint.position, first.joint.quaternion = place.position, place.quaternion
    root.joint = first.joint
    if first.joint.type == Joint.FREE:
        first.joint.position, first.joint.quaternion = (0.0, 0.0, 0.0), IDENTITY
    todo: list[tuple[BodyLink, LinkDescription]] = [(first, root)]
    while todo:
        link, made = todo.pop()
        for child in below[link.name]:
            if child.joint.type == Joint.FREE:
                continue
            hung = child.description
            joint_compliance.attach(made, hung, child.joint, child.soft)
            todo.append((child, hung))
    tree = assemble(root)
    tree.self_collision = "as in file"  # these files say of all pairs what they mean
    start: Vector = ()
    if first.joint.type == Joint.FREE:
        start = (*place.position, *place.quaternion)
    for body in tree.bodies[1:]:
        count = COORDINATES[body.joint.type]
        start += (links[body.name].start if body.name in links else 0.0,) * count
    if any(start):
        tree.start = start
    for body in tree.bodies[1:]:
        drive = links[body.name].drive if body.name in links else None
        if drive is not None:
            name = body.joint.name
            tree.actuators.append(replace(drive, name=name, joint=name))
            if drive.bias[1] < 0.0:  # a spring
                tree.start_controls[name] = links[body.name].start
    return tree


def _part(trees: list[TreeDescription], rules: collision_rules.Rules, root: YamlNode) -> None:
    """Apply the rules to the bodies of each tree."""
    where = {frame.name: (k, frame.body) for k, tree in enumerate(trees) for frame in tree.frames}
    for k, tree in enumerate(trees):
        where |= {body.name: (k, i) for i, body in enumerate(tree.bodies)}
        for body in tree.bodies[1:]:
            body.joint.collision_enabled = True
    across = []
    for first, second in sorted(rules.apart):
        (k, a), (m, b) = where[first], where[second]
        if k != m:
            if not {first, second} & rules.excluded:
                across.append((first, second))
        elif a != b:
            set_pair(trees[k], a, b, touching=False)
    named = {name for pair in across for name in pair}
    shapes = [shape for tree in trees for body in tree.bodies for shape in body.shapes]
    owners = [(shape, {shape.name.rpartition("/")[0]} & named) for shape in shapes]
    if part_by_bits(owners, {frozenset(pair) for pair in across}, MAX_BITS) > MAX_BITS:
        root.doubt(
            f"more than {MAX_BITS} links of different things shall not touch each other: all of them do; use "
            "collision groups and masks"
        )


def _laws(links: dict[str, BodyLink], library: MaterialLibrary | None) -> Laws:
    """Return the pairs of materials that are written in links, with each other and with known ones."""
    laws: Laws = {}
    private = [link for link in links.values() if link.is_private]
    known = MaterialLibrary() if library is None else library
    for k, link in enumerate(private):
        others = [known.material(name) for name in known.names]
        for other in (*others, *(one.material for one in private[k:])):
            laws[link.material.name, other.name] = mixed(link.material, other)
    return laws
