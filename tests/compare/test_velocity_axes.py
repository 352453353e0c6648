"""In which axes MuJoCo and Pinocchio give velocities: the lines of docs/physics/conventions."""

import numpy as np
import pytest

import tribo

Q = np.array([0.5, -0.1, 0.7, 0.5, 0.5, -0.1, 0.7, 0.1, 0.3, -0.9, 0.3])
Q[3:7] /= np.linalg.norm(Q[3:7])
Q[7:11] /= np.linalg.norm(Q[7:11])
V = np.random.default_rng(5).normal(size=9)
MJCF = """<mujoco><worldbody><body name="base"><freejoint/><geom type="box" size="0.1 0.2 0.3"/>
  <body name="tip" pos="0.1 0.2 0.3" euler="10 20 30"><joint name="ball" type="ball"/>
  <geom type="box" size="0.3 0.2 0.1" pos="0.1 0 0"/></body></body></worldbody></mujoco>"""


def turned(q, w):
    """Return R(q) w, the line of the docs."""
    return w + 2 * np.cross(q[1:], np.cross(q[1:], w) + q[0] * w)


def speeds(robot, q, v):
    at = robot.at(q, v)
    found = [at.frame(name) for name in ("base", "tip")]
    return [np.concatenate([f.linear_velocity, f.angular_velocity]) for f in found]


def test_mujoco():
    mujoco = pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    data.qpos, data.qvel = Q, V
    mujoco.mj_forward(model, data)
    robot = tribo.World().add_articulated_system(MJCF)
    qpos, qvel = Q, V
    v = qvel.copy()
    v[3:6] = turned(qpos[3:7], qvel[3:6])
    v[6:9] = turned(qpos[7:11], qvel[6:9])
    for body, found in zip(("base", "tip"), speeds(robot, qpos, v), strict=True):
        expected = np.zeros(6)
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, number, expected, 0)
        np.testing.assert_allclose(found, [*expected[3:], *expected[:3]], atol=1e-13)


def test_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="the peer, Pinocchio, is not installed")
    model = pin.Model()
    base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    place = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([0.1, 0.2, 0.3]))
    tip = model.addJoint(base, pin.JointModelSpherical(), place, "tip")
    data = model.createData()
    q_pin, v_pin = Q[[0, 1, 2, 4, 5, 6, 3, 8, 9, 10, 7]], V
    pin.forwardKinematics(model, data, q_pin, v_pin)

    root = tribo.LinkDescription("base", mass=1.0, inertia=np.eye(3))
    turn = pin.Quaternion(place.rotation)
    child = root.add_child(
        "tip", "spherical", position=(0.1, 0.2, 0.3), quaternion=(turn.w, turn.x, turn.y, turn.z)
    )
    child.mass, child.inertia = 1.0, np.eye(3)
    robot = tribo.World().add_articulated_system(root)
    q = q_pin[[0, 1, 2, 6, 3, 4, 5, 10, 7, 8, 9]]
    v = v_pin.copy()
    v[:3], v[3:6] = turned(q[3:7], v_pin[:3]), turned(q[3:7], v_pin[3:6])
    v[6:9] = turned(q[7:11], v_pin[6:9])
    for joint, found in zip((base, tip), speeds(robot, q, v), strict=True):
        there = pin.getVelocity(model, data, joint, pin.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(found, [*there.linear, *there.angular], atol=1e-13)
