"""Groups, masks, and materials of parts change while a world runs."""

import math

import numpy as np
import pytest
from scenes import QUADRUPED, STANCE_HEIGHT, base, empty_world, ground_world, joint_body, standing_quadruped

import tribo
import tribo.world.world
from tribo.description.trees import ShapeDescription, TreeDescription
from tribo.model import Joint, Shape


@pytest.mark.parametrize("rule", ["either", "both"])
@pytest.mark.parametrize(("mask_a", "mask_b"), [(0, 0), (4, 0), (0, 2), (4, 2)])
def test_groups_and_masks(rule, mask_a, mask_b):
    """Group 2 meets mask 2: a ball falls through unless one side (either) or both admit the pair."""
    world = empty_world()
    world.collision_filter = rule
    world.add_box((4, 4, 1), 1.0, position=(0, 0, -0.5), body_type="static", collision_group=4,
                  collision_mask=mask_b)  # fmt: skip
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1), collision_group=2, collision_mask=mask_a)
    world.step(100)
    forward, backward = mask_a == 4, mask_b == 2
    meets = (forward and backward) if rule == "both" else (forward or backward)
    assert bool(ball.position[2] > 0.09) is meets


def test_masks_change_at_run_time():
    """From resting to falling through, and 64 bits are all usable."""
    world = ground_world()
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1), collision_group=1 << 63)
    world.step(10)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-12)
    for body in (*ball.collision_bodies, *world.objects[0].collision_bodies):
        body.collision_mask = 1 << 40
    world.step(100)
    assert ball.position[2] < 0.1 - 0.04


def test_robot_links_that_ignore_each_other():
    """Two neighbours' children overlap: they push each other apart unless told not to."""

    def robot():
        bodies = [base()]
        for k in range(2):
            body = joint_body(f"l{k}", 0, Joint.PRISMATIC, 1.0, axis=(1, 0, 0), position=(0.15 * k, 0, 0))
            body.shapes.append(ShapeDescription(Shape.SPHERE, (0.1,), name=f"l{k}/0"))
            bodies.append(body)
        return TreeDescription(bodies)

    for ignored in (False, True):
        world = empty_world(1e-3, (0, 0, 0))
        part = world.add_articulated_system(robot(), self_collision="all")
        if ignored:
            part.ignore_collision("l0", "l1")
        world.step(50)
        apart = part.generalized_coordinate[1] - part.generalized_coordinate[0]
        assert bool(apart > 0.01) is not ignored


# -- robots ------------------------------------------------------------------------------------


def test_material_of_a_collision_body_changes_at_run_time():
    """`robot.collision_body("LF_FOOT/0").material = "ice"` acts in the next step."""
    world = ground_world(friction=0.8)
    robot = standing_quadruped(world)
    world.step(100)
    robot.collision_body("LF_FOOT/0").material = "ice"
    world.set_material_pair("ice", "default", friction=0.01)
    world.step(1)
    pairs = {c.body_a: c.pair.friction for c in robot.contacts}
    assert pairs["LF_FOOT/0"] == 0.01
    assert pairs["RF_FOOT/0"] == 0.8


def test_robot_may_be_added_with_its_pose():
    world = tribo.World()
    turn = (math.sqrt(0.5), 0, 0, math.sqrt(0.5))
    robot = world.add_articulated_system(QUADRUPED, position=(1, 2, 3), orientation=turn)
    np.testing.assert_array_equal(robot.position, [1, 2, 3])
    np.testing.assert_allclose(robot.generalized_coordinate[3:7], turn, atol=1e-15)
    np.testing.assert_allclose(robot.frame_position("trunk"), [1, 2, 3], atol=1e-15)
    foot = robot.frame_position("LF_FOOT")
    np.testing.assert_allclose(foot, [1 - 0.16, 2 + 0.2, 3 - 0.48], atol=1e-12)
    assert STANCE_HEIGHT < 0.48 + 0.025
