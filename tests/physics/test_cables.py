"""Wires of nodes: stretch, bending, catenary, pulley and capstan against closed forms of the chain itself."""

import math

import numpy as np
import pytest
from cable_scenes import AREA, DT, INERTIA, NONE, RADIUS, catenary, hanging, material, over_a_drum, pull
from scenes import GRAVITY, empty_world

import tribo


@pytest.mark.parametrize("bend", [0.0, 1e8])
def test_a_cable_stretches_by_force_times_length_over_stiffness(bend):
    """n joints of L/(n E A), the first, at the fastening, of half of it: the pulled end has no joint, so its
    last half segment is stiff. x = F (L − ℓ/2)/(E A), to the rounding of hard rows, 1e-7 of G a row."""
    world = empty_world(DT, NONE)
    hook = tribo.CableNode(NONE, kind="fixed")
    cable = world.add_cable(
        [hook, (1, 0, 0)], radius=RADIUS, segment_length=0.1, material=material(bend=bend), collide=False
    )
    pull(world, cable, 100.0, (1000, 0, 0))
    world.step(600)
    expected = 100.0 * 0.95 / (1e7 * AREA)
    assert cable.points[-1][0] - 1.0 == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(cable.tensions, 100.0, rtol=1e-6)
    assert cable.mass == pytest.approx(1000.0 * AREA, rel=1e-12)


@pytest.mark.parametrize("count", [5, 10])
def test_a_cantilever_bends_by_the_beam_formula(count):
    """Tip of a chain of springs E I/ℓ, the clamped one twice as stiff: Σ F (L − x_i)² ℓ_i/(E I) is the
    trapezium rule of F L³/(3 E I), larger by exactly 1/(2 n²); the joints shift by F L/(E A) in all.
    The load is small: the angle of the tip is 6e-4, so that the linear formula is right to 1e-6."""
    world = empty_world(DT, NONE)
    wall = tribo.CableNode(NONE, kind="link")
    cable = world.add_cable(
        [wall, (1, 0, 0)], radius=RADIUS, segment_length=1 / count, collide=False,
        material=material(stretch=1e9, bend=1e8, bend_damping=0.36),
    )  # fmt: skip
    pull(world, cable, 1e-3, (1, 0, -1e6))
    world.step(6000)
    beam = 1e-3 / (3 * 1e8 * INERTIA)
    sheared = 1e-3 * (1 - 0.5 / count) / (1e9 * AREA)
    assert -cable.points[-1][2] == pytest.approx(beam * (1 + 0.5 / count**2) + sheared, rel=1e-5)


@pytest.mark.parametrize(("bend", "twist"), [(2.0, 0.5), (0.5, 2.0), (1.0, None), (1.0, 0.0)])
def test_a_link_node_twists_and_bends_by_its_stiffnesses(bend, twist):
    """A torque turns the clamped segment by M/k about each axis, bending and twisting apart.

    The anchor, E A of 6e10 Pa, gives way by next to nothing; settled after 12 damping times. What has no
    stiffness spins.
    """
    world = empty_world(DT, NONE)
    wall = tribo.CableNode(NONE, kind="link", bend_stiffness=bend, twist_stiffness=twist)
    cable = world.add_cable(
        [wall, (0, 0, 0.1)], radius=RADIUS, segment_length=0.1, collide=False,
        material=material(stretch=6e10, bend=1e8, bend_damping=0.05),
    )  # fmt: skip
    part = cable.segments[0]
    spins = twist == 0.0
    for k in range(600):
        part.apply_torque((1e-3, 0.0, 0.0 if spins and k >= 3 else 1e-3))
        world.step()
    if spins:
        assert part.angular_velocity[2] == pytest.approx(3e-6 / part.inertia[2, 2], rel=0.02)
    else:
        turn = 2.0 * part.orientation[1:]  # small angles: a vector
        assert turn[0] == pytest.approx(1e-3 / bend, rel=1e-4)
        assert turn[2] == pytest.approx(1e-3 / (bend if twist is None else twist), rel=1e-4)
    assert len(cable.fastenings) == (2 if twist not in {None, 0.0} else 1)


def test_a_hanging_cable_is_a_catenary():
    """Length 1 m over 0.8 m: the sag is that of z = a cosh(x/a) with 2 a sinh(0.4/a) = 1. A chain of n
    stiff links, held at its ends, has its nodes on it but for L/n² of curvature; what bends it is 1e-4
    of its weight."""
    world = empty_world(DT)
    cable = hanging(world, 0.05)
    world.step(8000)
    a, sag = catenary()
    count = len(cable.segments)
    assert count == 20
    assert -cable.points[:, 2].min() == pytest.approx(sag, abs=1.0 / count**2)
    horizontal = 1000.0 * AREA * GRAVITY * a
    assert cable.tensions.min() == pytest.approx(horizontal, rel=0.02)


@pytest.mark.parametrize(("share", "slips"), [(0.95, False), (1.05, True)])
def test_a_drum_holds_what_the_capstan_formula_says(share, slips):
    """T₂/T₁ = e^{μβ}. A chain that turns by Δ at each joint has ((1 + μ tan Δ/2)/(1 − μ tan Δ/2))^(β/Δ)
    instead, 0.4 % more at Δ = π/16, μ = 0.3; its weight is 0.5 % of the load, its bending 0.2 %. The
    bracket is 5 %."""
    world, load, _ = over_a_drum(0.3, share * math.exp(0.3 * math.pi))
    height = load.position[2]
    world.step(300)
    risen = load.position[2] - height
    assert risen > 0.01 if slips else abs(risen) < 1e-4


def test_a_drum_without_friction_is_a_pulley():
    """Equal loads rest. A pull of 1.1 m g lifts the light one: (m + m_cable) a = 0.1 m g; what bends as it
    comes to the drum, and unbends, takes a little of that: 10 %."""
    world, load, _ = over_a_drum(0.0, 1.0)
    assert abs(load.linear_velocity[2]) < 1e-3
    world, load, _ = over_a_drum(0.0, 1.1, 0.02)
    before = load.linear_velocity[2]
    world.step(100)
    mass = 1.0 + sum(part.mass for part in world.objects if part.name.startswith("cable_0/"))
    gained = load.linear_velocity[2] - before
    assert gained == pytest.approx(0.1 * 0.1 * GRAVITY / mass, rel=0.1)


def test_a_cable_lies_on_the_ground_and_bears_its_weight():
    """Ten segments on a plane: the forces of the ground are m g in all."""
    world = empty_world(DT)
    world.add_ground()
    cable = world.add_cable(
        [(0, 0, RADIUS), (1, 0, RADIUS)], radius=RADIUS, segment_length=0.1, material=material(bend=1e6)
    )
    world.step(500)
    force = sum(contact.force[2] for part in cable.segments for contact in part.contacts)
    assert force == pytest.approx(cable.mass * GRAVITY, rel=1e-6)
    assert np.abs(cable.points[:, 2] - RADIUS).max() < 1e-4


def test_a_rope_on_the_surface_of_a_load_does_not_push_it():
    """The cap of the segment that is fastened reaches into the load by its radius: they pass through each
    other. So the load hangs at rest, by its weight and half of what the last segment has."""
    world = empty_world(DT)
    crate = world.add_box((0.2, 0.2, 0.2), mass=5.0, position=(0, 0, -0.6))
    hook = tribo.CableNode(NONE, kind="fixed")
    cable = world.add_cable(
        [hook, tribo.CableNode((0, 0, 0.1), crate, kind="fixed")], radius=RADIUS, segment_length=0.1,
        material=material(stretch=1e9),
    )  # fmt: skip
    world.step(500)
    assert not crate.contacts
    assert int(world.status) == 0
    borne = GRAVITY * (5.0 + cable.segments[-1].mass)
    assert cable.tensions[-1] == pytest.approx(borne, rel=1e-6)


def test_the_courant_number_is_that_of_the_largest_tension():
    """Ten segments that hang: the top joint bears nine, c dt/ℓ with c² = T/(ρ A) = 0.9 g."""
    world = empty_world(DT)
    hook = tribo.CableNode((0, 0, 2), kind="fixed")
    cable = world.add_cable(
        [hook, (0, 0, 1)], radius=RADIUS, segment_length=0.1, material=material(), collide=False
    )
    world.step(500)
    expected = DT * math.sqrt(0.9 * GRAVITY) / 0.1
    assert cable.courant_number == pytest.approx(expected, rel=1e-4)


def test_a_cable_breaks_where_it_bears_too_much():
    """Its joints carry what hangs below them: the one at the top, with 9 of 10 segments below, breaks
    first."""
    world = empty_world(DT)
    hook = tribo.CableNode((0, 0, 2), kind="fixed")
    cable = world.add_cable(
        [hook, (0, 0, 1)], radius=RADIUS, segment_length=0.1, material=material(), collide=False,
        break_force=0.85 * 1000.0 * AREA * GRAVITY,
    )  # fmt: skip
    world.step(200)
    assert [joint.is_broken for joint in cable.joints] == [True] + [False] * 8
    assert cable.points[-1][2] < 0.9


def test_nodes_that_cannot_be_are_refused_and_the_world_stays():
    """What is wrong with a route is said; nothing is added."""
    world = empty_world(DT)
    with pytest.raises(ValueError, match="two places or more"):
        world.add_cable([(0, 0, 0)], radius=0.01)
    with pytest.raises(ValueError, match="one place"):
        world.add_cable([(0, 0, 0), (0, 0, 0)], radius=0.01)
    with pytest.raises(ValueError, match="kind of a node"):
        tribo.CableNode((0, 0, 0), kind="loose")
    with pytest.raises(ValueError, match="more than 2000"):
        world.add_cable([(0, 0, 0), (1, 0, 0)], radius=0.01, segment_length=1e-4)
    with pytest.raises(TypeError, match="must be a Material"):
        world.add_cable([(0, 0, 0), (1, 0, 0)], radius=0.01, material=3)
    assert not world.objects
    assert not world.constraints


def test_a_spook_damping_that_rings_is_said(caplog):
    """1 ms is less than two steps of 1 ms."""
    world = empty_world(DT)
    world.add_cable([(0, 0, 0), (1, 0, 0)], radius=RADIUS, material=material(damping=1e-3))
    assert "wire_spook_damping_stretch of 'cable' is 0.001 s, less than two time steps" in caplog.text
    assert "bend" not in caplog.text


def test_snapshot_and_file_hold_a_cable(tmp_path):
    """A restored snapshot and a loaded file go on as the world does: bit for bit."""
    world = empty_world(DT)
    ends = [tribo.CableNode((0, 0, 0), kind="link"), (0.5, 0, 0)]
    world.add_cable(ends, radius=RADIUS, segment_length=0.1, material=material(bend=1e7))
    world.save(tmp_path / "world.xml")
    saved = world.snapshot()
    world.step(50)
    there = world["cable_0/4"].position.copy()
    world.restore(saved)
    world.step(50)
    assert np.array_equal(world["cable_0/4"].position, there)
    other = tribo.World.load(tmp_path / "world.xml")
    other.step(50)
    np.testing.assert_array_equal(other["cable_0/4"].position, there)
