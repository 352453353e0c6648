"""A billiard shot aimed by derivatives through the collision: the ball that is hit stops at a place."""

import numpy as np

import tribo

RADIUS, STEPS = 0.0286, 750
PLACE = np.array([1.2, -0.25])

world = tribo.World(time_step=0.004)
world.impact = "propagate"  # balls meet at their own time, so that the way depends smoothly on the shot
world.add_ground(material="cloth")
world.set_material_pair("ivory", "ivory", friction=0.05, restitution=0.95)
world.set_material_pair("cloth", "ivory", friction=0.2, rolling_friction=0.05)
cue = world.add_sphere(RADIUS, 0.17, "ivory", position=(0, 0, RADIUS), name="cue")
ball = world.add_sphere(RADIUS, 0.17, "ivory", position=(0.5, 0, RADIUS), name="ball")
world.step(2)
table = world.snapshot()

speed, angle = 1.7, 0.04  # [m/s, rad] of the cue ball
for _ in range(12):
    world.restore(table)
    along = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-np.sin(angle), np.cos(angle)])
    cue.linear_velocity = (*(speed * along), 0.0)
    found = tribo.linearize(
        world, steps=STEPS, controls=(), objects=["cue"], step=1e-5,
        outputs=lambda batch: batch["ball"].position[:, :2],
    )  # fmt: skip
    world.step(STEPS)
    miss = ball.position[:2] - PLACE
    print(f"{speed:.6f} m/s at {angle:.6f} rad misses by {np.linalg.norm(miss):.2g} m")
    if np.linalg.norm(miss) < 1e-6:
        break
    columns = [found.names.index(f"v/cue/{name}") for name in ("vx", "vy")]
    by_shot = found.C[:, columns] @ np.stack([along, speed * across], axis=1)
    change = -np.linalg.solve(by_shot, miss)
    change = np.clip(change, (-0.3, -0.01), (0.3, 0.01))
    speed, angle = speed + change[0], angle + change[1]

assert np.linalg.norm(miss) < 1e-6
assert np.abs(ball.linear_velocity).max() < 1e-3  # it has stopped
