"""Rollouts: bit for bit what worlds do whose commands are set step by step."""

import numpy as np
import pytest
from scenes import STANCE, empty_world, ground_world, standing_quadruped

import tribo

WORLDS, HORIZON, EVERY = 6, 15, 4


def dog_world():
    """Return a robot in its stance, its drives on."""
    world = ground_world(dt=0.002, friction=0.7)
    standing_quadruped(world, kp=60.0, kd=1.5, name="dog")
    return world


def plans(seed=1):
    """Return targets and feed-forward forces of the twelve joints, (worlds, T, 12) each."""
    rng = np.random.default_rng(seed)
    shape = (WORLDS, HORIZON, 12)
    return STANCE + rng.normal(0, 0.2, shape), rng.normal(0, 2.0, shape)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_rollout_is_stepping_by_hand(threads):
    """States after each control, and all that the future depends on, are the same to the bit."""
    world = dog_world()
    world.step(5)
    targets, forces = plans()
    batch = tribo.Batch(world, WORLDS, threads=threads)
    ways = batch.rollout(
        targets={"dog": targets}, forces={"dog": forces}, steps_per_control=EVERY, start=world
    )
    by_hand = tribo.Batch(world, WORLDS, threads=1)
    dog = by_hand["dog"]
    for k in range(HORIZON):
        dog.pd_target[:, 7:], dog.generalized_force[:, 6:] = targets[:, k], forces[:, k]
        by_hand.step(EVERY)
        np.testing.assert_array_equal(ways.coordinate("dog")[:, k], dog.generalized_coordinate)
        np.testing.assert_array_equal(ways.velocity("dog")[:, k], dog.generalized_velocity)
        np.testing.assert_allclose(ways.time[:, k], by_hand.time, rtol=1e-12)
    assert batch.hash() == by_hand.hash()
    assert ways.made_it.all()
    assert len(set(batch.hash())) == WORLDS


def test_motors_act_in_rollouts():
    """With motors, too, a rollout is stepping by hand."""
    world = dog_world()
    targets, _ = plans(2)
    batches = [tribo.Batch(world, WORLDS, threads=1) for _ in range(2)]
    for batch in batches:
        batch["dog"].set_motors(delay=0.006, time_constant=0.01, stall_torque=30.0, no_load_speed=20.0)
    batches[0].rollout(targets={"dog": targets}, steps_per_control=EVERY)
    for k in range(HORIZON):
        batches[1]["dog"].pd_target[:, 7:] = targets[:, k]
        batches[1].step(EVERY)
    assert batches[0].hash() == batches[1].hash()


def test_tables_that_grow_do_not_disturb_a_rollout():
    """Boxes land within a control, with more contacts than there is room for."""
    world = ground_world()
    for k in range(12):
        world.add_box((0.2, 0.2, 0.2), 1.0, name=f"b{k}", position=(0.5 * k, 0, 0.13))
    pushes = np.zeros((2, 3, 6))
    pushes[1, :, 0] = 1.0
    batch = tribo.Batch(world, 2, threads=2)
    ways = batch.rollout(forces={"b3": pushes}, steps_per_control=50)
    assert batch.engine.capacity.contacts > 32
    hand = tribo.Batch(world, 2, threads=1)
    hand["b3"].generalized_force[:] = pushes[:, 0]
    for k in range(3):
        hand.step(50)
        np.testing.assert_array_equal(ways.coordinate("b3")[:, k], hand["b3"].generalized_coordinate)
    assert batch.hash() == hand.hash()


def test_controls_by_joint_and_for_all_worlds():
    """A joint's plan, and one plan for all worlds, are the same as arrays for all."""
    world = dog_world()
    _, forces = plans(3)
    forces[:, :, 1:] = 0.0
    first, second, third = (tribo.Batch(world, WORLDS, threads=1) for _ in range(3))
    first.rollout(forces={"dog": forces})
    name = first["dog"].joint_names[0]
    second.rollout(forces={"dog": {name: forces[:, :, 0]}})
    assert first.hash() == second.hash()
    third.rollout(forces={"dog": forces[2]})
    assert third.hash() == [first.hash()[2]] * WORLDS


def test_a_world_that_fails_leaves_nan_and_the_others_go_on():
    """A force that no number holds: NaN from there on; the others have the bits of a batch without it."""
    world = empty_world(gravity=(0, 0, 0))
    world.add_sphere(0.1, mass=1.0, name="ball")
    pushes = np.zeros((3, 5, 6))
    pushes[:, :, 0] = 1.0
    batch = tribo.Batch(world, 3, threads=1)
    batch["ball"].generalized_velocity[1, 0] = np.inf
    ways = batch.rollout(forces={"ball": pushes}, steps_per_control=2)
    assert ways.made_it.tolist() == [True, False, True]
    assert np.isnan(ways.coordinate("ball")[1]).all()
    sound = tribo.Batch(world, 3, threads=1).rollout(forces={"ball": pushes}, steps_per_control=2)
    np.testing.assert_array_equal(ways.q[[0, 2]], sound.q[[0, 2]])


def test_the_function_leaves_the_world_alone():
    """`tribo.rollout` counts the candidates by itself."""
    world = dog_world()
    targets, _ = plans(4)
    before = world.hash()
    ways = tribo.rollout(world, targets={"dog": targets}, steps_per_control=2, threads=1)
    assert world.hash() == before
    batch = tribo.Batch(world, WORLDS, threads=1)
    again = batch.rollout(targets={"dog": targets}, steps_per_control=2)
    np.testing.assert_array_equal(ways.q, again.q)
    with pytest.raises(ValueError, match="read-only"):
        ways.coordinate("dog")[0, 0, 0] = 1.0


@pytest.mark.parametrize(
    ("controls", "error", "message"),
    [
        ({}, ValueError, "needs controls"),
        ({"forces": {"cat": np.zeros((6, 5, 12))}}, KeyError, "dog"),
        ({"forces": {"dog": np.zeros((6, 5, 11))}}, ValueError, "12 or 18 numbers"),
        ({"targets": {"dog": np.zeros((5, 5, 12))}}, ValueError, r"\(6, T"),
        ({"forces": {"dog": np.full((6, 5, 12), np.nan)}}, ValueError, "forces of dog"),
        ({"forces": {"dog": {"LF_KEE": np.zeros((6, 5))}}}, KeyError, "LF_KFE"),
        (
            {"forces": {"dog": np.zeros((6, 5, 12))}, "targets": {"dog": np.zeros((6, 4, 12))}},
            ValueError,
            "one length",
        ),
        ({"forces": {"dog": np.zeros((6, 5, 12))}, "steps_per_control": 0}, ValueError, "≥ 1"),
    ],
)
def test_wrong_plans_are_refused(controls, error, message):
    """And the worlds stay where they were."""
    world = dog_world()
    batch = tribo.Batch(world, WORLDS, threads=1)
    before = batch.hash()
    with pytest.raises(error, match=message):
        batch.rollout(**controls)
    assert batch.hash() == before


@pytest.mark.parametrize("shape", [(10**12, 6), (2, 10**12, 6), (1, 10**12, 6)])
def test_plans_that_no_memory_holds_are_refused(shape):
    """The system ended the process: an array of a thousand million controls takes no room by itself."""
    world = tribo.World()
    world.add_sphere(0.1, mass=1.0, name="ball")
    plan = np.broadcast_to(np.zeros(1), shape)
    with pytest.raises(MemoryError, match=r"forces of ball: the states after 1000000000000 controls"):
        tribo.Batch(world, 2, threads=1).rollout(forces={"ball": plan})
    numbers = {"ball": {"x": np.broadcast_to(np.zeros(1), shape[:-1])}}
    with pytest.raises(KeyError, match="joint"):
        tribo.Batch(world, 2, threads=1).rollout(forces=numbers)
