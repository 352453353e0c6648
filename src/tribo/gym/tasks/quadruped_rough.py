"""The quadruped walks as it is told on tiles of rough ground, harder from level to level (a curriculum).

One height map holds all tiles: levels along x, kinds of ground along y. An episode begins on the flat middle
of a tile. A robot that walked off its tile goes on one level higher, one that walked less than half of
what it was told
one lower, who passed the last level on any. Source: Rudin, Hoeller, Reist, Hutter, "Learning to walk in
minutes using massively parallel deep reinforcement learning", CoRL 2022, §4.1.
"""

from __future__ import annotations

from functools import cache

import numpy as np

import tribo
from tribo.gym.simulation import Simulation
from tribo.gym.task import Task
from tribo.gym.tasks import quadruped
from tribo.gym.tasks.quadruped import DOG, WALKER

LEVELS = 6
KINDS = ("bumps", "slopes", "stairs")
TILE = 6.0  # [m] length and width
CELL = 0.1  # [m] between two heights
FLAT = 0.7  # [m] half width of the middle, where episodes begin
MARGIN = 2.0  # [m] of flat ground around all tiles
BUMP, SLOPE, RISE, TREAD = 0.06, 0.25, 0.08, 0.4  # [m, –, m, m] on the last level
FORWARD, SIDEWAYS = np.linspace(-0.6, 1.0, 9), np.linspace(-0.4, 0.4, 5)  # [m] of the height scan
SCAN = np.stack(np.meshgrid(FORWARD, SIDEWAYS, indexing="ij"), axis=-1).reshape(-1, 2)
HEIGHT = WALKER.height  # [m] of the trunk in the stance
STAND = 0.2  # [m] less than that over the ground is a fall
SIZE = (LEVELS * TILE + 2 * MARGIN, len(KINDS) * TILE + 2 * MARGIN)  # [m] of the map


def middle(level: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Return the middles of tiles, (n, 2) [m]."""
    x = (np.asarray(level) + 0.5) * TILE + MARGIN - 0.5 * SIZE[0]
    y = (np.asarray(kind) + 0.5) * TILE + MARGIN - 0.5 * SIZE[1]
    return np.stack([x, y], axis=-1)


@cache
def heights() -> np.ndarray:
    """Return the map, (ny, nx) [m]; middles of tiles are flat, slopes and stairs lead up to them."""
    counts = [round(length / CELL) + 1 for length in SIZE]
    x, y = (np.linspace(-0.5 * s, 0.5 * s, n) for s, n in zip(SIZE, counts, strict=True))
    made = np.zeros((counts[1], counts[0]))
    rng = np.random.default_rng(0)
    for level in range(LEVELS):
        part = (level + 1) / LEVELS
        for kind, name in enumerate(KINDS):
            centre = middle(np.array(level), np.array(kind))
            inside = [
                np.flatnonzero(np.abs(a - c) < 0.5 * TILE - 1e-9) for a, c in zip((x, y), centre, strict=True)
            ]
            across, along = np.meshgrid(x[inside[0]] - centre[0], y[inside[1]] - centre[1])
            far = np.maximum(np.abs(across), np.abs(along))  # squares around the middle
            if name == "bumps":
                tile = part * BUMP * rng.uniform(-1.0, 1.0, far.shape) * (far > FLAT)
            elif name == "slopes":
                tile = part * SLOPE * np.maximum(0.0, 0.5 * TILE - np.maximum(far, FLAT))
            else:
                steps = np.floor((0.5 * TILE - np.maximum(far, FLAT)) / TREAD)
                tile = part * RISE * np.maximum(0.0, steps)
            made[np.ix_(inside[1], inside[0])] = tile
    made.setflags(write=False)
    return made


def height_of_middle(level: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Return the heights of the middles of tiles, (n,) [m]."""
    at = np.rint((middle(level, kind) + 0.5 * np.array(SIZE)) / CELL).astype(np.int64)
    return np.asarray(heights()[at[:, 1], at[:, 0]])


def world() -> tribo.World:
    """Return the robot on the map, its drives on."""
    made = tribo.World(time_step=0.005)
    made.add_height_map(heights(), SIZE, material="floor", name="terrain")
    made.set_material_pair("floor", "rubber", friction=0.8)
    dog = made.add_articulated_system(quadruped.URDF, name=DOG)
    stance = WALKER.start()
    stance[2] += 1.0
    dog.generalized_coordinate = stance
    dog.pd_target = stance
    dog.set_pd_gains(40.0, 1.0)
    return made


# -- what is seen ----------------------------------------------------------------------------------
def scan(sim: Simulation) -> np.ndarray:
    """Return how far the ground around the robot is lower than it is in the stance, (worlds, 45) [m]."""

    def compute() -> np.ndarray:
        found = sim.batch.height_scan(DOG, SCAN, above=0.5, below=3.0)
        below = sim.object(DOG).generalized_coordinate[:, 2:3] - found - HEIGHT
        return np.where(np.isnan(found), 1.0, np.clip(below, -1.0, 1.0))  # nothing is deep

    return np.asarray(sim.once("scan", compute))


def ground(sim: Simulation) -> np.ndarray:
    """Return the height of the trunk over the ground below it, (worlds,) [m]."""
    below = np.flatnonzero((np.abs(SCAN) < 1e-9).all(axis=1))[0]
    return np.asarray(scan(sim)[:, below] + HEIGHT)


def is_fallen(sim: Simulation) -> np.ndarray:
    """Return whose trunk is low or tilted by more than 60°, (worlds,) of bool."""
    return np.asarray((ground(sim) < STAND) | (WALKER.down(sim)[:, 2] > -0.5))


def is_away(sim: Simulation) -> np.ndarray:
    """Return who has left the map, (worlds,) of bool."""
    place = np.abs(sim.object(DOG).generalized_coordinate[:, :2])
    return np.asarray((place > 0.5 * np.array(SIZE) - 0.5).any(axis=1))


# -- the curriculum ----------------------------------------------------------------------------------
def level(sim: Simulation) -> np.ndarray:
    """Return level and kind of ground of each world, (worlds, 2); they last from episode to episode."""
    return sim.keep("level", 2)


def walked(sim: Simulation) -> np.ndarray:
    """Return the distance from where the episode began, (worlds,) [m]."""
    way = sim.object(DOG).generalized_coordinate[:, :2] - sim.remember("begin", 2)
    return np.asarray(np.sqrt((way**2).sum(axis=1)))


def add_up(sim: Simulation) -> np.ndarray:
    """Add up the distance that was told, (worlds,) [m]; a note, taken before each step."""
    told = sim.remember("told", 1)
    speed = np.sqrt((WALKER.command(sim)[:, :2] ** 2).sum(axis=1))
    told[:, 0] += speed * sim.control_step
    return np.asarray(told[:, 0])


def move_on(sim: Simulation, rows: np.ndarray) -> None:
    """Put worlds whose episodes end on a higher or a lower level."""
    far, told = walked(sim)[rows], sim.remember("told", 1)[rows, 0]
    now = level(sim)
    up = far > 0.5 * TILE
    down = ~up & (far < 0.5 * told)
    made = now[rows, 0] + up - down
    any_level = sim.draws.integers(rows, LEVELS)
    now[rows, 0] = np.where(made >= LEVELS, any_level, np.maximum(made, 0))


def stand(sim: Simulation, rows: np.ndarray) -> None:
    """Put the robot on the middle of its tile, in any direction; the kind of ground is drawn."""
    where = level(sim)
    where[rows, 1] = sim.draws.integers(rows, len(KINDS))
    steps, kinds = (where[rows, k].astype(np.int64) for k in range(2))
    dog = sim.object(DOG)
    q, v = dog.generalized_coordinate[rows], dog.generalized_velocity[rows]
    q[:, :2] = middle(steps, kinds)
    q[:, 2] = height_of_middle(steps, kinds) + HEIGHT + 0.02
    yaw = sim.draws.uniform(rows, -np.pi, np.pi, 1)[:, 0]
    q[:, 3], q[:, 6] = np.cos(0.5 * yaw), np.sin(0.5 * yaw)
    q[:, 7:] += sim.draws.uniform(rows, -0.1, 0.1, 12)
    v[:, :6] += sim.draws.uniform(rows, -0.2, 0.2, 6)
    dog.set_state(q, v, rows)
    sim.remember("begin", 2)[rows] = q[:, :2]
    sim.remember("phase", 1)[rows] = sim.draws.uniform(rows, 0.0, 1.0, 1)


def task() -> Task:
    """Return the task: that on flat ground, with a height scan and tiles of six levels."""
    made = quadruped.task()
    made.name, made.make_world = "QuadrupedRough", world
    made.observations["scan"] = lambda sim: 4.0 * scan(sim)
    made.rewards["fallen"] = -10.0, lambda sim: is_fallen(sim).astype(float)
    made.terminations["fallen"] = is_fallen
    made.terminations["away"] = is_away
    made.resets["stand"] = stand
    made.endings["curriculum"] = move_on
    made.notes["told"] = add_up
    made.infos["level"] = lambda sim: level(sim)[:, 0]
    return made
