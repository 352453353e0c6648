"""Descriptions of constraints between bodies in files: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

LOCKED = {  # bits: along x, y, z of the first end's axes, about x, y, z
    "pin": 0b000111, "weld": 0b111111, "hinge": 0b011111, "motor": 0b100000, "rod": 0, "wire": 0,
    "winch": 0, "lock": 0b100000, "magnet": 0b111111,
}  # fmt: skip


def same_axes() -> np.ndarray:
    """Return the axes of two ends, (2, 3, 3), that are those of their bodies."""
    return np.array([np.eye(3), np.eye(3)])


@dataclass(slots=True)
class ConstraintDescription:
    """A pin, weld, hinge, motor, lock, magnet, rod, wire or winch of a file, or points that meet along axes.

    In a robot the bodies are its own, −1 the world. In a scene `objects` says whose they are.
    """

    type: str  # as `Constraint.type`
    bodies: tuple[int, int] = (0, 0)
    points: np.ndarray = field(default_factory=lambda: np.zeros((2, 3)))  # [m] in each body
    axes: np.ndarray = field(default_factory=same_axes)  # as columns, in each body
    locked: int = 0  # as in `Model.constraint_locked`
    name: str = ""
    objects: tuple[Any, Any] = (None, None)  # name in a world file, number in a scene; None: the world
    frames: tuple[str, str] = ("", "")  # instead of bodies; points are in them
    numbers: dict[str, Any] = field(default_factory=dict)  # length, erp, is_on, collide …
    resists: str = "stretch"  # of a wire
    over: list[tuple[Any, int, Any]] = field(default_factory=list)  # object, body, point (3,) in it
    links: tuple[str | None, str | None] = (None, None)  # of the bodies' links; see `End`
