"""Actuators: drives of joints, and those with a law of their own, on joints, tendons, sites and bodies.

force = gear (gain u + bias₀ + bias₁ length + bias₂ speed),   length = gear q
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from tribo.checks.by_name import primed
from tribo.description.actuators import MUSCLE, ActuatorLaw
from tribo.description.couplings import CouplingDescription
from tribo.description.trees import ActuatorDescription, JointDescription, TreeDescription, Vector
from tribo.enums import Dynamics
from tribo.formats.mjcf.actuator_laws import DYNAMICS, Law, apply
from tribo.formats.mjcf.compiler import Compiler
from tribo.formats.mjcf.defaults import Defaults, merged
from tribo.formats.mjcf.joints import limit_effort
from tribo.formats.mjcf.source import Source
from tribo.formats.mjcf.tendons import Tendon, is_possible
from tribo.formats.mjcf.trees import Places, Tree
from tribo.formats.mjcf.ways import Way, WayReader
from tribo.formats.nodes import Node
from tribo.formats.pose import matrix
from tribo.model import Joint, Kind

SHARED = {
    "name", "class", "joint", "jointinparent", "tendon", "site", "body", "gear", "ctrllimited", "group",
    "ctrlrange", "forcelimited", "forcerange", "user", "lengthrange", "cranksite", "slidersite",
    "cranklength", "refsite",
}  # fmt: skip
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
    "actdim": "is not read: an actuator has one state or none; leave it out",
    "actearly": "is not read: forces follow the state from before the step; leave it out",
} | dict.fromkeys(("nsample", "interp", "input", "ffrange", "velrange"), "is not read; leave it out")


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
        time = (*law.time, 0.0, 0.0, 0.0)[:3]
        made = ActuatorLaw(gear=self.gear[0], dynamics=DYNAMICS[law.dyntype], time=time)
        made.gain_kind = MUSCLE if law.gaintype == "muscle" else ""
        made.bias_kind = MUSCLE if law.biastype == "muscle" else ""
        made.gain = (*law.gain, *(0.0,) * 9)[:9] if made.gain_kind else law.linear_gain
        made.bias = (*law.bias, *(0.0,) * 9)[:9] if made.bias_kind else bias
        made.state_range = self.compiler.range_of(self.node, "actlimited", "actrange")
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
            self.made.control_range = self.compiler.range_of(self.node, "ctrllimited", "ctrlrange")

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
        self, defaults: Defaults, places: Places, numbers: Mapping[str, int], tendons: Mapping[str, Tendon]
    ) -> None:
        """Keep what is there."""
        self._defaults, self._tendons = defaults, tendons
        self._trees, self._body_numbers = places.trees, numbers
        self._ways, self._spans = WayReader(places), places.spans
        self._joints: dict[str, tuple[JointDescription, Tree]] = {
            body.joint.name: (body.joint, tree) for tree in places.trees for body in tree.description.bodies
        }

    def read(self, source: Source) -> list[ActuatorDescription | None]:
        """Read all sections, None for what is not read; effort limits are written into the joints."""
        found: list[ActuatorDescription | None] = []
        nodes: dict[str, Node] = {}
        for section in source.sections("actuator"):
            own = source.rules_of(section).compiler
            for node in section.children:
                actuator = ActuatorDescription(node.word("name"), "")
                tree = self._read(node, actuator, own)
                if tree is not None:
                    actuator.index = len(found)
                    actuator.name = actuator.name or f"actuator_{len(nodes)}"
                    if actuator.name in nodes:
                        raise node.error("another actuator has the same name; rename one")
                    nodes[actuator.name] = node
                    tree.description.actuators.append(actuator)
                found.append(None if tree is None else actuator)
        for tree in self._trees:
            _share(tree.description, nodes)
        return found

    def _read(self, node: Node, made: ActuatorDescription, compiler: Compiler) -> Tree | None:
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
        made.control_range = compiler.range_of(whole, "ctrllimited", "ctrlrange")
        made.force_range = compiler.range_of(whole, "forcelimited", "forcerange")
        ways = {
            "tendon": self._on_tendon, "refsite": self._between_sites, "site": self._on_site,
            "body": self._on_body, "cranksite": self._on_slider,
        }  # fmt: skip
        read = next((ways[key] for key in ways if key in node.attributes), self._on_joint)
        return read(_Asked(whole, law, made, compiler))

    # -- on what it acts ------------------------------------------------------------------------
    def _on_joint(self, asked: _Asked) -> Tree | None:
        node, made, law = asked.node, asked.made, asked.law
        key = "jointinparent" if "jointinparent" in node.attributes else "joint"
        name, (joint, tree) = node.text(key), node.named(key, self._joints, "a joint")
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
            return tree
        made.law = asked.own_law()
        made.law.coupling = _alone(tree.description, name)
        asked.stretch(joint.lower, joint.upper)
        return tree

    def _on_tendon(self, asked: _Asked) -> Tree | None:
        node, made = asked.node, asked.made
        tendon = self._tendons.get(node.text("tendon"))
        if tendon is None:
            node.doubt(f"tendon={node.text('tendon')!r} is not read: it does nothing", "actuator tendon")
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
        return tendon.tree

    def _limited(self, asked: _Asked, coupling: CouplingDescription, tree: Tree) -> Tree | None:
        """Take an actuator on a way; a muscle needs lengths between which it works."""
        node, span = asked.node, asked.node.vector("lengthrange", 2, (0.0, 0.0))
        is_muscle = MUSCLE in (asked.law.gaintype, asked.law.biastype)
        if is_muscle and not span[0] < span[1] and coupling.upper - coupling.lower == inf:
            node.doubt("is a muscle on a way without lengthrange and range: it does nothing; give one",
                       "muscle length")  # fmt: skip
            return None
        asked.stretch(coupling.lower, coupling.upper)
        return tree

    def _on_slider(self, asked: _Asked) -> Tree | None:
        node = asked.node
        rod = node.number("cranklength", above=0.0)
        way, name = self._ways.slider(node, rod), f"slider {node.text('slidersite')} {rod:g}"
        return self._along(asked, way, name, "a slider-crank")

    def _between_sites(self, asked: _Asked) -> Tree | None:
        node = asked.node
        way, name = self._ways.difference(node, asked.gear), f"site {node.text('site')}"
        if not way.elements:
            node.doubt("its gear is 0: it does nothing", "actuator gear")
            return None
        asked.node.attributes["gear"] = "1"  # the way has it
        return self._along(asked, way, name, "a site as seen from another")

    def _along(self, asked: _Asked, way: Way, name: str, what: str) -> Tree | None:
        """Give the robot over which a way runs a coupling along it, and the coupling an actuator."""
        node, made = asked.node, asked.made
        trees = [self._trees[k] for k in way.moving]
        if len(trees) != 1 or trees[0].description.kind != Kind.DYNAMIC:
            said = f"{what} between two objects, or of none that moves: it does nothing"
            node.doubt(said, f"actuator {what}")
            return None
        self._ways.on_robot(way)
        couplings = trees[0].description.couplings
        coupling = CouplingDescription(primed(name, {one.name for one in couplings}), way=tuple(way.elements))
        if not is_possible(coupling, trees[0], node, "does nothing"):
            return None
        couplings.append(coupling)
        made.law = asked.own_law()
        made.law.coupling, made.gear = coupling.name, made.law.gear
        return self._limited(asked, coupling, trees[0])

    def _on_site(self, asked: _Asked) -> Tree | None:
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
                return tree
        node.doubt(f"site={name!r} stands, or is not there: it does nothing", "actuator still")
        return None

    def _on_body(self, asked: _Asked) -> Tree | None:
        node, made = asked.node, asked.made
        number = node.named("body", self._body_numbers, "a body")
        for tree in self._trees:
            place = tree.place.get(number)
            if place is not None and tree.description.kind == Kind.DYNAMIC:
                made.law = asked.own_law()
                made.law.body, made.law.adheres = tree.description.bodies[place[0]].name, True
                return tree
        node.doubt(f"body={node.text('body')!r} stands: it does nothing", "actuator still")
        return None


def _ratio(law: Law) -> tuple[tuple[float, ...], float]:
    """Return the bias of a servo and its damping ratio, which MuJoCo writes as a bias > 0."""
    bias = law.linear_bias
    is_servo = law.gaintype == "fixed" and law.gain[0] == -bias[1] and bias[2] > 0.0
    return ((bias[0], bias[1], 0.0), bias[2]) if is_servo else (bias, 0.0)


def _alone(tree: TreeDescription, joint: str) -> str:
    """Return the name of the coupling of one joint, which the tree has then."""
    name = f"joint {joint}"
    if all(one.name != name for one in tree.couplings):
        tree.couplings.append(CouplingDescription(name, ((joint, 1.0),)))
    return name


def _is_servo(made: ActuatorDescription) -> bool:
    """Tell whether its force depends on length or speed."""
    law = made.law
    if law is None:
        return made.damper != 0.0 or any(made.bias[1:])
    return MUSCLE in (law.gain_kind, law.bias_kind) or any((*law.gain[1:], *law.bias[1:]))


def _apart(of_all: list[ActuatorDescription]) -> list[ActuatorDescription]:
    """Return those whose force range does not bound the sum of all."""
    limited = [one for one in of_all if _is_servo(one) and one.force_range != (-inf, inf)]
    return limited[len(limited) == len(of_all) :]


def _moved(tree: TreeDescription, law: ActuatorLaw) -> set[str]:
    """Return the joints on which an actuator with a law acts."""
    one = next((one for one in tree.couplings if one.name == law.coupling), CouplingDescription(""))
    found, ends = {name for name, _ in one.terms}, [element.body for element in one.way]
    if law.body and not law.adheres:
        ends += [k for k, body in enumerate(tree.bodies) if body.name == law.body]
    for k in range(len(tree.bodies) - 1, -1, -1):  # what hangs on a body has a larger number
        if k in ends:
            found.add(tree.bodies[k].joint.name)
            ends.append(tree.bodies[k].parent)
    return found


def _share(tree: TreeDescription, nodes: Mapping[str, Node]) -> None:
    """Give actuators that share a joint or coupling their own force ranges, and joints those of all.

    One drive of a joint, or row of a coupling, has one range: other servos with ranges get rows of their own.
    """
    moved = [(one, one.law, _moved(tree, one.law)) for one in tree.actuators if one.law is not None]
    for joint in (body.joint for body in tree.bodies):
        own = [one for one in tree.actuators if one.law is None and one.joint == joint.name]
        others = [(one, law) for one, law, joints in moved if joint.name in joints]
        apart = _apart(own)
        joint.effort_is_total = joint.effort_range != (-inf, inf) and bool(others or apart)
        if joint.effort_is_total:
            servos = [one for one in own if _is_servo(one)]
            has_rows = any(_is_servo(one) for one, _ in others)
            apart = servos if has_rows or any(one.force_range != (-inf, inf) for one in servos) else []
            for coupling in [one for one in tree.couplings if len(one.terms) == 1]:
                for law in [law for _, law in others if law.coupling == coupling.name and not coupling.way]:
                    law.coupling, law.gear = _alone(tree, joint.name), law.gear * coupling.terms[0][1]
        for one in apart:
            gain = (0.0, 0.0, -one.damper) if one.damper else (one.gain,)
            one.law = ActuatorLaw(_alone(tree, joint.name), gear=one.gear, gain=gain, bias=one.bias)
        spans = [_span(one) for one in own if one.law is None]
        if spans and not joint.effort_is_total:
            limit_effort(joint, (sum(low for low, _ in spans), sum(high for _, high in spans)))
    rows = {one.name: one.law for one in tree.actuators if one.law is not None and _is_servo(one)}
    for coupling in tuple(tree.couplings):
        those = {name for name, law in rows.items() if law.coupling == coupling.name}
        for one in _apart([one for one in tree.actuators if one.name in those]):
            name = primed(f"{coupling.name} {one.name}", {other.name for other in tree.couplings})
            tree.couplings.append(CouplingDescription(name, coupling.terms, way=coupling.way))
            rows[one.name].coupling = name
    for joint in (body.joint for body in tree.bodies if body.joint.effort_is_total):
        used = {law.coupling: name for name, law in rows.items() if joint.name in _moved(tree, law)}
        if set(used) - {f"joint {joint.name}"}:
            nodes[next(reversed(used.values()))].doubt(
                f"actuatorfrcrange of joint {joint.name!r} bounds none of its servos and muscles that act on "
                "other joints too, and each other one by itself; write forcerange at the actuators",
                "actuatorfrcrange of several",
            )


def _span(made: ActuatorDescription) -> tuple[float, float]:
    """Return the least and largest force of a drive."""
    lower, upper = made.force_range
    if not any(made.bias) and made.gain != 0.0:
        ends = sorted(made.gain * x for x in made.control_range)
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
    first, last = sorted((made.gear * lower, made.gear * upper)) if made.gear else (0.0, 0.0)
    return first, last
