"""Geoms: what collides, what is drawn, and the mass that they give their body."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tribo.checks.check import LARGEST, SMALLEST, with_article
from tribo.description.heights import HeightField
from tribo.description.trees import ShapeDescription, Vector, VisualDescription
from tribo.formats import elements
from tribo.formats.inertia import Inertial
from tribo.formats.mjcf.compiler import Compiler, switch
from tribo.formats.mjcf.defaults import Defaults
from tribo.formats.mjcf.friction import Friction, read_friction
from tribo.formats.mjcf.hfields import HeightFields
from tribo.formats.mjcf.meshes import Mesh, Meshes
from tribo.formats.mjcf.source import Source
from tribo.formats.nodes import Node
from tribo.formats.pose import Pose, quaternion_of, turn_z_to
from tribo.formats.shape_mass import solid
from tribo.model import Shape

SIZES = {"plane": 0, "sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
TYPES = (*SIZES, "mesh", "hfield", "sdf")
STRETCHED = ("capsule", "cylinder", "ellipsoid", "box")  # what fromto can describe
SHAPES = {"plane": Shape.PLANE, "sphere": Shape.SPHERE, "capsule": Shape.CAPSULE,
          "cylinder": Shape.CYLINDER, "ellipsoid": Shape.ELLIPSOID, "box": Shape.BOX}  # fmt: skip
DRAWN_GROUPS = range(3)  # what MuJoCo's viewer shows unless it is told otherwise
DENSITY = 1000.0  # [kg/m³]
BITS = range(-(1 << 31), 1 << 32)

SOFT = "has no effect: contacts are hard here; leave it out"
USED = {
    "name", "class", "type", "size", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto",
    "mass", "density", "shellinertia", "friction", "condim", "priority", "contype", "conaffinity",
    "mesh", "hfield", "rgba", "material", "group", "user", "castshadow", "fitscale",
}  # fmt: skip
WITHOUT_EFFECT = {
    "solref": SOFT, "solimp": SOFT, "solmix": SOFT,
    "margin": "has no effect: contacts begin where surfaces touch; leave it out",
    "gap": "has no effect: contacts begin where surfaces touch; leave it out",
    "fluidshape": "has no effect: there is no fluid; leave it out",
    "fluidcoef": "has no effect: there is no fluid; leave it out",
    "adhesion": "is not read: the geom does not stick; leave it out",
    "surfacevel": "is not read; make the object kinematic and give it a velocity",
}  # fmt: skip


@dataclass(slots=True)
class Geom:
    """A geom in the frame of its body."""

    node: Node
    name: str
    type: str
    size: Vector  # as MuJoCo has it: radius, half lengths
    pose: Pose
    mesh: Mesh | None
    inertial: Inertial  # in the frame of the body
    group: int
    contype: int
    conaffinity: int
    friction: Friction
    color: Vector | None
    heights: HeightField | None = None

    @property
    def collides(self) -> bool:
        """Tell whether it can touch anything."""
        return self.contype != 0 or self.conaffinity != 0

    def shape(self) -> ShapeDescription | None:
        """Return what collides, without its material; None if nothing does."""
        if not self.collides:
            return None
        made = ShapeDescription(
            Shape.SPHERE, (), self.pose.position, self.pose.quaternion, name=self.name,
            group=self.contype, mask=self.conaffinity,
        )  # fmt: skip
        if self.mesh is not None:
            if self.mesh.file is not None and self.mesh.file.path is None:
                return None  # noted when the asset was read
            made.geometry = self.mesh.hull()
            made.kind, made.size = Shape.HULL, (made.geometry.half_width,)
            made.mesh = self.mesh.hull_file()
        elif self.heights is not None:
            made.geometry = self.heights.geometry
            made.kind, made.size = Shape.HEIGHT_MAP, (made.geometry.dx, made.geometry.dy)
        elif self.type in SHAPES:
            made.kind, made.size = SHAPES[self.type], self.size
        else:
            self.node.doubt(f'type="{self.type}" does not collide; use a mesh or another shape',
                            f"collide {self.type}")  # fmt: skip
            return None
        return made

    def visual(self) -> VisualDescription | None:
        """Return what is drawn, if anything is."""
        if self.group not in DRAWN_GROUPS or (self.color is not None and self.color[3] == 0.0):
            return None
        if self.mesh is not None:
            if self.mesh.file is None or self.mesh.file.path is None:
                return None
            pose = self.pose @ self.mesh.pose
            return VisualDescription(
                Shape.MESH, (), pose.position, pose.quaternion, self.color, self.mesh.file
            )
        if self.type not in SHAPES or self.type == "plane":
            return None
        pose = self.pose
        return VisualDescription(SHAPES[self.type], self.size, pose.position, pose.quaternion, self.color)


class GeomReader:
    """Reads the geoms of one model: knows its defaults, meshes and colours."""

    def __init__(self, source: Source, compiler: Compiler, defaults: Defaults, meshes: Meshes,
                 fields: HeightFields) -> None:  # fmt: skip
        """Collect the colours of all materials."""
        self.compiler, self._defaults, self._meshes = compiler, defaults, meshes
        self._fields = fields
        self._colors: dict[str, Vector] = {}
        for section in source.sections("asset"):
            for written in section.all("material"):
                node = defaults.resolve(written, "main")
                if "name" in node.attributes and "rgba" in node.attributes:
                    self._colors[node.text("name")] = elements.color(node.vector("rgba", 4))

    def read(self, written: Node, childclass: str, frame: Pose, name: str) -> Geom:
        """Read a <geom>; `frame` is where it stands in its body."""
        written.check(USED, said=WITHOUT_EFFECT)
        node = self._defaults.resolve(written, childclass)
        kind = node.choice("type", TYPES, "sphere")
        mesh = self._meshes[node] if kind == "mesh" else None
        if mesh is None and "mesh" in node.attributes:
            size, pose = self._fitted(node, kind)
        else:
            size, pose = self._placed(node, kind)
        geom = Geom(
            node, name, kind, size, frame @ pose, mesh, Inertial(), node.integer("group", 0),
            _bits(node, "contype"), _bits(node, "conaffinity"), read_friction(node), self._color(node),
        )  # fmt: skip
        if kind == "hfield":
            geom.heights = self._fields[node]
        return geom

    def give_mass(self, geom: Geom) -> None:
        """Find mass, centre and inertia of a geom, from its mass or its density."""
        node = geom.node
        if geom.type in {"plane", "hfield", "sdf"}:
            if geom.type != "plane":
                node.doubt(f'type="{geom.type}" has no mass here; use <inertial>')
            return
        if "mass" in node.attributes and node.number("mass", at_least=0.0) == 0.0:
            return
        if "mass" not in node.attributes and node.number("density", DENSITY, at_least=0.0) == 0.0:
            return
        if geom.mesh is not None:
            unit = geom.mesh.inertial()
        else:
            unit = solid(ShapeDescription(SHAPES[geom.type], geom.size), density=1.0)
        density = node.number("density", DENSITY)
        mass = node.number("mass") if "mass" in node.attributes else density * unit.mass
        if switch(node, "shellinertia"):
            node.doubt('shellinertia="true" is not read: the geom is solid; write the <inertial> of the body')
        if not mass <= LARGEST:
            raise node.error(f"its mass is {mass:g} kg, must be ≤ {LARGEST:g}; units are SI")
        if not unit.mass > 0.0:
            raise node.error("its mesh has neither surface nor volume: all its triangles are lines")
        geom.inertial = unit.weighing(mass).moved(geom.pose)

    def _fitted(self, node: Node, kind: str) -> tuple[Vector, Pose]:
        """Return size and pose of a primitive that is fitted to a mesh."""
        if kind not in FITTED or "fromto" in node.attributes:
            raise node.error(
                f"fits {with_article(kind)} to a mesh; that can be done with {', '.join(FITTED)}, "
                "and without fromto"
            )
        mesh = self._meshes[node]
        size, pose = fitted(kind, mesh, to_box=self.compiler.fitaabb)
        scale = node.number("fitscale", 1.0, above=0.0)
        if "size" in node.attributes:
            node.doubt("size has no effect beside mesh; leave it out", "geom@size mesh")
        return tuple(scale * x for x in size), self.compiler.pose(node) @ pose

    def _placed(self, node: Node, kind: str) -> tuple[Vector, Pose]:
        """Return size and pose, both from `fromto` if that is there."""
        given = node.vector("size", None, ())
        if "fromto" in node.attributes and kind in STRETCHED:
            pose, half = ends(node)
            numbers = (*given[:1], half) if kind in {"capsule", "cylinder"} else (
                *given[:1], *given[:1], half)  # fmt: skip
        elif "fromto" in node.attributes:
            raise node.error(f"fromto cannot describe {with_article(kind)}; use pos and size")
        else:
            numbers, pose = given, self.compiler.pose(node)
        count = SIZES.get(kind, 0)
        numbers = tuple(numbers[:count])
        if len(numbers) < count or not all(SMALLEST <= x <= LARGEST for x in numbers):
            held = ", ".join(f"{x:g}" for x in numbers) or "nothing"
            raise node.error(
                f"size of {with_article(kind)} must be {count} numbers > 0 in metres, got {held}"
            )
        return numbers, pose

    def _color(self, node: Node) -> Vector | None:
        if "rgba" in node.attributes:
            return elements.color(node.vector("rgba", 4))
        return self._colors.get(node.word("material"))


def ends(node: Node) -> tuple[Pose, float]:
    """Return pose and half length of what `fromto` describes; its z axis looks to the first end."""
    if any(node.vector("pos", 3, (0.0, 0.0, 0.0))):
        raise node.error("has pos and fromto, two words for a place; keep one")
    x = np.array(node.vector("fromto", 6))
    along = x[:3] - x[3:]
    length = float(np.linalg.norm(along))
    if length < 1e-14:
        raise node.error(f"fromto={node.attributes['fromto']!r}: both ends are one point")
    middle = tuple((0.5 * (x[:3] + x[3:])).tolist())
    return Pose(middle, turn_z_to(tuple((along / length).tolist()))), 0.5 * length


def _bits(node: Node, name: str) -> int:
    value = node.integer(name, 1)
    if value not in BITS:
        raise node.error(f"{name}={value} must fit into 32 bits")
    return value & 0xFFFFFFFF


FITTED = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def fitted(kind: str, mesh: Mesh, *, to_box: bool) -> tuple[Vector, Pose]:
    """Return the size of a primitive, as MuJoCo has it, and its pose in the frame of the mesh.

    Its axes are the principal ones, z along the longest. The half lengths h₀ ≤ h₁ ≤ h₂ are those of the box
    with the same mass and inertia, or with `to_box` (MuJoCo's `fitaabb`) of the box around the mesh: an
    ellipsoid and a box take them; a sphere has their mean, or the largest; a cylinder the radius (h₀ + h₁)/2,
    or max(h₀, h₁), and the half length h₂, a capsule that less half its radius, or its radius.

    Source: MuJoCo's XML reference, geom/mesh and compiler/fitaabb; compared with MuJoCo 4 in tests/compare.
    """
    whole = mesh.inertial()
    moments, axes = np.linalg.eigh(whole.inertia)
    moments, axes = moments[::-1], axes[:, ::-1]  # the longest half length last
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    centre = np.array(whole.com)
    if to_box:
        seen = (mesh.triangles()[0] - centre) @ axes
        low, high = seen.min(axis=0), seen.max(axis=0)
        centre = centre + axes @ (0.5 * (low + high))
        half = 0.5 * (high - low)
    else:
        half = 0.5 * np.sqrt(np.maximum(0.0, 6.0 * (moments.sum() - 2.0 * moments) / whole.mass))
    a, b, c = half.tolist()
    pose = Pose(tuple(centre.tolist()), quaternion_of(axes))
    if kind in {"ellipsoid", "box"}:
        return (a, b, c), pose
    if kind == "sphere":
        return (max(a, b, c) if to_box else math.fsum((a, b, c)) / 3.0,), pose
    radius = max(a, b) if to_box else 0.5 * (a + b)
    if kind == "cylinder":
        return (radius, c), pose
    return (radius, max(SMALLEST, c - (radius if to_box else 0.5 * radius))), pose
