"""The part of a world that adds winches, locks and magnets."""

from __future__ import annotations

from math import inf
from typing import Any

from tribo.checks import check
from tribo.description.constraints import LOCKED
from tribo.objects.joint_ties import Lock, Magnet, Winch
from tribo.world.add_constraints import PUSH, WorldConstraints, frame_about, wire_length


class WorldJoints:
    """Adding winches, locks and magnets."""

    def __init__(self, ties: WorldConstraints) -> None:
        self._ties = ties

    def add_winch(self, first: Any, second: Any, first_point: Any = (0, 0, 0), second_point: Any = (0, 0, 0),
                  *, max_force: float, brake_force: float = inf, speed: float = 0.0,
                  length: float | None = None, least_length: float = 0.01, most_length: float = inf,
                  over: Any = (), friction: float = 0.0, name: str = "", erp: float = 1.0,
                  break_force: float = inf, collide: bool = True) -> Winch:  # fmt: skip
        """Let a drum take in and let out a wire without mass.

        Args:
            first, first_point: Where the drum is; object, link or frame, None: the world, and (3,) [m] in it.
            second, second_point: Where the wire is fastened, likewise.
            max_force: Most tension [N] that the motor pulls with while it takes in.
            brake_force: Most tension [N] that it holds while it stands or lets out. Where more is needed, the
                drum slips and lets out wire under this tension.
            speed: At which it takes in [m/s]; < 0: lets out.
            length: That is let out [m]; None: as far as the points are apart now.
            least_length: [m] at which it takes no more in.
            most_length: [m] at which the drum is empty: the wire then holds any force.
            over, friction: Places over which the wire runs, and its friction there, as in `add_wire`.
            name, erp, break_force, collide: As in `add_wire`.

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> load = world.add_sphere(0.1, mass=10.0, position=(0, 0, 1))
            >>> winch = world.add_winch(None, load, first_point=(0, 0, 3), max_force=1e4, speed=0.5)
            >>> world.step(1000)
            >>> round(winch.tension, 3), round(float(load.position[2]), 3)
            (98.1, 1.5)
        """
        ends = self._ties.placed(first, second, (first_point, second_point))
        places = self._ties.places(over)
        numbers = {
            "length": wire_length(ends, length, places), "speed": speed, "max_force": max_force,
            "brake_force": brake_force, "least_length": least_length, "most_length": most_length,
            "erp": erp, "break_force": break_force, "collide": collide,
        }  # fmt: skip
        if check.number(friction, "friction", minimum=0.0) > 0.0:
            numbers["friction"] = friction
        return self._ties.tie(Winch, "winch", ends, name, numbers, stretch=1, over=places)

    def add_lock(self, first: Any, second: Any, axis: Any = (0, 0, 1), *, position: float = 0.0,
                 max_force: float = inf, pushes: bool = False, name: str = "", erp: float = 1.0,
                 break_force: float = inf, collide: bool = True) -> Lock:  # fmt: skip
        """Keep the angle of `second` relative to `first` about an axis fixed to `first`, or a place along it.

        It does not guide: add a hinge for that. The angle, or place, is 0 as things stand now.

        Args:
            first, second, axis, name: As in `add_motor`.
            position: [rad], or [m] if it pushes, to keep; angles are kept the short way round.
            max_force: The most that it does [N m], or [N]; it is held exactly.
            pushes: Along the axis instead of about it.
            erp, break_force, collide: As in `add_pin`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> arm = world.add_box((1.0, 0.1, 0.1), mass=1.0, position=(0.5, 0, 1))
            >>> hinge = world.add_hinge(None, arm, position=(0, 0, 1), axis=(0, 1, 0))
            >>> lock = world.add_lock(None, arm, axis=(0, 1, 0), max_force=10.0)
            >>> world.step(1000)
            >>> round(lock.applied, 3), bool(abs(arm.position[2] - 1) < 1e-6)
            (-4.905, True)
        """
        pushes = check.boolean(pushes, "pushes")
        ends = self._ties.joined(first, second, None, frame_about(axis))
        if pushes:  # places along the axis count from where the second body is now
            point = ends[1].pose()[0]
            ends = self._ties.joined(first, second, point, frame_about(axis))
        numbers = {"position": position, "max_force": max_force, "erp": erp, "break_force": break_force,
                   "collide": collide}  # fmt: skip
        return self._ties.tie(Lock, "lock", ends, name, numbers, PUSH if pushes else None)

    def add_magnet(self, first: Any, second: Any, first_point: Any = (0, 0, 0), second_point: Any = (0, 0, 0),
                   *, catch_distance: float, catch_angle: float = 0.1, holds: str = "weld",
                   first_axis: Any = (0, 0, 1), second_axis: Any = (0, 0, 1), name: str = "",
                   erp: float = 0.2, break_force: float = inf, collide: bool = True) -> Magnet:  # fmt: skip
        """Let two bodies catch each other, and hold from then on, as soon as two points on them are near.

        Args:
            first, second, first_point, second_point: As in `add_wire`.
            catch_distance: Distance of the points [m] up to which they catch.
            catch_angle: [rad] up to which they catch: of the axes for a hinge; how far one frame is turned
                against the other for a weld.
            holds: "weld" or "hinge".
            first_axis, second_axis: (3,) directions in the frame of each, which meet.
            erp: Part of what is open when they catch that each step closes.
            name, break_force, collide: As in `add_pin`.

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> plate = world.add_box((0.2, 0.2, 0.1), mass=1.0, body_type=tribo.STATIC, position=(0, 0, 1))
            >>> can = world.add_sphere(0.05, mass=0.1, position=(0, 0, 0.8))
            >>> magnet = world.add_magnet(plate, can, (0, 0, -0.05), (0, 0, 0.05), catch_distance=0.02)
            >>> can.linear_velocity = (0, 0, 2.0)
            >>> world.step(200)
            >>> magnet.is_caught, bool(abs(magnet.gap).max() < 1e-6)
            (True, True)
        """
        check.choice(holds, ["weld", "hinge"], "holds")
        ends = self._ties.placed(first, second, (first_point, second_point))
        for end, axis, what in zip(
            ends, (first_axis, second_axis), ("first_axis", "second_axis"), strict=True
        ):
            end.axes = end.axes @ frame_about(axis, what)
        numbers = {"catch_distance": catch_distance, "catch_angle": catch_angle, "erp": erp,
                   "break_force": break_force, "collide": collide}  # fmt: skip
        return self._ties.tie(Magnet, "magnet", ends, name, numbers, LOCKED[holds])
