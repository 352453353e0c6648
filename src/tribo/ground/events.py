"""When a point changes its state within an integrator's step: found to a tenth of a picosecond."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from tribo.ground.system import System
from tribo.model import ContactState

SAMPLES = 6  # looks at the states within a step, its end included
EXACT = 1e-13  # [s] width of the bracket around an event

Interpolant = Callable[[Any], np.ndarray]


@dataclass(frozen=True, slots=True)
class Event:
    """A point changes its state.

    The kinds have names: `touch_down`, `lift_off`, `slip` and `stick`.
    """

    time: float  # [s]
    point: int  # column of model.gc.point
    before: ContactState
    after: ContactState

    @property
    def kind(self) -> str:
        """Kind of event: "touch_down", "lift_off", "slip" or "stick"."""
        if self.before == ContactState.LIFTED:
            return "touch_down"
        if self.after == ContactState.LIFTED:
            return "lift_off"
        return "slip" if self.after == ContactState.SLIPPING else "stick"


def first_change(
    system: System, look: Interpolant, start: float, end: float
) -> tuple[float, np.ndarray] | None:
    """Return time and y just after a point first leaves its state within a step, or None.

    Args:
        system: Its points are in the states that the step was made with.
        look: The step's own interpolant, y at a time.
        start, end: [s] of the step.
    """
    times = start + (end - start) * np.linspace(0.0, 1.0, SAMPLES + 1)
    times[-1] = end
    values = system.margins(np.ascontiguousarray(look(times).T))
    bracket = _bracket(system, look, times, values)
    if bracket is None:
        return None
    low, high = bracket

    def worst(time: float) -> float:
        return float(system.margins(look(time)[None]).min())

    # The bracket begins where no point has left its state.
    if worst(low) > 0.0:
        found = float(brentq(worst, low, high, xtol=EXACT, rtol=4.0 * np.finfo(float).eps))
    else:
        found = low
    width = EXACT
    while found < high and worst(found) >= 0.0:
        found, width = min(found + width, high), 2.0 * width
    return found, np.ascontiguousarray(look(found))


def _bracket(
    system: System, look: Interpolant, times: np.ndarray, values: np.ndarray
) -> tuple[float, float] | None:
    """Return times between which a point leaves its state."""
    below = (values[1:] < 0.0).any(axis=1)
    first = int(np.argmax(below)) + 1 if below.any() else len(times)
    # Between samples a margin may dip below zero and come back: a parabola says where to look.
    a, b, c = values[:-2], values[1:-1], values[2:]
    bend = a - 2.0 * b + c
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = 0.5 * (a - c) / bend
        lowest = b - 0.125 * (a - c) ** 2 / bend
    dips = (bend > 0.0) & (np.abs(shift) < 1.0) & (lowest < 0.0) & (b >= 0.0)
    for j, k in zip(*np.nonzero(dips[: first - 1]), strict=True):
        middle = float(times[j + 1] + shift[j, k] * (times[j + 2] - times[j + 1]))
        if system.margins(look(middle)[None]).min() < 0.0:
            return float(times[j + (shift[j, k] > 0.0)]), middle
    if first == len(times):
        return None
    return float(times[first - 1]), float(times[first])


def changes(time: float, before: np.ndarray, after: np.ndarray) -> list[Event]:
    """Return the events of all points that changed their state."""
    return [
        Event(time, int(k), ContactState(int(before[k])), ContactState(int(after[k])))
        for k in np.flatnonzero(before != after)
    ]
