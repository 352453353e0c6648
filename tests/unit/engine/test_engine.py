"""Many steps in one call: all are made, what one says is kept, and the keyboard is heard."""

import signal

import pytest
from scenes import ground_world

import tribo
from tribo.model import Status


def test_what_one_of_many_steps_said_is_not_lost():
    """NOT_CONVERGED in a step in the middle is still there after the last."""
    world = tribo.World()
    world.add_ground()
    world.contact_solver, world.max_sweeps = "sweeps", 1
    box = world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.101))
    box.linear_velocity = (1, 0, 0)
    single = []
    saved = world.snapshot()
    for _ in range(60):
        world.step()
        single.append(world.status)
    world.restore(saved)
    world.step(60)
    assert any(s & Status.NOT_CONVERGED for s in single)
    assert world.status & Status.NOT_CONVERGED


def test_many_steps_in_one_call_are_all_made(monkeypatch):
    """Long runs go in slices; a note of one slice does not end the run."""
    monkeypatch.setattr("tribo.engine.engine._MAX_STEPS", 7)
    world = tribo.World()
    world.add_ground()
    world.max_sweeps = 1
    world.tolerance = 0.0
    world.add_sphere(0.1, 1.0, position=(0, 0, 0.101), linear_velocity=(1, 0, 0))
    world.step(100)
    assert world.time == pytest.approx(0.1)


def test_what_one_of_many_steps_says_outlives_the_slices(monkeypatch):
    """A box that turns too far in its first steps and is braked: the last ones are well."""
    said = []
    for most in (20_000, 7):
        monkeypatch.setattr("tribo.engine.engine._MAX_STEPS", most)
        monkeypatch.setattr("tribo.engine.engine._SLICE", 1e3)
        world = tribo.World()
        world.integrator = "rk4"
        body = world.add_box((0.1, 0.2, 0.3), 1.0, position=(0, 0, 50), angular_velocity=(400, 300, 200))
        body.angular_damping = 0.05
        world.step(1)
        world.step(3000)
        said.append((world.status, world.hash()))
    assert said[0] == said[1]
    assert said[0][0]


def test_the_keyboard_is_heard_however_slow_the_steps():
    """Looks at the keyboard came every 20 000 steps: after 40 s in a pile of 2 ms a step."""
    world = tribo.World()
    world.add_ground()
    for k in range(60):
        world.add_box((0.1, 0.1, 0.1), 1.0, position=(0.05 * (k % 3), 0.03 * (k % 5), 0.06 + 0.11 * k))
    world.step()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)  # again, where an interrupt is lost in a callback
        with pytest.raises(KeyboardInterrupt):
            world.step(10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert 0 < world.time / world.time_step < 20_000
    world.step(3)  # and it goes on


def test_tables_begin_with_a_column_for_each_dof_and_double():
    """An island of 30 dofs finds its columns there; tables that are too small grow twofold at least."""
    world = ground_world()
    for k in range(5):
        world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.1 + 0.2 * k))
    world.step()
    assert world.engine.work.column_matrix.shape == (32, 32)  # lanes take four
    room = world.engine.capacity
    grown = room.grown(contacts=room.contacts + 1, dense=1)
    assert (grown.contacts, grown.dense) == (2 * room.contacts, room.dense)
    assert room.grown(contacts=4 * room.contacts).contacts == 6 * room.contacts
