"""Shapes that lie flush are one floor: nothing catches where they join, and nothing true is lost."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from pieces import CUBE, FACES
from scenes import GRAVITY, empty_world

import tribo

DT = 1e-3
LYING = (0.5**0.5, 0.5**0.5, 0.0, 0.0)
SIZE = 0.37
SPEED = (2.0, 0.3, 0.0)


def plane(world):
    """Add the floor that all others have to equal."""
    world.add_ground()


def places():
    """Return the middles of the tiles."""
    return [(SIZE * i, SIZE * j - 1.1, -0.05) for i, j in itertools.product(range(7), range(8))]


def tiles(world, **options):
    """Add a floor of boxes that lie flush."""
    for place in places():
        world.add_box((SIZE, SIZE, 0.1), 1.0, position=place, **{"body_type": "static", **options})


def one_body(world):
    """Add the same tiles as one static body."""
    parts = [tribo.CompoundPart("box", (SIZE, SIZE, 0.1), position=p) for p in places()]
    middle = np.mean(places(), axis=0)
    world.add_compound(parts, mass=1.0, position=middle, body_type="static")


def hulls(world):
    """Add tiles that the general path meets."""
    half = np.array([SIZE / 2, SIZE / 2, 0.05])
    corners = half * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    for place in places():
        world.add_convex(corners, 1.0, position=place, body_type="static")


def one_mesh(world):
    """Add the tiles as one surface: the triangles of their sides lie within it, 56 closed pieces in all."""
    corners = [middle + CUBE * (SIZE, SIZE, 0.1) for middle in np.array(places())]
    faces = [FACES + 8 * k for k in range(len(corners))]
    world.add_surface(np.concatenate(corners), np.concatenate(faces))


def in_the_ground(world):
    """Add a plane with tiles let into it."""
    world.add_ground()
    for place in places()[::2]:
        world.add_box((SIZE, SIZE, 0.1), 1.0, position=place, body_type="static")


def slide(floor, steps=300, drift=(0, 0, 0), **options):
    """Return positions and velocities of five solids that slide over a floor, (steps, 5, 9).

    What lies on a line moves across it: along it, the share of each point in the load decides on the yaw.
    """
    world = empty_world(DT, friction=0.1)
    floor(world, **options)
    common = {"linear_velocity": np.add(SPEED, drift)}
    across = {"linear_velocity": np.add((SPEED[0], 0.0, 0.0), drift), "orientation": LYING}
    bodies = [
        world.add_sphere(0.1, 1.0, position=(0.1, -0.9, 0.1), **common),
        world.add_capsule(0.1, 0.3, 1.0, position=(0.1, -0.4, 0.1), **across),
        world.add_box((0.3, 0.2, 0.1), 1.0, position=(0.1, 0.1, 0.05), **common),
        world.add_cylinder(0.1, 0.3, 1.0, position=(0.1, 0.6, 0.1), **across),
        world.add_cylinder(0.1, 0.2, 1.0, position=(0.1, 1.1, 0.1), **common),
    ]
    path = []
    for _ in range(steps):
        world.step()
        path.append([np.r_[b.position, b.linear_velocity, b.angular_velocity] for b in bodies])
    return np.array(path)


@pytest.fixture(scope="module")
def known():
    return slide(plane)


@pytest.mark.parametrize("floor", [tiles, one_body, hulls, one_mesh, in_the_ground])
def test_tiles_are_as_good_as_a_plane(floor, known):
    assert np.abs(slide(floor) - known).max() <= 1e-9


def test_tiles_that_the_user_moves_alike(known):
    """Seen from the belt, what moves with it is at rest: the paths differ by the belt's."""
    drift = np.array([0.5, 0.0, 0.0])
    moving = slide(tiles, body_type="kinematic", linear_velocity=drift, drift=drift)
    moving[:, :, :3] -= drift * DT * np.arange(1, len(moving) + 1)[:, None, None]
    moving[:, :, 3:6] -= drift
    assert np.abs(moving - known).max() <= 1e-9


def test_tiles_that_move_apart_are_edges():
    """A tile that is pulled away from under a ball leaves a true edge: nothing is left out."""
    world = empty_world(DT)
    for x, speed in ((-0.5, 0.0), (0.5, 1e-3)):
        world.add_box((1, 1, 0.1), 1.0, position=(x, 0, -0.05), body_type="kinematic",
                      linear_velocity=(speed, 0, 0))  # fmt: skip
    world.add_sphere(0.1, 1.0, position=(-1e-4, 0, 0.1))
    world.update()
    assert world.engine.work.contact_count[0] == 2


def step_up(rise, **options):
    """Return a world with a floor for x < 0 and one that is higher behind it."""
    world = empty_world(DT, **options)
    world.add_box((2, 2, 0.1), 1.0, position=(-1, 0, -0.05), body_type="static")
    world.add_box((2, 2, 0.1 + rise), 1.0, position=(1, 0, rise / 2 - 0.05), body_type="static")
    return world


@pytest.mark.parametrize("rise", [1e-3, 0.03])
def test_a_curb_trips_a_box(rise):
    """It turns about the edge it hits: ω = v c/(I/m + a² + c²), c the height of its centre over the edge."""
    world = step_up(rise, gravity=(0, 0, 0))
    box = world.add_box((0.2, 0.2, 0.1), 1.0, position=(-0.3, 0, 0.05), linear_velocity=(1, 0, 0))
    while box.linear_velocity[0] > 0.9:
        world.step()
    world.step(2)  # a blow that falls within a step is over in the next
    assert box.position[0] == pytest.approx(-0.1, abs=1e-3)
    over = 0.05 - rise
    spin = over / ((0.1**2 + 0.05**2) / 3 + 0.1**2 + over**2)
    assert box.angular_velocity[1] == pytest.approx(spin, rel=1e-2)
    assert box.linear_velocity[0] == pytest.approx(spin * over, rel=1e-2)


@pytest.mark.parametrize("rise", [1e-3, 0.03])
def test_a_curb_takes_what_a_ball_owes_it(rise):
    """A ball without friction keeps the speed along the edge's plane, v cos, cos = 1 − rise/r."""
    cosine = 1.0 - rise / 0.1
    world = step_up(rise, gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, 1.0, position=(-0.3, 0, 0.1), linear_velocity=(1, 0, 0))
    world.step(300)
    assert np.linalg.norm(ball.linear_velocity) == pytest.approx(cosine, abs=0.02)
    assert ball.linear_velocity[2] > 0.5 * np.sqrt(1 - cosine**2)


def test_a_wall_stops_a_ball():
    world = step_up(1.0)
    ball = world.add_sphere(0.1, 1.0, position=(-0.3, 0, 0.1), linear_velocity=(1, 0, 0))
    world.step(400)
    assert ball.position == pytest.approx([-0.1, 0, 0.1], abs=1e-6)


def roof(world, slope):
    """Add two boxes whose upper faces fall away from a ridge along y at the origin."""
    for side in (-1.0, 1.0):
        turn = (np.cos(slope / 2), 0.0, side * np.sin(slope / 2), 0.0)
        along = np.array([np.cos(slope), 0.0, -side * np.sin(slope)]) * side
        out = np.array([side * np.sin(slope), 0.0, np.cos(slope)])
        world.add_box((1, 1, 0.1), 1.0, position=0.5 * along - 0.05 * out, orientation=turn,
                      body_type="static")  # fmt: skip


@pytest.mark.parametrize("slope", [0.1, 0.5])
def test_a_ball_goes_over_a_ridge(slope):
    """It never comes nearer to the ridge, or to a face of the roof, than its radius."""
    world = empty_world(DT, friction=0.0)
    roof(world, slope)
    out = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    start = -0.3 * np.array([np.cos(slope), 0.0, np.sin(slope)]) + 0.1 * out
    fast = np.sqrt(0.5**2 + 2 * GRAVITY * (0.1 - start[2]))  # 0.5 m/s are left at the top: it stays down
    way = np.array([np.cos(slope), 0.0, np.sin(slope)])
    ball = world.add_sphere(0.1, 1.0, position=start, linear_velocity=fast * way)
    deepest = 0.0
    for _ in range(800):
        world.step()
        x, _, z = ball.position
        beyond = abs(x) * np.cos(slope) - z * np.sin(slope)  # along the face, from the ridge
        distance = abs(x) * np.sin(slope) + z * np.cos(slope) if beyond > 0 else np.hypot(x, z)
        deepest = max(deepest, 0.1 - distance)
    assert ball.position[0] > 0.2
    assert deepest <= 1e-5
    # Nothing but its own weight takes energy: it arrives with what the height leaves.
    energy = 0.5 * np.dot(ball.linear_velocity, ball.linear_velocity) + GRAVITY * ball.position[2]
    assert energy == pytest.approx(0.5 * fast**2 + GRAVITY * start[2], rel=1e-3), deepest


def test_a_ball_rests_on_a_ridge():
    world = empty_world(DT, friction=0.5)
    roof(world, 0.5)
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1))
    world.step(5)
    assert sum(c.force[2] for c in ball.contacts) == pytest.approx(GRAVITY, rel=1e-6)


@pytest.mark.parametrize("tilt", [1e-4, 1e-3, 0.02, 0.3])
def test_a_plank_that_falls_flat_is_held_on_both_tiles(tilt):
    """Its far end comes down over another tile: the row there is turned, not left out."""
    low = {}
    for floor in (plane, tiles):
        world = empty_world(DT, friction=0.3)
        floor(world)
        turn = (np.cos(tilt / 2), 0.0, -np.sin(tilt / 2), 0.0)
        high = 0.5 * np.sin(tilt) + 0.025 * np.cos(tilt)
        plank = world.add_box((1.0, 0.1, 0.05), 1.0, position=(0.9, 0, high), orientation=turn,
                              angular_velocity=(0, 4.0, 0), linear_velocity=(0, 0, -2.0))  # fmt: skip
        deepest = 0.0
        for _ in range(300):
            world.step()
            for x in (-0.5, 0.5):
                corner = plank.position + plank.rotation_matrix @ (x, 0.0, -0.025)
                deepest = max(deepest, -corner[2])
        low[floor] = deepest
        assert plank.position[2] == pytest.approx(0.025, abs=1e-4)
    assert low[tiles] <= low[plane] + 1e-6


def test_a_body_of_flush_shapes_slides_as_one():
    """What joins may lie on the moving body: a bar of four blocks slides over the edge of a table."""
    paths = []
    for parts in (1, 4):
        world = empty_world(DT, friction=0.2)
        world.add_box((2, 2, 0.1), 1.0, position=(-1, 0, -0.05), body_type="static")
        width = 0.4 / parts
        blocks = [
            tribo.CompoundPart("box", (width, 0.2, 0.1), position=(width * (k + 0.5) - 0.2, 0, 0))
            for k in range(parts)
        ]
        bar = world.add_compound(blocks, mass=1.0, position=(-0.6, 0, 0.05), linear_velocity=(2, 0, 0))
        path = []
        for _ in range(250):
            world.step()
            path.append(np.r_[bar.position, bar.linear_velocity])
        paths.append(np.array(path))
    assert np.abs(paths[0] - paths[1]).max() <= 1e-9


def test_contacts_stay_in_order_and_keep_their_impulses():
    """Keys ascend, so that impulses find their contacts again; a resting ball needs no sweeps."""
    world = empty_world(DT)
    tiles(world)
    x = SIZE / 2 - 1e-4
    ball = world.add_sphere(0.1, 1.0, position=(x, SIZE / 2 - 1.1 - 1e-4, 0.1))
    world.step(5)
    work = world.engine.work
    assert len(ball.contacts) == work.contact_count[0] == 1
    assert ball.contacts[0].force == pytest.approx([0, 0, GRAVITY], rel=1e-9)
    box = world.add_box((0.5, 0.5, 0.1), 1.0, position=(SIZE, 0, 0.05))
    world.step(5)
    keys = world.engine.work.contact_key[: world.engine.work.contact_count[0]]
    assert np.all(np.diff(keys) > 0)
    assert sum(c.force[2] for c in box.contacts) == pytest.approx(GRAVITY, rel=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("body", ["ball", "capsule", "box", "wheel"])
@pytest.mark.parametrize("floor", ["two", "joined"])
def test_what_hits_a_seam_faster_than_its_radius_a_step_keeps_its_way_along_it(floor, body, restitution):
    """Without friction v_t stays; a ball leaves with −e v_n. At e = 1 hardly any energy is lost."""
    rng = np.random.default_rng(5)
    for _ in range(12):
        world = empty_world(DT, gravity=(0, 0, 0), restitution=restitution)
        parts = [tribo.CompoundPart("box", (1, 2, 0.2), position=(x, 0, -0.1)) for x in (-0.5, 0.5)]
        if floor == "joined":
            world.add_compound(parts, mass=1.0, position=(0, 0, -0.1), body_type="static")
        else:
            for x in (-0.5, 0.5):
                world.add_box((1, 2, 0.2), 1.0, position=(x, 0, -0.1), body_type="static")
        way = np.array([*rng.uniform(-1, 1, 2), -1.0])
        velocity = 30.0 * way / np.linalg.norm(way)
        aim = (rng.uniform(-0.02, 0.02), rng.uniform(-0.3, 0.3), 0.02)
        turn = rng.normal(size=4)
        add, size = {
            "ball": (world.add_sphere, (0.02,)),
            "capsule": (world.add_capsule, (0.02, 0.04)),
            "box": (world.add_box, ((0.04, 0.03, 0.024),)),
            "wheel": (world.add_cylinder, (0.02, 0.04)),
        }[body]
        thrown = add(*size, 0.1, position=aim - velocity * DT * rng.uniform(3, 4),
                     orientation=turn / np.linalg.norm(turn), linear_velocity=velocity)  # fmt: skip
        before = world.energy
        world.step(7)
        assert thrown.linear_velocity[:2] == pytest.approx(velocity[:2], abs=1e-9)
        if body == "ball":
            assert thrown.linear_velocity[2] == pytest.approx(-restitution * velocity[2], abs=0.06)
        if restitution == 1.0:
            assert 0.998 * before <= world.energy <= (1 + 1e-9) * before  # a second hit may lose some


def test_compliant_tiles_are_left_as_they_are():
    """Springs share a load by their displacements: both contacts at the seam stay."""
    world = empty_world(DT)
    world.set_material_pair("default", "default", stiffness=1e5, damping=1e3, friction=0.5)
    for x in (-0.5, 0.5):
        world.add_box((1, 1, 0.1), 1.0, position=(x, 0, -0.05), body_type="static")
    ball = world.add_sphere(0.1, 1.0, position=(-1e-5, 0, 0.1 - 1e-4))
    world.update()
    assert len(ball.contacts) == 2


def test_worlds_of_a_batch_do_the_same():
    world = empty_world(DT, friction=0.1)
    tiles(world)
    world.add_sphere(0.1, 1.0, position=(0.1, -0.9, 0.1), linear_velocity=SPEED)
    world.add_box((0.3, 0.2, 0.1), 1.0, position=(0.1, 0.1, 0.05), linear_velocity=SPEED)
    batch = tribo.Batch(world, 3, threads=2)
    batch.step(200)
    world.step(200)
    for row in batch.engine.state.arrays["q"]:
        assert row.tobytes() == world.engine.state.arrays["q"][0].tobytes()


@pytest.mark.parametrize("count", [3, 8])
def test_tiles_of_one_height_are_one_run_under_a_plate(count):
    """What all tiles say alike is looked at once; it was compared tile by tile, 18 ms a step for 400."""
    world = empty_world(DT, friction=0.1)
    for i, j in itertools.product(range(count), repeat=2):
        world.add_box((SIZE, SIZE, 0.1), 1.0, position=(SIZE * i, SIZE * j, -0.05), body_type="static")
    middle = 0.5 * SIZE * (count - 1)
    width = 0.97 * SIZE * count
    world.add_box((width, width, 0.02), 1.0, position=(middle, middle, 0.01), name="plate")
    world.update()
    work = world.engine.work
    n = work.contact_count[0]
    assert n == 4 * count**2
    begins = np.flatnonzero(np.r_[True, np.any(np.diff(work.contact_shape[:n], axis=0), axis=1)])
    assert len(begins) == count**2
    side = int(work.contact_shape[0, 1] == work.contact_shape[1, 1] == work.contact_shape[n - 1, 1])
    runs = work.pair_run[begins, 2 * side : 2 * side + 2]
    np.testing.assert_array_equal(runs, np.tile([-1, 2 * begins[0] + side], (count**2, 1)))
    world.advance()


SAME_BITS = """
import numpy as np
import tribo
from tribo.collision import inner_edges
from tribo.compiler.jit import DISABLED
from tribo.model import Model

assert DISABLED

def build(slide):
    world = tribo.World()
    for i in range(4):
        for j in range(3):
            world.add_box((0.37, 0.37, 0.1), 1.0, position=(0.37 * i, 0.37 * j, -0.05), body_type="static")
    world.add_box((0.1, 1.2, 0.1), 1.0, position=(1.345, 0.37, 0.0), body_type="static", name="curb")
    plate = world.add_box((1.3, 1.0, 0.02), 1.0, position=(0.6, 0.4, 0.0099), name="plate")
    rod = world.add_capsule(0.05, 0.5, 1.0, position=(0.5, 0.4, 0.0698), orientation=LYING)
    plate.generalized_velocity = slide
    plate.orientation = (np.cos(TILT), np.sin(TILT), 0.0, 0.0)
    rod.generalized_velocity = slide
    return world

LYING = (0.5**0.5, 0.5**0.5, 0.0, 0.0)
NAMES = ("contact_shape", "contact_pos", "contact_axes", "contact_gap", "contact_key")
skipped = inner_edges.after_run
passed = turned = 0
straight, turning = (2.0, 0.3, 0, 0, 0, 0), (2.0, 0.3, 0, 0, 0, 1.0)
for TILT, slide in ((0.0, straight), (0.0, turning), (1e-6, turning), (1e-3, straight)):
    found = []
    for judged in (skipped, lambda work, pair, normal: pair):
        def counted(work, pair, normal):
            after = judged(work, pair, normal)
            global passed
            passed += after != pair
            return after
        inner_edges.after_run = counted
        world = build(slide)
        for _ in range(2):
            world.update()
            n = world.engine.work.contact_count[0]
            found.append([getattr(world.engine.work, name)[:n].tobytes() for name in NAMES])
            world.advance()
        found.append(world.hash())
    half = len(found) // 2
    assert found[:half] == found[half:], (TILT, slide)
print("runs passed over:", passed)
assert passed > 100
"""


def test_what_runs_leave_out_changes_no_bit():
    """With every tile looked at by itself contacts and motion are the same, to the last bit."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SAME_BITS], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
