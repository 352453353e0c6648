"""Draw a plan next to what happens, and look at both without a screen.

A line and a ghost show where the ball should fly; picture, depth and segmentation say where it is.
"""

import tempfile
from pathlib import Path

import numpy as np

import tribo
from tribo.viewer import Camera
from tribo.viewer.film import save_picture

SPEED, GRAVITY = np.array([1.0, 0.0, 3.0]), np.array([0.0, 0.0, -9.81])

world = tribo.World(time_step=1e-3)
world.add_ground(name="ground")
ball = world.add_sphere(0.1, 1.0, "rubber", name="ball", position=(-0.5, 0, 0.5), linear_velocity=SPEED)

camera = Camera(eye=(0.0, -3.0, 0.8), target=(0.0, 0.0, 0.6))
renderer = tribo.Renderer(world, 480, 320)

with tribo.Viewer(world, port=8170) as view:  # anybody may look at view.address
    start = np.array(ball.position)
    times = np.linspace(0.0, 0.6, 31)[:, None]
    view.add_visual_polyline("plan", start + SPEED * times + 0.5 * GRAVITY * times**2)
    shadow = view.add_visual_sphere("where it should be", 0.11, color=(1, 0.5, 0, 0.4))
    for _ in range(400):
        world.step()
        now = world.time
        shadow.position = start + SPEED * now + 0.5 * GRAVITY * now**2
        view.update()
    error = float(np.linalg.norm(shadow.position - ball.position))
    picture = renderer.rgb_array(camera, visuals=view.visuals)

print(f"the ball is {1e3 * error:.2g} mm from the plan after {world.time:.1f} s")
assert error < 1e-5  # midpoint steps are exact in free flight

# The ball is seen where a pinhole camera must see it, as far away as it is.
x, y, depth = camera.project(np.array([ball.position]), 480, 320)[0]
seen = renderer.segmentation_array(camera) == world.objects.index(ball)
rows, columns = np.nonzero(seen)
assert abs(columns.mean() + 0.5 - x) < 0.5
assert abs(rows.mean() + 0.5 - y) < 0.5
nearest = float(renderer.depth_array(camera)[seen].min())
print(f"its nearest point is {nearest:.3f} m away, its centre {depth:.3f} m")
assert abs(depth - 0.1 - nearest) < 5e-3

folder = Path(tempfile.mkdtemp())
save_picture(picture, folder / "flight.png")
print(f"picture: {folder / 'flight.png'}")
