"""Models that attach others have MuJoCo's bodies: masses, poses, ranges, actuators."""

from pathlib import Path

import numpy as np
import pytest

import tribo

mujoco = pytest.importorskip("mujoco")
FOLDER = Path(__file__).parents[1] / "data" / "mjcf" / "attach"


@pytest.mark.parametrize("name", ["two.xml", "three.xml"])
def test_attached_models_are_those_of_mujoco(name):
    theirs = mujoco.MjModel.from_xml_path(str(FOLDER / name))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    world = tribo.World()
    world.load_mjcf(FOLDER / name)
    robots = [part for part in world.objects if isinstance(part, tribo.ArticulatedSystem)]
    place = {link: robot for robot in robots for link in robot.body_names if link != "world"}
    for k in range(1, theirs.nbody):
        body = theirs.body(k).name
        robot = place[body]
        # Corners of meshes are singles there: three lengths, each off by up to 6e-8 of itself.
        assert robot.link(body).mass == pytest.approx(theirs.body_mass[k], rel=2e-7)
        np.testing.assert_allclose(robot.frame(body).position, data.xpos[k], atol=1e-9)
        np.testing.assert_allclose(robot.frame(body).rotation_matrix, data.xmat[k].reshape(3, 3), atol=1e-9)
    joints = {joint: robot for robot in robots for joint in robot.joint_names}
    for k in range(theirs.njnt):
        if theirs.jnt_limited[k]:
            joint = theirs.joint(k).name
            assert joints[joint].joint(joint).limits == pytest.approx(tuple(theirs.jnt_range[k]))
    made = {a.name for robot in robots for a in robot.description.actuators}
    assert made == {theirs.actuator(k).name for k in range(theirs.nu)}
