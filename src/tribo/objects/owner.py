"""The world as its objects see it, and an object as what belongs to it sees it.

Objects, their shapes, contacts and constraints point at each other. `Owner` says what they may ask of the
world, and `Member` is what all objects have, so that the files below import none above them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.checks.orientation import orientation as as_quaternion
from tribo.checks.readonly import frozen, part_of
from tribo.checks.sealed import Sealed
from tribo.checks.types import Orientation, Vector
from tribo.description.extents import rotation_matrix
from tribo.description.trees import TreeDescription
from tribo.engine.engine import Engine
from tribo.engine.layout import Span
from tribo.model import Kind

# Attribute of an object, array of a record, kind of span.
Arrays = list[tuple[str, np.ndarray, str]]
# Of an external wrench on a body, (6,), what acts on a link merged into it: by id of the object and link.
Pushes = dict[tuple[int, str], np.ndarray]


class Owner(Protocol):
    """The world as its objects see it."""

    face: Any  # the `World` that users hold
    constraints: Any  # all between bodies
    sleeping: bool  # whether the world lets objects sleep
    is_midway: bool  # whether `update` was called and `advance` was not yet
    material_names: tuple[str, ...]  # in order of their numbers
    gravity: np.ndarray  # (3,) [m/s²]

    @property
    def engine(self) -> Engine:
        """Return the records, rebuilt if something was added or removed."""

    def check_editable(self, what: str, verb: str = "changed") -> None:
        """Refuse an edit, or what `verb` says, between `update` and `advance`."""

    def rebuild(self) -> None:
        """Note that the arrays must be built anew before the next step."""

    @property
    def is_built(self) -> bool:
        """Tell whether the records hold all objects as they are now."""

    def overlaps(self, a: Any, b: Any) -> bool:
        """Tell whether two things touch or overlap."""

    def note_name(self, part: Any, name: str) -> None:
        """Note that an object will be called otherwise, by a name that is free."""

    def hand_out(self, part: Any) -> tuple[Arrays, Span]:
        """Return the arrays of the last build that hold an object's numbers, and where they are in them."""

    def note_wrench(self) -> None:
        """Note that an external force acts in the next step."""

    def note_push(self, part: Any, link: str, wrench: np.ndarray) -> None:
        """Note how much of an external wrench (6,) acts on a link that was merged into a body."""

    def contacts_of(self, part: Any) -> list[Any]:
        """Return the contacts of an object, seen from it."""

    def material_number(self, name: str) -> int:
        """Return the number of a material; a new name gets a new number."""


class Member(Sealed, ABC):
    """An object of a world, as its shapes, its contacts and its constraints see it: who, where, how heavy."""

    description: TreeDescription
    span: Span | None
    is_removed: bool
    fixed_pose: np.ndarray
    _world: Owner
    _id: int
    _name: str
    _group: int
    _mask: int
    _is_free: bool
    _is_as_built: bool
    _q: np.ndarray
    _surface_velocity: np.ndarray

    @property
    def world(self) -> Any:
        """The `World` that it is in, or was in."""
        return self._world.face

    def check_present(self, what: str) -> None:
        """Refuse what needs an object that is still in its world.

        Raises:
            EditError: It was removed.
        """
        if self.is_removed:
            raise EditError(f"{what} of {self.name}: the object was removed from its world; add a new one")

    def check_editable(self, what: str) -> None:
        """Refuse an edit of an object that was removed, or between `update` and `advance`."""
        self.check_present(what)
        self._world.check_editable(f"{what} of {self.name}")
        if not self._world.is_built:  # what is changed now is in its description only
            self._is_as_built = False

    @property
    def id(self) -> int:
        """Number that no other object of this world has had or will have."""
        return self._id

    @property
    def name(self) -> str:
        """Name under which ``world["name"]`` finds the object; assign another one that is free.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=1.0)
            >>> ball.name = "ball"
            >>> world["ball"] is ball
            True
        """
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._world.note_name(self, value)
        self._name = value

    @property
    @abstractmethod
    def body_type(self) -> Kind:
        """Return who moves it."""

    def _root_pose(self) -> np.ndarray:
        """Return position and quaternion of the root, an array that may be written."""
        return self._q[:7] if self._is_free else self.fixed_pose

    def _write_pose(self) -> None:
        """Pass the pose of a root that does not move on to the model."""
        if self.span is None or not self._world.is_built or self._is_free:
            return
        model = self._world.engine.model
        model.joint_pos[self.span.body.start] = self.fixed_pose[:3]
        model.joint_rot[self.span.body.start] = rotation_matrix(self.fixed_pose[3:]).ravel()

    @property
    def position(self) -> np.ndarray:
        """Position of the (root) body's origin, shape (3,) [m], world; assign to move it."""
        pose = self._q if self._is_free else self.fixed_pose
        return part_of(pose, 0, 3, "position")

    @position.setter
    def position(self, value: Vector) -> None:
        self.check_editable("position")
        self._root_pose()[:3] = check.vector(value, f"position of {self.name}", 3)
        self._write_pose()

    @property
    def orientation(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z) of the (root) body, shape (4,), body axes to world.

        Assign a quaternion, a matrix (3, 3), SciPy's ``Rotation``, or what `tribo.quaternion` makes of
        roll, pitch and yaw.

        Example:
            >>> import math, tribo
            >>> box = tribo.World().add_box((1, 1, 1), mass=1.0, rpy=(0, 0, math.pi / 2))
            >>> box.orientation.round(6).tolist()
            [0.707107, 0.0, 0.0, 0.707107]
            >>> box.orientation = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        """
        pose = self._q if self._is_free else self.fixed_pose
        return part_of(pose, 3, 4, "orientation")

    @orientation.setter
    def orientation(self, value: Orientation) -> None:
        self.check_editable("orientation")
        self._root_pose()[3:7] = as_quaternion(value, f"orientation of {self.name}")
        self._write_pose()

    @property
    def rotation_matrix(self) -> np.ndarray:
        """Rotation of the (root) body, shape (3, 3), body axes to world."""
        return frozen(rotation_matrix(self._root_pose()[3:7]))

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(sum(body.mass for body in self.description.bodies))

    @property
    def collision_group(self) -> int:
        """Bits of the groups that the object belongs to (shapes may have their own)."""
        return self._group

    @property
    def collision_mask(self) -> int:
        """Bits of the groups that the object meets (shapes may have their own)."""
        return self._mask

    @abstractmethod
    def _contact_motion(self, collision_body: str, point: np.ndarray) -> Any:
        """Return the `ContactMotion` of a collision body at a point (3,) [m] of the world."""
