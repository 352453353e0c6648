"""Laws of scalar rows, four rows at a time, against one row at a time in plain Python."""

from math import inf, nan

import numpy as np
import pytest

import tribo
from tribo.contact.solver import active_set, proximal_law, proximal_rows
from tribo.contact.solver.proximal_rows import Entry, Size, wide


@pytest.fixture(params=range(40))
def problem(request):
    """Return tables with scalar rows from any row on, the random numbers of a seed, and the rows."""
    rng = np.random.default_rng(request.param)
    world = tribo.World()
    world.add_ground()
    world.add_box((1, 1, 1), 1.0)
    world.step()
    work = world.engine.work
    first, count = int(rng.integers(0, 6)), int(rng.integers(1, 11))
    work.dense_size[Size.LAWS], work.dense_size[Size.SCALARS] = 0, first
    work.dense_size[Size.ROWS] = first + count
    x = work.dense_vector
    x[:, :] = 0.0
    x[:, : first + count] = np.round(rng.normal(size=(x.shape[0], first + count)), 1)
    x[Entry.LOWER, : first + count] = rng.choice([-inf, -1.0, -0.4, 0.0], first + count)
    x[Entry.UPPER, : first + count] = rng.choice([0.0, 0.3, 1.0, inf], first + count)
    x[Entry.PENALTY, : first + count] = rng.uniform(0.1, 10.0, first + count)
    x[Entry.COMPLIANCE, : first + count] = rng.choice([0.0, 0.1], first + count)
    x[Entry.UNIT, : first + count] = rng.uniform(0.1, 1.0, first + count)
    return world, rng, range(first, first + count)


def test_impulses_are_clamped(problem):
    """The impulse is the trial within its bounds; rows of contacts, and those after the last, stay."""
    world, _, rows = problem
    work, x = world.engine.work, world.engine.work.dense_vector
    before = x[Entry.IMPULSE].copy()
    proximal_law.apply_laws(work, Entry.TRIAL, Entry.IMPULSE)
    for i in rows:
        assert x[Entry.IMPULSE, i] == min(max(x[Entry.TRIAL, i], x[Entry.LOWER, i]), x[Entry.UPPER, i])
    np.testing.assert_array_equal(x[Entry.IMPULSE, : rows.start], before[: rows.start])
    assert not x[Entry.IMPULSE, rows.stop : wide(rows.stop) + 4].any()


def test_trials_keep_what_rows_do(problem):
    """A row at a bound keeps a trial beyond it by its velocity; others the trial that is their impulse."""
    world, _, rows = problem
    work, x = world.engine.work, world.engine.work.dense_vector
    x[Entry.IMPULSE] = np.clip(x[Entry.IMPULSE], x[Entry.LOWER], x[Entry.UPPER])
    active_set.write_active_scalars(work)
    for i in rows:
        own, lower, upper = x[Entry.IMPULSE, i], x[Entry.LOWER, i], x[Entry.UPPER, i]
        more = x[Entry.PENALTY, i] * (abs(x[Entry.MOTION, i]) + active_set.ROUND_OFF)
        expected = own
        if lower < upper and own == upper:
            expected = upper + more
        elif lower < upper and own == lower:
            expected = lower - more
        assert x[Entry.TRIAL, i] == expected


def test_sets_are_corrected(problem):
    """Between bounds the linear impulse counts; at a bound it stays as long as its velocity leads beyond."""
    world, _, rows = problem
    work, x = world.engine.work, world.engine.work.dense_vector
    active_set.update_active_scalars(work)
    for i in rows:
        lower, upper = x[Entry.LOWER, i], x[Entry.UPPER, i]
        side = 1.0 if x[Entry.PREVIOUS, i] > upper else -1.0 if x[Entry.PREVIOUS, i] < lower else 0.0
        if side == 0.0:
            own = min(max(x[Entry.LINEAR, i], lower), upper)
            beyond = np.sign(x[Entry.LINEAR, i] - own)
            more = x[Entry.PENALTY, i] * active_set.ROUND_OFF
        else:
            own = upper if side > 0.0 else lower
            beyond = side if side * (x[Entry.MOTION, i] + x[Entry.COMPLIANCE, i] * own) <= 0.0 else 0.0
            more = x[Entry.PENALTY, i] * (abs(x[Entry.MOTION, i]) + active_set.ROUND_OFF)
        assert x[Entry.IMPULSE, i] == own
        assert x[Entry.TRIAL, i] == own + beyond * more


def test_violations_are_the_largest(problem):
    """Of all rows the largest |λ − clamp(λ − w − R λ)| counts, in m/s; and a number that is none."""
    world, rng, rows = problem
    work, x = world.engine.work, world.engine.work.dense_vector
    worst = 0.0
    for i in rows:
        own = x[Entry.IMPULSE, i]
        after = own - (x[Entry.MOTION, i] + x[Entry.COMPLIANCE, i] * own)
        after = min(max(after, x[Entry.LOWER, i]), x[Entry.UPPER, i])
        worst = max(worst, abs(own - after) * x[Entry.UNIT, i])
    assert proximal_law.violation_of_scalars(work) == worst
    assert proximal_law.violation_here(work) == worst
    error = np.abs(x[Entry.IMPULSE] - x[Entry.MEMORY]) * x[Entry.UNIT]
    assert proximal_law.memory_error(work, 2.0) == error[: rows.stop].max() / 2.0
    x[Entry.MOTION, rng.choice(rows)] = nan
    assert np.isnan(proximal_law.violation_of_scalars(work))
    assert np.isnan(proximal_law.violation_here(work))


def test_rows_beyond_the_last_are_nothing():
    """Tables that another island filled are cleared for four rows after the last: they are taken with it."""
    world = tribo.World()
    world.add_ground()
    world.add_box((1, 1, 1), 1.0).position = (0, 0, 0.5)
    world.step()
    model, work = world.engine.model, world.engine.work
    work.dense_vector[:, :] = nan
    count = proximal_rows.find_columns(model, work, 1, 7)
    proximal_rows.write_island(model, work, 1, count)
    proximal_rows.leave_columns(work, count)
    last = work.dense_size[Size.ROWS]
    assert last > 0
    assert not work.dense_vector[:, last : wide(last) + 4].any()
