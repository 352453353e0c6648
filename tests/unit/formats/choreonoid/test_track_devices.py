"""Tracks in body files: wheels by name, pads, hinges, and what is wrong with them."""

import math

import pytest

import tribo
from tribo.formats import choreonoid

WHEEL = """
  - {{ name: {name}, parent: hull, jointType: revolute, jointAxis: Y, translation: [ {x}, 0, 0 ], mass: 5,
      inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ],
      elements: {{ Shape: {{ geometry: {{ type: {kind} }} }} }} }}"""
ROUND = "Cylinder, radius: 0.15, height: 0.3"
TRACK = (
    "type: AGXVehicleContinuousTrackDevice, name: left, sprocketNames: [ front ], idlerNames: [ rear ], "
    "upAxis: [ 0, 0, 1 ], numberOfNodes: 24, nodeThickness: 0.03, nodeWidth: 0.3, hingeCompliance: 1e-7, "
    "hingeSpookDamping: 0.01, material: rubber"
)


def crawler(track=TRACK, kind=ROUND):
    return (
        "format: ChoreonoidBody\nname: Crawler\nlinks:\n"
        "  - { name: hull, jointType: free, translation: [ 0, 0, 1 ], mass: 20, "
        "inertia: [ 0.5, 0, 0, 1, 0, 1 ],\n"
        f"      elements: [ {{ {track} }} ] }}"
        + WHEEL.format(name="front", x=0.3, kind=kind)
        + WHEEL.format(name="rear", x=-0.3, kind=kind)
        + "\n"
    )


RUBBER = tribo.read_materials("materials: [ { name: rubber, density: 1200 } ]\n")


def test_it_is_laid_round_the_wheels_of_its_links():
    """24 pads of 0.9 of the pitch, of the density of their material, closed; the wheels keep their axles."""
    world = tribo.World()
    parts = world.load_body(crawler(), materials=RUBBER)
    (track,) = parts.tracks
    assert track.name == "left"
    assert len(track.pads) == 24
    assert track.pads[0].mass == pytest.approx(1200 * 0.9 * track.pitch * 0.3 * 0.03)
    assert track.opening < 1e-12
    hinge = track.hinges[0]
    assert (hinge.compliance, hinge.angular_compliance, hinge.spook_damping) == (1e-7, 1e-7, 0.01)
    lowest = min(pad.position[2] for pad in track.pads)
    assert lowest == pytest.approx(1.0 - math.hypot(0.165, 0.5 * track.pitch), abs=1e-12)
    again = world.load_body(crawler(), materials=RUBBER)
    assert again.tracks[0].name == "left'"


def test_what_a_track_does_not_say_is_as_in_the_manual():
    """50 nodes of 0.6 m · 0.075 m, hinges of 1e-10 and 0.0333 s; numberOfNodes was asked for."""
    wheels = "type: AGXVehicleContinuousTrackDevice, sprocketNames: [ front ], idlerNames: [ rear ]"
    (track,) = choreonoid.read(crawler(wheels)).tracks
    assert (track.pads, track.width, track.thickness) == (50, 0.6, 0.075)
    assert (track.compliance, track.spook_damping) == (1e-10, 0.0333)


def test_a_wheel_may_be_a_sphere():
    (track,) = choreonoid.read(crawler(kind="Sphere, radius: 0.2"), materials=RUBBER).tracks
    assert [wheel.radius for wheel in track.wheels] == [0.2, 0.2]
    assert track.wheels[0].axis == pytest.approx((0, 1, 0))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[ front ]", "[ fron ]", "link 'fron' does not exist.*front"),
        ("sprocketNames: [ front ], ", "", "needs two wheels"),
        ("numberOfNodes: 24, ", "numberOfNodes: 0, ", "numberOfNodes must be"),
        ("numberOfNodes: 24", "numberOfNodes: 1e9", "numberOfNodes must be"),
        ("numberOfNodes: 24", "numberOfNodes: 24.5", "numberOfNodes must be"),
        ("numberOfNodes: 24", "numberOfNodes: 4", "too long for a wheel"),
        ("nodeWidth: 0.3", "nodeWidth: -0.3", "node_width must be > 0"),
        ("nodeThickness: 0.03", "nodeThickness: .nan", "node_thickness must be > 0|number"),
        ("hingeCompliance: 1e-7", "hingeCompliance: -1", "must be ≥ 0"),
    ],
)
def test_errors_say_where_and_leave_the_world_alone(old, new, message):
    world = tribo.World()
    with pytest.raises(tribo.DescriptionError, match=message):
        world.load_body(crawler(TRACK.replace(old, new)), materials=RUBBER)
    assert not world.objects


def test_a_link_that_is_not_round_is_no_wheel():
    with pytest.raises(tribo.DescriptionError, match="has no Cylinder, Sphere or Capsule"):
        choreonoid.read(crawler(kind="Box, size: [ 1, 1, 1 ]"))


def test_what_is_left_out_is_noted():
    made = choreonoid.read(crawler(TRACK + ", nodeDistanceTension: 5e-3, enableMerge: true"))
    assert any("node_distance_tension, enable_merge" in note for note in made.notes)
    assert any("material 'rubber' is not known" in doubt for doubt in made.doubts)


def test_a_robot_alone_says_that_its_track_is_left_out():
    world = tribo.World()
    robot = world.add_articulated_system(crawler())
    assert any("the track 'left' is left out" in note for note in robot.description.notes)
