"""Sweeps that go on in the way of those before."""

import numpy as np

import tribo
from tribo.contact.problem import island_sums
from tribo.contact.solver import (
    block_matrix,
    contact_lane_groups,
    gauss_seidel_iteration,
    island_solve,
    natural_residual,
)
from tribo.contact.solver.conjugate_sweeps import sweep_conjugate


def test_a_load_goes_through_a_wall_in_fewer_sweeps():
    """Forty bricks from no impulse: 60 sweeps leave at least three times what 60 that go on leave."""
    world = tribo.World(1e-3)
    world.default_pair = tribo.PairProperties(friction=0.7)
    world.add_ground()
    for row in range(8):
        for k in range(5):
            place = (0.41 * k + 0.2 * (row % 2), 0.0, 0.1 + 0.2 * row)
            world.add_box((0.4, 0.2, 0.2), 1.0, position=place)
    world.step(20)
    engine = world.engine
    model, work = engine.model, engine.work
    t = int(np.argmax(np.diff(work.island_contact_start)))
    missed = []
    for goes_on in (False, True):
        island_solve.warm_start(model, engine.state, engine.settings, work)
        gauss_seidel_iteration.start_cold(model, work, t)
        contact_lane_groups.lay_out_free_bodies(model, work, t)
        count = block_matrix.find_nodes(model, work, t)
        assert count == 40
        if goes_on:
            sweep_conjugate(model, work, t, count, 60, 0.0)
        else:
            for _ in range(60):
                gauss_seidel_iteration.sweep_island(model, work, t)
        missed.append(natural_residual.island_violation(model, work, t))
        work.lane_group_island[0] = 0
    assert missed[1] < missed[0] / 3.0


def test_impulses_obey_their_bounds():
    """After any number of sweeps: of contacts with rolling friction, and of a motor that is too weak."""
    world = tribo.World(1e-3)
    world.default_pair = tribo.PairProperties(friction=0.5, rolling_friction=0.01, spinning_friction=0.01)
    world.add_ground()
    rng = np.random.default_rng(1)
    boxes = [
        world.add_box((0.2, 0.2, 0.2), 1.0, position=(*(0.02 * rng.normal(size=2)), 0.1 + 0.2 * k))
        for k in range(6)
    ]
    world.add_motor(boxes[2], boxes[3], speed=5.0, max_force=0.2)
    world.step(100)
    engine = world.engine
    model, work = engine.model, engine.work
    t = int(np.argmax(np.diff(work.island_contact_start)))
    assert work.island_scalar_start[t + 1] > work.island_scalar_start[t]
    for sweeps in range(1, 12):
        island_solve.warm_start(model, engine.state, engine.settings, work)
        gauss_seidel_iteration.start_cold(model, work, t)
        contact_lane_groups.lay_out_free_bodies(model, work, t)
        before = natural_residual.island_violation(model, work, t)
        count = block_matrix.find_nodes(model, work, t)
        sweep_conjugate(model, work, t, count, sweeps, 0.0)
        for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
            c = work.island_contact[k]
            x, y, z = work.contact_impulse[c]
            a, b, spin = work.contact_spin_impulse[c]
            assert np.hypot(x, y) <= work.contact_friction[c] * z * (1.0 + 1e-12)
            assert np.hypot(a, b) <= work.contact_rolling[c] * z * (1.0 + 1e-12)
            assert abs(spin) <= work.contact_spinning[c] * z * (1.0 + 1e-12)
        for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
            n = work.island_scalar[k]
            assert work.scalar_lower[n] <= work.scalar_impulse[n] <= work.scalar_upper[n]
        response = np.asarray(work.response).copy()
        island_sums.sum_response(model, work, t, count)
        np.testing.assert_array_equal(work.response, response)
        work.lane_group_island[0] = 0
    assert natural_residual.island_violation(model, work, t) < 0.1 * before
