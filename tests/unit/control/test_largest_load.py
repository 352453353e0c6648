import numpy as np
import pytest

import tribo

CLOSE = 1e-6  # [–] HiGHS meets equations to 1e-7


def box_on_ground(friction=0.4, height=0.2, mass=2.0):
    world = tribo.World()
    world.add_ground(material="ice", name="ground")
    world.set_material_pair("ice", "stone", friction=friction)
    box = world.add_box((0.4, 0.4, height), mass, "stone", position=(0, 0, height / 2), name="box")
    return world, box


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.1])
def test_a_box_slips_at_its_friction_in_any_direction(angle):
    world, _ = box_on_ground()
    push = (0, 0, 0, np.cos(angle), np.sin(angle), 0)
    load = tribo.largest_load(world, "box", push)
    assert load.factor == pytest.approx(0.4 * 2.0 * 9.81, rel=CLOSE)
    assert np.allclose(load.force.sum(axis=0)[2], -2.0 * 9.81, rtol=CLOSE)  # on the ground, which is A


def test_a_tall_box_tips_before_it_slips():
    world, _ = box_on_ground(friction=0.9, height=1.0)
    load = tribo.largest_load(world, "box", (0, 0, 0, 1, 0, 0))
    # About its far edge: s · 0.5 = m g · 0.2.
    assert load.factor == pytest.approx(2.0 * 9.81 * 0.2 / 0.5, rel=CLOSE)


def test_a_lift_takes_the_weight_and_pressing_has_no_end():
    world, _ = box_on_ground()
    assert tribo.largest_load(world, "box", (0, 0, 0, 0, 0, 1)).factor == pytest.approx(2.0 * 9.81, rel=CLOSE)
    assert tribo.largest_load(world, "box", (0, 0, 0, 0, 0, -1)).factor == np.inf


def test_a_box_in_the_air_bears_nothing():
    world, box = box_on_ground()
    box.position = (0, 0, 1.0)
    load = tribo.largest_load(world, "box", (0, 0, 0, 1, 0, 0))
    assert np.isnan(load.factor)


def test_a_grasp_is_as_strong_as_its_fingers():
    world = tribo.World(gravity=(0, 0, 0))
    palm = tribo.LinkDescription("palm")
    palm.fix_to_world()
    for name, side in (("left", -1), ("right", 1)):
        finger = palm.add_child(name, "prismatic", axis=(1, 0, 0), joint_name=f"{name}_slide", effort=10.0)
        finger.add_shape("box", (0.02, 0.1, 0.1), mass=0.1, position=(0.06 * side, 0, 0), material="rubber")
    world.add_articulated_system(palm, name="hand")
    world.add_box((0.1, 0.05, 0.05), 0.3, "stone", name="load")
    world.set_material_pair("rubber", "stone", friction=0.7)
    # Each finger presses with 10 N, and both hold by friction.
    pull = tribo.largest_load(world, "load", (0, 0, 0, 0, 0, 1))
    assert pull.factor == pytest.approx(2 * 0.7 * 10.0, rel=CLOSE)
    assert np.allclose(np.abs(pull.torque["hand"]), 10.0, rtol=CLOSE)
    # Along the fingers one of them can push with 10 N at most, the other with none.
    push = tribo.largest_load(world, "load", (0, 0, 0, 1, 0, 0))
    assert push.factor == pytest.approx(10.0, rel=CLOSE)
    # A load on a link itself is borne by its drive.
    own = tribo.largest_load(world, "hand", (0, 0, 0, 1, 0, 0), link="left")
    assert own.factor == pytest.approx(20.0, rel=CLOSE)  # its own 10 N and those of the other


def test_bad_input_is_named():
    world, _ = box_on_ground()
    for name, wrench, options, error, text in (
        ("boxes", (0, 0, 0, 1, 0, 0), {}, KeyError, "box"),
        ("box", (0, 0, 1), {}, ValueError, "wrench"),
        ("box", (0,) * 6, {}, ValueError, "must not be 0"),
        ("box", (0, 0, 0, 1, 0, 0), {"reach": -1.0}, ValueError, "reach"),
        ("box", (0, 0, 0, 1, 0, 0), {"undriven": ["box/hinge"]}, KeyError, "joint"),
    ):
        with pytest.raises(error, match=text):
            tribo.largest_load(world, name, wrench, **options)
    with pytest.raises(TypeError, match="World"):
        tribo.largest_load("world", "box", (0, 0, 0, 1, 0, 0))
