"""Meshes of shapes, a compound, terrain of given heights, visuals: what RaiSim's primitive examples use."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.002)
world.setERP(0.2, 0.0)
world.setDefaultMaterial(0.6, 0.0, 0.0)
heights = [0.05 * np.sin(0.3 * i) for i in range(400)]
hm = world.addHeightMap(20, 20, 10.0, 10.0, 0.0, 0.0, heights)
hm.setAppearance("soil1")
named = world.addHeightMap(
    x_samples=20, y_samples=20, x_scale=10.0, y_scale=10.0, x_center=30.0, y_center=0.0, heights=heights
)
assert np.isclose(named.getHeight(30.5, 0.5), hm.getHeight(0.5, 0.5))

objects = []
for i in range(3):
    for j in range(3):
        if (i + j) % 3 == 0:
            ob = world.addBox(0.3, 0.3, 0.3, 1.0, "wood")
        elif (i + j) % 3 == 1:
            ob = world.addCapsule(0.1, 0.3, 1.0)
        else:
            ob = world.addCylinder(radius=0.15, height=0.3, mass=1.0)
        ob.setPosition(i - 1.0, j - 1.0, 1.0)
        ob.setOrientation(np.array([1, 0, 0, 0]))
        ob.setVelocity(np.zeros(3), np.zeros(3))
        objects.append(ob)

children = []
for x in (-0.5, 0.5):
    child = raisim.CompoundObjectChild()
    child.objectType = raisim.ObjectType.SPHERE
    child.objectParam = [0.2, 0, 0, 0]
    child.material = "steel"
    child.appearance = "blue"
    child.trans.pos = np.array([x, 0, 0])
    child.trans.rot = np.eye(3)
    children.append(child)
dumbbell = world.addCompound(children, 2.0, np.zeros(3), np.diag([0.1, 0.6, 0.6]))
dumbbell.setPosition(0, 3.0, 1.0)
wall = world.addBox(0.1, 2, 2, 10)
wall.setBodyType(raisim.BodyType.KINEMATIC)
wall.setPosition(-4, 0, 1)
wall.setLinearVelocity(np.array([0.5, 0, 0]))

server = raisim.RaisimServer(world)
server.launchServer()
sphere = server.addVisualSphere("v_sphere", 0.1, 1, 0, 0, 1)
box = server.addVisualBox("v_box", 1, 1, 1, 0, 1, 0, 0.5)
line = server.addVisualPolyLine("trace")
line.setColor(0, 0, 1, 1)
arrow = server.addVisualArrow("arrow", 0.1, 0.4, 1, 0, 0, 1)
ghost = server.addVisualArticulatedSystem("ghost", URDF, 0.5, 0.5, 0.5, 0.3)
ghost.setGeneralizedCoordinate(np.array([0, 5, 1, 1, 0, 0, 0] + [0] * 12))
graph = server.addTimeSeriesGraph("height", ["z0", "z1"], "time", "m")
bars = server.addBarChart("bars", ["a", "b"])
cloud = server.addPointCloud("cloud")
cloud.resize(10)
cloud.pointSize = 0.05
for k in range(10):
    cloud.position[k] = np.array([k, 0, 1.0])
many = server.addInstancedVisuals(
    "many", raisim.ShapeType.Sphere, np.array([0.1, 0.1, 0.1]), np.array([1, 0, 0, 1]), np.array([0, 1, 0, 1])
)
for k in range(5):
    many.addInstance(np.array([k, 1.0, 1.0]), np.array([1, 0, 0, 0]), np.ones(3), 0.2 * k)
server.lockVisualizationServerMutex()
server.unlockVisualizationServerMutex()
for step in range(400):
    server.integrateWorldThreadSafe()
    if step % 100 == 0:
        line.addPoint(objects[0].getPosition())
        sphere.setPosition(objects[0].getPosition())
        box.setOrientation(1, 0, 0, 0)
        graph.addDataPoints(world.getWorldTime(), np.array([objects[0].getPosition()[2], 0.5]))
        bars.setData(np.array([1.0, 2.0]))
        server.setCameraPositionAndLookAt(np.array([3, 3, 3.0]), np.zeros(3))
assert abs(wall.getPosition()[0] + 4 - 0.5 * 0.8) < 1e-9
for ob in objects:
    x, y, z = ob.getPosition()
    assert z - hm.getHeight(x, y) > 0.05
    assert ob.getLinearVelocity().shape == (3,)
    assert ob.getQuaternion().shape == (4,)
assert dumbbell.getContacts()
assert dumbbell.getObjectType() == raisim.ObjectType.COMPOUND
energy = dumbbell.getEnergy(world.getGravity())
assert np.isclose(energy, dumbbell.getKineticEnergy() + dumbbell.getPotentialEnergy(world.getGravity()))
count = world.getConfigurationNumber()
world.removeObject(objects.pop())
assert world.getConfigurationNumber() != count
server.removeVisualObject("v_box")
server.killServer()
world.exportToXml(FOLDER, "scene.xml")
again = raisim.World(FOLDER + "/scene.xml")
assert len(again.getObjList()) == len(world.getObjList())
