"""The settings of a world, with their defaults and the reasons for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from enum import IntEnum
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made, short_for
from tribo.checks.readonly import reading
from tribo.checks.sealed import Sealed
from tribo.enums import Bounce, EffectiveRadius, Solver
from tribo.model import Impact, Integrator, Settings

DEFAULTS: dict[str, float] = {
    "dt": 1e-3,  # [s] robots are controlled at 100 … 1000 Hz
    "gravity_x": 0.0,
    "gravity_y": 0.0,
    "gravity_z": -9.81,
    "erp": 0.2,  # an overlap halves in three steps without overshoot
    "erp2": 0.0,
    "max_push_out_speed": 0.3,  # [m/s] slow, so that deep overlaps open smoothly
    "tolerance": 1e-10,  # 1e-12 m/s at 1 ms: bodies at rest do not creep; see docs/reference/settings
    "max_sweeps": 300,
    "integrator": Integrator.MIDPOINT,
    "contact_solver": Solver.EXACT,
    "impact": Impact.SIMULTANEOUS,
    "bounce": Bounce.OFFSET,
    "effective_radius": EffectiveRadius.NORMAL,
    "sleeping": 0,  # off: it would stop bodies that creep slower than `sleep_speed`
    "sleep_speed": 2e-3,  # [m/s] as RaiSim; `sleep_time` exceeds the pause of a pendulum at its turning point
    "sleep_angular_speed": 1e-2,  # [rad/s]
    "sleep_time": 0.25,  # [s]
    "filter_both": 0,
}


def default_settings() -> Settings:
    """Return the settings of a new world."""
    settings = Settings.allocate({})
    for name, value in DEFAULTS.items():
        setattr(settings, name, value)
    return settings


T = TypeVar("T")
FILTERS = ("either", "both")


class Setting(Made[T]):
    """A setting of a world, declared once: batches take name, field and check from here.

    Args:
        doc: Its docstring, with the unit.
        checked: Converts a value and its name to the number of the record; raises errors with that name.
        shown: Converts the number of the record to the value that users read.
        field: Name in the record; "": the name that users know.
    """

    def __init__(
        self, doc: str, checked: Callable[[Any, str], Any], shown: Callable[[Any], T],
        field: str = "",
    ) -> None:  # fmt: skip
        """Declare it in a class, as ``erp = Setting("…", check.positive, float)``."""
        self.__doc__ = doc
        self.checked, self.shown, self.field = checked, shown, field

    def __set_name__(self, kind: type, name: str) -> None:
        """Store the name and create the property."""
        checked, shown, field = self.checked, self.shown, self.field or name
        get = attrgetter(f"_settings.{field}")

        def read(self: WorldSettings) -> T:
            return shown(get(self))

        def write(self: WorldSettings, value: Any) -> None:
            given = checked(value, name)
            self.check_editable(name)
            setattr(self._settings, field, given)

        read.__annotations__["return"] = shown.__name__ if isinstance(shown, type) else "str"
        super().__init__(read, write, self.__doc__ or "")
        self.name, self.field = name, field


def word(doc: str, kind: type[IntEnum]) -> Setting[str]:
    """Return a setting that is one of the words of an enumeration."""
    names = [one.name.lower() for one in kind]
    return Setting(
        doc,
        lambda value, what: kind[check.choice(value, names, what).upper()],
        lambda number: kind(int(number)).name.lower(),
    )


class WorldSettings(Sealed):
    """Settings of a world: time step, gravity, methods and tolerances."""

    def __init__(self) -> None:
        """Start with the defaults."""
        self._settings = default_settings()

    def check_editable(self, what: str) -> None:
        """Refuse an edit between `update` and `advance`, in a world; settings alone are always free."""

    time_step = Setting(
        """Time step [s], 1e-9 … 10.

        Below 1e-9 s sound crosses only some micrometres: no body is rigid. Above 10 s a body falls half a
        kilometre within one step. Most scenes need far less than that, see docs/reference/settings.
        """,
        check.time_step,
        float,
        field="dt",
    )

    dt: Made[float] = short_for("time_step", "Time step [s]: short for `time_step`.")

    @property
    def gravity(self) -> np.ndarray:
        """Gravity, shape (3,) [m/s²], world axes."""
        s = self._settings
        return reading(np.array([s.gravity_x, s.gravity_y, s.gravity_z]), "gravity")

    @gravity.setter
    def gravity(self, value: Any) -> None:
        made = check.vector(value, "gravity", 3)
        self.check_editable("gravity")
        for axis, component in zip("xyz", made, strict=True):
            setattr(self._settings, f"gravity_{axis}", float(component))

    erp = Setting(
        "Share of an overlap that one step removes, 0…1 [–].",
        partial(check.number, minimum=0.0, maximum=1.0),
        float,
    )
    erp2 = Setting(
        "Addition to the restitution of every pair, 0…1 [–]; the sum is at most 1.",
        partial(check.number, minimum=0.0, maximum=1.0),
        float,
    )
    max_push_out_speed = Setting(
        "Upper bound of the speed at which an overlap is removed [m/s].",
        partial(check.number, minimum=0.0),
        float,
    )
    tolerance = Setting(
        "Velocity error at which the contact solve ends, relative to the speed that a step removes [–].",
        partial(check.number, minimum=0.0),
        float,
    )
    max_sweeps = Setting(
        "Upper bound of the sweeps of a contact solve; `status` reports when they do not suffice.",
        partial(check.integer, minimum=1),
        int,
    )
    integrator = word(
        """``"midpoint"`` (second order, default), ``"semi_implicit"`` or ``"rk4"``.

        ``"rk4"`` is of fourth order for objects without contact, with explicit drives. Objects with a
        contact or a joint stop within reach of the step use a midpoint step: ``FELL_BACK_TO_MIDPOINT`` in
        `status`. Trees that rotate far in a step use substeps of fourth order under both, alone or under the
        solved forces and impulses; if these do not suffice, `status` has ``TIME_STEP_TOO_LONG``.
        """,
        Integrator,
    )
    impact = word(
        """``"simultaneous"`` (default): all impacts of a step are one problem; or ``"propagate"``.

        With ``"propagate"`` contacts rebound one after the other, each at the time within the step at which
        its gap closes: in a row of balls the last one leaves with the speed of the first, and the times of
        bounces are exact. The heights of bounces are exact in both.
        """,
        Impact,
    )
    bounce = word(
        """``"offset"`` (default): the rebound speed of a pair is e · max(0, v − threshold).

        Or ``"gate"``: it is e · v if the approach speed v exceeds the threshold.
        """,
        Bounce,
    )
    effective_radius = word(
        """Length r_e of rolling and spinning friction: ``"normal"`` (default) or ``"distance"``.

        ``"normal"`` is the arm of the normal force: the centre of mass above the contact plane.
        ``"distance"`` is RaiSim's, from the contact point to the centre of mass: 0.5 m instead of 0.4 m for a
        cylinder of 0.3 m × 0.8 m that stands. Both are the radius of a ball, or of a cylinder on its side.
        See docs/physics/materials.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> world.effective_radius = "distance"
        """,
        EffectiveRadius,
    )
    contact_solver = word(
        """``"exact"`` (default) or ``"sweeps"``: Gauss–Seidel sweeps only, for speed in large piles.

        With ``"sweeps"``, `max_sweeps` bounds the cost of a step, and sweeps end earlier below `tolerance`.
        """,
        Solver,
    )
    sleeping = Setting(
        """Whether bodies at rest fall asleep after `sleep_time`, which saves their computation.

        Robots stay awake unless their `can_sleep` is set. See docs/physics/sleep.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> world.sleeping = True
            >>> ground, box = world.add_ground(), world.add_box(size=(1, 1, 1), mass=1, position=(0, 0, 0.5))
            >>> world.step(300)
            >>> box.is_asleep
            True
        """,
        check.boolean,
        bool,
    )

    @property
    def continuous_collision(self) -> bool:
        """True: pairs are always followed through the step. Deprecated, to set it has no effect.

        See docs/physics/collision, *Bodies that pass*.
        """
        return True

    @continuous_collision.setter
    def continuous_collision(self, value: bool) -> None:
        check.boolean(value, "continuous_collision")
        warnings.warn(
            "continuous_collision has no effect: pairs are always followed through the step",
            DeprecationWarning,
            stacklevel=3,
        )

    sleep_speed = Setting(
        "Upper bound of the speed of a body at rest [m/s].", partial(check.number, minimum=0.0), float
    )
    sleep_angular_speed = Setting(
        "Upper bound of the angular speed of a body or joint at rest [rad/s].",
        partial(check.number, minimum=0.0),
        float,
    )
    sleep_time = Setting("Duration of rest of an island before it falls asleep [s].", check.positive, float)
    collision_filter = Setting(
        """``"either"`` (default: one mask that admits the pair suffices) or ``"both"``.""",
        lambda value, what: check.choice(value, FILTERS, what) == "both",
        lambda both: FILTERS[int(both)],
        field="filter_both",
    )
