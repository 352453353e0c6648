"""Family E: Spatial_v2's compliant ground, in a world at fixed steps and with the adaptive integration."""

from __future__ import annotations

import itertools

import numpy as np
from compliant_bounce import LAW, bounce, bounce_of, spring_of
from stage import Body, Pair, Scene
from suite import BOTH, Check, Player, case, holds

import tribo
from tribo import ground, spatial
from tribo.ground import ContactState

G = 9.81
FINE = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}


def ball(
    dt: float, K: float, D: float, mu: float, g: float, height: float
) -> tuple[tribo.World, tribo.SingleBody]:
    """Return a world with a ball of 1 kg whose lowest point is at a height over a compliant ground."""
    world = tribo.World(dt, (0.0, 0.0, -g))
    world.add_ground(material="soil")
    world.set_material_pair("soil", "ball", friction=mu, stiffness=K, damping=D)
    # It does not turn: its inertia is that of a flywheel.
    made = world.add_sphere(0.1, 1.0, "ball", position=(0, 0, 0.1 + height), inertia=1e6 * np.eye(3))
    return world, made


def point(g: float) -> spatial.Model:
    """Return a planar point of 1 kg on joints px, py."""
    inertia = [spatial.mcI(0.0, [0.0, 0.0], 0.0), spatial.mcI(1.0, [0.0, 0.0], 0.0)]
    contact = spatial.GroundContact([1], np.zeros((2, 1)))
    return spatial.Model([-1, 0], ["px", "py"], [np.eye(3)] * 2, inertia, [0.0, -g], gc=contact)


@case(
    "E6",
    "point mass on Spatial_v2's ground: rest, and an undamped impact at 1 m/s",
    "δ = (mg/K)^⅔; δ_max = (5mv²/4K)^⅖; contact time 2.94328 δ_max/v",
    note="fixed steps of 1 ms at rest, of 0.1 ms in the impact: the duration to two steps",
)
def point_mass(player: Player) -> list[Check]:
    """Depths and duration."""
    K = 1e4
    world, body = ball(1e-3, K, 800.0, 0.5, G, 0.0)
    world.step(4000)
    known = (G / K) ** (2 / 3)
    rest = abs((0.1 - body.position[2]) / known - 1.0)
    motion = ground.simulate(point(G), ground.Ground(K, 800.0), 4.0, q=[0, 0], **FINE)
    fine = abs(-motion.q[-1, 1] / known - 1.0)
    world, body = ball(1e-4, K, 0.0, 0.5, 0.0, 3e-5)
    body.linear_velocity = 0, 0, -1
    deepest, touching = 0.0, 0
    for _ in range(1200):
        world.step()
        deepest = max(deepest, 0.1 - body.position[2])
        touching += any(c.force_on(body)[2] > 0 for c in body.contacts)
    peak = (1.25 / K) ** 0.4
    return [
        Check("depth at rest, relative", rest, 1e-9),
        Check("… with adaptive steps", fine, 1e-6),
        Check("largest depth, relative", abs(deepest / peak - 1.0), 1e-5),
        Check("contact time [s]", abs(touching * 1e-4 - 2.9432751843 * peak), 2e-4),
        Check("speed after an undamped impact", abs(body.linear_velocity[2] - 1.0), 1e-5),
    ]


RATIOS = {0.01: 0.988547, 0.05: 0.944397, 0.15: 0.845144, 0.4: 0.654113, 1.0: 0.393931, 2.5: 0.165725}


@case(
    "E7",
    "point mass that meets the damped ground at 1 m/s without weight, β = 0.01 … 2.5",
    "e(β) of a viscoelastic sphere: 0.988547 … 0.165725",
    note="fixed steps of 0.1 ms, some 800 in an impact, and of 0.4 ms: order 3/2 at least",
)
def restitution(player: Player) -> list[Check]:
    """Largest error over the table, and how it falls with the step."""
    K = 1e4
    worst = []
    for dt in (4e-4, 1e-4):
        errors = []
        for beta, known in RATIOS.items():
            world, body = ball(dt, K, beta * K**0.6, 0.5, 0.0, 0.3 * dt)
            body.linear_velocity = 0, 0, -1
            world.step(round(0.4 / dt))
            errors.append(abs(body.linear_velocity[2] - known))
        worst.append(max(errors))
    fine = 0.0
    for beta, known in RATIOS.items():
        law = ground.Ground(K, beta * K**0.6)
        motion = ground.simulate(point(0.0), law, 0.4, q=[0, 1e-3], qd=[0, -1.0], **FINE)
        fine = max(fine, abs(motion.qd[-1, 1] - known))
    return [
        Check("restitution, steps of 0.1 ms", worst[1], 3e-5),
        Check("error at 0.1 ms over that at 0.4 ms", worst[1] / worst[0], 1.2 / 8),
        Check("… with adaptive steps", fine, 1e-6),
    ]


@case(
    "E8",
    "ball that does not turn slides at 1 m/s; a box holds a side load; the ball is lifted off",
    "|f_t| = μ f_n; no creep; u fades with e^{−Kt/D}",
)
def tangential(player: Player) -> list[Check]:
    """Friction while slipping, drift while sticking, recovery without load."""
    K, D, mu = 1e6, 2e3, 0.5
    world, body = ball(1e-3, K, D, mu, G, -((G / K) ** (2 / 3)))
    body.linear_velocity = 1.0, 0.5, 0.0
    cone, slipped = 0.0, 0
    for _ in range(150):
        world.step()
        for contact in body.contacts:
            force = contact.frame @ contact.force_on(body)
            slipped += contact.state == ContactState.SLIPPING
            cone = max(cone, abs(np.hypot(*force[:2]) / (mu * abs(force[2])) - 1.0))
    world.gravity = 0.25 * G, 0, -G
    box = world.add_box((0.4, 0.4, 0.02), 1.0, "ball", position=(1, 0, 0.01))  # it cannot roll
    world.step(4000)
    before = box.position
    world.step(4000)
    creep = np.abs(box.position - before).max()
    world.remove(box)
    state = world.engine.state
    body.linear_velocity = 0, 0, 5.0
    world.step(2)
    kept = np.linalg.norm(state.yield_displacement[0])
    world.step(5)
    fade = np.linalg.norm(state.yield_displacement[0]) / kept / np.exp(-K / D * 5e-3)
    return [
        Check("|f_t|/(μ f_n) − 1 in slip", cone, 1e-9),
        holds("slips all the time", slipped == 150),
        Check("creep under a side load of half the friction, in 4 s [m]", creep, 1e-13),
        Check("u over 5 ms without load against e^{−Kt/D}, relative", abs(fade - 1.0), 1e-9),
    ]


@case(
    "E13",
    "ball of 1 kg hits a compliant ground at 1 m/s, dt = 1 ms, K from 1e4 to 1e8 N/m^1.5, four dampings, "
    "three phases of the first touch",
    "restitution of the law within 2 %, or the step says that it is too long (`TIME_STEP_TOO_LONG`)",
    peers=BOTH,
    note="peers: linear spring and damper with the contact time and the restitution of the law "
    "(81 steps at K = 1e4, 2 at 1e8); they never say that a step is too long",
)
def bounces(player: Player) -> list[Check]:
    """Largest error where nothing was said, and where the ground is soft."""
    worst = soft = 0.0
    for stiffness, beta in itertools.product((1e4, 1e5, 1e6, 1e7, 1e8), LAW):
        for phase in (0.01, 0.3, 0.7):
            if player.is_tribo:
                e, said = bounce(stiffness, beta, phase)
            else:
                e, said = bounce_of(player, stiffness, beta, phase), False
            error = 0.0 if said else abs(e / LAW[beta] - 1.0)
            worst, soft = max(worst, error), max(soft, error if stiffness == 1e4 else 0.0)
    return [
        Check("restitution, relative, where nothing is said", worst, 0.02),
        Check("restitution, relative, K = 1e4", soft, 0.02),
    ]


def pile(rng: np.random.Generator) -> Scene:
    """Return a pile of boxes and balls that are thrown onto each other and the ground."""
    dt, mu = rng.choice([1e-3, 2e-3, 4e-3]), rng.uniform(0.2, 1.0)
    stiffness = 10.0 ** rng.uniform(4.0, 8.0)
    bodies = []
    for k in range(rng.integers(2, 6)):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        place = (*rng.normal(size=2) * 0.05, 0.3 + 0.35 * k)
        shape, size = ("box", tuple(rng.uniform(0.1, 0.3, 3))) if k % 3 else ("sphere", (0.1,))
        mass = rng.uniform(0.2, 5)
        velocity, spin = rng.normal(size=(2, 3)) * [[2.0], [5.0]]
        bodies.append(Body(shape, size, mass, place, tuple(quaternion), tuple(velocity), tuple(spin)))
    law = Pair(mu, stiffness=stiffness, spring=spring_of(stiffness, 1.0))
    return Scene(bodies, round(1.0 / dt), law, dt=float(dt), wants_lawless=True)


def two_balls(player: Player, stiffness: float) -> tuple[float, float]:
    """Return what two equal balls that meet at 1 m/s on an undamped spring lose of speed and momentum."""
    balls = [
        Body("sphere", (0.1,), 1.0, (0.0, 0.0, z), velocity=(0.0, 0.0, v))
        for z, v in ((0.0, 0.0), (0.2003, -1.0))
    ]
    law = Pair(stiffness=stiffness, spring=spring_of(stiffness, 1.0, 0.5))
    track = player.play(Scene(balls, 300, law, planes=[], gravity=(0.0, 0.0, 0.0), every=300))
    one, other = track.velocity[-1, :, 2]
    return abs(other - one - 1.0), abs(one + other + 1.0)


@case(
    "E14",
    "eight piles of up to five boxes and balls thrown onto each other and the ground, all pairs compliant, "
    "K from 1e4 to 1e8 N/m^1.5, dt = 1, 2 and 4 ms, 1 s; two balls that meet at 1 m/s, K = 1e4 … 1e6",
    "0 ≤ f_n and |f_t| ≤ μ f_n at every point in every step, solved or not; both give way: e = 1, momentum",
    peers=BOTH,
    note="peers: linear springs as in E13, and their forces keep to the law, too",
)
def lawful(player: Player) -> list[Check]:
    """Pull, friction beyond the cone; restitution and momentum of two balls."""
    rng = np.random.default_rng(21)
    pull, beyond = np.max([player.play(pile(rng)).lawless.max(axis=0) for _ in range(8)], axis=0)
    lost, swerve = np.max([two_balls(player, stiffness) for stiffness in (1e4, 1e5, 1e6)], axis=0)
    return [
        Check("pull [N]", float(pull), 1e-9),
        Check("|f_t| − μ f_n over μ f_n (1 N at least)", float(beyond), 1e-6),
        Check("two balls: restitution − 1", float(lost), 0.02),
        Check("two balls: momentum [kg m/s]", float(swerve), 1e-12),
    ]
