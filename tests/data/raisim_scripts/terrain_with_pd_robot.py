"""A quadruped under PD stands on fractal hills."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.002)
terrain = raisim.TerrainProperties()
terrain.frequency = 0.2
terrain.xSize = terrain.ySize = 10.0
terrain.xSamples = terrain.ySamples = 30
terrain.zScale = 0.3
terrain.fractalOctaves = 3
terrain.fractalLacunarity = 2.0
terrain.fractalGain = 0.25
terrain.seed = 2
hills = world.addHeightMap(0.0, 0.0, terrain)
robot = world.addArticulatedSystem(URDF)
robot.setName("quadruped")

nominal = np.zeros(robot.getGeneralizedCoordinateDim())
nominal[:7] = 0, 0, hills.getHeight(0.0, 0.0) + 0.6, 1, 0, 0, 0
nominal[7:] = [0, 0.5, -1, 0, 0.5, -1, 0, -0.5, 1, 0, -0.5, 1]
p, d = np.full(robot.getDOF(), 100.0), np.full(robot.getDOF(), 2.0)  # the base's have no effect
robot.setGeneralizedCoordinate(nominal)
robot.setGeneralizedForce(np.zeros(robot.getDOF()))
robot.setPdGains(p, d)
robot.setPdTarget(nominal, np.zeros(robot.getDOF()))
server = raisim.RaisimServer(world)
server.launchServer()
server.focusOn(robot)
for _ in range(500):
    server.integrateWorldThreadSafe()

position, velocity = robot.getState()
assert 0.2 < position[2] - hills.getHeight(position[0], position[1]) < 0.6
assert np.abs(velocity).max() < 0.5
feet = {robot.getBodyNames()[contact.getlocalBodyIndex()] for contact in robot.getContacts()}
assert len(feet) >= 3
assert (hills.getXSamples(), hills.getYSize()) == (30, 10.0)
