"""Meshes of robots for drawing: read on first use, and never more than the robot's own files."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from tribo.description.hulls import Heights, Hull
from tribo.description.trees import MeshFile, ShapeDescription
from tribo.formats.mesh_reading import MeshError, read
from tribo.model import Shape
from tribo.viewer.surface import Surface

if TYPE_CHECKING:
    import trimesh

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
    try:
        import trimesh
    except ImportError:
        raise ImportError('drawing triangles needs trimesh: pip install "tribo[viewer]"') from None
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
        rim = np.stack(
            [radius * np.cos(angle), radius * np.sin(angle), np.full(SIDES, -half)], axis=1
        )
        here, after = np.arange(SIDES), np.roll(np.arange(SIDES), -1)
        sides = [np.stack([here, after, np.full(SIDES, SIDES)], axis=1)]
        sides.append(np.stack([after, here, np.full(SIDES, SIDES + 1)], axis=1))
        points = np.concatenate([rim, [[0.0, 0.0, half], [0.0, 0.0, -half]]])
        return trimesh.Trimesh(points, np.concatenate(sides), process=False)
    if isinstance(geometry, Heights):
        ny, nx = geometry.values.shape
        x, y = np.meshgrid(
            (np.arange(nx) - 0.5 * (nx - 1)) * geometry.dx,
            (np.arange(ny) - 0.5 * (ny - 1)) * geometry.dy,
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
