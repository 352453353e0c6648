"""Drives at their effort and speed limits are rows of the solve: each obeys its clamped law at v⁺."""

import numpy as np
import pytest
from scenes import QUADRUPED, ground_world

import tribo
from tribo.enums import DriveForm

KP, KD, EFFORT, SPEED = 400.0, 8.0, 15.0, 3.0
WEIGHTS = {"implicit": (0.0, 1.0, 1.0), "averaged": (0.0, 0.5, 0.5), "trapezoid": (-0.25, 0.25, 0.5)}


def thrashing(form="implicit", dt=2e-3):
    """A quadruped on the ground whose drives reach both of their limits."""
    world = ground_world(dt, friction=0.8)
    robot = world.add_articulated_system(QUADRUPED, name="dog", position=(0, 0, 0.5))
    robot.set_pd_gains(KP, KD)
    robot.drive_form, robot.effort_limits, robot.velocity_limit = form, EFFORT, SPEED
    return world, robot


def wanted(world, robot, form, before, after):
    """Return what each drive's law asks for at a new velocity (12,) [N m]."""
    a, b, c = WEIGHTS[form]
    reach = world.engine.work.drive_error[6:18] + world.time_step * (a * before + b * after)
    return -KP * reach - KD * (before + c * (after - before))


@pytest.mark.parametrize("form", WEIGHTS)
def test_drives_obey_their_laws_at_the_solved_velocity(form):
    """Slower than its limit a drive gives clamp(τ(v⁺)); at the limit between nothing and clamp(τ(limit)).

    To 1e-6 of the effort limit, in steps that are solved to 1e-8 of the speeds they remove: nearly all. A
    thigh that presses on the trunk, two joints away, cannot meet the targets of three directions: these
    steps miss by some 1e-5.
    """
    assert DriveForm[form.upper()] >= 0
    world, robot = thrashing(form)
    rng = np.random.default_rng(0)
    at_effort = at_speed = within = rough = jammed = flagged = 0
    for step in range(400):
        if step % 20 == 0:
            robot.pd_target[7:] = rng.uniform(-1.5, 1.5, 12)
        before = robot.generalized_velocity[6:].copy()
        world.step()
        flagged += bool(world.status & tribo.Status.NOT_CONVERGED)
        if world.engine.work.island_miss.max() > 1e-8:
            assert world.engine.work.island_miss.max() < 1e-4
            presses_on_itself = any(contact.object_a is contact.object_b for contact in world.contacts)
            jammed += presses_on_itself
            rough += not presses_on_itself
            continue
        after, torque = robot.generalized_velocity[6:], robot.applied_torque[6:]
        law = np.clip(wanted(world, robot, form, before, after), -EFFORT, EFFORT)
        side = np.sign(after) * SPEED
        cap = np.clip(wanted(world, robot, form, before, side), -EFFORT, EFFORT)
        is_fast = (np.abs(after) > SPEED * (1 - 1e-7)) & (cap * side > 0.0)
        np.testing.assert_allclose(torque[~is_fast], law[~is_fast], atol=1e-6 * EFFORT)
        given = torque[is_fast] / cap[is_fast]
        braked = law[is_fast] - cap[is_fast]  # something else drives it beyond
        assert (given <= 1 + 1e-6).all()
        assert (torque[is_fast] * np.sign(cap[is_fast]) >= -np.abs(braked) - 1e-6 * EFFORT).all()
        at_speed += int(is_fast.sum())
        at_effort += int((np.abs(torque) == EFFORT).sum())
        within += int((np.abs(torque) < EFFORT).sum())
    assert min(at_effort, at_speed, within) > 100
    assert rough <= 0.02 * 400
    assert rough + jammed <= 0.05 * 400
    assert flagged <= 1


def test_limits_that_come_and_go_take_few_passes():
    """A pass more for the limits that the last step did not have, none for those that are left."""
    world, robot = thrashing()
    rng = np.random.default_rng(1)
    passes = []
    for step in range(600):
        if step % 10 == 0:
            robot.pd_target[7:] = rng.uniform(-1.5, 1.5, 12)
        world.step()
        passes.append(int(world.engine.work.solves[0]))
    assert np.mean(passes) <= 1.6
    assert max(passes) <= 6


@pytest.mark.parametrize("kd", [1e-6, 1e-2, 1e6])
def test_weak_and_stiff_drives_are_solved_as_exactly(kd):
    """One joint against a limit, K from 1e-6 to 1e6: v⁺ = v + dt τ/m with τ = clamp(K (v_d − v⁺))."""
    from scenes import empty_world, slider

    m, dt, effort, goal = 2.0, 1e-3, 1.0, 10.0
    world = empty_world(dt, (0.0, 0.0, 0.0))
    robot = world.add_articulated_system(slider(m))
    robot.set_pd_gains(0.0, kd)
    robot.effort_limits = effort
    robot.pd_velocity_target = [goal]
    v = 0.0
    for _ in range(200):
        world.step()
        free = (v + dt * kd * goal / m) / (1.0 + dt * kd / m)
        v = min(free, v + dt * effort / m)
        assert world.status == 0
        assert robot.generalized_velocity[0] == pytest.approx(v, rel=1e-12)


@pytest.mark.parametrize("what", ["pd_target", "generalized_force"])
@pytest.mark.parametrize("kp", [0.0, 400.0])
def test_a_command_that_is_no_number_is_found_at_a_limit(what, kp):
    """A bound is no answer to it: the step is invalid, as without limits."""
    from scenes import empty_world, slider

    world = empty_world(1e-3, (0.0, 0.0, 0.0))
    robot = world.add_articulated_system(slider(1.0))
    robot.set_pd_gains(kp, 0.0)
    robot.effort_limits = 1.0
    robot.pd_target = [5.0]
    world.step(3)
    getattr(robot, what)[:] = np.nan
    if kp == 0.0 and what == "pd_target":  # nothing asks for it
        world.step()
        assert world.status == 0
        return
    with pytest.raises(tribo.SimulationError):
        world.step()


def test_a_floating_joint_has_no_drive_limits():
    """The base of a robot floats: limits of its drive would bound nothing, and are refused."""
    from scenes import quadruped_description

    description = quadruped_description()
    description.bodies[0].joint.effort = 5.0
    with pytest.raises(ValueError, match="floats: effort and velocity"):
        tribo.World().add_articulated_system(description)
