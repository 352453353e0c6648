"""Contact materials in motion: each parameter of a pair against the law that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

import tribo
from tribo.materials import ContactMaterial

G = 9.81
DT = 1e-3


def world_of(law: ContactMaterial, integrator: str = "midpoint") -> tribo.World:
    world = tribo.World()
    world.integrator = integrator
    world.time_step = DT
    world.set_material_pair("ground", "body", law)
    world.add_ground(material="ground")
    return world


def held(world: tribo.World, *, size: float = 0.2, mass: float = 1.0) -> tribo.Object:
    """Return a cube that has come to rest on the ground."""
    cube = world.add_box((size,) * 3, mass, "body", position=(0, 0, 0.5 * size), name="cube")
    world.step(1500)
    return cube


def pushed(law: ContactMaterial, direction: tuple[float, float], force: float) -> float:
    """Return how far a cube at rest goes in 0.2 s under a horizontal force through its feet's height."""
    world = world_of(law)
    cube = world.add_box((0.4, 0.4, 0.02), 1.0, "body", position=(0, 0, 0.01))
    world.step(600)
    start = cube.position.copy()
    for _ in range(200):
        push = force * np.asarray(direction)
        cube.apply_force((push[0], push[1], 0.0))
        world.step()
    return float(np.linalg.norm(cube.position[:2] - start[:2]))


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("damping", [0.0005, 0.01])
def test_a_ball_follows_the_discrete_map_of_spook(integrator: str, damping: float) -> None:
    """(1/m + R) λ = w* − w_free with R = 4 γ/(k h²), w* = γ w − 4 γ φ/h, λ ≥ 0, step by step."""
    k, m, radius = 2e4, 0.7, 0.1
    law = ContactMaterial(youngs_modulus=k, spook_damping=damping)
    world = world_of(law, integrator)
    start = radius - 1e-3
    ball = world.add_sphere(radius, m, "body", position=(0, 0, start))
    gamma = 1.0 / (1.0 + 4.0 * damping / DT)
    r = 4.0 * gamma / (k * DT * DT)
    z, w = start, 0.0
    half = 0.5 * DT if integrator == "midpoint" else 0.0
    touched = 0
    for _ in range(300):
        z += half * w
        gap = z - radius
        free = w - G * DT
        impulse = max(0.0, (gamma * w - 4.0 * gamma / DT * gap - free) / (1.0 / m + r))
        impulse = impulse if gap <= 0.0 else 0.0
        if gap > 0.0 and -w > 0.02:  # it comes back: from there on it is another law, a hit
            break
        touched += impulse > 0.0
        w = free + impulse / m
        z += (DT - half) * w
        world.step()
        assert ball.position[2] == pytest.approx(z, abs=1e-12)
        assert ball.linear_velocity[2] == pytest.approx(w, abs=1e-11)
    assert touched > 3


def test_it_rests_at_the_depth_that_its_points_bear() -> None:
    """δ = m g/(n k): n points are n springs."""
    k, m = 1e5, 1.0
    law = ContactMaterial(youngs_modulus=k, spook_damping=0.01)
    world = world_of(law)
    cube = held(world, mass=m)
    points = len(cube.contacts)
    assert points == 4
    assert 0.1 - cube.position[2] == pytest.approx(m * G / (points * k), rel=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.5, 1e3])
def test_what_rests_shallower_than_rounding_keeps_its_contacts(friction: float) -> None:
    """A stiff stack lies at 5e-14 m: gaps of rounding lost its contacts, which moved it by 1e-6 m."""
    world = tribo.World(0.02)
    world.default_pair = ContactMaterial(youngs_modulus=1e14, friction=friction, spook_damping=0.04)
    world.add_ground()
    boxes = [world.add_box((0.2,) * 3, 1.0, position=(0, 0, 0.1 + 0.2 * k)) for k in range(2)]
    world.step(150)
    assert [box.position[2] for box in boxes] == pytest.approx([0.1, 0.3], abs=1e-11)


def test_an_overlap_without_load_is_undone_at_the_speed_of_its_damping() -> None:
    """w = 4 γ p/h: about p/τ, and the body keeps that speed."""
    tau, p = 0.05, 0.01
    law = ContactMaterial(youngs_modulus=1e12, spook_damping=tau)
    world = world_of(law)
    world.gravity = (0, 0, 0)
    ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.1 - p))
    world.step()
    gamma = 1.0 / (1.0 + 4.0 * tau / DT)
    assert ball.linear_velocity[2] == pytest.approx(4.0 * gamma * p / DT, rel=1e-6)


@pytest.mark.parametrize("tau", [0.002, 0.05, 0.4])
@pytest.mark.parametrize("depth", [1e-4, 0.01])
def test_an_overlap_is_undone_in_its_damping_time(tau: float, depth: float) -> None:
    """Without load it leaves at 4 γ p/h: surfaces part after p/w = τ + h/4, whatever the depth.

    The first half step has no speed, so it is the step after that, within one."""
    law = ContactMaterial(youngs_modulus=1e12, spook_damping=tau)
    world = world_of(law)
    world.gravity = (0, 0, 0)
    ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.1 - depth))
    steps = 0
    while ball.position[2] < 0.1 and steps < 1000:
        world.step()
        steps += 1
    assert steps * DT == pytest.approx(tau + 0.75 * DT, abs=DT)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("impact", ["simultaneous", "propagate"])
def test_what_hits_rebounds_with_the_restitution(restitution: float, impact: str) -> None:
    law = ContactMaterial(youngs_modulus=1e6, spook_damping=0.005, restitution=restitution)
    world = world_of(law)
    world.impact = impact
    ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.6))
    fastest, before = 0.0, 0.0
    for _ in range(420):
        speed = float(ball.linear_velocity[2])
        before = min(before, speed)
        world.step()
        fastest = max(fastest, float(ball.linear_velocity[2]))
    assert before == pytest.approx(-np.sqrt(2 * G * 0.5), rel=5e-3)
    assert fastest == pytest.approx(-restitution * before, abs=2e-2)


@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi / 4, 2.0])
def test_friction_of_a_cone_is_the_same_in_all_directions(angle: float) -> None:
    law = ContactMaterial(youngs_modulus=1e6, spook_damping=0.01, friction=0.5)
    way = (float(np.cos(angle)), float(np.sin(angle)))
    assert pushed(law, way, 0.499 * G) < 1e-6
    assert pushed(law, way, 0.51 * G) > 1e-4


@pytest.mark.parametrize("angle", [0.0, 0.5, 1.0, np.pi / 2])
def test_secondary_friction_makes_the_bound_an_ellipse(angle: float) -> None:
    """(f₁/μ₁)² + (f₂/μ₂)² ≤ N², f₁ along the first direction: the world's y here."""
    mu, other = 0.6, 0.2
    law = ContactMaterial(
        youngs_modulus=1e6, spook_damping=0.01, friction=mu, secondary_friction=other,
        primary_direction=(0, 1, 0), friction_model=("oriented_iterative", "direct"),
    )  # fmt: skip
    way = (float(np.cos(angle)), float(np.sin(angle)))
    bound = G / np.hypot(way[1] / mu, way[0] / other)
    assert pushed(law, way, 0.998 * bound) < 1e-6
    assert pushed(law, way, 1.02 * bound) > 1e-4


@pytest.mark.parametrize("model", ["iterative", "box", "scaled_box"])
def test_secondary_friction_acts_in_oriented_models_only(model: str) -> None:
    """As the manual of these materials says: with the others both directions have the first coefficient."""
    law = ContactMaterial(
        youngs_modulus=1e6, spook_damping=0.01, friction=0.6, secondary_friction=0.0,
        primary_direction=(0, 1, 0), friction_model=(model, "direct"),
    )  # fmt: skip
    assert pushed(law, (1.0, 0.0), 0.599 * G) < 1e-6


def test_without_secondary_friction_nothing_holds_along_the_second_direction() -> None:
    law = ContactMaterial(
        youngs_modulus=1e6, spook_damping=0.01, friction=0.6, secondary_friction=0.0,
        primary_direction=(0, 1, 0), friction_model=("oriented_iterative", "direct"),
    )  # fmt: skip
    assert pushed(law, (1.0, 0.0), 0.5) == pytest.approx(0.5 * 0.5 * 0.2**2, rel=0.02)
    assert pushed(law, (0.0, 1.0), 0.599 * G) < 1e-6


@pytest.mark.parametrize(("model", "way"), [("iterative", 1.0), ("box", np.sqrt(2.0)),
                                            ("scaled_box", np.sqrt(2.0))])  # fmt: skip
def test_a_box_is_stronger_than_a_cone_on_its_diagonal(model: str, way: float) -> None:
    """|f_k| ≤ μ N along each of two directions: √2 μ N between them."""
    law = ContactMaterial(
        youngs_modulus=1e6, spook_damping=0.01, friction=0.5, friction_model=(model, "direct")
    )
    diagonal = (np.sqrt(0.5), np.sqrt(0.5))
    assert pushed(law, diagonal, 0.499 * G * way) < 1e-6
    assert pushed(law, diagonal, 0.51 * G * way) > 1e-4
    assert pushed(law, (1.0, 0.0), 0.499 * G) < 1e-6
    assert pushed(law, (1.0, 0.0), 0.51 * G) > 1e-4


def test_a_constant_normal_force_bounds_friction_whatever_the_load() -> None:
    """Four points, each with |f_k| ≤ μ F: 4 μ F along one direction."""
    law = ContactMaterial(
        youngs_modulus=1e6, spook_damping=0.01, friction=0.5, constant_normal_force=3.0,
        friction_model=("constant_normal_force_oriented_box", "direct"), primary_direction=(1, 0, 0),
    )  # fmt: skip
    assert pushed(law, (1.0, 0.0), 0.999 * 4 * 0.5 * 3.0) < 1e-6
    assert pushed(law, (1.0, 0.0), 1.01 * 4 * 0.5 * 3.0) > 1e-4


@pytest.mark.parametrize("model", ["oriented_iterative", "oriented_box", "oriented_scaled_box"])
def test_a_held_load_creeps_at_its_surface_viscosity(model: str) -> None:
    """v = γ F/n along both directions, their own coefficients each."""
    first, second = 2e-3, 5e-3
    law = ContactMaterial(
        youngs_modulus=1e6, spook_damping=0.01, friction=0.8, surface_viscosity=first,
        secondary_friction=0.8, secondary_surface_viscosity=second, friction_model=(model, "direct"),
    )  # fmt: skip
    world = world_of(law)
    cube = world.add_box((0.4, 0.4, 0.02), 1.0, "body", position=(0, 0, 0.01))
    world.step(500)
    for _ in range(500):
        cube.apply_force((1.0, 1.5, 0.0))
        world.step()
    n = len(cube.contacts)
    assert cube.linear_velocity[:2] == pytest.approx([first * 1.0 / n, second * 1.5 / n], rel=1e-6)


def test_adhesion_rests_at_its_overlap_and_holds_up_to_its_force() -> None:
    """Without weight the pair rests where it feels nothing; pulled, it holds F and no more."""
    force, overlap = 5.0, 1e-3
    law = ContactMaterial(
        youngs_modulus=1e5, spook_damping=0.01, adhesion_force=force, adhesive_overlap=overlap
    )
    world = world_of(law)
    world.gravity = (0, 0, 0)
    cube = world.add_box((0.2,) * 3, 1.0, "body", position=(0, 0, 0.1 - 0.5e-3))
    world.step(1500)
    assert 0.1 - cube.position[2] == pytest.approx(overlap, rel=1e-6)
    for pull, holds in ((0.999 * force, True), (1.001 * force, False)):
        for _ in range(3000):
            cube.apply_force((0, 0, pull))
            world.step()
        assert (abs(cube.position[2] - 0.1) < 2 * overlap) == holds
    assert cube.net_contact_force == pytest.approx([0, 0, 0])


def test_adhesion_bears_a_body_from_above_and_says_so() -> None:
    """A cube under a ceiling: its contacts pull with its weight."""
    law = ContactMaterial(youngs_modulus=1e5, spook_damping=0.01, adhesion_force=20.0, adhesive_overlap=1e-3)
    world = tribo.World()
    world.time_step = DT
    world.set_material_pair("ground", "body", law)
    world.add_box((1, 1, 0.2), 1.0, "ground", position=(0, 0, 1.1), body_type="static")
    cube = world.add_box((0.2,) * 3, 1.0, "body", position=(0, 0, 0.9 + 1e-3))
    world.step(2000)
    assert cube.linear_velocity[2] == pytest.approx(0.0, abs=1e-9)
    assert cube.net_contact_force == pytest.approx([0, 0, G], abs=1e-6)
    # It feels a pull of G against the spring: 4 points at δ = overlap − m g/(4 k).
    assert cube.position[2] - 0.9 == pytest.approx(1e-3 - G / 4e5, rel=1e-6)


@pytest.mark.parametrize("speed", [0.0, 10.0])
@pytest.mark.parametrize("support", ["plane", "box", "sphere", "compound"])
def test_adhesion_reaches_across_gaps_at_any_speed(support: str, speed: float) -> None:
    """It pulls by k (φ + overlap) as far as that is F, over one implicit step from rest.

    λ = −4 γ/h (φ + overlap)/(1/m + R), R = 4 γ/(k h²); 0 beyond F/k − overlap = 4.9 mm.
    """
    k, tau, overlap = 1e4, 0.01, 1e-4
    law = ContactMaterial(youngs_modulus=k, spook_damping=tau, adhesion_force=50.0, adhesive_overlap=overlap)
    gamma = 1.0 / (1.0 + 4.0 * tau / DT)
    compliance = 4.0 * gamma / (k * DT**2)
    for gap in (5e-4, 2e-3, 4.8e-3, 5e-3):
        world = tribo.World(time_step=DT, gravity=(0, 0, 0))
        world.set_material_pair("ground", "body", law)
        moves = {"linear_velocity": (speed, 0, 0), "body_type": "kinematic"}
        if support == "plane":
            world.add_ground(material="ground")
        elif support == "box":
            world.add_box((100, 10, 1), 1.0, "ground", position=(0, 0, -0.5), **moves)
        elif support == "sphere":
            world.add_sphere(0.5, 1.0, "ground", position=(0, 0, -0.5), **moves)
        else:
            parts = [
                tribo.CompoundPart("box", (1, 1, 0.2), position=(x, 0, 0), material="ground")
                for x in (-3, 0, 3)
            ]
            world.add_compound(parts, 1.0, position=(0, 0, -0.1), **moves)
        ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.1 + gap), linear_velocity=(speed, 0, 0))
        world.step()
        pull = 4.0 * gamma / DT * (gap + overlap) / (1.0 + compliance) if gap < 50.0 / k - overlap else 0.0
        assert ball.linear_velocity[2] == pytest.approx(-pull, rel=1e-9, abs=1e-15)
        assert ball.net_contact_force[2] == pytest.approx(-pull / DT, rel=1e-9, abs=1e-12)


def test_a_soft_bond_holds_as_long_as_its_force_does() -> None:
    """A ball that hangs by 0.9 F rests where k (φ + overlap) is its weight, 4.4 mm from the ceiling."""
    for share, holds in ((0.9, True), (1.1, False)):
        force, k, overlap = G / share, 2e3, 1e-4
        law = ContactMaterial(
            youngs_modulus=k, spook_damping=0.01, adhesion_force=force, adhesive_overlap=overlap
        )
        world = tribo.World(time_step=DT)
        world.set_material_pair("ground", "body", law)
        world.add_box((1, 1, 0.2), 1.0, "ground", position=(0, 0, 1.1), body_type="static")
        stretch = min(G, force) / k - overlap
        ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.9 - 0.99 * stretch))
        world.step(2000)
        if holds:
            assert 0.9 - ball.position[2] == pytest.approx(stretch, rel=1e-9)
            assert [contact.force[2] for contact in ball.contacts] == pytest.approx([G], rel=1e-9)
        assert (ball.position[2] > 0.0) == holds


def test_the_reach_of_adhesion_follows_its_material() -> None:
    """Set in a world that was built, of a body that gets another material, and world by world of a batch."""
    law = ContactMaterial(youngs_modulus=1e4, spook_damping=0.01, adhesion_force=0.0)
    world = tribo.World(time_step=DT, gravity=(0, 0, 0))
    world.set_material_pair("ground", "body", law)
    world.add_ground(material="ground")
    ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.102), name="ball")
    world.step()
    assert ball.linear_velocity[2] == 0.0
    batch = tribo.Batch(world, 3, threads=1)
    batch.set_material_pair("ground", "body", adhesion_force=[0.0, 50.0, 5.0])
    batch.step()
    pulls = batch["ball"].linear_velocity[:, 2]
    assert pulls[0] == pulls[2] == 0.0  # 5 N stretch the spring by 0.5 mm
    assert pulls[1] < 0.0
    world.set_material_pair("ground", "glue", youngs_modulus=1e4, spook_damping=0.01, adhesion_force=50.0)
    world.step()
    assert ball.linear_velocity[2] == 0.0
    ball.collision_bodies[0].material = "glue"
    world.step()
    assert ball.linear_velocity[2] == pytest.approx(pulls[1], rel=1e-12)


@pytest.mark.parametrize("speed", [0.02, 0.5, 2.0])
def test_what_adhesion_draws_near_has_the_energy_of_the_spring(speed: float) -> None:
    """m v²/2 grows by (F²/k − k (φ + overlap)²)/2. Where it begins is known to a step, within F v h."""
    k, force, overlap, dt = 1e4, 50.0, 1e-4, 5e-5
    law = ContactMaterial(youngs_modulus=k, spook_damping=0.0, adhesion_force=force, adhesive_overlap=overlap)
    world = tribo.World(time_step=dt, gravity=(0, 0, 0))
    world.set_material_pair("ground", "body", law)
    world.add_ground(material="ground")
    ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.106), linear_velocity=(0, 0, -speed))
    while ball.position[2] > 0.1 + 4e-4:
        world.step()
    gained = 0.5 * (force**2 / k - k * (ball.position[2] - 0.1 + overlap) ** 2)
    fastest = np.sqrt(speed**2 + force**2 / k)
    assert ball.kinetic_energy == pytest.approx(0.5 * speed**2 + gained, abs=force * fastest * dt)


@pytest.mark.parametrize("across", [(5e-3, 5e-3), (4e-3, 6e-3)])
def test_what_rolls_under_a_ceiling_rolls_as_a_pendulum(across: tuple[float, float]) -> None:
    """Unbalanced, held by adhesion: ½ M(θ) ω² − m g d cos θ stays, M = I + m (R² + d² + 2 R d cos θ).

    The motion is plane, so I_xx and I_zz do not matter. The load of at most m (g + d ω²) sinks by that over
    k: the work of this, and twice the sink, bound what the energy and the place may be off.
    """
    radius, d, m, inertia, k, spin = 0.1, 0.03, 1.0, 5e-3, 1e6, 3.0
    world = tribo.World(time_step=DT)
    law = ContactMaterial(
        friction=1.0, youngs_modulus=k, spook_damping=0.01, adhesion_force=60.0, adhesive_overlap=1e-5
    )
    world.set_material_pair("ground", "body", law)
    world.add_box((20, 2, 0.2), 1.0, "ground", position=(0, 0, 1.1), body_type="static")
    side = tribo.CompoundPart(
        "cylinder", (radius, 0.2), orientation=(0.5**0.5, 0.5**0.5, 0, 0), material="body"
    )
    tensor = np.diag((across[0], inertia, across[1]))
    roll = world.add_compound([side], m, com=(0, 0, -d), inertia=tensor, position=(0, 0, 0.9 - d))
    roll.angular_velocity, roll.linear_velocity = (0, spin, 0), (-(radius + d) * spin, 0, 0)

    def energy(angle: float, omega: float) -> float:
        moment = inertia + m * (radius**2 + d**2 + 2.0 * radius * d * np.cos(angle))
        return float(0.5 * moment * omega**2 - m * G * d * np.cos(angle))

    before = energy(0.0, spin)
    load = m * (G + d * spin**2)
    angle = 0.0
    for _ in range(500):
        world.step()
        r = roll.rotation_matrix
        angle = float(np.arctan2(r[0, 2], r[0, 0]))
        assert energy(angle, roll.angular_velocity[1]) == pytest.approx(before, abs=load * load / k)
        there = -radius * angle - d * np.sin(angle)
        assert roll.position[0] == pytest.approx(there, abs=2.0 * load / k)
    assert angle > 0.8


def test_adhesion_counts_as_load_for_friction() -> None:
    """On a wall: μ F_adh ≥ m g holds."""
    for force, holds in ((1.05 * G / 0.5, True), (0.95 * G / 0.5, False)):
        law = ContactMaterial(
            youngs_modulus=1e5, spook_damping=0.01, friction=0.5, adhesion_force=force,
            adhesive_overlap=1e-3,
        )  # fmt: skip
        world = tribo.World()
        world.time_step = DT
        world.set_material_pair("ground", "body", law)
        world.add_box((0.2, 1, 4), 1.0, "ground", position=(-0.1, 0, 0), body_type="static")
        cube = world.add_box((0.02, 0.4, 0.4), 1.0, "body", position=(0.01 - 1e-3, 0, 0))
        world.step(1000)
        assert (abs(cube.linear_velocity[2]) < 1e-4) == holds


@pytest.mark.parametrize(("yaw", "holds"), [(0.0, True), (np.pi / 2, False)])
def test_the_direction_of_friction_turns_with_its_body(yaw: float, holds: bool) -> None:
    """A box on a slope of 30°: friction 1 along its own x, none across."""
    law = ContactMaterial(
        youngs_modulus=1e7, spook_damping=0.01, friction=1.0, secondary_friction=0.0,
        primary_direction=(1, 0, 0), reference_body="sled",
        friction_model=("oriented_iterative", "direct"),
    )  # fmt: skip
    world = tribo.World()
    world.time_step = DT
    world.set_material_pair("ground", "body", law)
    angle = np.pi / 6
    world.add_ground(material="ground")
    world.gravity = (G * np.sin(angle), 0, -G * np.cos(angle))  # a slope, seen along it
    turn = (float(np.cos(yaw / 2)), 0.0, 0.0, float(np.sin(yaw / 2)))
    sled = world.add_box((0.4, 0.4, 0.04), 1.0, "body", position=(0, 0, 0.02), orientation=turn, name="sled")
    world.step(3000)
    speed = float(np.linalg.norm(sled.linear_velocity))
    assert speed < 1e-5 if holds else speed > 1.0


def test_each_instance_of_a_body_has_a_direction_of_its_own() -> None:
    """Two sleds on a slope of 30°: one lies along it and holds, one across and slides.

    Friction is 1 along a sled and none across. Objects called sled and sled' are instances of one body.
    """
    law = ContactMaterial(
        youngs_modulus=1e7, spook_damping=0.01, friction=1.0, secondary_friction=0.0,
        primary_direction=(1, 0, 0), reference_body="sled",
        friction_model=("oriented_box", "direct"),
    )  # fmt: skip
    world = tribo.World()
    world.time_step = DT
    world.set_material_pair("ground", "body", law)
    world.add_ground(material="ground")
    world.gravity = (G * np.sin(np.pi / 6), 0, -G * np.cos(np.pi / 6))
    sleds = [
        world.add_box(
            (0.4, 0.4, 0.04), 1.0, "body", position=(0, side, 0.02), orientation=turn, name=name
        )
        for side, turn, name in (
            (0.0, (1.0, 0.0, 0.0, 0.0), "sled"), (1.0, (0.5**0.5, 0.0, 0.0, 0.5**0.5), "sled'"),
        )
    ]  # fmt: skip
    world.step(3000)
    assert np.linalg.norm(sleds[0].linear_velocity) < 1e-5
    assert np.linalg.norm(sleds[1].linear_velocity) > 1.0


def test_laws_are_mixed_in_one_world() -> None:
    """Rigid on rigid, compliant on ground: each pair keeps its own law."""
    world = tribo.World()
    world.time_step = DT
    world.set_material_pair("ground", "rubber", youngs_modulus=1e4, spook_damping=0.01)
    world.set_material_pair("rubber", "steel", friction=0.5)
    world.add_ground(material="ground")
    low = world.add_box((0.2,) * 3, 1.0, "rubber", position=(0, 0, 0.1))
    high = world.add_box((0.2,) * 3, 1.0, "steel", position=(0, 0, 0.3))
    world.step(2000)
    assert 0.1 - low.position[2] == pytest.approx(2 * G / 4e4, rel=1e-6)
    assert high.position[2] - low.position[2] == pytest.approx(0.2, abs=1e-7)
    assert max(world.residual) < 1e-8


def test_a_heap_of_soft_boxes_is_solved() -> None:
    """Twelve boxes fall on each other; each step is solved, and in the end they rest on the ground."""
    rng = np.random.default_rng(3)
    law = ContactMaterial(youngs_modulus=1e5, spook_damping=0.01, friction=0.5)
    world = tribo.World()
    world.time_step = 2e-3
    world.default_pair = law
    world.add_ground()
    boxes = []
    for k in range(12):
        size = tuple(rng.uniform(0.1, 0.3, 3))
        place = (*rng.uniform(-0.2, 0.2, 2), 0.3 + 0.3 * k)
        boxes.append(world.add_box(size, 1.0, position=place))
    flagged = 0
    for _ in range(1500):
        world.step()
        flagged += bool(world.status & tribo.Status.NOT_CONVERGED)
    assert flagged < 45  # 3 %: of boxes that slide, each step another set of points
    force = sum(c.force_on(c.object_a if c.object_a in boxes else c.object_b)
                for c in world.contacts if not (c.object_a in boxes and c.object_b in boxes))  # fmt: skip
    assert force[2] == pytest.approx(12 * G, rel=0.05)


def test_two_laws_do_not_fit_into_one_pair() -> None:
    world = tribo.World()
    with pytest.raises(ValueError, match="youngs_modulus of a contact material and rolling_friction"):
        world.set_material_pair("a", "b", youngs_modulus=1e6, rolling_friction=0.1)
    assert world.materials.pair("a", "b") is world.default_pair


def test_a_reference_body_that_does_not_exist_is_said(caplog: pytest.LogCaptureFixture) -> None:
    world = tribo.World()
    law = ContactMaterial(primary_direction=(1, 0, 0), reference_body="sld", secondary_friction=0.1)
    world.set_material_pair("default", "default", law)
    world.add_ground()
    world.add_box((0.4, 0.4, 0.04), 1.0, position=(0, 0, 0.02), name="sled")
    world.step()
    assert "no object is called 'sld'" in caplog.text
    assert "sled" in caplog.text
