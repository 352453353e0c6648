"""Restitution of a compliant pair at fixed steps against that of its law, from soft to within one step.

`python validation/compliant_bounce.py` prints the table of docs/physics/compliant-ground.md: errors in per
cent, the worst of eight phases of the first touch; a star where a step said `TIME_STEP_TOO_LONG`.
"""

from __future__ import annotations

import logging

import numpy as np
from stage import Body, Pair, Scene
from suite import Player

import tribo
from tribo import ground

STEP, MASS, SPEED, RADIUS = 1e-3, 1.0, 1.0, 0.1
LAW = {0.0: 1.0, 0.05: 0.944397, 0.4: 0.654113, 1.0: 0.393931}  # β of the damping and e
STIFFNESSES = (1e4, 1e5, 1e6, 3e6, 1e7, 3e7, 1e8)  # [N/m^1.5]


def bounce(stiffness: float, beta: float, phase: float) -> tuple[float, bool]:
    """Return the speed after a bounce over that before, and whether a step said that it is too long."""
    world = tribo.World(STEP, gravity=(0, 0, 0))
    world.add_ground(material="soil")
    damping = beta * stiffness**0.6 * MASS**0.4 * SPEED**-0.2
    world.set_material_pair("soil", "wood", stiffness=stiffness, damping=damping)
    ball = world.add_sphere(RADIUS, MASS, "wood", position=(0, 0, RADIUS + phase * STEP * SPEED))
    ball.linear_velocity = 0, 0, -SPEED
    is_coarse = False
    while ball.linear_velocity[2] <= 0.0 or ball.contacts:
        world.step()
        is_coarse |= bool(world.status & tribo.Status.TIME_STEP_TOO_LONG)
    return float(ball.linear_velocity[2]) / SPEED, is_coarse


def spring_of(stiffness: float, restitution: float, mass: float = MASS) -> tuple[float, float, float]:
    """Return a linear spring [N/m] and damper [N s/m] that stand for the law at SPEED, and the mass [kg].

    The same contact time without damping, π √(m/k), and the same restitution, e^{−b t} with b = d/2m and
    ω t = π − arctan(2 b ω/(ω² − b²)): contact ends where the force does.

    Source: T. Schwager and T. Pöschel, Coefficient of restitution and linear-dashpot model revisited, 2007.
    """
    free = np.pi / ground.contact_time(stiffness, mass, SPEED)
    low, high = 0.0, 0.999 * free
    for _ in range(60):
        b = 0.5 * (low + high)
        w = np.sqrt(free**2 - b**2)
        left = np.exp(-b / w * (np.pi - np.arctan2(2.0 * b * w, w * w - b * b)))
        low, high = (b, high) if left > restitution else (low, b)
    return mass * free**2, 2.0 * mass * low, mass


def bounce_of(player: Player, stiffness: float, beta: float, phase: float) -> float:
    """Return the speed after a bounce over that before, in another engine on a linear spring."""
    spring = spring_of(stiffness, LAW[beta])
    ball = Body(
        "sphere", (RADIUS,), MASS, (0.0, 0.0, RADIUS + phase * STEP * SPEED), velocity=(0.0, 0.0, -SPEED)
    )  # fmt: skip
    steps = 40 + round(3.0 * ground.contact_time(stiffness, MASS, SPEED) / STEP)
    scene = Scene(
        [ball], steps, Pair(stiffness=stiffness, spring=spring), gravity=(0.0, 0.0, 0.0), dt=STEP, every=steps
    )  # fmt: skip
    return float(player.play(scene).velocity[-1, 0, 2]) / SPEED


def cell(stiffness: float, beta: float) -> str:
    """Return the worst error of all phases in per cent, with a star where it was said."""
    seen = [bounce(stiffness, beta, phase) for phase in np.linspace(0.01, 0.885, 8)]
    worst = max((e / LAW[beta] - 1.0 for e, _ in seen), key=abs)
    return f"{100.0 * worst:.2g}{' *' if any(said for _, said in seen) else ''}"


def main() -> None:
    """Print the table."""
    logging.getLogger("tribo").setLevel(logging.ERROR)
    print("h√(K/m)  steps in a contact", *(f"β = {beta:g}" for beta in LAW), sep=" | ")
    for stiffness in STIFFNESSES:
        steps = ground.contact_time(stiffness, MASS, SPEED) / STEP
        cells = [cell(stiffness, beta) for beta in LAW]
        print(f"{STEP * np.sqrt(stiffness / MASS):.2g} | {steps:.2g}", *cells, sep=" | ")


if __name__ == "__main__":
    main()
