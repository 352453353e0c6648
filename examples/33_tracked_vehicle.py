"""Two belts drive a hull: straight on at their speed, on the spot if they run against each other."""

import math

import tribo

SPEED, WIDTH = 0.5, 0.6

world = tribo.World()
world.set_material_pair("ground", "belt", friction=0.8)
world.add_ground(material="ground")
hull = world.add_box((0.8, 0.4, 0.2), mass=20.0, position=(0, 0, 0.25), name="hull")
tracks = []
for side in (1, -1):
    track = world.add_box(
        (1.0, 0.15, 0.2),
        mass=5.0,
        material="belt",
        position=(0, 0.5 * side * WIDTH, 0.1),
        name=f"track {side}",
    )
    world.add_weld(hull, track, collide=False)
    tracks.append(track)

for track in tracks:
    track.belt_velocity = (0, SPEED, 0)
world.step(2000)
start = hull.position[0]
world.step(1000)
print(f"straight on: {hull.position[0] - start:.4f} m in 1 s, the belts run at {SPEED} m/s")
assert abs(hull.position[0] - start - SPEED) < 1e-3
assert abs(hull.position[1]) < 1e-3

tracks[0].belt_velocity = (0, -SPEED, 0)  # the left one back, the right one on: it turns to the left
world.step(1000)
rate = hull.angular_velocity[2]
most = 2 * SPEED / WIDTH
print(f"on the spot: {rate:.3f} rad/s, {most:.3f} rad/s if they did not have to slip sideways")
assert 0.0 < rate < most
assert math.hypot(*hull.linear_velocity[:2]) < 0.2 * SPEED
