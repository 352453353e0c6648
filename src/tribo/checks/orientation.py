"""Orientations in the forms in which users have them: each becomes a unit quaternion (w, x, y, z)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.types import Orientation

FORMS = ("rpy", "euler", "axis_angle", "rotation_matrix")  # options beside `orientation`
SKEW = 2.0 * check.UNIT_TOLERANCE  # [–] of Rᵀ R − 1, as for quaternions: rows of three digits pass


def orientation(value: Orientation, what: str) -> np.ndarray:
    """Return the unit quaternion (4,) of a quaternion (w, x, y, z), a matrix (3, 3) or SciPy's `Rotation`."""
    if hasattr(value, "as_matrix"):
        return of_matrix(value.as_matrix(), what)
    shape = _shape(value)
    if shape == (3, 3):
        return of_matrix(value, what)
    if shape == (3,):
        raise ValueError(
            f"{what} must be a quaternion (w, x, y, z) or a matrix (3, 3), got {check.shown(value)}; "
            "roll, pitch and yaw [rad]: rpy=(…) where it is added, or tribo.quaternion(rpy=(…))"
        )
    return check.quaternion(value, what)


def _shape(value: Any) -> tuple[int, ...]:
    """Return the shape of numbers; of rows that differ in length that of the list."""
    try:
        return np.shape(value)
    except ValueError:
        return (len(value),)


@answered_call
def quaternion(
    *, rpy: Any = None, euler: Any = None, axis_angle: Any = None, rotation_matrix: Any = None
) -> np.ndarray:
    """Return the unit quaternion (w, x, y, z), (4,), of an orientation in one of four other forms.

    Args:
        rpy: Roll, pitch, yaw [rad] about the fixed axes x, y, z, as in a URDF: R = R_z R_y R_x.
        euler: Axes and angles [rad], ("xyz", (a, b, c)), as SciPy has them: lower case, fixed axes; upper
            case, axes that turn along. Angles alone are refused: programs differ in what they mean.
        axis_angle: Axis (any length) and angle [rad], (x, y, z, angle) or ((x, y, z), angle).
        rotation_matrix: (3, 3), its columns are the axes of the body in the world.

    Raises:
        TypeError: None of them is given, or more than one.
        ValueError: A shape is wrong, a number is not finite, or a matrix is no rotation.

    Example:
        >>> import math, tribo
        >>> tribo.quaternion(rpy=(0, 0, math.pi)).round(6).tolist()
        [0.0, 0.0, 0.0, 1.0]
        >>> tribo.quaternion(axis_angle=(0, 0, 2, math.pi)).round(6).tolist()
        [0.0, 0.0, 0.0, 1.0]
    """
    forms = {"rpy": rpy, "euler": euler, "axis_angle": axis_angle, "rotation_matrix": rotation_matrix}
    found = chosen(None, forms)
    if found is None:
        raise TypeError(f"quaternion takes one of {', '.join(FORMS)}")
    return found


def chosen(value: Orientation | None, forms: dict[str, Any]) -> np.ndarray | None:
    """Return the unit quaternion (4,) of an `orientation` or another form; None: none is given."""
    given = {name: form for name, form in forms.items() if form is not None}
    if len(given) + (value is not None) > 1:
        names = [*(["orientation"] if value is not None else []), *given]
        raise TypeError(f"{' and '.join(names)} are the same twice; give one of them")
    if value is not None:
        return orientation(value, "orientation")
    for name, form in given.items():
        return _READERS[name](form)
    return None


def _of_rpy(value: Any) -> np.ndarray:
    return _turns("xyz", check.vector(value, "rpy", 3))


def _of_euler(value: Any) -> np.ndarray:
    what = 'euler must be axes and angles, ("xyz", (a, b, c))'
    if check.is_scalar(value) or len(value) != 2 or not isinstance(value[0], str):
        raise ValueError(
            f"{what}, got {check.shown(value)}; small letters: fixed axes, capitals: axes that turn along; "
            "roll, pitch and yaw of a URDF are rpy=(…)"
        )
    axes, angles = value
    if len(axes) != 3 or not (set(axes) <= set("xyz") or set(axes) <= set("XYZ")):
        raise ValueError(f'the axes of euler must be three of "xyz" or of "XYZ", got {axes!r}')
    return _turns(axes, check.vector(angles, "angles of euler", 3))


def _turns(axes: str, angles: np.ndarray) -> np.ndarray:
    """Return the product of three turns: about fixed axes the first is the last factor."""
    made = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(axes, angles, strict=True):
        turn = np.zeros(4)
        turn[0], turn[1 + "xyz".index(axis.lower())] = np.cos(0.5 * angle), np.sin(0.5 * angle)
        made = product(turn, made) if axis.islower() else product(made, turn)
    return made


def _of_axis_angle(value: Any) -> np.ndarray:
    parts = value if check.is_scalar(value) or len(value) != 2 else (*value[0], value[1])
    x, y, z, angle = check.vector(parts, "axis_angle", 4).tolist()
    axis = np.array([x, y, z])
    length = float(np.linalg.norm(axis))
    if length < check.SMALLEST:
        raise ValueError(
            f"axis_angle must have an axis of some length, got {check.shown(value)}; "
            "give (x, y, z, angle) or ((x, y, z), angle)"
        )
    return np.array([np.cos(0.5 * angle), *(np.sin(0.5 * angle) / length * axis)])


def of_matrix(value: Any, what: str = "rotation_matrix") -> np.ndarray:
    """Return the unit quaternion (4,) of a rotation (3, 3)."""
    made = check.array(value, what, "a (3, 3) rotation matrix")
    if made.shape != (3, 3):
        raise ValueError(f"{what} must be a (3, 3) rotation matrix, got shape {made.shape}")
    check.within_range(made, what)
    if np.abs(made.T @ made - np.eye(3)).max() > SKEW:
        raise ValueError(
            f"{what} must be a rotation, its columns unit vectors at right angles, got {check.shown(value)}"
        )
    if np.linalg.det(made) < 0.0:
        raise ValueError(f"{what} must be a rotation, got one that mirrors; change the sign of a column")
    found: np.ndarray = of_matrices(made[None])[0]
    return found


_READERS = {"rpy": _of_rpy, "euler": _of_euler, "axis_angle": _of_axis_angle, "rotation_matrix": of_matrix}


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quaternion of turn b, then turn a, both (4,)."""
    w, v, s, u = float(a[0]), a[1:], float(b[0]), b[1:]
    return np.concatenate([[w * s - v @ u], w * u + s * v + np.cross(v, u)])


def of_matrices(turns: np.ndarray) -> np.ndarray:
    """Return the quaternions (N, 4), w ≥ 0, of rotations (N, 3, 3).

    4 q qᵀ has entries that are sums of those of R; its longest column is the safest to divide by.
    Source: Shepperd 1978.
    """
    r = np.moveaxis(turns, 0, -1)
    outer = np.array(
        [
            [1 + r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 - r[0, 0] + r[1, 1] - r[2, 2], r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 - r[0, 0] - r[1, 1] + r[2, 2]],
        ]
    )
    best = np.argmax(np.einsum("iin->in", outer), axis=0)
    q = outer[:, best, np.arange(len(turns))].T
    q /= np.linalg.norm(q, axis=1)[:, None]
    return np.asarray(np.where(q[:, :1] < 0.0, -q, q))
