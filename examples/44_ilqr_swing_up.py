"""A cart-pole swings up and stands: iLQR over 2.4 s, with derivatives of each step from a Linearizer."""

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
linearizer = tribo.control.Linearizer(world)

GOAL = np.diag([50.0, 200.0, 10.0, 10.0])  # of the last state: upright, in the middle, at rest
ON_WAY, EFFORT = np.diag([0.1, 0.0, 0.01, 0.01]) * DT, 0.02 * DT
start = np.array([0.0, np.pi, 0.0, 0.0])


def put(state, force):
    robot.set_state(state[:2], state[2:])
    robot.generalized_force = [force, 0.0]


def step(state, force):
    put(state, force)
    world.step()
    return np.concatenate([robot.generalized_coordinate, robot.generalized_velocity])


def cost_of(states, forces):
    way = sum(x @ ON_WAY @ x for x in states[:-1]) + EFFORT * float(forces @ forces)
    return 0.5 * (way + states[-1] @ GOAL @ states[-1])


def follow(states, forces, gains=None, share=0.0):
    """Return the way with forces changed by a share of `gains`, and by what it is off."""
    made, told = [start], []
    for k in range(STEPS):
        force = forces[k]
        if gains is not None:
            force += share * gains[k][0] + gains[k][1] @ (made[k] - states[k])
        told.append(float(force))
        made.append(step(made[k], told[k]))
    return np.array(made), np.array(told)


forces = 2.0 * np.sin(np.arange(STEPS) * DT * 5.0)
states, _ = follow(None, forces)
cost, damping = cost_of(states, forces), 1.0
for _ in range(60):
    matrices = []
    for k in range(STEPS):
        put(states[k], forces[k])
        found = linearizer.at(world)
        matrices.append((found.A, found.B[:, 0]))
    better = False
    while not better and damping < 1e6:
        slope, bend, gains = GOAL @ states[-1], GOAL, [None] * STEPS
        for k in reversed(range(STEPS)):
            A, B = matrices[k]
            steep = EFFORT * forces[k] + B @ slope
            stiff = EFFORT + B @ (bend + damping * np.eye(4)) @ B
            cross = B @ (bend + damping * np.eye(4)) @ A
            gains[k] = -steep / stiff, -cross / stiff
            along, turn = gains[k]
            own = EFFORT + B @ bend @ B
            slope = (
                ON_WAY @ states[k]
                + A.T @ slope
                + turn * (own * along + steep)
                + A.T @ bend @ B * along
            )
            mixed = np.outer(A.T @ bend @ B, turn)
            bend = ON_WAY + A.T @ bend @ A + own * np.outer(turn, turn) + mixed + mixed.T
        for share in 0.6 ** np.arange(8):
            trial = follow(states, forces, gains, share)
            new = cost_of(*trial)
            if new < cost:
                better = True
                break
        damping = max(damping / 3.0, 1e-6) if better else damping * 5.0
    if not better:
        break
    gain, (states, forces), cost = cost - new, trial, new
    if gain < 1e-3 * cost:
        break

print("ends at", states[-1], "with at most", np.abs(forces).max(), "N, cost", cost)
assert np.abs(states[-1][:2]).max() < 0.05
assert np.abs(states[-1][2:]).max() < 0.2
