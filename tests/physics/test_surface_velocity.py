"""Surfaces that run over their bodies: conveyors, and tracks that pull a vehicle along."""

import math

import numpy as np
import pytest
from scenes import GRAVITY, empty_world

import tribo

DT = 1e-3


@pytest.mark.parametrize("model", ["rigid", "iterative", "box", "scaled_box"])
def test_a_conveyor_speeds_up_what_lies_on_it_as_a_moving_body_does(model):
    """a = μ g until it is as fast as the surface; then it rides along, and the belt has not moved."""
    world = empty_world(DT)
    if model == "rigid":
        world.set_material_pair("belt", "crate", friction=0.5)
    else:
        world.set_material_pair(
            "belt", "crate", friction=0.5, youngs_modulus=1e7, spook_damping=0.01,
            friction_model=(model, "direct"),
        )  # fmt: skip
    belt = world.add_box(
        (8, 1, 0.2), mass=1.0, material="belt", body_type=tribo.STATIC, position=(0, 0, -0.1)
    )
    belt.surface_velocity = (1.0, 0, 0)
    crate = world.add_box((0.2, 0.2, 0.2), mass=2.0, material="crate", position=(0, 0, 0.1))
    world.step(100)
    assert crate.linear_velocity[0] == pytest.approx(0.1 * 0.5 * GRAVITY, rel=2e-2)
    world.step(400)
    assert crate.linear_velocity[0] == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(belt.position, (0, 0, -0.1))
    belt.surface_velocity = (0, 0, 0)
    world.step(500)
    assert crate.linear_velocity[0] == pytest.approx(0.0, abs=1e-6)


def test_compliant_ground_runs_too():
    """Of ground that gives way like a spring: the crate takes on its speed."""
    world = empty_world(DT)
    world.set_material_pair("ground", "crate", friction=0.5, stiffness=1e5, damping=1e4)
    ground = world.add_ground(material="ground")
    crate = world.add_sphere(0.1, mass=1.0, material="crate", position=(0, 0, 0.1))
    ground.surface_velocity = (0.4, 0.3, 0)
    world.step(2000)
    foot = crate.linear_velocity + np.cross(crate.angular_velocity, (0, 0, -0.1))
    np.testing.assert_allclose(foot[:2], (0.4, 0.3), atol=1e-3)


def test_a_track_drives_its_vehicle_as_a_wheel_would():
    """A belt about +y pulls its hull along +x: a = μ g at full slip, then at its speed, on any side it
    lies on."""
    world = empty_world(DT)
    world.default_pair = tribo.PairProperties(friction=0.6)
    world.add_ground()
    hull = world.add_box((1.0, 0.4, 0.3), mass=10.0, position=(0, 0, 0.15))
    hull.belt_velocity = (0, 0.8, 0)
    world.step(50)
    assert hull.linear_velocity[0] == pytest.approx(0.05 * 0.6 * GRAVITY, rel=2e-2)
    world.step(950)
    assert hull.linear_velocity[0] == pytest.approx(0.8, abs=1e-6)
    assert abs(hull.linear_velocity[1]) < 1e-9


def test_a_sleeper_wakes_when_the_surface_under_it_starts():
    """It is asleep on a belt that stands, and goes along when the belt runs."""
    world = empty_world(DT)
    world.sleeping = True
    world.default_pair = tribo.PairProperties(friction=0.5)
    belt = world.add_box((4, 1, 0.2), mass=1.0, body_type=tribo.STATIC, position=(0, 0, -0.1))
    crate = world.add_box((0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    world.step(2000)
    assert crate.is_asleep
    belt.surface_velocity = (0.2, 0, 0)
    world.step(200)
    assert crate.linear_velocity[0] == pytest.approx(0.2, abs=1e-6)


def test_links_of_robots_run_in_world_and_batch():
    """A tracked robot of one link: `Link.belt_velocity` drives it, in a batch with one speed for each
    world."""
    text = """<robot name="cart"><link name="hull">
      <inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><box size="0.6 0.4 0.2"/></geometry></collision></link></robot>"""
    world = empty_world(DT)
    world.default_pair = tribo.PairProperties(friction=0.5)
    world.add_ground()
    robot = world.add_articulated_system(text, position=(0, 0, 0.1))
    robot.link("hull").belt_velocity = (0, 0.5, 0)
    world.step(500)
    assert robot.generalized_velocity[0] == pytest.approx(0.5, abs=1e-6)
    batch = tribo.Batch(world, 2)
    batch[robot.name].link("hull").belt_velocity = [(0, 0.5, 0), (0, -0.5, 0)]
    batch.step(1000)
    np.testing.assert_allclose(batch[robot.name].generalized_velocity[:, 0], (0.5, -0.5), atol=1e-6)
    assert math.isfinite(robot.mass)


def test_each_shape_of_a_body_may_run_by_itself():
    """Two feet of one body on belts against each other: it turns on the spot."""
    world = empty_world(DT)
    world.default_pair = tribo.PairProperties(friction=0.5)
    world.add_ground()
    shape = ("box", (0.6, 0.1, 0.1))
    hull = world.add_compound(
        [tribo.CompoundPart(*shape, mass=1.0, position=(0, side * 0.3, 0)) for side in (1, -1)],
        position=(0, 0, 0.05),
    )
    left, right = hull.collision_bodies
    left.belt_velocity, right.belt_velocity = (0, -0.2, 0), (0, 0.2, 0)
    world.step(500)
    assert hull.angular_velocity[2] > 0.1
    np.testing.assert_allclose(hull.linear_velocity[:2], 0.0, atol=1e-6)


def test_what_is_no_velocity_is_refused():
    """Three finite numbers."""
    world = empty_world(DT)
    belt = world.add_box((1, 1, 1), mass=1.0)
    with pytest.raises(ValueError, match="surface_velocity"):
        belt.surface_velocity = (1, 2)
    with pytest.raises(ValueError, match="belt_velocity"):
        belt.belt_velocity = (math.inf, 0, 0)
    assert not belt.runs
