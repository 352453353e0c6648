"""Warnings of a step, once per world: text for the bits of its status that are no errors."""

from __future__ import annotations

import difflib
import itertools
import logging
from collections.abc import Iterable
from dataclasses import replace
from math import inf

import numpy as np

from tribo.checks import check
from tribo.description.extents import shape_extent
from tribo.description.trees import IDENTITY
from tribo.enums import Solver
from tribo.materials import ContactMaterial, MaterialTable
from tribo.materials.diagnosis import FEWEST_STEPS
from tribo.materials.table import DEFAULT_MATERIAL
from tribo.model import Joint, Kind, Status
from tribo.objects import Object
from tribo.objects.world_view import WorldView
from tribo.readout import culprits

logger = logging.getLogger("tribo")

ONCE = "said once per world"
AT_ONCE = 0.1  # [s] that going back may take without a word
GROWN = 1e3  # [–] a residual that is so many times larger is said again


def contradiction(world: WorldView) -> str:
    """Return that constraints contradict one another, and which."""
    names = culprits.contradiction(world.engine, world.constraints) or "in a step before this one"
    text = f"constraints contradict one another, each gives way: {names}"
    return f"{text} ({ONCE}; look at the gap of each)"


def slowed(world: WorldView) -> str:
    """Return that overlaps or gaps close more slowly than asked, the deepest overlap and the widest gap."""
    return (
        "overlaps, or gaps of constraints, are closed more slowly than asked: they contradict one another, "
        f"or would take too much energy or too long a way ({ONCE}; see world.status)"
        f"{culprits.overlap(world.contacts)}{culprits.gap(world.constraints)}"
    )


def not_converged(world: WorldView) -> str:
    """Return how far the solve is off, where, and what to do."""
    residual = max(world.residual)
    if residual <= world.tolerance:
        return f"a step before this one was not solved exactly ({ONCE}; see world.status)"
    missed, where = culprits.largest_miss(world.engine, world.objects, world.constraints)
    way = "move apart what overlaps, or take a smaller time_step"
    if world.engine.settings.contact_solver == Solver.SWEEPS:
        way = "raise world.max_sweeps, or take world.contact_solver = 'exact'"
    return (
        f"the contact solve misses its laws by up to {missed:.1e} m/s (residual {residual:.1e}), most of it "
        f"at {where}: what should stick may slip so fast, and forces are off as much. If it lasts, {way} "
        f"({ONCE}, and if it grows a thousandfold; see world.residual){culprits.overlap(world.contacts)}"
    )


def coarse(world: WorldView) -> str:
    """Return that a step is too long, and for what."""
    bounce = culprits.too_stiff(world.engine, world.objects)
    names = culprits.fast(world.engine, world.objects)
    fast = f"{names} turns" if names else "something turns that joints or constraints hold"
    turns = f"for how fast {fast} (it gains or loses energy)"
    if not names and culprits.has_free_bodies_only(world.engine):
        turns = culprits.A_HIT
    is_bounce = bounce or (not names and culprits.has_compliant_pair(world.engine))
    see, what = "world.status", turns
    if is_bounce:
        see = "world.status and tribo.ground.check_step"
        what = "for the bounce of compliant pairs, whose restitution is off by more than 2 %"
        what += f": {bounce}" if bounce else f", or {turns}"
    return (
        f"a time step of {world.time_step:g} s is too long {what}. Take a smaller time_step or stiffness "
        f"({ONCE}; see {see})"
    )


def invalid(world: WorldView) -> str:
    """Return that a velocity is no longer finite, whose, and what may be the reason."""
    bad = ~(np.abs(world.engine.work.next_v) <= check.LARGEST)
    names = [p.name for p in world.objects if p.span is not None and bad[p.span.v].any()]
    return (
        f"after t = {world.time:g} s the velocity of {', '.join(names) or 'an object'} is no longer "
        "finite; the world stands at its last valid state. Look at forces, gains and masses there, "
        f"or take a smaller time step{culprits.drive_forms(world.engine, world.objects, names)}"
    )


def beyond_stops(world: WorldView) -> str:
    """Return which joints are so far beyond a stop that going back takes a while; "" if none is."""
    model, q = world.engine.model, world.engine.state.q
    speed = world.max_push_out_speed
    is_simple = (model.joint_type == Joint.REVOLUTE) | (model.joint_type == Joint.PRISMATIC)
    joints = np.flatnonzero(is_simple & (model.tree_kind[model.body_tree] == Kind.DYNAMIC))
    at = q[model.joint_q[joints]]
    beyond = np.maximum(model.joint_lower[joints] - at, at - model.joint_upper[joints])
    far = np.argsort(-beyond)[: np.count_nonzero(beyond > speed * AT_ONCE)]
    if not len(far):
        return ""
    names = []
    for k in far[:5]:
        part = world.objects[int(model.body_tree[joints[k]])]
        assert part.span is not None
        joint = part.description.bodies[int(joints[k]) - part.span.body.start].joint
        unit = "rad" if joint.type == Joint.REVOLUTE else "m"
        names.append(f"{joint.name} of {part.name} by {beyond[k]:.3g} {unit}")
    more = ", …" if len(far) > 5 else ""
    return (
        f"joints are beyond their stops: {', '.join(names)}{more}. They are taken back at {speed:g} rad/s or "
        f"m/s at most, which takes {beyond[far[0]] / max(speed, 1e-9):.2g} s; start within the stops "
        "(generalized_coordinate, keyframe), or change joint.limits or world.max_push_out_speed"
    )


def ringing(world: WorldView) -> list[str]:
    """Return which pairs of materials of the world's shapes ring: a SPOOK damping of less than two steps."""
    least = FEWEST_STEPS * world.time_step
    table = world.materials
    laws = [("", "", table.default), *table]
    short = [
        (first, second, law.spook_damping)
        for first, second, law in laws
        if isinstance(law, ContactMaterial) and law.spook_damping < least
    ]
    if not short:
        return []
    used = {body.material for part in world.objects for body in part.collision_bodies}
    return [
        f"the contact material of {f'{first!r} with {second!r}' if first else 'the default pair'} has a "
        f"spook_damping of {damping:g} s, less than two time steps: overlaps are undone in jumps and ring. "
        f"Take {least:g} s or more, or a smaller time_step"
        for first, second, damping in short
        if not first or {first, second} <= used
    ]


def misnamed(materials: MaterialTable, parts: Iterable[Object]) -> list[str]:
    """Return which materials of shapes stand in no pair although one of nearly the same name does."""
    known = {name for first, second, _ in materials for name in (first, second)}
    if not known:
        return []
    used = {body.material for part in parts for body in part.collision_bodies}
    found = []
    for name in sorted(used - known - {DEFAULT_MATERIAL}):
        near = difflib.get_close_matches(name, known, 1)
        if near:
            law = "all its contacts have the default pair"
            found.append(f"material {name!r} is in no pair: {law}; did you mean {near[0]!r}?")
    return found


def sinking(world: WorldView) -> list[str]:
    """Return which pairs have an adhesive overlap that is not thinner than one of their shapes."""
    table = world.materials
    laws = [table.default, *(law for _, _, law in table)]
    if not any(isinstance(law, ContactMaterial) and law.adhesive_overlap > 0.0 for law in laws):
        return []
    thickness: dict[str, float] = {}
    for part in world.objects:
        for body in part.description.bodies:
            for shape in body.shapes:
                turned = replace(shape, quaternion=IDENTITY)
                size = 0.0 if shape.is_terrain else 2.0 * float(shape_extent(turned)[1].min())
                size = size if size > 0.0 else inf  # the ground, and a point, have no thickness
                thickness[shape.material] = min(thickness.get(shape.material, inf), size)
    found = []
    for first, second in itertools.combinations_with_replacement(sorted(thickness), 2):
        law = table.pair(first, second)
        thin = min(thickness[first], thickness[second])
        if isinstance(law, ContactMaterial) and law.adhesive_overlap >= thin:
            found.append(
                f"the contact material of {first!r} with {second!r} has an adhesive_overlap of "
                f"{law.adhesive_overlap:g} m, which is not thinner than a shape of {thin:g} m: it comes to "
                "rest inside, or passes through. Take less"
            )
    return found


TEXTS = {
    Status.INFEASIBLE: contradiction,
    Status.CORRECTION_LIMITED: slowed,
    Status.NOT_CONVERGED: not_converged,
    Status.TIME_STEP_TOO_LONG: coarse,
}


class WarningLog:
    """Remembers what has been said."""

    def __init__(self) -> None:
        self._said = 0
        self._residual = 0.0  # [–] with which an unsolved step was said last
        self._seen: object = None  # engine whose joints were looked at
        self._rings: set[str] = set()  # what was said of pairs that ring or sink in

    def begin(self, world: WorldView) -> None:
        """Log, once for each time that a world is built, what looks wrong before its first step.

        Joints that begin far beyond their stops, names of materials in no pair, pairs that ring or sink in.
        """
        if self._seen is not world.engine:
            self._seen = world.engine
            said = beyond_stops(world)
            if said:
                logger.warning("t = %g s: %s", world.time, said)
            for text in (*misnamed(world.materials, world.objects), *ringing(world), *sinking(world)):
                if text not in self._rings:
                    self._rings.add(text)
                    logger.warning("%s (%s)", text, ONCE)

    def say(self, world: WorldView, status: int) -> None:
        """Log what a status of a world means and has not been said before."""
        for bit, text in TEXTS.items():
            if not status & bit:
                continue
            if bit == Status.NOT_CONVERGED:
                if status & Status.CORRECTION_LIMITED:  # which says why
                    continue
                residual = max(*world.residual, world.tolerance)
                if self._said & bit and residual < GROWN * self._residual:
                    continue
                self._residual = residual
            elif self._said & bit:
                continue
            self._said |= bit
            logger.warning("t = %g s: %s", world.time, text(world))
