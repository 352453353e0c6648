"""Derivatives of a semi-implicit step against Pinocchio's analytical derivatives of forward dynamics."""

import numpy as np
import pytest

import tribo

pin = pytest.importorskip("pinocchio")

AXES = ("1 0 0", "0 1 0", "0 0 1", "0.6 0 0.8")
LINK = """<link name="link{k}"><inertial><origin xyz="{x} {y} {z}" rpy="{r} {x} 0"/><mass value="{m}"/>
<inertia ixx="{a}" iyy="{b}" izz="{c}" ixy="0.01" ixz="0" iyz="-0.005"/></inertial></link>
<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="link{k}"/>
<origin xyz="{y} {z} {x}" rpy="{z} {r} {y}"/><axis xyz="{axis}"/>
<limit lower="-9" upper="9" effort="1000" velocity="1000"/></joint>"""


def tree(seed, path):
    generator = np.random.default_rng(seed)
    text = '<robot name="tree"><link name="root"/>'
    for k in range(generator.integers(2, 9)):
        x, y, z, r = generator.uniform(-0.4, 0.4, 4)
        parent = generator.integers(-1, k) if k else -1
        text += LINK.format(
            k=k, x=x, y=y, z=z, r=r, m=generator.uniform(0.5, 3.0), a=generator.uniform(0.1, 0.2),
            b=generator.uniform(0.1, 0.2), c=generator.uniform(0.1, 0.2),
            kind=("continuous", "prismatic")[generator.integers(3) // 2],
            parent="root" if parent < 0 else f"link{parent}", axis=AXES[generator.integers(4)],
        ).replace("continuous", "revolute")  # fmt: skip
    file = path / f"tree{seed}.urdf"
    file.write_text(text + "</robot>")
    return file, generator


@pytest.mark.parametrize("seed", range(20))
def test_trees_have_its_derivatives_to_rounding(seed, tmp_path):
    file, generator = tree(seed, tmp_path)
    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    q, v = generator.normal(size=model.nq), 2.0 * generator.normal(size=model.nv)
    force = 5.0 * generator.normal(size=model.nv)
    dt = 0.001
    world = tribo.World(time_step=dt)
    world.integrator = "semi_implicit"
    robot = world.add_articulated_system(file, name="tree", fixed_base=True, self_collision="none")
    # Joints by name: each orders them in its own way.
    order = [model.joints[model.getJointId(name)].idx_v for name in robot.joint_names]
    robot.generalized_coordinate, robot.generalized_velocity = q[order], v[order]
    robot.generalized_force = force[order]
    found = tribo.linearize(world, method="exact")
    pin.computeABADerivatives(model, data, q, v, force)
    n = model.nv
    by_q, by_v = (x[np.ix_(order, order)] for x in (data.ddq_dq, data.ddq_dv))
    by_force = np.array(data.Minv)
    by_force = np.triu(by_force) + np.triu(by_force, 1).T
    by_force = by_force[np.ix_(order, order)]
    one = np.eye(n)
    expected = np.block([[one + dt**2 * by_q, dt * (one + dt * by_v)], [dt * by_q, one + dt * by_v]])
    # Both are sums of some hundred products of numbers up to 1e2: some 1e-13 of the largest.
    assert np.abs(found.A - expected).max() < 1e-10
    assert np.abs(found.B - np.concatenate([dt**2 * by_force, dt * by_force])).max() < 1e-10
