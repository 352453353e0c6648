"""90 rays from a ball; a wall is seen where it is."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
world.addGround()
eye = world.addSphere(0.1, 1.0)
eye.setPosition(0, 0, 1)
wall = world.addBox(0.2, 4, 2, 1.0)
wall.setPosition(3, 0, 1)
wall.setBodyType(raisim.BodyType.STATIC)
world.integrate1()
seen = 0
for angle in np.linspace(-np.pi, np.pi, 90, endpoint=False):
    hits = world.rayTest(eye.getPosition(), [np.cos(angle), np.sin(angle), 0.0], 10.0, eye.getIndexInWorld())
    if hits.size() > 0:
        assert hits.at(0).getObject() is wall
        assert abs(hits[0].getPosition()[0] - 2.9) < 1e-9
        seen += 1
assert seen == int(np.arctan2(2.0, 2.9) / (2.0 * np.pi / 90.0)) * 2 + 1
world.integrate()
