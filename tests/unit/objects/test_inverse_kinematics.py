"""Inverse kinematics against closed forms, forward kinematics, and its limits."""

import numpy as np
import pytest

import tribo
from tribo.tools.demo import ASSETS

LENGTHS = 0.5, 0.3


def arm(limits=(-3.0, 3.0)):
    """Return an arm of two links in the plane y z, both hinges about x, hanging down."""
    base = tribo.LinkDescription("base", mass=1.0, inertia=0.01 * np.eye(3))
    base.fix_to_world()
    first = base.add_child(
        "upper", "revolute", axis=(1, 0, 0), joint_name="shoulder", lower=limits[0], upper=limits[1]
    )
    first.mass, first.inertia = 1.0, 0.01 * np.eye(3)
    second = first.add_child(
        "lower",
        "revolute",
        axis=(1, 0, 0),
        position=(0, 0, -LENGTHS[0]),
        joint_name="elbow",
        lower=limits[0],
        upper=limits[1],
    )
    second.mass, second.inertia = 1.0, 0.01 * np.eye(3)
    tip = second.add_child("tip", "fixed", position=(0, 0, -LENGTHS[1]))
    tip.mass, tip.inertia = 0.1, 0.001 * np.eye(3)
    return tribo.World().add_articulated_system(base)


def test_the_elbow_obeys_the_law_of_cosines():
    robot = arm()
    target = np.array([0.0, 0.3, -0.5])
    found = robot.inverse_kinematics("tip", target, start=(0.3, -0.4))
    a, b = LENGTHS
    cosine = (target @ target - a * a - b * b) / (2.0 * a * b)
    assert found.is_reached
    # The tip is within 1e-6 m; d|tip|/d(elbow) = a b sin(elbow)/|tip| ≥ 0.2 m here.
    assert abs(abs(found.coordinate[1]) - np.arccos(cosine)) < 1e-6 / 0.2
    assert (robot.generalized_coordinate == 0.0).all(), "the robot stays as it is"


def test_many_targets_at_once_are_those_of_forward_kinematics():
    robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 1))
    rng = np.random.default_rng(3)
    start = robot.generalized_coordinate.copy()
    start[9::3] = -0.9
    start[8::3] = 0.4
    wanted = np.tile(start, (50, 1))
    wanted[:, 7:10] += rng.uniform(-0.2, 0.2, (50, 3))
    targets = robot.at(wanted).frame("LF_FOOT").position
    found = robot.inverse_kinematics("LF_FOOT", targets, start=start)
    assert found.is_reached.all()
    assert np.abs(robot.at(found.coordinate).frame("LF_FOOT").position - targets).max() <= 1e-6
    assert (found.coordinate[:, :7] == start[:7]).all()
    one = robot.inverse_kinematics("LF_FOOT", targets[7], start=start)
    # Each target takes its own steps; sums of NumPy may differ in the last digit with the number of rows.
    assert np.abs(one.coordinate - found.coordinate[7]).max() < 1e-9


@pytest.mark.parametrize("angle", [0.7, -2.0])
def test_orientation(angle):
    robot = arm()
    turn = tribo.quaternion(rpy=(angle, 0, 0))
    found = robot.inverse_kinematics("tip", orientation=turn, start=(0.1, 0.2))
    assert found.is_reached
    assert found.position_error == 0.0
    assert abs(found.coordinate.sum() - angle) < 1e-6


def test_limits_hold_and_what_is_out_of_reach_is_said():
    robot = arm(limits=(-0.5, 0.5))
    far = robot.inverse_kinematics("tip", (0.0, 0.79, 0.0), start=(0.1, 0.1))
    assert not far.is_reached
    assert far.position_error > 0.3
    assert (np.abs(far.coordinate) <= 0.5).all()
    # Nearest within the limits: both hinges at their stop, since the tip then points farthest to +y.
    assert np.abs(far.coordinate - 0.5).max() < 1e-6


def test_only_the_named_joints_move():
    robot = arm()
    found = robot.inverse_kinematics("tip", (0.0, 0.2, -0.7), start=(0.1, 0.2), joints=["elbow"])
    assert found.coordinate[0] == 0.1


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({}, TypeError, "needs a position or an orientation"),
        ({"position": (0, 0)}, ValueError, r"position must have shape \(3,\)"),
        ({"position": (0, 0, np.nan)}, ValueError, "finite"),
        ({"position": np.zeros((2, 3)), "start": np.zeros((3, 2))}, ValueError, "position has 2 rows"),
        ({"position": (0, 0, 0), "joints": ["elbw"]}, KeyError, "did you mean 'elbow'"),
        ({"position": (0, 0, 0), "tolerance": 0.0}, ValueError, "tolerance"),
    ],
)
def test_what_does_not_fit_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        arm().inverse_kinematics("tip", **options)
    with pytest.raises(KeyError, match="did you mean 'tip'"):
        arm().inverse_kinematics("tipp", (0, 0, 0))


@pytest.mark.parametrize("is_turned", [False, True])
def test_worlds_of_a_batch_find_what_their_robots_find_alone(is_turned):
    """Each world has its own length of the forearm and ends in its own iteration; one goal is too far."""
    robot = arm()
    batch = tribo.Batch(robot.world, 4)
    arms, lengths = batch[robot.name], np.array([0.3, 0.2, 0.4, 0.3])
    places = np.array(arms.joint("elbow").position_in_parent)
    places[:, 2] = -lengths
    arms.joint("elbow").position_in_parent = places
    start = np.array([0.3, -0.4])
    goals = np.array([[0.0, 0.2, -0.4], [0.0, 0.1, -0.35], [0.0, 0.4, -0.4], [0.0, 5.0, 0.0]])
    goals[1] = arms.at(np.tile(start, (4, 1))).frame("tip").position[1]  # there at once
    turn = tribo.quaternion(rpy=(0.4, 0.0, 0.0)) if is_turned else None
    found = arms.inverse_kinematics("tip", goals, turn, start=start)
    iterations = []
    for k, length in enumerate(lengths):
        robot.joint("elbow").position_in_parent = (0.0, 0.0, -length)
        alone = robot.inverse_kinematics("tip", goals[k], turn, start=start)
        iterations.append(alone.iterations)
        assert found.coordinate[k] == pytest.approx(alone.coordinate, abs=1e-12)
        assert found.position_error[k] == pytest.approx(alone.position_error, abs=1e-12)
        assert found.is_reached[k] == alone.is_reached
    assert found.is_reached.tolist() == ([False] * 4 if is_turned else [True, True, True, False])
    assert found.iterations == max(iterations)
    assert len(set(iterations)) > 2
    assert (arms.generalized_coordinate == 0.0).all(), "the robots stay as they are"
