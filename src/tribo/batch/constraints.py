"""Constraints of a batch: their forces and numbers, world by world."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.checks import check
from tribo.checks.made import Made
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.enums import CONSTRAINT_SLOTS, Memory, Tuning
from tribo.objects.breaking import Number
from tribo.objects.constraint import STRETCH, Constraint
from tribo.objects.end import End
from tribo.objects.joint_ties import Magnet
from tribo.objects.states import turned
from tribo.objects.wire import Wire, check_rubs
from tribo.sensors.senses import Grip, midway_poses

Kind = type[Constraint]
Poses = Callable[[str], tuple[np.ndarray, np.ndarray]]  # of the bodies of an object in all worlds


@functools.cache
def numbers_of(kind: Kind) -> dict[str, Number]:
    """Return the numbers of a class of constraints by name."""
    found = {name: made for base in kind.__mro__[::-1] for name, made in vars(base).items()}
    return {name: made for name, made in found.items() if isinstance(made, Number)}


def shared(name: str, doc: str) -> Made[np.ndarray]:
    """Return the property of a `Readout` in all worlds, as the class of the constraint declares it."""

    def read(self: Any) -> np.ndarray:
        if not hasattr(self._made, name):
            self._lacks(name)
        return frozen(np.array(getattr(self._made, name).of_worlds(self)))

    return Made(read, None, doc)


def every(name: str, doc: str) -> Made[np.ndarray]:
    """Return the property of a `Number` in all worlds, as the class of the constraint declares it."""

    def column(self: Any) -> np.ndarray:
        found: np.ndarray = self._column(self._number_called(name).places[0])
        return found

    def write(self: Any, value: Any) -> None:
        number = self._number_called(name)
        if name == "friction":
            check_rubs(self)
        array, least, most = self._column(number.places[0]), number.least, number.most
        most = inf if most == check.LARGEST else most
        self._write(array, value, name, least, most, may_be_infinite=number.is_endless)
        for place in number.places[1:]:
            self._column(place)[...] = array

    return Made(column, write, doc)


class ConstraintBatch(Sealed):
    """One pin, weld, hinge, motor, rod or wire in all worlds of a batch, as ``batch.constraint(name)``.

    Arrays have the world as their first axis. The numbers that a user may set are the record itself:
    write into it, or assign one number, or one for each world. Readouts are read-only copies.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 1), name="ball")
        >>> rope = world.add_wire(None, ball, second_point=(0, 0, 0), length=1.0, name="rope", tension=0.0)
        >>> batch = tribo.Batch(world, 3, threads=1)
        >>> batch.constraint("rope").tension = [0.0, 10.0, 20.0]
        >>> bool(batch.step(10).all()), batch.constraint("rope").force.shape
        (True, (3, 3))
    """

    _inner = frozenset(("grips_on", "way", "wrench"))
    way: list[_Place]

    def __init__(self, batch: BatchOwner, tie: Constraint, number: int) -> None:
        """Use ``batch.constraint(name)``."""
        self._batch, self._number = batch, number
        self._made, self._name, self._what = tie.__class__, tie.name, tie.type
        self._slot = int(batch.engine.model.constraint_slot[number])
        described = tie.describe()
        self._collide = bool(described.numbers.get("collide", True))
        self._locked, self._stretch = described.locked, STRETCH[described.resists]
        self.way = [_Place(batch, end) for end in tie.way]
        self._ends, self._over = [self.way[0], self.way[-1]], self.way[1:-1]

    def __repr__(self) -> str:
        """Return type, name and number of worlds."""
        return f"<ConstraintBatch {self._name!r}: {self._what} in {len(self._batch)} worlds>"

    @property
    def name(self) -> str:
        """Name in the world that was copied."""
        return self._name

    @property
    def type(self) -> str:
        """Kind of constraint, as `Constraint.type`."""
        return self._what

    # -- numbers -------------------------------------------------------------------------------
    def _column(self, column: Tuning | Memory) -> np.ndarray:
        return self._memory(column) if isinstance(column, Memory) else self._tuning[:, column]

    def _write(self, array: np.ndarray, value: Any, what: str, minimum: float = -inf,
               maximum: float = inf, *, may_be_infinite: bool = False) -> None:  # fmt: skip
        """Set the numbers of all worlds, or leave them as they were."""
        what = f"{what} of {self._name}"
        self._batch.check_idle(what)
        try:
            given = np.broadcast_to(np.asarray(value, np.float64), array.shape)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{what} must be a number or one for each of {len(array)} worlds, got {check.shown(value)}"
            ) from None
        is_fine = np.isfinite(given) | (may_be_infinite & (given == inf))
        if not (is_fine & (given >= minimum) & (given <= maximum)).all():
            raise ValueError(
                f"{what} must be finite and from {minimum:g} to {maximum:g}, got {check.shown(value)}"
            )
        array[...] = given

    def _memory(self, column: Memory) -> np.ndarray:
        memory: np.ndarray = self._batch.engine.state.arrays["constraint_memory"]
        return memory[:, self._number, column]

    def _number_called(self, name: str) -> Number:
        found = numbers_of(self._made)
        if name not in found:
            self._lacks(name)
        return found[name]

    def _lacks(self, what: str) -> None:
        raise AttributeError(f"{self._name} is {check.with_article(self._what)} and has no {what}")

    def _only(self, kind: Kind | tuple[Kind, ...], what: str) -> None:
        if not issubclass(self._made, kind):
            self._lacks(what)

    @property
    def is_on(self) -> np.ndarray:
        """Whether it acts, (worlds,) of bool [–]; assign to switch it."""
        return frozen(self._column(Tuning.IS_ON) != 0.0)

    @is_on.setter
    def is_on(self, value: Any) -> None:
        before = self._column(Tuning.IS_ON).copy()
        given = check.booleans(value, f"is_on of {self._name}")
        self._write(self._column(Tuning.IS_ON), given, "is_on")
        after = self._column(Tuning.IS_ON)
        idle = self._memory(Memory.IS_IDLE)
        idle[after != before] = after[after != before] == 0.0

    @property
    def collide(self) -> bool:
        """Whether the two bodies touch each other, in all worlds, as `Constraint.collide`; only read."""
        return self._collide

    erp = every("erp", "Part of a gap that one step removes, (worlds,) [–], 0 … 1.")
    break_force = every("break_force", "Force beyond which it breaks, (worlds,) [N]; inf: never.")

    @property
    def is_broken(self) -> np.ndarray:
        """Whether a force was more than it bears, (worlds,) of bool [–]; assign False to mend it."""
        return frozen(self._batch.engine.state.arrays["constraint_is_broken"][:, self._number] != 0)

    @is_broken.setter
    def is_broken(self, value: Any) -> None:
        self._batch.check_idle(f"is_broken of {self._name}")
        row = self._batch.engine.state.arrays["constraint_is_broken"][:, self._number]
        given = np.broadcast_to(check.booleans(value, f"is_broken of {self._name}"), row.shape)
        changed = given != row.astype(bool)
        self._impulses()[changed] = 0.0
        for column in (Memory.OVERLOAD, Memory.WEAR):
            self._memory(column)[changed] = 0.0
        row[...] = given

    # -- where it is, what it does ---------------------------------------------------------------
    @property
    def _tuning(self) -> np.ndarray:
        return self._batch.engine.command.arrays["constraint"][:, self._number]

    def _impulses(self) -> np.ndarray:
        array: np.ndarray = self._batch.engine.state.arrays["scalar_impulse"]
        return array[:, self._slot : self._slot + CONSTRAINT_SLOTS]

    def _mean(self) -> np.ndarray:
        """Return the mean of each row in the last step, (worlds, 6)."""
        return np.asarray(self._impulses() / self._batch.engine.settings.arrays["dt"].reshape(-1, 1))

    def _poses(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return points (worlds, 3) and axes (worlds, 3, 3) of both ends, world."""
        return [end.pose() for end in self._ends]

    def wrench(self, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return force and torque on the first body, (worlds, 3) [N, N m], world; `axes`: of its end."""
        return self._made.wrench(self, axes)  # type: ignore[arg-type]

    points = shared(
        "points", "Where it is attached to the first and the second body, (worlds, 2, 3) [m], world."
    )
    gap = shared(
        "gap", "How far the points are apart in the locked directions, (worlds, 3) [m], as `Constraint.gap`."
    )
    force = shared("force", "Mean force on the first body in the last step, (worlds, 3) [N], world.")
    torque = shared(
        "torque",
        "Mean torque on the first body in the last step besides that of the force, (worlds, 3) [N m], world.",
    )

    def grips_on(self, name: str) -> Iterator[Grip]:
        """Return what it did to an object in the last step, for each place of its way that is on it.

        To objects that it does not hold it does nothing. In world axes, as in `Grip`.
        """
        if all(place.name != name for place in self.way):
            return
        engine, parts = self._batch.engine, self._batch.parts

        def midway(other: str) -> tuple[np.ndarray, np.ndarray]:
            return midway_poses(engine, parts[other].span, self._batch.records_of(other))

        poses: Any = [place.pose(midway) for place in self.way]
        loads = self._made.loads(self, poses)  # type: ignore[arg-type]
        for place, load in zip(self.way, loads, strict=True):
            if place.name == name:
                yield Grip(self._name, place.body, place.link, *load)

    # -- wires and rods ------------------------------------------------------------------------
    length = every("length", "Length at rest of a wire or rod, let out by a winch, (worlds,) [m].")
    distance = shared(
        "distance",
        "Distance of the two points of a wire or rod now, over all places where it runs, (worlds,) [m].",
    )
    stretch = shared(
        "stretch",
        "How much longer than at rest a wire or rod is, (worlds,) [m]; < 0: slack or pressed together.",
    )

    tensions = shared(
        "tensions", "Mean tension in the last step of each part of its way, (worlds, places + 1) [N]."
    )

    @property
    def tension(self) -> np.ndarray:
        """Mean tension at the first end in the last step, (worlds,) [N]; of a custom wire assign it."""
        self._only(Wire, "tension")
        return self.tensions[:, 0]

    @tension.setter
    def tension(self, value: Any) -> None:
        self._only(Wire, "tension")
        if self._stretch != 0:
            raise ValueError(
                f"the tension of {self._name} follows from its length; only a custom wire takes one"
            )
        self._write(self._column(Tuning.FORCE), value, "tension")

    friction = every(
        "friction",
        "Of a wire over the places where it runs, (worlds,) [–]; assignable where there are such places.",
    )
    stiffness = every("stiffness", "Of a compliant wire, (worlds,) [N/m]; inf: stiff.")
    damping = every("damping", "Of a compliant wire, (worlds,) [N s/m].")

    # -- motors, locks, winches, magnets -------------------------------------------------------
    speed = every(
        "speed", "Speed that a motor keeps, or at which a winch takes in, (worlds,) [rad/s, or m/s]."
    )
    position = every("position", "Angle or place that a lock keeps, (worlds,) [rad, or m].")
    max_force = every(
        "max_force",
        "The most that a motor or lock does either way, or the motor of a winch, (worlds,) [N m, or N].",
    )
    brake_force = every(
        "brake_force", "Most tension that a winch holds while it stands or lets out, (worlds,) [N]; inf: any."
    )

    @property
    def is_caught(self) -> np.ndarray:
        """Whether a magnet holds, (worlds,) of bool [–]; assign to let go."""
        self._only(Magnet, "state of a magnet")
        return frozen(self._memory(Memory.IS_CAUGHT) != 0.0)

    @is_caught.setter
    def is_caught(self, value: Any) -> None:
        self._only(Magnet, "state of a magnet")
        given = check.booleans(value, f"is_caught of {self._name}")
        self._write(self._memory(Memory.IS_CAUGHT), given, "is_caught", 0.0, 1.0)
        self._impulses()[...] = 0.0

    applied = shared(
        "applied", "Torque [N m] or force [N] of a motor in the last step on its second body, (worlds,)."
    )


class _Place:
    """One end of a constraint in all worlds."""

    def __init__(self, batch: BatchOwner, end: End) -> None:
        """Note object, body, point and axes; what stands is placed once."""
        self._batch, self._still = batch, None
        self.name = "" if end.part is None else end.part.name
        self.body, self.link = end.body, end.link
        if end.part is None or end.part.span is None or end.part.dof == 0:
            self._still = end.pose()
            return
        self._point, self._axes = end.point.copy(), end.axes.copy()

    def pose(self, poses: Poses | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return point (worlds, 3) and axes (worlds, 3, 3), world; `poses`: of bodies, None: those of now."""
        if self._still is not None:
            point, axes = self._still
            worlds = len(self._batch)
            return np.tile(point, (worlds, 1)), np.tile(axes, (worlds, 1, 1))
        position, rotation = (poses or self._batch.poses_of)(self.name)
        turn = rotation[:, self.body]
        return position[:, self.body] + turned(turn, self._point), turn @ self._axes


class BatchConstraints:
    """The part of a batch that knows its constraints."""

    def __init__(self, batch: BatchOwner, ties: tuple[Constraint, ...]) -> None:
        self._ties = {tie.name: ConstraintBatch(batch, tie, k) for k, tie in enumerate(ties)}

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the constraints, for ``batch.constraint(name)``."""
        return tuple(self._ties)

    def constraint(self, name: str) -> ConstraintBatch:
        """Return a constraint in all worlds, by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        return self._ties[check.known(name, self._ties, "constraint")]

    def grips_on(self, name: str) -> list[Grip]:
        """Return what all constraints did to an object in the last step."""
        return [grip for tie in self._ties.values() for grip in tie.grips_on(name)]
