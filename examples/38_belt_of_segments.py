"""A track as it is built: pads, hinged to a belt round two wheels; a motor drives it over a bar.

Hinges and contacts give way a little, as those of a machine do. A belt of rigid hinges has more of them than
it needs, and each step then takes tens of times as long.
"""

import math

import tribo

PADS, RADIUS, BASE = 24, 0.15, 0.6  # [m] the wheels' radius and distance
THICK, WIDTH = 0.03, 0.4  # [m] of a pad
SPEED = 4.0  # [rad/s] of the driving wheel
HEIGHT = 1.0  # [m] of the axles
BAR = 0.05  # [m] high

world = tribo.World()
for other, friction in (("ground", 0.8), ("wheel", 1.0)):
    world.set_material_pair(other, "pad", youngs_modulus=1e6, spook_damping=0.005, friction=friction)
hull = world.add_box((0.5, 0.3, 0.1), 10.0, position=(0, 0, HEIGHT), collision_mask=0, collision_group=0)
wheels = []
for x in (-0.5 * BASE, 0.5 * BASE):
    sideways = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    wheel = world.add_cylinder(RADIUS, WIDTH, 5.0, "wheel", position=(x, 0, HEIGHT), orientation=sideways)
    world.add_hinge(hull, wheel, (x, 0, HEIGHT), (0, 1, 0), collide=False)
    wheels.append(wheel)
motor = world.add_motor(hull, wheels[0], (0, 1, 0), speed=0.0, max_force=200.0)
track = world.add_track(
    [tribo.TrackWheel(wheel, RADIUS) for wheel in wheels],
    pads=PADS, width=WIDTH, thickness=THICK, pad_mass=0.3, material="pad",
)  # fmt: skip
below = min(pad.position[2] for pad in track.pads) - 0.5 * THICK  # [m] height of the ground
world.add_ground(below, material="ground")

world.step(100)
motor.speed = SPEED
world.step(100)
start = hull.position.copy()
world.step(500)
speed = (hull.position[0] - start[0]) / 0.5
turn = 2.0 * math.atan(0.5 * track.pitch / (RADIUS + 0.5 * THICK))  # of the wheel for each pad
known = SPEED * track.pitch / turn  # each pad that comes round is a pitch on the ground
print(f"{track}: {speed:.3f} m/s, {known:.3f} m/s without any slip")
print(f"aside by {1e3 * hull.position[1]:.4f} mm, hinges open by at most {1e3 * track.opening:.3f} mm")
assert abs(speed / known - 1.0) < 0.03
assert abs(hull.position[1]) < 1e-4
assert track.opening < 1e-3
assert abs(hull.position[2] - HEIGHT) < 0.01

front = hull.position[0] + 0.5 * BASE + RADIUS
world.add_box(
    (0.2, 1.0, BAR), 1.0, "ground", position=(front + 0.2, 0, below + 0.5 * BAR), body_type="static"
)
highest = 0.0
for _ in range(60):
    world.step(50)
    highest = max(highest, float(hull.position[2]))
risen, went = highest - HEIGHT, hull.position[0] - front
print(f"over a bar of {1e3 * BAR:g} mm: {1e3 * risen:.0f} mm up, {went:.2f} m on")
assert risen > 0.5 * BAR
assert went > 0.2
assert track.opening < 1e-3
