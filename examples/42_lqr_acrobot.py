"""An acrobot, two links and one motor at the elbow, balanced by LQR about an equilibrium that is found."""

import numpy as np
from scipy.linalg import solve_discrete_are

import tribo

world = tribo.World(time_step=0.002)
post = tribo.LinkDescription("post")
post.fix_to_world()
upper = post.add_child("upper", "revolute", axis=(0, 1, 0), joint_name="shoulder")
upper.add_shape("capsule", (0.03, 1.0), mass=1.0, position=(0, 0, -0.5), collides=False)
lower = upper.add_child("lower", "revolute", position=(0, 0, -1.0), axis=(0, 1, 0), joint_name="elbow")
lower.add_shape("capsule", (0.03, 1.0), mass=1.0, position=(0.1, 0, -0.5), collides=False)
robot = world.add_articulated_system(post, name="acrobot")
robot.generalized_coordinate = [np.pi - 0.1, 0.3]  # the elbow is to be bent a little

# Where does it stand? Nothing drives the shoulder, so its angle is sought, and the torque of the elbow.
found = tribo.equilibrium(world, free=["acrobot/shoulder"])
assert found.is_at_rest
found.apply(world)
rest = found.coordinate["acrobot"].copy()
torque = found.force["acrobot"][1]

model = tribo.linearize(world)
assert model.is_smooth
assert abs(model.eigenvalues[0]) > 1.0  # it would fall
weight = np.diag([10.0, 10.0, 1.0, 1.0])
cost = np.array([[1.0]])
riccati = solve_discrete_are(model.A, model.B[:, 1:], weight, cost)
gain = np.linalg.solve(
    cost + model.B[:, 1:].T @ riccati @ model.B[:, 1:], model.B[:, 1:].T @ riccati @ model.A
)

robot.generalized_coordinate = rest + np.array([0.01, -0.01])
for _ in range(5000):
    x = np.concatenate([robot.generalized_coordinate - rest, robot.generalized_velocity])
    robot.generalized_force = [0.0, torque - float((gain @ x)[0])]
    world.step()

print("stands at", rest, "off by", robot.generalized_coordinate - rest)
assert np.abs(robot.generalized_coordinate - rest).max() < 1e-6
