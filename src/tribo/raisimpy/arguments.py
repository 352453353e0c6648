"""Arguments of RaiSim's calls: an error names the argument, its value and the remedy, and nothing has changed."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, TypeVar

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import quaternion
from tribo.raisimpy.spelling import vector

MOST = 10_000_000  # items of what a number alone makes: copies, points, beams
T = TypeVar("T")
E = TypeVar("E", bound=Enum)


def picked(items: Sequence[T], index: Any, what: str, owner: Any = None) -> T:
    """Return one of several, of an object of tribo, by its number.

    Raises:
        TypeError: The number is no integer.
        IndexError: There is no such number.

    Example:
        >>> picked(["a", "b"], 2, "letter")
        Traceback (most recent call last):
        IndexError: there is no letter 2; there are 2, counted from 0
    """
    if type(index) is int and 0 <= index < len(items):
        return items[index]
    what = f"{what} of {owner.name}" if owner is not None else what
    if not isinstance(index, (int, np.integer)) or isinstance(index, bool):
        raise TypeError(f"the number of a {what} must be an integer, got {check.shown(index)}")
    if not 0 <= index < len(items):
        raise IndexError(f"there is no {what} {check.shown(index)}; there are {len(items)}, counted from 0")
    return items[int(index)]


def member(kind: type[E], value: Any) -> E:
    """Return a member of an enumeration, also of its value.

    Raises:
        ValueError: It is none; the message lists those that there are.

    Example:
        >>> from tribo.raisimpy import BodyType
        >>> member(BodyType, 3).name
        'DYNAMIC'
        >>> member(BodyType, "fast")
        Traceback (most recent call last):
        ValueError: BodyType must be one of BodyType.STATIC, BodyType.KINEMATIC, BodyType.DYNAMIC, got 'fast'
    """
    if isinstance(value, kind):
        return value
    value = int(value) if isinstance(value, np.integer) else value
    for one in kind:
        if type(value) is type(one.value) and value == one.value:
            return one
    known = ", ".join(f"{kind.__name__}.{name}" for name in kind.__members__)
    raise ValueError(f"{kind.__name__} must be one of {known}, got {check.shown(value)}")


def count(value: Any, what: str) -> int:
    """Return how many there shall be: an integer, 0 … ten million."""
    made = check.integer(value, what, 0)
    if made > MOST:
        raise ValueError(f"{what} must be ≤ {MOST}, got {made}")
    return made


def behind(item: Any, kind: Any, what: str) -> Any:
    """Return the object of tribo behind one of this layer.

    Raises:
        TypeError: It is of another kind.
    """
    if not isinstance(item, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or ".join(one.__name__ for one in kinds)
        raise TypeError(f"{what} must be of tribo.raisimpy's {names}, got {check.shown(item)}")
    return item.tribo


def instance(item: Any, kind: type[T], what: str) -> T:
    """Return an object of a class.

    Raises:
        TypeError: It is of another.
    """
    if not isinstance(item, kind):
        raise TypeError(f"{what} must be a {kind.__name__}, got {check.shown(item)}")
    return item


def turned(values: tuple[Any, ...], what: str) -> Any:
    """Return what tribo takes as an orientation; of three numbers, roll, pitch and yaw [rad], the quaternion.

    Example:
        >>> turned((0.0, 0.0, 3.141592653589793), "orientation").round(6).tolist()
        [0.0, 0.0, 0.0, 1.0]
    """
    given = vector(values)
    is_numbers = not hasattr(given, "as_matrix")
    is_rpy = is_numbers and check.array(given, what, "a quaternion, a matrix or three angles").shape == (3,)
    return quaternion(rpy=given) if is_rpy else given


def per_dof(value: Any, what: str, robot: Any) -> np.ndarray:
    """Return one number for each degree of freedom, (dof,): of an array, or the same number for all."""
    dof = robot.dof
    if check.is_plain(value, dof):
        return value  # type: ignore[no-any-return]
    what = f"{what} of {robot.name}"
    made = check.array(value, what, f"{dof} numbers")
    if made.shape == ():
        return np.full(dof, made)
    if made.shape != (dof,):
        raise ValueError(
            f"{what} must have shape ({dof},), one number for each degree of freedom, those of a floating "
            f"base first, got {made.shape}"
        )
    return made


def kept(made: np.ndarray, out: Any, what: str) -> np.ndarray:
    """Return an array, which is also written into the one that RaiSim's call takes for it.

    Raises:
        TypeError: It is no array of doubles that can be written to.
        ValueError: It has another shape.
    """
    if out is not None:
        if not isinstance(out, np.ndarray) or out.dtype != made.dtype or not out.flags.writeable:
            raise TypeError(f"{what} must be a writable array of {made.dtype}, got {check.shown(out)}")
        check.shaped(out, what, made.shape)[...] = made
    return made


def assign(*changes: tuple[Any, str, Any]) -> None:
    """Assign attributes of objects, (object, attribute, value): all of them, or none if one is refused."""
    before = []
    for it, attribute, _ in changes:
        value = getattr(it, attribute)
        before.append(np.array(value) if isinstance(value, np.ndarray) else value)
    for k, (it, attribute, value) in enumerate(changes):
        try:
            setattr(it, attribute, value)
        except Exception:
            for (one, name, _), old in zip(changes[:k], before[:k], strict=True):
                setattr(one, name, old)
            raise


def assign_each(handles: Sequence[Any], attribute: str, values: Any, what: str) -> None:
    """Assign an attribute of links or joints from a list: each value is checked before the first is set."""
    given = check.listed(values, what, f"a list of {len(handles)}")
    if len(given) != len(handles):
        raise ValueError(f"{what} must be a list of {len(handles)}, got {len(given)}")
    later: list[Any] = []
    try:
        for handle, value in zip(handles, given, strict=True):
            handle._collect(later)
            setattr(handle, attribute, value)
    finally:
        for handle in handles:
            handle._collect(None)
    for write in later:
        write()
