"""Where energy and spin may come from in a step that is right: overlaps, and the order of the method.

**Overlaps.** A body that overlaps another by d against a normal force F lacks the energy F d that it would
have on the surface, and gets it back as the overlap closes. A step closes a share `erp` of it: by a velocity,
against the force, or by a shift of the positions, which lifts what it moves and does nothing else.

**Order.** Drift, kick, drift (Störmer, Verlet) keeps not the energy but, for an oscillation of frequency Ω,
H + (Ω dt)²/8 · (what swings) sin² Ωt to leading order; so the energy goes to and fro, in one step by at most
(Ω dt)³/8 of the kinetic energy K (Hairer, Lubich, Wanner 2006, IX.3; the slope of sin² is at most 1). For a
body that turns at ω that is (ω dt)³/8 · K. A force F that lasts is a spring as well: at an arm r of a centre
of mass it has the stiffness k = F r against turning at u = ω, in a wire of length L k = F/L against its ends'
moving sideways at u. With Ω² = k/m and K = ½ m u² the energy goes to and fro by Ω dt³/16 · k u² in a step. Ω
is the fastest of what pulls on the bodies of that force, √(F r/I) and √(F/(L m)), of their turns and of the
turn u/L of the wire. Forces and turns are the lesser of those of this step and the one before, and not more
than the mean of the two forces: an impact, and a force that trembles, is no oscillation. Where something
turns or swings by more than `FAR` in a step the formula ends, and such steps are to have the status
`TIME_STEP_TOO_LONG`;
it counts as `FAR` here.

**Spin.** A body that tumbles is hit in the middle of its step, where it has turned by half of the rotation of
the whole step; the momentum that is hit is that after half a step. The mean spins of the two are dt/4 apart,
so the two attitudes differ by α dt²/8, α = ‖I⁻¹(ω × I ω)‖ the angular acceleration without forces, and the
angular momentum changes by that part of itself in a hit: second order (`docs/physics/integration.md`,
impacts and tumbling). With more, an impact with e = 1 would not keep the energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import tribo

if TYPE_CHECKING:
    from honesty.books import Page

FAR = 0.2  # [rad] turn in a step from which on a step is `TIME_STEP_TOO_LONG`: `docs/physics/constraints.md`


@dataclass
class Pull:
    """A force on a single body; by newton: Ω² [1/(kg m)] and k u² [m/s²]. Turn of the wire [rad/s]."""

    force: np.ndarray
    square: float
    spring: float
    turn: float


def pulls(world: tribo.World) -> dict[tuple[str, str], Pull]:
    """Return the forces on single bodies, by body and by what pulls."""
    found: dict[tuple[str, str], Pull] = {}
    for contact in world.contacts:
        a, b = contact.object_a, contact.object_b
        for thing, other, sign in ((a, b, 1.0), (b, a, -1.0)):
            if is_single(thing):
                pull = found.setdefault((thing.name, other.name), Pull(np.zeros(3), 0.0, 0.0, 0.0))
                pull.force = pull.force + sign * contact.force
                square, spring = _arm(thing, contact.position)
                pull.square, pull.spring = max(pull.square, square), max(pull.spring, spring)
    for tie in world.constraints:
        moving = [thing for thing in tie.objects if thing is not None]
        ends = [_velocity(*end) for end in zip(tie.objects, tie.points, strict=True)]
        apart = float(np.linalg.norm(ends[1] - ends[0]))
        length = tie.length if isinstance(tie, tribo.Wire) else np.inf
        for thing, point, sign in zip(tie.objects, tie.points, (1.0, -1.0), strict=True):
            if thing is not None and is_single(thing):
                square, spring = _arm(thing, point)
                square += 1.0 / (length * thing.mass)
                spring += apart * apart / (length * len(moving))
                found[thing.name, tie.name] = Pull(sign * tie.force, square, spring, apart / length)
    return found


def _velocity(thing: tribo.Object | None, point: np.ndarray) -> np.ndarray:
    if thing is None or not is_single(thing):
        return np.zeros(3)
    return thing.linear_velocity + np.cross(thing.angular_velocity, point - thing.position)


def is_single(thing: tribo.Object) -> bool:
    """Tell whether forces move a thing that is a body of its own."""
    return thing.body_type == tribo.DYNAMIC and not isinstance(thing, tribo.ArticulatedSystem)


def _arm(thing: tribo.Object, point: np.ndarray) -> tuple[float, float]:
    """Return r/I [1/(kg m)], I the least moment of inertia, and r ω² [m/s²] of a force at a point."""
    arm = float(np.linalg.norm(point - thing.position))
    turn = float(np.linalg.norm(thing.angular_velocity))
    return arm / float(np.linalg.eigvalsh(thing.inertia)[0]), arm * turn * turn


def swung(world: tribo.World, before: Page, now: Page) -> float:
    """Return by how much the energy of a method of second order goes to and fro in a step [J]."""
    dt, total = world.time_step, 0.0
    turns = {name: min(turn, before.turns[name]) for name, turn in now.turns.items()}
    lasting: dict[tuple[str, str], float] = {}
    squares = dict.fromkeys(turns, 0.0)
    for key, pull in now.pulls.items():
        last = before.pulls[key].force if key in before.pulls else np.zeros(3)
        sizes = [np.linalg.norm(force) for force in (pull.force, last, 0.5 * (pull.force + last))]
        lasting[key] = float(min(sizes))
        squares[key[0]] += lasting[key] * pull.square
    for name, turn in turns.items():
        total += min(dt * turn, FAR) ** 3 / 8.0 * max(now.moving[name], before.moving[name])
    fastest: dict[str, float] = {}  # of the bodies that a tie or a pair of bodies joins
    for (name, source), pull in now.pulls.items():
        rate = max(turns[name], squares[name] ** 0.5, pull.turn)
        fastest[source] = max(rate, fastest.get(source, 0.0))
    for (name, source), pull in now.pulls.items():
        rate = max(fastest[source], fastest.get(name, 0.0))
        total += min(rate * dt, FAR) * dt * dt / 16.0 * lasting[name, source] * pull.spring
    return total


def released(world: tribo.World, before: Page, now: Page) -> float:
    """Return the most that overlaps which close give in a step [J]."""
    total = 0.0
    for contact in world.contacts:
        total += world.erp * max(contact.depth, 0.0) * abs(float(contact.force @ contact.normal))
    overlapping = {name for key, depth in now.depth.items() if depth > 0.0 for name in key[::2]}
    for name in overlapping & set(now.turns):
        drift = 0.5 * world.time_step * (before.momentum[name] + now.momentum[name])
        shift = now.moment[name] - before.moment[name] - drift  # [kg m] beyond what velocities do
        total += max(0.0, -float(world.gravity @ shift))
    return total


def turned(world: tribo.World, before: Page, now: Page, names: list[str]) -> float:
    """Return by how much the angular momentum of some objects may change in hits within a step [kg m²/s]."""
    struck = {thing.name for c in world.contacts if np.any(c.impulse) for thing in (c.object_a, c.object_b)}
    total = 0.0
    for name in struck & set(names) & set(before.swerves):
        total += world.time_step**2 / 8.0 * max(before.swerves[name], now.swerves[name])
    return total
