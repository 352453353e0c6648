"""Rays in all worlds at once: what a world alone answers, bit for bit; heights around a robot."""

import numpy as np
import pytest
from scenes import ground_world, standing_quadruped

import tribo

RNG = np.random.default_rng(5)


def build(z=0.6):
    """Return a robot on a height map, with a ball over it."""
    world = tribo.World()
    x, y = np.meshgrid(np.linspace(-4, 4, 33), np.linspace(-4, 4, 33))
    heights = 0.2 * np.sin(2.0 * x) * np.cos(1.5 * y)
    world.add_height_map(heights=heights, size=(8.0, 8.0), name="terrain")
    dog = standing_quadruped(world, name="dog")
    dog.generalized_coordinate[2] = z
    world.add_sphere(0.3, 1.0, position=(1, 0, 2 + z), name="ball")
    return world


@pytest.mark.parametrize(("rays", "threads"), [(3, 1), (40, 2)])
def test_rays_are_those_of_worlds_alone(rays, threads):
    """Few rays ask boxes one by one, many through a tree; both are what one world says."""
    batch = tribo.Batch(build(), 5, threads=threads)
    heights = np.linspace(0.5, 1.5, 5)
    batch["dog"].generalized_coordinate[:, 2] = heights
    batch["ball"].generalized_coordinate[:, 2] = 2 + heights
    origins = RNG.uniform((-2, -2, 3), (2, 2, 4), (5, rays, 3))
    directions = RNG.normal((0, 0, -1.0), 0.5, (5, rays, 3))
    found = batch.ray_test_batch(origins, directions, 6.0)
    for k, z in enumerate(heights):
        alone = build(z).ray_test_batch(origins[k], directions[k], 6.0)
        np.testing.assert_array_equal(found.distance[k], alone.distance)
        np.testing.assert_array_equal(found.normal[k], alone.normal)
        np.testing.assert_array_equal(found.shape[k], alone.shape)
        np.testing.assert_array_equal(found.position[k], alone.position)
    assert found.is_hit.any()
    unseen = batch.ray_test_batch(origins, directions, 6.0, ignore=["terrain", "dog", "ball"])
    assert not unseen.is_hit.any()


def test_a_height_scan_is_the_height_of_the_ground():
    """Over a plane that is tilted in a height map, heights are those of the plane, in the robot's heading.

    The map is linear, so interpolation adds nothing but rounding of numbers of 1 m: 1e-12.
    """
    world = tribo.World()
    x, y = np.meshgrid(np.linspace(-6, 6, 25), np.linspace(-6, 6, 25))
    world.add_height_map(heights=0.1 * x - 0.05 * y, size=(12.0, 12.0), name="terrain")
    world.add_sphere(0.2, 1.0, name="ball")
    batch = tribo.Batch(world, 3, threads=1)
    ball = batch["ball"].generalized_coordinate
    ball[:, :3] = (0.3, 0.2, 1.5), (1.0, -1.0, 2.0), (-2.0, 0.5, 1.0)
    yaw = np.array([0.0, 0.7, -2.0])
    ball[:, 3], ball[:, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 4)), -1).reshape(-1, 2)
    px = ball[:, :1] + np.cos(yaw)[:, None] * grid[:, 0] - np.sin(yaw)[:, None] * grid[:, 1]
    py = ball[:, 1:2] + np.sin(yaw)[:, None] * grid[:, 0] + np.cos(yaw)[:, None] * grid[:, 1]
    np.testing.assert_allclose(batch.height_scan("ball", grid), 0.1 * px - 0.05 * py, atol=1e-12)
    ball[0, 0] = 20.0
    assert np.isnan(batch.height_scan("ball", grid)[0]).all()


@pytest.mark.parametrize(
    ("origins", "directions", "options", "error", "message"),
    [
        (np.zeros((3, 4, 3)), (0, 0, -1), {}, ValueError, "origins must have shape"),
        (np.zeros((4, 3)), (0, 0, 0), {}, ValueError, "must not be 0"),
        (np.zeros((4, 3)), np.ones((5, 3)), {}, ValueError, "must have shape"),
        (np.zeros((4, 3)), (0, 0, -1), {"length": -1.0}, ValueError, "≥ 0"),
        (np.zeros((4, 3)), (0, 0, -1), {"ignore": "cat"}, KeyError, "cat"),
        (np.full((4, 3), np.nan), (0, 0, -1), {}, ValueError, "origins"),
    ],
)
def test_wrong_rays_are_refused(origins, directions, options, error, message):
    """With what was wrong."""
    batch = tribo.Batch(ground_world(), 2, threads=1)
    with pytest.raises(error, match=message):
        batch.ray_test_batch(origins, directions, **options)
