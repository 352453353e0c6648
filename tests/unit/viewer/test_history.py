"""Going back in a run: the world is what it was at that moment, bit for bit."""

import pytest

import tribo
from tribo.viewer import history
from tribo.viewer.history import History


@pytest.fixture
def world():
    made = tribo.World()
    made.add_ground()
    for k in range(3):
        made.add_box((0.1, 0.1, 0.1), 1.0, position=(0.02 * k, 0.0, 0.1 + 0.15 * k))
    return made


def stepped(world, kept, steps):
    """Step a world one by one; return its hash after each step, by the number of steps so far."""
    first = round(world.time / world.time_step)
    found = {first: world.hash()}
    for k in range(first + 1, first + steps + 1):
        world.step()
        kept.note()
        found[k] = world.hash()
    return found


def test_it_goes_to_any_step_and_forth_again(world, monkeypatch):
    monkeypatch.setattr(history, "SHARE", 1e9)  # however long a snapshot takes
    kept = History(world)
    hashes = stepped(world, kept, 250)
    assert kept.span == pytest.approx((0.0, 0.25))
    for k in (113, 20, 19, 0, 250, 249):
        kept.go_to(k * world.time_step)
        assert world.hash() == hashes[k]
    kept.step_back(3)
    assert world.hash() == hashes[246]
    kept.go_to(-1.0)
    assert world.hash() == hashes[0]
    kept.go_to(9.0)
    assert world.hash() == hashes[250]


def test_states_need_not_be_kept_often(world, monkeypatch):
    monkeypatch.setattr(history, "SHARE", 1e-9)  # as if the first one took very long
    kept = History(world)
    kept.note()
    hashes = stepped(world, kept, 60)
    kept.step_back(13)
    assert world.hash() == hashes[47]


def test_what_came_later_is_gone_when_it_goes_on(world):
    kept = History(world)
    stepped(world, kept, 100)
    kept.go_to(0.05)
    hashes = stepped(world, kept, 10)
    assert kept.span[1] == pytest.approx(0.06)
    kept.go_to(1.0)
    assert world.hash() == hashes[60]


def test_the_oldest_states_are_forgotten(world, monkeypatch):
    monkeypatch.setattr(history, "SPAN", 0.05)
    monkeypatch.setattr(history, "SHARE", 1e9)
    kept = History(world)
    stepped(world, kept, 200)
    first, last = kept.span
    assert last == pytest.approx(0.2)
    assert 0.12 < first < 0.2
    kept.go_to(0.0)
    assert world.time == pytest.approx(first)


def test_few_large_states_are_kept(world, monkeypatch):
    monkeypatch.setattr(history, "MOST", 1)
    monkeypatch.setattr(history, "SHARE", 1e9)
    kept = History(world)
    stepped(world, kept, 200)
    assert kept.span == pytest.approx((0.18, 0.2))


def test_objects_that_come_begin_anew(world):
    kept = History(world)
    stepped(world, kept, 50)
    world.add_sphere(0.1, mass=1.0, position=(2, 0, 1))
    kept.clear()
    assert kept.span == pytest.approx((0.05, 0.05))
