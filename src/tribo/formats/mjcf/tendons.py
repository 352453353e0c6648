"""Fixed tendons: lengths that are sums of joint coordinates.   L = Σ cᵢ qᵢ

If all joints of one follow a single joint (the fingers of most grippers do), L = a q + b: its spring,
damping, friction and stops are that joint's. Others carry motors, whose force F is cᵢ F at each joint.
Source: MuJoCo's XML reference, tendon/fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from tribo.description.trees import JointDescription, Vector
from tribo.formats.mjcf.compiler import Compiler
from tribo.formats.mjcf.defaults import MAIN, Defaults
from tribo.formats.mjcf.joints import SOFT, MjcfJoint
from tribo.formats.mjcf.source import Source, screen
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
    """A fixed tendon."""

    terms: list[tuple[str, float]]  # joints and their coefficients
    leader: str = ""  # joint that all of them follow; empty: they move apart
    ratio: float = 0.0
    offset: float = 0.0
    span: tuple[float, float] = (-inf, inf)  # of its length


def read_tendons(
    source: Source, compiler: Compiler, defaults: Defaults, joints: Mapping[str, MjcfJoint],
    report: Report,
) -> dict[str, Tendon]:  # fmt: skip
    """Read all <tendon> sections; what acts on a single joint is written into it.

    Raises:
        DescriptionError: A joint does not exist, or is neither hinge nor slide.
    """
    made: dict[str, Tendon] = {}
    for section in source.sections("tendon"):
        rules = source.rules_of(section)
        for written in section.children:
            if written.tag != "fixed":
                report.doubt(
                    written, f"{written.tag} tendons are not read: they pull nothing",
                    f"tendon/{written.tag}",
                )  # fmt: skip
                continue
            screen(written, report, USED, WITHOUT_EFFECT)
            node = defaults.resolve(written, MAIN, "tendon")
            name = written.attributes.get("name", "").strip() or f"tendon_{len(made)}"
            if name in made:
                raise written.error("another tendon has the same name; rename one")
            made[name] = tendon = _tendon(node, joints)
            if rules_limited(node, rules.compiler if rules else compiler):
                tendon.span = (*node.vector("range", 2),)[:2]  # type: ignore[assignment]
            _act(node, tendon, joints, report)
    return made


def rules_limited(node: Node, compiler: Compiler) -> bool:
    """Tell whether the range of a tendon counts."""
    return compiler.is_limited(node, "limited", "range")


def _tendon(node: Node, joints: Mapping[str, MjcfJoint]) -> Tendon:
    """Return the joints of a tendon and, if there is one, the joint that they all follow."""
    terms = []
    for child in node.all("joint"):
        name = child.text("joint")
        if name not in joints:
            raise child.error(f"joint={name!r} is not a joint{known_hint(name, joints)}")
        if joints[name].type not in SINGLE:
            raise child.error(f"joint={name!r} must be a hinge or slide")
        terms.append((name, child.number("coef")))
    if not terms:
        raise node.error("needs at least one <joint>")
    made = Tendon(terms)
    leaders = set()
    for name, coefficient in terms:
        leader, ratio, offset = leading(name, joints)
        leaders.add(leader)
        made.ratio += coefficient * ratio
        made.offset += coefficient * offset
    if len(leaders) == 1:
        made.leader = leaders.pop()
    return made


def leading(name: str, joints: Mapping[str, MjcfJoint]) -> tuple[str, float, float]:
    """Return the joint that a joint follows in the end, q = ratio q_leader + offset; itself if none."""
    ratio, offset = 1.0, 0.0
    for _ in joints:
        following = joints[name].description.mimic
        if following is None:
            break
        name, factor, shift = following
        ratio, offset = ratio * factor, offset + ratio * shift
    return name, ratio, offset


def _act(node: Node, tendon: Tendon, joints: Mapping[str, MjcfJoint], report: Report) -> None:
    """Give the joint of a tendon its spring, damping, friction, rotor and stops."""
    values = {
        name: node.vector(name, None, (0.0,))[0]
        for name in ("stiffness", "damping", "frictionloss", "armature")
    }
    if any(value < 0.0 for value in values.values()):
        raise node.error("stiffness, damping, frictionloss and armature must be ≥ 0")
    acts = any(values.values()) or tendon.span != (-inf, inf)
    if not acts:
        return
    if not tendon.leader or tendon.ratio == 0.0:
        report.doubt(
            node, "its joints move apart: range, stiffness, damping, frictionloss and armature of such a "
            "tendon are not read; write them at the joints", "tendon apart",
        )  # fmt: skip
        return
    joint, a, b = joints[tendon.leader].description, tendon.ratio, tendon.offset
    joint.damping += a * a * values["damping"]
    joint.friction += abs(a) * values["frictionloss"]
    joint.armature += a * a * values["armature"]
    if values["stiffness"] > 0.0:
        rest = _rest(node, tendon, joints)
        if rest is None:
            report.doubt(
                node, "springlength with two lengths is not read: it has no spring", "deadband"
            )
        else:
            _add_spring(joint, a * a * values["stiffness"], (rest - b) / a)
    if tendon.span != (-inf, inf):
        low, high = sorted((x - b) / a for x in tendon.span)
        joint.lower, joint.upper = max(joint.lower, low), min(joint.upper, high)
        if not joint.lower < joint.upper:
            raise node.error(f"its range leaves joint {joint.name!r} no room; widen one of them")


def _rest(node: Node, tendon: Tendon, joints: Mapping[str, MjcfJoint]) -> float | None:
    """Return the length at which the spring rests; −1: as the file draws it; None: a range of lengths."""
    given: Vector = node.vector("springlength", None, (-1.0,))
    if len(set(given)) > 1:
        return None
    if given[0] != -1.0:
        return given[0]
    return sum(coefficient * joints[name].reference for name, coefficient in tendon.terms)


def _add_spring(joint: JointDescription, stiffness: float, rest: float) -> None:
    """Let a joint feel two springs as one.   k = k₁ + k₂, k r = k₁ r₁ + k₂ r₂"""
    before = joint.spring_reference[0] if joint.spring_reference else 0.0
    total = joint.stiffness + stiffness
    joint.spring_reference = ((joint.stiffness * before + stiffness * rest) / total,)
    joint.stiffness = total
