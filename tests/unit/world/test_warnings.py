"""The log and errors name only what a world has, and what may be the reason."""

import logging

import numpy as np
import pytest
from scenes import empty_world

import tribo
from tribo import SimulationError, Status


def whip(world):
    """Add a chain of ball joints that holds by friction, and make it turn by radians a step."""
    root = link = tribo.LinkDescription("root")
    root.fix_to_world()
    for k in range(3):
        link = link.add_child(f"l{k}", "spherical", position=(0, 0, -0.2), upper=0.5)
        link.mass, link.com, link.inertia = 0.3, (0, 0, -0.1), 1e-3 * np.eye(3)
        link.joint.friction = 1.0
    return world.add_articulated_system(root, collision_mask=0, name="whip")


def test_former_names_of_a_status_answer():
    """The four words that were renamed are the same bits; only the new ones are printed."""
    assert Status.COARSE is Status.TIME_STEP_TOO_LONG
    assert Status.SLOWED is Status.CORRECTION_LIMITED
    assert Status.CONTRADICTION is Status.INFEASIBLE
    assert Status.MIDPOINT_USED is Status.FELL_BACK_TO_MIDPOINT
    assert str(Status.COARSE | Status.SLOWED) == "TIME_STEP_TOO_LONG | CORRECTION_LIMITED"
    assert len(Status) == 7


def test_pairs_that_ring_are_said_once_where_they_can_meet(caplog):
    """`tribo check` said it of files; worlds that were made in Python said nothing and jumped."""
    world = empty_world(5e-3)
    soft = {"youngs_modulus": 1e6}
    world.set_material_pair("soil", "wood", spook_damping=9e-3, **soft)
    world.set_material_pair("soil", "gold", spook_damping=9e-3, **soft)  # there is no gold
    world.set_material_pair("soil", "rope", spook_damping=1e-2, **soft)  # two steps: enough
    world.add_ground(material="soil")
    world.add_sphere(0.1, 1.0, "wood", position=(0, 0, 1))
    world.add_sphere(0.1, 1.0, "rope", position=(1, 0, 1))
    world.step(3)
    assert "'soil' with 'wood' has a spook_damping of 0.009 s" in caplog.text
    assert "Take 0.01 s or more" in caplog.text
    assert "gold" not in caplog.text
    assert "rope" not in caplog.text
    caplog.clear()
    world.add_sphere(0.1, 1.0, "wood", position=(2, 0, 1))
    world.step(3)
    assert not caplog.text
    world.default_pair = tribo.ContactMaterial(spook_damping=1e-3)
    world.add_sphere(0.1, 1.0, "gold", position=(3, 0, 1))
    world.step(3)
    assert "'gold' with 'soil'" in caplog.text
    assert "the default pair has a spook_damping of 0.001 s" in caplog.text


def test_what_sinks_into_its_own_adhesion_is_said(caplog):
    """`tribo check` said it of files; in a world a box went through the ground without a word."""
    world = empty_world(5e-3)
    glue = {"youngs_modulus": 1e4, "adhesion_force": 10.0}
    world.set_material_pair("soil", "wood", adhesive_overlap=0.25, **glue)
    world.set_material_pair("soil", "rope", adhesive_overlap=0.15, **glue)  # thinner than the shape
    world.set_material_pair("soil", "gold", adhesive_overlap=0.25, **glue)  # there is no gold
    world.add_ground(material="soil")
    world.add_box((1.0, 0.2, 1.0), 1.0, "wood", position=(0, 0, 1))
    world.add_box((1.0, 0.2, 1.0), 1.0, "rope", position=(3, 0, 1))
    world.step(3)
    assert "'soil' with 'wood' has an adhesive_overlap of 0.25 m" in caplog.text
    assert "not thinner than a shape of 0.2 m" in caplog.text
    assert "rope" not in caplog.text
    assert "gold" not in caplog.text
    caplog.clear()
    world.add_sphere(0.1, 1.0, "rope", position=(6, 0, 1))
    world.step()
    assert not caplog.text  # it was said


@pytest.mark.parametrize("is_compliant", [False, True])
def test_compliant_pairs_are_named_only_where_there_is_one(caplog, monkeypatch, is_compliant):
    world = empty_world()
    robot = whip(world)
    if is_compliant:
        world.set_material_pair("soil", "wood", stiffness=1e4, damping=10.0)
    robot.generalized_velocity = np.full(robot.dof, 3e3)
    monkeypatch.setattr("tribo.readout.culprits.fast", lambda *_: "")  # nobody is known to be the one
    world.step()
    assert world.status & Status.TIME_STEP_TOO_LONG
    assert "is too long" in caplog.text
    assert "for how fast something turns that joints or constraints hold" in caplog.text
    assert ("compliant pair" in caplog.text) == is_compliant
    assert ("tribo.ground.check_step" in caplog.text) == is_compliant


@pytest.mark.parametrize("is_compliant", [False, True])
def test_a_batch_names_compliant_pairs_only_where_there_is_one(caplog, is_compliant):
    world = empty_world()
    robot = whip(world)
    if is_compliant:
        world.set_material_pair("soil", "wood", stiffness=1e4, damping=10.0)
    batch = tribo.Batch(world, 2, threads=1)
    batch["whip"].generalized_velocity = np.full(robot.dof, 3e3)
    batch.step()
    assert batch.status[1] & Status.TIME_STEP_TOO_LONG
    assert "the time step is too long" in caplog.text
    assert ("compliant pair" in caplog.text) == is_compliant


def test_a_batch_says_each_thing_once(caplog):
    """A robot that turns by radians a step in the second of three worlds, then one that is lost."""
    world = empty_world()
    robot = whip(world)
    batch = tribo.Batch(world, 3)
    batch.step()
    assert not caplog.text
    v = np.zeros((3, robot.dof))
    v[1] = 3e3
    batch["whip"].generalized_velocity = v
    batch.step()
    batch.step()
    assert batch.status[1] & Status.TIME_STEP_TOO_LONG
    assert batch.status[0] == batch.status[2] == 0
    assert caplog.text.count("the time step is too long") == 1
    assert "world 1 at t = " in caplog.text
    assert "1 of 3 in all" in caplog.text
    v[1], v[2] = 0.0, np.nan
    batch["whip"].generalized_velocity[:] = v
    batch.step()
    batch.step()
    assert caplog.text.count("world 2 at t = ") == 1
    assert "no longer finite" in caplog.text


def driven(form, kp):
    """Return a world with a driven arm, named "arm", off its target."""
    world = empty_world(gravity=(0, 0, 0))
    base = tribo.LinkDescription("base")
    base.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    base.fix_to_world()
    link = base.add_child("link", "prismatic", axis=(1, 0, 0), joint_name="rail")
    link.add_shape("box", (0.1, 0.1, 0.1), mass=1.0, collides=False)
    robot = world.add_articulated_system(base, name="arm")
    robot.set_pd_gains(kp, 0.0)
    robot.drive_form = form
    robot.joint("rail").coordinate = 0.1
    return world, robot


def blown(world):
    """Return what a world says when it cannot go on."""
    with pytest.raises(SimulationError, match="velocity of arm is no longer finite") as error:
        world.step(20_000)
    return str(error.value)


def test_gains_beyond_the_bound_of_the_stable_form_are_named():
    said = blown(driven("stable", 2e6)[0])  # Δt² kp = 2 kg > 4/3 kg
    assert "Drives of arm (stable) are not 'implicit'" in said
    assert "gains of the form 'stable' are beyond its bound" in said
    assert "drive_form = 'implicit' is stable at any gain" in said


@pytest.mark.parametrize("form", ["implicit", "averaged", "trapezoid", "stable"])
def test_other_forms_are_mentioned_without_a_bound(form):
    world, robot = driven(form, 10.0)
    robot.generalized_velocity = [1e15]
    robot.generalized_force = [1e15]
    robot.joint("rail").coordinate = 1e14
    robot.link("link").mass = 1e-9
    robot.set_pd_gains(1e-5, 0.0)  # Δt² kp is far below the mass
    said = blown(world)
    assert ("are not 'implicit'" in said) == (form != "implicit")
    assert "beyond its bound" not in said


def test_a_drive_that_is_off_is_no_reason():
    world, robot = driven("stable", 0.0)
    robot.generalized_velocity = [1e15]
    robot.generalized_force = [1e15]
    assert "implicit" not in blown(world)


@pytest.mark.parametrize("form", ["implicit", "stable"])
def test_a_batch_mentions_the_form_of_drives(caplog, form):
    batch = tribo.Batch(driven(form, 2e6)[0], 2, threads=1)
    batch["arm"].generalized_force[1] = np.nan
    batch.step(20_000)
    assert "no longer finite" in caplog.text
    assert ("drive_form = 'implicit' is stable" in caplog.text) == (form == "stable")


# -- constraints that do nothing ------------------------------------------------------------------
def test_a_constraint_of_what_no_force_moves_is_said(caplog):
    caplog.set_level(logging.WARNING, "tribo")
    world, robot = driven("implicit", 0.0)
    table = world.add_box((1, 1, 1), body_type="static", mass=1.0, position=(0, 0, -2), name="table")
    belt = world.add_box((1, 1, 1), body_type="kinematic", mass=1.0, position=(0, 0, -9), name="belt")
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 5))
    base = robot.link("base")
    still = ((base, None), (table, None), (base, table), (belt, table))
    for k, (first, second) in enumerate(still):
        world.add_pin(first, second)
        assert len(caplog.records) == k + 1
    assert "constraint pin_0 joins arm/base and the world: no force moves either" in caplog.text
    world.add_weld(table)
    world.add_wire(belt, table)
    assert len(caplog.records) == 6
    for first in (robot.link("link"), ball):
        world.add_pin(first)
        world.add_pin(first, base)
        world.add_pin(first, belt)
    assert len(caplog.records) == 6
    world.step(5)
