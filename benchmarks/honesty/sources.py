"""Where energy may come from in a step that is right: overlaps that close, and the order of the method.

**Overlaps.** A body that overlaps another by d against a normal force F lacks the energy F d that it would have
on the surface, and gets it back as the overlap closes. A step closes a share `erp` of it: by a velocity,
against the force, or by a shift of the positions, which lifts what it moves and does nothing else.

**Order.** Drift, kick, drift (Störmer, Verlet) keeps not the energy but, for an oscillation of frequency Ω,
H + (Ω dt)²/8 · (what swings) sin² Ωt to leading order; so the energy goes to and fro, in one step by at most
(Ω dt)³/8 of the kinetic energy (Hairer, Lubich, Wanner 2006, IX.3; the slope of sin² is at most 1). Ω of a body
is how fast it turns, or how fast the forces that it feels would turn it or swing it to and fro: F at an arm r
of its centre of mass is a stiffness F r against turning, Ω² = F r/I, and in a wire of length L a stiffness F/L
against moving sideways, Ω² = F/(L m). Force and turn are the lesser of those of this step and the one before,
and not more than the mean of the two forces: an impact, and a force that trembles, is no oscillation. Where a body turns or swings by more than `FAR` in a step the formula ends, and
such steps are to have the status `COARSE`; it counts as `FAR` here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import tribo

if TYPE_CHECKING:
    from honesty.books import Page

FAR = 0.2  # [rad] turn in a step from which on a step is `COARSE`: `docs/physics/constraints.md`


def pulls(world: tribo.World) -> dict[tuple[str, str], tuple[np.ndarray, float]]:
    """Return the forces on single bodies (3,) [N], by body and what pulls, and Ω² of one newton [1/(kg m)]."""
    found: dict[tuple[str, str], tuple[np.ndarray, float]] = {}

    def note(thing: tribo.Object | None, source: str, force: np.ndarray, bend: float) -> None:
        before, more = found.get((thing.name, source), (np.zeros(3), 0.0))
        found[thing.name, source] = before + force, max(more, bend)

    for contact in world.contacts:
        a, b = contact.object_a, contact.object_b
        for thing, other, sign in ((a, b, 1.0), (b, a, -1.0)):
            if is_single(thing):
                note(thing, other.name, sign * contact.force, _bend(thing, contact.position))
    for tie in world.constraints:
        length = tie.length if isinstance(tie, tribo.Wire) else np.inf
        for thing, point, sign in zip(tie.objects, tie.points, (1.0, -1.0), strict=True):
            if thing is not None and is_single(thing):
                bend = _bend(thing, point) + 1.0 / (length * thing.mass)
                note(thing, tie.name, sign * tie.force, bend)
    return found


def is_single(thing: tribo.Object) -> bool:
    """Tell whether forces move a thing that is a body of its own."""
    return thing.body_type == tribo.DYNAMIC and not isinstance(thing, tribo.ArticulatedSystem)


def _bend(thing: tribo.Object, point: np.ndarray) -> float:
    """Return r/I of a force at a point of a body [1/(kg m)], I the least moment of inertia."""
    arm = float(np.linalg.norm(point - thing.position))
    return arm / float(np.linalg.eigvalsh(thing.inertia)[0])


def swung(world: tribo.World, before: Page, now: Page) -> float:
    """Return by how much the energy of a method of second order goes to and fro in a step [J]."""
    squares = {name: min(turn, before.turns[name]) ** 2 for name, turn in now.turns.items()}
    bends = dict.fromkeys(squares, 0.0)
    for (name, source), (force, bend) in now.pulls.items():
        last, _ = before.pulls.get((name, source), (np.zeros(3), 0.0))
        lasting = min(np.linalg.norm(f) for f in (force, last, 0.5 * (force + last)))
        bends[name] += float(lasting) * bend
    total = 0.0
    for name, square in squares.items():
        turn = min(world.time_step * max(square, bends[name]) ** 0.5, FAR)
        total += turn**3 / 8.0 * max(now.moving[name], before.moving[name])
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
