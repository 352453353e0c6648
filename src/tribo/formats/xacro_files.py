"""Run xacro, the macro language of URDFs, if its package is installed and the caller asks for it.

Expressions in a xacro file are evaluated by Python, and the file may include any other one. So it is never
run unless the caller says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.checks.files import to_read
from tribo.description.trees import DescriptionError

MISSING = "xacro files need the package xacrodoc or xacro: pip install xacrodoc"


def expand(source: object, arguments: Mapping[str, object]) -> tuple[Path, str]:
    """Return the path of a xacro file, and the URDF that it becomes.

    Args:
        source: Path of the file.
        arguments: Of its <xacro:arg>s, by name.

    Raises:
        DescriptionError: xacro cannot process it; the message has its words.
        ImportError: Neither package is installed.
        TypeError: The source is no path, or the arguments are no mapping.
    """
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("<")):
        raise TypeError("xacro runs on files: give the path of one, not its text")
    path = to_read(source, "a xacro file")
    given = {
        str(name): "true" if value is True else "false" if value is False else str(value)
        for name, value in check.mapping(arguments, "xacro", "arguments to values").items()
    }
    run = _runner()
    try:
        return path, run(path, given)
    except Exception as error:  # what its expressions raise
        raise DescriptionError(f"{path}: xacro: {type(error).__name__}: {error}") from None


def _runner() -> Callable[[Path, dict[str, str]], str]:
    """Return what runs a file with arguments."""
    try:
        xacrodoc: Any = import_module("xacrodoc")
    except ImportError:
        pass
    else:
        return lambda path, given: str(
            xacrodoc.XacroDoc.from_file(str(path), subargs=given, resolve_packages=False).to_urdf_string()
        )
    with check.needed(MISSING):
        xacro: Any = import_module("xacro")
    return lambda path, given: str(xacro.process_file(str(path), mappings=given).toxml())
