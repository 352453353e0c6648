"""Family C: impacts and rebounds."""

from __future__ import annotations

import numpy as np
import play_tribo
from parts import fixed_base, link
from stage import Body, Pair, Plane, Scene, energy, turn
from suite import BOTH, BULLET, Check, Player, case, holds

from tribo.description.trees import ShapeDescription, TreeDescription
from tribo.model import Joint, Shape

G = 9.81
NONE = (0.0, 0.0, 0.0)


def drop(height: float, r: float = 0.5) -> Body:
    """Return a ball whose lowest point is at a height."""
    return Body("sphere", (r,), 1.0, (0.0, 0.0, r + height))


def bounces(z: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return index of the first sample after each rebound and the specific energy there over the floor."""
    after = np.flatnonzero((v[1:] > 0.0) & (v[:-1] < 0.0)) + 1
    return after, z[after] + v[after] ** 2 / (2 * G)


PROPAGATE = "propagate"


@case(
    "C1",
    "ball dropped from 1 m, e = 0, 0.3, 0.65, 0.95, 1, threshold 0",
    "apex e²ⁿ h₀",
    peers=(BULLET,),
    note="apexes above 1 mm among the first three; apex = z + v²/2g after; both laws of impact",
)
def apexes(player: Player) -> list[Check]:
    """Apex error; rest where e = 0."""
    worst = 0.0
    for e in (0.3, 0.65, 0.95, 1.0):
        known = e ** (2.0 * np.arange(1, 4))
        known = known[known > 1e-3]
        for impact in (PROPAGATE, "simultaneous") if player.is_tribo else (PROPAGATE,):
            scene = Scene([drop(1.0)], 2500, Pair(restitution=e), impact=impact)
            track = player.play(scene)
            _, apex = bounces(track.position[:, 0, 2] - 0.5, track.velocity[:, 0, 2])
            found = apex[: len(known)]
            error = np.abs(found / known - 1.0).max() if len(found) == len(known) else np.inf
            worst = max(worst, error)
    dead = player.play(Scene([drop(1.0)], 1000, Pair()))
    return [
        Check("apex, relative, 1 ms", worst, 1e-8 if player.is_tribo else 1e-3),
        Check("e = 0: rebound [m]", np.abs(dead.position[500:, 0, 2] - 0.5).max(), 1e-9),
    ]


@case(
    "C2",
    "ball dropped from 1 m, e = 0.8, r_th = 0.1 m/s",
    "vₙ = v* + eⁿ(v₀ − v*), v* = −0.4 m/s; 11 bounces; v₅ = 1.1825132",
    note='tribo with impact = "propagate"',
)
def offset_law(player: Player) -> list[Check]:
    """Speeds after the bounces and their number."""
    checks = []
    known = -0.4 + 0.8 ** np.arange(1, 12) * (np.sqrt(2 * G) + 0.4)
    scene = Scene([drop(1.0)], 3500, Pair(restitution=0.8, threshold=0.1), impact=PROPAGATE)
    speeds = fast_bounces(scene) if player.is_tribo else np.zeros(0)
    error = np.abs(speeds[:10] / known[: len(speeds[:10])] - 1.0).max()
    checks += [
        Check("v₁ … v₁₀, relative, 1 ms", error, 1e-3),
        Check("bounces − 11, 1 ms", abs(len(speeds) - 11), 0.0),
    ]
    return checks


def fast_bounces(scene: Scene) -> np.ndarray:
    """Return the speeds after all bounces of tribo's ball: from its height and speed after the step."""
    world, (ball,), _ = play_tribo.build(scene)
    speeds, before = [], 0.0
    velocity = world.engine.state.v
    for _ in range(scene.steps):
        world.step()
        now = velocity[ball.span.v.start + 2]
        if now > 0.0 > before:
            height = ball.position[2] - 0.5
            speeds.append(float(np.sqrt(now**2 + 2 * G * height)))
        before = now
    return np.array(speeds)


@case(
    "C3",
    "ball dropped from 1 m, e = 0.8, until it rests",
    "√(2h₀/g)(1 + e)/(1 − e) = 4.063713 s, then rest",
    peers=(BULLET,),
    note='tribo with impact = "propagate": a ball rests when a bounce would end within the step',
)
def time_of_bouncing(player: Player) -> list[Check]:
    """Time of the last bounce, then speed."""
    errors = {}
    for dt in (1e-3, 1e-4):
        every = 1 if dt > 5e-4 else 5
        scene = Scene([drop(1.0)], round(5.0 / dt), Pair(restitution=0.8), dt=dt, every=every,
                      impact=PROPAGATE)  # fmt: skip
        track = player.play(scene)
        v = track.velocity[:, 0, 2]
        moving = np.abs(v) > 1e-9
        end = track.time[len(v) - np.argmax(moving[::-1])] if not moving[-1] else np.inf
        tail = np.abs(v[track.time > 4.5]).max()
        errors[dt] = abs(end / 4.063713 - 1.0)
    return [
        Check("time, relative, 1 ms", errors[1e-3], 1e-3),
        Check("error at 0.1 ms over that at 1 ms", errors[1e-4] / errors[1e-3], 0.5),
        Check("speed from 4.5 s on [m/s]", tail, 1e-10),
    ]


@case(
    "C4",
    "SimBenchmark *bouncing*: 49 balls (10 kg, 0.1 m) dropped from 5 m, e = 1, 20 s",
    "energy constant, no trend",
    peers=(BULLET,),
    note="the tolerance is the one stated for time of impact on, which the midpoint rule meets without",
)
def bouncing(player: Player) -> list[Check]:
    """Largest energy error and trend."""
    bodies = [
        Body("sphere", (0.1,), 10.0, (0.5 * (k % 7), 0.5 * (k // 7), 5.0 + 0.01 * k)) for k in range(49)
    ]
    scene = Scene(bodies, 20_000, Pair(restitution=1.0), every=20)
    track = player.play(scene)
    total = energy(scene, track).sum(axis=1)
    error = total / total[0] - 1.0
    tenth = len(error) // 10
    trend = abs(error[-tenth:].mean() - error[1 : tenth + 1].mean())
    return [Check("energy, relative", np.abs(error).max(), 1e-4), Check("trend, relative", trend, 1e-5)]


def cradle(player: Player, e: float, speeds: tuple[float, ...], impact: str = "simultaneous") -> np.ndarray:
    """Return speeds of touching balls after the first impact, and the change of momentum."""
    bodies = [
        Body("sphere", (0.5,), 1.0, (k - (0.25 if v else 0.0), 0.0, 0.0), velocity=(v, 0.0, 0.0))
        for k, v in enumerate(speeds)
    ]
    scene = Scene(bodies, 400, Pair(restitution=e), planes=[], gravity=NONE, every=400,
                  impact=impact)  # fmt: skip
    return np.asarray(player.play(scene).velocity[-1, :, 0])


@case(
    "C5",
    "Newton's cradle of five touching balls, one or two arrive at 1 m/s, e = 1 and 0.95",
    "simultaneous: (−0.6, 0.4, 0.4, 0.4, 0.4), (−0.2, −0.2, 0.8, 0.8, 0.8); propagate: (0, 0, 0, 0, 1), …",
    peers=(BULLET,),
)
def newtons_cradle(player: Player) -> list[Check]:
    """Speeds and momentum."""
    error = momentum = 0.0
    for e, speeds, known in (
        (1.0, (1, 0, 0, 0, 0), [-0.6, 0.4, 0.4, 0.4, 0.4]),
        (1.0, (1, 1, 0, 0, 0), [-0.2, -0.2, 0.8, 0.8, 0.8]),
        (0.95, (1, 0, 0, 0, 0), [0.39 - 0.95, 0.39, 0.39, 0.39, 0.39]),
    ):
        found = cradle(player, e, tuple(float(v) for v in speeds))
        error = max(error, np.abs(found - known).max())
        momentum = max(momentum, abs(found.sum() - sum(speeds)))
    checks = [Check("speeds [m/s]", error, 1e-9), Check("momentum [kg m/s]", momentum, 1e-12)]
    error = 0.0
    for n in (1, 2, 3):
        speeds = np.array([float(k < n) for k in range(5)])
        found = cradle(player, 1.0, tuple(speeds), PROPAGATE)
        error = max(error, np.abs(found - speeds[::-1]).max())
    return [*checks, Check("speeds handed on [m/s]", error, 1e-12)]


@case(
    "C6",
    "ball of 0.1 kg above a ball of 2 kg, gap 1 mm, both dropped from 1 m, e = 1",
    "v_m = (3M − m)/(M + m) v₀",
    peers=(BULLET,),
    note="v₀ is the speed at which the big ball arrives; at 10 µs the two impacts are apart; tribo with "
    'impact = "propagate"',
)
def small_on_big(player: Player) -> list[Check]:
    """Speed of the small ball after both impacts."""
    m, big, v0 = 0.1, 2.0, np.sqrt(2 * G)
    checks = []
    for name, dt in (("1 ms", 1e-3), ("10 µs", 1e-5)):
        bodies = [
            Body("sphere", (0.2,), big, (0.0, 0.0, 0.2 + 0.05), velocity=(0.0, 0.0, -v0)),
            Body("sphere", (0.05,), m, (0.0, 0.0, 0.451 + 0.05), velocity=(0.0, 0.0, -v0)),
        ]
        scene = Scene(bodies, round(0.05 / dt), Pair(restitution=1.0), gravity=NONE, dt=dt,
                      impact=PROPAGATE, every=round(0.05 / dt))  # fmt: skip
        v = player.play(scene).velocity[-1, 1, 2]
        checks.append(Check(f"speed, relative, {name}", abs(v * (big + m) / (3 * big - m) / v0 - 1), 1e-3))
    return checks


@case(
    "C7",
    "ball hits the ground at 20 … 70° from the normal at 3 m/s, e = 0.8, μ = 0.2, no spin",
    "slips throughout beyond 51.5627°: Δv_t = −μ(1 + e) v_n; else leaves rolling with 5/7 v_t",
    peers=(BULLET,),
)
def oblique_impact(player: Player) -> list[Check]:
    """Velocities and spin after the impact."""
    e, mu, r, speed = 0.8, 0.2, 0.1, 3.0
    worst = 0.0
    for degrees in (20.0, 45.0, 51.5, 51.6, 60.0, 70.0):
        n, t = speed * np.cos(np.radians(degrees)), speed * np.sin(np.radians(degrees))
        ball = Body("sphere", (r,), 0.7, (0.0, 0.0, r + 0.0513), velocity=(t, 0.0, -n))
        scene = Scene([ball], 100, Pair(mu, e), gravity=NONE, every=100)
        track = player.play(scene)
        left = t - mu * (1 + e) * n if t >= 3.5 * mu * (1 + e) * n else 5 / 7 * t
        v, omega = track.velocity[-1, 0], track.spin[-1, 0, 1]
        errors = (v[2] / (e * n) - 1, v[0] / left - 1, 0.4 * r * omega / (t - left) - 1)
        worst = max(worst, *np.abs(errors))
    return [Check("velocities and spin, relative", worst, 1e-8)]


@case(
    "C8",
    "rod lands on one end at 10°, 30°, 60°, e = 0.5, μ = 0",
    "J = m(1 + e)v/(1 + 3cos²θ), ω = 3(1 + e)v cos θ/(a(1 + 3cos²θ))",
    peers=(BULLET,),
    note="a capsule with the inertia of a thin rod: its end is right above the contact",
)
def rod_on_one_end(player: Player) -> list[Check]:
    """Impulse and spin."""
    e, a, v, mass = 0.5, 0.5, 2.0, 1.5
    worst = 0.0
    for theta in np.radians([10.0, 30.0, 60.0]):
        thin = mass * a * a / 3
        rod = Body("capsule", (0.01, 2 * a), mass, (0.0, 0.0, 0.0605 + a * np.sin(theta)),
                   turn((0, 1, 0), np.pi / 2 - theta), (0.0, 0.0, -v),
                   inertia=(thin, thin, 1e-4))  # fmt: skip
        scene = Scene([rod], 40, Pair(restitution=e), gravity=NONE)
        track = player.play(scene)
        k = int(np.argmax(np.abs(track.spin[:, 0, 1]) > 1e-6))
        factor = 1 + 3 * np.cos(theta) ** 2
        impulse = (track.velocity[k, 0, 2] + v) / ((1 + e) * v / factor)
        spin = abs(track.spin[k, 0, 1]) / (3 * (1 + e) * v * np.cos(theta) / (a * factor))
        worst = max(worst, abs(impulse - 1.0), abs(spin - 1.0))
    return [Check("impulse and spin, relative", worst, 1e-8)]


@case(
    "C9",
    "equal frictionless balls collide off centre, e = 1",
    "outgoing directions 90° apart",
    peers=(BULLET,),
)
def right_angle(player: Player) -> list[Check]:
    """Angle, momentum and energy."""
    bodies = [
        Body("sphere", (0.1,), 0.5, (-0.5, 0.07, 0.0), velocity=(2.0, 0.0, 0.0)),
        Body("sphere", (0.1,), 0.5),
    ]
    scene = Scene(bodies, 500, Pair(restitution=1.0), planes=[], gravity=NONE, every=500)
    u, w = player.play(scene).velocity[-1]
    cosine = abs(u @ w) / (np.linalg.norm(u) * np.linalg.norm(w) + 1e-300)
    return [
        Check("angle − 90° [rad]", cosine, 1e-8),
        Check("momentum [m/s]", np.abs(u + w - [2, 0, 0]).max(), 1e-12),
    ]


@case(
    "C10",
    "elastic 666: 216 balls (10 kg, 0.1 m, gap 0.21, jitter 1 mm) fall on the ground, e = 1, 5 s",
    "energy never grows, and what approaches slower than weight makes it in two steps is all that is lost; "
    "horizontal momentum constant",
    note="the way of 216 balls is chaotic: the loss is 0.003 to 0.006 for five jitters, 0.002 to 0.005 with "
    "the planes between nearest points of now",
)
def elastic_heap(player: Player) -> list[Check]:
    """Energy and momentum."""
    rng = np.random.default_rng(42)
    grid = [(x, y, z) for x in range(6) for y in range(6) for z in range(6)]
    bodies = [
        Body("sphere", (0.1,), 10.0, tuple(0.21 * np.array(p) + [0, 0, 1.0] + rng.uniform(-1e-3, 1e-3, 3)))
        for p in grid
    ]
    scene = Scene(bodies, 5000, Pair(restitution=1.0), every=50)
    track = player.play(scene)
    total = energy(scene, track).sum(axis=1)
    momentum = 10.0 * track.velocity[:, :, :2].sum(axis=1)
    scale = 216 * 10.0 * np.sqrt(2 * G)
    return [
        Check("gain of energy, relative", (total / total[0] - 1.0).max(), 1e-12),
        Check("loss of energy, relative", (1.0 - total / total[0]).max(), 1e-2),
        Check("horizontal momentum, relative", np.abs(momentum - momentum[0]).max() / scale, 1e-12),
    ]


@case(
    "C11",
    "double pendulum whose tip hits the floor, μ = 0.5, e = 0.5, three starts (Kane's example)",
    "kinetic energy after ≤ before",
    note="per step, less the work of gravity within it: at most g dt Σ m|v| at the larger of both speeds",
)
def kane(player: Player) -> list[Check]:
    """Largest gain of energy in a step with an impact."""
    gain, impacts = -np.inf, 0
    for start in ([0.5, -0.9], [0.2, 0.6], [0.9, -1.5]):
        links = [fixed_base()]
        for k in range(2):
            made = link(f"l{k}", k, Joint.REVOLUTE, 1.0, com=(0.25, 0, 0), inertia=(1e-3, 0.02, 0.02),
                        axis=(0, 1, 0), position=(0.5 * k, 0, 0))  # fmt: skip
            made.shapes.append(ShapeDescription(Shape.SPHERE, (0.02,), (0.5, 0, 0)))
            links.append(made)
        world, _, _ = play_tribo.build(Scene(pair=Pair(0.5, 0.5)))
        robot = world.add_articulated_system(TreeDescription(links), position=(0, 0, 0.55))
        robot.generalized_coordinate = start
        for _ in range(1500):
            before, total = world.kinetic_energy, world.energy
            world.step()
            if any(c.impulse.any() for c in world.contacts):
                impacts += 1
                top = max(before, world.kinetic_energy)
                work = G * 1e-3 * (np.sqrt(4 * top) + G * 1e-3)
                gain = max(gain, (world.energy - total - work) / max(top, 1e-9))
    return [
        Check("gain beyond gravity's work, relative", max(0.0, gain), 1e-12),
        holds("impacts", impacts > 0),
    ]


@case(
    "C12",
    "two balls between walls (nimblephysics#143): x = 0.78 and 0.99, v = 2 and 0, e = 1, 10 s",
    "kinetic energy 2 J",
    peers=(BULLET,),
)
def between_walls(player: Player) -> list[Check]:
    """Energy."""
    bodies = [
        Body("sphere", (0.1,), 1.0, (0.78, 0.0, 0.0), velocity=(2.0, 0.0, 0.0)),
        Body("sphere", (0.1,), 1.0, (0.99, 0.0, 0.0)),
    ]
    planes = [Plane((-1.0, 0.0, 0.0), -1.1), Plane((1.0, 0.0, 0.0), 0.0)]
    scene = Scene(bodies, 10_000, Pair(restitution=1.0), planes=planes, gravity=NONE, every=10)
    kinetic = energy(scene, player.play(scene))[:, 0]
    return [Check("energy, relative", np.abs(kinetic / 2.0 - 1.0).max(), 1e-9)]


@case(
    "C13",
    "box dropped flat on a box from 9 cm, e = 0",
    "no rebound",
    peers=BOTH,
    note="primitive boxes; the gap may close early by round-off, never late",
    waits_for="meshes: the same with mesh boxes",
)
def dead_drop(player: Player) -> list[Check]:
    """Rebound height after the landing."""
    bodies = [
        Body("box", (0.4, 0.4, 0.2), 2.0, (0.0, 0.0, 0.1)),
        Body("box", (0.2, 0.2, 0.2), 1.0, (0.0, 0.0, 0.39)),
    ]
    track = player.play(Scene(bodies, 1000, Pair(0.5)))
    z = track.position[:, 1, 2]
    landed = int(np.argmax(z <= 0.3 + 1e-9)) if (z <= 0.3 + 1e-9).any() else len(z) - 1
    return [Check("rebound [m]", max(0.0, z[landed:].max() - 0.3), 1e-6)]
