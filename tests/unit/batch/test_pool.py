"""Pools of states, copies between worlds, digests, forces that are held, status of all steps."""

import numpy as np
import pytest
from scenes import STANCE_HEIGHT, empty_world, ground_world, standing_quadruped

import tribo
from tribo.model import Status

WORLDS = 5


def dogs(worlds=WORLDS, threads=1):
    """Return a world and a batch of robots that fall on the ground from different heights."""
    world = ground_world(friction=0.7)
    standing_quadruped(world, kp=80.0, kd=2.0, name="dog")
    batch = tribo.Batch(world, worlds, threads=threads)
    batch["dog"].generalized_coordinate[:, 2] = STANCE_HEIGHT + 0.02 * np.arange(worlds)
    return world, batch


def test_a_pool_puts_worlds_back_to_the_bit():
    """A world reset to an entry does what the world did of which the entry was taken; the others go on."""
    _, batch = dogs()
    batch.step(80)  # feet touch in some worlds
    pool = batch.pool()
    assert len(pool) == WORLDS
    first = batch.hash()
    batch.step(40)
    after = batch.hash()
    batch.step(7)
    elsewhere = batch.hash()
    batch.reset(pool, [0, 3], entries=[2, 3])
    assert batch.hash() == [first[2], elsewhere[1], elsewhere[2], first[3], elsewhere[4]]
    batch.step(40)
    assert batch.hash([0, 3]) == [after[2], after[3]]


def test_a_digest_is_that_of_a_world_alone():
    """`hash` of each world of a batch is `World.hash` of a world that was stepped alone."""
    world, batch = dogs(3)
    start = world["dog"].generalized_coordinate.copy()
    batch.step(60)
    alone = []
    for k in range(3):
        one = ground_world(friction=0.7)
        dog = standing_quadruped(one, kp=80.0, kd=2.0, name="dog")
        q = start.copy()
        q[2] = STANCE_HEIGHT + 0.02 * k
        dog.generalized_coordinate = q
        one.step(60)
        alone.append(one.hash())
    assert batch.hash() == alone
    assert len(set(alone)) == 3


def test_worlds_are_copied_over_worlds():
    """Sources may be targets as well: all are read before any is written."""
    _, batch = dogs()
    batch.step(60)
    before = batch.hash()
    batch.copy_worlds([1, 0, 4], targets=np.array([True, True, True, False, False]))
    assert batch.hash() == [before[1], before[0], before[4], before[3], before[4]]
    batch.copy_worlds(3, targets=slice(None))
    assert batch.hash() == [before[3]] * WORLDS


def test_a_world_alone_is_put_into_a_batch():
    """`set_from_world` copies state, commands and settings, warm start included: the bits go on."""
    world, batch = dogs()
    world.step(70)
    world.gravity = (0, 0, -5.0)
    world["dog"].kp = 60.0
    batch.set_from_world(world, [1, 4])
    assert batch.hash([1, 4]) == [world.hash()] * 2
    world.step(30)
    batch.step(30)
    assert batch.hash([1, 4]) == [world.hash()] * 2
    assert batch.hash(0) != [world.hash()]


def test_what_does_not_fit_is_refused():
    """Nothing is changed by a call that raises."""
    world, batch = dogs()
    _, other = dogs(2)
    pool, before = batch.pool([0, 2]), batch.hash()
    with pytest.raises(TypeError, match=r"batch\.pool\(\)"):
        batch.reset(batch.snapshot())
    with pytest.raises(ValueError, match="another batch"):
        batch.reset(other.pool())
    with pytest.raises(ValueError, match=r"0 … 1, got 2"):
        batch.reset(pool, [0, 1], entries=[0, 2])
    with pytest.raises(ValueError, match=r"one number or have shape \(2,\)"):
        batch.reset(pool, [0, 1], entries=[0, 1, 1])
    with pytest.raises(ValueError, match="worlds must be an index"):
        batch.reset(pool, 99)
    with pytest.raises(ValueError, match=r"0 … 4, got -1"):
        batch.copy_worlds(-1, [0])
    with pytest.raises(ValueError, match="not built like"):
        batch.set_from_world(empty_world())
    with pytest.raises(TypeError, match=r"tribo\.World"):
        batch.set_from_world(batch)
    assert batch.hash() == before
    batch["dog"].generalized_velocity[1, 0] = np.nan
    with pytest.raises(ValueError, match="v of world 1 is not finite"):
        batch.pool()
    assert world.time == 0.0


def test_a_pool_outlives_larger_tables():
    """Contacts that come later make the tables larger; older pools still fit."""
    world = ground_world()
    for k in range(12):
        world.add_box((0.2, 0.2, 0.2), 1.0, name=f"b{k}", position=(0.5 * k, 0, 0.2))
    batch = tribo.Batch(world, 2, threads=1)
    pool, before = batch.pool(), batch.hash()
    batch.step(200)  # 48 contacts; there was room for 32
    landed = batch.hash()
    assert batch.engine.capacity.contacts > pool.arrays["state"]["warm_key"].shape[1]
    batch.reset(pool)
    assert batch.hash() == before
    batch.step(200)
    assert batch.hash() == landed


def test_forces_are_held_over_the_steps_of_a_call():
    """A held force gives F t/m, one that is not held F dt/m; both are gone afterwards.

    Ten steps of 1 ms from rest without gravity: the velocity is a sum of ten equal terms, exact to 1e-15.
    """
    world = empty_world(gravity=(0, 0, 0))
    world.add_sphere(0.1, mass=2.0, name="ball")
    speeds = []
    for hold in (True, False):
        batch = tribo.Batch(world, 2, threads=1)
        batch["ball"].apply_force([[4.0, 0, 0], [0, 0, 0]])
        batch["ball"].apply_torque([[0, 0, 0], [0, 0, 0.016]])  # I = 2/5 m r² = 0.008
        batch.step(10, hold_forces=hold)
        v = batch["ball"].generalized_velocity.copy()
        batch.step(10)
        np.testing.assert_array_equal(batch["ball"].generalized_velocity, v)
        speeds.append((v[0, 0], v[1, 5]))
    np.testing.assert_allclose(speeds, [(0.02, 0.02), (0.002, 0.002)], rtol=1e-12)


def test_held_forces_are_those_set_step_by_step():
    """Bit for bit what the same force does that is applied anew before each step."""
    _, batch = dogs(2)
    _, again = dogs(2)
    batch["dog"].apply_force("trunk", (30.0, 5.0, 0.0))
    batch.step(25, hold_forces=True)
    # The torque about the centre of mass stays as it is: none.
    for _ in range(25):
        again["dog"].apply_force("trunk", (30.0, 5.0, 0.0))
        again.step()
    assert batch.hash() == again.hash()


def test_a_status_is_of_all_steps_of_a_call():
    """What early steps said is not lost where a later one makes the tables larger.

    Two links turn far in their first steps until damping has slowed them; boxes land later, with
    more contacts than there is room for.
    """
    world = ground_world(dt=0.02)
    post = tribo.LinkDescription("post")
    upper = post.add_child("upper", "revolute", axis=(0, 1, 0), damping=20.0)
    lower = upper.add_child("lower", "revolute", position=(1, 0, 0), axis=(0, 1, 0), damping=20.0)
    for link in (upper, lower):
        link.add_shape("box", (0.1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), collides=False)
    arm = world.add_articulated_system(post, name="arm", fixed_base=True, position=(0, 5, 2))
    arm.generalized_velocity = [90.0, -190.0]
    for k in range(12):
        world.add_box((0.2, 0.2, 0.2), 1.0, name=f"b{k}", position=(0.5 * k, 0, 3.0))
    batch, one = (tribo.Batch(world, 1, threads=1) for _ in range(2))
    room, said = batch.engine.capacity.contacts, []
    for _ in range(60):
        one.step()
        said.append((int(one.status[0]), one.engine.capacity.contacts > room))
    assert said[0] == (Status.TIME_STEP_TOO_LONG, False)
    assert (0, False) in said
    assert said[-1] == (0, True)
    batch.step(60)
    assert int(batch.status[0]) == Status.TIME_STEP_TOO_LONG
    assert batch.hash() == one.hash()
