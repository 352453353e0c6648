"""Derivatives of a step against MuJoCo's `mjd_transitionFD`, where the two steps are the same map.

Semi-implicit steps without dampers, contacts and limits are the same arithmetic in both. Of a free body
MuJoCo's angular velocities and rotation vectors are in axes of the body, so a turn stands between the two.
"""

import numpy as np
import pytest

import tribo

mujoco = pytest.importorskip("mujoco")

TREES = {
    "acrobot": """
<mujoco><option timestep="0.005" integrator="Euler"/>
<worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05" mass="1" contype="0" conaffinity="0"/>
<body name="lower" pos="0 0 -1"><joint name="elbow" axis="0 1 0" armature="0.02"/>
<geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05" mass="1.3" contype="0" conaffinity="0"/>
</body></body></worldbody>
<actuator><motor joint="elbow" gear="2"/></actuator></mujoco>""",
    "crane": """
<mujoco><option timestep="0.002" integrator="Euler"/>
<worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
<geom type="box" size="0.2 0.1 0.1" mass="3" contype="0" conaffinity="0"/>
<body name="mast" pos="0 0 0.1"><joint name="turn" axis="0 0 1"/>
<geom type="capsule" fromto="0 0 0 0.6 0 0.3" size="0.05" mass="1" contype="0" conaffinity="0"/>
<body name="load" pos="0.6 0 0.3"><joint name="swing" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0.1 -0.7" size="0.04" mass="0.7" contype="0" conaffinity="0"/>
</body></body></body></worldbody>
<actuator><motor joint="rail"/><motor joint="turn" gear="0.5"/></actuator></mujoco>""",
}


def theirs(model, data, size=1e-6):
    n, m = 2 * model.nv, model.nu
    a, b = np.zeros((n, n)), np.zeros((n, m))
    mujoco.mjd_transitionFD(model, data, size, True, a, b, None, None)
    return a, b


@pytest.mark.parametrize("name", TREES)
def test_trees_of_joints_have_the_same_derivatives(name):
    model = mujoco.MjModel.from_xml_string(TREES[name])
    data = mujoco.MjData(model)
    generator = np.random.default_rng(3)
    data.qpos, data.qvel = generator.normal(size=model.nq), generator.normal(size=model.nv)
    data.ctrl = generator.normal(size=model.nu)
    world = tribo.World()
    world.load_mujoco(model)
    world.integrator = "semi_implicit"
    (robot,) = (part for part in world.objects if part.dof == model.nv)
    robot.generalized_coordinate, robot.generalized_velocity = data.qpos.copy(), data.qvel.copy()
    robot.set_controls(data.ctrl.copy())
    found = tribo.linearize(world)
    a, b = theirs(model, data)
    # Both are central differences of the same map with steps of 1e-6: each errs by some 1e-9 of numbers of 1.
    assert np.allclose(found.A, a, rtol=0, atol=5e-8)
    gears = model.actuator_gear[:, 0]
    driven = [model.jnt_dofadr[model.actuator_trnid[k, 0]] for k in range(model.nu)]
    # Their step of u is 1e-6, too, which changes v by no more than 1e-8: what is left of 16 digits is 1e-7.
    assert np.allclose(found.B[:, driven] * gears, b, rtol=0, atol=1e-7)


def test_a_free_body_has_the_same_derivatives_in_other_axes():
    text = """<mujoco><option timestep="0.002" integrator="Euler"/><worldbody>
<body name="stone"><freejoint/><geom type="sphere" size="0.2" mass="2" contype="0" conaffinity="0"/>
</body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    world = tribo.World()
    world.load_mujoco(model)
    world.integrator = "semi_implicit"
    (stone,) = (part for part in world.objects if part.dof == 6)
    pose = np.array([0.1, 0.2, 1.0, *tribo.quaternion(rpy=(0.4, -0.7, 1.1))])
    stone.orientation = pose[3:]
    turn = np.array(stone.rotation_matrix)
    data.qpos, data.qvel = pose, [0.3, -0.2, 0.1, 1.0, 2.0, -0.5]
    stone.generalized_coordinate = pose
    stone.generalized_velocity = np.concatenate([data.qvel[:3], turn @ data.qvel[3:]])
    a, _ = theirs(model, data)
    found = tribo.linearize(world, controls="wrench")
    world.step()
    after = np.array(stone.rotation_matrix)
    # δ in axes of the world is R δ_body; ω = R ω_body, so δω = R δω_body + δ × ω.
    spin = turn @ data.qvel[3:]

    def to_world(rotation):
        cross = np.array([np.cross(axis, spin) for axis in np.eye(3)]).T  # δ × ω, as a matrix on δ
        made = np.zeros((12, 12))
        made[:3, :3] = made[6:9, 6:9] = np.eye(3)
        made[3:6, 3:6] = made[9:, 9:] = rotation
        made[9:, 3:6] = cross @ rotation
        return made

    theirs_in_world = to_world(after) @ a @ np.linalg.inv(to_world(turn))
    assert np.allclose(found.A, theirs_in_world, rtol=0, atol=5e-8)
