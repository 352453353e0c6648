"""Parts of robots: joints, links, frames, collision bodies, springs, sparse Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.description.extents import rotation_matrix
from tribo.raisimpy.arguments import count
from tribo.raisimpy.enums import JointType
from tribo.raisimpy.spelling import Dialects, Wrapper, data, keeps, means, reads, vector, writes

_JOINTS = {
    "fixed": JointType.FIXED, "revolute": JointType.REVOLUTE, "prismatic": JointType.PRISMATIC,
    "spherical": JointType.SPHERICAL, "free": JointType.FLOATING,
}  # fmt: skip


def joint_type(joint: Any) -> JointType:
    """Return the type of a joint of tribo."""
    return _JOINTS[joint.type.name.lower()]


def axis_in_parent(joint: Any) -> Any:
    """Return the axis of a joint of tribo, (3,) unit, axes of its parent."""
    return rotation_matrix(joint.orientation_in_parent) @ joint.axis_in_joint


class _Placed(Wrapper):
    """A place on a robot."""

    getPosition = reads("position")
    getOrientation = reads("rotation_matrix")

    def getPose(self) -> tuple[Any, Any]:
        """``position``, ``rotation_matrix``"""
        return self._it.position, self._it.rotation_matrix


class JointRef(_Placed):
    """A joint of a robot (`ArticulatedSystem.getJoint`)."""

    getJointCoordinate = reads("coordinate")
    getJointAngle = reads("coordinate")
    getJointAxis = means(
        "``axis_in_joint``, in axes of the parent; in the world: ``axis``",
        lambda self: axis_in_parent(self._it),
    )
    getPositionInParentFrame = reads("position_in_parent")
    getLinearVelocity = reads("linear_velocity")
    getType = means("``type``", lambda self: joint_type(self._it))

    def getIdxInGeneralizedCoordinate(self) -> int:
        """``coordinate_slice.start``"""
        return int(self._it.coordinate_slice.start)


class CollisionDefinition(Wrapper):
    """A collision body: `ROBOT.getCollisionBody("LINK/0")`."""

    getMaterial = reads("material")
    setMaterial = writes("material")
    getCollisionGroup = reads("collision_group")
    setCollisionGroup = writes("collision_group")
    getCollisionMask = reads("collision_mask")
    setCollisionMask = writes("collision_mask")
    getName = reads("name")
    getCollisionBody = means("``robot.collision_body(name)``", lambda self: self)

    material = keeps("material")


class CollisionBodies(list[CollisionDefinition]):
    """Collision bodies of a robot, by number or by name."""

    def get(self, name: str) -> CollisionDefinition:
        """``collision_body(name)``"""
        known = {found.getName(): found for found in self}
        return known[check.known(name, known, "collision body")]


class LinkRef(_Placed):
    """A link of a robot (`ArticulatedSystem.getLink`); no call is needed after an edit."""

    getWeight = reads("mass")
    setWeight = writes("mass")
    getInertia = reads("inertia")
    setInertia = writes("inertia")
    getComPositionInParentFrame = reads("com")
    setComPositionInParentFrame = writes("com")

    def getCollisionDefinition(self) -> CollisionBodies:
        """``collision_bodies``"""
        return CollisionBodies(CollisionDefinition(body) for body in self._it.collision_bodies)

    getCollisionSet = getCollisionDefinition

    getVisualObject = means("``visuals``", lambda self: list(self._it.visuals))

    getVisualSet = getVisualObject


class CoordinateFrame(Wrapper):
    """A frame of a robot: each joint has one, fixed joints too."""

    def __init__(self, robot: Any, frame: Any) -> None:
        """Belong to a robot of tribo and a frame of it."""
        super().__init__(frame)
        self._robot = robot

    name = property(lambda self: self._it.name, doc="``frame(name).name``")
    currentBodyId = property(lambda self: self._it.body_index, doc="``frame(name).body_index``")
    position = property(lambda self: self._it.position_in_body, doc="``frame(name).position_in_body``")
    orientation = property(
        lambda self: rotation_matrix(self._it.orientation_in_body),
        doc="``frame(name).orientation_in_body``, as a matrix",
    )
    bodyName = property(lambda self: self._it.body_name, doc="``frame(name).body_name``")
    isChild = property(lambda self: self._it.name in self._robot.joint_names, doc="``name in joint_names``")

    # The body to which it is fixed: position and orientation are in its axes.
    parentName = property(lambda self: self._it.body_name, doc="``frame(name).body_name``")
    parentId = property(lambda self: self._it.body_index, doc="``frame(name).body_index``")


class SpringElement(Dialects):
    """A spring of a joint: the body that it moves, its stiffness, its rest.

    Example:
        >>> spring = SpringElement(childBodyId=1, stiffness=20.0, q_ref=0.3)
        >>> spring.q_ref
        0.3
    """

    def __init__(self, childBodyId: int = 0, stiffness: float = 0.0, q_ref: Any = 0.0) -> None:
        """Keep its numbers; `ArticulatedSystem.addSpring` uses them."""
        self.childBodyId, self.stiffness, self.q_ref = childBodyId, stiffness, q_ref


data(SpringElement, "childBodyId")


class SparseJacobian(Dialects):
    """Columns of a Jacobian that are not zero: `idx` (n,) their degrees of freedom, `v` (3, n)."""

    def __init__(self, idx: Any = (), v: Any = None) -> None:
        """Start with given columns."""
        is_array = type(idx) is np.ndarray and idx.dtype.kind == "i"
        self.idx = idx if is_array else check.array(idx, "idx", "numbers of columns").astype(int)
        self.v = np.zeros((3, self.idx.size)) if v is None else check.array(v, "v", "(3, n) numbers")
        check.shaped(self.v, "v", (3, self.idx.size))

    def resize(self, size: int) -> None:
        """``frame.sparse_jacobian()``: the number of columns follows from the joints"""
        columns = count(size, "size")
        self.idx, self.v = np.zeros(columns, int), np.zeros((3, columns))

    size = means("``len(indices)``", lambda self: len(self.idx))

    capacity = size

    def toDense(self, dof: int) -> Any:
        """``frame.jacobian()``"""
        made = np.zeros((3, check.integer(dof, "dof", int(self.idx.max(initial=-1)) + 1)))
        made[:, self.idx] = self.v
        return made


def half_sizes(kind: str, params: tuple[Any, ...], what: str) -> Any:
    """Return the size that tribo's collision body takes, of RaiSim's parameters of a shape."""
    number = {"SPHERE": 1, "BOX": 3}.get(kind, 2)
    given = np.atleast_1d(check.array(vector(params), what, f"{number} numbers"))
    if given.ndim != 1 or given.size < number:
        raise ValueError(f"{what} must be {number} numbers, got {check.shown(vector(params))}")
    first, *others = given[:number].tolist()
    if kind == "BOX":
        return 0.5 * first, 0.5 * others[0], 0.5 * others[1]
    return (first, *(0.5 * x for x in others))
