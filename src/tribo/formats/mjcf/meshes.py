"""Meshes among the assets: found when the file is read, loaded when a geom needs more than a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tribo.description import hulls
from tribo.description.trees import IDENTITY, MeshFile, Vector
from tribo.formats.inertia import Inertial, of_moments
from tribo.formats.mesh_bounds import MeshError, NoReaderError
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.mesh_reading import read as read_mesh
from tribo.formats.mesh_solids import HullFile
from tribo.formats.mjcf.compiler import MAIN, Compiler
from tribo.formats.mjcf.defaults import Defaults
from tribo.formats.mjcf.source import Source
from tribo.formats.nodes import Node
from tribo.formats.pose import NO_POSE, Pose, inverse, matrix

USED = frozenset(
    {"name", "class", "file", "scale", "refpos", "refquat", "vertex", "face", "inertia"}
    | {"smoothnormal", "normal", "texcoord", "material", "content_type"}
)
WITHOUT_EFFECT = {
    "builtin": "is not read: the mesh has no triangles; write it to a file",
    "maxhullvert": "is not read: the hull keeps all its corners",
    "params": "belongs to builtin and is not read",
}
INERTIAS = ("legacy", "convex", "exact", "shell")


@dataclass(slots=True)
class Mesh:
    """A mesh asset."""

    node: Node
    file: MeshFile | None  # None: its vertices stand in the MJCF file
    reason: str  # why the file was not found
    pose: Pose  # of the file's frame in that of the mesh, after the scale
    scale: Vector
    inertia: str
    _triangles: tuple[np.ndarray, np.ndarray] | None = None
    _hull: hulls.Hull | None = None

    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """Return vertices (n, 3) [m] in the frame of the mesh, and faces (m, 3)."""
        if self._triangles is None:
            vertices, faces = self._load()
            if self.pose != NO_POSE:
                vertices = vertices @ matrix(self.pose.quaternion).T + self.pose.position
            self._triangles = vertices, faces
        return self._triangles

    def hull(self) -> hulls.Hull:
        """Return the convex hull, which is what collides."""
        if self._hull is None:
            try:
                self._hull = hulls.convex_hull(self.triangles()[0], "its vertices")
            except ValueError as error:
                raise self.node.error(str(error)) from None
        return self._hull

    def hull_file(self) -> HullFile:
        """Return the file of which the hull is made."""
        if self.file is None:
            return HullFile(None, f"mesh {self.node.text('name')!r}")
        return HullFile(self.file.path, self.file.reference, self.file.scale, pose=self.pose)

    def inertial(self) -> Inertial:
        """Return mass, centre and inertia at density 1, as MuJoCo's attribute `inertia` says."""
        if self.inertia == "convex":
            hull = self.hull()
            return of_moments(*hulls.volume_moments(hull.vertices, hull.triangles))
        vertices, faces = self.triangles()
        corners = vertices[faces]
        if self.inertia == "shell":
            return _shell(corners)
        is_exact = self.inertia == "exact"
        made = of_moments(*hulls.volume_moments(vertices, faces)) if is_exact else _legacy(corners)
        if not made.mass > 0.0:
            raise self.node.error(
                "encloses no volume: its triangles must look outward; mend it, or give the body an "
                '<inertial>, or the mesh inertia="convex"'
            )
        return made

    def _load(self) -> tuple[np.ndarray, np.ndarray]:
        if self.file is None:
            return self._written()
        if self.file.path is None:
            raise self.node.error(f"mesh {self.file.reference!r}: {self.reason}")
        try:
            made = read_mesh(self.file.path, (1.0, 1.0, 1.0))
        except NoReaderError:
            raise
        except MeshError as error:
            raise self.node.error(f"{self.file.path}: {error}") from None
        return self._scaled(made.vertices, np.array(made.faces))

    def _scaled(self, vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return triangles at their size: MuJoCo keeps vertices in single precision, its masses show it."""
        with np.errstate(over="ignore"):
            single = np.asarray(vertices, np.float32).astype(float)
        if not np.isfinite(single).all():
            raise self.node.error("has a vertex beyond single precision, in which MuJoCo keeps them")
        return single * self.scale, faces[:, ::-1] if np.prod(self.scale) < 0.0 else faces

    def _written(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what the attributes vertex and face say; without face the hull of the vertices."""
        numbers = np.array(self.node.vector("vertex", None))
        if len(numbers) % 3 or len(numbers) < 12:
            raise self.node.error(f"vertex has {len(numbers)} numbers, must be 3 for each of 4 or more")
        vertices = numbers.reshape(-1, 3)
        if "face" not in self.node.attributes:
            try:
                hull = hulls.convex_hull(vertices, "vertex")
            except ValueError as error:
                raise self.node.error(str(error)) from None
            return self._scaled(hull.vertices, hull.triangles)
        entries = np.array(self.node.vector("face", None))
        faces = entries.astype(int)
        is_whole = len(faces) % 3 == 0 and len(faces) > 0 and bool((faces == entries).all())
        if not is_whole or faces.min() < 0 or faces.max() >= len(vertices):
            raise self.node.error(f"face must name vertices 0 … {len(vertices) - 1}, three per triangle")
        return self._scaled(vertices, faces.reshape(-1, 3))


class Meshes:
    """All mesh assets of a model."""

    def __init__(self, source: Source, defaults: Defaults, package_dirs: Sequence[Path]) -> None:
        """Find their files; none is opened yet."""
        self._meshes: dict[str, Mesh] = {}
        self._empty: dict[str, Node] = {}  # assets without triangles
        for section in source.sections("asset"):
            rules = source.rules_of(section)
            finder = MeshFinder(rules.path, package_dirs)
            for written in section.all("mesh"):
                written.check(USED, said=WITHOUT_EFFECT)
                self._add(defaults.resolve(written, MAIN), finder, rules.compiler)

    def __getitem__(self, node: Node) -> Mesh:
        """Return the mesh that an element names."""
        name = node.text("mesh")
        if name in self._empty:
            raise node.error(
                f"mesh={name!r} has neither file nor vertex in {self._empty[name].place}, so no triangles; "
                "write it to a file (builtin is not read)"
            )
        return node.named("mesh", self._meshes, "among the assets")

    def _add(self, node: Node, finder: MeshFinder, compiler: Compiler) -> None:
        scale = node.vector("scale", 3, (1.0, 1.0, 1.0))
        if 0.0 in scale:
            raise node.error(f"scale={node.attributes['scale']!r}: no number may be 0")
        file, reason, name = None, "", node.word("name")
        if "file" in node.attributes:
            written = node.text("file").replace("\\", "/")
            name = name or Path(written).stem
            folder = compiler.meshdir
            plain = Path(written).name if compiler.strippath else written
            reference = f"{folder.rstrip('/')}/{plain}" if folder else plain
            path, reason = finder.find(reference)
            file = MeshFile(path, reference, scale)
            if path is None:
                node.doubt(f"mesh {reference!r}: {reason}")
        elif "vertex" not in node.attributes:
            node.doubt("has neither file nor vertex: it has no triangles")
            self._empty[name] = node
            return
        if not name or name in self._meshes:
            raise node.error("needs a name of its own")
        made = Mesh(
            node, file, reason, _reference(node, scale), scale, node.choice("inertia", INERTIAS, "legacy")
        )
        self._meshes[name] = made


def _reference(node: Node, scale: Vector) -> Pose:
    """Return the pose that undoes refpos and refquat: v' = Rᵀ (S v − S p)."""
    position = node.vector("refpos", 3, (0.0, 0.0, 0.0))
    turn = Compiler.unit(node, node.vector("refquat", 4, IDENTITY), "refquat")
    if any(turn[1:]) and len(set(scale)) > 1:
        raise node.error("has refquat and three different scales, which is not read; apply one of them")
    if not any(position) and not any(turn[1:]):
        return NO_POSE
    return inverse(Pose(tuple(s * p for s, p in zip(scale, position, strict=True)), turn))


def _legacy(corners: np.ndarray) -> Inertial:
    """Return the sum over pyramids, none of them negative, from the centre to each triangle.

    Exact for convex meshes; what is hollow counts as more than it is. The centre is that of the
    pyramids from the mean of the surface; mass and inertia are those of the pyramids from there.
    """
    normal, area = _areas(corners)
    if not area.sum() > 0.0:
        return Inertial()
    apex = area @ corners.mean(axis=1) / area.sum()
    volume = np.abs(np.einsum("ij,ij->i", corners[:, 0] - apex, normal)) / 6.0
    if not volume.sum() > 0.0:
        return Inertial()
    centre = volume @ (corners.sum(axis=1) + apex) / 4.0 / volume.sum()
    volume = np.abs(np.einsum("ij,ij->i", corners[:, 0] - centre, normal)) / 6.0
    return of_moments(float(volume.sum()), centre, _second_moments(corners - centre, volume / 20.0))


def _shell(corners: np.ndarray) -> Inertial:
    """Return the moments of the surface: the mass is its area."""
    _, area = _areas(corners)
    if not area.sum() > 0.0:
        return Inertial()
    centre = area @ corners.mean(axis=1) / area.sum()
    return of_moments(float(area.sum()), centre, _second_moments(corners - centre, area / 12.0))


def _areas(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return twice the vector areas of triangles, and their areas."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normal, 0.5 * np.linalg.norm(normal, axis=1)


def _second_moments(corners: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return Σ w (s sᵀ + Σ d dᵀ), s the sum of the three corners d."""
    sums: Any = corners.sum(axis=1)
    made = np.einsum("k,ki,kj->ij", weight, sums, sums)
    made += np.einsum("k,kci,kcj->ij", weight, corners, corners)
    return np.asarray(made)
