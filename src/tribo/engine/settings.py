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
    "max_push_out_speed": 0.3,  # [m/s] a body inside another leaves it slowly
    "tolerance": 1e-10,  # 1e-12 m/s at 1 ms: bodies at rest do not creep; see docs/reference/settings
    "max_sweeps": 300,
    "integrator": Integrator.MIDPOINT,
    "contact_solver": Solver.EXACT,
    "impact": Impact.SIMULTANEOUS,
    "bounce": Bounce.OFFSET,
    "effective_radius": EffectiveRadius.NORMAL,
    "sleeping": 0,  # off: it would stop bodies that creep slower than `sleep_speed`
    "sleep_speed": 2e-3,  # [m/s] RaiSim's numbers; the time is longer than a pendulum rests
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
    """Settings of a world that are numbers: time step, gravity, tolerances of solves."""

    def __init__(self) -> None:
        """Start with the defaults."""
        self._settings = default_settings()

    def check_editable(self, what: str) -> None:
        """Refuse an edit between `update` and `advance`, in a world; settings alone are always free."""

    time_step = Setting(
        """Time step [s], 1e-9 … 10.

        In less, sound crosses some micrometres: no body is rigid. In more, a body falls half a kilometre
        within one step. Most scenes want far less than that, see docs/reference/settings.
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
        "Part of an overlap that one step removes, 0…1 [–].",
        partial(check.number, minimum=0.0, maximum=1.0),
        float,
    )
    erp2 = Setting(
        "Added to the restitution of every pair (the sum is at most 1), 0…1 [–].",
        partial(check.number, minimum=0.0, maximum=1.0),
        float,
    )
    max_push_out_speed = Setting(
        "Fastest speed at which an overlap is removed [m/s].", partial(check.number, minimum=0.0), float
    )
    tolerance = Setting(
        "Largest velocity change of a last sweep, relative to the speed that a step removes [–].",
        partial(check.number, minimum=0.0),
        float,
    )
    max_sweeps = Setting(
        "Sweeps after which a contact solve stops and `status` says so.",
        partial(check.integer, minimum=1),
        int,
    )
    integrator = word(
        """``"midpoint"`` (second order, default), ``"semi_implicit"`` or ``"rk4"``.

        ``"rk4"`` is of fourth order for what touches nothing, with explicit drives; what has a contact or a
        joint stop within reach of the step takes a midpoint step: ``FELL_BACK_TO_MIDPOINT`` in `status`.
        Trees that turn far in a step take it in parts of fourth order under both, alone or under the forces
        and impulses that were solved for; a step that is too long even so has ``TIME_STEP_TOO_LONG``.
        """,
        Integrator,
    )
    impact = word(
        """``"simultaneous"`` (default): contacts that meet at once share one solution; or ``"propagate"``.

        With ``"propagate"`` contacts rebound one after the other, each at the time within the step at which
        its gap closes: a row of balls hands a speed on to the last one, and the times of bounces are exact.
        Their heights are exact in both.
        """,
        Impact,
    )
    bounce = word(
        """``"offset"`` (default): pairs part at e · max(0, v − threshold).

        Or ``"gate"``: at e · v if v is more than the threshold.
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
        """``"exact"`` (default) or ``"sweeps"``: contact after contact only, for speed in large piles.

        With ``"sweeps"``, `max_sweeps` is the price of a step and `tolerance` what is good enough.
        """,
        Solver,
    )
    sleeping = Setting(
        """Whether bodies that have been at rest for a while are left at rest, which is cheap.

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
        "Speed up to which a body is quiet [m/s].", partial(check.number, minimum=0.0), float
    )
    sleep_angular_speed = Setting(
        "Angular speed up to which a body or a joint is quiet [rad/s].",
        partial(check.number, minimum=0.0),
        float,
    )
    sleep_time = Setting(
        "Time for which an island has to be quiet before it falls asleep [s].", check.positive, float
    )
    collision_filter = Setting(
        """``"either"`` (default: one mask that admits the pair is enough) or ``"both"``.""",
        lambda value, what: check.choice(value, FILTERS, what) == "both",
        lambda both: FILTERS[int(both)],
        field="filter_both",
    )
