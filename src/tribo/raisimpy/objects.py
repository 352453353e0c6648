"""Objects: what all have in common, and single bodies."""

from __future__ import annotations

import functools
from abc import abstractmethod
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from tribo.checks import check
from tribo.description.colors import color_of
from tribo.raisimpy.arguments import member, picked
from tribo.raisimpy.contact import AABB, Contact
from tribo.raisimpy.enums import BodyType, GyroscopicMode, ObjectType
from tribo.raisimpy.spelling import Wrapper, keeps, means, nothing, reads, remark, vector, writes

_KINDS = {"static": 1, "kinematic": 2, "dynamic": 3}
_NO_LOCK = "a second thread that edits during a step gets an error"


class Object(Wrapper):
    """Members of every object; `localIdx` is the body of a robot, 0 of a single body."""

    _old: ClassVar[dict[str, str]] = {
        "get_contact_point_velocity": "getContactPointVel",
        "pre_contact_solver_update1": "updateCollision",
        "pre_contact_solver_update2": "updateCollision",
        "integrate": "updateCollision",
    }

    def __init__(self, world: Any, it: Any, kind: ObjectType) -> None:
        """Wrap an object of tribo; worlds make these."""
        super().__init__(it)
        self._world, self._kind = world, kind
        self._pushes: list[tuple[float, str, Any, Any, Any]] = []

    def __repr__(self) -> str:
        """Return kind and name."""
        return f"<raisimpy {type(self).__name__} {self._it.name!r}>"

    name = keeps("name")

    getName = reads("name")
    setName = writes("name")
    getId = reads("id")
    getMass = reads("mass")

    def getIndexInWorld(self) -> int:
        """``world.objects.index(object)``"""
        objects = self._it.world.objects
        if self._it not in objects:
            raise ValueError(f"{self._it.name} is no object of its world any more: it was removed")
        return int(objects.index(self._it))

    setIndexInWorld = nothing("the index is the place in world.objects; object.id never changes")
    getObjectType = means("``collision_bodies[0].shape``", lambda self: self._kind)

    def getBodyType(self, *_: Any) -> BodyType:
        """``body_type``"""
        return BodyType(_KINDS[str(self._it.body_type.name).lower()])

    def getContacts(self) -> list[Contact]:
        """``contacts``"""
        return [Contact(self, found, k) for k, found in enumerate(self._it.contacts)]

    getContact = getContacts

    def getContactPointVel(self, pointId: int, *_: Any) -> Any:
        """``contacts[k].velocity_of(object)``"""
        it = self._it
        return picked(it.contacts, pointId, "contact", it).velocity_of(it)

    getContactAabbCount = means("``len(contacts)``", lambda self: len(self._it.contacts))

    def getContactAabb(self, index: int) -> Any:
        """``contacts[k].position``: contacts are points, the box has no size"""
        it = self._it
        point = picked(it.contacts, index, "contact", it).position
        return AABB(point, point)

    # -- forces from outside, for one step -----------------------------------------------------
    def _note(self, what: str, index: int, value: Any, point: Any) -> None:
        now = self._world.tribo.time
        if self._pushes and self._pushes[-1][0] != now:
            self._pushes = []
        self._pushes.append((now, what, index, value, point))

    def _noted(self, what: str, column: int) -> list[Any]:
        now = self._world.tribo.time
        found = [push[column] for push in self._pushes if push[0] == now and push[1] == what]
        return [None if value is None else np.asarray(value, float) for value in found]

    def getExternalForce(self) -> list[Any]:
        """the forces given to ``apply_force`` since the last step"""
        return self._noted("force", 3)

    def getExternalForcePosition(self) -> list[Any]:
        """the points given to ``apply_force`` since the last step; None: centre of mass"""
        return self._noted("force", 4)

    def getExternalTorque(self) -> list[Any]:
        """the torques given to ``apply_torque`` since the last step"""
        return self._noted("torque", 3)

    def getExternalTorquePosition(self) -> list[Any]:
        """None of each: where a torque acts does not matter"""
        return self._noted("torque", 4)

    def clearExternalForcesAndTorques(self) -> None:
        """``apply_force(-force)`` of what was given since the last step"""
        now = self._world.tribo.time
        for at, what, index, value, point in self._pushes:
            if at == now:
                self._push(what, index, -np.asarray(value, float), point)
        self._pushes = []

    @abstractmethod
    def _push(self, what: str, index: Any, value: Any, point: Any) -> None:
        """Add a force or torque on a body for the next step."""

    def setExternalForce(self, localIdx: Any, *values: Any) -> None:
        """``apply_force(force, point)``, for one step"""
        if not isinstance(localIdx, (int, np.integer, str)):  # the older order: force, local index
            localIdx, values = (values or (0,))[0], (localIdx,)
        if len(values) not in {1, 2}:
            raise TypeError(
                "setExternalForce takes a body's number and a force, or a body's number, a point in its frame "
                f"and a force, got {1 + len(values)} arguments"
            )
        point, force = (None, values[0]) if len(values) == 1 else (values[0], values[-1])
        self._push("force", localIdx, force, point)
        self._note("force", localIdx, force, point)

    setConstraintForce = setExternalForce

    def setExternalTorque(self, localIdx: Any, *values: Any) -> None:
        """``apply_torque(torque)``, for one step"""
        if not isinstance(localIdx, (int, np.integer, str)):
            values, localIdx = (localIdx,), 0
        if len(values) != 1:
            raise TypeError(
                f"setExternalTorque takes a body's number and a torque, got {1 + len(values)} arguments"
            )
        self._push("torque", localIdx, values[-1], None)
        self._note("torque", localIdx, values[-1], None)

    _centre = "position"  # what tribo calls the centre of mass

    def getPotentialEnergy(self, gravity: Any = None) -> float:
        """``potential_energy``"""
        return float(self._it.potential_energy - self._excess(gravity))

    def getEnergy(self, gravity: Any = None) -> float:
        """``energy``"""
        return float(self._it.energy - self._excess(gravity))

    def _excess(self, gravity: Any) -> float:
        """Return the work that weight in a given gravity has done, less that in the world's."""
        if gravity is None:
            return 0.0
        more = check.vector(gravity, "gravity", 3) - self._world.tribo.gravity
        return float(self._it.mass * (more @ getattr(self._it, self._centre)))

    updateCollision = nothing("shapes follow their body by themselves")
    lockMutex = nothing(_NO_LOCK)
    unlockMutex = nothing(_NO_LOCK)
    lock = nothing(_NO_LOCK)
    unlock = nothing(_NO_LOCK)


class SingleBodyObject(Object):
    """A body without joints; its frame is that of its shape, which need not be its centre of mass."""

    _old: ClassVar[dict[str, str]] = {
        "get_world_inertia_matrix": "getInertiaMatrix_W",
        "get_body_inertia_matrix": "getInertiaMatrix_B",
        "get_body_to_com_position": "getBodyToComPosition_rs",
        "get_world_linear_velocity": "getVelocity",
        "get_world_position": "getPosition",
        "get_world_rotation_matrix": "getOrientation",
    }

    def _push(self, what: str, index: Any, value: Any, point: Any) -> None:
        if what == "torque":
            self._it.apply_torque(value)
        elif point is None:
            self._it.apply_force(value)
        else:
            self._it.apply_force(value, self.getPosition(0, point))

    # -- pose and velocity ---------------------------------------------------------------------
    def getPosition(self, _: int = 0, point: Any = None) -> Any:
        """``position - rotation_matrix @ com``, ``to_world(point - com)``"""
        it = self._it
        com = it.com
        if point is not None:
            return it.to_world(check.vector(point, f"point of {it.name}", 3) - com)
        return it.position - it.rotation_matrix @ com if any(com.tolist()) else it.position

    getComPosition = reads("position")
    getComPosition_rs = getComPosition
    getBodyToComPosition_rs = reads("com")
    getCom = reads("com")
    setCom = writes("com")
    getQuaternion = reads("orientation")
    getRotationMatrix = reads("rotation_matrix")
    getOrientation = reads("rotation_matrix")
    getLinearVelocity = reads("linear_velocity")
    getAngularVelocity = reads("angular_velocity")

    def getVelocity(self, _: int = 0, point: Any = None) -> Any:
        """``linear_velocity``, ``velocity_of(point - com)``"""
        if point is None:
            return self._it.linear_velocity
        it = self._it
        return it.velocity_of(check.vector(point, f"point of {it.name}", 3) - it.com)

    def setPosition(self, *values: Any) -> None:
        """``position = …``, an array or three numbers; the centre of mass follows"""
        it = self._it
        com, given = it.com, vector(values)
        if any(com.tolist()):
            given = check.vector(given, f"position of {it.name}", 3) + it.rotation_matrix @ com
        it.position = given

    def setOrientation(self, *values: Any) -> None:
        """``orientation = …``, a quaternion (w, x, y, z), four numbers or a rotation (3, 3)"""
        it = self._it
        if not any(it.com.tolist()):
            it.orientation = vector(values)
            return
        place = self.getPosition()
        it.orientation = vector(values)
        self.setPosition(place)

    def setPose(self, position: Any, *orientation: Any) -> None:
        """``position = …``, ``orientation = …``"""
        place = check.vector(position, f"position of {self._it.name}", 3)
        self._it.orientation = vector(orientation)
        self.setPosition(place)

    def setVelocity(self, *values: Any) -> None:
        """``linear_velocity, angular_velocity = …``, two vectors or six numbers"""
        it, given = self._it, vector(values)
        what = f"velocity of {it.name}"
        if not check.is_scalar(given) and len(given) == 2:
            linear, angular = (check.vector(one, what, 3) for one in given)
        else:
            made = check.vector(given, what, 6)
            linear, angular = made[:3], made[3:]
        it.linear_velocity, it.angular_velocity = linear, angular

    setLinearVelocity = writes("linear_velocity")
    setAngularVelocity = writes("angular_velocity")

    # -- mass, energy --------------------------------------------------------------------------
    setMass = writes("mass")
    getInertiaMatrix_B = reads("inertia")
    setInertia = writes("inertia")

    def getInertiaMatrix_W(self) -> Any:
        """``rotation_matrix @ inertia @ rotation_matrix.T``"""
        turn = self._it.rotation_matrix
        return turn.dot(self._it.inertia).dot(turn.T)

    getKineticEnergy = reads("kinetic_energy")
    getLinearMomentum = reads("linear_momentum")

    # -- behaviour -----------------------------------------------------------------------------
    def setBodyType(self, kind: Any) -> None:
        """``body_type = …``"""
        self._it.body_type = member(BodyType, kind).name.lower()

    setLinearDamping = writes("linear_damping")

    def setAngularDamping(self, *values: Any) -> None:
        """``angular_damping = …``: one number, the largest of three"""
        what = f"angular_damping of {self._it.name}"
        given = np.atleast_1d(check.array(vector(values), what, "a number or three"))
        check.within_range(given, what)
        if given.shape not in {(1,), (3,)}:
            raise ValueError(f"{what} must be a number or three, got {given.size}")
        if given.min() != given.max():
            remark("an angular damping is one number in tribo; the largest of the three is taken")
        self._it.angular_damping = float(given.max())

    setGyroscopicMode = nothing("world.integrator says how the free motion is integrated")

    def getGyroscopicMode(self) -> GyroscopicMode:
        """``world.integrator``"""
        return GyroscopicMode.IMPLICIT_GYROSCOPIC_FORCE_WORLD

    # -- collision, look -----------------------------------------------------------------------
    def getCollisionGroup(self) -> int:
        """``collision_bodies[0].collision_group``"""
        return int(self._it.collision_bodies[0].collision_group)

    def getCollisionMask(self) -> int:
        """``collision_bodies[0].collision_mask``"""
        return int(self._it.collision_bodies[0].collision_mask)

    def body_of(self, _: str) -> int:
        """Return the number of the body to which a collision body belongs: there is one."""
        return 0

    def _set_bits(self, attribute: str, value: int) -> None:
        for shape in self._it.collision_bodies:  # what the first takes, all take
            setattr(shape, attribute, value)

    def setCollisionGroup(self, group: int) -> None:
        """``collision_bodies[…].collision_group = …``"""
        self._set_bits("collision_group", group)

    def setCollisionMask(self, mask: int) -> None:
        """``collision_bodies[…].collision_mask = …``"""
        self._set_bits("collision_mask", mask)

    def getCollisionBody(self, name: Any = "") -> Any:
        """``collision_bodies[0]``, ``collision_body(name)``"""
        from tribo.raisimpy.joints import CollisionDefinition

        it = self._it
        is_first = isinstance(name, str) and not name
        return CollisionDefinition(it.collision_bodies[0] if is_first else it.collision_body(name))

    getCollisionObject = getCollisionBody
    getMaterial = reads("material")
    setMaterial = writes("material")

    def getAppearance(self) -> str:
        """``color``"""
        shown = self._it.color
        return self._appearance or ",".join(f"{c:g}" for c in shown or ())

    _appearance = ""

    def setAppearance(self, appearance: str) -> None:
        """``color = …``; of names of materials, and of "hidden", nothing: they belong to RaiSim's viewers"""
        check.text(appearance, f"appearance of {self._it.name}")
        color = color_of(appearance.strip())
        if color is None:
            remark(f"appearances such as {appearance!r} belong to RaiSim's viewers; colours stay")
        else:
            self._it.color = color
        self._appearance = appearance


def _length(index: int, factor: int) -> Any:
    said = f"collision_bodies[0].size[{index}]"
    return means(
        f"``{said if factor == 1 else f'{factor} * {said}'}``",
        lambda self: float(factor * self._it.collision_bodies[0].size[index]),
    )


class Sphere(SingleBodyObject):
    """A ball."""

    getRadius = _length(0, 1)


class Box(SingleBodyObject):
    """A box."""

    def getDim(self) -> Any:
        """``2 * collision_bodies[0].size``"""
        return 2.0 * np.asarray(self._it.collision_bodies[0].size)

    _old: ClassVar[dict[str, str]] = {"get_dimensions": "getDim"}


class Cylinder(SingleBodyObject):
    """A cylinder along its local z."""

    getRadius, getHeight = _length(0, 1), _length(1, 2)


class Capsule(SingleBodyObject):
    """A capsule along its local z; its height is the distance of the cap centres."""

    getRadius, getHeight = _length(0, 1), _length(1, 2)


class Cone(SingleBodyObject):
    """A cone along its local z."""

    getRadius, getHeight = _length(0, 1), _length(1, 2)


class Ground(SingleBodyObject):
    """An infinite plane."""

    getHeight = means("``position[2]``", lambda self: float(self._it.position[2]))


class Mesh(SingleBodyObject):
    """A body from a mesh."""

    _old: ClassVar[dict[str, str]] = {"get_file_name": "getMeshFileName"}

    getMeshFileName = means("the file given to ``world.add_mesh``", lambda self: str(self._file))
    getScale = means("the scale given to ``world.add_mesh``", lambda self: float(self._scale))

    @functools.cached_property
    def _read(self) -> Any:
        return self.loadMesh(str(self._file), self._scale)

    _file, _scale = "", 1.0

    @staticmethod
    def loadMesh(file: str, scale: float = 1.0) -> Any:
        """``tribo.formats.mesh_reading.read(file, scale)``"""
        from tribo.formats import mesh_reading

        made = mesh_reading.read(Path(file), (scale, scale, scale))
        return SimpleNamespace(vertices=np.asarray(made.vertices), faces=np.asarray(made.faces))

    loadObj = loadMesh

    def getVerticies(self) -> Any:
        """vertices of the file, (n, 3) [m], scaled"""
        return self._read.vertices

    getIndicies = means("triangles of the file, (m, 3)", lambda self: self._read.faces)
    preprocessMesh = nothing("convex parts are found once and kept on disk")

    def getCollisionBodyCount(self) -> int:
        """``len(collision_bodies)``"""
        return len(self._it.collision_bodies)

    def getCoacdConvexParts(self) -> list[Any]:
        """``collision_bodies``"""
        return list(self._it.collision_bodies)


class Compound(SingleBodyObject):
    """One rigid body of several shapes."""

    _children: tuple[Any, ...] = ()

    def getObjList(self) -> list[Any]:
        """the parts given to ``world.add_compound``"""
        return list(self._children)

    def getCollisionBodyList(self) -> list[Any]:
        """``collision_bodies``"""
        return list(self._it.collision_bodies)
