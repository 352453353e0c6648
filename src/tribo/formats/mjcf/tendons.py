"""Fixed tendons: lengths that are sums of joint coordinates, as couplings.   L = Σ cᵢ qᵢ

Source: MuJoCo's XML reference, tendon/fixed and equality/tendon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribo.description.couplings import CouplingDescription, sides
from tribo.description.trees import DescriptionError, Vector
from tribo.formats.mjcf.compiler import Compiler
from tribo.formats.mjcf.defaults import MAIN, Defaults
from tribo.formats.mjcf.joints import SOFT, MjcfJoint
from tribo.formats.mjcf.source import Source, screen
from tribo.formats.mjcf.trees import Tree
from tribo.formats.report import Report, known_hint
from tribo.formats.xml import Node
from tribo.model import Joint

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


@dataclass(slots=True)
class Tendon:
    """A fixed tendon of a robot of the file."""

    coupling: CouplingDescription
    tree: Tree
    drawn: float  # its length as the file draws the robot

    def use(self) -> str:
        """Let the robot have it; return its name there."""
        couplings = self.tree.description.couplings
        if all(one is not self.coupling for one in couplings):
            couplings.append(self.coupling)
        return self.coupling.name


def owner(
    coupling: CouplingDescription, trees: Sequence[Tree], node: Node, report: Report
) -> Tree | None:
    """Return the robot whose joints a coupling is over; None: it cannot be had, which is said."""
    named = {name for name, _ in (*coupling.terms, *coupling.inner)}
    for tree in trees:
        bodies = tree.description.bodies
        joints = [body.joint.name for body in bodies]
        if not named & set(joints):
            continue
        if not named <= set(joints):
            report.doubt(
                node, "is over joints of two objects, which is not read: it has no effect", "apart"
            )
            return None
        try:
            sides(coupling, joints, [body.parent for body in bodies])
        except DescriptionError as error:
            report.doubt(node, f"{error}: it has no effect", "branches")
            return None
        return tree
    return None


def read_tendons(
    source: Source, compiler: Compiler, defaults: Defaults, joints: Mapping[str, MjcfJoint],
    trees: Sequence[Tree], report: Report,
) -> dict[str, Tendon]:  # fmt: skip
    """Read all <tendon> sections; those that act are given to their robots.

    Raises:
        DescriptionError: A joint does not exist, or is neither hinge nor slide.
    """
    made: dict[str, Tendon] = {}
    names: set[str] = set()
    for section in source.sections("tendon"):
        rules = source.rules_of(section)
        for written in section.children:
            name = written.attributes.get("name", "").strip() or f"tendon_{len(names)}"
            if name in names:
                raise written.error("another tendon has the same name; rename one")
            names.add(name)
            if written.tag != "fixed":
                report.doubt(
                    written, f"{written.tag} tendons are not read: they pull nothing",
                    f"tendon/{written.tag}",
                )  # fmt: skip
                continue
            screen(written, report, USED, WITHOUT_EFFECT)
            node = defaults.resolve(written, MAIN, "tendon")
            coupling = CouplingDescription(name, _terms(node, joints))
            drawn = sum(c * joints[joint].reference for joint, c in coupling.terms)
            own = rules.compiler if rules else compiler
            if own.is_limited(node, "limited", "range"):
                coupling.lower, coupling.upper = node.vector("range", 2)
                if not coupling.lower < coupling.upper:
                    raise node.error(
                        f"range={node.attributes['range']!r}: the first must be the smaller"
                    )
            _act(node, coupling, drawn)
            tree = owner(coupling, trees, node, report)
            if tree is None:
                continue
            made[name] = tendon = Tendon(coupling, tree, drawn)
            if coupling != CouplingDescription(name, coupling.terms):
                tendon.use()
    return made


def _terms(node: Node, joints: Mapping[str, MjcfJoint]) -> tuple[tuple[str, float], ...]:
    terms: dict[str, float] = {}
    for child in node.all("joint"):
        name = child.text("joint")
        if name not in joints:
            raise child.error(f"joint={name!r} is not a joint{known_hint(name, joints)}")
        if joints[name].type not in SINGLE:
            raise child.error(f"joint={name!r} must be a hinge or slide")
        terms[name] = terms.get(name, 0.0) + child.number("coef")
    if not terms:
        raise node.error("needs at least one <joint>")
    return tuple(terms.items())


def _act(node: Node, coupling: CouplingDescription, drawn: float) -> None:
    """Read spring, damping, friction and rotor."""
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
        coupling.rest = (drawn, drawn) if low == high == -1.0 else (low, high)


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
