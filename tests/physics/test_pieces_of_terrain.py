"""Terrain of pieces that lie flush: nothing feels the faces between them, and no contact is lost."""

import itertools

import numpy as np
import pytest
from pieces import FACES, WIDE, add_bevel, add_profile, add_squares
from scenes import GRAVITY, empty_world

HALF = np.array([0.2, 0.1, 0.05])  # [m] half size of a box


def on_its_side(turn):
    """Return the orientation of a solid whose axis lies across a direction at an angle to x."""
    c, s = np.cos(0.5 * turn), np.sin(0.5 * turn)
    return np.sqrt(0.5) * np.array([c, -c, -s, s])


@pytest.mark.parametrize("kind", ["maps", "sheets", "closed"])
@pytest.mark.parametrize("body", ["ball", "capsule", "wheel"])
def test_what_rolls_over_four_pieces_bears_its_weight(body, kind):
    """In any direction, near the corner where they meet; some pressed four times that."""
    rng = np.random.default_rng(3)
    radius = 0.1
    for dt, speed in itertools.product((1e-3, 5e-3), (0.7, 2.0, 5.0)):
        world = empty_world(dt, friction=0.8)
        add_squares(world, kind)
        turn = rng.uniform(-np.pi, np.pi)
        way = np.array([np.cos(turn), np.sin(turn), 0.0])
        add, size = {
            "ball": (world.add_sphere, (radius,)),
            "capsule": (world.add_capsule, (radius, 0.2)),
            "wheel": (world.add_cylinder, (radius, 0.1)),
        }[body]
        start = np.array([*rng.uniform(-0.02, 0.02, 2), radius]) - 0.15 * way
        rolling = add(*size, 1.0, position=start, orientation=on_its_side(turn))
        rolling.linear_velocity = speed * way
        rolling.angular_velocity = speed / radius * np.cross((0, 0, 1), way)
        for _ in range(int(0.4 / speed / dt)):
            world.step()
            force = sum(contact.force[2] for contact in rolling.contacts)
            assert force == pytest.approx(GRAVITY, rel=2e-3), (dt, speed, rolling.position)


@pytest.mark.parametrize("kind", ["boxes", "maps", "sheets"])
@pytest.mark.parametrize("body", ["capsule", "wheel"])
def test_what_lies_slides_over_four_pieces_as_over_one(body, kind):
    """Without friction its velocity stays, whatever the restitution; it was thrown up by 2 % of its speed."""
    for restitution, speed, turn in itertools.product((0.0, 0.3, 1.0), (2.0, 5.0), (0.05, 0.1, 0.3)):
        for start in np.linspace(-0.03, -0.028, 4):
            world = empty_world(restitution=restitution)
            if kind == "boxes":
                for x, y in itertools.product((-1.0, 1.0), repeat=2):
                    world.add_box((2, 2, 1), 1.0, position=(x, y, -0.5), body_type="static")
            else:
                add_squares(world, kind)
            add = world.add_capsule if body == "capsule" else world.add_cylinder
            velocity = (speed, 0.02 * speed, 0.0)
            sliding = add(0.05, 0.1, 1.0, position=(start * speed, 0.007, 0.05),
                          orientation=on_its_side(turn), linear_velocity=velocity)  # fmt: skip
            for _ in range(50):
                world.step()
                assert sliding.linear_velocity == pytest.approx(velocity, abs=1e-6), (restitution, turn)


@pytest.mark.parametrize("degrees", [20, 45, 90, 110])
@pytest.mark.parametrize("body", ["box", "disc", "ball"])
def test_a_slanted_face_between_two_pieces_is_not_felt(body, degrees):
    """Whatever its angle: the one piece covers it. A box was thrown up with 90 m g at 45°."""
    for speed, dt in itertools.product((-3.0, 1.0), (1e-3, 5e-3)):
        world = empty_world(dt)
        add_bevel(world, np.deg2rad(degrees))
        place = (-0.25 * np.sign(speed), 0.1, 0.05)
        turn = (np.cos(0.15), 0.0, 0.0, np.sin(0.15))
        add, size = {
            "box": (world.add_box, ((0.3, 0.2, 0.1),)),
            "disc": (world.add_cylinder, (0.1, 0.1)),
            "ball": (world.add_sphere, (0.05,)),
        }[body]
        sliding = add(*size, 1.0, position=place, orientation=turn, linear_velocity=(speed, 0.1 * speed, 0))
        for _ in range(int(0.5 / abs(speed) / dt)):
            world.step()
            assert sliding.linear_velocity == pytest.approx((speed, 0.1 * speed, 0.0), abs=1e-9)


SLOPE = np.tan(0.14)
PROFILES = {
    "ridge": ([-3, 0, 3], [-3 * SLOPE, 0, -3 * SLOPE]),
    "valley": ([-3, 0, 3], [3 * SLOPE, 0, 3 * SLOPE]),
    "step down": ([-3, 0, 3], [0, 0, -3 * SLOPE]),
    "gap": ([-3, 0, 0.02, 0.021, 3], [0, 0, -0.3, -0.05, 3 * SLOPE - 0.053]),
}


def depth(box, xs, zs):
    """Return how deep a box is in a profile [m]: its corners, and the ridges inside it."""
    turn = box.rotation_matrix
    shares = itertools.product(np.linspace(-1, 1, 9), (-1, 1), (-1, 1))
    points = box.position + (HALF * np.array(list(shares))) @ turn.T
    deepest = (np.interp(points[:, 0], xs, zs) - points[:, 2]).max()
    for x, z in zip(xs[1:-1], zs[1:-1], strict=True):
        inside = HALF - np.abs(turn.T @ (np.array([x, box.position[1], z]) - box.position))
        deepest = max(deepest, inside.min())
    return deepest


@pytest.mark.parametrize("kind", ["closed", "one mesh"])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_box_sinks_into_no_slope_deeper_than_into_one_sheet(profile, kind):
    """It slams onto a ridge or a valley, tips over an edge, turns down to a slope beyond a gap."""
    xs, zs = PROFILES[profile]
    rng = np.random.default_rng(5)
    for _ in range(8):
        x, spin, fall, drive = rng.uniform((-0.25, -15, 0, -3), (0.25, 15, 4, 3))
        dt = rng.choice([1e-3, 5e-3])
        depths = []
        for ground in ("sheet", kind):
            world = empty_world(dt, friction=0.3)
            add_profile(world, xs, zs, ground)
            box = world.add_box(2 * HALF, 1.0, position=(x, 0.0, 1.0))
            while (gap := -depth(box, xs, zs)) > 2e-3:  # a depth changes by no more than the height does
                box.position = box.position - (0.0, 0.0, max(1e-3, 1e-3 * np.floor(1e3 * gap - 2.0)))
            box.linear_velocity, box.angular_velocity = (drive, 0.0, -fall), (0.0, spin, 0.0)
            deepest = 0.0
            for _ in range(int(0.15 / dt)):
                world.step()
                deepest = max(deepest, depth(box, xs, zs))
            depths.append(deepest)
        assert depths[1] <= depths[0] + 1e-6, (x, spin, fall, drive, dt)


@pytest.mark.parametrize("body", ["box", "ball", "cylinder"])
@pytest.mark.parametrize("speed", [0.5, 8.0])
def test_a_thin_plate_of_pieces_stops_what_hits_it_from_below(body, speed):
    """The plate is 4 mm thick; what hits it stays below it."""
    for x, dt in itertools.product((0.0, 0.2), (1e-3, 5e-3)):
        world = empty_world(dt, gravity=(0, 0, 0))
        xs, corners = (-1.0, 0.0, 1.0), []
        for left, right in itertools.pairwise(xs):
            corners += [(a, y, z) for a in (left, right) for y in (-WIDE, WIDE) for z in (0.0, 0.004)]
        world.add_surface(corners, np.concatenate([FACES, FACES + 8]))
        add, size = {
            "box": (world.add_box, ((0.2, 0.2, 0.1),)),
            "ball": (world.add_sphere, (0.05,)),
            "cylinder": (world.add_cylinder, (0.1, 0.1)),
        }[body]
        thrown = add(*size, 1.0, position=(x, 0.1, -0.35), linear_velocity=(0.3, 0.0, speed))
        for _ in range(int(0.6 / speed / dt)):
            world.step()
            assert thrown.position[2] <= -0.05 + 1e-9
        assert thrown.position[2] > -0.06
