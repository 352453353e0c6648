"""Articulated bodies and rows of M are the same factorization: whitened coordinates and velocities agree."""

import numpy as np
import pytest
from scenes import base, joint_body, random_state, random_tree

import tribo
from tribo.description.trees import TreeDescription
from tribo.dynamics import inertia, whitening
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
        robot.set_pd_gains(np.full(robot.dof, 5.0), np.full(robot.dof, 0.5), hold_base=True)
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
    whitening.unwhiten(model, work, work.free_response, work.mid_v)
    bodies[:] = work.mid_v
    inertia.form_missing_rows(model, work, 0)
    assert work.tree_is_rowless[0] == 0
    assert work.tree_is_free[0] == 0
    whitening.unwhiten(model, work, work.free_response, work.mid_v)
    rows[:] = work.mid_v
    assert np.abs(rows - bodies).max() <= 1e-11 * np.abs(bodies).max() > 0.0


def test_a_long_chain_takes_articulated_bodies():
    world = tribo.World()
    links = [joint_body(f"l{k}", k, Joint.REVOLUTE) for k in range(25)]
    world.add_articulated_system(TreeDescription([base(), *links]))
    assert world.engine.model.tree_is_deep[0] == 1


def test_passive_force_makes_inverse_dynamics_that_of_the_step():
    """A step of 1e-7 s ends with the acceleration asked for, but for dt (d + dt k)/M of it."""
    trunk = tribo.LinkDescription("trunk")
    trunk.fix_to_world()
    arm = trunk.add_child(
        "arm", "revolute", axis=(0, 1, 0), damping=0.5, stiffness=20.0, spring_reference=0.2
    )
    arm.add_shape("box", (0.1, 0.2, 0.1), mass=2.0, position=(0.5, 0, 0))
    ball = arm.add_child("ball", "spherical", position=(1, 0, 0), damping=0.1, stiffness=3.0)
    ball.add_shape("box", (0.3, 0.1, 0.2), mass=1.0, position=(0.2, 0.1, 0))
    world = tribo.World(time_step=1e-7)
    robot = world.add_articulated_system(trunk)
    robot.link("arm").gravity_compensation = 0.7
    robot.set_state([0.3, *np.array((1, 2, 3, 4)) / np.sqrt(30)], [1.0, -1.0, 2.0, 0.5])
    asked = np.array([3.0, -2.0, 1.0, 4.0])
    robot.generalized_force = robot.inverse_dynamics(asked) - robot.passive_force
    world.step()
    assert np.allclose(robot.generalized_acceleration, asked, rtol=0, atol=1e-3)
    assert np.abs(robot.passive_force).min() > 0.05
