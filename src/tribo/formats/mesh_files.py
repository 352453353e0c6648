"""Find the mesh that a file names, and only inside folders that belong to it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

MESH_ENDINGS = frozenset(
    {".stl", ".obj", ".msh", ".dae", ".ply", ".off", ".gltf", ".glb", ".mesh", ".3ds", ".wrl"}
)
ROBOT_PACKAGE = "example-robot-data"
LEVELS = 3  # how many folders above a URDF or world file may hold what it names


class MeshFinder:
    """Resolves mesh references of one URDF.

    A reference is looked up in `package_dirs`, in the folders around the URDF and in the installed
    package `example-robot-data`. Symbolic links are followed before the check, so neither they nor
    `..` nor an absolute path leads out of these folders.
    """

    def __init__(self, source: Path | None, package_dirs: Sequence[Path] = ()) -> None:
        """Take the URDF's path (None: text without a file) and the user's package folders."""
        self._given = [Path(folder).resolve() for folder in package_dirs]
        self._above: list[Path] = []
        if source is not None:
            self._above = folder_and_above(source.resolve().parent)
        self._near = self._above[:LEVELS]

    def find(self, reference: str) -> tuple[Path | None, str]:
        """Return (path, "") or (None, why there is none)."""
        reference = reference.strip()
        if not reference or "\0" in reference:
            return None, "empty or broken reference"
        if Path(reference).suffix.lower() not in MESH_ENDINGS:
            return None, f"not a mesh format ({', '.join(sorted(MESH_ENDINGS))})"
        return self.look_up(reference)

    def look_up(self, reference: str) -> tuple[Path | None, str]:
        """Return (path, "") or (None, why there is none) of a file of any format."""
        reference = reference.strip()
        scheme, separator, rest = reference.partition("://")
        if not separator:
            path = Path(reference.replace("\\", "/"))
            if path.is_absolute():
                return self._allowed([(path, self._roots())])
            folders = [*self._above[:1], *self._given]
            return self._allowed([(folder / path, self._roots()) for folder in folders])
        if scheme in {"package", "model"}:
            return self._allowed(self._in_packages(rest.lstrip("/")))
        if scheme == "file":
            folders = [Path("/"), *self._above[:1]]  # many mean the folder of the file
            return self._allowed([(folder / rest.lstrip("/"), self._roots()) for folder in folders])
        return None, f"{scheme}:// is not read; use package:// or a relative path"

    def _roots(self) -> list[Path]:
        robots = robot_package()
        return [*self._given, *self._near, *([robots] if robots else [])]

    def _in_packages(self, rest: str) -> list[tuple[Path, list[Path]]]:
        """List where package://NAME/… may be, with the folders that the file must not leave."""
        name, _, inner = rest.partition("/")
        found = []
        for folder in self._given:
            found.append((folder / rest, [folder]))
            if folder.name == name:
                found.append((folder / inner, [folder]))
        found += [(p / inner, [p]) for p in self._above if p.name == name]
        near = [p for p in self._above if p in self._near or (p / name / "package.xml").is_file()]
        found += [(p / rest, [p / name]) for p in near]
        if name == ROBOT_PACKAGE and (robots := robot_package()) is not None:
            found.append((robots / inner, [robots]))
        return found

    def _allowed(self, candidates: list[tuple[Path, list[Path]]]) -> tuple[Path | None, str]:
        """Return the first candidate that exists inside its folders or another allowed one."""
        reason = "not found; give its folder in package_dirs"
        for path, roots in candidates:
            try:
                real = path.resolve()
                is_file = real.is_file()
            except (OSError, ValueError, RuntimeError):
                continue
            if any(real.is_relative_to(root) for root in (*roots, *self._given)):
                if is_file:
                    return real, ""
            else:
                reason = "refused, it is outside the robot's folders; list its folder in package_dirs"
        return None, reason


def folder_and_above(folder: Path) -> list[Path]:
    """Return a folder and those above it, nearest first, without the root of the disk."""
    return [p for p in (folder, *folder.parents) if p != p.parent]


@functools.cache
def robot_package() -> Path | None:
    """Return the folder of the installed package `example-robot-data`, None without it."""
    import importlib.metadata  # it brings a parser of mails

    try:
        found = importlib.metadata.distribution(ROBOT_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None
    # The wheel is built with cmeel, which installs like a prefix below site-packages.
    folder = Path(str(found.locate_file("cmeel.prefix"))) / "share" / ROBOT_PACKAGE
    return folder.resolve() if folder.is_dir() else None
