"""Links of one robot press on one another: momentum is kept and forces stay those of what moves."""

import numpy as np
import pytest
from scenes import QUADRUPED

import tribo


@pytest.mark.parametrize("seed", range(3))
def test_a_robot_that_presses_on_itself_keeps_its_momentum(seed):
    """Nothing acts from outside: p and L are kept to 1e-10, a hundred times the round-off of 300 steps.

    Two links that travel farther in a step than they are thick had each its own point of contact, and an
    impulse along the surface made a couple of the two: up to 0.15 kg m²/s.
    """
    world = tribo.World(4e-3)
    world.gravity = (0.0, 0.0, 0.0)
    robot = world.add_articulated_system(QUADRUPED)
    robot.set_pd_gains(300.0, 5.0)
    rng = np.random.default_rng(seed)
    pressed = 0
    for step in range(300):
        if step % 20 == 0:
            robot.pd_target[7:] = rng.uniform(-2.0, 2.0, 12)
        before = np.array(robot.angular_momentum)
        world.step()
        np.testing.assert_allclose(robot.angular_momentum, before, atol=1e-10)
        np.testing.assert_allclose(robot.linear_momentum, 0.0, atol=1e-10)
        pressed += bool(world.contacts)
    assert pressed > 100


def test_no_contact_presses_by_more_than_its_motion_takes():
    """Two joints part trunk and thigh: along one direction no impulse moves anything, and none is left.

    But where the rest alone would slide: then the impulse is at the rim of its cone.
    """
    world = tribo.World(4e-3)
    world.gravity = (0.0, 0.0, 0.0)
    robot = world.add_articulated_system(QUADRUPED)
    robot.set_pd_gains(300.0, 5.0)
    rng = np.random.default_rng(0)
    work = world.engine.work
    sticking = 0
    for step in range(300):
        if step % 20 == 0:
            robot.pd_target[7:] = rng.uniform(-2.0, 2.0, 12)
        world.step()
        work = world.engine.work
        for c in range(int(work.contact_count[0])):
            impulse, mu = work.contact_impulse[c], work.contact_friction[c]
            if not np.linalg.norm(impulse[:2]) < (1.0 - 1e-4) * mu * impulse[2]:
                continue
            xx, yy, zz, xy, xz, yz = work.contact_delassus[c]
            size, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
            idle = axes[:, size < 1e-12 * size[-1]]
            assert np.linalg.norm(idle.T @ impulse) <= 1e-9 * np.linalg.norm(impulse)
            sticking += idle.shape[1]
    assert sticking > 0
