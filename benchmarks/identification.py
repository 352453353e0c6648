"""Find parameters of simulated data sets with noise again: how often is the true value in the interval?

    python benchmarks/identification.py [--sets 100] [--case NAME] [--threads 1]

Each data set has parameters of its own, drawn within the bounds, noise of its own and an unknown start. An
interval of 95 % holds the true value in 95 of 100 sets on the average; between 89 and 99 of 100 is what
chance leaves (binomial, 99 %).
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import tribo
from tribo.identification import Trajectory, Unknown, body, joint, pair


class Case(NamedTuple):
    """A kind of experiment."""

    world: Callable[[], tribo.World]
    column: str
    noise: float
    rate: float  # rows per second
    rows: int
    unknowns: list[Unknown]
    inputs: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None


def bounce() -> tribo.World:
    """Return a table-tennis ball above a table."""
    world = tribo.World(time_step=0.002)
    world.impact = "propagate"  # rebounds at their own times: heights are smooth functions of the restitution
    world.add_ground(material="table")
    world.add_sphere(0.02, 0.0027, "ball", position=(0, 0, 0.4), name="ball")
    world.set_material_pair("table", "ball", restitution=0.7)
    return world


def slide() -> tribo.World:
    """Return a box that slides on a table."""
    world = tribo.World(time_step=0.002)
    world.add_ground(material="table")
    box = world.add_box((0.2, 0.2, 0.05), 1.0, "wood", position=(0, 0, 0.025), name="box")
    box.linear_velocity = (1.2, 0.0, 0.0)
    world.set_material_pair("table", "wood", friction=0.3)
    return world


def roll() -> tribo.World:
    """Return a ball that rolls on felt."""
    world = tribo.World(time_step=0.002)
    world.add_ground(material="felt")
    ball = world.add_sphere(0.03, 0.2, "ivory", position=(0, 0, 0.03), name="ball")
    ball.linear_velocity, ball.angular_velocity = (0.6, 0.0, 0.0), (0.0, 20.0, 0.0)
    world.set_material_pair("felt", "ivory", friction=0.5, rolling_friction=0.02)
    return world


def arm() -> tribo.World:
    """Return a pendulum with a motor."""
    world = tribo.World(time_step=0.002)
    base = tribo.LinkDescription("base")
    rod = base.add_child("rod", "revolute", axis=(0, 1, 0))
    rod.add_shape("capsule", (0.02, 0.4), mass=0.8, position=(0, 0, -0.25), collides=False)
    robot = world.add_articulated_system(base, name="arm", fixed_base=True)
    robot.generalized_coordinate = [0.6]
    return world


def chirp(t: np.ndarray) -> dict[str, np.ndarray]:
    """Return a torque whose frequency grows."""
    return {"feedforward/arm/rod_joint": 1.5 * np.sin(2.0 * np.pi * (0.5 + 0.8 * t) * t)}


CASES = {
    "restitution of a bounce": Case(
        bounce, "q/ball/z", 0.003, 60.0, 90, [pair("table", "ball", restitution=(0.4, 0.95))]
    ),
    "friction of a slide": Case(
        slide, "q/box/x", 0.002, 50.0, 40, [pair("table", "wood", friction=(0.05, 0.6))]
    ),
    "rolling friction": Case(
        roll, "q/ball/x", 0.002, 25.0, 50, [pair("felt", "ivory", rolling_friction=(0.002, 0.06))]
    ),
    "friction and damping of a pendulum": Case(
        arm, "q/arm/rod_joint", 0.005, 50.0, 150,
        [joint("arm", "rod_joint", damping=(0.0, 0.1), dry_friction=(0.0, 0.1))],
    ),
    "mass, armature and damping under torque": Case(
        arm, "q/arm/rod_joint", 0.005, 50.0, 150,
        [body("arm", "rod", mass=(0.4, 1.6)),
         joint("arm", "rod_joint", armature=(0.0, 0.05), damping=(0.0, 0.2))], chirp,
    ),
}  # fmt: skip


def data_set(case: Case, seed: int, threads: int | None) -> tuple[dict[str, float], Trajectory]:
    """Return true parameters and what was measured."""
    generator = np.random.default_rng(seed)
    world = case.world()
    true: dict[str, float] = {}
    for unknown in case.unknowns:
        share = generator.uniform(0.1, 0.9, len(unknown.bounds))
        values = [b.low + s * (b.high - b.low) for b, s in zip(unknown.bounds, share, strict=True)]
        unknown.read(world)
        unknown.set_in_world(world, np.array(values))
        true |= dict(zip(unknown.names, values, strict=True))
    _, name, coordinate = case.column.split("/")
    part = world[name]
    place = "xyz".index(coordinate) if coordinate in "xyz" else 0
    times = np.arange(case.rows) / case.rate
    told = case.inputs(times) if case.inputs else {}
    steps = np.rint(times / world.time_step).astype(int)
    seen, at = [], 0
    for k, step in enumerate(steps):
        world.step(int(step - at))
        at = int(step)
        seen.append(part.generalized_coordinate[place])
        for values in told.values():
            part.generalized_force = [values[k]]
    measured = np.array(seen) + generator.normal(0.0, case.noise, case.rows)
    film = Trajectory(steps * world.time_step, {case.column: measured}, noise=case.noise, inputs=told)
    return true, film


def measure(case: Case, sets: int, threads: int | None) -> tuple[dict[str, int], float, float]:
    """Return by parameter how many intervals hold the true value; the mean χ²/ν; seconds for each set."""
    inside = dict.fromkeys((name for unknown in case.unknowns for name in unknown.names), 0)
    squares, begin = 0.0, time.perf_counter()
    for seed in range(sets):
        true, film = data_set(case, seed, threads)
        found = tribo.identify(case.world(), film, case.unknowns, threads=threads)
        squares += found.reduced_chi_square / sets
        for name, value in true.items():
            inside[name] += found[name].low <= value <= found[name].high
    return inside, squares, (time.perf_counter() - begin) / sets


def main() -> None:
    """Print a line for each parameter of each case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--case", choices=CASES)
    parser.add_argument("--threads", type=int)
    given = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    for name in [given.case] if given.case else CASES:
        inside, squares, seconds = measure(CASES[name], given.sets, given.threads)
        for parameter, count in inside.items():
            print(
                f"{name}: {parameter} in the interval in {count} of {given.sets}; χ²/ν {squares:.3f}; "
                f"{seconds:.2f} s for each set",
                flush=True,
            )


if __name__ == "__main__":
    main()
