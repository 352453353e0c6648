"""What a batch says of its worlds: each thing once, with how many and which is the first."""

import numpy as np
from scenes import empty_world

import tribo
from tribo import Status


def test_a_world_that_is_not_solved_is_said_once(caplog):
    """A robot that turns by a radian a step in the second of three worlds."""
    world = empty_world()
    root = link = tribo.LinkDescription("root")
    root.fix_to_world()
    for k in range(3):
        link = link.add_child(f"l{k}", "spherical", position=(0, 0, -0.2), upper=0.5)
        link.mass, link.com, link.inertia = 0.3, (0, 0, -0.1), 1e-3 * np.eye(3)
        link.joint.friction = 1.0
    robot = world.add_articulated_system(root, collision_mask=0, name="whip")
    batch = tribo.Batch(world, 3)
    batch.step()
    assert not caplog.text
    v = np.zeros((3, robot.dof))
    v[1] = 3e3
    batch["whip"].generalized_velocity = v
    batch.step()
    batch.step()
    assert batch.status[1] & Status.COARSE
    assert batch.status[0] == batch.status[2] == 0
    assert caplog.text.count("the time step is too long") == 1
    assert "world 1 at t = " in caplog.text
    assert "1 of 3 in all" in caplog.text
    v[1], v[2] = 0.0, np.nan
    batch["whip"].generalized_velocity[:] = v
    batch.step()
    batch.step()
    assert caplog.text.count("world 2 at t = ") == 1
    assert "no longer finite" in caplog.text
