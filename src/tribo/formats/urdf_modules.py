"""Modules of a URDF: elements that stand in files of their own and come before </robot>.

A robot with changeable parts has one file for what all variants share and a module for each gripper or
payload. A module is a <robot> or what would stand in one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.description.trees import DescriptionError
from tribo.formats.nodes import Node, walk
from tribo.formats.xml import MAX_TAGS, is_text, parse_fragment

MAX_MODULES = 100
ENDINGS = ("", ".urdf", ".xml")
FOLDERS = ("", "modules")

_NAME = re.compile(r"\w[\w.-]{0,99}")


def append(robot: Node, path: Path | None, modules: Sequence[str | Path]) -> None:
    """Add the elements of modules to a robot.

    Args:
        robot: The outermost element of the URDF, in place.
        path: The file that it was read from, None for text.
        modules: Files, texts, or names of files beside the URDF (`beside`).

    Raises:
        DescriptionError: A module is not found or not XML; the message names it.
    """
    modules = listed(modules)
    check_count(robot, len(modules))
    size = 0
    for module in modules:
        source = module if is_text(module) else _file(path, module)
        fragment = parse_fragment(source, "URDF module", "robot", robot.report)
        size += sum(1 for _ in walk(fragment))
        if size > MAX_TAGS:
            raise fragment.error(f"modules hold more than {MAX_TAGS} elements altogether; use fewer")
        robot.children += fragment.children


def listed(modules: Any) -> tuple[str | Path, ...]:
    """Return one module or several as a tuple.

    Raises:
        TypeError: It is no list of paths or texts.
    """
    given = (modules,) if isinstance(modules, (str, Path)) else modules
    if not isinstance(given, (tuple, list)) or not all(isinstance(m, (str, Path)) for m in given):
        raise TypeError(f"modules must be a list of paths or texts, got {check.shown(modules)}")
    return tuple(given)


def check_count(node: Node, count: int) -> None:
    """Refuse too many modules."""
    if count > MAX_MODULES:
        raise node.error(f"has {count} modules, at most {MAX_MODULES} are read")


def _file(urdf: Path | None, module: str | Path) -> Path:
    """Return the file of a module: a name is looked up beside the URDF, then taken as a path."""
    if urdf is not None and isinstance(module, str):
        found = beside(urdf, module)
        if found is not None:
            return found
    try:
        is_file = Path(module).is_file()
    except (OSError, ValueError):
        is_file = False
    if not is_file:
        raise DescriptionError(missing(urdf, str(module)))
    return Path(module)


def beside(urdf: Path, name: str) -> Path | None:
    """Return the file of a module: NAME, NAME.urdf or NAME.xml beside a URDF or in `modules` there.

    None: there is none, or it is outside of the folder of the URDF; `missing` says so.
    """
    folder = urdf.resolve().parent
    if _NAME.fullmatch(name):
        for place in FOLDERS:
            for ending in ENDINGS:
                found = (folder / place / f"{name}{ending}").resolve()
                if found.is_file() and found.is_relative_to(folder):
                    return found
    return None


def missing(urdf: Path | None, name: str) -> str:
    """Return how to say that there is no module of a name."""
    if urdf is None:
        return f"module {name[:80]!r} does not exist; give its path"
    return (
        f"module {name[:80]!r} does not exist; looked for NAME, NAME.urdf and NAME.xml in "
        f"{urdf.resolve().parent} and its folder 'modules'"
    )
