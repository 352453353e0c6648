"""Bodies that pass one another at a small clearance keep their motion: no contact acts that is not there."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tribo import HeightField, PairProperties, World

sys.path.insert(0, str(Path(__file__).parents[2] / "validation"))
from passes import FLYERS, TARGETS, fly_past

KEPT = 1e-9  # [–] of the speed: 1000 steps of round-off of a spin of 100 rad/s are 2e-11


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("flyer", FLYERS)
def test_what_passes_is_not_disturbed(flyer, target):
    """A plane with the clearance on both sides separates them all the way: nothing can touch."""
    rng = np.random.default_rng([FLYERS.index(flyer), list(TARGETS).index(target)])
    for _ in range(4):
        assert fly_past(flyer, target, rng).change < KEPT


@pytest.mark.parametrize("ground", ["boxes", "maps", "meshes"])
@pytest.mark.parametrize("kind", ["ball", "capsule", "wheel"])
def test_a_seam_of_two_grounds_is_not_felt(kind, ground):
    """What rolls over it bears its weight, m g, and no more, and keeps its speed."""
    speed, radius = 1.0, 0.1
    for phase in np.linspace(0.0, 1e-3, 4, endpoint=False):
        world = World(1e-3)
        world.default_pair = PairProperties(friction=0.8)
        for x in (-1.0, 1.0):
            if ground == "boxes":
                world.add_box((2, 2, 0.2), 1.0, body_type="static", position=(x, 0, -0.1))
            elif ground == "maps":
                world.add_height_map(HeightField(np.zeros((3, 3)), (2, 2)), position=(x, 0, 0))
            else:
                corners = [(x - 1, -1, 0), (x + 1, -1, 0), (x + 1, 1, 0), (x - 1, 1, 0)]
                world.add_surface(corners, [(0, 1, 2), (0, 2, 3)])
        lying = {"orientation": (np.sqrt(0.5), np.sqrt(0.5), 0, 0)}
        size = {"ball": (radius,), "capsule": (radius, 0.2), "wheel": (radius, 0.1)}[kind]
        add = {"ball": world.add_sphere, "capsule": world.add_capsule, "wheel": world.add_cylinder}
        body = add[kind](
            *size, 1.0, position=(-0.05 + phase, 0.1, radius), linear_velocity=(speed, 0, 0),
            angular_velocity=(0, speed / radius, 0), **lying,
        )  # fmt: skip
        for _ in range(100):
            world.step()
            force = sum(c.force[2] for c in body.contacts)
            assert force == pytest.approx(9.81, rel=1e-6)
        assert body.position[0] > 0.04
        assert body.linear_velocity == pytest.approx((speed, 0, 0), abs=1e-9)


@pytest.mark.parametrize("speed", [0.0, 1.0, 5.0])
def test_a_peg_falls_into_its_hole(speed):
    """0.1 mm of play on each side of a peg of 5 cm: free fall, to round-off."""
    play, half = 1e-4, 0.025
    world = World(1e-3)
    wide = 0.2
    for k in range(4):
        along = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)][k])
        x, y = along * (half + play + wide)
        size = (2 * wide, 2.0, 0.3) if along[0] else (2.0, 2 * wide, 0.3)
        world.add_box(size, 1.0, body_type="static", position=(x, y, -0.15))
    peg = world.add_box((2 * half, 2 * half, 0.1), 1.0, position=(0, 0, 0.08), linear_velocity=(0, 0, -speed))
    steps = 90 if speed < 2.0 else 40
    world.step(steps)
    t = steps * 1e-3
    assert peg.linear_velocity == pytest.approx((0, 0, -speed - 9.81 * t), abs=1e-9)
    assert peg.angular_velocity == pytest.approx((0, 0, 0), abs=1e-9)
    assert peg.position[2] == pytest.approx(0.08 - speed * t - 0.5 * 9.81 * t * t, abs=1e-9)


def test_what_lands_beside_an_edge_still_lands():
    """A box flies at a wall that it meets with its lower half: it stops there, and turns over it."""
    world = World(1e-3, gravity=(0, 0, 0))
    world.add_box((1, 1, 1), 1.0, body_type="static", position=(0.5, 0, -0.5))
    box = world.add_box((0.1, 0.1, 0.1), 1.0, position=(-0.2, 0, 0.02), linear_velocity=(3, 0, 0))
    for _ in range(100):
        world.step()
        assert not (box.position[0] > 0.0 and box.position[2] < 0.05)
    assert box.linear_velocity[0] < 2.0
    assert world.kinetic_energy <= 0.5 * 9.0 * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["box", "cylinder", "cone", "ellipsoid"])
def test_a_body_that_spins_beside_a_face_is_not_disturbed(kind):
    """It turns about a principal axis with 0.1 to 3 mm between the face and all that it reaches."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        world = World()
        world.gravity, world.time_step = (0, 0, 0), 0.002
        world.add_box((1, 1, 0.2), 1.0, position=(0, 0, -0.1), body_type="static")
        a, b, c = rng.uniform(0.05, 0.3, 3)
        sizes = {"box": ((a, b, c),), "ellipsoid": ((a, b, c),)}.get(kind, (a, c))
        reach = {
            "box": np.linalg.norm((a, b, c)) / 2, "cylinder": np.hypot(a, c / 2),
            "cone": max(0.75 * c, np.hypot(a, c / 4)), "ellipsoid": max(a, b, c),
        }[kind]  # fmt: skip
        body = getattr(world, f"add_{kind}")(*sizes, 1.0)
        spin = rng.uniform(50, 500) * np.eye(3)[rng.integers(3)]
        velocity = (rng.uniform(-1, 1), 0, 0)
        body.position = (0, 0, reach + 10 ** rng.uniform(-4, -2.5))
        body.angular_velocity, body.linear_velocity = spin, velocity
        world.step(50)
        np.testing.assert_allclose(body.linear_velocity, velocity, atol=1e-9)
        np.testing.assert_allclose(body.angular_velocity, spin, rtol=1e-9, atol=1e-6)
