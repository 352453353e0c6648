"""The common base of all objects of a world."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.live import LiveArray, live
from tribo.checks.readonly import frozen
from tribo.checks.types import Vector
from tribo.description import colors
from tribo.description.trees import TreeDescription
from tribo.engine.builder import Part
from tribo.engine.engine import Engine
from tribo.engine.layout import (
    COORDINATES,
    Span,
    actuator_count,
    coordinate_counts,
    follow,
    joint_types,
    slot_count,
)
from tribo.model import Joint, Kind
from tribo.objects.body_types import TERRAIN, as_kind, note_push
from tribo.objects.collision_body import CollisionBody
from tribo.objects.contact import Contact
from tribo.objects.contact_reader import ContactReader
from tribo.objects.owner import Owner
from tribo.objects.record_views import ELSEWHERE, InRecords
from tribo.objects.running_surface import RunningSurface
from tribo.objects.sleeper import Sleeper


class Object(Sleeper, RunningSurface, ContactReader, InRecords):
    """An object of a world: one tree of bodies, with a stable id and a name.

    `generalized_coordinate` and `generalized_velocity`, and the commands of a robot, are the records
    themselves: write into them. Every other array is a read-only copy (docs/reference/arrays).
    """

    _inner = frozenset((
        "attach", "check_editable", "check_present", "detach", "fixed_pose", "is_as_built", "let_go",
        "part", "quaternions", "runs", "shape_ids", "span", "take_start", "take_state",
    ))  # fmt: skip

    shape_ids: Sequence[int]
    quaternions: list[tuple[str, int]]  # joints that have one, and where it begins in q

    def __init__(
        self, world: Owner, number: int, name: str, description: TreeDescription, shape_ids: Sequence[int],
        group: int, mask: int,
    ) -> None:  # fmt: skip
        """Use the `add_…` methods of `World`."""
        self._world, self._id, self._name = world, number, name
        self.description, self.shape_ids = description, shape_ids
        self._group, self._mask = group, mask
        self.span: Span | None = None
        self.is_removed = False
        self._is_as_built = False  # whether the last build has all of its description
        self._is_in_records = False  # whether its numbers are in those of the last build
        self._handed: dict[str, LiveArray] = {}  # arrays of the records that users may have
        root = description.bodies[0].joint
        self.fixed_pose = np.array([*root.position, *root.quaternion], np.float64)
        self._allocate()
        self._collision_bodies = [
            CollisionBody(self, k, shape)
            for k, shape in enumerate(s for b in description.bodies for s in b.shapes)
        ]

    def _allocate(self) -> None:
        """Make room for the numbers of this object; coordinates at zero, the root at its pose."""
        nq, nv = coordinate_counts(self.description)
        self._q, self._left_q = np.zeros((2, nq))
        self._v, self._vdot, self._vdot_before, self._left_v = np.zeros((4, nv))
        self._tau, self._kp, self._kd, self._target_v = np.zeros((4, nv))
        self._drive_form, self._carries, self._drive_mode = np.zeros((3, nv), np.int64)
        self._tree_motion = np.zeros((1, 10))
        self._stay_awake(nv)
        self._scalar_impulse = np.zeros(slot_count(self.description))
        self._activation, self._control = np.zeros((2, actuator_count(self.description)))
        self._wrench = np.zeros((len(self.description.bodies), 6))
        self._surface_velocity = np.zeros((sum(len(b.shapes) for b in self.description.bodies), 6))
        types = joint_types(self.description)
        self._is_free = types[0] == Joint.FREE
        self.quaternions = []
        first = 0
        for body, joint in zip(self.description.bodies, types, strict=True):
            if joint == Joint.FREE:
                self._q[first : first + 7] = self.fixed_pose
                self.quaternions.append((body.joint.name, first + 3))
            elif joint == Joint.SPHERICAL:
                self._q[first] = 1.0
                self.quaternions.append((body.joint.name, first))
            first += COORDINATES[joint]
        follow(self.description, self._q)
        self._target_q = self._q.copy()

    def __repr__(self) -> str:
        """Return class, name, id, body type, mass and position."""
        removed = ", removed from its world" if self.is_removed else ""
        return f"<{type(self).__name__} {self.name!r} id={self.id}: {self._described()}{removed}>"

    def describe(self) -> str:
        """Return a line of text: name, class, shape or joints, body type, mass and position."""
        return f"{self.name}: {type(self).__name__}, {self._described()}"

    def _described(self) -> str:
        place = ", ".join(f"{x:.6g}" for x in self.position)
        weight = "" if self.body_type == Kind.STATIC else f"{self.mass:g} kg, "
        return f"{self._looks()}, {self.body_type.name.lower()}, {weight}at ({place}) m"

    @abstractmethod
    def _looks(self) -> str:
        """Return in a few words what the object is."""

    def __reduce__(self) -> Any:
        """Refuse copies and pickling: a second handle would miss the next build."""
        raise TypeError(
            f"the handle of {self.name} cannot be copied or pickled; world[{self.name!r}] finds the object"
        )

    @property
    def body_type(self) -> Kind:
        """Body type: `DYNAMIC` is moved by forces, `KINEMATIC` by the user, `STATIC` not at all.

        Example:
            >>> import tribo
            >>> belt = tribo.World().add_box(size=(4, 1, 0.1), mass=1.0)
            >>> belt.body_type = tribo.KINEMATIC
            >>> belt.linear_velocity = 0.5, 0, 0    # it carries what lies on it, for ever
        """
        return self.description.kind

    @body_type.setter
    def body_type(self, value: Kind | str) -> None:
        self.check_present("body_type")
        kind = as_kind(value)
        if kind == self.description.kind:
            return
        if kind == Kind.STATIC and len(self.description.bodies) > 1:
            raise ValueError(
                f"{self.name}: an articulated system cannot be static; make it kinematic with zero velocity"
            )
        for shape in (shape for body in self.description.bodies for shape in body.shapes):
            if shape.is_terrain:
                raise ValueError(f"{self.name} is a {TERRAIN[shape.kind]}: it can only be static")
        self.check_editable("body_type")
        self.wake()
        self.detach()
        pose = self._root_pose().copy()
        self.description.kind = kind
        nq, _ = coordinate_counts(self.description)
        if nq != len(self._q):
            self.fixed_pose = pose
            self._allocate()
        self._world.rebuild()

    # -- state ---------------------------------------------------------------------------------
    def set_state(self, coordinate: Any, velocity: Any) -> None:
        """Set coordinates and velocities together, or neither if one of them is wrong.

        Args:
            coordinate: q, (nq,) [m, rad, –].
            velocity: v, (dof,) [m/s, rad/s].

        Raises:
            ValueError: A shape is wrong, a number is not finite, a quaternion is not of unit length.
            TypeError: It is no array; `joint_coordinates` and `joint_velocities` take numbers by joint name.
        """
        self.check_editable("set_state")
        check.not_by_name(coordinate, f"coordinate of {self.name}", "joint_coordinates")
        check.not_by_name(velocity, f"velocity of {self.name}", "joint_velocities")
        q = self._coordinates(coordinate, "coordinate")
        v = check.vector(velocity, f"velocity of {self.name}", self.dof)
        self._q[:], self._v[:] = q, v
        self._left_q[:] = ELSEWHERE

    @property
    def dof(self) -> int:
        """Number of degrees of freedom; 0 if static."""
        return len(self._v)

    @property
    def generalized_coordinate(self) -> np.ndarray:
        """Coordinates q, shape (nq,) [m, rad, –] (RaiSim: gc), live; a free body: position, quaternion.

        Assigning checks the values and normalizes quaternions; writing into the array does not.

        Example:
            >>> import tribo
            >>> ball = tribo.World().add_sphere(radius=0.1, mass=1.0)
            >>> ball.generalized_coordinate[2] = 5.0
            >>> float(ball.position[2])
            5.0
        """
        return self._live_state("_q")

    @generalized_coordinate.setter
    def generalized_coordinate(self, value: Any) -> None:
        self.check_editable("generalized_coordinate")
        self._q[:] = self._coordinates(value, "generalized_coordinate")
        self._left_q[:] = ELSEWHERE

    @property
    def generalized_velocity(self) -> np.ndarray:
        """Velocities v, shape (dof,) [m/s, rad/s] (RaiSim: gv), live; assign to set them."""
        return self._live_state("_v")

    @generalized_velocity.setter
    def generalized_velocity(self, value: Any) -> None:
        self.check_editable("generalized_velocity")
        self._v[:] = check.vector(value, f"generalized_velocity of {self.name}", self.dof)

    @property
    def q(self) -> np.ndarray:
        """Coordinates, shape (nq,) [m, rad, –]: short for `generalized_coordinate`."""
        return self._live_state("_q")

    @q.setter
    def q(self, value: Vector) -> None:
        self.generalized_coordinate = value

    @property
    def v(self) -> np.ndarray:
        """Velocities, shape (dof,) [m/s, rad/s]: short for `generalized_velocity`."""
        return self._live_state("_v")

    @v.setter
    def v(self, value: Vector) -> None:
        self.generalized_velocity = value

    def _live_state(self, name: str) -> np.ndarray:
        """Return state to write into, read-only where writing would be lost or half a step late."""
        world = self._world
        if self.is_removed or world.is_midway:
            return frozen(np.array(getattr(self, name)))
        found = self._handed.get(name) if world.is_built else None
        return self._live(name) if found is None else found

    def _live(self, name: str) -> np.ndarray:
        """Return an array of the records, which are built first: it stays good until the next build."""
        if self.is_removed:
            return frozen(np.array(getattr(self, name)))
        if not self._world.is_built:
            _ = self._world.engine
        if name not in self._handed:
            self._handed[name] = live(getattr(self, name))
        return self._handed[name]

    def _coordinates(self, value: Any, what: str) -> np.ndarray:
        """Return checked coordinates."""
        return self._normalized(check.vector(value, f"{what} of {self.name}", len(self._q)), what)

    def _normalized(self, q: np.ndarray, what: str) -> np.ndarray:
        """Return coordinates after checking and normalizing their quaternions, in place."""
        for joint, first in self.quaternions:
            w, x, y, z = q[first : first + 4].tolist()
            square = w * w + x * x + y * y + z * z
            if square != 1.0:
                name = f"{what} of {self.name}, rotation of {joint}"
                q[first : first + 4] = check.quaternion(q[first : first + 4], name)
        return q

    @property
    def collision_bodies(self) -> tuple[CollisionBody, ...]:
        """All collision shapes."""
        return tuple(self._collision_bodies)

    def collision_body(self, name: str) -> CollisionBody:
        """Return a collision shape by name, e.g. "LF_FOOT/0".

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        names = [body.name for body in self._collision_bodies]
        return self._collision_bodies[names.index(check.known(name, names, f"collision body of {self.name}"))]

    @property
    def material(self) -> str:
        """Material of all collision shapes ("mixed" if they differ); assign to change all."""
        names = {body.material for body in self._collision_bodies}
        return names.pop() if len(names) == 1 else "mixed"

    @material.setter
    def material(self, name: str) -> None:
        self.check_editable("material")
        check.name(name, f"material of {self.name}")
        for body in self._collision_bodies:
            body.material = name

    @property
    def color(self) -> tuple[float, ...] | None:
        """Red, green, blue and opacity, 0 … 1, of all that is drawn of it; None: as its parts say.

        Assign a name ("red"), 3 or 4 numbers, or None. World files keep it as ``appearance``. Opacity is kept
        and not drawn; a ground is drawn as tiles whatever its colour.

        Example:
            >>> import tribo
            >>> ball = tribo.World().add_sphere(radius=0.1, mass=1.0, color="blue")
            >>> ball.color
            (0.22, 0.42, 0.75, 1.0)
        """
        return self.description.color

    @color.setter
    def color(self, value: Any) -> None:
        self.check_present("color")
        what = f"color of {self.name}"
        self.description.color = None if value is None else colors.given(value, what)

    @property
    def contacts(self) -> list[Contact]:
        """Contacts of the last step, seen from this object: forces act on it."""
        self.check_present("contacts")
        return self._world.contacts_of(self)

    def _contact_records(self) -> tuple[str, Engine, slice]:
        self.check_present("contact forces")
        engine = self._world.engine  # built anew if something was added
        assert self.span is not None
        return self.name, engine, self.span.shape

    def _surface_rows(self) -> np.ndarray:
        self.check_present("a surface that runs")
        rows: np.ndarray = self._surface_velocity[None, : len(self.description.bodies[0].shapes)]
        return rows

    def _check_surface(self, what: str) -> None:
        self.check_editable(what)

    def _wrench_row(self, body: int) -> np.ndarray:
        """Return the (6,) external torque and force of a body, for the next step only."""
        self.check_present("external force")
        note_push(self, self.name, self.description.kind)
        self._world.note_wrench()
        row: np.ndarray = self._wrench[body]
        return row

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """State and commands by their public names, as they are now, not to be written."""
        names = {"generalized_coordinate": "_q", "generalized_velocity": "_v"}
        names |= {"generalized_force": "_tau", "kp": "_kp", "kd": "_kd"}
        names |= {"pd_target": "_target_q", "pd_velocity_target": "_target_v"}
        return {public: frozen(getattr(self, name)[:]) for public, name in names.items()}

    def part(self) -> Part:
        """Return the object as the builder needs it."""
        return Part(self.description, self.fixed_pose, self.shape_ids, self._group, self._mask)


def shift_since(origin: Sequence[float] | None, part: Object | None) -> np.ndarray:
    """Return how far the shapes of a body have moved in its frame, (3,) [m], since their origin was there.

    A body's frame begins at its centre of mass: where that is set anew, all that is fixed to the body moves.
    """
    if origin is None or part is None:
        return np.zeros(3)
    return np.asarray(np.subtract(part.description.origin, origin))
