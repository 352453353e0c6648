"""A script of RaiSim as it stands, in both of its dialects: a ball is thrown onto a moving platform."""

import numpy as np

import tribo.raisimpy as raisim


def in_camel_case() -> np.ndarray:
    """Throw the ball as RaiSim 1.1 to 2.3 spell it."""
    world = raisim.World()
    world.setTimeStep(0.002)
    world.addGround(0.0, "floor")
    platform = world.addBox(4, 1, 0.2, 1.0, "wood")
    platform.setBodyType(raisim.BodyType.KINEMATIC)
    platform.setPosition(0, 0, 0.5)
    platform.setVelocity([0.5, 0, 0], [0, 0, 0])
    ball = world.addSphere(0.1, 1.0, "rubber")
    ball.setPosition(0, 0, 1.0)
    world.setMaterialPairProp("wood", "rubber", 0.8, 0.3, 0.01, 0.9, 0.001, 0.05, 0.02)

    server = raisim.RaisimServer(world)  # server.launchServer() shows it in the browser
    mark = server.addVisualSphere("mark", 0.05, 1, 0, 0, 1)
    for _ in range(1500):
        server.integrateWorldThreadSafe()
        mark.setPosition(ball.getPosition())
    (contact,) = ball.getContacts()
    assert world.getObject(contact.getPairObjectIndex()) is platform
    return ball.getLinearVelocity() - platform.getLinearVelocity()


def in_snake_case() -> np.ndarray:
    """Do the same as RaiSim 0.6 to 1.0 spell it."""
    world = raisim.World()
    world.set_time_step(0.002)
    world.add_ground(0.0, "floor")
    platform = world.add_box(4, 1, 0.2, 1.0, "wood")
    platform.set_body_type(raisim.BodyType.KINEMATIC)
    platform.set_position(0, 0, 0.5)
    platform.set_velocity([0.5, 0, 0], [0, 0, 0])
    ball = world.add_sphere(0.1, 1.0, "rubber")
    ball.set_position(0, 0, 1.0)
    world.set_material_pair_properties("wood", "rubber", 0.8, 0.3, 0.01, 0.9, 0.001, 0.05, 0.02)
    for _ in range(1500):
        world.integrate()
    return ball.get_linear_velocity() - platform.get_linear_velocity()


slip, other = in_camel_case(), in_snake_case()
assert np.abs(slip).max() < 1e-6  # rolling friction has brought it to rest on the platform
assert np.array_equal(slip, other)
print("the ball rides on the platform, in both dialects, bit for bit")
