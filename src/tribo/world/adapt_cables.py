"""Adaptive resolution of cables: nodes where they bend or touch, few where they are straight.

A segment that is divided, or two that become one, are taken out of the world and put in anew: length, mass
and momentum stay, and so does the stretch, which goes over to the joints beside what has changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Set
from dataclasses import dataclass, replace
from functools import cache
from math import acos

import numpy as np

from tribo.description import inertias
from tribo.model import Kind as BodyType
from tribo.objects.cable import Cable
from tribo.objects.constraint import Constraint

STABLE = 0.6  # [–] Courant number beyond which nothing is divided
EASED = 0.25  # of the bend from which on segments are divided: below, what is between them goes


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment as it is: a capsule of some rest length, its third axis along the cable; world frame."""

    radius: float  # [m]
    length: float  # [m] without tension
    mass: float  # [kg]
    place: np.ndarray  # (3,) [m] of its middle
    turn: np.ndarray  # (3, 3)
    velocity: np.ndarray  # (3,) [m/s]
    spin: np.ndarray  # (3,) [rad/s]

    @property
    def along(self) -> np.ndarray:
        """Direction from its start to its end."""
        return self.turn[:, 2]

    @property
    def start(self) -> np.ndarray:
        """Where it begins."""
        return self.place - 0.5 * self.length * self.along

    @property
    def stop(self) -> np.ndarray:
        """Where it ends."""
        return self.place + 0.5 * self.length * self.along

    @property
    def moments(self) -> np.ndarray:
        """Inertia about its middle, (3, 3) [kg m²]."""
        own = inertias.capsule(self.mass, self.radius, self.length)
        return np.asarray(self.turn @ own @ self.turn.T)


def measured(cable: Cable, k: int) -> Piece:
    """Return segment k as it is."""
    part = cable.segments[k]
    return Piece(cable.section.radius, float(cable.lengths[k]), float(part.mass), np.array(part.position),
                 np.array(part.rotation_matrix), np.array(part.linear_velocity),
                 np.array(part.angular_velocity))  # fmt: skip


def halves(whole: Piece, stretch: float) -> tuple[Piece, Piece]:
    """Return two segments instead of one; they turn on together, with the same momenta.

    stretch: [m] of the joint between them, half of which each joint beside them gives.
    """
    half = replace(whole, length=0.5 * whole.length, mass=0.5 * whole.mass)
    arm = 0.5 * (half.length + stretch) * whole.along
    moments = 2.0 * half.moments + whole.mass * _of_arm(arm)
    spin = np.linalg.solve(moments, whole.moments @ whole.spin)
    first, second = (
        replace(half, place=whole.place + offset, velocity=whole.velocity + np.cross(spin, offset), spin=spin)
        for offset in (-arm, arm)
    )
    return first, second


def joined(first: Piece, second: Piece) -> Piece:
    """Return one segment instead of two, from the start of the first to the end of the second.

    The stretch of their joint is shared by those beside, which give way more by half of the other's length.
    """
    length, mass = first.length + second.length, first.mass + second.mass
    way = second.stop - first.start
    distance = float(np.linalg.norm(way))
    along = way / distance
    start = first.start + along * ((distance - length) * second.length / length)
    place = start + 0.5 * length * along
    momentum, angular = np.zeros(3), np.zeros(3)  # about its middle
    for one in (first, second):
        momentum += one.mass * one.velocity
        angular += one.moments @ one.spin + one.mass * np.cross(one.place - place, one.velocity)
    made = Piece(first.radius, length, mass, place, _turned(first.turn, along), momentum / mass, np.zeros(3))
    return replace(made, spin=np.linalg.solve(made.moments, angular))


def _of_arm(arm: np.ndarray) -> np.ndarray:
    """Return the inertia of a point per mass, (3, 3) [m²]."""
    return np.asarray(arm @ arm * np.eye(3) - np.outer(arm, arm))


def _turned(turn: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return axes whose third is a direction, turned from others by the shortest way."""
    x = turn[:, 0] - along * (turn[:, 0] @ along)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(along, x), along])


@dataclass(frozen=True, slots=True)
class Change:
    """Segments k … k + taken − 1 become others."""

    k: int
    taken: int
    pieces: tuple[Piece, ...]


def changes(cable: Cable, shortest: float, longest: float, bend: float, ties: list[Constraint],
            time_step: float, held_ids: Set[int] = frozenset()) -> list[Change]:  # fmt: skip
    """Return what to divide and what to join, each segment at most once; `held_ids`: of what stays."""
    count = len(cable.segments)
    along = np.array([part.rotation_matrix[:, 2] for part in cable.segments])
    angles = np.zeros(count + 1)  # at both ends of each segment; 0 at the ends of the cable
    angles[1:-1] = [acos(min(1.0, max(-1.0, float(a @ b)))) for a, b in itertools.pairwise(along)]
    own = set(cable.joints)
    held_parts = {id(part) for tie in ties if tie not in own for part in tie.parts} | held_ids
    held = [id(part) in held_parts or part.body_type != BodyType.DYNAMIC for part in cable.segments]
    for k, joint in enumerate(cable.joints, 1):
        if joint.is_removed or joint.is_broken or not joint.is_on:
            held[k - 1] = held[k] = True

    @cache  # what follows is looked up only where lengths and bends leave it to decide
    def touches(k: int) -> bool:
        return bool(cable.segments[k].contacts)

    @cache
    def tensions() -> np.ndarray:
        found = np.array([0.0, *cable.tensions, 0.0])
        if count > 1:
            found[0], found[-1] = found[1], found[-2]
        return found

    limit = (STABLE / time_step) ** 2 * cable.section.mass_per_length  # [N/m²]
    made: list[Change] = []
    k = 0
    while k < count:
        length = float(cable.lengths[k])
        can = not held[k] and 0.5 * length >= shortest * (1.0 - 1e-9)
        must = can and (max(angles[k], angles[k + 1]) > bend or touches(k))
        if must and float(tensions()[k : k + 2].max()) <= limit * (0.5 * length) ** 2:
            stretch = 0.5 * float(tensions()[k : k + 2].sum()) * 0.5 * length
            stretch /= cable.section.stretch_stiffness
            made.append(Change(k, 1, halves(measured(cable, k), stretch)))
            k += 1
            continue
        may_join = (
            k + 1 < count and not (held[k] or held[k + 1])
            and length + cable.lengths[k + 1] <= longest * (1.0 + 1e-9)
            and angles[k + 1] < EASED * bend and max(angles[k], angles[k + 2]) < 0.5 * bend
            and not (touches(k) or touches(k + 1))
        )  # fmt: skip
        if may_join:
            made.append(Change(k, 2, (joined(measured(cable, k), measured(cable, k + 1)),)))
            k += 2
            continue
        k += 1
    return made
