"""What all objects of a world have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tribo import check
from tribo.builder import COORDINATES, Part, Span, coordinate_counts, rotation_matrix
from tribo.description import ShapeDescription, TreeDescription
from tribo.model import Joint, Kind, Shape

if TYPE_CHECKING:
    from tribo.contacts import Contact
    from tribo.engine import Engine


class Owner(Protocol):
    """The world as its objects see it."""

    @property
    def engine(self) -> Engine:
        """Return the records, rebuilt if something was added or removed."""

    def check_editable(self, what: str) -> None:
        """Refuse an edit between `update` and `advance`."""

    def rebuild(self) -> None:
        """Note that the arrays must be built anew before the next step."""

    @property
    def is_built(self) -> bool:
        """Tell whether the records hold all objects as they are now."""

    def note_wrench(self) -> None:
        """Note that an external force acts in the next step."""

    def contacts_of(self, part: Object) -> list[Contact]:
        """Return the contacts of an object, seen from it."""

    @property
    def material_names(self) -> tuple[str, ...]:
        """Return the names of all materials in order of their numbers."""

    def material_number(self, name: str) -> int:
        """Return the number of a material; a new name gets a new number."""


class CollisionBody:
    """One collision shape of an object, e.g. ``robot.collision_body("LF_FOOT/0")``."""

    def __init__(self, owner: Object, number: int, shape: ShapeDescription) -> None:
        """Use `Object.collision_body`."""
        self._owner, self._number, self._shape = owner, number, shape

    @property
    def name(self) -> str:
        """Name of link and number, "LINK/0"."""
        return self._shape.name

    @property
    def shape(self) -> Shape:
        """Kind of shape."""
        return self._shape.kind

    @property
    def size(self) -> tuple[float, ...]:
        """Numbers of the shape [m], see `tribo.model.Shape`."""
        return self._shape.size

    @property
    def material(self) -> str:
        """Name of the material; assign to change it.

        Example:
            >>> import tribo
            >>> ball = tribo.World().add_sphere(radius=0.1, mass=1.0)
            >>> ball.collision_bodies[0].material = "ice"
            >>> ball.collision_bodies[0].material
            'ice'
        """
        return self._shape.material

    @material.setter
    def material(self, name: str) -> None:
        self._owner.world.check_editable(f"the material of {self.name}")
        number = self._owner.world.material_number(name)
        self._shape.material = name
        self._write("shape_material", number)

    @property
    def collision_group(self) -> int:
        """Bits of the groups that this shape belongs to."""
        return self._owner.collision_group if self._shape.group is None else self._shape.group

    @collision_group.setter
    def collision_group(self, value: int) -> None:
        self._owner.world.check_editable(f"the collision group of {self.name}")
        self._shape.group = check.bits(value, "collision_group")
        self._write("shape_group", self._shape.group)

    @property
    def collision_mask(self) -> int:
        """Bits of the groups that this shape meets."""
        return self._owner.collision_mask if self._shape.mask is None else self._shape.mask

    @collision_mask.setter
    def collision_mask(self, value: int) -> None:
        self._owner.world.check_editable(f"the collision mask of {self.name}")
        self._shape.mask = check.bits(value, "collision_mask")
        self._write("shape_mask", self._shape.mask)

    def _write(self, field: str, value: int) -> None:
        if not self._owner.world.is_built:  # the description is enough, the builder will read it
            return
        engine, span = self._owner.world.engine, self._owner.span
        if span is not None:
            getattr(engine.model, field)[span.shape.start + self._number] = value
            engine.filters_changed()


class Object:
    """An object of a world: one tree of bodies, with a stable id and a name."""

    def __init__(
        self,
        world: Owner,
        number: int,
        name: str,
        description: TreeDescription,
        shape_ids: Sequence[int],
        group: int,
        mask: int,
    ) -> None:
        """Use the `add_…` methods of `World`."""
        self.world, self._id, self._name = world, number, name
        self.description, self.shape_ids = description, shape_ids
        self._group, self._mask = group, mask
        self.span: Span | None = None
        self.is_removed = False
        root = description.bodies[0].joint
        self.fixed_pose = np.array([*root.position, *root.quaternion], np.float64)
        self._allocate()
        self._collision_bodies = [
            CollisionBody(self, k, shape)
            for k, shape in enumerate(s for b in description.bodies for s in b.shapes)
        ]

    def _allocate(self) -> None:
        """Make room for the numbers of this object; coordinates at zero, the root at its pose."""
        nq, nv = coordinate_counts(self.description, self.description.kind)
        self._q, self._v = np.zeros(nq), np.zeros(nv)
        self._vdot, self._vdot_before = np.zeros(nv), np.zeros(nv)
        self._tau, self._kp, self._kd = np.zeros(nv), np.zeros(nv), np.zeros(nv)
        self._target_v = np.zeros(nv)
        self._limit_impulse = np.zeros(len(self.description.bodies))
        self._wrench = np.zeros((len(self.description.bodies), 6))
        first = 0
        for k in range(len(self.description.bodies)):
            joint = self._joint_type(k)
            if joint == Joint.FREE:
                self._q[first : first + 7] = self.fixed_pose
            elif joint == Joint.SPHERICAL:
                self._q[first] = 1.0
            first += COORDINATES[joint]
        self._target_q = self._q.copy()

    def _joint_type(self, body: int) -> Joint:
        is_fixed = body == 0 and self.description.kind == Kind.STATIC
        return Joint.FIXED if is_fixed else self.description.bodies[body].joint.type

    def __repr__(self) -> str:
        """Return class, name and id."""
        return f"<{type(self).__name__} {self.name!r} id={self.id}>"

    @property
    def id(self) -> int:
        """Number that no other object of this world has had or will have."""
        return self._id

    @property
    def name(self) -> str:
        """Name under which ``world["name"]`` finds the object."""
        return self._name

    @property
    def body_type(self) -> Kind:
        """Who moves the object: `DYNAMIC` forces, `KINEMATIC` the user, `STATIC` nobody.

        Example:
            >>> import tribo
            >>> belt = tribo.World().add_box(size=(4, 1, 0.1), mass=1.0)
            >>> belt.body_type = tribo.KINEMATIC
            >>> belt.linear_velocity = 0.5, 0, 0    # it carries what lies on it, for ever
        """
        return self.description.kind

    @body_type.setter
    def body_type(self, value: Kind | str) -> None:
        kind = as_kind(value)
        if kind == self.description.kind:
            return
        if kind == Kind.STATIC and len(self.description.bodies) > 1:
            raise ValueError(
                f"{self.name}: an articulated system cannot be static; make it kinematic with zero velocity"
            )
        if any(shape.shape == Shape.PLANE for shape in self.collision_bodies):
            raise ValueError(f"{self.name} is a half space: it can only be static")
        self.world.check_editable(f"the body type of {self.name}")
        pose = self._root_pose().copy()
        self.description.kind = kind
        nq, _ = coordinate_counts(self.description, kind)
        if nq != len(self._q):
            self.fixed_pose = pose
            self._allocate()
        self.span = None
        self.world.rebuild()

    def _root_pose(self) -> np.ndarray:
        """Return position and quaternion of the root, an array that may be written."""
        return self._q[:7] if self._joint_type(0) == Joint.FREE else self.fixed_pose

    def _write_pose(self) -> None:
        """Pass the pose of a root that does not move on to the model."""
        if self._joint_type(0) == Joint.FREE or self.span is None:
            return
        model = self.world.engine.model
        model.joint_pos[self.span.body.start] = self.fixed_pose[:3]
        model.joint_rot[self.span.body.start] = rotation_matrix(self.fixed_pose[3:]).ravel()

    @property
    def position(self) -> np.ndarray:
        """Position of the (root) body's origin, shape (3,) [m], world; assign to move it."""
        return self._root_pose()[:3].copy()

    @position.setter
    def position(self, value: Any) -> None:
        self.world.check_editable(f"the position of {self.name}")
        self._root_pose()[:3] = check.vector(value, f"position of {self.name}", 3)
        self._write_pose()

    @property
    def orientation(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z) of the (root) body, shape (4,), body axes to world."""
        return self._root_pose()[3:7].copy()

    @orientation.setter
    def orientation(self, value: Any) -> None:
        self.world.check_editable(f"the orientation of {self.name}")
        self._root_pose()[3:7] = check.quaternion(value, f"orientation of {self.name}")
        self._write_pose()

    @property
    def rotation_matrix(self) -> np.ndarray:
        """Rotation of the (root) body, shape (3, 3), body axes to world."""
        return rotation_matrix(self._root_pose()[3:7])

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
        return self._collision_bodies[
            names.index(check.known(name, names, f"collision body of {self.name}"))
        ]

    @property
    def material(self) -> str:
        """Material of all collision shapes ("mixed" if they differ); assign to change all."""
        names = {body.material for body in self._collision_bodies}
        return names.pop() if len(names) == 1 else "mixed"

    @material.setter
    def material(self, name: str) -> None:
        for body in self._collision_bodies:
            body.material = name

    @property
    def contacts(self) -> list[Contact]:
        """Contacts of the last step, seen from this object: forces act on it."""
        return self.world.contacts_of(self)

    def _wrench_row(self, body: int) -> np.ndarray:
        """Return the (6,) external torque and force of a body, for the next step only."""
        if self.is_removed:
            raise RuntimeError(f"{self.name} was removed from its world")
        self.world.note_wrench()
        row: np.ndarray = self._wrench[body]
        return row

    def part(self) -> Part:
        """Return the object as the builder needs it."""
        return Part(
            self.description,
            self.description.kind,
            self.fixed_pose,
            self.shape_ids,
            self._group,
            self._mask,
        )

    def attach(self, engine: Engine, span: Span) -> None:
        """Move this object's numbers into the records of a freshly built world."""
        for name, (record, index) in _VIEWS.items():
            view = getattr(getattr(engine, record), name)[getattr(span, index)]
            view[:] = getattr(self, f"_{name}")
            setattr(self, f"_{name}", view)
        self.span = span

    def detach(self) -> None:
        """Keep this object's numbers apart from the records, before a rebuild."""
        for name in _VIEWS:
            setattr(self, f"_{name}", getattr(self, f"_{name}").copy())
        self.span = None


# Numbers that belong to an object: array of a record, and which span of it.
_VIEWS = {
    "q": ("state", "q"),
    "v": ("state", "v"),
    "vdot": ("state", "v"),
    "vdot_before": ("state", "v"),
    "limit_impulse": ("state", "body"),
    "wrench": ("command", "body"),
    "tau": ("command", "v"),
    "kp": ("command", "v"),
    "kd": ("command", "v"),
    "target_q": ("command", "q"),
    "target_v": ("command", "v"),
}


def as_kind(value: Kind | str) -> Kind:
    """Return a body type given as enum or name."""
    if isinstance(value, str):
        return Kind[check.known(value.upper(), [k.name for k in Kind], "body type")]
    return Kind(value)
