"""Shares of worlds that threads take one after the other, and that no job is lost or done twice."""

import random
import sys
import threading

import numpy as np
import pytest

import tribo
from tribo.engine import threads
from tribo.engine.threads import run_together, shares


@pytest.mark.parametrize("worlds", [1, 2, 7, 64, 513, 4096])
@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_shares_are_all_worlds_once_and_end_small(worlds, count):
    """The last share is what one thread may have to do while the others wait: 1/64 of its part."""
    made = shares(worlds, count)
    assert [k for first, stop in made for k in range(first, stop)] == list(range(worlds))
    sizes = [stop - first for first, stop in made]
    assert sizes[0] <= max(1, worlds / (2 * count))
    assert sizes[-1] <= max(1, worlds / (64 * count))
    assert sizes == sorted(sizes, reverse=True)


@pytest.fixture
def hurried():
    """Have Python change threads as often as it can: what depends on luck shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_a_job_that_raises_leaves_every_thread_at_rest():
    """Before, the threads after it were not waited for: the next call took their old jobs for its own."""
    go, done = threading.Event(), []

    def fail():
        raise LookupError("one")

    def slow(name):
        go.wait(60.0)
        done.append(name)

    threading.Timer(0.05, go.set).start()
    with pytest.raises(LookupError, match="one"):
        run_together([lambda: None, fail, lambda: slow("a"), lambda: slow("b")])
    assert sorted(done) == ["a", "b"]
    run_together([lambda k=k: done.append(k) for k in range(4)])
    assert sorted(done[2:]) == [0, 1, 2, 3]


@pytest.mark.usefixtures("hurried")
def test_many_callers_at_once_have_each_job_done_once():
    """Jobs that raise among them: each error comes back to its own caller, and to nobody else."""
    said = []

    def call_often(caller):
        rng = random.Random(caller)
        for turn in range(100):
            done, fails = [], rng.choice((None, None, 0, 1, 3))
            count = rng.randint(1, 6)

            def job(k, done=done, fails=fails, turn=turn):
                done.append(k)
                if k == fails:
                    raise LookupError(caller, turn, k)

            try:
                run_together([lambda k=k, job=job: job(k) for k in range(count)])
                raised = None
            except LookupError as error:
                raised = error.args
            expected = (caller, turn, fails) if fails is not None and fails < count else None
            # Where the threads are taken, jobs run one after another: none follows the one that raised.
            whole = sorted(done) in ([*range(count)], [*range((fails or 0) + 1)])
            if raised != expected or not whole:
                said.append((caller, turn, raised, expected, done))

    callers = [threading.Thread(target=call_often, args=(k,)) for k in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(300.0)
    assert not any(caller.is_alive() for caller in callers)
    assert said == []
    assert not threads._pool.in_use.locked()


@pytest.mark.usefixtures("hurried")
def test_batches_of_many_threads_at_once_make_the_same_bits():
    def batch(count):
        world = tribo.World()
        world.add_ground()
        world.add_box((0.1, 0.1, 0.1), 1.0, position=(0, 0, 0.12)).angular_velocity = (1, 2, 3)
        return tribo.Batch(world, 24, threads=count)

    alone, found = batch(1), {}
    alone.step(200)

    def step(count):
        made = batch(count)
        for _ in range(50):
            made.step(4)
            made.ray_test_batch(np.zeros((5, 3)) + 2.0, (0, 0, -1.0))
        found[count] = made.hash()

    callers = [threading.Thread(target=step, args=(k,)) for k in (1, 2, 3, 4, 7)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(300.0)
    assert found == dict.fromkeys((1, 2, 3, 4, 7), alone.hash())
