"""Robots of tribo.raisimpy."""

import numpy as np
import pytest
from scenes import QUADRUPED, STANCE

from tribo import raisimpy as raisim

BALL_JOINT = """
<robot name="arm">
  <link name="world"/>
  <joint name="foot" type="fixed"><parent link="world"/><child link="base"/></joint>
  <link name="base"/>
  <joint name="swing" type="revolute"><parent link="base"/><child link="first"/><axis xyz="0 0 1"/></joint>
  <link name="first"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="ball" type="spherical"><parent link="first"/><child link="second"/></joint>
  <link name="second"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
</robot>"""


@pytest.fixture
def world():
    return raisim.World()


@pytest.fixture
def robot(world):
    made = world.addArticulatedSystem(str(QUADRUPED))
    made.setGeneralizedCoordinate(np.concatenate([[0, 0, 1, 1, 0, 0, 0], STANCE]))
    return made


def test_gains_of_a_floating_base_have_no_effect(world, robot):
    """Any arbitrary number: the robot falls freely all the same."""
    robot.setPdGains(np.full(18, 1e6), np.full(18, 1e4))
    robot.setPdTarget(robot.getGeneralizedCoordinate(), np.zeros(18))
    assert robot.tribo.kp[:6].tolist() == [0] * 6
    for _ in range(20):
        world.integrate()
    assert robot.getBasePosition()[2] == pytest.approx(1 - 0.5 * 9.81 * 0.1**2, abs=1e-6)
    assert np.abs(robot.getGeneralizedCoordinate()[7:] - STANCE).max() < 1e-3


def test_control_modes(world, robot):
    robot.setPdGains(np.full(18, 50.0), np.full(18, 1.0))
    mode = robot.ControlMode
    assert robot.getControlMode() == mode.PD_PLUS_FEEDFORWARD_TORQUE
    robot.setControlMode(mode.FORCE_AND_TORQUE)
    assert not robot.tribo.kp.any()
    assert robot.getPdGains()[0][7] == 50.0
    robot.setPGains(np.full(18, 60.0))
    assert not robot.tribo.kp.any()
    robot.set_control_mode(mode.PD_PLUS_FEEDFORWARD_TORQUE)
    assert robot.tribo.kp[6:].tolist() == [60.0] * 12
    robot.setControlMode(mode.VELOCITY_PLUS_FEEDFORWARD_TORQUE)
    assert (robot.tribo.kp[7], robot.tribo.kd[7]) == (0.0, 1.0)
    assert robot.tribo.drive_form == "averaged"


def test_velocity_of_a_spherical_joint_is_in_axes_of_its_parent(world):
    """The parent is turned by a right angle about z: its x is the world's y."""
    robot = world.addArticulatedSystem(BALL_JOINT)
    robot.setState([np.pi / 2, 1, 0, 0, 0], [0, 3.0, 0, 0])
    assert robot.getAngularVelocity(robot.getBodyIdx("second")) == pytest.approx([0, 3, 0])
    kinds = [robot.getJointType(k).name for k in range(robot.getNumberOfJoints())]
    assert kinds[-2:] == ["REVOLUTE", "SPHERICAL"]
    assert (robot.getGeneralizedCoordinateDim(), robot.getDOF()) == (5, 4)


def test_frames_by_number_and_name(world, robot):
    index = robot.getFrameIdxByName("LF_SHANK_TO_FOOT")
    assert np.array_equal(robot.getFramePosition(index), robot.getFramePosition("LF_SHANK_TO_FOOT"))
    out = np.zeros(3)
    robot.getFramePosition(index, out)
    assert np.array_equal(out, robot.getFramePosition(index))
    frame = robot.getFrameByName("LF_KFE")
    assert (frame.name, frame.isChild, frame.parentName) == ("LF_KFE", True, "LF_SHANK")
    assert robot.getFrameByIdx(index).name == "LF_SHANK_TO_FOOT"
    assert len(robot.getFrames()) == len(robot.tribo.frame_names)
    robot.setGeneralizedVelocity(np.arange(18) * 0.1)
    u = robot.getGeneralizedVelocity()
    assert robot.getDenseFrameJacobian(index) @ u == pytest.approx(robot.getFrameVelocity(index))
    assert robot.get_frame_angular_velocity(index) == pytest.approx(
        robot.getDenseFrameRotationalJacobian(index) @ u
    )


def moving(robot):
    """Turn the base, bend and move all joints; return q and v."""
    q = np.concatenate([[0.3, -0.2, 1.0, 0.8, 0.2, -0.4, 0.4], np.linspace(-0.5, 0.5, 12)])
    v = np.linspace(-1.0, 1.0, 18)
    robot.setState(q, v)
    return q, v


def test_jacobians_are_of_points_of_the_world(robot):
    """Their velocity is that of the body at the point: v + ω × (p − o)."""
    _, v = moving(robot)
    body, axes = robot.getBodyIdx("LF_SHANK"), robot.Frame
    point = np.array([0.4, 0.3, 0.7])
    arm = point - robot.getPosition(body)
    expected = robot.getVelocity(body) + np.cross(robot.getAngularVelocity(body), arm)
    local = robot.getOrientation(body).T @ arm
    assert robot.getDenseJacobian(body, point) @ v == pytest.approx(expected)
    assert robot.getDenseJacobian(body) @ v == pytest.approx(robot.getVelocity(body))
    for sparse in (
        robot.getSparseJacobian(body, point), robot.getSparseJacobian(body, axes.WORLD_FRAME, point),
        robot.getSparseJacobian(body, axes.BODY_FRAME, local), robot.get_sparse_linear_jacobian(body, point),
    ):  # fmt: skip
        assert sparse.toDense(18) @ v == pytest.approx(expected)
        assert robot.getVelocity(sparse) == pytest.approx(expected)
    assert robot.getVelocity(robot.getDenseJacobian(body, point)) == pytest.approx(expected)
    assert robot.getVelocity(body, local) == pytest.approx(expected)
    world, own = axes.WORLD_FRAME, axes.BODY_FRAME
    assert robot.getVelocity(body, world, point, world) == pytest.approx(expected)
    assert robot.getOrientation(body) @ robot.getVelocity(body, own, local, own) == pytest.approx(expected)
    with pytest.raises(TypeError, match="got 3 arguments"):
        robot.getVelocity(body, world, point)
    with pytest.raises(TypeError, match="got 3 arguments"):
        robot.getSparseJacobian(body, world, point, 0)


def test_places_in_frames_and_bodies(robot):
    moving(robot)
    foot, place = robot.getFrameIdxByName("LF_SHANK_TO_FOOT"), np.array([0.1, 0.2, 0.3])
    expected = robot.getFramePosition(foot) + robot.getFrameOrientation(foot) @ place
    assert robot.getPositionInFrame(foot, place) == pytest.approx(expected)
    body = robot.getBodyIdx("LF_SHANK")
    assert robot.getPositionInBodyCoordinate(body, robot.getPosition(body, place)) == pytest.approx(place)
    for name in ("LF_SHANK_TO_FOOT", "LF_KFE"):  # position and orientation are in the axes of parentId
        frame = robot.getFrameByName(name)
        assert robot.getPosition(frame.parentId, frame.position) == pytest.approx(
            robot.getFramePosition(name)
        )
        turn = robot.getOrientation(frame.parentId) @ frame.orientation
        assert turn == pytest.approx(robot.getFrameOrientation(name))


def test_joints_by_the_number_of_their_body(robot):
    moving(robot)
    bodies, parents = len(robot.getBodyNames()), robot.getParentVector()
    lists = robot.getJointPos_P(), robot.getJointOrientation_P(), robot.getJointAxis_P()
    assert [len(one) for one in lists] == [bodies] * 3
    for k in range(1, bodies):
        place, turn, axis = (one[k] for one in lists)
        parent = robot.getOrientation(parents[k])
        assert robot.getPosition(parents[k], place) == pytest.approx(robot.getPosition(k))
        assert parent @ axis == pytest.approx(robot.getJointAxis(k))
        # The joint turns the link about its axis, from its pose at 0 on.
        moved = (parent @ turn).T @ robot.getOrientation(k)
        assert moved @ (turn.T @ axis) == pytest.approx(turn.T @ axis)
    names = robot.getMovableJointNames()
    for name, axis in zip(names[-12:], lists[2][1:], strict=True):
        assert robot.getJoint(name).getJointAxis() == pytest.approx(axis)


def test_an_axis_is_in_axes_of_the_parent(world):
    """The joint is turned by a right angle about z: its x is the parent's y."""
    turned = BALL_JOINT.replace(
        '<child link="first"/><axis xyz="0 0 1"/>',
        '<child link="first"/><origin rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/>',
    )
    robot = world.addArticulatedSystem(turned)
    assert robot.getJointAxis_P()[1] == pytest.approx([0, 1, 0])
    assert robot.getJoint("swing").getJointAxis() == pytest.approx([0, 1, 0])
    assert robot.getJointOrientation_P()[1] == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]))


def test_masses_are_listed_by_body(robot):
    moving(robot)
    masses, whole = robot.getMass(), robot.tribo
    assert masses == [robot.getMass(k) for k in range(robot.getNumberOfJoints())]
    assert robot.getTotalMass() == pytest.approx(sum(masses))
    robot.setMass([2.0 * mass for mass in masses])
    assert robot.getMass() == pytest.approx([2.0 * mass for mass in masses])
    robot.masses = masses
    assert robot.masses == masses
    with pytest.raises(ValueError, match="13"):
        robot.setMass([1.0])
    mass, com, inertia = robot.getCompositeMass(), robot.getCompositeCOM(), robot.getCompositeInertia()
    assert (len(mass), len(com), len(inertia)) == (13, 13, 13)
    assert mass[0] == pytest.approx(whole.mass)
    assert com[0] == pytest.approx(whole.com_position)
    assert inertia[0] == pytest.approx(whole.composite_inertia)
    assert robot.get_composite_com() == pytest.approx(com[0])  # of the whole robot in the older dialect
    assert robot.get_composite_inertia() == pytest.approx(inertia[0])
    # A leg: hip, thigh and shank; Σ (R I Rᵀ + m (r² 1 − r rᵀ)) about their common centre of mass.
    leg = [robot.getBodyIdx(name) for name in ("LF_HIP", "LF_THIGH", "LF_SHANK")]
    centre = sum(masses[k] * robot.getBodyCOM_W(k) for k in leg) / sum(masses[k] for k in leg)
    about = np.zeros((3, 3))
    for k in leg:
        turn, arm = robot.getOrientation(k), robot.getBodyCOM_W(k) - centre
        about += turn @ robot.getInertia(k) @ turn.T + masses[k] * (
            arm @ arm * np.eye(3) - np.outer(arm, arm)
        )
    assert mass[leg[0]] == pytest.approx(sum(masses[k] for k in leg))
    assert com[leg[0]] == pytest.approx(centre)
    assert inertia[leg[0]] == pytest.approx(about)


def test_orientations_in_all_forms(robot):
    """Roll, pitch and yaw about fixed axes: R = R_z R_y R_x."""
    half = 0.5 * np.array([0.3, -0.2, 0.5])
    (cr, cp, cy), (sr, sp, sy) = np.cos(half), np.sin(half)
    q = np.array([
        cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
    ])  # fmt: skip
    robot.setBaseOrientation([0.3, -0.2, 0.5])
    turn = robot.get_base_rotation_matrix()
    assert robot.getBaseOrientation() == pytest.approx(q)
    for given in (q, turn):
        robot.setBaseOrientation([1, 0, 0, 0])
        robot.setBaseOrientation(given)
        assert robot.get_base_rotation_matrix() == pytest.approx(turn)
    trunk = [body.getName() for body in robot.getCollisionBodies()].index("trunk/0")
    robot.setBaseOrientation([1, 0, 0, 0])
    robot.setCollisionBodyOrientationOffset(trunk, [0.3, -0.2, 0.5])
    assert robot.getVisColObOrientation(trunk) == pytest.approx(q)
    assert robot.getVisualObjectOrientation(0).shape == (4,)


def quaternion_product(a, b):
    w, x, y, z = a
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ b


def test_rates_of_sparse_jacobians(world, robot):
    """dJ/dt v is the acceleration of a point that moves along at v: by central differences of J."""
    q, v = moving(robot)
    body, point = robot.getBodyIdx("LF_SHANK"), [0, 0, -0.1]
    place, axes = robot.getPosition(body, point), robot.Frame
    rate = robot.getTimeDerivativeOfSparseJacobian(body, place).toDense(18)
    assert rate == pytest.approx(robot.tribo.frame("LF_SHANK").jacobian_rate(point))
    for frame, at in ((axes.WORLD_FRAME, place), (axes.BODY_FRAME, point)):
        found = robot.getTimeDerivativeOfSparseJacobian(body, frame, at).toDense(18)
        assert found == pytest.approx(rate)
    ends_of = []
    for step in (-1e-5, 1e-5):
        half = np.concatenate([[0.0], 0.5 * step * v[3:6]])  # of the quaternion: dq = ω q / 2, ω in the world
        turn = q[3:7] + quaternion_product(half, q[3:7])
        moved = np.concatenate([q[:3] + step * v[:3], turn / np.linalg.norm(turn), q[7:] + step * v[6:]])
        ends_of.append(robot.tribo.at(moved, v))
    ends = [state.frame("LF_SHANK").jacobian(point) for state in ends_of]
    assert rate == pytest.approx((ends[1] - ends[0]) / 2e-5, abs=1e-7)
    turn = robot.getTimeDerivativeOfSparseRotationalJacobian(body)
    assert turn.size() == len(turn.idx) == 9
    dense = robot.convertSparseJacobianToDense(robot.getSparseRotationalJacobian(body), 18)
    assert dense == pytest.approx(robot.getDenseRotationalJacobian(body))


def test_dynamics(world, robot):
    robot.setGeneralizedVelocity(np.arange(18) * 0.1)
    mass, v = robot.getMassMatrix(), robot.getGeneralizedVelocity()
    assert robot.massMatrixVecMul(v) == pytest.approx(mass @ v)
    jacobian = robot.getDenseJacobian(3, [0.1, 0.2, 0.3])
    assert robot.getMinvJT(jacobian) == pytest.approx(np.linalg.solve(mass, jacobian.T), abs=1e-9)
    h = robot.getNonlinearities(world.getGravity())
    moon = robot.getNonlinearities([0, 0, -1.62])
    # Gravity is linear: h(g) = C v − Σ m Jᵀ g
    world.setGravity([0, 0, -1.62])
    assert moon == pytest.approx(robot.getNonlinearities(), abs=1e-9)
    assert h[2] - moon[2] == pytest.approx(robot.getTotalMass() * (9.81 - 1.62))
    assert robot.getKineticEnergy() == pytest.approx(0.5 * v @ mass @ v)
    assert robot.articulatedBodyAlgorithm(h * 0 + moon) == pytest.approx(np.zeros(18), abs=1e-8)
    com = robot.getCOM()
    assert robot.getPotentialEnergy([0, 0, -9.81]) == pytest.approx(robot.getTotalMass() * 9.81 * com[2])
    assert robot.getAngularMomentum(com) == pytest.approx(robot.tribo.angular_momentum_about(com))


def test_forces_on_links(world, robot):
    world.setGravity([0, 0, 0])
    frames = robot.Frame
    foot = robot.getBodyIdx("LF_SHANK")
    robot.setExternalForce(foot, frames.WORLD_FRAME, [0, 0, 3.0], frames.BODY_FRAME, [0, 0, -0.2])
    robot.setExternalForce(0, [1.0, 0, 0])
    robot.setExternalTorqueInBodyFrame(0, [0, 0, 1.0])
    robot.setExternalForce("RF_SHANK", [0, 2.0, 0])
    world.integrate()
    assert robot.getLinearMomentum() == pytest.approx(np.array([1.0, 2.0, 3.0]) * 0.005)


def test_a_force_on_a_frame_acts_at_its_origin(world, robot):
    """Δv = M⁻¹ Jᵀ f Δt, with the Jacobian of the frame's origin; a body's number means its centre of mass."""
    world.setGravity([0, 0, 0])
    world.setTimeStep(1e-5)
    q, v = moving(robot)
    force, state = np.array([3.0, -2.0, 5.0]), robot.tribo.at(q, v)
    shank = robot.getBodyIdx("LF_SHANK")

    def change(*given):
        robot.setState(q, v)
        if given:
            robot.setExternalForce(*given)
        world.integrate()
        return (robot.getGeneralizedVelocity() - v) / 1e-5

    free, com = change(), robot.getBodyCOM_B(shank)
    foot, link = state.frame("LF_SHANK_TO_FOOT"), state.frame("LF_SHANK")
    axes = robot.Frame
    for given, jacobian in (
        (("LF_SHANK_TO_FOOT", force), foot.jacobian()),
        (("LF_SHANK_TO_FOOT", [0, 0, 0.1], force), foot.jacobian([0, 0, 0.1])),
        ((shank, force), link.jacobian(com)),
        ((shank, [0, 0, 0.1], force), link.jacobian([0, 0, 0.1])),
        (
            (shank, axes.WORLD_FRAME, force, axes.WORLD_FRAME, link.to_world([0, 0, 0.1])),
            link.jacobian([0, 0, 0.1]),
        ),
        ((shank, axes.BODY_FRAME, link.rotation_matrix.T @ force, axes.BODY_FRAME, com), link.jacobian(com)),
    ):
        expected = np.linalg.solve(state.mass_matrix, jacobian.T @ force)
        assert change(*given) - free == pytest.approx(expected, abs=2e-2)
    robot.setState(q, v)
    robot.setExternalForce("LF_SHANK_TO_FOOT", force)
    robot.clearExternalForcesAndTorques()
    world.integrate()
    assert (robot.getGeneralizedVelocity() - v) / 1e-5 == pytest.approx(free, abs=2e-2)


def test_edits_of_the_model(world, robot):
    body = robot.getBodyIdx("LF_THIGH")
    robot.setMass(body, 2.5)
    robot.setInertia(body, np.eye(3) * 0.1)
    robot.setLinkCOM(body, [0, 0, 0.1])
    robot.updateMassInfo()
    link = robot.getLink("LF_THIGH")
    assert (link.getWeight(), robot.getMass(body), robot.masses[body]) == (2.5, 2.5, 2.5)
    assert link.getComPositionInParentFrame() == pytest.approx([0, 0, 0.1])
    assert robot.getBodyCOM_W(body) == pytest.approx(robot.getPosition(body, [0, 0, 0.1]))
    link.setComPositionInParentFrame([0.0, 1.0, 0.0])
    assert robot.getBodyCOM_B(body) == pytest.approx([0, 1, 0])
    robot.setRotorInertia(np.full(18, 0.02))
    assert robot.getRotorInertia()[6:].tolist() == [0.02] * 12
    robot.setJointDamping(np.full(18, 0.3))
    robot.setActuationLimits(np.full(18, 5.0), np.full(18, -4.0))
    assert robot.getActuationUpperLimits()[7] == 5.0
    assert robot.getActuationLowerLimits()[7] == -4.0
    robot.setJointVelocityLimits(np.full(18, 7.0))
    assert robot.getJointVelocityLimits()[7] == 7.0
    limits = robot.getJointLimits()
    robot.setJointLimits([(-1.0, 1.0)] * len(limits))
    assert tuple(robot.getJointLimits()[0]) == (-1.0, 1.0)
    positions = robot.getJointPos_P()
    robot.setJointPos_P([p + 0.01 for p in positions])
    assert robot.joint_cartesian_positions[1] == pytest.approx(positions[1] + 0.01)


def test_shapes(world, robot):
    names = [body.getName() for body in robot.getCollisionBodies()]
    assert "LF_FOOT/0" in names
    robot.getCollisionBodies().get("LF_FOOT/0").material = "rubber"
    assert robot.getCollisionBody("LF_FOOT/0").material == "rubber"
    trunk = names.index("trunk/0")
    robot.setCollisionBodyShapeParameters(trunk, [0.6, 0.2, 0.1])
    assert robot.tribo.collision_body("trunk/0").size == pytest.approx((0.3, 0.1, 0.05))
    robot.setCollisionObjectPositionOffset(trunk, [0, 0, 0.1])
    assert robot.getVisColObPosition(trunk) == pytest.approx([0, 0, 1.1])
    robot.ignoreCollisionBetween(robot.getBodyIdx("LF_SHANK"), robot.getBodyIdx("RF_SHANK"))
    assert any({"LF_SHANK", "RF_SHANK"} == set(pair) for pair in robot.getIgnoredCollisionPairs())
    definition = robot.getLink("LF_SHANK").getCollisionDefinition()[0]
    definition.setCollisionGroup(8)
    assert definition.getCollisionGroup() == 8
    assert len(robot.getVisOb()) > 0
    assert robot.getVisObPose(0)[0].shape == (3,)


def test_joints_know_their_place(world, robot):
    joint = robot.getJoint("LF_KFE")
    assert joint.getType() == raisim.JointType.REVOLUTE
    assert joint.getIdxInGeneralizedCoordinate() == 9
    assert joint.getJointAngle() == STANCE[2]
    assert robot.getGeneralizedVelocityIndex(robot.getBodyIdx("LF_SHANK")) == 8
    starts = robot.getMappingFromBodyIndexToGeneralizedCoordinateIndex()
    assert starts[:4] == [0, 7, 8, 9]
    assert robot.getMappingFromBodyIndexToGeneralizedVelocityIndex()[:4] == [0, 6, 7, 8]
    assert robot.getParentVector()[1:4] == [0, 1, 2]


def test_contacts_name_the_body(world, robot):
    world.addGround()
    robot.setBasePos(0, 0, 0.45)
    robot.setPdGains(np.full(18, 200.0), np.full(18, 5.0))
    robot.setPdTarget(robot.getGeneralizedCoordinate(), np.zeros(18))
    for _ in range(200):
        world.integrate()
    names = {robot.getBodyNames()[c.getlocalBodyIndex()] for c in robot.getContacts()}
    assert names == {"LF_SHANK", "RF_SHANK", "LH_SHANK", "RH_SHANK"}
    lift = sum(
        (1 if c.isObjectA() else -1) * (c.getContactFrame().T @ c.getImpulse())[2]
        for c in robot.getContacts()
    )
    assert lift / world.getTimeStep() == pytest.approx(robot.getTotalMass() * 9.81, rel=1e-2)


def test_options(world):
    options = raisim.ArticulatedSystemOption()
    options.do_not_collide_with_parent = False
    options.setCollisionMeshMode(raisim.MeshCollisionMode.CONVEX_HULL)
    robot = world.addArticulatedSystem(str(QUADRUPED), "", [], 2, 5, options)
    assert robot.getOptions().doNotCollideWithParent is False
    assert (robot.tribo.collision_group, robot.tribo.collision_mask) == (2, 5)


def test_descriptions(world, robot, tmp_path):
    assert robot.getRobotDescriptionfFileName() == "quadruped.urdf"
    assert robot.getRobotDescriptionfTopDirName() == "assets"
    assert robot.getRobotDescription().lstrip().startswith("<")
    robot.exportRobotDescriptionToURDF(str(tmp_path / "robot.urdf"))
    again = world.addArticulatedSystem(str(tmp_path / "robot.urdf"))
    assert again.getDOF() == 18


def test_reactions_at_joints(world, robot):
    """A robot that falls freely carries nothing in its joints but what its drives give."""
    world.integrate()
    assert robot.getForceAtJointInWorldFrame("LF_KFE") == pytest.approx(np.zeros(3), abs=1e-9)
    assert robot.getTorqueAtJointInWorldFrame("LF_KFE").shape == (3,)
