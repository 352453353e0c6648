"""Links and joints by name: of a robot in a world, and of one in all worlds of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.by_name import ByName
from tribo.engine.layout import COORDINATES, DOFS
from tribo.model import Joint as JointType
from tribo.objects.handle import HandleOwner
from tribo.objects.handles import Joint, Link
from tribo.objects.inverse_kinematics import InverseKinematics
from tribo.objects.joint_drive import state_part

STATE = ("coordinate", "velocity")  # what a joint has of the state


class Links(ByName[Link]):
    """Links of a robot."""

    __slots__ = ()
    _called = "link"


class Joints(ByName[Joint]):
    """Joints of a robot."""

    __slots__ = ()
    _called = "joint"


class NamedParts(InverseKinematics, HandleOwner):
    """Links and joints by name: of a robot in a world, of a robot in all worlds of a batch."""

    _is_batch = False

    if not TYPE_CHECKING:  # type checkers refuse brackets by themselves
        __iter__ = __contains__ = None

        def __getitem__(self, key: Any) -> Any:
            """Refuse brackets with the call that finds the part: ``robot["trunk"]``."""
            said = f"robot.link({key!r}) or robot.joint({key!r})"
            if key in self.joint_names:
                said = f"robot.joint({key!r})"
            elif key in self.frame_names:
                said = f"robot.link({key!r})" if key in self.body_names else f"robot.frame({key!r})"
            elif not isinstance(key, str):
                said = "robot.links[…] or robot.joints[…]"
            raise TypeError(f"a robot takes no brackets; use {said}")

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies; links behind fixed joints are merged into their parents."""
        return tuple(body.name for body in self.description.bodies)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move, in order of their coordinates (without the base)."""
        return tuple(body.joint.name for body in self.description.bodies[1:])

    @property
    def is_floating(self) -> bool:
        """Whether the base moves freely."""
        return self.description.bodies[0].joint.type == JointType.FREE

    def _parameter(self, field: str, row: int | slice) -> np.ndarray:
        """Return a row, or rows, of a model field, for a batch one per world."""
        found = self._records().model.arrays[field][:, row]
        return np.broadcast_to(found, (self._count(), *found.shape[1:])) if self._is_batch else found[0]

    @property
    def links(self) -> ByName[Link]:
        """All links that are bodies, in the order of `body_names`; a name finds one, too."""
        return Links(Link(self, b.name, k) for k, b in enumerate(self.description.bodies))

    def link(self, name: str) -> Link:
        """Return a link by name.

        Raises:
            KeyError: There is none, or it is merged into another; the message says which.
            TypeError, ValueError: The name is no text, or empty.
        """
        check.name(name, f"name of a link of {self.name}")
        names = [body.name for body in self.description.bodies]
        if name not in names and name in self.frame_names:
            frame = self.frame(name)
            raise KeyError(
                f"{name!r} is fixed to link {frame.body_name!r} and a part of it; use "
                f"link({frame.body_name!r}) for its mass, frame({name!r}) for its place"
            )
        check.known(name, (*names, *self.frame_names), f"link of {self.name}")
        return Link(self, name, names.index(name))

    @property
    def joints(self) -> ByName[Joint]:
        """All joints that move, in the order of `joint_names`, without the root's; a name finds one, too."""
        bodies = enumerate(self.description.bodies)
        return Joints(Joint(self, b.joint.name, k) for k, b in bodies if k > 0)

    def joint(self, name: str) -> Joint:
        """Return a joint by name.

        Raises:
            KeyError: There is none, or it is fixed and a mere frame; the message says which.
            TypeError, ValueError: The name is no text, or empty.
        """
        check.name(name, f"name of a joint of {self.name}")
        names = [body.joint.name for body in self.description.bodies]
        if name not in names and name in self.frame_names:
            raise KeyError(f"{name!r} does not move; use frame({name!r}) for its place")
        if name not in names[:1]:  # that of the root has coordinates, too, but nobody looks for it
            check.known(name, names[1:], f"joint of {self.name}")
        return Joint(self, name, names.index(name))

    @property
    def joint_coordinates(self) -> dict[str, float | np.ndarray]:
        """Coordinates [rad, m] by joint name, without the root; assign a mapping of some or all of them."""
        return self._by_joint(self._state_rows("q"), COORDINATES)

    @joint_coordinates.setter
    def joint_coordinates(self, values: Mapping[str, Any]) -> None:
        self._assign("coordinate", values)

    @property
    def joint_velocities(self) -> dict[str, float | np.ndarray]:
        """Velocities [rad/s, m/s] by joint name, without the root; assign a mapping of some or all."""
        return self._by_joint(self._state_rows("v"), DOFS)

    @joint_velocities.setter
    def joint_velocities(self, values: Mapping[str, Any]) -> None:
        self._assign("velocity", values)

    def _by_joint(self, rows: np.ndarray, widths: Mapping[JointType, int]) -> dict[str, float | np.ndarray]:
        """Return numbers (worlds, n) of the state by joint name, without the root."""
        named = zip(self.joint_names, self.description.joint_slices(widths)[1:], strict=True)
        return {name: state_part(rows, where, self._is_batch) for name, where in named}

    def _assign(self, what: str, values: Any) -> None:
        """Set a property of some joints, or of none if one of the values is wrong."""
        if not isinstance(values, Mapping):
            also = f"; all as an array: generalized_{what}" if what in STATE else ""
            raise TypeError(f"{what} by joint name must be a dict, got {type(values).__name__}{also}")
        joints = {name: self.joint(name) for name in values}
        later: list[Callable[[], None]] = []
        for name, value in values.items():
            joints[name]._collect(later)
            setattr(joints[name], what, value)
        for write in later:  # all of them are checked
            write()
