"""Motors and locks of links: compliance, damping and force range of their drives."""

import numpy as np
import pytest

import tribo
from tribo.formats import choreonoid

HEAD = "format: ChoreonoidBody\nname: Arm\nlinks:\n - { name: base }\n"
BAR = (
    " - {{ name: bar, parent: base, jointType: {kind}, jointAxis: Y, mass: 2, centerOfMass: [ 0.5, 0, 0 ],\n"
    "     inertia: [ 0.1, 0, 0, 0.2, 0, 0.2 ], {more} }}\n"
)
MOMENT = 2 * 9.81 * 0.5  # [N m] of its weight, about y: it falls towards larger angles


def robot(more, kind="revolute"):
    world = tribo.World()
    (arm,) = world.load_body(HEAD + BAR.format(kind=kind, more=more))
    return world, arm


def test_a_lock_is_a_spring_towards_the_start():
    """It gives way by ε M; kp = 1/ε, kd = τ/ε."""
    world, arm = robot(
        "jointAngle: 20, actuationMode: jointDisplacement, jointLockCompliance: 1e-3, "
        "jointLockSpookDamping: 0.05"
    )
    assert arm.kp[0] == pytest.approx(1e3)
    assert arm.kd[0] == pytest.approx(50.0)
    world.step(2000)
    turned = arm.generalized_coordinate[0] - np.radians(20)
    moment = MOMENT * np.cos(arm.generalized_coordinate[0])
    assert turned == pytest.approx(1e-3 * moment, rel=1e-6)


def test_a_lock_yields_beyond_its_force_range():
    world, arm = robot(
        "actuationMode: jointDisplacement, jointLockCompliance: 1e-8, jointLockForceRange: [ -5, 5 ]"
    )
    world.step(10)
    expected = (MOMENT - 5.0) / (0.2 + 2 * 0.25) * 0.01
    assert arm.generalized_velocity[0] == pytest.approx(expected, rel=1e-4)


def test_a_motor_slips_by_its_compliance_and_yields_beyond_its_force_range():
    """Speed ε M at rest of the weight; with less force than the weight it accelerates."""
    world, arm = robot("actuationMode: jointVelocity, jointMotorCompliance: 1e-4")
    assert (arm.kp[0], arm.kd[0]) == (0.0, pytest.approx(1e4))
    world.step(100)
    assert arm.generalized_velocity[0] == pytest.approx(1e-4 * MOMENT, rel=1e-4)
    arm.pd_velocity_target = [0.5]
    world.step(100)
    assert arm.generalized_velocity[0] == pytest.approx(0.5, abs=2e-3)
    world, arm = robot(
        "actuationMode: jointVelocity, jointMotorForceRange: [ -4, 4 ], jointEffortRange: [ -3, 8 ]"
    )
    world.step(10)
    expected = (MOMENT - 3.0) / (0.2 + 2 * 0.25) * 0.01
    assert arm.generalized_velocity[0] == pytest.approx(expected, rel=1e-4)


def test_a_saved_world_holds_its_drive(tmp_path):
    world, arm = robot("jointAngle: 20, actuationMode: jointDisplacement, jointLockCompliance: 1e-3")
    world.save(tmp_path / "world.xml")
    other = tribo.World.load(tmp_path / "world.xml")
    world.step(200)
    other.step(200)
    np.testing.assert_array_equal(other.objects[0].generalized_coordinate, arm.generalized_coordinate)


@pytest.mark.parametrize(("more", "doubt"), [
    ("jointMotorCompliance: 1e-8", "counts with actuationMode: jointVelocity"),
    ("actuationMode: jointEffort, jointLockForceRange: [ -1, 1 ]", "actuationMode: jointDisplacement"),
    ("actuationMode: jointDisplacement, jointMotorForceRange: [ -1, 1 ]", "actuationMode: jointVelocity"),
    ("jointCompliance: 1e-8", "gives way only along what it moves"),
    ("jointRangeCompliance: 1e-8", "it counts for a joint with a jointRange"),
])  # fmt: skip
def test_what_does_not_count_is_said(more, doubt):
    made = choreonoid.read(HEAD + BAR.format(kind="revolute", more=more))
    assert any(doubt in text for text in made.doubts)
    assert not made.trees[0].actuators


@pytest.mark.parametrize(("more", "message"), [
    ("jointLockCompliance: 0", "must be ≥ 1e-15"),
    ("jointLockCompliance: -1", "must be ≥ 1e-15"),
    ("jointLockCompliance: 1e-300", "must be ≥ 1e-15"),
    ("jointLockCompliance: 1e-15, jointLockSpookDamping: 10", r"from 0 to 1e\+15 times it"),
    ("jointLockSpookDamping: -1", "from 0 to"),
    ("jointLockForceRange: [ 1, 2 ]", "must hold 0"),
    ("jointLockForceRange: [ 2, 1 ]", "swap them"),
])  # fmt: skip
def test_wrong_numbers_are_errors(more, message):
    with pytest.raises(tribo.DescriptionError, match=message):
        choreonoid.read(HEAD + BAR.format(kind="revolute", more=f"actuationMode: jointDisplacement, {more}"))


def test_a_motor_without_any_compliance_to_speak_of_is_an_error():
    """It was taken, and then no world file could hold its gain of 1e300."""
    with pytest.raises(tribo.DescriptionError, match="jointMotorCompliance must be ≥ 1e-15"):
        robot("actuationMode: jointVelocity, jointMotorCompliance: 1e-300")


def test_modes_without_numbers_drive_nothing():
    """As before: who gives the mode alone sets the drives himself."""
    _, arm = robot("actuationMode: jointVelocity")
    assert not arm.kd.any()


def test_jointRangeCompliance_is_that_of_the_stops():
    """The bar falls onto its stop and goes beyond it by ε M, without lasting swing."""
    world, arm = robot("jointRange: [ -10, 10 ], jointRangeCompliance: 1e-3, jointRangeSpookDamping: 0.1")
    world.step(3000)
    turned = arm.generalized_coordinate[0] - np.radians(10)
    assert turned == pytest.approx(1e-3 * MOMENT * np.cos(arm.generalized_coordinate[0]), rel=1e-6)
    assert arm.description.bodies[1].joint.stop_spook_damping == 0.1


def test_jointRangeForceRange_bounds_the_force_of_the_stops():
    """3 N m of the stop against the weight of 9.81 N m: the bar falls on, slower."""
    world, arm = robot("jointRange: [ -90, 0 ], jointRangeForceRange: [ -3, 8 ]")
    joint = arm.description.bodies[1].joint
    assert (joint.stop_compliance, joint.stop_force_range) == (1e-8, (-3.0, 8.0))
    world.step(10)
    expected = (MOMENT - 3.0) / (0.2 + 2 * 0.25) * 0.01
    assert arm.generalized_velocity[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("more", "message"), [
    ("jointRangeCompliance: -1", "must be ≥ 0"),
    ("jointRangeSpookDamping: -1", "must be ≥ 0"),
    ("jointRangeCompliance: .nan", "must be ≥ 0|number"),
    ("jointRangeForceRange: [ 1, 2 ]", "must hold 0"),
])  # fmt: skip
def test_wrong_numbers_of_stops_are_errors(more, message):
    with pytest.raises(tribo.DescriptionError, match=message):
        choreonoid.read(HEAD + BAR.format(kind="revolute", more=f"jointRange: [ -10, 10 ], {more}"))
