"""A step allocates nothing: what 101 steps take from the heap is what one step takes."""

import os
import subprocess
import sys

import pytest
from house.repository import ROOT

from tribo.compiler.jit import DISABLED, PREBUILT

SCRIPT = """
from numba.core.runtime import rtsys
from scenes import ground_world, standing_quadruped
import numpy as np
import tribo

def taken(world, n):
    before = rtsys.get_allocation_stats().alloc
    world.step(n)
    return rtsys.get_allocation_stats().alloc - before

world = ground_world(friction=0.6, restitution=0.2, rolling_friction=0.01)
robot = standing_quadruped(world)
for k in range(4):
    world.add_box((0.2, 0.2, 0.2), 1.0 + 99 * (k == 3), position=(2, 0, 0.1 + 0.2 * k))
    world.add_sphere(0.1, 1.0, position=(3, k, 0.3), angular_velocity=(1, 2, 3))
    world.add_cylinder(0.1, 0.3, 1.0, position=(4, k, 0.3), orientation=(0.6, 0.8, 0, 0))
    world.add_capsule(0.1, 0.3, 1.0, position=(5, k, 0.3), orientation=(0.6, 0.8, 0, 0))
world.step(500)
# Calls that take long are cut into slices by the clock, each of which takes something: the least counts.
print(min(taken(world, 101) for _ in range(20)) - min(taken(world, 1) for _ in range(20)))
# The counter counts: an array made in a kernel is seen.
import numba
make = numba.njit(lambda n: np.zeros(n).sum())
make(3)
before = rtsys.get_allocation_stats().alloc
make(3)
assert rtsys.get_allocation_stats().alloc == before + 1
"""


@pytest.mark.skipif(DISABLED, reason="there is no compiled code to count in")
@pytest.mark.skipif(PREBUILT, reason="a library calls nothing that allocates: `export` sees to that")
def test_steps_do_not_allocate():
    paths = os.pathsep.join([*filter(None, sys.path), str(ROOT / "tests")])
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "NUMBA_NRT_STATS": "1", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.split()[-1] == "0"
