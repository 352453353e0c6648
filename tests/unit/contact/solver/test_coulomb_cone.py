"""One contact alone: Signorini and Coulomb exactly, against an independent fixed point."""

import numpy as np
import pytest
import reference

from tribo.contact.solver import coulomb_cone
from tribo.math import vec


def packed(g):
    """Return a symmetric 3×3 matrix as the kernels take it."""
    return tuple(float(g[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def random_blocks(rng, count):
    """Return own blocks of random rigid bodies that touch at random points, shape (count, 3, 3)."""
    blocks = np.zeros((count, 3, 3))
    for k in range(count):
        mass = 10 ** rng.uniform(-1, 1)
        arm = reference.skew(rng.normal(size=3) * 0.3)
        turn = reference.rotation_of((q := rng.normal(size=4)) / np.linalg.norm(q))
        inertia = turn @ np.diag(mass * rng.uniform(0.05, 0.3, 3)) @ turn.T
        blocks[k] = np.eye(3) / mass + arm @ np.linalg.inv(inertia) @ arm.T
    return blocks


def solve(g, c, mu, last=(0.0, 0.0, 0.0)):
    """Call the kernel."""
    return np.array(coulomb_cone.solve_contact(packed(g), tuple(map(float, c)), float(mu), last))


@pytest.fixture(scope="module")
def problems():
    """Return 300 random problems and their impulses."""
    rng = np.random.default_rng(11)
    g = random_blocks(rng, 300)
    c = rng.normal(size=(300, 3)) * [1.0, 1.0, 0.7] - [0, 0, 0.5]
    mu = rng.uniform(0.05, 1.0, 300)
    return g, c, mu, np.array([solve(*p) for p in zip(g, c, mu, strict=True)])


def test_agrees_with_the_de_saxce_fixed_point(problems):
    """λ = P_K(λ − ρ (w + μ‖w_t‖ n)), iterated until nothing changes: the same impulse to 1e-8."""
    g, c, mu, impulse = problems
    rho = 1.0 / np.trace(g, axis1=1, axis2=2)
    x = np.zeros_like(c)
    for _ in range(20_000):
        w = np.einsum("kij,kj->ki", g, x) + c
        w[:, 2] += mu * np.linalg.norm(w[:, :2], axis=1)
        following = reference.project_cone(mu, x - rho[:, None] * w)
        change = np.abs(following - x).max()
        x = following
        if change < 1e-15:
            break
    scale = np.abs(x).max(axis=1, keepdims=True) + 1e-3
    assert np.abs((impulse - x) / scale).max() <= 1e-8


def test_signorini_and_coulomb_hold(problems):
    """0 ≤ λ_n ⊥ w_n ≥ 0, ‖λ_t‖ ≤ μ λ_n, and where it slips friction is at its bound, opposite to slip.
    All three cases are among the problems. A stuck contact is solved with G + ε I, ε = 1e-12 tr G, so it
    is left with w = −ε λ."""
    g, c, mu, impulse = problems
    w = np.einsum("kij,kj->ki", g, impulse) + c
    seen = {"open": 0, "stick": 0, "slip": 0}
    for k in range(len(mu)):
        lifted = 1e-12 * np.trace(g[k]) * np.linalg.norm(impulse[k])
        scale = np.linalg.norm(c[k])
        tangential = np.hypot(*impulse[k, :2])
        assert impulse[k, 2] >= 0.0
        assert w[k, 2] >= -1.01 * lifted - 1e-13 * scale
        assert impulse[k, 2] * w[k, 2] <= 1e-13 * scale * impulse[k, 2]
        assert tangential <= mu[k] * impulse[k, 2] * (1 + 1e-12)
        slip = np.hypot(*w[k, :2])
        if impulse[k, 2] == 0.0:
            seen["open"] += 1
        elif slip <= 1e-9 * scale:
            seen["stick"] += 1
        else:
            seen["slip"] += 1
            assert tangential == pytest.approx(mu[k] * impulse[k, 2], rel=1e-12)
            along = impulse[k, :2] @ w[k, :2]
            assert along == pytest.approx(-tangential * slip, rel=1e-8)
    assert min(seen.values()) >= 20, seen


def test_the_guess_does_not_change_the_result(problems):
    """A start from the solution, or from the opposite direction, ends in the same place."""
    g, c, mu, impulse = problems
    for k in range(0, 300, 5):
        x, y, z = impulse[k]
        for last in ((x, y, z), (-x, -y, z), (y, -x, z)):
            np.testing.assert_allclose(
                solve(g[k], c[k], mu[k], last), impulse[k], atol=1e-9 * (1 + np.abs(impulse[k]).max())
            )


def test_slip_is_opposite_to_friction_to_rounding():
    """One of 20 000 random blocks, for which secants ended with w_n = −4e-9 and a cross product of 2e-10."""
    g = (3.539911534414627, 3.723569884174331, 2.04892513089101,
         0.37746212653672007, 0.8066239436309935, 0.0285716158145531)  # fmt: skip
    c = (0.3076386145879346, 1.5690549532217977, -0.7792414331547854)
    last = (0.544213423391765, -0.5690314419318308, -0.38077865028908275)
    impulse = coulomb_cone.solve_contact(g, c, 0.9648513873489408, last)
    w = vec.add(vec.sym_vec(g, impulse), c)
    assert abs(w[2]) <= 1e-15
    assert abs(w[0] * impulse[1] - w[1] * impulse[0]) <= 1e-16


def test_diagonal_block_in_closed_form():
    """Without coupling: λ_n = −c_n/g, friction min(μ λ_n, ‖c_t‖/g) against c_t."""
    g = np.diag([2.0, 2.0, 4.0])
    np.testing.assert_allclose(solve(g, [3, 4, -8], 0.5), [-0.6, -0.8, 2.0], rtol=1e-12)
    np.testing.assert_allclose(solve(g, [0.3, 0.4, -8], 0.5), [-0.15, -0.2, 2.0], rtol=1e-9)
    np.testing.assert_array_equal(solve(g, [3, 4, 1], 0.5), [0, 0, 0])
    np.testing.assert_allclose(solve(g, [3, 4, -8], 0.0), [0, 0, 2.0], rtol=1e-15)


def test_no_finite_answer_is_asked_for_in_the_painleve_regime():
    """A thin rod that slides point first with μ so high that no force opposes its fall (g_n − μ g_tn < 0):
    the impulse is finite, inside the cone, and it takes energy out."""
    angle, mu = np.arctan(2.0), 3.0
    arm = reference.skew(np.array([0.5 * np.cos(angle), 0.0, -0.5 * np.sin(angle)]))
    g = np.eye(3) + arm @ np.diag([12.0, 12.0, 1e3]) @ arm.T
    for slip in (1.0, -1.0):
        c = np.array([slip, 0.0, -0.1])
        impulse = solve(g, c, mu)
        assert np.isfinite(impulse).all()
        assert np.hypot(*impulse[:2]) <= mu * impulse[2] * (1 + 1e-9)
        assert impulse @ (c + 0.5 * g @ impulse) <= 1e-9


def test_projection_on_the_cone():
    """The nearest point: inside it stays, below the dual cone it is the tip, else on the boundary with
    the rest at right angles."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        mu, x = rng.uniform(0.1, 2), rng.normal(size=3)
        y = np.array(coulomb_cone.nearest_in_cone(mu, tuple(x)))
        np.testing.assert_allclose(y, reference.project_cone(np.array([mu]), x[None])[0], atol=1e-15)
        assert (y - x) @ y == pytest.approx(0.0, abs=1e-14)
        assert np.hypot(*y[:2]) <= mu * y[2] + 1e-14


def spin_reference(k, free, rolling, spinning, normal):
    """Return the minimum of ½ τᵀKτ + τᵀω over disc × interval by projected descent."""
    x, rho = np.zeros(3), 1.0 / np.trace(k)
    for _ in range(20_000):
        y = x - rho * (k @ x + free)
        length = np.hypot(*y[:2])
        if length > rolling * normal:
            y[:2] *= rolling * normal / length
        y[2] = np.clip(y[2], -spinning * normal, spinning * normal)
        if np.abs(y - x).max() < 1e-16:
            break
        x = y
    return x


@pytest.mark.parametrize("coupled", [False, True])
def test_rolling_and_spinning_torques(coupled):
    """The torques that remove the most relative spin within ‖τ_xy‖ ≤ μ_r r λ_n, |τ_z| ≤ μ_spin r λ_n: at
    once when K does not couple the normal with the plane, otherwise when visited again and again."""
    rng = np.random.default_rng(4)
    clamped = 0
    for _ in range(60):
        a = rng.normal(size=(3, 3))
        k = a @ a.T + 0.5 * np.eye(3)
        if not coupled:
            k[:2, 2] = k[2, :2] = 0.0
        omega = rng.normal(size=3)
        torque = rng.normal(size=3) * 0.1
        rolling, spinning, normal = 0.3, 0.2, rng.uniform(0.1, 3)
        found, spin = torque, omega
        for _ in range(300 if coupled else 1):
            following = np.array(
                coulomb_cone.solve_spin(packed(k), tuple(spin), tuple(found), rolling, spinning, normal)
            )
            assert np.hypot(*following[:2]) <= rolling * normal * (1 + 1e-12)
            assert abs(following[2]) <= spinning * normal * (1 + 1e-12)
            spin = spin + k @ (following - found)
            found = following
        expected = spin_reference(k, omega - k @ torque, rolling, spinning, normal)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        clamped += np.hypot(*found[:2]) >= rolling * normal * (1 - 1e-12)
    assert 10 <= clamped <= 59


def test_rolling_torque_at_its_bound():
    """The torque at the bound is opposite to what rolling it leaves, for round and for lean bodies."""
    rng = np.random.default_rng(6)
    for ratio in (1.0, 3.0, 1e3, 1e8):
        for _ in range(20):
            turn = rng.uniform(0, np.pi)
            r = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            k = r @ np.diag([ratio, 1.0]) @ r.T
            b = rng.normal(size=2)
            limit = rng.uniform(0.01, 0.99) * np.linalg.norm(np.linalg.solve(k, b))
            torque = np.array(coulomb_cone.clamp_disc((k[0, 0], k[1, 1], 0, k[0, 1], 0, 0), *b, limit))
            left = k @ torque + b
            assert np.hypot(*torque) == pytest.approx(limit, rel=1e-14)
            assert torque @ left == pytest.approx(-limit * np.hypot(*left), rel=1e-10)
            cross = torque[0] * left[1] - torque[1] * left[0]
            assert abs(cross) <= 1e-7 * limit * np.hypot(*b)
    assert coulomb_cone.clamp_disc((1.0, 1.0, 0.0, 0.0, 0.0, 0.0), 1.0, 0.0, 0.0) == (0.0, 0.0)
