"""`robot.set_controls(u)`: forces on joints as MuJoCo's `qfrc_actuator` for the same control vector."""

import numpy as np
import pytest

import tribo

pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
import mujoco

TEXT = """<mujoco><option><flag contact="disable"/></option><worldbody>
  <body name="a"><joint name="a" ref="20" damping="0.1"/><geom size="0.1" pos="0.3 0 0"/>
   <body pos="0 0.2 0"><joint name="l" type="slide" axis="0 1 0"/><geom size="0.1"/></body>
   <body pos="0 -0.2 0"><joint name="r" type="slide" axis="0 -1 0" ref="0.1"/><geom size="0.2"/></body></body>
  <body name="b" pos="2 0 0"><freejoint/><geom size="0.1"/>
   <body><joint name="b" axis="0 1 0"/><geom size="0.1" pos="0 0 0.3"/></body></body></worldbody>
 <equality><joint joint1="r" joint2="l" polycoef="0.1 1 0 0 0"/></equality>
 <tendon><fixed name="pull"><joint joint="a" coef="2"/><joint joint="l" coef="-3"/></fixed></tendon>
 <actuator>
  <motor name="m" joint="b" gear="7" ctrlrange="-1 1"/>
  <position name="p" joint="a" kp="30" kv="2" gear="1.5"/>
  <general name="g" joint="a" gainprm="4" biastype="affine" biasprm="0.3 -5 -0.2" ctrlrange="-2 2"/>
  <motor name="t" tendon="pull" gear="2" forcerange="-1 1.5"/>
  <damper name="d" joint="b" kv="3" ctrlrange="0 2"/></actuator></mujoco>"""


@pytest.mark.parametrize("seed", range(5))
def test_forces_are_mujocos(seed):
    """τ = τ_ff + kp (q_d − q) + kd (v_d − v) at random states."""
    rng = np.random.default_rng(seed)
    model = mujoco.MjModel.from_xml_string(TEXT)
    data = mujoco.MjData(model)
    data.qpos[[0, 1, 2, 10]] = rng.uniform(-1, 1, 4)
    data.qvel[:] = rng.uniform(-1, 1, model.nv)
    data.ctrl[:] = rng.uniform(0.0, 3.0, model.nu)
    mujoco.mj_forward(model, data)
    one, two = tribo.World().load_mjcf(TEXT)
    for robot, q, v, joints in ((one, slice(0, 3), slice(0, 3), 0), (two, slice(3, 11), slice(3, 10), 6)):
        robot.set_controls(data.ctrl)
        force = robot.generalized_force + robot.kd * (robot.pd_velocity_target - data.qvel[v])
        base = len(data.qpos[q]) - len(force[joints:])
        force[joints:] += robot.kp[joints:] * (robot.pd_target - data.qpos[q])[base:]
        if robot is one:  # the motor of the tendon, which is no drive: see test_couplings_mujoco.py
            force[:2] += 2.0 * np.clip(data.ctrl[3], -1.0, 1.5) * np.array([2.0, -3.0])
        np.testing.assert_allclose(force[joints:], data.qfrc_actuator[v][joints:], atol=1e-12)
