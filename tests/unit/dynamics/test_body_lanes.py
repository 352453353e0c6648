"""Bodies computed side by side are where they are one by one, move as they do, and weigh as much."""

import numpy as np
import pytest
from scenes import random_state, random_tree

import tribo
from tribo.model import Joint

EPS = np.finfo(float).eps


def one_by_one(model):
    """Let no body be abreast of another."""
    model.abreast_body[:] = np.arange(len(model.abreast_body))
    model.abreast_size[:] = 1


def world_of(seed, bodies, floating):
    """Return a world with a robot of many branches, after another one, its last two bodies fixed."""
    rng = np.random.default_rng(seed)
    world = tribo.World(1e-3, gravity=(0.3, -0.2, -9.81))
    filters = {"collision_group": 0, "collision_mask": 0}
    other = world.add_articulated_system(random_tree(rng, 3, floating=True), **filters)
    random_state(rng, other)
    tree = random_tree(rng, bodies, floating=floating)
    for body in tree.bodies[1:]:
        body.parent //= 2  # more branches
    for body in tree.bodies[-2:]:
        body.joint.type = Joint.FIXED
    robot = world.add_articulated_system(tree, **filters)
    random_state(rng, robot)
    return world, robot


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_abreast_and_alone_agree(seed, floating):
    """Sums round by EPS of the largest number, and what comes after them divides by the mass matrix."""
    found = []
    for alone in (False, True):
        world, robot = world_of(seed, 21 + seed, floating)  # every remainder of four
        model, work = world.engine.model, world.engine.work
        assert model.abreast_size.max() > 1
        if alone:
            one_by_one(model)
        model.tree_is_deep[:] = 0
        world.update()
        first = [x.copy() for x in (work.body_pos, work.body_rot, work.dof_axis, work.body_vel)]
        second = [x.copy() for x in (work.body_inertia, work.mass_matrix, work.bias_force)]
        condition = np.linalg.cond(robot.mass_matrix)
        world.advance()
        third = [x.copy() for x in (world.engine.state.q, world.engine.state.v)]
        found.append((*first, *second, *third))
    for k, (abreast, by_itself) in enumerate(zip(*found, strict=True)):
        bound = 200 * EPS * np.abs(by_itself).max() * (condition if k > 6 else 1.0)
        assert np.abs(abreast - by_itself).max() <= bound


def test_groups_of_every_size_are_met():
    """Robots like those above have bodies abreast in threes and fours, on both kinds of joints."""
    met = set()
    for seed in range(6):
        world, _ = world_of(seed, 24, True)
        model = world.engine.model
        for size, body in zip(model.abreast_size, model.abreast_body, strict=True):
            if size > 1:
                met.add((int(size), Joint(int(model.joint_type[body]))))
    assert {size for size, _ in met} == {3, 4}
    assert {kind for _, kind in met} == {Joint.REVOLUTE, Joint.PRISMATIC}


def test_a_floating_robot_keeps_its_momentum():
    """Sums over bodies side by side count each one once: what is thrown keeps both momenta to rounding."""
    world, robot = world_of(3, 22, True)
    world.gravity = (0.0, 0.0, 0.0)
    before = np.array((*robot.linear_momentum, *robot.angular_momentum))
    world.step(200)
    after = np.array((*robot.linear_momentum, *robot.angular_momentum))
    assert np.abs(after - before).max() <= 1e4 * EPS * np.abs(before).max()


def test_bodies_without_coordinates_stand_where_they_are_fixed():
    """A tree of fixed joints alone in a world: there is no coordinate to take a sine of."""
    rng = np.random.default_rng(5)
    tree = random_tree(rng, 6, floating=False)
    for body in tree.bodies:
        body.joint.type = Joint.FIXED
    world = tribo.World(1e-3)
    world.add_articulated_system(tree)
    world.step(2)
    assert world.engine.sizes["nq"] == 0
    places = world.engine.work.body_pos
    for k, body in enumerate(tree.bodies):
        if body.parent == k - 1 and k > 0:
            at = places[k - 1]
            turn = world.engine.work.body_rot[k - 1].reshape(3, 3)
            expected = at + turn @ body.joint.position
            assert np.abs(places[k] - expected).max() <= 10 * EPS
