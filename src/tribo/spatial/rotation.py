"""3-D vectors: coordinate rotations, rotation vectors, quaternions, cross-product matrices.

A rotation matrix E here is a *coordinate transform* from frame A to frame B: x_B = E x_A. It is the
transpose of the matrix that turns the axes of A into those of B. Angles are in radians.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ROUNDED = 1e-3  # how far E Eᵀ may be from 1: matrices typed with four digits pass, mistakes do not
_SMALL = 1e-4  # [rad] below, series replace quotients: their next term is below 1e-17


def rx(theta: float) -> np.ndarray:
    """Return the coordinate transform, (3, 3), to a frame turned by `theta` [rad] about x.

    Source: Featherstone 2008, Table 2.2.

    Example:
        >>> (rx(np.pi / 2) @ [0.0, 1.0, 0.0]).round(12).tolist()    # y of the old frame is −z of the new
        [0.0, 0.0, -1.0]
    """
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def ry(theta: float) -> np.ndarray:
    """Return the coordinate transform, (3, 3), to a frame turned by `theta` [rad] about y.

    Source: Featherstone 2008, Table 2.2.
    """
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def rz(theta: float) -> np.ndarray:
    """Return the coordinate transform, (3, 3), to a frame turned by `theta` [rad] about z.

    Source: Featherstone 2008, Table 2.2.
    """
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def skew(argument: Any) -> np.ndarray:
    """Return the matrix v× of a vector (3,), or the vector (3,) of a matrix (3, 3).

    v× a = cross(v, a). Of a matrix that is not skew-symmetric, the vector of its skew part.

    Source: Featherstone 2008, section 2.8 (the operator ×).

    Example:
        >>> skew(skew([1.0, 2.0, 3.0])).tolist()
        [1.0, 2.0, 3.0]
    """
    a = np.asarray(argument, float)
    if a.shape == (3, 3):
        return 0.5 * np.array([a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]])
    x, y, z = vector3(a, "skew")
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rv(argument: Any) -> np.ndarray:
    """Return the coordinate transform E of a rotation vector (3,) [rad], or the vector of an E.

    The second frame is the first one, turned by ‖v‖ about v: E = exp(−v×). Of a matrix, the vector
    of length 0…π; at π its sign is arbitrary.

    Source: Featherstone 2008, section 2.2 (Rodrigues' formula).

    Raises:
        ValueError: The matrix is no rotation.

    Example:
        >>> rv(rv([0.1, -0.2, 0.3])).round(12).tolist()
        [0.1, -0.2, 0.3]
    """
    a = np.asarray(argument, float)
    if a.shape == (3, 3):
        q = _quaternion_of(rotation(a, "rv"))
        sine = float(np.linalg.norm(q[1:]))
        if sine < _SMALL:
            return np.asarray(2.0 * q[1:])
        return np.asarray(2.0 * np.arctan2(sine, q[0]) / sine * q[1:])
    v = vector3(a, "rv")
    angle = float(np.linalg.norm(v))
    cross = skew(v)
    if angle < _SMALL:
        first, second = 1.0 - angle**2 / 6.0, 0.5 - angle**2 / 24.0
    else:
        first, second = np.sin(angle) / angle, 2.0 * (np.sin(0.5 * angle) / angle) ** 2
    return np.asarray(np.eye(3) - first * cross + second * cross @ cross)


def rq(argument: Any) -> np.ndarray:
    """Return the coordinate transform E of a quaternion (4,), or the unit quaternion of an E.

    The quaternion (w, x, y, z) is the rotation from the first frame to the second; it is normalised
    first. Of the two quaternions of a matrix, the one with w > 0 (w = 0: with its largest entry
    positive) is returned.

    Source: Featherstone 2008, section 4.5 (Euler parameters).

    Raises:
        ValueError: The quaternion is zero, or the matrix no rotation.

    Example:
        >>> rq([2.0, 0.0, 0.0, 0.0]).diagonal().tolist()
        [1.0, 1.0, 1.0]
    """
    a = np.asarray(argument, float)
    if a.shape == (3, 3):
        return _quaternion_of(rotation(a, "rq"))
    if a.size != 4:
        raise ValueError(f"rq takes a quaternion of 4 numbers or a 3×3 matrix, got shape {a.shape}")
    q = a.reshape(4)
    length = np.linalg.norm(q)
    if length == 0.0 or not np.isfinite(length):
        raise ValueError(f"rq: the quaternion must be finite and not zero, got {q.tolist()}")
    w, x, y, z = q / length
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)],
            [2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)],
            [2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z],
        ]
    )


def _quaternion_of(e: np.ndarray) -> np.ndarray:
    """Return the unit quaternion of a coordinate transform."""
    v = skew(e.T) * 2.0  # four times w times (x, y, z)
    trace = float(np.trace(e))
    # Column k of this symmetric matrix is four times entry k of q times q; the longest is the most exact.
    four = np.empty((4, 4))
    four[0, 0] = 1.0 + trace
    four[0, 1:] = four[1:, 0] = v
    four[1:, 1:] = e + e.T + (1.0 - trace) * np.eye(3)
    q = four[:, int(np.argmax(four.diagonal()))]
    q = q / np.linalg.norm(q)
    leading = q[0] if abs(q[0]) > 0.0 else q[int(np.argmax(np.abs(q)))]
    return np.asarray(q if leading > 0.0 else -q)


def rqd(first: Any, second: Any) -> np.ndarray:
    """Return the rate of a quaternion (4,) [1/s] from the angular velocity [rad/s].

    ``rqd(w, q)`` takes the angular velocity in fixed coordinates, ``rqd(q, w)`` in those of the body;
    the quaternion is the argument with four entries. If q is not of unit length, a term
    0.05 ‖w‖ (1 − ‖q‖) q brings it back.

    Source: Featherstone 2008, section 4.5 (the stabilising term is Spatial_v2's).

    Example:
        >>> rqd([0.0, 0.0, 2.0], [1.0, 0.0, 0.0, 0.0]).tolist()
        [0.0, 0.0, 0.0, 1.0]
    """
    a, b = np.ravel(np.asarray(first, float)), np.ravel(np.asarray(second, float))
    if (a.size, b.size) == (3, 4):
        w, q, sign = a, b, 1.0
    elif (a.size, b.size) == (4, 3):
        w, q, sign = b, a, -1.0
    else:
        raise ValueError(f"rqd takes 3 and 4 numbers in either order, got {a.size} and {b.size}")
    stabiliser = 0.1 * np.linalg.norm(w) * (1.0 - np.linalg.norm(q))
    rate = stabiliser * q
    rate[0] -= w @ q[1:]
    rate[1:] += w * q[0] + sign * np.cross(w, q[1:])
    return np.asarray(0.5 * rate)


def vector3(argument: Any, function: str) -> np.ndarray:
    """Return three numbers as a vector, whether they came as a row, a column or a list."""
    v = np.ravel(np.asarray(argument, float))
    if v.size != 3:
        raise ValueError(f"{function} takes 3 numbers (or a 3×3 matrix), got {v.size}")
    return v


def rotation(e: np.ndarray, function: str) -> np.ndarray:
    """Return a 3×3 matrix after checking that it is a rotation."""
    error = np.abs(e @ e.T - np.eye(3)).max()
    if not error <= ROUNDED:
        raise ValueError(
            f"{function}: E must be a rotation, but E Eᵀ differs from 1 by {error:.3g}: {e.tolist()}"
        )
    if np.linalg.det(e) < 0.0:
        raise ValueError(f"{function}: E must be a rotation, it is a mirror image: {e.tolist()}")
    return e
