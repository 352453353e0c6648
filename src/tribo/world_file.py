"""Worlds as RaiSim XML files: description ↔ objects of a world.

A file holds what a world starts with: time step, gravity, materials, objects and their positions and
velocities. It does not hold commands (gains, targets, forces), the clock, or how the solver is set;
`World.snapshot` does.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tribo import primitives
from tribo.builder import ALL_GROUPS, MOVABLE_GROUP, STATIC_GROUP
from tribo.description import (
    DescriptionError,
    MeshFile,
    ObjectDescription,
    TreeDescription,
    Vector,
    VisualDescription,
    WorldDescription,
)
from tribo.formats import raisim_xml, urdf
from tribo.materials.table import DEFAULT_MATERIAL
from tribo.model import Kind, Shape
from tribo.objects import ArticulatedSystem, Object, SingleBody
from tribo.settings import DEFAULTS

if TYPE_CHECKING:
    from tribo.world import World

logger = logging.getLogger("tribo")

SHAPES = {
    Shape.PLANE: "ground",
    Shape.SPHERE: "sphere",
    Shape.BOX: "box",
    Shape.CAPSULE: "capsule",
    Shape.CYLINDER: "cylinder",
}
COLORS = {
    "red": (0.80, 0.22, 0.20),
    "green": (0.25, 0.60, 0.33),
    "blue": (0.22, 0.42, 0.75),
    "yellow": (0.92, 0.76, 0.22),
    "orange": (0.92, 0.52, 0.18),
    "purple": (0.50, 0.33, 0.66),
    "white": (0.94, 0.94, 0.94),
    "gray": (0.55, 0.57, 0.60),
    "grey": (0.55, 0.57, 0.60),
    "black": (0.12, 0.12, 0.13),
}
# Settings that change the motion and that a file has no place for.
NOT_IN_FILE = ("max_push_out_speed", "tolerance", "max_sweeps", "integrator", "filter_both")


def read_into(world: World, path: str | Path, *, strict: bool = False) -> WorldDescription:
    """Fill an empty world from a file; the whole file is checked before the world is touched.

    Args:
        world: A world without objects.
        path: RaiSim world file, or its text.
        strict: What the reader does not know is an error instead of a note in the log.

    Returns:
        What was read, e.g. for its camera.

    Raises:
        DescriptionError: The file cannot be built; the message names place, value and remedy.
    """
    description = raisim_xml.read(path, strict=strict)
    robots = {
        id(item): urdf.read(item.urdf, strict=strict)
        for item in description.objects
        if item.type == "articulated_system" and item.urdf is not None
    }
    for item in description.objects:
        _check(item)
    for note in description.notes:
        logger.info("%s", note)
    world.time_step = description.time_step
    world.gravity = description.gravity
    if description.erp is not None:
        world.erp = description.erp
    if description.erp2 is not None:
        world.erp2 = description.erp2
    if description.default_pair is not None:
        world.default_pair = description.default_pair
    for (first, second), pair in description.pairs.items():
        world.set_material_pair(first, second, pair)
    for item, name in zip(description.objects, _names(description), strict=True):
        if item.type == "articulated_system":
            _add_robot(world, item, name, robots[id(item)])
        else:
            _add_body(world, item, name)
    return description


def save(world: World, path: str | Path) -> None:
    """Write a world so that what is read from the file begins with bitwise the same state.

    Commands, the clock and solver settings have no place in the format: what is left out is named
    in one warning.

    Raises:
        DescriptionError: An object has no place in the format; the message says what it is.
        OSError: The file cannot be written.
    """
    raisim_xml.write(describe(world), path)
    lost = _left_out(world)
    if lost:
        logger.warning("%s does not hold %s; use world.snapshot() to go on", path, "; ".join(lost))


def describe(world: World) -> WorldDescription:
    """Return a world as it would be written.

    Raises:
        DescriptionError: An object has no place in the format.
    """
    return WorldDescription(
        time_step=world.time_step,
        gravity=tuple(world.gravity.tolist()),
        erp=world.erp,
        erp2=world.erp2,
        default_pair=world.default_pair,
        pairs={(first, second): pair for first, second, pair in world.materials},
        objects=[
            _describe_robot(p) if isinstance(p, ArticulatedSystem) else _describe_body(p)
            for p in world.objects
        ],
    )


# -- reading -----------------------------------------------------------------------------------
def _check(item: ObjectDescription) -> None:
    """Refuse what a world cannot hold, before anything is added."""
    if item.com is not None and any(item.com):
        raise DescriptionError(
            f"object {item.name!r}: com={item.com} is not supported yet; "
            "place the object at its centre of mass"
        )
    if item.kind == Kind.STATIC and any((*item.linear_velocity, *item.angular_velocity)):
        raise DescriptionError(
            f"object {item.name!r}: a static body has no velocity; use body_type=\"kinematic\""
        )


def _names(description: WorldDescription) -> list[str]:
    """Return a name for every object: its own if that is free, else type and number."""
    wanted = {item.name for item in description.objects if item.name}
    taken: set[str] = set()
    names = []
    for number, item in enumerate(description.objects):
        name = item.name
        if not name or name in taken:
            k = number
            while (name := f"{item.type}_{k}") in taken | wanted:
                k += 1
            if item.name:
                logger.warning("a second object named %r is called %r", item.name, name)
        taken.add(name)
        names.append(name)
    return names


def _add_body(world: World, item: ObjectDescription, name: str) -> None:
    mask = ALL_GROUPS if item.mask is None else item.mask
    if item.type == "ground":
        height = item.size[0] if item.size else 0.0
        part = world.add_ground(height, item.material, name=name, collision_mask=mask)
        if item.group is not None:
            part.collision_bodies[0].collision_group = item.group
        return
    options = {
        "name": name, "inertia": item.inertia, "body_type": item.kind,
        "collision_group": item.group, "collision_mask": mask,
    }  # fmt: skip
    mass = item.mass if item.mass > 0.0 else 1.0  # what does not give way may be without mass
    if item.type == "sphere":
        part = world.add_sphere(*item.size, mass, item.material, **options)
    elif item.type == "box":
        part = world.add_box(item.size, mass, item.material, **options)
    elif item.type == "capsule":
        part = world.add_capsule(*item.size, mass, item.material, **options)
    else:
        part = world.add_cylinder(*item.size, mass, item.material, **options)
    pose = np.array([*item.position, *item.quaternion])
    part.fixed_pose[:] = pose
    if item.kind != Kind.STATIC:
        part.set_state(pose, np.array([*item.linear_velocity, *item.angular_velocity]))
    color = _color(item.appearance)
    if color is not None:
        shape = part.description.bodies[0].shapes[0]
        part.description.bodies[0].visuals = [
            VisualDescription(shape.kind, shape.size, color=color)
        ]


def _add_robot(
    world: World, item: ObjectDescription, name: str, description: TreeDescription
) -> None:
    mask = ALL_GROUPS if item.mask is None else item.mask
    robot = world.add_articulated_system(
        description, name=name, collision_group=item.group, collision_mask=mask
    )
    coordinate, velocity = item.generalized_coordinate, item.generalized_velocity
    try:
        if coordinate is not None:
            robot.generalized_coordinate = coordinate  # checks
        if velocity is not None:
            robot.generalized_velocity = velocity
    except ValueError as error:
        raise DescriptionError(f"object {name!r}: {error}") from None
    if coordinate is not None:  # the same bits: a unit quaternion is not normalized again
        assert robot.span is not None or world.engine is not None
        state = world.engine.state
        assert robot.span is not None
        state.q[robot.span.q] = coordinate


def _color(appearance: str) -> Vector | None:
    """Return red, green, blue, alpha of an appearance: a name or numbers; None if it is neither."""
    if appearance in COLORS:
        return (*COLORS[appearance], 1.0)
    try:
        numbers = [float(word) for word in appearance.replace(",", " ").split()]
    except ValueError:
        return None
    if len(numbers) not in {3, 4} or not all(0.0 <= x <= 1.0 for x in numbers):
        return None
    return tuple([*numbers, 1.0][:4])


# -- writing -----------------------------------------------------------------------------------
def _describe_body(part: Object) -> ObjectDescription:
    assert isinstance(part, SingleBody)
    body = part.description.bodies[0]
    shape = part.collision_bodies[0]
    made = ObjectDescription(
        SHAPES[shape.shape], part.name, shape.material, part.mass, kind=part.body_type
    )
    _set_groups(made, part, shape.collision_group, shape.collision_mask)
    if shape.shape == Shape.PLANE:
        if part.rotation_matrix[2, 2] != 1.0:
            raise DescriptionError(
                f"object {part.name!r}: a ground that is not level has no place in the format"
            )
        made.size = (float(part.position[2]),)
        return made
    numbers = shape.size
    if shape.shape == Shape.BOX:
        made.size = tuple(2.0 * x for x in numbers)
        standard = primitives.box(made.size, part.mass, "").bodies[0].inertia
    elif shape.shape == Shape.SPHERE:
        made.size = numbers
        standard = primitives.sphere(numbers[0], part.mass, "").bodies[0].inertia
    else:
        made.size = (numbers[0], 2.0 * numbers[1])
        solid = primitives.capsule if shape.shape == Shape.CAPSULE else primitives.cylinder
        standard = solid(*made.size, part.mass, "").bodies[0].inertia
    if not np.array_equal(part.inertia, standard):
        made.inertia = part.inertia
    made.position, made.quaternion = _tuple(part.position), _tuple(part.orientation)
    made.linear_velocity = _tuple(part.linear_velocity)
    made.angular_velocity = _tuple(part.angular_velocity)
    if body.visuals and body.visuals[0].color is not None:
        made.appearance = " ".join(repr(float(x)) for x in body.visuals[0].color)
    return made


def _describe_robot(robot: ArticulatedSystem) -> ObjectDescription:
    source = robot.description.source
    place = f"object {robot.name!r}"
    if source is None:
        raise DescriptionError(
            f"{place}: it was not read from a URDF file, so there is no file to refer to"
        )
    if robot.body_type != Kind.DYNAMIC:
        raise DescriptionError(f"{place}: a kinematic robot has no place in the format")
    original = urdf.read(source)
    if not robot.is_floating and not np.array_equal(robot.fixed_pose, _root(original)):
        raise DescriptionError(
            f"{place}: the pose of a fixed base has no place in the format; put it into the URDF"
        )
    described = [s.material for b in original.bodies for s in b.shapes]
    if described != [body.material for body in robot.collision_bodies]:
        raise DescriptionError(
            f"{place}: materials that differ from its URDF have no place in the format; "
            "write them there as <contact name=…>"
        )
    made = ObjectDescription("articulated_system", robot.name, urdf=source)
    _set_groups(made, robot, robot.collision_group, robot.collision_mask)
    own = {(b.collision_group, b.collision_mask) for b in robot.collision_bodies}
    if own - {(robot.collision_group, robot.collision_mask)} or robot.description.ignored - original.ignored:
        raise DescriptionError(
            f"{place}: collision rules of single links have no place in the format"
        )
    made.generalized_coordinate = _tuple(robot.generalized_coordinate)
    made.generalized_velocity = _tuple(robot.generalized_velocity)
    return made


def _root(description: TreeDescription) -> np.ndarray:
    joint = description.bodies[0].joint
    return np.array([*joint.position, *joint.quaternion])


def _set_groups(made: ObjectDescription, part: Object, group: int, mask: int) -> None:
    default = STATIC_GROUP if part.body_type == Kind.STATIC else MOVABLE_GROUP
    made.group = None if group == default else group
    made.mask = None if mask == ALL_GROUPS else mask


def _left_out(world: World) -> list[str]:
    """Return what matters for the motion and is not in the file."""
    lost = [
        f"the gains of {part.name!r}"
        for part in world.objects
        if isinstance(part, ArticulatedSystem) and any(gain.any() for gain in part.pd_gains)
    ]
    lost += [
        f"the feed-forward force of {part.name!r}"
        for part in world.objects
        if isinstance(part, ArticulatedSystem) and part.generalized_force.any()
    ]
    settings = world.engine.settings
    lost += [name for name in NOT_IN_FILE if getattr(settings, name) != DEFAULTS[name]]
    if world.engine.state.vdot.any() or world.engine.state.warm_count[0]:
        lost.append("the memory of the last step (warm start)")
    return lost


def _tuple(values: np.ndarray) -> Vector:
    return tuple(float(x) for x in values)
