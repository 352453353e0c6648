"""Trees that turn far in a step: what becomes of their energy, alone and with forces that belong to the step.

`python validation/fast_trees.py` prints two tables of docs/physics/integration.md: whips of ball joints, and
random trees with dry friction, stops, mimic joints, dampers, springs, wires and pins. Energy that appears is
an error whatever acts; energy that is lost is one only of the whips.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np

import tribo
from tribo import Status

KINDS = {
    "nothing": (),
    "dry friction": ("friction",),
    "stops": ("stops",),
    "mimic joints": ("mimic",),
    "dampers": ("damping",),
    "springs": ("stiffness",),
    "wires": ("wire",),
    "pins": ("pin",),
    "all but springs": ("friction", "stops", "mimic", "damping"),
}
TREES, STEPS = 300, 150
GAIN = 0.03  # [–] of the energy


def whip(speed: float, seed: int) -> tuple[tribo.World, tribo.ArticulatedSystem]:
    """Return six links on ball joints without weight, thrown at a joint velocity of up to `speed` [rad/s]."""
    root = link = tribo.LinkDescription("root")
    root.fix_to_world()
    for k in range(6):
        link = link.add_child(f"l{k}", "spherical", position=(0, 0, -0.2 * (k > 0)))
        link.mass, link.com, link.inertia = 0.3, (0, 0, -0.1), 1e-3 * np.eye(3)
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(root, collision_mask=0)
    v = np.random.default_rng(seed).normal(size=robot.dof)
    robot.generalized_velocity = speed * v / np.abs(v).max()
    return world, robot


def give_mass(link: tribo.LinkDescription, rng: np.random.Generator) -> None:
    """Give a link a mass, and an inertia that some body has."""
    link.mass = float(rng.uniform(0.1, 2.0))
    link.com = tuple(0.1 * rng.normal(size=3))
    halves = rng.uniform(0.3, 1.0, 3)
    axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    link.inertia = 0.01 * link.mass * axes @ np.diag(halves.sum() - halves) @ axes.T


def options(
    kind: str, parts: tuple[str, ...], leaders: list[str], rng: np.random.Generator
) -> dict[str, object]:
    """Return what acts on a joint, half of the time."""
    chosen: dict[str, object] = {}
    if "stops" in parts and rng.random() < 0.6:
        if kind == "spherical":
            chosen.update(upper=float(rng.uniform(0.2, 1.5)), is_cone=bool(rng.random() < 0.5))
        elif kind == "prismatic":
            chosen.update(lower=-0.1, upper=0.1)
        else:
            chosen.update(lower=-float(rng.uniform(0.05, 2)), upper=float(rng.uniform(0.05, 2)))
    for part, low, high in (("damping", -6, 1), ("friction", -3, 1), ("stiffness", -1, 4)):
        if part in parts and rng.random() < 0.5:
            chosen[part] = float(10.0 ** rng.uniform(low, high))
    if "mimic" in parts and kind == "revolute" and leaders and rng.random() < 0.5:
        leader = leaders[rng.integers(len(leaders))]
        chosen["mimic"] = (leader, float(rng.choice([1.0, -1.0, 2.0, 0.5])), 0.0)
    return chosen


def tie(world: tribo.World, robot: tribo.ArticulatedSystem, parts: tuple[str, ...],
        rng: np.random.Generator) -> None:  # fmt: skip
    """Tie the last link to the world where it is: by a wire with a little slack, or by a pin."""
    last = robot.link(robot.body_names[-1])
    place = robot.frame(robot.joint_names[-1]).position
    if "pin" in parts:
        world.add_pin(last, None, position=place)
        return
    anchor = place + 0.3 * rng.normal(size=3)
    slack = float(rng.choice([0.0, 0.01, 0.1]))
    world.add_wire(last, None, (0, 0, 0), anchor, length=float(np.linalg.norm(anchor - place)) + slack)


def random_tree(seed: int, parts: tuple[str, ...]) -> tribo.World:
    """Return a tree of 1 to 7 joints, thrown at 1 to 2000 rad/s; steps of 0.1 to 10 ms."""
    rng = np.random.default_rng(seed)
    root = tribo.LinkDescription("root")
    give_mass(root, rng)
    is_floating = rng.random() < 0.5
    if not is_floating:
        root.fix_to_world()
    links = [root]
    leaders: list[str] = []
    for k in range(int(rng.integers(1, 8))):
        parent = links[-1] if rng.random() < 0.7 else links[rng.integers(len(links))]
        kind = str(rng.choice(["revolute", "spherical", "prismatic"], p=[0.5, 0.35, 0.15]))
        chosen = options(kind, parts, leaders, rng)
        turn = rng.normal(size=4)
        link = parent.add_child(
            f"l{k}", kind, joint_name=f"j{k}", axis=tuple(rng.normal(size=3)),
            position=tuple(0.15 * rng.normal(size=3)), quaternion=tuple(turn / np.linalg.norm(turn)),
            **chosen,
        )  # fmt: skip
        give_mass(link, rng)
        links.append(link)
        if kind == "revolute" and "mimic" not in chosen:
            leaders.append(f"j{k}")
    world = tribo.World(time_step=float(rng.choice([1e-4, 1e-3, 3e-3, 1e-2])), gravity=(0, 0, 0))
    robot = world.add_articulated_system(root, collision_mask=0, collision_group=0)
    if "wire" in parts or "pin" in parts:
        tie(world, robot, parts, rng)
    v = rng.normal(size=robot.dof)
    if is_floating:
        v[:3] *= 0.01
    robot.generalized_velocity = float(10.0 ** rng.uniform(0, 3.3)) * v / np.abs(v).max()
    return world


def energies(world: tribo.World, steps: int) -> Iterator[tuple[float, bool]]:
    """Yield the energy after each step, in parts of the first, and whether it was said to be coarse.

    Ends early where the world becomes invalid, in a step that may have said so.
    """
    before = world.energy
    for _ in range(steps):
        try:
            world.step()
        except tribo.SimulationError:
            if world.status & Status.TIME_STEP_TOO_LONG:
                yield world.energy / before, True
            return
        yield world.energy / before, bool(world.status & Status.TIME_STEP_TOO_LONG)


def judge(world: tribo.World) -> tuple[bool, bool, bool]:
    """Return whether a world gained energy or broke unsaid, was said to be coarse, became invalid."""
    gained = said = False
    for energy, is_coarse in energies(world, STEPS):
        said = said or is_coarse
        gained = gained or (not said and energy > 1 + GAIN)
    is_invalid = bool(world.status & Status.INVALID)
    return gained or (is_invalid and not said), said, is_invalid


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--trees", type=int, default=TREES)
    trees = parser.parse_args().trees
    warnings.simplefilter("ignore")
    print("| rad/s | largest error of the energy in 1 s | steps in parts | coarse |")
    for speed in (5.0, 10.0, 20.0, 50.0, 100.0, 1000.0):
        worst, parts, said = 0.0, 0, 0
        for seed in (1, 2):
            world, _ = whip(speed, seed)
            for energy, is_coarse in energies(world, 1000):
                worst = max(worst, abs(energy - 1))
                parts += int(world.engine.work.tree_is_fourth.any())
                said += is_coarse
        print(f"| {speed:g} | {worst:.1e} | {parts / 20:.0f} % | {said} |")
    print("| with | gained or invalid, unsaid | coarse | invalid |")
    for name, what in KINDS.items():
        found = np.array([judge(random_tree(seed, what)) for seed in range(trees)]).sum(axis=0)
        print(f"| {name} | {found[0]} | {found[1]} | {found[2]} |", flush=True)


if __name__ == "__main__":
    main()
