"""A cart-pole swings up by model predictive path integral control (MPPI), in real time.

Every 40 ms, 64 plans of 1 s are tried in one call, and weighted by what they cost. Source: Williams,
Aldrich, Theodorou, "Model predictive path integral control: from theory to parallel computation",
J. Guid. Control Dyn. 40(2), 2017, algorithm 1.
"""

import time

import numpy as np

import tribo

PLANS, HORIZON, STEPS = 64, 25, 2  # plans; controls in each; steps of 20 ms per control
FORCE, NOISE, TEMPERATURE = 15.0, 5.0, 2.0  # [N], [N], [–]
SECONDS = 5.0  # [s] that are simulated


def cart_pole():
    """Return a cart on a track along x with a pole that hangs down."""
    world = tribo.World(time_step=0.02)
    rail = tribo.LinkDescription("rail")
    cart = rail.add_child("cart", "prismatic", axis=(1, 0, 0), lower=-2.0, upper=2.0)
    cart.add_shape("box", (0.4, 0.25, 0.2), mass=1.0, collides=False)
    pole = cart.add_child("pole", "revolute", axis=(0, 1, 0), damping=0.002)
    pole.add_shape("capsule", (0.025, 1.0), mass=0.1, position=(0, 0, 0.5), collides=False)
    robot = world.add_articulated_system(rail, name="robot", fixed_base=True)
    robot.generalized_coordinate = [0.0, np.pi]  # 0: upright
    return world


def cost(q, v, force):
    """Return what each plan costs [–], (plans,): the pole up, the cart in the middle, little force."""
    running = 5.0 * (1.0 - np.cos(q[:, :, 1])) + 0.5 * q[:, :, 0] ** 2
    running += 0.05 * v[:, :, 1] ** 2 * (np.cos(q[:, :, 1]) > 0.8) + 0.02 * v[:, :, 0] ** 2
    running += 50.0 * (np.abs(q[:, :, 0]) > 1.8)
    return (running + 1e-4 * force**2).sum(axis=1) * 0.4


world = cart_pole()
batch = tribo.Batch(world, PLANS)
batch.rollout(forces={"robot": {"cart_joint": np.zeros((1, HORIZON))}}, start=world)  # warm up
rng = np.random.default_rng(0)
plan, angles, spent = np.zeros(HORIZON), [], []
for _ in range(round(SECONDS / (STEPS * world.time_step))):
    begun = time.perf_counter()
    # Noise that changes slowly: the sum over a few controls does not average out.
    noise = np.repeat(rng.normal(0.0, NOISE, (PLANS, HORIZON // 5)), 5, axis=1)
    noise[0] = 0.0
    tried = np.clip(plan + noise, -FORCE, FORCE)
    controls = {"robot": {"cart_joint": tried}}
    ways = batch.rollout(forces=controls, steps_per_control=STEPS, start=world)
    costs = cost(ways.coordinate("robot"), ways.velocity("robot"), tried)
    weights = np.exp(-(costs - costs.min()) / TEMPERATURE)
    plan = weights @ tried / weights.sum()
    spent.append(time.perf_counter() - begun)
    world["robot"].generalized_force = [plan[0], 0.0]
    world.step(STEPS)
    plan = np.append(plan[1:], 0.0)
    angles.append(float((world["robot"].generalized_coordinate[1] + np.pi) % (2 * np.pi) - np.pi))

up = np.abs(angles) < 0.2
first = int(np.argmax(up))
worst = max(np.abs(angles[-50:]))
print(f"upright after {first * STEPS * world.time_step:.2f} s, at last within {worst:.3f} rad")
print(f"a plan took {1e3 * np.median(spent):.1f} ms of {1e3 * STEPS * world.time_step:.0f} ms")
assert up[-50:].all()  # the last two seconds
assert abs(world["robot"].generalized_coordinate[0]) < 2.0
