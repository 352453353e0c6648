"""A track as it is built: pads, hinged to a belt round two wheels; a motor turns one and it drives off.

Hinges and contacts give way a little, as those of a machine do. A belt of rigid hinges has more of them than
it needs, and each step then takes tens of times as long.
"""

import itertools
import math

import numpy as np

import tribo

PADS, RADIUS, BASE, THICK, WIDTH = (
    24,
    0.15,
    0.6,
    0.03,
    0.4,
)  # [m] the wheels' radius and distance, pads
SPEED = 4.0  # [rad/s] of the driving wheel


def on_track(way, radius):
    """Return the point of two half circles and two straight runs at a way from its start, (x, z) [m]."""
    half = math.pi * radius
    side, along = divmod(way % (2 * (BASE + half)), BASE + half)
    angle = max(0.0, along - BASE) / radius  # on the half circle behind the straight run
    x = min(along, BASE) - 0.5 * BASE + radius * math.sin(angle)
    place = np.array([x, -radius * math.cos(angle)])
    return -place if side else place  # the upper run is the lower one, turned by half a turn


def belt(radius):
    """Return hinges of equal distance all round, (PADS, 2), and that distance."""
    whole, shortest, longest = 2 * (BASE + math.pi * radius), 0.01, 0.3
    for _ in range(50):
        pitch, way, points = 0.5 * (shortest + longest), 0.0, []
        for _ in range(PADS):
            points.append(on_track(way, radius))
            low, high = way, way + 2.0 * pitch
            for _ in range(50):
                way = 0.5 * (low + high)
                is_near = np.linalg.norm(on_track(way, radius) - points[-1]) < pitch
                low, high = (way, high) if is_near else (low, way)
        shortest, longest = (pitch, longest) if way < whole else (shortest, pitch)
    return np.array(points), pitch


outer = RADIUS + 0.5 * THICK  # of the hinges: pads touch the wheel with their middles
for _ in range(20):
    points, pitch = belt(outer)
    turn = 2.0 * math.asin(0.5 * pitch / outer)  # of the wheel for each pad
    outer = (RADIUS + 0.5 * THICK) / math.cos(0.5 * turn)
height = outer + 0.5 * THICK

world = tribo.World()
for other, friction in (("ground", 0.8), ("wheel", 1.0)):
    world.set_material_pair(
        other, "pad", youngs_modulus=1e6, spook_damping=0.005, friction=friction
    )
world.add_ground(material="ground")
hull = world.add_box(
    (0.5, 0.3, 0.1), 10.0, position=(0, 0, height), collision_mask=0, collision_group=0
)
wheels = []
for x in (-0.5 * BASE, 0.5 * BASE):
    sideways = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    wheel = world.add_cylinder(
        RADIUS, WIDTH, 5.0, "wheel", position=(x, 0, height), orientation=sideways
    )
    world.add_hinge(hull, wheel, (x, 0, height), (0, 1, 0), collide=False)
    wheels.append(wheel)
motor = world.add_motor(hull, wheels[0], (0, 1, 0), speed=0.0, max_force=200.0)
pads = []
for start, end in itertools.pairwise([*points, points[0]]):
    half = -0.5 * math.atan2(end[1] - start[1], end[0] - start[0])
    x, z = 0.5 * (start + end)
    pads.append(world.add_box((0.7 * pitch, WIDTH, THICK), 0.3, "pad", position=(x, 0, height + z),
                              orientation=(math.cos(half), 0, math.sin(half), 0)))  # fmt: skip
joints = []
for k, (x, z) in enumerate(points):
    joint = world.add_hinge(pads[k - 1], pads[k], (x, 0, height + z), (0, 1, 0), collide=False)
    joint.compliance, joint.angular_compliance = 1e-7, 1e-6
    joint.spook_damping = joint.angular_spook_damping = 0.01
    joints.append(joint)

world.step(100)
motor.speed = SPEED
world.step(100)
start = hull.position.copy()
world.step(500)
speed = (hull.position[0] - start[0]) / 0.5
known = SPEED * pitch / turn  # each pad that comes round is a pitch on the ground
gap = max(float(np.abs(joint.gap[:3]).max()) for joint in joints)
print(f"{PADS} pads of {1e3 * pitch:.1f} mm: {speed:.3f} m/s, {known:.3f} m/s without any slip")
print(f"aside by {1e3 * hull.position[1]:.4f} mm, hinges open by at most {1e3 * gap:.3f} mm")
assert abs(speed / known - 1.0) < 0.03
assert abs(hull.position[1]) < 1e-4
assert gap < 1e-3
assert abs(hull.position[2] - height) < 0.01
