"""Bodies that fall tumbling onto flat grounds of every kind: how deep do they go in, and is it said?

`python validation/landings.py [--landings 100] [--steps 0.001 0.004]` prints a table, summed up in
docs/physics/collision.md: bodies of 0.1 to 0.3 m come down at 1 to 20 m/s, aside at up to half of that,
turning at up to 30 rad/s, without rebound. The depth after a step is that of the lowest point of the
shape's formula. Then piles of ten such bodies fall at 15 m/s.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterator

import numpy as np
from approaches import direction

import tribo

Lowest = Callable[[np.ndarray], float]  # how far a shape reaches along a direction of its own axes


def box(world: tribo.World, r: np.ndarray, _: np.random.Generator) -> tuple[tribo.SingleBody, Lowest]:
    """Add a box with half edges r."""
    return world.add_box(2.0 * r, 1.0), lambda d: float(r @ np.abs(d))


def sphere(world: tribo.World, r: np.ndarray, _: np.random.Generator) -> tuple[tribo.SingleBody, Lowest]:
    """Add a ball."""
    return world.add_sphere(r[0], 1.0), lambda d: float(r[0])


def cylinder(world: tribo.World, r: np.ndarray, _: np.random.Generator) -> tuple[tribo.SingleBody, Lowest]:
    """Add a cylinder of half height r[1]."""
    body = world.add_cylinder(r[0], 2.0 * r[1], 1.0)
    return body, lambda d: float(r[0] * np.hypot(d[0], d[1]) + r[1] * abs(d[2]))


def capsule(world: tribo.World, r: np.ndarray, _: np.random.Generator) -> tuple[tribo.SingleBody, Lowest]:
    """Add a capsule, its caps' centres r[1] from the middle."""
    return world.add_capsule(r[0], 2.0 * r[1], 1.0), lambda d: float(r[0] + r[1] * abs(d[2]))


def hull(world: tribo.World, r: np.ndarray, rng: np.random.Generator) -> tuple[tribo.SingleBody, Lowest]:
    """Add the hull of the eight corners of a sheared box."""
    signs = np.array(np.meshgrid(*3 * [[-1.0, 1.0]])).reshape(3, -1).T
    shear = np.eye(3)
    shear[0, 1], shear[0, 2] = rng.uniform(-0.5, 0.5, 2)
    points = (signs * r) @ shear.T
    return world.add_convex(points, 1.0), lambda d: float((points @ d).max())


def cone(world: tribo.World, r: np.ndarray, _: np.random.Generator) -> tuple[tribo.SingleBody, Lowest]:
    """Add a cone of half height r[1]; its origin is its centre of mass, a quarter of the height up."""
    body = world.add_cone(r[0], 2.0 * r[1], 1.0)
    return body, lambda d: float(max(1.5 * r[1] * d[2], r[0] * np.hypot(d[0], d[1]) - 0.5 * r[1] * d[2]))


SHAPES = {"box": box, "sphere": sphere, "cylinder": cylinder, "capsule": capsule, "cone": cone, "hull": hull}


def add_ground(world: tribo.World, ground: str) -> None:
    """Add a flat ground whose top is z = 0."""
    if ground == "plane":
        world.add_ground()
    elif ground == "box":
        world.add_box((60.0, 60.0, 1.0), 1.0, body_type="static", position=(0, 0, -0.5))
    elif ground == "map":
        world.add_height_map(np.zeros((61, 61)), size=(30.0, 30.0))
    else:
        n = 31
        x, y = np.meshgrid(np.linspace(-15.0, 15.0, n), np.linspace(-15.0, 15.0, n), indexing="ij")
        points = np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1)
        i, j = (m.ravel() for m in np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij"))
        a, b, c, d = i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1
        faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
        world.add_mesh((points, faces), mode="exact")


GROUNDS = ("plane", "box", "map", "mesh")


def landings(
    kind: str, ground: str, time_step: float, count: int, rng: np.random.Generator
) -> Iterator[tuple[float, int]]:
    """Let a body of a kind come down `count` times; yield how deep it goes in [m] and the status."""
    for k in range(count):
        if k % 20 == 0:
            world = tribo.World(time_step)
            add_ground(world, ground)
            body, reach = SHAPES[kind](world, rng.uniform(0.05, 0.15, 3), rng)
        speed = rng.uniform(1.0, 20.0)
        body.position = (rng.uniform(-1, 1), rng.uniform(-1, 1), 0.35 + speed * time_step * rng.uniform())
        body.orientation = direction(rng, 4)
        body.linear_velocity = (*(rng.uniform(-0.5, 0.5, 2) * speed), -speed)
        body.angular_velocity = direction(rng) * rng.uniform(0.0, 30.0)
        deepest, said = 0.0, 0
        for _ in range(round((0.7 / speed + 0.02) / time_step)):
            world.step()
            said |= int(world.status)
            down = body.rotation_matrix.T @ np.array([0.0, 0.0, -1.0])
            deepest = max(deepest, reach(down) - body.position[2])
        yield deepest, said


def piles(ground: str, time_step: float, count: int, rng: np.random.Generator) -> Iterator[tuple[float, int]]:
    """Let ten bodies fall at 15 m/s into a pile, `count` times; yield for each step overlap and status."""
    for _ in range(count):
        world = tribo.World(time_step)
        add_ground(world, ground)
        bodies = []
        for k in range(10):
            kind = list(SHAPES)[rng.integers(len(SHAPES))]
            bodies.append(SHAPES[kind](world, rng.uniform(0.05, 0.15, 3), rng))
            body = bodies[-1][0]
            body.position = (*rng.uniform(-0.15, 0.15, 2), 1.0 + 0.6 * k)
            body.orientation = direction(rng, 4)
            body.linear_velocity = (0.0, 0.0, -15.0)
            body.angular_velocity = direction(rng) * rng.uniform(0.0, 30.0)
        for _ in range(round(0.7 / time_step)):
            world.step()
            deepest = 0.0
            for body, reach in bodies:
                down = body.rotation_matrix.T @ np.array([0.0, 0.0, -1.0])
                deepest = max(deepest, reach(down) - body.position[2])
            for k, (one, _) in enumerate(bodies):
                for other, _ in bodies[:k]:
                    if np.linalg.norm(one.position - other.position) < 0.6:
                        deepest = max(deepest, -world.distance(one, other).distance)
            yield deepest, int(world.status)


def main() -> None:
    """Print, for each time step, ground and shape, how many landings were deeper than 2 mm."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--landings", type=int, default=100, help="of each shape on each ground")
    parser.add_argument("--piles", type=int, default=5, help="of ten bodies, on each ground")
    parser.add_argument("--steps", type=float, nargs="+", default=[1e-3, 4e-3])
    parser.add_argument("--grounds", nargs="+", default=list(GROUNDS))
    chosen = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    for time_step in chosen.steps:
        for ground in chosen.grounds:
            total = deep = unsaid = 0
            worst = 0.0
            for number, kind in enumerate(SHAPES if chosen.landings else ()):
                rng = np.random.default_rng([number, round(1e6 * time_step)])
                found = np.array(list(landings(kind, ground, time_step, chosen.landings, rng)))
                is_deep = found[:, 0] > 2e-3
                total, deep = total + len(found), deep + int(is_deep.sum())
                unsaid += int((is_deep & (found[:, 1] == 0)).sum())
                worst = max(worst, found[:, 0].max())
                if is_deep.any():
                    print(f"{1e3 * time_step:g} ms, {kind} on {ground}: {is_deep.sum()} of {len(found)} "
                          f"deeper than 2 mm, {1e3 * found[:, 0].max():.1f} mm at the most")  # fmt: skip
            print(f"{1e3 * time_step:g} ms, {ground}: {deep} of {total} deeper than 2 mm, {unsaid} of them "
                  f"unsaid, {1e3 * worst:.2f} mm at the most", flush=True)  # fmt: skip
            rng = np.random.default_rng([99, round(1e6 * time_step)])
            found = np.array(list(piles(ground, time_step, chosen.piles, rng)))
            if len(found):
                is_deep = found[:, 0] > 2e-3
                is_unsaid = is_deep & (found[:, 1] == 0)
                print(f"{1e3 * time_step:g} ms, piles on {ground}: {is_deep.sum()} of {len(found)} steps "
                      f"deeper than 2 mm, {1e3 * found[:, 0].max():.2f} mm at the most; "
                      f"{is_unsaid.sum()} unsaid, "
                      f"{1e3 * max(found[is_unsaid, 0], default=0.0):.2f} mm", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
