"""MJCF models in random states: M, h, inverse and forward dynamics, energies and frames as MuJoCo's.

Both read the same file. Two programs that sum the same products in another order differ by
round-off, relative to the largest entry 1e-9 at most, except where M⁻¹ enlarges it.
"""

from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.compiler.jit import DISABLED
from tribo.description.extents import rotation_matrix

pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
pytest.importorskip("scipy", reason="hulls of meshes need SciPy")
pytest.importorskip("trimesh", reason="mesh files need trimesh")
import mujoco
import trimesh
from mjcf_trees import random_tree
from mujoco_peer import Scene

FILES = sorted((Path(__file__).parent.parent / "data/mjcf").glob("*.xml"))
STATES = 2 if DISABLED else 100


def _compare(source):
    count = 0
    for difference in Scene(source).differences(STATES):
        assert difference.relative <= difference.allowed, difference
        count += 1
    assert count >= 9 * STATES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_models_agree_with_mujoco(file):
    _compare(file)


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_agree_with_mujoco(seed):
    _compare(random_tree(seed))


def test_damping_ratios_and_controls_of_keyframes_are_mujocos():
    """Servos on a floating chain: the inertia that each feels is that of all that yields."""
    arm = '<body name="b" pos="0.1 0 0.5"><joint name="{}" axis="{}" ref="30" armature="0.02"/>'
    text = f"""<mujoco><worldbody><body name="base" pos="0 0 1" euler="10 20 30"><freejoint/>
      <geom type="box" size="0.2 0.1 0.3"/>{arm.format("j", "0 1 0.2")}<geom size="0.1" pos="0.3 0 0.1"/>
      {arm.format("k", "1 0 0").replace('"b"', '"c"')}<geom size="0.1" pos="0 0.2 0.3"/></body></body></body>
      </worldbody><actuator><position name="servo" joint="j" kp="50" dampratio="0.8" gear="2"/>
      <general name="own" joint="k" gainprm="20" biastype="affine" biasprm="0.3 -20 0.5"/></actuator>
      <keyframe><key name="up" ctrl="0.2 0.4"/></keyframe></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    (robot,) = tribo.World().load_mjcf(text, keyframe="up")
    for k, made in enumerate(robot.description.actuators):
        np.testing.assert_allclose(made.bias, model.actuator_biasprm[k, :3], rtol=1e-12)
        assert robot.description.keyframe_controls["up"][made.name] == model.key_ctrl[0, k]
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    held = robot.kp * np.r_[np.zeros(6), robot.pd_target[7:] - robot.generalized_coordinate[7:]]
    np.testing.assert_allclose(held[6:], data.qfrc_actuator[6:], rtol=1e-12)


@pytest.mark.parametrize("to_box", ["false", "true"])
@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_primitives_fitted_to_a_mesh_are_mujocos(kind, to_box):
    points = np.random.default_rng(1).normal(size=(30, 3)) * [1.0, 0.5, 0.2] + [0.3, 0.2, 0.1]
    vertices = " ".join(repr(float(x)) for x in points.ravel())
    text = f"""<mujoco><compiler fitaabb="{to_box}"/><asset><mesh name="m" vertex="{vertices}"/></asset>
      <worldbody><body name="b" pos="0 0 1"><freejoint/><geom type="{kind}" mesh="m" pos="1 0 0"
      euler="10 20 30" fitscale="1.5"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    (body,) = tribo.World().load_mjcf(text)
    (shape,) = body.collision_bodies
    count = {"sphere": 1, "capsule": 2, "cylinder": 2}.get(kind, 3)
    own = body.description.bodies[0].shapes[0]
    np.testing.assert_allclose(own.size[:count], model.geom_size[0, :count], rtol=1e-6)
    np.testing.assert_allclose(shape.position_in_body, model.geom_pos[0], atol=1e-6)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[0])
    ours = rotation_matrix(shape.orientation_in_body)  # equal but for the signs of its axes
    np.testing.assert_allclose(np.abs(ours.T @ turn.reshape(3, 3)), np.eye(3), atol=1e-5)
    np.testing.assert_allclose(body.mass, model.body_mass[1], rtol=1e-6)


@pytest.mark.parametrize("inertia", ["legacy", "convex", "exact", "shell"])
@pytest.mark.parametrize("form", ["obj", "stl", "vertex"])
def test_masses_of_meshes_are_mujocos(tmp_path, form, inertia):
    """A stone 10 m off the origin of its file, whose vertices MuJoCo keeps in single precision.

    Read in double precision its mass differed by 8e-7, its inertia by 2e-6.
    """
    rng = np.random.default_rng(3)
    stone = trimesh.creation.icosphere(2)
    stone.vertices *= [0.1, 0.03, 0.02]
    stone.vertices += rng.normal(size=stone.vertices.shape) * 1e-3 + [10.0, 2.0, 0.0]
    points = [[repr(float(x)) for x in vertex] for vertex in stone.vertices]
    if form == "vertex":
        corners = " ".join(" ".join(point) for point in points)
        faces = " ".join(map(str, stone.faces.ravel()))
        written = f'vertex="{corners}" face="{faces}"'
    else:
        written = f'file="stone.{form}"'
        if form == "stl":
            stone.export(tmp_path / "stone.stl")
        else:
            lines = ["v " + " ".join(point) for point in points]
            lines += ["f " + " ".join(map(str, face + 1)) for face in stone.faces]
            (tmp_path / "stone.obj").write_text("\n".join(lines))
    for scale in ("1.1 1.1 1.1", "1.3 -0.7 0.9"):
        (tmp_path / "stone.xml").write_text(
            f'<mujoco><asset><mesh name="m" {written} scale="{scale}" inertia="{inertia}"/></asset>'
            '<worldbody><body><freejoint/><geom type="mesh" mesh="m" density="1234.5"/></body>'
            "</worldbody></mujoco>"
        )
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "stone.xml"))
        (body,) = tribo.World().load_mjcf(tmp_path / "stone.xml")
        assert body.mass == pytest.approx(model.body_mass[1], rel=1e-12)
        np.testing.assert_allclose(body.description.bodies[0].com, model.body_ipos[1], rtol=1e-12, atol=1e-12)
        moments = np.linalg.eigvalsh(body.description.bodies[0].inertia)
        np.testing.assert_allclose(moments, np.sort(model.body_inertia[1]), rtol=1e-10)


def test_force_and_torque_at_a_site_of_a_fixed_body_are_those_of_mujocos_sensors():
    """Same sign, axes and point: a tool that is fixed to an arm, the arm hanging at rest."""
    text = """<mujoco><option timestep="0.001"/><worldbody><body name="arm" pos="0 0 1">
      <joint name="hinge" axis="0 1 0"/><geom type="box" size="0.05 0.05 0.3" pos="0 0 -0.3" mass="2"/>
      <body name="tool" pos="0 0 -0.6" euler="20 30 40"><geom type="box" size="0.1 0.02 0.03" mass="0.7"
      pos="0.02 0.03 -0.01"/><site name="wrist" pos="0.01 0.02 0.03" euler="10 -50 70"/></body></body>
      </worldbody>
      <sensor><force site="wrist"/><torque site="wrist"/></sensor></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    model.dof_damping[:] = 5.0
    mujoco.mj_step(model, data, 20_000)
    mujoco.mj_forward(model, data)
    assert abs(data.qvel[0]) < 1e-9
    world = tribo.World()
    (arm,) = world.load_mjcf(text)
    wrist = world.add_force_torque_sensor(arm, "wrist")
    arm.generalized_coordinate = data.qpos
    world.step()
    read = wrist.measure()
    # At rest to 1e-9: what is left of the motion after 20 s.
    assert np.allclose(read.force, data.sensordata[:3], rtol=0, atol=1e-8)
    assert np.allclose(read.torque, data.sensordata[3:], rtol=0, atol=1e-8)
    assert np.linalg.norm(read.force) == pytest.approx(0.7 * 9.81, rel=1e-9)


def test_velocities_of_keyframes_are_mujocos():
    """A free body with a ball joint and a hinge: velocities of all frames, J qvel, by both."""
    text = """<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/>
      <body name="b" pos="0.3 0 0"><joint type="ball"/><geom size="0.1" pos="0.2 0 0"/>
      <body name="c" pos="0.4 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body></body></body>
      <body name="d" pos="3 0 0"><joint axis="0 0 1"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody>
      <keyframe><key name="k" qpos="1 2 3 0.5 0.5 -0.5 0.5 0.6 0.8 0 0 0.3 0.2"
      qvel="1 2 3 0.4 0.5 0.6 -1 2 0.7 0.9 -0.8"/></keyframe></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    for given in (text, model):
        world = tribo.World()
        load = world.load_mjcf if given is text else world.load_mujoco
        robots = load(given, keyframe="k")
        for name in "abcd":
            robot = robots[1 if name == "d" else 0]
            number = model.body(name).id
            linear, turning = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, linear, turning, data.xpos[number], number)
            frame = robot.frame(name)
            np.testing.assert_allclose(frame.linear_velocity, linear @ data.qvel, atol=1e-12)
            np.testing.assert_allclose(frame.angular_velocity, turning @ data.qvel, atol=1e-12)
