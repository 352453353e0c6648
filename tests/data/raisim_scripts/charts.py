"""A ball bounces; a graph shows its height, bars its velocity."""

import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.002)
world.addGround()
ball = world.addSphere(0.2, 1.0, "rubber")
ball.setPosition(0, 0, 1.0)
world.setMaterialPairProp("default", "rubber", 0.8, 0.6, 0.01)

server = raisim.RaisimServer(world)
server.launchServer(8080)
graph = server.addTimeSeriesGraph("height", ["z", "vz"], "time", "m")
bars = server.addBarChart("velocity", ["x", "y", "z"])
for _ in range(200):
    server.integrateWorldThreadSafe()
    graph.addDataPoints(world.getWorldTime(), [ball.getPosition()[2], ball.getLinearVelocity()[2]])
    bars.setData(ball.getLinearVelocity())
server.killServer()

assert graph.getType() != bars.getType()
assert abs(world.getWorldTime() - 0.4) < 1e-9
# Fall from 0.8 m above the ground, seen before the first rebound at 0.404 s.
assert abs(ball.getPosition()[2] - (1.0 - 0.5 * 9.81 * 0.4**2)) < 1e-9
