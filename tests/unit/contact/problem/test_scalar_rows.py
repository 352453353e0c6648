"""Scalar rows: their Jacobians and G against dense matrices, and their solve against a reference."""

import numpy as np
import pytest
import reference
from scenes import empty_world, random_state, random_tree

from tribo.contact.problem import contact_rows, islands, joint_limit_rows, scalar_rows
from tribo.contact.solver import island_solve, natural_residual, pile, proximal_rows
from tribo.dynamics import actuation, inertia, integrate
from tribo.engine import lazy_kernels
from tribo.model import Late, Status

TOLERANCE = 1e-10
EQUATION = (-np.inf, np.inf)


def engine_of(rng, trees=3, balls=2):
    """Return records of some random robots and balls, up to date and with room for rows."""
    world = empty_world(1e-3)
    for k in range(trees):
        robot = world.add_articulated_system(random_tree(rng, 4, floating=k > 0))
        random_state(rng, robot)
    for _ in range(balls):
        ball = world.add_box((0.2, 0.3, 0.4), mass=float(rng.uniform(0.5, 5)), position=rng.normal(size=3))
        ball.generalized_velocity = rng.normal(size=6)
    world.add_sphere(0.1, mass=1.0, position=(30, 0, 0), body_type="kinematic",
                     linear_velocity=(1.0, 2.0, 3.0))  # fmt: skip
    world.step(0)
    world.update()
    engine = world.engine
    engine.work.node_count[0], engine.work.value_count[0] = 16, 10_000
    engine.work.row_count[0], engine.work.column_count[0] = 10_000, 64
    engine.grow()
    engine.model.lazy_address[Late.PILE] = lazy_kernels.address(Late.PILE)
    begin(engine)
    return engine


def begin(engine):
    """Do the stages before the rows of a step, without contacts and limits."""
    model, state, work = engine.model, engine.state, engine.work
    work.status[0] = work.contact_count[0] = work.scalar_count[0] = 0
    actuation.prepare_drives(model, state, engine.command, engine.settings, work)
    actuation.apply_drives(model, state, engine.command, engine.settings, work)
    inertia.factorize(model, work)
    integrate.free_response(model, engine.settings, work)
    contact_rows.write_contact_rows(model, work)


def dense_inverse(engine):
    """Return M̂⁻¹ of all trees that forces move, zero elsewhere."""
    model, work = engine.model, engine.work
    nv = len(engine.state.v)
    m = np.zeros((nv, nv))
    for dof in range(nv):
        start, first = model.body_chain_start[model.dof_body[dof]], model.dof_row[dof]
        chain = model.chain_dof[start : start + model.dof_depth[dof] + 1]
        m[dof, chain] = m[chain, dof] = work.mass_matrix[first : first + len(chain)]
    m += np.diag(work.drive_inertia)
    moved = np.flatnonzero(model.dof_is_moved)
    inverse = np.zeros((nv, nv))
    inverse[np.ix_(moved, moved)] = np.linalg.inv(m[np.ix_(moved, moved)])
    return inverse


def add_random_row(engine, rng, low, high, compliance=0.0, target=0.0, bodies=None):
    """Append a row of random forces, torques, dofs; return its dense Jacobian, None if nothing moves it."""
    model, state, work = engine.model, engine.state, engine.work
    nbody = len(model.body_mass)
    pair = rng.integers(-1, nbody, 2) if bodies is None else bodies
    count = int(work.scalar_count[0])
    n = scalar_rows.open_row(model, work, count % len(state.scalar_impulse), int(pair[0]), int(pair[1]))
    assert n == count
    for side in range(2):
        body = int(pair[side])
        if body < 0:
            continue
        point, force, torque = rng.normal(size=(3, 3))
        scalar_rows.add_force_along(model, work, n, side, tuple(point), tuple(force))
        scalar_rows.add_wrench(model, work, n, side, tuple(torque), (0.0, 0.0, 0.0))
        if model.body_chain_len[body]:
            chain = model.body_chain_start[body]
            dof = int(model.chain_dof[chain + rng.integers(model.body_chain_len[body])])
            scalar_rows.add_dof(model, work, n, side, dof, float(rng.normal()))
    jacobian = np.zeros(len(state.v))
    for side in range(2):
        chain, first = model.body_chain_start[work.scalar_body[n, side]], work.scalar_row[n, side]
        for p in range(work.scalar_len[n, side]):
            jacobian[model.chain_dof[chain + p]] += work.row[first + p]
    scalar_rows.close_row(model, work, n, target, low, high, compliance)
    if work.scalar_count[0] == count:
        assert np.abs(jacobian @ dense_inverse(engine)).max() <= 1e-12
        return None
    assert work.scalar_start[n] == pytest.approx(jacobian @ state.v - target, rel=1e-12, abs=1e-12)
    return jacobian


def point_velocity(engine, body, point):
    """Return dv/dq̇ of a point of a body by finite differences of positions, and of its rotation."""
    from tribo.dynamics import kinematics

    model, work = engine.model, engine.work
    local = work.body_rot[body].reshape(3, 3).T @ (point - work.body_pos[body])
    nv, step = len(engine.state.v), 1e-6
    result, turn = np.zeros((3, nv)), np.zeros((3, nv))
    before = work.body_rot[body].reshape(3, 3).copy()
    q = work.mid_q.copy()
    for dof in range(nv):
        v = np.zeros(nv)
        v[dof] = 1.0
        ends = []
        for sign in (1, -1):
            moved = q.copy()
            for i in range(len(model.body_mass)):
                kinematics.drift_joint(model, i, q, v, sign * step, moved)
            kinematics.compute_poses(model, moved, work)
            r = work.body_rot[body].reshape(3, 3).copy()
            ends.append((work.body_pos[body] + r @ local, r))
        result[:, dof] = (ends[0][0] - ends[1][0]) / (2 * step)
        w = (ends[0][1] - ends[1][1]) @ before.T / (2 * step)
        turn[:, dof] = w[2, 1], w[0, 2], w[1, 0]
    kinematics.compute_poses(model, q, work)
    return result, turn


def test_force_and_torque_against_differences():
    """J of a force along d at a point is dᵀ ∂p/∂q̇, of a torque about d it is dᵀ ∂ω/∂v,
    on robots and boxes."""
    rng = np.random.default_rng(3)
    engine = engine_of(rng)
    model, work = engine.model, engine.work
    for body in range(len(model.body_mass)):
        point, direction = rng.normal(size=(2, 3))
        linear, angular = point_velocity(engine, body, point)
        for side in range(2):
            for add, expected in (("force", direction @ linear), ("torque", direction @ angular)):
                pair = (body, -1) if side == 0 else (-1, body)
                n = scalar_rows.open_row(model, work, 0, *pair)
                if add == "force":
                    scalar_rows.add_force_along(model, work, n, side, tuple(point), tuple(direction))
                else:
                    scalar_rows.add_wrench(model, work, n, side, tuple(direction), (0.0, 0.0, 0.0))
                found = np.zeros(len(expected))
                chain = model.body_chain_start[body]
                count = model.body_chain_len[body]
                first = work.scalar_row[n, side]
                found[model.chain_dof[chain : chain + count]] = work.row[first : first + count]
                np.testing.assert_allclose(found, expected, atol=1e-8)
                work.scalar_count[0] = 0


def test_delassus_and_columns_against_dense():
    """G_ij = J_i M̂⁻¹ J_jᵀ, on the diagonal plus R: bodies of one tree, of two, of the world.

    The dense rows of `proximal_rows`, Y, times their own sizes, give the same G = Y Yᵀ.
    """
    rng = np.random.default_rng(4)
    engine = engine_of(rng)
    work = engine.work
    jacobians, compliance = [], []
    while len(jacobians) < 14:
        r = float(rng.choice([0.0, 0.3]))
        jacobian = add_random_row(engine, rng, *EQUATION, r)
        if jacobian is not None:
            jacobians.append(jacobian)
            compliance.append(r)
    dense = np.array(jacobians)
    g = dense @ dense_inverse(engine) @ dense.T
    for n in range(len(dense)):
        assert work.scalar_delassus[n] == pytest.approx(g[n, n] + compliance[n], rel=1e-10)
    islands.find_islands(engine.model, work)
    seen = 0
    for t in range(len(work.tree_island)):
        own = work.island_scalar[work.island_scalar_start[t] : work.island_scalar_start[t + 1]]
        count = proximal_rows.find_columns(engine.model, work, t, len(work.column_dof))
        proximal_rows.write_island(engine.model, work, t, count)
        proximal_rows.leave_columns(work, count)
        size = np.sqrt(work.scalar_delassus[own])
        y = work.dense_row[: len(own), :count] * size[:, None]
        np.testing.assert_allclose(y @ y.T, g[np.ix_(own, own)], rtol=1e-9, atol=1e-10)
        seen += len(own)
    assert seen == len(dense)


def test_a_row_that_nothing_moves_takes_no_part():
    """Between the world and a kinematic body there is nothing to solve."""
    rng = np.random.default_rng(5)
    engine = engine_of(rng)
    kinematic = len(engine.model.body_mass) - 1
    assert add_random_row(engine, rng, *EQUATION, bodies=(kinematic, -1)) is None
    assert add_random_row(engine, rng, *EQUATION, bodies=(-1, -1)) is None
    assert engine.work.scalar_count[0] == 0


def write_rows(engine, rng, copies, compliant):
    """Write random rows, some of them twice; return J, c, R and the bounds."""
    begin(engine)
    engine.state.scalar_impulse[:] = 0.0
    count = int(rng.integers(1, 11))
    found = []
    for low, high in zip(*reference.random_bounds(rng, count), strict=True):
        bodies = rng.integers(-1, len(engine.model.body_mass), 2)
        target, r = float(rng.normal()), float(rng.choice([0.0, 0.3])) * compliant
        seed = int(rng.integers(1 << 30))
        for _ in range(1 + (copies and rng.random() < 0.5)):
            n = engine.work.scalar_count[0]
            jacobian = add_random_row(engine, np.random.default_rng(seed), low, high, r, target, bodies)
            if jacobian is not None:
                found.append((jacobian, engine.work.scalar_start[n], r, low, high))
    return [np.array(column) for column in zip(*found, strict=True)] if found else None


@pytest.mark.parametrize("way", ["step", "blocks"])
@pytest.mark.parametrize(("copies", "compliant"), [(False, 1.0), (True, 1.0), (True, 0.0)])
def test_random_islands(way, copies, compliant):
    """100 islands of up to 20 rows of all kinds: solved as the dense reference confirms. Doubled rows (G is
    singular, but no two rows contradict one another) are solved as well, with finite impulses."""
    rng = np.random.default_rng(6)
    engine = engine_of(rng)
    model, work = engine.model, engine.work
    inverse = dense_inverse(engine)
    unsolved = 0
    for _ in range(100):
        written = write_rows(engine, rng, copies, compliant)
        if written is None:
            continue
        jacobian, start, compliance, lower, upper = written
        size = len(start)
        islands.find_islands(model, work)
        if way == "step":
            island_solve.solve_islands(model, engine.state, engine.settings, work)
            assert not work.status[0] & Status.CAPACITY
            unsolved += bool(work.status[0] & Status.NOT_CONVERGED)
        else:
            island_solve.warm_start(model, engine.state, engine.settings, work)
            for t in range(len(work.tree_island)):
                if islands.island_rows(work, t):
                    speed = natural_residual.island_speed(engine.settings, work, t)
                    work.removed_speed[0] = speed
                    unsolved += not pile.solve_pile(model, work, t, TOLERANCE * speed, False, np.inf)
        g = jacobian @ inverse @ jacobian.T + np.diag(compliance)
        free = integrate_free(engine, inverse)
        x = work.scalar_impulse[:size].copy()
        found = reference.natural_residual(g, start + jacobian @ free, np.zeros(0), x, lower, upper)
        if work.status[0] & Status.NOT_CONVERGED:
            continue
        scale = max(np.abs(start).max(), 1.0)
        assert found <= 20 * TOLERANCE * scale + 1e-13 * np.abs(g).max() * np.abs(x).max()
        for t in range(len(work.tree_island)):
            assert natural_residual.island_violation(model, work, t) <= 20 * TOLERANCE * scale
        assert (x >= lower).all()
        assert (x <= upper).all()
    assert unsolved == 0


def integrate_free(engine, inverse):
    """Return what all forces do in a step, dt M̂⁻¹ (τ − h)."""
    work = engine.work
    return engine.settings.dt * inverse @ (work.drive_force - work.bias_force)


def test_the_warm_start_of_two_stops_is_shared():
    """Both stops of a joint have one slot: what is remembered goes to the stop whose sign it has."""
    rng = np.random.default_rng(7)
    engine = engine_of(rng)
    model, state, work = engine.model, engine.state, engine.work
    body = int(np.flatnonzero((model.joint_type == 1) | (model.joint_type == 2))[0])
    for impulse in (2.0, -3.0):
        begin(engine)
        state.scalar_impulse[:] = 0.0
        state.scalar_impulse[model.joint_slot[body]] = impulse
        joint_limit_rows.add_limit(model, engine.settings, work, body, 1.0, 0.0)
        joint_limit_rows.add_limit(model, engine.settings, work, body, -1.0, 0.0)
        island_solve.warm_start(model, state, engine.settings, work)
        assert work.scalar_impulse[:2].tolist() == [max(impulse, 0.0), min(impulse, 0.0)]
        island_solve.remember_impulses(model, state, work)
        assert state.scalar_impulse[model.joint_slot[body]] == impulse
