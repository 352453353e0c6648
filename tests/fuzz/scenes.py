"""Messy scenes: what the status of a step says must be true.

Bodies of all shapes, masses, materials and constraints are thrown together. While no step is flagged, the
energy of what nobody drives does not grow, overlaps stay small, and constraints stay closed.
"""

from __future__ import annotations

import logging
import random
from typing import Any

import numpy as np

import tribo

PATIENCE = 120.0  # [s] for one scene
STEPS = 400
GAIN = 1e-3  # [–] of the largest energy seen: what a step without a flag may add
DEEP = 0.02  # [m] of overlap without a flag, after the first contact
OPEN = 1e-3  # [m] of a constraint without a flag
BEGINNING = 20  # steps in which speeds that contradict the constraints, and overlaps, may go
FLAGS = (
    tribo.Status.NOT_CONVERGED
    | tribo.Status.CORRECTION_LIMITED
    | tribo.Status.TIME_STEP_TOO_LONG
    | tribo.Status.INFEASIBLE
)


def prepare() -> None:
    """Compile what scenes need."""
    logging.getLogger("tribo").setLevel(logging.CRITICAL)
    tribo.warm_up(everything=True, quiet=True)


def _body(rng: random.Random, world: tribo.World, place: Any) -> Any:
    size = [rng.uniform(0.05, 0.15) for _ in range(3)]
    mass = 10.0 ** rng.uniform(-1.5, 1.0)
    turn = np.array([rng.gauss(0.0, 1.0) for _ in range(4)])
    options = {"position": place, "orientation": turn / np.linalg.norm(turn), "material": rng.choice("abc")}
    return rng.choice(
        (
            lambda: world.add_sphere(size[0], mass, **options),
            lambda: world.add_box(np.multiply(size, 2), mass, **options),
            lambda: world.add_capsule(size[0], size[1], mass, **options),
            lambda: world.add_cylinder(size[0], size[1] * 2, mass, **options),
            lambda: world.add_cone(size[0], size[1] * 2, mass, **options),
            lambda: world.add_ellipsoid(size, mass, **options),
        )
    )()


def make(number: int) -> tribo.World:
    """Return a messy scene."""
    rng = random.Random(number)
    world = tribo.World(time_step=rng.choice((5e-4, 1e-3, 2e-3, 4e-3)))
    world.add_ground(material="a")
    for first in "abc":
        for second in "abc":
            world.set_material_pair(first, second, friction=rng.choice((0.0, 0.3, 0.8, 1.5)),
                                    restitution=rng.choice((0.0, 0.0, 0.3, 0.8)))  # fmt: skip
    bodies = []
    for k in range(rng.randrange(2, 9)):
        bodies.append(_body(rng, world, (rng.uniform(-0.15, 0.15), rng.uniform(-0.15, 0.15), 0.3 + 0.35 * k)))
        bodies[-1].angular_velocity = [rng.gauss(0.0, 3.0) for _ in range(3)]
        bodies[-1].linear_velocity = [rng.gauss(0.0, 1.0) for _ in range(3)]
    if rng.random() < 0.4:
        one, other = rng.sample(bodies, 2)
        rng.choice((world.add_pin, world.add_weld, world.add_hinge))(one, other)
    return world


def play(number: int) -> bool:
    """Run a scene; raise where an unflagged step does what it must not."""
    world = make(number)
    before = world.energy
    largest = abs(before)
    for k in range(STEPS):
        try:
            world.step()
        except tribo.SimulationError:
            return True  # it says so
        now = world.energy
        largest = max(largest, abs(now))
        if not world.status & FLAGS:
            if now > before + GAIN * largest:
                raise AssertionError(f"step {k}: energy {before:.6g} → {now:.6g} J, status {world.status!r}")
            deepest = max((contact.depth for contact in world.contacts), default=0.0)
            if deepest > DEEP and k > BEGINNING:
                raise AssertionError(f"step {k}: {deepest * 1e3:.1f} mm of overlap, status {world.status!r}")
            widest = max((float(np.linalg.norm(tie.gap)) for tie in world.constraints), default=0.0)
            if widest > OPEN and k > BEGINNING:
                raise AssertionError(
                    f"step {k}: a constraint is {widest * 1e3:.2f} mm open, {world.status!r}"
                )
        before = now
    return True
