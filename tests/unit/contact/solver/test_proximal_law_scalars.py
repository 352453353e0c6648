"""Laws of scalar rows, four rows at a time, against one row at a time in plain Python."""

from math import inf, nan

import numpy as np
import pytest

import tribo
from tribo.contact.solver import active_set, proximal_law, proximal_rows
from tribo.contact.solver.proximal_rows import (
    COMPLIANCE,
    IMPULSE,
    LAWS,
    LINEAR,
    LOWER,
    MEMORY,
    MOTION,
    PENALTY,
    PREVIOUS,
    ROWS,
    SCALARS,
    TRIAL,
    UNIT,
    UPPER,
    wide,
)


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
    work.dense_size[LAWS], work.dense_size[SCALARS] = 0, first
    work.dense_size[ROWS] = first + count
    x = work.dense_vector
    x[:, :] = 0.0
    x[:, : first + count] = np.round(rng.normal(size=(x.shape[0], first + count)), 1)
    x[LOWER, : first + count] = rng.choice([-inf, -1.0, -0.4, 0.0], first + count)
    x[UPPER, : first + count] = rng.choice([0.0, 0.3, 1.0, inf], first + count)
    x[PENALTY, : first + count] = rng.uniform(0.1, 10.0, first + count)
    x[COMPLIANCE, : first + count] = rng.choice([0.0, 0.1], first + count)
    x[UNIT, : first + count] = rng.uniform(0.1, 1.0, first + count)
    return world, rng, range(first, first + count)


def test_impulses_are_clamped(problem):
    """The impulse is the trial within its bounds; rows of contacts, and those after the last, stay."""
    world, _, rows = problem
    work, x = world.engine.work, world.engine.work.dense_vector
    before = x[IMPULSE].copy()
    proximal_law.apply_laws(work, TRIAL, IMPULSE)
    for i in rows:
        assert x[IMPULSE, i] == min(max(x[TRIAL, i], x[LOWER, i]), x[UPPER, i])
    np.testing.assert_array_equal(x[IMPULSE, : rows.start], before[: rows.start])
    assert not x[IMPULSE, rows.stop : wide(rows.stop) + 4].any()


def test_trials_keep_what_rows_do(problem):
    """A row at a bound keeps a trial beyond it by its velocity; others the trial that is their impulse."""
    world, _, rows = problem
    work, x = world.engine.work, world.engine.work.dense_vector
    x[IMPULSE] = np.clip(x[IMPULSE], x[LOWER], x[UPPER])
    active_set.write_active_scalars(work)
    for i in rows:
        own, lower, upper = x[IMPULSE, i], x[LOWER, i], x[UPPER, i]
        more = x[PENALTY, i] * (abs(x[MOTION, i]) + active_set.ROUND_OFF)
        expected = own
        if lower < upper and own == upper:
            expected = upper + more
        elif lower < upper and own == lower:
            expected = lower - more
        assert x[TRIAL, i] == expected


def test_sets_are_corrected(problem):
    """Between bounds the linear impulse counts; at a bound it stays as long as its velocity leads beyond."""
    world, _, rows = problem
    work, x = world.engine.work, world.engine.work.dense_vector
    active_set.update_active_scalars(work)
    for i in rows:
        lower, upper = x[LOWER, i], x[UPPER, i]
        side = 1.0 if x[PREVIOUS, i] > upper else -1.0 if x[PREVIOUS, i] < lower else 0.0
        if side == 0.0:
            own = min(max(x[LINEAR, i], lower), upper)
            beyond = np.sign(x[LINEAR, i] - own)
            more = x[PENALTY, i] * active_set.ROUND_OFF
        else:
            own = upper if side > 0.0 else lower
            beyond = side if side * (x[MOTION, i] + x[COMPLIANCE, i] * own) <= 0.0 else 0.0
            more = x[PENALTY, i] * (abs(x[MOTION, i]) + active_set.ROUND_OFF)
        assert x[IMPULSE, i] == own
        assert x[TRIAL, i] == own + beyond * more


def test_violations_are_the_largest(problem):
    """Of all rows the largest |λ − clamp(λ − w − R λ)| counts, in m/s; and a number that is none."""
    world, rng, rows = problem
    work, x = world.engine.work, world.engine.work.dense_vector
    worst = 0.0
    for i in rows:
        own = x[IMPULSE, i]
        after = own - (x[MOTION, i] + x[COMPLIANCE, i] * own)
        after = min(max(after, x[LOWER, i]), x[UPPER, i])
        worst = max(worst, abs(own - after) * x[UNIT, i])
    assert proximal_law.violation_of_scalars(work) == worst
    assert proximal_law.violation_here(work) == worst
    error = np.abs(x[IMPULSE] - x[MEMORY]) * x[UNIT]
    assert proximal_law.memory_error(work, 2.0) == error[: rows.stop].max() / 2.0
    x[MOTION, rng.choice(rows)] = nan
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
    last = work.dense_size[ROWS]
    assert last > 0
    assert not work.dense_vector[:, last : wide(last) + 4].any()
