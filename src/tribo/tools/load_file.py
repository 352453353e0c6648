"""A world of a file that a command is given: worlds, scenes, robots, body files and projects."""

from __future__ import annotations

import argparse
import logging
import math
from pathlib import Path

import numpy as np

import tribo
from tribo import world_xml
from tribo.formats.other_kinds import is_body, is_project, is_usd, refuse_unread
from tribo.formats.xml import kind_of
from tribo.objects import ArticulatedSystem
from tribo.tools.robot_report import floating_remarks
from tribo.viewer import scene

logger = logging.getLogger("tribo")

HOLD_RATE = 50.0  # [rad/s] natural frequency of the drives that hold a posture
WITHOUT_PARAMETERS = {  # by what a file is: what it is called
    "mujoco": "MJCF", "sdf": "SDF", "usd": "USD", "project": "a project", "body": "a body file",
}  # fmt: skip
CLEARANCE = 1e-3  # [m] of a robot above the ground at the start


class InputError(ValueError):
    """The request cannot be done; the message says why."""


def load(chosen: argparse.Namespace) -> tuple[tribo.World, str]:
    """Return the world of a file, and the name of the object that its camera follows."""
    path: Path = chosen.file
    kind = kind_of_file(path)
    world, follows = tribo.World(), ""
    parts: list[ArticulatedSystem]
    materials = materials_of(chosen, kind)
    if chosen.fixed_base and kind not in {"robot", "body"}:
        raise InputError(
            f"{path}: --fixed-base is for robots (URDF, body files); a scene says itself which of its bases "
            "are fixed"
        )
    if chosen.set and kind in WITHOUT_PARAMETERS:
        what = WITHOUT_PARAMETERS[kind]
        raise InputError(f"{path}: is {what}, which has no @@parameters; leave --set out")
    options = {"package_dirs": chosen.package_dir, "strict": chosen.strict}
    if kind in {"mujoco", "sdf", "usd"}:
        getattr(world, f"load_{WITHOUT_PARAMETERS[kind].lower()}")(path, **options)
    elif kind == "project":
        world.load_project(path, **options)
        follows = world.objects[-1].name if world.objects else ""
    elif kind == "robot":
        world.add_ground(name="ground")
        robot = world.add_articulated_system(
            path, name=path.stem, parameters=dict(chosen.set) or None,
            fixed_base=chosen.fixed_base or None, **options,
        )  # fmt: skip
        _put_on_ground(world, robot)
        for text in floating_remarks(robot.description):
            logger.warning("%s: %s", robot.name, text)
        follows = robot.name
    elif kind == "body":
        if materials is not None:
            world.load_materials(materials)
        if chosen.fixed_base:
            parts = [
                world.add_articulated_system(
                    path, name=path.stem, materials=materials, fixed_base=True, **options
                )
            ]
        else:
            parts = world.load_body(path, materials=materials, **options)
        if all(part.is_floating for part in parts):
            world.add_ground(name="ground")
            if len(parts) == 1:
                _put_on_ground(world, parts[0])
        follows = parts[-1].name
    else:
        description = world_xml.read_into(world, path, parameters=dict(chosen.set), **options)
        follows = description.camera.get("follow", "")
    if chosen.time_step is not None:
        world.time_step = chosen.time_step
    if chosen.hold:
        for part in world.objects:
            if isinstance(part, ArticulatedSystem):
                hold(part)
    return world, follows


def kind_of_file(path: Path) -> str:
    """Return what a file is: "raisim", "mujoco", "sdf", "robot" by its first element, else by its ending."""
    if not path.is_file():
        raise InputError(f"{path}: {'is no file' if path.exists() else 'no such file'}")
    if is_project(path):
        return "project"
    if is_usd(path):
        return "usd"
    refuse_unread(path)
    return "body" if is_body(path) else kind_of(path)


def hold(robot: ArticulatedSystem) -> None:
    """Let critically damped drives hold the present posture of a robot."""
    inertia = np.diag(robot.mass_matrix).copy()
    if robot.is_floating:
        inertia[:6] = 0.0
    robot.set_pd_gains(HOLD_RATE**2 * inertia, 2.0 * HOLD_RATE * inertia)
    robot.pd_target = robot.generalized_coordinate


def _put_on_ground(world: tribo.World, robot: ArticulatedSystem) -> None:
    """Lift a robot with a floating base until its lowest shape is just above the ground."""
    if not robot.is_floating:
        return
    lowest = scene.lowest_point(world, robot)
    if math.isfinite(lowest):
        robot.position = robot.position + np.array([0.0, 0.0, CLEARANCE - lowest])


def materials_of(chosen: argparse.Namespace, kind: str) -> tribo.MaterialLibrary | None:
    """Return the materials that a body file gets, None if there are none."""
    if not chosen.materials:
        return None
    if kind != "body":
        raise InputError(f"{chosen.file}: --materials is for body files (.body); leave it out")
    return tribo.read_materials(*chosen.materials, strict=chosen.strict)
