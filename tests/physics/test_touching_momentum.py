"""Bodies that only touch one another keep their angular momentum, whatever their contacts do.

Forces act in pairs and along one line; so the sum stays to round-off, for any friction, rebound and overlap.
"""

import numpy as np
import pytest

import tribo
from tribo.tools.demo import ASSETS


def angular_momentum(world):
    """Return the sum about the common centre of mass [kg m²/s] of single bodies, and its size."""
    bodies = world.objects
    mass = sum(body.mass for body in bodies)
    centre = sum(body.mass * body.position for body in bodies) / mass
    total, size = np.zeros(3), 0.0
    for body in bodies:
        r = body.rotation_matrix
        spin = r @ body.inertia @ r.T @ body.angular_velocity
        push = body.mass * body.linear_velocity
        total += np.cross(body.position - centre, push) + spin
        size += np.linalg.norm(push) + np.linalg.norm(spin)
    return total, size


def crowd(seed, *, gravity=(0, 0, 0), **pair):
    """Return a world in which six bodies fly towards one another, two of which overlap by 5 mm."""
    rng = np.random.default_rng(seed)
    world = tribo.World(time_step=2e-3, gravity=gravity)
    world.default_pair = tribo.PairProperties(**pair)
    places = [(x, y, 0.1 * x) for x in (-0.25, 0.0, 0.25) for y in (-0.12, 0.12)]
    for k, place in enumerate(places):
        motion = {
            "position": place,
            "linear_velocity": -2.0 * np.array(place) + 0.2 * rng.normal(size=3),
            "angular_velocity": 5.0 * rng.normal(size=3),
        }
        if k % 3 == 0:
            world.add_sphere(0.08, 0.5, **motion)
        else:
            world.add_box((0.15, 0.15, 0.15), 1.0 + k, **motion)
    world.add_sphere(0.05, 0.3, position=(-0.25, -0.12, 0.1))
    return world


@pytest.mark.parametrize("pair", [{"friction": 0.8}, {"friction": 0.3, "restitution": 0.5}])
@pytest.mark.parametrize("seed", range(3))
def test_what_touches_only_one_another_keeps_its_angular_momentum(seed, pair):
    """Off by 5e-6 of it in a step before. Cubes and balls do not tumble: a hit is exact as well."""
    world = crowd(seed, **pair)
    before, size = angular_momentum(world)
    touched = 0
    for _ in range(300):
        world.step()
        touched += len(world.contacts) > 0
        after, _ = angular_momentum(world)
        assert np.linalg.norm(after - before) < 1e-9 * size  # shifts that a third body hands on
        before = after
    assert touched > 20


@pytest.mark.parametrize("seed", [0, 1])
def test_robots_that_meet_on_the_way_of_a_step_keep_their_angular_momentum(seed):
    """Each is pushed at its own surface, 5 mm from the other's: 1e-3 of it in a step, if not kept."""
    rng = np.random.default_rng(seed)
    world = tribo.World(time_step=4e-3, gravity=(0, 0, 0))
    for k in range(2):
        robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0.7 * k, 0, 0.5))
        joints = robot.dof - 6
        robot.set_pd_gains(np.r_[np.zeros(6), np.full(joints, 60.0)], np.r_[np.zeros(6), np.ones(joints)])
        robot.pd_target[7:] = rng.uniform(-2, 2, joints)
        base = [(-1.0) ** k, *0.1 * rng.normal(size=2), *rng.normal(size=3)]
        robot.generalized_velocity = np.r_[base, np.zeros(joints)]
    before, met = world.angular_momentum, 0
    size = sum(robot.mass for robot in world.objects)  # [kg m²/s] at 1 m/s, 1 m off
    for _ in range(300):
        world.step()
        met += any(c.object_a is not c.object_b and np.any(c.impulse) for c in world.contacts)
        after = world.angular_momentum
        assert np.linalg.norm(after - before) < 1e-12 * size
        before = after
    assert met > 10


@pytest.mark.parametrize("seed", range(4))
def test_a_body_that_hits_nothing_after_all_goes_on_as_a_free_one(seed):
    """A step that foresees a contact, in which nothing pushes, keeps the spin (1e-4 off before)."""
    rng = np.random.default_rng(seed)
    world = tribo.World(time_step=4e-3)
    world.add_ground()
    body = world.add_box((0.1, 0.2, 0.3), 1.0, position=(0, 0, 0.3), angular_velocity=30 * rng.normal(size=3))
    missed = 0
    turned = None
    for _ in range(400):
        world.step()
        r = body.rotation_matrix
        spin = r @ body.inertia @ r.T @ body.angular_velocity
        if turned is not None and not any(np.any(contact.impulse) for contact in world.contacts):
            assert np.linalg.norm(spin - turned) < 1e-12 * np.linalg.norm(spin)
            missed += world.engine.work.contact_count[0] > 0
            assert not world.engine.work.hit_response.any()  # nothing stays for the next step
        turned = spin
        if body.position[2] < 0.14:  # thrown up again, so that it meets the ground often
            body.linear_velocity = (0, 0, 1.0)
            body.angular_velocity = 30 * rng.normal(size=3)
            turned = None
    assert missed > 0


@pytest.mark.parametrize("tie", ["pin", "hinge", "weld"])
def test_velocities_that_do_not_agree_leave_no_gap(tie):
    """A first step that pulls tied bodies together closes what its first half opened (5 mm before)."""
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    bodies = []
    for k in range(3):
        push = (-1.0) ** k * np.array((0.0, 4.0, 2.0))
        bodies.append(world.add_box((0.1, 0.15, 0.2), 1.0 + k, position=(0.3 * k, 0, 0)))
        bodies[k].linear_velocity, bodies[k].angular_velocity = push, (1.0, k, 2.0)
    add = getattr(world, f"add_{tie}")
    ties = [add(bodies[0], bodies[1]), add(bodies[1], bodies[2])]
    world.step()
    assert max(np.linalg.norm(tie.gap) for tie in ties) < 2e-4
    world.step()
    assert max(np.linalg.norm(tie.gap) for tie in ties) < 1e-6
