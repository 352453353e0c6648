"""The numbers of a world that users set, with their defaults and the reasons for them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import reading
from tribo.checks.sealed import Sealed
from tribo.enums import Bounce, EffectiveRadius, Solver
from tribo.model import Impact, Integrator, Settings

DEFAULTS: dict[str, float] = {
    "dt": 1e-3,  # [s] robots are controlled at 100 … 1000 Hz; materials' speeds are far below c
    "gravity_x": 0.0,
    "gravity_y": 0.0,
    "gravity_z": -9.81,
    "erp": 0.2,  # an overlap halves in three steps and no step overshoots
    "erp2": 0.0,
    "max_push_out_speed": 0.3,  # [m/s] a body placed inside another leaves it, it is not shot out
    "tolerance": 1e-10,  # 1e-12 m/s at 1 ms: resting things rest; see docs/reference/settings
    "max_sweeps": 300,
    "integrator": Integrator.MIDPOINT,
    "contact_solver": Solver.EXACT,
    "impact": Impact.SIMULTANEOUS,
    "bounce": Bounce.OFFSET,
    "effective_radius": EffectiveRadius.NORMAL,
    "sleeping": 0,  # what creeps slower than `sleep_speed` would be stopped: not unasked
    "sleep_speed": 2e-3,  # [m/s] RaiSim's numbers, but for a time that a pendulum does not stand still
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


class WorldSettings(Sealed):
    """Settings of a world that are numbers: time step, gravity, tolerances of solves."""

    def __init__(self) -> None:
        """Start with the defaults."""
        self._settings = default_settings()

    def check_editable(self, what: str) -> None:
        """Refuse an edit between `update` and `advance`, in a world; settings alone are always free."""

    def _set(self, what: str, value: float, field: str = "") -> None:
        """Write a setting; `field` is its name in the record where that is another."""
        self.check_editable(what)
        setattr(self._settings, field or what, value)

    @property
    def time_step(self) -> float:
        """Time step [s], 1e-9 … 10.

        In less, sound crosses some micrometres: no body is rigid. In more, a body falls half a kilometre
        within one step. Most scenes want far less than that, see docs/reference/settings.
        """
        return float(self._settings.dt)

    @time_step.setter
    def time_step(self, value: float) -> None:
        self._set("time_step", check.time_step(value), "dt")

    @property
    def dt(self) -> float:
        """Time step [s]: short for `time_step`."""
        return self.time_step

    @dt.setter
    def dt(self, value: float) -> None:
        self.time_step = value

    @property
    def gravity(self) -> np.ndarray:
        """Gravity, shape (3,) [m/s²], world axes."""
        s = self._settings
        return reading(np.array([s.gravity_x, s.gravity_y, s.gravity_z]), "gravity")

    @gravity.setter
    def gravity(self, value: Any) -> None:
        made = check.vector(value, "gravity", 3)
        for axis, component in zip("xyz", made, strict=True):
            self._set("gravity", float(component), f"gravity_{axis}")

    @property
    def erp(self) -> float:
        """Part of an overlap that one step removes, 0…1 [–]."""
        return float(self._settings.erp)

    @erp.setter
    def erp(self, value: float) -> None:
        self._set("erp", check.number(value, "erp", minimum=0.0, maximum=1.0))

    @property
    def erp2(self) -> float:
        """Added to the restitution of every pair (the sum is at most 1), 0…1 [–]."""
        return float(self._settings.erp2)

    @erp2.setter
    def erp2(self, value: float) -> None:
        self._set("erp2", check.number(value, "erp2", minimum=0.0, maximum=1.0))

    @property
    def max_push_out_speed(self) -> float:
        """Fastest speed at which an overlap is removed [m/s]."""
        return float(self._settings.max_push_out_speed)

    @max_push_out_speed.setter
    def max_push_out_speed(self, value: float) -> None:
        self._set("max_push_out_speed", check.number(value, "max_push_out_speed", minimum=0.0))

    @property
    def tolerance(self) -> float:
        """Largest velocity change of a last sweep, relative to the speed that a step removes [–]."""
        return float(self._settings.tolerance)

    @tolerance.setter
    def tolerance(self, value: float) -> None:
        self._set("tolerance", check.number(value, "tolerance", minimum=0.0))

    @property
    def max_sweeps(self) -> int:
        """Sweeps after which a contact solve stops and `status` says so."""
        return int(self._settings.max_sweeps)

    @max_sweeps.setter
    def max_sweeps(self, value: int) -> None:
        self._set("max_sweeps", check.integer(value, "max_sweeps", 1))

    @property
    def integrator(self) -> str:
        """``"midpoint"`` (second order, default), ``"semi_implicit"`` or ``"rk4"``.

        ``"rk4"`` is of fourth order for what touches nothing, with explicit drives; what has a contact or a
        joint stop within reach of the step takes a midpoint step, and `status` then has ``MIDPOINT_USED``.
        Trees that turn far in a step take it in parts of fourth order under both, alone or under the forces
        and impulses that were solved for; where a step is too long even so, `status` has ``COARSE``.
        """
        return Integrator(int(self._settings.integrator)).name.lower()

    @integrator.setter
    def integrator(self, value: str) -> None:
        name = check.choice(value, [i.name.lower() for i in Integrator], "integrator")
        self._set("integrator", Integrator[name.upper()])

    @property
    def impact(self) -> str:
        """``"simultaneous"`` (default): contacts that meet at once share one solution; or ``"propagate"``.

        With ``"propagate"`` contacts rebound one after the other, each at the time within the step at which
        its gap closes: a row of balls hands a speed on to the last one, and the times of bounces are exact.
        Their heights are exact in both.
        """
        return Impact(int(self._settings.impact)).name.lower()

    @impact.setter
    def impact(self, value: str) -> None:
        name = check.choice(value, [i.name.lower() for i in Impact], "impact")
        self._set("impact", Impact[name.upper()])

    @property
    def bounce(self) -> str:
        """``"offset"`` (default): pairs part at e · max(0, v − threshold); or ``"gate"``: e · v if v > it."""
        return Bounce(int(self._settings.bounce)).name.lower()

    @bounce.setter
    def bounce(self, value: str) -> None:
        name = check.choice(value, [b.name.lower() for b in Bounce], "bounce")
        self._set("bounce", Bounce[name.upper()])

    @property
    def effective_radius(self) -> str:
        """Length r_e of rolling and spinning friction: ``"normal"`` (default) or ``"distance"``.

        ``"normal"`` is the arm of the normal force: the centre of mass above the contact plane.
        ``"distance"`` is RaiSim's, from the contact point to the centre of mass: 0.5 m instead of 0.4 m for a
        cylinder of 0.3 m × 0.8 m that stands. Both are the radius of a ball, or of a cylinder on its side.
        See docs/physics/materials.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> world.effective_radius = "distance"
        """
        return EffectiveRadius(int(self._settings.effective_radius)).name.lower()

    @effective_radius.setter
    def effective_radius(self, value: str) -> None:
        name = check.choice(value, [r.name.lower() for r in EffectiveRadius], "effective_radius")
        self._set("effective_radius", EffectiveRadius[name.upper()])

    @property
    def contact_solver(self) -> str:
        """``"exact"`` (default) or ``"sweeps"``: contact after contact only, for speed in large piles.

        With ``"sweeps"``, `max_sweeps` is the price of a step and `tolerance` what is good enough.
        """
        return Solver(int(self._settings.contact_solver)).name.lower()

    @contact_solver.setter
    def contact_solver(self, value: str) -> None:
        name = check.choice(value, [s.name.lower() for s in Solver], "contact_solver")
        self._set("contact_solver", Solver[name.upper()])

    @property
    def sleeping(self) -> bool:
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
        """
        return bool(self._settings.sleeping)

    @sleeping.setter
    def sleeping(self, value: bool) -> None:
        self._set("sleeping", int(check.boolean(value, "sleeping")))

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

    @property
    def sleep_speed(self) -> float:
        """Speed up to which a body is quiet [m/s]."""
        return float(self._settings.sleep_speed)

    @sleep_speed.setter
    def sleep_speed(self, value: float) -> None:
        self._set("sleep_speed", check.number(value, "sleep_speed", minimum=0.0))

    @property
    def sleep_angular_speed(self) -> float:
        """Angular speed up to which a body or a joint is quiet [rad/s]."""
        return float(self._settings.sleep_angular_speed)

    @sleep_angular_speed.setter
    def sleep_angular_speed(self, value: float) -> None:
        self._set("sleep_angular_speed", check.number(value, "sleep_angular_speed", minimum=0.0))

    @property
    def sleep_time(self) -> float:
        """Time for which an island has to be quiet before it falls asleep [s]."""
        return float(self._settings.sleep_time)

    @sleep_time.setter
    def sleep_time(self, value: float) -> None:
        self._set("sleep_time", check.positive(value, "sleep_time"))

    @property
    def collision_filter(self) -> str:
        """``"either"`` (default: one mask that admits the pair is enough) or ``"both"``."""
        return "both" if self._settings.filter_both else "either"

    @collision_filter.setter
    def collision_filter(self, value: str) -> None:
        word = check.choice(value, ("either", "both"), "collision_filter")
        self._set("collision_filter", int(word == "both"), "filter_both")
