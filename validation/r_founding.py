"""Family R: the regression list of the founding text on rolling and spinning friction."""

from __future__ import annotations

import numpy as np
from stage import Body, Pair, Scene, Track, turn
from suite import BOTH, Check, Player, case

ROLLING = Pair(1.0, rolling=0.05)
SPINNING = Pair(spinning=0.08)
ON_PLANE = "height over the plane constant to 1e-9 m"


def ball() -> Body:
    """Return the text's own ball: it is thrown with back-spin (v 2 m/s, ω −4 rad/s)."""
    return Body("sphere", (0.5,), 1.0, (0.0, 0.0, 0.5), velocity=(2.0, 0.0, 0.0), spin=(0.0, -4.0, 0.0))


def cylinder(along: str) -> Body:
    """Return the text's cylinder on its side, rolling faster than it moves."""
    lies_along_x = along == "y"  # it rolls along y
    way = (0.0, 2.4, 0.0) if lies_along_x else (2.4, 0.0, 0.0)
    spin = (-14.0, 0.0, 0.0) if lies_along_x else (0.0, 14.0, 0.0)
    how = turn((0, 1, 0) if lies_along_x else (1, 0, 0), np.pi / 2)
    return Body("cylinder", (0.3, 0.8), 1.0, (0.0, 0.0, 0.3), how, way, spin)


def rest(body: Body, track: Track) -> list[Check]:
    """Check that it ends at rest and that it stayed on the plane."""
    r = body.size[0]
    last = track.time > track.time[-1] - 0.2
    speed = max(np.abs(track.velocity[last]).max(), r * np.abs(track.spin[last]).max())
    height = np.abs(track.position[:, 0, 2] - body.position[2]).max()
    return [Check("speed at the end [m/s]", speed, 1e-12), Check("height [m]", height, 1e-9)]


def _rolls(player: Player, body: Body, steps: int, pair: Pair = ROLLING) -> list[Check]:
    return rest(body, player.play(Scene([body], steps, pair, every=10)))


@case("R1", "ball thrown with back-spin, μ = 1, μ_r = 0.05", f"stops; {ON_PLANE}", peers=BOTH)
def rolling_ball(player: Player) -> list[Check]:
    """Rest and height."""
    return _rolls(player, ball(), 6000)


@case("R2", "cylinder on its side rolls along x", f"stops; {ON_PLANE}", peers=BOTH)
def cylinder_along_x(player: Player) -> list[Check]:
    """Rest and height."""
    return _rolls(player, cylinder("x"), 12_000)


@case("R3", "cylinder on its side rolls along y", f"stops; {ON_PLANE}", peers=BOTH)
def cylinder_along_y(player: Player) -> list[Check]:
    """Rest and height."""
    return _rolls(player, cylinder("y"), 12_000)


@case("R4", "ball spun at 12 rad/s, only μ_spin = 0.08", f"stops; {ON_PLANE}", peers=BOTH)
def spinning_ball(player: Player) -> list[Check]:
    """Rest and height."""
    body = Body("sphere", (0.5,), 1.0, (0.0, 0.0, 0.5), spin=(0.0, 0.0, 12.0))
    return _rolls(player, body, 4000, SPINNING)


@case("R5", "upright cylinder spun at 12 rad/s, only μ_spin = 0.08", f"stops; {ON_PLANE}", peers=BOTH)
def upright_cylinder(player: Player) -> list[Check]:
    """Rest and height."""
    body = Body("cylinder", (0.3, 0.8), 1.0, (0.0, 0.0, 0.4), spin=(0.0, 0.0, 12.0))
    return _rolls(player, body, 2500, SPINNING)


@case(
    "R6",
    "all five at once, 20 s",
    "all rest; no height drifts: its trend over the last 10 s is zero",
    peers=BOTH,
    note="materials: ball on ground rolls, top on ground spins; a gap that asks for less than 1e-7 g Δt is "
    "none: 5e-12 m",
)
def all_at_once(player: Player) -> list[Check]:
    """Rest, height and trend."""
    bodies = [ball(), cylinder("x"), cylinder("y")]
    bodies.append(Body("sphere", (0.5,), 1.0, (0.0, 0.0, 0.5), spin=(0.0, 0.0, 12.0)))
    bodies.append(Body("cylinder", (0.3, 0.8), 1.0, (0.0, 0.0, 0.4), spin=(0.0, 0.0, 12.0)))
    for k, body in enumerate(bodies):
        body.name = f"b{k}"
        body.material = "ball" if k < 3 else "top"
        _, y, z = body.position
        body.position = (100.0 * k, y, z)
    pairs = {"default|ball": ROLLING, "default|top": SPINNING}
    track = player.play(Scene(bodies, 20_000, pairs=pairs, every=20))
    heights = track.position[:, :, 2]
    half = len(heights) // 2
    return [
        Check("speed at the end [m/s]", np.abs(track.velocity[-10:]).max(), 1e-12),
        Check("height [m]", np.abs(heights - heights[0]).max(), 1e-9),
        Check("trend in 10 s [m]", np.abs(heights[-1] - heights[half]).max(), 5e-12),
    ]
