"""Joints of MJCF bodies."""

from __future__ import annotations

from dataclasses import dataclass

from tribo.description.trees import JointDescription, Vector
from tribo.formats.mjcf.compiler import Compiler
from tribo.formats.mjcf.defaults import Defaults
from tribo.formats.nodes import Node
from tribo.formats.pose import NO_POSE, Pose, rotate, turn
from tribo.model import Joint

TYPES = {"hinge": Joint.REVOLUTE, "slide": Joint.PRISMATIC, "ball": Joint.SPHERICAL, "free": Joint.FREE}
SOFT = "has no effect: stops are hard here; leave it out"
USED = {
    "name", "class", "type", "pos", "axis", "limited", "range", "ref", "armature", "damping",
    "frictionloss", "stiffness", "springref", "group", "user", "actuatorfrclimited", "actuatorfrcrange",
    "springdamper",
}  # fmt: skip
WITHOUT_EFFECT = {
    "solreflimit": SOFT, "solimplimit": SOFT, "margin": SOFT,
    "solreffriction": "has no effect: joint friction is hard here; leave it out",
    "solimpfriction": "has no effect: joint friction is hard here; leave it out",
    "springyield": "is not read; leave it out",
    "actuatorgravcomp": "is not read; leave it out",
}  # fmt: skip
OF_FREE = frozenset({"name", "group"})
FREE_WITHOUT_EFFECT = {"align": "is not read: a free body keeps its frame; leave it out"}


@dataclass(slots=True)
class MjcfJoint:
    """A joint in the frame of its body."""

    node: Node
    anchor: Vector  # [m] body frame
    axis: Vector  # unit, body frame
    reference: float  # coordinate in which the file draws the body [rad, m]
    description: JointDescription  # without its place in the parent
    sprung: float = 0.0  # coordinate of MuJoCo's qpos_spring [rad, m]
    span: Vector = (0.0, 0.0)  # its range, whether it is limited or not [rad, m]
    springdamper: Vector = ()  # [s, –] time constant and damping ratio of its spring; empty: as written

    @property
    def type(self) -> Joint:
        """Kind of joint."""
        return self.description.type

    def placed(self, body: Pose) -> JointDescription:
        """Return the joint in the frame in which `body` is given, its coordinate zero.

        MuJoCo draws a body at the coordinate `ref`; here a joint frame is that of coordinate zero.
        """
        position: Vector = self.anchor
        quaternion: Vector = (1.0, 0.0, 0.0, 0.0)
        if self.type == Joint.REVOLUTE:
            quaternion = turn(self.axis, -self.reference)
        elif self.type == Joint.PRISMATIC and self.reference != 0.0:
            position = tuple(p - self.reference * a for p, a in zip(self.anchor, self.axis, strict=True))
        pose = body @ Pose(position, quaternion)
        made = self.description
        made.position, made.quaternion, made.axis = pose.position, pose.quaternion, self.axis
        return made


class JointReader:
    """Reads the joints of one model."""

    def __init__(self, compiler: Compiler, defaults: Defaults) -> None:
        """Keep what all joints share."""
        self.compiler, self._defaults = compiler, defaults

    def read(self, written: Node, childclass: str, frame: Pose, name: str) -> MjcfJoint:
        """Read a <joint> or <freejoint>; `frame` is where it stands in its body."""
        written.check_children(())
        if written.tag == "freejoint":
            written.check_attributes(OF_FREE, FREE_WITHOUT_EFFECT)
            return MjcfJoint(
                written, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.0, JointDescription(name, Joint.FREE)
            )
        written.check_attributes(USED, WITHOUT_EFFECT)
        node = self._defaults.resolve(written, childclass)
        kind = TYPES[node.choice("type", TYPES, "hinge")]
        made = JointDescription(name, kind)
        anchor = node.vector("pos", 3, (0.0, 0.0, 0.0)) if kind != Joint.FREE else (0.0, 0.0, 0.0)
        axis: Vector = (0.0, 0.0, 1.0)
        reference = rest = 0.0
        span: Vector = (0.0, 0.0)
        if kind in (Joint.REVOLUTE, Joint.PRISMATIC):
            axis = self.compiler.unit(node, node.vector("axis", 3, axis), "axis")
            unit = self.compiler.angle if kind == Joint.REVOLUTE else float
            reference, rest = (unit(node.number(name, 0.0)) for name in ("ref", "springref"))
            span = self._limits(node, made)
        elif kind == Joint.SPHERICAL and self.compiler.is_limited(node, "limited", "range"):
            self._largest_turn(node, made)
        if frame != NO_POSE:
            anchor, axis = frame.point(anchor), rotate(frame.quaternion, axis)
        self._dynamics(node, made, rest)
        asked = node.vector("springdamper", 2, ())
        asked = asked if asked and min(asked) > 0.0 else ()  # as in MuJoCo
        if asked and not (asked[0] * asked[1]) ** 2 > 0.0:
            raise node.error("springdamper: a time constant so short has no stiffness; give a longer one")
        if asked and kind == Joint.FREE:
            node.doubt("springdamper of a free joint is not read; leave it out")
            asked = ()
        elif asked and kind != Joint.SPHERICAL:
            made.spring_reference = (rest,)
        return MjcfJoint(node, anchor, axis, reference, made, rest, span, asked)

    def _limits(self, node: Node, made: JointDescription) -> Vector:
        """Read the range that counts, and that of the force; return the range that is written."""
        turn = self.compiler.angle if made.type == Joint.REVOLUTE else float
        lower, upper = self.compiler.range_of(node, "limited", "range")
        made.lower, made.upper = turn(lower), turn(upper)
        limit_effort(made, self.compiler.range_of(node, "actuatorfrclimited", "actuatorfrcrange"))
        return tuple(turn(bound) for bound in node.vector("range", 2, (0.0, 0.0)))

    def _largest_turn(self, node: Node, made: JointDescription) -> None:
        """Read the range of a ball joint, which is one of the angle of its whole turn."""
        lower, upper = node.vector("range", 2)
        if lower != 0.0 or not upper > 0.0:
            raise node.error(
                f"range={node.attributes['range']!r} of a ball joint must be 0 and the largest angle, > 0"
            )
        made.upper, made.is_cone = self.compiler.angle(upper), False

    def _dynamics(self, node: Node, made: JointDescription, rest: float) -> None:
        made.armature = node.number("armature", 0.0, at_least=0.0)
        made.damping = self._linear(node, "damping")
        friction = node.number("frictionloss", 0.0, at_least=0.0)
        if friction > 0.0 and made.type == Joint.FREE:
            node.doubt("frictionloss of a free joint is not read; leave it out")
        else:
            made.friction = friction
        stiffness = self._linear(node, "stiffness")
        if stiffness > 0.0 and made.type == Joint.FREE:
            node.doubt("stiffness of a free joint is not read; leave it out")
        elif stiffness > 0.0:
            made.stiffness = stiffness
            if made.type != Joint.SPHERICAL:
                made.spring_reference = (rest,)

    def _linear(self, node: Node, name: str) -> float:
        """Read a coefficient; more than one make a polynomial in MuJoCo."""
        numbers = node.vector(name, None, (0.0,))
        if not numbers or numbers[0] < 0.0:
            raise node.error(f"{name}={node.attributes[name]!r} must be ≥ 0")
        if any(numbers[1:]):
            node.doubt(f"{name}: only the linear coefficient is read; leave the others out")
        return numbers[0]


def limit_effort(joint: JointDescription, span: tuple[float, float]) -> None:
    """Take in a range of the drive's force; of several the narrowest counts."""
    lower, upper = joint.effort_range
    joint.effort_lower, joint.effort = max(lower, min(span[0], 0.0)), min(upper, max(span[1], 0.0))
