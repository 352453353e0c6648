"""Robots of public packages fall limp: the energy that they gain in steps of status 0.

    python validation/limp_robots.py SITE [--only anymal shadow] [--seeds 3] [--seconds 2]

SITE is the folder of `benchmarks/public_robots.py`. Each run starts half a metre up in a random pose within
the joints' limits, at random joint velocities, without drives, actuators and equality constraints. Nothing
can add energy but errors of the step, and overlaps that are closed: steps that begin with more than 1 µm
are left out. A gain is a share of the largest kinetic energy so far and a tenth of the weight times a metre.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from pathlib import Path

import mujoco
import numpy as np

import tribo

DATA = "cmeel.prefix/share/"
URDFS = [
    f"{DATA}example-robot-data/robots/{file}.urdf"
    for file in (
        "panda_description/urdf/panda", "ur_description/urdf/ur5_robot", "talos_data/robots/talos_reduced",
        "allegro_hand_description/urdf/allegro_right_hand", "solo_description/robots/solo12",
        "solo_description/robots/solo", "anymal_b_simple_description/robots/anymal",
        "icub_description/robots/icub_reduced", "hyq_description/robots/hyq_no_sensors",
        "kinova_description/robots/kinova", "simple_humanoid_description/urdf/simple_humanoid",
        "bolt_description/robots/bolt", "laikago_description/urdf/laikago", "tiago_description/robots/tiago",
    )
]  # fmt: skip
SUITE = "dm_control/suite/"
HANDS = "gymnasium_robotics/envs/assets/"
MJCFS = [
    SUITE + f"{name}.xml"
    for name in (
        "humanoid", "dog", "quadruped", "walker", "cheetah", "hopper", "stacker", "manipulator",
        "humanoid_CMU", "finger", "fish",
    )
] + [
    HANDS + f"{name}.xml"
    for name in (
        "hand/reach", "hand/manipulate_block", "fetch/reach", "fetch/pick_and_place",
        "adroit_hand/adroit_hammer", "adroit_hand/adroit_pen", "adroit_hand/adroit_relocate",
    )
]  # fmt: skip
UP = 0.5  # [m]
SPEED = 1.0  # [rad/s], standard deviation of joint velocities
DEEP = 1e-6  # [m] overlap that counts


def scene(file: Path, site: Path, dt: float) -> tuple[tribo.World, list[tribo.ArticulatedSystem]]:
    """Return a world with a robot of a file, and all robots of it."""
    world = tribo.World(time_step=dt)
    world.default_pair = tribo.PairProperties(friction=0.8, restitution=0.0)
    if file.suffix == ".urdf":
        world.add_ground()
        world.add_articulated_system(str(file), package_dirs=[str(site / DATA)], position=(0, 0, 1.0))
    else:
        spec = mujoco.MjSpec.from_file(str(file))
        for part in [*spec.sensors, *spec.actuators, *spec.equalities]:  # those of files begin open
            spec.delete(part)
        world.load_mujoco(spec.compile(), take_options=False)
    return world, [o for o in world.objects if isinstance(o, tribo.ArticulatedSystem)]


def set_pose(robot: tribo.ArticulatedSystem, rng: np.random.Generator, *, turned: bool) -> None:
    """Take a robot's drives away and give it a random pose and velocity."""
    robot.set_pd_gains(0.0, 0.0)
    q, first = robot.generalized_coordinate, 6 if robot.is_floating else 0
    if robot.is_floating:
        q[:3] = 0.0, 0.0, q[2] + UP
    if robot.is_floating and turned:
        q[3:7] = rng.normal(size=4)
        q[3:7] /= np.linalg.norm(q[3:7])
    for joint in robot.joints:
        place = robot.coordinate_slice(joint.name)
        if place.stop - place.start == 1 and np.isfinite(joint.limits).all():
            low, high = joint.limits
            margin = 0.05 * (high - low)
            moved = q[place.start] + rng.uniform(-0.2, 0.2) * (high - low)
            q[place.start] = np.clip(moved, low + margin, high - margin)
    robot.generalized_coordinate = q
    robot.generalized_velocity = np.r_[np.zeros(first), SPEED * rng.normal(size=robot.dof - first)]


def fall(file: Path, site: Path, seed: int, seconds: float, dt: float) -> tuple[float, int, int, float]:
    """Return the largest gain, how many steps gain 1e-6, how many are flagged, and the last overlap."""
    world, robots = scene(file, site, dt)
    rng = np.random.default_rng(seed)
    for robot in robots:
        set_pose(robot, rng, turned=file.suffix == ".urdf")
    weight = 9.81 * sum(robot.mass for robot in robots)
    energy, most, worst, gains, flagged = world.energy, world.kinetic_energy, 0.0, 0, 0
    for _ in range(round(seconds / dt)):
        deep = max((contact.depth for contact in world.contacts), default=0.0)
        world.step()
        most = max(most, world.kinetic_energy)
        gain, energy = (world.energy - energy) / (most + 0.1 * weight), world.energy
        if world.status:
            flagged += 1
        elif deep < DEEP:
            worst, gains = max(worst, gain), gains + (gain > 1e-6)
    return worst, gains, flagged, max((contact.depth for contact in world.contacts), default=0.0)


def main() -> None:
    """Print a row for each file, and the worst of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("site", type=Path, help="folder with the packages")
    parser.add_argument("--only", nargs="*", default=[""], help="parts of names of files")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--dt", type=float, default=1e-3)
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    print("| file | worst gain | steps that gain | flagged | overlap at the end mm |\n|" + " --- |" * 5)
    largest = 0.0
    for name in URDFS + MJCFS:
        file = chosen.site / name
        if not file.exists() or not any(part in name for part in chosen.only):
            continue
        runs = [fall(file, chosen.site, seed, chosen.seconds, chosen.dt) for seed in range(chosen.seeds)]
        worst, gains, flagged, deep = np.array(runs).T
        largest = max(largest, worst.max())
        figures = f"{worst.max():.1e} | {gains.sum():.0f} | {flagged.sum():.0f} | {1e3 * deep.max():.4f}"
        print(f"| {file.stem} | {figures} |", flush=True)
    print(f"worst gain in a step: {largest:.1e}")


if __name__ == "__main__":
    main()
