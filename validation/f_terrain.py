"""Family F: terrain and meshes against planes, edges and primitives."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import play_tribo
from stage import Pair, Scene
from suite import Check, Player, case, holds

import tribo

LYING = (0.5**0.5, 0.5**0.5, 0.0, 0.0)
STEPS = 1000
Floor = Callable[[tribo.World], Any]


def mesh_floor(seed: int) -> Floor:
    """Return a flat floor of triangles of random sizes, cut along random diagonals."""
    rng = np.random.default_rng(seed)
    xs, ys = (np.sort(np.r_[-5.0, 5.0, rng.uniform(-5, 5, 14)]) for _ in range(2))
    n = len(xs)
    triangles = []
    for j, i in itertools.product(range(n - 1), repeat=2):
        p = n * j + i
        q, r, o = p + 1, p + n + 1, p + n
        triangles += [(p, q, r), (p, r, o)] if rng.random() < 0.5 else [(p, q, o), (q, r, o)]
    return lambda world: world.add_surface([(x, y, 0.0) for y in ys for x in xs], triangles)


def map_floor(seed: int) -> Floor:
    """Return a flat height map of random cells."""
    ny, nx = np.random.default_rng(seed).integers(10, 90, 2)
    return lambda world: world.add_height_map(np.zeros((ny, nx)), (10.0, 10.0))


def slide(floor: Floor) -> np.ndarray:
    """Return position and velocity of ball, capsule and box on a floor, (steps, 3, 6)."""
    world, _, _ = play_tribo.build(Scene(pair=Pair(0.1), planes=[]))
    floor(world)
    bodies = [
        world.add_sphere(0.1, 1.0, position=(-2, -0.5, 0.1), linear_velocity=(2, 0.3, 0)),
        world.add_capsule(0.1, 0.3, 1.0, position=(-2, 0.3, 0.1), orientation=LYING,
                          linear_velocity=(2, 0.2, 0)),
        world.add_box((0.3, 0.2, 0.1), 1.0, position=(-2, 1, 0.05), linear_velocity=(2, 0.4, 0)),
    ]  # fmt: skip
    path = []
    for _ in range(STEPS):
        world.step()
        path.append([np.r_[body.position, body.linear_velocity] for body in bodies])
    return np.array(path)


@case(
    "F11",
    "ball, capsule and box slide at 2 m/s over flat height maps and flat meshes, μ = 0.1, 1 s",
    "as on a plane",
    note="two maps of random cells, two meshes of random triangles; the largest difference over all steps",
)
def flat_terrain(player: Player) -> list[Check]:
    """Difference of height, place and speed."""
    plane = slide(lambda world: world.add_ground())
    floors = {"maps": map_floor, "meshes": mesh_floor}
    checks = []
    for name, make in floors.items():
        gap = np.max([np.abs(slide(make(seed)) - plane) for seed in range(2)], axis=(0, 1, 2))
        checks += [
            Check(f"{name}: height [m]", gap[2], 1e-9),
            Check(f"{name}: place [m]", gap[:2].max(), 1e-9),
            Check(f"{name}: speed, relative", gap[3:].max() / 2.0, 1e-9),
        ]
    return checks


def profile(shape: Callable[[np.ndarray], np.ndarray]) -> tribo.HeightField:
    """Return a height map of slope 45° along x."""
    x = np.linspace(-2.0, 2.0, 41)
    return tribo.HeightField(np.tile(shape(x), (31, 1)), (4.0, 3.0))


@case(
    "F13",
    "ball held over the ridge of a height map at 20 places; ball rolling down into a valley, 2 s",
    "analytic edge contact; two contacts at the bottom",
    note="slopes of 45°; the penetration of the rolling ball is that of the analytic profile, at every step",
)
def ridge_and_valley(player: Player) -> list[Check]:
    """Normals at the ridge, forces in the valley, penetration."""
    radius, worst = 0.1, 0.0
    for offset in np.linspace(-0.06, 0.06, 20):
        world, _, _ = play_tribo.build(Scene(planes=[]))
        world.add_height_map(profile(lambda x: -np.abs(x)))
        high = np.sqrt(radius**2 - offset**2)
        ball = world.add_sphere(radius, 1.0, position=(offset, 0.13, high - 1e-9))
        world.update()
        normals = [c.normal_on(ball) for c in world.contacts if c.depth > -1e-8]
        known = np.array([offset, 0.0, high]) / radius
        worst = max(worst, np.abs(np.array(normals) - known).max() if len(normals) == 1 else 1.0)
    world, _, _ = play_tribo.build(Scene(pair=Pair(0.6), planes=[]))
    world.add_height_map(profile(np.abs))
    start = 0.8
    height = start + radius * np.sqrt(2.0)  # the ball touches the slope
    ball = world.add_sphere(radius, 1.0, position=(start, 0.07, height))
    deepest = 0.0
    for _ in range(2000):
        world.step()
        x, _, z = ball.position
        gap = min(z - x, z + x) / np.sqrt(2.0) - radius
        deepest = max(deepest, -gap)
    return [
        Check("normal at the ridge", worst, 1e-7),
        Check("penetration of the rolling ball [m]", deepest, 1e-6),
    ]


@case(
    "F14",
    "box of 0.2 m near the border of a height map, its centre 1 mm inside and 1 mm outside",
    "stays; falls",
)
def border(player: Player) -> list[Check]:
    """Where the box is after 3 s."""
    low = []
    for x in (0.999, 1.001):
        world, _, _ = play_tribo.build(Scene(pair=Pair(0.8), planes=[]))
        world.add_height_map(np.zeros((11, 11)), (2.0, 2.0))
        box = world.add_box((0.2, 0.2, 0.2), 1.0, position=(x, 0.0, 0.1))
        world.step(3000)
        low.append(float(box.position[2]))
    return [Check("inside: motion [m]", abs(low[0] - 0.1), 1e-9), holds("outside: falls", low[1] < 0.0)]


@case(
    "F21",
    "cube of a mesh's hull against the primitive cube: rests 10 s; slides at 1 m/s, μ = 0.5",
    "identical, 4 contacts, the set of contacts does not change",
)
def mesh_cube(player: Player) -> list[Check]:
    """Differences of the paths, and changes of the contacts at rest."""
    corners = 0.1 * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    paths, changes, counts = [], 0, set()
    for is_mesh in (False, True):
        world, _, _ = play_tribo.build(Scene(pair=Pair(0.5)))
        made = []
        for y, speed in ((0.0, 0.0), (1.0, 1.0)):
            options = {"position": (0.0, y, 0.1), "linear_velocity": (speed, 0.3 * speed, 0.0)}
            if is_mesh:
                made.append(world.add_convex(corners, 1.0, **options))
            else:
                made.append(world.add_box((0.2, 0.2, 0.2), 1.0, **options))
        path, before = [], None
        for step in range(10_000):
            world.step()
            if step % 10 == 0:
                path.append([np.r_[body.position, body.linear_velocity] for body in made])
            if is_mesh:
                work = world.engine.work
                keys = work.contact_key[: work.contact_count[0]].tolist()
                if keys != before:
                    changes += before is not None
                    counts.add(len(made[0].contacts))
                before = keys
        paths.append(path)
    gap = np.abs(np.array(paths[0]) - np.array(paths[1])).max(axis=(0, 2))
    return [
        Check("rests: difference [m, m/s]", gap[0], 1e-9),
        Check("slides: difference [m, m/s]", gap[1], 1e-9),
        Check("steps in which the contacts change", changes, 0),
        holds("four contacts", counts == {4}),
    ]
