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


def sums_of_contacts(world, thing):
    """Return force and torque about the origin on an object by its list of contacts, (6,)."""
    found = np.zeros(6)
    for contact in thing.contacts:
        force = contact.force_on(thing)
        found += [*np.cross(contact.position, force), *force]
    return found


@pytest.mark.parametrize("impact", ["simultaneous", "propagate"])
def test_sums_are_those_of_the_list_with_rebounds(impact):
    world = tribo.World()
    world.impact = impact
    world.add_ground(material="stone")
    world.set_material_pair("stone", "ball", restitution=0.8)
    world.set_material_pair("ball", "ball", restitution=0.8)
    balls = [
        world.add_sphere(0.1, 1.0, material="ball", position=(0.05 * k, 0, 0.15 + 0.21 * k)) for k in range(3)
    ]
    seen = 0
    for _ in range(300):
        world.step()
        for ball in balls:
            (found,) = ball.contact_wrenches()
            expected = sums_of_contacts(world, ball)
            assert np.allclose(found, expected, rtol=1e-12, atol=1e-9)
            assert np.allclose(ball.net_contact_force, expected[3:], rtol=1e-12, atol=1e-9)
            assert ball.in_contact() == bool(ball.contacts)
            seen += bool(ball.contacts)
    assert seen > 20


def test_links_that_press_on_one_another_count_on_both_sides():
    """Forces within a robot cancel in its sum and stand on both of its links."""
    world = tribo.World(gravity=(0, 0, 0))
    arm = world.add_articulated_system(
        "<mujoco><worldbody><body><geom size='0.1'/><body pos='0 0 0.4'><joint type='slide' axis='0 0 1'/>"
        "<geom size='0.1'/></body><body pos='0 0 0.8'><joint type='slide' axis='0 0 1'/><geom size='0.1'/>"
        "</body></body></worldbody></mujoco>"
    )
    arm.generalized_coordinate = [0.0, -0.2]
    arm.generalized_velocity = [1.0, -1.0]
    world.step()
    assert arm.internal_contacts
    force = arm.net_contact_force
    assert np.abs(force[1:, 2]).min() > 1.0
    assert np.abs(force.sum(axis=0)).max() < 1e-9


def test_an_object_without_shapes_and_arrays_without_gaps():
    world, robot = standing()
    world.step()
    bare = world.add_articulated_system("<robot name='bare'><link name='base'/></robot>")
    world.step()
    assert bare.contact_wrenches().shape == (0, 6)
    assert not bare.net_contact_force.any()
    assert bare.in_contact() is False
    assert robot.net_contact_force.flags.c_contiguous
    assert robot.contact_wrenches().flags.c_contiguous


def test_sums_stay_within_the_tables_after_a_step_that_ran_out_of_room():
    world, robot = standing()
    world.step()
    expected = robot.net_contact_force
    work = world.engine.work
    room = work.contact_gap.shape[0]
    before, work.contact_count[0] = int(work.contact_count[0]), 1000 * room
    try:
        work.contact_impulse[before:] = 0.0
        work.contact_gap[before:] = 1.0
        assert np.array_equal(robot.net_contact_force, expected)
    finally:
        work.contact_count[0] = before


def test_points_of_a_wrong_shape_are_refused():
    world, robot = standing()
    world.step()
    for wrong in ((0, 0), np.zeros((2, 3)), (0, 0, np.nan)):
        with pytest.raises(ValueError, match=r"point|about"):
            robot.contact_wrenches(wrong)


def test_a_contact_that_was_read_keeps_the_numbers_of_its_step():
    """A list is a copy of the step: later steps, edits and laws change nothing of it."""
    world = tribo.World()
    world.add_ground(material="steel")
    ball = world.add_sphere(radius=0.1, mass=2.0, material="rubber", position=(0, 0, 0.1))
    world.set_material_pair("steel", "rubber", friction=0.4)
    world.step()
    (kept,) = world.contacts
    ball.position = (0, 0, 5.0)
    world.set_material_pair("steel", "rubber", friction=0.9)
    world.add_box(size=(1, 1, 1), mass=1.0, position=(0, 0, 9))
    world.step()
    assert world.contacts == []
    assert np.allclose(kept.force_on(ball), [0, 0, 2.0 * 9.81], rtol=0, atol=1e-6)
    assert abs(kept.position[2]) < 1e-4
    assert kept.friction == 0.4
    assert kept.other(ball) is world["ground_0"]


def test_both_views_of_a_contact_agree():
    world = tribo.World()
    ground = world.add_ground(material="steel")
    ball = world.add_sphere(radius=0.1, mass=2.0, material="rubber", position=(0, 0, 0.1))
    ball.linear_velocity = (0.3, 0.2, 0)
    world.step()
    (one,), (other,) = ball.contacts, ground.contacts
    assert (one.object_a, one.object_b) == (other.object_b, other.object_a) == (ball, ground)
    assert (one.body_a, one.materials) == (other.body_b, other.materials[::-1])
    assert one.is_a is not other.is_a
    for name in ("normal", "force", "impulse", "torque_impulse"):
        assert np.array_equal(getattr(one, name), -getattr(other, name))
    assert np.array_equal(one.frame @ one.force, other.frame @ other.force * [-1, 1, 1])
    assert np.allclose(np.cross(other.frame[0], other.frame[1]), other.frame[2])


def test_a_contact_is_only_read():
    world = tribo.World()
    world.add_ground()
    world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 0.1))
    world.step()
    (contact,) = world.contacts
    with pytest.raises(AttributeError, match="force of Contact cannot be assigned to"):
        contact.force = (0, 0, 1)
    with pytest.raises(AttributeError, match="Contact has no attribute 'forc' to assign to"):
        contact.forc = (0, 0, 1)
    for view in (contact, contact.seen_from_b()):
        for name in ("position", "normal", "frame", "impulse", "force", "torque_impulse"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(view, name)[0] = 1.0


def test_the_net_force_of_a_single_body_is_one_vector():
    """Of a robot a row for each body; in a batch the world comes first."""
    world, robot = standing()
    place = (5.0, 0.0, 0.5)
    box = world.add_box((1, 1, 1), 2.0, position=place, name="box")
    hills = world.add_height_map(np.zeros((3, 3)), (2, 2), position=(50, 0, 0), name="hills")
    world.step(10)
    assert box.net_contact_force.shape == hills.net_contact_force.shape == (3,)
    assert box.net_contact_force == pytest.approx([0, 0, 2.0 * WEIGHT], abs=1e-6)
    assert robot.net_contact_force.shape == (len(robot.body_names), 3)
    batch = tribo.Batch(world, 2, threads=1)
    assert batch["box"].net_contact_force.shape == (2, 3)
    assert batch["dog"].net_contact_force.shape == (2, len(robot.body_names), 3)
