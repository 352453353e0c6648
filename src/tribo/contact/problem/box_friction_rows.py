"""Stage `box_friction_rows.write_box_friction_rows`: friction with bounds along two directions.

Such a contact has no cone; two scalar rows bound its friction, |λ_k| ≤ μ_k N h along direction k. N is the
normal force of the last step (box), that of this step (scaled box) or a constant (constant force). A new
contact has no last step: it starts with the force that stops and bears its bodies, m (|v_n|/h + g_n), shared
by the points of its pair, with m the effective mass of the contact.

A scaled box is solved repeatedly, each time with the bounds of the last solution, until these stay.
Source: friction models of AGX as Algoryx and Choreonoid describe them; docs/physics/compliant-materials.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import scalar_rows
from tribo.contact.problem.contact_rows import contact_point, materials_of
from tribo.contact.problem.islands import contacts_in, is_same_pair
from tribo.contact.problem.scalar_rows import GIVES_WAY
from tribo.enums import FrictionModel
from tribo.math import vec
from tribo.model import Pair, Status

SLOT = -2  # slot of the rows of contact 0; rows of contacts are not stored in the state
SETTLED = 1e-9  # [–] of a bound: a smaller change ends the iteration


@kernel
def has_box(model, work, c):
    """Tell whether contact c has box friction."""
    if work.contact_is_soft[c] != 0 or work.contact_is_resting[c] == 1:
        return False
    a, b = materials_of(model, work, c)
    law = int(model.pair_table[a, b, Pair.FRICTION_MODEL])
    return model.pair_table[a, b, Pair.YOUNGS_MODULUS] > 0.0 and law != FrictionModel.CONE


@kernel
def first_load(model, settings, work, c):
    """Return the normal impulse from which the first bounds of contact c follow [N s]."""
    a, b = materials_of(model, work, c)
    table = model.pair_table
    if int(table[a, b, Pair.FRICTION_MODEL]) == FrictionModel.CONSTANT_FORCE_BOX:
        return table[a, b, Pair.NORMAL_FORCE] * settings.dt * work.contact_share[c]
    if work.contact_load[c] >= 0.0:
        return work.contact_load[c] + work.adhesion_impulse[c]
    own = work.contact_delassus[c, 2] - work.contact_compliance[c, 2]
    if own <= 0.0:
        return 0.0
    points = 1
    while c + points < work.contact_count[0] and is_same_pair(work, c, c + points):
        points += 1
    k = c - 1
    while k >= 0 and is_same_pair(work, k, c):
        points += 1
        k -= 1
    n = (work.contact_axes[c, 6], work.contact_axes[c, 7], work.contact_axes[c, 8])
    weight = abs(vec.dot(n, (settings.gravity_x, settings.gravity_y, settings.gravity_z)))
    return (abs(work.contact_vel[c, 2]) + settings.dt * weight) / (own * points)


@kernel
def open_direction_row(model, settings, work, c, k, load):
    """Append the row of contact c along its tangent k; return its number, −1 if nothing can move it.

    Writes: work.
    """
    a, b = materials_of(model, work, c)
    n = scalar_rows.open_row(model, work, SLOT - c, work.contact_body[c, 0], work.contact_body[c, 1])
    if n < 0:
        return -1
    t = vec.load_from(work.contact_axes, c, 3 * k)
    scalar_rows.add_force_along(model, work, n, 0, contact_point(model, work, c, 0), t)
    scalar_rows.add_force_along(model, work, n, 1, contact_point(model, work, c, 1), vec.neg(t))
    give = model.pair_table[a, b, Pair.SURFACE_VISCOSITY if k == 0 else Pair.SECONDARY_SURFACE_VISCOSITY]
    give /= settings.dt * work.contact_share[c]
    bound = model.pair_table[a, b, Pair.FRICTION if k == 0 else Pair.SECONDARY_FRICTION] * load
    target = -work.contact_drift[c, k] - vec.dot(t, vec.load(work.contact_surface, c))
    scalar_rows.close_row(model, work, n, target, -bound, bound, give)
    if work.scalar_count[0] == n:
        return -1
    work.scalar_reach[n] = GIVES_WAY
    work.scalar_impulse[n] = 0.0
    return n


@kernel
def write_box_friction_rows(model, settings, work):
    """Write the two friction rows of every contact with box friction.

    Writes: work.
    """
    work.friction_count[0] = 0
    for c in range(work.contact_count[0]):
        work.contact_friction_row[c, 0] = work.contact_friction_row[c, 1] = -1
        if not has_box(model, work, c) or work.contact_target[c] == -inf:
            continue
        work.friction_count[0] += 2
        if work.scalar_count[0] + 2 > work.scalar_slot.shape[0]:
            work.status[0] |= Status.CAPACITY
            continue
        work.contact_friction[c] = 0.0
        load = first_load(model, settings, work, c)
        for k in range(2):
            work.contact_friction_row[c, k] = open_direction_row(model, settings, work, c, k, load)


@kernel
def scale_bounds(model, work, t):
    """Set the bounds of scaled boxes in island t by the normal impulses; return whether one changed.

    Writes: work.
    """
    if work.friction_count[0] == 0:
        return False
    table = model.pair_table
    moved = False
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        a, b = materials_of(model, work, c)
        if int(table[a, b, Pair.FRICTION_MODEL]) != FrictionModel.SCALED_BOX:
            continue
        for side in range(2):
            n = work.contact_friction_row[c, side]
            if n < 0:
                continue
            mu = table[a, b, Pair.FRICTION if side == 0 else Pair.SECONDARY_FRICTION]
            bound = mu * work.contact_impulse[c, 2]
            if abs(bound - work.scalar_upper[n]) > SETTLED * bound:
                moved = True
            work.scalar_upper[n] = bound
            work.scalar_lower[n] = -bound
    return moved


@kernel
def split_impulse(work, c, impulse):
    """Move the tangential part of an impulse of contact c to its friction rows; return the rest.

    Writes: work.
    """
    if work.contact_friction_row[c, 0] < 0 and work.contact_friction_row[c, 1] < 0:
        return impulse
    for k in range(2):
        if work.contact_friction_row[c, k] >= 0:
            work.scalar_impulse[work.contact_friction_row[c, k]] = impulse[k]
    return (0.0, 0.0, impulse[2])
