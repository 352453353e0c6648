"""State of a whole robot in all worlds of a batch: names, base, coordinates and velocities."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.batch.part import Part
from tribo.checks import check
from tribo.checks.made import Made, short_for
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.objects.record_views import ELSEWHERE


class StateOfWorlds(Sealed):
    """The names, the base and the state of an object, under the names that it has in a world."""

    name: str
    is_floating: bool
    _batch: BatchOwner
    _part: Part

    def _normalized(self, q: np.ndarray, what: str, worlds: np.ndarray | None = None) -> np.ndarray:
        """Return coordinates with quaternions of unit length; refuse what is far from it.

        Args:
            q: Coordinates, (n, nq) [m, rad, –], changed in place.
            what: Name for messages.
            worlds: Numbers of the worlds, (n,), for messages; None: 0 … n − 1.
        """
        for joint, first in self._part.quaternions:
            length = check.lengths(q[:, first : first + 4])
            bad = np.flatnonzero(np.abs(length - 1.0) > check.UNIT_TOLERANCE)
            if bad.size:
                world = bad[0] if worlds is None else worlds[bad[0]]
                raise ValueError(
                    f"{what} of {self.name}, rotation of {joint}, must be a unit quaternion "
                    f"(w, x, y, z); in world {world} its length is {length[bad[0]]:.6g}"
                )
            q[:, first : first + 4] /= length[:, None]
        return q

    def _array(self, record: str, name: str, index: str) -> np.ndarray:
        """Return the numbers of the object in a record, live."""
        array: np.ndarray = getattr(self._batch.engine, record).arrays[name]
        return array[:, getattr(self._part.span, index)]

    # -- names ---------------------------------------------------------------------------------
    @property
    def dof(self) -> int:
        """Number of degrees of freedom in each world."""
        span = self._part.span.v
        return int(span.stop - span.start)

    # -- state ---------------------------------------------------------------------------------
    def set_state(self, coordinate: Any, velocity: Any, worlds: Any = slice(None)) -> None:
        """Set coordinates and velocities of all worlds or of some, or none if one of them is wrong.

        The next motion of a world is, bit for bit, that of one alone after `ArticulatedSystem.set_state`.
        Commands, time and the impulses with which the next solve begins stay as they are; to go back to a
        state with all that belongs to it, use `Batch.restore`.

        Args:
            coordinate: q, (nq,) for all these worlds or (n, nq), a row for each of the n worlds [m, rad, –].
            velocity: v, (dof,) or (n, dof) [m/s, rad/s].
            worlds: Index, slice or mask of worlds.

        Raises:
            ValueError, TypeError: A shape is wrong, a number is not finite, a quaternion is not of unit
                length, or there is no such world; nothing is changed.
            EditError: Another thread steps the batch.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(gravity=(0, 0, 0))
            >>> ball = world.add_sphere(radius=0.1, mass=1.0, name="ball")
            >>> batch = tribo.Batch(world, 4, threads=1)
            >>> is_done = np.array([False, True, False, True])
            >>> batch["ball"].set_state([0, 0, 2, 1, 0, 0, 0], np.zeros(6), is_done)
            >>> batch["ball"].position[:, 2].tolist()
            [0.0, 2.0, 0.0, 2.0]
        """
        self._batch.check_idle(f"set_state of {self.name}")
        chosen = self._batch.chosen_worlds(worlds).ravel()
        q, v = self._array("state", "q", "q"), self._array("state", "v", "v")
        made_q = self._rows(coordinate, "coordinate", len(chosen), q.shape[1])
        made_q = self._normalized(made_q, "coordinate", chosen)
        made_v = self._rows(velocity, "velocity", len(chosen), v.shape[1])
        q[chosen], v[chosen] = made_q, made_v
        self._array("state", "left_q", "q")[chosen] = ELSEWHERE

    def _rows(self, value: Any, what: str, count: int, width: int) -> np.ndarray:
        """Return checked numbers for some worlds, (count, width)."""
        remedy = "joint_coordinates" if what == "coordinate" else "joint_velocities"
        what = f"{what} of {self.name}"
        check.not_by_name(value, what, remedy)
        made = check.array(value, what, f"numbers of shape ({width},)")
        if made.shape == (width,):
            made = np.tile(made, (count, 1))
        if made.shape != (count, width):
            of_all = made.shape == (len(self._batch), width)
            hint = "; of an array of all worlds give the rows of these alone" if of_all else ""
            raise ValueError(
                f"{what} must have shape ({width},), or ({count}, {width}) for the {count} worlds that are "
                f"set, got {made.shape}{hint}"
            )
        return check.within_range(made, what)

    @property
    def generalized_acceleration(self) -> np.ndarray:
        """Acceleration v̇ of the last step that lasts, (worlds, dof) [m/s², rad/s²]; 0 asleep.

        It is (v⁺ − v)/Δt, or what all forces but those of contacts give, as for the object of a world.
        """
        return frozen(self._array("state", "vdot", "v").copy())

    # -- the base ------------------------------------------------------------------------------
    def _base_pose(self) -> np.ndarray:
        """Return position and quaternion of the root, (worlds, 7), a copy."""
        if self.is_floating:
            return self._array("state", "q", "q")[:, :7].copy()
        return np.tile(self._part.fixed_pose, (len(self._batch), 1))

    def _base_velocity(self, where: slice) -> np.ndarray:
        if not self.is_floating:
            return frozen(np.zeros((len(self._batch), 3)))
        return frozen(self._array("state", "v", "v")[:, where].copy())

    q: Made[np.ndarray] = short_for(
        "generalized_coordinate",
        "Coordinates, shape (worlds, nq) [m, rad, –]: short for `generalized_coordinate`.",
    )
    v: Made[np.ndarray] = short_for(
        "generalized_velocity",
        "Velocities, shape (worlds, dof) [m/s, rad/s]: short for `generalized_velocity`.",
    )

    @property
    def position(self) -> np.ndarray:
        """Position of the (root) body's origin, (worlds, 3) [m], world; only read.

        Write it into `generalized_coordinate[:, :3]` of what floats, or use `set_state`.
        """
        return frozen(self._base_pose()[:, :3])

    @property
    def orientation(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z) of the (root) body, (worlds, 4), body axes to world; only read."""
        return frozen(self._base_pose()[:, 3:])

    @property
    def linear_velocity(self) -> np.ndarray:
        """Velocity of the base's origin, (worlds, 3) [m/s], world; zero if it is fixed. Only read."""
        return self._base_velocity(slice(0, 3))

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocity of the base, (worlds, 3) [rad/s], world axes; zero if it is fixed. Only read."""
        return self._base_velocity(slice(3, 6))
