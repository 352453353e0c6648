"""Contacts that a step does not close have no rows, and its solution is the one with all rows."""

import numpy as np
import pytest

import tribo
from tribo.contact.far_contacts import far_place
from tribo.contact.predicted_contacts import HAS_ROW
from tribo.gym.tasks.mujoco import ROBOT, builder


def far_contacts(work):
    """Return the places in the table of the contacts that are set apart and have no row."""
    places = [far_place(work, k) for k in range(int(work.far_count[0]))]
    return [c for c in places if work.contact_share[c] != HAS_ROW]


def skimming(height, striker_speed):
    """Return a ball that flies along the ground at 5 m/s, and one above it that comes down on it."""
    world = tribo.World(1e-3, gravity=(0, 0, 0))
    world.add_ground()
    ball, striker = (world.add_sphere(0.1, 1.0) for _ in range(2))
    ball.position = (0, 0, 0.1 + height)
    striker.position = (0, 0, 0.3 + height + 15e-3)
    ball.linear_velocity = (5, 0, 0)
    striker.linear_velocity = (5, 0, -striker_speed)
    return world, ball


def test_what_flies_along_the_ground_has_no_row():
    """Its gap of 3 mm is within what 5 m/s may close in 1 ms, and nothing closes it."""
    world, ball = skimming(3e-3, 0.0)
    world.step()
    work = world.engine.work
    assert work.contact_count[0] == 0
    assert len(far_contacts(work)) == 1
    assert ball.linear_velocity == pytest.approx((5, 0, 0), abs=1e-15)
    assert work.island_contact_start[-1] == 0


def test_what_a_blow_brings_down_gets_its_row_within_the_step():
    """Struck at 20 m/s it may close its gap of 3 mm, and no more, until the middle of the next step.

    With its impulse the blow leaves −3 mm/1 ms; without, both balls would go on at −10 m/s.
    """
    world, ball = skimming(3e-3, 20.0)
    world.step()
    work = world.engine.work
    assert work.contact_share[far_place(work, 0)] == HAS_ROW
    assert work.contact_count[0] == 2
    assert (np.diff(work.contact_key[:2]) > 0).all()
    assert (work.contact_impulse[:2, 2] > 1.0).all()
    assert ball.linear_velocity[2] == pytest.approx(-3.0, abs=1e-9)
    world.step()
    assert ball.position[2] == pytest.approx(0.1, abs=1e-9)


def test_the_solved_motion_closes_no_gap_that_was_set_apart():
    """A robot thrashes on the ground: gap + dt n · (v_A − v_B) ≥ 0 of each, by the velocities of its bodies.

    So the row of each would hold with zero impulse: the solution is the one with all rows.
    """
    world = builder("humanoid.xml")()
    robot = world[ROBOT]
    rng = np.random.default_rng(3)
    asked = rows = 0
    for k in range(400):
        if k % 10 == 0:
            torque = rng.uniform(-60.0, 60.0, robot.dof)
            torque[:6] = 0.0
        robot.generalized_force = torque
        world.step()
        work, model = world.engine.work, world.engine.model
        rows += int(work.contact_count[0])
        for c in far_contacts(work):
            ends = []
            for side in range(2):
                body = work.contact_body[c, side]
                motion = np.zeros(6)
                if model.tree_nv[model.body_tree[body]] > 0:
                    root = model.tree_body[model.body_tree[body]]
                    start = model.body_chain_start[body]
                    for dof in model.chain_dof[start : start + model.body_chain_len[body]]:
                        motion += work.next_v[dof] * work.dof_axis[dof]
                    arm = work.contact_pos[c] - work.body_pos[root]
                    motion[3:] += np.cross(motion[:3], arm)
                ends.append(motion[3:])
            rate = work.contact_axes[c, 6:9] @ (ends[0] - ends[1])
            assert work.contact_gap[c] + world.time_step * rate >= -1e-12
            asked += 1
    assert asked > 200
    assert rows > 200
