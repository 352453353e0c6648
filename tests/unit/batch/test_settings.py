"""Settings of a batch world by world, and sleep of its objects: each world does what it would do alone."""

import numpy as np
import pytest
from scenes import ground_world

import tribo


def boxes():
    """Return a world with two boxes that stand apart."""
    world = ground_world(friction=0.6)
    world.sleep_time = 0.05
    world.sleeping = True
    for k, name in enumerate("ab"):
        world.add_box((1, 1, 1), 1.0, position=(3.0 * k, 0, 0.5), name=name)
    return world


def test_what_rests_sleeps_in_the_worlds_that_allow_it():
    batch = tribo.Batch(boxes(), 3, threads=1)
    batch.sleeping = [True, False, True]
    batch["a"].can_sleep = [True, True, False]
    batch.step(120)
    assert batch["a"].is_asleep.tolist() == [True, False, False]
    assert batch["b"].is_asleep.tolist() == [True, False, True]
    assert batch["a"].can_sleep.tolist() == [True, True, False]
    assert not batch["b"].is_asleep.flags.writeable


def test_a_batch_sleeps_as_its_worlds_do_alone():
    world = boxes()
    batch = tribo.Batch(world, 2, threads=1)
    batch.sleep_time = [0.05, 0.4]
    for _ in range(30):
        batch.step(10)
        world.step(10)
        assert batch["a"].is_asleep[0] == world["a"].is_asleep
    assert batch["a"].is_asleep.tolist() == [True, False]
    np.testing.assert_array_equal(batch["a"].generalized_coordinate[0], world["a"].generalized_coordinate)


def test_waking_some_worlds_leaves_the_others_asleep():
    batch = tribo.Batch(boxes(), 4, threads=1)
    batch.step(120)
    assert batch["a"].is_asleep.all()
    batch["a"].wake(2)
    assert batch["a"].is_asleep.tolist() == [True, True, False, True]
    batch["a"].wake([True, False, False, False])
    assert batch["a"].is_asleep.tolist() == [False, True, False, True]
    batch.step(5)
    assert batch["a"].is_asleep.tolist() == [False, True, False, True]  # a new rest takes its time
    batch["a"].can_sleep = False
    assert not batch["a"].is_asleep.any()
    batch.step(120)
    assert not batch["a"].is_asleep.any()
    assert batch["b"].is_asleep.all()
    batch.sleeping = False
    assert not batch["b"].is_asleep.any()


def test_a_faster_limit_lets_more_sleep():
    """A ball that rolls with 0.01 m/s sleeps where the limits are above that."""
    world = ground_world(friction=0.6)
    world.sleeping = True
    world.sleep_time = 0.05
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1), name="ball")
    ball.generalized_velocity = [0.01, 0, 0, 0, 0.1, 0]
    batch = tribo.Batch(world, 3, threads=1)
    batch.sleep_speed = [2e-3, 0.05, 0.05]
    batch.sleep_angular_speed = [0.5, 0.01, 0.5]
    batch.step(200)
    assert batch["ball"].is_asleep.tolist() == [False, False, True]


def test_time_step_and_gravity_differ_between_worlds():
    """Free fall: v = g t exactly, in each world with its own numbers."""
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="ball")
    batch = tribo.Batch(world, 2, threads=1)
    batch.time_step = [1e-3, 2e-3]
    batch.gravity = [(0, 0, -9.81), (1.0, 0, -1.62)]
    batch.erp = 0.5
    batch.step(100)
    np.testing.assert_allclose(batch.time, [0.1, 0.2], rtol=1e-12)
    v = batch["ball"].generalized_velocity[:, :3]
    np.testing.assert_allclose(v, [(0, 0, -0.981), (0.2, 0, -0.324)], rtol=1e-12)
    assert batch.erp.tolist() == [0.5, 0.5]
    saved = batch.snapshot()
    batch.time_step = 5e-3
    batch.restore(saved)
    assert batch.time_step.tolist() == [1e-3, 2e-3]


WRONG = {
    "negative": (lambda b: setattr(b, "time_step", [1e-3, -1e-3]), ValueError, "time_step"),
    "shape": (lambda b: setattr(b, "sleep_time", [1.0, 2.0, 3.0]), ValueError, r"\(2,\)"),
    "number": (lambda b: setattr(b, "sleeping", 1.0), TypeError, "True or False"),
    "nan": (lambda b: setattr(b, "sleep_speed", float("nan")), ValueError, "sleep_speed"),
    "gravity": (lambda b: setattr(b, "gravity", [0, 0]), ValueError, "gravity"),
    "erp": (lambda b: setattr(b, "erp", 2.0), ValueError, "erp"),
    "can_sleep": (lambda b: setattr(b["ball"], "can_sleep", 1), TypeError, "True or False"),
    "can_sleep shape": (lambda b: setattr(b["ball"], "can_sleep", [True]), ValueError, r"\(2,\)"),
    "no world": (lambda b: b["ball"].wake(7), ValueError, "2 worlds"),
    "typo": (lambda b: setattr(b, "sleping", True), AttributeError, "sleeping"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_value_changes_nothing(case):
    edit, error, words = WRONG[case]
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="ball")
    batch = tribo.Batch(world, 2, threads=1)
    before = batch.snapshot()
    with pytest.raises(error, match=words):
        edit(batch)
    after = batch.snapshot()
    for name in before:
        for field, array in before[name].items():
            np.testing.assert_array_equal(array, after[name][field])


SPOILT = {
    "not finite": ("state", "q", lambda a: a * np.nan, ValueError, "not finite"),
    "text": ("state", "q", lambda a: a.astype(str), TypeError, "q of the snapshot"),
    "list": ("command", "kp", lambda a: a.tolist(), TypeError, "kp of the snapshot"),
    "no gain": ("command", "kp", lambda a: a * np.nan, ValueError, "kp of the snapshot"),
    "no row": ("state", "warm_key", lambda a: a[:, :0], ValueError, "warm_key|warm_count"),
    "count": ("state", "warm_count", lambda a: a + 1_000_000, ValueError, "warm_count .* 100000"),
    "negative": ("state", "yield_count", lambda a: a - 1, ValueError, "yield_count .* -1"),
    "count of one": ("state", "warm_count", lambda a: a[0], ValueError, "another batch: warm_count"),
    "width": ("state", "warm_impulse", lambda a: a[..., None], ValueError, "another batch"),
    "no time": ("settings", "dt", lambda a: a * 0.0, ValueError, "dt of the snapshot"),
    "integrator": ("settings", "integrator", lambda a: a + 9, ValueError, "integrator .*: 9"),
    "no sweep": ("settings", "max_sweeps", lambda a: a * 0, ValueError, "max_sweeps .*: 0"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_spoilt_snapshot_is_refused(case):
    name, field, spoil, error, words = SPOILT[case]
    world = tribo.World()
    world.add_ground()
    world.add_sphere(0.1, 1.0, name="ball", position=(0, 0, 0.1))
    batch = tribo.Batch(world, 2, threads=1)
    batch.step(5)
    saved = batch.snapshot()
    assert (saved["state"]["warm_count"] == 1).all()
    batch.step(10)
    before = batch["ball"].generalized_coordinate.copy()
    saved[name][field] = spoil(saved[name][field])
    with pytest.raises(error, match=words):
        batch.restore(saved)
    assert (batch["ball"].generalized_coordinate == before).all()


def test_snapshots_wait_for_a_step_under_way():
    """It crashed the interpreter: tables grew under the feet of the step."""
    world = tribo.World()
    world.add_sphere(0.1, 1.0)
    batch = tribo.Batch(world, 2, threads=1)
    saved = batch.snapshot()
    idle = batch._inside.idle.pop()
    for call in (batch.snapshot, lambda: batch.restore(saved)):
        with pytest.raises(tribo.EditError, match="another thread"):
            call()
    batch._inside.idle.append(idle)
    batch.restore(saved)


def test_settings_of_some_worlds():
    """A mask sets these worlds alone; a wrong value sets none, whichever it is."""
    world = tribo.World()
    world.add_sphere(0.1, mass=1.0, name="ball")
    batch = tribo.Batch(world, 4, threads=1)
    mask = np.array([False, True, False, True])
    batch.set_settings(worlds=mask, gravity=[(0, 0, -1), (0, 0, -2)], erp=[0.1, 0.3], sleeping=True)
    assert batch.gravity[:, 2].tolist() == [-9.81, -1.0, -9.81, -2.0]
    assert batch.erp.tolist() == [0.2, 0.1, 0.2, 0.3]
    assert batch.sleeping.tolist() == [False, True, False, True]
    for wrong in ({"erp": [0.5, 1.5]}, {"erp": [0.5, np.nan]}, {"gravity": [(0, 0, 1)] * 4}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            batch.set_settings(worlds=mask, time_step=0.5, **wrong)
    with pytest.raises(KeyError, match="gravity"):
        batch.set_settings(gravitation=1.0)
    with pytest.raises(ValueError, match="worlds must be"):
        batch.set_settings(worlds=[9], erp=0.1)
    assert (batch.time_step == 0.001).all()
    assert batch.erp.tolist() == [0.2, 0.1, 0.2, 0.3]
