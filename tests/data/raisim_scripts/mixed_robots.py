"""Two robots; between the halves of a step their Jacobians give what a controller needs."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.002)
world.addGround()
robots = []
for k in range(2):
    robot = world.addArticulatedSystem(URDF)
    robot.setState(
        [2.0 * k, 0, 0.9, 1, 0, 0, 0, 0, 0.5, -1, 0, 0.5, -1, 0, -0.5, 1, 0, -0.5, 1], np.zeros(18)
    )
    robots.append(robot)
robots[0].setControlMode(raisim.ControlMode.FORCE_AND_TORQUE)
for _ in range(50):
    world.integrate1()
    for robot in robots:
        body = robot.getBodyIdx("LF_SHANK")
        u = robot.getGeneralizedVelocity()
        point = robot.getPosition(body, [0.0, 0.0, -0.2])
        dense = robot.getDenseJacobian(body, point)
        sparse = robot.getSparseJacobian(body, point)
        assert np.allclose(sparse.toDense(robot.getDOF()), dense)
        assert np.allclose(dense @ u, robot.getVelocity(body, [0.0, 0.0, -0.2]))
        assert np.allclose(robot.getDenseRotationalJacobian(body) @ u, robot.getAngularVelocity(body))
        frame = robot.getFrameIdxByName("LF_SHANK_TO_FOOT")
        assert robot.getFramePosition(frame).shape == (3,)
        gravity = robot.getNonlinearities(world.getGravity())
        assert np.allclose(robot.getMassMatrix() @ robot.getInverseMassMatrix(), np.eye(18), atol=1e-8)
        robot.setGeneralizedForce(np.concatenate([np.zeros(6), gravity[6:]]))
    world.integrate2()
# Both fall freely: their centres of mass have fallen g t² / 2.
fallen = 0.5 * 9.81 * 0.1**2
for robot in robots:
    assert abs(robot.getBasePosition()[2] - (0.9 - fallen)) < 0.02
    assert np.isclose(robot.getTotalMass(), robot.getCompositeMass()[0])
    assert np.isclose(robot.getTotalMass(), sum(robot.getMass()))
