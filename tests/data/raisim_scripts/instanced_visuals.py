"""A grid of boxes that are only drawn."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
server = raisim.RaisimServer(world)
server.launchServer()
boxes = server.addInstancedVisuals("boxes", raisim.ShapeType.Box, [0.1, 0.1, 0.1], [1, 0, 0, 1], [0, 0, 1, 1])
for i in range(5):
    for j in range(5):
        boxes.addInstance([i, j, 0.5], [1, 0, 0, 0], [1, 1, 1], 0.0)
for step in range(20):
    for k in range(boxes.count()):
        boxes.setPosition(k, [k // 5, k % 5, 0.5 + 0.1 * np.sin(0.1 * step + k)])
        boxes.setColorWeight(k, k / 24.0)
    server.integrateWorldThreadSafe()
boxes.removeInstance(0)
assert boxes.count() == 24
assert boxes.getPosition(0)[1] == 1.0
assert boxes.getColorWeight(23) == 1.0
boxes.clearInstances()
assert boxes.count() == 0
