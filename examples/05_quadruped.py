"""A quadruped stands under PD drives; the forces on its feet add up to its weight."""

import math
from pathlib import Path

import numpy as np

import tribo

URDF = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
FRONT, HIND = [0.0, 0.5, -1.0], [0.0, -0.5, 1.0]  # HAA, HFE, KFE of a leg

world = tribo.World(time_step=1e-3)
world.add_ground(material="floor")
world.set_material_pair("floor", "rubber", friction=0.8)

robot = world.add_articulated_system(URDF, name="quadruped")
height = 2 * 0.24 * math.cos(0.5) + 0.025
stance = np.array([0, 0, height, 1, 0, 0, 0, *FRONT, *FRONT, *HIND, *HIND])
robot.generalized_coordinate = stance
robot.pd_target = stance
robot.set_pd_gains(kp=100.0, kd=2.0)
print(f"{robot.name}: {robot.mass:.2f} kg, {robot.dof} dofs, joints {', '.join(robot.joint_names[:3])} …")

world.step(5000)
for contact in robot.contacts:
    x, y, z = contact.force
    print(
        f"{contact.body_a:<12} {contact.materials[0]} on {contact.materials[1]}: {x:7.3f} {y:7.3f} {z:7.3f} N"
    )

total = sum(contact.force for contact in robot.contacts)
weight = robot.mass * 9.81
print(f"sum {total[2]:.6f} N, weight {weight:.6f} N, trunk at {robot.position[2]:.4f} m")
assert len(robot.contacts) == 4
assert abs(total[2] / weight - 1.0) < 1e-6
assert abs(robot.generalized_velocity).max() < 1e-6
