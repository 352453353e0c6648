"""Read the links of a body file: joint, mass by numbers or by density, material."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from tribo.checks.check import LARGEST
from tribo.description.trees import ActuatorDescription, JointDescription, LinkDescription
from tribo.formats.choreonoid import joint_compliance, keys
from tribo.formats.choreonoid.elements import Contents, ElementReader, inertial
from tribo.formats.inertia import Inertial, merged
from tribo.formats.pose import Pose
from tribo.formats.shape_mass import PRIMITIVES, solid
from tribo.formats.yaml_nodes import YamlNode
from tribo.materials import Material, MaterialLibrary
from tribo.materials.material import canonical_name
from tribo.materials.parameters import parameters
from tribo.model import Joint

TYPES = {
    "revolute": Joint.REVOLUTE,
    "prismatic": Joint.PRISMATIC,
    "slide": Joint.PRISMATIC,
    "free": Joint.FREE,
    "fixed": Joint.FIXED,
}
BELTS = ("pseudo_continuous_track", "pseudoContinuousTrack")
BELT_MODES = ("jointSurfaceVelocity", "joint_surface_velocity")  # older files say it so
OWN = (  # parameters of a material that a link may have itself
    "density", "youngs_modulus", "viscosity", "roughness", "surface_viscosity", "adhesion_force",
    "adhesiv_overlap", "poisson_ratio", "spook_damping",
)  # fmt: skip
FORCES = "joint_force_range"
KNOWN = (
    "type", "name", "parent", "translation", "rotation", "joint_id", "joint_name", "joint_type",
    "joint_axis", "joint_angle", "joint_displacement", "joint_range", "max_joint_velocity",
    "joint_velocity_range", "max_joint_effort", "joint_effort_range", "rotor_inertia", "gear_ratio",
    "center_of_mass", "mass", "inertia", "mass_type", "material", "elements", "actuation_mode", "import",
    "auto_sleep", "convex_decomposition", "force_range", *OWN, *joint_compliance.SOFT, FORCES,
    *joint_compliance.LOCK_KEYS, *joint_compliance.MOTOR_KEYS, *joint_compliance.STOP_KEYS,
)  # fmt: skip
LINK_INFO = "useLinkInfo"
DEFAULT_MASS = 1.0  # [kg], and as much [kg m²], of a link that says nothing: Choreonoid's


@dataclass(slots=True)
class BodyLink:
    """A link as written, in its own frame."""

    node: YamlNode
    name: str
    parent: str
    pose: Pose  # of the link in its parent at coordinate 0
    joint: JointDescription
    start: float  # [rad, m] coordinate of its joint at first
    material: Material
    is_private: bool  # whether the material is written in the link
    contents: Contents = field(default_factory=Contents)
    inertial: Inertial = field(default_factory=Inertial)
    drive: ActuatorDescription | None = None
    soft: joint_compliance.Give | None = None  # how its joint gives way across what it moves
    belt: tuple[float, ...] | None = None  # axis of a pseudo continuous track, frame of the link
    stands: bool = False  # a root that does not move
    lacking: str = ""  # what is taken for a mass that it does not say

    @property
    def description(self) -> LinkDescription:
        """The link for `assembly`, without children."""
        return LinkDescription(
            self.name, self.inertial.mass, self.inertial.com, self.inertial.inertia,
            shapes=self.contents.shapes, visuals=self.contents.visuals,
        )  # fmt: skip


class LinkReader:
    """Reads the links of one file."""

    def __init__(self, angles: keys.Angles, elements: ElementReader, library: MaterialLibrary | None,
                 owner: str, *, gives_way: bool = False) -> None:  # fmt: skip
        """Take the unit of angles, the reader of shapes and the materials; `owner` names the body.

        `gives_way`: whether joints do across what they move, as their links say.
        """
        self._gives_way = gives_way
        self.angles = angles
        self._elements = elements
        self._library = library
        self._owner = owner

    def read(self, node: YamlNode, *, is_root: bool, is_fixed: bool | None = None, kind: str = "",
             name: str = "", also: tuple[str, ...] = ()) -> BodyLink:  # fmt: skip
        """Read a link; of a root a project may say whether it stands.

        `kind`, `name`: instead of what the node says; `also`: keys that what contains the link takes.
        """
        keys.check_keys(node, (*KNOWN, *also), "a link", is_open=True)
        name = name or keys.word(node, "name")
        if not name:
            raise node.error("a link needs a name of its own")
        self._check_compliance(node, of_track=bool(also))
        pose = self.angles.pose(node)
        joint = self.joint(node, name, pose, kind)
        if is_root and is_fixed is not None and is_fixed != (joint.type == Joint.FIXED):
            of_root = Joint.FIXED if is_fixed else Joint.FREE
            joint = JointDescription(joint.name, of_root, pose.position, pose.quaternion)
        material, is_private = self._material(node, name)
        link = BodyLink(
            node, name, keys.word(node, "parent"), pose, joint, self.start(node, joint), material, is_private
        )
        if not kind and _is_belt(node):
            link.belt = keys.direction(node, "joint_axis", (0.0, 0.0, 1.0))
        joint_compliance.read_stops(node, joint)
        if self._gives_way and not also and not is_root:
            link.soft = joint_compliance.read_give(node)
        link.drive = joint_compliance.read_drive(node, joint)
        link.stands = is_root and joint.type == Joint.FIXED
        link.contents = self._elements.read(node.get("elements"), material.name, stands=link.stands)
        link.inertial = self._inertial(link)
        return link

    def _check_compliance(self, node: YamlNode, *, of_track: bool) -> None:
        """Doubt what of the compliance of a joint has no effect."""
        unused = (FORCES,) if of_track else () if self._gives_way else (*joint_compliance.SOFT, FORCES)
        for key in unused:
            found = keys.value(node, key)
            if found is not None:
                why = (
                    "the hinges of a track have no bounds" if of_track
                    else "a joint of a tree gives way only along what it moves; "
                    "load_body(…, compliant_joints=True) lets it"
                )  # fmt: skip
                found.doubt(f"{key} is left out: {why}", f"without effect {key}")

    def joint(self, node: YamlNode, name: str, pose: Pose, kind: str = "") -> JointDescription:
        """Read the joint by which a link hangs on its parent, called after the link unless it has a name.

        `kind`: instead of what the node says.
        """
        if not kind:
            kind = "fixed" if _is_belt(node) else keys.word(node, "joint_type", "fixed")
        if kind not in TYPES:
            at = keys.value(node, "joint_type") or node
            raise at.error(
                f"joint type {at.shown()} of link {name!r} is unknown; use one of {', '.join(TYPES)}"
            )
        label = keys.word(node, "joint_name", name)
        joint = JointDescription(label, TYPES[kind], pose.position, pose.quaternion)
        if joint.type in {Joint.FREE, Joint.FIXED}:
            return joint
        turns = joint.type == Joint.REVOLUTE
        joint.axis = keys.direction(node, "joint_axis", joint.axis)
        joint.lower, joint.upper = self._range(keys.value(node, "joint_range"), turns=turns)
        joint.velocity = self._fastest(node, turns=turns)
        efforts = keys.value(node, "joint_effort_range") or keys.value(node, "max_joint_effort")
        if efforts is not None:
            joint.effort_lower, joint.effort = keys.span(efforts)
            if not joint.effort_lower <= 0.0 <= joint.effort:
                raise efforts.error("the range of efforts must hold 0")
        ratio = keys.number(node, "gear_ratio", 1.0)
        rotor = keys.number(node, "rotor_inertia", 0.0)
        joint.armature = ratio * ratio * rotor
        if not 0.0 <= joint.armature <= LARGEST:
            raise node.error(f"rotorInertia must be ≥ 0 kg m², got {rotor:g} with gearRatio {ratio:g}")
        return joint

    def _range(self, node: YamlNode | None, *, turns: bool) -> tuple[float, float]:
        if node is None:
            return -inf, inf
        lower, upper = keys.span(node)
        return (self.angles.angle(lower), self.angles.angle(upper)) if turns else (lower, upper)

    def _fastest(self, node: YamlNode, *, turns: bool) -> float:
        found = keys.value(node, "joint_velocity_range") or keys.value(node, "max_joint_velocity")
        lower, upper = self._range(found, turns=turns)
        if found is not None and lower != -upper:
            found.doubt("speeds in both directions: the larger one limits both")
        return max(abs(lower), abs(upper))

    def start(self, node: YamlNode, joint: JointDescription) -> float:
        """Return the coordinate [rad, m] in which a joint starts."""
        turns = joint.type == Joint.REVOLUTE
        angle, displacement = keys.value(node, "joint_angle"), keys.value(node, "joint_displacement")
        if displacement is not None:
            found = displacement.number()
            return self.angles.angle(found) if turns else found
        return self.angles.angle(angle.number()) if angle is not None else 0.0

    # -- mass --------------------------------------------------------------------------------------
    def _material(self, node: YamlNode, name: str) -> tuple[Material, bool]:
        """Return the material of a link, and whether the link itself says what it is."""
        label = keys.word(node, "material")
        if label == LINK_INFO:
            return self._own_material(node, name), True
        label = canonical_name(label)
        if self._library is not None and label in self._library:
            return self._library.material(label), False
        if self._library is not None:
            at = node.get("material") or node
            at.doubt(f"material {label!r} of link {name!r} is not in the material table")
        return Material(label), False

    def _own_material(self, node: YamlNode, name: str) -> Material:
        values: dict[str, Any] = {}
        for key in OWN:
            field_name = "adhesive_overlap" if key == "adhesiv_overlap" else key
            found = keys.value(node, key)
            if found is None or key == "poisson_ratio":
                continue
            given = found.number()
            if key == "density" and given <= 0.0:
                continue  # means: not given
            if field_name in parameters(Material):
                values[field_name] = given
        try:
            return Material(f"{self._owner}/{name}", **values)
        except ValueError as error:
            raise node.error(str(error)) from None

    def _inertial(self, link: BodyLink) -> Inertial:
        node, name = link.node, link.name
        if keys.choice(node, "mass_type", ("mass", "density"), "mass") == "density":
            return self._by_density(link)
        absent = [what for what in ("mass", "inertia") if node.get(what) is None]
        parts = link.contents.bodies
        if parts and len(absent) == 2 and keys.value(node, "center_of_mass") is None:
            return merged(parts)
        own = inertial(node, 0.0 if parts else DEFAULT_MASS, f"link {name!r}")
        if absent and not parts:
            link.lacking = (
                f"link {name!r} has no {' and '.join(absent)}: Choreonoid's 1 kg, or 1 kg m² about each "
                "axis, is taken"
            )
        return merged([*parts, own])

    def _by_density(self, link: BodyLink) -> Inertial:
        """Return the sum over the shapes that collide, each with the link's density or its material's."""
        own = keys.value(link.node, "density")
        density = own.number() if own is not None else 0.0
        if density <= 0.0:
            if own is not None and density < 0.0:  # 0 is how files write none
                own.doubt(
                    f"a density of {density:g} kg/m³ of link {link.name!r} counts as none, as in Choreonoid: "
                    "that of its material is taken",
                    f"density {link.name}",
                )
            density = float(link.material.density)
            is_known = self._library is not None or link.is_private
            if not is_known and link.material.name != "default":
                link.node.doubt(
                    f"the density of material {link.material.name!r} is not known: {density:g} kg/m³ is "
                    "taken; give materials=tribo.read_materials(…)",
                    f"density {link.material.name}",
                )
        shapes = link.contents.shapes
        if link.stands:  # its mass has no effect
            shapes = [shape for shape in shapes if shape.kind in PRIMITIVES]
        elif not shapes:
            raise link.node.error(
                f"link {link.name!r} has massType density and no shape; give one, or its mass"
            )
        try:
            return merged([solid(shape, density=density) for shape in shapes])
        except ValueError as error:
            raise link.node.error(f"link {link.name!r}: {error}") from None


def _is_belt(node: YamlNode) -> bool:
    """Return whether the joint of a link is a pseudo continuous track: it is fixed, its surface runs."""
    return keys.word(node, "joint_type") in BELTS or keys.word(node, "actuation_mode") in BELT_MODES


@dataclass(frozen=True, slots=True)
class Placement:
    """Settings of a project for a body; None: as the body file says."""

    root: Pose | None = None
    joints: tuple[float, ...] = ()  # [rad, m] in the order of their ids
    is_fixed: bool | None = None
    touches_itself: bool | None = None


def place(links: dict[str, BodyLink], base: BodyLink, placement: Placement) -> None:
    """Let the links of a body start as a project says."""
    if placement.root is not None:
        base.pose = placement.root
    base.joint.position, base.joint.quaternion = base.pose.position, base.pose.quaternion
    ordered = in_order(links)
    for link, start in zip(ordered, placement.joints, strict=False):
        link.start = start
    if len(placement.joints) > len(ordered):
        base.node.doubt(
            f"the project has {len(placement.joints)} joint displacements, the body {len(ordered)} joints: "
            "those beyond have no effect"
        )


def in_order(links: dict[str, BodyLink]) -> list[BodyLink]:
    """Return the links whose joints have a coordinate: by jointId, those without one behind."""
    moving = [link for link in links.values() if link.joint.type not in {Joint.FREE, Joint.FIXED}]
    ids = {link.name: keys.number(link.node, "joint_id", -1.0) for link in moving}
    return sorted(moving, key=lambda link: ids[link.name] if ids[link.name] >= 0.0 else inf)
