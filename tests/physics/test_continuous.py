"""Fast bodies meet what is on their way, and nothing beside it."""

import numpy as np
import pytest
from shapes import farthest
from shots import shoot

from tribo import CompoundPart, HeightField, PairProperties, Status, World
from tribo.collision.core import core_radius

WIDE = 150.0  # [m] of half a target: a ball at 1000 m/s slides 100 m on it
CORNERS = [(-WIDE, -WIDE, 0.0), (WIDE, -WIDE, 0.0), (WIDE, WIDE, 0.0), (-WIDE, WIDE, 0.0)]
TARGETS = {
    "plane": lambda w: w.add_ground(),
    "plate": lambda w: w.add_box((2 * WIDE, 2 * WIDE, 0.001), 1.0, body_type="static"),
    "loose plate": lambda w: w.add_box((2 * WIDE, 2 * WIDE, 0.001), 8.0),
    "triangles": lambda w: w.add_surface(CORNERS, [(0, 1, 2), (0, 2, 3)]),
    "height map": lambda w: w.add_height_map(HeightField(np.zeros((5, 5)), (2 * WIDE, 2 * WIDE))),
    "sphere": lambda w: w.add_sphere(0.005, 1.0, body_type="static"),
}
RADIUS = 0.005  # [m]


def fast_world(time_step, **pair):
    world = World(time_step=time_step, gravity=(0, 0, 0))
    world.default_pair = PairProperties(friction=0.0, **pair)
    return world


def shot(rng, way, speed, time_step, steepness):
    """Return where a ball starts that hits a place near the origin, and its velocity."""
    way = rng.normal(size=3) if way is None else way
    way[2] = -abs(way[2]) - steepness
    way /= np.linalg.norm(way)
    return -way * speed * time_step * rng.uniform(0.6, 3.0), speed * way


@pytest.mark.parametrize("time_step", [1e-3, 1e-2])
@pytest.mark.parametrize("speed", [50.0, 300.0, 1000.0])
@pytest.mark.parametrize("target", TARGETS)
def test_a_ball_hits_what_is_on_its_way(target, speed, time_step):
    """Its velocity along the normal is taken, that along the surface is kept."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        world = fast_world(time_step)
        plate = TARGETS[target](world)
        place, velocity = shot(rng, None, speed, time_step, 1.0)
        ball = world.add_sphere(RADIUS, 1e-4, position=place, linear_velocity=velocity)
        world.step(10)
        if target == "sphere":  # it meets it head on
            assert np.linalg.norm(ball.linear_velocity) < 1e-3 * speed
            assert ball.position @ velocity < 0.0
        else:
            share = np.array([1.0, 1.0, 0.0])
            assert np.abs(ball.linear_velocity - share * velocity).max() < 1e-3 * speed
            # a loose plate is turned meanwhile
            assert (plate.rotation_matrix.T @ (ball.position - plate.position))[2] > -1e-9 or (
                target == "loose plate" and ball.position[2] > -0.01 * speed * time_step
            )


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "plane"])
def test_a_first_half_step_that_passes_something_says_so(target):
    """Contacts are looked for from mid step on, 0.25 m from where the ball was put: the step says so.

    Not if the ball is put farther away, flies away, or flies beside; nor in any later step.
    """
    cases = (
        (0.2, -100.0, Status.TIME_STEP_TOO_LONG), (RADIUS, -100.0, Status.TIME_STEP_TOO_LONG),
        (0.6, -100.0, 0), (0.2, 100.0, 0), (RADIUS + 1e-3, 100.0, 0),
    )  # fmt: skip
    for height, speed, status in cases:
        world = fast_world(5e-3)
        plate = TARGETS[target](world)
        ball = world.add_sphere(RADIUS, 1e-4, position=(0, 0, 3.0))
        world.step()
        ball.position = (0, 0, height + (RADIUS if target == "sphere" else 0.0))
        ball.linear_velocity = (0, 0, speed)
        world.step()
        assert world.status == status
        if status == 0:
            world.step(20)
            assert world.status == 0
            assert ball.position[2] > plate.position[2]
    if target == "sphere":
        ball.position, ball.linear_velocity = (2 * RADIUS + 1e-3, 0, 0.2), (0, 0, -100.0)
        world.step()
        assert world.status == 0


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_body_put_deep_into_another_passes_nothing(speed):
    """It overlaps by more than its half width, and lies or slides: nothing says `TIME_STEP_TOO_LONG`."""
    world = fast_world(1e-2)
    world.add_box((1, 1, 0.2), 1.0, body_type="static", position=(0, 0, -0.1))
    plate = world.add_box((0.2, 0.2, 0.004), 1.0, position=(0, 0, -0.02), linear_velocity=(speed, 0, 0))
    world.step()
    assert not world.status & Status.TIME_STEP_TOO_LONG
    assert plate.linear_velocity == pytest.approx((speed, 0, 0), abs=1e-9)


@pytest.mark.parametrize("ground", ["triangles", "height map"])
def test_a_ball_meets_a_slope_that_rises_ahead(ground):
    """The plane of the nearest point, level ground below, is not crossed in the step; the slope is.

    The ball starts at twenty phases of a step. Held by that plane alone, it passed through triangles where it
    arrived late in a step, and got 3 cm deep into a height map, which is solid below.
    """
    n, size, time_step = 5, 4.0, 5e-3
    corners = np.linspace(-size / 2, size / 2, n)
    heights = np.tile([0.0, 0.0, 0.0, 0.2, 0.4], (n, 1)).T  # of (x, y): level up to x = 0, then 11 degrees
    velocity = np.array([60.0, 0.0, -45.0])
    for phase in np.linspace(0.0, 1.0, 20, endpoint=False):
        world = fast_world(time_step)
        if ground == "triangles":
            vertices = [(x, y, heights[i, j]) for i, x in enumerate(corners) for j, y in enumerate(corners)]
            cells = [n * i + j for i in range(n - 1) for j in range(n - 1)]
            world.add_surface(
                vertices, [t for c in cells for t in ((c, c + n, c + n + 1), (c, c + n + 1, c + 1))]
            )
        else:
            world.add_height_map(HeightField(heights.T, (size, size)))
        start = np.array([0.2, 0.1, 0.05]) - (1.0 + phase) * time_step * velocity
        ball = world.add_sphere(RADIUS, 1e-4, position=start, linear_velocity=velocity)
        deepest = 0.0
        for _ in range(5):
            world.step()
            deepest = max([deepest, *(contact.depth for contact in world.contacts)])
            assert ball.position[2] > max(0.2 * ball.position[0], 0.0), phase
        assert deepest < 0.1 * RADIUS, phase


@pytest.mark.parametrize("speed", [50.0, 500.0])
def test_a_ball_that_misses_goes_straight_on(speed):
    """Past a wall's edge and past another ball that comes the other way."""
    world = fast_world(1e-3)
    world.add_box((0.02, 2.0, 2.0), 1.0, body_type="static")
    reach = speed * 1e-3
    first = world.add_sphere(RADIUS, 0.01, position=(-1.7 * reach, 1.01, 0), linear_velocity=(speed, 0, 0))
    second = world.add_sphere(RADIUS, 0.01, position=(1.3 * reach, 1.025, 0), linear_velocity=(-speed, 0, 0))
    world.step(6)
    assert np.abs(first.linear_velocity - (speed, 0, 0)).max() == 0.0
    assert np.abs(second.linear_velocity - (-speed, 0, 0)).max() == 0.0


@pytest.mark.parametrize("offset", [0.0, 0.3, 0.7, 0.95])
def test_balls_that_meet_off_their_centres_part_as_in_the_textbook(offset):
    """e = 1, no friction, equal masses: along the line of centres at the impact velocities are exchanged."""
    world = fast_world(1e-3, restitution=1.0)
    b = offset * 2.0 * RADIUS
    speed = 200.0
    one = world.add_sphere(RADIUS, 0.01, position=(-0.33, 0, 0), linear_velocity=(speed, 0, 0))
    two = world.add_sphere(RADIUS, 0.01, position=(0.31, b, 0), linear_velocity=(-speed, 0, 0))
    world.step(8)
    n = np.array([np.sqrt(1.0 - offset**2), offset, 0.0])
    change = 2.0 * speed * n[0] * n
    assert one.linear_velocity == pytest.approx((speed, 0, 0) - change, abs=5e-3 * speed)
    assert two.linear_velocity == pytest.approx(change - (speed, 0, 0), abs=5e-3 * speed)
    assert world.kinetic_energy == pytest.approx(0.01 * speed**2, rel=1e-9)
    assert np.abs(world.linear_momentum).max() < 1e-9 * 0.01 * speed
    assert np.abs(one.angular_velocity).max() < 1e-6


@pytest.mark.parametrize("time_step", [1e-3, 5e-3])
def test_the_tip_of_a_rod_hits_a_small_sphere(time_step):
    """A rod of 4 mm turns by 0.9 to 4.5 rad a step, its tip at 90 m/s; a ball stands in its way."""
    rng = np.random.default_rng(1)
    for _ in range(8):
        world = fast_world(time_step)
        angle, there = rng.uniform(0, 2 * np.pi, 2)
        while min((there - angle) % np.pi, (angle - there) % np.pi) < 0.1:
            there = rng.uniform(0, 2 * np.pi)
        place = 0.09 * np.array([np.cos(there), np.sin(there), 0.0])
        ball = world.add_sphere(RADIUS, 1e-3, position=place)
        lying = np.array([np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0])  # its axis along x
        half = 0.5 * angle
        turn = np.array([np.cos(half), 0.0, 0.0, np.sin(half)])
        w, x, y, z = lying
        lying = np.array(
            [turn[0] * w - turn[3] * z, turn[0] * x - turn[3] * y,
             turn[0] * y + turn[3] * x, turn[0] * z + turn[3] * w]
        )  # fmt: skip
        rod = world.add_capsule(0.002, 0.2, 0.1, orientation=lying, angular_velocity=(0.0, 0.0, 900.0))
        spin = world.angular_momentum[2]
        world.step(max(4, round(8e-3 / time_step)))
        assert np.linalg.norm(ball.linear_velocity) > 10.0
        assert rod.angular_velocity[2] < 899.0
        assert world.angular_momentum[2] == pytest.approx(spin, rel=1e-3)


def tumbling(world, shape, rng):
    """Add a body of 2 to 10 cm that flies at 50 m/s towards the origin and spins by up to 1 rad a step."""
    size = rng.uniform(0.02, 0.1)
    points = rng.normal(size=(12 if shape == "hull" else 4, 3))
    points *= 0.5 * size / np.linalg.norm(points, axis=1)[:, None]
    turn, spin, way = rng.normal(size=4), rng.normal(size=3), rng.normal(size=3)
    way[2] = -abs(way[2]) - 1.0
    way /= np.linalg.norm(way)
    options = {
        "position": -way * 0.05 * rng.uniform(2.0, 8.0) + (0.0, 0.0, size),
        "orientation": turn / np.linalg.norm(turn),
        "linear_velocity": 50.0 * way,
        "angular_velocity": spin * rng.uniform(100.0, 1000.0) / np.linalg.norm(spin),
    }
    add = {
        "hull": lambda: world.add_convex(points, 0.1, **options),
        "tetrahedron": lambda: world.add_convex(points, 0.1, **options),
        "box": lambda: world.add_box(size * rng.uniform(0.2, 0.6, 3), 0.1, **options),
        "cylinder": lambda: world.add_cylinder(0.3 * size, 0.8 * size, 0.1, **options),
    }
    return add[shape]()


@pytest.mark.parametrize("floor", ["plate", "sheet"])
@pytest.mark.parametrize("shape", ["hull", "tetrahedron", "box", "cylinder"])
def test_what_tumbles_does_not_pass_a_plate(shape, floor):
    """A corner that is hit throws the others around in the same step: the core stops the centre of mass.

    One in 100 passed a plate, one tetrahedron in 10 a sheet: a corner that came through a sheet by a
    quarter of the least width was no longer pushed back. No energy comes from it.
    """
    for seed in range(100):
        world = fast_world(1e-3)
        if floor == "plate":
            world.add_box((20, 20, 0.01), 1.0, body_type="static", position=(0, 0, -0.005))
        else:
            world.add_surface(
                [(-10, -10, 0), (10, -10, 0), (10, 10, 0), (-10, 10, 0)], [(0, 1, 2), (0, 2, 3)]
            )
        body = tumbling(world, shape, np.random.default_rng(seed))
        before = world.kinetic_energy
        for _ in range(25):
            world.step()
            assert body.position[2] > 0.0
        assert world.kinetic_energy < before * (1.0 + 1e-9)


def test_the_core_of_a_shape_is_the_largest_ball_around_the_centre_of_mass():
    """Its radius is the least that the shape reaches beyond that point in any direction."""
    world = World()
    sizes = {
        "box": (0.2, 0.3, 0.4),
        "capsule": (0.1, 0.3),
        "cylinder": (0.2, 0.3),
        "cone": (0.2, 0.5),
        "ellipsoid": (0.2, 0.15, 0.3),
    }
    place, off = np.array([0.1, -0.2, 0.3]), np.array([0.02, 0.03, -0.04])
    for name, size in sizes.items():
        part = CompoundPart(name, size, position=place, orientation=(0.8, 0.0, 0.6, 0.0))
        world.add_compound([part], 1.0, com=place + off)
    world.add_convex(np.random.default_rng(0).normal(size=(20, 3)), 1.0)
    world.step(0)
    model = world.engine.model
    for s in range(6):
        pos, rot = np.array(model.shape_pos[s]), np.reshape(model.shape_rot[s], (3, 3))
        com = np.array(model.body_com[model.shape_body[s]])
        if s < 5:
            solid = (int(model.shape_kind[s]), pos, rot, tuple(model.shape_size[s]))
        else:
            first, count = model.shape_data[s, :2]
            corners = pos + np.array(model.vertex[first : first + count]) @ rot.T - com
        # Nearer and nearer around the way of the least: 1e-3 rad beside it a reach is larger by 1e-3 at most.
        rng, least, reaches = np.random.default_rng(1), np.zeros(3), []
        for count_of_ways, spread in ((2000, 1.0), (300, 0.1), (300, 0.01), (300, 0.001)):
            ways = least + spread * rng.normal(size=(count_of_ways, 3))
            ways /= np.linalg.norm(ways, axis=1)[:, None]
            reach = (
                [way @ (farthest(solid, way) - com) for way in ways]
                if s < 5
                else (corners @ ways.T).max(axis=0)
            )
            reaches += [*reach]
            least = ways[np.argmin(reach)]
        radius = core_radius(model, s)
        assert 0.0 < radius <= min(reaches) + 1e-12
        assert min(reaches) < 1.05 * radius


@pytest.mark.parametrize("seed", [4, 6, 9, 11])
def test_ellipsoids_that_turn_by_two_rad_a_step_do_not_pass_a_loose_plate(seed):
    """The nearest point goes up with the spin while others come down: it does not cross its plane."""
    assert shoot("ellipsoid", "free box", 5e-3, 200, np.random.default_rng(seed)) == 0
