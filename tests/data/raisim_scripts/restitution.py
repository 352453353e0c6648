"""Three balls fall on steel and rebound with c_r (v − r_th)."""

import raisimpy as raisim

world = raisim.World()
world.setTimeStep(0.001)
world.addGround(0, "steel")
balls = {}
for x, (name, restitution) in enumerate([("steel", 0.95), ("rubber", 0.15), ("copper", 0.65)]):
    ball = world.addSphere(0.5, 1.0, name)
    ball.setPosition(2.0 * x - 2.0, 0, 1.5)
    ball.setVelocity(0, 0, 0, 0, 0, 0)
    world.setMaterialPairProp("steel", name, 0.8, restitution, 0.001)
    balls[name] = (ball, restitution)
fastest = dict.fromkeys(balls, 0.0)
for _ in range(600):
    world.integrate()
    for name, (ball, _e) in balls.items():
        v, gap = ball.getLinearVelocity()[2], max(0.0, ball.getPosition()[2] - 0.5)
        if v > 0.0:  # its speed where the gap is closed
            fastest[name] = max(fastest[name], (v * v + 2.0 * 9.81 * gap) ** 0.5)
impact = (2.0 * 9.81 * 1.0) ** 0.5
for name, (_ball, e) in balls.items():
    assert abs(fastest[name] - e * (impact - 0.001)) < 1e-8, name
