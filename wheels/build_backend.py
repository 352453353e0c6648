"""The build backend (PEP 517): hatchling's, which for a wheel also asks for what compiles the kernels.

An editable install compiles nothing, so it does not wait for Numba's download.
"""

import tomllib
from pathlib import Path
from typing import Any

from hatchling import build as hatchling
from hatchling.build import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return what has to be installed before a wheel is built."""
    said = tomllib.loads(PROJECT.read_text("utf-8"))
    needed: list[str] = said["tool"]["tribo"]["prebuild"]["requires"]
    return [*hatchling.get_requires_for_build_wheel(config_settings), *needed]
