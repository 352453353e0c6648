"""The part of a world that has objects and wires, and the shapes of which compounds are made."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tribo
from tribo.checks import check
from tribo.checks.orientation import orientation
from tribo.description.colors import color_of
from tribo.formats.mesh_solids import OpenMeshError
from tribo.raisimpy import constraints, objects
from tribo.raisimpy.arguments import behind, instance, member, picked
from tribo.raisimpy.articulated import ArticulatedSystem, ArticulatedSystemOption
from tribo.raisimpy.enums import MeshCollisionMode, ObjectType
from tribo.raisimpy.height_map import HeightMap, TerrainProperties, grid
from tribo.raisimpy.spelling import Dialects, Wrapper, data, filled, means


class CompoundObjectChild(Dialects):
    """One shape of a compound: `objectParam` holds (r), (x, y, z) or (r, h), and zeros up to four numbers.

    Example:
        >>> child = CompoundObjectChild()
        >>> child.objectType, child.objectParam = ObjectType.BOX, [1, 2, 3, 0]
        >>> child.part(mass=2.0).size
        (1.0, 2.0, 3.0)
    """

    def __init__(self) -> None:
        """Start as a ball of radius zero."""
        self.objectType: ObjectType = ObjectType.SPHERE
        self.objectParam: Any = (0.0, 0.0, 0.0, 0.0)
        self.material, self.appearance = "default", ""
        self.trans: Any = Transformation()

    transformation = property(lambda self: self.trans, lambda self, value: setattr(self, "trans", value))

    def part(self, mass: float | None = None) -> Any:
        """Return ``tribo.CompoundPart``."""
        from tribo.description.trees import CompoundPart

        kind = member(ObjectType, self.objectType)
        count = {ObjectType.SPHERE: 1, ObjectType.BOX: 3}.get(kind, 2)
        what = f"objectParam of a {kind.name.lower()}"
        given = check.array(self.objectParam, what, f"{count} numbers, zeros may follow")
        if given.ndim != 1 or given.size < count:
            raise ValueError(f"{what} must be {count} numbers, got {check.shown(self.objectParam)}")
        size = tuple(given[:count].tolist())
        return CompoundPart(
            kind.name.lower(), size[0] if count == 1 else size, mass=mass, position=self.trans.pos,
            orientation=orientation(self.trans.rot, "rot of a compound's child"), material=self.material,
            color=color_of(check.text(self.appearance, "appearance").strip()),
        )  # fmt: skip


data(CompoundObjectChild, "objectType", "objectParam")


class Transformation:
    """A pose: `rot` (3, 3) or a quaternion, `pos` (3,) [m]."""

    def __init__(self, rot: Any = None, pos: Any = (0.0, 0.0, 0.0)) -> None:
        """Start without a turn and at the origin."""
        self.rot: Any = np.eye(3) if rot is None else rot
        self.pos: Any = pos


logger = logging.getLogger("tribo")

_SHAPES = {
    "PLANE": ObjectType.HALFSPACE, "HULL": ObjectType.MESH, "SURFACE": ObjectType.MESH,
    "HEIGHT_MAP": ObjectType.HEIGHTMAP, "ELLIPSOID": ObjectType.MESH,
}  # fmt: skip
_CLASSES: dict[ObjectType, type[objects.Object]] = {
    ObjectType.SPHERE: objects.Sphere, ObjectType.BOX: objects.Box,
    ObjectType.CYLINDER: objects.Cylinder, ObjectType.CONE: objects.Cone,
    ObjectType.CAPSULE: objects.Capsule, ObjectType.MESH: objects.Mesh,
    ObjectType.HALFSPACE: objects.Ground, ObjectType.COMPOUND: objects.Compound,
    ObjectType.HEIGHTMAP: HeightMap, ObjectType.ARTICULATED_SYSTEM: ArticulatedSystem,
}  # fmt: skip
GROUP, MASK = 1, -1


def is_array(value: Any) -> bool:
    """Tell whether a value is meant as several numbers."""
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0


@dataclass
class CoacdOptions(Dialects):
    """Numbers of a convex decomposition; coacd runs with its standard ones."""

    threshold: float = 0.05
    maxConvexHull: int = -1
    sampleResolution: int = 2000
    mctsIteration: int = 150


data(CoacdOptions)


def kind_of(it: Any) -> ObjectType:
    """Return what an object of tribo is."""
    if isinstance(it, tribo.ArticulatedSystem):
        return ObjectType.ARTICULATED_SYSTEM
    shapes = it.collision_bodies
    if len(shapes) != 1:
        return ObjectType.COMPOUND
    name = shapes[0].shape.name
    return _SHAPES[name] if name in _SHAPES else ObjectType[name]


class WorldParts(Wrapper):
    """Adding, finding and removing objects and wires."""

    def __init__(self, it: tribo.World) -> None:
        """Wrap a world of tribo."""
        super().__init__(it)
        self._wrapped: dict[int, objects.Object] = {}
        self._wires: list[constraints.LengthConstraint] = []
        self._changes = 0

    def wrap(self, it: Any, kind: ObjectType | None = None) -> Any:
        """Return the wrapper of an object of tribo: always the same one."""
        found = self._wrapped.get(it.id)
        if found is None:
            kind = kind_of(it) if kind is None else kind
            found = self._wrapped[it.id] = _CLASSES[kind](self, it, kind)
            self._changes += 1
        return found

    # -- single bodies -------------------------------------------------------------------------
    def addSphere(self, radius: float, mass: float, material: str = "default",
                  collision_group: int = GROUP, collision_mask: int = MASK) -> Any:  # fmt: skip
        """``world.add_sphere(radius, mass, material)``"""
        made = self._it.add_sphere(
            radius, mass, material, collision_group=collision_group, collision_mask=collision_mask
        )
        return self.wrap(made, ObjectType.SPHERE)

    def addBox(self, x: float, y: float, z: float, mass: float, material: str = "default",
               collision_group: int = GROUP, collision_mask: int = MASK) -> Any:  # fmt: skip
        """``world.add_box((x, y, z), mass, material)``"""
        made = self._it.add_box(
            (x, y, z), mass, material, collision_group=collision_group, collision_mask=collision_mask
        )  # fmt: skip
        return self.wrap(made, ObjectType.BOX)

    def _adds_round(kind: str) -> Any:  # type: ignore[misc]
        def add(self: Any, radius: float, height: float, mass: float, material: str = "default",
                collision_group: int = GROUP, collision_mask: int = MASK) -> Any:  # fmt: skip
            bits = {"collision_group": collision_group, "collision_mask": collision_mask}
            made = getattr(self._it, f"add_{kind}")(radius, height, mass, material, **bits)
            return self.wrap(made, ObjectType[kind.upper()])

        return means(f"``world.add_{kind}(radius, height, mass, material)``", add)

    addCylinder = _adds_round("cylinder")

    addCapsule = _adds_round("capsule")

    addCone = _adds_round("cone")

    def addGround(self, zHeight: float = 0.0, material: str = "default",
                  collision_mask: int = MASK) -> Any:  # fmt: skip
        """``world.add_ground(height, material)``"""
        made = self._it.add_ground(zHeight, material, collision_mask=collision_mask)
        return self.wrap(made, ObjectType.HALFSPACE)

    def addMesh(
        self, file_name: str, mass: float, *values: Any, inertia: Any = None, com: Any = None,
        scale: float = 1.0, material: str = "default", collision_group: int = GROUP,
        collision_mask: int = MASK,
        collision_mode: MeshCollisionMode = MeshCollisionMode.CONVEX_APPROXIMATION,
    ) -> Any:  # fmt: skip
        """``world.add_mesh(file, mass=…, scale=…, inertia=…, com=…, mode=…)``"""
        words: tuple[Any, ...] = (scale, material, collision_group, collision_mask, collision_mode)
        if values and is_array(values[0]):  # inertia and centre of mass come first
            inertia, values = values[0], values[1:]
            com, values = (values[0], values[1:]) if values else (com, values)
        if len(values) > len(words):
            raise TypeError(f"addMesh takes at most 9 arguments by position, got {4 + len(values)}")
        scale, material, group, mask, mode = filled(values, words)
        mode = member(MeshCollisionMode, mode)
        options: dict[str, Any] = {"collision_group": group, "collision_mask": mask}
        if inertia is not None:
            options["inertia"] = inertia
        if com is not None:
            options["com"] = com
        if mode == MeshCollisionMode.ORIGINAL_MESH:
            look: dict[str, Any] = {"scale": scale, "material": material, "mode": "exact"}
            try:
                made = self._it.add_mesh(file_name, mass=mass, **look, **options)
            except OpenMeshError as error:
                logger.warning("raisimpy: %s; it stands still", error)
                options = {"collision_group": group, "collision_mask": mask}
                made = self._it.add_mesh(file_name, **look, **options)
        else:
            made = self._mesh(file_name, mass, scale, material, mode, options)
        found = self.wrap(made, ObjectType.MESH)
        found._file, found._scale = file_name, scale
        return found

    def _mesh(self, file: str, mass: float, scale: Any, material: str, mode: Any,
              options: dict[str, Any]) -> Any:  # fmt: skip
        try:
            return self._it.add_mesh(
                file, mass=mass, scale=scale, material=material, mode=mode.value, **options
            )
        except ImportError as error:
            if mode == MeshCollisionMode.CONVEX_HULL:
                raise
            logger.warning("raisimpy: %s: %s; its convex hull collides", file, error)
            return self._it.add_mesh(file, mass=mass, scale=scale, material=material, mode="hull", **options)

    def addCompound(self, children: Any, mass: float, *values: Any, com: Any = None, inertia: Any = None,
                    collision_group: int = GROUP, collision_mask: int = MASK) -> Any:  # fmt: skip
        """``world.add_compound(parts, mass, com=…, inertia=…)``"""
        if (
            values
            and len(check.listed(values[0], "com or inertia", "numbers")) == 3
            and not is_array(values[0][0])
        ):
            com, values = values[0], values[1:]
        if values:
            inertia, values = values[0], values[1:]
        if len(values) > 2:
            raise TypeError(f"addCompound takes at most 6 arguments by position, got {4 + len(values)}")
        group, mask = filled(values, (collision_group, collision_mask))
        options = {"collision_group": group, "collision_mask": mask}
        if com is not None:
            options["com"] = com
        if inertia is not None:
            options["inertia"] = inertia
        given = [
            instance(child, CompoundObjectChild, "an item of children")
            for child in check.listed(children, "children", "a list of CompoundObjectChild")
        ]
        made = self._it.add_compound([child.part() for child in given], mass, **options)
        found = self.wrap(made, ObjectType.COMPOUND)
        found._children = tuple(given)
        return found

    # -- terrain, robots -----------------------------------------------------------------------
    def addHeightMap(self, *values: Any, **named: Any) -> Any:
        """``world.add_height_map(tribo.HeightField.fractal(…))``, ``.from_image``, ``.from_text``"""
        field, place, z, rest = height_field(values, named)
        if len(rest) > 3:
            raise TypeError("addHeightMap: after the heights come material, group and mask, no more")
        material, group, mask = filled(rest, ("default", GROUP, MASK))
        options = {
            "collision_group": named.get("collision_group", group),
            "collision_mask": named.get("collision_mask", mask),
        }
        made = self._it.add_height_map(
            field, material=named.get("material", material), position=(*place, z), **options
        )
        return self.wrap(made, ObjectType.HEIGHTMAP)

    def addArticulatedSystem(
        self, urdf_path: str = "", res_path: str = "", joint_order: Any = (),
        collision_group: int = GROUP, collision_mask: int = MASK,
        options: ArticulatedSystemOption | None = None, *, modules: Any = (), params: Any = None,
    ) -> ArticulatedSystem:  # fmt: skip
        """``world.add_articulated_system(file, package_dirs=…, joint_order=…, modules=…, parameters=…)``"""
        chosen = ArticulatedSystemOption()
        if options is not None:
            chosen = instance(options, ArticulatedSystemOption, "options")
        meshes = member(MeshCollisionMode, chosen.collisionMeshMode).value
        if chosen.convexifyCollisionMeshes:
            meshes = "decomposition"
        made = self._it.add_articulated_system(
            urdf_path, package_dirs=[res_path] if str(res_path) else [], joint_order=tuple(check.listed(joint_order, "joint_order", "names of joints")),
            collision_group=collision_group, collision_mask=collision_mask,
            collide_with_parent=not chosen.doNotCollideWithParent, modules=modules,
            parameters=params, collision_meshes="auto" if meshes == "exact" else meshes,
        )  # fmt: skip
        found: ArticulatedSystem = self.wrap(made, ObjectType.ARTICULATED_SYSTEM)
        found._options = chosen
        return found

    # -- wires ---------------------------------------------------------------------------------
    def _wire(self, object1: Any, idx1: int, pos1: Any, object2: Any, idx2: int, pos2: Any,
              length: float, **numbers: Any) -> Any:  # fmt: skip
        ends = (object1, idx1, pos1), (object2, idx2, pos2)
        (first, here), (second, there) = (constraints.attachment(*end) for end in ends)
        it = self._it.add_wire(first, second, here, there, length=length, **numbers)
        made = constraints.KINDS[it.wire_type](self, it, ends)
        self._wires.append(made)
        self._changes += 1
        return made

    def addStiffWire(self, object1: Any, local_idx1: int, pos_body1: Any, object2: Any,
                     local_idx2: int, pos_body2: Any, length: float) -> Any:  # fmt: skip
        """``world.add_wire(a, b, point_a, point_b, length=…)``"""
        return self._wire(object1, local_idx1, pos_body1, object2, local_idx2, pos_body2, length)

    def addCompliantWire(self, object1: Any, local_idx1: int, pos_body1: Any, object2: Any,
                         local_idx2: int, pos_body2: Any, length: float,
                         stiffness: float) -> Any:  # fmt: skip
        """``world.add_wire(a, b, point_a, point_b, length=…, stiffness=…)``"""
        return self._wire(object1, local_idx1, pos_body1, object2, local_idx2, pos_body2, length,
                          stiffness=stiffness)  # fmt: skip

    def addCustomWire(self, object1: Any, local_idx1: int, pos_body1: Any, object2: Any,
                      local_idx2: int, pos_body2: Any, length: float) -> Any:  # fmt: skip
        """``world.add_wire(a, b, point_a, point_b, length=…, tension=0)``"""
        return self._wire(object1, local_idx1, pos_body1, object2, local_idx2, pos_body2, length,
                          tension=0.0)  # fmt: skip

    def getWires(self) -> list[Any]:
        """``world.constraints``"""
        present = self._it.constraints
        self._wires = [wire for wire in self._wires if wire.tribo in present]
        return list(self._wires)

    def getWire(self, name: str) -> Any:
        """``world.constraint(name)``"""
        wanted = check.text(name, "name")
        return next((wire for wire in self.getWires() if wire.name == wanted), None)

    def getConstraint(self, name: str) -> Any:
        """``world.constraint(name)``"""
        found = self.getWire(name)
        return constraints.PinConstraint(self._it.constraint(name)) if found is None else found

    # -- finding and removing ------------------------------------------------------------------
    def getObject(self, which: Any) -> Any:
        """``world.object(name)``, ``world.objects[number]``"""
        if isinstance(which, str):
            return self.wrap(self._it.object(which)) if which in self._it else None
        return self.wrap(picked(self._it.objects, which, "object of the world"))

    def getObjectById(self, number: int) -> Any:
        """``object.id``"""
        wanted = check.integer(number, "number", 0)
        return next((self.wrap(it) for it in self._it.objects if it.id == wanted), None)

    def isObjectAlive(self, item: Any) -> bool:
        """``object.is_removed``"""
        if isinstance(item, int):
            return any(it.id == item for it in self._it.objects)
        return behind(item, objects.Object, "item") in self._it.objects

    getObjList = means("``world.objects``", lambda self: [self.wrap(it) for it in self._it.objects])

    def getConfigurationNumber(self) -> int:
        """``world.objects``, ``world.constraints``: RaiSim counts their changes"""
        return self._changes

    def removeObject(self, item: Any) -> None:
        """``world.remove(object)``"""
        kinds = (objects.Object, constraints.LengthConstraint, constraints.PinConstraint)
        it = behind(item, kinds, "item")
        self._it.remove(it)
        self._wrapped.pop(getattr(it, "id", -1), None)
        self._changes += 1


def height_field(values: Any, named: dict[str, Any]) -> tuple[Any, Any, float, Any]:
    """Return heights, centre (x, y), z and what else was given, of each of RaiSim's five forms."""
    fields = tribo.HeightField
    first = values[0] if values else None
    if "terrain_properties" in named or (len(values) > 2 and isinstance(values[2], TerrainProperties)):
        x, y, terrain, *_ = _given(values, named, "x_center", "y_center", "terrain_properties")
        made = instance(terrain, TerrainProperties, "terrain_properties").field()
        return made, _center(x, y), 0.0, values[3:]
    if isinstance(first, HeightMap):
        it = first.tribo
        _, x, y = _given(values, named, "height_map", "x_center", "y_center")
        return fields(it.heights, it.size), _center(x, y), float(it.position[2]), values[3:]
    if "filename" in named or isinstance(first, (str, Path)):
        is_picture = any(key in named for key in ("x_size", "height_scale"))
        is_picture = is_picture or len([v for v in values if not isinstance(v, str)]) >= 5
        names = ("filename", "x_center", "y_center")
        if not is_picture:
            file, x, y = _given(values, named, *names)
            return fields.from_text(file), _center(x, y), 0.0, values[3:]
        file, x, y, sx, sy, scale, offset = _given(
            values, {"height_offset": 0.0} | named, *names, "x_size", "y_size", "height_scale", "height_offset"
        )  # fmt: skip
        made = fields.from_image(file, (sx, sy), scale=scale, offset=offset)
        return made, _center(x, y), 0.0, values[7:]
    nx, ny, sx, sy, x, y, heights = _given(
        values, named, "x_samples", "y_samples", "x_scale", "y_scale", "x_center", "y_center", "heights"
    )
    shape = check.integer(ny, "y_samples", 2), check.integer(nx, "x_samples", 2)
    return fields(grid(heights, shape, "heights"), (sx, sy)), _center(x, y), 0.0, values[7:]


def _given(values: Any, named: dict[str, Any], *names: str) -> list[Any]:
    """Return arguments in their order: by position, or by name."""
    made = [*values[: len(names)], *(named.get(name) for name in names[len(values) :])]
    missing = [name for name, value in zip(names, made, strict=True) if value is None]
    if missing:
        raise TypeError(f"a height map takes {', '.join(names)}; {', '.join(missing)} is not given")
    return made


def _center(x: Any, y: Any) -> tuple[float, float]:
    return check.number(x, "x_center"), check.number(y, "y_center")
