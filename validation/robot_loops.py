"""Robots that pins close to loops and that spin freely: what becomes of their energy.

`python validation/robot_loops.py [--ms 2 1] [--speeds 10 20 50 100] [--seconds 2]` prints a table of
docs/physics/constraints.md: the largest change of the energy, relative, and in how many steps the world had
something to say. Nothing drives these mechanisms and they have no weight.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import tribo

BAR = 0.03  # [m] how thick bars are
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
TILTED = (0.8, 0.3, -0.4, 0.33)  # about no axis of the world; of any length


def bar(parent: tribo.LinkDescription, name: str, length: float, at: float = 0.0) -> tribo.LinkDescription:
    """Add a bar of 1 kg along x on a hinge about y, at a place along its parent."""
    link = parent.add_child(name, "revolute", position=(at, 0, 0), axis=(0, 1, 0))
    link.add_shape("box", (length, BAR, BAR), mass=1.0, position=(length / 2, 0, 0), collides=False)
    return link


def turned(turn: tuple[float, ...], point: tuple[float, ...]) -> np.ndarray:
    """Return where a turn (quaternion, of any length) takes a point."""
    w, *u = np.array(turn) / np.linalg.norm(turn)
    return np.array(point) + 2.0 * np.cross(u, np.cross(u, point) + w * np.array(point))


def chain(
    world: tribo.World, lengths: tuple[float, ...], x: float = 0.0, turn: tuple[float, ...] = UPRIGHT
) -> tribo.ArticulatedSystem:
    """Add a robot of bars in a row on a fixed base at (x, 0, 0), all of it turned."""
    root = link = tribo.LinkDescription("base")
    root.fix_to_world()
    for k, length in enumerate(lengths):
        link = bar(link, f"l{k}", length, lengths[k - 1] if k else 0.0)
    orientation = np.array(turn) / np.linalg.norm(turn)
    return world.add_articulated_system(root, position=turned(turn, (x, 0, 0)), orientation=orientation)


def along(angles: np.ndarray, lengths: tuple[float, ...]) -> np.ndarray:
    """Return where the tip of bars in a row is, (x, z), for the angles of its joints."""
    total = np.cumsum(angles)
    return np.array([np.cos(total) @ lengths, -np.sin(total) @ lengths])


def free_motion(gap: Callable[[np.ndarray], np.ndarray], q: np.ndarray, speed: float) -> np.ndarray:
    """Return joint velocities that leave a gap as it is, the fastest of them `speed`.

    Where more than one way is free it is the one that the singular vectors end with.
    """
    h = 1e-6
    rows = np.array([(gap(q + h * e) - gap(q - h * e)) / (2 * h) for e in np.eye(len(q))]).T
    way = np.linalg.svd(rows)[2][-1]
    return way / np.abs(way).max() * speed


def four_bars(
    speed: float,
    dt: float,
    *,
    turn: tuple[float, ...] = UPRIGHT,
    hinged: bool = False,
    rocker_first: bool = False,
) -> tribo.World:
    """A crank of 0.1 m turns a rocker of 0.3 m by way of a coupler of 0.4 m, tied to it."""
    world = tribo.World(time_step=dt, gravity=(0, 0, 0))
    if rocker_first:
        rocker = chain(world, (0.3,), 0.4, turn)
        crank = chain(world, (0.1, 0.4), 0.0, turn)
    else:
        crank = chain(world, (0.1, 0.4), 0.0, turn)
        rocker = chain(world, (0.3,), 0.4, turn)
    tip = np.array([0.1 + 0.16 / 0.6, np.sqrt(0.16 - (0.16 / 0.6) ** 2)])
    q = np.array([0.0, np.arctan2(-tip[1], tip[0] - 0.1), np.arctan2(-tip[1], tip[0] - 0.4)])

    def gap(q: np.ndarray) -> np.ndarray:
        return along(q[:2], (0.1, 0.4)) - along(q[2:], (0.3,)) - np.array([0.4, 0.0])

    v = free_motion(gap, q, 1.0)
    v *= speed / v[0]
    crank.generalized_coordinate, rocker.generalized_coordinate = q[:2], q[2:]
    crank.generalized_velocity, rocker.generalized_velocity = v[:2], v[2:]
    ends, place = (crank.link("l1"), rocker.link("l0")), turned(turn, (tip[0], 0, tip[1]))
    if hinged:
        world.add_hinge(*ends, position=place, axis=turned(turn, (0, 1, 0)))
    else:
        world.add_pin(*ends, position=place)
    return world


def tilted_four_bars(speed: float, dt: float) -> tribo.World:
    """The four bars, tied by a hinge, in a plane that is none of the world's."""
    return four_bars(speed, dt, turn=TILTED, hinged=True)


def pinned_arm(speed: float, dt: float) -> tribo.World:
    """Three bars of 0.3 m in a row, pinned to the world at the tip."""
    lengths = (0.3, 0.3, 0.3)
    world = tribo.World(time_step=dt, gravity=(0, 0, 0))
    arm, q = chain(world, lengths), np.array([0.4, 1.0, 0.8])
    tip = along(q, lengths)
    arm.generalized_coordinate = q
    arm.generalized_velocity = free_motion(lambda q: along(q, lengths), q, speed)
    world.add_pin(arm.link("l2"), None, position=(tip[0], 0, tip[1]))
    return world


def slider_crank(speed: float, dt: float) -> tribo.World:
    """A crank of 0.1 m on a rod of 0.3 m moves a piston of 1 kg to and fro."""
    world = tribo.World(time_step=dt, gravity=(0, 0, 0))
    crank = chain(world, (0.1, 0.3))
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    piston = root.add_child("piston", "prismatic", axis=(1, 0, 0))
    piston.add_shape("box", (0.1, 0.1, 0.1), mass=1.0, collides=False)
    slide = world.add_articulated_system(root)
    rod = np.arcsin(-np.sin(1.0) / 3.0)
    q = np.array([1.0, rod - 1.0, 0.1 * np.cos(1.0) + 0.3 * np.cos(rod)])

    def gap(q: np.ndarray) -> np.ndarray:
        return along(q[:2], (0.1, 0.3)) - np.array([q[2], 0.0])

    v = free_motion(gap, q, 1.0)
    v *= speed / v[0]
    crank.generalized_coordinate, slide.generalized_coordinate = q[:2], q[2:]
    crank.generalized_velocity, slide.generalized_velocity = v[:2], v[2:]
    world.add_pin(crank.link("l1"), slide.link("piston"), position=(q[2], 0, 0))
    return world


def two_robots(speed: float, dt: float) -> tribo.World:
    """Two floating robots of two ball joints each, pinned to each other in motion, after that impact."""
    world = tribo.World(time_step=dt, gravity=(0, 0, 0))
    rng = np.random.default_rng(1)
    tips = []
    for name in "ab":
        root = link = tribo.LinkDescription(name)
        root.add_shape("box", (0.1, 0.2, 0.3), mass=1.0, collides=False)
        for k in range(2):
            link = link.add_child(f"{name}{k}", "spherical", position=(0, 0, 0.25))
            axes = (0.05, 0.06, 0.15)
            link.add_shape("ellipsoid", axes, mass=0.2, position=(0, 0, 0.125), collides=False)
        robot = world.add_articulated_system(root, name=name)
        for joint in robot.joints:
            turn = rng.normal(size=4)
            joint.coordinate = turn / np.linalg.norm(turn)
        tips.append(robot.link(f"{name}1"))
        if len(tips) == 2:
            q = np.array(robot.generalized_coordinate)
            q[:3] += tips[0].position - tips[1].position
            robot.generalized_coordinate = q
        robot.generalized_velocity = speed * rng.normal(size=robot.dof)
    world.add_pin(*tips, position=tips[0].position)
    world.step(5)
    return world


SCENES = {
    "four bars": four_bars,
    "four bars, tilted, on a hinge": tilted_four_bars,
    "arm pinned to the world": pinned_arm,
    "slider crank": slider_crank,
    "two robots": two_robots,
}


def change(world: tribo.World, seconds: float) -> tuple[float, int, tribo.Status]:
    """Return the largest change of the energy, relative, in how many steps a status was set, and which."""
    start, most, steps, said = world.energy, 0.0, 0, tribo.Status(0)
    for _ in range(round(seconds / world.time_step)):
        world.step()
        most = max(most, abs(world.energy / start - 1.0))
        steps += bool(world.status)
        said |= world.status
    return most, steps, said


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ms", type=float, nargs="+", default=[2.0, 1.0])
    parser.add_argument("--speeds", type=float, nargs="+", default=[10.0, 20.0, 50.0, 100.0])
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    for name, scene in SCENES.items():
        for speed in options.speeds:
            row = []
            for ms in options.ms:
                most, steps, said = change(scene(speed, 1e-3 * ms), options.seconds)
                row.append(f"{ms:g} ms: {most:.1e}" + (f" ({said!r} in {steps})" if steps else ""))
            print(f"{name}, {speed:g} rad/s: " + ", ".join(row), flush=True)


if __name__ == "__main__":
    main()
