"""Geometry of USD: what collides, what is drawn, and the solid that it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np

from tribo.checks.check import SMALLEST
from tribo.description.trees import ShapeDescription, Vector, VisualDescription
from tribo.formats import elements, mesh_solids, shape_mass
from tribo.formats.inertia import Inertial, of_moments
from tribo.formats.pose import NO_POSE, Pose, quaternion_of
from tribo.formats.usd.stage import Prim, Stage
from tribo.model import Shape

ROUND = {"Capsule": Shape.CAPSULE, "Capsule_1": Shape.CAPSULE, "Cylinder": Shape.CYLINDER,
         "Cylinder_1": Shape.CYLINDER, "Cone": Shape.CONE}  # fmt: skip
AXES = {  # turns that bring z to an axis
    "X": (0.7071067811865476, 0.0, 0.7071067811865476, 0.0),
    "Y": (0.7071067811865476, -0.7071067811865476, 0.0, 0.0),
    "Z": (1.0, 0.0, 0.0, 0.0),
}
HEIGHTS = {"Capsule": 1.0, "Capsule_1": 1.0}  # [units] that USD takes if none is written; others 2
RADII = {"Capsule": 0.5, "Capsule_1": 0.5}  # others 1
STRAIGHT = 1e-5  # [–] cosine between axes that count as at right angles: files have single precision
EXACT = ("none", "meshSimplification", "")
FIELD = "sdf"  # triangles that may move, of a closed mesh


@dataclass(slots=True)
class Solid:
    """A geometry in the frame of its body."""

    shapes: list[ShapeDescription] = field(default_factory=list)
    visual: VisualDescription | None = None
    unit: Inertial | None = None  # at density 1 kg/m³; None: it encloses nothing


def split(matrix: np.ndarray) -> tuple[Pose, np.ndarray]:
    """Return the pose of a frame and the linear map, (3, 3), that comes before it.   A = R S

    Axes at right angles are stretched or mirrored, S is diagonal; others are sheared, S is symmetric.
    """
    linear = matrix[:3, :3]
    lengths = np.linalg.norm(linear, axis=0)
    if not lengths.min() > 0.0:
        return Pose(tuple(matrix[:3, 3].tolist())), np.zeros((3, 3))
    turn = linear / lengths
    if np.abs(turn.T @ turn - np.eye(3)).max() > STRAIGHT:
        left, _, right = np.linalg.svd(linear)
        turn = left @ right
        if np.linalg.det(turn) < 0.0:
            turn = -turn
        stretch = turn.T @ linear
    else:
        if np.linalg.det(turn) < 0.0:
            turn[:, 0] *= -1.0
            lengths[0] *= -1.0
        left, _, right = np.linalg.svd(turn)  # the nearest turn: single precision leaves 1e-7
        turn = left @ right
        stretch = np.diag(lengths)
    return Pose(tuple(matrix[:3, 3].tolist()), quaternion_of(turn)), stretch


def read_solid(
    stage: Stage, prim: Prim, pose: Pose, stretch: np.ndarray, *, collides: bool,
    moves: bool, material: str, name: str,
) -> Solid:  # fmt: skip
    """Return a geometry in the frame in which `pose` is given.

    Args:
        stage, prim: Of the file.
        pose: Of its frame in that of its body.
        stretch: (3, 3), from its units to metres.
        collides, moves: Whether it collides, and whether its body moves.
        material, name: Of its shapes.
    """
    if not abs(float(np.linalg.det(stretch))) > 0.0:
        prim.doubt("its scale is 0: it is left out", "scale 0")
        return Solid()
    if prim.type == "Mesh":
        return _mesh(stage, prim, pose, stretch, collides, moves, material, name)
    found = _primitive(prim, stretch)
    if found is None:
        return Solid()
    kind, size, turn = found
    placed = pose @ Pose(quaternion=turn) if turn != NO_POSE.quaternion else pose
    if kind == Shape.PLANE and moves:
        prim.doubt("a plane cannot move: it is left out; use a box", "plane moves")
        return Solid()
    shape = ShapeDescription(kind, size, placed.position, placed.quaternion, material, name)
    made = Solid([shape] if collides else [])
    if kind != Shape.PLANE:
        made.unit = shape_mass.solid(shape, density=1.0)
    if _is_drawn(prim):
        made.visual = VisualDescription(kind, size, placed.position, placed.quaternion, _color(prim))
    return made


def _is_drawn(prim: Prim) -> bool:
    return bool(prim.shape["drawn"]) and prim.shape["purpose"] not in {"guide", "proxy"}


def _color(prim: Prim) -> Vector | None:
    given = prim.shape.get("color")
    return None if given is None else elements.color(given[:3])


def _primitive(prim: Prim, stretch: np.ndarray) -> tuple[Shape, Vector, Vector] | None:
    """Return kind, size as in `Shape` and a turn of a primitive; None: it has no such shape."""
    scale = np.abs(np.diag(stretch))
    if np.abs(stretch - np.diag(np.diag(stretch))).max() > STRAIGHT * scale.max():
        prim.doubt("is sheared: its angles are taken as right ones", "sheared")
    if prim.type == "Cube":
        half = 0.5 * _length(prim, "size", 2.0)
        return Shape.BOX, _lengths(prim, half * scale), NO_POSE.quaternion
    if prim.type == "Sphere":
        axes = _length(prim, "radius", 1.0) * scale
        if np.ptp(axes) <= 1e-6 * axes.max():
            return Shape.SPHERE, _lengths(prim, axes[:1]), NO_POSE.quaternion
        return Shape.ELLIPSOID, _lengths(prim, axes), NO_POSE.quaternion
    axis = str(prim.shape.get("axis") or "Z")
    if axis not in AXES:
        raise prim.error(f"axis must be X, Y or Z, got {axis[:100]!r}")
    if prim.type == "Plane":
        return Shape.PLANE, (), AXES[axis]
    along = "XYZ".index(axis)
    across = np.delete(scale, along)
    if np.ptp(across) > 1e-4 * across.max():
        prim.doubt("is scaled differently across its axis: the larger radius counts", "oval")
    radius = _length(prim, "radius", RADII.get(prim.type, 1.0))
    for word in ("radiusTop", "radiusBottom"):
        if (given := prim.shape.get(word)) is not None:
            radius = max(radius, float(given)) if word != "radiusTop" else float(given)
    height = _length(prim, "height", HEIGHTS.get(prim.type, 2.0))
    size = np.array([radius * across.max(), 0.5 * height * scale[along]])
    return ROUND[prim.type], _lengths(prim, size), AXES[axis]


def _length(prim: Prim, name: str, default: float) -> float:
    value = prim.shape.get(name)
    return default if value is None else float(value)


def _lengths(prim: Prim, size: np.ndarray) -> Vector:
    return elements.lengths(prim, size, "its lengths, which metersPerUnit makes metres,")


# -- meshes ------------------------------------------------------------------------------------------
def _mesh(
    stage: Stage, prim: Prim, pose: Pose, stretch: np.ndarray, collides: bool,
    moves: bool, material: str, name: str,
) -> Solid:  # fmt: skip
    points, faces = triangles(stage, prim)
    if not len(faces):
        prim.doubt("has no triangles: it is left out", "no triangles")
        return Solid()
    points = points @ stretch.T
    if np.linalg.det(stretch) < 0.0:
        faces = faces[:, ::-1]
    made = Solid()
    if _is_drawn(prim):
        made.visual = VisualDescription(
            Shape.MESH, (), pose.position, pose.quaternion, _color(prim), triangles=(points, faces)
        )
    if not collides:
        return made
    try:
        mesh = mesh_solids.from_arrays(points, faces, (1.0, 1.0, 1.0), "its mesh")
        made.shapes, made.unit = _solids(prim, mesh, pose, moves)
    except ImportError:
        raise
    except ValueError as error:
        raise prim.error(f"{error}; mend it, or switch its collision off") from None
    for k, shape in enumerate(made.shapes):
        shape.material, shape.name = material, name if k == 0 else f"{name}.{k}"
    if made.unit is not None:
        made.unit = made.unit.moved(pose)
    return made


def _solids(
    prim: Prim, mesh: mesh_solids.Mesh, pose: Pose, moves: bool
) -> tuple[list[ShapeDescription], Inertial | None]:
    """Return what stands for a mesh, as its approximation says, and its solid in its own frame."""
    word = str(prim.values.get("physics:approximation", ""))
    place = pose.position, pose.quaternion
    if word in (*EXACT, FIELD) and not moves:
        surface = mesh_solids.exact(mesh)
        size = (mesh_solids.edge_length(surface),)
        return [ShapeDescription(Shape.SURFACE, size, *place, geometry=surface)], None
    if word == FIELD and mesh.is_closed:
        made = mesh_solids.moving(mesh)
        made.position, made.quaternion = place
        return [made], of_moments(*mesh_solids.moments(mesh, []))
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    middle = tuple((0.5 * (low + high)).tolist())
    if word in {"boundingCube", "boundingSphere"}:
        if word == "boundingCube":
            kind, span = Shape.BOX, _lengths(prim, np.maximum(0.5 * (high - low), SMALLEST))
        else:
            far = np.linalg.norm(mesh.vertices - middle, axis=1).max()
            kind, span = Shape.SPHERE, _lengths(prim, np.array([far]))
        at = pose @ Pose(middle)
        made = ShapeDescription(kind, span, at.position, at.quaternion)
        own = ShapeDescription(kind, span, middle)
        return [made], shape_mass.solid(own, density=1.0)
    mode = "decomposition" if word == "convexDecomposition" else "hull"
    if mode == "decomposition" and find_spec("coacd") is None:
        prim.doubt('its convex decomposition needs coacd (pip install "tribo[decomposition]"): its hull '
                   "collides", "coacd")  # fmt: skip
        mode = "hull"
    if word in EXACT and word:
        prim.note(
            'triangles of what moves collide with approximation "sdf" only: its hull does', "exact moves"
        )
    if word == FIELD:
        prim.doubt("is open and has no inside: its hull collides", "open field")
    hulls = mesh_solids.solids(mesh, mode)
    share = mesh_solids.hull_share(mesh, hulls, mode)
    if share > mesh_solids.HULL_SHARE:
        prim.note(f"its convex hull, which collides, is {share:.2f} times as large as the mesh", "wide hull")
    shapes = [ShapeDescription(Shape.HULL, (hull.half_width,), *place, geometry=hull) for hull in hulls]
    return shapes, of_moments(*mesh_solids.moments(mesh, hulls))


def triangles(stage: Stage, prim: Prim) -> tuple[np.ndarray, np.ndarray]:
    """Return points (n, 3) in the file's units and triangles (m, 3), anticlockwise from outside.

    Raises:
        DescriptionError: An index is beyond the points, or the counts do not fit.
    """
    points = stage.array(prim, "points")
    counts, indices = (stage.array(prim, f"faceVertex{word}") for word in ("Counts", "Indices"))
    if len(points) % 3 or not np.isfinite(points).all():
        raise prim.error("its points must be finite, three numbers each")
    points = points.reshape(-1, 3)
    if len(counts) and (counts.min() < 0 or int(counts.sum(dtype=np.int64)) != len(indices)):
        raise prim.error("faceVertexCounts and faceVertexIndices do not fit")
    if len(indices) and not 0 <= indices.min() <= indices.max() < len(points):
        raise prim.error(f"a face names a point that is none of its {len(points)}")
    ends = np.cumsum(counts, dtype=np.int64)
    fans = np.maximum(counts - 2, 0)
    face = np.repeat(np.arange(len(counts)), fans)
    step = np.arange(int(fans.sum(dtype=np.int64))) - np.repeat(np.cumsum(fans) - fans, fans)
    first = (ends - counts)[face]
    made = np.stack([indices[first], indices[first + step + 1], indices[first + step + 2]], axis=1) if len(
        face) else np.zeros((0, 3), np.int32)  # fmt: skip
    if prim.shape.get("orientation") == "leftHanded":
        made = made[:, ::-1]
    return points, made.astype(np.int64)
