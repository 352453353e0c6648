"""Islands in their dofs: rows in columns, the step of Newton's method, sets that are kept."""

import hard_problems
import numpy as np
import pytest
import reference
from scenes import ground_world, standing_quadruped

import tribo
from tribo.contact.solver import (
    island_solve,
    natural_residual,
    proximal_law,
    proximal_matrix,
    proximal_products,
    proximal_rows,
    proximal_step,
)
from tribo.contact.solver.proximal_rows import Entry, Size, Vector
from tribo.math import spatial
from tribo.model import MAX_DOFS

GRIPPER = """<mujoco><worldbody><body name="arm"><joint name="swing" axis="0 0 1"/>
<inertial mass="2" pos="0.4 0 0" diaginertia="0.1 0.1 0.1"/>
<body name="left" pos="0.8 -0.04 0"><joint name="left" type="slide" axis="0 1 0" range="0 0.1"/>
<geom type="box" size="0.03 0.01 0.03" mass="0.2"/></body>
<body name="right" pos="0.8 0.04 0"><joint name="right" type="slide" axis="0 1 0"/>
<geom type="box" size="0.03 0.01 0.03" mass="0.2"/></body></body>
<body name="box" pos="0.8 0 0"><freejoint/><geom type="box" size="0.03 0.03 0.03" mass="0.3"/></body>
</worldbody></mujoco>"""


def rolling_balls():
    """Three balls in a heap with rolling and spinning friction."""
    world = tribo.World(time_step=2e-3)
    world.default_pair = tribo.PairProperties(friction=0.5, rolling_friction=0.02, spinning_friction=0.02)
    world.add_ground()
    for k in range(3):
        world.add_sphere(0.1, 1.0, position=(0.15 * (k % 2), 0.0, 0.1 + 0.14 * k))
    world.step(100)
    return world


def grip():
    """One finger pushes, the other is at its stop: contacts of a tree and a free body, and a scalar row."""
    world = tribo.World()
    arm, _ = world.load_mjcf(GRIPPER)
    world.step()
    arm.generalized_force = [0.0, -40.0, -40.0]
    return world


def dog():
    """A quadruped stands."""
    world = ground_world(friction=0.8)
    standing_quadruped(world, kp=60.0, kd=2.0)
    world.step(200)
    return world


def written(world):
    """Write the largest island of the next step as a dense problem; return engine, island, columns."""
    world.step()
    engine = world.engine
    t = int(np.argmax(np.diff(engine.work.island_contact_start)))
    engine.work.column_count[0], engine.work.dense_count[0] = 80, 400
    engine.grow()
    model, work = engine.model, engine.work
    world.step()
    count = proximal_rows.find_columns(model, work, t, MAX_DOFS + 1)
    assert 0 < count <= 40
    proximal_rows.write_island(model, work, t, count)
    proximal_rows.leave_columns(work, count)
    return engine, t, count


@pytest.mark.parametrize("make", [grip, dog, rolling_balls])
def test_rows_have_their_blocks_and_velocities(make):
    """Y Yᵀ of a contact, times its own size, is its block of G; velocities are those of the sparse rows."""
    engine, t, count = written(make())
    work = engine.work
    dofs = work.column_dof[:count]
    assert len(set(dofs)) == count
    y = work.dense_row[:, :count]
    proximal_products.measure_motion(engine.model, work, Vector.Z)
    w = work.dense_vector[Entry.MOTION]
    i = 0
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        size = np.sqrt(work.diagonal_delassus[c])
        xx, yy, zz, xy, xz, yz = spatial.load(work.contact_delassus, c)
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        block = y[i : i + 3] @ y[i : i + 3].T * size**2
        np.testing.assert_allclose(block, own, rtol=0, atol=1e-13 * np.abs(own).max())
        found = natural_residual.contact_velocity(engine.model, work, c)
        np.testing.assert_allclose(w[i : i + 3] * size, found, atol=1e-13 * max(1.0, size))
        i += 6 if work.contact_is_spun[c] else 3
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        n = work.island_scalar[k]
        found = natural_residual.scalar_velocity(engine.model, work, n)
        size = np.sqrt(work.scalar_delassus[n])
        np.testing.assert_allclose(w[i] * size, found, atol=1e-13 * max(1.0, size))
        i += 1
    assert i == work.dense_size[Size.ROWS]


@pytest.mark.parametrize("way", ["directions", "dofs"])
@pytest.mark.parametrize("make", [grip, dog, rolling_balls])
def test_the_step_solves_the_derivative_of_what_lacks(make, way):
    """I + Yᵀ D Y against differences of z − z_free − Yᵀ λ(z), with contacts that stick, slide and roll.

    Laws are piecewise smooth; steps of 1e-7 of velocities of order 1e-2 stay within a piece of all but few.
    """
    engine, _, count = written(make())
    work = engine.work
    rng = np.random.default_rng(0)
    worst = []
    x = work.column_vector
    begin = x[Vector.Z, :count].copy()
    for _ in range(20):
        proximal_law.set_row_penalties(work, 3.0)
        proximal_rows.copy_vector(work, Entry.IMPULSE, Entry.MEMORY)
        z = begin + 1e-2 * rng.normal(size=count)

        def lack(z):
            x[Vector.Z, :count] = z
            proximal_products.measure_motion(engine.model, work, Vector.Z)
            proximal_law.write_trials(work)
            proximal_step.write_residual(engine.model, work)
            return x[Vector.RESIDUAL, :count].copy()

        step = rng.normal(size=count)
        change = (lack(z + 1e-7 * step) - lack(z - 1e-7 * step)) / 2e-7
        lack(z)
        x[Vector.STEP, :count] = change
        is_symmetric = proximal_matrix.write_directions(work)
        solve = proximal_matrix.solve_by_directions
        if way == "dofs":
            solve = proximal_matrix.solve_by_dofs
        assert solve(work, Vector.STEP, is_symmetric, False)
        found = x[Vector.STEP, :count]
        worst.append(np.abs(found - step).max() / np.abs(step).max())
    assert np.median(worst) < 1e-5


@pytest.fixture(scope="module")
def kept():
    """Return every tenth of the kept hard problems, and records for them."""
    problems = hard_problems.load()[::10]
    return problems, hard_problems.engine_for(problems)


def solve(engine, problem):
    """Solve a problem; return impulses, and by how much they miss the law in parts of the speed."""
    hard_problems.write(engine, problem)
    island_solve.solve_islands(engine.model, engine.state, engine.settings, engine.work)
    x = engine.work.contact_impulse[: len(problem.bodies)].copy()
    g, c = problem.dense()
    speed = natural_residual.island_speed(engine.settings, engine.work, 0)
    return x, reference.natural_residual(g, c, problem.friction, x.ravel()) / speed


def test_kept_problems(kept):
    """150 hard problems, some without a solution: the rest are solved, and no impulse brings energy."""
    problems, engine = kept
    missed = []
    for problem in problems:
        x, miss = solve(engine, problem)
        g, c = problem.dense()
        missed.append(miss)
        gain = 0.5 * x.ravel() @ g @ x.ravel() + x.ravel() @ c
        assert gain <= 1e-12 * abs(x.ravel() @ c) or miss < 1e-3
        friction = np.hypot(x[:, 0], x[:, 1])
        assert (friction <= problem.friction * x[:, 2] * (1.0 + 1e-12)).all()
    assert np.mean(np.array(missed) > 1e-5) < 0.15


def test_a_problem_that_goes_on_takes_few_steps(kept):
    """From the impulses of a nearby problem, forces changed by a hundredth, the set is nearly the same."""
    problems, engine = kept
    rng = np.random.default_rng(0)
    cold, warm = [], []
    for problem in problems[::3]:
        x, miss = solve(engine, problem._replace(impulse=np.zeros_like(problem.impulse)))
        if miss > 1e-6:
            continue
        cold.append(int(engine.work.newton_steps[0]))
        moved = problem._replace(impulse=x, free=problem.free * (1.0 + 1e-2 * rng.normal()))
        _, miss = solve(engine, moved)
        warm.append(int(engine.work.newton_steps[0]))
    assert len(cold) > 20
    assert np.median(warm) < 0.6 * np.median(cold)


def test_redundant_contacts_share_the_load():
    """Four points under one mass, from no impulse: the normal load is shared equally."""
    engine = hard_problems.engine_of(1, 4)
    rows = np.zeros((4, 2, 3, 6))
    for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        rows[k, 0] = np.hstack([np.eye(3), -reference.skew(np.array([x, y, -0.5]))])
    bodies = np.tile([0, hard_problems.WORLD], (4, 1))
    start = np.tile([0.0, 0.0, -1.0], (4, 1))
    problem = hard_problems.Problem(bodies, rows, start, np.zeros((1, 6)), np.full(4, 0.5), np.zeros((4, 3)))
    x, miss = solve(engine, problem)
    assert miss < 1e-9
    np.testing.assert_allclose(x, np.tile([0.0, 0.0, 0.25], (4, 1)), atol=1e-9)


def test_a_grip_that_sticks_takes_a_few_steps():
    """A box in a grip, 25 rows and 9 dofs, at most four steps of Newton's method a step of the world."""
    world = grip()
    world.step(20)
    for _ in range(5):
        world.step()
        assert world.engine.work.newton_steps[0] <= 4
        assert world.status == 0
        assert world.residual.max() < 1e-9
