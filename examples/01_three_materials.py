"""Three balls of different materials fall on steel: each pair has its own contact law.

The rebound speed is e · max(0, v − r_th), so from 4.5 m the steel ball comes back to 4.06 m, the rubber
one (this rubber is tired) to 0.10 m and the copper one to 1.90 m.
"""

import tribo

GRAVITY, DROP, RADIUS = 9.81, 4.5, 0.5
RESTITUTION = {"steel": 0.95, "rubber": 0.15, "copper": 0.65}

world = tribo.World(time_step=1e-3)
world.add_ground(material="steel")
balls = {}
for k, (material, restitution) in enumerate(RESTITUTION.items()):
    world.set_material_pair(
        "steel", material, friction=0.8, restitution=restitution, restitution_threshold=0.001
    )
    balls[material] = world.add_sphere(
        RADIUS, 1.0, material, name=material, position=(2.0 * k, 0, DROP + RADIUS)
    )

print(world.explain_pair("steel", "rubber"))
print()

apex = dict.fromkeys(balls, 0.0)
has_bounced = dict.fromkeys(balls, False)
is_done = dict.fromkeys(balls, False)
while not all(is_done.values()):
    world.step()
    for material, ball in balls.items():
        rising = ball.linear_velocity[2] > 0.0
        has_bounced[material] |= bool(rising)
        is_done[material] |= bool(has_bounced[material] and not rising)
        if has_bounced[material] and not is_done[material]:
            apex[material] = ball.position[2] - RADIUS

print(f"{'material':<10}{'rebound [m]':>12}{'expected [m]':>14}")
for material, restitution in RESTITUTION.items():
    speed = restitution * ((2 * GRAVITY * DROP) ** 0.5 - 0.001)
    expected = speed**2 / (2 * GRAVITY)
    print(f"{material:<10}{apex[material]:>12.4f}{expected:>14.4f}")
    # The last sample that rises lies within a step of the top: at most g dt²/2 below it.
    assert -GRAVITY * world.time_step**2 / 2 - 1e-8 < apex[material] - expected < 1e-8
