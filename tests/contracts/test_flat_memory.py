"""Memory does not grow with steps, resets and pages that leave; long runs: `benchmarks/flat_memory.py`."""

import gc
import sys
import tracemalloc
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import flat_memory


def grown(run, count, room):
    """Return by how many bytes Python's objects and arrays grow in so many calls: the least of four times.

    A cache or a table that takes its next size grows once; a leak grows each time, beyond `room` [byte].
    """
    tracemalloc.start()
    run(count)
    least, before = sys.maxsize, held()
    for _ in range(4):
        run(count)
        after = held()
        least, before = min(least, after - before), after
        if least < room:
            break
    tracemalloc.stop()
    return least


def held():
    """Return how many bytes Python's objects and arrays hold."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.parametrize(("kind", "count"), [("steps", 400), ("resets", 120)])
def test_steps_and_resets_keep_nothing(kind, count):
    """Anything kept of each call, be it one object of 32 bytes, is more than this."""
    assert grown(flat_memory.KINDS[kind][0](), count, 32 * count) < 32 * count


def test_what_keeps_something_is_found():
    kept = []
    assert grown(lambda count: kept.extend(bytes(64) for _ in range(count)), 400, 32 * 400) > 32 * 400


def test_pages_that_leave_are_forgotten():
    """A page that stays in some list keeps its queue and its camera: kilobytes."""
    pytest.importorskip("viser")
    assert grown(flat_memory.connects(), 40, 40 * 1024) < 40 * 1024
