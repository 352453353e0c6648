"""The robots of the package example-robot-data, where it is installed."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest


def robot_folder() -> Path:
    """Return the folder of the robots; without the package the test is skipped."""
    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the robots, example-robot-data, are not installed", allow_module_level=True)
    return Path(str(package.locate_file("cmeel.prefix/share/example-robot-data/robots")))


def robot_files() -> list[Path]:
    """Return all URDF files."""
    return sorted(robot_folder().rglob("*.urdf"))
