"""Newton's cradle: five balls on wires; with impact = "propagate" the last one takes the whole speed over.

Run with the name of a picture to draw it: python examples/11_newtons_cradle.py cradle.png
"""

import sys

import numpy as np

import tribo

RADIUS, LENGTH, BALLS = 0.05, 0.5, 5
ANGLE = np.radians(20)

world = tribo.World(time_step=5e-4)
world.impact = "propagate"
world.default_pair = tribo.PairProperties(friction=0.0, restitution=1.0)
balls = []
for k in range(BALLS):
    x = 2 * RADIUS * k * (1 + 1e-6)  # a hair apart
    turn = ANGLE if k == 0 else 0.0
    place = (x - LENGTH * np.sin(turn), 0.0, -LENGTH * np.cos(turn))
    ball = world.add_sphere(RADIUS, mass=1.0, position=place)
    for y in (-0.2, 0.2):  # two wires keep it in the plane
        world.add_wire(None, ball, first_point=(x, y, 0.0), length=np.hypot(LENGTH, y))
    balls.append(ball)

start = world.energy
speeds = []
for _ in range(1500):
    world.step()
    speeds.append([ball.linear_velocity[0] for ball in balls])
speeds = np.array(speeds)
fastest = speeds.max(axis=0)
expected = np.sqrt(2 * 9.81 * LENGTH * (1 - np.cos(ANGLE)))
print(f"first ball {fastest[0]:.4f} m/s, last ball {fastest[-1]:.4f} m/s, by hand {expected:.4f} m/s")
print(f"energy lost {1 - (world.energy + 5 * 9.81 * LENGTH) / (start + 5 * 9.81 * LENGTH):.1e}")
assert abs(fastest[0] / expected - 1) < 1e-3
assert abs(fastest[-1] / expected - 1) < 2e-2

if len(sys.argv) > 1:
    from tribo.viewer import draw, film, raster, scene

    looks, poses = scene.describe(world), scene.read_poses(world)
    camera = raster.Camera(eye=(0.75, -1.35, 0.0), target=(0.24, 0, -0.27), fov=32)
    film.save_picture(draw.picture(looks, poses, camera, draw.Style(760, 440)), sys.argv[1])
