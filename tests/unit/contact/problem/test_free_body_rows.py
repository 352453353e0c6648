"""Contacts of free bodies that are laid out: the same numbers as of any contact, to the bit."""

import hard_problems
import numpy as np
import pytest

import tribo
from tribo.contact.problem import free_body_rows, island_sums, whitened_products
from tribo.contact.solver import block_matrix, contact_lane_groups, gauss_seidel_iteration, island_solve
from tribo.tools.demo import ASSETS

KEPT = hard_problems.load()[:500:25]  # small piles


@pytest.fixture(scope="module")
def engine():
    """Return records with room for every problem."""
    return hard_problems.engine_for(KEPT)


def begin(engine, problem):
    """Write a problem, lay out its contacts, and return them."""
    hard_problems.write(engine, problem)
    island_solve.warm_start(engine.model, engine.state, engine.settings, engine.work)
    work = engine.work
    contact_lane_groups.lay_out_free_bodies(engine.model, work, 0)
    contacts = work.island_contact[work.island_contact_start[0] : work.island_contact_start[1]]
    return [c for c in contacts if work.free_body_dof[c, 0] >= 0]


def test_rows_do_what_those_of_any_contact_do(engine):
    """Velocities, responses and blocks agree with those of the rows dof by dof; both kinds of pair occur."""
    model, work = engine.model, engine.work
    rng = np.random.default_rng(3)
    sides = set()
    for problem in KEPT:
        for c in begin(engine, problem):
            sides.add(tuple(work.contact_len[c]))
            z = rng.normal(size=len(work.response))
            zero, impulse = (0.0, 0.0, 0.0), tuple(rng.normal(size=3))
            want = whitened_products.add_row_response(model, work, work.contact_row, c, z, zero)
            assert free_body_rows.free_body_velocity(work, c, z, zero) == want
            a, b = z.copy(), z.copy()
            whitened_products.add_impulse_response(model, work, work.contact_row, c, impulse, a)
            free_body_rows.add_free_body_response(work, c, impulse, b)
            np.testing.assert_array_equal(b, a)
    assert sides >= {(6, 6)}
    assert sides & {(6, 0), (0, 6)}


def test_blocks_are_those_of_any_contact(engine):
    """Yᵀ D Y with a D that is not symmetric, added contact by contact."""
    model, work = engine.model, engine.work
    rng = np.random.default_rng(4)
    table = work.contact_row
    for problem in KEPT[:8]:
        contacts = begin(engine, problem)
        count = block_matrix.find_nodes(model, work, 0)
        assert block_matrix.prepare_matrix(model, work, 0, count, np.inf)
        blocks = [tuple(rng.normal(size=9)) for _ in contacts]
        block_matrix.set_identity(model, work, count)
        for c, d in zip(contacts, blocks, strict=True):
            island_sums.add_block(model, work, table, table, c, 1.0, d)
        want = work.block_value.copy()
        block_matrix.set_identity(model, work, count)
        for c, d in zip(contacts, blocks, strict=True):
            island_sums.add_force_block(model, work, c, d)
        np.testing.assert_array_equal(work.block_value, want)


def test_a_sweep_is_the_same_sweep(engine):
    """Five sweeps over contacts that are laid out, and over others, give the same impulses."""
    model, work = engine.model, engine.work
    for problem in KEPT:
        found = []
        for is_laid_out in (True, False):
            assert begin(engine, problem)
            if not is_laid_out:
                work.free_body_dof[:, 0] = -1
            for _ in range(5):
                change = gauss_seidel_iteration.sweep_island(model, work, 0)
            found.append((work.contact_impulse.copy(), change))
        np.testing.assert_array_equal(found[0][0], found[1][0])
        assert found[0][1] == found[1][1]


def test_links_of_a_tree_are_not_loose():
    """Contacts of feet, whose chains have more dofs, and of trunks, whose trees have, are told from a box."""
    world = tribo.World(1e-3)
    world.add_ground()
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(5.0, 0.0, 0.1))
    for y in (0.0, 0.1):
        world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, y, 0.45))
    world.step(1)
    model, work = world.engine.model, world.engine.work
    seen = set()
    for c in range(work.contact_count[0]):
        for side in range(2):
            body = work.contact_body[c, side]
            tree = model.body_tree[body]
            found = contact_lane_groups.free_body_dof(model, work, c, side)
            seen.add((int(work.contact_len[c, side]), min(int(found), 0)))
            if found >= 0:
                assert model.tree_nv[tree] == 6
                assert found == model.chain_dof[model.body_chain_start[body]]
    assert {(0, -1), (6, 0), (6, -2)} <= seen
    assert any(n > 6 and found == -2 for n, found in seen)
