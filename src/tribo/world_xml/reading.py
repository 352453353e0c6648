"""From a world file to the objects of a world."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.description.colors import color_of
from tribo.description.constraints import ConstraintDescription
from tribo.description.extents import rotation_matrix
from tribo.description.trees import (
    DescriptionError,
    ObjectDescription,
    TreeDescription,
    Vector,
    WorldDescription,
)
from tribo.engine.builder import ALL_GROUPS
from tribo.formats import raisim_xml, urdf
from tribo.formats.nodes import known_hint
from tribo.formats.other_kinds import is_project, is_usd, refuse_other_kinds
from tribo.formats.raisim_wires import OF_ROBOT
from tribo.formats.report import warning
from tribo.formats.substitution import checked
from tribo.formats.xml import kind_of
from tribo.model import Kind
from tribo.objects import ArticulatedSystem, Object, SingleBody
from tribo.world_xml.filled_world import FilledWorld

logger = logging.getLogger("tribo")

SAME = 1e-15  # [–] a quaternion that differs less from its normalized self is one that was written


def load_into(
    world: FilledWorld,
    path: str | Path,
    *,
    package_dirs: Sequence[Path | str] | Path | str = (),
    parameters: Mapping[str, object] | None = None,
    strict: bool = False,
) -> None:
    """Fill an empty world from a RaiSim or an MJCF file, or a project; see `World.load`."""
    other = _other_format(world, path)
    if other is None:
        read_into(world, path, package_dirs=package_dirs, parameters=parameters, strict=strict)
        return
    what, load = other
    if parameters is not None and (given := checked(parameters)):
        raise DescriptionError(f"{path}: is {what}, which has no @@parameters; leave {', '.join(given)} out")
    load(path, package_dirs=package_dirs, strict=strict)


def _other_format(world: FilledWorld, path: str | Path) -> tuple[str, Callable[..., Any]] | None:
    """Return the format of a file, in words, and what loads it; None: a world file of RaiSim."""
    if is_project(path):
        return "a project", world.load_project
    if is_usd(path):
        return "USD", world.load_usd
    refuse_other_kinds(path)
    return {"mujoco": ("MJCF", world.load_mjcf), "sdf": ("SDF", world.load_sdf)}.get(kind_of(path))


def read_into(
    world: FilledWorld,
    path: str | Path,
    *,
    package_dirs: Sequence[Path | str] | Path | str = (),
    parameters: Mapping[str, object] | None = None,
    strict: bool = False,
) -> WorldDescription:
    """Fill an empty world from a file; the whole file is checked before the world is touched.

    Args:
        world: A world without objects.
        path: RaiSim world file, or its text.
        package_dirs: Folders in which robots, meshes and heights are looked up, besides the file's own and
            the two above it.
        parameters: Values for @@name in templates; a <params> in the file wins.
        strict: Unknown elements are errors instead of notes in the log.

    Returns:
        The description that was read, e.g. for its camera.

    Raises:
        DescriptionError: The file cannot be built; the message names place, value and remedy.
    """
    dirs = check.folders(package_dirs, "package_dirs")
    description = raisim_xml.read(path, parameters=parameters, package_dirs=dirs, strict=strict)
    robots = {
        id(item): urdf.read(item.urdf, package_dirs=dirs, modules=item.modules, strict=strict)
        for item in description.objects
        if item.type == "articulated_system" and item.urdf is not None
    }
    for item in description.objects:
        _check(item)
    for note in description.notes:
        if note not in description.doubts:
            logger.info("%s", note)
    if description.doubts:
        logger.warning("%s", warning(str(description.source or "world file"), description.doubts))
    if world.objects:
        raise ValueError("a file is read into a world without objects; make a new one")
    try:
        _fill(world, description, robots)
    except (ValueError, TypeError, KeyError) as error:
        for part in world.objects:
            world.remove(part)
        place = f"{description.source}: " if description.source is not None else ""
        raise DescriptionError(f"{place}{error}") from None
    return description


def _fill(world: FilledWorld, description: WorldDescription, robots: dict[int, TreeDescription]) -> None:
    """Set everything and add all objects."""
    world.time_step = description.time_step
    world.gravity = description.gravity
    if description.erp is not None:
        world.erp = description.erp
    if description.erp2 is not None:
        world.erp2 = description.erp2
    if description.default_pair is not None:
        world.default_pair = description.default_pair
    for key, pair in description.pairs.items():
        world.materials.take_pair(*key, pair, description.pair_origins.get(key, {}))
    parts: dict[str, Object] = {}  # by the name in the file, the first that has it
    for item, name in zip(description.objects, _names(description), strict=True):
        if item.type == "articulated_system":
            _add_robot(world, item, name, robots[id(item)])
        else:
            _add_body(world, item, name)
        parts.setdefault(item.name or name, world[name])
        world[name].color = color_of(item.appearance)
        for body_name, rule in item.rules.items():
            body = world[name].collision_body(body_name)
            body.material, body.collision_group, body.collision_mask = rule[:3]
            if any(rule.surface_velocity) or any(rule.belt_velocity):
                body.surface_velocity, body.belt_velocity = rule[3:]
    for tie in description.constraints:
        if tie.type == OF_ROBOT:
            _set(world, tie)
            continue
        ends = [None if name is None else _end(parts, name, tie) for name in tie.objects]
        tie.over = [
            (None if name is None else _end(parts, name, tie), body, point) for name, body, point in tie.over
        ]
        world.tie_described(tie, (ends[0], ends[1]))


def _set(world: FilledWorld, tie: ConstraintDescription) -> None:
    """Take over the settings of a constraint that came with a robot."""
    names = [made.name for made in world.constraints]
    if tie.name not in names:
        raise ValueError(f"no robot brings a constraint {tie.name!r}{known_hint(tie.name, names)}")
    made = world.constraint(tie.name)
    for number, value in tie.numbers.items():
        setattr(made, number, value)


def _end(parts: dict[str, Object], name: str, tie: ConstraintDescription) -> Object:
    """Return the object that a constraint names."""
    what = f"{tie.type} {tie.name!r}"
    if name not in parts:
        raise ValueError(f"{what}: there is no object {name!r}{known_hint(name, parts)}")
    return parts[name]


def _check(item: ObjectDescription) -> None:
    """Refuse what a world cannot hold, before anything is added."""
    if item.kind == Kind.STATIC and any((*item.linear_velocity, *item.angular_velocity)):
        raise DescriptionError(
            f'object {item.name!r}: a static body has no velocity; use body_type="kinematic"'
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


def _add_body(world: FilledWorld, item: ObjectDescription, name: str) -> None:
    mask = ALL_GROUPS if item.mask is None else item.mask
    if item.type == "ground":
        height = item.size[0] if item.size else 0.0
        part = world.add_ground(height, item.material, name=name, collision_mask=mask)
        if item.group is not None:
            part.collision_bodies[0].collision_group = item.group
        return
    options: dict[str, Any] = {"name": name, "collision_group": item.group, "collision_mask": mask}
    if item.heights is not None:
        place = {"position": item.position, "orientation": item.quaternion}
        world.add_height_map(item.heights, material=item.material, **place, **options)
        return
    if _is_terrain(item):
        assert item.mesh is not None
        assert item.mesh.path is not None
        place = {"position": item.position, "orientation": item.quaternion}
        options |= place | {"scale": item.mesh.scale, "material": item.material}
        world.add_mesh(item.mesh.path, mode="exact", **options)
        return
    options |= {"inertia": item.inertia, "body_type": item.kind, "com": item.com}
    mass = item.mass if item.mass > 0.0 else 1.0  # what does not give way may be without mass
    part = _make(world, item, mass, options)
    # The file says where the frame of the shapes is, a body where its centre of mass is.
    place = np.array(item.position) + rotation_matrix(item.quaternion) @ part.com
    pose = np.array([*(place if item.com_position is None else item.com_position), *item.quaternion])
    part.fixed_pose[:] = pose
    if item.kind != Kind.STATIC:
        part.take_state(pose, np.array([*item.linear_velocity, *item.angular_velocity]))


def _is_terrain(item: ObjectDescription) -> bool:
    """Whether a mesh only stands: its triangles collide, and nothing in it is of a body that could move.

    A `mass` is no sign of one: files of RaiSim give it for all that is static, open meshes included.
    """
    return (
        item.mesh is not None
        and item.mesh_mode == "exact"
        and item.kind == Kind.STATIC
        and item.com_position is None
        and not item.mesh.resolution
    )


def _compensate(robot: ArticulatedSystem, given: Vector) -> None:
    """Let the drives of some joints bear the weight, by a number for each dof."""
    kept = [0.0] * robot.dof
    for joint in robot.joints if len(given) == robot.dof else ():
        own = given[joint.velocity_slice]
        kept[joint.velocity_slice] = [float(any(own))] * len(own)
    if list(given) != kept:
        raise DescriptionError(
            f"object {robot.name!r}: gravity_compensation of <drive> must be 0 or 1 for each of {robot.dof} "
            "degrees of freedom, the same for all of a joint and 0 for those of a base that moves, "
            f"got {check.shown(given)}"
        )
    robot.gravity_compensation = {j.name: bool(any(given[j.velocity_slice])) for j in robot.joints}


def _make(world: FilledWorld, item: ObjectDescription, mass: float, options: dict[str, Any]) -> SingleBody:
    size, material = item.size, item.material
    if item.type == "compound":
        return world.add_compound(item.parts, mass, material=material, **options)
    if item.mesh is not None:
        assert item.mesh.path is not None
        return world.add_mesh(
            item.mesh.path, mass=mass, scale=item.mesh.scale, mode=item.mesh_mode,
            max_hulls=item.mesh.max_hulls or None, tolerance=item.mesh.tolerance or None,
            resolution=item.mesh.resolution or None,
            material=material, **options,
        )  # fmt: skip
    if item.type == "sphere":
        return world.add_sphere(size[0], mass, material, **options)
    if item.type == "box":
        return world.add_box(size, mass, material, **options)
    if item.type == "ellipsoid":
        return world.add_ellipsoid(size, mass, material, **options)
    add = {"capsule": world.add_capsule, "cylinder": world.add_cylinder, "cone": world.add_cone}
    return add[item.type](size[0], size[1], mass, material, **options)


def _add_robot(world: FilledWorld, item: ObjectDescription, name: str, description: TreeDescription) -> None:
    mask = ALL_GROUPS if item.mask is None else item.mask
    robot = world.add_articulated_system(
        description,
        name=name,
        collision_meshes=item.collision_meshes,
        collision_group=item.group,
        collision_mask=mask,
        collide_with_parent=item.collide_parent,
        self_collision=item.self_collision,
        joint_order=item.joint_order,
    )
    drive = item.drive
    if "kp" in drive or "kd" in drive:
        robot.set_pd_gains(drive.get("kp", 0.0), drive.get("kd", 0.0), hold_base=True)
    for word, what in (("target", "pd_target"), ("target_velocity", "pd_velocity_target"),
                       ("force", "generalized_force")):  # fmt: skip
        if word in drive:
            setattr(robot, what, drive[word])
    if "gravity_compensation" in drive:
        _compensate(robot, drive["gravity_compensation"])
    coordinate, velocity = item.generalized_coordinate, item.generalized_velocity
    if velocity is not None:
        robot.generalized_velocity = velocity
    if coordinate is not None:
        robot.generalized_coordinate = coordinate  # checks, and normalizes quaternions
        written = np.array(coordinate)
        if np.abs(robot.generalized_coordinate - written).max(initial=0.0) < SAME:
            state = world.engine.state
            assert robot.span is not None
            state.q[robot.span.q] = written  # bit for bit what a world wrote
