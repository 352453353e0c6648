"""Soak: a robot that stands under PD and a stack of boxes, a million steps each; nothing may creep away."""

from __future__ import annotations

import logging

import numpy as np

import tribo
from tribo.tools.demo import ASSETS

PATIENCE = 900.0  # [s] for one of them
STEPS = 1_000_000
AT_ONCE = 5_000  # steps of one call
CREEP = 1e-3  # [m] that what stands may move in all that time, once it has come to rest
BEGINNING = 5_000  # steps to come to rest in


def prepare() -> None:
    """Compile what they need."""
    logging.getLogger("tribo").setLevel(logging.CRITICAL)
    tribo.warm_up(everything=True, quiet=True)


def make(number: int) -> tribo.World:
    """Return a robot (even numbers) or a stack (odd ones) on the ground."""
    world = tribo.World()
    world.add_ground()
    if number % 2:
        for k in range(5):
            world.add_box((0.2, 0.2, 0.2), mass=1.0, position=(0.005 * (k % 2), 0.0, 0.1 + 0.2 * k))
        return world
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.5))
    robot.kp[6:], robot.kd[6:] = 100.0, 2.0
    return world


def play(number: int) -> bool:
    """Run one of them; raise where it creeps, gains energy or ends."""
    world = make(number)
    movers = [part for part in world.objects if part.body_type == tribo.DYNAMIC]
    world.step(BEGINNING)
    first = np.array([part.position for part in movers])
    energy = world.energy
    for k in range(BEGINNING, STEPS, AT_ONCE):
        world.step(AT_ONCE)
        moved = float(np.abs([part.position for part in movers] - first).max())
        if not moved <= CREEP:
            raise AssertionError(f"step {k}: crept by {moved * 1e3:.3g} mm")
        if not abs(world.energy - energy) <= CREEP * 9.81 * 10.0:
            raise AssertionError(f"step {k}: energy {energy:.6g} → {world.energy:.6g} J")
    return True
