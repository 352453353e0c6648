"""Descriptions of objects by users and file readers, before they become arrays.

Plain data with no behaviour beyond validation: `tribo.formats` makes it, `tribo.engine.builder` reads it.
Units are SI; quaternions are (w, x, y, z); poses are (position, quaternion) of a frame in its parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import inf
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from tribo.checks import check
from tribo.checks.calls import record
from tribo.checks.errors import DescriptionError
from tribo.description import inertias
from tribo.description.actuators import ActuatorDescription
from tribo.description.collision_rule import CollisionRule
from tribo.description.constraints import ConstraintDescription
from tribo.description.couplings import CouplingDescription
from tribo.description.heights import HeightField
from tribo.description.hulls import Heights, Hull, Surface
from tribo.description.joints import (
    IDENTITY,
    ORIGIN,
    JointDescription,
    JointProperties,
    Vector,
    check_properties,
    check_ranges,
    direction_of,
    joint_type,
)
from tribo.materials.table import Law
from tribo.model import Joint, Kind, Shape

__all__ = [
    "IDENTITY", "ORIGIN", "ActuatorDescription", "BodyDescription", "CompoundPart", "DescriptionError",
    "FrameDescription", "JointDescription", "LinkDescription", "MeshFile", "ObjectDescription",
    "PartDescription", "SensorDescription", "ShapeDescription", "TreeDescription", "Vector",
    "VisualDescription", "WorldDescription", "internal_size",
]  # fmt: skip


@dataclass(slots=True)
class MeshFile:
    """A mesh on disk, or the reason why it is not there."""

    path: Path | None  # None: the file was not found
    reference: str  # as written in the file that names it
    scale: Vector = (1.0, 1.0, 1.0)
    collision: str = ""  # "hull", "decomposition" or "exact"; empty: as the robot's meshes collide
    max_hulls: int = 0  # of a decomposition; 0: as many as are usual
    tolerance: float = 0.0  # [m] that its deepest wrong point may have; 0: coacd's own measure
    resolution: float = 0.0  # [m] between points along edges of an exact mesh that moves; 0: as is usual


@dataclass(slots=True)
class ShapeDescription:
    """A collision shape on a body; `size` as in `tribo.model.Shape`."""

    kind: Shape
    size: Vector
    position: Vector = ORIGIN  # [m] body frame
    quaternion: Vector = IDENTITY
    material: str = "default"
    name: str = ""  # "LINK/0": collision body 0 of LINK
    group: int | None = None  # bits; None: the object's
    mask: int | None = None
    mesh: MeshFile | None = None
    geometry: Hull | Surface | Heights | None = None  # of HULL, SURFACE, HEIGHT_MAP
    is_point: bool = False  # touches compliant grounds, instead of the body's other shapes
    link: str = field(default="", compare=False)  # merged one that has it; empty: the body's own

    @property
    def is_terrain(self) -> bool:
        """Whether it can only stand: triangles that may move have a resolution as their second number."""
        is_mesh = self.kind == Shape.SURFACE and len(self.size) > 1
        return self.kind == Shape.PLANE or (self.kind >= Shape.SURFACE and not is_mesh)


@dataclass(slots=True)
class VisualDescription:
    """A drawn shape on a body."""

    kind: Shape
    size: Vector
    position: Vector = ORIGIN
    quaternion: Vector = IDENTITY
    color: Vector | None = None  # RGBA 0…1
    mesh: MeshFile | None = None
    triangles: tuple[np.ndarray, np.ndarray] | None = None  # in memory: vertices [m], faces


@record
@dataclass(slots=True)
class LinkDescription:
    """A link of a robot that is built in Python, with all that hangs on it.

    Links behind fixed joints become parts of their parent; what they are called stays as a frame. The mass
    of a link is its own `mass` plus that of the solids that `add_shape` gives it.

    Example:
        >>> import tribo
        >>> cart = tribo.LinkDescription("cart")
        >>> cart.add_shape("box", (0.4, 0.2, 0.1), mass=1.0, color=(0.2, 0.4, 0.8, 1.0))
        >>> pole = cart.add_child("pole", "revolute", axis=(0, 1, 0))
        >>> pole.add_shape("cylinder", (0.01, 1.0), mass=0.1, position=(0, 0, 0.5))
        >>> tip = pole.add_child("tip", "fixed", position=(0, 0, 1))
        >>> robot = tribo.World().add_articulated_system(cart)
        >>> robot.dof, round(robot.mass, 9), robot.frame("tip").position.tolist()
        (7, 1.1, [0.0, 0.0, 1.0])
    """

    name: str
    mass: float = 0.0  # [kg]
    com: Vector = ORIGIN  # [m] link frame
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about com, link axes
    joint: JointDescription | None = None  # of a root: None or free: it floats; fixed: it does not
    shapes: list[ShapeDescription] = field(default_factory=list)
    visuals: list[VisualDescription] = field(default_factory=list)
    children: list[LinkDescription] = field(default_factory=list)
    # [kg] besides `mass`:
    solids: list[tuple[float, ShapeDescription]] = field(default_factory=list)
    # [kg/m³] of meshes whose volume their files say:
    dense: list[tuple[float, ShapeDescription]] = field(default_factory=list)

    def attach(self, child: LinkDescription, joint: JointDescription) -> None:
        """Let another link hang on this one by a joint, a fixed one too.

        Raises:
            TypeError: They are no `LinkDescription` and no `JointDescription`.
        """
        _need(child, LinkDescription, "attach takes")
        _need(joint, JointDescription, "attach takes")
        child.joint = joint
        self.children.append(child)

    def add_child(
        self, name: str, joint: str, *, position: Vector = ORIGIN, quaternion: Vector = IDENTITY,
        axis: Vector = (0.0, 0.0, 1.0), joint_name: str = "", **properties: Unpack[JointProperties],
    ) -> LinkDescription:  # fmt: skip
        """Add a link that hangs on this one, and return it.

        Args:
            name: Of the new link; its frame is that of the joint at coordinate 0.
            joint: "revolute" (or "continuous"), "prismatic", "spherical" or "fixed".
            position, quaternion: [m], (w, x, y, z) of the joint in the frame of this link.
            axis: In the frame of the joint, any length.
            joint_name: Empty: the name of the link and "_joint".
            properties: Others of `JointDescription`, such as lower=, upper=, effort=, damping=.

        Raises:
            DescriptionError: Kind or property of the joint are unknown, or a property is wrong, such as stops
                that cross or an axis without a direction.
            TypeError: The name is no text.
        """
        _need(name, str, "add_child makes a link; attach takes one that is there already. Its name is")
        _need(joint, str, "the kind of a joint is")
        kind = joint_type(joint, may_float=False)
        check_properties(properties)
        made = JointDescription(joint_name or f"{name}_joint", kind, position, quaternion, axis, **properties)
        direction_of(made)
        check_ranges(made)
        child = LinkDescription(name)
        self.attach(child, made)
        return child

    def fix_to_world(self) -> None:
        """Let this link, the root, stand where the robot is added instead of floating."""
        self.joint = JointDescription(f"{self.name}_root", Joint.FIXED)

    def add_shape(
        self, kind: str, size: Vector | float, *, position: Vector = ORIGIN, quaternion: Vector = IDENTITY,
        mass: float | None = None, density: float | None = None, material: str = "default",
        color: Vector | None = None, collides: bool = True, is_drawn: bool = True,
    ) -> None:  # fmt: skip
        """Add a shape that collides, is drawn, has mass, or several of these; a link takes any number.

        Args:
            kind: "sphere" (radius), "box" (edges x, y, z), "capsule" (radius, distance of the cap
                centres), "cylinder" or "cone" (radius, height), these three along z; "ellipsoid"
                (semi-axes x, y, z).
            size: The numbers in brackets [m]; of a sphere, its radius alone will do.
            position, quaternion: Of the shape in the frame of the link.
            mass, density: [kg] or [kg/m³] of a homogeneous solid of this shape, one of them or none.
            material: Of its contacts.
            color: RGBA, 0…1.
            collides, is_drawn: Its purpose.

        Raises:
            DescriptionError: Kind, size or mass are wrong.
        """
        shape, edges = internal_size(kind, size)
        what = f"{check.with_article(kind)} of {self.name!r}"
        if mass is not None and density is not None:
            raise DescriptionError(f"{what} has a mass or a density, not both")
        weight = 0.0 if mass is None else mass
        if density is not None:
            weight = density * inertias.of_shape(shape, edges)[0]
        if not 0.0 <= weight < inf:
            raise DescriptionError(f"mass of {what} must be ≥ 0, got {check.shown(weight)}")
        made = ShapeDescription(shape, edges, position, quaternion, material)
        if weight > 0.0:
            self.solids.append((weight, made))
        if collides:
            self.shapes.append(made)
        if is_drawn:
            self.visuals.append(VisualDescription(shape, edges, position, quaternion, color))

    def add_mesh(
        self, file: str | Path, *, scale: Vector = (1.0, 1.0, 1.0), position: Vector = ORIGIN,
        quaternion: Vector = IDENTITY, mass: float | None = None, density: float | None = None,
        material: str = "default", color: Vector | None = None, collides: bool = True, is_drawn: bool = True,
    ) -> None:  # fmt: skip
        """Add a mesh file (OBJ, STL, DAE, PLY, OFF, GLB, glTF) that collides, is drawn, or both.

        Its collision geometry: see `World.add_articulated_system(…, collision_meshes=…)`. Its mass, if it has
        one, is that of the closed surface, whatever collides.

        Args:
            file: Path.
            scale: (3,) factors for the numbers of the file.
            mass, density: [kg] or [kg/m³] of what the mesh encloses, one of them or none.
            position, quaternion, material, color, collides, is_drawn: As in `add_shape`.

        Raises:
            DescriptionError: There is no such file, or mass or density are wrong.
        """
        path = Path(file)
        if not path.is_file():
            raise DescriptionError(f"mesh {str(file)!r} of link {self.name!r} does not exist")
        mesh = MeshFile(path.resolve(), str(file), scale)
        made = ShapeDescription(Shape.MESH, (), position, quaternion, material, mesh=mesh)
        for weight, kept in ((mass, self.solids), (density, self.dense)):
            if weight is not None:
                if not 0.0 < weight < inf or None not in (mass, density):
                    raise DescriptionError(
                        f"mesh {str(file)!r} of link {self.name!r} has a mass or a density > 0, not both, "
                        f"got mass={check.shown(mass)}, density={check.shown(density)}"
                    )
                kept.append((weight, made))
        if collides:
            self.shapes.append(made)
        if is_drawn:
            self.visuals.append(VisualDescription(Shape.MESH, (), position, quaternion, color, mesh))


def _need(value: object, kind: type, what: str) -> None:
    """Refuse what is of another type."""
    if not isinstance(value, kind):
        raise TypeError(
            f"{what} {check.with_article(kind.__name__)}, got {check.with_article(type(value).__name__)}"
        )


def internal_size(kind: str, size: Vector | float) -> tuple[Shape, Vector]:
    """Return kind and size as in `tribo.model.Shape` (half lengths) of a shape as users give it."""
    counts = {"sphere": 1, "box": 3, "capsule": 2, "cylinder": 2, "cone": 2, "ellipsoid": 3}
    wanted: object = kind
    if not isinstance(wanted, str) or wanted not in counts:
        raise DescriptionError(f"shape {wanted!r} is unknown; use one of {', '.join(counts)}")
    what = check.with_article(kind)
    given: Any = [size] if check.is_scalar(size) else size
    try:
        numbers = tuple(float(x) for x in given)
    except (TypeError, ValueError):
        raise DescriptionError(
            f"size {check.shown(size)} of {what} must be {counts[kind]} numbers > 0"
        ) from None
    if len(numbers) != counts[kind] or not all(0.0 < x < inf for x in numbers):
        raise DescriptionError(f"size {numbers!r} of {what} must be {counts[kind]} numbers > 0")
    if not check.SMALLEST <= min(numbers) <= max(numbers) <= check.LARGEST:
        raise DescriptionError(
            f"size {numbers!r} of {what} must be from {check.SMALLEST:g} to {check.LARGEST:g} m; units are SI"
        )
    shape = Shape[kind.upper()]
    if shape == Shape.BOX:
        return shape, tuple(0.5 * x for x in numbers)
    if shape == Shape.ELLIPSOID:
        return shape, numbers
    return shape, (numbers[0], *(0.5 * x for x in numbers[1:]))


@record
@dataclass(slots=True)
class CompoundPart:
    """One convex shape of a compound body.

    Attributes:
        kind: "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid" or "convex".
        size: [m] as in `World.add_sphere` and its kin: a radius; edges x, y, z; radius and height (of a
            capsule the distance of its cap centres); semi-axes x, y, z. Of a convex part its points, (n, 3).
        mass: [kg]; None: from `density`, or the mass or density given for all is shared by volume.
        position: [m] of the shape in the frame of the compound; of a cone the middle of its height.
        orientation: Unit quaternion (w, x, y, z), axes of the shape to those of the compound.
        material: Name; empty: that of the compound.
        color: A name such as "blue", or 3 or 4 numbers of 0 … 1; None: as its material is drawn.
        density: [kg/m³] instead of `mass`.

    Example:
        >>> import tribo
        >>> handle = tribo.CompoundPart("cylinder", (0.02, 0.3), mass=0.2)
        >>> head = tribo.CompoundPart("box", (0.1, 0.04, 0.04), mass=0.6, position=(0, 0, 0.15))
        >>> hammer = tribo.World().add_compound([handle, head])
        >>> hammer.mass, len(hammer.collision_bodies)
        (0.8, 2)
    """

    kind: str
    size: Any
    mass: float | None = None
    position: Any = ORIGIN
    orientation: Any = IDENTITY
    material: str = ""
    color: Any = None
    density: float | None = None


@dataclass(slots=True)
class BodyDescription:
    """A rigid body: one or more links that fixed joints merged."""

    name: str
    parent: int  # index in the tree, −1: the world
    joint: JointDescription
    mass: float = 0.0  # [kg]
    com: Vector = ORIGIN  # [m] body frame
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about com, body axes
    shapes: list[ShapeDescription] = field(default_factory=list)
    visuals: list[VisualDescription] = field(default_factory=list)
    gravity_compensation: float = 0.0  # [–] share of the weight that is borne from outside
    drag: tuple[float, float] = (0.0, 0.0)  # [N s/m, N m s/rad] of a free body, against v and ω
    parent_link: str = field(default="", compare=False)  # of the parent, as `ShapeDescription.link`


@dataclass(slots=True)
class PartDescription:
    """A link that became a part of a body, or the body's own link beside such parts."""

    link: str  # empty: the body's own
    body: int
    parent: str = ""  # link on which it is fixed, as `ShapeDescription.link`
    mass: float = 0.0  # [kg]
    com: Vector = ORIGIN  # [m] body frame
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about com, body axes


@dataclass(slots=True)
class FrameDescription:
    """A named frame on a body: each joint, also a fixed one, and each link that was merged."""

    name: str
    body: int
    position: Vector = ORIGIN
    quaternion: Vector = IDENTITY
    link: str = field(default="", compare=False)  # that carries it, as `ShapeDescription.link`


@dataclass(slots=True)
class SensorDescription:
    """A sensor that a file declares: what `World` needs to add it."""

    kind: str  # "imu", "spinning_lidar", "depth", "force_torque", "encoder"
    name: str  # "SET/SENSOR"
    frame: str  # link or frame that carries it; of an encoder the joint
    position: Vector = ORIGIN  # [m] in that link
    quaternion: Vector = IDENTITY
    update_rate: float | None = None  # [Hz]
    noise: dict[str, str | float] | None = None  # numbers of `tribo.sensors.Noise`
    values: dict[str, object] = field(default_factory=dict)  # of its own kind


@dataclass(slots=True)
class TreeDescription:
    """One object: a robot, or a single body as a tree with one joint. Bodies: parents first."""

    bodies: list[BodyDescription]
    frames: list[FrameDescription] = field(default_factory=list)
    kind: Kind = Kind.DYNAMIC
    color: Vector | None = None  # RGBA 0…1 of all that is drawn of it; None: as its parts say
    ignored: set[tuple[int, int]] = field(default_factory=set)  # body pairs that never touch
    enabled: set[tuple[int, int]] = field(default_factory=set)  # that touch though drawn overlapping
    self_collision: str = "not overlapping"  # see `World.add_articulated_system`
    overlapping: frozenset[tuple[int, int]] = frozenset()  # of `ignored`: they overlap as drawn
    sensors: list[SensorDescription] = field(default_factory=list)
    source: Path | None = None
    text: str | None = None  # what it was read from, if that was no file
    notes: list[str] = field(default_factory=list)  # what a reader should know: ignored tags …
    doubts: list[str] = field(default_factory=list)  # those of the notes of which users are warned
    origin: Vector = ORIGIN  # [m] of the frame in which the shapes of a single body were given
    collision_meshes: str = "none"  # what its meshes collide as, see `World.add_articulated_system`
    start: Vector | None = None  # coordinates in which it starts; None: zero
    drawn: Vector | None = None  # coordinates in which its file draws it; None: `start`
    keyframes: dict[str, Vector] = field(default_factory=dict)  # coordinates with names
    keyframe_controls: dict[str, dict[str, float]] = field(default_factory=dict)  # by actuator
    start_controls: dict[str, float] = field(default_factory=dict)  # of actuators; others: 0
    actuators: list[ActuatorDescription] = field(default_factory=list)
    control_count: int = 0  # of all actuators of the file, those of other robots included
    start_activations: dict[str, float] = field(default_factory=dict)  # of actuators; others: 0
    couplings: list[CouplingDescription] = field(default_factory=list)  # tendons over joints …
    constraints: list[ConstraintDescription] = field(default_factory=list)  # besides the joints
    closed: Vector | None = None  # coordinates in which they hold
    parts: list[PartDescription] = field(default_factory=list)  # of bodies that have several

    @property
    def all_couplings(self) -> list[CouplingDescription]:
        """All couplings of its joints, those of joints that follow others last."""
        mimics = [
            CouplingDescription.of_mimic(body.joint.name, *body.joint.mimic)
            for body in self.bodies
            if body.joint.mimic is not None
        ]
        return self.couplings + mimics if mimics else self.couplings

    def joint_slices(self, widths: Mapping[Joint, int]) -> list[slice]:
        """Return where the numbers of each body's joint are; `widths`: how many a type of joint has."""
        ends = accumulate((widths[body.joint.type] for body in self.bodies), initial=0)
        return [slice(first, last) for first, last in pairwise(ends)]


@dataclass(slots=True)
class ObjectDescription:
    """One element of a world file."""

    type: str  # ground, sphere, box, capsule, cylinder, cone, ellipsoid, compound, mesh, … as in files
    name: str
    material: str = "default"
    mass: float = 1.0  # [kg]
    size: Vector = ()  # edges; radius, height (cap centres); radius; semi-axes; of a ground its height
    kind: Kind = Kind.DYNAMIC
    group: int | None = None
    mask: int | None = None
    appearance: str = ""
    com: Vector | None = None  # in the frame of the shapes; None: what follows from them
    inertia: np.ndarray | None = None
    position: Vector = ORIGIN
    quaternion: Vector = IDENTITY
    linear_velocity: Vector = ORIGIN
    angular_velocity: Vector = ORIGIN
    urdf: Path | None = None
    urdf_text: str | None = None  # instead of a file; a writer puts it into one
    urdf_reference: str = ""  # as written in the file
    joint_order: tuple[str, ...] = ()  # of a robot; empty: that of its URDF
    modules: list[Path] = field(default_factory=list)  # that come with the URDF
    collide_parent: bool = False  # links of a robot may touch the link on which they hang
    self_collision: str | None = None  # of a robot
    collision_meshes: str = "auto"  # of a robot, see `World.add_articulated_system`
    generalized_coordinate: Vector | None = None
    generalized_velocity: Vector | None = None
    drive: dict[str, Vector] = field(default_factory=dict)  # by attributes of <drive>
    rules: dict[str, CollisionRule] = field(default_factory=dict)  # by collision body
    parts: list[CompoundPart] = field(default_factory=list)
    mesh: MeshFile | None = None
    mesh_mode: str = "hull"
    heights: HeightField | None = None
    com_position: Vector | None = None  # where the centre of mass is, instead of `position`
    tree: TreeDescription | None = None  # of what moves in an MJCF file; of what gets a URDF
    shape: ShapeDescription | None = None  # of what stands in an MJCF file
    visual: VisualDescription | None = None


@dataclass(slots=True)
class WorldDescription:
    """A world file."""

    time_step: float = 0.005  # [s]
    gravity: Vector = (0.0, 0.0, -9.81)  # [m/s²]
    erp: float | None = None  # None: the engine's default
    erp2: float | None = None
    default_pair: Law | None = None
    pairs: dict[tuple[str, str], Law] = field(default_factory=dict)
    # of each value of a pair:
    pair_origins: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    objects: list[ObjectDescription] = field(default_factory=list)
    camera: dict[str, str] = field(default_factory=dict)
    constraints: list[ConstraintDescription] = field(default_factory=list)
    source: Path | None = None
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)  # those of the notes of which users are warned
