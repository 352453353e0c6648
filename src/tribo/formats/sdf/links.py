"""Links and joints of SDF: masses, shapes, visuals, surfaces, limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from math import inf

import numpy as np

from tribo.checks.check import LARGEST
from tribo.description.trees import (
    JointDescription,
    LinkDescription,
    MeshFile,
    ShapeDescription,
    Vector,
    VisualDescription,
)
from tribo.formats import elements, surface_friction
from tribo.formats.inertia import Inertial, check_inertia, merged
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.nodes import Node
from tribo.formats.pose import Pose, normalized, turn_z_to
from tribo.formats.sdf.models import Part, child, number, pose_of, truth, vector, word
from tribo.formats.shape_mass import solid
from tribo.materials.table import DEFAULT_MATERIAL, MAX_FRICTION
from tribo.model import Joint, Shape

MOMENTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}  # if not given
DENSITY = 1000.0  # [kg/m³] of what an <inertial auto="true"> is computed from
BOUNCE_THRESHOLD = 100000.0  # [m/s] SDF's standard: nothing bounces
PATCH = 3.0 * math.pi / 16.0  # [–] lever arm of torsional friction per radius of the patch, as Gazebo has it
# Words for how a mesh collides, as those of `MeshFile.collision`.
OPTIMIZED = {"": "", "convex_hull": "hull", "convex_decomposition": "decomposition"}
EMPTY, UNREAD = "empty", ("heightmap", "image", "polyline")


def read_link(part: Part, offset: Pose) -> LinkDescription:
    """Return a link whose frame is `offset` in the frame of its body."""
    node = part.node
    made = LinkDescription(part.name)
    made.shapes = read_shapes(part, offset)
    made.visuals = read_visuals(part, offset)
    own = _inertial(part).moved(offset)
    made.mass, made.com, made.inertia = own.mass, own.com, own.inertia
    if word(node, "gravity").lower() in {"0", "false"}:
        node.doubt("<gravity>false</gravity> is not read: gravity acts on all links", "gravity")
    return made


def read_shapes(part: Part, offset: Pose) -> list[ShapeDescription]:
    """Return the collision shapes of a link."""
    bullet = surface_friction.of_bullet(part.node)
    of_link = DEFAULT_MATERIAL if bullet is None else bullet.material
    return [
        ShapeDescription(kind, size, pose.position, pose.quaternion, _surface(node, of_link),
                         f"{part.name}/{k}", mesh=mesh)
        for k, node, kind, size, pose, mesh in _placed(part, "collision", offset)
    ]  # fmt: skip


def read_visuals(part: Part, offset: Pose) -> list[VisualDescription]:
    """Return what is drawn of a link."""
    return [
        VisualDescription(kind, size, pose.position, pose.quaternion, _color(node), mesh)
        for _, node, kind, size, pose, mesh in _placed(part, "visual", offset)
    ]


def _placed(
    part: Part, tag: str, offset: Pose
) -> Iterator[tuple[int, Node, Shape, Vector, Pose, MeshFile | None]]:
    """Iterate over the geometries of a link that are read, and where they are."""
    for k, node in enumerate(part.node.all(tag)):
        found = _geometry(node, part.finder)
        if found is not None:
            kind, size, turn, mesh = found
            yield k, node, kind, size, offset @ _own_pose(node) @ turn, mesh


def _own_pose(node: Node) -> Pose:
    pose, relative = pose_of(node)
    if relative:
        node.doubt(f"relative_to={relative!r} is read in links, joints, frames and models only")
    return pose


def _inertial(part: Part) -> Inertial:
    """Return the mass of a link; SDF's standard is 1 kg and 1 kg m²."""
    node = child(part.node, "inertial")
    if node is None:
        return Inertial(1.0, inertia=np.eye(3))
    if node.word("auto").lower() in {"1", "true"}:
        given = number(node, "density", DENSITY)
        shapes = read_shapes(part, Pose())
        densities = [number(c, "density", given) for c in part.node.all("collision")]
        return merged([solid(shape, density=value) for shape, value in zip(shapes, densities, strict=False)])
    mass = number(node, "mass", 1.0)
    if not 0.0 <= mass <= LARGEST:
        raise node.error(f"mass {mass!r} kg must be from 0 to {LARGEST:g}")
    matrix = child(node, "inertia")
    moments = np.eye(3)
    if matrix is not None:
        moments = elements.symmetric(*(number(matrix, *one) for one in MOMENTS.items()))
    if not np.abs(moments).max() <= LARGEST:
        raise node.error(f"inertia must be at most {LARGEST:g} kg m² in size")
    made = Inertial(mass, inertia=moments)
    check_inertia(node, made, f"link {part.name!r}")
    return made.moved(_own_pose(node))


def _geometry(owner: Node, finder: MeshFinder) -> tuple[Shape, Vector, Pose, MeshFile | None] | None:
    """Return kind, size as in `Shape`, what turns a plane, and mesh; None: nothing that is read."""
    node = child(owner, "geometry")
    shape = next((c for c in node.children), None) if node is not None else None
    if node is not None and len(node.children) > 1:
        node.doubt(f"has {len(node.children)} shapes: only the first is read", "two shapes")
    if shape is None or shape.tag == EMPTY:
        return None
    if shape.tag in UNREAD:
        shape.doubt(f"<{shape.tag}> of a geometry is not read: it is left out", shape.tag)
        return None
    turn = Pose()
    if shape.tag == "mesh":
        return Shape.MESH, (), turn, _mesh(shape, finder)
    if shape.tag == "plane":
        given = child(shape, "normal")
        normal = (0.0, 0.0, 1.0) if given is None else vector(given, 3)
        if not any(normal):
            raise shape.error("its normal is zero")
        return Shape.PLANE, (), Pose(quaternion=turn_z_to(normalized(normal))), None
    if shape.tag == "box":
        edges = vector(shape.need("size"), 3)
        return Shape.BOX, elements.lengths(shape, tuple(0.5 * x for x in edges)), turn, None
    if shape.tag == "ellipsoid":
        return Shape.ELLIPSOID, elements.lengths(shape, vector(shape.need("radii"), 3)), turn, None
    kinds = {"sphere": Shape.SPHERE, "cylinder": Shape.CYLINDER, "capsule": Shape.CAPSULE,
             "cone": Shape.CONE}  # fmt: skip
    if shape.tag not in kinds:
        raise shape.error(f"is no geometry of SDF in {owner.place}")
    radius = vector(shape.need("radius"), 1)[0]
    if shape.tag == "sphere":
        return Shape.SPHERE, elements.lengths(shape, (radius,)), turn, None
    length = vector(shape.need("length"), 1)[0]
    return kinds[shape.tag], elements.lengths(shape, (radius, 0.5 * length)), turn, None


def _mesh(node: Node, finder: MeshFinder) -> MeshFile:
    uri = word(node, "uri")
    if child(node, "submesh") is not None:
        node.doubt(f"<submesh> of {uri!r} is not read: the whole mesh is taken", "submesh")
    scale = child(node, "scale")
    factors = (1.0, 1.0, 1.0) if scale is None else elements.factors(node, vector(scale, 3))
    mode = OPTIMIZED[node.choice("optimization", OPTIMIZED, "")]
    return elements.mesh(node, finder, uri, factors, mode)


def _color(node: Node) -> Vector | None:
    material = child(node, "material")
    given = None if material is None else child(material, "diffuse") or child(material, "ambient")
    if given is None or not given.content:
        return None
    numbers = vector(given, None)
    return elements.color(numbers) if len(numbers) in {3, 4} else None


def _surface(collision: Node, of_link: str) -> str:
    """Return the material that the <surface> of a collision is; without one that of its link."""
    surface = child(collision, "surface")
    friction = None if surface is None else child(surface, "friction")
    bounce = None if surface is None else child(surface, "bounce")
    if friction is None and bounce is None:
        return of_link
    ode = None if friction is None else child(friction, "ode")
    bullet = None if friction is None else child(friction, "bullet")
    mu = [number(ode, tag, 1.0) for tag in ("mu", "mu2") if child(ode, tag)] if ode is not None else []
    rolling = 0.0
    if bullet is not None and not mu:
        mu = [number(bullet, tag, 1.0) for tag in ("friction", "friction2") if child(bullet, tag)]
        rolling = number(bullet, "rolling_friction", 0.0)
    spin = 0.0
    torsion = None if friction is None else child(friction, "torsional")
    if torsion is not None and truth(torsion, "use_patch_radius", default=True):
        spin = PATCH * number(torsion, "coefficient", 1.0) * number(torsion, "patch_radius", 0.0)
    rebound, threshold = 0.0, 0.0
    if bounce is not None:
        rebound = min(max(number(bounce, "restitution_coefficient", 0.0), 0.0), 1.0)
        threshold = number(bounce, "threshold", BOUNCE_THRESHOLD)
    if bounce is not None and rebound > 0.0 and threshold >= BOUNCE_THRESHOLD:
        bounce.note(f"nothing bounces: its threshold is SDF's {threshold:g} m/s", "bounce")
        rebound = threshold = 0.0
    if len(mu) == 2 and mu[0] != mu[1]:
        collision.note("of mu and mu2 the smaller one counts", "mu mu2")
    made = surface_friction.Surface(
        surface_friction.GAZEBO,
        min(max(min(mu, default=1.0), 0.0), MAX_FRICTION),
        rolling=min(max(rolling, 0.0), MAX_FRICTION),
        spinning=min(max(spin, 0.0), MAX_FRICTION),
        restitution=rebound,
        threshold=max(threshold, 0.0) if rebound > 0.0 else 0.0,
    )
    return made.material


TYPES = {
    "revolute": Joint.REVOLUTE, "continuous": Joint.REVOLUTE, "prismatic": Joint.PRISMATIC,
    "ball": Joint.SPHERICAL, "fixed": Joint.FIXED, "universal": Joint.REVOLUTE, "revolute2": Joint.REVOLUTE,
}  # fmt: skip
PAIRS = ("universal", "revolute2")  # two hinges one after another
OTHER = {"screw": "a prismatic or a revolute joint", "gearbox": "<mimic> of a revolute joint"}


def second_of(name: str) -> str:
    """Return the name of the second of the two hinges of a joint."""
    return f"{name}/2"


def read_joints(part: Part, placed: Pose) -> list[JointDescription]:
    """Return the joint, or the two, that a <joint> is; `placed`: in the frame of the body above."""
    node = part.node
    kind = node.text("type")
    if kind in OTHER:
        raise node.refused(f"joint type {kind!r}", f"use {OTHER[kind]}")
    node.choice("type", TYPES, "")
    first = JointDescription(part.name, TYPES[kind], placed.position, placed.quaternion)
    made = [first]
    if kind in PAIRS:
        made.append(JointDescription(second_of(part.name), TYPES[kind]))
    if TYPES[kind] in (Joint.FIXED, Joint.SPHERICAL):
        return made
    for joint, axis, tag in zip(made, (*part.axes, (0.0, 0.0, 1.0)), ("axis", "axis2"), strict=False):
        joint.axis = axis
        given = child(node, tag)
        if given is not None:
            _read_axis(given, joint, kind)
    return made


def _read_axis(node: Node, joint: JointDescription, kind: str) -> None:
    """Read limits, dynamics and <mimic> of an axis."""
    limit, dynamics, mimic = (child(node, tag) for tag in ("limit", "dynamics", "mimic"))
    if limit is not None:
        lower, upper = number(limit, "lower", -inf), number(limit, "upper", inf)
        if lower > upper:
            raise limit.error(f"lower {lower:g} is above upper {upper:g}; swap them")
        if kind != "continuous":
            joint.lower, joint.upper = lower, upper
        effort, velocity = number(limit, "effort", inf), number(limit, "velocity", inf)
        joint.effort = effort if effort > 0.0 else inf  # −1: none
        joint.velocity = velocity if velocity > 0.0 else inf
    if dynamics is not None:
        joint.damping = max(number(dynamics, "damping", 0.0), 0.0)
        joint.friction = max(number(dynamics, "friction", 0.0), 0.0)
        joint.stiffness = max(number(dynamics, "spring_stiffness", 0.0), 0.0)
        if joint.stiffness > 0.0:
            joint.spring_reference = (number(dynamics, "spring_reference", 0.0),)
    if mimic is not None:
        ratio = number(mimic, "multiplier", 1.0)
        offset = number(mimic, "offset", 0.0) - ratio * number(mimic, "reference", 0.0)
        leader = mimic.attributes.get("joint", word(mimic, "joint"))
        if mimic.choice("axis", ("axis", "axis2"), "axis") == "axis2":
            leader = second_of(leader)
        joint.mimic = (leader, ratio, offset)
