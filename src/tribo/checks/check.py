"""Checks of what users hand in: each error says what, where, its value and the remedy."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from tribo.checks import answers

SHORTEST_STEP, LONGEST_STEP = 1e-9, 10.0  # [s] see `WorldSettings.time_step`
UNIT_TOLERANCE = 1e-3  # [–] a quaternion farther from unit length than this is a mistake
LARGEST = 1e15  # beyond it a double has no digits left for anything else
SMALLEST = 1e-15  # lengths, masses and times below it have squares and products that vanish
TRIANGLE = 1e-6  # [–] rounding that the principal moments of a real body may show
MAX_INTEGER = (1 << 63) - 1
DOUBLE = np.dtype(np.float64)
LONGEST = 80  # characters of a value in a message


def shown(value: Any) -> str:
    """Return a value as a message shows it: one line of readable length, a NumPy number as a plain one."""
    if isinstance(value, np.generic):
        value = value.item()
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def with_article(noun: str) -> str:
    """Return a noun behind its indefinite article: a box, an ellipsoid."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def is_scalar(value: Any) -> bool:
    """Tell whether a value is a single thing: no sequence, no text, no array with axes."""
    return not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0


def is_masked(value: Any) -> bool:
    """Tell whether a value has a masked entry, without loading `numpy.ma`, a large module."""
    masks = sys.modules.get("numpy.ma")
    return masks is not None and isinstance(value, masks.MaskedArray) and masks.is_masked(value)


def number(
    value: Any, what: str, *, minimum: float = -LARGEST, exclusive: bool = False, maximum: float = LARGEST
) -> float:
    """Return a finite float within a range; text and truth values are not numbers."""
    kind = type(value)
    is_number = kind is float or kind is int
    if not is_number and (isinstance(value, (bool, np.bool_)) or not is_scalar(value)):
        raise TypeError(f"{what} must be a number, got {shown(value)}")
    if not is_number and is_masked(value):
        raise TypeError(f"{what} must be a number, got a masked entry")
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be a number, got {shown(value)}") from None
    except OverflowError:
        result = 2.0 * LARGEST if value > 0 else -2.0 * LARGEST
    if not math.isfinite(result):
        raise ValueError(f"{what} must be finite, got {shown(value)}")
    if result < minimum or (exclusive and result == minimum):
        sign = ">" if exclusive else "≥"
        raise ValueError(f"{what} must be {sign} {minimum:g}, got {shown(value)}")
    if result > maximum:
        raise ValueError(f"{what} must be ≤ {maximum:g}, got {shown(value)}")
    return result


def time_step(value: Any, what: str = "time_step") -> float:
    """Return a time step [s]: long enough for bodies to be rigid, short enough for motion to be followed."""
    result = number(value, what)
    if not SHORTEST_STEP <= result <= LONGEST_STEP:
        raise ValueError(
            f"{what} must be from {SHORTEST_STEP:g} to {LONGEST_STEP:g} s, got {shown(value)}; units are SI: "
            "a millisecond is 0.001"
        )
    return result


def positive(value: Any, what: str) -> float:
    """Return a float > 0 that is neither too small nor too large to be calculated with."""
    result = number(value, what, minimum=0.0, exclusive=True)
    if result < SMALLEST:
        raise ValueError(f"{what} must be ≥ {SMALLEST:g}, got {shown(value)}; units are SI")
    return result


def pair(value: Any, what: str) -> tuple[Any, Any]:
    """Return the two entries (lower, upper) of a list or array; text and bytes are none."""
    if isinstance(value, (str, bytes, bytearray)) or is_scalar(value) or len(value) != 2:
        raise ValueError(f"{what} must be a pair (lower, upper), got {shown(value)}")
    lower, upper = value
    return lower, upper


def not_by_name(value: Any, what: str, remedy: str) -> None:
    """Refuse a mapping where an array is due; the message names the property that takes one.

    Raises:
        TypeError: It is a mapping.
    """
    if isinstance(value, Mapping):
        raise TypeError(
            f"{what} must be an array of all, got {shown(value)}; by joint name: {remedy} = {{…}}"
        )


def array(value: Any, what: str, expected: str) -> np.ndarray:
    """Return float64 numbers of any shape (a copy); text, truth values and None are none."""
    if type(value) is np.ndarray and value.dtype is DOUBLE:
        return value.copy()
    try:
        result = np.array(value)
    except ValueError:
        raise TypeError(f"{what} must be {expected}, got {shown(value)}") from None
    if is_masked(value):
        raise TypeError(f"{what} must be {expected}, got masked entries")
    if result.dtype.kind == "O" and result.ndim == 1:
        result = np.array([number(x, f"{what}, entry {k}") for k, x in enumerate(result)])
    if result.dtype.kind not in "fiu":
        raise TypeError(f"{what} must be {expected}, got {shown(value)}")
    return result.astype(np.float64)


def is_plain(value: Any, length: int) -> bool:
    """Tell whether a value is an array of `length` doubles, all finite and not absurdly large.

    Such a value needs no other check. Others may be good, too: `array` makes numbers of them or says why not.
    """
    if type(value) is not np.ndarray or value.dtype is not DOUBLE or value.shape != (length,):
        return False
    return math.hypot(*value.tolist()) <= LARGEST  # false with NaN


def within_range(values: np.ndarray, what: str) -> np.ndarray:
    """Return an array whose entries are all finite and not absurdly large."""
    if values.size < 64 and math.hypot(*values.ravel().tolist()) <= LARGEST:  # false with NaN
        return values  # the common case, several times faster than NumPy
    bad = np.argwhere(~(np.abs(values) <= LARGEST))
    if len(bad):
        at = tuple(int(k) for k in bad[0])
        entry = float(values[at])
        rule = f"at most {LARGEST:g} in size" if math.isfinite(entry) else "finite"
        place = f"entry {at[0] if len(at) == 1 else at} is" if at else "got"
        raise ValueError(f"{what} must be {rule}, {place} {entry!r}")
    return values


def vector(value: Any, what: str, length: int) -> np.ndarray:
    """Return a finite float64 vector of a given length (a copy)."""
    result = array(value, what, f"{length} numbers")
    if not result.ndim:
        raise TypeError(f"{what} must be {length} numbers, got {shown(value)}")
    if result.shape != (length,):
        raise ValueError(f"{what} must have shape ({length},), got {result.shape}")
    return within_range(result, what)


def shaped(values: np.ndarray, what: str, *shapes: tuple[int, ...]) -> np.ndarray:
    """Return an array that has one of some shapes."""
    if values.shape not in shapes:
        wanted = " or ".join(map(str, shapes))
        raise ValueError(f"{what} must have shape {wanted}, got {values.shape}")
    return values


def like(value: Any, model: np.ndarray, what: str) -> np.ndarray:
    """Return an array that has the type and the shape of another one."""
    if not isinstance(value, np.ndarray) or value.dtype != model.dtype:
        raise TypeError(f"{what} is no array of {model.dtype}")
    return shaped(value, what, model.shape)


def for_each(value: Any, what: str, count: int) -> np.ndarray:
    """Return numbers (count,), not to be written, of one for all or one for each."""
    made = array(value, what, "numbers")
    if made.shape not in ((), (count,)):
        raise ValueError(f"{what} must be a number or have shape ({count},), got {made.shape}")
    return np.broadcast_to(made, (count,))


def not_negative(values: np.ndarray, what: str) -> np.ndarray:
    """Return an array that has no entry below zero."""
    if (values < 0.0).any():
        k = int(np.argmin(values))
        raise ValueError(f"{what} must be ≥ 0, entry {k} is {float(values.ravel()[k])!r}")
    return values


def lengths(quaternions: np.ndarray) -> np.ndarray:
    """Return the lengths of quaternions (…, 4): the same bits for one as for many."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    return np.asarray(np.sqrt(w * w + x * x + y * y + z * z))


def quaternion(value: Any, what: str) -> np.ndarray:
    """Return a unit quaternion (w, x, y, z); one that is far from unit length is refused."""
    result = vector(value, what, 4)
    length = float(lengths(result))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise ValueError(
            f"{what} must be a unit quaternion (w, x, y, z), got {result.tolist()} of length {length:.6g}; "
            "divide it by its length if that is what you mean"
        )
    return result if length == 1.0 else result / length


def inertia(value: Any, what: str) -> np.ndarray:
    """Return a symmetric positive definite 3×3 inertia that some body can have."""
    result = array(value, what, "3 or 3×3 numbers [kg m²]")
    if result.shape == (3,):
        result = np.diag(result)
    within_range(shaped(result, what, (3,), (3, 3)), what)
    if not np.allclose(result, result.T, rtol=1e-9, atol=0.0):
        raise ValueError(f"{what} must be symmetric, got {result.tolist()}")
    moments = np.linalg.eigvalsh(result)
    if moments[0] <= 0.0:
        raise ValueError(f"{what} must be positive definite, its least eigenvalue is {moments[0]:g} kg m²")
    if violates_triangle(moments):
        raise ValueError(
            f"{what} has principal moments {', '.join(f'{m:g}' for m in moments)} kg m²; "
            "of a rigid body none is larger than the sum of the other two"
        )
    return result


def inertias(matrices: np.ndarray, what: str) -> np.ndarray:
    """Return inertias, (n, 3, 3), each of which some body can have; as `inertia`, for many at once."""
    is_odd = ~(np.abs(matrices) <= LARGEST).all(axis=(1, 2))  # or no number
    turned = matrices.transpose(0, 2, 1)
    is_odd |= ~np.isclose(matrices, turned, rtol=1e-9, atol=0.0).all(axis=(1, 2))
    moments = np.linalg.eigvalsh(np.where(is_odd[:, None, None], np.eye(3), matrices))
    is_odd |= moments[:, 0] <= 0.0
    is_odd |= moments[:, 2] > (moments[:, 0] + moments[:, 1]) * (1.0 + TRIANGLE)
    for matrix in matrices[is_odd]:
        inertia(matrix, what)  # says what is wrong
    return matrices


def violates_triangle(moments: np.ndarray) -> bool:
    """Tell whether ascending principal moments are those of no rigid body.   I₃ ≤ I₁ + I₂"""
    return bool(moments[2] > (moments[0] + moments[1]) * (1.0 + TRIANGLE))


def integer(value: Any, what: str, minimum: int) -> int:
    """Return an integer of at least `minimum` that fits into 64 bits."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what} must be an integer, got {shown(value)}")
    if value < minimum:
        raise ValueError(f"{what} must be ≥ {minimum}, got {shown(value)}")
    if value > MAX_INTEGER:
        raise ValueError(f"{what} must be ≤ {MAX_INTEGER}, got {shown(value)}")
    return int(value)


def boolean(value: Any, what: str) -> bool:
    """Return a truth value; numbers and texts are none.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be True or False, not {shown(value)}")
    return bool(value)


def values(value: Any, what: str) -> np.ndarray:
    """Return one value or an array of them as they are; rows of different lengths are refused."""
    try:
        return np.asarray(value)
    except ValueError:
        raise TypeError(f"{what}: rows of different lengths are no array: {shown(value)}") from None


def booleans(value: Any, what: str) -> np.ndarray:
    """Return an array of truth values.

    Raises:
        TypeError: It holds something else.
    """
    made = values(value, what)
    if made.dtype != np.bool_:
        raise TypeError(f"{what} must be True or False, one or an array of them, not {shown(value)}")
    return made


def bits(value: Any, what: str) -> int:
    """Return 64 bits as a signed integer; −1 means all, and 1 << 63 is allowed."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what} must be an integer of 64 bits, got {shown(value)}")
    if not -(1 << 63) <= value < (1 << 64):
        raise ValueError(f"{what} must fit into 64 bits, got {shown(value)}")
    return int(value) - (1 << 64) if value >= (1 << 63) else int(value)


def text(value: Any, what: str) -> str:
    """Return a string that files and browsers can hold: one without halves of characters (surrogates)."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, got {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{what} must be text that UTF-8 can hold, got {shown(value)}: character {error.start} is half "
            "of one (a surrogate)"
        ) from None
    return value


def name(value: Any, what: str) -> str:
    """Return a string that is not empty."""
    made = text(value, what)
    if not made:
        raise ValueError(f"{what} must not be empty")
    return made


def instance(value: Any, kind: Any, said: str) -> None:
    """Refuse what is none of a class or of several; `said` is what belongs there."""
    if not isinstance(value, kind):
        raise TypeError(f"{said}, got {shown(value)}")


@contextmanager
def needed(said: str) -> Iterator[None]:
    """Let an import within it that fails be an ImportError that says for what it is, and how to get it."""
    try:
        yield
    except ImportError:
        raise ImportError(said) from None


def is_path(value: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Tell whether a value is a path: text, or something that has one as text."""
    return isinstance(value, (str, os.PathLike)) and not isinstance(os.fspath(value), bytes)


def path(value: Any, what: str) -> Path:
    """Return the path of a file; a folder and what is no path are refused."""
    if not is_path(value):
        raise TypeError(f"{what} must be the path of a file, got {shown(value)}")
    try:
        is_file = bool(str(value)) and "\0" not in str(value) and not Path(value).is_dir()
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        raise ValueError(f"{what} {shown(str(value))}: {error.strerror}") from None
    if not is_file:
        raise ValueError(f"{what} must be the path of a file, got {shown(str(value))}")
    return Path(value)


def is_iterable(value: Any) -> bool:
    """Tell whether a value can be gone through: arrays without dimensions only look as if they could."""
    return isinstance(value, Iterable) and not (isinstance(value, np.ndarray) and value.ndim == 0)


def listed(value: Any, what: str, expected: str) -> list[Any]:
    """Return what can be gone through as a list; text and classes are none. `expected` says of what."""
    if isinstance(value, (str, bytes)) or not is_iterable(value):
        raise TypeError(f"{what} must be a list of {expected}, got {shown(value)}")
    return list(value)


def folders(value: Any, what: str, root: Any = None) -> list[Path]:
    """Return one path or several as a list, a `root` behind them; files and what is no path are refused."""
    if root is not None:
        return [*folders(value, what), *folders((root,), "root")]
    given = (value,) if isinstance(value, (str, os.PathLike)) else value
    is_list = is_iterable(given) and not isinstance(given, bytes)
    listed = list(given) if is_list else [given]
    for folder in listed:
        if not is_path(folder):
            raise TypeError(f"{what} must be a folder or several, got {shown(folder)}; give paths")
        if os.path.isfile(folder):
            raise ValueError(f"{what}: {folder} is a file; give its folder")
    found = [Path(str(folder)) for folder in listed]
    for path in found:
        if not os.path.isdir(path):
            raise ValueError(f"{what}: there is no folder {str(path)!r}; mend the path")
    return found


def mapping(value: Any, what: str, expected: str) -> dict[Any, Any]:
    """Return a mapping as a dictionary of its own; `expected` says what belongs to what."""
    instance(value, Mapping, f"{what} must be a mapping of {expected}")
    return dict(value)


def known(wanted: Any, names: Collection[str], what: str) -> str:
    """Return a name that is among those that exist; the error proposes the nearest."""
    if isinstance(wanted, str) and wanted in names:
        return wanted
    raise KeyError(f"unknown {what} {shown(wanted)}{nearest(wanted, names)}")


def choice(value: Any, names: Collection[str], what: str) -> str:
    """Return a value that is one of a few words; the error proposes the nearest."""
    if isinstance(value, str) and value in names:
        return value
    error = ValueError if isinstance(value, str) else TypeError
    options = ", ".join(repr(option) for option in names)
    hint = nearest(value, names) if isinstance(value, str) else ""
    hint = hint if "did you mean" in hint else ""
    raise error(f"{what} must be one of {options}, got {shown(value)}{hint}")


def nearest(wanted: Any, names: Collection[str]) -> str:
    """Return the end of a message that proposes the nearest name, or lists some."""
    import difflib

    near = difflib.get_close_matches(str(wanted)[:LONGEST], names, 1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return answers.listed(names)
