"""Turns of sweeps and Newton steps: they go down, stay lawful, and get further than sweeps of their price."""

import hard_problems
import numpy as np
import pytest

from tribo.contact.problem import island_sums
from tribo.contact.solver import (
    alternation,
    block_matrix,
    gauss_seidel_iteration,
    island_solve,
)
from tribo.contact.solver.checkpoint import BEST, go_back
from tribo.contact.solver.natural_residual import island_speed, violation

KEPT = hard_problems.load()[:500:10]  # small piles
TURNS = 8


@pytest.fixture(scope="module")
def engine():
    """Return records with room for every problem."""
    return hard_problems.engine_for(KEPT)


def begin(engine, problem):
    """Write a problem with no impulses; return its number of trees and the speed that it removes."""
    hard_problems.write(engine, problem._replace(impulse=np.zeros_like(problem.impulse)))
    island_solve.warm_start(engine.model, engine.state, engine.settings, engine.work)
    count = block_matrix.prepare(
        engine.model, engine.work, 0, block_matrix.MAX_NODES, block_matrix.MAX_WORK
    )
    return count, island_speed(engine.settings, engine.work, 0)


def test_turns_are_lawful_and_get_further_than_sweeps(engine):
    """Eight turns leave less than half as many problems beyond 1e-3 of the speed as 100 sweeps do.

    What is returned is the violation of what is kept; it is in its cones, and its response is Yᵀ λ.
    """
    model, work = engine.model, engine.work
    by_turns, by_sweeps = [], []
    for problem in KEPT:
        count, speed = begin(engine, problem)
        best = alternation.take_turns(model, work, 0, count, 0.0, np.inf, TURNS)
        go_back(model, work, 0, count, BEST, 1.0)
        assert violation(model, work, 0) == pytest.approx(best, rel=1e-6, abs=1e-12 * speed)
        x = work.contact_impulse[: len(problem.bodies)]
        assert (np.hypot(x[:, 0], x[:, 1]) <= problem.friction * x[:, 2] * (1 + 1e-12)).all()
        by_turns.append(best / speed)
        begin(engine, problem)
        for _ in range(100):
            gauss_seidel_iteration.sweep_island(model, work, 0)
        by_sweeps.append(violation(model, work, 0) / speed)
    far_turns, far_sweeps = (sum(x > 1e-3 for x in found) for found in (by_turns, by_sweeps))
    assert far_turns <= 0.5 * far_sweeps  # 5 and 14
    assert np.median(by_turns) < 1e-8


def test_more_turns_never_end_worse(engine):
    """The best impulses are kept: the violation that is returned never grows with the number of turns."""
    for problem in KEPT[:10]:
        found = []
        for turns in range(6):
            count, _ = begin(engine, problem)
            found.append(
                alternation.take_turns(engine.model, engine.work, 0, count, 0.0, np.inf, turns)
            )
        assert (np.diff(found) <= 0.0).all()


def test_what_brings_energy_is_told(engine):
    """It is told by the sign of ½ λ·Gλ + λ·c, of G as a dense matrix; both answers occur."""
    model, work = engine.model, engine.work
    told = []
    for problem in KEPT:
        count, _ = begin(engine, problem)
        assert not island_sums.brings_energy(model, work, 0, count)
        alternation.take_turns(model, work, 0, count, 0.0, np.inf, TURNS)
        go_back(model, work, 0, count, BEST, 1.0)
        g, c = problem.dense()
        for factor in (1.0, 3.0, 10.0):
            work.contact_impulse[:] *= factor
            island_sums.sum_response(model, work, 0, count)
            x = work.contact_impulse[: len(problem.bodies)].ravel()
            gain = 0.5 * x @ g @ x + x @ c
            if abs(gain) > 1e-6 * (x @ g @ x):
                told.append(island_sums.brings_energy(model, work, 0, count))
                assert told[-1] == (gain > 0.0)
    assert 10 < sum(told) < len(told) - 10


def test_what_is_solved_is_left_alone(engine):
    """Impulses within the limit are kept as they are, bit for bit."""
    problem = KEPT[0]
    count, speed = begin(engine, problem)
    model, work = engine.model, engine.work
    best = alternation.take_turns(model, work, 0, count, 0.0, np.inf, 30)
    go_back(model, work, 0, count, BEST, 1.0)
    before = work.contact_impulse.copy()
    assert alternation.take_turns(model, work, 0, count, 2.0 * best, np.inf, TURNS) <= 2.0 * best
    assert best < 1e-6 * speed
    np.testing.assert_array_equal(work.contact_impulse, before)
