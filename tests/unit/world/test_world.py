"""Worlds are not copied, and stay at their last valid state."""

import copy
import pickle

import numpy as np
import pytest

import tribo


def test_worlds_refuse_to_be_copied():
    """Copies would share addresses: the copy moved the original, or nothing that still existed."""
    world = tribo.World()
    world.add_sphere(0.1, 1.0)
    world.step()
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be"):
            attempt(world)


def test_a_velocity_beyond_all_numbers_is_not_taken():
    """It went into the state, whose quaternions then were no numbers: the world could not go on."""
    world = tribo.World(gravity=(0, 0, 0))
    ball = world.add_sphere(1e-3, 1e-10)
    ball.apply_force((1e14, 0, 0))
    with pytest.raises(tribo.SimulationError, match=r"velocity of sphere_0.*last valid state"):
        world.step()
    assert not ball.generalized_velocity.any()
    assert np.isfinite(ball.generalized_coordinate).all()


def test_time_is_the_sum_of_the_steps_to_round_off():
    """Steps of 1 ms are not exact in binary: plain sums of 20 000 are off by 1e-12 s."""
    world = tribo.World(time_step=1e-3)
    world.step(20_000)
    assert world.time == 20.0
    world.time = 0.5
    world.step(500)
    assert world.time == 1.0
