"""Robots of the demonstration, and where the worlds and robots of the package are.

The demonstration is `examples/00_demo.py`, which `make demo` runs: three spheres of different materials, and
a quadruped that stands. `python -m tribo.tools.demo` runs it in a source checkout.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tribo
from tribo.formats.mesh_files import robot_package

ASSETS = Path(__file__).parents[1] / "assets"
ANYMAL = "robots/anymal_c_simple_description/urdf/anymal.urdf"
SCRIPT = Path(__file__).parents[3] / "examples" / "00_demo.py"


class DemoError(RuntimeError):
    """The demonstration cannot go on; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot, how it stands and what holds it."""

    name: str
    urdf: Path
    height: float  # [m] of the base at the start
    thigh: float  # [rad] of the front legs; the hind legs mirror them
    shank: float
    kp: float
    kd: float


def own_robot() -> Robot:
    """Return the package's own quadruped."""
    return Robot("quadruped", ASSETS / "quadruped.urdf", 0.47, 0.5, -1.0, 100.0, 2.0)


def anymal() -> Robot:
    """Return ANYmal C from the package `example-robot-data`.

    Raises:
        DemoError: The package is not installed.
    """
    folder = robot_package()
    if folder is None:
        raise DemoError(
            'ANYmal C is in the package example-robot-data: pip install "tribo[robots]", '
            "or take the package's own robot: --robot own"
        )
    return Robot("anymal", folder / ANYMAL, 0.58, 0.4, -0.8, 300.0, 15.0)


def add_robot(world: tribo.World, robot: Robot, at: tuple[float, float] = (0.0, 0.0)) -> Any:
    """Add a robot in its stance, a little above the ground."""
    made = world.add_articulated_system(robot.urdf, name=robot.name)
    q = made.generalized_coordinate
    q[:3] = *at, robot.height
    angles = {"HFE": robot.thigh, "KFE": robot.shank}
    for joint in made.joint_names:  # LF_HAA, LF_HFE, LF_KFE, RF_HAA …
        leg, _, kind = joint.partition("_")
        q[made.coordinate_slice(joint)] = angles.get(kind, 0.0) * (1.0 if leg[1] == "F" else -1.0)
    made.generalized_coordinate = q
    made.pd_target = q
    made.set_pd_gains(robot.kp, robot.kd)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration with its viewer; return the exit code."""
    if not SCRIPT.is_file():
        sys.stderr.write(
            "the demonstration is not part of the installed package: get the source, run 'make demo' there\n"
        )
        return 1
    given = sys.argv[1:] if arguments is None else arguments
    return subprocess.run([sys.executable, SCRIPT, "--view", *given], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
