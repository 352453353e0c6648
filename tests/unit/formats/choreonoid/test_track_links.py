"""Links of type ContinuousTrack, a closed chain of pads, and pseudo continuous tracks, surfaces that run."""

import math

import pytest
from crawler_scene import ANGLES, INNER, PADS, PITCH, SLED, SPELLINGS, THICK, crawler

import tribo
from tribo.formats import choreonoid


def test_its_pads_are_a_chain_that_closes():
    """A free first pad, the others on hinges about its axis; the last ends where the first begins."""
    made = choreonoid.read(crawler())
    assert made.doubts == []
    hull, track = made.trees
    assert [body.name for body in hull.bodies] == ["hull", "front", "rear"]
    assert [body.name for body in track.bodies] == [f"pad{k}" for k in range(PADS)]
    assert all(body.joint.axis == (0.0, 1.0, 0.0) for body in track.bodies[1:])
    assert all(body.mass == 0.3 and len(body.shapes) == 1 for body in track.bodies)
    world = tribo.World()
    world.load_body(crawler())
    for tie in world.constraints:
        assert abs(tie.gap).max() < 1e-12  # as built: sines and cosines of 25 turns, 1e-16 each
    assert {tie.name for tie in world.constraints} == {"pad0/loop", "pad/plane"}


@pytest.mark.parametrize(
    "rules", ["", "collisionDetection: { excludeTreeDepth: 0 }\n"], ids=["without rules", "all may touch"]
)
def test_it_drives_its_hull_and_stays_in_its_plane(rules):
    """A torque at a wheel moves 30 kg on 8 kg of pads forward; the track does not leave its wheels sideways,
    though nothing else would hold it: the hull is tilted by 0.2 about the direction of travel."""
    world = tribo.World(time_step=0.002)
    world.default_pair = tribo.ContactMaterial(youngs_modulus=1e5, spook_damping=0.01, friction=0.9)
    world.add_ground()
    world.gravity = (0.0, 9.81 * math.sin(0.2), -9.81 * math.cos(0.2))
    car, track = world.load_body(crawler(rules=rules))
    car.generalized_force = [0.0] * 6 + [20.0, 0.0]
    world.step(300)
    x, y, z = car.generalized_coordinate[:3]
    assert x > 0.1
    assert abs(y) < 1e-3  # friction 0.9 holds a slope of 0.2
    assert abs(z - (INNER + 0.5 * THICK)) < 5e-3
    for pad in (0, PADS // 2):
        assert abs(track.frame(f"pad{pad}").position[1] - y) < 1e-3
    touched = {frozenset((c.object_a.name, c.object_b.name)) for c in world.contacts}
    assert touched == {frozenset(("hull", "pad0")), frozenset(("pad0", world.objects[0].name))}


def test_its_pads_meet_its_wheels_in_a_project_without_self_collision():
    from tribo.formats.choreonoid.links import Placement
    from tribo.world.load_bodies import keep_apart

    made = choreonoid.read(crawler(), placement=Placement(touches_itself=False))
    keep_apart(made, 1 << 40)
    hull, track = made.trees
    assert all(s.group == 1 << 40 for body in hull.bodies for s in body.shapes)
    assert all(s.group is None for body in track.bodies for s in body.shapes)


def test_a_chain_that_is_open_is_said():
    made = choreonoid.read(crawler(f"numJoints: {PADS}, jointOffset: [ {PITCH}, 0, 0 ]"))
    assert any("is 2.6 m open at the start" in text for text in made.doubts)


@pytest.mark.parametrize(
    ("track", "message"),
    [
        ("numJoints: 5, jointOffset: [ 0, 0, 0 ]", "jointOffset must not be zero"),
        ("numJoints: 2, jointOffset: [ 0.1, 0, 0 ]", "must be a whole number from 3 to 1000, got 2"),
        ("numJoints: 1e9, jointOffset: [ 0.1, 0, 0 ]", "must be a whole number from 3 to 1000, got"),
        ("numJoints: .nan, jointOffset: [ 0.1, 0, 0 ]", "must be a finite number, got"),
        ("numJoints: 3.5, jointOffset: [ 0.1, 0, 0 ]", "must be a whole number"),
        ("numJoints: 4", "a ContinuousTrack needs joint_offset"),
        ("numJoints: 4, jointOffset: [ 0.1, 0 ]", "must be a list of 3 numbers"),
        ("numJoints: 4, jointOffset: [ 1, 0, 0 ], initialJointAngles: 3", "must be a list"),
        ("numJoints: 4, jointOffset: [ 1, 0, 0 ], initialJointAngles: [ x ]", "must be a finite number"),
    ],
)  # fmt: skip
def test_what_is_wrong_says_where(track, message):
    with pytest.raises(tribo.DescriptionError) as caught:
        choreonoid.read(crawler(track))
    assert message in str(caught.value)
    assert str(caught.value).startswith("<body file>:")


def test_too_many_angles_are_said():
    made = choreonoid.read(crawler(
        f"num_joints: {PADS}, joint_offset: [ {PITCH}, 0, 0 ], initial_joint_angles: {[*ANGLES, 1, 2]}"
    ))  # fmt: skip
    assert any(f"the track has {PADS - 1} hinges" in text for text in made.doubts)


# -- pseudo continuous tracks --------------------------------------------------------------------------
@pytest.mark.parametrize("joint", SPELLINGS)
def test_a_pseudo_track_runs_about_the_axis_of_its_joint(joint):
    """The link is turned by 90° about z, so that its x is the y of the hull: it drives along −(x of) … +x.

    With the axis +y of the hull the surface below runs along −x, and friction takes the hull along +x."""
    world = tribo.World()
    world.add_ground()
    parts = world.load_body(SLED.format(joint=joint))
    belt = parts.belts["belt"]
    assert belt.speed == 0.0
    belt.speed = 0.5
    assert belt.speed == 0.5
    world.step(500)
    assert parts[0].linear_velocity == pytest.approx([0.5, 0.0, 0.0], abs=1e-6)
    assert parts[0].description.doubts == []


def test_a_belt_of_a_robot_alone_has_no_handle_and_says_so():
    text = SLED.format(joint=SPELLINGS[0])
    robot = tribo.World().add_articulated_system(text)
    (doubt,) = robot.description.doubts
    assert "the belt of 'belt' stands still" in doubt
    with pytest.raises(tribo.DescriptionError, match="stands still"):
        tribo.World().add_articulated_system(text, strict=True)


def test_wrong_speeds_are_refused():
    parts = tribo.World().load_body(SLED.format(joint=SPELLINGS[0]))
    for wrong in (math.nan, math.inf, "fast", None):
        with pytest.raises((ValueError, TypeError), match="speed of belt 'belt'"):
            parts.belts["belt"].speed = wrong
    world = tribo.World()
    gone = world.load_body(SLED.format(joint=SPELLINGS[0]))
    world.remove(gone[0])
    assert repr(gone.belts["belt"]) == "<Belt 'belt' of 'hull': removed>"
    with pytest.raises(tribo.EditError, match="was removed"):
        gone.belts["belt"].speed = 1.0
    bare = SLED.format(joint=SPELLINGS[0]).partition("      elements")[0].rstrip(",\n") + " }\n"
    with pytest.raises(ValueError, match="no shape that collides"):
        tribo.World().load_body(bare).belts["belt"].speed = 1.0


def test_check_lists_tracks_belts_and_constraints(tmp_path, capsys):
    from tribo.tools import cli

    path = tmp_path / "crawler.body"
    path.write_text(crawler())
    assert cli.main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "pad/plane" in out
    assert "loop" in out
    path.write_text(SLED.format(joint=SPELLINGS[0]))
    assert cli.main(["check", str(path)]) == 0
    assert "belt" in capsys.readouterr().out.partition("laid")[2]
