"""Newton's cradle on stiff wires; a load on a compliant one; a load that a given tension bears."""

import numpy as np
import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.001)
world.setMaterialPairProp("steel", "steel", 0.1, 1.0, 0.0)
world.addGround()
pins, balls = [], []
for k in range(5):
    pin = world.addBox(0.1, 0.1, 0.1, 1.0)
    pin.setPosition(0.3 * k, 0.0, 3.0)
    pin.setBodyType(raisim.BodyType.STATIC)
    ball = world.addSphere(0.1499, 0.8, "steel")
    ball.setPosition(0.3 * k, 0.0, 1.0)
    world.addStiffWire(pin, 0, np.zeros(3), ball, 0, np.zeros(3), 2.0)
    pins.append(pin)
    balls.append(ball)
balls[0].setPosition(-2.0 * np.sin(0.3), 0.0, 3.0 - 2.0 * np.cos(0.3))

bar = world.addBox(3.0, 0.2, 0.2, 1.0)
bar.setPosition(0.5, 3.0, 5.0)
bar.setBodyType(raisim.BodyType.STATIC)
soft_load = world.addSphere(0.1, 2.0)
soft_load.setPosition(0.0, 3.0, 3.0 - 2.0 * 9.81 / 500.0)
soft = world.addCompliantWire(bar, 0, [-0.5, 0, 0], soft_load, 0, [0, 0, 0], 2.0, 500.0)
soft.setStretchType("BOTH")
load = world.addSphere(0.1, 2.0)
load.setPosition(1.0, 3.0, 3.0)
custom = world.addCustomWire(bar, 0, [0.5, 0, 0], load, 0, [0, 0, 0], 2.0)
custom.setTension(2.0 * 9.81)

server = raisim.RaisimServer(world)
server.launchServer()
fastest = 0.0
for _ in range(900):
    server.integrateWorldThreadSafe()
    fastest = max(fastest, balls[-1].getLinearVelocity()[0])

# By hand the last ball leaves with √(2 g L (1 − cos 0.3)); the gaps of 0.2 mm cost little of it.
assert abs(fastest / np.sqrt(2 * 9.81 * 2 * (1 - np.cos(0.3))) - 1.0) < 0.05
assert abs(soft.getStretch() - 2.0 * 9.81 / 500.0) < 1e-6
assert soft.getStretchType() == raisim.StretchType.BOTH
assert abs(load.getLinearVelocity()[2]) < 1e-9
assert len(world.getWires()) == 7
assert world.getWires()[0].getBody2() is balls[0]
