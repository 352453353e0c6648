"""Saving and restoring everything that the future of a world depends on."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.description.trees import TreeDescription, Vector
from tribo.engine.engine import Engine
from tribo.materials import MaterialTable
from tribo.objects import Object
from tribo.objects.collision_body import PRIMITIVES
from tribo.objects.constraint import Constraint
from tribo.objects.contact import PER_CONTACT, SAID

_RECORDS = ("model", "state", "command", "settings")
# made anew from the materials, the objects and this process
_DERIVED = ("pair_table", "ignored_pair", "lazy_address")
_EDITED = (  # what may change while the objects stay the same
    *_DERIVED, "shape_material", "shape_group", "shape_mask", "body_group", "body_mask",
    "body_is_solid", "body_adhesive_reach", "joint_pos", "joint_rot", "joint_collides", "constraint_stretch",
)  # fmt: skip
_PROPERTIES = (  # of links and joints: a world takes its own back
    "body_mass", "body_com", "body_inertia", "joint_axis", "dof_armature", "dof_damping", "tree_is_single",
    "dof_stiffness", "spring_reference", "dof_effort_lower", "dof_effort_upper", "body_support",
    "dof_friction", "dof_speed", "joint_lower", "joint_upper", "shape_size", "shape_pos", "shape_rot",
    "body_box", "body_radius", "constraint_point", "path_point",
)  # fmt: skip

SHORT = 4096  # bytes of an array that are copied faster than they are compared


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Snapshot:
    """A copy of model, state, commands, settings and materials; see `World.snapshot`."""

    structure: tuple[object, ...]  # what must be the same where it is restored
    arrays: dict[str, dict[str, np.ndarray]]
    materials: MaterialTable
    shapes: tuple[tuple[Any, ...], ...]  # material, group, mask, size, place, turn of each shape
    poses: tuple[np.ndarray, ...]  # (7,) of roots that do not move
    ignored: tuple[frozenset[tuple[int, int]], ...]  # body pairs that pass through each other
    collide: tuple[bool, ...]  # whether bodies that are tied together touch
    ends: tuple[tuple[object, ...], ...]  # where constraints are attached
    descriptions: tuple[TreeDescription, ...]  # whose numbers it may take back
    bodies: tuple[tuple[Any, ...], ...]  # of each: mass, com, inertia, joint, and what else users edit
    origins: tuple[tuple[Vector, tuple[Vector, ...]], ...]  # of shapes' frames; places of what is drawn
    sensors: dict[str, Any]  # state of each sensor, by name
    readings: dict[str, np.ndarray]  # what the last step left to be read: contacts, status, torques
    pushes: Any = ()  # on which merged links the external forces of the next step act
    laid: Any = None  # segments and joints of cables, which may change by themselves

    def __repr__(self) -> str:
        """Return time and size."""
        nq = self.arrays["state"]["q"].size
        return f"<Snapshot at t = {self.time:g} s: {len(self.structure)} objects, {nq} coordinates>"

    @property
    def time(self) -> float:
        """World time [s] at which it was taken."""
        return float(self.arrays["state"]["time"][0, 0])


def structure_of(objects: Sequence[Object]) -> tuple[object, ...]:
    """Return what must be the same where a snapshot is restored: ids, body types, joints and shapes."""
    return tuple(
        (
            part.id,
            int(part.body_type),
            tuple((b.parent, int(b.joint.type)) for b in part.description.bodies),
            tuple(b.joint.name for b in part.description.bodies[1:]),
            tuple(
                (int(s.kind), () if s.kind in PRIMITIVES else s.size)
                for b in part.description.bodies
                for s in b.shapes
            ),
        )
        for part in objects
    )


def touching(objects: Sequence[Object], ties: Sequence[Constraint]) -> list[object]:
    """Return which bodies pass through each other: it is built into the model."""
    links = [
        (set(p.description.ignored), [b.joint.collision_enabled for b in p.description.bodies])
        for p in objects
    ]
    return [links, [tie.collide for tie in ties]]


def _attachments(ties: Sequence[Constraint]) -> tuple[tuple[object, ...], ...]:
    return tuple(end.place for tie in ties for end in tie.ends)


def take(
    engine: Engine, objects: Sequence[Object], ties: Sequence[Constraint], materials: MaterialTable
) -> Snapshot:
    """Copy everything."""
    arrays = {
        name: {field: array.copy() for field, array in getattr(engine, name).arrays.items()}
        for name in _RECORDS
    }
    described = [s for part in objects for b in part.description.bodies for s in b.shapes]
    shapes = tuple((s.material, s.group, s.mask, s.size, s.position, s.quaternion) for s in described)
    poses = tuple(part.fixed_pose.copy() for part in objects)
    ignored = tuple(frozenset(part.description.ignored) for part in objects)
    bodies = tuple(
        (b.mass, b.com, b.inertia.copy(), copy(b.joint), b.gravity_compensation, b.drag)
        for part in objects
        for b in part.description.bodies
    )
    descriptions = tuple(part.description for part in objects)
    work, count = engine.work.arrays, int(engine.work.contact_count[0])
    readings = {name: work[name].copy() for name in (*SAID, "contact_count", "applied_torque")}
    readings |= {name: work[name][:, :count].copy() for name in PER_CONTACT}
    return Snapshot(
        structure_of(objects),
        arrays,
        materials.copy(),
        shapes,
        poses,
        ignored,
        tuple(tie.collide for tie in ties),
        _attachments(ties),
        descriptions,
        bodies,
        tuple((t.origin, tuple(v.position for b in t.bodies for v in b.visuals)) for t in descriptions),
        {},
        readings,
    )


def restore(
    snapshot: Snapshot,
    engine: Engine,
    objects: Sequence[Object],
    ties: Sequence[Constraint],
    materials: MaterialTable,
) -> None:
    """Write everything back in place.

    Raises:
        TypeError: It is no snapshot of a world.
        ValueError: Objects were added, removed or changed their body type since.
    """
    check.instance(snapshot, Snapshot, "restore takes what world.snapshot() returned")
    if snapshot.structure != structure_of(objects):
        raise ValueError(
            "the snapshot belongs to a world with other objects "
            f"({len(snapshot.structure)} then, {len(objects)} now, or other shapes, joints or body types); "
            "restore it before adding or removing objects"
        )
    pairs = zip(snapshot.descriptions, objects, strict=True)
    is_own = all(then is part.description for then, part in pairs)
    editable = (*_EDITED, *_PROPERTIES) if is_own else _EDITED
    for name, saved in snapshot.arrays["model"].items():
        if name not in editable and not _is_same(saved, engine.model.arrays[name]):
            raise ValueError(
                f"the snapshot belongs to a world with other numbers ({name} differs, "
                "see tribo.model.Model); restore it where it was taken"
            )
    if snapshot.ends != _attachments(ties):
        raise ValueError(
            "the snapshot belongs to a world whose constraints are attached elsewhere; restore it before "
            "adding or removing constraints"
        )
    engine.make_room(max(snapshot.arrays["state"]["warm_key"].shape[1],
                         snapshot.readings["contact_shape"].shape[1]))  # fmt: skip
    for name in _RECORDS:
        saved_arrays, arrays = snapshot.arrays[name], getattr(engine, name).arrays
        for field in editable if name == "model" else saved_arrays:
            if field not in _DERIVED:
                _write(arrays[field], saved_arrays[field])
    for field, saved in snapshot.readings.items():
        _write(engine.work.arrays[field], saved)
    described = [s for part in objects for b in part.description.bodies for s in b.shapes]
    for shape, (material, group, mask, *placed) in zip(described, snapshot.shapes, strict=True):
        shape.material, shape.group, shape.mask = material, group, mask
        shape.size, shape.position, shape.quaternion = placed
    for part, pose, ignored in zip(objects, snapshot.poses, snapshot.ignored, strict=True):
        part.fixed_pose[:] = pose
        part.description.ignored = set(ignored)
    for tie, collide in zip(ties, snapshot.collide, strict=True):
        tie.collide = collide
    described_bodies = [body for part in objects for body in part.description.bodies]
    for body, (mass, com, inertia, joint, share, drag) in zip(described_bodies, snapshot.bodies, strict=True):
        body.mass, body.com, body.inertia = mass, com, inertia.copy()
        body.joint, body.gravity_compensation, body.drag = copy(joint), share, drag
    for part, (origin, places) in zip(objects, snapshot.origins, strict=True):
        part.description.origin = origin
        visuals = [visual for body in part.description.bodies for visual in body.visuals]
        for visual, place in zip(visuals, places, strict=True):
            visual.position = place
    engine.work.arrays["row_count"][...] = 0  # what stands in the rows belongs to another step
    engine.filters_changed()
    materials.become(snapshot.materials)


def _is_same(array: np.ndarray, other: np.ndarray) -> bool:
    """Tell whether two arrays have the same shape and numbers.

    Few numbers are compared as bytes first: `array_equal` takes 1.2 µs, of which 1 µs is not for numbers.
    """
    is_short = array.nbytes < SHORT and array.shape == other.shape
    return (is_short and array.tobytes() == other.tobytes()) or np.array_equal(array, other)


def _write(array: np.ndarray, saved: np.ndarray) -> None:
    """Write a saved array back; the warm start may now stand in a larger table."""
    if array.shape == saved.shape:
        array[...] = saved
        return
    region = tuple(slice(0, min(n, m)) for n, m in zip(saved.shape, array.shape, strict=True))
    array[...] = 0
    array[region] = saved[region]
