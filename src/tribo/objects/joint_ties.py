"""Winches, locks and magnets between two bodies."""

from __future__ import annotations

from typing import Any

from tribo.checks import check
from tribo.enums import Memory, Tuning
from tribo.objects.constraint import Constraint, Motor
from tribo.objects.wire import Wire


class Winch(Wire):
    """A wire that a drum takes in and lets out, as `World.add_winch` makes it.

    Its motor pulls with at most `max_force` while it takes in, its brake holds at most `brake_force`
    otherwise. Where the wire would need more tension than that, the drum slips and lets it out.
    """

    def _own_numbers(self) -> dict[str, Any]:
        return {
            "length": self.length, "speed": self.speed, "max_force": self.max_force,
            "brake_force": self.brake_force, "least_length": self.least_length,
            "most_length": self.most_length,
        } | self._rubbing()  # fmt: skip

    @property
    def length(self) -> float:
        """Length that is let out [m]; assign to set it at once."""
        return float(self._memory[Memory.LENGTH])

    @length.setter
    def length(self, value: float) -> None:
        self._check("length")
        what = f"length of {self._name}"
        self._memory[Memory.LENGTH] = check.positive(check.number(value, what), what)

    @property
    def speed(self) -> float:
        """Speed at which it takes in [m/s]; < 0 lets out, 0 holds. Assign to change it."""
        return float(self._tuning[Tuning.SPEED])

    @speed.setter
    def speed(self, value: float) -> None:
        self._set(Tuning.SPEED, value, "speed")

    @property
    def max_force(self) -> float:
        """Most tension [N] that the motor pulls with while it takes in; inf: any."""
        return float(self._tuning[Tuning.FORCE])

    @max_force.setter
    def max_force(self, value: float) -> None:
        self._set_endless(Tuning.FORCE, value, "max_force")

    @property
    def brake_force(self) -> float:
        """Most tension [N] that it holds while it stands or lets out; inf: any, 0: the drum turns freely."""
        return float(self._tuning[Tuning.BACK_FORCE])

    @brake_force.setter
    def brake_force(self, value: float) -> None:
        self._set_endless(Tuning.BACK_FORCE, value, "brake_force")

    @property
    def least_length(self) -> float:
        """Length [m] at which it takes no more in."""
        return float(self._tuning[Tuning.LEAST_LENGTH])

    @least_length.setter
    def least_length(self, value: float) -> None:
        before = self.least_length
        self._set(Tuning.LEAST_LENGTH, value, "least_length", 0.0)
        self._check_way(Tuning.LEAST_LENGTH, before)

    @property
    def most_length(self) -> float:
        """Length [m] at which the drum is empty, and the end of the wire holds any force; inf: never."""
        return float(self._tuning[Tuning.MOST_LENGTH])

    @most_length.setter
    def most_length(self, value: float) -> None:
        before = self.most_length
        self._set_endless(Tuning.MOST_LENGTH, value, "most_length")
        self._check_way(Tuning.MOST_LENGTH, before)

    def _check_way(self, column: Tuning, before: float) -> None:
        """Refuse, and take back, an end of its way that is beyond the other one."""
        least, most = self.least_length, self.most_length
        if least > most:
            self._tuning[column] = before
            raise ValueError(
                f"least_length of {self._name} must be ≤ most_length, got {least:g} and {most:g} m"
            )


class Lock(Motor):
    """A motor that keeps an angle, or a place along an axis, as `World.add_lock` makes it.

    With a `compliance` [rad/(N m), m/N] it is a spring with the damping `spook_damping`.
    """

    def _own_numbers(self) -> dict[str, Any]:
        return {"position": self.position} | self._forces()

    @property
    def position(self) -> float:
        """Angle [rad], or distance [m], of the second body to keep; assign to change it."""
        return float(self._tuning[Tuning.POSITION])

    @position.setter
    def position(self, value: float) -> None:
        self._set(Tuning.POSITION, value, "position")

    @property
    def max_force(self) -> float:
        """The most that it does either way [N m, or N]; inf: any. Assign to change it."""
        return float(self._tuning[Tuning.FORCE])

    @max_force.setter
    def max_force(self, value: float) -> None:
        self._set_endless(Tuning.FORCE, value, "max_force")
        self._tuning[Tuning.BACK_FORCE] = self._tuning[Tuning.FORCE]


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

    @property
    def catch_distance(self) -> float:
        """Distance of the two points [m] up to which it catches, > 0."""
        return float(self._tuning[Tuning.CATCH_DISTANCE])

    @catch_distance.setter
    def catch_distance(self, value: float) -> None:
        what = f"catch_distance of {self._name}"
        self._set(
            Tuning.CATCH_DISTANCE, check.positive(check.number(value, what), what), "catch_distance"
        )

    @property
    def catch_angle(self) -> float:
        """Angle [rad] up to which it catches: of the axes for a hinge, of all three for a weld."""
        return float(self._tuning[Tuning.CATCH_ANGLE])

    @catch_angle.setter
    def catch_angle(self, value: float) -> None:
        self._set(Tuning.CATCH_ANGLE, value, "catch_angle", 0.0)
