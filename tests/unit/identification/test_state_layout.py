"""Changes of states: `plus` and `minus` undo one another, also for rotations."""

import numpy as np

import tribo
from tribo.identification.state_layout import StateLayout, of_rotation_vector, rotation_vector


def test_minus_finds_the_change_that_plus_made():
    world = tribo.World()
    world.add_box((1, 1, 1), 1.0, name="box")
    root = tribo.LinkDescription("root")
    cart = root.add_child("cart", "prismatic", axis=(1, 0, 0))
    cart.add_shape("sphere", (0.1,), mass=1.0)
    ball = cart.add_child("ball", "spherical")
    ball.add_shape("sphere", (0.1,), mass=1.0, position=(0, 0, 1))
    world.add_articulated_system(root, name="robot", fixed_base=True)
    layout = StateLayout(world)
    q, _ = layout.state_of(world)
    change = np.random.default_rng(0).uniform(-1.0, 1.0, (5, layout.nv))
    assert layout.nq == 12
    assert layout.nv == 10
    moved = layout.plus(q, change)
    assert np.abs(layout.minus(moved, np.tile(q, (5, 1))) - change).max() < 1e-12
    assert layout.joints_of("robot") == {"cart_joint": 0}


def test_rotation_vectors_are_short_and_exact():
    turn = np.array([[0.0, 0.0, 0.0], [1e-9, 0, 0], [0, 3.0, 0], [0, 0, 4.0]])
    unit = np.tile([1.0, 0, 0, 0], (4, 1))
    found = rotation_vector(of_rotation_vector(turn), unit)
    expected = turn.copy()
    expected[3, 2] = 4.0 - 2.0 * np.pi
    assert np.abs(found - expected).max() < 1e-12
