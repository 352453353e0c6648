"""Files that are no worlds: which call reads them."""

from __future__ import annotations

import os
from pathlib import Path

from tribo.checks.errors import DescriptionError

_MESH = ("a mesh", "world.add_mesh(path, mass=…)")
_HEIGHTS = ("no world; a picture of heights", "tribo.HeightField.from_image(path, …)")
_TABLE = ("a table of materials", "world.load_materials(path)")
READERS = {
    ".body": ("a body file of Choreonoid", "world.load_body(path)"),
    ".yaml": _TABLE, ".yml": _TABLE,
    ".obj": _MESH, ".stl": _MESH, ".dae": _MESH, ".ply": _MESH, ".glb": _MESH, ".gltf": _MESH, ".off": _MESH,
    ".wrl": _MESH,
    ".png": _HEIGHTS, ".jpg": _HEIGHTS, ".jpeg": _HEIGHTS, ".tif": _HEIGHTS, ".tiff": _HEIGHTS,
    ".zarr": ("a recording", "tribo.Recording(path)"),
    ".npz": ("no world; arrays", "numpy.load(path)"),
}  # fmt: skip
STATE = b"tribo state\n"  # how a saved state begins


def refuse_other_kinds(source: object) -> None:
    """Refuse a path that is certainly no world, and say which call reads it.

    Raises:
        DescriptionError: By its ending or its first bytes it is something else.
    """
    if not isinstance(source, (str, os.PathLike)) or len(str(source)) > 4096 or "\n" in str(source):
        return
    path = Path(source)
    found = READERS.get(path.suffix.lower())
    if found is not None:
        raise DescriptionError(f"{path}: is {found[0]}, not a world; {found[1]} reads it")
    try:
        if not path.is_file():
            return
        with path.open("rb") as file:
            is_state = file.read(len(STATE)) == STATE
    except (OSError, ValueError):
        return  # whoever reads it says what is wrong
    if is_state:
        raise DescriptionError(
            f"{path}: is a saved state, not a world; build the world as it was, then "
            "world.load_state(path)"
        )
