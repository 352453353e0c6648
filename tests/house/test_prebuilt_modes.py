"""Prebuilt and compiled kernels give the same bits, and prebuilt ones do without Numba.

Both tests need the library (`make kernels`), the first also kernels compiled by Numba in the disk cache (any
test run with TRIBO_KERNELS=compiled leaves them there). Where these are missing the tests are skipped: making
them takes minutes.
"""

import json
import os
import subprocess
import sys

import pytest
from house.repository import PACKAGE, ROOT

from tribo.compiler.jit import DISABLED

pytestmark = pytest.mark.skipif(DISABLED, reason="nothing is compiled")

SCENES = """
import hashlib, json, logging, sys
import numpy as np
import tribo
from scenes import ground_world, standing_quadruped, three_spheres
from tribo.compiler.jit import PREBUILT

logging.getLogger("tribo").setLevel(logging.ERROR)
assert PREBUILT == (sys.argv[1] == "prebuilt")
found = {}

def put(name, *arrays):
    found[name] = hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()

world, _ = three_spheres()
world.step(1500)
found["spheres"] = world.hash()

world = ground_world(friction=0.6)
robot = standing_quadruped(world)
world.step(300)
found["quadruped"] = world.hash()
v = np.linspace(-1.0, 1.0, 18)
at = robot.at(robot.generalized_coordinate, v)
put("questions", robot.mass_matrix, robot.inverse_mass_matrix, at.coriolis_matrix, at.bias_force,
    at.inverse_dynamics(v), at.forward_dynamics(v), at.joint_reactions(v), robot.passive_force,
    robot.centroidal_momentum_matrix, at.frame("LF_FOOT").jacobian(), at.frame("LF_FOOT").jacobian_rate(),
    at.body_poses()[0], np.array(robot.kinetic_energy),
    np.array(world.energy))
hits = world.ray_test_batch([(0.1 * k - 1, 0.02, 2.0) for k in range(20)], (0.0, 0.1, -1.0))
put("rays", hits.distance, hits.normal)
put("a ray", np.array([hit.distance for hit in world.ray_test_all((0, 0, 3), (0, 0, -1))]))
near = world.distance(robot, world.add_sphere(0.1, 1.0, position=(1.0, 0.3, 0.6)))
put("distance", np.array(near.distance), near.normal)
found["region"] = sorted(body.name for body in world.collision_bodies_at((0.0, 0.0, 0.4)))

batch = tribo.Batch(world, 3, threads=2)
batch.step(50)
put("batch", batch.engine.state.q)
batch.copy_worlds([0], [2])
seen = batch.ray_test_batch([(0.1, 0.0, 2.0), (0.3, 0.1, 2.0)], (0.0, 0.1, -1.0))
put("rays in a batch", batch.engine.state.q, seen.distance)

world = ground_world(friction=0.5, restitution=0.3)
corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
hills = tribo.HeightField.fractal(size=(4, 4), samples=(9, 9), z_scale=0.2)
world.add_height_map(hills, position=(5, 0, 0.1))
for k in range(4):
    world.add_cylinder(0.1, 0.2, 1.0, position=(0.03 * k, 0.0, 0.15 + 0.25 * k))
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(1.0, 0.01 * k, 0.1 + 0.21 * k))
    world.add_convex(corners, 1.0, position=(5.0 + 0.3 * k, 0.1, 0.8))
world.step(300)
found["solids"] = world.hash()

world = ground_world(friction=0.5)
slope = [(-1, -1, 0.2), (1, -1, 0), (1, 1, 0.2), (-1, 1, 0)]
world.add_surface(slope, [(0, 1, 2), (0, 2, 3)], position=(0, 0, 0.1))
shell = [(a, b, c) for a in (0.0, 0.2) for b in (0.0, 0.2) for c in (0.0, 0.1)]
world.add_convex(shell, 1.0, position=(0.1, 0.0, 0.6))
world.add_sphere(0.1, 1.0, position=(-0.3, 0.2, 0.6))
world.add_cone(0.1, 0.2, 1.0, position=(0.3, 0.4, 0.7))
world.step(300)
found["meshes"] = world.hash()

world = ground_world(friction=0.5)
boxes = [world.add_box((0.2, 0.1, 0.1), 1.0, position=(0.25 * k, 0.0, 0.5)) for k in range(4)]
for a, b in zip(boxes, boxes[1:]):
    world.add_pin(a, b, position=(a.position + b.position) / 2)
boxes[0].angular_velocity = (30.0, 2.0, 1.0)
world.integrator = "rk4"
world.step(200)
found["chain"] = world.hash()
print(json.dumps([found, sorted({name.split(".")[0] for name in sys.modules} & {"numba", "llvmlite"})]))
"""


def ask(what, *arguments, mode):
    """Run code, or import a module, in another process."""
    paths = os.pathsep.join([*filter(None, sys.path), str(ROOT / "tests")])
    code = what if " " in what else f"import {what}"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": paths, "TRIBO_KERNELS": mode},
        capture_output=True,
        text=True,
        check=False,
    )


def play(mode):
    """Return hashes of scenes in a mode, and which of Numba's packages were loaded."""
    done = ask(SCENES, mode, mode=mode)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def compiled_are_there():
    code = "from tribo.engine.warm_up import is_compiled as c; print(c() and c('contact'))"
    return ask(code, mode="compiled").stdout.strip() == "True"


@pytest.fixture(scope="module")
def prebuilt():
    if ask("tribo.compiler.jit", mode="prebuilt").returncode:
        pytest.skip("no prebuilt library fits these sources; `make kernels` builds it")
    return play("prebuilt")


def test_prebuilt_kernels_do_without_numba(prebuilt):
    assert prebuilt[1] == []


# What a world of a ball and a robot from a URDF does without: sources of the step, readers of other formats,
# large modules of NumPy and of the standard library.
LATER = (
    "tribo.step", "tribo.contact.", "tribo.formats.mjcf", "tribo.formats.choreonoid.",
    "tribo.recording.recorder", "numpy.ma.", "numpy.random", "importlib.metadata", "shutil",
)  # fmt: skip


def test_a_first_step_reads_nothing_that_comes_later(prebuilt):
    code = (
        "import sys, tribo; world = tribo.World(); world.add_ground(); world.add_sphere(0.1, 1.0); "
        f"world.add_articulated_system({str(PACKAGE / 'assets' / 'quadruped.urdf')!r}, position=(0, 3, 1)); "
        f"world.step(); print([n for n in sys.modules if n.startswith({LATER!r})])"
    )
    done = ask(code, mode="prebuilt")
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


def test_both_modes_give_the_same_bits(prebuilt):
    if not compiled_are_there():
        pytest.skip("the compiled kernels are not in the disk cache")
    hashes, loaded = play("compiled")
    assert loaded == ["llvmlite", "numba"]
    assert hashes == prebuilt[0]
