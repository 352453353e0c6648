"""One compiled version per kernel: whatever types a user hands in, the border converts them."""

import numpy as np
import pytest
from scenes import ground_world, standing_quadruped

import tribo
from tribo import step
from tribo.compiler.jit import DISABLED, PREBUILT
from tribo.dynamics import inertia, kinematics
from tribo.engine.run_at import run_at


@pytest.mark.skipif(DISABLED or PREBUILT, reason="nothing is compiled")
def test_the_step_has_one_signature():
    """Integers, float32, strided and read-only arrays, lists and tuples."""
    world = tribo.World(time_step=np.float32(0.5), gravity=[0, 0, -10])
    world.time_step = 1 / 1024
    world.gravity = np.array([0, 0, -10], np.int32)
    frozen = np.array([0.0, 0.0, 1.0])
    frozen.flags.writeable = False
    world.add_ground(0)
    ball = world.add_sphere(1, 2, position=frozen)
    ball.linear_velocity = np.arange(6.0)[::2]
    ball.orientation = np.array([1, 0, 0, 0], np.float32)
    world.step()
    world.step(np.int64(3))
    world.update()
    world.advance()
    other = ground_world(friction=1)
    robot = standing_quadruped(other, kp=50, kd=1)
    robot.set_pd_gains(np.full(12, 50, np.float32), [1] * 12)
    robot.generalized_force = np.zeros((18, 2))[:, 0]
    other.step(2)
    tribo.Batch(other, 2, threads=1).step(2)
    assert len(run_at.signatures) == 1
    assert len(step.update.signatures) <= 1
    assert len(step.advance.signatures) <= 1
    # Also called alone, by `observe`, whose q is an array and not a field.
    assert len(kinematics.compute_poses.signatures) <= 2
    assert len(inertia.compute_mass_matrix.signatures) <= 1
