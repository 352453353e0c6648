"""Shapes, lines and a ghost of a robot, all only drawn."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
server = raisim.RaisimServer(world)
sphere = server.addVisualSphere("sphere", 0.2, 1, 0, 0, 1)
box = server.addVisualBox("box", 0.2, 0.3, 0.4, 0, 1, 0, 1)
cylinder = server.addVisualCylinder("cylinder", 0.1, 0.5, 0, 0, 1, 1)
capsule = server.addVisualCapsule("capsule", 0.1, 0.5, 0, 0, 1, 0.5)
arrow = server.addVisualArrow("arrow", 0.1, 1.0)
line = server.addVisualPolyLine("line")
ghost = server.addVisualArticulatedSystem("ghost", URDF, 0.5, 0.5, 1, 0.5)
server.launchServer()
for step in range(10):
    for k, thing in enumerate([sphere, box, cylinder, capsule, arrow]):
        thing.setPosition(k, 0.1 * step, 1.0)
        thing.setOrientation([1, 0, 0, 0])
    line.addPoint([0.1 * step, 0, 1])
    server.integrateWorldThreadSafe()
sphere.setSphereSize(0.3)
box.setBoxSize(1, 1, 1)
sphere.setColor(0, 1, 0, 1)
ghost.setGeneralizedCoordinate(np.array([0, 0, 1, 1, 0, 0, 0] + [0] * 12))
assert np.allclose(server.getVisualObject("arrow").getPosition(), [4, 0.9, 1])
assert len(line.points) == 10
assert sphere.size == (0.3,)
line.clearPoints()
server.removeVisualPolyLine("line")
server.removeVisualObject("box")
server.killServer()
assert not server.isConnected()
