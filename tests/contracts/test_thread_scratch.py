"""Worlds of a batch share scratch: what one leaves there, another must not feel."""

import numpy as np
import pytest
from scenes import ground_world, sleepy_world, standing_quadruped

import tribo
from tribo.engine.thread_scratch import OF_WORLDS

WORLDS, STEPS = 3, 400


def pile():
    """Return bodies of several shapes that fall on each other, sleep in part, and are hit at last."""
    world = sleepy_world()
    for k in range(3):
        world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.1 + 0.2 * k))
    world.add_capsule(0.05, 0.2, 0.5, position=(0.6, 0, 0.2), orientation=(0.8, 0.6, 0, 0))
    world.add_sphere(0.08, 1.0, position=(0.0, 0.02, 1.1))
    return world


def tied():
    """Return two bodies on a weld and a hinge, over a ground that gives way."""
    world = ground_world(friction=0.6)
    bodies = [world.add_box((0.2, 0.1, 0.1), 1.0, position=(0.3 * k, 0, 0.2)) for k in range(3)]
    world.add_hinge(bodies[0], bodies[1], position=(0.15, 0, 0.2), axis=(0, 1, 0))
    world.add_weld(bodies[1], bodies[2])
    world.set_material_pair("default", "default", stiffness=1e4, damping=50.0)
    return world


def standing():
    """Return the quadruped on its feet."""
    world = ground_world(friction=0.8)
    standing_quadruped(world)
    return world


def spoil(batch):
    """Fill all shared scratch with what no step may read."""
    for work in (batch.engine.work, *(other for other, _, _ in batch.engine._others)):
        for name, array in work.arrays.items():
            if name not in OF_WORLDS:
                assert array.shape[0] == 1
                array[...] = np.nan if array.dtype.kind == "f" else 1


def run(world, threads, is_spoilt):
    """Return states and contacts after each of some steps, worlds beginning at different speeds."""
    batch = tribo.Batch(world, WORLDS, threads=threads)
    for name in batch.names:
        batch[name].generalized_velocity[:, 2] += np.linspace(-1.0, 1.0, WORLDS)
    made = []
    for _ in range(STEPS):
        if is_spoilt:
            spoil(batch)
        batch.step()
        points = batch.contacts
        made.append((batch.hash(), points.force.tobytes(), points.position.tobytes()))
    return made


@pytest.mark.parametrize("make", [pile, tied, standing])
def test_a_step_reads_nothing_that_another_world_left(make):
    assert run(make(), 1, True) == run(make(), 1, False)


def test_threads_have_scratch_of_their_own():
    world = pile()
    assert run(world, 2, True) == run(world, 1, False)


def test_what_worlds_keep_is_small():
    """A quadruped keeps less than a fifth of its scratch, 40 kB with its state."""
    world = standing()
    few, many = (tribo.Batch(world, n).engine for n in (1, 11))
    assert sum(a.nbytes for a in few.work.arrays.values()) > 80e3
    records = ("state", "command", "settings", "work")
    size = [
        sum(a.nbytes for r in records for a in getattr(engine, r).arrays.values()) for engine in (few, many)
    ]
    assert (size[1] - size[0]) / 10 < 40e3
