"""Lane groups: four contacts side by side do what each does alone."""

import hard_problems
import numpy as np
import pytest

import tribo
from tribo.compiler.jit import DISABLED, script
from tribo.compiler.lanes import is_yes, load4, number, store4
from tribo.contact.problem import free_body_rows, lane_group_rows, whitened_products
from tribo.contact.solver import (
    contact_lane_groups,
    coulomb_cone,
    coulomb_cone_lanes,
    gauss_seidel_iteration,
    island_solve,
    lane_group_visit,
    natural_residual,
)

ROUND_OFF = 1e-12  # of sums of twelve products, relative to the largest


def heap(*, stiffness=0.0):
    """Return a world of ninety boxes and balls that have fallen onto one another for 0.32 s."""
    world = tribo.World(2e-3)
    world.default_pair = tribo.PairProperties(friction=0.6)
    if stiffness:
        world.default_pair = tribo.ContactMaterial(youngs_modulus=stiffness, friction=0.6)
    world.set_material_pair("ice", "default", friction=0.0)
    world.add_ground()
    rng = np.random.default_rng(1)
    for k in range(90):
        place = (0.21 * (k % 3), 0.21 * (k // 3 % 3), 0.1 + 0.2 * (k // 9))
        turn = rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        at = {"position": place, "orientation": turn, "material": "ice" if k % 7 == 3 else "default"}
        if k % 4:
            world.add_box((0.2, 0.16, 0.18), 1.0, **at)
        else:
            world.add_sphere(0.1, 1.0, **at)
    world.step(160)
    return world


@pytest.fixture(scope="module", params=[0.0, 1e6], ids=["rigid", "compliant"])
def laid_out(request):
    """Return records of a heap whose largest island is laid out in groups, and that island."""
    world = heap(stiffness=request.param)
    for _ in range(20):
        engine = world.engine
        work = engine.work
        start = np.asarray(work.island_contact_start)
        island = int(np.argmax(np.diff(start)))
        contact_lane_groups.lay_out_free_bodies(engine.model, work, island)
        if min(len(group) for group in lanes_of(work)) < 4:  # a group with lanes for nothing
            break
        work.lane_group_island[0] = 0
        world.step()
    contacts = list(work.island_contact[start[island] : start[island + 1]])
    return world, engine.model, work, island, contacts


def lanes_of(work):
    """Return the contacts of each group."""
    count = int(work.lane_group_count[0])
    return [list(work.lane_group_contact[p, : work.lane_group_size[p]]) for p in range(count)]


def test_every_contact_stands_in_one_place_and_no_two_of_a_group_share_a_body(laid_out):
    """Groups and single contacts make up the island; an empty lane holds the first contact's bodies."""
    _, model, work, _, contacts = laid_out
    groups = lanes_of(work)
    alone = list(work.ungrouped_contact[: work.ungrouped_count[0]])
    assert sorted([c for p in groups for c in p] + alone) == sorted(contacts)
    assert len(alone) < 0.1 * len(contacts)
    assert {len(p) for p in groups} >= {4}
    assert min(len(p) for p in groups) < 4
    for p, group in enumerate(groups):
        trees = [
            {model.body_tree[b] for s, b in enumerate(work.contact_body[c]) if work.contact_len[c, s]}
            for c in group
        ]
        assert len(set().union(*trees)) == sum(len(t) for t in trees)
        for lane in range(len(group), 4):
            assert work.lane_group_contact[p, lane] == group[0]
    assert not np.any(work.tree_lane_groups)


def test_those_that_do_the_same_come_together(laid_out):
    """Most groups hold contacts that stick, or slip, or are open, and the three follow one another."""
    _, _, work, _, _ = laid_out
    kinds = [{contact_lane_groups.last_contact_state(work, c) for c in p} for p in lanes_of(work)]
    assert set().union(*kinds) == {0, 1, 2}
    assert np.mean([len(k) == 1 for k in kinds]) > 0.6


def look_and_push(work, p, impulse, out):
    """Write the velocities of group p into a table; then add impulses, given axis by axis."""
    first = lane_group_rows.load_lane_group_bodies(work, p, 0)
    second = lane_group_rows.load_lane_group_bodies(work, p, 1)
    x, y, z = lane_group_rows.lane_group_velocity(
        work, p, lane_group_rows.lane_group_impulses(work, p), first, second
    )
    store4(out, 0, x)
    store4(out, 4, y)
    store4(out, 8, z)
    push = (load4(impulse, 0), load4(impulse, 4), load4(impulse, 8))
    lane_group_rows.push_lane_group(work, p, push, first, second)


def visit(work, p, hard):
    """Visit group p; write which of its contacts are hard."""
    _, answers = lane_group_visit.visit_lane_group(work, p)
    for lane in range(4):
        hard[lane] = 1.0 if is_yes(answers, lane) else 0.0


def compiled(function):
    """Return what makes vectors of lanes, where kernels are compiled."""
    return function if DISABLED else script(function)


def test_velocities_and_responses_are_those_of_each_contact(laid_out):
    """Also where fewer than four contacts stand in a group."""
    _, model, work, _, _ = laid_out
    rng = np.random.default_rng(2)
    z = np.asarray(work.response).copy()
    act, w = compiled(look_and_push), np.zeros((3, 4))
    for p, group in enumerate(lanes_of(work)):
        wanted = [whitened_products.contact_velocity(model, work, c) for c in group]
        impulse = rng.normal(size=(3, 4))
        act(work, p, impulse, w)
        for lane, want in enumerate(wanted):
            np.testing.assert_allclose(w[:, lane], want, atol=ROUND_OFF * (1.0 + np.abs(z).max()))
        found = np.asarray(work.response).copy()
        work.response[:] = z
        for lane, c in enumerate(group):
            whitened_products.add_contact_response(model, work, c, tuple(impulse[:, lane]), work.response)
        np.testing.assert_allclose(found, work.response, atol=ROUND_OFF * (1.0 + np.abs(z).max()))
        work.response[:] = z


def test_a_visit_solves_each_contact_as_a_visit_to_it_alone(laid_out):
    """To what Newton's method leaves of the direction of slip, and exactly for what sticks or opens."""
    _, model, work, _, _ = laid_out
    act, hard = compiled(visit), np.zeros(4)
    rng = np.random.default_rng(3)
    z = np.asarray(work.response).copy()
    kept = np.asarray(work.contact_impulse).copy()
    kinds = set()
    for _ in range(5):
        work.response[:] = z + 0.05 * rng.normal(size=z.shape)
        moved = np.asarray(work.response).copy()
        for p, group in enumerate(lanes_of(work)):
            work.contact_impulse[:] = kept
            work.response[:] = moved
            act(work, p, hard)
            found = np.asarray(work.contact_impulse).copy()
            after = np.asarray(work.response).copy()
            work.contact_impulse[:] = kept
            work.response[:] = moved
            for lane, c in enumerate(group):
                if hard[lane]:
                    np.testing.assert_array_equal(found[c], kept[c])
                    continue
                gauss_seidel_iteration.sweep_contact(model, work, c)
                want = work.contact_impulse[c]
                kinds.add(contact_lane_groups.last_contact_state(work, c))
                np.testing.assert_allclose(found[c], want, atol=1e-3 * np.abs(want).max() + 1e-12)
            others = [c for c in range(len(kept)) if c not in group]
            np.testing.assert_array_equal(found[others], kept[others])
            if not hard.any():
                assert np.abs(after - work.response).max() < 1e-2 * np.abs(after - moved).max() + 1e-12
    work.response[:] = z
    work.contact_impulse[:] = kept
    assert kinds == {0, 1, 2}


def test_violations_are_those_of_each_contact(laid_out):
    """The largest, to round-off; at impulses that are far from the law."""
    _, model, work, island, _ = laid_out
    rng = np.random.default_rng(4)
    kept = np.asarray(work.contact_impulse).copy()
    for size in (0.0, 1e-3, 0.1):
        work.contact_impulse[:] = kept + size * rng.normal(size=kept.shape)
        work.lane_group_island[0] = 1 + island
        found = natural_residual.island_violation(model, work, island)
        work.lane_group_island[0] = 0
        want = natural_residual.island_violation(model, work, island)
        np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-14)
    work.contact_impulse[:] = kept


def law(row, last, out):
    """Solve four contacts whose G, (G + lift)⁻¹, c and μ stand in the columns of a table."""
    g = lane_group_rows.load_six(row, 0)
    inverse = lane_group_rows.load_six(row, 24)
    c = (load4(row, 48), load4(row, 52), load4(row, 56))
    before = (load4(last, 0), load4(last, 4), load4(last, 8))
    (x, y, z), hard = coulomb_cone_lanes.solve_four(g, inverse, c, load4(row, 60), before)
    for lane in range(4):
        out[0, lane] = number(x, lane)
        out[1, lane] = number(y, lane)
        out[2, lane] = number(z, lane)
        out[3, lane] = 1.0 if is_yes(hard, lane) else 0.0


def test_the_law_of_four_is_that_of_one():
    """Random blocks: what sticks and opens is the same; who slips is on the cone, with w_n = 0.

    Repeated visits from where the last one ended arrive at friction that is opposite to slip.
    """
    solve = compiled(law)
    rng = np.random.default_rng(5)
    kinds = {"open": 0, "stick": 0, "slip": 0, "smooth": 0, "hard": 0}
    for _ in range(500):
        row, last, out = np.zeros((16, 4)), np.zeros((3, 4)), np.zeros((4, 4))
        blocks = []
        for lane in range(4):
            a = rng.normal(size=(3, 5)) * rng.uniform(0.3, 1.0, 3)[:, None]
            a = a @ a.T
            g = (a[0, 0], a[1, 1], a[2, 2], a[0, 1], a[0, 2], a[1, 2])
            mu = 0.0 if rng.uniform() < 0.1 else rng.uniform(0.1, 1.2)
            c = tuple(rng.normal(size=3) - (0.0, 0.0, 0.5))
            last[:, lane] = rng.normal(size=3) if rng.uniform() < 0.7 else 0.0
            row[:6, lane], row[6:12, lane] = g, coulomb_cone.lifted_inverse(g)
            row[12:15, lane], row[15, lane] = c, mu
            blocks.append((a, g, c, mu))
        solve(row, last, out)
        first = out.copy()
        for _ in range(4):
            solve(row, out[:3].copy(), out)
        for lane, (a, g, c, mu) in enumerate(blocks):
            want = np.array(coulomb_cone.solve_contact(g, c, mu, tuple(last[:, lane])))
            if first[3, lane]:
                kinds["hard"] += 1
                continue
            x = first[:3, lane]
            if mu == 0.0:
                kinds["smooth"] += 1
            elif not want.any():
                kinds["open"] += 1
            elif np.hypot(want[0], want[1]) < mu * want[2] * (1.0 - 1e-9):
                kinds["stick"] += 1
            else:
                kinds["slip"] += 1
                assert abs(np.hypot(x[0], x[1]) / (mu * x[2]) - 1.0) < 1e-12
                assert abs((a @ x + c)[2]) < 1e-12 * (np.abs(a).max() * np.abs(x).max() + 1.0)
                assert (a @ x + c)[:2] @ x[:2] <= 0.0
                x = out[:3, lane]
                w = a @ x + c
                size = np.hypot(*w[:2]) * np.hypot(*x[:2])
                assert abs(w[0] * x[1] - w[1] * x[0]) < 1e-8 * (size + np.abs(c).max() * x[2])
                continue
            np.testing.assert_allclose(x, want, rtol=1e-12, atol=1e-14)
    assert min(kinds[k] for k in ("open", "stick", "slip", "smooth")) > 50
    assert kinds["hard"] < 0.02 * 2000


def test_records_are_as_wide_as_what_is_written(laid_out):
    """One number less, and the last lane would be written beyond its row."""
    _, _, work, _, _ = laid_out
    assert work.lane_group_row.shape[1] == lane_group_rows.LANE_GROUP_WIDTH
    assert work.free_body_row.shape[1] == free_body_rows.FREE_BODY_WIDTH
    assert work.slot_lane_group.shape[0] == contact_lane_groups.SLOTS


def test_what_is_no_number_is_the_worst(laid_out):
    """Of a contact in a group as of one alone, though others come after it."""
    _, model, work, island, _ = laid_out
    kept = np.asarray(work.contact_impulse).copy()
    work.contact_impulse[work.lane_group_contact[0, 0], 2] = np.nan
    work.lane_group_island[0] = 1 + island
    for _ in range(2):
        assert np.isnan(natural_residual.island_violation(model, work, island))
        work.lane_group_island[0] = 0
    work.contact_impulse[:] = kept
    work.lane_group_island[0] = 1 + island


def test_a_body_on_many_points_makes_no_lane_groups():
    """All its contacts share it: each would stand alone."""
    world = tribo.World(1e-3)
    world.add_ground()
    parts = [
        tribo.CompoundPart("box", (0.08, 0.08, 0.1), position=(0.1 * (k % 3), 0.1 * (k // 3), 0.0))
        for k in range(9)
    ]
    world.add_compound(parts, 2.0, position=(0.0, 0.0, 0.05))
    world.step(1)
    work = world.engine.work
    assert work.contact_count[0] == 36
    contact_lane_groups.lay_out_free_bodies(world.engine.model, work, 0)
    assert not contact_lane_groups.has_lane_groups(work, 0)


def test_few_contacts_make_no_groups_and_a_new_solve_leaves_old_ones():
    """An island of fewer than sixteen contacts is swept as before; groups are no island's after a solve."""
    kept = hard_problems.load()[:100:20]
    engine = hard_problems.engine_for(kept)
    for problem in kept:
        hard_problems.write(engine, problem)
        work = engine.work
        island_solve.warm_start(engine.model, engine.state, engine.settings, work)
        contact_lane_groups.lay_out_free_bodies(engine.model, work, 0)
        few = len(problem.bodies) < contact_lane_groups.FEWEST
        assert contact_lane_groups.has_lane_groups(work, 0) == (not few)
        island_solve.solve_islands(engine.model, engine.state, engine.settings, work)
        assert not contact_lane_groups.has_lane_groups(work, 0)
