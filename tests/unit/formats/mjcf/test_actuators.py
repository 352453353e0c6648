"""Actuators that share a joint keep their own force ranges, and a joint keeps that of all of them."""

import math

import pytest

import tribo

INERTIA = 0.02 + 1.0 * 0.3**2  # [kg m²] about joint a
TENDONS = """<tendon><fixed name="t"><joint joint="a" coef="1"/></fixed>
<fixed name="both"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>"""


def arm(actuators, controls, joint="", speed=0.0, time=0.2):
    world = tribo.World(time_step=2.5e-4, gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(
        f"""<mujoco><compiler angle="radian"/><worldbody><body>
        <inertial pos="0.3 0 0" mass="1" diaginertia=".01 .02 .02"/><joint name="a" axis="0 1 0" {joint}/>
        <body><inertial pos="0 0 0" mass="1e-9" diaginertia="1e-9 1e-9 1e-9"/><joint name="b" axis="0 0 1"
        armature="1"/></body></body></worldbody>{TENDONS}<actuator>{actuators}</actuator></mujoco>""",
        take_options=False,
    )
    robot.generalized_velocity[0] = speed
    robot.set_controls(controls)
    world.step(round(time / world.time_step))
    assert world.status == 0
    return robot


@pytest.mark.parametrize(
    ("actuators", "controls", "end"),
    [  # MuJoCo 3 with RK4 and steps of 0.1 ms: tests/compare/test_actuators_mujoco.py
        ('<motor joint="a"/><velocity joint="a" kv="3" forcerange="-.1 .1"/>', [0.5, 0], 0.76364),
        ('<position joint="a" kp="30"/><velocity joint="a" kv="3" forcerange="-1 1"/>', [0.5, 0], 0.33553),
        ('<position joint="a" kp="30" forcerange="-1 1"/><velocity joint="a" kv="3"/>', [0.5, 0], 0.16109),
        ('<position joint="a" kp="30" forcerange="-1 1"/><velocity joint="a" kv="3" forcerange="-.2 .2"/>',
         [0.5, 0], 0.81029),
        ('<position joint="a" kp="30" forcerange="-1 1"/><position joint="a" kp="10" forcerange="-3 3"/>',
         [0.5, -0.5], -0.21817),
        ("""<motor joint="a" ctrlrange="-1 1" forcerange="-.2 .2"/>
         <damper joint="a" kv="1" ctrlrange="0 1" forcerange="-.1 .1"/>""", [0.5, 0.5], 0.64091),
    ],
)  # fmt: skip
def test_each_actuator_of_a_joint_has_its_own_force_range(actuators, controls, end):
    """Servos are of first order: an error of dt kv/I = 0.7 % of the 0.5 rad that they change."""
    robot = arm(actuators, controls, speed=2.0, time=0.3)
    assert robot.generalized_coordinate[0] == pytest.approx(end, abs=4e-3)


@pytest.mark.parametrize(
    ("actuator", "side"),
    [
        ('<general joint="a" gaintype="affine" gainprm="1 .5 0"/>', 1.0),
        ('<muscle joint="a" force="1e3" lengthrange="-2 2" timeconst="1e-3 1e-3"/>', -1.0),
        ('<motor tendon="t"/>', 1.0),
        ('<motor tendon="both"/>', 1.0),
        ('<position joint="a" kp="3e3" timeconst="1e-5"/>', 1.0),
        ('<motor joint="a"/><motor tendon="t" gear="-2"/>', -1.0),
        ('<velocity joint="a" kv="9"/><motor tendon="t" gear="99"/>', 1.0),
        ('<motor joint="a" gear="7"/><position joint="a" kp="5" forcerange="-1 1"/>', 1.0),
    ],
)
def test_all_actuators_of_a_joint_stay_in_its_range(actuator, side):
    """A constant torque from rest: q = ½ τ/I t², but for the first step of what lags, dt t τ/I."""
    count = actuator.count("<")
    robot = arm(actuator, [1.0] * count, 'actuatorfrcrange="-0.3 0.3"')
    assert not robot.description.doubts
    wanted = side * 0.5 * 0.3 / INERTIA * 0.2**2
    assert robot.generalized_coordinate[0] == pytest.approx(wanted, abs=2.5e-4 * 0.2 * 0.3 / INERTIA)


@pytest.mark.parametrize(
    "actuators",
    [
        '<position tendon="both" kp="3" kv="1"/>',
        """<position joint="a" kp="3" forcerange="-2 2"/><position joint="a" kp="3" forcerange="-1 1"
        timeconst="1"/>""",
    ],
)
def test_a_range_that_does_not_bound_the_sum_is_said(actuators):
    robot = arm(actuators, [0.0] * actuators.count("<"), 'actuatorfrcrange="-0.3 0.3"')
    (said,) = robot.description.doubts
    assert "actuatorfrcrange of joint 'a'" in said


def test_what_is_no_servo_is_bounded_beside_a_drive():
    robot = arm('<position joint="a" kp="3" kv="1"/><motor tendon="t"/>', [0, 0], 'actuatorfrcrange="-2 2"')
    assert (robot.kp[0], robot.effort_limits[1][0]) == (3.0, 2.0)
    assert robot.description.bodies[1].joint.effort_is_total


def test_ranges_of_drives_bound_no_others():
    robot = arm('<position joint="a" kp="3" forcerange="-2 2"/><motor tendon="t"/>', [0, 9.0])
    assert (robot.kp[0], robot.effort_limits[1][0]) == (3.0, 2.0)
    assert robot.generalized_coordinate[0] > 0.5 * (9.0 - 2.0) / INERTIA * 0.2**2 - 1e-9
    assert not robot.description.bodies[1].joint.effort_is_total
    assert math.isinf(robot.effort_limits[1][1])
