"""Family A, first half: friction of boxes, blocks and conveyors."""

from __future__ import annotations

import numpy as np
import play_tribo
from stage import Body, Force, Pair, Plane, Scene, incline, tilt
from suite import BOTH, Check, Player, case, holds

import tribo
from tribo.materials import ContactMaterial

G = 9.81
LOW = (0.4, 0.4, 0.1)  # edges of a box that slides before it tips
FRICTIONS = (0.1, 0.3, 0.5, 0.8, 1.2)


def low_box(**options: object) -> Body:
    """Return a box of 1 kg on the floor."""
    return Body("box", LOW, position=(0.0, 0.0, 0.05), **options)  # type: ignore[arg-type]


@case("A1", "box on a slope, μ = 0.1 … 1.2, tan θ/μ = 0.5 … 0.999, 10 s", "rests", peers=BOTH)
def rests_on_a_slope(player: Player) -> list[Check]:
    """Drift and speed, largest of 20 slopes."""
    drift = speed = 0.0
    for mu in FRICTIONS:
        for share in (0.5, 0.9, 0.99, 0.999):
            gravity = incline(np.arctan(share * mu))
            track = player.play(Scene([low_box()], 10_000, Pair(mu), gravity=gravity, every=500))
            drift = max(drift, np.abs(track.position - track.position[0]).max())
            speed = max(speed, np.abs(track.velocity).max())
    return [Check("drift [m]", drift, 1e-9), Check("speed [m/s]", speed, 1e-10)]


@case(
    "A2",
    "the same box on slopes of tan θ/μ = 1.001, 1.01, 1.5, 3",
    "a = g (sin θ − μ cos θ), no tumbling",
    peers=BOTH,
)
def slides_down_a_slope(player: Player) -> list[Check]:
    """Speed after 1 s, largest relative error of 20 slopes, and tilt."""
    worst = lean = 0.0
    for mu in FRICTIONS:
        for share in (1.001, 1.01, 1.5, 3.0):
            angle = np.arctan(share * mu)
            a = G * (np.sin(angle) - mu * np.cos(angle))
            scene = Scene([low_box()], 1000, Pair(mu), gravity=incline(angle), every=50)
            track = player.play(scene)
            worst = max(worst, abs(track.velocity[-1, 0, 0] / a - 1.0))
            lean = max(lean, tilt(track.orientation).max())
    return [Check("speed, relative", worst, 1e-6), Check("tilt [rad]", lean, 1e-6)]


def stop_distance(v0: float, mu: float, dt: float) -> float:
    """Return the path until rest if every step but the last takes μ g dt and paths are trapezoids."""
    steps = int(v0 / (mu * G * dt))
    rest = v0 - steps * mu * G * dt
    return (v0 * v0 - rest * rest) / (2 * mu * G) + rest * dt / 2


@case(
    "A3",
    "box slides on a level floor, v₀ = 2 m/s, μ = 0.3",
    "d = v₀²/2μg; each engine's own rule adds O(dt²) (midpoint) or −v₀ dt/2 (semi-implicit)",
    peers=BOTH,
    note="peers are measured against v₀²/2μg; their rule alone accounts for 1.5e-3",
)
def stops(player: Player) -> list[Check]:
    """Path, hop and tilt."""
    v0, mu = 2.0, 0.3
    body = low_box(velocity=(v0, 0.0, 0.0))
    track = player.play(Scene([body], 900, Pair(mu)))
    d = stop_distance(v0, mu, 1e-3) if player.is_tribo else v0**2 / (2 * mu * G)
    checks = [
        Check("path, relative", abs(track.position[-1, 0, 0] / d - 1.0), 1e-6),
        Check("hop [m]", np.abs(track.position[:, 0, 2] - 0.05).max(), 1e-9),
        Check("tilt [rad]", tilt(track.orientation).max(), 1e-9),
    ]
    if player.is_tribo:
        paths = {}
        for dt in (1e-3, 2e-3, 4e-3):
            scene = Scene([body], round(0.9 / dt), Pair(mu), dt=dt, integrator="semi_implicit")
            paths[dt] = player.play(scene).position[-1, 0, 0]
        short = [v0**2 / (2 * mu * G) - path for path in paths.values()]
        disc = v0**2 / (2 * mu * G) - v0 * 1e-3 / 2
        checks.append(Check("semi-implicit, relative", abs(paths[1e-3] / disc - 1.0), 1e-6))
        order = max(abs(np.log2(short[1] / short[0]) - 1), abs(np.log2(short[2] / short[1]) - 1))
        checks.append(Check("semi-implicit, order − 1", order, 0.01))
    return checks


def diagonal_share(model: str) -> float:
    """Return how much stronger friction of a model is on the diagonal of its box than along an axis."""
    friction = []
    for angle in (0.0, np.pi / 4):
        world = tribo.World()
        world.time_step = 1e-3
        world.default_pair = ContactMaterial(
            youngs_modulus=1e8, spook_damping=0.01, friction=0.4, friction_model=(model, "direct")
        )
        world.add_ground()
        box = world.add_box((0.4, 0.4, 0.02), 1.0, position=(0, 0, 0.01))
        world.step(500)
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        push = 3.0 * 0.4 * G
        for _ in range(500):
            box.apply_force(push * way, box.position - (0, 0, 0.01))
            world.step()
        friction.append(push - float(np.linalg.norm(box.linear_velocity)) / 0.5)
    return friction[1] / friction[0]


@case(
    "A4",
    "box pushed at floor height in 72 directions with 0.999 and 1.001 μmg",
    "holds; moves along the push; the same threshold in every direction (a cone)",
    peers=BOTH,
    note="box models of contact materials: √2 stronger on the diagonal",
)
def pushed_in_every_direction(player: Player) -> list[Check]:
    """Creep below the limit, direction and size of friction above it."""
    mu, mass = 0.4, 1.0
    creep = turned = 0.0
    limits = []
    for angle in np.radians(np.arange(0, 360, 5)):
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        for share in (0.999, 1.001):
            push = Force("b0", tuple(share * mu * mass * G * way), offset=(0.0, 0.0, -0.05))
            track = player.play(Scene([low_box()], 500, Pair(mu), forces=[push], every=500))
            if share < 1.0:
                creep = max(creep, np.abs(track.position[-1] - track.position[0]).max())
                continue
            v = track.velocity[-1, 0]
            speed = np.linalg.norm(v)
            sine = np.linalg.norm(v / speed - way) if speed > 0.0 else np.pi
            turned = max(turned, sine)
            limits.append(share * mu * mass * G - mass * speed / 0.5)
    spread = max(limits) / min(limits) - 1.0
    boxes = [abs(diagonal_share(model) / np.sqrt(2.0) - 1.0) for model in ("box", "scaled_box")]
    extra = [Check("box models: diagonal / √2 − 1", max(boxes), 1e-6)] if player.is_tribo else []
    return [
        Check("drift below the limit [m]", creep, 1e-9),
        Check("direction of slip [rad]", turned, 1e-6),
        Check("largest/smallest friction − 1", spread, 1e-9),
        *extra,
    ]


@case(
    "A5",
    "SimBenchmark *rolling*: 25 balls on a box of 20 m, pushed by 150 N at 60°, 4 s",
    "a_box = 0.7385, a_ball = 0.2110 m/s²",
    peers=BOTH,
)
def balls_on_a_pushed_box(player: Player) -> list[Check]:
    """Mean squared velocity error of box and balls."""
    big, n, m, r = 10.0, 25, 1.0, 0.5
    floor = 0.4 * (big + n * m) * G
    shared = ((150.0 - floor) / big) / (3.5 / m + n / big)  # friction of one ball
    rates = [(150.0 - floor - n * shared) / big] + n * [shared / m]
    way = np.array([0.5, np.sqrt(0.75), 0.0])
    bodies = [Body("box", (20.0, 20.0, 1.0), big, (0.0, 0.0, 0.5), material="box", name="box")]
    for k in range(n):
        place = (2.0 * (k % 5) - 4.0, 2.0 * (k // 5) - 4.0, 1.5)
        bodies.append(Body("sphere", (r,), m, place, material="ball", name=f"ball{k}"))
    pairs = {"ground|box": Pair(0.4), "box|ball": Pair(0.8)}
    push = Force("box", tuple(150.0 * way))
    scene = Scene(bodies, 4000, pairs=pairs, planes=[Plane(material="ground")], forces=[push], every=40)
    track = player.play(scene)
    known = track.time[:, None, None] * np.array(rates)[None, :, None] * way
    error = ((track.velocity - known) ** 2).sum(axis=2).mean()
    return [Check("mean squared velocity error [m²/s²]", float(error), 1e-10)]


@case(
    "A6",
    "box under a growing force F = kt, μ_s = 0.6, μ = 0.4, v_s = 1 mm/s",
    "starts at μ_s mg, then a = (F − μmg)/m",
)
def breaks_away(player: Player) -> list[Check]:
    """Time of the start, acceleration once v > 2 v_s."""
    pair = Pair(0.4, static_friction=0.6, static_speed=1e-3)
    push = Force("b0", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), offset=(0.0, 0.0, -0.05))
    track = player.play(Scene([low_box()], 6500, pair, forces=[push]))
    v = track.velocity[:, 0, 0]
    start = track.time[np.argmax(v > 1e-9) - 1]  # the step in which it starts begins here
    known = track.time[:-1] - 0.4 * G
    late = v[:-1] > 2e-3
    error = np.abs(np.diff(v)[late] / 1e-3 / known[late] - 1.0).max()
    return [
        Check("time of the start [steps]", round(abs(start - 0.6 * G) / 1e-3, 6), 1.0),
        Check("acceleration, relative", float(error), 1e-4),
    ]


@case(
    "A7",
    "mass on a spring (k = 100) on a belt of 0.1 m/s, μ_s = 0.6, μ = 0.4, dt = 0.1 ms, 10 cycles",
    "sticks at x = 0.019620 for 0.39240 s, slips for 0.408432 s, x from 0.017219 to 0.061261 m",
    note="the spring's force is the user's, taken at mid-step; the least x lies below the place of "
    "sticking, by the symmetry of the slip about μmg/k",
)
def sticks_and_slips(player: Player) -> list[Check]:
    """Range and durations of the cycles, and their change from cycle to cycle."""
    dt, k, belt_speed = 1e-4, 100.0, 0.1
    pair = Pair(0.4, static_friction=0.6, static_speed=1e-5)
    belt = Body("box", (20.0, 1.0, 0.1), position=(0.0, 0.0, -0.05), kind="kinematic",
                velocity=(belt_speed, 0.0, 0.0))  # fmt: skip
    world, (_, mass), _ = play_tribo.build(Scene([belt, low_box()], pair=pair, planes=[], dt=dt))
    state, place = world.engine.state, mass.span
    x = np.empty(85_000)
    v = np.empty_like(x)
    for i in range(len(x)):
        x[i], v[i] = state.q[place.q.start], state.v[place.v.start]
        mass.apply_force((-k * (x[i] + dt / 2 * v[i]), 0.0, 0.0), (x[i], 0.0, 0.0))
        world.step()
    sticks = np.abs(v - belt_speed) < 1e-6
    starts = np.flatnonzero(sticks[1:] & ~sticks[:-1])  # of sticking
    ends = np.flatnonzero(~sticks[1:] & sticks[:-1])
    starts = starts[starts > ends[0]]
    ends, starts = ends[1 : len(starts)], starts[:-1]  # both without the start from rest
    stuck, cycle = (ends - starts) * dt, np.diff(starts) * dt
    slip = cycle - stuck[: len(cycle)]
    low, high = x[starts[0] : ends[-1]].min(), x[starts[0] : ends[-1]].max()
    peaks = x[ends]
    return [
        Check("place of sticking, relative", np.abs(x[starts] / 0.019620 - 1).max(), 5e-3),
        Check("lowest x, relative", abs(low / 0.017219 - 1), 5e-3),
        Check("highest x, relative", abs(high / 0.061261 - 1), 5e-3),
        Check("time of sticking, relative", np.abs(stuck / 0.39240 - 1).max(), 5e-3),
        Check("time of slipping, relative", np.abs(slip / 0.408432 - 1).max(), 5e-3),
        Check("change of the peak from cycle to cycle", np.abs(np.diff(peaks) / peaks[1:]).max(), 1e-3),
        holds("ten cycles", len(peaks) >= 9),
    ]


@case(
    "A8", "box put on a conveyor of 1 m/s, μ = 0.5", "reaches the belt's speed at V/μg after slipping V²/2μg"
)
def on_a_conveyor(player: Player) -> list[Check]:
    """Slip distance against the midpoint rule's own sum, and time."""
    belt = Body("box", (20.0, 2.0, 0.1), position=(0.0, 0.0, -0.05), kind="kinematic",
                velocity=(1.0, 0.0, 0.0))  # fmt: skip
    track = player.play(Scene([belt, low_box()], 1000, Pair(0.5), planes=[]))
    slip = track.time - track.position[:, 1, 0]
    first = track.time[np.argmax(track.velocity[:, 1, 0] > 1.0 - 1e-9)]
    return [
        Check("slip, relative", abs(slip[-1] / stop_distance(1.0, 0.5, 1e-3) - 1.0), 1e-6),
        Check("time [steps]", round(abs(first - 1.0 / (0.5 * G)) / 1e-3, 6), 1.0),
        Check("speed afterwards [m/s]", np.abs(track.velocity[-500:, 1] - [1, 0, 0]).max(), 1e-10),
    ]


@case(
    "A9",
    "1 kg on 2 kg, pulled below with 0.999 and 1.001 of the limit; μ₁₂ = 0.3, μ_g = 0.2",
    "the top slips iff F > (m₁ + m₂)(μ₁₂ + μ_g) g = 14.715 N",
    peers=BOTH,
)
def pulled_from_under(player: Player) -> list[Check]:
    """Relative motion below the limit, relative acceleration above it."""
    checks = []
    limit = 3.0 * 0.5 * G
    bodies = [
        Body("box", (1.0, 0.5, 0.1), 2.0, (0.0, 0.0, 0.05), material="low", name="low"),
        Body("box", (0.2, 0.2, 0.1), 1.0, (0.0, 0.0, 0.15), material="top", name="top"),
    ]
    pairs = {"floor|low": Pair(0.2), "low|top": Pair(0.3)}
    for share in (0.999, 1.001):
        push = Force("low", (share * limit, 0.0, 0.0))
        scene = Scene(bodies, 1000, pairs=pairs, planes=[Plane(material="floor")], forces=[push])
        track = player.play(scene)
        slip = track.velocity[-1, 0, 0] - track.velocity[-1, 1, 0]
        if share < 1.0:
            moved = track.position[:, 0, 0] - track.position[:, 1, 0]
            checks.append(Check("slip below the limit [m]", np.abs(moved).max(), 1e-9))
        else:
            known = (share * limit - 0.6 * G - 0.3 * G) / 2 - 0.3 * G
            checks.append(Check("slip above it, relative", abs(slip / known - 1.0), 1e-6))
    return checks
