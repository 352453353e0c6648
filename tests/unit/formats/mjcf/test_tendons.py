"""Fixed tendons: over joints that follow one another they act on one joint, else they carry motors."""

import math

import numpy as np
import pytest

import tribo
from tribo.formats import mjcf

FINGERS = (
    '<body name="hand"><geom size="0.1"/>'
    '<body pos="0 1 0"><joint name="l" type="slide" axis="0 1 0"/><geom size="0.1"/></body>'
    '<body pos="0 -1 0"><joint name="r" type="slide" axis="0 -1 0" ref="0.1"/><geom size="0.2"/></body>'
    "</body>"
)
TIE = '<equality><joint joint1="r" joint2="l" polycoef="0.1 2 0 0 0"/></equality>'
SPLIT = (
    '<tendon><fixed name="t" {}><joint joint="l" coef="0.5"/><joint joint="r" coef="0.25"/></fixed>'
    "</tendon>"
)


def text(*sections):
    fixed = FINGERS.replace(
        '<body name="hand">', '<body name="hand"><joint name="wrist" axis="0 1 0"/>'
    )
    return f"<mujoco><worldbody>{fixed}</worldbody>{''.join(sections)}</mujoco>"


def joints(source):
    (tree,) = (item.tree for item in mjcf.read(source).objects if item.tree is not None)
    return {body.joint.name: body.joint for body in tree.bodies}, tree


def test_a_tendon_over_joints_that_follow_one_is_a_length_of_that_joint():
    """r = 0.1 + 2 l + (ref 0.1), L = 0.5 l + 0.25 r = l + 0.05: spring k (L − 0.3) is one at l = 0.25."""
    own = 'stiffness="4" springlength="0.3" damping="3" frictionloss="2" range="0.1 0.6"'
    made, _ = joints(text(TIE, SPLIT.format(own)))
    assert made["r"].mimic == ("l", 2.0, 0.2)
    assert (made["l"].stiffness, made["l"].damping, made["l"].friction) == (4.0, 3.0, 2.0)
    assert made["l"].spring_reference[0] == pytest.approx(0.25, rel=1e-15)
    assert (made["l"].lower, made["l"].upper) == pytest.approx((0.05, 0.55))


def test_a_servo_of_such_a_tendon_holds_its_length():
    servo = '<actuator><position name="s" tendon="t" kp="500" kv="500" ctrlrange="0 1"/></actuator>'
    world = tribo.World(gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(text(TIE, SPLIT.format(""), servo), take_options=False)
    robot.set_controls([0.4])
    world.step(6000)
    q = dict(zip(robot.joint_names, robot.generalized_coordinate, strict=True))
    assert 0.5 * q["l"] + 0.25 * q["r"] == pytest.approx(
        0.4, abs=1e-4
    )  # it may rest when it is slow
    robot.set_controls([7.0])  # no more than ctrlrange
    world.step(6000)
    q = dict(zip(robot.joint_names, robot.generalized_coordinate, strict=True))
    assert 0.5 * q["l"] + 0.25 * q["r"] == pytest.approx(1.0, abs=1e-4)


def test_a_motor_of_joints_that_move_apart_pulls_each_by_its_coefficient():
    motor = '<actuator><motor name="m" tendon="t" gear="10" forcerange="-1 3"/></actuator>'
    robot = tribo.World().add_articulated_system(text(SPLIT.format(""), motor))
    robot.set_controls([2.0])
    assert dict(zip(robot.joint_names, robot.generalized_force, strict=True)) == {
        "wrist": 0.0,
        "l": 10.0,
        "r": 5.0,
    }
    robot.set_controls([9.0])
    assert robot.generalized_force.max() == 15.0
    assert robot.effort_limits[1][robot.joint_names.index("r")].max() == 7.5


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ((SPLIT.format('stiffness="1"'),), "its joints move apart"),
        ((SPLIT.format('range="0 1"'),), "its joints move apart"),
        (
            (SPLIT.format(""), '<actuator><position tendon="t" kp="1"/></actuator>'),
            "a servo or damper of a tendon",
        ),
        (("<tendon><spatial name='s'/></tendon>",), "spatial tendons are not read"),
        (("<actuator><motor tendon='none'/></actuator>",), "it does nothing"),
    ],
)
def test_what_needs_a_row_of_its_own_is_listed(sections, words):
    assert any(words in note for note in mjcf.read(text(*sections)).doubts)


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ('<joint joint="x" coef="1"/>', "is not a joint"),
        ('<joint joint="l"/>', "coef"),
        ("", "at least one"),
    ],
)
def test_broken_tendons_are_refused(inner, words):
    with pytest.raises(tribo.DescriptionError, match=words):
        mjcf.read(text(f'<tendon><fixed name="t">{inner}</fixed></tendon>'))


def test_a_damper_damps_as_much_as_its_control_says():
    """ω̇ I = −kv u ω over n implicit steps: ω = ω₀ (1 + dt kv u/I)⁻ⁿ."""
    arm = '<body><joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/></body>'
    damper = '<actuator><damper name="d" joint="j" kv="3" gear="2" ctrlrange="0 5"/></actuator>'
    world = tribo.World(gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(
        f"<mujoco><worldbody>{arm}</worldbody>{damper}</mujoco>", take_options=False
    )
    robot.generalized_velocity = [1.0]
    world.step(10)
    assert robot.generalized_velocity[0] == 1.0
    robot.set_controls([0.5])
    assert robot.kd[0] == 6.0
    world.step(100)
    expected = (1.0 + world.time_step * 6.0 / 2.0) ** -100
    assert robot.generalized_velocity[0] == pytest.approx(expected, rel=1e-9)
    assert math.isfinite(robot.effort_limits[1][0].max()) is False


def test_a_cylinder_pushes_by_its_area_and_its_lag_is_said():
    arm = '<body><joint name="j" type="slide"/><geom size="0.1"/></body>'
    push = '<actuator><cylinder joint="j" diameter="2" timeconst="0.3" bias="5 0 0"/></actuator>'
    robot = tribo.World().add_articulated_system(
        f"<mujoco><worldbody>{arm}</worldbody>{push}</mujoco>"
    )
    robot.set_controls([3.0])
    assert robot.generalized_force[0] == pytest.approx(3.0 * math.pi + 5.0)
    assert any("controls act at once" in note for note in robot.description.notes)


def test_controls_are_those_of_the_file_for_every_robot_in_it():
    """Two robots and one actuator that is not read: each takes its own numbers out of one vector."""
    bodies = "".join(f'<body name="{n}"><joint name="{n}"/><geom size="1"/></body>' for n in "ab")
    actuators = '<motor joint="b" gear="2"/><muscle joint="a"/><position joint="a" kp="4"/>'
    world = tribo.World()
    a, b = world.load_mjcf(
        f"<mujoco><worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"
    )
    for robot in (a, b):
        robot.set_controls([3.0, 9.0, 0.5])
    assert (a.pd_target[0], a.generalized_force[0], b.generalized_force[0]) == (0.5, 0.0, 6.0)
    with pytest.raises(ValueError, match=r"must have shape \(3,\)"):
        a.set_controls([1.0])
    with pytest.raises(ValueError, match="finite"):
        a.set_controls([1.0, math.nan, 2.0])


def test_controls_of_a_batch_are_those_of_its_worlds():
    servo = '<actuator><position name="s" joint="l" kp="5"/><motor joint="r" gear="3"/></actuator>'
    world = tribo.World()
    (robot,) = world.load_mjcf(text(servo))
    batch = tribo.Batch(world, 3)
    many = batch[robot.name]
    u = np.array([[0.1, 1.0], [0.2, 2.0], [0.3, 3.0]])
    many.set_controls(u)
    for k in range(3):
        robot.set_controls(u[k])
        np.testing.assert_array_equal(many.pd_target[k], robot.pd_target)
        np.testing.assert_array_equal(many.generalized_force[k], robot.generalized_force)
    many.set_controls(u[0])
    assert (many.generalized_force[:, -1] == 3.0).all()
    with pytest.raises(ValueError, match=r"\(2,\) or \(3, 2\)"):
        many.set_controls(np.zeros((2, 2)))


def test_a_chain_of_followers_leads_to_one_joint():
    """r = 2 l + 0.1 and hip = 3 r + 0.2 make hip = 6 l + 0.5; L = hip + r = 8 l + 0.6, stop at 1.4."""
    hinge = '<body pos="0 0 1"><joint name="hip" axis="0 1 0"/><geom size="0.1"/></body></body>'
    body = FINGERS.replace(' ref="0.1"', "").removesuffix("</body>") + hinge
    ties = (
        '<equality><joint joint1="hip" joint2="r" polycoef="0.2 3 0 0 0"/>'
        '<joint joint1="r" joint2="l" polycoef="0.1 2 0 0 0"/></equality>'
    )
    tendon = '<tendon><fixed limited="true" range="-9 1.4"><joint joint="hip" coef="1"/>'
    tendon += '<joint joint="r" coef="1"/></fixed></tendon>'
    made, _ = joints(f"<mujoco><worldbody>{body}</worldbody>{ties}{tendon}</mujoco>")
    assert made["l"].upper == pytest.approx(0.1, rel=1e-12)
