import numpy as np
import pytest

import tribo
from tribo.tools.demo import ASSETS


def arm(world, lengths=(1.0, 1.0), masses=(1.0, 2.0), **properties):
    root = link = tribo.LinkDescription("base")
    root.fix_to_world()
    at = (0, 0, 0)
    for k, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        link = link.add_child(
            f"link{k}", "revolute", axis=(0, 1, 0), position=at, joint_name=f"joint{k}", **properties
        )
        link.add_shape("sphere", (0.02,), mass=mass, position=(0, 0, -length), collides=False)
        at = (0, 0, -length)
    return world.add_articulated_system(root, name="arm")


def bend_knees(dog, by=0.6):
    for leg, sign in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
        dog.joint(f"{leg}_HFE").coordinate = sign * by
        dog.joint(f"{leg}_KFE").coordinate = -2 * sign * by


def test_held_joints_bear_the_weight():
    world = tribo.World()
    robot = arm(world)
    robot.generalized_coordinate = [0.5, 0.4]
    found = tribo.equilibrium(world)
    assert found.is_at_rest
    q = found.coordinate["arm"]
    sag = np.abs(found.force["arm"]) * world.time_step**2 / np.diag(robot.mass_matrix)
    assert (np.abs(q - [0.5, 0.4]) <= 1.01 * sag).all()  # of drives of the stiffness M/dt²
    assert np.allclose(found.force["arm"], robot.at(q).gravity_force, rtol=0, atol=1e-5)
    assert np.array_equal(robot.generalized_coordinate, [0.5, 0.4])  # the world stays


def test_a_free_joint_finds_an_equilibrium_that_is_not_stable():
    world = tribo.World()
    robot = arm(world)
    robot.generalized_coordinate = [np.pi - 0.3, 0.4]
    found = tribo.equilibrium(world, free=["arm/joint0"])
    assert found.is_at_rest
    q = found.coordinate["arm"]
    # Nothing turns at the shoulder, so the common centre of mass is above it: m₁ + m₂ at 1, m₂ beyond.
    moment = 3.0 * np.sin(q[0]) + 2.0 * np.sin(q[0] + q[1])
    assert abs(moment) < 1e-6
    assert abs(q[0] - np.pi) < 0.5  # the upright one
    assert found.force["arm"][0] == 0.0
    assert found.force["arm"][1] == pytest.approx(2.0 * 9.81 * np.sin(q[0] + q[1]), abs=1e-5)
    found.apply(world)
    assert abs(tribo.linearize(world).eigenvalues[0]) > 1.0
    world.step()
    assert np.abs(robot.generalized_velocity).max() < 1e-6 * world.time_step


def test_commands_as_they_are_let_a_robot_sag():
    world = tribo.World()
    robot = arm(world, damping=5.0)
    robot.set_pd_gains([100.0, 50.0], [10.0, 5.0])
    robot.pd_target = [1.0, -0.5]
    found = tribo.equilibrium(world, hold=False)
    assert found.is_at_rest
    q = found.coordinate["arm"]
    lever = 1.0 / 100.0 * robot.at(q).gravity_force[0], 1.0 / 50.0 * robot.at(q).gravity_force[1]
    # Rest is 1e-6 rad/s², in a joint of up to 7 kg m² on a spring of 50 N m/rad.
    assert np.allclose(np.array([1.0, -0.5]) - q, lever, rtol=0, atol=1e-6)


def test_a_robot_falls_onto_its_feet_and_its_legs_bear_it():
    world = tribo.World()
    world.add_ground()
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 0.6))
    bend_knees(dog)
    found = tribo.equilibrium(world)
    assert found.is_at_rest
    assert found.points >= 4
    assert np.abs(found.force["dog"]).max() > 1.0  # bent knees
    found.apply(world)
    world.step()
    assert np.abs(dog.generalized_velocity).max() < 1e-6 * world.time_step
    assert dog.net_contact_force.sum(axis=0)[2] == pytest.approx(dog.mass * 9.81, rel=1e-6)


def test_a_tower_that_leans_too_far_is_not_at_rest():
    world = tribo.World()
    world.add_ground()
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.1), name="below", body_type=tribo.STATIC)
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(0.15, 0, 0.3), name="above")
    found = tribo.equilibrium(world, settle=False)
    assert not found.is_at_rest
    assert found.acceleration > 1.0


def test_bad_input_is_named():
    world = tribo.World()
    arm(world)
    for bad, error, text in (
        ({"free": ["arm/joint9"]}, KeyError, "coordinate"),
        ({"hold": 1}, TypeError, "hold"),
        ({"time": -1.0}, ValueError, "time"),
        ({"tolerance": 0.0}, ValueError, "tolerance"),
    ):
        with pytest.raises(error, match=text):
            tribo.equilibrium(world, **bad)
    with pytest.raises(TypeError, match="World"):
        tribo.equilibrium("world")
