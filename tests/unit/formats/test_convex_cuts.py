"""Meshes cut into convex parts within a tolerance: what is measured, and a ring over a shaft."""

import logging
import math
import re

import numpy as np
import pytest

import tribo
from tribo.formats import convex_cuts

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("scipy")

HOLE, OUTSIDE, HEIGHT = 0.0101, 0.015, 0.008  # [m] radii and height of a ring
SHAFT = 0.0099  # [m]


def ring():
    return trimesh.creation.annulus(HOLE, OUTSIDE, HEIGHT, sections=32)


def test_distances_and_windings_are_those_of_a_box():
    box = trimesh.creation.box((2.0, 2.0, 2.0)).triangles
    points = np.array([(0.0, 0.0, 0.5), (0.0, 0.0, 3.0), (2.0, 2.0, 2.0), (0.5, 2.0, 2.0)])
    assert convex_cuts.distance(box, points) == pytest.approx([0.5, 2.0, math.sqrt(3), math.sqrt(2)])
    assert convex_cuts.winding(box, points) == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("parts", [4, 8, 16])
def test_a_ring_of_n_parts_is_wrong_by_its_chords(parts):
    """A sector of angle 2π/n has in its hull what lies between the arc and its chord: r (1 − cos π/n).

    The arc is a polygon of 32 sides; the middle of the chord is cos π/32 times as far from the nearest one.
    """
    made = ring()
    hulls, deepest = convex_cuts.cut(made.vertices, made.faces, 1e-9, parts)
    assert len(hulls) == parts
    assert deepest == pytest.approx(
        HOLE * (1.0 - math.cos(math.pi / parts)) * math.cos(math.pi / 32), rel=1e-6
    )
    whole = sum(hull.volume for hull in hulls)
    assert whole >= made.volume * (1.0 - 1e-9)


def test_a_convex_mesh_stays_whole():
    ball = trimesh.creation.icosphere(2, 0.1)
    hulls, deepest = convex_cuts.cut(ball.vertices, ball.faces, 1e-6)
    assert len(hulls) == 1
    assert deepest < 1e-9


def test_a_ring_falls_over_a_shaft(caplog, tmp_path):
    """Its hole is 0.2 mm wider than the shaft; as a hull it would lie on top."""
    path = tmp_path / "ring.obj"
    ring().export(path)
    world = tribo.World()
    world.time_step = 0.001
    world.add_ground()
    world.add_cylinder(SHAFT, 0.05, 1.0, position=(0, 0, 0.025), body_type="static")
    with caplog.at_level(logging.INFO, "tribo"):
        made = world.add_mesh(path, mass=0.05, mode="decomposition", tolerance=1.5e-4, position=(0, 0, 0.06))
    (said,) = re.findall(r"deepest wrong point is (\S+) m outside", caplog.text)
    assert float(said) <= 1.5e-4
    world.step(200)  # 0.06 − 0.004 m take 0.107 s
    assert made.position[2] == pytest.approx(0.5 * HEIGHT, abs=2e-4)
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")
    assert len(again.objects[2].collision_bodies) == len(made.collision_bodies)


def test_too_few_parts_are_warned_of_and_other_modes_refuse_a_tolerance(caplog):
    made = ring()
    tribo.World().add_mesh(made, mass=1.0, mode="decomposition", tolerance=1e-6, max_hulls=4)
    assert "more than tolerance=1e-06 m; allow more max_hulls" in caplog.text
    with pytest.raises(ValueError, match='are of mode="decomposition"'):
        tribo.World().add_mesh(made, mass=1.0, tolerance=1e-3)
    open_one = (made.vertices, made.faces[:-1])
    with pytest.raises(ValueError, match="not a closed surface"):
        tribo.World().add_mesh(open_one, mass=1.0, mode="decomposition", tolerance=1e-3)
