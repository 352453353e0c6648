"""Family F: bodies that pass one another, and carriers whose velocity changes."""

from __future__ import annotations

import itertools

import numpy as np
from carriers import bucket, tray, truck, turntable
from passes import FLYERS as SHAPES
from passes import TARGETS, fly_past
from stage import Body, Scene, turn
from suite import BOTH, Check, Player, absent, case

LYING = turn((0.0, 1.0, 0.0), np.pi / 2)
FLYERS = {
    "box": ((0.2, 0.1, 0.1), (1.0, 0.0, 0.0, 0.0)),
    "sphere": ((0.05,), (1.0, 0.0, 0.0, 0.0)),
    "capsule": ((0.05, 0.1), LYING),
    "cylinder": ((0.05, 0.1), (1.0, 0.0, 0.0, 0.0)),
}


@case(
    "F32",
    "box, ball, capsule and cylinder fly past the edge of a static box at 1, 3 and 10 m/s, 0.1, 1 and 3 mm "
    "above it, dt = 1, 2 and 5 ms; 200 random passes of seven shapes by nine",
    "nothing touches: velocity and spin stay",
    fast=False,
    peers=BOTH,
    note="`validation/passes.py` has more of them; with the planes between nearest points as they are when "
    "the step begins, half of the first and a seventh of the others were disturbed",
)
def passes(player: Player) -> list[Check]:
    """Change of velocity over the speed; of random passes the same, with the spin."""
    most = 0.0
    for shape, speed, gap, dt in itertools.product(
        FLYERS, (1.0, 3.0, 10.0), (1e-4, 1e-3, 3e-3), (1e-3, 2e-3, 5e-3)
    ):
        size, orientation = FLYERS[shape]
        flyer = Body(
            shape, size, 1.0, (-0.2 - 0.3 * speed * dt, 0.3, 0.05 + gap), orientation,
            velocity=(speed, 0.0, 0.0),
        )  # fmt: skip
        ground = Body("box", (2.0, 2.0, 1.0), position=(1.0, 0.0, -0.5), kind="static")
        steps = round(0.6 / speed / dt)
        scene = Scene([ground, flyer], steps, planes=[], gravity=(0.0, 0.0, 0.0), dt=dt, every=steps)
        end = player.play(scene).velocity[-1, 1]
        most = max(most, float(np.linalg.norm(end - (speed, 0.0, 0.0))) / speed)
    others = absent("random: change over speed [–]", 1e-9)
    if player.is_tribo:
        rng = np.random.default_rng(32)
        made = (
            fly_past(flyer, target, rng).change
            for flyer, target in itertools.product(SHAPES, TARGETS)
            for _ in range(3)
        )
        others = Check(others.what, max(made), 1e-9)
    return [Check("change over speed [–]", most, 1e-9), others]


@case(
    "F33",
    "box (μ 0.6) on a tray that goes round a circle of 0.4 m at 3 rad/s, on a disc that swings by ±0.2 rad "
    "at 1 Hz, on a platform that drives off at 4 m/s², on a plate that goes overhead round 1 m at "
    "6 rad/s; the user sets their velocity in every step",
    "it is carried: it stays where it lies; of second order in the time step",
    note="the carriers' velocity is the mean of a step, their load is asked for where the step ends; "
    "a scene with velocities of its own in every step is not played by peers",
)
def carriers(player: Player) -> list[Check]:
    """Slip in 2 s (4 s on the platform) at 1 ms; largest share that is left at half of that."""
    if not player.is_tribo:
        return [absent("slip [m]", 5e-5), absent("slip at 0.5 ms over 1 ms [–]", 0.35)]
    fine = [scene(5e-4) for scene in (tray, turntable, truck, bucket)]
    coarse = [scene(1e-3) for scene in (tray, turntable, truck, bucket)]
    shares = [f / c for f, c in zip(fine, coarse, strict=True) if c > 1e-6]
    return [Check("slip [m]", max(coarse), 5e-5), Check("slip at 0.5 ms over 1 ms [–]", max(shares), 0.35)]
