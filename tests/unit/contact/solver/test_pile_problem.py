"""A pile is the problem that it is as a dense one: velocities, responses, Newton steps."""

import numpy as np
import pytest
from unit.contact.solver.test_proximal_newton import dog, grip, rolling_balls, written

from tribo.contact.solver import (
    block_matrix,
    contact_lane_groups,
    pile_problem,
    proximal_law,
    proximal_products,
    proximal_rows,
    proximal_step,
)
from tribo.contact.solver.proximal_rows import Entry, Law, LawKind, Size, Vector
from tribo.engine import lazy_kernels
from tribo.model import Late


def as_pile(engine, t):
    """Write an island as a pile, with z_free that of the world; return the dofs of its trees."""
    model, work = engine.model, engine.work
    work.node_count[0], work.value_count[0] = 8, 8000
    engine.grow()
    model, work = engine.model, engine.work
    model.lazy_address[Late.PILE] = lazy_kernels.address(Late.PILE)
    contact_lane_groups.lay_out_free_bodies(model, work, t)
    count = block_matrix.find_nodes(model, work, t)
    proximal_rows.write_pile(model, work, t, count)
    assert proximal_products.call_pile_operation(model, work, pile_problem.PREPARE, count, np.inf) > 0
    dofs = np.concatenate([
        model.tree_v[tree] + np.arange(model.tree_nv[tree]) for tree in work.node_tree[:count]
    ])  # fmt: skip
    work.column_vector[Vector.FREE, dofs] = work.free_response[dofs]
    return dofs


@pytest.mark.parametrize("make", [grip, dog, rolling_balls])
def test_products_are_those_of_the_dense_problem(make):
    engine, t, count = written(make())
    rng = np.random.default_rng(3)
    model, work = engine.model, engine.work
    columns = work.column_dof[:count][::-1].copy()
    way = rng.normal(size=len(work.response))
    found = []
    for is_pile in (False, True):
        if is_pile:
            as_pile(engine, t)
            model, work = engine.model, engine.work
        places = np.arange(len(way)) if is_pile else columns
        x = work.column_vector
        x[Vector.STEP, : len(places)] = way[places]
        proximal_products.measure_motion(model, work, int(Vector.Z))
        proximal_products.measure_motion(model, work, int(Vector.STEP))
        rows = work.dense_size[Size.ROWS]
        v = work.dense_vector[[Entry.MOTION, Entry.CHANGE, Entry.IMPULSE], :rows].copy()
        x[Vector.STEP] = 0.0
        proximal_products.gather_response(model, work, int(Entry.IMPULSE), int(Vector.STEP))
        response = np.zeros(len(way))
        response[places] = x[Vector.STEP, : len(places)]
        found.append((v, response))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-12)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-12)


@pytest.mark.parametrize("make", [grip, dog, rolling_balls])
def test_the_step_solves_the_derivative_of_what_lacks(make):
    """As `test_proximal_newton` asks it of dense problems: contacts stick, slide and roll."""
    engine, t, _ = written(make())
    dofs = as_pile(engine, t)
    model, work = engine.model, engine.work
    rng = np.random.default_rng(0)
    worst = []
    x = work.column_vector
    begin = x[Vector.Z, dofs].copy()
    for _ in range(20):
        proximal_law.set_row_penalties(work, 3.0)
        proximal_rows.copy_vector(work, Entry.IMPULSE, Entry.MEMORY)
        z = begin + 1e-2 * rng.normal(size=len(dofs))

        def lack(z):
            x[Vector.Z, dofs] = z
            proximal_products.measure_motion(model, work, Vector.Z)
            proximal_law.write_trials(work)
            proximal_step.write_residual(model, work)
            return x[Vector.RESIDUAL, dofs].copy()

        step = rng.normal(size=len(dofs))
        change = (lack(z + 1e-7 * step) - lack(z - 1e-7 * step)) / 2e-7
        lack(z)
        x[Vector.STEP, dofs] = change
        ask = proximal_products.call_pile_operation
        assert ask(model, work, pile_problem.NEWTON, Vector.STEP, 0.0) == 1
        worst.append(np.abs(x[Vector.STEP, dofs] - step).max() / np.abs(step).max())
    assert np.median(worst) < 1e-5


@pytest.mark.parametrize("make", [dog, rolling_balls])
def test_a_set_that_sticks_is_solved_to_the_end(make):
    """The impulses that a linear solve with a sticking set gives leave no velocity where they push."""
    engine, t, _ = written(make())
    as_pile(engine, t)
    model, work = engine.model, engine.work
    x = work.dense_vector
    rows = int(work.dense_size[Size.ROWS])
    proximal_rows.copy_vector(work, Entry.IMPULSE, Entry.MEMORY)
    proximal_products.measure_motion(model, work, Vector.Z)
    law, laws = work.law_row, int(work.dense_size[Size.LAWS])
    x[Entry.TRIAL, :rows] = 0.0
    for b in range(laws):
        if law[b, Law.KIND] == LawKind.NORMAL:
            x[Entry.TRIAL, law[b, Law.ROW]] = 1.0
    assert proximal_step.solve_active_set(model, work, True)
    proximal_rows.copy_vector(work, Entry.LINEAR, Entry.IMPULSE)
    proximal_products.write_response(model, work, Vector.Z)
    proximal_products.measure_motion(model, work, Vector.Z)
    pushed = sorted(
        {int(law[b, 0]) for b in range(laws)}
        | {int(law[b, 0]) + 1 for b in range(laws) if law[b, 1] in (1, 2)}
    )
    assert np.abs(x[Entry.MOTION, pushed]).max() < 1e-9 * max(1.0, np.abs(x[Entry.LINEAR, :rows]).max())
