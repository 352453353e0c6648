"""A quadruped on two diagonal feet: the stance is found, and LQR along the contacts keeps it from falling."""

import numpy as np
from scipy.linalg import solve_discrete_are

import tribo
from tribo.tools.demo import ASSETS

world = tribo.World()
world.add_ground()
robot = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 0.6))
for leg, sign in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
    robot.joint(f"{leg}_HFE").coordinate = 0.5 * sign
    robot.joint(f"{leg}_KFE").coordinate = -1.0 * sign
tribo.equilibrium(world).apply(world)  # on four feet

for leg, sign in (("RF", 1), ("LH", -1)):  # two of them are lifted
    robot.joint(f"{leg}_HFE").coordinate = 0.9 * sign
    robot.joint(f"{leg}_KFE").coordinate = -1.8 * sign
rest = tribo.equilibrium(world, free=["dog/x", "dog/y", "dog/rx", "dog/ry"], settle=False)
assert rest.is_at_rest
assert rest.points == 2
rest.apply(world)

model = tribo.linearize(world, on_contacts=True)
assert model.is_smooth
assert abs(model.eigenvalues[0]) > 1.0  # it would fall
A, B, N = model.A, model.B, model.directions
weight, cost = np.eye(len(A)), 1e-2 * np.eye(12)
riccati = solve_discrete_are(A, B, weight, cost)
gain = np.linalg.solve(cost + B.T @ riccati @ B, B.T @ riccati @ A)

stance, torque = rest.coordinate["dog"], rest.force["dog"]
robot.generalized_velocity = N @ np.full(N.shape[1], 0.01)  # a push
for _ in range(6000):
    q = robot.generalized_coordinate
    turn = 2.0 * np.sign(q[3]) * q[4:7]  # of the base: the stance is upright
    change = np.concatenate([q[:3] - stance[:3], turn, q[7:] - stance[7:]])
    state = np.concatenate([N.T @ change, N.T @ robot.generalized_velocity])
    robot.generalized_force = torque - np.concatenate([np.zeros(6), gain @ state])
    world.step()

feet = len(robot.contacts)
print("after 6 s on", feet, "points, off by", np.abs(change).max())
assert feet == 2
assert np.abs(change).max() < 1e-3
