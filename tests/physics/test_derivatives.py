"""Derivatives of many steps through events, against closed forms of the motion."""

import numpy as np
import pytest

import tribo
from tribo.identification import pair

GRAVITY = 9.81


def test_a_bounce_with_its_time_of_impact():
    restitution, drop, radius = 0.7, 0.4, 0.05
    world = tribo.World(time_step=0.002)
    world.impact = "propagate"
    world.add_ground(material="floor")
    world.set_material_pair("floor", "ball", restitution=restitution, restitution_threshold=0.0)
    world.add_sphere(radius, 1.0, "ball", position=(0, 0, radius + drop), name="ball")
    steps = 250
    found = tribo.linearize(
        world, steps=steps, controls=(), parameters=pair("floor", "ball", restitution=(0.0, 1.0))
    )
    # z(T) = e g t₁ (T − t₁) − g (T − t₁)²/2 with t₁ = √(2 h/g), and dt₁/dh = 1/(g t₁).
    hit = np.sqrt(2.0 * drop / GRAVITY)
    left = 0.002 * steps - hit
    by_time = restitution * GRAVITY * (left - hit) + GRAVITY * left
    assert found.of("q/ball/z", "q/ball/z") == pytest.approx(by_time / (GRAVITY * hit), rel=1e-5)
    speed_by_time = restitution * GRAVITY + GRAVITY
    assert found.of("v/ball/vz", "q/ball/z") == pytest.approx(speed_by_time / (GRAVITY * hit), rel=1e-5)
    assert found.of("q/ball/z", "floor/ball/restitution") == pytest.approx(GRAVITY * hit * left, rel=1e-5)
    world.step(steps)
    height = restitution * GRAVITY * hit * left - 0.5 * GRAVITY * left**2
    assert world["ball"].position[2] - radius == pytest.approx(height, abs=1e-6)


def test_the_way_until_a_box_stops():
    friction, speed = 0.3, 0.8
    world = tribo.World(time_step=0.002)
    world.add_ground(material="ice")
    world.set_material_pair("ice", "stone", friction=friction)
    box = world.add_box((0.4, 0.4, 0.1), 2.0, "stone", position=(0, 0, 0.05), name="box")
    world.step(5)
    box.linear_velocity = (speed, 0, 0)
    found = tribo.linearize(
        world, steps=200, controls=(), parameters=pair("ice", "stone", friction=(0.0, 1.0))
    )
    world.step(200)
    assert abs(box.linear_velocity[0]) < 1e-9
    # s = v²/(2 μ g). The last step takes away what is left of v, so it errs by half a step of its speed.
    slack = 0.5 * 0.002
    assert found.of("q/box/x", "v/box/vx") == pytest.approx(speed / (friction * GRAVITY), abs=slack)
    by_friction = -(speed**2) / (2.0 * friction**2 * GRAVITY)
    assert found.of("q/box/x", "ice/stone/friction") == pytest.approx(
        by_friction, abs=slack * speed / friction
    )
    assert abs(found.of("v/box/vx", "v/box/vx")) < 1e-6  # it stands, however fast it was


def test_a_ball_rolls():
    world = tribo.World(time_step=0.002)
    world.add_ground(material="felt")
    world.set_material_pair("felt", "ivory", friction=0.6)
    radius = 0.1
    ball = world.add_sphere(radius, 1.5, "ivory", position=(0, 0, radius), name="ball")
    world.step(2)
    ball.linear_velocity, ball.angular_velocity = (0.5, 0, 0), (0, 5.0, 0)
    found = tribo.linearize(world, controls="wrench")
    # A force at the centre moves m + I/r² = 7/5 m, and the spin goes along.
    push = 0.002 / (1.4 * 1.5)
    assert found.of("v/ball/vx", "wrench/ball/sphere/fx") == pytest.approx(push, rel=1e-6)
    assert found.of("v/ball/wy", "wrench/ball/sphere/fx") == pytest.approx(push / radius, rel=1e-6)
    # A velocity of the centre alone is shared: v⁺ + I/(m r) ω⁺ is as before, v⁺ = r ω⁺, I/(m r²) = 2/5.
    assert found.of("v/ball/vx", "v/ball/vx") == pytest.approx(5.0 / 7.0, rel=1e-6)
    assert found.of("v/ball/wy", "v/ball/vx") == pytest.approx(5.0 / 7.0 / radius, rel=1e-6)


def test_a_stop_reflects_a_velocity_as_its_law_says():
    world = tribo.World(time_step=0.002, gravity=(0, 0, 0))
    root = tribo.LinkDescription("rail")
    root.fix_to_world()
    cart = root.add_child("cart", "prismatic", axis=(1, 0, 0), joint_name="slide", upper=0.3)
    cart.add_shape("box", (0.1, 0.1, 0.1), mass=2.0, collides=False)
    rail = world.add_articulated_system(root, name="rail")
    rail.generalized_coordinate, rail.generalized_velocity = [0.3], [0.4]
    found = tribo.linearize(world)
    assert abs(found.of("v/rail/slide", "v/rail/slide")) < 1e-6  # it has no restitution
    assert abs(found.of("v/rail/slide", "force/rail/slide")) < 1e-9
