"""Family D, first half: free bodies, tops and pendulums."""

from __future__ import annotations

import numpy as np
import play_tribo
from parts import fixed_base, link, rods
from stage import Body, Robot, Scene, Track, inertia_of, matrices, turn
from suite import BOTH, Check, Player, case

from tribo.description.trees import TreeDescription
from tribo.model import Joint

G = 9.81
NONE = (0.0, 0.0, 0.0)


@case("D1", "free fall and throw, 1000 steps of 1 ms and 250 of 20 ms", "z₀ + v₀t − gt²/2", peers=BOTH,
      note="relative to the size of the numbers; the midpoint rule is exact here, first-order rules are "
      "off by g dt t/2")  # fmt: skip
def projectile(player: Player) -> list[Check]:
    """Position at all samples."""
    worst = 0.0
    for dt, steps in ((1e-3, 1000), (2e-2, 250)):
        ball = Body("sphere", (0.1,), 1.0, (1.0, 2.0, 3.0), velocity=(1.0, -2.0, 5.0))
        track = player.play(Scene([ball], steps, planes=[], dt=dt, every=10))
        t = track.time[:, None]
        known = np.array([1.0, 2.0, 3.0]) + t * [1.0, -2.0, 5.0] - t**2 / 2 * [0.0, 0.0, G]
        scale = max(1.0, np.abs(known).max())
        worst = max(worst, np.abs(track.position[:, 0] - known).max() / scale)
    return [Check("position / largest coordinate", worst, 1e-12)]


def momenta(body: Body, track: Track) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return spin in body axes (t, 3), kinetic energy (t,) and angular momentum (t, 3), world."""
    rotation = matrices(track.orientation[:, 0])
    local = np.einsum("tji,tj->ti", rotation, track.spin[:, 0])
    inertia = np.diag(inertia_of(body))
    return local, 0.5 * local**2 @ inertia, np.einsum("tij,tj->ti", rotation, inertia * local)


@case(
    "D2",
    "free body I = (1, 2, 3) tumbles from ω = (0.01, 5, 0), 60 s",
    "ω₂ changes sign at 2.6330276 + k · 5.2660551 s; energy and momentum constant",
    peers=BOTH,
)
def tumbling(player: Player) -> list[Check]:
    """Times of six flips, energy and momentum over 60 s."""
    body = Body("box", (1.0, 1.0, 1.0), inertia=(1.0, 2.0, 3.0), spin=(0.01, 5.0, 0.0))
    scene = Scene([body], 60_000, planes=[], gravity=NONE)
    local, kinetic, momentum = momenta(body, player.play(scene))
    flips = (np.flatnonzero(local[1:, 1] * local[:-1, 1] < 0.0) + 1) * 1e-3
    known = 2.6330276 + 5.2660551 * np.arange(6)
    late = np.abs(flips[:6] - known).max() if len(flips) >= 6 else np.inf
    size = np.linalg.norm(momentum[0])
    return [
        Check("six flips [s]", late, 2e-3),
        Check("energy, relative", np.abs(kinetic / kinetic[0] - 1.0).max(), 1e-9),
        Check("momentum, relative", np.abs(momentum - momentum[0]).max() / size, 1e-9),
    ]


@case(
    "D3",
    "symmetric top I = (2, 2, 1), ω = (0.6, 0, 1.5), 10 s",
    "precession in the body (I₃ − I₁)/I₁ ω₃, in space L/I₁",
    peers=BOTH,
    note="rates: angle turned in 10 s over the time",
)
def symmetric_top(player: Player) -> list[Check]:
    """Both rates."""
    body = Body("box", (1.0, 1.0, 1.0), inertia=(2.0, 2.0, 1.0), spin=(0.6, 0.0, 1.5))
    track = player.play(Scene([body], 10_000, planes=[], gravity=NONE, every=10))
    local, _, momentum = momenta(body, track)
    angle = np.unwrap(np.arctan2(local[:, 1], local[:, 0]))
    in_body = (angle[-1] - angle[0]) / 10.0
    unit = momentum[0] / np.linalg.norm(momentum[0])
    axis = matrices(track.orientation[:, 0])[:, :, 2]
    flat = axis - np.outer(axis @ unit, unit)
    first = flat[0] / np.linalg.norm(flat[0])
    second = np.cross(unit, first)
    angle = np.unwrap(np.arctan2(flat @ second, flat @ first))
    in_space = (angle[-1] - angle[0]) / 10.0
    return [
        Check("in the body, relative", abs(in_body / (-0.5 * 1.5) - 1.0), 1e-6),
        Check("in space, relative", abs(in_space / (np.linalg.norm([1.2, 0, 1.5]) / 2.0) - 1.0), 1e-6),
    ]


@case(
    "D4",
    "heavy top on a spherical joint: m 1, l 0.1, I₁ 0.012, I₃ 0.002, ω₃ 200, θ 30°, dt = 0.1 ms, 0.5 s",
    "steady precession 2.63255577 (slow) and 35.8574622 rad/s (fast)",
)
def heavy_top(player: Player) -> list[Check]:
    """Nutation and precession of both solutions."""
    theta, spin = np.radians(30), 200.0
    checks = []
    for name, rate in (("slow", 2.63255577), ("fast", 35.8574622)):
        world, _, _ = play_tribo.build(Scene(planes=[], dt=1e-4))
        top = link("top", 0, Joint.SPHERICAL, 1.0, com=(0, 0, 0.1), inertia=(0.002, 0.002, 0.002))
        robot = world.add_articulated_system(TreeDescription([fixed_base(), top]))
        axis = np.array([np.sin(theta), 0.0, np.cos(theta)])
        robot.generalized_coordinate = turn((0, 1, 0), theta)
        robot.generalized_velocity = [0, 0, rate] + (spin - rate * np.cos(theta)) * axis
        nods, turned = [], [0.0]
        for _ in range(50):
            world.step(100)
            now = robot.body_poses()[1][1][:, 2]
            nods.append(abs(np.arccos(now[2]) - theta))
            turned.append(np.arctan2(now[1], now[0]))
        found = np.unwrap(turned)[-1] / 0.5
        checks.append(Check(f"{name}: nutation [rad]", max(nods), 1e-4))
        checks.append(Check(f"{name}: precession, relative", abs(found / rate - 1.0), 1e-4))
    return checks


BOB = """<robot name="pendulum"><link name="world"/><link name="bob"><inertial><origin xyz="0 0 -1"/>
<mass value="1"/><inertia ixx="1e-12" iyy="1e-12" izz="1e-12" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/></joint>
</robot>"""
PERIODS = {10: 2.00989263, 60: 2.15287467, 90: 2.36784195, 170: 4.89352427}


def period(track: Track) -> float:
    """Return the time between the first and third zero of the angle, by a cubic through each."""
    angle, rate, t = track.q[:, 0], track.v[:, 0], track.time
    zeros = []
    for k in np.flatnonzero(angle[1:] * angle[:-1] < 0.0)[:3]:
        h = t[k + 1] - t[k]
        s = angle[k] / (angle[k] - angle[k + 1])  # Hermite's cubic on the step, then Newton
        for _ in range(6):
            a, b = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s
            c, d = 3 * s**2 - 2 * s**3, s**3 - s**2
            value = a * angle[k] + b * h * rate[k] + c * angle[k + 1] + d * h * rate[k + 1]
            slope = (6 * s**2 - 6 * s) * (angle[k] - angle[k + 1]) + h * (
                (3 * s**2 - 4 * s + 1) * rate[k] + (3 * s**2 - 2 * s) * rate[k + 1]
            )
            s -= value / slope
        zeros.append(t[k] + s * h)
    return zeros[2] - zeros[0]


@case("D5", "pendulum of 1 m released at 10°, 60°, 90°, 170°, dt = 0.1 ms", "T = 4√(L/g) K(sin²(θ₀/2))",
      peers=BOTH)  # fmt: skip
def pendulum(player: Player) -> list[Check]:
    """Periods, and the order of the error."""
    errors = {}
    for dt in (1e-4, 1e-3, 2e-3):
        errors[dt] = 0.0
        for degrees, known in PERIODS.items():
            robot = Robot(BOB, (float(np.radians(degrees)),), (0.0,))
            every = round(max(1e-3, dt) / dt)  # between samples a cubic misses 1e-12 s
            scene = Scene([], round(1.4 * known / dt), planes=[], robots=[robot], dt=dt, every=every)
            errors[dt] = max(errors[dt], abs(period(player.play(scene)) / known - 1.0))
    checks = [Check("period, relative", errors[1e-4], 1e-5)]
    if player.is_tribo:
        order = np.log2(errors[2e-3] / errors[1e-3])
        checks.append(Check("order − 2", abs(order - 2.0), 0.2))
    return checks


@case(
    "D6",
    "conical pendulum: uniform rod of 1 m on a spherical joint at 20°, 45°, 70°, dt = 0.1 ms, 5 s",
    "Ω² = 3g/(2L cos α)",
)
def conical_pendulum(player: Player) -> list[Check]:
    """Rate of going round, and angle."""
    worst = nod = 0.0
    for alpha in np.radians([20.0, 45.0, 70.0]):
        rate = np.sqrt(1.5 * G / np.cos(alpha))
        world, _, _ = play_tribo.build(Scene(planes=[], dt=1e-4))
        rod = link("rod", 0, Joint.SPHERICAL, 1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 1e-9))
        robot = world.add_articulated_system(TreeDescription([fixed_base(), rod]))
        robot.generalized_coordinate = turn((0, 1, 0), alpha)
        # The rod turns about the vertical, less what its own axis would turn: no spin about itself.
        axis = np.array([np.sin(alpha), 0.0, np.cos(alpha)])
        robot.generalized_velocity = rate * (np.array([0, 0, 1.0]) - axis[2] * axis)
        turned, nods = [np.pi], []
        for _ in range(500):
            world.step(100)
            down = -robot.body_poses()[1][1][:, 2]
            turned.append(np.arctan2(down[1], down[0]))
            nods.append(abs(np.arccos(-down[2]) - alpha))
        worst = max(worst, abs((np.unwrap(turned)[-1] - np.pi) / 5.0 / rate - 1.0))
        nod = max(nod, *nods)
    return [Check("rate, relative", worst, 1e-5), Check("angle [rad]", nod, 1e-5)]


RODS = {0.5: (0.4481426259, 1.0419628873), 1.0: (-1.2077162382, -0.8143910231),
        2.0: (-0.0827583068, 0.4073620749), 3.0: (1.0250860123, 0.4957346476)}  # fmt: skip
POINTS = {0.5: (0.5704720512, 1.2038751112), 1.0: (-0.6250876998, -1.0345850857)}


def _double(player: Player, urdf: str, known: dict[float, tuple[float, float]]) -> list[Check]:
    robot = Robot(urdf, (np.pi / 2, 0.0), (0.0, 0.0))
    steps = round(max(known) / 1e-4)

    def errors(integrator: str) -> dict[float, float]:
        scene = Scene([], steps, planes=[], robots=[robot], dt=1e-4, every=100, integrator=integrator)
        angles = np.cumsum(player.play(scene).q, axis=1)
        return {t: float(np.abs(angles[round(t / 0.01)] - a).max()) for t, a in known.items()}

    error = errors("midpoint")
    exact = []
    if player.is_tribo:
        exact = [Check("rk4: angles [rad]", max(errors("rk4").values()), 1e-8)]
    return [
        Check("angles until t = 1 s [rad]", max(e for t, e in error.items() if t <= 1.0), 1e-3),
        *(Check(f"angles at {t:g} s [rad]", e, 1e-2) for t, e in error.items() if t > 1.0),
        *exact,
    ]


@case("D7", "double pendulum of two uniform rods released level, dt = 0.1 ms, 3 s",
      "angles of a high-order integration at 0.5, 1, 2, 3 s", peers=BOTH)  # fmt: skip
def double_pendulum(player: Player) -> list[Check]:
    """Absolute angles."""
    return _double(player, rods(2, 1.0, 1.0), RODS)


def points(mass: float = 1.0) -> str:
    """Return a URDF of two point masses on rods of 1 m."""
    small = '<inertia ixx="1e-12" iyy="1e-12" izz="1e-12" ixy="0" ixz="0" iyz="0"/>'
    bob = f'<inertial><origin xyz="0 0 -1"/><mass value="{mass}"/>{small}</inertial>'
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>'
    joint += '<origin xyz="0 0 {3}"/><axis xyz="0 1 0"/></joint>'
    return (
        f'<robot name="points"><link name="world"/><link name="a">{bob}</link><link name="b">{bob}</link>'
        + joint.format("ja", "world", "a", 0)
        + joint.format("jb", "a", "b", -1)
        + "</robot>"
    )


@case("D8", "double pendulum of two point masses, released level, dt = 0.1 ms", "as D7, at 0.5 and 1 s",
      peers=BOTH)  # fmt: skip
def double_pendulum_of_points(player: Player) -> list[Check]:
    """Absolute angles."""
    return _double(player, points(), POINTS)
