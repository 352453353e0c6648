"""The scenes of the benchmark: one record each, and how tribo builds it.

A scene is plain data (robot text, pose, gains, commands), so that every engine gets the same; the
same scene for MuJoCo is built in `peers_mujoco`. Robots are driven with noise that is new in each
step: a settled scene would flatter a warm start.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import tribo

Truth = dict[str, float | str]

FRICTION = 0.8  # of every pair, in every engine
ANYMAL = "anymal_b_simple_description/robots/anymal.urdf"
STAND_POSE = {  # [rad]
    "HAA": (0.03, -0.03, 0.03, -0.03),
    "HFE": (0.4, 0.4, -0.4, -0.4),
    "KFE": (-0.8, -0.8, 0.8, 0.8),
}
STAND_HEIGHT = 0.486  # [m] of the base where these gains carry it, contacts being hard
LEGS = ("LF", "RF", "LH", "RH")
CHAIN_LINK = 0.2  # [m]


class Simulation(Protocol):
    """A scene in one engine, ready to be timed."""

    def reset(self) -> None:
        """Go back to the state in which timing starts."""

    def run(self, steps: int) -> None:
        """Advance as a user does: one Python call per step, with a new command before each."""

    def run_native(self, steps: int) -> None:
        """Advance by the same steps in one call into the engine."""

    def truth(self) -> Truth:
        """Measure how right the result is; not timed."""


@dataclass(frozen=True)
class Scene:
    """One row of the table."""

    name: str
    text: str
    steps: int  # in one timed repeat
    settle: int  # steps before timing starts
    truth_steps: int
    guard: Callable[[Truth], bool]  # without it no speed is printed
    time_step: float = 1e-3  # [s]
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)  # [m/s²]
    robot: str = ""  # URDF text
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m] of the base
    has_ground: bool = False
    joints: dict[str, float] = field(default_factory=dict)  # name → angle [rad]
    velocities: dict[str, float] = field(default_factory=dict)  # name → speed [rad/s]
    base_velocity: tuple[float, ...] = (0.0,) * 6  # linear [m/s], angular [rad/s], body axes = world
    gains: tuple[float, float] = (0.0, 0.0)  # kp [N m/rad], kd [N m s/rad]
    target_noise: float = 0.0  # [rad] standard deviation, fresh in every step
    spheres: np.ndarray | None = None  # (n, 3) [m] centres
    radius: float = 0.0  # [m]
    mass: float = 0.0  # [kg]
    friction: float = FRICTION

    @property
    def is_driven(self) -> bool:
        """Whether the robot follows noisy targets."""
        return self.target_noise > 0.0

    def targets(self) -> np.ndarray:
        """Return joint targets (steps, joints) [rad] in the order of `joints`, the same for all engines."""
        noise = np.random.default_rng(7).normal(0.0, self.target_noise, (self.steps, len(self.joints)))
        return np.array(list(self.joints.values())) + noise


def robot_path(path: str) -> Path:
    """Return where a robot that comes with `example-robot-data` is."""
    try:
        files = metadata.files("example-robot-data") or ()
    except metadata.PackageNotFoundError:
        raise SystemExit(
            "benchmarks need the robots of their scenes: pip install -e '.[bench]' in the source checkout, "
            "or pip install -e '.[robots]' and --no-peers"
        ) from None
    for entry in files:
        if entry.as_posix().endswith(f"example-robot-data/robots/{path}"):
            return Path(str(entry.locate()))
    raise FileNotFoundError(f"{path} is not in example-robot-data")


def robot_file(path: str) -> str:
    """Return the text of a robot that comes with `example-robot-data`."""
    return robot_path(path).read_text()


def without_meshes(text: str) -> str:
    """Drop the visual elements: no engine needs them to step."""
    return re.sub(r"<visual>.*?</visual>", "", text, flags=re.DOTALL)


def stand_joints() -> dict[str, float]:
    """Return joint angles of the standing quadruped."""
    return {f"{leg}_{j}": STAND_POSE[j][k] for k, leg in enumerate(LEGS) for j in STAND_POSE}


def chain_text(links: int) -> str:
    """Return the URDF of a chain of rods, hinge axes turning by a right angle from joint to joint."""
    parts = ['<robot name="chain"><link name="world"/>']
    for k in range(links):
        parent = f"link{k - 1}" if k else "world"
        drop = -CHAIN_LINK if k else 0.0
        axis = "1 0 0" if k % 2 else "0 1 0"
        parts.append(
            f'<link name="link{k}"><inertial><origin xyz="0 0 {-CHAIN_LINK / 2}"/><mass value="1"/>'
            f'<inertia ixx="0.0034" iyy="0.0034" izz="0.0002" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="joint{k}" type="continuous"><parent link="{parent}"/><child link="link{k}"/>'
            f'<origin xyz="0 0 {drop}"/><axis xyz="{axis}"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def sphere_grid() -> np.ndarray:
    """Return 6 × 6 × 6 centres [m], each slightly off its place."""
    steps = np.arange(6) * 0.21
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    made = grid + np.random.default_rng(42).random(grid.shape) * 1e-3
    made[:, 2] += 0.101 - made[:, 2].min()
    return np.asarray(made)


@cache
def scenes() -> dict[str, Scene]:
    """Return all scenes by name."""
    anymal = without_meshes(robot_file(ANYMAL))
    rng = np.random.default_rng(3)
    stand = stand_joints()
    rows = (
        Scene(
            "anymal_stand", "ANYmal B standing under PD with noisy targets", steps=8000, settle=2000,
            truth_steps=2000, robot=anymal, position=(0, 0, 0.54), joints=stand, has_ground=True,
            gains=(200.0, 4.0), target_noise=0.02,
            guard=lambda t: abs(t["base_z"] / STAND_HEIGHT - 1) < 0.1 and t["upright"] > 0.97,
        ),
        Scene(
            "anymal_free", "ANYmal B in free flight, joints moving, no gravity", steps=3000, settle=0,
            truth_steps=2000, robot=anymal, joints=stand, gravity=(0, 0, 0),
            velocities=dict(zip(stand, rng.uniform(-2.0, 2.0, len(stand)), strict=True)),
            base_velocity=(0.5, 0.2, 1.0, 0.5, -0.8, 0.3),
            guard=lambda t: t["energy_error"] < 1e-2,
        ),
        Scene(
            "spheres_666", "216 spheres fall into a heap", steps=600, settle=0, truth_steps=1000,
            has_ground=True, spheres=sphere_grid(), radius=0.1, mass=10.0, friction=0.0,
            guard=lambda t: t["deepest"] < 0.1,
        ),
        Scene(
            "chain_20", "20 rods on hinges swing from the ceiling", steps=4000, settle=0,
            truth_steps=2000, robot=chain_text(20),
            joints={f"joint{k}": 1.2 if k == 0 else 0.1 for k in range(20)},
            guard=lambda t: t["energy_error"] < 0.5,
        ),
        Scene(
            "step_overhead", "one sphere in free flight: what a call costs", steps=20000, settle=0,
            truth_steps=10, spheres=np.array([[0.0, 0.0, 1.0]]), radius=0.1, mass=1.0, gravity=(0, 0, 0),
            guard=lambda _: True,
        ),
    )  # fmt: skip
    return {row.name: row for row in rows}


def digest(*arrays: np.ndarray) -> str:
    """Return a short hash of some arrays, bit for bit."""
    key = hashlib.sha256()
    for array in arrays:
        key.update(np.ascontiguousarray(array).tobytes())
    return key.hexdigest()[:8]


def tribo_world(scene: Scene) -> tuple[tribo.World, Any]:
    """Build a scene; return the world and its robot, if any."""
    world = tribo.World(time_step=scene.time_step, gravity=scene.gravity)
    world.default_pair = tribo.PairProperties(friction=scene.friction)
    ground = world.add_ground() if scene.has_ground else None
    robot = None
    if scene.robot:
        mask = ground.collision_group if ground else 0  # the robot does not touch itself
        robot = world.add_articulated_system(scene.robot, collision_mask=mask)
        q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
        if robot.is_floating:
            q[:3], v[:6] = scene.position, scene.base_velocity
        for name in robot.joint_names:
            q[robot.coordinate_slice(name)] = scene.joints[name]
            v[robot.velocity_slice(name)] = scene.velocities.get(name, 0.0)
        robot.generalized_coordinate, robot.generalized_velocity = q, v
        robot.pd_target = q
        robot.set_pd_gains(*scene.gains)
    for centre in () if scene.spheres is None else scene.spheres:
        world.add_sphere(radius=scene.radius, mass=scene.mass, position=centre)
    return world, robot
