"""Read robots from URDF, with RaiSim's additions: contact materials, capsules, spherical joints.

A root link called `world` is the world itself, any other root floats. Links behind fixed joints are
merged into their parent; each joint and each link leaves a named frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tribo.description.joint_checks import check_mimics
from tribo.description.trees import JointDescription, LinkDescription, TreeDescription
from tribo.formats import elements, self_collision, surface_friction, urdf_modules, urdf_unread
from tribo.formats.assembly import merge
from tribo.formats.inertia import Inertial, check_inertia
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.nodes import Node, known_hint
from tribo.formats.report import Report
from tribo.formats.sensor_files import add_housings, find_sets, read_set
from tribo.formats.substitution import fill_tree
from tribo.formats.urdf_constraints import close_loop, read_constraints
from tribo.formats.urdf_geometry import GeometryReader, is_empty, read_origin
from tribo.formats.urdf_joints import UrdfJoint, read_joint
from tribo.formats.urdf_mass import INERTIA_NAMES, check_masses
from tribo.formats.urdf_unread import drop_surplus
from tribo.formats.xml import parse, path_of, without_declaration, wrong_root
from tribo.materials.table import DEFAULT_MATERIAL
from tribo.model import Joint

ROBOT_CHILDREN = ("link", "joint", "material", "constraints", *self_collision.RULES)
ROBOT_SILENT = (
    "gazebo", "transmission", "sensor", "ros2_control", "mujoco", "drake:declare_convex",
)  # fmt: skip
LINK_CHILDREN = ("inertial", "visual", "collision", "contact")
LINK_SILENT = ("sensor", "gazebo", "kinematic", "gravity", "self_collide", "collision_checking",
               "self_filter")  # fmt: skip
WORLD = "world"


@dataclass(slots=True)
class UrdfLink:
    """A link as written, in its own frame."""

    node: Node
    description: LinkDescription


def read(
    source: str | Path, *, package_dirs: Sequence[Path] = (), modules: Sequence[str | Path] = (),
    parameters: Mapping[str, object] | None = None, strict: bool = False, is_alone: bool = False,
    at: Path | None = None,
) -> TreeDescription:  # fmt: skip
    """Read a robot.

    Args:
        source: Path of a URDF, or its text.
        package_dirs: Folders in which `package://NAME/…` is looked up, besides those around the
            file. No mesh outside of these folders is ever used.
        modules: Elements that come before </robot>: files, texts, or names of files beside the URDF
            (`tribo.formats.urdf_modules`).
        parameters: Values for @@name in attributes; expressions in braces are then computed. None: the
            file is no template.
        strict: Unknown tags and attributes are errors instead of notes.
        at: Where a text was made from a file: meshes are looked up around it.
        is_alone: The SRDF that comes with it, NAME.srdf beside it or in ../srdf, is not read.

    Returns:
        Bodies (parents first, joints in the order of the file), frames and notes. Numbers of links
        that nothing was merged with are bitwise those of the file.

    Raises:
        DescriptionError: The robot cannot be simulated; the message says where, what and the remedy.

    Example:
        >>> ball = '<robot><link name="ball"><inertial><mass value="2"/><inertia ixx="1" ixy="0"'
        >>> ball += ' ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>'
        >>> read(ball).bodies[0].mass
        2.0
    """
    path = path_of(source, "URDF")
    place = path if at is None else at
    report = Report(strict=strict)
    robot = parse(source, "URDF", report)
    if robot.tag != "robot":
        raise wrong_root(robot, "robot")
    urdf_modules.append(robot, place, modules)
    fill_tree(robot, parameters)
    robot.check(("name", "version"), ROBOT_CHILDREN, ROBOT_SILENT)
    drop_surplus(robot)
    sensor_sets = find_sets(robot, path)
    add_housings(robot, sensor_sets)
    links = _read_links(robot, GeometryReader(robot, MeshFinder(place, package_dirs)))
    _take_friction(robot, links)
    urdf_unread.screen(robot)
    joints, closing = _read_joints(robot, links)
    tree = _build(links, joints, _root(robot, links, joints))
    for one in sensor_sets:
        tree.sensors += read_set(one)
    self_collision.apply(tree, robot)
    if path is not None and not is_alone:
        self_collision.read_beside(tree, path, report)
    read_constraints(robot, tree)
    for joint in closing:
        close_loop(joint, tree)
    if not modules and parameters is None:  # else no file says all of it
        tree.source = path
        tree.text = without_declaration(str(source)) if path is None else None
    tree.notes += report.notes
    tree.doubts += report.doubts
    return tree


def _read_links(robot: Node, geometry: GeometryReader) -> dict[str, UrdfLink]:
    links: dict[str, UrdfLink] = {}
    parts = [*robot.all("link"), *robot.all("joint")]
    names = {node.word("name") for node in parts}
    for node in robot.all("link"):
        node.check(("name", "type", "sensor", "concave"), LINK_CHILDREN, LINK_SILENT)
        name = node.text("name")
        if name in links:
            node.doubt(
                f"a link of this name stands in line {links[name].node.line}: that one is read; rename one"
            )
            continue
        for child in [one for one in node.all("collision") if is_empty(one)]:
            child.doubt("a collision shape of size 0 is left out", "collision 0")
            node.children.remove(child)
        shapes = [
            geometry.collision(child, _shape_name(child, names) or f"{name}/{i}")
            for i, child in enumerate(node.all("collision"))
        ]
        visuals = [one for child in node.all("visual") if (one := geometry.visual(child))]
        own = _read_inertial(node)
        made = LinkDescription(name, own.mass, own.com, own.inertia, shapes=shapes, visuals=visuals)
        links[name] = UrdfLink(node, made)
    if not links:
        raise robot.error("has no <link>; a robot needs at least one")
    return links


def _take_friction(robot: Node, links: dict[str, UrdfLink]) -> None:
    """Give collision shapes the materials that elements of friction of other programs mean."""
    of_links = surface_friction.of_gazebo(robot)
    found: dict[str, str] = {}
    for name, link in links.items():
        of_link = surface_friction.of_bullet(link.node) or of_links.get(name)
        for shape, node in zip(link.description.shapes, link.node.all("collision"), strict=True):
            surface = surface_friction.of_drake(node) or of_link
            if surface is not None and shape.material == DEFAULT_MATERIAL:
                shape.material = surface.material
                found.setdefault(shape.material, name)
    for material, name in found.items():
        robot.report.note(
            f"friction of {name!r} and others like it is that of the material {material!r}: its pair with "
            '"default" and those with materials of other files are set, others are world.default_pair'
        )


def _shape_name(node: Node, names: set[str]) -> str:
    """Return the name of a collision body of a link that was merged before it was written, else ""."""
    name = node.word("name")
    link, _, number = name.rpartition("/")
    return name if link in names and number.isdecimal() else ""


def _read_inertial(link: Node) -> Inertial:
    node = link.one("inertial")
    if node is None:
        return Inertial()
    node.check_children(("origin", "mass", "inertia"))
    mass = node.need("mass")
    mass.check_leaf(("value",))
    value = mass.number("value")
    if value < 0.0:
        raise mass.error(f"link {link.text('name')!r} has mass {value!r} kg, must be ≥ 0")
    pose = read_origin(node)
    matrix = node.one("inertia")
    if matrix is None:
        link.doubt("has a mass but no <inertia>: 0 is taken")
        return Inertial(value, pose.position)
    matrix.check_leaf(INERTIA_NAMES)
    part = Inertial(value, inertia=elements.inertia(matrix, INERTIA_NAMES))
    check_inertia(matrix, part, f"link {link.text('name')!r}")
    return part.moved(pose)


def _read_joints(
    robot: Node, links: dict[str, UrdfLink]
) -> tuple[dict[str, list[UrdfJoint]], list[UrdfJoint]]:
    """Return the joints that hang on each link, and those to links that hang on another one already."""
    below: dict[str, list[UrdfJoint]] = {name: [] for name in links}
    above: dict[str, UrdfJoint] = {}
    closing: list[UrdfJoint] = []
    seen: dict[str, Node] = {}
    for node in robot.all("joint"):
        joint = read_joint(node)
        name = joint.description.name
        if name in seen:
            raise node.error(f"a joint of this name stands in line {seen[name].line}; rename one")
        seen[name] = node
        if joint.parent == WORLD and WORLD not in links:
            node.note(f"its parent {WORLD!r} is not declared: the robot stands on it")
            implied = robot.made("link", {"name": WORLD})
            links[WORLD], below[WORLD] = UrdfLink(implied, LinkDescription(WORLD)), []
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                raise node.error(f"{role} link {link!r} does not exist{known_hint(link, links)}")
        if joint.child in above:
            closing.append(joint)
            continue
        above[joint.child] = joint
        below[joint.parent].append(joint)
    return below, closing


def _root(robot: Node, links: dict[str, UrdfLink], joints: dict[str, list[UrdfJoint]]) -> str:
    """Return the only link that is nobody's child."""
    parents = {joint.child: {link} for link, below in joints.items() for joint in below}
    roots = [name for name in links if name not in parents]
    if len(roots) > 1:
        raise robot.error(
            f"has {len(roots)} root links ({', '.join(map(repr, roots[:5]))}); "
            "connect them by joints, or put each into a file of its own"
        )
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        loop = error.args[1]  # its first link stands at the end again
        first = loop.index(next(name for name in links if name in loop))
        loop = [*loop[first:-1], *loop[: first + 1]]
        shown = " → ".join(loop if len(loop) <= 8 else [*loop[:4], "…", *loop[-3:]])
        if not roots:
            raise robot.error(f"has no root link: links form a loop ({shown})") from None
        raise links[loop[0]].node.error(f"is part of a loop of links ({shown}); cut it") from None
    return roots[0]


def _build(links: dict[str, UrdfLink], joints: dict[str, list[UrdfJoint]], root: str) -> TreeDescription:
    """Hang the links on one another, merge those behind fixed joints, check the masses."""
    made = {name: link.description for name, link in links.items()}
    for name, below in joints.items():
        for joint in below:
            made[name].attach(made[joint.child], joint.description)
    if not any(link.mass > 0.0 for link in made.values()) and root.casefold() != "world":
        links[root].node.note("nothing of it has mass: it stands where it is put")
        made[root].joint = JointDescription(root, Joint.FIXED)
    _hold_massless(made, joints, root)
    if root.casefold() == "world":
        made[root].joint = JointDescription(root, Joint.FIXED)
        root = _standing_root(made, joints, root)
    tree, members = merge(made[root], links[root].node.report)
    check_masses(tree, [[links[name].node for name in names] for names in members])
    _drop_lost_mimics(tree, joints)
    check_mimics(tree)
    return tree


def _hold_massless(made: dict[str, LinkDescription], joints: dict[str, list[UrdfJoint]], root: str) -> None:
    """Hold joints that move nothing with mass or inertia: no motion of theirs can be computed."""
    order: list[tuple[str, UrdfJoint | None]] = [(root, None)]
    below: dict[str, bool] = {}
    for name, _ in order:
        order += [(joint.child, joint) for joint in joints[name]]
    for name, joint in reversed(order):
        link = made[name]
        has = link.mass > 0.0 or bool(link.inertia.any())
        below[name] = has or any(below[hung.child] for hung in joints[name])
        if joint is None or below[name] or joint.description.type == Joint.FIXED:
            continue
        if joint.description.armature <= 0.0:
            joint.node.doubt(
                "moves nothing that has mass: it is held where it is; give its link mass and inertia, or the "
                "joint rotor_inertia",
                "massless",
            )
            held = joint.description
            made[name].joint = JointDescription(held.name, Joint.FIXED, held.position, held.quaternion)


def _standing_root(made: dict[str, LinkDescription], joints: dict[str, list[UrdfJoint]], world: str) -> str:
    """Return the one link that stands on an empty world by a joint that shall not collapse, else the world.

    Such a link keeps its name and its frame, as that of a robot which `urdf_write` writes.
    """
    link, below = made[world], joints[world]
    if link.mass > 0.0 or link.inertia.any() or link.shapes or link.visuals or len(below) != 1:
        return world
    joint = below[0]
    keeps = joint.node.word("dont_collapse").lower() in {"1", "true"}
    return joint.child if keeps and joint.description.type == Joint.FIXED else world


def _drop_lost_mimics(tree: TreeDescription, joints: dict[str, list[UrdfJoint]]) -> None:
    """Let joints move freely that follow what is no joint or does not move: files in use have such."""
    nodes = {joint.description.name: joint.node for below in joints.values() for joint in below}
    moving = {body.joint.name for body in tree.bodies}
    for body in tree.bodies:
        mimic = body.joint.mimic
        if mimic is not None and mimic[0] not in moving:
            nodes[body.joint.name].doubt(
                f"follows {mimic[0]!r} (<mimic>), which is no joint that moves: it moves freely"
            )
            body.joint.mimic = None
