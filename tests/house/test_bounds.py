"""No kernel leaves an array: fields have no wrap-around, so a wrong index would read foreign memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tribo
from tribo.compiler.jit import DISABLED

QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
SCENE = """
import sys, numpy as np, tribo
assert __import__("numba").config.BOUNDSCHECK
world = tribo.World()
world.add_ground()
robot = world.add_articulated_system(sys.argv[1], position=(0, 0, 0.5))
robot.set_pd_gains(80.0, 2.0)
for k in range(4):
    world.add_box((0.2, 0.2, 0.2), mass=1.0, position=(2.0, 0.0, 0.1 + 0.2 * k))
    world.add_sphere(0.1, mass=1.0, position=(3.0, 0.0, 0.1 + 0.2 * k))
    world.add_capsule(0.1, 0.2, mass=1.0, position=(4.0, 0.0, 0.2 + 0.4 * k))
    world.add_cylinder(0.1, 0.2, mass=1.0, position=(5.0 + k, 0.0, 0.2))
corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.1
terrains = [
    world.add_height_map(
        tribo.HeightField.fractal(size=(2, 2), samples=(9, 9), z_scale=0.2), position=(0, 5, 0.3)
    ),
    world.add_surface(
        [(-1, -1, 0.2), (1, -1, 0), (1, 1, 0.2), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)], position=(5, 5, 0.1)
    ),
    world.add_box((2, 2, 0.2), mass=1.0, body_type="static", position=(10, 5, 0.4)),
]
adders = [
    lambda at: world.add_sphere(0.1, 1.0, position=at),
    lambda at: world.add_box((0.2, 0.2, 0.2), 1.0, position=at),
    lambda at: world.add_capsule(0.1, 0.2, 1.0, position=at),
    lambda at: world.add_cylinder(0.1, 0.2, 1.0, position=at),
    lambda at: world.add_cone(0.1, 0.2, 1.0, position=at),
    lambda at: world.add_convex(corners, 1.0, position=at),
]
for terrain in terrains:
    for k, add in enumerate(adders):
        for m in range(2):  # two layers, the second upside down in order: most pairs meet
            n = k if m == 0 else 5 - k
            add(terrain.position + (0.22 * n - 0.55, 0.05 * m, 0.35 + 0.25 * m))
world.step(400)
assert world.engine.model.lazy_address[:2].all()
assert np.isfinite(robot.generalized_coordinate).all()
"""


@pytest.mark.skipif(DISABLED, reason="checks compiled kernels")
def test_no_index_leaves_its_array():
    # Indices are checked before LLVM sees the code, so what it makes of it need not be fast: compiling it
    # with less optimisation takes a fifth less of the longest test of the suite.
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCENE, str(QUADRUPED)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "IndexError" not in done.stderr  # what a late function raises is printed, not raised
