"""A contact on the axis of a hinge, at which no force moves anything, takes no part in the step."""

import numpy as np

import tribo


def test_a_contact_that_nothing_can_move_leaves_numbers():
    """Its block of G is 0: its inverse, and then all coordinates, were no numbers."""
    world = tribo.World()
    ball = '<body><joint name="a"/><geom size="0.1"/></body>'
    robot = world.add_articulated_system(f"<mujoco><worldbody>{ball}</worldbody></mujoco>")
    world.add_sphere(0.1, 1.0, position=(0, 0, 0.19), body_type="kinematic")
    robot.generalized_force = [1.0]
    world.step(10)
    assert np.isfinite(robot.generalized_coordinate).all()
    inertia = 0.4 * robot.mass * 0.1**2
    expected = 10 * world.time_step / inertia
    np.testing.assert_allclose(robot.generalized_velocity, expected, rtol=1e-9)
