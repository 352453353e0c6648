"""A floating tree keeps its momentum to round-off, whatever its joints do; impulses add exactly."""

import numpy as np
import pytest
from scenes import random_state, random_tree, step_with_wrench

import tribo
from tribo.tools.demo import ASSETS

EPS = np.finfo(float).eps
STEPS = 300


def flier(seed=1, gravity=(0.0, 0.0, 0.0), bodies=12):
    """Return a world with a random floating tree whose drives swing its joints."""
    rng = np.random.default_rng(seed)
    world = tribo.World(gravity=gravity)
    robot = world.add_articulated_system(
        random_tree(rng, bodies, floating=True), collision_group=0, collision_mask=0
    )
    random_state(rng, robot)
    robot.generalized_force = np.concatenate([np.zeros(6), 3.0 * rng.normal(size=robot.dof - 6)])
    robot.set_pd_gains(
        np.concatenate([np.zeros(6), np.full(robot.dof - 6, 20.0)]),
        np.concatenate([np.zeros(6), np.full(robot.dof - 6, 0.5)]),
    )
    return world, robot


def totals(world):
    return world.linear_momentum.copy(), world.angular_momentum.copy()


def roundoff(world, steps):
    """Return what `steps` roundings of the sums of all bodies' momenta can come to, each at its largest.

    The read-out adds terms as large as mass × speed × distance, which bounds the scale.
    """
    bodies = len(world.objects[0].description.bodies)
    robot = world.objects[0]
    reach = 1.0 + np.abs(robot.generalized_coordinate[:3]).max() + bodies
    return (
        4
        * EPS
        * (steps + bodies)
        * robot.mass
        * reach
        * (1 + np.abs(robot.generalized_velocity).max() * reach)
    )


@pytest.mark.parametrize("seed", range(4))
def test_joints_do_not_change_the_momentum(seed):
    world, robot = flier(seed)
    p, spin = totals(world)
    v = robot.generalized_velocity.copy()
    world.step(STEPS)
    assert np.abs(robot.generalized_velocity - v).max() > 0.1  # they do move
    assert np.abs(world.linear_momentum - p).max() <= roundoff(world, STEPS)
    assert np.abs(world.angular_momentum - spin).max() <= roundoff(world, STEPS)


def test_weight_adds_its_impulse_and_the_centre_flies_a_parabola():
    world, robot = flier(gravity=(0.0, 1.0, -9.81))
    p, c = robot.linear_momentum.copy(), robot.com_position.copy()
    world.step(STEPS)
    t, g = STEPS * world.time_step, world.gravity
    assert np.abs(robot.linear_momentum - p - robot.mass * g * t).max() <= roundoff(world, STEPS)
    assert np.abs(robot.com_position - c - p / robot.mass * t - 0.5 * g * t**2).max() <= roundoff(
        world, STEPS
    )


def test_a_force_adds_its_impulse_and_its_moment():
    world, robot = flier()
    force, torque = np.array([3.0, -20.0, 11.0]), np.array([0.5, 1.0, -2.0])
    for _ in range(20):
        p, spin = totals(world)
        at = step_with_wrench(world, robot, force, torque, 0)
        assert np.abs(world.linear_momentum - p - 1e-3 * force).max() <= roundoff(world, 1)
        moment = 1e-3 * (np.cross(at, force) + torque)
        # Mid step the centre of mass is where the momentum takes it, O(dt²) from the bodies' own.
        assert np.abs(world.angular_momentum - spin - moment).max() <= 1e-7 * np.linalg.norm(force)


def test_a_hit_between_two_that_fly_keeps_the_sum():
    world = tribo.World(gravity=(0, 0, 0))
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 2.0))
    world.add_sphere(0.2, 10.0, position=(-1.0, 0.05, 2.02), linear_velocity=(5.0, 0.0, 0.0))
    p, spin = totals(world)
    apart = 0.0  # [N m s] two that overlap are pushed at their own surfaces, apart by the depth
    for _ in range(500):
        world.step()
        apart += sum(max(c.depth, 0.0) * np.linalg.norm(c.impulse) for c in world.contacts)
    assert np.abs(robot.linear_momentum).max() > 10.0
    scale = 50.0 * 10.0  # [kg m²/s] of the ball 10 m away
    assert np.abs(world.linear_momentum - p).max() <= 500 * EPS * scale
    assert np.abs(world.angular_momentum - spin).max() <= 500 * EPS * scale + apart
    assert apart < 1e-4


@pytest.mark.parametrize("what", ["v", "q", "mass"])
def test_an_edit_starts_a_new_momentum(what):
    world, robot = flier()
    world.step(10)
    if what == "v":
        robot.generalized_velocity[7] += 1.0
    elif what == "q":
        robot.generalized_coordinate[8] += 0.3
    else:
        link = robot.link(robot.body_names[1])
        link.mass = 2.0 * link.mass
    p, spin = totals(world)
    world.step(100)
    assert np.abs(world.linear_momentum - p).max() <= roundoff(world, 100)
    assert np.abs(world.angular_momentum - spin).max() <= roundoff(world, 100)


def test_what_is_carried_survives_another_build():
    (world, robot), (other, same) = flier(), flier()
    for one in (world, other):
        one.step(50)
    other.add_sphere(0.1, 1.0, position=(50.0, 0.0, 0.0))
    for one in (world, other):
        one.step(50)
    assert robot.generalized_coordinate.tobytes() == same.generalized_coordinate.tobytes()
    assert robot.generalized_velocity.tobytes() == same.generalized_velocity.tobytes()


def test_a_batch_forgets_the_momentum_of_another_mass():
    world, _ = flier()
    world.step(5)
    batch = tribo.Batch(world, 2)
    robot = batch[world.objects[0].name]
    name = world.objects[0].body_names[1]
    robot.link(name).mass = np.array([1.0, 1.0]) * 2.0 * world.objects[0].link(name).mass
    world.objects[0].link(name).mass = 2.0 * world.objects[0].link(name).mass
    batch.step(20)
    world.step(20)
    assert batch.engine.state.arrays["v"][1].tobytes() == world.engine.state.v.tobytes()
