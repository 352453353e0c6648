"""Family B, first half: rolling and spinning of balls, cylinders and hoops."""

from __future__ import annotations

import numpy as np
from stage import Body, Pair, Scene, incline, turn
from suite import BOTH, Check, Player, case, holds

G = 9.81
R = 0.5
ALONG_Y = turn((1, 0, 0), np.pi / 2)  # a cylinder whose axis is y rolls along x
SHARE = {"sphere": 0.4, "cylinder": 0.5, "hoop": 1.0}  # I = share · m r²


def roller(kind: str, v: float = 0.0, spin: float | None = None, r: float = R) -> Body:
    """Return a body on the floor that moves along x; pure rolling unless a spin is given."""
    omega = v / r if spin is None else spin
    motion = {"velocity": (v, 0.0, 0.0), "spin": (0.0, omega, 0.0), "position": (0.0, 0.0, r)}
    if kind == "sphere":
        return Body("sphere", (r,), 1.0, **motion)  # type: ignore[arg-type]
    share = SHARE[kind]
    across = share / 2 * r * r + 0.8**2 / 12
    return Body("cylinder", (r, 0.8), 1.0, orientation=ALONG_Y, inertia=(across, across, share * r * r),
                **motion)  # type: ignore[arg-type]  # fmt: skip


@case(
    "B1",
    "ball, cylinder and hoop on slopes, μ = 0.2, tan θ = 0.5, 0.9, 1.1, 2 times the limit of rolling",
    "rolls with a = (5/7, 2/3, 1/2) g sin θ while tan θ ≤ (7/2, 3, 2) μ; else a = g (sin θ − μ cos θ)",
    peers=BOTH,
)
def down_a_slope(player: Player) -> list[Check]:
    """Accelerations of both kinds and the slip while it rolls."""
    mu = 0.2
    rolls = slides = slip = spins = 0.0
    for kind, k in SHARE.items():
        for share in (0.5, 0.9, 1.1, 2.0):
            angle = np.arctan(share * (1 + 1 / k) * mu)
            scene = Scene([roller(kind)], 500, Pair(mu), gravity=incline(angle), every=10)
            track = player.play(scene)
            v, omega = track.velocity[:, 0, 0], track.spin[:, 0, 1]
            if share < 1.0:
                a = G * np.sin(angle) / (1 + k)
                rolls = max(rolls, abs(v[-1] / (0.5 * a) - 1.0))
                slip = max(slip, np.abs(v - R * omega).max())
            else:
                a = G * (np.sin(angle) - mu * np.cos(angle))
                slides = max(slides, abs(v[-1] / (0.5 * a) - 1.0))
                alpha = mu * G * np.cos(angle) / (k * R)
                spins = max(spins, abs(omega[-1] / (0.5 * alpha) - 1.0))
    return [
        Check("rolling, relative", rolls, 1e-6),
        Check("slip while rolling [m/s]", slip, 1e-10),
        Check("sliding, relative", slides, 1e-6),
        Check("spin while sliding, relative", spins, 1e-6),
    ]


def bowled(v0: float, mu: float, dt: float, steps: int) -> float:
    """Return the path of a ball without spin if every step takes μ g dt until it rolls."""
    x, v, slip = 0.0, v0, v0
    for _ in range(steps):
        loss = min(mu * G * dt, slip / 3.5)
        x += dt * (v - loss / 2)
        v, slip = v - loss, slip - 3.5 * loss
    return x


@case(
    "B2",
    "bowling: ball of 0.1 m thrown at 5 m/s without spin, μ = 0.2",
    "v_f = 5/7 v₀, t = 2v₀/7μg, d = 12v₀²/49μg",
    peers=BOTH,
    note="the path of tribo is measured against the midpoint rule's own sum (4e-7 m from the closed form), "
    "that of the peers against the closed form",
)
def bowling(player: Player) -> list[Check]:
    """Final speed, time and path of slipping."""
    v0, mu, r = 5.0, 0.2, 0.1
    track = player.play(Scene([roller("sphere", v0, 0.0, r)], 1000, Pair(mu)))
    v, omega, x = track.velocity[:, 0, 0], track.spin[:, 0, 1], track.position[:, 0, 0]
    slips = np.abs(v - r * omega) > 1e-5
    end = int(len(v) - np.argmax(slips[::-1]))  # first sample without slip
    time, path = 2 * v0 / (7 * mu * G), 12 * v0**2 / (49 * mu * G)
    known = bowled(v0, mu, 1e-3, 1000)
    if not player.is_tribo:
        known = path + 5 / 7 * v0 * (1.0 - time)
    return [
        Check("final speed, relative", abs(v[-1] / (5 / 7 * v0) - 1.0), 1e-8),
        Check("time of slipping [steps]", round(abs(end * 1e-3 - time) / 1e-3, 6), 1.0),
        Check("path, relative", abs(x[-1] / known - 1.0), 1e-5 if not player.is_tribo else 1e-9),
    ]


@case(
    "B3",
    "balls with any speed and spin; (2 m/s, −4 rad/s) is back-spin",
    "v_f = (5 v₀ + 2 r ω₀)/7; 0.857143 for the back-spin",
    peers=BOTH,
)
def any_spin(player: Player) -> list[Check]:
    """Final speeds."""
    worst = 0.0
    for v0, omega in ((2.0, -4.0), (2.0, 4.0), (0.0, 10.0), (-1.0, 6.0), (1.0, -20.0)):
        track = player.play(Scene([roller("sphere", v0, omega)], 1500, Pair(0.3), every=1500))
        known = (5 * v0 + 2 * R * omega) / 7
        scale = max(abs(known), abs(v0), R * abs(omega))
        worst = max(worst, abs(track.velocity[-1, 0, 0] - known) / scale)
        worst = max(worst, abs(R * track.spin[-1, 0, 1] - known) / scale)
    return [Check("final speed, relative", worst, 1e-8)]


@case(
    "B4",
    "ball and cylinder that roll at 2 m/s, μ = 1, μ_r = 0.05",
    "deceleration μ_r g/(1 + k): path 5.708461 and 6.116208 m, then exact rest",
    peers=BOTH,
    note="rest: the largest speed in the last 0.2 s",
)
def rolling_friction(player: Player) -> list[Check]:
    """Path, height and rest."""
    checks = []
    for kind, known in (("sphere", 5.708461), ("cylinder", 6.116208)):
        track = player.play(Scene([roller(kind, 2.0)], 6500, Pair(1.0, rolling=0.05), every=10))
        tail = max(np.abs(track.velocity[-20:]).max(), R * np.abs(track.spin[-20:]).max())
        path = track.position[-1, 0, 0]
        height = np.abs(track.position[:, 0, 2] - R).max()
        checks += [
            Check(f"{kind}: path, relative", abs(path / known - 1.0), 2e-7),
            Check(f"{kind}: height [m]", height, 1e-9),
            Check(f"{kind}: rest [m/s]", tail, 1e-12),
        ]
    return checks


@case(
    "B5",
    "ball and cylinder released on slopes of tan θ = 0.999 and 1.001 μ_r, μ_r = 0.05, μ = 1",
    "rolls iff tan θ > μ_r, then a = g (sin θ − μ_r cos θ)/(1 + k)",
    peers=BOTH,
)
def rolling_friction_on_a_slope(player: Player) -> list[Check]:
    """Drift below the limit, acceleration above it."""
    checks = []
    for kind in ("sphere", "cylinder"):
        for share in (0.999, 1.001):
            angle = np.arctan(share * 0.05)
            scene = Scene([roller(kind)], 5000, Pair(1.0, rolling=0.05), gravity=incline(angle), every=100)
            track = player.play(scene)
            if share < 1.0:
                drift = np.abs(track.position - track.position[0]).max()
                checks.append(Check(f"{kind}: drift at 0.999 [m]", drift, 1e-9))
            else:
                a = G * (np.sin(angle) - 0.05 * np.cos(angle)) / (1 + SHARE[kind])
                error = abs(track.velocity[-1, 0, 0] / (5.0 * a) - 1.0)
                checks.append(Check(f"{kind}: speed at 1.001, relative", error, 1e-4))
    return checks


@case(
    "B6",
    "ball spun at 12 rad/s about the vertical, μ = 0, μ_spin = 0.02",
    "stops after 2rω₀/(5 μ_spin g) = 12.232416 s; stays where it is",
    peers=BOTH,
)
def spinning_friction(player: Player) -> list[Check]:
    """Time and drift."""
    ball = Body("sphere", (R,), 1.0, (0.0, 0.0, R), spin=(0.0, 0.0, 12.0))
    track = player.play(Scene([ball], 12_400, Pair(spinning=0.02)))
    return _stop_time(track, 12.232416)


def _stop_time(track: object, known: float) -> list[Check]:
    spin = track.spin[:, 0, 2]  # type: ignore[attr-defined]
    turning = np.abs(spin) > 1e-9
    end = track.time[len(spin) - np.argmax(turning[::-1])] if not turning[-1] else np.inf  # type: ignore[attr-defined]
    position = track.position  # type: ignore[attr-defined]
    return [
        Check("time of the stop [steps]", round(abs(end - known) / 1e-3, 6), 1.0),
        Check("drift [m]", np.abs(position - position[0]).max(), 1e-12),
    ]


@case(
    "B7",
    "upright cylinder (0.3 m, 0.8 m) spun at 12 rad/s, μ = 0, μ_spin = 0.08",
    "stops after r²ω₀/(2 μ_spin g r_e) = 1.720183 s; r_e is half the height",
    peers=BOTH,
    note='with world.effective_radius = "distance" it stops after 1.376147 s: tests/physics/test_rolling.py',
)
def spun_cylinder(player: Player) -> list[Check]:
    """Time and drift."""
    body = Body("cylinder", (0.3, 0.8), 1.0, (0.0, 0.0, 0.4), spin=(0.0, 0.0, 12.0))
    return _stop_time(player.play(Scene([body], 1800, Pair(spinning=0.08))), 1.720183)


@case(
    "B8",
    "upright cylinder (0.3 m, 0.4 m) spun at 6 rad/s on Coulomb friction alone, μ = 0.2",
    "the load stands on the rim: α = 2μg/r, stops after ω₀r/2μg = 0.458716 s",
    peers=BOTH,
    note="measured: ω after 0.3 s, then the stop; a uniform pressure would take 3/2 of the time",
)
def spun_on_its_rim(player: Player) -> list[Check]:
    """Deceleration, time and drift."""
    r, mu = 0.3, 0.2
    body = Body("cylinder", (r, 0.4), 1.0, (0.0, 0.0, 0.2), spin=(0.0, 0.0, 6.0))
    track = player.play(Scene([body], 600, Pair(mu)))
    known = 6.0 - 0.3 * 2 * mu * G / r
    drift = np.abs(track.position - track.position[0]).max()
    return [
        Check("ω after 0.3 s, relative", abs(track.spin[300, 0, 2] / known - 1.0), 1e-5),
        _stop_time(track, 6.0 * r / (2 * mu * G))[0],
        Check("drift [m]", drift, 1e-9),
        holds("rests", np.abs(track.spin[-50:]).max() <= 1e-12),
    ]
