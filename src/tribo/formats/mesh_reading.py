"""Read a mesh file: never more than the file and what lies beside it, and never too much of it."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from tribo.checks.files import NotPlainError, plain

if TYPE_CHECKING:
    import trimesh

ENDINGS = (".dae", ".stl", ".obj", ".ply", ".off", ".glb", ".gltf")
BESIDE = (".mtl", ".png", ".jpg", ".jpeg", ".bmp", ".tga", ".bin")  # what a mesh may refer to
MAX_BYTES = 64 << 20
MAX_FACES = 2_000_000
MAX_NUMBERS = 10 * MAX_FACES  # entries of all arrays of a glTF file


class MeshError(ValueError):
    """A mesh cannot be drawn; the message says why."""


class _Beside:
    """Finds the textures of a mesh in its own folder and nowhere else."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent.resolve()
        self._left = 2 * MAX_BYTES  # one file may be asked for many times

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


def read(path: Path, scale: tuple[float, ...]) -> trimesh.Trimesh:
    """Return the triangles of a file, in metres, with a scale applied.

    What was read is kept as long as the file's size and time of change stay the same.

    Raises:
        MeshError: Missing, no plain file, too large, broken, without triangles, not finite, or trimesh is
            missing.
    """
    try:
        found = plain(path)
    except NotPlainError as error:
        raise MeshError(str(error)) from None
    except (OSError, ValueError) as error:
        raise MeshError(f"{type(error).__name__}: {error}") from None
    return _read(path, scale, (found.st_size, found.st_mtime_ns, found.st_ino))


@functools.lru_cache(maxsize=512)
def _read(path: Path, scale: tuple[float, ...], mark: tuple[int, ...]) -> trimesh.Trimesh:
    """Return what `read` does; `mark` tells versions of a file apart, its size first."""
    try:
        import trimesh
    except ImportError:
        raise MeshError('meshes need trimesh: pip install "tribo[mesh]"') from None
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise MeshError(f"format {ending!r} is not one of {', '.join(ENDINGS)}")
    try:
        if mark[0] > MAX_BYTES:
            raise MeshError(f"{mark[0] >> 20} MiB are more than the {MAX_BYTES >> 20} MiB allowed")
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
    made.apply_transform(np.diag([*scale, 1.0]))
    return made


def given(vertices: np.ndarray, triangles: np.ndarray, scale: tuple[float, ...]) -> trimesh.Trimesh:
    """Return checked triangles as `read` does those of a file: equal corners are one, with a scale applied.

    Raises:
        MeshError: There are none, or too many, or trimesh is missing.
    """
    try:
        import trimesh
    except ImportError:
        raise MeshError('meshes need trimesh: pip install "tribo[mesh]"') from None
    if not 0 < len(triangles) <= MAX_FACES:
        raise MeshError(f"it must have 1 … {MAX_FACES} triangles, got {len(triangles)}")
    made = trimesh.Trimesh(np.array(vertices), np.array(triangles), process=True)
    made.apply_transform(np.diag([*scale, 1.0]))
    return made


def _parse(trimesh: Any, stream: IO[bytes], ending: str, path: Path) -> trimesh.Trimesh:
    if ending in {".glb", ".gltf"}:
        _check_gltf(stream.read(), ending)
        stream.seek(0)
    # Unprocessed: else triangles with corners that are not finite would be gone without a word.
    scene = trimesh.load_scene(stream, file_type=ending[1:], resolver=_Beside(path), process=False)
    units = getattr(scene, "units", None)
    shapes = [scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry]
    faces = sum(len(getattr(shape, "faces", ())) for shape in shapes)
    if faces > MAX_FACES:
        raise MeshError(f"{faces} triangles are more than {MAX_FACES}")
    made = scene.to_geometry()
    if not np.isfinite(made.vertices).all():
        raise MeshError("it has vertices that are not finite")
    made.process()
    if ending == ".dae" and units and " * meters" in str(units):
        made.apply_scale(float(str(units).split(" ", maxsplit=1)[0]))
    return made  # type: ignore[no-any-return]


def _check_gltf(data: bytes, ending: str) -> None:
    """Refuse lengths beyond the file and arrays, which may be announced without data, beyond all need."""
    if ending == ".glb":
        text, place = b"", 12
        while place + 8 <= len(data):
            length = int.from_bytes(data[place : place + 4], "little")
            place += 8
            if length > len(data) - place:
                raise MeshError(
                    f"it announces a part of {length} bytes and has {len(data) - place}"
                )
            text = text or data[place : place + length]
            place += length
    else:
        text = data
    content = json.loads(text)
    counts = [accessor["count"] for accessor in content.get("accessors", ())]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise MeshError("the counts of its accessors must be whole numbers ≥ 0")
    if sum(counts) > MAX_NUMBERS:
        raise MeshError(f"its accessors announce {sum(counts)} entries, more than {MAX_NUMBERS}")
