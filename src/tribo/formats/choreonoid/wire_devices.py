"""Wires of AGX Dynamics in a body file: a route over links, a cross section, perhaps a winch.

A wire may lead from thing to thing, so it belongs to the scene; `World.load_body` lays it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tribo.description.trees import TreeDescription
from tribo.formats.choreonoid import keys
from tribo.formats.yaml_nodes import YamlNode
from tribo.materials import Material, MaterialLibrary

KIND = "AGXWireDevice"
OWN = (  # of the wire's material, if the device gives it
    "wire_youngs_modulus_stretch", "wire_youngs_modulus_bend", "wire_spook_damping_stretch",
    "wire_spook_damping_bend",
)  # fmt: skip
KEYS = (
    "type", "name", "id", "radius", "resolution_per_unit_length", "collision", "self_collision",
    "material_name", *OWN, "Winch", "Nodes", "winch", "nodes",
)  # fmt: skip
NODE_KEYS = (
    "type", "link_name", "position", "twist_stiffness", "bend_stiffness",
    "super_bend_replaced_with_bend",
)  # fmt: skip
WINCH_KEYS = ("link_name", "position", "normal", "pulled_in_length", "haul_force_range")
NODE_KINDS = ("free", "fixed", "link")
RADIUS = 0.02  # [m] what the manual says
SLENDER = 10.0  # radii of a segment, where the file has no resolution


@dataclass(slots=True)
class WirePlace:
    """A point of a wire, in the frame of a link; without a tree in the world."""

    point: tuple[float, ...]
    tree: int | None = None
    link: str = ""
    kind: str = "free"
    bend_stiffness: float | None = None
    twist_stiffness: float | None = None


@dataclass(slots=True)
class WinchDescription:
    """A drum on which a part of a wire is wound up."""

    place: WirePlace
    pulled_in: float  # [m] on the drum
    haul: float  # [N] with which it takes in at most
    brake: float  # [N] that it holds at most


@dataclass(slots=True)
class WireDescription:
    """A wire as `World.add_cable` takes it, but for its links, that are still names."""

    name: str
    place: str  # in the file
    radius: float
    segment_length: float
    material: Material
    collide: bool
    self_collide: bool
    nodes: list[WirePlace] = field(default_factory=list)
    winch: WinchDescription | None = None


def read(
    nodes: Sequence[YamlNode], trees: Sequence[TreeDescription], library: MaterialLibrary | None
) -> list[WireDescription]:
    """Return the wires that devices describe.

    Raises:
        DescriptionError: A value is missing or wrong.
    """
    made = [_wire(node, k, trees, library) for k, node in enumerate(nodes)]
    keys.refuse_twins([wire.name for wire in made], nodes, "wires")
    return made


def _wire(
    node: YamlNode, k: int, trees: Sequence[TreeDescription], library: MaterialLibrary | None
) -> WireDescription:
    keys.check_keys(node, KEYS, KIND)
    radius = keys.positive(node, "radius", RADIUS)
    resolution = keys.value(node, "resolution_per_unit_length")
    longest = SLENDER * radius
    if resolution is not None:
        longest = 1.0 / keys.positive(node, "resolution_per_unit_length", 1.0)
    made = WireDescription(
        (keys.word(node, "name") or f"wire_{k}").replace("/", "_"), node.place, radius, longest,
        _material(node, library), keys.truth(node, "collision") is not False,
        keys.truth(node, "self_collision") is True,
    )  # fmt: skip
    drum = node.get("Winch", "winch")
    if drum is not None:
        made.winch = _winch(drum.need("mapping", "a Winch"), trees)
    listed = node.get("Nodes", "nodes")
    for item in [] if listed is None else listed.need("list", "Nodes").items:
        made.nodes.append(_node(item.need("mapping", "a node of a wire"), trees))
    if len(made.nodes) + (made.winch is not None) < 2:
        raise node.error(f"{KIND} {made.name!r} needs two Nodes, or a Winch and one")
    if len(made.nodes) == 1 and made.nodes[0].kind == "free":
        raise node.error(f"{KIND} {made.name!r} ends at a free node: fasten it, type: fixed")
    return made


def _material(node: YamlNode, library: MaterialLibrary | None) -> Material:
    """Return the material of a wire, with the parameters that its device has of its own."""
    made = keys.material_of(node, "material_name", library)
    own = {key: found.number() for key in OWN if (found := keys.value(node, key)) is not None}
    try:
        return replace(made, **own)  # type: ignore[arg-type]
    except ValueError as error:
        raise node.error(str(error)) from None


def _node(node: YamlNode, trees: Sequence[TreeDescription]) -> WirePlace:
    """Return a node of the route; where its link does not exist its position is in the world."""
    keys.check_keys(node, NODE_KEYS, f"a node of {KIND}")
    made, kind = _place(node, trees), keys.choice(node, "type", NODE_KINDS, "free")
    made.kind = kind
    bend = keys.value(node, "bend_stiffness")
    twist = keys.value(node, "twist_stiffness")
    if kind == "link":
        if made.tree is None:
            raise node.error("a node of type link needs a linkName; take fixed for one in the world")
        if bend is not None:
            made.bend_stiffness = keys.at_least(node, "bend_stiffness", 0.0)
        if twist is not None:
            made.twist_stiffness = keys.at_least(node, "twist_stiffness", 0.0)
    elif bend is not None or twist is not None:
        node.doubt(f"bendStiffness, twistStiffness of a {kind} node have no effect")
    return made


def _place(node: YamlNode, trees: Sequence[TreeDescription]) -> WirePlace:
    made = WirePlace(keys.vector(node, "position"))
    name = keys.word(node, "link_name")
    found = keys.find(name, trees)
    if found is not None:
        made.tree, made.link = found[0], name
    elif name:
        node.doubt(f"linkName {name!r} {keys.not_there(name, trees)}; the position is in the world")
    return made


def _winch(node: YamlNode, trees: Sequence[TreeDescription]) -> WinchDescription:
    keys.check_keys(node, WINCH_KEYS, f"the Winch of {KIND}")
    forces = keys.value(node, "haul_force_range")
    low, high = (-math.inf, math.inf) if forces is None else keys.span(forces)
    if low > 0.0 or high < 0.0:
        raise node.error(
            f"haulForceRange must be from a force ≤ 0, with which it takes in, to one ≥ 0, which it holds; "
            f"got {low:g}, {high:g}"
        )
    return WinchDescription(_place(node, trees), keys.at_least(node, "pulled_in_length", 0.0), -low, high)
