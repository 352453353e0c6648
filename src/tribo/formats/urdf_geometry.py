"""Read the shapes and visuals of a URDF link."""

from __future__ import annotations

import math

from tribo.checks.check import LARGEST
from tribo.description.placeholders import TURN
from tribo.description.trees import MeshFile, ShapeDescription, Vector, VisualDescription
from tribo.formats import elements
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.mesh_solids import MODES
from tribo.formats.nodes import Node, known_hint
from tribo.formats.pose import NO_POSE, Pose, from_roll_pitch_yaw
from tribo.formats.surface_friction import DRAKE_CHILD
from tribo.materials.table import DEFAULT_MATERIAL
from tribo.model import Shape

GEOMETRIES = {
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "height", "length"),
    "ellipsoid": ("radii",),  # as SDFormat calls them; no other URDF reader has it
    "mesh": ("filename", "scale", "collision"),  # collision: ours
}
SAME = 1e-9  # [–] by which a quaternion and the angles beside it may differ
Geometry = tuple[Shape, Vector, MeshFile | None]


def read_origin(node: Node) -> Pose:
    """Read the <origin> of an element; without one: no displacement."""
    origin = node.one("origin")
    if origin is None:
        return NO_POSE
    origin.check_leaf(("xyz", "rpy", "quaternion"))
    xyz = origin.vector("xyz", 3, (0.0, 0.0, 0.0), largest=LARGEST)
    rpy = origin.vector("rpy", 3, (0.0, 0.0, 0.0), largest=LARGEST)
    if max(map(abs, rpy)) > TURN:
        origin.doubt(f"rpy={origin.attributes['rpy']!r} are more than two turns; degrees?", "rpy in degrees")
    turn = from_roll_pitch_yaw(rpy)
    if "quaternion" in origin.attributes:
        turn = _exact(origin, turn)
    return Pose(xyz, turn)


def _exact(origin: Node, turn: Vector) -> Vector:
    """Return the quaternion of an <origin> (w x y z, ours): the same turn as rpy, bit for bit as it was."""
    given = origin.vector("quaternion", 4)
    if min(math.dist(given, turn), math.dist(given, tuple(-x for x in turn))) > SAME:
        raise origin.error(
            f"quaternion={origin.attributes['quaternion']!r} and rpy are different turns; keep one"
        )
    return given


class GeometryReader:
    """Reads <visual> and <collision> of one robot: knows its colours and where its meshes are."""

    def __init__(self, robot: Node, finder: MeshFinder) -> None:
        """Collect the colours of all named materials of a robot."""
        self._finder = finder
        self._colors: dict[str, Vector] = {}
        for material in robot.all("material"):
            material.check(("name",), ("color", "texture"))
            self._remember(material)
        for link in robot.all("link"):
            for visual in link.all("visual"):
                for material in visual.all("material"):
                    self._remember(material)

    def visual(self, node: Node) -> VisualDescription | None:
        """Read a <visual>; None: it has no size."""
        node.check(("name",), ("origin", "geometry", "material"))
        if is_empty(node):
            node.note("a visual of size 0 is not drawn", "visual 0")
            return None
        kind, size, mesh = self._geometry(node)
        pose = read_origin(node)
        material = next(node.all("material"), None)
        color = None
        if material is not None:
            material.check(("name",), ("color", "texture"))
            color = _color(material) or self._colors.get(material.attributes.get("name", ""))
        return VisualDescription(kind, size, pose.position, pose.quaternion, color, mesh)

    def collision(self, node: Node, name: str) -> ShapeDescription:
        """Read a <collision>; `name` is LINK/index."""
        node.check_attributes(("name", "concave"))  # what stands is exact anyway
        known = ("origin", "geometry", "material")
        silent = ("verbose", DRAKE_CHILD)
        node.check_children(known, silent=silent)
        kind, size, mesh = self._geometry(node)
        pose = read_origin(node)
        material = self._contact_material(node)
        return ShapeDescription(kind, size, pose.position, pose.quaternion, material, name, mesh=mesh)

    def _contact_material(self, node: Node) -> str:
        """Read RaiSim's <material><contact name="…"/></material>."""
        material = node.one("material")
        if material is None:
            return DEFAULT_MATERIAL
        material.check_children(("contact",), silent=("color", "texture"))
        contact = material.one("contact")
        if contact is None:
            return DEFAULT_MATERIAL
        contact.check_leaf(("name",))
        name = contact.text("name")
        if not name:
            raise contact.error("name='' is not a contact material; name one or remove the element")
        return name

    def _geometry(self, owner: Node) -> Geometry:
        node = owner.need("geometry")
        node.check_attributes(("name",))
        kinds = [child for child in node.children if child.tag in GEOMETRIES]
        if len(kinds) != 1:
            other = [child.tag for child in node.children if child.tag not in GEOMETRIES]
            hint = known_hint(other[0], GEOMETRIES) if other else ""
            held = ", ".join(f"<{child.tag}>" for child in node.children) or "nothing"
            raise node.error(
                f"in {owner.place}: holds {held}, must hold one of {', '.join(GEOMETRIES)}{hint}"
            )
        node.check_children(GEOMETRIES)
        shape = kinds[0]
        shape.check_leaf(GEOMETRIES[shape.tag])
        if shape.tag == "mesh":
            return Shape.MESH, (), self._mesh(shape)
        return *_primitive(shape), None

    def _mesh(self, node: Node) -> MeshFile:
        scale = elements.factors(node, node.vector("scale", None, (1.0,)))
        mode = node.choice("collision", (*MODES, ""), "")
        return elements.mesh(node, self._finder, node.text("filename"), scale, mode)

    def _remember(self, material: Node) -> None:
        color = _color(material)
        if color is not None:
            self._colors.setdefault(material.attributes.get("name", ""), color)


def is_empty(owner: Node) -> bool:
    """Tell whether the one geometry of a visual or collision is a primitive of which a length is 0."""
    geometry = owner.one("geometry")
    shapes = [] if geometry is None else [c for c in geometry.children if c.tag in GEOMETRIES]
    if len(shapes) != 1 or shapes[0].tag == "mesh":
        return False
    words = " ".join(shapes[0].attributes.get(key, "") for key in GEOMETRIES[shapes[0].tag]).split()
    try:
        return any(float(word) == 0.0 for word in words)
    except ValueError:
        return False


def _primitive(node: Node) -> tuple[Shape, Vector]:
    """Return kind and size as in `Shape`: half sizes."""
    if node.tag == "box":
        return Shape.BOX, tuple(0.5 * edge for edge in _lengths(node, "size", 3))
    if node.tag == "ellipsoid":
        return Shape.ELLIPSOID, _lengths(node, "radii", 3)
    (radius,) = _lengths(node, "radius")
    if node.tag == "sphere":
        return Shape.SPHERE, (radius,)
    if node.tag == "cylinder":
        return Shape.CYLINDER, (radius, 0.5 * _lengths(node, "length")[0])
    if "height" in node.attributes and "length" in node.attributes:
        raise node.error("has height and length, two words for the same; keep one")
    name = "length" if "length" in node.attributes else "height"
    is_ball = node.number(name, at_least=0.0) == 0.0
    return Shape.CAPSULE, (radius, 0.0 if is_ball else 0.5 * _lengths(node, name)[0])


def _lengths(node: Node, name: str, count: int = 1) -> Vector:
    """Return an attribute that is one or several lengths [m]."""
    given = node.vector(name, count)
    return elements.lengths(node, given, f"{name}={node.attributes[name]!r}")


def _color(material: Node) -> Vector | None:
    given = material.one("color")
    if given is None:
        return None
    rgba = given.vector("rgba", None)
    if len(rgba) not in {3, 4}:
        raise given.error(f"rgba={given.attributes['rgba']!r} has {len(rgba)} numbers, must have 4")
    return elements.color(rgba)
