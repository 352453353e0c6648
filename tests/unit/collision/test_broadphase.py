"""Candidates: no touching pair is missed, none is listed twice, and the order does not depend on luck."""

import numpy as np
import pytest
from scenes import empty_world

import tribo
from tribo.model import Work


def crowd(seed, count, spread, **pair):
    """Return a world of random balls, boxes, capsules and cylinders that move."""
    rng = np.random.default_rng(seed)
    world = empty_world(1e-3, **pair)
    world.add_ground(-0.5 * spread, normal=rng.normal(size=3) * 0.1 + [0, 0, 1])
    for k in range(count):
        q = rng.normal(size=4)
        options = {
            "position": rng.uniform(-spread, spread, 3),
            "orientation": q / np.linalg.norm(q),
            "linear_velocity": rng.normal(size=3),
            "angular_velocity": rng.normal(size=3),
        }
        size = rng.uniform(0.05, 0.3, 3)
        if k % 4 == 0:
            world.add_sphere(size[0], 1.0, **options)
        elif k % 4 == 1:
            world.add_box(2 * size, 1.0, **options)
        elif k % 4 == 2:
            world.add_capsule(size[0], 2 * size[1], 1.0, **options)
        else:
            world.add_cylinder(size[0], 2 * size[1], 1.0, **options)
    return world


def listed(world):
    """Return the candidates of the last update."""
    work = world.engine.work
    return [tuple(map(int, pair)) for pair in work.candidate_sorted[: work.candidate_count[0]]]


def bounding_spheres(world):
    """Return centre and radius of the box around every shape; a plane: none."""
    work, model = world.engine.work, world.engine.model
    radii = []
    for s in range(len(model.shape_kind)):
        a, b, c = model.shape_size[s]
        half = {1: (a, a, a), 2: (a, b, c), 3: (a, a, a + b), 4: (a, a, b)}
        radii.append(np.linalg.norm(half.get(int(model.shape_kind[s]), np.inf)))
    return work.body_pos[model.shape_body].copy(), np.array(radii)


@pytest.mark.parametrize(
    ("seed", "count", "spread"), [(1, 12, 0.5), (2, 60, 1.5), (3, 60, 0.6), (4, 200, 3.0)]
)
def test_no_contact_is_missed(seed, count, spread):
    """Every pair whose inner spheres overlap is a candidate; no pair is listed that is farther apart than
    boxes around the outer spheres, with margins, can be. Sorted, without repetition, a < b."""
    world = crowd(seed, count, spread)
    world.update()
    pairs = listed(world)
    assert pairs == sorted(set(pairs))
    assert all(a < b for a, b in pairs)
    found = set(pairs)
    pos, outer = bounding_spheres(world)
    model, work = world.engine.model, world.engine.work
    inner = np.where(model.shape_kind == 2, model.shape_size.min(axis=1), model.shape_size[:, 0])
    inner = np.where(model.shape_kind == 4, model.shape_size[:, :2].min(axis=1), inner)
    for a in range(1, len(pos)):
        for b in range(a + 1, len(pos)):
            distance = np.linalg.norm(pos[a] - pos[b])
            if distance <= inner[a] + inner[b]:
                assert (a, b) in found
    for a, b in pairs:
        if a > 0:
            box = np.sqrt(3) * (outer[a] + outer[b] + work.body_margin[a] + work.body_margin[b])
            assert np.linalg.norm(pos[a] - pos[b]) <= box
    normal = work.body_rot[0].reshape(3, 3)[:, 2]
    for b in range(1, len(pos)):
        if (pos[b] - work.body_pos[0]) @ normal <= inner[b]:
            assert (0, b) in found


def test_a_fresh_scratch_gives_the_same_list():
    """The kept sorting order is a matter of speed, not of result."""
    world = crowd(5, 80, 1.0)
    world.step(30)
    world.update()
    kept = listed(world)
    world.advance()
    fresh = crowd(5, 80, 1.0)
    fresh.step(30)
    engine = fresh.engine
    engine.work = Work.allocate(engine.sizes)
    engine._connect()
    fresh.update()
    assert listed(fresh) == kept


@pytest.mark.parametrize("count", [2, 3, 50, 700])
def test_any_order_at_the_start_gives_the_sorted_one(count):
    """What is in great disorder is sorted as a heap, what is nearly sorted by insertion: one order."""
    world = crowd(6, count, 3.0)
    world.update()
    work, pairs = world.engine.work, listed(world)
    n = work.sweep_count[0]
    assert n == count
    kept = work.sweep_order[:n].copy()
    rng = np.random.default_rng(0)
    swapped = kept.copy()
    swapped[: n // 20 * 2] = swapped[: n // 20 * 2].reshape(-1, 2)[:, ::-1].ravel()
    for order in (kept[::-1], rng.permutation(kept), np.sort(kept), swapped):
        work.sweep_order[:n] = order
        world.engine.update()
        assert work.sweep_order[:n].tolist() == kept.tolist()
        assert listed(world) == pairs
    begin = np.array([work.body_bound[i] for i in kept])
    assert any((np.diff(begin[:, axis]) >= 0.0).all() for axis in range(3))


def test_static_and_kinematic_bodies_do_not_meet():
    """A pair of which forces move neither side is not a candidate."""
    world = tribo.World()
    world.add_ground()
    world.add_box((1, 1, 1), 1.0, body_type="static")
    world.add_box((1, 1, 1), 1.0, body_type="kinematic")
    world.update()
    assert listed(world) == []
    world.advance()
    world.add_sphere(0.5, 1.0)
    world.update()
    assert listed(world) == [(0, 3), (1, 3), (2, 3)]


def test_work_grows_with_the_number_of_neighbours_not_of_bodies():
    """1000 balls on a grid, 1 m apart, have no candidates; 64 touching in a row have 63."""
    world = tribo.World(gravity=(0, 0, 0))
    for k in range(1000):
        world.add_sphere(0.1, 1.0, position=(k % 10, k // 10 % 10, k // 100))
    world.update()
    assert listed(world) == []
    row = tribo.World(gravity=(0, 0, 0))
    for k in range(64):
        row.add_sphere(0.5, 1.0, position=(k, 0, 0))
    row.update()
    assert listed(row) == [(k, k + 1) for k in range(63)]


def test_a_fast_body_meets_what_it_can_reach_in_a_step():
    """At 100 m/s a ball 5 cm above the ground is listed: it would be inside at the next evaluation."""
    world = tribo.World()
    world.add_ground()
    world.add_sphere(0.1, 1.0, position=(0, 0, 0.2), linear_velocity=(0, 0, -100))
    world.update()
    assert listed(world) == [(0, 1)]
    assert world.engine.work.contact_count[0] == 1


@pytest.mark.parametrize("spread", [(3.0, 3.0, 3.0), (12.0, 8.0, 0.5), (0.2, 0.3, 40.0)])
def test_columns_find_what_a_plain_search_finds(spread):
    """600 boxes around 0.3 m, some larger, one of 1 km, one far away: as all against all."""
    rng = np.random.default_rng(5)
    world = tribo.World(gravity=(0, 0, 0))
    for k in range(600):
        size = rng.uniform(0.02, 0.3, 3) * (10.0 if k % 50 == 0 else 1.0)
        place = rng.uniform(-1, 1, 3) * spread
        if k == 7:
            size = np.array([1000.0, 1000.0, 0.1])
        if k == 8:
            place = np.array([1e13, -1e13, 1e13])
        world.add_box(size, 1.0, position=place)
    world.update()
    bound = world.engine.work.body_bound
    low, high = bound[:, :3], bound[:, 3:]
    meets = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    expected = [tuple(map(int, pair)) for pair in np.argwhere(np.triu(meets, 1))]
    assert len(expected) > 100
    assert listed(world) == expected
