"""Rows of joint limits: which stops take part, with which target and which apparent inertia."""

import numpy as np
import pytest
from scenes import empty_world, random_state, random_tree, slider

NONE = (0.0, 0.0, 0.0)
DT = 1e-3


def rows(world):
    """Return (body, sign, velocity without forces − target, impulse) of the rows of the last step.

    Sign: +1 at the lower stop, where impulses are ≥ 0, −1 at the upper one; velocity and impulse are
    counted away from the stop.
    """
    work = world.engine.work
    found = []
    for k in range(int(work.scalar_count[0])):
        sign = 1.0 if work.scalar_upper[k] == np.inf else -1.0
        assert (work.scalar_lower[k], work.scalar_upper[k]) == ((0, np.inf) if sign > 0 else (-np.inf, 0))
        numbers = sign * work.scalar_start[k], sign * work.scalar_impulse[k]
        found.append((int(work.scalar_body[k, 0]), sign, *numbers))
    return found


def cart(**options):
    """Return a world with a slider."""
    world = empty_world(DT, NONE)
    return world, world.add_articulated_system(slider(2.0, **options))


def test_a_far_stop_takes_no_part():
    """Stops farther than a step's travel and 2 % of the range are left out."""
    world, robot = cart(lower=-1.0, upper=1.0)
    robot.generalized_velocity = [5.0]
    world.step()
    assert rows(world) == []


def test_an_unlimited_joint_has_no_rows():
    """lower = −inf, upper = +inf."""
    world, robot = cart()
    robot.generalized_velocity = [1e3]
    world.step()
    assert rows(world) == []


def test_a_near_stop_keeps_the_gap():
    """w ≥ −gap/dt: the row's velocity relative to that, seen towards the stop; no impulse while it holds."""
    world, robot = cart(lower=-1.0, upper=1.0)
    robot.generalized_coordinate = [0.99]
    robot.generalized_velocity = [1.0]
    world.step()
    mid = 0.99 + 0.5 * DT
    ((body, sign, start, impulse),) = rows(world)
    assert (body, sign, impulse) == (1, -1.0, 0.0)
    assert start == pytest.approx(-1.0 + (1.0 - mid) / DT, rel=1e-10)


def test_an_impulse_stops_the_joint_at_its_limit():
    """It takes away what would carry the next mid-step beyond the stop."""
    world, robot = cart(lower=-1.0, upper=1.0)
    robot.generalized_coordinate = [-0.999]
    robot.generalized_velocity = [-4.0]
    world.step()
    mid = -0.999 - 4.0 * 0.5 * DT
    ((_, sign, _, impulse),) = rows(world)
    assert sign == 1.0
    # Beyond already at mid-step: it stops there and is shifted back by a part erp, not faster than 0.3 m/s.
    back = min(0.2 * (-1.0 - mid), 0.3 * DT)
    assert robot.generalized_velocity[0] == pytest.approx(0.0, abs=1e-12)
    assert robot.generalized_coordinate[0] == pytest.approx(mid + back, abs=1e-5 * back)
    assert impulse == pytest.approx(2.0 * 4.0, rel=1e-12)


@pytest.mark.parametrize("force", [100.0, -100.0])
@pytest.mark.parametrize("at", [0.25, 0.3])
def test_equal_limits_hold_a_joint(at, force):
    """lower = upper: the joint does not move under a force of either sign, also where `at` is not a
    binary number."""
    world, robot = cart(lower=at, upper=at)
    robot.generalized_coordinate = [at]
    robot.generalized_force = [force]
    for _ in range(200):
        world.step()
        assert robot.generalized_coordinate[0] == pytest.approx(at, abs=1e-12)


def test_apparent_inertia_is_that_of_the_tree():
    """G of a limit = (M̂⁻¹)_ii, in a random tree with drives."""
    rng = np.random.default_rng(21)
    description = random_tree(rng, 8, floating=True)
    world = empty_world(DT)
    robot = world.add_articulated_system(description)
    random_state(rng, robot)
    q = robot.generalized_coordinate
    world.remove(robot)
    first = 0
    for body in description.bodies:
        width = {1: 1, 2: 1, 3: 4, 4: 7}[int(body.joint.type)]
        if width == 1:
            body.joint.lower, body.joint.upper = q[first] - 0.001, q[first] + 3.0
        first += width
    robot = world.add_articulated_system(description)
    robot.generalized_coordinate = q
    robot.set_pd_gains(100.0, 3.0)
    world.step()
    work, model = world.engine.work, world.engine.model
    m = np.zeros((robot.dof, robot.dof))
    for dof in range(robot.dof):
        start, row = model.body_chain_start[model.dof_body[dof]], model.dof_row[dof]
        chain = model.chain_dof[start : start + model.dof_depth[dof] + 1]
        m[dof, chain] = m[chain, dof] = work.mass_matrix[row : row + len(chain)]
    inverse = np.linalg.inv(m + np.diag(work.drive_inertia))
    assert work.scalar_count[0] >= 3
    for n in range(work.scalar_count[0]):
        dof = model.joint_v[work.scalar_body[n, 0]]
        assert work.scalar_delassus[n] == pytest.approx(inverse[dof, dof], rel=1e-10)
