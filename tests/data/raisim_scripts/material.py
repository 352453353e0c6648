"""Pairs of materials, a manager, what a robot's shapes are made of."""

import raisimpy as raisim

world = raisim.World()
ground = world.addGround(0.0, "floor")
world.setDefaultMaterial(0.5, 0.1, 0.02)
world.setMaterialPairProp("rubber", "floor", 0.9, 0.0, 0.0, 1.1, 1e-3, 0.05, 0.02)
found = world.getMaterialPairProp("floor", "rubber")
assert (found.c_f, found.c_static_f, found.c_rolling_f, found.c_spinning_f) == (0.9, 1.1, 0.05, 0.02)
assert world.getMaterialPairProperties("floor", "wood").c_r == 0.1
robot = world.addArticulatedSystem(URDF)
robot.getCollisionBody("LF_FOOT/0").setMaterial("rubber")
assert robot.getCollisionBody("LF_FOOT/0").getMaterial() == "rubber"
pair = world.getMaterialPairProp(
    robot.getCollisionBody("LF_FOOT/0").getMaterial(), ground.getCollisionObject().getMaterial()
)
assert pair.c_f == 0.9
manager = raisim.MaterialManager()
manager.setMaterialPairProp("ice", "floor", 0.01, 0.0, 0.0)
manager.setDefaultMaterialProperties(0.3, 0.0, 0.0)
world.updateMaterialProp(manager)
assert world.getMaterialPairProp("ice", "floor").c_f == 0.01
assert world.getMaterialPairProp("wood", "glass").c_f == 0.3
assert world.getMaterialPairProp("rubber", "floor").c_f == 0.9
