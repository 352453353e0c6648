"""Inverse kinematics: coordinates at which a frame of a robot is where it should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import orientation as as_quaternion
from tribo.checks.orientation import product
from tribo.checks.readonly import frozen
from tribo.checks.types import Orientation, Rows, Vector
from tribo.description.trees import TreeDescription
from tribo.engine.layout import COORDINATES, DOFS, follow, joint_types, leader_of
from tribo.objects.dynamics import Evaluable

DAMPING = 1e-2  # [m², rad²] of the first step, relative to the largest entry of JᵀJ
EASED, RAISED = (0.2, 5.0)  # factors of the damping after a step that helped, and after one that did not
LEAST = 1e-12  # damping below it no longer changes a step in double precision


@dataclass(frozen=True, slots=True)
class Reached:
    """Result of `inverse_kinematics`; with N targets all have a first axis of length N.

    Attributes:
        coordinate: Coordinates, (nq,) [m, rad, –], to be assigned to `generalized_coordinate`.
        position_error: Distance of the frame from its target [m].
        orientation_error: Angle between the frame and its target [rad]; 0 if no orientation was asked for.
        is_reached: Whether both are within the tolerance.
        iterations: How many steps were tried, of all targets together.
    """

    coordinate: np.ndarray
    position_error: Any
    orientation_error: Any
    is_reached: Any
    iterations: int


class InverseKinematics(Evaluable):
    """The part of a robot that finds coordinates for where a frame should be."""

    def inverse_kinematics(
        self,
        frame: str,
        position: Vector | Rows | None = None,
        orientation: Orientation | Sequence[Vector] | None = None,
        *,
        start: Vector | Rows | None = None,
        joints: Sequence[str] | None = None,
        tolerance: float = 1e-6,
        max_iterations: int = 200,
    ) -> Reached:
        """Return coordinates at which a frame is at a position, in an orientation, or both.

        Damped least squares within the limits of the joints: Δq = (JᵀJ + λ 1)⁻¹ Jᵀ e, with λ lowered after a
        step that brings the frame nearer and raised after one that does not. The robot and the world stay as
        they are, a floating base where `start` has it. From a bad start it may end in a minimum that is no
        solution: `is_reached` says so. Collisions are not looked at.

        Source: Marquardt 1963; Buss 2004, "Introduction to inverse kinematics", section 6.

        Args:
            frame: Name of a link, joint or frame (`frame_names`).
            position: Where its origin should be, (3,) or (N, 3) [m], world; None: anywhere.
            orientation: Its axes, one as `tribo.quaternion` returns it, or (N, 4), world; None: any.
            start: Coordinates to start from, (nq,) or (N, nq); None: the present ones.
            joints: Names of the joints that may move; None: all. Joints that follow others follow.
            tolerance: [m] and [rad] at which a target is reached.
            max_iterations: Steps after which the search ends.

        Raises:
            KeyError: There is no such frame or joint.
            ValueError: A shape is wrong, a number is not finite, a joint has more than one dof.
            TypeError: Neither position nor orientation is given.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> foot = robot.frame("LF_FOOT").position
            >>> found = robot.inverse_kinematics("LF_FOOT", foot + (0.02, 0, 0.05))
            >>> found.is_reached
            True
            >>> robot.generalized_coordinate = found.coordinate
            >>> bool(abs(robot.frame("LF_FOOT").position - foot - (0.02, 0, 0.05)).max() < 1e-6)
            True
        """
        if position is None and orientation is None:
            raise TypeError("inverse_kinematics needs a position or an orientation")
        self.frame(frame)  # refuses what is none
        states = self.at(start)._states()
        where = None if position is None else _numbers(position, "position", 3)
        turn = None if orientation is None else _orientations(orientation)
        count = max(len(x) for x in (states.q, where, turn) if x is not None)
        is_listed = any(_is_many(x) for x in (start, position, orientation))
        task = _Task(
            self, frame, _spread(where, count, "position"), _spread(turn, count, "orientation"),
            _Freedom(self.description, joints), check.positive(tolerance, "tolerance"),
        )  # fmt: skip
        return task.solve(
            _spread(states.q, count, "start").copy(),
            check.integer(max_iterations, "max_iterations", 1),
            count == 1 and not is_listed,
        )


def _is_many(value: Any) -> bool:
    """Tell whether a value has a row for each target, even if that is one."""
    return np.ndim(value) == 2 and np.shape(value) != (3, 3) if value is not None else False


def _numbers(value: Any, what: str, length: int) -> np.ndarray:
    """Return checked rows of numbers, (N, length)."""
    made = np.atleast_2d(check.array(value, what, "numbers"))
    if made.ndim != 2 or made.shape[1] != length:
        raise ValueError(f"{what} must have shape ({length},) or (N, {length}), got {made.shape}")
    return check.within_range(made, what)


def _orientations(value: Any) -> np.ndarray:
    """Return unit quaternions (N, 4) of one orientation in any form, or of rows of quaternions."""
    if not hasattr(value, "as_matrix") and np.ndim(value) == 2 and np.shape(value) != (3, 3):
        given = _numbers(value, "orientation", 4)
        return np.array([check.quaternion(one, "orientation") for one in given])
    return as_quaternion(value, "orientation")[None]


def _spread(rows: Any, count: int, what: str) -> Any:
    """Return one row per target; a single row stands for all."""
    if rows is None or len(rows) == count:
        return rows
    if len(rows) != 1:
        raise ValueError(f"{what} has {len(rows)} rows, other arguments {count}; give one or as many")
    return np.repeat(rows, count, axis=0)


class _Freedom:
    """Which numbers a search changes: one for each joint that may move, in order of the joints."""

    def __init__(self, description: TreeDescription, joints: Sequence[str] | None) -> None:
        bodies, types = description.bodies, joint_types(description)
        coordinates = np.cumsum([0, *(COORDINATES[kind] for kind in types)])
        dofs = np.cumsum([0, *(DOFS[kind] for kind in types)])
        names = [body.joint.name for body in bodies]
        is_single = [
            DOFS[kind] == 1 and body.joint.mimic is None for kind, body in zip(types, bodies, strict=True)
        ]
        if joints is None:
            chosen = [k for k, single in enumerate(is_single) if single]
        else:
            known = [check.known(name, names, f"joint of {bodies[0].name}") for name in joints]
            chosen = sorted({names.index(name) for name in known})
            for k in chosen:
                if not is_single[k]:
                    raise ValueError(
                        f"joint {names[k]!r} has {DOFS[types[k]]} dofs or follows another; "
                        "inverse_kinematics moves hinges and slides that lead"
                    )
        self.description, self.place = description, coordinates[chosen]
        self.lower = np.array([bodies[k].joint.lower for k in chosen], np.float64)
        self.upper = np.array([bodies[k].joint.upper for k in chosen], np.float64)
        # v = spread · u: followers move with their leader.
        self.spread = np.zeros((dofs[-1], len(chosen)))
        self.spread[dofs[chosen], np.arange(len(chosen))] = 1.0
        followers = [k for k, body in enumerate(bodies) if body.joint.mimic is not None]
        for _ in followers:
            for k in followers:
                leader, ratio, _ = bodies[k].joint.mimic or ("", 1.0, 0.0)
                self.spread[dofs[k]] = ratio * self.spread[dofs[leader_of(bodies, leader)]]

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return coordinates after a step, (N, ·), within the limits."""
        made = q.copy()
        made[:, self.place] = np.clip(q[:, self.place] + step, self.lower, self.upper)
        for one in made:
            follow(self.description, one)
        return made

    def is_free(self, q: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Tell which joints are not pushed against a limit, (N, ·)."""
        at = q[:, self.place]
        return ~(((at <= self.lower) & (slope < 0.0)) | ((at >= self.upper) & (slope > 0.0)))


class _Task:
    """A frame and its targets, (N, 3) and (N, 4)."""

    def __init__(self, robot: Any, frame: str, position: Any, orientation: Any,
                 freedom: _Freedom, tolerance: float) -> None:  # fmt: skip
        self.robot, self.frame, self.tolerance = robot, frame, tolerance
        self.position, self.orientation, self.freedom = position, orientation, freedom

    def _places(self, q: np.ndarray, chosen: np.ndarray) -> tuple[Any, Any]:
        """Return the frame at coordinates (n, nq) of chosen targets, and which of its rows are theirs."""
        if not self.robot._is_batch:
            return self.robot.at(q).frame(self.frame), slice(None)
        every = np.repeat(q[:1], self.robot._count(), axis=0)  # each world has its own lengths
        every[chosen] = q
        return self.robot.at(every).frame(self.frame), chosen

    def errors(self, q: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Return what is left to go at coordinates (n, nq) of chosen targets, (n, 3 or 6) [m, rad], world."""
        frame, own = self._places(q, chosen)
        parts = [] if self.position is None else [self.position[chosen] - frame.position[own]]
        if self.orientation is not None:
            now = frame.orientation[own] * np.array([1.0, -1.0, -1.0, -1.0])
            pairs = zip(self.orientation[chosen], now, strict=True)
            parts.append(np.array([_turn(product(target, back)) for target, back in pairs]))
        return np.concatenate(parts, axis=1)

    def slopes(self, q: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Return how fast the frame moves with each free number, (n, 3 or 6, ·)."""
        frame, own = self._places(q, chosen)
        parts = [] if self.position is None else [frame.jacobian()[own]]
        if self.orientation is not None:
            parts.append(frame.rotational_jacobian()[own])
        return np.asarray(np.concatenate(parts, axis=1) @ self.freedom.spread)

    def sizes(self, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return distance [m] and angle [rad] that are left, each (n,)."""
        first = 3 if self.position is not None else 0
        length = np.linalg.norm(error[:, :first], axis=1)
        return length, np.linalg.norm(error[:, first:], axis=1)

    def solve(self, q: np.ndarray, most: int, is_one: bool) -> Reached:
        """Return what is found from given coordinates, (N, nq)."""
        q = self.freedom.moved(q, np.zeros((1, 1)))
        error = self.errors(q, np.arange(len(q)))
        damping = np.full(len(q), DAMPING)
        is_open = ~self._is_reached(error)
        tried = 0
        while tried < most and is_open.any():
            tried += 1
            at = np.flatnonzero(is_open)
            slopes, now = self.slopes(q[at], at), error[at]
            gradient = np.einsum("nij,ni->nj", slopes, now)
            slopes = slopes * self.freedom.is_free(q[at], gradient)[:, None, :]
            gradient = np.einsum("nij,ni->nj", slopes, now)
            square = np.einsum("nij,nik->njk", slopes, slopes)
            scale = np.maximum(np.einsum("njj->nj", square).max(axis=1, initial=0.0), check.SMALLEST)
            square += (damping[at] * scale)[:, None, None] * np.eye(square.shape[1])
            step = np.linalg.solve(square, gradient[..., None])[..., 0]
            made = self.freedom.moved(q[at], step)
            after = self.errors(made, at)
            helped = np.linalg.norm(after, axis=1) < np.linalg.norm(now, axis=1)
            good = at[helped]
            q[good], error[good] = made[helped], after[helped]
            damping[good] = np.maximum(EASED * damping[good], LEAST)
            damping[at[~helped]] *= RAISED
            is_open = ~self._is_reached(error) & (damping < 1.0 / LEAST)  # else no step helps
        return self._said(q, error, tried, is_one)

    def _is_reached(self, error: np.ndarray) -> np.ndarray:
        length, angle = self.sizes(error)
        return np.asarray((length <= self.tolerance) & (angle <= self.tolerance))

    def _said(self, q: np.ndarray, error: np.ndarray, tried: int, is_one: bool) -> Reached:
        length, angle = self.sizes(error)
        reached = self._is_reached(error)
        if is_one:
            return Reached(frozen(q[0]), float(length[0]), float(angle[0]), bool(reached[0]), tried)
        return Reached(frozen(q), frozen(length), frozen(angle), frozen(reached), tried)


def _turn(quaternion: np.ndarray) -> np.ndarray:
    """Return axis times angle (3,) [rad] of a unit quaternion, the shorter way."""
    w, along = (quaternion[0], quaternion[1:]) if quaternion[0] >= 0.0 else (-quaternion[0], -quaternion[1:])
    sine = float(np.linalg.norm(along))
    return along * (2.0 if sine < 1e-9 else 2.0 * np.arctan2(sine, w) / sine)
