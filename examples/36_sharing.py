"""Dominoes fall: the run as one HTML file that can be mailed, and nine variants side by side in one picture.

    python examples/36_sharing.py [PAGE.html]

Open the page in a browser: it plays, scrubs and turns without tribo, without a server and offline.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import tribo
from tribo.viewer import SideBySide
from tribo.viewer.page import save_page
from tribo.viewer.replay import replay

COUNT, GAP, TALL = 12, 0.055, 0.1  # dominoes; [m] from one to the next, height

world = tribo.World(time_step=5e-4)
world.add_ground(name="ground", material="wood")
world.default_pair = tribo.PairProperties(friction=0.3)
for k in range(COUNT):
    world.add_box((0.012, 0.05, TALL), 0.02, "ice", name=f"domino {k}", position=(GAP * k, 0, TALL / 2))
start = world.snapshot()


def push(speed: float) -> None:
    """Let the first domino turn about its foot [rad/s]."""
    world["domino 0"].angular_velocity = 0, speed, 0
    world["domino 0"].linear_velocity = speed * TALL / 2, 0, 0


with tempfile.TemporaryDirectory() as folder:
    push(4.0)
    with world.record(Path(folder) / "run.zarr", every=1 / 60):
        world.step(3000)
    take = replay(tribo.Recording(Path(folder) / "run.zarr"), world, rate=30)
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "run.html"
    size = save_page(take, page, "Dominoes")
    text = page.read_text("utf-8")
    assert size < 3e6
    assert 'src="http' not in text, "the page loads nothing from elsewhere"

fallen = [abs(world[f"domino {k}"].rotation_matrix[2, 2]) < 0.7 for k in range(COUNT)]
assert all(fallen), fallen
print(f"{COUNT} dominoes fell; a page of {size / 1e6:.2f} MB shows how, in {len(take.time)} frames")

world.restore(start)
batch = tribo.Batch(world, 9)
speeds = np.linspace(0.5, 4.5, 9)
batch["domino 0"].generalized_velocity[:, 0] = speeds * TALL / 2
batch["domino 0"].generalized_velocity[:, 4] = speeds
batch.step(3000)
shown = SideBySide(batch, world, spacing=0.9)
picture = shown.rgb_array(width=240, height=160)
upright = [abs(batch.poses_of(f"domino {k}")[1][:, 0, 2, 2]) > 0.7 for k in range(COUNT)]
standing = np.sum(upright, axis=0)
print(
    "dominoes left standing, by the speed of the push:",
    dict(zip(speeds.tolist(), standing.tolist(), strict=True)),
)
assert standing[0] == COUNT, "a weak push topples none"
assert standing[-1] == 0, "a strong one all"
assert picture.std() > 5.0
