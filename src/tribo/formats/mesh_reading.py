"""Read a mesh file: never more than the file and what lies beside it, and never too much of it."""

from __future__ import annotations

import functools
import io
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.asides import aside
from tribo.checks import check
from tribo.checks.files import NotPlainError, plain
from tribo.description.hulls import MANY
from tribo.formats import vrml
from tribo.formats.mesh_bounds import (
    MAX_FACES,
    MAX_PIXELS,
    MeshError,
    NoReaderError,
    check_gltf,
    pixels_of,
    plain_collada,
)
from tribo.formats.mesh_msh import read_msh
from tribo.formats.nodes import is_number
from tribo.formats.workers import ProcessError, work

if TYPE_CHECKING:
    import trimesh

__all__ = ["MAX_FACES", "MeshError", "given", "read"]

ENDINGS = (".dae", ".stl", ".obj", ".msh", ".ply", ".off", ".glb", ".gltf", ".wrl")
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tga")
BESIDE = (".mtl", *PICTURES, ".bin")  # what a mesh may refer to
MAX_BYTES = 64 << 20
LASTING = 1 << 18  # [byte] from which on reading may take longer than Ctrl-C should wait
DEAFENING = 8 << 20  # [byte] of an OBJ: one call of its parser stops all threads for 0.1 s


class _Beside:
    """Finds the textures of a mesh in its own folder and nowhere else."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent.resolve()
        self._left = 2 * MAX_BYTES  # one file may be asked for many times
        self._pixels = MAX_PIXELS

    def get(self, key: str) -> bytes:
        """Return the bytes of a file that a mesh names.

        Raises:
            FileNotFoundError: It is missing, elsewhere, too large or not a texture.
        """
        path = (self._folder / str(key).strip()).resolve()
        is_ours = path.is_relative_to(self._folder) and path.suffix.lower() in BESIDE
        if not is_ours or not path.is_file() or path.stat().st_size > MAX_BYTES:
            raise FileNotFoundError(key)
        self._left -= path.stat().st_size
        if self._left < 0:
            raise FileNotFoundError(f"{key}: the files beside a mesh are too large together")
        data = path.read_bytes()
        if path.suffix.lower() in PICTURES:
            self._pixels -= pixels_of(data)
            if self._pixels < 0:
                raise FileNotFoundError(f"{key}: the pictures of a mesh have too many pixels")
        return data

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


def read(path: Path, scale: tuple[float, ...]) -> trimesh.Trimesh:
    """Return the triangles of a file, in metres, with a scale applied.

    Meshes are kept as long as the file's size and time of change stay the same.

    Raises:
        MeshError: Missing, no plain file, too large, broken, without triangles, not finite, or trimesh is
            missing.
    """
    try:
        found = plain(path)
    except NotPlainError as error:
        raise MeshError(str(error)) from None
    except FileNotFoundError:
        raise MeshError("there is no such file; mend the path") from None
    except (OSError, ValueError) as error:
        raise MeshError(f"it cannot be read ({getattr(error, 'strerror', None) or error})") from None
    mark = (found.st_size, found.st_mtime_ns, found.st_ino)
    lasts = found.st_size > LASTING and not _is_deafening(path, found.st_size)
    return aside(lambda: _read(path, scale, mark), lasts=lasts)


def _is_deafening(path: Path, size: int) -> bool:
    """Tell whether a file's parser lets no other thread run for long."""
    return path.suffix.lower() == ".obj" and size > DEAFENING


@functools.lru_cache(maxsize=512)
def _read(path: Path, scale: tuple[float, ...], mark: tuple[int, ...]) -> trimesh.Trimesh:
    """Return what `read` does; `mark` tells versions of a file apart, its size first."""
    if find_spec("trimesh") is None:
        raise NoReaderError('meshes need trimesh: pip install "tribo[mesh]"')
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise MeshError(f"format {ending!r} is not one of {', '.join(ENDINGS)}")
    if mark[0] > MAX_BYTES:
        raise MeshError(f"{mark[0] >> 20} MiB are more than the {MAX_BYTES >> 20} MiB allowed")
    try:
        made = work(parsed, path.absolute()) if _is_deafening(path, mark[0]) else parsed(path)
    except ProcessError as error:
        raise MeshError(f"it cannot be read ({error})") from None
    made.apply_transform(np.diag([*scale, 1.0]))
    return made


def parsed(path: Path) -> trimesh.Trimesh:
    """Return the triangles of a file, as the file has them.

    Raises:
        MeshError: It is broken, or has no triangles or too many.
    """
    import trimesh

    ending, data = path.suffix.lower(), b""
    try:
        data = path.read_bytes()
        made = _parse(trimesh, data, ending, path)
    except MeshError:
        raise
    except Exception as error:  # parsers of seven formats: anything may come out of a broken file
        why = first_bad_line(data) if ending == ".obj" else ""
        raise MeshError(
            why or f"it is damaged, or no {ending[1:].upper()} ({type(error).__name__}: {error})"
        ) from None
    if not len(made.faces):
        raise MeshError("it has no triangles")
    if len(made.faces) > MAX_FACES:
        raise MeshError(f"{len(made.faces)} triangles are more than {MAX_FACES}")
    return made


def given(vertices: np.ndarray, triangles: np.ndarray, scale: tuple[float, ...]) -> trimesh.Trimesh:
    """Return checked triangles as `read` does those of a file: equal corners are one, with a scale applied.

    Raises:
        MeshError: There are none, or too many, or trimesh is missing.
    """
    try:
        import trimesh
    except ImportError:
        raise NoReaderError('meshes need trimesh: pip install "tribo[mesh]"') from None
    if not 0 < len(triangles) <= MAX_FACES:
        raise MeshError(f"it must have 1 … {MAX_FACES} triangles, got {len(triangles)}")

    def make() -> trimesh.Trimesh:
        made = trimesh.Trimesh(np.array(vertices), np.array(triangles), process=True)
        made.apply_transform(np.diag([*scale, 1.0]))
        return made

    return aside(make, lasts=len(triangles) > MANY)


def _parse(trimesh: Any, data: bytes, ending: str, path: Path) -> trimesh.Trimesh:
    if ending == ".msh":
        return _finished(trimesh.Trimesh(*read_msh(data), process=False))
    if ending in {".glb", ".gltf"}:
        check_gltf(data, ending)
    elif ending == ".dae":
        data = plain_collada(data)
    elif ending == ".wrl":
        return _finished(trimesh.Trimesh(*vrml.read(data.decode("utf-8", "replace")), process=False))
    # Unprocessed: else triangles with corners that are not finite would be gone without a word.
    scene = trimesh.load_scene(io.BytesIO(data), file_type=ending[1:], resolver=_Beside(path), process=False)
    units = getattr(scene, "units", None)
    shapes = [scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry]
    faces = sum(len(getattr(shape, "faces", ())) for shape in shapes)
    if faces > MAX_FACES:
        raise MeshError(f"{faces} triangles are more than {MAX_FACES}")
    made: Any = _finished(scene.to_geometry())
    _keep_jpeg(made, shapes)
    if ending == ".dae" and units and " * meters" in str(units):
        made.apply_scale(float(str(units).split(" ", maxsplit=1)[0]))
    return made  # type: ignore[no-any-return]


def _keep_jpeg(made: Any, shapes: list[Any]) -> None:
    """Note that a mesh has a picture of type JPEG: it is then sent as one, as PNG takes ten times as long."""
    forms = {getattr(picture, "format", None) for one in shapes if (picture := _texture(one))}
    picture = _texture(made)
    if forms == {"JPEG"} and picture is not None and picture.mode == "RGB":
        picture.format = "JPEG"


def _texture(mesh: Any) -> Any:
    """Return the picture on a mesh, None without one."""
    material = getattr(mesh.visual, "material", None)
    found = getattr(material, "baseColorTexture", None)
    return getattr(material, "image", None) if found is None else found


def _finished(made: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return checked triangles, equal corners as one."""
    if made.vertices.ndim != 2 or made.vertices.shape[1] != 3:
        raise ValueError(f"vertices of shape {made.vertices.shape}")
    if not np.isfinite(made.vertices).all():
        raise MeshError("it has vertices that are not finite")
    made.process()
    return made


OF_OBJ = {"v": 3, "vn": 3, "vt": 1}  # at least so many behind each word of an OBJ file


def first_bad_line(data: bytes) -> str:
    """Return what is wrong with the first bad line of an OBJ file, "" if there is none.

    Looked for after reading failed: libraries speak of their arrays, not of the file.
    """
    vertices = sum(line.split(None, 1)[:1] == [b"v"] for line in data.splitlines())
    for number, raw in enumerate(data.splitlines(), 1):
        words = raw.decode("utf-8", "replace").split()
        if not words:
            continue
        where = f"line {number}, {check.shown(' '.join(words))}:"
        if words[0] in OF_OBJ:
            wrong = next((word for word in words[1:] if not is_number(word)), None)
            if wrong is not None:
                return f"{where} {check.shown(wrong)} is no number"
            if len(words) - 1 < OF_OBJ[words[0]]:
                return f"{where} {words[0]} needs {OF_OBJ[words[0]]} numbers, got {len(words) - 1}"
        elif words[0] == "f":
            for corner in words[1:]:
                index = corner.split("/")[0]
                if not index.lstrip("+-").isdigit():
                    return f"{where} {check.shown(corner)} is no corner; write numbers of vertices"
                if not 1 <= abs(int(index)) <= vertices:
                    return f"{where} there is no vertex {index}, the file has {vertices}"
            if len(words) < 4:
                return f"{where} a face needs 3 corners or more, got {len(words) - 1}"
    return ""
