"""Bodies that meet at random, as in `validation/approaches.py`: no overlap, no energy, no momentum gained."""

import itertools
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.engine.builder import Capacity
from tribo.world import building

sys.path.insert(0, str(Path(__file__).parents[2] / "validation"))
from approaches import SHAPES, send

PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))
DEEP = 2e-3  # [m]


@pytest.mark.parametrize("number", range(len(PAIRS)), ids=[" and ".join(kinds) for kinds in PAIRS])
def test_bodies_that_meet_do_not_overlap(number):
    """At 4 ms corners move by up to 2 cm a step; 1 in 9 went in by more than 2 mm, by up to 19 mm.

    Friction and hits without rebound take energy; to part what overlaps by 0.1 mm may give back 1e-4 of it.
    What is joined in the middle keeps momentum; an overlap d may cost angular momentum, J d.
    """
    rng = np.random.default_rng([number, 4000])
    for _ in range(6):
        world = tribo.World(4e-3, gravity=(0, 0, 0))
        one, other = (SHAPES[kind](world, rng.uniform(0.05, 0.15, 3), rng) for kind in PAIRS[number])
        speed = send(one, other, rng)
        energy = world.kinetic_energy
        p, l = world.linear_momentum.copy(), world.angular_momentum.copy()
        for _ in range(round(0.9 / speed / 4e-3)):
            world.step()
            assert max((contact.depth for contact in world.contacts), default=0.0) < DEEP
            assert world.distance(one, other).distance > -DEEP
            assert world.kinetic_energy < energy * (1.0 + 1e-4)
            energy = world.kinetic_energy
        np.testing.assert_allclose(world.linear_momentum, p, atol=1e-12 * speed)
        np.testing.assert_allclose(world.angular_momentum, l, atol=2.0 * speed * DEEP)


def test_boxes_that_turn_find_points_that_no_contact_stood_for():
    """Twelve random meetings: in some steps a corner comes in through a face that had no contact."""
    found = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        world = tribo.World(4e-3, gravity=(0, 0, 0))
        one, other = (world.add_box(rng.uniform(0.1, 0.3, 3), 1.0) for _ in range(2))
        speed = send(one, other, rng)
        for _ in range(round(0.9 / speed / 4e-3)):
            world.step()
            found += int(world.engine.work.prediction_rounds[0] > 0)
    assert found > 2


def test_a_point_found_ahead_for_which_the_table_has_no_room_makes_it_grow(monkeypatch):
    """The step is made again, as with a large table, bit for bit; nothing reads past its end.

    A table of one grows to what the first round of a step needs, so later rounds find it full.
    """
    ways = []
    for room in (1, 100):
        monkeypatch.setattr(building, "Capacity", partial(Capacity, contacts=room))
        way = []
        for seed in range(6):
            rng = np.random.default_rng(seed)
            world = tribo.World(4e-3, gravity=(0, 0, 0))
            one, other = (world.add_box(rng.uniform(0.1, 0.3, 3), 1.0) for _ in range(2))
            speed = send(one, other, rng)
            for _ in range(round(0.9 / speed / 4e-3)):
                world.step()
                way.append([*one.position, *one.orientation, *other.angular_velocity, world.status])
        ways.append(way)
    assert np.array_equal(*ways)


def test_contacts_that_are_added_run_with_their_surfaces():
    """A conveyor's velocity belongs to the contact, wherever in the list that stands."""
    found = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        world = tribo.World(4e-3, gravity=(0, 0, 0))
        one, other = (world.add_box(rng.uniform(0.1, 0.3, 3), 1.0) for _ in range(2))
        one.surface_velocity = running = np.array([1.0, 0.5, 0.0])
        speed = send(one, other, rng)
        for _ in range(round(0.9 / speed / 4e-3)):
            world.update()
            work = world.engine.work
            turned = work.body_rot[work.contact_body[0, 0]].reshape(3, 3).copy() @ running
            world.advance()
            work = world.engine.work  # another one if tables grew
            if work.prediction_rounds[0] == 0:
                continue
            found += 1
            for c in range(work.contact_count[0]):
                n = work.contact_axes[c, 6:9]
                wanted = turned - (turned @ n) * n
                np.testing.assert_allclose(work.contact_surface[c], wanted, atol=1e-12)
    assert found > 2
