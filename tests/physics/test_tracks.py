"""Belts of pads round wheels: how they are laid, that they drive, hold together and are kept."""

import math

import numpy as np
import pytest
from scenes import empty_world

import tribo

RADIUS, THICK, WIDTH, PADS = 0.15, 0.03, 0.4, 24
SIDEWAYS = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)


def vehicle(height=1.0, axis=(0, 1, 0), **options):
    """Return world, hull, wheels, motor and track of a vehicle on a plane."""
    world = empty_world()
    for other, friction in (("ground", 0.8), ("wheel", 1.0)):
        world.set_material_pair(other, "pad", youngs_modulus=1e6, spook_damping=0.005, friction=friction)
    hull = world.add_box((0.5, 0.3, 0.1), 10.0, position=(0, 0, height), collision_mask=0, collision_group=0)
    wheels = []
    for x in (-0.3, 0.3):
        wheel = world.add_cylinder(RADIUS, WIDTH, 5.0, "wheel", position=(x, 0, height), orientation=SIDEWAYS)
        world.add_hinge(hull, wheel, (x, 0, height), (0, 1, 0), collide=False)
        wheels.append(wheel)
    motor = world.add_motor(hull, wheels[0], (0, 1, 0), speed=0.0, max_force=200.0)
    given = {"pads": PADS, "width": WIDTH, "thickness": THICK, "pad_mass": 0.3, "material": "pad"}
    track = world.add_track(
        [tribo.TrackWheel(wheel, RADIUS) for wheel in wheels], axis=axis, **(given | options)
    )
    lowest = min(pad.position[2] for pad in track.pads) - 0.5 * THICK
    world.add_ground(lowest, material="ground")
    return world, hull, motor, track


@pytest.mark.parametrize("axis", [(0, 1, 0), (0, -2, 0)])
def test_it_is_laid_closed_and_outward(axis):
    """Hinges are closed, pads have z outward, x along the belt, y along the axis."""
    world, hull, _, track = vehicle(axis=axis)
    assert track.opening < 1e-12
    assert track.mass == pytest.approx(PADS * 0.3)
    assert (len(track.pads), len(track.hinges)) == (PADS, PADS)
    for pad, following in zip(track.pads, [*track.pads[1:], track.pads[0]], strict=True):
        x, y, z = pad.rotation_matrix.T
        assert (pad.position - hull.position) @ z > 0.0
        assert (following.position - pad.position) @ x > 0.5 * track.pitch
        assert y == pytest.approx(np.sign(axis[1]) * np.array([0, 1, 0]), abs=1e-12)
    below = math.hypot(RADIUS + 0.5 * THICK, 0.5 * track.pitch)  # joints run there, and straight runs
    lowest = min(pad.position[2] for pad in track.pads)
    assert lowest == pytest.approx(hull.position[2] - below, abs=1e-12)
    assert not any(c.object_a in track.pads and c.object_b in track.pads for c in world.contacts)


def test_it_drives_and_holds_together():
    """At 4 rad/s a pad of the pitch p goes by for each turn of 2 atan(p/(2 R + t)) of the wheel: that speed
    within 3 % (pads slip as they come onto the wheels). Example 38 climbs over a bar."""
    world, hull, motor, track = vehicle()
    world.step(100)
    motor.speed = 4.0
    world.step(100)
    start = hull.position[0]
    world.step(300)
    known = 4.0 * track.pitch / (2.0 * math.atan(track.pitch / (2.0 * RADIUS + THICK)))
    assert (hull.position[0] - start) / 0.3 == pytest.approx(known, rel=0.03)
    assert track.opening < 1e-3


def test_snapshot_file_and_removal(tmp_path):
    world, hull, motor, track = vehicle()
    motor.speed = 2.0
    world.save(tmp_path / "world.xml")
    saved = world.snapshot()
    world.step(50)
    there = hull.position.copy()
    world.restore(saved)
    world.step(50)
    np.testing.assert_array_equal(hull.position, there)
    loaded = tribo.World.load(tmp_path / "world.xml")
    loaded.step(50)
    np.testing.assert_array_equal(loaded[hull.name].position, there)
    left = len(world.objects) - PADS
    track.remove()
    assert len(world.objects) == left
    assert len(world.constraints) == 3  # two axles and the motor


@pytest.mark.parametrize(
    ("wheels", "options", "message"),
    [
        ([((0, 0, 1), 0.1)], {}, "two wheels or more"),
        ([((0, 0, 1), 0.1), ((0, 0, 1), 0.2)], {}, "not within one another"),
        ([((0, 0, 1), 0.1), ((1, 0.5, 1), 0.1)], {}, "one plane across its axis"),
        (None, {"pads": 2}, "pads must be"),
        (None, {"pads": 5}, "too long for a wheel"),
        (None, {"pads": 10**6}, "pads must be at most 1000"),
        (None, {"thickness": 0.0}, "thickness must be"),
        (None, {"width": math.nan}, "width must be"),
        (None, {"pad_mass": -1.0}, "mass"),
        (None, {"pad_mass": None}, "mass"),
        (None, {"pad_length": 1.5}, "pad_length must be"),
        (None, {"compliance": -1.0}, "compliance"),
        (None, {"axis": (0, 0, 0)}, "axis must not be zero"),
    ],
)
def test_what_cannot_be_is_refused_and_the_world_stays(wheels, options, message):
    world = empty_world()
    at = wheels or [((0, 0, 1), 0.1), ((1, 0, 1), 0.1)]
    given = {"pads": 40, "width": 0.2, "thickness": 0.02, "pad_mass": 0.1} | options
    with pytest.raises((ValueError, TypeError), match=message):
        world.add_track([tribo.TrackWheel(None, radius, place) for place, radius in at], **given)
    assert not world.objects
    assert not world.constraints


def test_wheels_are_track_wheels():
    world = empty_world()
    for wrong in (3, "ab", [3, 4], tribo.World):  # a class whose instances are lists is none
        with pytest.raises(TypeError, match="TrackWheel"):
            world.add_track(wrong, pads=10, width=0.1, thickness=0.1, pad_mass=1.0)
    with pytest.raises(ValueError, match="radius of a wheel"):
        tribo.TrackWheel(None, -1.0)
