"""Numbers side by side: compiled and in plain Python the same, to the bit."""

import functools

import numpy as np

from tribo.compiler import lanes
from tribo.compiler.jit import DISABLED, script
from tribo.compiler.lanes import (
    chosen,
    filled,
    gathered,
    high,
    is_yes,
    joined,
    lane,
    load2,
    load4,
    low,
    number,
    pair_sums,
    paired,
    roots,
    scattered,
    some,
    spread2,
    spread4,
    store2,
    store4,
    sums,
    top,
    total,
    transposed,
    transposed2,
)  # fmt: skip


def every(work, k, x):
    """Use every operation; write what comes of it into rows of a table."""
    out = work.contact_kept
    a = load4(out, k)
    b = load4(out, k + 4)
    two = load2(out, k + 1) * spread2(x)
    store4(out, k + 8, a * b - spread4(x) + lane(b, 2))
    store2(out, k + 12, low(a) + high(b))
    store4(out, k + 14, joined(two, pair_sums(two, low(b))))
    return sums(a, b, a * b)


def any_work():
    """Return the scratch of a world."""
    import tribo

    world = tribo.World(1e-3)
    world.add_sphere(0.1, 1.0)
    return world.engine.work


@functools.cache
def in_both(function):
    """Return a function as plain Python and compiled, once: only the first call compiles."""
    return (function,) if DISABLED else (function, script(function))


def of_both(function, work, start, k, x):
    """Return what comes of a function, and the table, which must be the same compiled and plain."""
    found = []
    for act in in_both(function):
        work.contact_kept[:] = start
        found.append((act(work, k, x), work.contact_kept.copy()))
    assert found[0][0] == found[-1][0]
    np.testing.assert_array_equal(found[0][1], found[-1][1])
    return found[0]


def test_compiled_and_plain_agree():
    """The same table comes of both, and the same sums."""
    work = any_work()
    rng = np.random.default_rng(1)
    start = rng.normal(size=work.contact_kept.shape)
    assert start.size >= 24
    _, table = of_both(every, work, start, 1, 0.3)
    assert (table != start).sum() == 10


def every_answer(work, k, x):
    """Use what answers and what moves lanes about; write what comes of it into rows of a table."""
    out = work.contact_kept
    a = load4(out, k)
    b = gathered(out, k + 9, k + 4, k + 6, k + 3)
    size = abs(a / b)
    which = (a < b) & ~(size <= spread4(x)) | (a + b < spread4(-x))
    p, q, r, s = transposed(a, b, size, roots(size))
    store4(out, k + 12, chosen(which, p - q, r * s))
    # The first and the third go to one place: the first stays.
    scattered(out, k + 20, k + 16, k + 20, k + 18, q)
    count = 0
    for lane_ in range(4):
        if is_yes(which, lane_):
            count += 1
    return some(which), count, number(q, 3), top(r), top(spread4(-1.0) - size)


def test_answers_compiled_and_plain_agree():
    """Comparisons, choices, roots and transposed lanes, with answers of all kinds; no number is no answer."""
    work = any_work()
    rng = np.random.default_rng(2)
    counts = set()
    for _ in range(80):
        start = rng.normal(size=work.contact_kept.shape)
        said, _ = of_both(every_answer, work, start, 2, 0.5)
        counts.add(said[1])
        assert said[0] == (said[1] > 0)
    assert {0, 1, 2} <= counts


def every_mix(work, k, x):
    """Use numbers with lanes, and what takes pairs apart; write what comes of it into rows of a table."""
    out = work.contact_kept
    a = load4(out, k)
    p, q = transposed2(load2(out, k), load2(out, k + 1), load2(out, k + 2), load2(out, k + 3))
    b, c, d, e = paired(q, p)
    store4(out, k + 4, -p)
    store4(out, k + 8, joined(b, e))
    store4(out, k + 12, (x - a * 2.0) / (1.0 + x * a) + filled(x, 1.0, 2.0, x))
    return total(c) - total(d)


def test_numbers_with_lanes_compiled_and_plain_agree():
    """A number counts as lanes that are all equal to it; pairs come back as they were."""
    work = any_work()
    start = np.random.default_rng(3).normal(size=work.contact_kept.shape)
    said, made = of_both(every_mix, work, start, 0, 0.7)
    x = start.reshape(-1)
    assert said == (x[2] + x[1]) - (x[3] + x[2])
    made = made.reshape(-1)[4:12]
    np.testing.assert_array_equal(made, [*(-x[:4]), x[1], x[0], x[4], x[3]])


def test_names_are_those_of_the_compiled_ones():
    """Each operation has its own name in `lane_types`."""
    for name in lanes.__all__:
        assert getattr(lanes, name)._place == ("tribo.compiler.lane_types", name)
