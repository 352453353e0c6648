"""Sines of four angles: right to a unit of the last place, near and far, and for what is no number."""

from math import cos, nan, pi, sin

import numpy as np

from tribo.compiler.jit import script
from tribo.compiler.lanes import load4, store4
from tribo.math.sines import FARTHEST, sines

UNIT = 1.0  # in the last place: of the polynomial and the sums, and 0.5 of the C library
REDUCED = 2e-26  # of the angle that the reduction leaves over


@script
def put_sines(angles, out):
    """Write the sines of four angles and their cosines.

    Writes: out.
    """
    sine, cosine = sines(load4(angles, 0))
    store4(out, 0, sine)
    store4(out, 4, cosine)


def found(angles):
    """Return sines and cosines of four angles."""
    out = np.zeros(8)
    put_sines(np.array(angles, float), out)
    return out[:4], out[4:]


def errors(angles):
    """Return the largest error in units of the last place, beyond that of the reduction."""
    worst = 0.0
    for made, of in zip(found(angles), (sin, cos), strict=True):
        for x, y in zip(angles, made, strict=True):
            wanted = of(x)
            worst = max(worst, (abs(y - wanted) - REDUCED * max(1.0, abs(x))) / np.spacing(abs(wanted)))
    return worst


def test_sines_are_right_to_a_unit_of_the_last_place():
    rng = np.random.default_rng(0)
    for scale in 10.0 ** rng.uniform(-9, np.log10(FARTHEST), 400):
        assert errors(rng.uniform(-scale, scale, 4).tolist()) <= UNIT


def test_multiples_of_a_quarter_turn_are_met_from_both_sides():
    for n in (-100001, -7, -2, -1, 1, 2, 3, 4, 12345):
        near = n * pi / 2
        angles = [near, near * (1 + 1e-15), near * (1 - 1e-15), near + 1e-9]
        assert errors(angles) <= UNIT


def test_far_angles_are_those_of_the_library():
    angles = [2.0 * FARTHEST, -1e9, 1.0, 0.0]
    sine, cosine = found(angles)
    assert sine[:2].tolist() == [sin(x) for x in angles[:2]]
    assert cosine[:2].tolist() == [cos(x) for x in angles[:2]]


def test_zero_is_exact_and_no_number_stays_none():
    sine, cosine = found([0.0, nan, -0.0, 1.0])
    assert sine[0] == 0.0 == sine[2]
    assert cosine[0] == 1.0 == cosine[2]
    assert np.isnan(sine[1])
    assert np.isnan(cosine[1])


def test_a_lane_does_not_depend_on_the_others():
    rng = np.random.default_rng(1)
    for others in ([0.0, 0.0, 0.0], [1e9, nan, -5.0], [nan, 1e300, 1.0]):
        for x in rng.uniform(-10, 10, 20):
            alone, beside = found([x] * 4), found([x, *others])
            assert beside[0][0] == alone[0][3]
            assert beside[1][0] == alone[1][3]
            last = found([*others, x])
            assert last[0][3] == alone[0][0]
            assert last[1][3] == alone[1][0]
