"""A leg jumps to a height and lands on its foot again: iLQR through stance, lift-off, flight and landing."""

import numpy as np

import tribo

DT, STEPS = 0.005, 120
HEIGHT, APEX = 0.35, 60  # [m] of the trunk after so many steps
world = tribo.World(time_step=DT)
world.integrator = "semi_implicit"
world.erp = 1.0
world.add_ground(material="floor")
world.set_material_pair("floor", "foot", friction=0.8, restitution=0.0)
rail = tribo.LinkDescription("rail")
rail.fix_to_world()
trunk = rail.add_child("trunk", "prismatic", axis=(0, 0, 1), joint_name="height")
trunk.add_shape("box", (0.2, 0.1, 0.1), mass=2.0, collides=False)
leg = trunk.add_child("leg", "prismatic", axis=(0, 0, -1), joint_name="leg")
leg.add_shape("sphere", (0.03,), mass=0.2, material="foot")
robot = world.add_articulated_system(rail, name="hopper")
robot.set_pd_gains([0.0, 300.0], [0.0, 10.0])  # a spring in the leg, which takes the foot along
robot.pd_target = [0.0, 0.17]
linearizer = tribo.control.Linearizer(world)

start = np.array([0.2, 0.17, 0.0, 0.0])  # height, length of the leg, their velocities
goal = np.array([0.2, 0.17, 0.0, 0.0])  # it stands again
top = np.array([HEIGHT, 0.17, 0.0, 0.0])
AT_END, AT_TOP = np.diag([400.0, 400.0, 4.0, 4.0]), np.diag([4000.0, 40.0, 4.0, 0.4])
EFFORT = 2e-4 * DT
weight = 2.0 * 9.81


def put(state, force):
    robot.set_state(state[:2], state[2:])
    robot.generalized_force = [0.0, force]


def step(state, force):
    put(state, force)
    world.step()
    return np.concatenate([robot.generalized_coordinate, robot.generalized_velocity])


def terms(k, state):
    """Return cost, slope and bend of a state."""
    if k not in (APEX, STEPS):
        miss, stiff = state - goal, np.diag([0.0, 60.0, 0.0, 0.01]) * DT
    else:
        miss, stiff = (state - top, AT_TOP) if k == APEX else (state - goal, AT_END)
    return 0.5 * miss @ stiff @ miss, stiff @ miss, stiff


def cost_of(states, forces):
    way = sum(terms(k, x)[0] for k, x in enumerate(states))
    return way + 0.5 * EFFORT * float(((forces - weight) ** 2).sum())


def follow(states, forces, gains=None, share=0.0):
    """Return the way with forces changed by a share of `gains`, and by what it is off."""
    made, told = [start], []
    for k in range(STEPS):
        force = forces[k]
        if gains is not None:
            force += share * gains[k][0] + gains[k][1] @ (made[k] - states[k])
        told.append(float(np.clip(force, -150.0, 150.0)))
        made.append(step(made[k], told[k]))
    return np.array(made), np.array(told)


forces = np.full(STEPS, weight)
forces[15:35] = 80.0  # a push that leaves the floor: from standing there is no slope towards a jump
states, _ = follow(None, forces)
cost, damping = cost_of(states, forces), 1.0
rounds = 0
for _ in range(200):
    rounds += 1
    matrices, exact = [], 0
    for k in range(STEPS):
        put(states[k], forces[k])
        found = linearizer.at(world)
        exact += found.method == "exact"
        matrices.append((found.A, found.B[:, 0]))
    better = False
    while not better and damping < 1e6:
        _, slope, bend = terms(STEPS, states[-1])
        gains = [None] * STEPS
        for k in reversed(range(STEPS)):
            A, B = matrices[k]
            _, own_slope, own_bend = terms(k, states[k])
            steep = EFFORT * (forces[k] - weight) + B @ slope
            own = EFFORT + B @ bend @ B
            stiff = own + damping * EFFORT
            along, turn = -steep / stiff, -(B @ bend @ A) / stiff
            gains[k] = along, turn
            mixed = np.outer(A.T @ bend @ B, turn)
            slope = own_slope + A.T @ slope + turn * (own * along + steep) + A.T @ bend @ B * along
            bend = own_bend + A.T @ bend @ A + own * np.outer(turn, turn) + mixed + mixed.T
        for share in 0.6 ** np.arange(10):
            trial = follow(states, forces, gains, share)
            new = cost_of(*trial)
            if new < cost:
                better = True
                break
        damping = max(damping / 3.0, 1e-4) if better else damping * 5.0
    if not better:
        break
    gain, (states, forces), cost = cost - new, trial, new
    if gain < 1e-4 * cost:
        break

foot = states[:, 0] - states[:, 1] - 0.03
print(
    f"{rounds} rounds, cost {cost:.4f}: trunk at {states[APEX][0]:.4f} m, foot {foot.max():.3f} m above"
)
print(
    f"it ends at {states[-1]}, forces {forces.min():.0f} to {forces.max():.0f} N, {exact} steps exact"
)
assert abs(states[APEX][0] - HEIGHT) < 0.005
assert foot.max() > 0.05
assert np.abs(states[-1][:2] - goal[:2]).max() < 0.02
assert np.abs(states[-1][2:]).max() < 0.1
