"""Colours by name, as RaiSim's files use them."""

from __future__ import annotations

from typing import Any

from tribo.checks import check

COLORS = {
    "red": (0.80, 0.22, 0.20),
    "green": (0.25, 0.60, 0.33),
    "blue": (0.22, 0.42, 0.75),
    "yellow": (0.92, 0.76, 0.22),
    "orange": (0.92, 0.52, 0.18),
    "purple": (0.50, 0.33, 0.66),
    "white": (0.94, 0.94, 0.94),
    "gray": (0.55, 0.57, 0.60),
    "grey": (0.55, 0.57, 0.60),
    "black": (0.12, 0.12, 0.13),
}


def color_of(appearance: str) -> tuple[float, ...] | None:
    """Return red, green, blue, alpha of an appearance: a name or numbers; None if it is neither."""
    if appearance in COLORS:
        return (*COLORS[appearance], 1.0)
    try:
        numbers = [float(word) for word in appearance.replace(",", " ").split()]
    except ValueError:
        return None
    if len(numbers) not in {3, 4} or not all(0.0 <= x <= 1.0 for x in numbers):
        return None
    return tuple([*numbers, 1.0][:4])


def given(value: Any, what: str) -> tuple[float, ...]:
    """Return red, green, blue, alpha of what a user gave as a colour: a name, or 3 or 4 numbers of 0 … 1.

    Raises:
        ValueError, TypeError: It is none of these; the message proposes the nearest name.

    Example:
        >>> given("red", "color")
        (0.8, 0.22, 0.2, 1.0)
        >>> given((0.1, 0.2, 0.3), "color")
        (0.1, 0.2, 0.3, 1.0)
    """
    if isinstance(value, str):
        made = color_of(value)
        if made is None:
            raise ValueError(
                f"{what} must be one of {', '.join(COLORS)} or 3 or 4 numbers of 0 … 1, got "
                f"{check.shown(value)}{check.nearest(value, COLORS)}"
            )
        return made
    numbers = check.array(value, what, "a name, or 3 or 4 numbers of 0 … 1")
    if numbers.shape not in ((3,), (4,)) or not ((numbers >= 0.0) & (numbers <= 1.0)).all():
        raise ValueError(
            f"{what} must be a name, or 3 or 4 numbers of 0 … 1 (red, green, blue, opacity), got "
            f"{check.shown(value)}"
        )
    return tuple([*numbers.tolist(), 1.0][:4])
