"""How constraints give way and break: compliance, and the limits of force, time and impulse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import inf
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made
from tribo.checks.readonly import frozen, reading
from tribo.enums import Memory, Tuning
from tribo.model import Constraint
from tribo.objects.end import End

T = TypeVar("T")
JOINT_SPOOK_DAMPING = 1.0 / 30.0  # [s] as in AGX: two steps at 60 Hz
NEW = np.zeros(max(Tuning) + 1)  # `Tuning` of a new constraint
NEW[[Tuning.IS_ON, Tuning.ERP]] = 1.0
NEW[[Tuning.STIFFNESS, Tuning.BREAK_FORCE, Tuning.BREAK_IMPULSE, Tuning.MAX_LENGTH]] = inf
NEW[[Tuning.SPOOK_DAMPING, Tuning.ANGULAR_SPOOK_DAMPING]] = JOINT_SPOOK_DAMPING
MORE = {  # what files hold of a constraint where it is not as in a new one
    "compliance": Tuning.COMPLIANCE, "angular_compliance": Tuning.ANGULAR_COMPLIANCE,
    "spook_damping": Tuning.SPOOK_DAMPING, "angular_spook_damping": Tuning.ANGULAR_SPOOK_DAMPING,
    "break_time": Tuning.BREAK_TIME, "break_impulse": Tuning.BREAK_IMPULSE,
    "break_offset": Tuning.BREAK_OFFSET,
}  # fmt: skip


class Number(Made[float]):
    """A number of constraints, declared once: for a constraint, and for one in all worlds of a batch.

    Args:
        place: Its column in `Tuning`, or in `Memory`.
        doc: Its docstring, with the unit.
        least, most: Its range.
        is_positive: It must not be 0 either.
        is_endless: It may be inf.
        also: A second column that has the same number.
    """

    name: str

    def __init__(
        self, place: Tuning | Memory, doc: str, least: float = -inf, most: float = check.LARGEST, *,
        is_positive: bool = False, is_endless: bool = False, also: Tuning | None = None,
    ) -> None:  # fmt: skip
        """Declare it in the class of a constraint, as ``speed = Number(Tuning.SPEED, "…")``."""
        record = attrgetter("_memory" if isinstance(place, Memory) else "_tuning")

        def read(tie: Any) -> float:
            return float(record(tie)[place])

        def write(tie: Any, value: Any) -> None:
            tie._check(self.name)
            what = f"{self.name} of {tie.name}"
            if is_endless and check.is_scalar(value) and value == inf:
                given = inf
            elif is_positive:
                given = check.positive(value, what)
            else:
                given = check.number(value, what, minimum=least, maximum=most)
            tie._check_number(self.name, given)
            record(tie)[list(self.places)] = given

        super().__init__(read, write, doc)
        self.places: tuple[Tuning | Memory, ...] = (place,) if also is None else (place, also)
        self.least = float(np.nextafter(0.0, 1.0)) if is_positive else least
        self.most, self.is_endless = most, is_endless

    def __set_name__(self, kind: type, name: str) -> None:
        """Note what users call it."""
        self.name = name


class Readout(Made[T]):
    """A readout of constraints, declared once: for a constraint, and for one in all worlds of a batch.

    ``@Readout[float]`` stands before the method that computes it, of arrays that may begin with the world.
    """

    def __init__(self, of_worlds: Callable[[Any], Any]) -> None:
        """Take the method; of one world a readout is a number, or an array that is only read."""

        def read(tie: Any) -> Any:
            made = np.asarray(of_worlds(tie))
            return frozen(made) if made.ndim else float(made)

        super().__init__(read, None, of_worlds.__doc__ or "")
        self.of_worlds = of_worlds
        self.__module__ = of_worlds.__module__  # where doctest looks for its example


class Breakable(ABC):
    """The part of a constraint that knows how it gives way and when it breaks."""

    _name: str
    _kind: ClassVar[Constraint]
    _tuning: np.ndarray
    _memory: np.ndarray
    _broken: np.ndarray
    _impulse: np.ndarray
    _ends: tuple[End, End]

    @abstractmethod
    def _check(self, what: str) -> None:
        """Refuse an edit of what was removed, or between `update` and `advance`."""

    compliance = Number(
        Tuning.COMPLIANCE, "How far its points part for each newton [m/N]; 0: not at all.", 0.0
    )
    angular_compliance = Number(
        Tuning.ANGULAR_COMPLIANCE,
        "How far its axes turn for each newton metre [rad/(N m)]; 0: not at all.",
        0.0,
    )
    spook_damping = Number(
        Tuning.SPOOK_DAMPING,
        "Time [s] in which what gave way comes back, if it has a compliance: damping over stiffness.",
        0.0,
    )
    angular_spook_damping = Number(Tuning.ANGULAR_SPOOK_DAMPING, "The same of `angular_compliance` [s].", 0.0)
    break_force = Number(
        Tuning.BREAK_FORCE,
        "Force [N] beyond which it breaks for good (not its torque); inf: never.",
        0.0,
        is_endless=True,
    )
    break_time = Number(
        Tuning.BREAK_TIME,
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
        """,
        0.0,
    )
    break_impulse = Number(
        Tuning.BREAK_IMPULSE,
        "Impulse [N s] of all steps together beyond which it breaks, see `borne_impulse`; inf: never.",
        0.0,
        is_endless=True,
    )
    break_offset = Number(
        Tuning.BREAK_OFFSET,
        "Part of the force [N] that does not count for breaking, as the weight that it carries anyway.",
        0.0,
    )

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
