"""Threads around spheres and cylinders: closed forms, and no shorter way beside them."""

import math

import numpy as np
import pytest

from tribo.math.wrapping import NONE, around

NO = (0.0, 0.0, 0.0)


def way(p, q, axis, radius, side=NO):
    """Return the length of the whole thread, and its places on the surface."""
    arc, first, last = around(p, q, axis, radius, side)
    return math.dist(p, first) + arc + math.dist(last, q), np.array(first), np.array(last)


def test_a_thread_over_a_disc_is_two_tangents_and_an_arc():
    """p and q at 2 r on both sides: √3 r each, and the arc between the tangents, π − 2 · 60°."""
    length, first, last = way((-2.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0, (0.0, 1.0, 0.0))
    assert length == pytest.approx(2.0 * math.sqrt(3.0) + math.pi / 3.0, rel=1e-14)
    np.testing.assert_allclose(first, (-0.5, math.sqrt(0.75), 0.0), atol=1e-15)
    np.testing.assert_allclose(last, (0.5, math.sqrt(0.75), 0.0), atol=1e-15)


def test_it_goes_round_the_far_side_where_that_is_said():
    """Both ends above a disc, the thread below: √3 r each, and the arc of 2π − (2 · 60° + turn)."""
    apart = 0.5  # [rad] between p and q, seen from the centre
    p = (2.0 * math.sin(-apart / 2), 2.0 * math.cos(apart / 2), 0.0)
    q = (-p[0], p[1], 0.0)
    length, _, _ = way(p, q, (0.0, 0.0, 1.0), 1.0, (0.0, -1.0, 0.0))
    arc = 2.0 * math.pi - 2.0 * math.pi / 3.0 - apart
    assert length == pytest.approx(2.0 * math.sqrt(3.0) + arc, rel=1e-14)


@pytest.mark.parametrize(
    ("p", "q", "side"),
    [
        ((-2.0, 1.5, 0.0), (2.0, 1.5, 0.0), NO),  # beside it
        ((-2.0, 1.5, 0.0), (2.0, 1.5, 0.0), (0.0, 1.0, 0.0)),  # beside it, on the right side
        ((0.0, 0.5, 0.0), (2.0, 0.0, 0.0), NO),  # begins in it
        ((-3.0, 0.5, 0.0), (-2.0, 0.5, 0.0), NO),  # ends before it
        ((2.0, 0.0, 0.0), (2.0, 0.0, 0.0), NO),
    ],
)
def test_it_passes(p, q, side):
    for axis in ((0.0, 0.0, 1.0), NO):
        assert around(p, q, axis, 1.0, side)[0] == NONE


def test_a_helix_unrolls_to_a_straight_line():
    flat, _, _ = way((-2.0, 0.3, 0.0), (1.5, 0.1, 0.0), (0.0, 0.0, 1.0), 1.0)
    length, first, last = way((-2.0, 0.3, -1.0), (1.5, 0.1, 2.0), (0.0, 0.0, 1.0), 1.0)
    assert length == pytest.approx(math.hypot(flat, 3.0), rel=1e-14)
    assert -1.0 < first[2] < last[2] < 2.0


@pytest.mark.parametrize("axis", [NO, (0.0, 0.6, 0.8)])
def test_it_leaves_the_surface_along_a_tangent(axis):
    rng = np.random.default_rng(3)
    seen = 0
    while seen < 20:
        p, q = rng.uniform(-2.0, 2.0, (2, 3))
        arc, first, last = around(tuple(p), tuple(q), axis, 0.7, NO)
        if arc < 0.0:
            continue
        seen += 1
        whole = math.dist(p, first) + arc + math.dist(last, q)
        u = (np.array(first) - p) / math.dist(p, first)
        out = np.array(first) - np.dot(first, axis) * np.array(axis)
        assert np.linalg.norm(out) == pytest.approx(0.7, rel=1e-13)
        assert abs(np.dot(u, out)) < 1e-12  # a tangent
        assert whole > math.dist(p, q)


def test_on_a_line_with_the_centre_any_plane_will_do():
    length, _, _ = way((-2.0, 0.0, 0.0), (2.0, 0.0, 0.0), NO, 1.0)
    assert length == pytest.approx(2.0 * math.sqrt(3.0) + math.pi / 3.0, rel=1e-14)
    _, first, _ = way((-2.0, 0.0, 0.0), (2.0, 0.0, 0.0), NO, 1.0, (0.0, 0.0, -1.5))
    assert first[2] < -0.8
