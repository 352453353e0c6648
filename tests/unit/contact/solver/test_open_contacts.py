"""A robot's contacts that part are left out of its solve, and the solution is that of all contacts."""

import hard_problems
import numpy as np
import pytest
import reference

from tribo.contact.solver import island_solve, natural_residual, proximal_rows

MOST = 60  # contacts


@pytest.fixture(scope="module")
def engine():
    """Return records for one body."""
    return hard_problems.engine_of(1, MOST)


def body_with(rng, pressed, parting):
    """Return the island of one body of 1 kg and 1 kg m².

    Some contacts it runs into with 0.1 to 1 m/s, some part at the speeds that are given [m/s]. All normals
    point upwards, so it can leave them all.
    """
    n = pressed + len(parting)
    rows, start = np.zeros((n, 2, 3, 6)), rng.normal(size=(n, 3))
    for c in range(n):
        normal = np.array([*rng.uniform(-0.4, 0.4, 2), 1.0])
        normal /= np.linalg.norm(normal)
        tangent = np.cross(normal, [1.0, 0.0, 0.0])
        tangent /= np.linalg.norm(tangent)
        axes = np.array([np.cross(tangent, normal), tangent, normal])
        lever = np.array([*rng.uniform(-3.0, 3.0, 2), 0.0])
        rows[c, 0] = axes @ np.hstack([np.eye(3), -reference.skew(lever)])
    start[:pressed, 2] = -rng.uniform(0.1, 1.0, pressed)
    start[pressed:, 2] = parting
    order = rng.permutation(n)
    bodies = np.tile([0, hard_problems.WORLD], (n, 1))
    return hard_problems.Problem(
        bodies, rows[order], start[order], np.zeros((1, 6)), np.full(n, 0.5), np.zeros((n, 3))
    )


def solve(engine, problem):
    """Solve a problem; return its impulses, and by how much they miss the law, computed independently."""
    hard_problems.write(engine, problem)
    island_solve.solve(engine.model, engine.state, engine.settings, engine.work)
    x = engine.work.contact_impulse[: len(problem.bodies)].copy()
    g, c = problem.dense()
    speed = natural_residual.island_speed(engine.settings, engine.work, 0)
    return x, reference.natural_residual(g, c, problem.friction, x.ravel()) / speed


def test_what_parts_has_no_rows(engine):
    """Two contacts that press make a small problem, whatever fifty others do that part."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        problem = body_with(rng, 2, rng.uniform(20.0, 30.0, 50))
        x, missed = solve(engine, problem)
        assert missed < 1e-8
        assert engine.work.dense_size[proximal_rows.ROWS] == 6
        assert (x[problem.start[:, 2] > 0.0] == 0.0).all()


def test_what_parts_and_is_closed_by_the_others_is_found(engine):
    """A body that is stopped on one side turns, and comes down on the other: lawful at all contacts."""
    rng, closed = np.random.default_rng(1), 0
    for _ in range(60):
        problem = body_with(rng, 2, rng.uniform(0.02, 0.5, 25))
        x, missed = solve(engine, problem)
        assert missed < 2e-6
        closed += bool((x[problem.start[:, 2] > 0.0, 2] > 0.0).any())
        assert (engine.work.island_contact[:27] == np.arange(27)).all()
    assert closed > 30
