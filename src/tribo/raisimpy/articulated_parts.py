"""Bodies, joints, frames, masses and descriptions of robots."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import numpy as np

from tribo.checks import check
from tribo.description.extents import rotation_matrix
from tribo.raisimpy import sensors
from tribo.raisimpy.arguments import assign_each, instance, kept, member, picked
from tribo.raisimpy.enums import Frame, JointType
from tribo.raisimpy.joints import (
    CoordinateFrame,
    JointRef,
    LinkRef,
    SparseJacobian,
    SpringElement,
    axis_in_parent,
    joint_type,
)
from tribo.raisimpy.robot_shapes import RobotShapes
from tribo.raisimpy.spelling import means, prints


def _axes(frame: Any) -> Frame:
    """Return the frame of a vector; refuse that of the parent."""
    chosen = member(Frame, frame)
    if chosen == Frame.PARENT_FRAME:
        raise ValueError("PARENT_FRAME is not taken; give the vector in WORLD_FRAME or BODY_FRAME")
    return chosen


def _local(frame: Any, place: tuple[Any, ...]) -> Any:
    """Return a place in the axes of a frame: of a point of the world, or of axes and a point; none: its origin."""
    if not place:
        return (0.0, 0.0, 0.0)
    if len(place) > 2:
        raise TypeError(f"give a point of the world, or axes and a point, got {len(place)} arguments")
    axes = _axes(place[0]) if len(place) == 2 else Frame.WORLD_FRAME
    return frame.to_local(place[-1]) if axes == Frame.WORLD_FRAME else check.vector(place[-1], "point", 3)


class RobotParts(RobotShapes):
    """The parts of a robot; a body is named by its number or its link's name, a frame by either, too."""

    _old: ClassVar[dict[str, str]] = {
        "print_body_names_in_order": "printOutBodyNamesInOrder",
        "print_frame_names_in_order": "printOutFrameNamesInOrder",
        "get_frame_world_position": "getFramePosition",
        "get_frame_world_rotation_matrix": "getFrameOrientation",
        "get_frame_world_quaternion": "getFrameQuaternion",
        "get_frame_linear_velocity": "getFrameVelocity",
        "get_world_position": "getPosition",
        "get_world_rotation_matrix": "getOrientation",
        "get_world_quaternion": "getQuaternion",
        "get_world_linear_velocity": "getVelocity",
        "get_world_angular_velocity": "getAngularVelocity",
        "get_sparse_linear_jacobian": "getSparseJacobian",
        "get_sparse_linear_jacobian_time_derivative": "getTimeDerivativeOfSparseJacobian",
        "get_sparse_rotational_jacobian_time_derivative": (
            "getTimeDerivativeOfSparseRotationalJacobian"
        ),
        "get_dense_linear_jacobian": "getDenseJacobian",
        "get_body_index": "getBodyIdx",
        "get_joint_cartesian_positions": "getJointPos_P",
        "set_joint_cartesian_positions": "setJointPos_P",
        "get_inertias": "getInertia",
        "set_inertias": "setInertia",
        "get_link_coms": "getBodyCOM_B",
        "set_link_coms": "setLinkCOM",
    }  # fmt: skip

    # -- names and numbers ---------------------------------------------------------------------
    @functools.cached_property
    def _frames(self) -> Any:
        return self._it.frames

    def _frame_of(self, frame: Any) -> Any:
        """Return a frame by number, by name, or as `getFrameByName` returns it."""
        if isinstance(frame, str):
            return self._it.frame(frame)
        if isinstance(frame, CoordinateFrame):
            return frame.tribo
        return picked(self._frames, frame, "frame", self._it)

    def _body(self, body: Any) -> Any:
        return picked(self._links, body, "body", self._it)

    def _joint(self, joint: Any) -> Any:
        return self._it.joint(joint) if isinstance(joint, str) else self._body(joint).joint

    def _frame(self, body: Any) -> Any:
        return self._it.frame(body) if isinstance(body, str) else self._body(body)

    def _link(self, body: Any) -> Any:
        return self._body(self._it.frame(body).body_index if isinstance(body, str) else body)

    getBodyNames = means("``body_names``", lambda self: list(self._it.body_names))
    getMovableJointNames = means("``joint_names``", lambda self: list(self._it.joint_names))

    def getBodyIdx(self, name: str) -> int:
        """``frame(name).body_index``"""
        return int(self._it.frame(name).body_index)

    def getNumberOfJoints(self) -> int:
        """``len(body_names)``: a floating base counts as a joint"""
        return len(self._it.body_names)

    def getJointType(self, body: int) -> JointType:
        """``joint(name).type``"""
        it = self._it
        return joint_type(picked(it.description.bodies, body, "body", it).joint)

    def getParentVector(self) -> list[int]:
        """``link(name).parent``"""
        return [body.parent for body in self._it.description.bodies]

    def _starts(self, slices: Any) -> list[int]:
        names = [body.joint.name for body in self._it.description.bodies]
        known = set(self._it.joint_names)
        return [slices(name).start if name in known else 0 for name in names]

    def getMappingFromBodyIndexToGeneralizedVelocityIndex(self) -> list[int]:
        """``velocity_slice(joint)``"""
        return self._starts(self._it.velocity_slice)

    def getMappingFromBodyIndexToGeneralizedCoordinateIndex(self) -> list[int]:
        """``coordinate_slice(joint)``"""
        return self._starts(self._it.coordinate_slice)

    def getGeneralizedVelocityIndex(self, body: Any) -> int:
        """``velocity_slice(joint).start``"""
        return int(self._joint(body).velocity_slice.start)

    printOutBodyNamesInOrder = prints("body_names")

    printOutFrameNamesInOrder = prints("frame_names")

    printOutMovableJointNamesInOrder = prints("joint_names")

    getJoint = means("``joint(name)``", lambda self, name: JointRef(self._it.joint(name)))
    getLink = means("``link(name)``", lambda self, name: LinkRef(self._it.link(name)))

    # -- frames --------------------------------------------------------------------------------
    def getFrameIdxByName(self, name: str) -> int:
        """``frame_names.index(name)``"""
        it = self._it
        return int(it.frame_names.index(check.known(name, it.frame_names, f"frame of {it.name}")))

    getFrameIdxByLinkName = getFrameIdxByName

    def getFrameByName(self, name: str) -> CoordinateFrame:
        """``frame(name)``"""
        return CoordinateFrame(self._it, self._it.frame(name))

    getFrameByLinkName = getFrameByName

    def getFrameByIdx(self, index: int) -> CoordinateFrame:
        """``frames[index]``"""
        return CoordinateFrame(self._it, picked(self._frames, index, "frame", self._it))

    def getFrames(self) -> list[CoordinateFrame]:
        """``frames``"""
        return [CoordinateFrame(self._it, frame) for frame in self._frames]

    def _asks(finder: str, said: str, note: str = "") -> Any:  # type: ignore[misc]
        """Return a method that reads or calls `said` of the frame that `finder` finds."""

        def asked(self: Any, name: Any, out: Any) -> Any:
            found = getattr(getattr(self, finder)(name), said.removesuffix("()"))
            return kept(found() if said.endswith("()") else found, out, "out")

        def of_body(self: Any, body: Any, out: Any = None) -> Any:
            return asked(self, body, out)

        def of_frame(self: Any, frame: Any, out: Any = None) -> Any:
            return asked(self, frame, out)

        read = of_body if finder == "_frame" else of_frame
        read.__doc__ = f"``frame(name).{said}``{note}"
        return read

    getFramePosition = _asks("_frame_of", "position")
    getFrameOrientation = _asks("_frame_of", "rotation_matrix")
    getFrameQuaternion = _asks("_frame_of", "orientation")
    getFrameVelocity = _asks("_frame_of", "linear_velocity")
    getFrameAngularVelocity = _asks("_frame_of", "angular_velocity")
    getFrameAcceleration = _asks("_frame_of", "linear_acceleration")

    # -- points of bodies ----------------------------------------------------------------------
    def getPosition(self, body: Any, point: Any = None) -> Any:
        """``frame(name).position``, ``frame(name).to_world(point)``: of a point in the frame of the body"""
        frame = self._frame(body)
        return frame.position if point is None else frame.to_world(point)

    def getPositionInBodyCoordinate(self, body: Any, point: Any) -> Any:
        """``frame(name).to_local(point)``"""
        return self._frame(body).to_local(point)

    def getPositionInFrame(self, frame: Any, point: Any) -> Any:
        """``frame(name).to_world(point)``"""
        return self._frame_of(frame).to_world(point)

    getOrientation = _asks("_frame", "rotation_matrix")

    getQuaternion = _asks("_frame", "orientation")

    def getVelocity(self, body: Any, *place: Any) -> Any:
        """``frame(name).linear_velocity``, ``frame(name).velocity_of(point)``, ``frame.jacobian() @ v``"""
        if isinstance(body, SparseJacobian):
            return body.toDense(self._it.dof) @ self._it.generalized_velocity
        if isinstance(body, np.ndarray) and body.ndim == 2:
            return check.array(body, "jacobian", "(3, dof) numbers") @ self._it.generalized_velocity
        frame = self._frame(body)
        if not place:
            return frame.linear_velocity
        if len(place) == 1:
            return frame.velocity_of(place[0])
        if len(place) != 3:
            raise TypeError(f"getVelocity takes a body, point and axes, got {1 + len(place)} arguments")
        found = frame.velocity_of(_local(frame, place[:2]))
        return found if _axes(place[2]) == Frame.WORLD_FRAME else frame.rotation_matrix.T @ found

    getAngularVelocity = _asks("_frame", "angular_velocity")

    getBodyPosition = getPosition
    getBodyOrientation = getOrientation

    def getBodyPose(self, body: Any) -> tuple[Any, Any]:
        """``frame(name).position``, ``frame(name).rotation_matrix``"""
        frame = self._frame(body)
        return frame.position, frame.rotation_matrix

    # -- Jacobians -----------------------------------------------------------------------------
    getDenseFrameJacobian = _asks("_frame_of", "jacobian()")

    getDenseFrameRotationalJacobian = _asks("_frame_of", "rotational_jacobian()")

    def getDenseJacobian(self, body: Any, point: Any = None, out: Any = None) -> Any:
        """``frame.jacobian(frame.to_local(point))``: of a point of the world; whole, zeros too"""
        frame = self._frame(body)
        return kept(frame.jacobian(_local(frame, () if point is None else (point,))), out, "out")

    getDenseRotationalJacobian = _asks("_frame", "rotational_jacobian()", ": whole, zeros too")

    def getSparseJacobian(self, body: Any, *place: Any) -> SparseJacobian:
        """``frame.sparse_jacobian(frame.to_local(point))``: of a point of the world, or of axes and a point"""
        frame = self._frame(body)
        return SparseJacobian(*frame.sparse_jacobian(_local(frame, place)))

    def getSparseRotationalJacobian(self, body: Any) -> SparseJacobian:
        """``frame(name).sparse_rotational_jacobian()``"""
        return SparseJacobian(*self._frame(body).sparse_rotational_jacobian())

    def _rate(self, body: Any, rate: Any) -> SparseJacobian:
        columns = self._frame(body).sparse_rotational_jacobian()[0]
        return SparseJacobian(columns, rate[:, columns])

    def getTimeDerivativeOfSparseJacobian(self, body: Any, *place: Any) -> Any:
        """``frame.jacobian_rate(frame.to_local(point))``: of a point of the world, or of axes and a point"""
        frame = self._frame(body)
        return self._rate(body, frame.jacobian_rate(_local(frame, place)))

    def getTimeDerivativeOfSparseRotationalJacobian(self, body: Any) -> Any:
        """``frame(name).rotational_jacobian_rate()``"""
        return self._rate(body, self._frame(body).rotational_jacobian_rate())

    @staticmethod
    def convertSparseJacobianToDense(sparse: SparseJacobian, dof: int) -> Any:
        """``frame(name).jacobian()``"""
        return instance(sparse, SparseJacobian, "sparse").toDense(dof)

    # -- masses, places of joints --------------------------------------------------------------
    def _all_or_one(attribute: str, setter: bool = False) -> Any:  # type: ignore[misc]
        def read(self: Any, body: Any = None) -> Any:
            if body is None:
                return [getattr(link, attribute) for link in self._links]
            return getattr(self._link(body), attribute)

        def write(self: Any, *given: Any) -> None:
            if len(given) not in {1, 2}:
                raise TypeError(f"give {attribute} of all bodies, or a body and its {attribute}")
            if len(given) == 1:
                assign_each(self._links, attribute, given[0], attribute)
            else:
                setattr(self._link(given[0]), attribute, given[1])

        made = write if setter else read
        made.__doc__ = f"``link(name).{attribute}{' = …' if setter else ''}``"
        return made

    getMass, setMass = _all_or_one("mass"), _all_or_one("mass", setter=True)
    getMasses, setMasses = getMass, setMass
    getInertia, setInertia = _all_or_one("inertia"), _all_or_one("inertia", setter=True)
    getBodyCOM_B, setLinkCOM = _all_or_one("com"), _all_or_one("com", setter=True)
    getBodyCOM_W = _all_or_one("com_position")

    masses = property(getMass, setMass, doc="``link(name).mass``")
    inertias = property(getInertia, setInertia, doc="``link(name).inertia``")
    link_coms = property(getBodyCOM_B, setLinkCOM, doc="``link(name).com``")
    joint_cartesian_positions = property(
        lambda self: self.getJointPos_P(), lambda self, positions: self.setJointPos_P(positions),
        doc="``joint(name).position_in_parent``",
    )  # fmt: skip
    collision_bodies = property(lambda self: self.getCollisionBodies(), doc="``collision_bodies``")

    def _of_each_joint(self, first: Any, read: Any) -> list[Any]:
        """Return what is read of the joint of each body, by the body's number; the base has no joint."""
        return [first, *(read(self._it.joint(body.joint.name)) for body in self._it.description.bodies[1:])]

    def getJointPos_P(self) -> list[Any]:
        """``joint(name).position_in_parent``: by the number of the body; of a fixed base ``position``"""
        first = np.zeros(3) if self._it.is_floating else self._it.position
        return self._of_each_joint(first, lambda joint: joint.position_in_parent)

    def setJointPos_P(self, positions: Any) -> None:
        """``joint(name).position_in_parent = …``: by the number of the body; that of the base is not used"""
        number = len(self._links)
        given = check.listed(positions, "positions", f"{number}, one for each body")
        if len(given) != number:
            raise ValueError(f"positions must be a list of {number}, one for each body, got {len(given)}")
        joints = self._of_each_joint(None, lambda joint: joint)[1:]
        assign_each(joints, "position_in_parent", given[1:], "positions")

    def getJointOrientation_P(self) -> list[Any]:
        """``joint(name).orientation_in_parent``, as a matrix: by the number of the body"""
        first = np.eye(3) if self._it.is_floating else self._it.rotation_matrix
        return self._of_each_joint(first, lambda joint: rotation_matrix(joint.orientation_in_parent))

    def getJointAxis_P(self) -> list[Any]:
        """``joint(name).axis_in_joint``, in axes of the parent: by the number of the body"""
        return self._of_each_joint(np.zeros(3), axis_in_parent)

    getJointAxis = means("``joint(name).axis``", lambda self, joint: self._joint(joint).axis)

    def getSprings(self) -> list[SpringElement]:
        """``joint(name).stiffness``, ``.spring_reference``"""
        return [
            SpringElement(joint.body_index, joint.stiffness, joint.spring_reference)
            for joint in self._it.joints
            if joint.stiffness
        ]

    def addSpring(self, spring: SpringElement) -> None:
        """``joint(name).stiffness = …``, ``.spring_reference = …``"""
        joint = self._joint(instance(spring, SpringElement, "spring").childBodyId)
        joint.set_several({"stiffness": spring.stiffness, "spring_reference": spring.q_ref})

    # -- forces, description, sensors ----------------------------------------------------------
    def _push(self, what: str, index: Any, value: Any, point: Any) -> None:
        if what == "torque":
            self._it.apply_torque(self._body_name(index), value)
        else:
            self._it.apply_force(self._body_name(index), value, point)

    def setExternalForce(self, localIdx: Any, *values: Any) -> None:
        """``apply_force(frame, force, point, axes=…)``, for one step; of a frame's name at its origin"""
        if len(values) == 1 and isinstance(localIdx, str):
            values = ((0.0, 0.0, 0.0), *values)  # at the origin of the frame of that name
        if len(values) != 4:
            super().setExternalForce(localIdx, *values)
            return
        axes, force, *place = values  # frame of the force, force, frame of the point, point
        frame = self._frame(localIdx)
        point = _local(frame, tuple(place))
        axes = "frame" if _axes(axes) == Frame.BODY_FRAME else "world"
        self._it.apply_force(self._body_name(localIdx), force, point, axes=axes)
        turned = frame.rotation_matrix @ np.asarray(force) if axes == "frame" else force
        self._note("force", localIdx, turned, point)

    def setExternalTorqueInBodyFrame(self, localIdx: Any, torque: Any) -> None:
        """``apply_torque(frame, torque, axes="frame")``, for one step"""
        turned = self._frame(localIdx).rotation_matrix.dot(check.vector(torque, "torque", 3))
        self._it.apply_torque(self._body_name(localIdx), turned)
        self._note("torque", localIdx, turned, None)

    getRobotDescription = means("``to_urdf()``", lambda self: str(self._it.to_urdf()))

    def getRobotDescriptionFullPath(self) -> str:
        """``description.source``"""
        return str(self._it.description.source or "")

    def getRobotDescriptionfFileName(self) -> str:
        """``description.source``"""
        return self.getRobotDescriptionFullPath().replace("\\", "/").rpartition("/")[2]

    def getRobotDescriptionfTopDirName(self) -> str:
        """``description.source``"""
        return (self.getRobotDescriptionFullPath().replace("\\", "/").split("/")[-2:-1] or [""])[0]

    def getResourceDir(self) -> str:
        """``description.source``; ``package_dirs=`` of ``world.add_articulated_system``"""
        return self.getRobotDescriptionFullPath().replace("\\", "/").rpartition("/")[0]

    def exportRobotDescriptionToURDF(self, path: str) -> Any:
        """``export_urdf(path)``"""
        return self._it.export_urdf(path)

    def getSensorSet(self, link: str) -> sensors.SensorSet:
        """the sensors that ``world.sensors`` has of a link"""
        sets = self._sensor_sets
        return sets[check.known(link, sets, f"link with sensors of {self._it.name}")]

    getSensorSets = means("``world.sensors``", lambda self: list(self._sensor_sets.values()))

    @functools.cached_property
    def _sensor_sets(self) -> dict[str, sensors.SensorSet]:
        """Made once: values that a program sets stay with their sensor."""
        return sensors.sets_of(self._it)
