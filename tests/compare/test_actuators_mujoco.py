"""Force ranges of actuators that share a joint, and of the joint: MuJoCo's Runge–Kutta steps as reference.

Servos beside a drive are implicit Euler here, of first order: x(dt) = x + C dt + D dt². So the value
(4 x(dt/4) − x(dt))/3 has an error of D dt²/4. With dt = 1 ms, damping of up to 27/s and up to 2 rad/s
over 0.3 s that is below 2e-4.
"""

import pytest

import tribo

pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
import mujoco

TWO_JOINTS = '<joint joint="a" coef="0.5"/><joint joint="b" coef="-1"/>'
OWN = {  # of each actuator on a joint: actuators, controls
    "velocity beside motor": (
        '<motor joint="a"/><velocity joint="a" kv="3" forcerange="-.1 .1"/>', [0.5, 0]),
    "velocity beside position": (
        '<position joint="a" kp="30"/><velocity joint="a" kv="3" forcerange="-1 1"/>', [0.5, 0]),
    "position beside velocity": (
        '<position joint="a" kp="30" forcerange="-1 1"/><velocity joint="a" kv="3"/>', [0.5, 0]),
    "both": (
        '<position joint="a" kp="30" forcerange="-1 1"/><velocity joint="a" kv="3" forcerange="-.2 .2"/>',
        [0.5, 0]),
    "against one another": (
        '<position joint="a" kp="30" forcerange="-1 1"/><position joint="a" kp="10" forcerange="-3 3"/>',
        [0.5, -0.5]),
    "damper beside motor": (
        """<motor joint="a" ctrlrange="-1 1" forcerange="-.2 .2"/>
        <damper joint="a" kv="1" ctrlrange="0 1" forcerange="-.1 .1"/>""", [0.5, 0.5]),
    "critical beside motor": (
        '<motor joint="a"/><position joint="a" kp="20" dampratio="1" forcerange="-.6 .6"/>', [0.2, 0.1]),
    "on a tendon": (
        """<position tendon="t" kp="40" forcerange="-1 1"/><velocity tendon="t" kv="2" forcerange="-.3 .3"/>
        <motor tendon="t" forcerange="0.4 0.6"/>""", [0.5, 0, 0.5]),
}  # fmt: skip
TOTAL = {  # of a joint
    "motor": ('<motor joint="a"/>', [1]),
    "filter": ('<general joint="a" dyntype="filterexact" dynprm="0.01"/>', [1]),
    "muscle": ('<muscle joint="a" force="10" lengthrange="-2 2"/>', [1]),
    "affine gain": ('<general joint="a" gaintype="affine" gainprm="1 .5 0"/>', [1]),
    "slow servo": ('<position joint="a" kp="3" timeconst="0.02"/>', [1]),
    "motor on a tendon": ('<motor tendon="t"/>', [1]),
    "servo on a tendon of the joint": ('<position tendon="u" kp="30" kv="1" gear="2"/>', [0.2]),
    "motor on a site": ('<motor site="s" gear="0 0 0 0 1 0"/>', [1]),
    "motors against one another": ('<motor joint="a"/><motor tendon="u" gear="-0.6"/>', [1, 1]),
    "servo against motor": ('<position joint="a" kp="20" kv="1"/><motor tendon="u" gear="0.3"/>', [-0.2, 1]),
    "own ranges": (
        """<motor joint="a"/><velocity joint="a" kv="3" forcerange="-.5 .5"/>
        <general joint="a" dyntype="filter" dynprm="0.05" gainprm="-0.7"/>""", [1, 0, 1]),
    "slow servo against motor": (
        '<motor joint="a"/><position joint="a" kp="9" timeconst="0.02"/>', [1, -0.3]),
}  # fmt: skip
CASES = {("", key): case for key, case in OWN.items()} | {
    ('actuatorfrcrange="-0.3 0.3"', key): case for key, case in TOTAL.items()
}
TIME, SPEED = 0.3, 2.0  # [s], [rad/s]


def text_of(joint, actuators):
    return f"""<mujoco><compiler angle="radian"/><option gravity="0 0 0" timestep="0.0001" integrator="RK4"/>
    <worldbody><body><inertial pos="0.3 0 0" mass="1" diaginertia=".01 .02 .02"/>
    <joint name="a" axis="0 1 0" {joint}/><site name="s"/>
    <body><inertial pos="0.1 0 0" mass="0.2" diaginertia=".01 .01 .01"/><joint name="b" axis="1 0 0"/></body>
    </body></worldbody><tendon><fixed name="t">{TWO_JOINTS}</fixed>
    <fixed name="u"><joint joint="a" coef="0.5"/></fixed></tendon><actuator>{actuators}</actuator></mujoco>"""


def end_here(load, controls, dt):
    world = tribo.World()
    (robot,) = load(world)
    world.time_step = dt
    robot.generalized_velocity = [SPEED, 0]
    robot.set_controls(controls)
    world.step(round(TIME / dt))
    assert world.status == 0
    assert not robot.description.doubts
    return robot.generalized_coordinate.copy()


@pytest.mark.parametrize("of_model", [False, True], ids=["text", "model"])
@pytest.mark.parametrize("key", CASES, ids=[" ".join(key) for key in CASES])
def test_forces_are_limited_one_by_one_and_in_total(key, of_model):
    actuators, controls = CASES[key]
    text = text_of(key[0], actuators)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:], data.qvel[:] = controls, [SPEED, 0]
    while data.time < TIME - 1e-9:
        mujoco.mj_step(model, data)

    def load(world):
        return world.load_mujoco(model) if of_model else world.load_mjcf(text)

    coarse, fine = (end_here(load, controls, dt) for dt in (1e-3, 2.5e-4))
    assert (4.0 * fine - coarse) / 3.0 == pytest.approx(data.qpos, abs=2e-4)
