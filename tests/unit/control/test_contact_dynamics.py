import numpy as np
import pytest

import tribo
from tribo.tools.demo import ASSETS

CLOSE = 1e-8  # [–] of the largest force: optimality is met to 1e-12 of it over (0.01 m)²


def box_on_slope(angle, friction=0.6):
    world = tribo.World(gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    world.add_ground(material="ice", name="ground")
    world.set_material_pair("ice", "stone", friction=friction)
    box = world.add_box((0.4, 0.4, 0.1), 2.0, "stone", position=(0, 0, 0.05), name="box")
    return world, box


@pytest.mark.parametrize("angle", [0.0, 0.2, 0.5])
def test_a_box_that_stays_on_a_slope(angle):
    world, _ = box_on_slope(angle)
    found = tribo.contact_inverse_dynamics(world)
    assert found.is_possible
    force = found.force_on("box")
    assert np.allclose(force.sum(axis=0), -2.0 * world.gravity, rtol=0, atol=20 * CLOSE)
    # The torque about its centre vanishes: the pressure moves by half the height times the slope.
    middle = (found.position[:, 0] * force[:, 2]).sum() / force[:, 2].sum()
    assert middle == pytest.approx(0.05 * np.tan(angle), abs=1e-8)
    assert (found.friction_use <= 1.0 + 1e-8).all()


def test_steeper_than_friction_it_cannot_stay_but_slide():
    angle = 0.7  # tan 0.7 = 0.84 > 0.6
    world, box = box_on_slope(angle)
    assert not tribo.contact_inverse_dynamics(world).is_possible
    box.linear_velocity = (0.5, 0.0, 0.0)
    slide = 9.81 * (np.sin(angle) - 0.6 * np.cos(angle))
    found = tribo.contact_inverse_dynamics(world, {"box": [slide, 0, 0, 0, 0, 0]})
    assert found.slips.all()
    assert found.is_possible
    assert np.allclose(found.friction_use, 1.0, rtol=0, atol=1e-8)
    other = tribo.contact_inverse_dynamics(world, {"box": [0.9 * slide, 0, 0, 0, 0, 0]})
    assert not other.is_possible
    assert other.residual["box"][0] != 0.0


def test_contacts_that_open_do_not_push():
    world, _ = box_on_slope(0.0)
    found = tribo.contact_inverse_dynamics(world, {"box": [0, 0, 20.0, 0, 0, 0]})
    assert len(found.force) == 0
    assert not found.is_possible
    assert found.residual["box"][2] == pytest.approx(2.0 * 29.81)


def test_three_feet_bear_what_levers_say():
    world = tribo.World()
    world.add_ground()
    feet = np.array([[0.5, 0.0], [-0.3, 0.4], [-0.2, -0.6]])
    stool = tribo.LinkDescription("seat")
    stool.add_shape("sphere", (0.05,), mass=4.0, position=(0.02, -0.05, 0.4), collides=False)
    for x, y in feet:
        stool.add_shape("sphere", (0.05,), mass=1e-6, position=(x, y, 0.05))
    robot = world.add_articulated_system(stool, name="stool")
    robot.generalized_coordinate = [0, 0, 0, 1, 0, 0, 0]
    found = tribo.contact_inverse_dynamics(world)
    assert found.is_possible
    loads = np.linalg.solve(
        np.vstack([np.ones(3), feet.T]), robot.mass * 9.81 * np.r_[1.0, robot.com_position[:2]]
    )
    order = [int(np.argmin(np.linalg.norm(feet - p, axis=1))) for p in found.position[:, :2]]
    assert np.allclose(found.force_on("stool")[:, 2], loads[order], rtol=0, atol=40 * CLOSE)


def test_forces_of_a_step_explain_its_acceleration():
    world = tribo.World()
    world.integrator = "semi_implicit"
    world.add_ground()
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 0.5))
    for leg, sign in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
        dog.joint(f"{leg}_HFE").coordinate = 0.5 * sign
        dog.joint(f"{leg}_KFE").coordinate = -1.0 * sign
    at_rest = tribo.equilibrium(world)
    at_rest.apply(world)
    dog.set_pd_gains(np.r_[np.zeros(6), np.full(12, 400.0)], np.r_[np.zeros(6), np.full(12, 10.0)])
    target = dog.generalized_coordinate.copy()
    target[7:] += 0.02  # it begins to move on four feet
    dog.pd_target = target
    before = world.snapshot()
    world.step()
    velocity, net = dog.generalized_velocity.copy(), dog.net_contact_force.sum(axis=0)
    assert np.abs(velocity).max() > 1e-3
    world.restore(before)
    found = tribo.contact_inverse_dynamics(world, {"dog": velocity / world.time_step})
    assert found.is_possible
    # Whatever the forces are, their sum is that of the step: six dofs of the base have no other force.
    assert np.allclose(found.force_on("dog").sum(axis=0), net, rtol=0, atol=1e-5 * net[2])


def test_undriven_joints_and_objects_in_the_hand():
    world = tribo.World()
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    plate = root.add_child("plate", "prismatic", axis=(0, 0, 1), joint_name="lift")
    plate.add_shape("box", (0.4, 0.4, 0.02), mass=1.0)
    world.add_articulated_system(root, name="lift", position=(0, 0, 1))
    world.add_box((0.1, 0.1, 0.1), 2.0, name="load", position=(0, 0, 1.06))
    rises = {"lift": [1.5], "load": [0, 0, 1.5, 0, 0, 0]}
    found = tribo.contact_inverse_dynamics(world, rises)
    assert found.is_possible
    assert found.torque["lift"][0] == pytest.approx(3.0 * (9.81 + 1.5), rel=1e-8)
    assert found.force_on("load")[:, 2].sum() == pytest.approx(2.0 * (9.81 + 1.5), rel=1e-8)
    without = tribo.contact_inverse_dynamics(world, rises, undriven=["lift/lift"])
    assert not without.is_possible


def test_bad_input_is_named():
    world, box = box_on_slope(0.0)
    for acceleration, options, error, text in (
        ({"boxes": [0] * 6}, {}, KeyError, "box"),
        ({"box": [0.0]}, {}, ValueError, "shape"),
        ({"box": [np.nan] * 6}, {}, ValueError, "box"),
        ({}, {"undriven": ["box/hinge"]}, KeyError, "joint"),
        ({}, {"reach": -1.0}, ValueError, "reach"),
        ({}, {"slip_speed": 0.0}, ValueError, "slip_speed"),
    ):
        with pytest.raises(error, match=text):
            tribo.contact_inverse_dynamics(world, acceleration, **options)
    world.add_pin(None, box, first_point=(0, 0, 0.05), name="pin")
    with pytest.raises(ValueError, match="constraints"):
        tribo.contact_inverse_dynamics(world)
    with pytest.raises(TypeError, match="World"):
        tribo.contact_inverse_dynamics("world")
