"""No kernel leaves an array: fields have no wrap-around, so a wrong index would read foreign memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tribo
from tribo.jit import DISABLED

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
world.step(300)
assert np.isfinite(robot.generalized_coordinate).all()
"""


@pytest.mark.skipif(DISABLED, reason="checks compiled kernels")
def test_no_index_leaves_its_array():
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCENE, str(QUADRUPED)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
