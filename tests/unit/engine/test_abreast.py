"""Groups of bodies that are computed side by side: lawful, and as few as there can be."""

import numpy as np
import pytest

from tribo.engine.abreast import MIN_GROUP, SIMPLE, fewest, in_order
from tribo.math.lane_rows import LANES
from tribo.model import Joint

QUADRUPED = [-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 0, 10, 11]


def random_parents(rng, bodies):
    """Return a random tree, parents first."""
    return [-1, *(int(rng.integers(max(0, k - 4), k)) for k in range(1, bodies))]


def test_legs_are_abreast():
    joints = [Joint.FREE] + [Joint.REVOLUTE] * 12
    assert in_order(QUADRUPED, joints) == [[0], [1, 4, 7, 10], [2, 5, 8, 11], [3, 6, 9, 12]]


def test_two_legs_are_alone_and_in_the_order_of_their_numbers():
    assert in_order([-1, 0, 1, 0, 3], [Joint.FREE] + [Joint.REVOLUTE] * 4) == [[0], [1], [2], [3], [4]]


def test_links_of_a_chain_are_alone():
    assert in_order([-1, 0, 1, 2], [Joint.FIXED] + [Joint.REVOLUTE] * 3) == [[0], [1], [2], [3]]


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_lawful(seed):
    """Each body once, after its parent; groups are of one kind of simple joint, roots and others alone."""
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, 40)
    joints = [Joint(int(rng.choice([0, 1, 1, 2, 3]))) for _ in parents]
    groups = in_order(parents, joints)
    done: set[int] = set()
    for group in groups:
        assert 1 <= len(group) <= LANES
        assert all(parents[i] < 0 or parents[i] in done for i in group)
        assert len(group) == 1 or len(group) >= MIN_GROUP
        if len(group) > 1:
            assert {joints[i] for i in group} <= set(SIMPLE)
            assert len({joints[i] for i in group}) == 1
        done |= set(group)
    assert sorted(i for group in groups for i in group) == list(range(40))


def least_number(parents):
    """Return the least number of groups of a tree whose joints are alike, by trying all of them."""
    states, count = {frozenset({0})}, 1
    everything = frozenset(range(len(parents)))
    while everything not in states:
        following = set()
        for done in states:
            ready = [i for i in everything - done if parents[i] in done]
            for choice in range(1, 1 << len(ready)):
                group = [i for k, i in enumerate(ready) if choice >> k & 1]
                if len(group) == min(LANES, len(ready)):
                    following.add(done | frozenset(group))
        states, count = following, count + 1
    return count


@pytest.mark.parametrize("seed", range(20))
def test_no_fewer_groups_would_do(seed):
    parents = random_parents(np.random.default_rng(seed), 10)
    groups = fewest(parents, [Joint.FREE] + [Joint.REVOLUTE] * 9)
    assert len(groups) == least_number(parents)
