"""Fixed tendons, muscles, filters and thrust: motion as MuJoCo's Runge–Kutta steps give it.

Dampers and servos are implicit Euler here, of first order: x(dt) = x + C dt + O(dt²), so 2 x(dt/2) − x(dt)
has an error of second order, D dt²: with dt = 0.25 ms and accelerations that change by some 1000 rad/s³ over
0.2 s up to 1e-4. A spring that catches between two steps is of first order; it gets steps of a tenth. Bounds
are 1e-4 in angles and metres, 1e-3 in rates. `test_the_error_falls` sees the order.
"""

import numpy as np
import pytest

import tribo

pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
import mujoco

BODY = """<body name="base"><geom size="0.1"/>
 <body pos="0 0.3 0"><joint name="a" axis="0 1 0" range="-100 120"/>
   <geom size="0.06" pos="0.3 0 0" mass="0.7"/>
   <body pos="0.3 0 0"><joint name="b" axis="0 1 0" range="-90 90" armature="0.05"/>
     <geom size="0.05" pos="0.2 0 0.05" mass="0.5"/><site name="s" pos="0.2 0.1 0" euler="10 20 30"/>
   </body></body>
 <body pos="0 -0.3 0"><joint name="c" type="slide" axis="0 0.6 0.8" range="-2 2"/>
   <geom size="0.08" mass="1.2"/></body></body>"""
TENDON = """<tendon><fixed name="t" {}><joint joint="a" coef="0.5"/><joint joint="b" coef="-0.25"/>
 <joint joint="c" coef="0.8"/></fixed><fixed name="u" {}><joint joint="b" coef="1.5"/></fixed></tendon>"""
PLAIN = TENDON.format("", "")
SCENES = {
    "spring": (TENDON.format('stiffness="30" springlength="0.2"', ""), []),
    "damping": (TENDON.format('stiffness="30" damping="0.5"', ""), []),
    "slack between": (TENDON.format('stiffness="300" springlength="-0.05 0.05"', ""), []),
    "rotor": (TENDON.format("", 'armature="0.4" stiffness="5"'), []),
    "motor": (PLAIN + '<actuator><motor tendon="t" gear="3" forcerange="-1 1"/></actuator>', [0.2]),
    "servo": (PLAIN + '<actuator><position tendon="t" kp="40" kv="3" gear="1.3"/></actuator>', [0.5]),
    "critical": (PLAIN + '<actuator><position tendon="t" kp="40" dampratio="0.7"/></actuator>', [0.2]),
    "weak servo": (
        PLAIN + '<actuator><position tendon="t" kp="40" kv="3" forcerange="-2 2"/></actuator>', [0.5],
    ),
    "damper": (PLAIN + '<actuator><damper tendon="t" kv="4" ctrlrange="0 2"/></actuator>', [0.9]),
    "general": (
        PLAIN + """<actuator><general tendon="u" gaintype="affine" gainprm="2 -3 -0.5" biastype="affine"
        biasprm="0.3 -1 -0.2"/></actuator>""", [0.9],
    ),
    "filters": (
        """<actuator><general joint="a" gainprm="3" dyntype="filter" dynprm="0.1"/>
        <position joint="b" kp="5" kv="1" timeconst="0.2"/></actuator>""", [0.7, 0.4],
    ),
    "integrator": (
        """<actuator><intvelocity joint="a" kp="30" kv="2" actrange="-1 0.3"/>
        <cylinder joint="c" area="3" timeconst="0.3" bias="0.2 -4 -1"/></actuator>""", [0.7, 0.4],
    ),
    "muscles": (
        PLAIN + """<actuator><muscle joint="a" force="15" lengthrange="-1.7 2" timeconst="0.02 0.05"/>
        <muscle tendon="t" scale="20" lengthrange="-1 2" tausmooth="0.2"/></actuator>""", [0.7, 0.4],
    ),
    "stretched muscle": (
        """<actuator><muscle joint="b" gear="-0.4" force="25" lengthrange="-0.3 0.5" range="0.5 1.3"
        vmax="4"/></actuator>""", [0.9],
    ),
    "thrust": ('<actuator><motor site="s" gear="1 2 3 0.1 0.2 0.3"/></actuator>', [0.9]),
}  # fmt: skip
START, SPEED = np.array([0.3, -0.4, 0.1]), np.array([0.5, 1.0, -0.3])
TIME = 0.2  # [s]


def text_of(name):
    extra, controls = SCENES[name]
    return (
        '<mujoco><option timestep="0.0001" integrator="RK4"><flag contact="disable"/></option>'
        f"<worldbody>{BODY}</worldbody>{extra}</mujoco>"
    ), controls


def end_here(text, controls, dt):
    world = tribo.World()
    (robot,) = world.load_mjcf(text, take_options=False)
    world.time_step = dt
    robot.generalized_coordinate, robot.generalized_velocity = START, SPEED
    if controls:
        robot.set_controls(controls)
    world.step(round(TIME / dt))
    return np.concatenate((robot.generalized_coordinate, robot.generalized_velocity, robot.activation))


def end_there(text, controls):
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = START, SPEED, controls
    for _ in range(round(TIME / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return np.concatenate((data.qpos, data.qvel, data.act))


@pytest.mark.parametrize("name", SCENES)
def test_motion_is_mujocos(name):
    text, controls = text_of(name)
    dt = 5e-5 if name == "slack between" else 5e-4
    coarse, fine = end_here(text, controls, dt), end_here(text, controls, 0.5 * dt)
    error = np.abs(2.0 * fine - coarse - end_there(text, controls))
    assert error[:3].max() < 1e-4, error
    assert error[3:].max() < 1e-3, error


def test_the_error_falls():
    text, controls = text_of("muscles")
    there = end_there(text, controls)
    errors = [np.abs(end_here(text, controls, dt) - there)[:3].max() for dt in (2e-3, 1e-3, 5e-4)]
    assert errors[1] < 0.6 * errors[0], errors
    assert errors[2] < 0.6 * errors[1], errors


def test_adhesion_pulls_as_mujocos_does():
    """F = gain u onto what the body touches: the ground bears weight and F; upside down F − weight holds."""
    scene = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 0.1"/>
      <body name="b" pos="0 0 0.0999"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
      </worldbody><actuator><adhesion body="b" gain="30" ctrlrange="0 1"/></actuator></mujoco>"""
    model = mujoco.MjModel.from_xml_string(scene)
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.5
    mujoco.mj_forward(model, data)
    world = tribo.World()
    world.load_mjcf(scene)
    world.gravity = (0.0, 0.0, 9.81)  # away from the ground
    world["b"].set_controls([0.5])
    world.step(500)
    assert world["b"].position[2] == pytest.approx(0.1, abs=1e-4)
    held = sum(contact.force[2] for contact in world["b"].contacts)
    assert held == pytest.approx(-9.81, rel=1e-6)
    assert data.qfrc_actuator[2] == pytest.approx(-15.0)
    world["b"].set_controls([9.79 / 30.0])
    world.step(500)
    assert world["b"].position[2] > 0.1005
