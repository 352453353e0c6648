"""Pins, hinges and wires are drawn in proportion to what they join."""

import numpy as np
import pytest

import tribo

pytest.importorskip("trimesh")

from tribo.viewer import scene
from tribo.viewer.mark_sizes import factor_of


def marks_of(world):
    return [item for item in scene.describe(world).visual.items if item.constraint >= 0]


@pytest.mark.parametrize("add", ["add_pin", "add_hinge", "add_weld"])
def test_a_mark_grows_with_the_bodies(add):
    sizes = []
    for scale in (1.0, 0.1):
        world = tribo.World()
        box = world.add_box(scale * np.array([0.2, 0.2, 0.5]), 1.0, position=(0, 0, 2))
        getattr(world, add)(box)
        sizes.append(np.array(marks_of(world)[0].size))
    np.testing.assert_allclose(sizes[1], 0.1 * sizes[0])


def test_the_smaller_body_counts_and_endless_ones_do_not():
    world = tribo.World()
    large = world.add_box((2, 2, 2), 1.0, position=(0, 0, 2))
    small = world.add_sphere(0.012, 1.0, position=(0, 0, 3))
    ground = world.add_ground()
    assert factor_of(world.add_pin(large, small)) == pytest.approx(0.1)
    assert factor_of(world.add_pin(small, ground)) == pytest.approx(0.1)
    empty = world.add_pin(ground)
    assert factor_of(empty) == 1.0
    world.add_wire(small, second_point=(0, 0, 4))
    assert scene.describe(world).lines.factor == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("length", "rounded"), [(0.3, 0.2), (0.4, 0.5), (8.0, 10.0), (1.0, 1.0), (0.013, 0.01)]
)
def test_axes_have_a_round_length(length, rounded):
    overlays = pytest.importorskip("tribo.viewer.overlays")
    assert overlays.round_length(length) == pytest.approx(rounded)
