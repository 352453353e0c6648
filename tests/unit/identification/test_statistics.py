"""How well parameters are known, of a mean of some numbers: one parameter, no starts."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from tribo.identification.statistics import certainty


@pytest.mark.parametrize("size", [1.0, 1e3])
@pytest.mark.parametrize("given", [True, False])
def test_intervals_are_students_where_the_misfit_says_how_large_the_noise_is(size, given):
    """Three numbers with the noise 1: with a misfit of 1e3 the given noise is too small, ν = 2."""
    residuals = size * np.array([1.0, -1.0, 0.0])
    problem = SimpleNamespace(count=1, size=1, rows=3)
    known = certainty(problem, residuals, 1e3 * np.ones((3, 1)), 0.95, given=given)
    assert known.is_excessive == (given and size > 1.0)
    is_estimated = known.is_excessive or not given
    expected = stats.t.ppf(0.975, 2) if is_estimated else stats.norm.ppf(0.975)
    assert known.quantile == pytest.approx(expected, rel=1e-12)
    assert known.scale == pytest.approx(size**2 if is_estimated else 1.0, rel=1e-12)
