"""A height map that nothing touches, besides one that carries a ball."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
hills = world.addHeightMap(3, 3, 4.0, 4.0, 0.0, 0.0, np.zeros(9))
server = raisim.RaisimServer(world)
server.launchServer()
shown = server.addVisualHeightMap("shown", 3, 3, 4.0, 4.0, 6.0, 0.0, np.arange(9.0))
ball = world.addSphere(0.2, 1.0)
ball.setPosition(0.3, 0.1, 0.2)
for _ in range(50):
    server.integrateWorldThreadSafe()
assert abs(ball.getPosition()[2] - 0.2) < 1e-4
shown.update(np.zeros(9))
assert len(world.getObjList()) == 2
hills.update(0.0, 0.0, 4.0, 4.0, np.full(9, 0.5))
assert hills.getHeight(0.1, 0.1) == 0.5
server.removeVisualHeightMap("shown")
