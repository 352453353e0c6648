"""Family D, third part: the robots of example-robot-data."""

from __future__ import annotations

import numpy as np
from robots import robot_files, robot_folder
from suite import Check, Player, case

import tribo
from tribo.description.trees import JointDescription
from tribo.formats import urdf
from tribo.model import Joint

STATES = 100  # of each robot
PANDA = "panda_description/urdf/panda.urdf"
RATE = np.array([1.0, 1.3, 0.7, 1.7, 1.1, 1.9, 1.5, 0.8, 0.8])  # [rad/s] of arm and fingers
SIZE = np.array([0.4] * 7 + [0.01] * 2)  # [rad, m]
MIDDLE = np.array([0.0, -0.3, 0.0, -1.8, 0.0, 1.9, 0.3, 0.02, 0.02])


@case(
    "D15",
    f"all robots of example-robot-data that load, in {STATES} random states each",
    "Pinocchio's reading of the same files: 1e-10 of the largest entry; "
    "what M⁻¹ enlarges: 2εκ(M) if that is more",
    fast=False,
    note="the same comparisons are tests: `tests/compare/test_robots_pinocchio.py`",
)
def all_robots(player: Player) -> list[Check]:
    """The worst robot and state for each quantity."""
    from pinocchio_robots import RTOL, compare  # not needed where only the fast cases run

    worst: dict[str, float] = {}
    enlarged: set[str] = set()
    for file in robot_files():
        for difference in compare(file, STATES):
            what, share = difference.what, difference.relative / difference.allowed
            worst[what] = max(worst.get(what, 0.0), share)
            if difference.allowed > RTOL:
                enlarged.add(what)
    return [
        Check(f"{what}, of what is allowed", share, 1.0) if what in enlarged
        else Check(what, RTOL * share, RTOL)
        for what, share in worst.items()
    ]  # fmt: skip


def panda() -> tribo.ArticulatedSystem:
    """Return a Panda that stands, without stops, friction and contacts."""
    tree = urdf.read(robot_folder() / PANDA)
    tree.bodies[0].joint = JointDescription("floor", Joint.FIXED)
    for body in tree.bodies[1:]:
        body.shapes = []
        body.joint.lower, body.joint.upper = -np.inf, np.inf
        body.joint.effort = body.joint.velocity = np.inf
        body.joint.mimic, body.joint.friction = None, 0.0
    tree.bodies[0].shapes = []
    return tribo.World(time_step=1e-3).add_articulated_system(tree)


def wanted(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return coordinates, velocities and accelerations of the motion; it begins at rest."""
    return (
        MIDDLE + SIZE * (1 - np.cos(RATE * t)),
        SIZE * RATE * np.sin(RATE * t),
        SIZE * RATE**2 * np.cos(RATE * t),
    )


@case(
    "D16",
    "Panda with two fingers follows 0.4 rad (1 − cos ωt), ω = 0.7 … 1.9 rad/s, for 4 s at 1 ms",
    "torque of inverse dynamics in the middle of the step, feedback of 50 rad/s: the motion itself",
    fast=False,
)
def computed_torque(player: Player) -> list[Check]:
    """Largest error of a joint while it moves."""
    robot = panda()
    world = robot.world
    robot.generalized_coordinate = wanted(0.0)[0]
    worst = 0.0
    for step in range(4000):
        q, v, _ = wanted(world.time)
        error, slip = q - robot.generalized_coordinate, v - robot.generalized_velocity
        worst = max(worst, float(np.abs(error[:7]).max()))
        middle = wanted((step + 0.5) * world.time_step)
        torque = robot.at(*middle).inverse_dynamics(middle[2]) + robot.damping * middle[1]
        robot.generalized_force = torque + robot.mass_matrix @ (2500.0 * error + 100.0 * slip)
        world.step()
    return [Check("largest error [rad]", worst, 1e-6)]
