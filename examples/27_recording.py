"""Record a stack that falls over, read what was recorded, and check it against mechanics.

Where nothing touches, energy is constant; what contacts give in impulse is what momentum has gained.
"""

import tempfile
from pathlib import Path

import numpy as np

import tribo

MASS, GRAVITY = 1.0, 9.81

world = tribo.World(time_step=1e-3)
world.add_ground(name="ground")
world.default_pair = tribo.PairProperties(friction=0.6)
boxes = [
    world.add_box((0.2, 0.2, 0.2), MASS, position=(0.05 * k, 0, 0.3 + 0.25 * k), name=f"box {k}")
    for k in range(4)
]

folder = Path(tempfile.mkdtemp())
with world.record(folder / "stack.zarr"):  # a frame after each step
    world.step(1500)

recording = tribo.Recording(folder / "stack.zarr")
print(recording)
for name in ("q", "kinetic_energy", "contact_force"):
    print(f"  {name}: {recording[name].shape} [{recording.unit(name)}], {recording.text(name)}")

# Newton: the momentum gained is the impulse of gravity and of the ground, step by step.
gained = np.diff(recording["linear_momentum"][:, 2])
weight = len(boxes) * MASS * GRAVITY
pushed = -recording.net_contact_force("ground")[1:, 2]  # on the boxes
missing = np.abs(gained - (pushed - weight) * world.time_step)
print(f"largest error of the impulse balance: {missing.max():.1e} N s of {gained.max():.2f} N s")
assert missing.max() < 1e-9

# Before the first contact energy does not change.
fall = recording.between(0.0, 0.1)
assert np.ptp(fall.energy) < 1e-9 * fall.energy[0]

recording.export(folder / "stack.csv", ["body_position", "kinetic_energy"])
recording.plot(path=folder / "stack.png")
print(f"table and picture: {folder}")
