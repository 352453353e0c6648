"""Distances against coal and closed forms; what is at a place against rays and formulas."""

import math

import numpy as np
import pytest
from world_shapes import SHAPES, bumpy, crowd, triangles_of, turned

import tribo
from tribo.tools.demo import ASSETS

POINT = 4e-5  # [m] of a point: 0.4 m, the size of the shapes, times 1e-4 rad, to which normals are exact


def coal_shapes():
    coal = pytest.importorskip("coal")
    return coal, {
        "sphere": coal.Sphere(0.4),
        "box": coal.Box(0.4, 0.6, 0.8),
        "capsule": coal.Capsule(0.3, 0.8),
        "cylinder": coal.Cylinder(0.3, 0.8),
        "cone": coal.Cone(0.3, 0.8),
        "ellipsoid": coal.Ellipsoid(0.2, 0.3, 0.4),
    }


def shape_pose(part):
    shape = part.description.bodies[0].shapes[0]
    return part.position + part.rotation_matrix @ np.array(shape.position), part.rotation_matrix


def test_distances_are_those_of_coal():
    coal, shapes = coal_shapes()
    rng = np.random.default_rng(0)
    names = list(shapes)
    overlapping = gave_up = longer = 0
    for _ in range(300):
        one, two = rng.choice(names, 2)
        world = tribo.World()
        spread = rng.choice([0.25, 1.0])
        a = SHAPES[one][0](world, position=rng.normal(size=3) * spread, orientation=turned(rng))
        b = SHAPES[two][0](world, position=rng.normal(size=3) * spread, orientation=turned(rng))
        found = world.distance(a, b)
        request = coal.DistanceRequest()
        request.gjk_tolerance = request.epa_tolerance = 1e-10
        request.gjk_max_iterations = request.epa_max_iterations = 512
        result = coal.DistanceResult()
        poses = [coal.Transform3s(r, p) for p, r in (shape_pose(a), shape_pose(b))]
        expected = coal.distance(shapes[one], poses[0], shapes[two], poses[1], request, result)
        if expected < -1e300:  # coal's EPA gave up
            gave_up += 1
            continue
        overlapping += expected < 0
        if expected < 0 and found.distance > expected + 1e-6:  # coal pushes farther than need be
            longer += 1
            a.position = a.position - (found.distance - 1e-6) * found.normal
            assert not world.overlaps(a, b)
            continue
        assert found.distance == pytest.approx(expected, abs=1e-6), (one, two)
        arm = found.point_a - found.point_b
        assert np.allclose(arm, found.distance * found.normal, rtol=0, atol=POINT)
        for part, name, point in ((a, one, found.point_a), (b, two, found.point_b)):
            at, turn = shape_pose(part)
            assert abs(SHAPES[name][1](((point - at) @ turn)[None])[0]) < POINT
        back = world.distance(b, a)
        assert back.distance == pytest.approx(found.distance, abs=1e-6)
        assert world.overlaps(a, b) == (found.distance <= 0)
        if found.distance > 0.01:
            assert world.distance(a, b, found.distance - 1e-3) is None
            assert world.distance(a, b, found.distance + 1e-3) is not None
    assert overlapping > 50
    assert gave_up + longer < 10


def segment_points(count=4000):
    rng = np.random.default_rng(4)
    return rng.dirichlet((1, 1, 1), count)


def test_a_ball_over_terrain():
    """The distance to the nearest of many points of its triangles, from above; exact for triangles."""
    values = bumpy(12, 10)
    points, faces = triangles_of(values, 0.25, 0.25)
    weights = np.concatenate([np.eye(3), segment_points(600)])
    samples = np.einsum("wk,fkd->fwd", weights, points[faces]).reshape(-1, 3)
    rng = np.random.default_rng(7)
    places = rng.uniform((-2, -2, 0.4), (2, 2, 1.5), (25, 3))
    pose = {"position": (0.5, 1.0, -0.3), "orientation": turned(rng)}
    for kind in ("map", "surface"):
        world = tribo.World()
        if kind == "map":
            ground = world.add_height_map(values, (2.75, 2.25), **pose)
        else:
            ground = world.add_surface(points, faces, **pose)
        r, p = ground.rotation_matrix, ground.position
        ball = world.add_sphere(0.05, 1.0)
        for place in places:
            ball.position = r @ place + p
            found = world.distance(ball, ground)
            sampled = np.linalg.norm(samples - place, axis=1).min() - 0.05
            assert found.distance <= sampled + 1e-12
            assert found.distance > sampled - 2e-3  # the samples are some millimetres apart
            assert np.linalg.norm(found.point_a - found.point_b) == pytest.approx(found.distance, abs=1e-9)


def test_the_deepest_pair_of_parts_counts():
    """A ball lies 0.05 m deep in the first part of a compound and 0.15 m deep in the second."""
    world = tribo.World()
    parts = [tribo.CompoundPart("sphere", (0.5,), position=(x, 0, 0)) for x in (0.0, 1.0)]
    pair = world.add_compound(parts, 1.0, com=(0, 0, 0))
    ball = world.add_sphere(0.1, 1.0, position=(0.55, 0, 0))
    found = world.distance(pair, ball)
    assert found.distance == pytest.approx(-0.15, abs=1e-12)
    assert found.collision_body_a == pair.collision_bodies[1]
    assert world.distance(pair, ball, -0.1).distance == found.distance
    assert world.distance(pair, ball, -0.2) is None


def test_depth_in_flat_ground():
    world = tribo.World()
    plane = world.add_ground()
    heights = world.add_height_map(np.zeros((9, 9)), (4, 4), position=(0, 0, 0))
    ball = world.add_sphere(0.5, 1.0, position=(0.1, 0.2, 0.3))
    for ground in (plane, heights):
        found = world.distance(ball, ground)
        assert found.distance == pytest.approx(-0.2, abs=1e-9)
        assert found.normal.tolist() == pytest.approx([0, 0, 1], abs=1e-9)
        assert world.distance(ground, ball).normal.tolist() == pytest.approx([0, 0, -1], abs=1e-9)
    with pytest.raises(ValueError, match="pieces of ground"):
        world.distance(plane, heights)


@pytest.mark.parametrize("height", [0.08, -0.06])
def test_depth_of_what_stands_in_triangles_does_not_depend_on_its_centre_of_mass(height):
    """A box of 0.2 m, its middle at a height: the side on which that is counts."""
    for com in ((0, 0, 0), (0, 0, 0.5), (0, 0, -0.5)):
        world = tribo.World()
        corners = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
        ground = world.add_surface(corners, [(0, 1, 2), (0, 2, 3)])
        box = world.add_box(
            (0.2, 0.2, 0.2), 1.0, body_type="static", com=com, position=(0, 0, height + com[2])
        )
        found = world.distance(box, ground)
        assert found.distance == pytest.approx(abs(height) - 0.1, abs=1e-12)
        assert found.normal.tolist() == pytest.approx([0, 0, np.sign(height)], abs=1e-12)


def test_robots_and_links():
    world = tribo.World()
    ground = world.add_ground()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.8))
    lowest = world.distance(robot, ground)
    each = [world.distance(body, ground) for body in robot.collision_bodies]
    assert lowest.distance == min(one.distance for one in each)
    carriers = [link for link in robot.links if lowest.collision_body_a in link.collision_bodies]
    assert world.distance(carriers[0], ground).distance == lowest.distance
    other = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(2, 0, 0.8))
    apart = world.distance(robot, other)
    pairs = [world.distance(a, b).distance for a in robot.collision_bodies for b in other.collision_bodies]
    assert apart.distance == pytest.approx(min(pairs), abs=1e-12)


@pytest.mark.parametrize("name", SHAPES)
def test_points_inside(name):
    add, inside = SHAPES[name]
    rng = np.random.default_rng(3)
    world = tribo.World()
    part = add(world, position=(1, 2, 3), orientation=turned(rng))
    at, turn = shape_pose(part)
    for p in rng.normal(size=(60, 3)) * 0.4:
        there = world.collision_bodies_at(at + turn @ p)
        assert bool(there) == (inside(p[None])[0] < 0)


def test_points_in_the_ground_and_boxes():
    world = crowd(60)
    values = bumpy()
    hills = world.add_height_map(values, (3.9, 5.8), position=(20, 0, 0), name="hills")
    for p in np.random.default_rng(2).uniform((-1.9, -2.8, -0.4), (1.9, 2.8, 0.4), (50, 3)):
        there = world.collision_bodies_at(np.add(p, (20, 0, 0)), collision_mask=hills.collision_group)
        assert any(body.owner is hills for body in there) == (p[2] < hills.height(p[0], p[1]))
    low, high = (-3, -3, 1.0), (3, 3, 5.0)
    there = world.collision_bodies_in(low, high)
    assert there
    everything = world.collision_bodies_in((-99, -99, -99), (99, 99, 99))
    assert len(everything) == len(world.objects)
    for body in everything:
        if body.owner in (hills, world.objects[0]):
            continue
        box = world.add_box(np.subtract(high, low), 1.0, position=np.add(low, high) / 2, name="probe")
        if world.overlaps(body, box):
            assert body in there
        world.remove(box)
        break


def test_refused():
    world = tribo.World()
    ball = world.add_sphere(0.5, 1.0)
    with pytest.raises(TypeError, match="b must be"):
        world.distance(ball, "ball")
    with pytest.raises(ValueError, match="another world"):
        world.distance(ball, tribo.World().add_sphere(0.5, 1.0))
    with pytest.raises(ValueError, match="no distance"):
        world.distance(ball, ball)
    with pytest.raises(ValueError, match="beyond"):
        world.collision_bodies_in((1, 0, 0), (0, 1, 1))
    with pytest.raises(ValueError, match="finite"):
        world.collision_bodies_at((1, 0, math.nan))
    ball.generalized_coordinate[0] = math.nan
    other = world.add_sphere(0.5, 1.0)
    with pytest.raises(ValueError, match="no distance"):
        world.distance(ball, other)
