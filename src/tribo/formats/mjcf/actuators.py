"""Actuators: drives of joints, and those with a law of their own, on joints, tendons, sites and bodies.

force = gear (gain u + bias₀ + bias₁ length + bias₂ speed),   length = gear q
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from tribo.description.actuators import MUSCLE, ActuatorLaw
from tribo.description.couplings import CouplingDescription
from tribo.description.trees import ActuatorDescription, JointDescription, Vector
from tribo.enums import Dynamics
from tribo.formats.mjcf.actuator_laws import DYNAMICS, Law, apply
from tribo.formats.mjcf.compiler import Compiler
from tribo.formats.mjcf.defaults import Defaults, merged
from tribo.formats.mjcf.joints import limit_effort
from tribo.formats.mjcf.source import Source
from tribo.formats.mjcf.tendons import Tendon, is_possible
from tribo.formats.mjcf.trees import Places, Tree
from tribo.formats.mjcf.ways import Way, WayReader
from tribo.formats.nodes import Node, known_hint
from tribo.formats.pose import matrix
from tribo.model import Joint, Kind

SHARED = frozenset(
    {
        "name", "class", "joint", "jointinparent", "tendon", "site", "body", "gear", "ctrllimited", "group",
        "ctrlrange", "forcelimited", "forcerange", "user", "lengthrange", "cranksite", "slidersite",
        "cranklength", "refsite",
    }
)  # fmt: skip
OWN = {  # of each kind
    "motor": "", "velocity": "kv", "adhesion": "gain", "damper": "kv",
    "cylinder": "timeconst area diameter bias",
    "position": "kp kv inheritrange timeconst dampratio",
    "intvelocity": "kp kv inheritrange dampratio actrange actlimited",
    "muscle": "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax",
    "general": "gaintype biastype dyntype gainprm biasprm dynprm inheritrange actlimited actrange",
}  # fmt: skip
USED = {tag: SHARED.union(own.split()) for tag, own in OWN.items()}
WITHOUT_EFFECT = {
    "armature": "of an actuator is not read; write it on the joint",
    "damping": "of an actuator is not read; write it on the joint",
    "delay": "is not read: commands act at once; leave it out",
    "nsample": "is not read; leave it out",
    "interp": "is not read; leave it out",
    "input": "is not read; leave it out",
    "actdim": "is not read: an actuator has one state or none; leave it out",
    "actearly": "is not read: forces follow the state from before the step; leave it out",
    "ffrange": "is not read; leave it out",
    "velrange": "is not read; leave it out",
}


@dataclass(slots=True)
class Found:
    """An actuator and the robot that has it."""

    actuator: ActuatorDescription
    tree: Tree


@dataclass(slots=True)
class _Asked:
    """An actuator while it is read."""

    node: Node  # with what its classes say
    law: Law
    made: ActuatorDescription
    compiler: Compiler

    @property
    def gear(self) -> tuple[float, ...]:
        """Its six numbers; only ways and sites have more than the first."""
        return (*self.node.vector("gear", None, (1.0,)), *(0.0,) * 6)[:6]

    def own_law(self) -> ActuatorLaw:
        """Return the law that it has of its own."""
        law = self.law
        bias, self.made.damping_ratio = _ratio(law)
        made = ActuatorLaw(gear=self.gear[0])
        made.dynamics = DYNAMICS[law.dyntype]
        made.time = (*law.time, 0.0, 0.0, 0.0)[:3]
        made.gain_kind = MUSCLE if law.gaintype == "muscle" else ""
        made.bias_kind = MUSCLE if law.biastype == "muscle" else ""
        made.gain = (*law.gain, *(0.0,) * 9)[:9] if made.gain_kind else law.linear_gain
        made.bias = (*law.bias, *(0.0,) * 9)[:9] if made.bias_kind else bias
        made.state_range = _range(self.node, self.compiler, "actlimited", "actrange")
        return made

    def inherit(self, span: Vector) -> None:
        """Give a servo the range of what it moves, which need not be limited, as `inheritrange` says."""
        law, share = self.law, self.node.number("inheritrange", 0.0, at_least=0.0)
        is_servo = law.gaintype == "fixed" and law.gain[0] == -law.linear_bias[1] != 0.0
        if share > 0.0 and is_servo and span[0] < span[1]:
            middle, half = 0.5 * (span[1] + span[0]), 0.5 * share * (span[1] - span[0])
            key = "act" if DYNAMICS[law.dyntype] == Dynamics.INTEGRATOR else "ctrl"
            self.node.attributes[f"{key}range"] = f"{middle - half!r} {middle + half!r}"
            self.node.attributes.setdefault(f"{key}limited", "true")
            self.made.control_range = _range(self.node, self.compiler, "ctrllimited", "ctrlrange")

    def stretch(self, lower: float, upper: float) -> None:
        """Give a muscle the lengths between which it works: `lengthrange`, or the range of what it moves."""
        law = self.made.law
        if law is None or MUSCLE not in (law.gain_kind, law.bias_kind):
            return
        low, high = self.node.vector("lengthrange", 2, (0.0, 0.0))
        if not low < high:
            low, high = sorted((law.gear * lower, law.gear * upper)) if law.gear else (0.0, 0.0)
        if not -inf < low < high < inf:
            raise self.node.error("a muscle needs lengthrange, or joints with ranges")
        law.length_range = low, high


class ActuatorReader:
    """Reads <actuator>."""

    def __init__(
        self, compiler: Compiler, defaults: Defaults, places: Places, body_numbers: Mapping[str, int],
        tendons: Mapping[str, Tendon],
    ) -> None:  # fmt: skip
        """Keep what is there."""
        self._defaults, self._tendons = defaults, tendons
        trees = places.trees
        self._compiler, self._trees, self._body_numbers = compiler, trees, body_numbers
        self._ways, self._spans = WayReader(places), places.spans
        self._joints: dict[str, tuple[JointDescription, Tree]] = {
            body.joint.name: (body.joint, tree) for tree in trees for body in tree.description.bodies
        }

    def read(self, source: Source) -> list[Found | None]:
        """Read all sections, None for what is not read; effort limits are written into the joints."""
        found: list[Found | None] = []
        names: set[str] = set()
        for section in source.sections("actuator"):
            rules = source.rules_of(section)
            own = rules.compiler if rules else self._compiler
            for node in section.children:
                made = self._read(node, own)
                if made is not None:
                    actuator = made.actuator
                    actuator.index = len(found)
                    actuator.name = actuator.name or f"actuator_{len(names)}"
                    if actuator.name in names:
                        raise node.error("another actuator has the same name; rename one")
                    names.add(actuator.name)
                    made.tree.description.actuators.append(actuator)
                found.append(made)
        drives = [one.actuator for one in found if one is not None and one.actuator.law is None]
        _limit(drives, {name: joint for name, (joint, _) in self._joints.items()})
        return found

    def _read(self, node: Node, compiler: Compiler) -> Found | None:
        if node.tag not in USED:
            node.doubt("an actuator of this kind is not read: it does nothing; use a motor on a joint",
                       f"actuator/{node.tag}")  # fmt: skip
            return None
        node.check(USED[node.tag], said=WITHOUT_EFFECT)
        law, whole = Law(), replace(node, attributes={})
        for one in (*self._defaults.actuators(node), node):
            apply(one, law)
            whole.attributes = merged(whole.attributes, one.attributes)
        if not law.is_known:
            node.doubt(f"gain {law.gaintype}, bias {law.biastype}, dynamics {law.dyntype} are not read: it "
                       "does nothing", "actuator law")  # fmt: skip
            return None
        made = ActuatorDescription(node.word("name"), "")
        made.control_range = _range(whole, compiler, "ctrllimited", "ctrlrange")
        made.force_range = _range(whole, compiler, "forcelimited", "forcerange")
        for key, read in (
            ("tendon", self._on_tendon),
            ("refsite", self._between_sites),
            ("site", self._on_site),
            ("body", self._on_body),
            ("cranksite", self._on_slider),
        ):
            if key in node.attributes:
                return read(_Asked(whole, law, made, compiler))
        return self._on_joint(_Asked(whole, law, made, compiler))

    # -- on what it acts ------------------------------------------------------------------------
    def _on_joint(self, asked: _Asked) -> Found | None:
        node, made, law = asked.node, asked.made, asked.law
        key = "jointinparent" if "jointinparent" in node.attributes else "joint"
        name = node.text(key)
        if name not in self._joints:
            raise node.error(f"{key}={name!r} is not a joint{known_hint(name, self._joints)}")
        joint, tree = self._joints[name]
        if joint.type not in (Joint.REVOLUTE, Joint.PRISMATIC):
            node.doubt(f"drives a {joint.type.name.lower()} joint, which is not read: it does nothing; set "
                       "generalized_force", "actuator of joints")  # fmt: skip
            return None
        made.joint, made.gear = name, asked.gear[0]
        asked.inherit(self._spans[name])
        if law.is_drive or law.damper:
            made.damper, made.gain = law.damper, 0.0 if law.damper else law.gain[0]
            made.bias, made.damping_ratio = _ratio(law)
            if made.kp < 0.0 or made.kd < 0.0:
                raise node.error(
                    f"pushes away from its target (kp {made.kp:g}, kd {made.kd:g}); its bias must not be > 0"
                )
            return Found(made, tree)
        made.law = asked.own_law()
        made.law.coupling = f"joint {name}"
        if all(one.name != made.law.coupling for one in tree.description.couplings):
            tree.description.couplings.append(CouplingDescription(made.law.coupling, ((name, 1.0),)))
        asked.stretch(joint.lower, joint.upper)
        return Found(made, tree)

    def _on_tendon(self, asked: _Asked) -> Found | None:
        node, made = asked.node, asked.made
        tendon = self._tendons.get(node.text("tendon"))
        if tendon is None:
            text = f"tendon={node.text('tendon')!r} is not read: it does nothing"
            node.doubt(text, "actuator tendon")
            return None
        coupling = tendon.coupling
        asked.inherit(tendon.span)
        made.law = asked.own_law()
        made.law.coupling = tendon.use()
        made.gear = made.law.gear
        if coupling.way:
            return self._limited(asked, coupling, tendon.tree)
        made.joint = coupling.terms[0][0]
        ends = [
            sorted(c * x for x in (self._joints[name][0].lower, self._joints[name][0].upper))
            if c != 0.0
            else [0.0, 0.0]
            for name, c in coupling.terms
        ]
        low = max(coupling.lower, sum(end[0] for end in ends))
        asked.stretch(low, min(coupling.upper, sum(end[1] for end in ends)))
        return Found(made, tendon.tree)

    def _limited(self, asked: _Asked, coupling: CouplingDescription, tree: Tree) -> Found | None:
        """Take an actuator on a way; a muscle needs lengths between which it works."""
        node, made = asked.node, asked.made
        law = made.law
        is_muscle = law is not None and MUSCLE in (law.gain_kind, law.bias_kind)
        span = node.vector("lengthrange", 2, (0.0, 0.0))
        if is_muscle and not span[0] < span[1] and coupling.upper - coupling.lower == inf:
            node.doubt("is a muscle on a way without lengthrange and range: it does nothing; give one",
                       "muscle length")  # fmt: skip
            return None
        asked.stretch(coupling.lower, coupling.upper)
        return Found(made, tree)

    def _on_slider(self, asked: _Asked) -> Found | None:
        node, made = asked.node, asked.made
        rod = node.number("cranklength", above=0.0)
        way, name = self._ways.slider(node, rod), f"slider {node.text('slidersite')} {rod:g}"
        made.law = asked.own_law()
        return self._along(asked, way, name, "a slider-crank")

    def _between_sites(self, asked: _Asked) -> Found | None:
        node, made = asked.node, asked.made
        way, name = self._ways.difference(node, asked.gear), f"site {node.text('site')}"
        if not way.elements:
            node.doubt("its gear is 0: it does nothing", "actuator gear")
            return None
        made.law = asked.own_law()
        made.law.gear = 1.0  # the way has it
        return self._along(asked, way, name, "a site as seen from another")

    def _along(self, asked: _Asked, way: Way, name: str, what: str) -> Found | None:
        """Give the robot over which a way runs a coupling along it, and the coupling an actuator."""
        node, made = asked.node, asked.made
        trees = [self._trees[k] for k in way.moving]
        if len(trees) != 1 or trees[0].description.kind != Kind.DYNAMIC:
            text = f"{what} between two objects, or of none that moves: it does nothing"
            node.doubt(text, f"actuator {what}")
            return None
        self._ways.on_robot(way)
        couplings = trees[0].description.couplings
        taken, base, number = {one.name for one in couplings}, name, len(couplings)
        while name in taken:
            number += 1
            name = f"{base} {number}"
        coupling = CouplingDescription(name, way=tuple(way.elements))
        if not is_possible(coupling, trees[0], node, "does nothing"):
            return None
        couplings.append(coupling)
        assert made.law is not None
        made.law.coupling, made.gear = name, made.law.gear
        return self._limited(asked, coupling, trees[0])

    def _on_site(self, asked: _Asked) -> Found | None:
        node, made = asked.node, asked.made
        name = node.text("site")
        for tree in self._trees:
            if name in tree.sites and tree.description.kind == Kind.DYNAMIC:
                frame = tree.sites[name]
                made.law = asked.own_law()
                gear, turn = np.array(asked.gear), matrix(frame.quaternion)
                force, torque = turn @ gear[:3], turn @ gear[3:]
                made.law.body = tree.description.bodies[frame.body].name
                made.law.point = tuple(frame.position)
                made.law.wrench = (*torque.tolist(), *force.tolist())
                return Found(made, tree)
        text = f"site={name!r} stands, or is not there: it does nothing"
        node.doubt(text, "actuator still")
        return None

    def _on_body(self, asked: _Asked) -> Found | None:
        node, made = asked.node, asked.made
        number = node.named("body", self._body_numbers, "a body")
        for tree in self._trees:
            place = tree.place.get(number)
            if place is not None and tree.description.kind == Kind.DYNAMIC:
                made.law = asked.own_law()
                made.law.body, made.law.adheres = tree.description.bodies[place[0]].name, True
                return Found(made, tree)
        text = f"body={node.text('body')!r} stands: it does nothing"
        node.doubt(text, "actuator still")
        return None


def _ratio(law: Law) -> tuple[tuple[float, ...], float]:
    """Return the bias of a servo and its damping ratio, which MuJoCo writes as a bias > 0."""
    bias = law.linear_bias
    is_servo = law.gaintype == "fixed" and law.gain[0] == -bias[1] and bias[2] > 0.0
    return ((bias[0], bias[1], 0.0), bias[2]) if is_servo else (bias, 0.0)


def _range(node: Node, compiler: Compiler, switch: str, span: str) -> tuple[float, float]:
    if not compiler.is_limited(node, switch, span):
        return -inf, inf
    lower, upper = node.vector(span, 2)
    if not lower < upper:
        raise node.error(f"{span}={node.attributes[span]!r}: the first must be the smaller")
    return lower, upper


def _limit(made: list[ActuatorDescription], joints: dict[str, JointDescription]) -> None:
    """Limit the effort of each joint to what its actuators can do together."""
    spans: dict[str, tuple[float, float]] = {}
    for actuator in made:
        lower, upper = actuator.force_range
        if not any(actuator.bias) and actuator.gain != 0.0:
            ends = sorted(actuator.gain * x for x in actuator.control_range)
            lower, upper = max(lower, ends[0]), min(upper, ends[1])
        gear = actuator.gear
        first, last = sorted((gear * lower, gear * upper)) if gear else (0.0, 0.0)
        before = spans.get(actuator.joint, (0.0, 0.0))
        spans[actuator.joint] = before[0] + first, before[1] + last
    for name, span in spans.items():
        limit_effort(joints[name], span)
