"""An arm with seven joints, built in Python, follows a motion by inverse dynamics alone.

Run with the name of a picture to draw it: python examples/08_computed_torque.py torque.png
"""

import sys

import numpy as np

import tribo
from tribo.description import inertias
from tribo.description.trees import JointDescription, LinkDescription
from tribo.model import Joint

LENGTHS = (0.20, 0.25, 0.20, 0.20, 0.18, 0.12, 0.08)  # [m]
RATE = np.array([1.0, 1.3, 0.7, 1.7, 1.1, 1.9, 1.5])  # [rad/s] of the motion of each joint
SIZE = 0.5  # [rad]


def arm() -> LinkDescription:
    """Return links one above the other whose joints turn about z and y in turn."""
    root = above = LinkDescription("stand", 5.0, inertia=inertias.box(5.0, (0.3, 0.3, 0.1)))
    root.joint = JointDescription("floor", Joint.FIXED)
    height = 0.05
    for k, length in enumerate(LENGTHS):
        mass, radius = 8.0 * length, 0.04
        inertia = inertias.cylinder(mass, radius, length)
        link = LinkDescription(f"link{k + 1}", mass, (0, 0, length / 2), inertia)
        link.add_shape("cylinder", (radius, length), position=(0, 0, length / 2))
        axis = (0, 1, 0) if k % 2 else (0, 0, 1)
        joint = JointDescription(f"joint{k + 1}", Joint.REVOLUTE, (0, 0, height), axis=axis)
        above.attach(link, joint)
        above, height = link, length
    above.attach(LinkDescription("tool"), JointDescription("flange", Joint.FIXED, (0, 0, height)))
    return root


def desired(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where the joints should be at a time, how fast and how much faster."""
    return (SIZE * (1 - np.cos(RATE * t)), SIZE * RATE * np.sin(RATE * t), SIZE * RATE**2 * np.cos(RATE * t))


world = tribo.World(time_step=1e-3)
robot = world.add_articulated_system(arm(), name="arm", collision_group=0, collision_mask=0)
tool = robot.frame("tool")
kp, kd = 2500.0, 100.0  # [1/s², 1/s] of the error, critically damped

worst, errors, torques = 0.0, [], []
for step in range(4000):
    t = step * world.time_step
    q, v, _ = desired(t)
    error, slip = q - robot.generalized_coordinate, v - robot.generalized_velocity
    # The torque is held for a step: it belongs to the motion in the middle of it.
    middle = desired(t + world.time_step / 2)
    torque = robot.at(*middle).inverse_dynamics(middle[2])
    robot.generalized_force = torque + robot.mass_matrix @ (kp * error + kd * slip)
    worst = max(worst, float(np.abs(error).max()))
    errors.append(error)
    torques.append(robot.generalized_force.copy())
    world.step()

print(f"largest error {worst:.1e} rad, tool at {tool.position.round(3)} m, power {torque @ v:.1f} W")
assert worst < 1e-6

if len(sys.argv) > 1:
    from tribo.recording.figure import new_figure

    time = world.time_step * np.arange(4000)
    figure, (above, below) = new_figure(2, height=2.2)
    above.plot(time, torques, linewidth=1.2)
    above.set_ylabel("torque [N m]", fontsize=9)
    below.plot(time, 1e9 * np.array(errors), linewidth=1.2)
    below.set_ylabel("error [nrad]", fontsize=9)
    below.set_xlabel("time [s]; one line for each of the seven joints", fontsize=9)
    figure.savefig(sys.argv[1])
