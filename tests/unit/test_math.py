"""The small algebra of the kernels against NumPy.

Tolerances: each function is a sum of at most nine products, so its rounding error is below
20 · 2⁻⁵³ times the size of the terms; EPS leaves a factor of two.
"""

from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tribo.math import linalg, quat, vec

EPS = 40 * 2.0**-53
SIZE = 1e3  # largest number drawn

number = st.floats(-SIZE, SIZE, allow_subnormal=False)
vector = st.tuples(number, number, number)
matrix = st.tuples(*[number] * 9)
symmetric = st.tuples(*[number] * 6)
angles = st.floats(-1.0, 1.0, allow_subnormal=False)
direction = st.tuples(angles, angles, angles).filter(lambda a: np.linalg.norm(a) > 1e-3)


def unit(a):
    return tuple(float(x) for x in np.array(a) / np.linalg.norm(a))


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def square(m):
    return np.array(m).reshape(3, 3)


def full(s):
    """Return the matrix of (xx, yy, zz, xy, xz, yz)."""
    return np.array([[s[0], s[3], s[4]], [s[3], s[1], s[5]], [s[4], s[5], s[2]]])


def rodrigues(a):
    """Return exp([a]×) by Rodrigues' formula; its series below 1e-4 rad (next term < 1e-17)."""
    angle = np.linalg.norm(a)
    k = skew(a)
    if angle < 1e-4:
        return np.eye(3) + (1 - angle**2 / 6) * k + (0.5 - angle**2 / 24) * k @ k
    return np.eye(3) + sin(angle) / angle * k + (1 - cos(angle)) / angle**2 * k @ k


def close(value, reference, scale=1.0):
    np.testing.assert_allclose(value, reference, rtol=0, atol=EPS * max(scale, 1e-300))


@given(vector, vector, number)
def test_vectors(a, b, s):
    u, v = np.array(a), np.array(b)
    scale = (1 + np.abs(u).max()) * (1 + np.abs(v).max()) * (1 + abs(s))
    close(vec.add(a, b), u + v, scale)
    close(vec.sub(a, b), u - v, scale)
    close(vec.scale(s, a), s * u, scale)
    close(vec.axpy(s, a, b), s * u + v, scale)
    close(vec.neg(a), -u)
    close(vec.dot(a, b), u @ v, scale)
    close(vec.cross(a, b), np.cross(u, v), scale)
    close(vec.norm(a), np.linalg.norm(u), scale)


@given(matrix, matrix, vector)
def test_matrices(m, n, a):
    p, q, u = square(m), square(n), np.array(a)
    scale = (1 + np.abs(p).max()) * (1 + np.abs(q).max()) * (1 + np.abs(u).max())
    close(vec.mat_vec(m, a), p @ u, scale)
    close(vec.mat_t_vec(m, a), p.T @ u, scale)
    close(square(vec.mat_mul(m, n)), p @ q, scale)
    close(square(vec.mat_t_mul(m, n)), p.T @ q, scale)
    for k in range(3):
        close(vec.mat_col(m, k), p[:, k])


@given(symmetric, matrix, vector)
def test_symmetric_matrices(s, m, a):
    rotation = quat.to_matrix(unit((1.0, *(x / SIZE for x in a))))
    r = square(rotation)
    scale = 1 + np.abs(s).max()
    close(full(vec.rotate_sym(rotation, s)), r @ full(s) @ r.T, scale)
    close(full(vec.rotate_sym(m, s)), square(m) @ full(s) @ square(m).T, scale * (1 + np.abs(m).max()) ** 2)
    close(vec.sym_vec(s, a), full(s) @ np.array(a), scale * (1 + np.abs(a).max()))


@given(symmetric)
def test_sym_inverse(s):
    """S S⁻¹ = 1 up to the condition number."""
    m = full(s) @ full(s).T / SIZE + np.eye(3)  # positive definite
    condition = np.linalg.cond(m)
    assume(condition < 1e8)
    packed = (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
    close(full(linalg.sym_inverse(packed)) @ m, np.eye(3), condition**2)


def test_sym_inverse_of_a_known_matrix():
    assert linalg.sym_inverse((2.0, 4.0, 8.0, 0.0, 0.0, 0.0)) == (0.5, 0.25, 0.125, 0.0, 0.0, 0.0)


@given(st.tuples(*[st.floats(-10, 10, allow_subnormal=False)] * 3))
def test_quaternion_exponential_is_the_matrix_exponential(a):
    q = quat.exp(a)
    close(np.linalg.norm(q), 1.0)
    # Both sides evaluate sin and cos of an angle rounded relative to its size.
    close(square(quat.to_matrix(q)), rodrigues(a), 1 + np.linalg.norm(a))


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-9, 0.99e-4, 1.01e-4, 1.0, pi, 2 * pi])
def test_quaternion_exponential_near_its_branches(angle):
    q = quat.exp((0.0, angle, 0.0))
    close(q, (cos(angle / 2), 0.0, sin(angle / 2), 0.0))


@given(direction, direction)
def test_quaternion_product_is_the_product_of_rotations(a, b):
    p, q = quat.exp(a), quat.exp(b)
    both = square(quat.to_matrix(p)) @ square(quat.to_matrix(q))
    close(square(quat.to_matrix(quat.mul(p, q))), both, 4)


@given(direction)
def test_rotation_matrices_are_rotations(a):
    r = square(quat.to_matrix(quat.exp(a)))
    close(r @ r.T, np.eye(3), 4)
    close(np.linalg.det(r), 1.0, 4)
    close(r @ np.array(a), a, 4)  # the axis stays


@given(direction)
def test_cayley_turns_by_twice_the_arc_tangent(a):
    half = np.linalg.norm(a) / 2
    angle = 2 * np.arctan(half)
    close(quat.cayley(a), quat.exp(tuple(float(x) * angle / (2 * half) for x in a)), 4)


@given(st.tuples(number, number, number, number).filter(lambda q: np.linalg.norm(q) > 1e-3))
def test_normalize(q):
    close(quat.normalize(q), unit(q), 4)


@given(direction)
def test_axes_from_normal_are_right_handed_and_orthonormal(a):
    n = unit(a)
    t1, t2 = vec.axes_from_normal(n)
    axes = np.array([t1, t2, n])
    close(axes @ axes.T, np.eye(3), 8)
    close(np.cross(t1, t2), n, 8)


@pytest.mark.parametrize(
    "n", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (1e-9, 0.0, -1.0)]
)
def test_axes_from_special_normals(n):
    t1, t2 = vec.axes_from_normal(n)
    close(np.array([t1, t2, n]) @ np.array([t1, t2, n]).T, np.eye(3), 8)
    close(np.cross(t1, t2), n, 8)


@given(direction, direction)
def test_axes_from_normal_vary_smoothly_within_a_half_space(a, b):
    """No jump as the normal turns: the frame turns at most ten times as far."""
    n, m = unit(a), unit(b)
    assume((n[2] >= 0) == (m[2] >= 0))
    turn = np.abs(np.array(vec.axes_from_normal(n)) - vec.axes_from_normal(m)).max()
    assert turn <= 10 * np.linalg.norm(np.subtract(n, m)) + EPS


def test_rows_are_loaded_and_stored():
    array = np.arange(12.0).reshape(4, 3)
    assert vec.load(array, 2) == (6.0, 7.0, 8.0)
    vec.store(array, 1, (-1.0, -2.0, -3.0))
    assert array[1].tolist() == [-1.0, -2.0, -3.0]
    matrices = np.zeros((2, 9))
    vec.store_mat(matrices, 1, tuple(float(k) for k in range(9)))
    assert vec.load_mat(matrices, 1) == tuple(range(9))
    assert not matrices[0].any()
    coordinates = np.zeros(6)
    quat.store(coordinates, 1, (1.0, 2.0, 3.0, 4.0))
    assert coordinates.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 0.0]
    assert quat.load(coordinates, 1) == (1.0, 2.0, 3.0, 4.0)
