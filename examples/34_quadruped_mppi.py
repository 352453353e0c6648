"""A quadruped trots by model predictive path integral control (MPPI): no policy, nothing learnt.

A trot that nobody balances, feet on arcs by a clock, is where plans begin; every 40 ms, 24 plans of 0.24 s
with noise on all joint targets are tried in one call, and weighted by what they cost. Source: Williams,
Aldrich, Theodorou, "Model predictive path integral control: from theory to parallel computation",
J. Guid. Control Dyn. 40(2), 2017, algorithm 1.
"""

import sys
import time

import numpy as np

import tribo
from tribo.gym.tasks import quadruped

PLANS, HORIZON, STEPS, AGAIN = (24, 12, 4, 2)  # plans; controls of 4 steps in each; controls until the next
SPEED, SECONDS = 0.5, 4.0  # [m/s] forward; [s]
NOISE, TEMPERATURE = np.tile([0.05, 0.08, 0.08], 4), 0.5  # [rad] of HAA, HFE, KFE; [–]
SWING, LIFT = 0.17, 0.35  # [rad] by which legs swing to and fro, and are bent in the air
WALKER = quadruped.WALKER
FRONT = np.array([1.0, 1.0, -1.0, -1.0])  # knees of the hind legs bend the other way


def trot(times):
    """Return joint targets of a trot in the open, (n, 12) [rad]."""
    phase = (WALKER.strides * times[:, None] + WALKER.late) % 1.0  # (n, legs)
    stands = phase < 0.5
    fore = SWING * np.where(stands, 1.0 - 4.0 * phase, 4.0 * phase - 3.0)
    bent = LIFT * np.where(stands, 0.0, np.sin(2.0 * np.pi * (phase - 0.5)))
    made = np.zeros((len(times), 4, 3))
    made[:, :, 1] = -fore + FRONT * bent  # a leg that turns about +y swings back
    made[:, :, 2] = -2.0 * FRONT * bent
    return WALKER.stance + made.reshape(-1, 12)


def cost(q, v, change):
    """Return what each plan costs [–], (plans,): speed, height, level and straight, little change."""
    running = 4.0 * (v[:, :, 0] - SPEED) ** 2 + 4.0 * v[:, :, 1] ** 2 + 0.5 * v[:, :, 2] ** 2
    running += 100.0 * (q[:, :, 2] - WALKER.height) ** 2 + q[:, :, 1] ** 2
    running += 20.0 * (q[:, :, 4:6] ** 2).sum(axis=2) + 8.0 * q[:, :, 6] ** 2
    running += 0.1 * (v[:, :, 3:6] ** 2).sum(axis=2)
    return (running + 0.3 * (change**2).sum(axis=2)).sum(axis=1)


def walk(plans, seed):
    """Return speed, place aside, height, how well the feet keep step, seconds of processors for a plan.

    With one plan there is no noise: the trot alone.
    """
    world = quadruped.world()
    dog = world["dog"]
    batch = tribo.Batch(world, plans)
    batch.rollout(targets={"dog": np.tile(WALKER.stance, (plans, 1, 1))}, start=world)  # warm up
    rng = np.random.default_rng(seed)
    added, spent, speeds, kept_step = np.zeros((HORIZON, 12)), [], [], []
    control = STEPS * world.time_step
    for k in range(0, round(SECONDS / control), AGAIN):
        begun = time.process_time()
        nominal = trot(control * (k + np.arange(HORIZON)))
        noise = rng.normal(0.0, NOISE, (plans, HORIZON // 3, 12)).repeat(3, axis=1)
        noise[0] = 0.0
        tried = added + noise
        ways = batch.rollout(targets={"dog": nominal + tried}, steps_per_control=STEPS, start=world)
        costs = cost(ways.coordinate("dog"), ways.velocity("dog"), tried)
        weights = np.where(ways.made_it, np.exp(-(costs - np.nanmin(costs)) / TEMPERATURE), 0.0)
        added = np.tensordot(weights / weights.sum(), tried, 1)
        spent.append(time.process_time() - begun)
        for now in range(AGAIN):
            target = dog.pd_target.copy()
            target[7:] = nominal[now] + added[now]
            dog.pd_target = target
            world.step(STEPS)
            speeds.append(float(dog.generalized_velocity[0]))
            stands = [dog.in_contact(f"{leg}_FOOT") for leg in ("LF", "RF", "LH", "RH")]
            phase = (WALKER.strides * control * (k + now + 1) + WALKER.late) % 1.0
            kept_step.append(np.mean(stands == (phase < 0.5)))
        added = np.concatenate([added[AGAIN:], np.zeros((AGAIN, 12))])
    speed, q = float(np.mean(speeds[50:])), dog.generalized_coordinate
    return speed, float(q[1]), float(q[2]), float(np.mean(kept_step)), float(np.median(spent))


seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
alone = walk(1, seed)[0]
speed, aside, height, kept_step, spent = walk(PLANS, seed)
print(f"by the clock alone {alone:.2f} m/s; with plans {speed:.2f} m/s of {SPEED}")
print(f"{aside:+.2f} m aside, height {height:.2f} m")
print(f"feet stand and swing as the clock says {100 * kept_step:.0f} % of the time")
print(f"a plan took {1e3 * spent:.0f} ms of processors for {20 * AGAIN} ms")
assert abs(speed - SPEED) < 0.15 < SPEED - alone
assert height > 0.8 * WALKER.height
assert abs(aside) < 0.4
assert kept_step > 0.7
