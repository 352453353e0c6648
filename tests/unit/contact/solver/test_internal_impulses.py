"""Impulses that move nothing: ranges of rank one and two against NumPy, ways to the rim of a cone."""

import numpy as np
import pytest

from tribo.contact.solver import internal_impulses
from tribo.math import linalg, vec


def packed(g):
    """Return a symmetric matrix as (xx, yy, zz, xy, xz, yz)."""
    return tuple(float(g[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_range_part_is_the_projection(rank, seed):
    """To 1e-12 of the vector: the null space is that of the singular value decomposition."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, rank)) * 10.0 ** rng.uniform(-2, 2)
    g, x = rows @ rows.T, rng.normal(size=3)
    wanted = rows @ np.linalg.pinv(rows) @ x
    found = linalg.range_part(packed(g), tuple(x))
    np.testing.assert_allclose(found, wanted, atol=1e-11 * np.linalg.norm(x))


def test_nothing_is_taken_off_where_nothing_moves_at_all():
    assert linalg.range_part((0.0,) * 6, (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("seed", range(40))
def test_the_way_begins_on_the_cone(seed):
    """From a point y towards one inside: where ‖t‖ = μ n first holds, or at y if that is inside, too."""
    rng = np.random.default_rng(seed)
    mu, d = rng.uniform(0.1, 2.0), rng.normal(size=3) * 3.0
    n, angle = rng.uniform(0.1, 2.0), rng.uniform(0.0, 7.0)
    tangent = rng.uniform(0.0, 0.99) * mu * n
    x = np.array([tangent * np.cos(angle), tangent * np.sin(angle), n])
    size = float(np.linalg.norm(d))
    length = internal_impulses.length_to_cone(mu, tuple(x - d), tuple(d / size))
    parts = np.linspace(0.0, 1.0, 20001)
    points = x - d + parts[:, None] * d
    inside = np.linalg.norm(points[:, :2], axis=1) <= mu * points[:, 2]
    assert length / size == pytest.approx(parts[np.argmax(inside)], abs=6e-5)  # the spacing of the parts


def test_an_internal_impulse_of_millions_leaves_one_in_its_cone():
    """A link that is jammed against another: of 10⁷ N s, 4 N s move something."""
    g = (0.07425566926966914, 0.04131663059971735, 0.04440731380285331, -0.00597257764546779,
         0.054391420761350166, -0.01803015437714518)  # fmt: skip
    impulse = np.array([-10152071.71022614, 4811237.527099513, 14388013.686129946])
    assert np.hypot(*impulse[:2]) < 0.8 * impulse[2]
    left = np.array(internal_impulses.least_in_cone(g, 0.8, tuple(impulse)))
    assert np.linalg.norm(left) < 10.0
    assert np.hypot(*left[:2]) <= 0.8 * left[2] * (1.0 + 1e-12)
    np.testing.assert_allclose(vec.sym_vec(g, left), vec.sym_vec(g, impulse), atol=1e-8)


@pytest.mark.parametrize("sideways", [-0.9, 0.0, 0.4])
def test_what_moves_nothing_does_not_push_sideways(sideways):
    """A planar arm: G = u uᵀ, u = (0.8, 0, 0.6), μ = 0.5. What moves it the same, on the rim, is unique.

    λ = (μ n, 0, n) with λ · u = x · u, whatever x has along y.
    """
    x = (0.3, sideways, 2.0)
    n = (0.8 * x[0] + 0.6 * x[2]) / (0.8 * 0.5 + 0.6)
    left = internal_impulses.least_in_cone((0.64, 0.0, 0.36, 0.0, 0.48, 0.0), 0.5, x)
    assert left[1] == 0.0
    np.testing.assert_allclose(left, (0.5 * n, 0.0, n), rtol=1e-5)
