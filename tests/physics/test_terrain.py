"""Terrain: flat maps and meshes are planes, ridges and valleys are exact, borders are hard."""

import math

import numpy as np
import pytest

from tribo import HeightField, PairProperties, World
from tribo.description.hulls import convex_hull


def flat_mesh(world):
    """Add a flat floor of triangles of random sizes, cut along random diagonals."""
    rng = np.random.default_rng(0)
    xs = np.sort(np.r_[-5.0, 5.0, rng.uniform(-5, 5, 12)])
    ys = np.sort(np.r_[-5.0, 5.0, rng.uniform(-5, 5, 12)])
    points = [(x, y, 0.0) for y in ys for x in xs]
    triangles = []
    for j in range(13):
        for i in range(13):
            p = 14 * j + i
            q, r, o = p + 1, p + 15, p + 14
            cut = [(p, q, r), (p, r, o)] if rng.random() < 0.5 else [(p, q, o), (q, r, o)]
            triangles += cut
    world.add_surface(points, triangles)


FLOORS = {
    "plane": lambda w: w.add_ground(),
    "map": lambda w: w.add_height_map(np.zeros((37, 53)), (11.0, 9.3)),
    "mesh": flat_mesh,
}


def slide(floor):
    """Return the paths of bodies sliding and rolling over a floor, (steps, bodies, 6)."""
    world = World(time_step=0.002)
    FLOORS[floor](world)
    turned = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    bodies = [
        world.add_sphere(0.1, 1.0, position=(-2, 0, 0.1), linear_velocity=(3, 0.3, 0)),
        world.add_box((0.3, 0.2, 0.1), 1.0, position=(-2, 1, 0.05), linear_velocity=(3, 0.4, 0)),
        world.add_capsule(
            0.1, 0.4, 1.0, position=(-2, 2, 0.1), orientation=turned, linear_velocity=(2.5, 0, 0)
        ),
    ]
    path = []
    for _ in range(200):
        world.step()
        path.append([np.r_[b.position, b.linear_velocity] for b in bodies])
    return np.array(path)


@pytest.mark.parametrize("floor", ["map", "mesh"])
def test_flat_terrain_is_a_plane(floor):
    # Internal edges are welded: the contact points are those of the plane (F11), but for the solver's
    # tolerance, which the redundant points of a face on many triangles may use differently.
    difference = np.abs(slide(floor) - slide("plane"))
    assert difference.max(axis=(0, 2)).tolist() == pytest.approx([0.0] * 3, abs=1e-9)


@pytest.mark.parametrize("offset", [-0.05, 0.0, 0.02])
def test_ball_over_a_ridge_touches_its_edge(offset):
    # A roof of slope 45° with its edge along y. A ball above the edge (|x| < r/√2) touches the edge.
    world = World()
    x = np.linspace(-2.0, 2.0, 9)
    world.add_height_map(np.tile(-np.abs(x), (5, 1)), (4.0, 2.0))
    radius = 0.1
    high = math.sqrt(radius**2 - offset**2)
    ball = world.add_sphere(radius, 1.0, position=(offset, 0.13, high - 1e-6))
    world.update()
    contacts = [c for c in world.contacts if c.depth > -1e-7]
    assert len(contacts) == 1
    normal = contacts[0].normal if contacts[0].object_a is ball else -contacts[0].normal
    np.testing.assert_allclose(normal, [offset / radius, 0.0, high / radius], atol=1e-5)


def test_ball_in_a_valley_touches_both_sides():
    world = World()
    x = np.linspace(-2.0, 2.0, 9)
    world.add_height_map(np.tile(np.abs(x), (5, 1)), (4.0, 2.0))
    height = 0.1 * math.sqrt(2.0) - 1e-12  # touching, whatever rounding says
    world.add_sphere(0.1, 1.0, position=(0.0, 0.13, height))
    world.update()
    contacts = [c for c in world.contacts if c.depth > -1e-7]
    assert len(contacts) == 2
    np.testing.assert_allclose([abs(c.normal[0]) for c in contacts], math.sqrt(0.5), atol=1e-9)
    world.advance()


def test_box_beyond_the_border_falls_when_its_centre_has_passed():
    # F14: the map ends at x = 1.
    for x, falls in ((0.97, False), (1.03, True)):
        world = World(time_step=0.002)
        world.add_height_map(np.zeros((11, 11)), (2.0, 2.0))
        box = world.add_box((0.2, 0.2, 0.2), 1.0, position=(x, 0.0, 0.1))
        world.step(400)
        assert (box.position[2] < 0.05) == falls


def test_what_falls_onto_hills_stays_above_them():
    world = World(time_step=0.004)
    hills = world.add_height_map(
        HeightField.fractal(size=(6.0, 6.0), samples=(31, 31), frequency=0.4, z_scale=0.5, seed=1)
    )
    corners = np.random.default_rng(2).normal(size=(10, 3))
    corners *= 0.12 / np.linalg.norm(corners, axis=1)[:, None]
    bodies = [
        world.add_sphere(0.1, 1.0, position=(-1, -1, 1.0)),
        world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, -1, 1.0)),
        world.add_capsule(0.1, 0.2, 1.0, position=(1, -1, 1.0)),
        world.add_cylinder(0.1, 0.2, 1.0, position=(-1, 1, 1.0)),
        world.add_cone(0.1, 0.2, 1.0, position=(0, 1, 1.0)),
        world.add_convex(corners, 1.0, position=(1, 1, 1.0)),
    ]
    for _ in range(250):
        world.step()
        for body in bodies:
            x, y, z = body.position
            if max(abs(x), abs(y)) < 3.0:
                assert z > hills.height(x, y) + 0.02, body.name


def bumps(height):
    """Return a world with a box of 0.4 m on a flat map of which two corners of the grid stand out."""
    heights = np.zeros((9, 9))
    heights[4, 4], heights[4, 5] = height, 0.8 * height
    world = World(gravity=(0, 0, 0))
    world.add_height_map(HeightField(heights, (0.8, 0.8)))
    world.add_box((0.4, 0.4, 0.1), 1.0, position=(0.0, 0.0, 0.05))
    return world


@pytest.mark.parametrize("height", [2e-6, 1e-5, 1e-4])
def test_a_bump_under_the_middle_of_a_face_is_felt(height):
    """However little it stands out: it was not, below 1e-4 of the spread of all points.

    A second bump beside it stands out over the line from the first to the border, at half its height.
    """
    world = bumps(height)
    world.update()
    work = world.engine.work
    n = work.contact_count[0]
    found = {
        tuple(np.round(p[:2], 3).tolist()): g
        for p, g in zip(work.contact_pos[:n], work.contact_gap[:n], strict=True)
    }
    assert n <= 8
    assert found[0.0, 0.0] == pytest.approx(-height, rel=1e-3)
    assert found[0.1, 0.0] == pytest.approx(-0.8 * height, rel=1e-3)


@pytest.mark.parametrize("shape", ["box", "hull"])
def test_what_lies_on_rough_ground_comes_to_rest(shape):
    """F26 in small. Contacts that came and went had made some rock for ever, with up to 1 cm/s."""
    rng = np.random.default_rng(8)
    world = World(time_step=0.0025)
    world.default_pair = PairProperties(friction=0.8, rolling_friction=0.05, spinning_friction=0.02)
    world.add_height_map(HeightField.fractal(
        size=(4, 4), samples=(41, 41), frequency=0.15, z_scale=0.5, octaves=4, seed=2))  # fmt: skip
    bodies = []
    for x in (-1.2, -0.4, 0.4, 1.2):
        for y in (-0.8, 0.8):
            turn = rng.normal(size=4)
            at = {"position": (x, y, 0.8), "orientation": turn / np.linalg.norm(turn)}
            size = rng.uniform(0.05, 0.12, 3)
            if shape == "box":
                bodies.append(world.add_box(2 * size, 1.0, **at))
            else:
                points = rng.normal(size=(14, 3))
                points *= size / np.linalg.norm(points, axis=1)[:, None]
                bodies.append(world.add_convex(points, 1.0, **at))
    world.step(1600)
    for _ in range(20):
        world.step()
        assert max(world.residual) < 1e-6
        assert max(np.linalg.norm(body.linear_velocity) for body in bodies) < 1e-8


def test_the_deepest_corner_of_a_hull_has_a_contact():
    """Whatever face of it looks down most: in one pose of 25 its corner was left out, once 9 mm deep."""
    rng = np.random.default_rng(4)
    points = rng.normal(size=(14, 3))
    points *= (0.1, 0.08, 0.13) / np.linalg.norm(points, axis=1)[:, None]
    world = World(gravity=(0, 0, 0))
    world.add_height_map(HeightField(np.zeros((21, 25)), (2.4, 2.0)))
    hull = world.add_convex(points, 1.0, com=(0, 0, 0))
    for _ in range(60):
        turn = rng.normal(size=4)
        hull.orientation = turn / np.linalg.norm(turn)
        depth = 10.0 ** rng.uniform(-6, -2)
        low = (points @ hull.rotation_matrix.T)[:, 2].min()
        hull.position = (*rng.uniform(-0.5, 0.5, 2), -low - depth)
        world.update()
        work = world.engine.work
        gaps = work.contact_gap[: work.contact_count[0]]
        normals = work.contact_axes[: work.contact_count[0], 6:9]
        world.advance()
        hull.linear_velocity, hull.angular_velocity = (0, 0, 0), (0, 0, 0)
        assert gaps.min() == pytest.approx(-depth, abs=1e-9)
        assert np.abs(normals[gaps < 0.0, 2]).min() > 1.0 - 1e-9


TETRAHEDRON = [(0.0, 0.0, 0.72), (0.6, 0.0, 0.0), (-0.3, 0.48, 0.0), (-0.3, -0.48, 0.0)]
CUBE = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]


@pytest.mark.parametrize("corners", [TETRAHEDRON, CUBE], ids=["tetrahedron", "cube"])
@pytest.mark.parametrize("shape", ["box", "cylinder", "hull", "cone", "ellipsoid"])
def test_a_closed_surface_is_as_deep_as_the_solid_that_it_encloses(corners, shape):
    """At its edges and corners too: 1 to 5 % of these poses had no contact, some the depth of the far face.

    Each triangle is met by itself, and of a sheet that a solid crosses another way out may be shorter, but
    not in more than a few poses by much. Faces that are worse by up to 1e-3 of the solid are preferred to
    edges (`convex`).
    """
    solid = convex_hull(np.asarray(corners))
    worlds = [World(gravity=(0, 0, 0)), World(gravity=(0, 0, 0))]
    convex = worlds[0].add_convex(corners, 1.0, position=np.mean(corners, axis=0))
    worlds[1].add_surface(solid.vertices, solid.triangles)
    points = np.random.default_rng(1).normal(size=(14, 3)) * (0.05, 0.04, 0.06)
    add = {
        "box": lambda world: world.add_box((0.2, 0.14, 0.28), 1.0),
        "cylinder": lambda world: world.add_cylinder(0.08, 0.24, 1.0),
        "hull": lambda world: world.add_convex(points, 1.0),
        "cone": lambda world: world.add_cone(0.1, 0.24, 1.0),
        "ellipsoid": lambda world: world.add_ellipsoid((0.1, 0.07, 0.14), 1.0),
    }
    rng = np.random.default_rng(0)
    reference, body = (add[shape](world) for world in worlds)
    shares = []
    sizes = {"box": 0.07, "cylinder": 0.08, "hull": 0.04, "cone": 0.1, "ellipsoid": 0.07}
    size = sizes[shape]
    for _ in range(250):
        depth = 10.0 ** rng.uniform(-5, -2.5)
        quaternion = rng.normal(size=4)
        reference.orientation = quaternion / np.linalg.norm(quaternion)
        reference.position = 1.5 * rng.normal(size=3)
        for _ in range(3):
            seen = worlds[0].distance(reference, convex)
            reference.position = reference.position - (seen.distance + depth) * seen.normal
        body.orientation, body.position = reference.orientation, reference.position
        body.linear_velocity = body.angular_velocity = np.zeros(3)
        worlds[1].update()
        found = max((c.depth for c in worlds[1].contacts), default=-1.0)
        worlds[1].advance()
        assert found < 2.0 * depth + 1e-3 * size
        shares.append(found / depth)
    assert np.sum(np.array(shares) < 0.0) <= 1
    assert np.mean(np.array(shares) > 0.5) > 0.9


@pytest.mark.parametrize(("beyond", "height"), [(4e-5, 1e-4), (1e-3, 3.85e-3)])
def test_no_contact_is_nearer_than_the_distance(beyond, height):
    """The edge of a tilted box beside the rim of a sheet: its distance, not its height over the sheet.

    Outlines are widened by 1e-4 of the sheet, here 1.3 mm; the gap was the height, up to 0.13 mm too small.
    """
    world = World(time_step=0.002, gravity=(0, 0, -5000))  # so that 2 cm are near
    world.add_surface([(-40, -20, 0), (0, -20, 0), (0, 20, 0), (-40, 20, 0)], [(0, 1, 2), (0, 2, 3)])
    tilt = 0.5
    box = world.add_box((0.2, 0.3, 0.2), 1.0, orientation=(math.cos(0.5 * tilt), 0, math.sin(0.5 * tilt), 0))
    corner = box.rotation_matrix @ (0.1, 0.0, -0.1)
    assert corner[2] < -0.13  # the lowest
    box.position = np.array((beyond, 0.0, height)) - corner
    world.update()
    work = world.engine.work
    gaps = work.contact_gap[: work.contact_count[0]]
    world.advance()
    assert gaps.min() == pytest.approx(math.hypot(beyond, height), abs=1e-9)


@pytest.mark.parametrize("depth", [0.15, 0.5, 3.0])
def test_ground_is_solid_at_any_depth(depth):
    """What is all below a height map is pushed up: nothing met it there."""
    world = World(gravity=(0, 0, 0))
    world.add_height_map(np.zeros((9, 9)), (8.0, 8.0))
    world.add_sphere(0.1, 1.0, position=(0.3, 0.2, -depth))
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(2.5, 0.2, -depth))
    world.update()
    for contact in world.contacts:
        assert contact.depth == pytest.approx(0.1 + depth, abs=1e-12)
        assert abs(contact.normal[2]) == pytest.approx(1.0, abs=1e-12)
    assert len(world.contacts) == 5
