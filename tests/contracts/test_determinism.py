"""The same script gives the same bits: again, in another process, and in a world with bystanders."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from scenes import empty_world, ground_world

import tribo

SCRIPT = """
import hashlib, sys
sys.path[:0] = {paths!r}
from contracts_scene import pile
world = pile()
world.step(600)
print(hashlib.sha256(world.engine.state.q.tobytes() + world.engine.state.v.tobytes()).hexdigest())
"""


def pile():
    """Return a heap of boxes and balls that fall on each other."""
    rng = np.random.default_rng(7)
    world = ground_world(friction=0.6, restitution=0.2)
    for k in range(20):
        q = rng.normal(size=4)
        place = {
            "position": [*rng.uniform(-0.4, 0.4, 2), 0.3 + 0.2 * k],
            "orientation": q / np.linalg.norm(q),
        }
        if k % 2:
            world.add_box(rng.uniform(0.1, 0.3, 3), 1.0, **place)
        else:
            world.add_sphere(rng.uniform(0.05, 0.15), 1.0, **place)
    return world


def digest(world):
    """Return a hash of coordinates and velocities."""
    state = world.engine.state
    return hashlib.sha256(state.q.tobytes() + state.v.tobytes()).hexdigest()


def test_two_runs_are_equal():
    results = []
    for _ in range(2):
        world = pile()
        world.step(600)
        results.append(digest(world))
    assert results[0] == results[1]


def test_another_process_gives_the_same_bits(tmp_path):
    """Also with another hash seed: nothing depends on the order of a set."""
    here = Path(__file__)
    (tmp_path / "contracts_scene.py").write_text(here.read_text("utf-8"), "utf-8")
    paths = [str(tmp_path), str(here.parents[1]), str(Path(tribo.__file__).parents[1])]
    world = pile()
    world.step(600)
    for seed in ("1", "2"):
        result = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(paths=paths)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        assert result.stdout.split()[-1] == digest(world)


def test_bystanders_change_nothing():
    """Bodies that never touch it leave a pile's bits alone: islands do not share a tolerance."""
    alone = pile()
    alone.step(600)
    crowded = pile()
    for k in range(10):
        crowded.add_sphere(0.1, 1.0, position=(50 + k, 0, 0.1 + 0.01 * k))
    crowded.step(600)
    size = len(alone.engine.state.q)
    np.testing.assert_array_equal(alone.engine.state.q, crowded.engine.state.q[:size])


def test_batch_of_one_is_the_world():
    """And a batch of four, on one thread or two, is four times the world."""
    world = pile()
    batch = tribo.Batch(world, 4, threads=1)
    batch.step(300)
    world.step(300)
    for e in range(4):
        np.testing.assert_array_equal(batch.engine.state.arrays["q"][e], world.engine.state.q)
        np.testing.assert_array_equal(batch.engine.state.arrays["v"][e], world.engine.state.v)


def test_unlike_heaps_of_a_batch_are_each_as_alone():
    """Worlds that share the scratch of a thread leave nothing of their contacts to one another."""

    def heap():
        world = tribo.World(2e-3)
        world.default_pair = tribo.PairProperties(friction=0.6)
        world.add_ground()
        rng = np.random.default_rng(7)
        for k in range(24):
            turn = rng.normal(size=4)
            place = (0.21 * (k % 2), 0.21 * (k // 2 % 2), 0.1 + 0.2 * (k // 4))
            world.add_box((0.2, 0.16, 0.18), 1.0, position=place, orientation=turn / np.linalg.norm(turn))
        return world

    alone = [heap() for _ in range(4)]
    for e, world in enumerate(alone):
        world.engine.state.v[:] = 0.7 * e * np.random.default_rng(e).normal(size=144)
    batches = [tribo.Batch(heap(), 4, threads=n) for n in (1, 2)]
    for batch in batches:
        for e, world in enumerate(alone):
            batch.engine.state.arrays["v"][e][:] = world.engine.state.v
        batch.step(250)
    for e, world in enumerate(alone):
        world.step(250)
        assert world.engine.work.lane_group_count[0] > 0
        for batch in batches:
            np.testing.assert_array_equal(batch.engine.state.arrays["q"][e], world.engine.state.q)
            np.testing.assert_array_equal(batch.engine.state.arrays["v"][e], world.engine.state.v)


def test_far_from_the_origin_it_is_the_same_to_round_off():
    """A fall and a bounce 1 km away: to 1e-9."""
    ends = []
    for x in (0.0, 1000.0):
        world = empty_world(restitution=0.5)
        world.add_ground()
        ball = world.add_sphere(0.1, 1.0, position=(x, x, 1.0))
        world.step(1500)
        ends.append(ball.position - [x, x, 0])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
