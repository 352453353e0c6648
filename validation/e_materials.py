"""Contact materials: compliance, adhesion, creep."""

from __future__ import annotations

import itertools

import numpy as np
from suite import Check, Player, case, holds

import tribo
from tribo.materials import ContactMaterial

G = 9.81
DT = 1e-3


def on_ground(law: ContactMaterial) -> tribo.World:
    """Return a world with a ground and one law."""
    world = tribo.World()
    world.time_step = DT
    world.default_pair = law
    world.add_ground()
    return world


@case(
    "E9",
    "SPOOK mass on a floor: 2 kg, k = 2e4 N/m, τ = 5 h, from 1 mm deep, 2000 steps",
    "λ = clamp₊[((1 − b) u − a δ − (u − h g))/(1/m + R)], b = 4d/(1 + 4d), gap in mid step; δ = m g/k",
)
def spook_mass(player: Player) -> list[Check]:
    """Each step's velocity, and the depth at rest."""
    m, k, radius, d = 2.0, 2e4, 0.1, 5.0
    b = 4.0 * d / (1.0 + 4.0 * d)
    a = 4.0 / (DT * (1.0 + 4.0 * d))
    r = 4.0 / (DT * DT * k * (1.0 + 4.0 * d))
    world = on_ground(ContactMaterial(youngs_modulus=k, spook_damping=d * DT))
    ball = world.add_sphere(radius, m, position=(0, 0, radius - 1e-3))
    z, u, worst = radius - 1e-3, 0.0, 0.0
    for _ in range(2000):
        z += 0.5 * DT * u
        gap = z - radius
        impulse = max(0.0, ((1.0 - b) * u - a * gap - (u - DT * G)) / (1.0 / m + r))
        u += (impulse if gap <= 0.0 else 0.0) / m - DT * G
        z += 0.5 * DT * u
        world.step()
        worst = max(worst, abs(u - ball.linear_velocity[2]), abs(z - ball.position[2]))
    depth = radius - ball.position[2]
    return [
        Check("each step [m, m/s]", worst, 1e-12),
        Check("depth at rest, relative", abs(depth * k / (m * G) - 1.0), 1e-9),
    ]


@case(
    "E10",
    "plate of 2 kg on 4, 16 and 64 ball feet, k = 1e5 N/m; the same by area, E = 1e6 Pa, ℓ = 0.02 m",
    "δ = m g/(n k): points are springs side by side; δ = m g ℓ/(E A), A = 0.16 m², whatever n",
    note="by area: elastic_rest_length, which AGX's material files do not have",
)
def many_points(player: Player) -> list[Check]:
    """Depth at rest."""
    m, k, radius, modulus, length = 2.0, 1e5, 0.01, 1e6, 0.02
    worst = [0.0, 0.0]
    points = ContactMaterial(youngs_modulus=k, spook_damping=0.01)
    area = ContactMaterial(youngs_modulus=modulus, spook_damping=0.01, elastic_rest_length=length)
    for side, law in itertools.product((2, 4, 8), (points, area)):
        world = on_ground(law)
        places = np.linspace(-0.2, 0.2, side)
        feet = [tribo.CompoundPart("sphere", (radius,), position=(x, y, 0.0)) for x in places for y in places]
        plate = world.add_compound(feet, mass=m, position=(0, 0, radius))
        world.step(1500)
        depth = radius - plate.position[2]
        stiffness = side**2 * k if law is points else modulus * 0.16 / length
        kind = int(law is area)
        worst[kind] = max(worst[kind], abs(depth * stiffness / (m * G) - 1.0))
    return [Check("depth, relative", worst[0], 1e-6), Check("depth by area, relative", worst[1], 1e-6)]


@case(
    "E11",
    "cube of 1 kg with adhesion F_a = 5 N at 1 mm overlap, pulled up by F; the same on a wall",
    "holds for F ≤ F_a + m g, leaves beyond; friction budget μ (N + F_a)",
)
def adhesion(player: Player) -> list[Check]:
    """The two sides of both bounds, 0.1 % apart."""
    force, mu = 5.0, 0.5
    verdicts = []
    for share, stays in ((0.999, True), (1.001, False)):
        law = ContactMaterial(
            youngs_modulus=1e6, spook_damping=0.01, adhesion_force=force, adhesive_overlap=1e-3, friction=mu
        )
        world = on_ground(law)
        cube = world.add_box((0.2,) * 3, 1.0, position=(0, 0, 0.1 - 1e-3))
        world.step(1000)
        pull = share * (force + G)
        for _ in range(3000):
            cube.apply_force((0, 0, pull))
            world.step()
        verdicts.append((cube.position[2] < 0.1) == stays)
        world = on_ground(law)
        cube = world.add_box((0.4, 0.4, 0.02), 1.0, position=(0, 0, 0.01 - 1e-3))
        world.step(1000)
        start = cube.position[0]
        for _ in range(500):
            cube.apply_force((share * mu * (G + force), 0, 0))
            world.step()
        verdicts.append((cube.position[0] - start < 1e-6) == stays)
    return [
        holds("pull-off within 0.1 %", verdicts[0] and verdicts[2]),
        holds("friction within 0.1 %", verdicts[1] and verdicts[3]),
    ]


@case(
    "E12",
    "box on a slope of 0.2 rad, μ = 0.8, surface viscosity γ = 1e-3 and 1e-5 m/(N s)",
    "creeps at v = γ m g sin θ/n",
)
def creep(player: Player) -> list[Check]:
    """Speed after it has settled."""
    angle, worst = 0.2, 0.0
    for viscosity in (1e-3, 1e-5):
        law = ContactMaterial(
            youngs_modulus=1e6, spook_damping=0.01, friction=0.8, surface_viscosity=viscosity
        )
        world = on_ground(law)
        world.gravity = (G * np.sin(angle), 0.0, -G * np.cos(angle))
        box = world.add_box((0.4, 0.4, 0.02), 1.0, position=(0, 0, 0.01))
        world.step(2000)
        known = viscosity * G * np.sin(angle) / len(box.contacts)
        worst = max(worst, abs(box.linear_velocity[0] / known - 1.0))
    return [Check("speed, relative", worst, 1e-6)]
