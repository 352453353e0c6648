"""Three weights hang on springs with dampers; a fourth on a joint with dry friction.

Run with the name of a picture to draw it: python examples/09_springs_and_dampers.py springs.png
"""

import sys

import numpy as np

import tribo
from tribo.description import inertias
from tribo.description.trees import JointDescription, LinkDescription
from tribo.model import Joint

MASS, STIFFNESS, DROP = 2.0, 800.0, 0.05  # [kg, N/m, m]
OMEGA = np.sqrt(STIFFNESS / MASS)  # [rad/s]
RATIOS = (0.0, 0.1, 1.0)  # ζ = d/(2 m ω)
FRICTION = 3.0  # [N]


def rack() -> LinkDescription:
    """Return a beam from which four weights hang on vertical sliders."""
    beam = LinkDescription("beam", 5.0, inertia=inertias.box(5.0, (1.0, 0.1, 0.05)))
    beam.joint = JointDescription("wall", Joint.FIXED)
    beam.add_shape("box", (1.0, 0.1, 0.05))
    for k in range(4):
        weight = LinkDescription(f"weight{k}", MASS, inertia=inertias.box(MASS, (0.1, 0.1, 0.1)))
        weight.add_shape("box", (0.1, 0.1, 0.1))
        slider = JointDescription(
            f"slider{k}", Joint.PRISMATIC, (-0.375 + 0.25 * k, 0.0, -0.4), stiffness=STIFFNESS
        )
        beam.attach(weight, slider)
    return beam


world = tribo.World(time_step=1e-3)
robot = world.add_articulated_system(rack(), name="rack", collision_group=0, collision_mask=0)
for k, ratio in enumerate(RATIOS):
    robot.joint(f"slider{k}").damping = 2.0 * ratio * MASS * OMEGA
robot.dry_friction = {"slider3": FRICTION}

rest = -MASS * 9.81 / STIFFNESS  # the weight stretches the spring
robot.generalized_coordinate = np.full(4, rest + DROP)
first = robot.joint("slider0")


def energy_of_first() -> float:
    """Return kinetic and spring energy and weight of the undamped one."""
    x, v = first.coordinate, first.velocity
    return 0.5 * MASS * v**2 + 0.5 * STIFFNESS * x**2 + MASS * 9.81 * x


begin = energy_of_first()
drift, path = 0.0, [robot.generalized_coordinate.copy()]
for _ in range(2000):
    world.step()
    path.append(robot.generalized_coordinate.copy())
    drift = max(drift, abs(energy_of_first() - begin))
path = np.array(path) - rest
time = np.arange(len(path)) * world.time_step


def damped(ratio: float) -> np.ndarray:
    """Return the fall of a damped oscillator from rest."""
    if ratio == 1.0:
        return DROP * (1.0 + OMEGA * time) * np.exp(-OMEGA * time)
    slow = OMEGA * np.sqrt(1.0 - ratio**2)
    swing = np.cos(slow * time) + ratio * OMEGA / slow * np.sin(slow * time)
    return DROP * np.exp(-ratio * OMEGA * time) * swing


def rubbing() -> np.ndarray:
    """Return the swing with dry friction: half a cosine after another about ±F/k, until it sticks."""
    x, shift, made = DROP, FRICTION / STIFFNESS, np.empty_like(time)
    half = np.pi / OMEGA
    for n in range(100):
        here = (time >= n * half) & (time < (n + 1) * half)
        if abs(x) <= shift:  # the spring is weaker than the friction
            made[time >= n * half] = x
            return made
        centre = np.sign(x) * shift
        made[here] = centre + (x - centre) * np.cos(OMEGA * (time[here] - n * half))
        x = 2.0 * centre - x
    raise AssertionError("it did not stop")


known = np.column_stack([*(damped(ratio) for ratio in RATIOS), rubbing()])
errors = np.abs(path - known).max(axis=0) / DROP
stuck = abs(path[-1, 3])
held = robot.joint("slider3").friction_force
print(f"errors {errors.round(4)} of the drop; energy without damping changes by {drift:.1e} J")
print(f"with dry friction it sticks {1000 * stuck:.2f} mm off its rest, held by {held:.2f} N")
assert errors.max() < 5e-3
assert drift < 1e-12
assert 0.0 < stuck < FRICTION / STIFFNESS
assert abs(held - STIFFNESS * path[-1, 3]) < 1e-9
assert np.ptp(path[-200:, 3]) < 1e-14

if len(sys.argv) > 1:
    from tribo.recording.figure import new_figure

    figure, axes = new_figure(4, height=1.5)
    labels = [f"damping ratio {ratio:g}" for ratio in RATIOS] + [f"dry friction {FRICTION:g} N"]
    for axis, label, own, exact in zip(axes, labels, path.T, known.T, strict=True):
        axis.plot(time, 1000 * own, color="#2f6fb0", linewidth=2.2)
        axis.plot(time, 1000 * exact, color="#30343b", linewidth=0.8, linestyle=(0, (4, 3)))
        axis.set_title(label, fontsize=9, loc="left", color="#30343b")
        axis.set_ylabel("mm", fontsize=9)
    axes[-1].set_xlabel("time [s]; dashed: closed form", fontsize=9)
    figure.savefig(sys.argv[1])
