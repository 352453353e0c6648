"""A cloud of points around a ball that falls."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
world.addGround()
ball = world.addSphere(0.2, 1.0)
ball.setPosition(0, 0, 2)
server = raisim.RaisimServer(world)
server.launchServer()
cloud = server.addPointCloud("cloud")
cloud.pointSize = 0.05
cloud.resize(100)
rng = np.random.default_rng(1)
offset = rng.normal(size=(100, 3))
for _ in range(20):
    server.integrateWorldThreadSafe()
    for k in range(100):
        cloud.position[k] = ball.getPosition() + offset[k]
        cloud.color[k] = [1.0, k / 100.0, 0.0]
assert np.allclose(cloud.position[7] - ball.getPosition(), offset[7])
server.removePointCloud("cloud")
assert server.getVisualObject("cloud") is None
