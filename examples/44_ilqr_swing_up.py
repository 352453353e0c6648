"""A cart-pole swings up and stands: `tribo.control.ilqr` over 2.4 s."""

import numpy as np

import tribo

DT, STEPS = 0.02, 120
world = tribo.World(time_step=DT)
rail = tribo.LinkDescription("rail")
rail.fix_to_world()
cart = rail.add_child("cart", "prismatic", axis=(1, 0, 0), joint_name="slide")
cart.add_shape("box", (0.3, 0.2, 0.1), mass=1.0, collides=False)
pole = cart.add_child("pole", "revolute", axis=(0, 1, 0), joint_name="hinge")
pole.add_shape("capsule", (0.02, 0.6), mass=0.2, position=(0, 0, 0.3), collides=False)
robot = world.add_articulated_system(rail, name="cart_pole")
robot.generalized_coordinate = [0.0, np.pi]  # it hangs

GOAL = np.diag([50.0, 200.0, 10.0, 10.0])  # of the last state: upright, in the middle, at rest
ON_WAY = np.diag([0.1, 0.0, 0.01, 0.01]) * DT


def cost(k, q, v):
    """Return cost, slope and bend of a state."""
    state, stiff = np.concatenate([q, v]), GOAL if k == STEPS else ON_WAY
    return 0.5 * state @ stiff @ state, stiff @ state, stiff


forces = 2.0 * np.sin(np.arange(STEPS) * DT * 5.0)[:, None]
plan = tribo.control.ilqr(
    world, cost, forces, effort=0.02 * DT, forces={"cart_pole": ["slide"]}, tolerance=1e-3, threads=1
)
for command in plan.commands:
    robot.generalized_force = [command[0], 0.0]
    world.step()
end = np.concatenate([robot.generalized_coordinate, robot.generalized_velocity])
print(plan)
print("ends at", end, "with at most", np.abs(plan.commands).max(), "N")
assert np.abs(end[:2]).max() < 0.05
assert np.abs(end[2:]).max() < 0.2
