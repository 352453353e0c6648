"""Worlds are not copied, stay at their last valid state, and say how all steps of a call went."""

import copy
import pickle
from functools import reduce
from operator import or_

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


def pinned_box(path, watcher):
    """Return a world with a box that whirls about a pin; most steps are too long, not the fortieth."""
    world = tribo.World()
    box = world.add_box((0.1, 0.1, 0.1), mass=1.0, name="box")
    box.angular_velocity = 0, 300, 0
    world.add_pin(box, None, position=(0.2, 0, 0))
    if watcher in ("imu", "gone imu"):
        imu = world.add_imu(box)
        if watcher == "gone imu":
            world.remove_sensor(imu)
    elif watcher == "lidar":
        world.add_lidar(box, update_rate=100.0)
    elif watcher == "recorder":
        world.record(path / "whirl.zarr", every=0.01, overwrite=True)
    elif watcher == "cable":
        nodes = [tribo.CableNode((0, 3, 0), kind="fixed"), (1.0, 3, 0)]
        world.add_cable(nodes, radius=0.01).keep_adapting(0.02, 0.2)
    return world


@pytest.mark.parametrize("watcher", ["", "imu", "gone imu", "lidar", "recorder", "cable"])
def test_the_status_of_many_steps_is_that_of_all_of_them(tmp_path, caplog, watcher):
    """With a sensor or a recorder it was that of the last one, and the log was silent."""
    world, said = pinned_box(tmp_path, watcher), []
    for _ in range(40):
        world.step()
        said.append(int(world.status))
    assert not said[-1]
    world = pinned_box(tmp_path, watcher)
    caplog.clear()
    world.step(40)
    assert world.status == reduce(or_, said) == tribo.Status.TIME_STEP_TOO_LONG
    assert "is too long" in caplog.text
    world.step(0)
    assert world.status == tribo.Status.TIME_STEP_TOO_LONG
