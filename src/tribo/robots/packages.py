"""Robots by name: of example-robot-data, mujoco-menagerie and robot_descriptions.

The first two bring their files along. robot_descriptions fetches those of a robot with Git when it is first
asked for, into a folder of its own; no other call here uses the network.
"""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import TypedDict, Unpack

from tribo.checks.calls import answered_call
from tribo.checks.types import AxisAngle, BodyType, Color, Euler, Orientation, Rows, Vector
from tribo.materials import MaterialLibrary
from tribo.objects import ArticulatedSystem
from tribo.world.world import World

BUNDLED = {"example-robot-data": (".urdf",), "mujoco-menagerie": (".xml",)}  # package: endings of robots
FETCHED = "robot_descriptions"
INSTALL = "pip install example-robot-data, mujoco-menagerie or robot_descriptions"


def names() -> dict[str, tuple[str, ...]]:
    """Return the names of all robots, by the package that has them.

    A robot that a package has in one file has the name of the file, or of its folder without `_description`.
    """
    found = {package: tuple(sorted(_bundled(package))) for package in BUNDLED}
    found[FETCHED] = tuple(sorted(_described()))
    return {package: robots for package, robots in found.items() if robots}


@answered_call
def find(name: str) -> Path:
    """Return the file of a robot, URDF or MJCF.

    Args:
        name: One of `names()`; "PACKAGE/NAME" if several packages have it.

    Raises:
        KeyError: No installed package has it; the message names some that are near.
        OSError: robot_descriptions cannot fetch it.
    """
    wanted, _, short = name.rpartition("/")
    for package in BUNDLED:
        files = _bundled(package)
        if short in files and wanted in {"", package}:
            return files[short]
    if short in _described() and wanted in {"", FETCHED}:
        return _fetched(short)
    known = [one for robots in names().values() for one in robots]
    near = difflib.get_close_matches(short, known, 3)
    hint = f"near are {', '.join(near)}" if near else "tribo.robots.names() lists all"
    raise KeyError(f"no robot {name!r}: {hint if known else 'no package of robots is installed'}; {INSTALL}")


class RobotOptions(TypedDict, total=False):
    """Options of `World.add_articulated_system` beside the file."""

    name: str
    position: Vector | None
    orientation: Orientation | None
    package_dirs: Sequence[Path | str] | Path | str
    body_type: BodyType
    collision_meshes: str
    collision_group: int | None
    collision_mask: int
    strict: bool
    ground_points: Mapping[str, Rows] | None
    modules: Sequence[str | Path]
    parameters: Mapping[str, object] | None
    srdf: str | Path | None
    collide_with_parent: bool
    joint_order: Sequence[str]
    fixed_base: bool | None
    materials: MaterialLibrary | None
    color: Color | None
    rpy: Vector | None
    euler: Euler | None
    axis_angle: AxisAngle | None
    rotation_matrix: Rows | None
    self_collision: str | None
    xacro: Mapping[str, object] | None


@answered_call
def load(robot: str, /, world: World | None = None, **options: Unpack[RobotOptions]) -> ArticulatedSystem:
    """Add a robot to a world by its name.

    Args:
        robot: Its name, as in `find`.
        world: Where to; None: a new world, which is `robot.world`.
        options: As in `World.add_articulated_system`; `name` is that of the object.

    Returns:
        The robot.

    Raises:
        KeyError, OSError: As `find`.
        DescriptionError: The robot cannot be simulated.
    """
    path = find(robot)
    options.setdefault("name", robot.rpartition("/")[2])
    options.setdefault("package_dirs", [path.parent.parent, path.parent.parent.parent])
    return (World() if world is None else world).add_articulated_system(path, **options)


def _bundled(package: str) -> dict[str, Path]:
    """Return the files of robots of an installed package, by name."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return {}
    found: dict[str, list[Path]] = {}
    made: dict[str, Path] = {}
    for entry in files:
        if entry.suffix not in BUNDLED[package] or len(entry.parts) < 3:
            continue
        path = Path(str(entry.locate()))
        if entry.suffix == ".xml":  # a folder of the Menagerie: NAME/NAME.xml, scene.xml, …
            if entry.name.startswith("scene"):
                continue
        made.setdefault(entry.stem, path)
        folder = next((p for p in reversed(entry.parts[:-1]) if p.endswith(("_description", "_data"))), "")
        if not folder and entry.suffix == ".xml":
            folder = entry.parts[-2]
        if folder:
            found.setdefault(folder.removesuffix("_description").removesuffix("_data"), []).append(path)
    for name, paths in found.items():
        if len(paths) == 1:
            made.setdefault(name, paths[0])
    return made


def _described() -> set[str]:
    """Return the names that robot_descriptions has, without fetching anything."""
    spec = importlib.util.find_spec(FETCHED)
    if spec is None or spec.origin is None:
        return set()
    modules = Path(spec.origin).parent.glob("*_description.py")
    return {path.stem.removesuffix("_description") for path in modules if path.stem[0] != "_"}


def _fetched(name: str) -> Path:
    """Return the file of a robot of robot_descriptions, which fetches it if it is not there yet."""
    try:
        module = import_module(f"{FETCHED}.{name}_description")
    except Exception as error:  # of Git, in many forms
        raise OSError(f"{FETCHED} cannot fetch {name!r}: {type(error).__name__}: {error}") from None
    path = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
    if path is None:
        raise KeyError(f"robot {name!r} of {FETCHED} is a xacro file; run xacro on {module.XACRO_PATH}")
    return Path(path)
