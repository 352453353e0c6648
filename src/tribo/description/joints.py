"""Plain data about a joint, and what each of its fields may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import inf
from typing import Any, TypedDict

import numpy as np

from tribo.checks import check
from tribo.checks.calls import record
from tribo.checks.errors import DescriptionError
from tribo.model import Joint

Vector = tuple[float, ...]
IDENTITY = (1.0, 0.0, 0.0, 0.0)
ORIGIN = (0.0, 0.0, 0.0)
STOP_DAMPING = 0.0333  # [s] two steps of 1/60 s: what AGX Dynamics takes for joints

_TYPES = {"continuous": Joint.REVOLUTE} | {kind.name.lower(): kind for kind in Joint}
_NUMBERS = (
    "lower", "upper", "effort", "velocity", "damping", "friction", "armature", "stiffness",
    "stop_compliance", "stop_spook_damping", "stop_force",
)  # fmt: skip
_PLACED = ("name", "type", "position", "quaternion", "axis")  # arguments of `add_child` of their own


class JointProperties(TypedDict, total=False):
    """Options of a `JointDescription` beside its name, type, pose and axis."""

    lower: float
    upper: float
    is_cone: bool
    mimic: tuple[str, float, float] | None
    effort: float
    effort_lower: float | None
    velocity: float
    damping: float
    friction: float
    armature: float
    stiffness: float
    spring_reference: Vector | None
    collision_enabled: bool
    stop_compliance: float
    stop_spook_damping: float
    stop_force: float
    stop_force_lower: float | None
    effort_is_total: bool


@record
@dataclass(slots=True)
class JointDescription:
    """How a body hangs on its parent.

    Attributes:
        name: Of the joint, unique in its robot.
        type: `tribo.model.Joint`, or its name: "revolute" (or "continuous"), "prismatic", "spherical",
            "fixed", "free".
        position: (3,) [m] of the joint in the frame of the parent.
        quaternion: (w, x, y, z) [–], axes of the joint at coordinate 0 to those of the parent.
        axis: (3,) [–], in the frame of the joint, about or along which it moves.
        lower: Lower stop [rad, m]; −inf: none. Not used by a spherical joint.
        upper: Upper stop [rad, m]; inf: none. Of a spherical joint the largest angle [rad].
        is_cone: Of a spherical joint: `upper` bounds the angle of `axis`; False: of the whole turn.
        mimic: (leader, ratio [–], offset [rad, m]): it follows, q = ratio q_leader + offset; None: nothing.
        effort: Largest force of the drive ≥ 0 [N, N m]; inf: no limit.
        effort_lower: Least force of the drive ≤ 0 [N, N m]; None: −effort.
        velocity: Speed to which the drive accelerates ≥ 0 [m/s, rad/s]; inf: no limit.
        damping: ≥ 0 [N s/m, N m s/rad].
        friction: Dry friction ≥ 0 [N, N m].
        armature: Inertia of the rotor as the joint feels it ≥ 0 [kg, kg m²].
        stiffness: Of a spring in the joint ≥ 0 [N/m, N m/rad].
        spring_reference: Coordinates at which the spring is at rest [m, rad, –]: of a joint of one
            coordinate a number or (number,), of a spherical one a quaternion (4,); None: zero.
        collision_enabled: Whether the two links that it connects may touch each other.
        stop_compliance: ≥ 0 [rad/(N m), m/N] by which its stops give way, like springs; 0: not at all.
        stop_spook_damping: ≥ 0 [s]; time in which a joint comes back to a stop that gives way.
        stop_force: Largest force of its stops ≥ 0 [N, N m]; inf: no limit.
        stop_force_lower: Least force of the upper stop ≤ 0 [N, N m]; None: −stop_force.
        effort_is_total: Whether `effort` bounds the drive and all actuators on the joint together; gains of
            the drive beside a servo with a law have limits of their own.

    Raises:
        DescriptionError: A field is no number, text or truth value where it must be one.

    Example:
        >>> import tribo
        >>> base, arm = tribo.LinkDescription("base"), tribo.LinkDescription("arm")
        >>> base.attach(arm, tribo.JointDescription("elbow", "revolute", axis=(0, 1, 0), upper=1.5))
        >>> arm.joint.type.name, arm.joint.upper
        ('REVOLUTE', 1.5)
    """

    name: str
    type: Joint
    position: Vector = ORIGIN
    quaternion: Vector = IDENTITY
    axis: Vector = (0.0, 0.0, 1.0)
    lower: float = -inf
    upper: float = inf
    is_cone: bool = True
    mimic: tuple[str, float, float] | None = None
    effort: float = inf
    effort_lower: float | None = None
    velocity: float = inf
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    spring_reference: Vector | None = None
    collision_enabled: bool = False
    stop_compliance: float = 0.0
    stop_spook_damping: float = STOP_DAMPING
    stop_force: float = inf
    stop_force_lower: float | None = None
    effort_is_total: bool = False

    def __post_init__(self) -> None:
        """Take the name of a type, and one number for one coordinate; refuse fields of another kind."""
        if not isinstance(self.name, str):
            raise DescriptionError(f"the name of a joint must be a string, got {check.shown(self.name)}")
        self.type = joint_type(self.type, f"type of joint {self.name!r}")
        where = f"of joint {self.name!r}"
        for what in _NUMBERS:
            setattr(self, what, _number(getattr(self, what), f"{what} {where}"))
        for what in ("effort_lower", "stop_force_lower"):
            if getattr(self, what) is not None:
                setattr(self, what, _number(getattr(self, what), f"{what} {where}", " or None"))
        if self.mimic is not None:
            self.mimic = _mimic(self.mimic, f"mimic {where}")
        if self.spring_reference is not None:
            self.spring_reference = _reference(self.spring_reference, self.type, where)
        for what in ("is_cone", "collision_enabled", "effort_is_total"):
            value = getattr(self, what)
            if not isinstance(value, (bool, np.bool_)):
                raise DescriptionError(f"{what} {where} must be True or False, got {check.shown(value)}")

    @property
    def effort_range(self) -> tuple[float, float]:
        """Least and largest force of the drive [N, N m]."""
        lower = -self.effort if self.effort_lower is None else self.effort_lower
        return lower, self.effort

    @property
    def stop_force_range(self) -> tuple[float, float]:
        """Least force of the upper stop and largest of the lower one [N, N m]."""
        lower = -self.stop_force if self.stop_force_lower is None else self.stop_force_lower
        return lower, self.stop_force


def joint_type(value: Any, what: str = "", *, may_float: bool = True) -> Joint:
    """Return a type of joint, also by its name; `may_float`: one of them is "free".

    Raises:
        DescriptionError: There is none of this name.
    """
    if isinstance(value, Joint):
        return value
    names = [name for name, kind in _TYPES.items() if may_float or kind != Joint.FREE]
    if isinstance(value, str) and value in names:
        return _TYPES[value]
    if what:
        raise DescriptionError(
            f"{what} must be one of {', '.join(names)}, or a tribo.model.Joint, got {check.shown(value)}"
        )
    raise DescriptionError(f"joint {check.shown(value)} is unknown; use one of {', '.join(names)}")


def check_properties(properties: Iterable[str]) -> None:
    """Refuse names that are no properties of a joint besides its place and type.

    Raises:
        DescriptionError: A name is unknown; the message proposes the nearest and lists all.
    """
    known = [field.name for field in fields(JointDescription) if field.name not in _PLACED]
    for key in properties:
        if key not in known:
            near = check.nearest(key, known)
            hint = near if "did you mean" in near else ";"
            raise DescriptionError(f"a joint has no {key!r}{hint} known: {', '.join(known)}")


def direction_of(joint: JointDescription) -> Vector:
    """Return the axis of a joint as a unit vector.

    Raises:
        DescriptionError: It has no direction.
        ValueError, TypeError: It is not three finite numbers.
    """
    what = f"axis of joint {joint.name!r}"
    axis = check.vector(joint.axis, what, 3)
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        raise DescriptionError(f"{what} has no direction; give for example (0, 0, 1)")
    return tuple((axis / length).tolist())


def check_joint_numbers(joint: JointDescription) -> None:
    """Refuse limits that cross, and properties of a joint that are negative or beyond any meaning.

    Raises:
        DescriptionError: A number is wrong (or none); the message says which.
    """
    check_ranges(joint)
    for what in ("position", "spring_reference"):
        for value in getattr(joint, what) or ():
            if not abs(value) <= check.LARGEST:
                raise DescriptionError(too_large(f"{what} of joint {joint.name!r}", value))


def check_ranges(joint: JointDescription) -> None:
    """Refuse limits that cross and single numbers that are negative or too large, as above."""
    name = f"joint {joint.name!r}"
    if joint.type == Joint.SPHERICAL:
        if not joint.upper > 0.0:
            raise DescriptionError(
                f"upper of {name} is the angle of its cone and must be > 0, got {joint.upper!r}"
            )
    elif not joint.lower <= joint.upper:
        raise DescriptionError(f"{name}: lower {joint.lower!r} is above upper {joint.upper!r}")
    for what in _NUMBERS[2:]:
        if not getattr(joint, what) >= 0.0:
            raise DescriptionError(f"{what} of {name} must be ≥ 0, got {getattr(joint, what)!r}")
    for what in ("damping", "armature", "stiffness", "stop_compliance", "stop_spook_damping"):
        if not getattr(joint, what) <= check.LARGEST:
            raise DescriptionError(too_large(f"{what} of {name}", getattr(joint, what)))
    if not joint.effort_range[0] <= 0.0:
        raise DescriptionError(f"effort_lower of {name} must be ≤ 0, got {joint.effort_lower!r}")
    if joint.type == Joint.FREE and (joint.effort_range != (-inf, inf) or joint.velocity != inf):
        raise DescriptionError(
            f"{name} floats: effort and velocity limit the drives of other joints; leave them out"
        )
    if not joint.stop_force_range[0] <= 0.0:
        raise DescriptionError(f"stop_force_lower of {name} must be ≤ 0, got {joint.stop_force_lower!r}")
    if joint.type == Joint.SPHERICAL and (
        joint.stop_compliance > 0.0 or joint.stop_force_range != (-inf, inf)
    ):
        raise DescriptionError(
            f"{name}: the cone of a spherical joint does not give way; leave stop_compliance and "
            "stop_force out"
        )


def too_large(what: str, value: float) -> str:
    """Return the message of a number with which cannot be calculated."""
    return f"{what} must be at most {check.LARGEST:g} in size, got {value!r}; units are SI"


def _number(value: Any, what: str, also: str = " or inf") -> float:
    """Return a number, which may be infinite; its range is checked when the robot is built."""
    if type(value) is float:
        return value
    if check.is_scalar(value) and not isinstance(value, (bool, np.bool_)):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise DescriptionError(f"{what} must be a number{also}, got {check.shown(value)}")


def _mimic(value: Any, what: str) -> tuple[str, float, float]:
    """Return leader, ratio and offset of a joint that follows another one."""
    if not isinstance(value, (tuple, list)) or len(value) != 3 or not isinstance(value[0], str):
        raise DescriptionError(
            f"{what} must be (leader, ratio, offset), such as ('elbow', 1.0, 0.0), got {check.shown(value)}"
        )
    leader, ratio, offset = value
    return leader, _number(ratio, f"ratio in {what}", ""), _number(offset, f"offset in {what}", "")


def _reference(value: Any, kind: Joint, where: str) -> Vector:
    """Return where a spring is at rest as coordinates; one number for a joint of one coordinate."""
    what = f"spring_reference {where}"
    is_single = kind in (Joint.REVOLUTE, Joint.PRISMATIC)
    needs = "one number" if is_single else "a quaternion (w, x, y, z)"
    try:
        array = check.array(value, what, needs)
    except (TypeError, ValueError):
        raise DescriptionError(f"{what} must be {needs}, got {check.shown(value)}") from None
    if array.ndim > 1 or (array.ndim == 0 and not is_single):
        raise DescriptionError(f"{what} must be {needs}, got {check.shown(value)}")
    return tuple(array.reshape(-1).tolist())
