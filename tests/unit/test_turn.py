"""Sine and cosine in line against more digits than a float has."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tribo.dynamics.kinematics import turned
from tribo.math.turn import FAR, sine_cosine

# Half an ulp of the result, the series' remainder (6e-17), and the roundings of its last two terms.
TOLERANCE = 2e-16


@pytest.mark.parametrize("reach", [1e-8, 0.7, 4.0, 1e3, 0.9 * FAR])
def test_agrees_with_the_library(reach):
    for angle in np.random.default_rng(5).uniform(-reach, reach, 400):
        s, c = sine_cosine(float(angle))
        assert s == pytest.approx(math.sin(angle), rel=4e-16, abs=0.0)
        assert abs(c - math.cos(angle)) <= TOLERANCE


def test_multiples_of_a_quarter_turn():
    for n in (*range(-9, 10), 60_001, -60_002):
        angle = n * math.pi / 2
        s, c = sine_cosine(angle)
        assert abs(s - math.sin(angle)) <= TOLERANCE
        assert abs(c - math.cos(angle)) <= TOLERANCE


def test_signs_and_limits():
    assert sine_cosine(0.0) == (0.0, 1.0)
    assert sine_cosine(3.0 * FAR) == (math.sin(3.0 * FAR), math.cos(3.0 * FAR))
    assert all(math.isnan(x) for x in sine_cosine(math.nan))


@pytest.mark.parametrize(
    "axis",
    [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0.36, -0.48, 0.8)],
)
def test_every_branch_of_a_joint_turns_about_its_axis(axis):
    axis = tuple(float(x) for x in axis)
    start = tuple(Rotation.from_rotvec([0.3, -0.8, 1.1]).as_matrix().ravel())
    made = np.reshape(turned(start, axis, 0.7), (3, 3))
    expected = np.reshape(start, (3, 3)) @ Rotation.from_rotvec(0.7 * np.array(axis)).as_matrix()
    np.testing.assert_allclose(made, expected, atol=4e-16)
