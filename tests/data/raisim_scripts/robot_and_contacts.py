"""A quadruped under PD: dynamics, Jacobians, contacts, groups; as RaiSim's robot example goes."""

import numpy as np
import raisimpy as raisim

raisim.World.setLicenseFile("/home/user/.raisim/activation.raisim")
world = raisim.World()
world.setTimeStep(0.001)
world.setMaterialPairProp("default", "ice", 0.05, 0.0, 0.0)
server = raisim.RaisimServer(world)
ground = world.addGround(0.0, "default")
ground.setAppearance("hidden")

robot = world.addArticulatedSystem(URDF)
robot.setName("robot")
nominal = np.array([0, 0, 0.54, 1, 0, 0, 0] + [0.0, 0.5, -1.0] * 2 + [0.0, -0.5, 1.0] * 2)
robot.setGeneralizedCoordinate(nominal)
robot.setGeneralizedVelocity(np.zeros([robot.getDOF()]))
robot.setPdGains(200 * np.ones([18]), np.ones([18]) * 3)
robot.setPdTarget(nominal, np.zeros([18]))
robot.setGeneralizedForce(np.zeros(18))
server.launchServer(8080)
server.focusOn(robot)

ball = world.addSphere(0.1, 0.5, "ice", raisim.COLLISION(2), raisim.COLLISION(2) | raisim.COLLISION(63))
ball.setPosition(np.array([0, 2.0, 0.5]))
ball.setAppearance("1, 0, 0, 0.5")
foot = robot.getBodyIdx("LF_SHANK")
frame = robot.getFrameIdxByName("LF_SHANK_TO_FOOT")
robot.getCollisionBody("LF_FOOT/0").setMaterial("ice")
robot.printOutBodyNamesInOrder()
robot.printOutFrameNamesInOrder()

total = np.zeros(3)
for i in range(600):
    server.integrateWorldThreadSafe()
    if i < 599:
        continue
    for contact in robot.getContacts():
        if contact.skip():
            continue
        force = contact.getContactFrame().T @ contact.getImpulse() / world.getTimeStep()
        total += force if contact.isObjectA() else -force
        assert world.getObject(contact.getPairObjectIndex()).getName() == ground.getName()
        assert contact.getPairObjectBodyType() == raisim.BodyType.STATIC
        if contact.getlocalBodyIndex() == foot:
            pair = world.getMaterialPairProp("ice", "default")
            assert pair.c_f == 0.05
assert abs(total[2] / (9.81 * sum(robot.getMass(k) for k in range(robot.getNumberOfJoints()))) - 1) < 0.1
M, h = robot.getMassMatrix(), robot.getNonlinearities(world.getGravity())
assert M.shape == (18, 18)
assert h.shape == (18,)
J = robot.getDenseFrameJacobian("LF_SHANK_TO_FOOT")
Jr = robot.getDenseFrameRotationalJacobian("LF_SHANK_TO_FOOT")
gc, gv = robot.getState()
assert np.allclose(J @ gv, robot.getFrameVelocity(frame))
assert np.allclose(Jr @ gv, robot.getFrameAngularVelocity("LF_SHANK_TO_FOOT"))
pos, rot = robot.getFramePosition(frame), robot.getFrameOrientation(frame)
assert pos.shape == (3,)
assert rot.shape == (3, 3)
assert abs(robot.getBaseOrientation()[0]) > 0.9
assert np.allclose(robot.getPositionInFrame(frame, [0, 0, 0.1]), pos + 0.1 * rot[:, 2])
robot.setBasePos(np.array([0, 0, 1.0]))
robot.setBaseVelocity(np.zeros(3))
robot.setExternalForce(robot.getBodyIdx("trunk"), np.array([0, 0, 10.0]))
robot.setExternalTorque(0, np.array([0, 0, 1.0]))
world.integrate1()
world.integrate2()
hits = world.rayTest(np.array([0, 2.0, 3.0]), np.array([0, 0, -1.0]), 10.0)
for k in range(hits.size()):
    assert hits.at(k).getObject() is ball
limits = robot.getJointLimits()
assert len(limits) == 12
assert len(limits[0]) == 2
names = [o.getName() for o in world.getObjList()]
assert "robot" in names
server.killServer()
