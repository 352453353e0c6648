"""What a contact answers between update and advance, and of the motion of its two bodies."""

import numpy as np
import pytest

import tribo
from tribo.tools.demo import ASSETS


def standing(integrator, dt):
    """Return a world with a box and a four-legged robot on the ground, at rest."""
    world = tribo.World(time_step=dt)
    world.integrator = integrator
    world.add_ground()
    box = world.add_box((0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(2, 0, 0.5))
    robot.kp[6:], robot.kd[6:] = 100.0, 2.0
    world.step(1200)
    return world, box, robot


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("dt", [1e-3, 4e-3])
def test_what_stands_has_its_contacts_before_they_are_solved(integrator, dt):
    """Gaps of what stands are zero but for round-off, of either sign."""
    world, box, robot = standing(integrator, dt)
    after = len(box.contacts), len(robot.contacts)
    assert after[0] == 4
    for _ in range(5):
        world.update()
        assert (len(box.contacts), len(robot.contacts)) == after
        assert all(not contact.impulse.any() for contact in box.contacts)
        world.advance()
        assert (len(box.contacts), len(robot.contacts)) == after


def test_what_hovers_touches_nothing():
    """1e-5 m is more than weight closes in half a step, g dt²/8 = 1.2e-6 m."""
    world = tribo.World()
    world.add_ground()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 0.1 + 1e-5))
    world.update()
    assert ball.contacts == []
    world.advance()


def test_inverse_inertia_is_what_an_impulse_does():
    """An impulse λ on A, −λ on B, changes the relative velocity by G λ (definition of G)."""
    world = tribo.World(gravity=(0, 0, 0))
    a = world.add_box((0.2, 0.3, 0.4), mass=2.0, orientation=(0.6, 0.8, 0, 0))
    b = world.add_sphere(0.1, mass=0.5, position=(0.0, 0.05, 0.24))
    world.step()
    contact = a.contacts[0]
    push = np.array([0.3, -0.2, 0.7])
    before = contact.relative_velocity
    for part, sign in ((a, 1.0), (b, -1.0)):
        impulse = sign * push
        arm = contact.position - part.position
        inertia = part.rotation_matrix @ part.inertia @ part.rotation_matrix.T
        part.linear_velocity = part.linear_velocity + impulse / part.mass
        part.angular_velocity = part.angular_velocity + np.linalg.solve(inertia, np.cross(arm, impulse))
    change = contact.frame @ (contact.relative_velocity - before)
    np.testing.assert_allclose(contact.inverse_inertia @ contact.frame @ push, change, atol=1e-12)
    other = contact.seen_from(b)
    np.testing.assert_allclose(
        other.frame.T @ other.inverse_inertia @ other.frame,
        contact.frame.T @ contact.inverse_inertia @ contact.frame,
        atol=1e-12,
    )


def test_contacts_of_robots_and_of_what_does_not_yield():
    world, _, robot = standing("midpoint", 1e-3)
    contact = robot.contacts[0]
    ground = contact.other(robot)
    frame = robot.frame(contact.body_a.split("/")[0])
    local = frame.to_local(contact.position)
    robot.generalized_velocity = np.linspace(-1.0, 1.0, robot.dof)
    np.testing.assert_allclose(contact.velocity_of(robot), frame.velocity_of(local), atol=1e-12)
    assert not contact.velocity_of(ground).any()
    jacobian = contact.frame @ frame.jacobian(local)
    expected = jacobian @ robot.inverse_mass_matrix @ jacobian.T
    np.testing.assert_allclose(contact.inverse_inertia, expected, rtol=1e-9, atol=1e-12)
    belt = world.add_box((1, 1, 0.1), mass=1.0, position=(-10, 0, 5), body_type="kinematic")
    belt.linear_velocity = 0.5, 0, 0
    rider = world.add_sphere(0.1, mass=1.0, position=(-10, 0, 5.15))
    world.update()
    contact = rider.contacts[0]
    assert contact.velocity_of(belt).tolist() == [0.5, 0.0, 0.0]
    free = np.eye(3) + np.diag([1.0, 1.0, 0.0]) * 0.1**2 / (0.4 * 0.1**2)  # 1/m + r²/I
    np.testing.assert_allclose(contact.inverse_inertia, free, atol=1e-6)
    world.advance()


def test_impulses_in_the_axes_that_are_asked_for():
    world = tribo.World()
    world.add_ground(normal=(0, 1, 1))
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 0.1 * np.sqrt(2.0)))
    world.step()
    contact = ball.contacts[0]
    np.testing.assert_allclose(contact.impulse_in(contact.frame), contact.frame @ contact.impulse)
    np.testing.assert_allclose(contact.impulse_in(np.eye(3)), contact.impulse)
    for wrong in (np.ones((3, 3)), np.eye(2), "world"):
        with pytest.raises((ValueError, TypeError), match="axes"):
            contact.impulse_in(wrong)
