"""Parallel mechanisms that nothing drives: the energy that they lose in steps of status 0.

`python validation/linkages.py [--kinds delta five-bar] [--seeds 6] [--steps 1000]` prints a table of
docs/physics/constraints.md. Each seed is a mechanism of random size and mass that falls; its first joints
start at a speed that all others follow. Losses and gains are shares of the largest kinetic energy so far.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import tribo

Builder = Callable[[np.random.Generator], tuple[str, str]]  # bodies and constraints, as MJCF
CASES = ((1e-3, 20.0), (2e-3, 5.0), (2e-3, 20.0))  # time step [s], speed of the first joints [rad/s]


def numbers(vector: np.ndarray | tuple[float, ...]) -> str:
    """Return a vector as an attribute."""
    return " ".join(f"{x:.9g}" for x in vector)


def rod(end: np.ndarray | tuple[float, ...], mass: float) -> str:
    """Return a rod from the origin of its body to a point."""
    shape = f'<geom type="capsule" size="0.01" mass="{mass}" contype="0" conaffinity="0"'
    return f'{shape} fromto="0 0 0 {numbers(end)}"/>'


def disc(radius: float, mass: float, place: np.ndarray | tuple[float, ...] = (0, 0, 0)) -> str:
    """Return the platform of a mechanism."""
    shape = f'<geom type="cylinder" size="{radius} 0.01" mass="{mass}" contype="0" conaffinity="0"'
    return f'{shape} pos="{numbers(place)}"/>'


def hinge(axis: str | np.ndarray, name: str = "") -> str:
    """Return a hinge; those that are named start at the speed of the case."""
    return f'<joint type="hinge" axis="{axis if isinstance(axis, str) else numbers(axis)}" name="{name}"/>'


def body(place: np.ndarray | tuple[float, ...], *parts: str) -> str:
    """Return a body with its joint, shapes, sites and bodies."""
    return f'<body pos="{numbers(place)}">{"".join(parts)}</body>'


def site(name: str, place: np.ndarray | tuple[float, ...]) -> str:
    """Return a point of a body."""
    return f'<site name="{name}" pos="{numbers(place)}"/>'


def pin(one: str, other: str) -> str:
    """Return a constraint that holds two sites together."""
    return f'<connect site1="{one}" site2="{other}"/>'


def add_delta(rng: np.random.Generator, *, carried: bool) -> tuple[str, str]:
    """Three arms with two rods each bear a platform: a free body, or a child of one rod (`carried`)."""
    base, top, arm, reach = rng.uniform((0.15, 0.04, 0.15, 0.35), (0.25, 0.08, 0.25, 0.5))
    angle, half_width = rng.uniform((0.1, 0.02), (0.9, 0.05))
    arm_mass, rod_mass, platform_mass = rng.uniform((0.2, 0.03, 0.2), (1.0, 0.2, 2.0))
    elbow_out = base + arm * np.cos(angle) - top
    height = -arm * np.sin(angle) - np.sqrt(max(reach, 1.2 * elbow_out) ** 2 - elbow_out**2)
    ways = [2 * np.pi * k / 3 for k in range(3)]
    out = [np.array([np.cos(a), np.sin(a), 0.0]) for a in ways]
    along = [np.array([-np.sin(a), np.cos(a), 0.0]) for a in ways]
    ends = {(k, s): top * out[k] + s * half_width * along[k] for k in range(3) for s in (-1, 1)}
    origin = ends[0, -1] if carried else np.zeros(3)  # of the platform's body, in the frame of its disc
    platform = disc(top, platform_mass, -origin)
    platform += "".join(site(f"p{k}{s}", end - origin) for (k, s), end in ends.items())
    bodies, pins = "", ""
    for k in range(3):
        elbow = arm * (np.cos(angle) * out[k] - np.array([0, 0, np.sin(angle)]))
        rods = ""
        for s in (-1, 1):
            start = elbow + s * half_width * along[k]
            end = np.array([0, 0, height]) + ends[k, s] - base * out[k] - start
            child = ""
            if carried and (k, s) == (0, -1):
                child = body(end, '<joint type="ball"/>', platform)
            else:
                pins += pin(f"s{k}{s}", f"p{k}{s}")
            rods += body(start, '<joint type="ball"/>', rod(end, rod_mass), site(f"s{k}{s}", end), child)
        bodies += body(base * out[k], hinge(along[k], f"j{k}"), rod(elbow, arm_mass), rods)
    if not carried:
        bodies += body((0, 0, height), "<freejoint/>", platform)
    return bodies, pins


def add_planar(rng: np.random.Generator) -> tuple[str, str]:
    """Three arms of two links about vertical axes turn and move a platform."""
    first, second, mass = rng.uniform((0.2, 0.22, 0.2), (0.3, 0.32, 2.0))
    bodies, pins, ends = "", "", ""
    for k in range(3):
        out = np.array([np.cos(2 * np.pi * k / 3 + 0.3), np.sin(2 * np.pi * k / 3 + 0.3)])
        elbow = bent(0.4 * out, 0.1 * out, first, second, 1)
        one, two = (*(elbow - 0.4 * out), 0), (*(0.1 * out - elbow), 0)
        link = body(one, hinge("0 0 1"), rod(two, 0.2), site(f"s{k}", two))
        bodies += body((*(0.4 * out), 0), hinge("0 0 1", f"j{k}"), rod(one, 0.3), link)
        ends += site(f"p{k}", (*(0.1 * out), 0))
        pins += pin(f"s{k}", f"p{k}")
    return bodies + body((0, 0, 0), "<freejoint/>", disc(0.1, mass), ends), pins


def bent(start: np.ndarray, end: np.ndarray, one: float, two: float, side: int) -> np.ndarray:
    """Return the elbow of two links between two points of a plane.

    Links that do not reach become 0.6 of the way.
    """
    way = end - start
    far = float(np.hypot(*way))
    if not abs(one - two) < 0.97 * far < 0.97**2 * (one + two):
        one = two = 0.6 * far
    angle = np.arctan2(way[1], way[0]) + side * np.arccos((one**2 + far**2 - two**2) / (2 * one * far))
    return start + one * np.array([np.cos(angle), np.sin(angle)])


def add_five_bar(rng: np.random.Generator) -> tuple[str, str]:
    """Two arms of two links in a vertical plane, their ends pinned together."""
    lengths = rng.uniform(0.2, 0.3, 4)
    tip = np.array([rng.uniform(-0.1, 0.1), rng.uniform(0.25, 0.35)])
    bodies = ""
    for k, start in enumerate((np.array([-0.2, 0.0]), np.array([0.2, 0.0]))):
        elbow = bent(start, tip, lengths[2 * k], lengths[2 * k + 1], 1 - 2 * k)
        one, two = ((d[0], 0.0, d[1]) for d in (elbow - start, tip - elbow))
        link = body(one, hinge("0 1 0"), rod(two, 0.2), site(f"s{k}", two))
        bodies += body((start[0], 0, start[1]), hinge("0 1 0", f"j{k}"), rod(one, 0.3), link)
    return bodies, pin("s0", "s1")


def add_scissor(rng: np.random.Generator) -> tuple[str, str]:
    """Two to four crosses on one another, each pinned in its middle; one foot slides."""
    crosses, angle = int(rng.integers(2, 5)), rng.uniform(0.3, 0.9)
    width, height = 0.4 * np.cos(angle), 0.4 * np.sin(angle)
    bodies = ""
    for side in range(2):
        inner = ""
        for k in reversed(range(crosses)):
            way = np.array([width if (k + side) % 2 == 0 else -width, 0, height])
            place = np.array([width * side, 0, 0]) if k == 0 else np.array([-way[0], 0, height])
            slide = '<joint type="slide" axis="1 0 0"/>' if side == 1 and k == 0 else ""
            joint = hinge("0 1 0", f"j{side}" if k == 0 else "")
            inner = body(place, slide, joint, rod(way, 0.2), site(f"m{side}{k}", way / 2), inner)
        bodies += inner
    return bodies, "".join(pin(f"m0{k}", f"m1{k}") for k in range(crosses))


KINDS: dict[str, Builder] = {
    "delta": lambda rng: add_delta(rng, carried=False),
    "delta, platform on one arm": lambda rng: add_delta(rng, carried=True),
    "five-bar": add_five_bar,
    "planar": add_planar,
    "scissor": add_scissor,
}


def mechanism(kind: str, seed: int, dt: float) -> tribo.World:
    """Return a world with a mechanism at rest."""
    bodies, pins = KINDS[kind](np.random.default_rng(seed))
    text = f"<mujoco><worldbody>{bodies}</worldbody><equality>{pins}</equality></mujoco>".replace(
        ' name=""', ""
    )
    world = tribo.World(time_step=dt)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mechanism.xml")
        path.write_text(text, "utf-8")
        world.load_mjcf(path, take_options=False)
    return world


def first_joints(world: tribo.World) -> Iterator[tuple[tribo.ArticulatedSystem, slice]]:
    """Yield the robots and dofs of the joints that have a name."""
    for robot in world.objects:
        if isinstance(robot, tribo.ArticulatedSystem):
            yield from ((robot, robot.velocity_slice(j.name)) for j in robot.joints if j.name[:1] == "j")


def set_speed(world: tribo.World, speed: float) -> None:
    """Give the first joints a speed, and all others the velocities that the pins then ask for."""
    dt = world.time_step
    for robot, dofs in first_joints(world):
        velocity = robot.generalized_velocity
        velocity[dofs] = speed
        robot.generalized_velocity = velocity
    world.time_step = 1e-6  # the pins take twenty short steps to agree
    world.step(20)
    world.time_step = dt
    most = max(abs(float(robot.generalized_velocity[dofs][0])) for robot, dofs in first_joints(world))
    for thing in world.objects:
        if isinstance(thing, tribo.ArticulatedSystem):
            thing.generalized_velocity = thing.generalized_velocity * speed / most
        else:
            thing.linear_velocity = thing.linear_velocity * speed / most
            thing.angular_velocity = thing.angular_velocity * speed / most


def follow(world: tribo.World, steps: int) -> tuple[float, float, float, int]:
    """Return the loss, the gain and the worst change in steps of status 0, and the number of others."""
    energy, most = world.energy, world.kinetic_energy
    lost = gained = worst = 0.0
    flagged = 0
    for _ in range(steps):
        world.step()
        most = max(most, world.kinetic_energy)
        change, energy = (world.energy - energy) / most, world.energy
        if world.status:
            flagged += 1
            continue
        lost, gained = lost - min(change, 0.0), gained + max(change, 0.0)
        worst = max(worst, abs(change))
    return lost, gained, worst, flagged


def main() -> None:
    """Print the means over the seeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=KINDS)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=1000)
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    print("| mechanism | dt ms | rad/s | lost | gained | worst step | flagged |\n|" + " --- |" * 7)
    for kind in chosen.kinds:
        for dt, speed in CASES:
            found = []
            for seed in range(chosen.seeds):
                world = mechanism(kind, seed, dt)
                set_speed(world, speed)
                found.append(follow(world, chosen.steps))
            lost, gained, worst, flagged = np.array(found).T
            share = flagged.mean() / chosen.steps
            figures = f"{lost.mean():.1e} | {gained.mean():.1e} | {worst.max():.1e} | {share:.1%}"
            print(f"| {kind} | {1e3 * dt:g} | {speed:g} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
