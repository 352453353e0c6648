"""Tracks of AGX Dynamics in a body file: a belt of pads round wheels that are links.

A track leads round several links, so it belongs to the scene; `World.load_body` lays it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tribo.description.trees import TreeDescription, Vector
from tribo.formats.choreonoid import keys
from tribo.formats.pose import matrix
from tribo.formats.yaml_nodes import YamlNode
from tribo.materials import Material, MaterialLibrary
from tribo.model import Shape

KIND = "AGXVehicleContinuousTrackDevice"
WHEELS = ("sprocket_names", "idler_names", "roller_names", "guide_names")
LEFT_OUT = (  # of AGX's own way of keeping a track in one piece, and of what is drawn
    "up_axis", "node_distance_tension", "node_thicker_thickness", "use_thicker_node_every",
    "min_stabilizing_hinge_normal_force", "stabilizing_hinge_friction_parameter",
    "nodes_to_wheels_merge_threshold", "nodes_to_wheels_split_threshold", "enable_merge",
    "num_nodes_per_merge_segment", "contact_reduction", "enable_lock_to_reach_merge_condition",
    "lock_to_reach_merge_condition_compliance", "lock_to_reach_merge_condition_spook_damping",
    "max_angle_merge_condition", "node_shape",
)  # fmt: skip
KEYS = (
    "type", "name", "id", "number_of_nodes", "node_thickness", "node_width", "hinge_compliance",
    "hinge_spook_damping", "material", *WHEELS, *LEFT_OUT,
)  # fmt: skip
STANDARD = 1e-10, 0.0333  # [m/N, rad/(N m)], [s]: what the manual says
PADS, WIDTH, THICKNESS = 50, 0.6, 0.075  # [–], [m], [m]: the manual, too
ROUND = (Shape.CYLINDER, Shape.SPHERE, Shape.CAPSULE)
MAX_PADS = 1000


@dataclass(slots=True)
class WheelPlace:
    """A wheel: a round shape on a body of a tree."""

    tree: int
    body: str
    point: Vector  # [m] its centre, frame of the body
    axis: Vector  # frame of the body
    radius: float  # [m]


@dataclass(slots=True)
class TrackDescription:
    """A track as `World.add_track` takes it, but for its wheels, that are still names."""

    name: str
    place: str  # in the file
    pads: int
    width: float
    thickness: float
    material: Material
    compliance: float
    spook_damping: float
    wheels: list[WheelPlace] = field(default_factory=list)


def read(
    nodes: Sequence[YamlNode], trees: Sequence[TreeDescription], library: MaterialLibrary | None
) -> list[TrackDescription]:
    """Return the tracks that devices describe.

    Raises:
        DescriptionError: A value is missing or wrong.
    """
    made = [_track(node, k, trees, library) for k, node in enumerate(nodes)]
    keys.refuse_twins([track.name for track in made], nodes, "tracks")
    return made


def _track(
    node: YamlNode, k: int, trees: Sequence[TreeDescription], library: MaterialLibrary | None
) -> TrackDescription:
    keys.check_keys(node, KEYS, KIND)
    found = [key for key in LEFT_OUT if keys.value(node, key) is not None and key != "up_axis"]
    if found:
        node.note(f"{', '.join(found)} of {KIND} are left out", "parts of a track")
    made = TrackDescription(
        (keys.word(node, "name") or f"track_{k}").replace("/", "_"), node.place,
        keys.count(node, "number_of_nodes", PADS, 3, MAX_PADS),
        keys.positive(node, "node_width", WIDTH), keys.positive(node, "node_thickness", THICKNESS),
        keys.material_of(node, "material", library),
        *keys.softness(node, ("hinge_compliance", "hinge_spook_damping"), STANDARD),
    )  # fmt: skip
    for key in WHEELS:
        made.wheels += [_wheel(item, trees) for item in keys.list_of(node, key)]
    if len(made.wheels) < 2:
        raise node.error(f"{KIND} {made.name!r} needs two wheels: sprocketNames, idlerNames")
    return made


def _wheel(node: YamlNode, trees: Sequence[TreeDescription]) -> WheelPlace:
    """Return the largest round shape of the link of a name."""
    name = node.word()
    found = keys.find(name, trees)
    if found is None:
        raise node.error(f"link {name!r} {keys.not_there(name, trees)}")
    body = trees[found[0]].bodies[found[1]]
    round_ones = [
        shape for shape in body.shapes
        if shape.kind in ROUND and shape.name.rpartition("/")[0] == name
    ]  # fmt: skip
    if not round_ones:
        raise node.error(
            f"link {name!r} has no Cylinder, Sphere or Capsule that collides: its radius is not known"
        )
    shape = max(round_ones, key=lambda one: one.size[0])
    axis = tuple(matrix(shape.quaternion)[:, 2].tolist())
    if shape.kind == Shape.SPHERE:
        axis = tuple(np.asarray(matrix(body.joint.quaternion).T @ body.joint.axis).tolist())
    return WheelPlace(found[0], body.name, tuple(shape.position), axis, float(shape.size[0]))
