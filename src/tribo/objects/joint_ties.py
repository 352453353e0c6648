"""Winches, locks and magnets between two bodies."""

from __future__ import annotations

from typing import Any

from tribo.checks import check
from tribo.enums import Memory, Tuning
from tribo.model import Constraint as Kind
from tribo.objects.breaking import Number
from tribo.objects.constraint import Constraint, Motor
from tribo.objects.wire import Wire


class Winch(Wire):
    """A wire that a drum takes in and lets out, as `World.add_winch` makes it.

    Its motor pulls with at most `max_force` while it takes in, its brake holds at most `brake_force`
    otherwise. Where the wire would need more tension than that, the drum slips and lets it out.
    """

    _kind = Kind.WINCH

    def _own_numbers(self) -> dict[str, Any]:
        return {
            "length": self.length, "speed": self.speed, "max_force": self.max_force,
            "brake_force": self.brake_force, "least_length": self.least_length,
            "most_length": self.most_length,
        } | self._rubbing()  # fmt: skip

    length = Number(Memory.LENGTH, "Length that is let out [m]; assign to set it at once.", is_positive=True)
    speed = Number(
        Tuning.SPEED, "Speed at which it takes in [m/s]; < 0 lets out, 0 holds. Assign to change it."
    )
    max_force = Number(
        Tuning.FORCE,
        "Most tension [N] that the motor pulls with while it takes in; inf: any.",
        0.0,
        is_endless=True,
    )
    brake_force = Number(
        Tuning.BACK_FORCE,
        "Most tension [N] that it holds while it stands or lets out; inf: any, 0: the drum turns freely.",
        0.0,
        is_endless=True,
    )
    least_length = Number(Tuning.MIN_LENGTH, "Length [m] at which it takes no more in.", 0.0)
    most_length = Number(
        Tuning.MAX_LENGTH,
        "Length [m] at which the drum is empty, and the end of the wire holds any force; inf: never.",
        0.0,
        is_endless=True,
    )

    def _check_number(self, name: str, value: float) -> None:
        super()._check_number(name, value)
        least = value if name == "least_length" else self.least_length
        most = value if name == "most_length" else self.most_length
        if least > most:
            raise ValueError(
                f"least_length of {self._name} must be ≤ most_length, got {least:g} and {most:g} m"
            )


class Lock(Motor):
    """A motor that keeps an angle, or a place along an axis, as `World.add_lock` makes it.

    With a `compliance` [rad/(N m), m/N] it is a spring with the damping `spook_damping`.
    """

    _kind = Kind.LOCK

    def _own_numbers(self) -> dict[str, Any]:
        return {"position": self.position} | self._forces()

    position = Number(
        Tuning.POSITION, "Angle [rad], or distance [m], of the second body to keep; assign to change it."
    )
    max_force = Number(
        Tuning.FORCE,
        "The most that it does either way [N m, or N]; inf: any. Assign to change it.",
        0.0,
        is_endless=True,
        also=Tuning.BACK_FORCE,
    )


class Magnet(Constraint):
    """A weld or hinge that holds as soon as its two ends are near enough, as `World.add_magnet` makes it."""

    _begins_idle = True

    def _own_numbers(self) -> dict[str, Any]:
        return {"catch_distance": self.catch_distance, "catch_angle": self.catch_angle}

    @property
    def is_caught(self) -> bool:
        """Whether it holds; assign False to let go (it catches again if the ends are near), or True."""
        return bool(self._memory[Memory.IS_CAUGHT])

    @is_caught.setter
    def is_caught(self, value: bool) -> None:
        self._check("is_caught")
        given = check.boolean(value, f"is_caught of {self._name}")
        self._memory[Memory.IS_CAUGHT] = float(given)
        self._impulse[:] = 0.0

    catch_distance = Number(
        Tuning.CATCH_DISTANCE, "Distance of the two points [m] up to which it catches, > 0.", is_positive=True
    )
    catch_angle = Number(
        Tuning.CATCH_ANGLE,
        "Angle [rad] up to which it catches: of the axes for a hinge, of all three for a weld.",
        0.0,
    )
