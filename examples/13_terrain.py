"""A quadruped trots over hills: each foot meets the triangles that are below it."""

from pathlib import Path

import numpy as np

import tribo

STANCE = np.array([0.0, 0.5, -1.0, 0.0, 0.5, -1.0, 0.0, -0.5, 1.0, 0.0, -0.5, 1.0])
PERIOD, STRIDE, LIFT = 0.4, 0.12, 0.35  # [s], [rad], [rad]
FOOT = 0.025  # [m] radius

world = tribo.World(time_step=1e-3)
world.default_pair = tribo.PairProperties(friction=0.8)
field = tribo.HeightField.fractal(
    size=(6.0, 3.0), samples=(121, 61), frequency=0.6, z_scale=0.12, octaves=4, seed=5
)
hills = world.add_height_map(field, material="grass")
robot = world.add_articulated_system(Path(tribo.__file__).parent / "assets" / "quadruped.urdf")
q = np.concatenate([[-1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], STANCE])
corners = [hills.height(x - 1.0, y) for x in (-0.25, 0.25) for y in (-0.2, 0.2)]
q[2] = max(corners) + 2 * 0.24 * np.cos(0.5) + FOOT + 0.01
robot.generalized_coordinate = robot.pd_target = q
robot.set_pd_gains(120.0, 3.0)

deepest = 0.0
for step in range(5000):
    phase = 2 * np.pi * step * world.time_step / PERIOD
    swing = np.sin(phase) * np.array([1, -1, -1, 1])  # diagonal legs together
    up = np.clip(np.cos(phase) * np.array([1, -1, -1, 1]), 0.0, None)
    bend = np.array([1, 1, -1, -1])
    target = q.copy()
    legs = target[7:].reshape(4, 3)
    ramp = min(1.0, step * world.time_step)
    legs[:, 1] += ramp * (-STRIDE * swing + bend * LIFT * up)
    legs[:, 2] -= ramp * 2 * bend * LIFT * up
    robot.pd_target = target
    world.step()
    deepest = max([deepest, *(c.depth for c in world.contacts)])

way = robot.position - q[:3]
upright = robot.rotation_matrix[2, 2]
print(f"walked {way[0]:.2f} m, rose {way[2]:.2f} m, upright {upright:.3f}, deepest {deepest:.1e} m")
assert way[0] > 0.5
assert upright > 0.9
assert deepest < 1e-3
