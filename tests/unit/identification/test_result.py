"""Standard errors of derived quantities, of parameters that the data show in a combination only."""

from types import SimpleNamespace

import numpy as np
import pytest

from tribo.identification.result import _derived
from tribo.identification.statistics import certainty
from tribo.identification.unknowns import Bounds, Unknown


def found(share, seen, combined):
    """Return the derived c + share (a + b), where the data show c, and of a and b only their sum."""
    bounds = tuple(Bounds(name, "m", 0.0, 1.0) for name in "abc")
    unknown = Unknown(
        bounds, set_in_batch=lambda *_: None, set_in_world=lambda *_: None, read=lambda _: np.full(3, 0.5),
        derived=lambda values: {"sum": ("m", values[:, 2] + share * (values[:, 0] + values[:, 1]))},
    )  # fmt: skip
    problem = SimpleNamespace(count=3, size=3, rows=4, values=lambda u: u)
    jacobian = np.array([[combined, combined, 0.0], [0.0, 0.0, seen], [0.0] * 3, [0.0] * 3])
    known = certainty(problem, np.zeros(4), jacobian, 0.95, given=True)
    return known, _derived([unknown], problem, np.full(3, 0.5), known)["sum"]


def test_an_interval_has_the_width_of_what_is_known_of_a_combination():
    """σ² = σ_c² + share² σ_{a+b}²: the difference of a and b, which may be anything, is not in it."""
    known, one = found(0.01, 1e3, 50.0)
    assert np.isinf(np.diag(known.covariance)).tolist() == [True, True, False]
    assert one.is_seen
    assert one.standard_error == pytest.approx(np.sqrt(1e-6 + (0.01 / 50.0) ** 2), rel=1e-6)
    assert one.high - one.value == pytest.approx(known.quantile * one.standard_error, rel=1e-9)


def test_what_depends_on_parameters_that_are_not_shown_is_not_known():
    _, one = found(1.0, 1e3, 50.0)
    assert not one.is_seen
    assert np.isinf(one.standard_error)
    assert (one.low, one.high) == (-np.inf, np.inf)


def test_covariances_within_the_bounds_have_no_negative_variance():
    known, _ = found(0.01, 1e3, 50.0)
    assert np.linalg.eigvalsh(known.bounded).min() > 0.0
    hidden = np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
    assert hidden @ known.bounded @ hidden == pytest.approx(1.0 / 12.0)  # anywhere within the bounds
