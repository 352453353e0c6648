"""A robot with six legs, built in Python, walks; as URDF it is the same robot.

Run with the name of a picture to draw it: python examples/12_robot_in_python.py beetle.png
"""

import sys

import numpy as np

import tribo

HIP, THIGH, SHANK, FOOT = 0.05, 0.12, 0.18, 0.015  # [m] lengths, radius of a foot
RAISED, BENT = -0.5, 1.9  # [rad] thigh and shank when it stands
PERIOD, SWING, LIFT = 0.5, 0.3, 0.4  # [s, rad, rad]
ORANGE, DARK, LIGHT = (0.92, 0.52, 0.18, 1), (0.2, 0.22, 0.25, 1), (0.7, 0.73, 0.76, 1)
TURN = {"left": (0.5**0.5, 0, 0, 0.5**0.5), "right": (0.5**0.5, 0, 0, -(0.5**0.5))}  # outwards
ALONG_X = (0.5**0.5, 0, 0.5**0.5, 0)


def beetle() -> tribo.LinkDescription:
    """Return the trunk, and with it the six legs that hang on it."""
    trunk = tribo.LinkDescription("trunk")
    trunk.add_shape("box", (0.5, 0.14, 0.06), mass=1.2, color=DARK)
    for x in (-0.25, 0.25):  # rounded ends
        trunk.add_shape("cylinder", (0.07, 0.06), mass=0.2, position=(x, 0, 0), color=DARK)
    trunk.add_shape("sphere", (0.06,), position=(0.25, 0, 0.03), color=ORANGE, collides=False)
    imu = trunk.add_child("imu", "fixed", position=(0, 0, 0.03))
    imu.add_shape("box", (0.03, 0.03, 0.01), mass=0.02, color=LIGHT, collides=False)
    for side, turn in TURN.items():
        for place, x in (("front", 0.2), ("middle", 0.0), ("hind", -0.2)):
            y = 0.07 if side == "left" else -0.07
            add_leg(trunk, f"{place}_{side}", (x, y, 0), turn)
    return trunk


def add_leg(trunk, name, position, turn):
    """Hang a leg on the trunk: a hip that turns about z, a thigh and a shank about y, a foot."""
    motor = {"effort": 12.0, "armature": 2e-3, "damping": 0.02}
    hip = trunk.add_child(f"{name}_hip", "revolute", position=position, quaternion=turn,
                          lower=-0.8, upper=0.8, **motor)  # fmt: skip
    hip.add_shape("cylinder", (0.025, 0.04), mass=0.08, color=LIGHT)
    thigh = hip.add_child(f"{name}_thigh", "revolute", position=(HIP, 0, 0), axis=(0, 1, 0),
                          lower=-1.5, upper=1.0, **motor)  # fmt: skip
    thigh.add_shape("capsule", (0.016, THIGH), mass=0.08, position=(THIGH / 2, 0, 0),
                    quaternion=ALONG_X, color=ORANGE)  # fmt: skip
    shank = thigh.add_child(f"{name}_shank", "revolute", position=(THIGH, 0, 0), axis=(0, 1, 0),
                            lower=0.0, upper=2.6, **motor)  # fmt: skip
    shank.add_shape("capsule", (0.01, SHANK - 0.04), mass=0.05, position=(SHANK / 2, 0, 0),
                    quaternion=ALONG_X, color=DARK)  # fmt: skip
    foot = shank.add_child(f"{name}_foot", "fixed", position=(SHANK, 0, 0))
    foot.add_shape("sphere", (FOOT,), mass=0.01, material="rubber", color=LIGHT)


world = tribo.World(time_step=1e-3)
world.add_ground(material="floor")
world.set_material_pair("floor", "rubber", friction=0.9)
height = SHANK * np.sin(RAISED + BENT) + THIGH * np.sin(RAISED) + FOOT
robot = world.add_articulated_system(beetle(), name="beetle", position=(0, 0, height))
stance = np.tile([0.0, RAISED, BENT], 6)
robot.generalized_coordinate = np.concatenate([robot.generalized_coordinate[:7], stance])
robot.pd_target = robot.generalized_coordinate
robot.set_pd_gains(kp=60.0, kd=1.0)
world.step(1000)
support = sum(contact.force[2] for contact in robot.contacts)
print(f"{robot.mass:.2f} kg, {robot.dof} dofs; stands on {len(robot.contacts)} feet with {support:.4f} N")
assert abs(robot.mass - (1.2 + 2 * 0.2 + 0.02 + 6 * (0.08 + 0.08 + 0.05 + 0.01))) < 1e-12
assert {contact.body_a[-6:] for contact in robot.contacts} == {"foot/0"}
assert abs(support / (robot.mass * 9.81) - 1) < 1e-6
assert robot.internal_contacts == []

# -- it walks, three legs at a time ------------------------------------------------------------
start = robot.position
ahead = np.array([-1, -1, -1, 1, 1, 1])  # a left hip turns the other way
beat = np.array([0, np.pi, 0, np.pi, 0, np.pi])
for step in range(2000):
    t = step * world.time_step
    phase = 2 * np.pi * t / PERIOD + beat
    strength = min(1.0, 2 * t)
    target = np.tile([0.0, RAISED, BENT], (6, 1))
    target[:, 0] = strength * SWING * ahead * np.cos(phase)
    target[:, 1] -= strength * LIFT * np.clip(-np.sin(phase), 0, None)  # up while it swings forward
    robot.pd_target = target.ravel()
    world.step()
way = robot.position - start
print(f"walked {way[0]:.3f} m in 2 s, {1000 * way[1]:.1f} mm to the side")
assert way[0] > 0.4
assert abs(way[1]) < 0.1
assert robot.rotation_matrix[2, 2] > 0.98

# -- and is the same as URDF -------------------------------------------------------------------
copy = tribo.World().add_articulated_system(robot.to_urdf())
q, v = robot.generalized_coordinate, np.linspace(-1, 1, robot.dof)
one, other = robot.at(q, v), copy.at(q, v)
difference = np.abs(one.mass_matrix - other.mass_matrix).max() / np.abs(one.mass_matrix).max()
difference += np.abs(one.bias_force - other.bias_force).max() / np.abs(one.bias_force).max()
print(f"{len(robot.to_urdf().splitlines())} lines of URDF; M and h differ by {difference:.1e}")
assert difference < 1e-12
assert set(copy.frame_names) == set(robot.frame_names)
assert len(copy.collision_bodies) == len(robot.collision_bodies)

if len(sys.argv) > 1:
    from tribo.viewer import draw, film, raster, scene

    looks, poses = scene.describe(world), scene.read_poses(world)
    x, y, z = robot.position
    camera = raster.Camera(eye=(x + 0.8, y - 1.0, z + 0.55), target=(x, y, z - 0.03), fov=30)
    film.save_picture(draw.picture(looks, poses, camera, draw.Style(860, 480, tile=0.2)), sys.argv[1])
