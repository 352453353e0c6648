"""Family F: houses of cards and of planks, for a long time."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import play_tribo
from stage import Pair, Scene, turn
from suite import Check, Player, case

import tribo

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from simbench import blocks

STOREYS = 5
HALF_CARD, EDGE = 0.2, 0.002  # [m] cards of 0.4 m and 4 mm, with round edges
LEAN = np.radians(25)
PITCH = 0.39  # [m] of the tents of a storey: a little wider than one of them


def leaning_card(world: tribo.World, x: float, z: float, side: float) -> tribo.SingleBody:
    """Add a card whose upper edge touches the plane x from one side, its lower edge at height z."""
    core = HALF_CARD - EDGE
    flat = tribo.CompoundPart("box", (2 * EDGE, 0.25, 2 * core))
    along = turn((1, 0, 0), np.pi / 2)
    edges = [
        tribo.CompoundPart("capsule", (EDGE, 0.25), position=(0, 0, end), orientation=along)
        for end in (-core, core)
    ]
    place = (x + side * (EDGE + core * np.sin(LEAN)), 0.0, z + EDGE + core * np.cos(LEAN))
    return world.add_compound([flat, *edges], mass=0.05, position=place,
                              orientation=turn((0, 1, 0), -side * LEAN))  # fmt: skip


def card_house() -> tuple[tribo.World, list[tribo.SingleBody]]:
    """Return a house of 5, 4, 3, 2, 1 tents with cards laid across between the storeys."""
    world, _, _ = play_tribo.build(Scene(pair=Pair(0.7)))
    rise = 2 * EDGE + 2 * (HALF_CARD - EDGE) * np.cos(LEAN)  # of a tent
    cards, z = [], 0.0
    for storey in range(STOREYS):
        count = STOREYS - storey
        middles = PITCH * (np.arange(count) - (count - 1) / 2)
        cards += [leaning_card(world, x, z, side) for x in middles for side in (-1.0, 1.0)]
        z += rise
        for x in middles[:-1] + PITCH / 2:
            size = (PITCH - 2 * EDGE / 5, 0.25, 2 * EDGE)
            cards.append(world.add_box(size, 0.05, position=(x, 0.0, z + EDGE)))
        z += 2 * EDGE
    return world, cards


def drift(world: tribo.World, bodies: list[tribo.SingleBody], seconds: float) -> float:
    """Return the largest distance of a body from its start, looked at ten times [m]."""
    start = np.array([body.position for body in bodies])
    worst = 0.0
    for _ in range(10):
        world.step(round(seconds / 10 / world.time_step))
        here = np.array([body.position for body in bodies])
        worst = max(worst, float(np.linalg.norm(here - start, axis=1).max()))
    return worst


@case(
    "F6",
    "house of five storeys of 40 cards, 60 s; Kapla tower of 102 planks, dt = 10 ms, 600 s",
    "both stand",
    fast=False,
    note="geometry of Solver2D's card house (lean 25°, 5 tents below), cards of 0.4 m × 4 mm, μ = 0.7; "
    "leaning cards have round edges, as two sharp parallel edges have no normal; tents apart, so that "
    "each stands on a card of its own; Kapla: SimBenchmark's tower",
)
def cards_and_planks(player: Player) -> list[Check]:
    """How far cards and planks move."""
    checks = [Check("card house: motion [m]", drift(*card_house(), 60.0), 1e-3)]
    scene = next(s for s in blocks.scenes() if s.name == "kapla")
    world, _, _ = play_tribo.build(Scene(pair=Pair(scene.friction), dt=scene.time_step))
    planks = [world.add_box(b.size, b.mass, position=b.position) for b in scene.bodies]
    checks.append(Check("Kapla: motion [m]", drift(world, planks, 600.0), 1e-3))
    return checks
