"""Articulated bodies and rows of M are the same factorization: whitened coordinates and velocities agree."""

import numpy as np
import pytest
from scenes import base, joint_body, random_state, random_tree

import tribo
from tribo.description import TreeDescription
from tribo.dynamics import inertia
from tribo.model import Joint

EPS = np.finfo(float).eps


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_both_ways_agree(seed, floating):
    found = []
    for deep in (0, 1):
        rng = np.random.default_rng(seed)
        world = tribo.World()
        robot = world.add_articulated_system(
            random_tree(rng, 15, floating=floating), collision_group=0, collision_mask=0
        )
        random_state(rng, robot)
        robot.set_pd_gains(np.full(robot.dof, 5.0), np.full(robot.dof, 0.5))
        work = world.engine.work
        world.engine.model.tree_is_deep[0] = deep
        world.update()
        assert work.tree_is_rowless[0] == deep
        world.advance()
        found.append((work.free_response, work.next_v, robot.generalized_coordinate))
    condition = np.linalg.cond(robot.mass_matrix)  # of the solve, which bounds how far roundings go
    for rows, bodies in zip(*found, strict=True):
        assert np.abs(rows - bodies).max() <= 100 * robot.dof * EPS * condition * np.abs(rows).max()


def test_rows_can_be_had_later():
    world = tribo.World()
    rng = np.random.default_rng(1)
    robot = world.add_articulated_system(
        random_tree(rng, 9, floating=True), collision_group=0, collision_mask=0
    )
    random_state(rng, robot)
    model, work = world.engine.model, world.engine.work
    model.tree_is_deep[0] = 1
    world.update()
    world.advance()
    bodies, rows = np.zeros(robot.dof), np.zeros(robot.dof)
    inertia.unwhiten(model, work, work.free_response, work.mid_v)
    bodies[:] = work.mid_v
    inertia.need_rows(model, work, 0)
    assert work.tree_is_rowless[0] == 0
    assert work.tree_is_free[0] == 0
    inertia.unwhiten(model, work, work.free_response, work.mid_v)
    rows[:] = work.mid_v
    assert np.abs(rows - bodies).max() <= 1e-11 * np.abs(bodies).max() > 0.0


def test_a_long_chain_takes_articulated_bodies():
    world = tribo.World()
    links = [joint_body(f"l{k}", k, Joint.REVOLUTE) for k in range(25)]
    world.add_articulated_system(TreeDescription([base(), *links]))
    assert world.engine.model.tree_is_deep[0] == 1
