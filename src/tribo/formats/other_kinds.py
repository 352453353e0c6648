"""Kinds of files, told by ending or beginning, and which call reads those that are no worlds."""

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
_CAD = ("a CAD file", "export a URDF from the CAD program, or a mesh (STL) for world.add_mesh")
_USD = ("USD", "World.load reads it if its name ends with .usd, .usda, .usdc or .usdz")
_SCENE = ("a scene of a drawing program", "export a mesh (glTF, OBJ, STL) for world.add_mesh")
_XACRO = "add_articulated_system(FILE, xacro={}) runs xacro on it; for a command: xacro FILE > robot.urdf"
UNREAD = {
    ".step": _CAD, ".stp": _CAD, ".iges": _CAD, ".igs": _CAD, ".sldasm": _CAD, ".sldprt": _CAD,
    ".fcstd": _CAD,
    ".blend": _SCENE, ".fbx": _SCENE,
    ".mjb": ("a compiled model of MuJoCo", "write its XML: mujoco.mj_saveLastXML"),
    ".osim": ("a model of OpenSim", "convert it to MJCF (myoConverter)"),
    ".skel": ("a file of DART", "write a URDF or SDF of it"),
    ".wbt": ("a world of Webots", "write a URDF: wb_supervisor_node_export_string"),
    ".proto": ("a model of Webots", "write a URDF: wb_supervisor_node_export_string"),
    ".ttm": ("a model of CoppeliaSim", "export a URDF from it"),
    ".ttt": ("a scene of CoppeliaSim", "export a URDF from it"),
    ".xacro": ("a xacro file", _XACRO),
    ".srdf": ("an SRDF", "give the URDF beside it; add_articulated_system(URDF, srdf=FILE) takes another"),
}  # fmt: skip
BEGINNINGS = {
    b"PXR-USDC": _USD, b"#usda": _USD, b"ISO-10303-21": _CAD, b"BLENDER": _SCENE, b"Kaydara FBX": _SCENE,
    b"#VRML": ("a mesh (VRML)", "world.add_mesh(path, mass=…) reads it if its name ends with .wrl"),
    b"glTF": ("a mesh (glTF)", "world.add_mesh(path, mass=…) reads it if its name ends with .glb"),
}  # fmt: skip
STATE = b"tribo state\n"  # how a saved state begins


def refuse_other_kinds(source: object) -> None:
    """Refuse a path that is certainly no world, and say which call reads it.

    Raises:
        DescriptionError: By its ending or its first bytes it is something else.
    """
    refuse_unread(source)
    path = _path(source)
    if path is None:
        return
    found = READERS.get(path.suffix.lower())
    if found is not None:
        raise DescriptionError(f"{path}: is {found[0]}, not a world; {found[1]} reads it")
    if _first_bytes(path).startswith(STATE):
        raise DescriptionError(
            f"{path}: is a saved state, not a world; build the world as it was, then world.load_state(path)"
        )


def refuse_unread(source: object) -> None:
    """Refuse a path to a file of a format that is not read, and say which it is.

    Raises:
        DescriptionError: By its ending or its first bytes it is such a file.
    """
    path = _path(source)
    if path is None:
        return
    found = UNREAD.get(path.suffix.lower())
    if found is None:
        begin = _first_bytes(path)
        found = next((what for mark, what in BEGINNINGS.items() if begin.startswith(mark)), None)
    if found is not None:
        raise DescriptionError(f"{path}: is {found[0]}; {found[1]}")


def _path(source: object) -> Path | None:
    is_path = isinstance(source, (str, os.PathLike)) and len(str(source)) <= 4096
    return Path(source) if is_path and "\n" not in str(source) else None  # type: ignore[arg-type]


def _first_bytes(path: Path) -> bytes:
    """Return how a file begins; nothing of what cannot be read: whoever reads it says what is wrong."""
    try:
        if path.is_file():
            with path.open("rb") as file:
                return file.read(16)
    except (OSError, ValueError):
        pass
    return b""


ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
BEGINNING = "#usda"


def is_usd(source: object) -> bool:
    r"""Return whether a source is a USD file, by its ending, or the text of one.

    Example:
        >>> is_usd("robot.usdc"), is_usd("#usda 1.0\n"), is_usd("robot.urdf")
        (True, True, False)
    """
    if isinstance(source, str) and source.lstrip().startswith(BEGINNING):
        return True
    path = _path(source)
    return path is not None and path.suffix.lower() in ENDINGS


BODY_ENDINGS = (".body",)
PROJECT_ENDINGS = (".cnoid",)


def is_body(source: object) -> bool:
    """Return whether a source is a body file, by its ending, or the text of one (of several lines)."""
    if isinstance(source, Path) or (isinstance(source, str) and "\n" not in source):
        return Path(source).suffix.lower() in BODY_ENDINGS
    return isinstance(source, str) and not source.lstrip().startswith("<")


def is_project(source: object) -> bool:
    """Return whether a source is the path of a project, by its ending."""
    return isinstance(source, (str, Path)) and str(source).lower().endswith(PROJECT_ENDINGS)
