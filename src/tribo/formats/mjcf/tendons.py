"""Tendons, as couplings: sums of joint coordinates, L = Σ cᵢ qᵢ, or the length of a way over sites.

A spatial tendon between two objects that move is wires between them.
Source: MuJoCo's XML reference, tendon/fixed, tendon/spatial and equality/tendon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from tribo.description.constraints import ConstraintDescription
from tribo.description.couplings import CouplingDescription, sides
from tribo.description.trees import DescriptionError, Vector
from tribo.enums import ElementKind
from tribo.formats.mjcf.compiler import MAIN
from tribo.formats.mjcf.defaults import Defaults
from tribo.formats.mjcf.joints import SOFT, MjcfJoint
from tribo.formats.mjcf.source import Source
from tribo.formats.mjcf.trees import Places, Tree
from tribo.formats.mjcf.ways import CHILDREN, Way, WayReader, length
from tribo.formats.nodes import Node
from tribo.formats.pose import Pose
from tribo.model import Joint, Kind

USED = frozenset(
    {"name", "class", "group", "user", "rgba", "width", "material", "limited", "range", "stiffness"}
    | {"damping", "frictionloss", "springlength", "armature"}
)
WITHOUT_EFFECT = {
    "margin": SOFT, "solreflimit": SOFT, "solimplimit": SOFT, "solreffriction": SOFT,
    "solimpfriction": SOFT, "actuatorfrclimited": "is not read; write forcerange at the actuators",
    "actuatorfrcrange": "is not read; write forcerange at the actuators",
}  # fmt: skip
SINGLE = (Joint.REVOLUTE, Joint.PRISMATIC)
APART = "is over joints of two objects, which is not read: it has no effect"


@dataclass(slots=True)
class Tendon:
    """A tendon of a robot of the file."""

    coupling: CouplingDescription
    tree: Tree
    drawn: float  # its length as the file draws the robot
    span: Vector  # its range, whether it is limited or not

    def use(self) -> str:
        """Let the robot have it; return its name there."""
        couplings = self.tree.description.couplings
        if all(one is not self.coupling for one in couplings):
            couplings.append(self.coupling)
        return self.coupling.name


def owner(coupling: CouplingDescription, trees: Sequence[Tree], node: Node) -> Tree | None:
    """Return the robot whose joints a coupling is over; None: it cannot be had, which is said."""
    named = {name for name, _ in (*coupling.terms, *coupling.inner)}
    for tree in trees:
        joints = {body.joint.name for body in tree.description.bodies}
        if not named & joints:
            continue
        if not named <= joints:
            node.doubt(APART, "apart")
            return None
        return tree if is_possible(coupling, tree, node, "has no effect") else None
    return None


def is_possible(coupling: CouplingDescription, tree: Tree, node: Node, so: str) -> bool:
    """Tell whether a robot can have a coupling, which is on two branches at most; else say that it `so`."""
    bodies = tree.description.bodies
    try:
        sides(coupling, [body.joint.name for body in bodies], [body.parent for body in bodies])
    except DescriptionError as error:
        node.doubt(f"{error}: it {so}", f"branches {so}")
        return False
    return True


class TendonReader:
    """Reads <tendon>; those that act are given to their robots."""

    def __init__(self, defaults: Defaults, joints: Mapping[str, MjcfJoint], places: Places) -> None:
        """Keep what is there."""
        self._defaults, self._joints = defaults, joints
        self._places, self._trees = places, places.trees
        self._ways = WayReader(places)
        self.made: dict[str, Tendon] = {}
        self.scene: list[ConstraintDescription] = []  # wires between trees

    def read(self, source: Source) -> None:
        """Read all <tendon> sections.

        Raises:
            DescriptionError: A joint does not exist, or is neither hinge nor slide; a site does not exist.
        """
        names: set[str] = set()
        for section in source.sections("tendon"):
            compiler = source.rules_of(section).compiler
            for written in section.children:
                name = written.word("name") or f"tendon_{len(names)}"
                if name in names:
                    raise written.error("another tendon has the same name; rename one")
                names.add(name)
                if written.tag not in {"fixed", "spatial"}:
                    written.doubt(f"{written.tag} tendons are not read: they pull nothing",
                                  f"tendon/{written.tag}")  # fmt: skip
                    continue
                written.check_attributes(USED, WITHOUT_EFFECT)
                node = self._defaults.resolve(written, MAIN, "tendon")
                coupling = CouplingDescription(name, ())
                coupling.lower, coupling.upper = compiler.range_of(node, "limited", "range")
                if written.tag == "fixed":
                    self._fixed(node, coupling)
                else:
                    self._spatial(node, coupling)

    def _fixed(self, node: Node, coupling: CouplingDescription) -> None:
        coupling.terms = _terms(node, self._joints)
        own = [(self._joints[joint], c) for joint, c in coupling.terms]
        drawn = sum(c * joint.reference for joint, c in own)
        _act(node, coupling, sum(c * joint.sprung for joint, c in own))
        tree = owner(coupling, self._trees, node)
        if tree is not None:
            self._keep(node, coupling, tree, drawn)

    def _spatial(self, node: Node, coupling: CouplingDescription) -> None:
        node.check_children(CHILDREN)
        way = self._ways.tendon(node)
        if len(way.elements) < 2:
            raise node.error("needs at least two <site>")
        if way.obstacle or not way.moving:
            why = way.obstacle or "all its sites stand"
            node.doubt(f"{why}: it is not read and pulls nothing", f"tendon {why}")
            return
        is_led = [self._trees[k].description.kind != Kind.DYNAMIC for k in way.moving]
        if node.vector("armature", None, (0.0,))[0] > 0.0:
            node.doubt("armature of a spatial tendon is not read; write it at the joints", "rotor")
            node = replace(node, attributes=node.attributes | {"armature": "0"})
        if len(way.moving) > 1 or any(is_led):
            self._between(node, coupling, way)
            return
        number = self._ways.on_robot(way)
        coupling.way = tuple(way.elements)
        drawn, rest = (length(coupling, poses[number]) for poses in (self._places.poses, self._places.sprung))
        _act(node, coupling, rest)
        if is_possible(coupling, self._trees[number], node, "has no effect"):
            self._keep(node, coupling, self._trees[number], drawn)

    def _keep(self, node: Node, coupling: CouplingDescription, tree: Tree, drawn: float) -> None:
        span = node.vector("range", 2, (0.0, 0.0))
        self.made[coupling.name] = tendon = Tendon(coupling, tree, drawn, span)
        if coupling != CouplingDescription(coupling.name, coupling.terms, way=coupling.way):
            tendon.use()

    def _between(self, node: Node, coupling: CouplingDescription, way: Way) -> None:
        """Read a tendon between two objects as wires: limits, spring and damping."""
        _act(node, coupling, laid_between(way, self._places.sprung))
        made, why = wires(coupling, way)
        if why:
            node.doubt(f"runs between objects, {why}: it is not read and pulls nothing",
                       f"tendon between {why}")  # fmt: skip
            return
        self.scene += made


def _terms(node: Node, joints: Mapping[str, MjcfJoint]) -> tuple[tuple[str, float], ...]:
    terms: dict[str, float] = {}
    for child in node.all("joint"):
        name = child.text("joint")
        if child.named("joint", joints, "a joint").type not in SINGLE:
            raise child.error(f"joint={name!r} must be a hinge or slide")
        terms[name] = terms.get(name, 0.0) + child.number("coef")
    if not terms:
        raise node.error("needs at least one <joint>")
    return tuple(terms.items())


def _act(node: Node, coupling: CouplingDescription, rest: float) -> None:
    """Read spring, damping, friction and rotor; `rest`: length where springs of joints are at rest."""
    values = {
        name: node.vector(name, None, (0.0,))[0]
        for name in ("stiffness", "damping", "frictionloss", "armature")
    }
    if any(value < 0.0 for value in values.values()):
        raise node.error("stiffness, damping, frictionloss and armature must be ≥ 0")
    coupling.damping, coupling.friction = values["damping"], values["frictionloss"]
    coupling.inertia = values["armature"]
    if values["stiffness"] > 0.0:
        given: Vector = node.vector("springlength", None, (-1.0,))[:2]
        low, high = given[0], given[-1]
        if low > high:
            raise node.error("springlength: the first must not be the larger")
        coupling.stiffness = values["stiffness"]
        coupling.rest = (rest, rest) if low == high == -1.0 else (low, high)


def lifted(curve: Sequence[float], by: float) -> tuple[float, float, float, float, float]:
    """Return the coefficients of p(x) + by."""
    return curve[0] + by, curve[1], curve[2], curve[3], curve[4]


def shifted(curve: Sequence[float], by: float) -> tuple[float, float, float, float, float]:
    """Return the coefficients of p(x − by).

    Example:
        >>> shifted((0.0, 0.0, 1.0, 0.0, 0.0), 1.0)  # (x − 1)²
        (1.0, -2.0, 1.0, 0.0, 0.0)
    """
    made = [0.0] * 5
    for c in reversed(tuple(curve)):  # Horner's scheme on polynomials
        for k in range(4, 0, -1):
            made[k] = made[k - 1] - by * made[k]
        made[0] = c - by * made[0]
    return made[0], made[1], made[2], made[3], made[4]


def laid_between(way: Way, poses: Sequence[Sequence[Pose]]) -> float:
    """Return the length of a way from site to site [m]; `poses`: of the bodies of each tree."""
    points = [
        np.array(poses[tree][element.body].point(element.point) if tree >= 0 else element.point)
        for element, tree in zip(way.elements, way.trees, strict=True)
    ]
    return sum(float(np.linalg.norm(b - a, axis=0)) for a, b in pairwise(points))


def wires(coupling: CouplingDescription, way: Way) -> tuple[list[ConstraintDescription], str]:
    """Return what acts as a tendon between objects does, and why that cannot be, "" if it can."""
    moving = {(tree, one.body) for one, tree in zip(way.elements, way.trees, strict=True) if tree >= 0}
    if len(moving) > 2:
        return [], "over more than two bodies"
    if any(one.kind != ElementKind.POINT for one in way.elements) or any(
        one.weight != 1.0 for one in way.elements[:-1]
    ):
        return [], "around geoms or pulleys"
    if coupling.friction > 0.0:
        return [], "with friction"
    made: list[ConstraintDescription] = []
    if coupling.upper < inf:
        made.append(_wire(coupling, way, "", "stretch", length=coupling.upper))
    if coupling.lower > 0.0:
        made.append(_wire(coupling, way, "/least", "compression", length=coupling.lower))
    low, high = coupling.rest
    spring: dict[str, Any] = {"stiffness": coupling.stiffness, "damping": 0.0}
    damper: dict[str, Any] = {"stiffness": 0.0, "damping": coupling.damping}
    if coupling.stiffness > 0.0 and low < high:
        made.append(_wire(coupling, way, "/spring", "stretch", length=high, **spring))
        if low > 0.0:
            made.append(_wire(coupling, way, "/strut", "compression", length=low, **spring))
    elif coupling.stiffness > 0.0:
        damper["stiffness"] = coupling.stiffness
    if damper["stiffness"] > 0.0 or damper["damping"] > 0.0:
        made.append(_wire(coupling, way, "/spring" if damper["stiffness"] else "/damper", "both",
                          length=low if damper["stiffness"] else 1.0, **damper))  # fmt: skip
    if any(not one.numbers["length"] > 0.0 for one in made):
        return [], "with a length of 0"
    return made, ""


def _wire(
    coupling: CouplingDescription, way: Way, what: str, resists: str, **numbers: Any
) -> ConstraintDescription:
    """Return a wire over all sites of a way."""
    ends = way.elements[0], way.elements[-1]
    bodies = [way.trees[k] if way.trees[k] >= 0 else None for k in range(len(way.trees))]
    made = ConstraintDescription("wire", (ends[0].body, ends[1].body))
    made.name, made.resists, made.numbers = f"{coupling.name}{what}", resists, numbers
    made.points = np.array([end.point for end in ends])
    made.objects = max(way.trees[0], 0), max(way.trees[-1], 0)
    made.over = [
        (bodies[k], max(way.elements[k].body, 0), np.array(way.elements[k].point))
        for k in range(1, len(way.elements) - 1)
    ]
    return made
