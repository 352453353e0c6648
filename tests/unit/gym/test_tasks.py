"""What single tasks promise: closed forms, kinematics, and that simple laws or none do what they must."""

import numpy as np
import pytest

from tribo.gym import VectorEnv, load
from tribo.gym.rotations import cross, turned, turned_back
from tribo.gym.simulation import Simulation
from tribo.gym.tasks import ball_balance, quadruped, reach
from tribo.gym.tasks.cart_pole import CART, FORCE, HALF, POLE

ROWS = np.arange(5)


def simulation(name, worlds=5):
    sim = Simulation(load(name), worlds, threads=1)
    sim.draws.seed(np.arange(worlds), range(worlds))
    sim.begin(np.arange(worlds))
    return sim


def test_contact_forces_begin_anew_with_an_episode():
    """The ball lies on the tray: its weight after a step, 0 in worlds whose episode has just begun."""
    sim = simulation("BallBalance")
    sim.steps[:] = 1
    assert sim.contact_force("ball").shape == (5, 3)
    sim.batch.step(5)
    assert (sim.contact_force("ball")[:, 2] > 0.0).all()
    sim.steps[2] = 0
    assert not sim.contact_force("ball")[2].any()
    assert sim.contact_force("ball")[3].any()


def test_vectors_are_turned_as_by_matrices():
    rng = np.random.default_rng(0)
    q, w = rng.normal(size=(20, 4)), rng.normal(size=(20, 3))
    q /= np.linalg.norm(q, axis=1)[:, None]
    a, b, c, d = q.T
    matrix = np.array(
        [
            [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
        ]
    )
    assert np.allclose(turned(q, w), np.einsum("ijn,nj->ni", matrix, w), atol=1e-12)
    assert np.allclose(turned_back(q, turned(q, w)), w, atol=1e-12)
    assert np.array_equal(cross(q[:, 1:], w), np.cross(q[:, 1:], w))


def test_cart_pole_obeys_its_equations():
    """The two equations of motion, with the capsule's own inertia; error of a step: of the order of dt."""
    sim = simulation("CartPole")
    robot, dt = sim.object("cart_pole"), 1e-6
    sim.batch.time_step = dt
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-0.2, 0.2, (5, 2)), rng.uniform(-1.0, 1.0, (5, 2))
    actions = rng.uniform(-1.0, 1.0, (5, 1))
    robot.set_state(q, v)
    sim.task.actions.apply(sim, actions)
    sim.batch.step()
    x, turn = robot.generalized_acceleration.T
    inertia = float(np.asarray(robot.link("pole").inertia)[0, 1, 1])
    sin, cos = np.sin(q[:, 1]), np.cos(q[:, 1])
    force = (CART + POLE) * x + POLE * HALF * (cos * turn - sin * v[:, 1] ** 2)
    moment = (inertia + POLE * HALF**2) * turn + POLE * HALF * (cos * x - 9.81 * sin)
    assert force == pytest.approx(FORCE * actions[:, 0], abs=1e-4)
    assert moment == pytest.approx(np.zeros(5), abs=1e-5)


def test_the_hand_is_where_the_engine_has_it():
    sim = simulation("Reach")
    assert np.allclose(reach.hand(sim), sim.object("arm").frame("hand").position, atol=1e-12)
    assert np.allclose(reach.distance(sim), np.linalg.norm(reach.gap(sim), axis=1))


def test_targets_are_in_reach_and_stay_where_they_are():
    sim = simulation("Reach", 200)
    target = sim.object("target").position.copy()
    far = np.linalg.norm(target - [0, 0, reach.HEIGHT], axis=1)
    assert (far <= 0.7 + 1e-12).all()
    assert (far >= 0.3 - 1e-12).all()
    sim.step(np.zeros((200, 3)))
    assert np.array_equal(target, sim.object("target").position)


def test_the_arm_reaches_by_the_transpose_of_its_jacobian():
    """A law without learning brings the hand near: the task can be done."""
    sim = simulation("Reach")
    for _ in range(200):
        q = np.array(sim.object("arm").generalized_coordinate)
        columns, here = [], reach.hand(sim)
        for k in range(3):
            sim.object("arm").generalized_coordinate[:, k] += 1e-6
            columns.append((reach.hand(sim) - here) / 1e-6)
            sim.object("arm").generalized_coordinate[:] = q
        push = np.stack([(column * reach.gap(sim)).sum(axis=1) for column in columns], axis=1)
        sim.step(20.0 * push)
    assert (reach.distance(sim) < reach.NEAR).all()


def test_the_ball_begins_to_roll_and_a_linear_law_keeps_it():
    envs = VectorEnv(load("BallBalance"), 5, threads=1)
    seen, _ = envs.reset(seed=3)
    v = envs.simulation.object("ball").generalized_velocity
    slip = v[:, :3] + np.cross(v[:, 3:], [0.0, 0.0, -ball_balance.RADIUS])
    assert np.abs(slip).max() < 1e-12
    for _ in range(499):
        x, y, vx, vy = seen[:, 4:].T
        tilt = np.stack([4.0 * y + 3.0 * vy, -4.0 * x - 3.0 * vx], axis=1)
        seen, rewards, ended, _, _ = envs.step(tilt)
        assert not ended.any()
    assert (rewards > 0.9).all()


def test_the_ball_rolls_off_a_tilted_plate():
    envs = VectorEnv(load("BallBalance"), 2, threads=1, autoreset_mode="Disabled")
    envs.reset(seed=0)
    over = np.zeros(2, bool)
    for _ in range(200):
        over |= envs.step(np.ones((2, 2)))[2]
    assert over.all()


def test_the_quadruped_stands_without_a_policy():
    envs = VectorEnv(load("Quadruped"), 5, threads=1)
    envs.reset(seed=0)
    for _ in range(150):
        _, _, ended, _, infos = envs.step(np.zeros((5, 12)))
        assert not ended.any()
    assert np.abs(quadruped.WALKER.velocity(envs.simulation)).max() < 0.01
    assert infos["reward_level"].min() > -0.02


def test_the_quadruped_sees_in_its_own_axes():
    """On its nose, 90° about y: its x axis points down, and what is up in the world is behind it."""
    sim = simulation("Quadruped")
    dog = sim.object("dog")
    dog.generalized_coordinate[:, 3:7] = 0.5**0.5, 0.0, 0.5**0.5, 0.0
    dog.generalized_velocity[:, :6] = 0.0, 0.0, 2.0, 0.0, 0.0, 3.0
    assert np.allclose(quadruped.WALKER.down(sim), [1.0, 0.0, 0.0], atol=1e-12)
    assert np.allclose(quadruped.WALKER.velocity(sim), [-2.0, 0.0, 0.0], atol=1e-12)
    assert np.allclose(quadruped.WALKER.spin(sim), [-3.0, 0.0, 0.0], atol=1e-12)
    assert quadruped.WALKER.is_fallen(sim).all()


def test_commands_stay_in_their_range_and_some_are_to_rest():
    sim = simulation("Quadruped", 400)
    wanted = quadruped.WALKER.command(sim)
    low, high = quadruped.WALKER.commands
    assert ((wanted >= low) & (wanted <= high)).all()
    rests = (wanted == 0.0).all(axis=1).sum()
    assert 20 <= rests <= 60  # 40 of 400 wanted; 6 is the standard deviation


def test_a_command_that_is_followed_is_rewarded_most():
    sim = simulation("Quadruped")
    quadruped.WALKER.command(sim)[:] = 0.7, -0.2, 0.4
    dog = sim.object("dog")
    dog.generalized_coordinate[:, 3:7] = 1.0, 0.0, 0.0, 0.0
    dog.generalized_velocity[:, :6] = 0.7, -0.2, 0.0, 0.0, 0.0, 0.4
    assert quadruped.WALKER.follows_speed(sim) == pytest.approx(1.0)
    assert quadruped.WALKER.follows_turn(sim) == pytest.approx(1.0)
    quadruped.WALKER.command(sim)[:, 0] = 0.2
    assert quadruped.WALKER.follows_speed(sim) == pytest.approx(np.exp(-1.0))
    assert quadruped.WALKER.error_of_speed(sim) == pytest.approx(0.5)
    quadruped.WALKER.command(sim)[:, 2] = 1.0
    assert quadruped.WALKER.error_of_turn(sim) == pytest.approx(0.6)
