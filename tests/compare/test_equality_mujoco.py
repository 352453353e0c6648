"""<equality> as MuJoCo reads it: gaps at random coordinates exactly, a four-bar linkage in motion."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")

import tribo  # noqa: E402

BARS = """<mujoco><compiler angle="radian"/><option timestep="0.0005" integrator="implicitfast"/><worldbody>
  <body name="a" euler="0 0.3 0"><joint name="j1" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.5"
    size="0.02" mass="1"/><site name="s" pos="0 0.1 0.2" euler="0.3 0 0.2"/>
    <body name="b" pos="0 0 0.5"><joint name="j2" axis="0 1 0" ref="0.2"/><geom type="capsule"
      fromto="0 0 0 1 0 0.2" size="0.02" mass="2"/>
      <body name="c" pos="1 0 0.2" euler="0 2.5 0"><joint name="j3" axis="0 1 0" ref="-0.1"/><geom
        type="capsule" fromto="0 0 0 0 0 0.6" size="0.02" mass="1"/></body></body></body>
  <body name="post" pos="1.2 0.1 0.1" euler="0 0 0.4"><site name="t" pos="0 0 0.1" euler="0 0.5 0"/></body>
  </worldbody><equality>{}</equality></mujoco>"""
KINDS = {
    "connect": '<connect body1="c" body2="post" anchor="0 0 0.6"/>',
    "connect to the world": '<connect body1="b" anchor="0.3 0 0.1"/>',
    "connect in the tree": '<connect body1="a" body2="c" anchor="0.3 0 0.1"/>',
    "connect sites": '<connect site1="s" site2="t"/>',
    "weld": '<weld body1="c" body2="a" anchor="0.1 0.2 0.3"/>',
    "weld with a pose": '<weld body1="a" body2="c" anchor="0.1 0 0.3" relpose="0.5 0 0.1 0.9 0.1 0.2 0.3"/>',
    "weld sites": '<weld site1="s" site2="t"/>',
    "joint": '<joint joint1="j3" joint2="j1" polycoef="0.3 -1.5"/>',
}


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_are_those_of_mujoco(kind):
    text = BARS.format(KINDS[kind])
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    world = tribo.World()
    robot = next(item for item in world.load_mjcf(text) if isinstance(item, tribo.ArticulatedSystem))
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = rng.uniform(-1, 1, 3)
        data.qpos[:] = robot.generalized_coordinate = q
        mujoco.mj_forward(model, data)
        rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        expected = data.efc_pos[rows]
        if kind == "joint":
            leader, ratio, offset = robot.description.bodies[3].joint.mimic
            assert leader == "j1"
            np.testing.assert_allclose(expected, q[2] - ratio * q[0] - offset, atol=1e-12)
            continue
        (tie,) = world.constraints
        assert np.abs(expected).max() > 1e-3
        np.testing.assert_allclose(tie.gap, expected[:3], atol=1e-12)


def test_a_linkage_moves_as_in_mujoco():
    """Half a second of a fall; MuJoCo's connection is a stiff spring (solref 1 ms), so to some 1e-4 rad."""
    text = BARS.format(KINDS["connect"].replace("/>", ' solref="0.001 1" solimp="0.999 0.9999 0.001"/>'))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    world = tribo.World()
    robot = next(item for item in world.load_mjcf(text) if isinstance(item, tribo.ArticulatedSystem))
    start = robot.generalized_coordinate.copy()
    for _ in range(1000):
        mujoco.mj_step(model, data)
    world.step(1000)
    assert np.abs(robot.generalized_coordinate - start).max() > 0.15
    np.testing.assert_allclose(robot.generalized_coordinate, data.qpos, atol=5e-4)
    assert np.abs(world.constraints[0].gap).max() <= 1e-10


def test_an_arm_is_pulled_to_a_mocap_body_as_in_mujoco():
    """It has MuJoCo's spring and damper, and comes to rest within 1e-4 rad of its coordinates."""
    tie = '<weld body1="m" body2="c" solref="0.05 1" solimp="0.8 0.8 0.001" torquescale="0.3"/>'
    text = BARS.replace("<worldbody>", '<worldbody><body name="m" mocap="true" pos="0.8 0.1 0.9"/>').format(
        tie
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    world = tribo.World()
    robot = next(item for item in world.load_mjcf(text) if item.name == "a")
    mujoco.mj_forward(model, data)
    weld = world.constraint(world.constraints[0].name)
    k, b, d, _ = data.efc_KBIP[0]
    assert weld.compliance == pytest.approx(data.efc_R[0] / (k * d), rel=1e-12)
    assert weld.spook_damping == pytest.approx(b / (k * d), rel=1e-12)
    assert weld.angular_compliance == pytest.approx(data.efc_R[3] / (k * d) * 4 / 0.3**2, rel=1e-12)
    for _ in range(20_000):
        mujoco.mj_step(model, data)
    world.step(20_000)
    assert np.abs(data.qvel).max() < 1e-9
    np.testing.assert_allclose(robot.q, data.qpos, atol=1e-4)
