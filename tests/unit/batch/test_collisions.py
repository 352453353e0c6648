"""Which shapes begin and cease to touch in a call of `Batch.step`."""

import numpy as np
import pytest
from scenes import GRAVITY, ground_world

import tribo

DT = 0.01


def bouncing(restitution=1.0):
    """Return a ball 0.2 m over a ground; it touches after 0.2 s, in step 20."""
    world = ground_world(DT, restitution=restitution)
    world.add_sphere(0.1, 2.0, position=(0, 0, 0.3), name="ball")
    return world


def watched(world, worlds=1, **options):
    batch = tribo.Batch(world, worlds, **{"threads": 1, **options})
    batch.watch_collisions = True
    return batch


def test_a_ball_that_bounces_begins_and_ends():
    """From 0.2 m to 0 takes √(2 h/g) = 0.202 s: step 20 of 0.01 s; then it is in the air again."""
    batch = watched(bouncing())
    batch.step(30)
    found = batch.collisions
    assert found.begins.tolist() == [True, False]
    assert abs(found.step[0] - np.sqrt(0.4 / GRAVITY) / DT) < 1.5
    assert found.step[1] == found.step[0] + 1
    assert found.between("ball", found.object_names[0]).all()
    # All in one step: 2 m v, the weight of one step more or less.
    speed = np.sqrt(2 * GRAVITY * 0.2)
    on_ball = found.impulse[0] * (1 if found.object_names[found.object[0, 0]] == "ball" else -1)
    assert abs(on_ball[2] - 2 * 2.0 * speed) < 2 * 2.0 * GRAVITY * DT
    assert np.abs(found.position[0]).max() < 0.02
    assert not found.impulse[1].any()


def test_what_touches_already_does_not_begin_and_a_call_forgets_the_last():
    batch = watched(bouncing(0.0))
    batch.step(30)
    assert len(batch.collisions) == 1
    batch.step(30)
    assert len(batch.collisions) == 0
    batch["ball"].generalized_velocity[:, 2] = 1.0
    batch.step(5)
    assert batch.collisions.begins.tolist() == [False]


def test_worlds_are_told_apart_and_bits_stay():
    first = bouncing()
    batch, plain = watched(first, 3, threads=2), tribo.Batch(first, 3, threads=1)
    for one in (batch, plain):
        one["ball"].generalized_coordinate[:, 2] = 0.3, 5.0, 0.15
        one["ball"].apply_force((1.0, 0.0, 0.0))
    assert batch.step(25, hold_forces=True).all()
    plain.step(25, hold_forces=True)
    assert batch.hash() == plain.hash()
    assert sorted(set(batch.collisions.world.tolist())) == [0, 2]
    assert np.array_equal(batch.status, plain.status)


def test_a_world_that_fails_leaves_as_many_steps_undone():
    batch = watched(bouncing(), 2)
    batch["ball"].generalized_velocity[1, 0] = np.inf
    assert batch.step(3).tolist() == [True, False]
    assert batch.is_valid.tolist() == [True, False]


def test_without_watching_there_is_nothing_to_read():
    batch = tribo.Batch(bouncing(), 1)
    with pytest.raises(RuntimeError, match="watch_collisions = True"):
        _ = batch.collisions
    with pytest.raises(TypeError, match="watch_collisions"):
        batch.watch_collisions = "yes"
