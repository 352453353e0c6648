"""Constraints between bodies of any objects: pins, welds, hinges, rods, motors and wires."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.description.constraints import ConstraintDescription
from tribo.engine.builder import ConstraintInput
from tribo.engine.engine import Engine
from tribo.enums import CONSTRAINT_SLOTS, Memory, Tuning
from tribo.model import Constraint as Kind
from tribo.objects.base import Object
from tribo.objects.breaking import NEW, Breakable, Number, Readout
from tribo.objects.end import End
from tribo.objects.owner import Owner
from tribo.objects.states import turned, turned_back

STRETCH = {"stretch": 1, "compression": 2, "both": 3, "nothing": 0}
RESISTS = {bits: word for word, bits in STRETCH.items()}


class Constraint(Breakable, Sealed):
    """Two bodies, or a body and the world, held together in some directions: a pin, a weld or a hinge.

    `World.add_pin`, `add_weld` and `add_hinge` return one. It acts from the next step on, until
    ``world.remove(constraint)`` or while `is_on`. Objects that are removed take their constraints along.
    """

    _called = "constraint"
    _inner = frozenset((
        "attach", "changed_numbers", "describe", "detach", "is_changed", "is_from_file", "is_marked", "loads",
        "run_over", "tie", "way", "wrench",
    ))  # fmt: skip

    is_removed: bool
    is_from_file: bool
    is_marked: bool  # whether viewers draw a mark where it is; not of the joints of a cable
    _kind = Kind.JOINT
    _begins_idle = False  # True: it does not hold its bodies until it has caught them

    def __init__(self, world: Owner, name: str, what: str, ends: tuple[End, End], locked: int = 0,
                 stretch: int = 0) -> None:  # fmt: skip
        """Use the `add_…` methods of `World`."""
        self._world, self._name, self._what = world, name, what
        self._ends, self._locked, self._resisted = ends, locked, np.array([stretch])
        self._collide = True
        self._tuning = NEW.copy()
        self._impulse, self._broken = np.zeros(CONSTRAINT_SLOTS), np.zeros(1, np.int64)
        self._memory = np.zeros(len(Memory))
        self._memory[Memory.IS_IDLE] = float(self._begins_idle)
        self._over: tuple[End, ...] = ()  # places over which a wire runs
        self.is_removed = False
        self.is_from_file = False
        self.is_marked = True

    def __repr__(self) -> str:
        """Return what it is, its name and what it joins."""
        gone = ", removed" if self.is_removed else ", broken" if self.is_broken else ""
        first, second = self._ends
        joins = f"{self._what} of {first.label} and {second.label}"
        return f"<{type(self).__name__} {self._name!r}: {joins}{gone}>"

    @property
    def name(self) -> str:
        """Name, unique among the constraints of its world; assign another one that is free.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> rope = world.add_wire(None, world.add_sphere(0.1, mass=1.0), length=1.0)
            >>> rope.name = "rope"
            >>> world.constraint("rope") is rope
            True
        """
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._check("name")
        check.name(value, f"name of {self._name}")
        if any(tie.name == value and tie is not self for tie in self._world.constraints):
            raise ValueError(f"there is already a constraint named {value!r}; choose another name")
        self._name = value

    @property
    def type(self) -> str:
        """Kind of constraint: "pin", "weld", "hinge", "rod", "motor" or "wire".

        From files of robots also "equality": points that meet along one or two axes of the first body.
        """
        return self._what

    @property
    def objects(self) -> tuple[Object | None, Object | None]:
        """The two objects that it joins; None: the world."""
        return self._ends[0].part, self._ends[1].part

    @property
    def parts(self) -> list[Object | None]:
        """All objects that it touches; None: the world."""
        return [end.part for end in self.way]

    @property
    def ends(self) -> tuple[End, End]:
        """Where it holds on to the two bodies."""
        return self._ends

    @property
    def way(self) -> tuple[End, ...]:
        """Where it holds on, and between these ends the places over which a wire runs."""
        return self._ends[0], *self._over, self._ends[1]

    @Readout[np.ndarray]
    def points(self) -> np.ndarray:
        """Where it is attached to the first and to the second body, (2, 3) [m], world."""
        return np.stack([point for point, _ in self._poses()], axis=-2)

    @property
    def _stretch(self) -> int:
        """Directions in which a wire resists, as bits of `STRETCH`."""
        return int(self._resisted[0])

    def _check(self, what: str) -> None:
        if self.is_removed:
            raise EditError(f"{what} of {self._name}: the constraint was removed from its world")
        self._world.check_editable(f"{what} of {self._name}")

    def _check_number(self, name: str, value: float) -> None:
        """Refuse a value of a `Number` that its other numbers do not allow."""

    @property
    def is_on(self) -> bool:
        """Whether it acts; assign to switch it."""
        return bool(self._tuning[Tuning.IS_ON])

    @is_on.setter
    def is_on(self, value: bool) -> None:
        self._check("is_on")
        given = check.boolean(value, f"is_on of {self._name}")
        if given != self.is_on:
            self._tuning[Tuning.IS_ON] = float(given)
            self._memory[Memory.IS_IDLE] = float(not given)

    @property
    def collide(self) -> bool:
        """Whether the two bodies touch each other; assign to change it, in effect from the next step on.

        False holds as long as the constraint is in its world, also while it is off or broken. Another one,
        or `ArticulatedSystem.ignore_collision`, may keep the same two bodies apart besides.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> a = world.add_box((1.0, 1.0, 1.0), mass=1.0)
            >>> b = world.add_box((1.0, 1.0, 1.0), mass=1.0, position=(0.9, 0, 0))
            >>> weld = world.add_weld(a, b, collide=False)
            >>> world.step(10)
            >>> weld.collide, len(world.contacts)
            (False, 0)
        """
        return self._collide

    @collide.setter
    def collide(self, value: bool) -> None:
        self._check("collide")
        what = f"collide of {self._name}"
        if not check.boolean(value, what) and None in self.objects:
            raise ValueError(
                f"{what} must be True: one end is in the world itself, which has no shapes; name the object "
                "that stands there instead of None"
            )
        if value != self._collide:
            self._collide = bool(value)
            self._world.rebuild()

    erp = Number(
        Tuning.ERP, "Part of its gap that one step closes, 0 … 1 [–]; `World.erp` is of overlaps.", 0.0, 1.0
    )

    # -- readouts; in a batch arrays begin with the world (`ConstraintBatch`) ----------------------
    def _poses(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return points (3,) [m] and axes (3, 3) of both ends, world."""
        return [end.pose() for end in self._ends]

    def _mean(self) -> np.ndarray:
        """Return the mean of each of its rows in the last step, (6,) [N, N m]."""
        return np.asarray(self._impulse / self._world.engine.settings.dt)

    @property
    def impulse(self) -> np.ndarray:
        """Impulse on the first body in the last step, (3,) [N s], world."""
        return frozen(self.force * self._world.engine.settings.dt)

    @Readout[np.ndarray]
    def force(self) -> np.ndarray:
        """Mean force on the first body in the last step, (3,) [N], world; the second feels the opposite."""
        return self.wrench(self._ends[0].pose()[1])[0]

    @Readout[np.ndarray]
    def torque(self) -> np.ndarray:
        """Mean torque on the first body in the last step, (3,) [N m], world, besides that of the force."""
        return self.wrench(self._ends[0].pose()[1])[1]

    def loads(self, way: Any) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return what it did in the last step; `way`: points (3,) and axes (3, 3) of the places of its way.

        For each of them the point (3,) [m], the force (3,) [N] and the torque besides (3,) [N m], world.
        """
        (_, axes), (point, _) = way
        force, torque = self.wrench(axes)
        return [(point, force, torque), (point, -force, -torque)]

    def wrench(self, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return force (3,) [N], torque (3,) [N m] on the first body, world; `axes`: (3, 3) of its end."""
        mean = self._mean()
        return turned(axes, mean[..., :3]), turned(axes, mean[..., 3:])

    @Readout[np.ndarray]
    def gap(self) -> np.ndarray:
        """How far the two attachment points are apart in the locked directions, (3,) [m], world."""
        (first, axes), (second, _) = self._poses()
        local = turned_back(axes, first - second)
        local[..., [not self._locked >> k & 1 for k in range(3)]] = 0.0
        return turned(axes, local)

    @property
    def is_changed(self) -> bool:
        """Whether its numbers are others than those of a new pin or weld."""
        return not bool((self._tuning == NEW).all())

    def describe(self) -> ConstraintDescription:
        """Return it as a file describes it; objects by name."""
        objects = [None if end.part is None else end.part.name for end in self._ends]
        bodies = [-1 if end.part is None else end.body for end in self._ends]
        numbers: dict[str, Any] = {"erp": self.erp, "break_force": self.break_force}
        if not self.is_on:
            numbers["is_on"] = False
        if not self._collide:
            numbers["collide"] = False
        return ConstraintDescription(
            self._what, (bodies[0], bodies[1]), np.array([end.point for end in self._ends]),
            np.array([end.axes for end in self._ends]), self._locked, self._name,
            (objects[0], objects[1]),
            numbers=numbers | self.changed_numbers() | self._own_numbers(),
            resists=RESISTS[self._stretch],
            over=[(None if end.part is None else end.part.name, end.body, end.point) for end in self._over],
            links=(self._ends[0].link, self._ends[1].link),
        )  # fmt: skip

    def _own_numbers(self) -> dict[str, Any]:
        """Return the numbers that only its kind has."""
        return {}

    # -- records -------------------------------------------------------------------------------
    def tie(self, first_body: dict[int, int]) -> ConstraintInput:
        """Return it as the builder needs it; `first_body` by the id of an object."""
        bodies = [-1 if end.part is None else first_body[end.part.id] + end.body for end in self._sides()]
        points = np.array([end.point for end in self._ends])
        axes = np.array([end.axes.ravel() for end in self._ends])
        return ConstraintInput(
            self._kind,
            (bodies[0], bodies[1]),
            points,
            axes,
            self._locked,
            self._stretch,
            self._collide,
            self._path(first_body),
        )

    def _sides(self) -> tuple[End, End]:
        """Return places on the two bodies whose motion counts."""
        return self._ends

    def _path(self, first_body: dict[int, int]) -> list[tuple[int, np.ndarray]]:
        """Return the points over which it runs, with their bodies; none of most constraints."""
        return []

    def attach(self, engine: Engine, c: int) -> None:
        """Move its numbers into freshly built records, where it is number c."""
        slot = int(engine.model.constraint_slot[c])
        views = {
            "_tuning": engine.command.constraint[c],
            "_impulse": engine.state.scalar_impulse[slot : slot + CONSTRAINT_SLOTS],
            "_broken": engine.state.constraint_is_broken[c : c + 1],
            "_memory": engine.state.constraint_memory[c],
            "_resisted": engine.model.constraint_stretch[c : c + 1],
        }
        for name, view in views.items():
            view[:] = getattr(self, name)
            setattr(self, name, view)

    def detach(self) -> None:
        """Keep its numbers apart from the records, before a rebuild."""
        for name in ("_tuning", "_impulse", "_broken", "_memory", "_resisted"):
            setattr(self, name, getattr(self, name).copy())


class Motor(Constraint):
    """A motor that turns or pushes the second body relative to the first, as `World.add_motor` makes it."""

    _kind = Kind.MOTOR

    def _own_numbers(self) -> dict[str, Any]:
        return {"speed": self.speed} | self._forces()

    def _forces(self) -> dict[str, Any]:
        lower, upper = self.force_range
        more = {} if lower == -upper else {"force_range": (lower, upper)}
        return {"max_force": upper} | more

    speed = Number(Tuning.SPEED, "Speed to keep [rad/s, or m/s]; assign to change it.")
    max_force = Number(
        Tuning.FORCE, "The most that it does [N m, or N]; assign to change it.", 0.0, also=Tuning.BACK_FORCE
    )

    @property
    def force_range(self) -> tuple[float, float]:
        """Least and largest that it does [N m, or N]: (−max_force, max_force), or what is assigned."""
        return -float(self._tuning[Tuning.BACK_FORCE]), float(self._tuning[Tuning.FORCE])

    @force_range.setter
    def force_range(self, value: Any) -> None:
        what = f"force_range of {self._name}"
        try:
            lower, upper = value
        except (TypeError, ValueError):
            raise ValueError(
                f"{what} must be two numbers (least, largest), got {check.shown(value)}"
            ) from None
        lower, upper = check.number(lower, what), check.number(upper, what)
        if not lower <= 0.0 <= upper:
            raise ValueError(f"{what} must be from ≤ 0 to ≥ 0, got {lower:g} to {upper:g}")
        self._check("force_range")
        self._tuning[Tuning.BACK_FORCE], self._tuning[Tuning.FORCE] = -lower, upper

    @Readout[float]
    def applied(self) -> np.ndarray:
        """Torque [N m] or force [N] of the last step on the second body along the axis."""
        return self._mean()[..., 0]

    def wrench(self, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return force (3,) [N] and torque (3,) [N m] on the first body; `axes` as in `Constraint`."""
        push = -axes[..., 2] * self._mean()[..., :1]
        return push * bool(self._locked & 4), push * bool(self._locked & 32)
