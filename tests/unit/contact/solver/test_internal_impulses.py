"""Impulses that move nothing: ranges of rank one and two against NumPy, ways to the rim of a cone."""

import numpy as np
import pytest

from tribo.contact.solver import internal_impulses


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
    found = internal_impulses.range_part(packed(g), tuple(x))
    np.testing.assert_allclose(found, wanted, atol=1e-11 * np.linalg.norm(x))


def test_nothing_is_taken_off_where_nothing_moves_at_all():
    assert internal_impulses.range_part((0.0,) * 6, (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("seed", range(40))
def test_the_way_ends_on_the_cone(seed):
    """A point inside goes on along d to where ‖t‖ = μ n, or all of the way if it stays inside."""
    rng = np.random.default_rng(seed)
    mu, d = rng.uniform(0.1, 2.0), rng.normal(size=3) * 3.0
    n, angle = rng.uniform(0.1, 2.0), rng.uniform(0.0, 7.0)
    tangent = rng.uniform(0.0, 0.99) * mu * n
    x = np.array([tangent * np.cos(angle), tangent * np.sin(angle), n])
    s = internal_impulses.fraction_in_cone(mu, tuple(x), tuple(d))
    parts = np.linspace(0.0, 1.0, 20001)
    points = x + parts[:, None] * d
    outside = np.linalg.norm(points[:, :2], axis=1) > mu * points[:, 2]
    wanted = parts[np.argmax(outside)] if outside.any() else 1.0
    assert s == pytest.approx(wanted, abs=6e-5)  # the spacing of the parts
