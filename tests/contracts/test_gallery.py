"""The gallery sees what examples do: worlds, batches, scans of lidars, things that are only drawn."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import tribo

pytest.importorskip("viser")
pytest.importorskip("PIL")
FILE = Path(__file__).parents[2] / "docs" / "make_gallery.py"


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("make_gallery", FILE)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def world_with_a_ball():
    world = tribo.World(time_step=1e-3)
    world.add_ground(name="ground")
    world.add_sphere(0.1, 1.0, name="ball", position=(0, 0, 0.3), linear_velocity=(1, 0, 0))
    return world


def test_worlds_and_batches_are_seen_and_left_as_they_were(gallery):
    before = tribo.World.step, tribo.Batch.step, tribo.Viewer.__init__
    watch = gallery.Watch()
    with watch.on():
        world = world_with_a_ball()
        world.step(200)
        batch = tribo.Batch(world, 4, threads=1)
        batch.step(200)
    assert (tribo.World.step, tribo.Batch.step, tribo.Viewer.__init__) == before
    alone, many = watch.films.values()
    # A frame each 20 ms and one at the start; the batch begins at 0.2 s, where the world was.
    np.testing.assert_allclose([p.time for p in alone.poses], 0.02 * np.arange(11), atol=1e-9)
    assert len(many.poses) == 10
    assert many.poses[-1].time == pytest.approx(0.4)
    again = world_with_a_ball()
    again.step(200)
    np.testing.assert_array_equal(again["ball"].position, world["ball"].position)


def test_scans_and_plans_are_drawn(gallery):
    watch = gallery.Watch()
    with watch.on():
        world = world_with_a_ball()
        lidar = world.add_lidar(
            world["ball"], yaw_samples=12, pitch=(-1.0,), position=(0, 0, 0.2), update_rate=50.0
        )
        with tribo.Viewer(world, port=8520) as view:
            view.add_visual_sphere("goal", 0.2, position=(1, 0, 0.5))
            world.step(100)
    (film,) = watch.films.values()
    goal, scan = film.extras[-1]
    np.testing.assert_allclose(goal[1], (1, 0, 0.5))
    hits = gallery.scan_points(lidar, lidar.reading)
    assert len(hits) == 12
    octahedra = scan[0].vertices.reshape(12, -1, 3)
    np.testing.assert_allclose(octahedra.mean(axis=1)[:, :2], hits[:, :2], atol=1e-9)
    assert np.abs(octahedra - hits[:, None]).max() <= gallery.DOT * (1 + 1e-9)
    assert scan[0].faces.max() == len(scan[0].vertices) - 1
    choice = gallery.Choice()
    drawn = gallery.drawn(gallery.chosen_film(list(watch.films.values()), choice), choice)
    shown = np.asarray(drawn[-1], int)
    # Points of scans are the only purple: red above twice green.
    assert ((shown[..., 0] > 2 * shown[..., 1]) & (shown[..., 2] > shown[..., 1])).any()
