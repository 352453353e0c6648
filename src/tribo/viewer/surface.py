"""Triangles of the shapes: what the browser and the software renderer both draw."""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tribo.checks import check
from tribo.checks.check import with_article
from tribo.description.hulls import Heights, Hull
from tribo.description.trees import MeshFile, ShapeDescription
from tribo.formats.mesh_reading import MeshError, read
from tribo.model import Shape

if TYPE_CHECKING:
    import trimesh

SEGMENTS = 32  # around an axis; a circle then deviates from round by 0.5 % of its radius

SHORTEST_ROD = 1e-6  # [m]


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A triangle mesh with smooth normals where the surface is smooth."""

    vertices: np.ndarray  # (n, 3) [m]
    normals: np.ndarray  # (n, 3) unit
    faces: np.ndarray  # (m, 3) integers
    colors: np.ndarray | None = None  # (n, 3) 0…1; None: the colour of what is drawn
    is_closed: bool = True  # only the outside can be seen


Part = tuple[Surface, np.ndarray, np.ndarray, np.ndarray]  # surface, position, map, colours


@functools.lru_cache(maxsize=256)
def of_shape(kind: Shape, size: tuple[float, ...], segments: int = SEGMENTS) -> Surface:
    """Return the surface of a shape; `size` as in `tribo.model.Shape`.

    Raises:
        ValueError: The shape has no surface of its own (a plane, a mesh).
    """
    if kind == Shape.SPHERE:
        return _capsule(size[0], 0.0, segments)
    if kind == Shape.CAPSULE:
        return _capsule(size[0], size[1], segments)
    if kind == Shape.CYLINDER:
        return _cylinder(size[0], size[1], segments)
    if kind == Shape.BOX:
        return _box(size)
    if kind == Shape.ELLIPSOID:
        return stretched(_capsule(1.0, 0.0, segments), np.array(size))
    raise ValueError(f"{with_article(kind.name.lower())} has no surface that could be drawn")


@functools.lru_cache(maxsize=8)
def arrow(segments: int = 16) -> Surface:
    """Return an arrow along z of length 1 and head radius 0.06."""
    slope = math.atan2(0.06, 0.2)
    shaft, head = (1.0, 0.0), (math.cos(slope), math.sin(slope))
    rings = [
        ((0.0, 0.0), (0.0, -1.0)), ((0.022, 0.0), (0.0, -1.0)),
        ((0.022, 0.0), shaft), ((0.022, 0.8), shaft),
        ((0.022, 0.8), (0.0, -1.0)), ((0.06, 0.8), (0.0, -1.0)),
        ((0.06, 0.8), head), ((0.0, 1.0), head),
    ]  # fmt: skip
    return _revolved(rings, segments)


def cone(segments: int = 24) -> Surface:
    """Return a cone without a lid: tip at the origin, radius 1 at z = 1."""
    slope = (math.sqrt(0.5), -math.sqrt(0.5))
    return replace(_revolved([((0.0, 0.0), slope), ((1.0, 1.0), slope)], segments), is_closed=False)


def turn_to(axis: np.ndarray) -> np.ndarray:
    """Return a rotation, (3, 3), that turns z into a unit vector."""
    side = np.cross(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.7 else (0.0, 1.0, 0.0))
    side /= np.linalg.norm(side)
    return np.stack([side, np.cross(axis, side), axis], axis=1)


def rod(start: np.ndarray, end: np.ndarray, radius: float, color: Sequence[float]) -> Part | None:
    """Return a straight rod between two points (3,) [m], None between points that are one."""
    length = float(np.linalg.norm(end - start))
    if length < SHORTEST_ROD:
        return None
    made = of_shape(Shape.CYLINDER, (1.0, 1.0), 12)
    stretched = turn_to((end - start) / length) * (radius, radius, 0.5 * length)
    return made, 0.5 * (start + end), stretched, painted(made, color)


def painted(surface: Surface, color: Sequence[float]) -> np.ndarray:
    """Return one colour, red, green, blue 0…1, for every vertex of a surface."""
    return np.broadcast_to(color[:3], surface.vertices.shape)


def _capsule(radius: float, half: float, segments: int) -> Surface:
    """Return a capsule along z; without height it is a ball."""
    rings = []
    steps = max(4, segments // 4)
    for centre, first in ((-half, -90.0), (half, 0.0)):
        for k in range(steps + 1):
            if half == 0.0 and centre == half and first == 0.0 and k == 0:
                continue  # the equator of a ball is there already
            angle = math.radians(first + 90.0 * k / steps)
            normal = (math.cos(angle), math.sin(angle))
            rings.append(((radius * normal[0], centre + radius * normal[1]), normal))
    return _revolved(rings, segments)


def stretched(surface: Surface, factors: np.ndarray) -> Surface:
    """Return a surface stretched along the axes by factors (3,)."""
    normals = surface.normals / factors
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return replace(surface, vertices=surface.vertices * factors, normals=normals)


def _cylinder(radius: float, half: float, segments: int) -> Surface:
    down, side, up = (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)
    rings = [
        ((0.0, -half), down), ((radius, -half), down),
        ((radius, -half), side), ((radius, half), side),
        ((radius, half), up), ((0.0, half), up),
    ]  # fmt: skip
    return _revolved(rings, segments)


def _revolved(rings: Sequence[tuple[tuple[float, float], tuple[float, float]]], segments: int) -> Surface:
    """Turn a profile, given as (radius, z) with normals from bottom to top, about z."""
    angle = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    cos, sin = np.cos(angle), np.sin(angle)
    vertices, normals, faces = [], [], []
    for (radius, z), (out, up) in rings:
        vertices.append(np.stack([radius * cos, radius * sin, np.full(segments, z)], axis=1))
        normals.append(np.stack([out * cos, out * sin, np.full(segments, up)], axis=1))
    here = np.arange(segments)
    after = np.roll(here, -1)
    for k in range(len(rings) - 1):
        (low, high), first = (rings[k][0], rings[k + 1][0]), k * segments
        if low == high:
            continue  # a sharp edge: same place, other normal
        above = first + segments
        if low[0] > 0.0:
            faces.append(np.stack([first + here, first + after, above + here], axis=1))
        if high[0] > 0.0:
            faces.append(np.stack([first + after, above + after, above + here], axis=1))
    return Surface(np.concatenate(vertices), np.concatenate(normals), np.concatenate(faces))


def _box(half: Sequence[float]) -> Surface:
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    vertices: list[np.ndarray] = []
    normals, faces = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            face = np.empty((4, 3))
            face[:, axis] = sign
            face[:, (axis + 1) % 3] = corners[:, 0]
            face[:, (axis + 2) % 3] = corners[:, 1]
            normal = np.zeros((4, 3))
            normal[:, axis] = sign
            first = 4 * len(vertices)
            order = (0, 1, 2, 0, 2, 3) if sign > 0.0 else (0, 2, 1, 0, 3, 2)
            vertices.append(face * np.asarray(half))
            normals.append(normal)
            faces.append(first + np.array(order).reshape(2, 3))
    return Surface(np.concatenate(vertices), np.concatenate(normals), np.concatenate(faces))


logger = logging.getLogger("tribo")
SIDES = 32  # of a cone


def load(file: MeshFile) -> trimesh.Trimesh | None:
    """Return a mesh in metres with its scale applied, or None after one line in the log."""
    if file.path is None:
        logger.warning("mesh %s is not drawn: the file was not found", file.reference)
        return None
    try:
        return read(file.path, tuple(file.scale))
    except MeshError as error:
        logger.warning("mesh %s is not drawn: %s", file.path, error)
        return None


@functools.lru_cache(maxsize=256)
def surface_of(mesh: trimesh.Trimesh) -> Surface:
    """Return a mesh as the software renderer takes it: textures become colours of vertices."""
    colors = None
    try:
        rgba = mesh.visual.to_color().vertex_colors if mesh.visual.defined else None  # type: ignore[union-attr]
        if rgba is not None and len(rgba) == len(mesh.vertices):
            colors = np.asarray(rgba, float)[:, :3] / 255.0
    except (AttributeError, ValueError, IndexError):
        pass  # a broken texture: the colour of the object will do
    return Surface(
        np.asarray(mesh.vertices, float),
        np.asarray(mesh.vertex_normals, float),
        np.asarray(mesh.faces),
        colors,
        is_closed=bool(mesh.is_watertight and mesh.is_winding_consistent),
    )


def of_triangles(vertices: np.ndarray, triangles: np.ndarray) -> trimesh.Trimesh:
    """Return a mesh that was given in memory, flat faces: no corner is shared, so none is shaded round.

    Raises:
        ImportError: trimesh is missing; the message says how to get it.
    """
    with check.needed('drawing triangles needs trimesh: pip install "tribo[viewer]"'):
        import trimesh
    made = trimesh.Trimesh(vertices, triangles, process=False)
    made.unmerge_vertices()
    return made


def of_geometry(shape: ShapeDescription) -> trimesh.Trimesh | None:
    """Return a cone, hull, surface or height map as triangles; None for other shapes."""
    import trimesh

    geometry = shape.geometry
    if shape.kind == Shape.CONE:
        radius, half = shape.size[:2]
        angle = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
        rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(SIDES, -half)], axis=1)
        here, after = np.arange(SIDES), np.roll(np.arange(SIDES), -1)
        sides = [np.stack([here, after, np.full(SIDES, SIDES)], axis=1)]
        sides.append(np.stack([after, here, np.full(SIDES, SIDES + 1)], axis=1))
        points = np.concatenate([rim, [[0.0, 0.0, half], [0.0, 0.0, -half]]])
        return trimesh.Trimesh(points, np.concatenate(sides), process=False)
    if isinstance(geometry, Heights):
        ny, nx = geometry.values.shape
        x, y = np.meshgrid(
            (np.arange(nx) - 0.5 * (nx - 1)) * geometry.dx, (np.arange(ny) - 0.5 * (ny - 1)) * geometry.dy
        )
        points = np.stack([x.ravel(), y.ravel(), geometry.values.ravel()], axis=1)
        first = (np.arange(ny - 1)[:, None] * nx + np.arange(nx - 1)).ravel()
        low = np.stack([first, first + 1, first + nx + 1], axis=1)
        high = np.stack([first, first + nx + 1, first + nx], axis=1)
        return trimesh.Trimesh(points, np.concatenate([low, high]), process=False)
    if isinstance(geometry, Hull):  # flat faces: no corner is shared, so none is shaded round
        return of_triangles(geometry.vertices, geometry.triangles)
    if geometry is not None:
        return trimesh.Trimesh(geometry.vertices, geometry.triangles, process=False)
    return None
