"""A quadruped on its feet: the contact forces carry its weight, and both sides read the same."""

import numpy as np
import pytest
from scenes import FEET, GRAVITY, ground_world, standing_quadruped

import tribo


@pytest.fixture(scope="module")
def settled():
    """Return world and robot after it has come to rest on its feet."""
    world = ground_world(friction=0.8)
    robot = standing_quadruped(world)
    world.step(5000)
    return world, robot


def foot_forces(robot):
    """Return the force on each foot."""
    forces = {foot: np.zeros(3) for foot in FEET}
    for contact in robot.contacts:
        forces[contact.body_a.split("/")[0]] += contact.force
    return forces


def test_feet_carry_the_weight(settled):
    """Σ f = m g to 1e-6 and no foot reads zero, at each of the next 5000 steps (10 s in all)."""
    world, robot = settled
    weight = np.array([0, 0, robot.mass * GRAVITY])
    for _ in range(5000):
        world.step()
        forces = foot_forces(robot)
        assert np.abs(sum(forces.values()) - weight).max() <= 1e-6 * weight[2]
        assert min(force[2] for force in forces.values()) >= 1e-3 * weight[2]


def test_it_stands_still(settled):
    """After settling nothing moves: 1e-9 m in 1 s, every velocity below 1e-8."""
    world, robot = settled
    before = robot.generalized_coordinate.copy()
    world.step(1000)
    assert np.abs(robot.generalized_coordinate - before).max() <= 1e-9
    assert np.abs(robot.generalized_velocity).max() <= 1e-8
    assert world.status == 0
    assert max(world.residual) <= 1e-8


def test_moments_balance(settled):
    """Σ (p − c) × f = 0 about the centre of mass, to 1e-6 N m of 100 N m."""
    world, robot = settled
    world.step()
    positions, rotations = robot.body_poses()
    masses = np.array([b.mass for b in robot.description.bodies])
    coms = [
        p + r @ np.array(b.com)
        for p, r, b in zip(positions, rotations, robot.description.bodies, strict=True)
    ]
    centre = masses @ np.array(coms) / masses.sum()
    moment = sum(np.cross(c.position - centre, c.force) for c in robot.contacts)
    assert np.abs(moment).max() <= 1e-5


def test_contacts_read_the_same_on_both_bodies(settled):
    """Action = reaction, frames orthonormal and right-handed, impulse = force · dt, and who is A."""
    world, robot = settled
    world.step()
    ground = world.objects[0]
    seen_by_robot = {c.body_a: c for c in robot.contacts}
    seen_by_ground = {c.body_b: c for c in ground.contacts}
    assert set(seen_by_robot) == set(seen_by_ground)
    assert set(seen_by_robot) == {f"{foot}/0" for foot in FEET}
    for name, a in seen_by_robot.items():
        b = seen_by_ground[name]
        np.testing.assert_array_equal(a.force, -b.force)
        np.testing.assert_array_equal(a.normal, -b.normal)
        np.testing.assert_array_equal(a.position, b.position)
        assert a.is_a is not b.is_a
        assert (a.object_a, a.object_b) == (robot, ground)
        assert (b.object_a, b.object_b) == (ground, robot)
        assert a.materials == b.materials[::-1]
        assert a.materials[0] == "rubber"
        np.testing.assert_allclose(a.normal, [0, 0, 1], atol=1e-15)
        for contact in (a, b):
            np.testing.assert_allclose(contact.frame @ contact.frame.T, np.eye(3), atol=1e-14)
            assert np.linalg.det(contact.frame) == pytest.approx(1.0, abs=1e-14)
            np.testing.assert_array_equal(contact.frame[2], contact.normal)
            np.testing.assert_allclose(contact.impulse, contact.force * world.time_step, rtol=1e-14)
            local = contact.frame @ contact.force * (1 if contact is a else -1)
            assert local[2] > 0.0 or contact is b
            assert np.hypot(*local[:2]) <= 0.8 * abs(local[2]) * (1 + 1e-9)


def test_world_contacts_are_listed_once(settled):
    """The world's own list has each point once, seen from A."""
    world, _ = settled
    world.step()
    assert len(world.contacts) == 4
    assert all(c.is_a for c in world.contacts)


def test_disturbed_it_finds_its_stance_again():
    """A kick of 1 m/s to the side: it does not fall, and the feet carry the weight again."""
    world = ground_world(friction=0.8)
    robot = standing_quadruped(world)
    world.step(1000)
    v = robot.generalized_velocity
    v[1] = 0.5
    robot.generalized_velocity = v
    world.step(6000)
    total = sum(foot_forces(robot).values())
    assert total[2] == pytest.approx(robot.mass * GRAVITY, rel=1e-6)
    assert robot.position[2] > 0.4


def test_pressing_without_gravity_converges():
    """The tolerance is relative to a speed; without weight that of the other forces counts."""
    world = tribo.World(gravity=(0, 0, 0))
    world.add_ground()
    box = world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5))
    for _ in range(20):
        box.apply_force((0, 0, -10))
        world.step()
        assert world.status == 0
        assert world.residual.max() < 1e-8
    assert sum(c.force for c in box.contacts)[2] == pytest.approx(10.0, rel=1e-9)
