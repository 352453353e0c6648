"""Where a belt of links runs: equal chords that close, on the hull of the wheels."""

import math

import numpy as np
import pytest

from tribo.description.belts import links, wrap

PAIR = (np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.2, 0.2]))


@pytest.mark.parametrize(
    ("centres", "radii"),
    [
        PAIR,
        (PAIR[0], np.array([0.3, 0.1])),
        (np.array([[0, 0], [1, 0], [0.5, 0.6], [0.5, 0.1]]), np.array([0.2, 0.3, 0.1, 0.05])),
        (np.array([[0, 0], [2, 0], [2, 1], [0, 1], [1, 0.0]]), np.full(5, 0.25)),
    ],
)
@pytest.mark.parametrize("count", [40, 101])
def test_links_are_equal_close_and_lie_on_the_wheels(centres, radii, count):
    """Distances of neighbours are equal, the last one's to 1e-12 of the belt, less than 10 m; the middle of
    a link on a wheel is half its thickness away from it, of one that is partly there by at most ρ − R − t/2
    more; none is nearer."""
    thickness = 0.02
    joints, pitch = links(centres, radii, count, thickness)
    ways = np.roll(joints, -1, axis=0) - joints
    assert np.linalg.norm(ways, axis=1) == pytest.approx(np.full(count, pitch), abs=1e-11)
    middles = joints + 0.5 * ways
    apart = np.linalg.norm(middles[:, None] - centres[None], axis=2) - radii - 0.5 * thickness
    assert apart.min() > -1e-12
    assert apart.min() <= pitch**2 / (8 * (radii.min() + 0.5 * thickness))  # between run and wheel
    after = np.roll(ways, -1, axis=0)
    turns = (ways[:, 0] * after[:, 1] - ways[:, 1] * after[:, 0]) / pitch**2
    assert turns.min() > -1e-9  # anticlockwise all round
    assert np.arcsin(np.clip(turns, -1, 1)).sum() == pytest.approx(2 * math.pi, abs=1e-9)


def test_wheels_inside_are_left_out():
    arcs = wrap(np.array([[0, 0], [1, 0], [0.5, 0.0]]), np.array([0.2, 0.3, 0.1]))
    assert sorted(arc.wheel for arc in arcs) == [0, 1]
    assert sum(arc.turn for arc in arcs) == pytest.approx(2 * math.pi)


def test_wheels_that_only_touch_the_straight_run_change_nothing():
    """A third, equal wheel between two others: the pitch is the same."""
    between = np.array([[0.0, 0.0], [1.0, 0.0], [0.4, 0.0]])
    assert links(between, np.full(3, 0.2), 40, 0.02)[1] == pytest.approx(links(*PAIR, 40, 0.02)[1], rel=1e-12)


def test_what_has_no_belt_is_refused():
    with pytest.raises(ValueError, match="not within one another"):
        links(np.zeros((2, 2)), np.array([0.2, 0.1]), 24, 0.01)
    with pytest.raises(ValueError, match=r"5 links .* too long .* at least 14"):
        links(*PAIR, 5, 0.02)
