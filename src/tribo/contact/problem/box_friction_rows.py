"""Stage `box_friction_rows.write_box_friction_rows`: friction with bounds along two directions.

Such a contact has no cone; two scalar rows bound its friction, |λ_k| ≤ μ_k N h along direction k. N is the
normal force of the last step (box), that of this step (scaled box) or a constant (constant force). A new
contact starts with the force that stops its bodies where they touch and bears them, m (−v_n/h + g_n − φ/h²),
shared by the points of its pair that need one: m is its effective mass, g_n the weight that presses on it,
φ ≥ 0 its gap. Open points that need none have no friction.

A scaled box is solved repeatedly, each time with the bounds of the last solution, until these stay.
Source: friction models of AGX as Algoryx and Choreonoid describe them; docs/physics/compliant-materials.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import scalar_rows
from tribo.contact.problem.contact_rows import contact_point, materials_of
from tribo.contact.problem.islands import contacts_in, is_same_pair
from tribo.contact.problem.scalar_rows import GIVES_WAY
from tribo.contact.problem.whitened_products import add_scalar_to, clamp_impulse
from tribo.enums import FrictionModel
from tribo.math import vec
from tribo.math.linalg import ROUND_OFF
from tribo.model import Pair, Status

SLOT = -2  # slot of the rows of contact 0; rows of contacts are not stored in the state
SETTLED = 1e-9  # [–] of a bound: a smaller change ends the iteration


@kernel
def speed_to_stop(settings, work, c):
    """Return the speed that contact c must take for its bodies to stop where they touch [m/s]; ≤ 0: none."""
    n = vec.load_from(work.contact_axes, c, 6)
    fall = vec.dot(n, (settings.gravity_x, settings.gravity_y, settings.gravity_z))
    weight = max(-fall if work.contact_len[c, 0] > 0 else 0.0, fall if work.contact_len[c, 1] > 0 else 0.0)
    gap = max(0.0, work.contact_gap[c] + work.gap_allowance[c])
    return settings.dt * weight - work.contact_vel[c, 2] - gap / settings.dt


@kernel
def first_load(model, settings, work, c):
    """Return the normal impulse from which the first bounds of contact c follow [N s]."""
    a, b = materials_of(model, work, c)
    table = model.pair_table
    taken = speed_to_stop(settings, work, c)
    is_open = work.contact_gap[c] + work.gap_allowance[c] > ROUND_OFF
    if work.contact_target[c] == -inf or (is_open and taken <= 0.0 and work.adhesion_impulse[c] == 0.0):
        return 0.0
    if int(table[a, b, Pair.FRICTION_MODEL]) == FrictionModel.CONSTANT_FORCE_BOX:
        return table[a, b, Pair.NORMAL_FORCE] * settings.dt * work.contact_share[c]
    if work.contact_load[c] >= 0.0:
        return work.contact_load[c] + work.adhesion_impulse[c]
    own = work.contact_delassus[c, 2] - work.contact_compliance[c, 2]
    if own <= 0.0 or not taken > 0.0:
        return 0.0
    points = 0
    first = c
    while first > 0 and is_same_pair(work, first - 1, c):
        first -= 1
    while first < work.contact_count[0] and is_same_pair(work, first, c):
        points += speed_to_stop(settings, work, first) > 0.0
        first += 1
    return taken / (own * points)


@kernel
def open_direction_row(model, settings, work, c, k):
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
    scalar_rows.close_row(model, work, n, 0.0, 0.0, 0.0, give)
    if work.scalar_count[0] == n:
        return -1
    work.scalar_reach[n] = GIVES_WAY
    work.scalar_impulse[n] = 0.0
    return n


@kernel
def aim_friction_rows(model, settings, work, c):
    """Set the bounds of the friction rows of contact c, which replace its cone, and their relative velocity.

    Writes: work.
    """
    rows = work.contact_friction_row
    if rows[c, 0] < 0 and rows[c, 1] < 0:
        return
    work.contact_friction[c] = 0.0
    load = first_load(model, settings, work, c)
    for k in range(2):
        if rows[c, k] >= 0:
            work.scalar_start[rows[c, k]] = work.contact_start[c, k]
            set_bounds(model, work, c, k, load)


@kernel
def set_bounds(model, work, c, k, load):
    """Set the bounds of contact c along its tangent k to μ_k times a normal impulse; tell if they changed.

    Friction beyond them becomes the bound, with its response.

    Writes: work.
    """
    a, b = materials_of(model, work, c)
    n = work.contact_friction_row[c, k]
    bound = model.pair_table[a, b, Pair.FRICTION if k == 0 else Pair.SECONDARY_FRICTION] * load
    has_changed = abs(bound - work.scalar_upper[n]) > SETTLED * bound
    work.scalar_lower[n], work.scalar_upper[n] = -bound, bound
    kept = clamp_impulse(work, n, work.scalar_impulse[n])
    if kept != work.scalar_impulse[n]:
        add_scalar_to(model, work, n, kept - work.scalar_impulse[n], work.response)
        work.scalar_impulse[n] = kept
    return has_changed


@kernel
def write_box_friction_rows(model, settings, work):
    """Write the two friction rows of every contact with box friction.

    Writes: work.
    """
    work.friction_count[0] = 0
    for c in range(work.contact_count[0]):
        work.contact_friction_row[c, 0] = work.contact_friction_row[c, 1] = -1
        a, b = materials_of(model, work, c)
        law = int(model.pair_table[a, b, Pair.FRICTION_MODEL])
        is_soft = work.contact_is_soft[c] != 0 or model.pair_table[a, b, Pair.YOUNGS_MODULUS] <= 0.0
        if is_soft or law == FrictionModel.CONE or work.contact_target[c] == -inf:  # −inf if it rests, too
            continue
        work.friction_count[0] += 2
        if work.scalar_count[0] + 2 > work.scalar_slot.shape[0]:
            work.status[0] |= Status.CAPACITY
            continue
        for k in range(2):
            work.contact_friction_row[c, k] = open_direction_row(model, settings, work, c, k)
        aim_friction_rows(model, settings, work, c)


@kernel
def scale_bounds(model, work, t):
    """Set the bounds of scaled boxes in island t by the normal impulses; return whether one changed.

    Writes: work.
    """
    if work.friction_count[0] == 0:
        return False
    moved = False
    for c in contacts_in(work, t):
        a, b = materials_of(model, work, c)
        if int(model.pair_table[a, b, Pair.FRICTION_MODEL]) != FrictionModel.SCALED_BOX:
            continue
        for side in range(2):
            if work.contact_friction_row[c, side] >= 0:
                moved = set_bounds(model, work, c, side, work.contact_impulse[c, 2]) or moved
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
