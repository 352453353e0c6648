"""A platform of given velocity carries a box along."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.002)
platform = world.addBox(4, 2, 0.2, 1.0)
platform.setBodyType(raisim.BodyType.KINEMATIC)
platform.setPosition(0, 0, 0.5)
platform.setVelocity([0.5, 0, 0], [0, 0, 0])
box = world.addBox(0.2, 0.2, 0.2, 1.0)
box.setPosition(0, 0, 0.7)
for _ in range(500):
    world.integrate()
assert abs(platform.getPosition()[0] - 0.5) < 1e-9
assert abs(box.getLinearVelocity()[0] - 0.5) < 1e-6
assert box.getContacts()[0].getPairObjectBodyType() == raisim.BodyType.KINEMATIC
assert platform.getBodyType() == raisim.BodyType.KINEMATIC
force = sum(c.getContactFrame().T @ c.getImpulse() * (1 if c.isObjectA() else -1) for c in box.getContacts())
assert np.allclose(force / world.getTimeStep(), [0, 0, 9.81], atol=1e-6)
