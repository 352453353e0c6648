"""Stage `compliant_rows.set_compliance`: contacts of materials that give way, as rows with a compliance R.

A contact material presses like a spring of stiffness k with the damping k τ (`spook`), whose gap is
g = φ + overlap, φ the gap where the step is evaluated: gaps in mid step move by h w⁺ from step to step, so
that this is the scheme of the source whatever the integrator. k is Young's modulus, or that times the area
of the point over the length at rest of the pair (`contact_area`). Tangential rows give way by γ_t/h, so that
a held load F creeps at γ_t F. A contact that stands for s points (`contact_reduction`) is as stiff as they
are.

* Adhesion is a force that pulls the bodies together, shared by the points of a pair; the impulse of the
  solve counts from there. The cone is then the usual one, and friction gets what adhesion adds.
* Two coefficients of friction are one cone over rows of two lengths: row k stands for s_k times a unit
  vector, the impulse that the world feels is s_k times that of the solve.
* A pair that meets faster than weight explains is hit before it is pressed: the contact is rigid then.

Source: Lacoursière 2007, "Ghosts and Machines" (SPOOK); docs/physics/compliant-materials.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_area import share_area
from tribo.contact.problem.contact_rows import write_diagonal_blocks
from tribo.contact.problem.islands import is_same_pair
from tribo.contact.problem.spook import spook_compliance
from tribo.contact.problem.whitened_products import add_impulse_response
from tribo.enums import FrictionModel
from tribo.math import vec
from tribo.model import Pair

FRICTION = int(Pair.FRICTION)
SECONDARY_FRICTION = int(Pair.SECONDARY_FRICTION)
YOUNGS_MODULUS = int(Pair.YOUNGS_MODULUS)
SPOOK_DAMPING = int(Pair.SPOOK_DAMPING)
VISCOSITY = int(Pair.SURFACE_VISCOSITY)
SECONDARY_VISCOSITY = int(Pair.SECONDARY_SURFACE_VISCOSITY)
ADHESION = int(Pair.ADHESION_FORCE)
OVERLAP = int(Pair.ADHESIVE_OVERLAP)
FRICTION_MODEL = int(Pair.FRICTION_MODEL)
REST_LENGTH = int(Pair.ELASTIC_REST_LENGTH)
CONE = int(FrictionModel.CONE)
DIRECTION = int(Pair.DIRECTION)
REFERENCE_BODY = int(Pair.REFERENCE_BODY)

NO_DIRECTION = 1e-6  # [–] length of a direction in the plane of contact: below, it is along the normal
ADHERES = 1e-5  # [m] what is farther apart does not touch what pulls it
TOUCHING = 1e-12  # [m] less is rounding: what rests shallower than that keeps its contacts
LEAST_SHARE = 1e-4  # [–] of the mean of a contact's own G: along the normal it counts as no less
NO_SCALE = 1e-6  # [–] of the larger coefficient: less friction than that is none


@kernel
def materials_of(model, work, c):
    """Return the materials of the two shapes of contact c."""
    return (model.shape_material[work.contact_shape[c, 0]], model.shape_material[work.contact_shape[c, 1]])


@kernel
def add_row_compliance(work, c, k, compliance):
    """Let row k of contact c give way by R λ.

    Writes: work.
    """
    work.contact_delassus[c, k] += compliance - work.contact_compliance[c, k]
    work.contact_compliance[c, k] = compliance


@kernel
def turn_rows(work, c, x, y):
    """Turn the tangential axes of contact c so that x t₁ + y t₂ becomes the first one.

    Writes: work.
    """
    axes = work.contact_axes
    for k in range(3):
        u, v = axes[c, k], axes[c, 3 + k]
        axes[c, k], axes[c, 3 + k] = x * u + y * v, x * v - y * u
    mix_tangents(work, c, x, y, -y, x)


@kernel
def mix_tangents(work, c, xx, xy, yx, yy):
    """Replace the tangential rows of contact c, and its velocity on them, by two sums of them.

    Writes: work.
    """
    row = work.row
    for side in range(2):
        i = work.contact_row[c, side]
        for _ in range(work.contact_len[c, side]):
            u, v = row[i], row[i + 1]
            row[i], row[i + 1] = xx * u + xy * v, yx * u + yy * v
            i += 3
    for array in (work.contact_vel, work.contact_drift):
        u, v = array[c, 0], array[c, 1]
        array[c, 0], array[c, 1] = xx * u + xy * v, yx * u + yy * v


@kernel
def reference_instance(model, work, c, body):
    """Return which body of the objects of contact c is an instance of a reference body, else that itself."""
    for side in range(2):
        t = model.body_tree[work.contact_body[c, side]]
        for k in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
            if model.body_like[k] == body:
                return k
    return body


@kernel
def orient_tangents(model, work, c, a, b):
    """Let the first direction of friction of contact c be that of its pair, in the plane of contact.

    A direction along the normal is none: the axes stay as they are.

    Writes: work.
    """
    table = model.pair_table
    d = (table[a, b, DIRECTION], table[a, b, DIRECTION + 1], table[a, b, DIRECTION + 2])
    body = int(table[a, b, REFERENCE_BODY])
    if body >= 0:
        d = vec.mat_vec(vec.load_mat(work.body_rot, reference_instance(model, work, c, body)), d)
    x, y, _ = vec.mat_vec(vec.load_mat(work.contact_axes, c), d)
    length = sqrt(x * x + y * y)
    if length > NO_DIRECTION:
        turn_rows(work, c, x / length, y / length)
        write_diagonal_blocks(model, work, c)


@kernel
def scale_friction(model, settings, work, c, a, b):
    """Give the tangential rows of contact c the lengths and compliances of their two directions.

    A row that no friction reaches has length 0, and a compliance for its impulse to be 0.

    Writes: work.
    """
    table = model.pair_table
    most = max(table[a, b, FRICTION], table[a, b, SECONDARY_FRICTION])
    first = table[a, b, FRICTION] / most if most > 0.0 else 1.0
    second = table[a, b, SECONDARY_FRICTION] / most if most > 0.0 else 1.0
    first = first if first > NO_SCALE else 0.0
    second = second if second > NO_SCALE else 0.0
    work.contact_scale[c, 0] = first
    work.contact_scale[c, 1] = second
    if first != 1.0 or second != 1.0:
        mix_tangents(work, c, first, 0.0, 0.0, second)
        write_diagonal_blocks(model, work, c)
    other = work.contact_delassus[c, 2]
    share = settings.dt * work.contact_share[c]
    x = first * first * table[a, b, VISCOSITY] / share
    y = second * second * table[a, b, SECONDARY_VISCOSITY] / share
    add_row_compliance(work, c, 0, x if first > 0.0 else other)
    add_row_compliance(work, c, 1, y if second > 0.0 else other)


@kernel
def stiffness_of(model, work, c):
    """Return the stiffness k of contact c [N/m]: that of its points, or of its area."""
    a, b = materials_of(model, work, c)
    modulus = model.pair_table[a, b, YOUNGS_MODULUS]
    if work.contact_area[c] > 0.0:
        return modulus * work.contact_area[c] / model.pair_table[a, b, REST_LENGTH]
    return modulus * work.contact_share[c]


@kernel
def share_adhesion(model, settings, work, first, end):
    """Share the adhesion of a pair among its contacts from `first` to `end` − 1 that it reaches.

    It reaches what overlaps, and what is apart by no more than its spring is stretched by that force.

    Writes: work.
    """
    a, b = materials_of(model, work, first)
    table = model.pair_table
    force = table[a, b, ADHESION]
    stiffness = table[a, b, YOUNGS_MODULUS]
    if table[a, b, REST_LENGTH] > 0.0:
        stiffness = 0.0
        for c in range(first, end):
            stiffness += stiffness_of(model, work, c)
    reach = max(0.0, force / stiffness - table[a, b, OVERLAP])
    count = 0
    for c in range(first, end):
        if work.contact_gap[c] + work.gap_allowance[c] <= reach:
            count += 1
    for c in range(first, end):
        if work.contact_gap[c] + work.gap_allowance[c] <= reach:
            pull = settings.dt * force / count
            work.adhesion_impulse[c] = pull
            add_impulse_response(model, work, work.contact_row, c, (0.0, 0.0, -pull), work.free_response)


@kernel
def apply_adhesion(model, settings, work):
    """Let actuators pull bodies onto what they touch: each force is shared by the contacts of its body.

    Writes: work.
    """
    for b in range(work.body_adhesion.shape[0]):
        if work.body_adhesion[b] <= 0.0:
            continue
        count = 0
        share = 0.0
        for part in range(2):  # first count
            if part == 1:
                share = settings.dt * work.body_adhesion[b] / max(1, count)
            for c in range(work.contact_count[0]):
                is_own = work.contact_body[c, 0] == b or work.contact_body[c, 1] == b
                if not is_own or work.contact_is_soft[c] != 0 or work.contact_is_resting[c] == 1:
                    continue
                if work.contact_gap[c] + work.gap_allowance[c] > ADHERES:
                    continue
                if part == 0:
                    count += 1
                else:
                    work.adhesion_impulse[c] += share
                    down = (0.0, 0.0, -share)
                    add_impulse_response(model, work, work.contact_row, c, down, work.free_response)


@kernel
def set_compliance(model, state, settings, work):
    """Give the rows of compliant pairs their directions, lengths and compliances; let adhesion pull.

    The normal row's compliance is set with its target (`set_spring_target`). Of a rigid contact whose bodies
    can hardly part along its normal, as links that touch nearly along their joints, it bounds the impulse.

    Writes: work.
    """
    for c in range(work.contact_count[0]):
        work.contact_area[c] = 0.0
    old = first = 0
    for c in range(work.contact_count[0]):
        for k in range(3):
            work.contact_compliance[c, k] = 0.0
        work.contact_scale[c, 0] = work.contact_scale[c, 1] = 1.0
        work.adhesion_impulse[c] = 0.0
        if not is_same_pair(work, first, c):
            first = c
        if work.contact_is_soft[c] != 0 or work.contact_is_resting[c] == 1:
            continue
        a, b = materials_of(model, work, c)
        if model.pair_table[a, b, YOUNGS_MODULUS] <= 0.0:
            least = LEAST_SHARE * work.diagonal_delassus[c]
            add_row_compliance(work, c, 2, max(0.0, least - work.contact_delassus[c, 2]))
            continue
        if model.pair_table[a, b, REST_LENGTH] > 0.0 and work.contact_area[c] == 0.0:
            share_area(model, work, c, model.pair_table[a, b, REST_LENGTH])
        while old < state.warm_count[0] and state.warm_key[old] < work.contact_key[c]:
            old += 1
        work.contact_load[c] = -1.0
        if old < state.warm_count[0] and state.warm_key[old] == work.contact_key[c]:
            f = state.warm_impulse
            _, _, z = vec.mat_vec(vec.load_mat(work.contact_axes, c), (f[old, 0], f[old, 1], f[old, 2]))
            work.contact_load[c] = max(0.0, z)
        if (
            model.pair_table[a, b, DIRECTION] ** 2
            + model.pair_table[a, b, DIRECTION + 1] ** 2
            + (model.pair_table[a, b, DIRECTION + 2] ** 2)
            > 0.0
        ):
            orient_tangents(model, work, c, a, b)
        if model.pair_table[a, b, FRICTION_MODEL] == CONE:
            scale_friction(model, settings, work, c, a, b)
        is_last = c + 1 == work.contact_count[0] or not is_same_pair(work, c, c + 1)
        if is_last and model.pair_table[a, b, ADHESION] > 0.0:
            share_adhesion(model, settings, work, first, c + 1)
    if model.actuator_gear.shape[0] > 0:
        apply_adhesion(model, settings, work)


@kernel
def set_spring_target(model, settings, work, c, speed):
    """Let contact c press like a spring; return the least normal velocity that it then asks for [m/s].

    speed: normal velocity at the start of the step, < 0: towards each other. Bodies that are apart do not
    press.

    Writes: work.
    """
    a, b = materials_of(model, work, c)
    table = model.pair_table
    h = settings.dt
    gap = work.contact_gap[c] + work.gap_allowance[c]
    if gap > TOUCHING and work.adhesion_impulse[c] == 0.0:
        add_row_compliance(work, c, 2, 0.0)
        return -inf
    gamma, r = spook_compliance(1.0 / stiffness_of(model, work, c), table[a, b, SPOOK_DAMPING], h)
    add_row_compliance(work, c, 2, r)
    gap += table[a, b, OVERLAP]
    return gamma * speed - 4.0 * gamma / h * gap + r * work.adhesion_impulse[c]


@kernel
def to_felt_impulse(work, c):
    """Make the impulse of contact c, of the solve, that which the bodies feel.

    Writes: work.
    """
    for k in range(2):
        if work.contact_friction_row[c, k] >= 0:
            work.contact_impulse[c, k] = work.scalar_impulse[work.contact_friction_row[c, k]]
    work.contact_impulse[c, 0] *= work.contact_scale[c, 0]
    work.contact_impulse[c, 1] *= work.contact_scale[c, 1]
    work.contact_impulse[c, 2] -= work.adhesion_impulse[c]


@kernel
def to_solver_impulse(work, c, impulse):
    """Return the impulse of contact c as the solve has it, from that which the bodies feel."""
    x = work.contact_scale[c, 0]
    y = work.contact_scale[c, 1]
    return (
        impulse[0] / x if x > 0.0 else 0.0,
        impulse[1] / y if y > 0.0 else 0.0,
        impulse[2] + work.adhesion_impulse[c],
    )
