"""Couplings of joints of one robot: tendons, joints and tendons that follow others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from tribo.checks.errors import DescriptionError
from tribo.enums import ElementKind

Terms = tuple[tuple[str, float], ...]
Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class WayElement:
    """A point of a way, something that it lies around, or a slider."""

    body: int  # of the robot; −1: it stands
    point: Vector  # [m] body frame, of what stands in the world
    weight: float = 1.0  # [–] of the thread that begins here; 0: it ends here
    kind: ElementKind = ElementKind.POINT
    # [m] of a sphere or cylinder; length of the rod of a slider, 0: it has none
    radius: float = 0.0
    axis: Vector = (0.0, 0.0, 0.0)  # of a cylinder, slider or turn, unit vector, body frame
    # [m] from the centre: on which side it lies; 0: any. After a turn [rad]: the frame that turns, body frame
    toward: Vector = (0.0, 0.0, 0.0)


@dataclass(slots=True)
class CouplingDescription:
    """A number that depends on joints, and how it may move.   φ = Σ c q + ℓ − p(s), s likewise of `inner`

    ℓ is the length of a way from body to body, `src/tribo/dynamics/tendon_paths.py`.

    Example:
        >>> tendon = CouplingDescription("grip", (("left", 0.5), ("right", 0.5)), stiffness=20.0)
        >>> follower = CouplingDescription.of_mimic("right", "left", 2.0, 0.1)
        >>> follower.curve, follower.lower, follower.upper
        ((0.1, 2.0, 0.0, 0.0, 0.0), 0.0, 0.0)
    """

    name: str
    terms: Terms = ()  # hinges and slides, and their c
    inner: Terms = ()
    curve: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)  # of p, by power
    lower: float = -inf  # of φ; both equal: it is held there
    upper: float = inf
    rest: tuple[float, float] = (0.0, 0.0)  # between them its spring is slack
    stiffness: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    inertia: float = 0.0  # of a rotor that turns by φ
    way: tuple[WayElement, ...] = ()  # its last element has weight 0
    inner_way: tuple[WayElement, ...] = ()

    @classmethod
    def of_mimic(cls, joint: str, leader: str, ratio: float, offset: float) -> CouplingDescription:
        """Return the equation of a joint that follows another.   q = ratio q_leader + offset"""
        curve = (offset, ratio, 0.0, 0.0, 0.0)
        return cls(joint, ((joint, 1.0),), ((leader, 1.0),), curve, 0.0, 0.0)


def sides(
    coupling: CouplingDescription, joints: Sequence[str], parents: Sequence[int]
) -> tuple[tuple[int, int], list[int]]:
    """Return two bodies whose ways to the root hold all joints of a coupling, −1: no second one is needed.

    Args:
        coupling: The coupling.
        joints: Name of the joint of each body, parents first.
        parents: Of each body.

    Returns:
        The bodies; of each joint, those of `inner` last, and then of each element of the ways: 0 or 1, on
        which of the two ways to the root it is.

    Raises:
        DescriptionError: A joint is none of these, or they are on more than two branches.
    """
    places = {name: k for k, name in enumerate(joints)}
    named = [name for name, _ in (*coupling.terms, *coupling.inner)]
    what = f"coupling {coupling.name!r}"
    for name in named:
        if name not in places:
            raise DescriptionError(f"{what}: {name!r} is no joint of the robot")
    if not all(math.isfinite(c) for _, c in (*coupling.terms, *coupling.inner)):
        raise DescriptionError(f"{what}: its coefficients must be finite")
    elements = [one.body for one in (*coupling.way, *coupling.inner_way)]
    if any(not -1 <= body < len(parents) for body in elements):
        raise DescriptionError(f"{what}: its way is over a body that the robot does not have")
    found = [*(places[name] for name in named), *elements]
    ends: list[int] = []
    ways: list[set[int]] = []
    for body in sorted(set(found) - {-1}, reverse=True):  # what hangs on a body has a larger number
        if any(body in way for way in ways):
            continue
        way, above = set(), body
        while above >= 0:
            way.add(above)
            above = parents[above]
        ends.append(body)
        ways.append(way)
    if len(ends) > 2:
        raise DescriptionError(f"{what} is over {len(ends)} branches of the robot; two can be coupled")
    if not ends:
        raise DescriptionError(f"{what} has no joints")
    second = ends[1] if len(ends) > 1 else -1
    return (ends[0], second), [0 if body < 0 or body in ways[0] else 1 for body in found]
