"""How constraints give way and break: compliance, and the limits of force, time and impulse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import reading
from tribo.enums import Memory, Tuning
from tribo.model import Constraint
from tribo.objects.end import End

JOINT_SPOOK_DAMPING = 1.0 / 30.0  # [s] as in AGX: two steps at 60 Hz
NEW = np.zeros(max(Tuning) + 1)  # `Tuning` of a new constraint
NEW[[Tuning.IS_ON, Tuning.ERP]] = 1.0
NEW[[Tuning.STIFFNESS, Tuning.BREAK_FORCE, Tuning.BREAK_IMPULSE, Tuning.MOST_LENGTH]] = inf
NEW[[Tuning.SPOOK_DAMPING, Tuning.ANGULAR_SPOOK_DAMPING]] = JOINT_SPOOK_DAMPING
MORE = {  # what files hold of a constraint where it is not as in a new one
    "compliance": Tuning.COMPLIANCE, "angular_compliance": Tuning.ANGULAR_COMPLIANCE,
    "spook_damping": Tuning.SPOOK_DAMPING, "angular_spook_damping": Tuning.ANGULAR_SPOOK_DAMPING,
    "break_time": Tuning.BREAK_TIME, "break_impulse": Tuning.BREAK_IMPULSE,
    "break_offset": Tuning.BREAK_OFFSET,
}  # fmt: skip


class Breakable(ABC):
    """The part of a constraint that knows when it breaks."""

    _name: str
    _kind: Constraint
    _tuning: np.ndarray
    _memory: np.ndarray
    _broken: np.ndarray
    _impulse: np.ndarray
    _ends: tuple[End, End]

    @abstractmethod
    def _set(self, column: Tuning, value: Any, what: str, minimum: float = -inf) -> None:
        """Write a checked number, not below a least one, into a column of the tuning."""

    @abstractmethod
    def _set_endless(self, column: Tuning, value: Any, what: str) -> None:
        """Write what is ≥ 0 and may be infinite into a column of the tuning."""

    @abstractmethod
    def _check(self, what: str) -> None:
        """Refuse an edit of what was removed, or between `update` and `advance`."""

    @property
    def break_force(self) -> float:
        """Force [N] beyond which it breaks for good (not its torque); inf: never."""
        return float(self._tuning[Tuning.BREAK_FORCE])

    @break_force.setter
    def break_force(self, value: float) -> None:
        self._set_endless(Tuning.BREAK_FORCE, value, "break_force")

    @property
    def break_time(self) -> float:
        """Time [s] for which the force must be larger than `break_force`, without a pause; 0: one step.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> lamp = world.add_sphere(0.1, mass=1.0, position=(0, 0, 2))
            >>> pin = world.add_pin(lamp, None, break_force=5.0)
            >>> pin.break_time = 0.1
            >>> world.step(100)
            >>> pin.is_broken
            False
            >>> world.step(2)
            >>> pin.is_broken
            True
        """
        return float(self._tuning[Tuning.BREAK_TIME])

    @break_time.setter
    def break_time(self, value: float) -> None:
        self._set(Tuning.BREAK_TIME, value, "break_time", 0.0)

    @property
    def break_impulse(self) -> float:
        """Impulse [N s] of all steps together beyond which it breaks, see `borne_impulse`; inf: never."""
        return float(self._tuning[Tuning.BREAK_IMPULSE])

    @break_impulse.setter
    def break_impulse(self, value: float) -> None:
        self._set_endless(Tuning.BREAK_IMPULSE, value, "break_impulse")

    @property
    def break_offset(self) -> float:
        """Part of the force [N] that does not count for breaking, as the weight that it carries anyway."""
        return float(self._tuning[Tuning.BREAK_OFFSET])

    @break_offset.setter
    def break_offset(self, value: float) -> None:
        self._set(Tuning.BREAK_OFFSET, value, "break_offset", 0.0)

    @property
    def break_direction(self) -> np.ndarray | None:
        """Direction, unit (3,), frame of the first body, along which the force on it counts; None: all of it.

        Only a force along it counts, not one against it. Assign a direction of any length, or None.
        """
        local = self._tuning[Tuning.BREAK_DIRECTION : Tuning.BREAK_DIRECTION + 3]
        return reading(self._ends[0].axes @ local, "break_direction") if local.any() else None

    @break_direction.setter
    def break_direction(self, value: Any) -> None:
        self._check("break_direction")
        if self._kind != Constraint.JOINT:
            raise ValueError(
                f"{self._name} has one force only, along itself: break_force is all that it needs"
            )
        local = np.zeros(3)
        if value is not None:
            what = f"break_direction of {self._name}"
            given = check.vector(value, what, 3)
            size = float(np.linalg.norm(given))
            if size == 0.0:
                raise ValueError(f"{what} must not be zero; None: the whole force counts")
            local = self._ends[0].axes.T @ (np.asarray(given) / size)
        self._tuning[Tuning.BREAK_DIRECTION : Tuning.BREAK_DIRECTION + 3] = local

    def changed_numbers(self) -> dict[str, Any]:
        """Return how it gives way and breaks, where that is not as in a new one."""
        made: dict[str, Any] = {
            name: float(self._tuning[column])
            for name, column in MORE.items()
            if self._tuning[column] != NEW[column]
        }
        direction = self.break_direction
        return made if direction is None else made | {"break_direction": tuple(direction.tolist())}

    @property
    def borne_impulse(self) -> float:
        """Impulse [N s] that has counted so far, since it was added or mended, if something can break it."""
        return float(self._memory[Memory.WEAR])

    @property
    def is_broken(self) -> bool:
        """Whether it has borne more than `break_force` or `break_impulse`; assign False to mend it."""
        return bool(self._broken[0])

    @is_broken.setter
    def is_broken(self, value: bool) -> None:
        self._check("is_broken")
        self._broken[0] = check.boolean(value, f"is_broken of {self._name}")
        self._impulse[:] = 0.0
        self._memory[Memory.OVERLOAD] = self._memory[Memory.WEAR] = 0.0


class Compliant(ABC):
    """The part of a constraint that knows how it gives way."""

    _tuning: np.ndarray

    @abstractmethod
    def _set(self, column: Tuning, value: Any, what: str, minimum: float = -inf) -> None:
        """Write a checked number, not below a least one, into a column of the tuning."""

    @property
    def compliance(self) -> float:
        """How far its points part for each newton [m/N]; 0: not at all."""
        return float(self._tuning[Tuning.COMPLIANCE])

    @compliance.setter
    def compliance(self, value: float) -> None:
        self._set(Tuning.COMPLIANCE, value, "compliance", 0.0)

    @property
    def angular_compliance(self) -> float:
        """How far its axes turn for each newton metre [rad/(N m)]; 0: not at all."""
        return float(self._tuning[Tuning.ANGULAR_COMPLIANCE])

    @angular_compliance.setter
    def angular_compliance(self, value: float) -> None:
        self._set(Tuning.ANGULAR_COMPLIANCE, value, "angular_compliance", 0.0)

    @property
    def spook_damping(self) -> float:
        """Time [s] in which what gave way comes back, if it has a compliance: damping over stiffness."""
        return float(self._tuning[Tuning.SPOOK_DAMPING])

    @spook_damping.setter
    def spook_damping(self, value: float) -> None:
        self._set(Tuning.SPOOK_DAMPING, value, "spook_damping", 0.0)

    @property
    def angular_spook_damping(self) -> float:
        """The same of `angular_compliance` [s]."""
        return float(self._tuning[Tuning.ANGULAR_SPOOK_DAMPING])

    @angular_spook_damping.setter
    def angular_spook_damping(self, value: float) -> None:
        self._set(Tuning.ANGULAR_SPOOK_DAMPING, value, "angular_spook_damping", 0.0)
