"""A four-bar linkage of four loose bars, closed by pins: its loop stays closed, and no energy is lost.

Run with the name of a picture to draw it: python examples/10_four_bar.py bars.png
"""

import sys

import numpy as np

import tribo

# Ground pivots A and D; the crank AB turns, the rocker CD swings, BC couples them [m].
A, B, C, D = (np.array(p, float) for p in ((0, 0, 0), (0, 0, 0.3), (0.8, 0, 0.7), (1.0, 0, 0)))

world = tribo.World()


def bar(start, end, mass):
    """Add a bar between two points of the x–z plane."""
    d = end - start
    angle = np.arctan2(-d[2], d[0])  # about y
    turn = (np.cos(angle / 2), 0, np.sin(angle / 2), 0)
    size = (np.linalg.norm(d), 0.04, 0.04)
    return world.add_box(size, mass, position=(start + end) / 2, orientation=turn, collision_mask=0)


crank, coupler, rocker = bar(A, B, 1.0), bar(B, C, 1.5), bar(C, D, 1.0)
pins = [
    world.add_hinge(None, crank, position=A, axis=(0, 1, 0)),
    world.add_pin(crank, coupler, position=B),
    world.add_pin(coupler, rocker, position=C),
    world.add_hinge(None, rocker, position=D, axis=(0, 1, 0)),
]
start, change, gap, turned = world.energy, 0.0, 0.0, 0.0
for _ in range(5000):
    world.step()
    change = max(change, abs(world.energy - start))
    gap = max(gap, *(np.abs(pin.gap).max() for pin in pins))
    turned += crank.angular_velocity[1] * world.time_step

print(f"after 5 s the crank is {np.degrees(turned):.0f}° from its start")
print(f"largest gap of a pin {gap:.1e} m, largest change of energy {change:.1e} J")
print(f"force in the pin of crank and coupler: {np.round(pins[1].force, 2)} N")
assert gap < 1e-8
assert change < 1e-3 * 9.81
assert not world.status

if len(sys.argv) > 1:
    from tribo.viewer import draw, film, raster, scene

    world.step(180)
    looks, poses = scene.describe(world), scene.read_poses(world)
    camera = raster.Camera(eye=(0.9, -2.0, 0.75), target=(0.5, 0, 0.32), fov=32)
    film.save_picture(draw.picture(looks, poses, camera, draw.Style(760, 440)), sys.argv[1])
