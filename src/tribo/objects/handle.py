"""The common base of handles of links and joints."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import reading
from tribo.description.trees import BodyDescription
from tribo.objects.collision_body import CollisionBody
from tribo.objects.frames import Frame, FrameOwner
from tribo.objects.states import rows

PUBLIC = {  # fields of `Model` by what users call them
    "body_mass": "mass", "body_com": "com", "body_inertia": "inertia", "body_support": "gravity_compensation",
    "joint_pos": "position_in_parent", "joint_rot": "orientation_in_parent", "joint_axis": "axis_in_joint",
    "joint_lower": "limits", "joint_upper": "limits", "dof_armature": "armature", "dof_damping": "damping",
    "dof_stiffness": "stiffness", "dof_friction": "dry_friction", "dof_speed": "velocity_limit",
    "dof_effort_lower": "effort_limits", "dof_effort_upper": "effort_limits",
    "spring_reference": "spring_reference",
}  # fmt: skip


class HandleOwner(FrameOwner):
    """The owner of links and joints, as their handles see it: a robot, in a world or in all of a batch."""

    _is_batch: bool

    @property
    @abstractmethod
    def links(self) -> tuple[Any, ...]:
        """Return all links that are bodies, in the order of the bodies."""

    @abstractmethod
    def _count(self) -> int:
        """Return the number of worlds."""

    @abstractmethod
    def _state_rows(self, name: str) -> np.ndarray:
        """Return the coordinates "q" or velocities "v" themselves, (worlds, ·)."""

    @abstractmethod
    def _command_rows(self, name: str) -> np.ndarray:
        """Return a command itself, (worlds, ·); refuse if the robot was removed."""

    @abstractmethod
    def _torque_rows(self) -> np.ndarray:
        """Return what drives did in the last step, (worlds, dof)."""

    @abstractmethod
    def _row_forces(self) -> np.ndarray:
        """Return forces of the scalar rows of all joints in the last step, (worlds, slots)."""

    @abstractmethod
    def _check_editable(self, what: str) -> None:
        """Refuse an edit of what was removed, or between `update` and `advance`."""

    @abstractmethod
    def _collision_bodies_of(self, body: int) -> tuple[CollisionBody, ...]:
        """Return the collision shapes of a body."""

    @abstractmethod
    def _parameter(self, field: str, row: int | slice) -> np.ndarray:
        """Return a row, or rows, of a model field, for a batch one per world."""

    @abstractmethod
    def _set_parameter(self, field: str, row: int, value: np.ndarray, what: str) -> None:
        """Write a row of a model field in all worlds."""


class Handle(Frame):
    """The common part of links and joints: the frame of a body, and the numbers of its model."""

    _owner: HandleOwner
    _later: list[Callable[[], None]] | None = None  # collects writes that wait for others' checks

    @property
    def _body_description(self) -> BodyDescription:
        return self._owner.description.bodies[self._body]

    def _get(self, field: str, row: int) -> Any:
        """Return a number of the model; for a batch with one row per world."""
        found = self._owner._parameter(field, row)
        return float(found) if found.ndim == 0 else reading(found.copy())

    def _collect(self, later: list[Callable[[], None]]) -> None:
        """Only check what is assigned from now on, and add what would be written to a list."""
        self._later = later

    def set_several(self, values: Mapping[str, Any]) -> None:
        """Set properties by name: all of them, or none if one of the values is wrong.

        Raises:
            TypeError, ValueError: As the properties themselves; nothing is changed.
        """
        later: list[Callable[[], None]] = []
        self._collect(later)
        for name, value in check.mapping(values, "values", "properties' names to values").items():
            setattr(self, name, value)
        self._later = None
        for write in later:
            write()

    def _do(self, write: Callable[[], None]) -> None:
        """Write what was checked: at once, or with others once all of them are checked."""
        if self._later is None:
            write()
        else:
            self._later.append(write)

    def _set(self, field: str, row: int, value: np.ndarray) -> None:
        what = f"{PUBLIC[field]} of {self._name}"
        self._do(lambda: self._owner._set_parameter(field, row, value, what))

    def _set_row(self, rows: np.ndarray, where: slice, value: Any) -> None:
        """Write checked numbers into state or commands, (worlds, ·)."""
        self._do(lambda: rows.__setitem__((slice(None), where), value))

    def _given(self, value: Any, what: str, *shape: int) -> np.ndarray:
        """Return checked numbers, one set per world."""
        return rows(value, f"{what} of {self._name}", shape, self._owner._count())
