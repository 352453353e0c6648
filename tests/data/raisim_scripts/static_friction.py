"""Boxes that static friction holds: pulled with 5 N they stand."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.001)
world.setMaterialPairProp("default", "steel", 0.8, 0.0, 0.0, 0.95, 0.001)
world.setMaterialPairProp("default", "glass", 0.4, 0.0, 0.0, 0.95, 0.001)
ground = world.addGround()
sunk = world.addBox(1, 1, 1, 1.0, "steel")
sunk.setPosition(0, 0, 0.499)
box = world.addBox(1, 1, 1, 1.0, "glass")
box.setPosition(0, 3, 0.5)
for _ in range(1000):
    sunk.setExternalForce(0, [5.0, 0, 0])
    box.setExternalForce(0, [5.0, 0, 0])
    world.integrate()
# 5 N lie between 0.4 · 9.81 N, at which glass would slide on, and 0.95 · 9.81 N.
assert np.abs(box.getLinearVelocity()).max() < 1e-9
assert abs(box.getPosition()[0]) < 1e-9
# The other one starts 1 mm in the ground; it rises and stands, too.
assert np.abs(sunk.getLinearVelocity()).max() < 1e-9
assert abs(sunk.getPosition()[0]) < 1e-9
