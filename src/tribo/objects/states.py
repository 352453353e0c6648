"""The states for which something about a robot is asked, checked and with what is needed to answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.description.trees import TreeDescription
from tribo.engine.layout import COORDINATES
from tribo.engine.subtree import TreeRecords

SYMMETRIC = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])  # of a matrix, in its six numbers
SIX = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)  # where these stand in the matrix


@dataclass(slots=True)
class States:
    """N states of one robot and the records with which queries compute."""

    name: str  # of the robot
    records: TreeRecords
    q: np.ndarray  # (N, nq)
    v: np.ndarray  # (N, nv)
    vdot: np.ndarray  # (N, nv)
    is_single: bool  # N = 1, and results have no first axis

    def zeros(self, *shape: int) -> np.ndarray:
        """Return room for a result of this shape per state."""
        return np.zeros((len(self.q), *shape))

    # First arguments of queries: of coordinates, of velocities too, of accelerations too.
    @property
    def placed(self) -> tuple[Any, ...]:
        """Return model, work, q."""
        return self.records.model, self.records.work, self.q

    @property
    def moving(self) -> tuple[Any, ...]:
        """Return model, settings, work, q, v."""
        return self.records.model, self.records.settings, self.records.work, self.q, self.v

    @property
    def moving_at_length(self) -> tuple[Any, ...]:
        """Return model, settings, work, scratch, q, v."""
        records = self.records
        return records.model, records.settings, records.work, records.scratch, self.q, self.v

    @property
    def accelerated(self) -> tuple[Any, ...]:
        """Return model, settings, work, q, v, vdot."""
        return *self.moving, self.vdot

    def answer(self, query: Any, shape: tuple[int, ...], *arguments: Any) -> np.ndarray:
        """Return what a query writes into its last argument, zeros of a shape per state."""
        out = self.zeros(*shape)
        query(*arguments, out)
        return out

    def result(self, array: np.ndarray) -> np.ndarray:
        """Return a result as the caller expects it: without the first axis for a single state."""
        return frozen(array[0] if self.is_single else array)

    def given(self, value: Any, what: str, *shape: int) -> np.ndarray:
        """Return numbers of the caller for all states: one set for all, or one for each."""
        return rows(value, f"{what} of {self.name}", shape, len(self.q))

    def loads(self, bodies: int, acceleration: Any, wrench: Any) -> np.ndarray:
        """Return what acts from outside, (N, bodies, 6); take accelerations (dof,) or (N, dof) if given."""
        if acceleration is not None:
            self.vdot = self.given(acceleration, "acceleration", self.v.shape[1])
        return self.zeros(bodies, 6) if wrench is None else self.given(wrench, "wrench", bodies, 6)


class StateHost(Sealed, ABC):
    """The owner of states: a robot, a robot at other states, a robot in all worlds of a batch."""

    name: str
    description: TreeDescription

    @abstractmethod
    def _states(self) -> States:
        """Return the states to answer for."""


def rows(value: Any, what: str, shape: tuple[int, ...], count: int) -> np.ndarray:
    """Return checked float64 numbers as (count, *shape); without the first axis they hold for all."""
    array = check.array(value, what, f"numbers of shape {shape}")
    if array.shape == shape:
        array = np.broadcast_to(array, (count, *shape)).copy()
    return check.within_range(check.shaped(array, what, shape, (count, *shape)), what)


def coordinates(value: Any, description: TreeDescription, what: str, nq: int) -> np.ndarray:
    """Return checked coordinates (N, nq) with unit quaternions."""
    array = check.array(value, what, f"numbers of shape ({nq},)")
    if array.ndim not in (1, 2) or array.shape[-1] != nq:
        raise ValueError(f"{what} must have shape ({nq},) or (N, {nq}), got {array.shape}")
    q = rows(np.atleast_2d(array), what, (nq,), len(np.atleast_2d(array)))
    for body, where in zip(description.bodies, description.joint_slices(COORDINATES), strict=True):
        if where.stop - where.start >= 4:
            unit_quaternions(q[:, where.stop - 4 : where.stop], f"{what}, rotation of {body.joint.name}")
    return q


def unit_quaternions(quaternions: np.ndarray, what: str) -> None:
    """Normalise quaternions (N, 4) in place; refuse those far from unit length."""
    length = check.lengths(quaternions)
    wrong = np.flatnonzero(np.abs(length - 1.0) > check.UNIT_TOLERANCE)
    if wrong.size:
        check.quaternion(quaternions[wrong[0]], f"{what} (state {wrong[0]})")
    quaternions /= length[:, None]


def turned(axes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors (…, 3) turned by matrices (…, 3, 3): the same bits for one as for many.

    A product by BLAS may add in another order, or fuse a product and a sum, by the strides of what it gets.
    """
    parts = axes * vectors[..., None, :]
    return np.asarray(parts[..., 0] + parts[..., 1] + parts[..., 2])


def turned_back(axes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors (…, 3) turned by transposed matrices (…, 3, 3): the same bits for one as for many."""
    return turned(np.swapaxes(axes, -1, -2), vectors)
