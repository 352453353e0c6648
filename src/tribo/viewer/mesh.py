"""Meshes of robots for drawing: read on first use, and never more than the robot's own files."""

from __future__ import annotations

import functools
import logging
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from tribo.description import MeshFile
from tribo.viewer.surface import Surface

if TYPE_CHECKING:
    import trimesh

logger = logging.getLogger("tribo")

ENDINGS = (".dae", ".stl", ".obj", ".ply", ".off", ".glb", ".gltf")
BESIDE = (".mtl", ".png", ".jpg", ".jpeg", ".bmp", ".tga", ".bin")  # what a mesh may refer to
MAX_BYTES = 64 << 20
MAX_FACES = 2_000_000


class MeshError(ValueError):
    """A mesh cannot be drawn; the message says why."""


class _Beside:
    """Finds the textures of a mesh in its own folder and nowhere else."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent.resolve()

    def get(self, key: str) -> bytes:
        """Return the bytes of a file that a mesh names.

        Raises:
            FileNotFoundError: It is missing, elsewhere, too large or not a texture.
        """
        path = (self._folder / str(key).strip()).resolve()
        is_ours = path.is_relative_to(self._folder) and path.suffix.lower() in BESIDE
        if not is_ours or not path.is_file() or path.stat().st_size > MAX_BYTES:
            raise FileNotFoundError(key)
        return path.read_bytes()

    def keys(self) -> list[str]:
        """Return what could be asked for."""
        return [p.name for p in self._folder.iterdir() if p.suffix.lower() in BESIDE]

    def write(self, name: str, data: bytes) -> None:
        """Refuse: nothing is written here."""
        raise PermissionError(name)

    def namespaced(self, namespace: str) -> _Beside:
        """Return the same resolver: folders below are not searched."""
        return self

    __getitem__ = get


def load(file: MeshFile) -> trimesh.Trimesh | None:
    """Return a mesh in metres with its scale applied, or None after one line in the log."""
    if file.path is None:
        logger.warning("mesh %s is not drawn: the file was not found", file.reference)
        return None
    try:
        return _read(file.path, tuple(file.scale))
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


@functools.lru_cache(maxsize=512)
def _read(path: Path, scale: tuple[float, ...]) -> trimesh.Trimesh:
    try:
        import trimesh
    except ImportError:
        raise MeshError('meshes need trimesh: pip install "tribo[viewer]"') from None
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise MeshError(f"format {ending!r} is not one of {', '.join(ENDINGS)}")
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise MeshError(f"{size >> 20} MiB are more than the {MAX_BYTES >> 20} MiB allowed")
        if ending == ".dae" and b"<!" in path.read_bytes().replace(b"<!--", b""):
            raise MeshError("it declares XML entities or a document type")
        with path.open("rb") as stream:
            made = _parse(trimesh, stream, ending, path)
    except MeshError:
        raise
    except Exception as error:  # parsers of seven formats: anything may come out of a broken file
        raise MeshError(f"{type(error).__name__}: {error}") from None
    if not len(made.faces):
        raise MeshError("it has no triangles")
    if len(made.faces) > MAX_FACES:
        raise MeshError(f"{len(made.faces)} triangles are more than {MAX_FACES}")
    if not np.isfinite(made.vertices).all():
        raise MeshError("it has vertices that are not finite")
    made.apply_transform(np.diag([*scale, 1.0]))
    return made


def _parse(trimesh: Any, stream: IO[bytes], ending: str, path: Path) -> trimesh.Trimesh:
    scene = trimesh.load_scene(stream, file_type=ending[1:], resolver=_Beside(path))
    units = getattr(scene, "units", None)
    made = scene.to_geometry()
    if ending == ".dae" and units and " * meters" in str(units):
        made.apply_scale(float(str(units).split(" ", maxsplit=1)[0]))
    return made  # type: ignore[no-any-return]
