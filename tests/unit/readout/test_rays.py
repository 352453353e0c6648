"""Rays: each shape against its equation, terrain against all of its triangles, special cases."""

import math

import numpy as np
import pytest
from world_shapes import SHAPES, bumpy, crowd, triangles_of, turned

import tribo
from tribo.tools.demo import ASSETS

trimesh = pytest.importorskip("trimesh")


def rays(rng, count, spread=0.7):
    """Return rays that start around the origin and pass near it."""
    start = rng.normal(size=(count, 3)) * spread
    return start, 0.4 * rng.normal(size=(count, 3)) - start


@pytest.mark.parametrize("name", SHAPES)
def test_hits_lie_on_the_surface_and_nothing_is_before_them(name):
    add, inside = SHAPES[name]
    rng = np.random.default_rng(1)
    world = tribo.World()
    part = add(world, position=(0.3, -0.2, 0.5), orientation=turned(rng))
    # A body described about another point is moved to its centre of mass: ask where the shape is.
    shape = part.description.bodies[0].shapes[0]
    rotation = part.rotation_matrix
    at = part.position + rotation @ np.array(shape.position)
    start, toward = rays(rng, 200)
    start += at
    hits = world.ray_test_batch(start, toward, 8.0)
    toward = toward / np.linalg.norm(toward, axis=1)[:, None]

    def value(points):
        return inside((points - at) @ rotation)

    assert 50 < hits.is_hit.sum() < 195
    outside = value(start) > 0.0
    for k in range(200):
        reach = hits.distance[k] if hits.is_hit[k] else 8.0
        t = np.linspace(1e-9, reach - 1e-9, 100)
        along = value(start[k] + t[:, None] * toward[k])
        assert (along > -1e-9).all() if outside[k] else (along < 1e-9).all()
    found = hits.is_hit
    assert np.abs(value(hits.position[found])).max() < 1e-12
    # The normal: out of the solid, along the gradient.
    steps = 1e-6 * np.eye(3)
    slope = np.stack([value(hits.position[found] + s) - value(hits.position[found] - s) for s in steps])
    slope /= np.linalg.norm(slope, axis=0)
    agreement = (slope.T * hits.normal[found]).sum(axis=1)
    assert np.mean(agreement > 1 - 1e-9) > 0.99  # but where the stencil is over an edge
    leaves = (hits.normal[found] * toward[found]).sum(axis=1) > 0.0
    assert (leaves == ~outside[found]).all()


def test_a_plane_of_any_normal():
    world = tribo.World()
    world.add_ground(height=0.5, normal=(1, 0, 1))
    n = np.array([1.0, 0, 1.0]) / math.sqrt(2)
    rng = np.random.default_rng(2)
    start, toward = rays(rng, 200, 3.0)
    hits = world.ray_test_batch(start, toward)
    unit = toward / np.linalg.norm(toward, axis=1)[:, None]
    t = (0.5 - start @ n) / (unit @ n)
    assert np.allclose(hits.distance, np.where(t >= 0, t, math.inf), rtol=1e-12, atol=1e-12)
    level = tribo.World()
    level.add_ground()
    assert level.ray_test((0, 0, 9), (1, 0, 0)) is None
    assert level.ray_test((0, 0, 0), (1, 0, 0)) is None  # in the plane


def brute(points, faces, start, toward):
    """Return the nearest crossing of each ray with triangles, by Cramer's rule (Möller, Trumbore 1997)."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    best = np.full(len(start), math.inf)
    for k, (o, d) in enumerate(zip(start, toward / np.linalg.norm(toward, axis=1)[:, None], strict=True)):
        p = np.cross(d, c - a)
        det = ((b - a) * p).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = ((o - a) * p).sum(axis=1) / det
            q = np.cross(o - a, b - a)
            v = (q @ d) / det
            t = ((c - a) * q).sum(axis=1) / det
        ok = (u >= -1e-12) & (v >= -1e-12) & (u + v <= 1 + 1e-12) & (t >= 0.0)
        best[k] = t[ok].min(initial=math.inf)
    return best


def test_terrain_against_all_its_triangles():
    values = bumpy()
    points, faces = triangles_of(values, 0.1, 0.2)
    pose = {"position": (1.0, 2.0, 0.5), "orientation": turned(np.random.default_rng(5))}
    rng = np.random.default_rng(6)
    start, toward = rng.uniform((-2, -3, -1), (2, 3, 1.5), (400, 3)), rng.normal(size=(400, 3))
    expected = brute(points, faces, start, toward)
    assert 100 < np.isfinite(expected).sum() < 390
    for kind in ("map", "surface"):
        world = tribo.World()
        if kind == "map":
            part = world.add_height_map(values, (39 * 0.1, 29 * 0.2), **pose)
        else:
            part = world.add_surface(points, faces, **pose)
        r, p = part.rotation_matrix, part.position
        hits = world.ray_test_batch(start @ r.T + p, toward @ r.T)
        assert np.allclose(hits.distance, expected, rtol=0, atol=1e-9), kind


def test_no_ray_slips_through_between_triangles():
    """Straight down on corners and edges of a grid, and along its lines from above."""
    values = bumpy(12, 12)
    points, faces = triangles_of(values, 0.25, 0.25)
    x = np.linspace(-1.2, 1.2, 33)
    start = np.array([(a, b, 3.0) for a in x for b in x])
    corners = points[(np.abs(points[:, :2]) < 1.3).all(axis=1)]
    start = np.concatenate(
        [start, np.add(corners, (0, 0, 2.0)), (corners[1:] + corners[:-1]) / 2 + (0, 0, 2.0)]
    )
    start = start[(np.abs(start[:, :2]) < 1.37).all(axis=1)]
    for kind in ("map", "surface"):
        world = tribo.World()
        if kind == "map":
            world.add_height_map(values, (2.75, 2.75))
        else:
            world.add_surface(points, faces)
        assert world.ray_test_batch(start, (0, 0, -1)).is_hit.all()
        flat = world.ray_test_batch(start[:200] - (0, 0, 2.0), (1, 0, -0.3))
        inside = flat.position[flat.is_hit]
        assert np.isfinite(inside).all()


def test_a_mesh_cube_is_a_box():
    box = trimesh.creation.box((0.4, 0.6, 0.8))
    world, other = tribo.World(), tribo.World()
    world.add_surface(np.array(box.vertices), np.array(box.faces))
    other.add_box((0.4, 0.6, 0.8), 1.0)
    start, toward = rays(np.random.default_rng(8), 2000)
    one, two = world.ray_test_batch(start, toward), other.ray_test_batch(start, toward)
    assert (one.is_hit == two.is_hit).all()
    assert np.allclose(one.distance, two.distance, rtol=0, atol=1e-12)
    assert np.allclose(one.normal, two.normal, rtol=0, atol=1e-12)


def test_the_tree_finds_what_a_list_finds():
    world = crowd()
    start, toward = (
        np.random.default_rng(10).uniform(-9, 9, (300, 3)),
        np.random.default_rng(11).normal(size=(300, 3)),
    )
    many = world.ray_test_batch(start, toward)
    for k in range(300):
        one = world.ray_test(start[k], toward[k])
        every = world.ray_test_all(start[k], toward[k])
        if one is None:
            assert not many.is_hit[k]
            assert every == []
            continue
        assert one.distance == many.distance[k] == every[0].distance
        assert world.objects[many.object_index[k]] is one.object is every[0].object
        assert world.material_names[many.material_index[k]] == one.material
        assert (one.normal == many.normal[k]).all()
        assert [hit.distance for hit in every] == sorted(hit.distance for hit in every)


def test_masks_and_what_is_ignored():
    world = crowd(60)
    start, toward = (
        np.random.default_rng(1).uniform(-9, 9, (500, 3)),
        np.random.default_rng(2).normal(size=(500, 3)),
    )
    only = world.ray_test_batch(start, toward, collision_mask=2)
    groups = [part.collision_group for part in world.objects]
    assert only.is_hit.any()
    assert all(groups[k] == 2 for k in only.object_index[only.is_hit])
    first = world.ray_test_batch(start, toward)
    gone = [world.objects[k] for k in set(first.object_index[first.is_hit].tolist())]
    again = world.ray_test_batch(start, toward, ignore=gone)
    assert not set(again.object_index.tolist()) & set(first.object_index[first.is_hit].tolist())


def test_links_of_a_robot():
    world = tribo.World()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.6))
    hit = world.ray_test((0, 0, 5), (0, 0, -1))
    assert hit.object is robot
    hits = world.ray_test_batch((0, 0, 5), [(0, 0, -1)])
    name = robot.body_names[hits.body_index[0]]
    assert hit.collision_body.name.split("/")[0] == name
    below = world.ray_test((0, 0, 5), (0, 0, -1), ignore=robot.link(name))
    assert below is None or below.collision_body.name.split("/")[0] != name
    without = world.ray_test((0, 0, 5), (0, 0, -1), ignore=hit.collision_body)
    assert without is None or without.collision_body is not hit.collision_body


def test_a_ray_sees_the_present_state():
    world = tribo.World()
    ball = world.add_sphere(0.5, 1.0)
    assert world.ray_test((-5, 0, 0), (1, 0, 0)).distance == pytest.approx(4.5, abs=1e-12)
    ball.generalized_coordinate[0] = 2.0
    assert world.ray_test((-5, 0, 0), (1, 0, 0)).distance == pytest.approx(6.5, abs=1e-12)
    ball.generalized_coordinate[0] = math.nan  # a lost body is nowhere and hides nothing
    other = world.add_sphere(0.5, 1.0, position=(3, 0, 0))
    assert world.ray_test((-5, 0, 0), (1, 0, 0)).object is other
    many = world.ray_test_batch(np.tile((-5.0, 0, 0), (20, 1)), (1, 0, 0))
    assert np.allclose(many.distance, 7.5, rtol=0, atol=1e-12)


def test_a_question_changes_nothing():
    worlds = [crowd(60), crowd(60)]
    for k in range(20):
        for world in worlds:
            world.step()
        worlds[0].ray_test_batch(np.tile((0.0, 0, 20), (50, 1)), (0.1, 0.2 * k - 2, -1))
    for one, two in zip(worlds[0].objects, worlds[1].objects, strict=True):
        assert (one.generalized_coordinate == two.generalized_coordinate).all()


def test_far_away_and_grazing():
    world = tribo.World()
    world.add_sphere(0.5, 1.0, position=(1e6, 0, 0))
    assert world.ray_test((0, 0, 0), (1, 0, 0)).distance == pytest.approx(1e6 - 0.5, abs=1e-9)
    near = tribo.World()
    near.add_box((1, 1, 1), 1.0)
    touching = near.ray_test((-5, 0.5, 0), (1, 0, 0))
    assert touching is None or touching.distance == pytest.approx(4.5, abs=1e-9)
    assert near.ray_test((-5, 0.5 + 1e-9, 0), (1, 0, 0)) is None
    assert near.ray_test((-5, 0.5 - 1e-9, 0), (1, 0, 0)).distance == pytest.approx(4.5, abs=1e-12)
    assert near.ray_test((-5, 0, 0), (1, 0, 0), 4.4) is None
    assert near.ray_test((-5, 0, 0), (1, 0, 0), 4.6) is not None
    assert near.ray_test((0, 0, 0), (1, 0, 0)).normal.tolist() == [1, 0, 0]  # from inside: where it leaves


def test_refused_and_nothing_to_see():
    world = tribo.World()
    assert world.ray_test((0, 0, 0), (1, 0, 0)) is None
    assert len(world.ray_test_batch(np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    ball = world.add_sphere(0.5, 1.0)
    for origin, toward in (
        ((0, 0, 0), (0, 0, 0)),
        ((0, 0, 0), (0, 0, 1e-170)),
        ((0, 0, math.nan), (1, 0, 0)),
        ((0, 0, 0), (math.inf, 0, 0)),
    ):
        for ask in (world.ray_test, world.ray_test_all, world.ray_test_batch):
            with pytest.raises(ValueError, match=r"direction|finite"):
                ask(origin, toward)
    with pytest.raises(ValueError, match="ray 1"):
        world.ray_test_batch([(0, 0, 0), (0, 0, math.nan)], (1, 0, 0))
    with pytest.raises(ValueError, match="length"):
        world.ray_test((0, 0, 0), (1, 0, 0), -1.0)
    with pytest.raises(ValueError, match="length"):
        world.ray_test_batch([(0, 0, 0), (0, 0, 1)], (1, 0, 0), [1.0, math.nan])
    with pytest.raises(MemoryError, match="100000000 rays"):
        world.ray_test_batch(np.broadcast_to(np.zeros(3), (10**8, 3)), (1, 0, 0))
    with pytest.raises(TypeError, match="ignore"):
        world.ray_test((0, 0, 0), (1, 0, 0), ignore="ball")
    with pytest.raises(ValueError, match="another world"):
        tribo.World().ray_test((0, 0, 0), (1, 0, 0), ignore=ball)
    world.remove(ball)
    with pytest.raises(tribo.EditError, match="removed"):
        world.ray_test((0, 0, 0), (1, 0, 0), ignore=ball)


def test_all_hits_are_where_a_ray_enters_and_where_it_leaves():
    """Along a line through the centres every solid is there twice, terrain and ground once."""
    world = tribo.World()
    corners = [[x, y, z] for x in (-0.5, 0.5) for y in (-1, 1) for z in (-1, 1)]
    added = [
        world.add_sphere(0.5, 1.0, position=(1, 0, 0)), world.add_box((1, 2, 2), 1.0, position=(3, 0, 0)),
        world.add_capsule(0.5, 2.0, 1.0, position=(5, 0, 0)),
        world.add_cylinder(0.5, 2.0, 1.0, position=(7, 0, 0)),
        world.add_ellipsoid((0.5, 1.0, 1.0), 1.0, position=(9, 0, 0)),
        world.add_convex(corners, 1.0, position=(11, 0, 0)),
    ]  # fmt: skip
    wall = world.add_surface([[13, -9, -9], [13, 9, -9], [13, 0, 9]], [[0, 2, 1]])
    hits = world.ray_test_all((0, 0, 0), (1, 0, 0))
    assert [hit.object for hit in hits] == [part for part in added for _ in range(2)] + [wall]
    assert np.allclose([hit.distance for hit in hits], [*np.arange(0.5, 12.0), 13.0], rtol=0, atol=1e-9)
    along = np.array([hit.normal[0] for hit in hits])
    assert np.allclose(along[:-1], [-1.0, 1.0] * 6, rtol=0, atol=1e-9)  # out of the solid, both times
    inside = world.ray_test_all((3.0, 0, 0), (1, 0, 0), length=1.0)  # from within: only where it leaves
    assert [(hit.object, hit.distance) for hit in inside] == [(added[1], 0.5)]
