"""The part of a world that ties objects together: pins, welds, hinges, rods, motors and wires."""

from __future__ import annotations

import logging
from math import inf
from typing import Any, TypeVar

import numpy as np

from tribo.checks import check
from tribo.checks.by_name import free_name
from tribo.description.constraints import LOCKED, ConstraintDescription
from tribo.description.extents import rotation_matrix
from tribo.objects import ArticulatedSystem, Object
from tribo.objects.constraint import STRETCH, Constraint, Motor
from tribo.objects.end import End, body_pose, end_on
from tribo.objects.frames import Frame
from tribo.objects.joint_ties import Lock, Magnet, Winch
from tribo.objects.wire import Wire
from tribo.objects.world_view import WorldView

logger = logging.getLogger("tribo")
T = TypeVar("T", bound=Constraint)

PUSH = 0b000100
_MADE: dict[str, type[Constraint]] = {
    "motor": Motor, "rod": Wire, "wire": Wire, "winch": Winch, "lock": Lock, "magnet": Magnet,
} | dict.fromkeys(("pin", "weld", "hinge", "equality"), Constraint)  # fmt: skip
_IDENTITY = (1.0, 0.0, 0.0, 0.0)


class WorldConstraints:
    """Adding, finding and removing constraints between bodies."""

    def __init__(self, world: WorldView) -> None:
        self._world = world
        self.items: list[Constraint] = []

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """All constraints in the order in which they were added; those of a robot's file too."""
        return tuple(self.items)

    def constraint(self, name: str) -> Constraint:
        """Return a constraint by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        names = [item.name for item in self.items]
        return self.items[names.index(check.known(name, names, "constraint"))]

    # -- ends ----------------------------------------------------------------------------------
    def body_of(self, item: Any, what: str) -> tuple[Object | None, int, np.ndarray, Any, str]:
        """Return object, body, the frame in it that a user has given, and the link of that frame."""
        if item is None:
            return None, 0, np.zeros(3), _IDENTITY, ""
        part, body, offset, link = item, 0, np.zeros(3), ""
        turn: Any = _IDENTITY
        if isinstance(item, Frame):
            part, body = item._owner, item.body_index  # noqa: SLF001 - handles know their robot
            offset, turn = item.position_in_body, item.orientation_in_body
            link = item.part_name
        if not isinstance(part, Object):
            raise TypeError(
                f"{what} must be an object of this world, a link, joint or frame of one, or None for the "
                f"world, got {check.shown(item)}"
            )
        part.check_present(f"a constraint on {what}")
        if part not in self._world.objects:
            raise ValueError(f"{part.name} belongs to another world; tie objects of one world")
        return part, body, np.asarray(offset), turn, link

    def _pair(self, first: Any, second: Any, over: tuple[End, ...] = ()) -> tuple[Any, Any]:
        self._world.check_editable("the list of constraints")
        a, b = self.body_of(first, "first"), self.body_of(second, "second")
        if _are_one_body(a, b, *((end.part, end.body) for end in over)):
            raise ValueError(
                "first and second are the same body; a constraint needs two, or one and the world"
            )
        return a, b

    def joined(self, first: Any, second: Any, position: Any, axes: np.ndarray,
               points: tuple[Any, Any] = (None, None)) -> tuple[End, End]:  # fmt: skip
        """Return the two ends of what holds at one point of the world, or at a point of either body.

        Args:
            first, second: The bodies of the ends.
            position: (3,) [m] of the world; None: the origin of `first`, unless points are given.
            axes: (3, 3) of both ends, in the world.
            points: (3,) [m] in the frame of each; None: where the other one is.
        """
        ends = self._pair(first, second)
        names = ("first_point", "second_point")
        given = [
            None if point is None else _in_world(end, point, name)
            for end, point, name in zip(ends, points, names, strict=True)
        ]
        a, b = given
        if position is not None:
            if a is not None or b is not None:
                raise TypeError(
                    "position and first_point or second_point are the same twice; give position, in the "
                    "world, or points in the frames of the bodies"
                )
            a = check.vector(position, "position", 3)
        if a is None:
            standing = ends[0] if ends[0][0] else ends[1]
            a = _in_world(standing, (0.0, 0.0, 0.0), "first_point") if b is None else b
        b = a if b is None else b
        return (
            end_on(ends[0][0], ends[0][1], a, axes, ends[0][4]),
            end_on(ends[1][0], ends[1][1], b, axes, ends[1][4]),
        )

    def placed(self, first: Any, second: Any, points: Any, over: tuple[End, ...] = ()) -> tuple[End, End]:
        """Return two ends at points in the frames of what they are on; `over`: where it runs between."""
        a, b = self._pair(first, second, over)
        return end_in(a, points[0], "first_point"), end_in(b, points[1], "second_point")

    def places(self, over: Any) -> tuple[End, ...]:
        """Return the places over which a wire runs: points of the world, or (object, point) pairs."""
        places = []
        for k, place in enumerate(check.listed(over, "over", "places")):
            what = f"over[{k}]"
            is_pair = hasattr(place, "__len__") and len(place) == 2
            item, point = place if is_pair else (None, place)
            places.append(end_in(self.body_of(item, what), point, what))
        return tuple(places)

    def tie(self, made: type[T], what: str, ends: tuple[End, End], name: str, numbers: dict[str, Any],
            locked: int | None = None, stretch: int = 0, over: tuple[End, ...] = ()) -> T:  # fmt: skip
        """Take a constraint in, or leave the world as it was.

        locked: Directions in which it holds; None: those of its type. over: Places over which a wire runs.
        """
        taken = {item.name for item in self.items}
        name = free_name(name, taken, "a constraint", what, len(taken))
        bits = LOCKED[what] if locked is None else locked
        tie = made(self._world, name, what, ends, bits, stretch)
        if over and isinstance(tie, Wire):
            tie.run_over(over)
        for number, value in numbers.items():
            setattr(tie, number, value)
        self.items.append(tie)
        self._world.rebuild()
        if all(end.stands for end in (*ends, *over)):
            logger.warning(
                "constraint %s joins %s and %s: no force moves either of them, so it does nothing. Tie "
                "what moves, or make one of them dynamic (body_type)",
                name, ends[0].label, ends[1].label,
            )  # fmt: skip
        return tie

    # -- adding --------------------------------------------------------------------------------
    def add_pin(self, first: Any, second: Any = None, position: Any = None, *, first_point: Any = None,
                second_point: Any = None, name: str = "", erp: float = 1.0, break_force: float = inf,
                collide: bool = True) -> Constraint:  # fmt: skip
        """Pin two bodies together at a point, about which they can turn: a ball joint.

        Args:
            first, second: Objects, links or frames of robots; None: the world.
            position: (3,) [m], world, at the present state; None: the origin of `first`.
            first_point, second_point: (3,) [m], instead of `position`: in the frame of each, as wires take
                them. With one of them the other end is at the same place; a gap between two is closed.
            name: Empty: "pin_0" and so on.
            erp: Part of a gap that one step closes; not `World.erp`, which is of overlaps.
            break_force: [N] beyond which it breaks.
            collide: Whether the two bodies touch each other, see `Constraint.collide`.

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> bar = world.add_box((1.0, 0.1, 0.1), mass=1.0, position=(0.5, 0, 2))
            >>> pin = world.add_pin(bar, None, position=(0, 0, 2))
            >>> world.step(1000)
            >>> bool(abs(pin.gap).max() < 1e-8)
            True
        """
        ends = self.joined(first, second, position, np.eye(3), (first_point, second_point))
        numbers = {"erp": erp, "break_force": break_force, "collide": collide}
        return self.tie(Constraint, "pin", ends, name, numbers)

    def add_weld(self, first: Any, second: Any = None, *, name: str = "", erp: float = 1.0,
                 break_force: float = inf, collide: bool = True) -> Constraint:  # fmt: skip
        """Weld two bodies together as they stand; arguments as in `add_pin`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> a = world.add_sphere(0.1, mass=1.0)
            >>> b = world.add_sphere(0.1, mass=1.0, position=(0.3, 0, 0))
            >>> weld = world.add_weld(a, b, break_force=100.0)
            >>> weld.type, weld.is_broken
            ('weld', False)
        """
        ends = self.joined(first, second, None, np.eye(3))
        numbers = {"erp": erp, "break_force": break_force, "collide": collide}
        return self.tie(Constraint, "weld", ends, name, numbers)

    def add_hinge(self, first: Any, second: Any = None, position: Any = None, axis: Any = (0, 0, 1),
                  *, first_point: Any = None, second_point: Any = None, name: str = "", erp: float = 1.0,
                  break_force: float = inf, collide: bool = True) -> Constraint:  # fmt: skip
        """Join two bodies by a hinge: they share a point and an axis.

        Args:
            first, second, position, first_point, second_point, name, erp, break_force, collide: As in
                `add_pin`.
            axis: (3,) direction, world, any length.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> door = world.add_box((0.8, 0.05, 2.0), mass=20.0, position=(0.4, 0, 1))
            >>> hinge = world.add_hinge(door, None, position=(0, 0, 1), axis=(0, 0, 1))
            >>> motor = world.add_motor(None, door, axis=(0, 0, 1), speed=0.5, max_force=50.0)
            >>> world.step(500)
            >>> round(float(door.angular_velocity[2]), 6)
            0.5
        """
        points = first_point, second_point
        ends = self.joined(first, second, position, frame_about(axis), points)
        numbers = {"erp": erp, "break_force": break_force, "collide": collide}
        return self.tie(Constraint, "hinge", ends, name, numbers)

    def add_motor(self, first: Any, second: Any, axis: Any = (0, 0, 1), *, speed: float = 0.0,
                  max_force: float, pushes: bool = False, name: str = "",
                  collide: bool = True) -> Motor:  # fmt: skip
        """Let a motor keep a speed of `second` relative to `first`, about or along an axis fixed to `first`.

        It does not guide: add a hinge for that.

        Args:
            first, second: As in `add_pin`.
            axis: (3,) direction, world, any length.
            speed: [rad/s], or [m/s] if it pushes.
            max_force: The most that it does [N m], or [N]; it is held exactly.
            pushes: Along the axis instead of about it.
            name: Empty: "motor_0" and so on.
            collide: As in `add_pin`.
        """
        ends = self.joined(first, second, None, frame_about(axis))
        numbers = {"speed": speed, "max_force": max_force, "collide": collide}
        return self.tie(Motor, "motor", ends, name, numbers, PUSH if pushes else None)

    def add_rod(self, first: Any, second: Any = None, first_point: Any = (0, 0, 0),
                second_point: Any = (0, 0, 0), *, length: float | None = None, name: str = "",
                erp: float = 1.0, break_force: float = inf, collide: bool = True) -> Wire:  # fmt: skip
        """Keep the distance of two points: a rod without mass. Arguments as in `add_wire`."""
        ends = self.placed(first, second, (first_point, second_point))
        numbers = {"length": wire_length(ends, length), "erp": erp, "break_force": break_force,
                   "collide": collide}  # fmt: skip
        return self.tie(Wire, "rod", ends, name, numbers, stretch=3)

    def add_wire(self, first: Any, second: Any = None, first_point: Any = (0, 0, 0),
                 second_point: Any = (0, 0, 0), *, length: float | None = None, resists: str = "stretch",
                 stiffness: float | None = None, damping: float = 0.0, tension: float | None = None,
                 name: str = "", erp: float = 1.0, break_force: float = inf,
                 collide: bool = True, over: Any = (), friction: float = 0.0) -> Wire:  # fmt: skip
        """Span a wire without mass between two points.

        Args:
            first, second: Objects, links or frames of robots; None: the world. Twice the same one: it runs
                `over` another.
            first_point, second_point: (3,) [m] where it is attached, in the frame of each (of the world).
            length: At rest [m] > 0; None: as far as the points are apart now.
            resists: "stretch" (a rope), "compression" or "both".
            stiffness, damping: [N/m], [N s/m] of a compliant wire; it is stable at any value. None: stiff.
            tension: [N] of a custom wire, whose length does not matter. < 0 pushes.
            name: Empty: "wire_0" and so on.
            erp: Part of an excess of a stiff wire that one step removes.
            break_force: [N] beyond which it breaks.
            collide: As in `add_pin`.
            over: Places over which it runs, as small pulleys, in their order: points (3,) [m] of the world,
                or pairs (object, point in its frame). With the ends, they may be on two bodies that move.
            friction: Coefficient at each of these places, at most five of them [–]; 0: they are pulleys.

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 1))
            >>> wire = world.add_wire(ball, None, second_point=(0, 0, 2))
            >>> world.step(1000)
            >>> round(wire.tension, 6)
            19.62
        """
        bits = STRETCH[check.choice(resists, ["stretch", "compression", "both"], "resists")]
        damping = check.number(damping, "damping", minimum=0.0)
        if tension is not None and (stiffness is not None or damping != 0.0):
            raise ValueError("a wire of given tension has neither stiffness nor damping; leave them out")
        if stiffness is None and damping != 0.0:
            raise ValueError("damping needs a stiffness (0: a damper alone)")
        places = self.places(over)
        ends = self.placed(first, second, (first_point, second_point), places)
        numbers: dict[str, Any] = {
            "length": wire_length(ends, length, places),
            "erp": erp,
            "break_force": break_force,
            "collide": collide,
        }
        if tension is not None:
            bits, numbers["tension"] = 0, tension
        if stiffness is not None:
            numbers |= {"stiffness": stiffness, "damping": damping}
        if check.number(friction, "friction", minimum=0.0) > 0.0:
            numbers["friction"] = friction
        return self.tie(Wire, "wire", ends, name, numbers, stretch=bits, over=places)

    def tie_described(
        self, item: ConstraintDescription, parts: tuple[Object | None, Object | None], prefix: str = ""
    ) -> Constraint:
        """Add what a file describes; `parts`: its two objects, None for the world.

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.
        """
        made = _MADE[item.type]
        ends = []
        for side in range(2):
            body = max(item.bodies[side], 0)
            part = parts[side] if item.bodies[side] >= 0 else None
            point, axes = np.array(item.points[side]), np.array(item.axes[side])
            link = item.links[side]
            if part is not None and item.frames[side]:
                if not isinstance(part, ArticulatedSystem):
                    raise ValueError(f"{part.name} is one body and has no frames; give a pos")
                frame = part.frame(item.frames[side])
                turn = rotation_matrix(frame.orientation_in_body)
                point, axes = frame.position_in_body + turn @ point, turn @ axes
                body, link = frame.body_index, frame.part_name
            if part is not None and body >= len(part.description.bodies):
                count = len(part.description.bodies)
                raise ValueError(f"{part.name} has no body {body}; it has {count}, counted from 0")
            ends.append(End(part, body, point, axes, link))
        over = tuple(End(part, body, np.array(point), np.eye(3)) for part, body, point in item.over)
        if _are_one_body(*((end.part, end.body) for end in (*ends, *over))):
            raise ValueError(f"{item.type} {item.name!r} joins a body to itself; name two bodies")
        is_way = issubclass(made, Wire)
        stretch = STRETCH[item.resists] if is_way else 0
        numbers = dict(item.numbers)
        if is_way and "length" not in numbers:
            numbers["length"] = wire_length((ends[0], ends[1]), None, over)
        name = f"{prefix}{item.name}" if item.name else ""
        if prefix and not name:
            taken = {tie.name for tie in self.items}
            name = free_name("", taken, "a constraint", f"{prefix}{item.type}")
        pair = ends[0], ends[1]
        return self.tie(made, item.type, pair, name, numbers, item.locked, stretch, over)

    def join(self, tie: ConstraintDescription, parts: tuple[Object, Object]) -> None:
        """Add a constraint between two objects that a file describes."""
        self.tie_described(tie, parts, "" if tie.name else f"{parts[0].name}/")

    # -- removing ------------------------------------------------------------------------------
    def drop(self, tie: Constraint) -> None:
        """Take a constraint out of the world.

        Raises:
            KeyError: There is no such constraint here.
        """
        if tie.is_removed or tie not in self.items:
            raise KeyError(f"{tie.name!r} is not in this world: {tie!r}")
        tie.detach()
        tie.is_removed = True
        self.items.remove(tie)
        self._world.rebuild()

    def drop_those_of(self, part: Object) -> None:
        """Take the constraints of an object out."""
        for tie in [item for item in self.items if part in item.parts]:
            self.drop(tie)


def _are_one_body(*found: Any) -> bool:
    """Tell whether all of these, which begin with object and body, are one and the same body."""
    return len({(id(part), body) for part, body, *_ in found}) == 1


def end_in(found: Any, point: Any, what: str) -> End:
    """Return the end at a point (3,) [m] of the frame that a user has given."""
    part, body, offset, turn, link = found
    frame = rotation_matrix(turn)
    return End(part, body, offset + frame @ check.vector(point, what, 3), frame, link)


def _in_world(end: Any, point: Any, what: str) -> np.ndarray:
    """Return where a point (3,) [m] of the frame that a user has given is in the world."""
    part, body, offset, turn, _ = end
    place, axes = body_pose(part, body)
    given = check.vector(point, what, 3)
    return np.asarray(place + axes @ (offset + rotation_matrix(turn) @ given))


def frame_about(axis: Any, what: str = "axis") -> np.ndarray:
    """Return axes (3, 3), right-handed, whose third has a direction."""
    given = check.vector(axis, what, 3)
    length = float(np.linalg.norm(given))
    if not length > 0.0:
        raise ValueError(f"{what} must not be zero, got {given}")
    z = given / length
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def wire_length(ends: tuple[End, End], length: float | None, over: tuple[End, ...] = ()) -> float:
    """Return the given length, or that of the way from end to end now."""
    if length is not None:
        return check.number(length, "length")
    points = np.array([end.pose()[0] for end in (ends[0], *over, ends[1])])
    found = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    if not found > 0.0:
        raise ValueError(
            "the two points of the wire are in one place; give it a length, or pin them (add_pin)"
        )
    return found
