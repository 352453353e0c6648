"""Actuators on joints: force = gear (gain u + bias₀ + bias₁ length + bias₂ speed), length = gear q."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from tribo.description.trees import ActuatorDescription, JointDescription
from tribo.formats.mjcf.compiler import Compiler
from tribo.formats.mjcf.defaults import Defaults, merged
from tribo.formats.mjcf.joints import limit_effort
from tribo.formats.mjcf.source import Source, screen
from tribo.formats.mjcf.tendons import Tendon
from tribo.formats.report import Report, known_hint
from tribo.formats.xml import Node
from tribo.model import Joint

SHARED = frozenset(
    {
        "name",
        "class",
        "joint",
        "jointinparent",
        "tendon",
        "gear",
        "ctrllimited",
        "ctrlrange",
        "forcelimited",
    }
    | {"forcerange", "group", "user", "lengthrange"}
)
OWN = {
    "motor": frozenset[str](),
    "position": frozenset({"kp", "kv", "inheritrange", "timeconst", "dampratio"}),
    "velocity": frozenset({"kv"}),
    "damper": frozenset({"kv"}),
    "general": frozenset(
        {
            "gaintype",
            "biastype",
            "dyntype",
            "gainprm",
            "biasprm",
            "dynprm",
            "inheritrange",
            "actdim",
        }
        | {"actlimited", "actrange", "actearly"}
    ),
}
WITHOUT_EFFECT = {
    "armature": "of an actuator is not read; write it on the joint",
    "damping": "of an actuator is not read; write it on the joint",
    "delay": "is not read: commands act at once; leave it out",
    "nsample": "is not read; leave it out",
    "interp": "is not read; leave it out",
    "cranklength": "is not read; leave it out",
    "slidersite": "is not read; leave it out",
    "input": "is not read; leave it out",
    "ffrange": "is not read; leave it out",
    "velrange": "is not read; leave it out",
}
ELSEWHERE = ("site", "body", "refsite", "cranksite")


@dataclass(slots=True)
class _Law:
    """Gain and bias while defaults and element are applied one after another."""

    gaintype: str = "fixed"
    biastype: str = "none"
    dyntype: str = "none"
    gain: tuple[float, ...] = (1.0,)
    bias: tuple[float, ...] = (0.0, 0.0, 0.0)


def read_actuators(
    source: Source, compiler: Compiler, defaults: Defaults, joints: dict[str, JointDescription],
    tendons: dict[str, Tendon], report: Report,
) -> list[ActuatorDescription | None]:  # fmt: skip
    """Read all <actuator> sections, None for what is not read; effort limits are written into the joints."""
    found: list[ActuatorDescription | None] = []
    names: set[str] = set()
    for section in source.sections("actuator"):
        rules = source.rules_of(section)
        own = rules.compiler if rules else compiler
        for node in section.children:
            if node.tag not in OWN or any(key in node.attributes for key in ELSEWHERE):
                what = next((key for key in ELSEWHERE if key in node.attributes), "")
                kind = f"on a {what}" if what else "of this kind"
                report.doubt(
                    node, f"an actuator {kind} is not read: it does nothing; use a motor on a joint",
                    f"actuator/{node.tag}/{what}",
                )  # fmt: skip
                found.append(None)
                continue
            actuator = _read(node, own, defaults, joints, tendons, report)
            if actuator is not None:
                actuator.index = len(found)
                actuator.name = actuator.name or f"actuator_{len(names)}"
                if actuator.name in names:
                    raise node.error("another actuator has the same name; rename one")
                names.add(actuator.name)
            found.append(actuator)
    _limit([actuator for actuator in found if actuator is not None], joints)
    return found


def _read(
    node: Node, compiler: Compiler, defaults: Defaults, joints: dict[str, JointDescription],
    tendons: dict[str, Tendon], report: Report,
) -> ActuatorDescription | None:  # fmt: skip
    screen(node, report, SHARED | OWN[node.tag], WITHOUT_EFFECT)
    report.check_children(node, ())
    if "tendon" in node.attributes:
        return _on_tendon(node, compiler, defaults, joints, tendons, report)
    key = "jointinparent" if "jointinparent" in node.attributes else "joint"
    name = node.text(key)
    if name not in joints:
        raise node.error(f"{key}={name!r} is not a joint{known_hint(name, joints)}")
    joint = joints[name]
    if joint.type not in (Joint.REVOLUTE, Joint.PRISMATIC):
        report.doubt(
            node, f"drives a {joint.type.name.lower()} joint, which is not read: it does nothing; set "
            "generalized_force", "actuator of joints",
        )  # fmt: skip
        return None
    return _on_joint(node, compiler, defaults, joint, report)


def _on_joint(
    node: Node, compiler: Compiler, defaults: Defaults, joint: JointDescription, report: Report
) -> ActuatorDescription | None:
    """Return an actuator whose length is gear · q of one joint; None: it is not read, which is said."""
    law = _Law()
    whole = replace(node, attributes={})
    for one in (*defaults.actuators(node), node):
        _apply(one, law)
        whole.attributes = merged(whole.attributes, one.attributes)
    gear = whole.vector("gear", None, (1.0,))[0]
    damper = -law.gain[2] if _is_damper(law) else 0.0
    if damper:
        law.gaintype, law.gain = "fixed", (0.0,)
    if law.gaintype != "fixed" or law.biastype not in {"none", "affine"} or law.dyntype != "none":
        report.doubt(
            node, f"gain {law.gaintype}, bias {law.biastype}, dynamics {law.dyntype} are not read: it does "
            "nothing; use fixed, affine or none, and none", "actuator law",
        )  # fmt: skip
        return None
    control = _range(whole, compiler, "ctrllimited", "ctrlrange", "ctrlrange")
    force = _range(whole, compiler, "forcelimited", "forcerange", "forcerange")
    bias = (*law.bias, 0.0, 0.0, 0.0)[:3] if law.biastype == "affine" else (0.0, 0.0, 0.0)
    inherit = whole.number("inheritrange", 0.0, at_least=0.0)
    if inherit > 0.0 and joint.lower < joint.upper < inf:
        middle, half = 0.5 * (joint.upper + joint.lower), 0.5 * (joint.upper - joint.lower)
        control = middle - inherit * half, middle + inherit * half
    ratio = bias[2] if bias[2] > 0.0 and law.gain[0] == -bias[1] else 0.0  # as in MuJoCo
    if ratio:
        bias = (bias[0], bias[1], 0.0)
    name = node.attributes.get("name", "").strip()
    made = ActuatorDescription(
        name, joint.name, gear, law.gain[0], bias, control, force, ratio, damper
    )
    if made.kp < 0.0 or made.kd < 0.0:
        raise node.error(
            f"pushes away from its target (kp {made.kp:g}, kd {made.kd:g}); its bias must not be > 0"
        )
    return made


def _on_tendon(
    node: Node, compiler: Compiler, defaults: Defaults, joints: dict[str, JointDescription],
    tendons: dict[str, Tendon], report: Report,
) -> ActuatorDescription | None:  # fmt: skip
    """Return an actuator of a fixed tendon, as one of the joint that all of its joints follow, or a motor."""
    tendon = tendons.get(node.text("tendon"))
    if tendon is None:
        report.doubt(
            node, f"tendon={node.text('tendon')!r} is not read: it does nothing", "actuator tendon"
        )
        return None
    made = _on_joint(node, compiler, defaults, joints[tendon.leader or tendon.terms[0][0]], report)
    if made is None:
        return None
    if tendon.leader and not made.damping_ratio and tendon.ratio:
        made.bias = (
            made.bias[0] + made.bias[1] * made.gear * tendon.offset,
            made.bias[1],
            made.bias[2],
        )
        made.gear *= tendon.ratio
        return made
    if any(made.bias[1:]) or made.damping_ratio or made.damper or tendon.leader:
        report.doubt(
            node, "is a servo or damper of a tendon whose joints move apart, which is not read: it does "
            "nothing; use a motor, or servos at the joints", "actuator servo tendon",
        )  # fmt: skip
        return None
    (_, first), *others = tendon.terms
    gear = made.gear
    made.gear = gear * first
    made.spread = tuple((name, gear * coefficient) for name, coefficient in others)
    return made


def _is_damper(law: _Law) -> bool:
    """Tell whether an actuator only damps, as much as its control says."""
    gain = (*law.gain, 0.0, 0.0, 0.0)[:3]
    return (
        law.gaintype == "affine"
        and law.biastype == "none"
        and law.dyntype == "none"
        and gain[:2] == (0.0, 0.0)
        and gain[2] < 0.0
    )


def _apply(node: Node, law: _Law) -> None:
    """Let a default, or the element itself, speak."""
    tag = node.tag
    if tag == "general":
        for key in ("gaintype", "biastype", "dyntype"):
            if key in node.attributes:
                setattr(law, key, node.text(key))
        if "gainprm" in node.attributes:
            given = node.vector("gainprm", None)
            law.gain = (*given, *law.gain[len(given) :])
        if "biasprm" in node.attributes:
            given = node.vector("biasprm", None)
            law.bias = (*given, *law.bias[len(given) :])
    elif tag == "motor":
        law.gaintype, law.biastype, law.dyntype = "fixed", "none", "none"
        law.gain, law.bias = (1.0,), (0.0, 0.0, 0.0)
    elif tag == "position":
        kp = node.number("kp", law.gain[0])
        speed = law.bias[2] if len(law.bias) > 2 else 0.0
        if "kv" in node.attributes and "dampratio" in node.attributes:
            raise node.error("has kv and dampratio, two words for its damping; keep one")
        if "kv" in node.attributes:
            speed = -node.number("kv", at_least=0.0)
        if "dampratio" in node.attributes:
            speed = node.number("dampratio", at_least=0.0)
        if node.number("timeconst", 0.0) != 0.0:
            law.dyntype = "filterexact"
        law.gaintype, law.biastype = "fixed", "affine"
        law.gain, law.bias = (kp,), (0.0, -kp, speed)
    elif tag == "velocity":
        kv = node.number("kv", law.gain[0])
        law.gaintype, law.biastype, law.dyntype = "fixed", "affine", "none"
        law.gain, law.bias = (kv,), (0.0, 0.0, -kv)
    elif tag == "damper":
        law.gaintype, law.biastype, law.dyntype = "affine", "none", "none"
        law.gain, law.bias = (0.0, 0.0, -node.number("kv", 1.0, at_least=0.0)), (0.0, 0.0, 0.0)
    else:
        law.gaintype = tag


def _range(node: Node, compiler: Compiler, switch: str, span: str, key: str) -> tuple[float, float]:
    if not compiler.is_limited(node, switch, span):
        return -inf, inf
    lower, upper = node.vector(key, 2)
    if not lower < upper:
        raise node.error(f"{key}={node.attributes[key]!r}: the first must be the smaller")
    return lower, upper


def _limit(made: list[ActuatorDescription], joints: dict[str, JointDescription]) -> None:
    """Limit the effort of each joint to what its actuators can do together."""
    spans: dict[str, tuple[float, float]] = {}
    for actuator in made:
        lower, upper = actuator.force_range
        if not any(actuator.bias) and actuator.gain != 0.0:
            ends = sorted(actuator.gain * x for x in actuator.control_range)
            lower, upper = max(lower, ends[0]), min(upper, ends[1])
        for joint, gear in ((actuator.joint, actuator.gear), *actuator.spread):
            first, last = sorted((gear * lower, gear * upper)) if gear else (0.0, 0.0)
            before = spans.get(joint, (0.0, 0.0))
            spans[joint] = before[0] + first, before[1] + last
    for name, span in spans.items():
        limit_effort(joints[name], span)
