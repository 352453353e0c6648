"""Sleepers and what is changed around them: kinds of bodies, collision filters, tables that grow."""

import numpy as np
import pytest
from parts import fixed_base, link
from scenes import GRAVITY, sleepy_world

from tribo.description.trees import ShapeDescription, TreeDescription
from tribo.model import Joint, Shape


def table_with_a_box(kind):
    """Return a world, a table that floats and a box that sleeps on it."""
    world = sleepy_world()
    table = world.add_box((1, 1, 0.1), 2.0, position=(0, 0, 1.95), body_type=kind)
    box = world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 2.1))
    world.step(80)
    assert box.is_asleep
    return world, table, box


@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_a_support_that_becomes_dynamic_falls_with_its_load(kind):
    world, table, box = table_with_a_box(kind)
    table.body_type = "dynamic"
    world.step()
    assert not box.is_asleep
    for body in (table, box):
        assert body.linear_velocity[2] == pytest.approx(-GRAVITY * world.time_step, rel=1e-9)


def test_a_support_that_becomes_kinematic_carries_on():
    world, table, box = table_with_a_box("static")
    table.body_type = "kinematic"
    world.step(2)
    assert box.position[2] == pytest.approx(2.1, abs=1e-12)
    table.linear_velocity = (0, 0, 0.1)
    world.step(100)  # what the first half drift of the table overlaps is removed at erp
    assert not box.is_asleep
    assert box.linear_velocity[2] == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_a_sleeper_that_forces_no_longer_move_does_not_sleep(kind):
    _, _, box = table_with_a_box("static")
    box.body_type = kind
    assert not box.is_asleep


def test_a_sleeper_that_becomes_static_holds_what_lies_on_it():
    world = sleepy_world()
    low, high = (world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5 + k)) for k in range(2))
    world.step(80)
    assert low.is_asleep
    assert high.is_asleep
    low.body_type = "static"
    world.step(200)
    assert high.position[2] == pytest.approx(1.5, abs=1e-9)
    assert sum(c.force[2] for c in high.contacts) == pytest.approx(GRAVITY, rel=1e-6)
    low.body_type = "dynamic"
    high.apply_force((0, 0, -10.0))
    world.step()
    assert sum(c.force[2] for c in high.contacts) == pytest.approx(GRAVITY + 10, rel=1e-6)


def test_a_filter_that_opens_lets_a_sleeper_fall():
    world = sleepy_world()
    world.collision_filter = "both"
    low, high = (world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5 + k)) for k in range(2))
    world.step(80)
    assert high.is_asleep
    high.collision_bodies[0].collision_mask = 0
    world.step()
    assert not high.is_asleep
    assert high.linear_velocity[2] == pytest.approx(-GRAVITY * world.time_step, rel=1e-9)
    high.collision_bodies[0].collision_mask = -1
    world.step(300)
    assert high.position[2] == pytest.approx(1.5, abs=1e-4)
    assert low.position[2] == pytest.approx(0.5, abs=1e-6)


def arm_on_its_own_foot():
    """Return a world and a robot whose arm lies, asleep, on a post of its own base."""
    world = sleepy_world()
    base = fixed_base()
    base.shapes.append(ShapeDescription(Shape.BOX, (0.05, 0.05, 0.25), (0.4, 0, -0.25), name="post/0"))
    arm = link("arm", 0, Joint.REVOLUTE, 1.0, com=(0.25, 0, 0), inertia=(1e-3, 0.02, 0.02),
               axis=(0, 1, 0), position=(0, 0, 0.05))  # fmt: skip
    arm.shapes.append(ShapeDescription(Shape.CAPSULE, (0.05, 0.25), (0.25, 0, 0),
                                       (0.5**0.5, 0, 0.5**0.5, 0), name="arm/0"))  # fmt: skip
    robot = world.add_articulated_system(TreeDescription([base, arm]), position=(0, 0, 1))
    robot.allow_collision("base", "arm")
    robot.can_sleep = True
    world.step(120)
    return world, robot


def test_a_self_contact_bears_a_sleeper_until_it_is_ignored():
    world, robot = arm_on_its_own_foot()
    assert robot.is_asleep
    assert sum(abs(c.force[2]) for c in robot.contacts) > 0.1 * GRAVITY
    robot.ignore_collision("base", "arm")
    world.step()
    assert not robot.is_asleep
    # It swings down about its hinge: m g l / (I + m l²), to the rotation of the first step.
    rate = GRAVITY * 0.25 / (0.02 + 0.25**2)
    assert robot.generalized_velocity[0] == pytest.approx(rate * world.time_step, rel=1e-4)


def test_tables_that_grow_leave_sleepers_asleep():
    world = sleepy_world()
    stack = [world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5 + k)) for k in range(3)]
    for k in range(40):
        world.add_box((0.3, 0.3, 0.3), 1.0, position=(3 + 0.5 * (k % 8), 0.5 * (k // 8), 0.25))
    world.step(80)
    assert all(box.is_asleep for box in stack)
    before = np.array([box.position for box in stack])
    room = world.engine.capacity.contacts
    for k in range(60):
        world.add_sphere(0.1, 0.1, position=(-3 - 0.5 * (k % 8), 0.5 * (k // 8), 0.3))
    world.step(300)
    assert world.engine.capacity.contacts > room
    assert all(box.is_asleep for box in stack)
    assert np.array_equal([box.position for box in stack], before)
