"""Parts of robots: joints, links, frames, collision bodies, springs, sparse Jacobians."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tribo.raisimpy.enums import JointType, ShapeType
from tribo.raisimpy.spelling import Dialects, Wrapper, data, reads, vector, writes

_JOINTS = {
    "fixed": JointType.FIXED, "revolute": JointType.REVOLUTE, "prismatic": JointType.PRISMATIC,
    "spherical": JointType.SPHERICAL, "free": JointType.FLOATING,
}  # fmt: skip


def joint_type(joint: Any) -> JointType:
    """Return the type of a joint of tribo."""
    return _JOINTS[joint.type.name.lower()]


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
    getJointAxis = reads("axis")
    getPositionInParentFrame = reads("position_in_parent")
    getLinearVelocity = reads("linear_velocity")

    def getType(self) -> JointType:
        """``type``"""
        return joint_type(self._it)

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

    def getCollisionBody(self) -> CollisionDefinition:
        """``collision_bodies[…]``"""
        return self

    @property
    def material(self) -> str:
        """``material``"""
        return str(self._it.material)

    @material.setter
    def material(self, value: str) -> None:
        self._it.material = value


class CollisionBodies(list[CollisionDefinition]):
    """Collision bodies of a robot, by number or by name."""

    def get(self, name: str) -> CollisionDefinition:
        """``collision_body(name)``"""
        return next(found for found in self if found.getName() == name)


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

    def getVisualObject(self) -> list[Any]:
        """``visuals``"""
        return list(self._it.visuals)

    getVisualSet = getVisualObject


class CoordinateFrame(Dialects):
    """A frame of a robot: each joint has one, fixed joints too."""

    _old: ClassVar[dict[str, str]] = {}

    def __init__(self, robot: Any, name: str) -> None:
        """Read the frame of a name."""
        found = robot.frame(name)
        self._it, self.name = found, name
        self.currentBodyId = self.parentId = found.body_index
        self.position, self.orientation = found.position_in_body, found.orientation_in_body
        self.isChild = found.name in robot.joint_names
        self.parentName = self.bodyName = found.body_name
        if self.isChild:
            parent = robot.joint(name).parent_link
            self.parentName = parent.name if parent is not None else found.body_name
            self.parentId = robot.body_names.index(self.parentName) if parent is not None else 0


data(CoordinateFrame, "currentBodyId", "parentId", "parentName", "isChild")


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
        self.resize(0)
        self.idx = np.asarray(idx, int)
        self.v = np.zeros((3, len(self.idx))) if v is None else np.asarray(v, float)

    def resize(self, size: int) -> None:
        """``frame.sparse_jacobian()``: the number of columns follows from the joints"""
        self.idx, self.v = np.zeros(size, int), np.zeros((3, size))

    def size(self) -> int:
        """``len(indices)``"""
        return len(self.idx)

    capacity = size

    def toDense(self, dof: int) -> Any:
        """``frame.jacobian()``"""
        made = np.zeros((3, dof))
        made[:, self.idx] = self.v
        return made


def half_sizes(kind: str, params: tuple[Any, ...]) -> Any:
    """Return the size that tribo's collision body takes, of RaiSim's parameters of a shape."""
    given = np.atleast_1d(np.asarray(vector(params), float))
    if kind == "BOX":
        return tuple(0.5 * given[:3])
    if kind == "SPHERE":
        return (given[0],)
    return given[0], 0.5 * given[1]


def shape_type(kind: str) -> ShapeType:
    """Return RaiSim's name of a shape of tribo."""
    return ShapeType.Mesh if kind in {"HULL", "SURFACE"} else ShapeType[kind.capitalize()]
