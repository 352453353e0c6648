"""Family F: bodies that pass one another, carriers whose velocity changes, seams, pegs and overlaps."""

from __future__ import annotations

import itertools

import numpy as np
from carriers import bucket, tray, truck, turntable
from passes import FLYERS as SHAPES
from passes import TARGETS, fly_past
from stage import Body, Force, G, Pair, Scene, turn
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


@case(
    "F34",
    "ball, capsule and wheel of 10 cm roll at 1 m/s over the seam of two static boxes; peg of 5 cm, with "
    "0.1 mm of play on each side, is thrown into its hole at 0, 1 and 5 m/s",
    "rolling keeps its speed, the peg falls freely",
    peers=BOTH,
)
def seams(player: Player) -> list[Check]:
    """Largest change of the velocity [m/s]; of the peg from that of free fall."""
    rolls = falls = 0.0
    for shape, size in (("sphere", (0.1,)), ("capsule", (0.1, 0.2)), ("cylinder", (0.1, 0.1))):
        halves = [
            Body("box", (2.0, 2.0, 0.2), position=(x, 0.0, -0.1), kind="static", name=f"half {x}")
            for x in (-1.0, 1.0)
        ]
        lying = turn((1.0, 0.0, 0.0), -np.pi / 2)
        body = Body(
            shape, size, 1.0, (-0.05, 0.1, 0.1), lying, velocity=(1.0, 0.0, 0.0), spin=(0.0, 10.0, 0.0)
        )
        track = player.play(Scene([*halves, body], 100, Pair(friction=0.8), planes=[]))
        rolls = max(rolls, float(np.abs(track.velocity[:, 2] - (1.0, 0.0, 0.0)).max()))
    play, half, wide = 1e-4, 0.025, 0.2
    for speed in (0.0, 1.0, 5.0):
        sides = [
            Body("box", (2 * wide, 2.0, 0.3) if x else (2.0, 2 * wide, 0.3), kind="static",
                 position=(x * (half + play + wide), y * (half + play + wide), -0.15), name=f"side {x} {y}")
            for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))
        ]  # fmt: skip
        peg = Body("box", (0.05, 0.05, 0.1), 1.0, (0.0, 0.0, 0.08), velocity=(0.0, 0.0, -speed))
        steps = 90 if speed < 2.0 else 40
        track = player.play(Scene([*sides, peg], steps, Pair(friction=0.5), planes=[]))
        free = np.outer(track.time, (0.0, 0.0, -G)) - (0.0, 0.0, speed)
        falls = max(falls, float(np.abs(track.velocity[:, 4] - free).max()))
    return [Check("rolling: velocity [m/s]", rolls, 1e-9), Check("peg: velocity [m/s]", falls, 1e-9)]


@case(
    "F35",
    "cube of 1 m and 1 kg that starts 1 mm, and 40 mm, in the ground; two cubes of 20 cm, 40 mm in one "
    "another, without weight; the first pulled with 5 N (μ 0.8); 1.5 s",
    "overlap is taken out of the positions: nothing jumps, nothing is left moving, and it stands where "
    "friction holds it",
    peers=BOTH,
    note="the last is RaiSim's static-friction scene; a tenth of what weight makes in a step, 1 mm/s, is "
    "lifted by the velocity, and stops in the same step",
)
def overlaps(player: Player) -> list[Check]:
    """Height above rest and speed upwards; speed at which two part; motion of the pulled one."""
    law = Pair(friction=0.8)
    jump = rise = 0.0
    for depth in (1e-3, 4e-2):
        track = player.play(Scene([Body("box", (1.0, 1.0, 1.0), position=(0, 0, 0.5 - depth))], 1500, law))
        jump = max(jump, float(track.position[:, 0, 2].max()) - 0.5)
        rise = max(rise, float(track.velocity[:, 0, 2].max()))
    cubes = [Body("box", (0.2, 0.2, 0.2)), Body("box", (0.2, 0.2, 0.2), 3.0, position=(0.03, 0.02, 0.16))]
    track = player.play(Scene(cubes, 1500, law, planes=[], gravity=(0.0, 0.0, 0.0)))
    parting = float(np.abs(track.velocity[-1]).max())
    pulled = Body("box", (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.499), name="pulled")
    track = player.play(Scene([pulled], 1500, law, forces=[Force("pulled", (5.0, 0.0, 0.0))]))
    slip = float(np.abs(track.position[-1, 0, :2]).max())
    return [
        Check("jump above rest [m]", jump, 1e-5), Check("rises at [m/s]", rise, 1e-3),
        Check("parting speed of two [m/s]", parting, 1e-9), Check("pulled: slip [m]", slip, 1e-9),
    ]  # fmt: skip
