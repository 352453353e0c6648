"""Causes of a step that was not solved: names of contacts, joints and constraints for the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tribo.description.trees import TreeDescription
from tribo.engine.engine import Engine
from tribo.engine.layout import DOFS
from tribo.enums import COUPLING_SLOTS, DriveForm
from tribo.model import IntegrationMode, Kind, Pair, Slot
from tribo.objects import ArticulatedSystem

if TYPE_CHECKING:
    from tribo.objects import Object
    from tribo.objects.constraint import Constraint
    from tribo.objects.contact import Contact

NOTHING = 1e-5  # [m/s, rad/s] by which no row gives way that contradicts another
TOO_FAR = (IntegrationMode.NOT_SETTLED, IntegrationMode.EXPLICIT_BIAS, IntegrationMode.LIMITED)
A_HIT = (
    "for a hit that turns another corner of a body into what it meets, or for a body that was put nearer to "
    "a thin one than it moves in half a step"
)
DEEP = 1e-3  # [m] an overlap or a gap that a solve may fail at


def row_name(engine: Engine, objects: Sequence[Object], constraints: Sequence[Constraint], n: int) -> str:
    """Return what scalar row n is: "a stop of joint 'elbow' of arm"."""
    from tribo.contact.problem.box_friction_rows import SLOT
    from tribo.contact.problem.scalar_rows import constraint_of_row

    if engine.work.scalar_slot[n] < 0:
        a, b = engine.work.contact_shape[SLOT - engine.work.scalar_slot[n]]
        return f"friction between {shape_name(objects, a)} and {shape_name(objects, b)}"
    tie = constraint_of_row(engine.model, engine.work, n)
    if tie >= 0:
        return f"constraint {constraints[tie].name}"
    body = int(engine.work.scalar_body[n, 0])
    for part in objects:
        span = part.span
        if span is not None and span.body.start <= body < span.body.stop:
            joint = part.description.bodies[body - span.body.start].joint
            slot = int(engine.work.scalar_slot[n])
            coupled = slot - int(engine.model.tree_coupling_slot[span.tree])
            if coupled >= 0:
                return f"{_coupling_row(part.description, *divmod(coupled, COUPLING_SLOTS))} of {part.name}"
            kind = slot - int(engine.model.joint_slot[body])
            what = "the drive"
            if kind == Slot.LIMIT:
                what = "a stop"
            elif kind < Slot.FRICTION + DOFS[joint.type]:
                what = "dry friction"
            return f"{what} of joint {joint.name!r} of {part.name}"
    return "a joint of an object that is gone"


def _coupling_row(description: TreeDescription, number: int, kind: int) -> str:
    """Return which row of a coupling it is: "the friction of tendon 'grip'"."""
    coupling = description.all_couplings[number]
    if number >= len(description.couplings):
        return f"the mimic equation of joint {coupling.name!r}"
    words = ("the equation" if coupling.lower == coupling.upper else "a stop", "dry friction", "the spring",
             "the damping", "an actuator")  # fmt: skip
    return f"{words[kind]} of the coupling {coupling.name!r}"


def shape_name(objects: Sequence[Object], shape: int) -> str:
    """Return whose collision shape it is: "foot/0 of robot"."""
    for part in objects:
        if part.span is not None and part.span.shape.start <= shape < part.span.shape.stop:
            return f"{part.collision_bodies[shape - part.span.shape.start].name} of {part.name}"
    return "an object that is gone"


def largest_miss(
    engine: Engine, objects: Sequence[Object], constraints: Sequence[Constraint]
) -> tuple[float, str]:
    """Return by how much the last step misses a law at most [m/s, rad/s], and which contact or row does."""
    from tribo.contact.solver.natural_residual import scalar_violation

    model, work = engine.model, engine.work
    worst, where = 0.0, "none of its contacts"
    for c in range(int(work.contact_count[0])):
        missed = kept(engine, c)[2]
        if missed > worst:
            a, b = (shape_name(objects, int(shape)) for shape in work.contact_shape[c])
            worst, where = missed, f"the contact of {a} and {b}"
    for n in range(int(work.scalar_count[0])):
        missed = float(scalar_violation(model, work, n))
        if missed > worst:
            worst, where = missed, row_name(engine, objects, constraints, n)
    return worst, where


def contradiction(engine: Engine, constraints: Sequence[Constraint]) -> str:
    """Return the names of the constraints that give way most in the last step; empty if none does."""
    from tribo.contact.position_pass import is_acting
    from tribo.contact.problem.scalar_rows import GIVES_WAY, constraint_of_row

    work = engine.work
    hard = [
        n for n in range(int(work.scalar_count[0]))
        if constraint_of_row(engine.model, engine.work, n) >= 0 and work.scalar_reach[n] != GIVES_WAY
    ]  # fmt: skip
    given = np.abs(work.scalar_impulse[hard] * work.scalar_compliance[hard])
    errors = [(int(work.shift_hold[n]), float(work.shift_scalar_error[n])) for n in hard]
    given = np.maximum(given, [abs(error) if is_acting(hold, error) else 0.0 for hold, error in errors])
    if not hard or given.max() < NOTHING:
        return ""
    most = np.array(hard)[given > 0.1 * given.max()]
    return ", ".join(
        dict.fromkeys(constraints[constraint_of_row(engine.model, engine.work, n)].name for n in most)
    )


def fast(engine: Engine, objects: Sequence[Object]) -> str:
    """Return the names of what turned too far for the last step, or was slowed for that; else empty."""
    found = np.isin(engine.work.tree_mode, TOO_FAR) | (engine.work.tree_is_coarse == 1)
    return ", ".join(p.name for p in objects if p.span is not None and found[p.span.tree])


def too_stiff(engine: Engine, objects: Sequence[Object]) -> str:
    """Return which compliant pairs bounce too fast for the last step, and which step would do; else empty.

    It is the longest step h with h √δ (3/2 K h + D)/m ≤ `RESOLVED_BOUNCE` at the deepest point δ of the
    bounce (`ground_law.bounce_peak`).
    """
    work, table, material = engine.work, engine.model.pair_table, engine.model.shape_material
    soft = np.flatnonzero(work.contact_is_soft[: int(work.contact_count[0])])
    if not soft.size:
        return ""
    from tribo.contact.compliant.ground_law import RESOLVED_BOUNCE  # takes 0.1 s, with all that it imports

    dt, found = float(engine.settings.dt), {}
    for c in soft:
        shapes, x = work.contact_shape[c], float(work.soft_peak[c])
        if x <= RESOLVED_BOUNCE:
            continue
        numbers = table[material[shapes[0]], material[shapes[1]]]
        stiffness, damping = numbers[Pair.STIFFNESS], numbers[Pair.DAMPING]
        # x is a h² + b h.
        b = x / (dt * (1.5 * stiffness * dt + damping)) * damping
        a = (x - b * dt) / dt**2
        step = (np.sqrt(b * b + 4.0 * a * RESOLVED_BOUNCE) - b) / (2.0 * a)
        found[" and ".join(shape_name(objects, int(s)) for s in shapes)] = step
    if not found:
        return ""
    return f"{', '.join(found)}, which {min(found.values()):.2g} s would follow"


def has_compliant_pair(engine: Engine) -> bool:
    """Tell whether some pair of materials is compliant, in any of the worlds."""
    return bool((engine.model.arrays["pair_table"][..., Pair.STIFFNESS] > 0.0).any())


def has_free_bodies_only(engine: Engine) -> bool:
    """Tell whether all that moves are single bodies that nothing ties, in all worlds: only hits turn them."""
    arrays = engine.model.arrays
    fits = (arrays["tree_kind"] == Kind.STATIC) | (arrays["tree_is_single"] == 1)
    return not arrays["constraint_kind"].size and bool(fits.all())


def drive_forms(engine: Engine, objects: Sequence[Object], names: Sequence[str]) -> str:
    """Return a sentence about drives of named objects (none: of all) that are not implicit; else empty.

    Of those of the form "stable" whether its bound for the gains holds, Δt² kp < (4 m + 2 Δt kd)/3, at the
    present state, with m the inertia of the dof if nothing else moves: beyond it is unstable at once.
    """
    command, dt = engine.command, float(engine.settings.dt)
    kp, kd, form = command.kp, command.kd, command.drive_form
    acts = (form != DriveForm.IMPLICIT) & ((kp > 0.0) | (kd > 0.0))
    said, beyond = [], False
    for part in objects:
        if part.span is None or (names and part.name not in names) or not acts[part.span.v].any():
            continue
        where = part.span.v
        used = sorted({int(k) for k in form[where][acts[where]]})
        said.append(f"{part.name} ({', '.join(DriveForm(k).name.lower() for k in used)})")
        if DriveForm.STABLE in used and isinstance(part, ArticulatedSystem):
            mass = part.mass_matrix.diagonal()
            bound = (4.0 * mass + 2.0 * dt * kd[where]) / 3.0
            is_stable_form = acts[where] & (form[where] == DriveForm.STABLE)
            beyond |= bool((is_stable_form & (dt * dt * kp[where] >= bound)).any())
    if not said:
        return ""
    text = f". Drives of {', '.join(said)} are not 'implicit', which may be the reason"
    if beyond:
        text += ": gains of the form 'stable' are beyond its bound, time_step² kp < (4 m + 2 time_step kd)/3"
    return f"{text}; drive_form = 'implicit' is stable at any gain (docs/howto/drives)"


def _opening(tie: Constraint) -> float:
    """Return how far apart the points of a constraint are that should not be [m]; 0 for a slack wire."""
    from tribo.objects.wire import Wire

    if isinstance(tie, Wire):
        beyond = {"stretch": tie.stretch, "compression": -tie.stretch, "both": abs(tie.stretch)}
        return max(0.0, beyond.get(tie.resists, 0.0))
    return float(np.linalg.norm(tie.gap))


def gap(constraints: Sequence[Constraint]) -> str:
    """Return a sentence about the constraint whose points are farthest apart; else empty."""
    wide = {tie.name: _opening(tie) for tie in constraints if tie.is_on}
    name = max(wide, key=lambda k: wide[k], default="")
    return f". Widest gap: {wide[name]:.3g} m, {name}" if wide.get(name, 0.0) >= DEEP else ""


def overlap(contacts: Sequence[Contact]) -> str:
    """Return a sentence about the deepest overlap, within a robot if there is one; else empty."""
    deep = [contact for contact in contacts if contact.depth >= DEEP]
    inner = [contact for contact in deep if contact.object_a is contact.object_b]
    worst = max(inner or deep, key=lambda contact: contact.depth, default=None)
    if worst is None:
        return ""
    a, b = worst.object_a.name, worst.object_b.name
    text = f". Deepest overlap: {worst.depth:.3g} m, {worst.body_a} of {a} and {worst.body_b} of {b}"
    if worst.object_a is not worst.object_b:
        return text
    links = ", ".join(repr(name.rpartition("/")[0]) for name in (worst.body_a, worst.body_b))
    return f"{text}. If they always overlap, call ignore_collision({links}), or ignore_overlaps()"


def kept(engine: Engine, c: int) -> tuple[float, float, float]:
    """Return the coefficient of friction of a contact, its load in parts of the bound, what it misses [m/s].

    The solve has the impulse of a contact material before adhesion, and over the lengths of its directions.
    """
    from tribo.contact.solver.natural_residual import contact_violation

    work, model = engine.work, engine.model
    felt = work.contact_impulse[c].copy()
    x, y = np.divide(felt[:2], work.contact_scale[c], where=work.contact_scale[c] > 0.0, out=np.zeros(2))
    normal = felt[2] + work.adhesion_impulse[c]
    friction = float(work.contact_friction[c])
    bound = friction * normal
    load = float(np.hypot(x, y)) / bound if bound > 0.0 else 0.0
    rows = [int(n) for n in work.contact_friction_row[c] if n >= 0]
    if rows:  # a box: each direction has a bound of its own
        bounds = np.maximum(work.scalar_upper[rows], np.finfo(float).tiny)
        load, x, y = float((abs(work.scalar_impulse[rows]) / bounds).max()), 0.0, 0.0
        a, b = (model.shape_material[s] for s in work.contact_shape[c])
        friction = float(model.pair_table[a, b, Pair.FRICTION])
    if not np.isfinite(work.contact_target[c]):  # it bounces later, sleeps, or is compliant ground
        return friction, load, 0.0
    work.contact_impulse[c] = x, y, normal
    missed = float(contact_violation(model, work, c))
    work.contact_impulse[c] = felt
    return friction, load, missed
