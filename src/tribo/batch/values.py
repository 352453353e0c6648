"""Values of a batch by name, as type checkers see them, and uncertain ones, as `randomize` asks."""

from __future__ import annotations

from typing import Any, Protocol, TypedDict

import numpy as np

from tribo.checks.types import Numbers
from tribo.materials.pair_properties import PairNumbers


class SettingValues(TypedDict, total=False):
    """Numbers of `Batch.set_settings`."""

    time_step: Numbers
    gravity: Numbers
    erp: Numbers
    sleeping: Numbers
    sleep_speed: Numbers
    sleep_angular_speed: Numbers
    sleep_time: Numbers


class LinkValues(TypedDict, total=False):
    """Properties of a link."""

    mass: Numbers
    com: Numbers
    inertia: Numbers
    gravity_compensation: Numbers


class JointValues(TypedDict, total=False):
    """Properties of a joint."""

    armature: Numbers
    damping: Numbers
    stiffness: Numbers
    dry_friction: Numbers
    velocity_limit: Numbers
    effort_limits: Numbers | tuple[Numbers, Numbers]
    limits: tuple[Numbers, Numbers]
    position_in_parent: Numbers


class MotorValues(TypedDict, total=False):
    """Numbers of motors between drives and joints."""

    delay: Numbers
    time_constant: Numbers
    stall_torque: Numbers
    no_load_speed: Numbers


class BatchPairNumbers(PairNumbers[Numbers], total=False):
    """Numbers of a pair of materials, one for all worlds or one for each."""

    static_friction: Numbers
    stiffness: Numbers
    constant_normal_force: Numbers


class Spread(Protocol):
    """Parameters that are known with some uncertainty, as `tribo.identify` finds them."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the k parameters."""

    def draw(self, count: int, generator: np.random.Generator | None = None) -> np.ndarray:
        """Return parameters (count, k)."""

    def of_normal(self, normal: np.ndarray) -> np.ndarray:
        """Return parameters (n, k) that independent standard normal numbers (n, k) stand for."""

    def set_in_batch(self, batch: Any, values: np.ndarray, worlds: np.ndarray) -> None:
        """Set parameters (n, k) in worlds (n,) of a batch."""
