"""Contact wrenches shape by shape: balance of forces and torques, worlds of a batch, refusals."""

import numpy as np
import pytest
from scenes import ground_world, standing_quadruped

import tribo

WEIGHT = 9.81


def standing():
    """Return a world with a robot on its feet, and the robot."""
    world = ground_world()
    return world, standing_quadruped(world, name="dog")


def centre(robot):
    """Return the centre of mass of a robot, from its links (3,) [m]."""
    place, turn = robot.body_poses()
    bodies = robot.description.bodies
    moments = [b.mass * (p + r @ b.com) for b, p, r in zip(bodies, place, turn, strict=True)]
    return sum(moments) / sum(b.mass for b in bodies)


def test_at_rest_they_bear_the_weight_without_a_torque_about_the_centre():
    world, robot = standing()
    world.step(3000)
    total = robot.contact_wrenches(centre(robot)).sum(axis=0)
    weight = robot.mass * WEIGHT
    assert total[3:] == pytest.approx([0, 0, weight], abs=1e-6 * weight)
    assert np.abs(total[:3]).max() < 1e-6 * weight


def test_they_add_up_to_the_forces_on_the_bodies():
    world, robot = standing()
    robot.generalized_velocity[3:6] = 0.3, -0.2, 0.1
    world.step(20)
    counts = [len(body.shapes) for body in robot.description.bodies]
    of_body = np.repeat(np.arange(len(counts)), counts)
    total = np.zeros((len(counts), 3))
    np.add.at(total, of_body, robot.contact_wrenches()[:, 3:])
    assert np.abs(total).max() > 1.0
    assert np.allclose(total, robot.net_contact_force, rtol=1e-12, atol=1e-12)


def test_torques_are_those_of_the_contacts():
    world, robot = standing()
    world.step(50)
    about = np.array([0.3, -0.2, 0.7])
    expected = sum(np.cross(c.position - about, c.force_on(robot)) for c in robot.contacts)
    assert np.allclose(robot.contact_wrenches(about).sum(axis=0)[:3], expected, atol=1e-9)


def test_a_world_of_a_batch_is_the_world_alone_and_has_its_own_point():
    world, robot = standing()
    batch = tribo.Batch(world, 3, threads=1)
    world.step(5)
    batch.step(5)
    points = np.arange(9.0).reshape(3, 3)
    found = batch[robot.name].contact_wrenches(points)
    for k in range(3):
        assert np.array_equal(found[k], robot.contact_wrenches(points[k]))


def test_points_of_a_wrong_shape_are_refused():
    world, robot = standing()
    world.step()
    for wrong in ((0, 0), np.zeros((2, 3)), (0, 0, np.nan)):
        with pytest.raises(ValueError, match=r"point|about"):
            robot.contact_wrenches(wrong)
