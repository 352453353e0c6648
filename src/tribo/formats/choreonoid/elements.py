"""Elements of a link of a body file: shapes, visuals, rigid bodies, under transforms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from tribo.description.hulls import Surface, surface
from tribo.description.trees import MeshFile, ShapeDescription, Vector, VisualDescription
from tribo.formats import elements as shared
from tribo.formats.choreonoid import joint_devices, track_devices, wire_devices
from tribo.formats.choreonoid.keys import Angles, check_keys, inertia, number, value, vector, word
from tribo.formats.inertia import Inertial
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.mesh_solids import edge_length, from_arrays, solids
from tribo.formats.nodes import known_hint
from tribo.formats.pose import Pose, matrix, multiply, quaternion_of
from tribo.formats.vrml_shapes import extruded, grid
from tribo.formats.yaml_nodes import YamlNode, parse_anchored
from tribo.model import Shape

DEVICES = (
    "ForceSensor", "RateGyroSensor", "AccelerationSensor", "IMU", "Imu", "Camera", "CameraDevice",
    "RangeSensor", "RangeCamera", "SpotLight", "PointLight", "DirectionalLight", "Marker", "Conveyor",
    "Attachment", "Holder",
)  # fmt: skip
SIZES = {  # geometry: its keys
    "Box": ("size",),
    "Sphere": ("radius",),
    "Cylinder": ("radius", "height", "top", "bottom"),
    "Cone": ("radius", "height", "bottom"),
    "Capsule": ("radius", "height"),
}
MESHES = {"TriangleMesh": 3, "IndexedFaceSet": 0}
GEOMETRIES = (*MESHES, "ElevationGrid", "Extrusion", "Resource")
ALONG_Y: Vector = (sqrt(0.5), -sqrt(0.5), 0.0, 0.0)  # turns z, tribo's axis, into y, Choreonoid's
EQUAL = 1e-9  # [–] by which scales and angles may miss each other
MAX_VERTICES = 200_000
LISTS = (".yaml", ".yml")  # files of elements that a Resource names
MAX_NESTED = 32  # such files in one another
MAX_LISTS = 1000  # of one body
THIN = 1e-3  # [m] thickness of a box that has none
ROUNDS = "radii and half lengths"


@dataclass(slots=True)
class Contents:
    """Elements found on one link."""

    shapes: list[ShapeDescription] = field(default_factory=list)
    visuals: list[VisualDescription] = field(default_factory=list)
    bodies: list[Inertial] = field(default_factory=list)
    devices: list[tuple[str, YamlNode]] = field(default_factory=list)
    wires: list[YamlNode] = field(default_factory=list)
    tracks: list[YamlNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Affine:
    """A linear map and a shift: poses with scales."""

    linear: np.ndarray
    shift: np.ndarray

    def __matmul__(self, other: Affine) -> Affine:
        """Compose: `other` is given in this frame."""
        return Affine(self.linear @ other.linear, self.linear @ other.shift + self.shift)


UNMOVED = Affine(np.eye(3), np.zeros(3))


@dataclass(frozen=True, slots=True)
class Around:
    """Link, place and use that an element has from those around it."""

    made: Contents  # of its link
    material: str
    stands: bool  # whether the link does
    place: Affine = UNMOVED
    collides: bool = True
    is_drawn: bool = True


class ElementReader:
    """Reads the elements of links."""

    def __init__(self, angles: Angles, path: Path | None, package_dirs: Sequence[Path]) -> None:
        """Take the unit of angles, and the file whose elements are read."""
        self._angles = angles
        self._dirs = package_dirs
        self._finder = MeshFinder(path, package_dirs)
        self._above: tuple[Path, ...] = ()  # files of elements within which it reads
        self._parsed: dict[Path, tuple[YamlNode, dict[str, YamlNode]]] = {}
        self._lists = 0

    def read(self, elements: YamlNode | None, material: str, *, stands: bool) -> Contents:
        """Return what hangs on a link; triangles of what stands are taken as they are, else their hull."""
        made = Contents()
        if elements is not None:
            self._walk(elements, Around(made, material, stands))
        return made

    def _walk(self, elements: YamlNode, around: Around) -> None:
        """Read all elements."""
        made = around.made
        for kind, node in typed(elements):
            if kind == "Skip":
                continue
            here = around if kind == "Group" else self._within(node, around)
            if kind == "Shape":
                self._shape(node, here)
            elif kind == "Resource":
                self._resource(node, here)
            elif kind == "RigidBody":
                made.bodies.append(_rigid_body(node, here.place))
            elif kind in {"Visual", "Collision"}:
                here = replace(
                    here, collides=here.collides and kind == "Collision",
                    is_drawn=here.is_drawn and kind == "Visual",
                )  # fmt: skip
                if not here.collides and not here.is_drawn:
                    raise node.error("Visual and Collision stand in one another; keep one")
                for key, read in (("shape", self._shape), ("resource", self._resource)):
                    inner = node.get(key)
                    if inner is not None:
                        read(inner, self._within(inner, here))
                self._inside(node, here)
                continue
            elif kind in joint_devices.KINDS:
                made.devices.append((kind, node))
                continue
            elif kind == wire_devices.KIND:
                made.wires.append(node)
                continue
            elif kind == track_devices.KIND:
                made.tracks.append(node)
                continue
            elif kind not in {"Group", "Transform"}:
                known = "devices are not read" if kind in DEVICES else "it is not known"
                node.doubt(f"{kind[:60]} is left out: {known}", f"element {kind[:60]}")
                if kind not in DEVICES:
                    continue
            if kind not in {"Shape", "Resource"}:
                self._inside(node, here)

    def _inside(self, node: YamlNode, around: Around) -> None:
        inner = node.get("elements")
        if inner is not None:
            self._walk(inner, around)

    def _within(self, node: YamlNode, around: Around) -> Around:
        """Return what the content of an element stands in."""
        return replace(around, place=around.place @ self._local(node))

    def _local(self, node: YamlNode) -> Affine:
        pose = self._angles.pose(node)
        linear, scale = matrix(pose.quaternion), node.get("scale")
        if scale is not None:
            one = scale.as_number()
            factors = (one,) * 3 if one is not None else scale.numbers(3)
            if 0.0 in factors:
                raise scale.error("a scale must not be 0")
            linear = linear * np.array(factors)
        return Affine(linear, np.array(pose.position))

    def _shape(self, node: YamlNode, around: Around) -> None:
        known = ("type", "name", "geometry", "appearance", "translation", "rotation", "scale")
        check_keys(node, known, "a Shape")
        geometry = node.get("geometry")
        if geometry is None:
            node.doubt("a Shape without geometry is left out")
            return
        kind, color = geometry.need("mapping", "geometry").get("type"), _color(node)
        name = "" if kind is None else kind.word()
        if name in SIZES:
            check_keys(geometry, ("type", "division_number", "extra_division_number",
                                  "extra_division_mode", *SIZES[name]), name)  # fmt: skip
            edges = geometry.get("size")
            if name == "Box" and edges is not None and 0.0 in edges.numbers(3):
                node.doubt(f"a Box without thickness is {THIN:g} m thick", "thin Box")
            shape, size, pose = _primitive(name, geometry, around.place)
            self._add(ShapeDescription(shape, size, *pose, around.material), color, around)
        elif name in MESHES:
            self._triangles(geometry, MESHES[name], color, around)
        elif name == "ElevationGrid":
            self._grid(geometry, color, around)
        elif name == "Extrusion":
            self._extrusion(geometry, color, around)
        elif name == "Resource" and _is_list(geometry):
            with self._opened(geometry) as inner:
                key = node.entries["geometry"][0]
                held = {**node.entries, "geometry": (key, inner)}
                self._shape(replace(node, entries=held), around)
        elif name == "Resource":
            self._resource(geometry, around, color)
        else:
            what = f"the geometry {name[:60]!r}" if name else "a geometry without type"
            text = f"{what} is left out: known are {', '.join((*SIZES, *GEOMETRIES))}"
            geometry.doubt(text, f"geometry {name[:60]}")

    def _add(self, shape: ShapeDescription, color: Vector | None, around: Around) -> None:
        if around.collides:
            around.made.shapes.append(shape)
        if around.is_drawn and shape.geometry is None:
            around.made.visuals.append(
                VisualDescription(shape.kind, shape.size, shape.position, shape.quaternion, color, shape.mesh)
            )

    def _resource(self, node: YamlNode, around: Around, color: Vector | None = None) -> None:
        """Read a mesh file, or a file of elements."""
        reference = word(node, "uri")
        if not reference:
            raise node.error("a Resource needs uri: FILE")
        if _is_list(node):
            with self._opened(node) as inner:
                self._walk(inner, around)
            return
        say = node.doubt if around.collides else node.note
        if node.get("fragment", "node") is not None:
            say(f"{reference}: all of it is taken, not only a fragment")
        path, reason = self._finder.find(reference)
        if path is None:
            say(f"mesh {reference!r}: {reason}", f"mesh {reference}")
        pose, scale = _parts(node, around.place)
        mesh = MeshFile(path, reference, scale)
        shape = ShapeDescription(Shape.MESH, (), pose.position, pose.quaternion, around.material, mesh=mesh)
        self._add(shape, color, around)

    @contextmanager
    def _opened(self, node: YamlNode) -> Iterator[YamlNode]:
        """Yield what a YAML file holds, or what the anchor there names; its own files lie beside it."""
        reference, anchor = word(node, "uri"), node.get("fragment", "node")
        path, reason = self._finder.look_up(reference)
        if path is None:
            raise node.error(f"Resource {reference!r}: {reason}")
        self._lists += 1
        if path in self._above or len(self._above) >= MAX_NESTED or self._lists > MAX_LISTS:
            raise node.error(
                f"Resource {reference!r} contains itself, {MAX_NESTED} others in one another, or is one of "
                f"more than {MAX_LISTS}"
            )
        if path not in self._parsed:
            self._parsed[path] = parse_anchored(path, "resource", node.report)
        found, anchors = self._parsed[path]
        if anchor is not None:
            if anchor.word() not in anchors:
                raise anchor.error(
                    f"&{anchor.word()[:60]} is no anchor of {reference}{known_hint(anchor.word(), anchors)}"
                )
            found = anchors[anchor.word()]
        before = self._finder, self._above
        self._finder, self._above = MeshFinder(path, self._dirs), (*self._above, path)
        try:
            yield found
        finally:
            self._finder, self._above = before

    def _triangles(self, node: YamlNode, corners: int, color: Vector | None, around: Around) -> None:
        """Read triangles, or polygons that end with −1, written in the file itself."""
        points, faces = node.get("vertices", "coordinate"), node.get("faces", "coordIndex")
        if points is None or faces is None:
            raise node.error("a mesh needs vertices and faces")
        numbers = [item.number() for item in points.need("list", "vertices").items]
        entries = [item.number() for item in faces.need("list", "faces").items]
        if len(numbers) % 3 or not 0 < len(numbers) <= 3 * MAX_VERTICES:
            raise points.error(
                f"vertices must be 3 n numbers, at most {3 * MAX_VERTICES}, got {len(numbers)}"
            )
        if not all(float(x).is_integer() for x in entries):
            raise faces.error("faces must be whole numbers")
        try:
            triangles = _fans([int(x) for x in entries], corners)
        except ValueError as error:
            raise faces.error(str(error)) from None
        vertices = np.array(numbers).reshape(-1, 3)
        self._mesh(node, vertices, triangles, color, around)

    def _grid(self, node: YamlNode, color: Vector | None, around: Around) -> None:
        """Read heights along y over a grid in x and z."""
        sides = [number(node, key, 0.0) for key in ("x_dimension", "z_dimension")]
        steps = [number(node, key, 1.0) for key in ("x_spacing", "z_spacing")]
        listed = node.get("height")
        heights = [] if listed is None else [item.number() for item in listed.elements()]
        if not all(2.0 <= n <= MAX_VERTICES and n.is_integer() for n in sides):
            raise node.error(f"xDimension and zDimension must be whole numbers ≥ 2, got {sides}")
        nx, nz = int(sides[0]), int(sides[1])
        if len(heights) != nx * nz or nx * nz > MAX_VERTICES:
            raise node.error(
                f"height must be {nx} · {nz} numbers, at most {MAX_VERTICES}, got {len(heights)}"
            )
        points, triangles = grid(np.array(heights).reshape(nz, nx), *steps)
        ccw = node.get("ccw")
        if ccw is not None and ccw.as_bool() is False:
            triangles = triangles[:, ::-1]
        self._mesh(node, points, triangles, color, around)

    def _extrusion(self, node: YamlNode, color: Vector | None, around: Around) -> None:
        """Read a cross section that is moved along a spine, as in VRML."""
        known = ("type", "cross_section", "spine", "scale", "orientation", "begin_cap", "end_cap", "ccw",
                 "convex", "crease_angle", "solid")  # fmt: skip
        check_keys(node, known, "Extrusion")

        def rows(key: str, default: tuple[float, ...], width: int) -> np.ndarray:
            listed = value(node, key)
            held = default if listed is None else [item.number() for item in listed.elements()]
            if len(held) % width or not held or len(held) > MAX_VERTICES:
                raise (listed or node).error(f"{key} must be rows of {width} numbers")
            return np.array(held, np.float64).reshape(-1, width)

        def is_set(key: str) -> bool:
            given = value(node, key)
            return given is None or given.as_bool() is not False

        section = rows("cross_section", (1, 1, 1, -1, -1, -1, -1, 1, 1, 1), 2)
        ends = is_set("begin_cap"), is_set("end_cap")
        try:
            points, triangles = extruded(
                section, rows("spine", (0, 0, 0, 0, 1, 0), 3), rows("scale", (1, 1), 2),
                rows("orientation", (0, 0, 1, 0), 4), has_ends=ends,
            )  # fmt: skip
        except ValueError as error:
            raise node.error(str(error)) from None
        triangles = triangles if is_set("ccw") else triangles[:, ::-1]
        self._mesh(node, points, triangles, color, around)

    def _mesh(
        self, node: YamlNode, points: np.ndarray, triangles: np.ndarray, color: Vector | None, around: Around
    ) -> None:  # fmt: skip
        """Take triangles as they are for what stands, as their hull for what moves."""
        vertices = points @ around.place.linear.T + around.place.shift
        what = f"the mesh in {node.place}"
        try:
            if np.linalg.det(around.place.linear) < 0.0:
                triangles = triangles[:, ::-1]
            mesh = from_arrays(vertices, triangles, (1.0, 1.0, 1.0), what)
            geometry: Any
            if around.stands:
                geometry = surface(mesh.vertices, mesh.triangles, what)
            else:
                (geometry,) = solids(mesh, "hull")
        except ValueError as error:
            raise node.error(str(error)) from None
        size = (edge_length(geometry),) if isinstance(geometry, Surface) else (geometry.half_width,)
        kind = Shape.SURFACE if isinstance(geometry, Surface) else Shape.HULL
        if around.is_drawn and not around.collides:
            node.report.note("triangles written in the file that only are to be drawn are left out")
        self._add(ShapeDescription(kind, size, material=around.material, geometry=geometry), color, around)


def typed(elements: YamlNode) -> list[tuple[str, YamlNode]]:
    """Return type and node of each element: of a list, of one with a type, of a mapping by type."""
    if elements.kind == "list":
        nodes = [node.need("mapping", "an element") for node in elements.items]
        return [(_type(node), node) for node in nodes]
    if elements.need("mapping", "elements").get("type") is not None:
        return [(_type(elements), elements)]
    made = []
    for name, (key, node) in elements.entries.items():
        node.need("mapping", f"element {name!r}")
        if node.get("type") is not None and _type(node) != name:
            raise key.error(f"is called {name!r} and has the type {_type(node)!r}; keep one")
        made.append((name, node))
    return made


def _is_list(node: YamlNode) -> bool:
    """Tell whether a Resource names a file of elements."""
    return word(node, "uri").lower().endswith(LISTS)


def _type(node: YamlNode) -> str:
    kind = node.get("type")
    if kind is None:
        raise node.error("an element needs type: Shape, Transform, RigidBody …")
    return kind.word()


def inertial(node: YamlNode, default: float, owner: str) -> Inertial:
    """Return mass, centre of mass and inertia of a node; `default`: mass and moments that it does not say.

    Raises:
        DescriptionError: The mass is below 0, or the inertia not symmetric.
    """
    moments = node.get("inertia")
    own = inertia(moments) if moments is not None else default * np.eye(3)
    made = Inertial(number(node, "mass", default), vector(node, "center_of_mass"), own)
    if made.mass < 0.0:
        raise node.error(f"the mass of {owner} must be ≥ 0 kg, got {made.mass:g}")
    return made


def _rigid_body(node: YamlNode, place: Affine) -> Inertial:
    own = inertial(node, 0.0, "a RigidBody")
    turned = place.linear @ own.inertia @ place.linear.T
    at = place.linear @ own.com + place.shift
    return Inertial(own.mass, tuple(at.tolist()), 0.5 * (turned + turned.T))


def _parts(node: YamlNode, place: Affine) -> tuple[Pose, Vector]:
    """Return pose and scale along the shape's own axes; a mirrored one has a negative first factor."""
    scale = np.linalg.norm(place.linear, axis=0)
    turn = place.linear / scale
    if np.abs(turn.T @ turn - np.eye(3)).max() > EQUAL:
        raise node.error("scales and rotations above this shape shear it; no shape of that kind is left")
    if np.linalg.det(turn) < 0.0:
        scale[0], turn[:, 0] = -scale[0], -turn[:, 0]
    return Pose(tuple(place.shift.tolist()), quaternion_of(turn)), tuple(scale.tolist())


def _primitive(name: str, node: YamlNode, place: Affine) -> tuple[Shape, Vector, tuple[Vector, Vector]]:
    """Return kind, size as in `Shape`, position and quaternion; axes of Choreonoid's shapes are along y."""
    pose, factors = _parts(node, place)
    x, y, z = (abs(factor) for factor in factors)
    if name == "Box":
        edges = node.get("size")
        size = (1.0, 1.0, 1.0) if edges is None else edges.numbers(3)
        made: Vector = tuple(0.5 * edge * f or 0.5 * THIN for edge, f in zip(size, (x, y, z), strict=True))
        return Shape.BOX, shared.lengths(node, made, ROUNDS), (pose.position, pose.quaternion)
    radius, height = number(node, "radius", 1.0), number(node, "height", 1.0)
    is_round = abs(x - z) <= EQUAL * x
    is_even = is_round and abs(x - y) <= EQUAL * x
    if name == "Sphere":
        kind, made = Shape.ELLIPSOID, (radius * x, radius * y, radius * z)
        if is_even:
            kind, made = Shape.SPHERE, (radius * x,)
        return kind, shared.lengths(node, made, ROUNDS), (pose.position, pose.quaternion)
    if not is_round or (name == "Capsule" and not is_even):
        raise node.error(f"scales {x:g}, {y:g}, {z:g} make no {name} of this {name}; use a mesh")
    turn = multiply(pose.quaternion, ALONG_Y)
    made = shared.lengths(node, (radius * x, 0.5 * height * y), ROUNDS)
    return Shape[name.upper()], made, (pose.position, turn)


def _fans(entries: list[int], corners: int) -> np.ndarray:
    """Return triangles (m, 3) of polygons that end with −1, or of `corners` entries each."""
    if corners:
        if len(entries) % corners:
            raise ValueError(f"faces must be {corners} m whole numbers, got {len(entries)}")
        return np.array(entries, np.int64).reshape(-1, corners)
    made: list[tuple[int, int, int]] = []
    polygon: list[int] = []
    for entry in [*entries, -1]:
        if entry >= 0:
            polygon.append(entry)
            continue
        made += [(polygon[0], polygon[k], polygon[k + 1]) for k in range(1, len(polygon) - 1)]
        polygon = []
    return np.array(made, np.int64).reshape(-1, 3)


def _color(node: YamlNode) -> Vector | None:
    appearance = node.get("appearance")
    material = appearance.get("material") if appearance is not None else None
    diffuse = material.get("diffuse", "diffuseColor") if material is not None else None
    if diffuse is None or material is None:
        return None
    opaque = 1.0 - number(material, "transparency", 0.0)
    return shared.color((*diffuse.numbers(3), opaque))
