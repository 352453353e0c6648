"""A kinematic belt that is set back each step, as in RaiSim's treadmill: what lies on it moves with it."""

import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.002)
belt = world.addBox(20, 1, 0.1, 1.0)
belt.setBodyType(raisim.BodyType.KINEMATIC)
belt.setPosition(0, 0, 0.45)
belt.setLinearVelocity([-0.5, 0, 0])
box = world.addBox(0.2, 0.2, 0.2, 1.0)
box.setPosition(0, 0, 0.6)
for _ in range(500):
    belt.setPosition(0, 0, 0.45)
    world.integrate()
assert abs(box.getLinearVelocity()[0] + 0.5) < 1e-3
assert box.getPosition()[0] < -0.4
