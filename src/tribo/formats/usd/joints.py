"""Joints of USD: how two bodies hang on each other, their limits and drives."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tribo.description.trees import ActuatorDescription, JointDescription
from tribo.formats.pose import NO_POSE, Pose, inverse, matrix, normalized
from tribo.formats.usd.bodies import Body, BodyReader
from tribo.formats.usd.shapes import split
from tribo.formats.usd.stage import Prim, Stage
from tribo.model import Joint

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
FREE = tuple(f"{kind}{axis}" for kind in ("trans", "rot") for axis in "XYZ")
NEVER = 1e30  # [N] USD writes the largest number of single precision for no limit
ARMATURE = ("physxJoint:armature", "newton:armature", "mjc:armature")
FRICTION = ("newton:friction", "mjc:frictionloss")
SPEED = ("physxJoint:maxJointVelocity", "newton:velocityLimit")


@dataclass(slots=True)
class Way:
    """One direction in which a joint moves."""

    kind: Joint
    axis: str
    words: tuple[str, ...]  # of its drive and limits: "angular", "rotX"
    lower: float = -math.inf
    upper: float = math.inf


@dataclass(slots=True)
class Link:
    """A joint between two bodies."""

    prim: Prim
    name: str
    bodies: tuple[Body | None, Body | None]
    frames: tuple[Pose, Pose]  # of the joint in both bodies, or in the world
    ways: list[Way] = field(default_factory=list)
    cone: float = math.inf  # [rad] of a spherical joint
    is_ball: bool = False
    is_loose: bool = False  # it leaves all directions free

    @property
    def is_fixed(self) -> bool:
        """Tell whether it lets nothing move."""
        return not self.ways and not self.is_ball and not self.is_loose


def read_link(stage: Stage, prim: Prim, known: BodyReader, name: str) -> Link | None:
    """Return a joint, None if it has no effect.

    Raises:
        DescriptionError: A number of it is wrong.
    """
    if not prim.is_set("physics:jointEnabled", default=True):
        prim.note("is switched off (jointEnabled): it is left out", "jointEnabled")
        return None
    ends = [_end(stage, prim, side, known) for side in range(2)]
    bodies = (ends[0][0], ends[1][0])
    if bodies[0] is bodies[1]:
        prim.doubt("joins a body to itself, or two things that stand: it is left out", "itself")
        return None
    made = Link(prim, name, bodies, (ends[0][1], ends[1][1]))
    for word in ("breakForce", "breakTorque"):
        if prim.number(f"physics:{word}", math.inf) < NEVER:
            prim.doubt(f"{word} is not read: the joint never breaks", word)
    kind = prim.type
    axis = str(prim.values.get("physics:axis", "X"))
    if axis not in AXES:
        raise prim.error(f"physics:axis must be X, Y or Z, got {axis[:100]!r}")
    if kind in {"PhysicsRevoluteJoint", "PhysicsPrismaticJoint"}:
        turns = kind == "PhysicsRevoluteJoint"
        unit = math.radians(1.0) if turns else stage.metres
        lower, upper = (
            unit * _bound(prim, f"physics:{end}Limit", sign)
            for end, sign in (("lower", -1.0), ("upper", 1.0))
        )
        words = ("angular", f"rot{axis}") if turns else ("linear", f"trans{axis}")
        way = Way(Joint.REVOLUTE if turns else Joint.PRISMATIC, axis, words, lower, upper)
        made.ways = [way]
    elif kind == "PhysicsSphericalJoint":
        made.is_ball = True
        made.cone = _cone(prim)
        made.ways = [Way(Joint.SPHERICAL, axis, ())]
    elif kind == "PhysicsDistanceJoint":
        prim.doubt("a distance joint is not read: nothing holds it; use world.add_rod", kind)
        return None
    elif kind == "PhysicsJoint":
        _generic(stage, prim, made)
    elif kind != "PhysicsFixedJoint":
        prim.doubt(f"joints of type {kind} are not read: it is left out", kind)
        return None
    for way in made.ways:
        if way.lower > way.upper:
            raise prim.error(f"its lower limit {way.lower:g} is above its upper one {way.upper:g}")
    return None if made.is_loose else made


def _end(stage: Stage, prim: Prim, side: int, known: BodyReader) -> tuple[Body | None, Pose]:
    """Return the body of an end, None for the world, and the joint's frame in it."""
    targets = prim.targets.get(f"physics:body{side}", [])
    world = np.eye(4)
    world[:3, :3] = stage.metres * stage.up
    body = None
    if targets:
        target = stage.prims.get(targets[0])
        if target is None or target.world is None:
            raise prim.error(f"physics:body{side} names <{targets[0][:200]}>, which has no place")
        world, body = target.world, known.carrier(target.path)
    pose, stretch = split(world)
    at = stretch @ prim.vector(f"physics:localPos{side}", 3, (0.0, 0.0, 0.0))
    q = prim.vector(f"physics:localRot{side}", 4, (1.0, 0.0, 0.0, 0.0))
    if not q.any():
        raise prim.error(f"physics:localRot{side} is zero; it must be a quaternion")
    place = pose @ Pose(tuple(at.tolist()), normalized(tuple(q.tolist())))
    return body, place if body is None else inverse(body.pose) @ place


def _bound(prim: Prim, name: str, sign: float) -> float:
    value = prim.number(name, sign * math.inf)
    return sign * math.inf if abs(value) >= NEVER else value


def _cone(prim: Prim) -> float:
    """Return the angle of the cone of a spherical joint [rad]."""
    angles = [prim.number(f"physics:coneAngle{k}Limit", -1.0) for k in range(2)]
    if max(angles) <= 0.0:
        return math.inf
    if min(angles) != max(angles):
        prim.doubt("its two cone angles differ: the larger one counts all round", "cone")
    return math.radians(max(angles))


def _generic(stage: Stage, prim: Prim, made: Link) -> None:
    """Read the free directions of a joint of no special type: those without a limit of low > high."""
    for word in FREE:
        turns, axis = word.startswith("rot"), word[-1]
        unit = math.radians(1.0) if turns else stage.metres
        low, high = _bound(prim, f"limit:{word}:physics:low", -1.0), _bound(
            prim, f"limit:{word}:physics:high", 1.0)  # fmt: skip
        if low > high:
            continue
        words = (word, "angular" if turns else "linear")
        kind = Joint.REVOLUTE if turns else Joint.PRISMATIC
        made.ways.append(Way(kind, axis, words, unit * low, unit * high))
    turned = [way for way in made.ways if way.kind == Joint.REVOLUTE]
    is_bound = any(math.isfinite(way.lower) or math.isfinite(way.upper) for way in made.ways)
    if len(made.ways) == len(FREE) and not is_bound:
        made.is_loose = True
    elif len(turned) == 3 and not any(math.isfinite(x) for way in turned for x in (way.lower, way.upper)):
        made.ways = [way for way in made.ways if way.kind != Joint.REVOLUTE]
        made.ways.append(Way(Joint.SPHERICAL, "X", ()))
        made.is_ball = len(made.ways) == 1


def descriptions(link: Link, placed: Pose, *, is_turned: bool, stage: Stage) -> list[JointDescription]:
    """Return the joints, one for each direction, of which the first stands at `placed` above it.

    Args:
        link: The joint.
        placed: Its frame in that of the link above.
        is_turned: The link above is its second body: directions are the other way round.
        stage: For units.
    """
    ways = link.ways or [Way(Joint.FIXED, "X", ())]
    if is_turned:
        ways = ways[::-1]
    made = []
    for k, way in enumerate(ways):
        at = placed if k == 0 else NO_POSE
        name = link.name if len(ways) == 1 else f"{link.name}/{way.words[0] if way.words else 'ball'}"
        joint = JointDescription(name, way.kind, at.position, at.quaternion)
        joint.axis = tuple((-x if is_turned else x) + 0.0 for x in AXES[way.axis])
        if way.kind == Joint.SPHERICAL:
            joint.upper = link.cone
        elif way.kind != Joint.FIXED:
            joint.lower, joint.upper = way.lower, way.upper
            turns = way.kind == Joint.REVOLUTE
            _dynamics(link.prim, joint, stage, math.radians(1.0) if turns else stage.metres, turns)
        made.append(joint)
    return made


def _dynamics(prim: Prim, joint: JointDescription, stage: Stage, unit: float, turns: bool) -> None:
    """Read what extensions of UsdPhysics say of rotor inertia, dry friction and speed."""
    inertia = stage.kilograms * (stage.metres**2 if turns else 1.0)
    force = stage.kilograms * stage.metres * (stage.metres if turns else 1.0)
    joint.armature = max(_first(prim, ARMATURE, 0.0), 0.0) * inertia
    joint.friction = max(_first(prim, FRICTION, 0.0), 0.0) * force
    speed = _first(prim, SPEED, math.inf) * unit
    joint.velocity = speed if speed > 0.0 else math.inf


def _first(prim: Prim, names: tuple[str, ...], default: float) -> float:
    return next((prim.number(name, default) for name in names if name in prim.values), default)


@dataclass(slots=True)
class Drive:
    """Drive of a joint."""

    actuator: ActuatorDescription
    target: float
    ratio: float = 0.0  # it is an acceleration: k and d are per inertia that the joint feels


def drive_of(link: Link, joint: JointDescription, way: Way, stage: Stage) -> Drive | None:
    """Return the drive of a direction, and limit the effort of its joint; None: there is none."""
    prim = link.prim
    word = next((w for w in way.words if any(name.startswith(f"drive:{w}:") for name in prim.values)), "")
    if not word:
        return None
    turns = way.kind == Joint.REVOLUTE
    unit = math.radians(1.0) if turns else stage.metres
    force = stage.kilograms * stage.metres * (stage.metres if turns else 1.0)

    def number(name: str, default: float = 0.0) -> float:
        return prim.number(f"drive:{word}:physics:{name}", default)

    is_force = str(prim.values.get(f"drive:{word}:physics:type", "force")) != "acceleration"
    scale = (force if is_force else (1.0 if turns else stage.metres)) / unit
    stiffness, damping = max(number("stiffness"), 0.0), max(number("damping"), 0.0)
    limit = number("maxForce", math.inf)
    if limit < NEVER:
        joint.effort = max(limit, 0.0) * force
    target, speed = unit * number("targetPosition"), unit * number("targetVelocity")
    kp, kd = stiffness * scale, damping * scale
    if kp <= 0.0 and kd <= 0.0:
        return None
    gain, bias, wanted = kp, (kd * speed, -kp, -kd), target
    if kp <= 0.0:
        gain, bias, wanted = kd, (0.0, 0.0, -kd), speed
    actuator = ActuatorDescription(joint.name, joint.name, 1.0, gain, bias)
    return Drive(actuator, wanted, 0.0 if is_force else 1.0)


def coordinate(way: Way, first: Pose, second: Pose) -> tuple[float, ...]:
    """Return where a joint of one direction is, its frame on both bodies as drawn in the world."""
    between = inverse(first) @ second
    if way.kind == Joint.SPHERICAL:
        return between.quaternion
    axis = np.array(AXES[way.axis])
    if way.kind == Joint.PRISMATIC:
        return (float(axis @ np.array(between.position)),)
    w, along = between.quaternion[0], float(axis @ np.array(between.quaternion[1:]))
    return (math.remainder(2.0 * math.atan2(along, w), 2.0 * math.pi),)


def coordinates(link: Link, first: Pose, second: Pose) -> list[tuple[float, ...]]:
    """Return where each direction of a joint is, in the order of its ways.

    Directions come one after another: three slides, then turns about x, y, z in the turned frames.
    """
    if len(link.ways) == 1:
        return [coordinate(link.ways[0], first, second)]
    between = inverse(first) @ second
    turned = [way.axis for way in link.ways if way.kind == Joint.REVOLUTE]
    angles = _angles(matrix(between.quaternion), turned)
    return [
        (angles[way.axis],) if way.kind == Joint.REVOLUTE else coordinate(way, first, second)
        for way in link.ways
    ]


def _angles(turn: np.ndarray, axes: list[str]) -> dict[str, float]:
    """Return the angles of turns one after another that make a turn.   R = R_x R_y R_z"""
    if axes == ["X", "Y", "Z"] or axes == ["X", "Y"]:
        return {
            "X": math.atan2(-turn[1, 2], turn[2, 2]),
            "Y": math.asin(min(max(turn[0, 2], -1.0), 1.0)),
            "Z": math.atan2(-turn[0, 1], turn[0, 0]),
        }
    if axes == ["X", "Z"]:  # R_x R_z
        return {"X": math.atan2(-turn[1, 2], turn[2, 2]), "Z": math.atan2(-turn[0, 1], turn[0, 0])}
    if axes == ["Y", "Z"]:  # R_y R_z
        return {"Y": math.atan2(turn[0, 2], turn[2, 2]), "Z": math.atan2(turn[1, 0], turn[1, 1])}
    plain = {"X": (2, 1), "Y": (0, 2), "Z": (1, 0)}
    made = {}
    for axis in axes:
        row, column = plain[axis]
        made[axis] = math.atan2(turn[row, column], turn[column, column])
    return made
