"""Read SDF: the models and worlds of Gazebo.

Each model becomes one robot for each of its links that no joint holds; what stands becomes static objects.
Source: http://sdformat.org/spec.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from tribo.checks import check
from tribo.description.joint_checks import check_mimics
from tribo.description.trees import (
    JointDescription,
    LinkDescription,
    ObjectDescription,
    TreeDescription,
    WorldDescription,
)
from tribo.formats import surface_friction
from tribo.formats.assembly import merge
from tribo.formats.loops import CLOSING, across, drawn, holding, place_of, poses_at
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.nodes import Node, Spot
from tribo.formats.pose import NO_POSE, Pose, inverse, matrix
from tribo.formats.report import Report
from tribo.formats.sdf.links import TYPES, read_joints, read_link, read_shapes, read_visuals
from tribo.formats.sdf.models import TRUE, Library, Model, Part, child, pose_of, vector, version_of, word
from tribo.formats.sdf.unread import screen
from tribo.formats.urdf_mass import check_masses
from tribo.formats.xml import parse, path_of
from tribo.model import Joint, Kind

WORLD = "world"


def read(
    source: str | Path, *, package_dirs: Sequence[Path] = (), strict: bool = False
) -> tuple[WorldDescription, bool]:
    """Read a file: the models of its world, or those that it holds without one.

    Returns:
        The scene, and whether it has a world, whose time step and gravity are the file's.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.

    Example:
        >>> model = '<model name="ball"><link name="l"/></model>'
        >>> [item.name for item in read(f'<sdf version="1.9">{model}</sdf>')[0].objects]
        ['ball']
    """
    path = path_of(source, "SDF")
    report = Report(strict=strict)
    root = parse(source, "SDF", report)
    if root.tag != "sdf":
        raise root.error("is no SDF; the outermost element must be <sdf>")
    screen(root)
    scene = WorldDescription(source=path)
    holder = child(root, "world") or root
    if holder is not root:
        _settings(holder, scene)
        for other in root.children:
            if other.tag in {"world", "model"} and other is not holder:
                other.doubt("stands beside the first world, which alone is read", "sdf beside")
    library = Library(package_dirs, report)
    finder = MeshFinder(path, package_dirs)
    first: dict[str, Node] = {}
    for node in holder.children:
        if node.tag == "model":
            model = library.model(node, finder, version_of(root))
        elif node.tag == "include" and holder is not root:
            included = library.included(node, finder, 0)
            if included is None:
                continue
            model = included
        else:
            continue
        pose, relative = pose_of(node if child(node, "pose") is not None else model.node)
        if relative and relative != "world":
            node.doubt(f"relative_to={relative!r}: models are placed in the world")
        anchor = word(node, "placement_frame") or node.attributes.get(
            "placement_frame", model.node.attributes.get("placement_frame", "")
        )
        if anchor in model.frames:
            pose = pose @ inverse(model.frames[anchor])
        elif anchor:
            node.doubt(f"placement_frame {anchor!r} is no frame of the model: it is not used")
        if first.setdefault(model.name, node) is not node:
            node.doubt(
                f"a model named {model.name!r} stands in line {first[model.name].line} already: this one "
                "gets another name; rename one"
            )
        scene.objects += _objects(model, pose)
    if not scene.objects and report.doubts:
        raise root.error(f"holds nothing that is read: {'; '.join(report.doubts[:3])}")
    if not scene.objects:
        raise root.error("holds no model with a link; there is nothing to add")
    surface_friction.add_laws(scene)
    scene.notes, scene.doubts = report.notes, report.doubts
    return scene, holder is not root


def _settings(world: Node, scene: WorldDescription) -> None:
    """Read gravity and time step; SDF's standards are 9.8 m/s² and 1 ms."""
    scene.gravity = (0.0, 0.0, -9.8)
    gravity = child(world, "gravity")
    if gravity is not None:
        scene.gravity = vector(gravity, 3)
    scene.time_step = 0.001
    profiles = list(world.all("physics"))
    chosen = [one for one in profiles if one.word("default").lower() in TRUE]
    physics = next(iter((*chosen, *profiles)), None)
    step = None if physics is None else child(physics, "max_step_size")
    if step is not None:
        try:
            scene.time_step = check.time_step(vector(step, 1)[0], "max_step_size")
        except ValueError as error:
            raise step.error(str(error)) from None


def _objects(model: Model, pose: Pose) -> Iterator[ObjectDescription]:
    """Iterate over what a model becomes in a world where it has a pose."""
    if model.is_static:
        for link in model.links:
            yield from _standing(model, link, pose @ link.pose)
        return
    trees = _trees(model, pose)
    for tree in trees:
        name = model.name if len(trees) == 1 else f"{model.name}::{tree.bodies[0].name}"
        yield ObjectDescription("articulated_system", name, kind=tree.kind, tree=tree)


def _standing(model: Model, link: Part, pose: Pose) -> Iterator[ObjectDescription]:
    """Iterate over the shapes and visuals of a link that stands."""
    shapes, visuals = read_shapes(link, NO_POSE), read_visuals(link, NO_POSE)
    for k in range(max(len(shapes), len(visuals))):
        name = f"{model.name}/{link.name}/{k}" if k else model.name
        made = ObjectDescription("standing", name, kind=Kind.STATIC)
        made.position, made.quaternion = pose.position, pose.quaternion
        made.shape = shapes[k] if k < len(shapes) else None
        made.visual = visuals[k] if k < len(visuals) else None
        if made.shape is not None:
            made.material = made.shape.material
        yield made


def _trees(model: Model, pose: Pose) -> list[TreeDescription]:
    """Hang the links of a model on one another, and return a robot for each that hangs on none."""
    parts = {part.name: part for part in model.links}
    if WORLD in parts and not parts[WORLD].node.children:
        parts.pop(WORLD).node.note("an empty link of this name is the world itself")
    below: dict[str, list[Part]] = {name: [] for name in (*parts, WORLD)}
    above: dict[str, Part] = {}
    closing: list[Part] = []
    for joint in model.joints:
        parent, link = joint.ends
        if (link == WORLD and link not in parts) or parent == link:
            raise joint.node.error("its child must be a link, another one than its parent")
        if link in above:
            closing.append(joint)
            continue
        above[link] = joint
        below[parent].append(joint)
    stands = WORLD not in parts  # else a link is called so
    roots = [name for name in parts if name not in above or (stands and above[name].ends[0] == WORLD)]
    trees = [_tree(model, parts, below, name, above.get(name), pose) for name in roots]
    reached = {link for _, names in trees for group in names for link in group}
    for name, part in parts.items():
        if name not in reached:
            raise part.node.error("is part of a loop of joints that holds no root; turn one joint round")
    for joint in closing:
        _close(joint, [tree for tree, _ in trees], pose)
    return [tree for tree, _ in trees]


def _tree(
    model: Model, parts: dict[str, Part], below: dict[str, list[Part]], root: str, held: Part | None,
    pose: Pose,
) -> tuple[TreeDescription, list[list[str]]]:  # fmt: skip
    """Return a robot, and the links of each of its bodies."""
    first = parts[root]
    start = pose @ first.pose
    if held is None or TYPES.get(held.node.attributes.get("type", "")) == Joint.FIXED:
        top = made = read_link(first, NO_POSE)
        base = first.pose
        if held is not None:
            top.joint = JointDescription(held.name, Joint.FIXED, start.position, start.quaternion)
    else:
        top, made, base = _on_the_world(held, first, pose)
    todo = [(root, made, base)]
    while todo:
        name, link, frame = todo.pop()
        for joint in below[name]:
            part = parts[joint.ends[1]]
            moves = TYPES.get(joint.node.attributes.get("type", "")) != Joint.FIXED
            at = joint.pose if moves else part.pose
            hung = read_link(part, inverse(at) @ part.pose if moves else NO_POSE)
            _attach(link, hung, joint, inverse(frame) @ at)
            todo.append((part.name, hung, at))
    tree, members = merge(top, first.node.report)
    places = {name: Spot(part.node.place, part.node.report) for name, part in parts.items()}
    spots = [
        [places.get(name) or Spot(f"link {name!r}", first.node.report) for name in names] for names in members
    ]
    check_masses(tree, spots)
    check_mimics(tree)
    if tree.bodies[0].joint.type == Joint.FREE:
        tree.start = drawn(tree, (*start.position, *start.quaternion))
    if not model.meets_itself:
        tree.ignored |= set(combinations(range(len(tree.bodies)), 2))
    return tree, members


def _on_the_world(held: Part, first: Part, pose: Pose) -> tuple[LinkDescription, LinkDescription, Pose]:
    """Return a link that stands, the first link on it, and where its body is in the model."""
    top = LinkDescription(f"{held.name}/world")
    top.joint = JointDescription(top.name, Joint.FIXED)
    made = read_link(first, inverse(held.pose) @ first.pose)
    _attach(top, made, held, pose @ held.pose)
    return top, made, held.pose


def _attach(link: LinkDescription, hung: LinkDescription, joint: Part, placed: Pose) -> None:
    """Let a link hang on another one by the one or two joints that an element is."""
    made = read_joints(joint, placed)
    if len(made) == 2:
        between = LinkDescription(f"{joint.name}/between")
        link.attach(between, made[0])
        link = between
    link.attach(hung, made[-1])


def _close(joint: Part, trees: list[TreeDescription], pose: Pose) -> None:
    """Add what a joint is whose child hangs on another one already: it closes a loop."""
    type_of = TYPES.get(joint.node.attributes.get("type", ""), Joint.FREE)
    kind = CLOSING.get(type_of)
    for tree in trees:
        found = [place_of(tree, name) for name in joint.ends]
        if kind is None or found[0] is None or found[1] is None or found[0][0] == found[1][0]:
            continue
        first, second = found[0][0], found[1][0]
        if tree.closed is None:
            tree.closed = tree.start = drawn(tree, (tree.start or ())[:7])
        poses = poses_at(tree, tree.closed)
        at = inverse(poses[first]) @ pose @ joint.pose
        axes = matrix(at.quaternion) @ across((*joint.axes, (0.0, 0.0, 1.0))[0])
        ends = poses[first], poses[second]
        tree.constraints.append(holding(kind, (first, second), ends, at.position, axes, joint.name))
        joint.node.note(f"closes a loop, as a {kind}")
        return
    raise joint.node.error(
        "its child hangs on another joint already, so it closes a loop; a fixed, revolute, continuous or "
        "ball joint between two links of one robot can"
    )
