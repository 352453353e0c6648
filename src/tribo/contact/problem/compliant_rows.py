"""Stage `compliant_rows.set_compliance`: contacts of compliant materials, as rows with a compliance R.

A compliant contact presses like a spring of stiffness k with damping k τ (`spook`), whose gap is
g = φ + overlap, φ the gap at the evaluation of the step. Gaps at mid step change by h w⁺ from step to step,
so the scheme is that of the source for every integrator. k is Young's modulus times the share of the point,
or times the area of the point over the rest length of the pair (`contact_area`). Tangential rows have the
compliance γ_t/h, so that a held load F creeps at γ_t F. A contact that stands for s points
(`contact_reduction`) has s times the stiffness.

* Adhesion is a force that pulls the bodies together, shared by the points of a pair. The impulse of the solve
  is counted from it: the cone is the usual one, and friction profits from adhesion.
* Two coefficients of friction are one cone over scaled rows: row k is s_k times a unit vector, and the
  impulse on the bodies is s_k times that of the solve.
* A pair that meets faster than weight explains is rigid in that step: it rebounds before it is pressed. One
  with adhesion meets where the step closes its gap; before that the force is that of the spring.

Source: Lacoursière 2007, "Ghosts and Machines" (SPOOK); docs/physics/compliant-materials.
"""

from math import inf, sqrt

from tribo.collision.sorted_keys import place_of
from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_area import share_area
from tribo.contact.problem.contact_rows import materials_of, write_diagonal_blocks
from tribo.contact.problem.islands import is_same_pair
from tribo.contact.problem.spook import spook_compliance
from tribo.contact.problem.whitened_products import add_impulse_response
from tribo.enums import FrictionModel
from tribo.math import vec
from tribo.math.linalg import ALIKE, ROUND_OFF
from tribo.model import Pair

ADHERES = 1e-5  # [m] gap up to which an adhesive actuator acts
MIN_SHARE = 1e-4  # [–] of the mean of a contact's own G: lower bound of G + R along the normal


@kernel
def add_row_compliance(work, c, k, compliance):
    """Set the compliance R of row k of contact c, and update its own block of G.

    Writes: work.
    """
    work.contact_delassus[c, k] += compliance - work.contact_compliance[c, k]
    work.contact_compliance[c, k] = compliance


@kernel
def mix_tangents(work, c, xx, xy, yx, yy):
    """Replace the tangential rows of contact c, with velocity and drift, by (xx t₁ + xy t₂, yx t₁ + yy t₂).

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
    """Return the body of contact c's objects that is an instance of a reference body; else that body."""
    for side in range(2):
        t = model.body_tree[work.contact_body[c, side]]
        for k in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
            if model.body_like[k] == body:
                return k
    return body


@kernel
def orient_tangents(model, work, c, a, b):
    """Rotate the tangents of contact c: the first becomes the direction of its pair, in the plane of contact.

    Nothing changes if that direction is along the normal, or 0.

    Writes: work.
    """
    table = model.pair_table
    d = (table[a, b, Pair.DIRECTION], table[a, b, Pair.DIRECTION + 1], table[a, b, Pair.DIRECTION + 2])
    body = int(table[a, b, Pair.REFERENCE_BODY])
    if body >= 0:
        d = vec.mat_vec(vec.load_mat(work.body_rot, reference_instance(model, work, c, body)), d)
    x, y, _ = vec.mat_vec(vec.load_mat(work.contact_axes, c), d)
    length = sqrt(x * x + y * y)
    if length > ALIKE:  # a shorter direction is along the normal
        x, y = x / length, y / length
        axes = work.contact_axes
        for k in range(3):
            u, v = axes[c, k], axes[c, 3 + k]
            axes[c, k], axes[c, 3 + k] = x * u + y * v, x * v - y * u
        mix_tangents(work, c, x, y, -y, x)
        write_diagonal_blocks(model, work, c)


@kernel
def scale_friction(model, settings, work, c, a, b):
    """Scale the tangential rows of contact c by its two coefficients, and set their compliances.

    A row without friction has length 0, and a compliance that makes its impulse 0.

    Writes: work.
    """
    table = model.pair_table
    most = max(table[a, b, Pair.FRICTION], table[a, b, Pair.SECONDARY_FRICTION])
    first = table[a, b, Pair.FRICTION] / most if most > 0.0 else 1.0
    second = table[a, b, Pair.SECONDARY_FRICTION] / most if most > 0.0 else 1.0
    first = first if first > ALIKE else 0.0
    second = second if second > ALIKE else 0.0
    work.contact_scale[c, 0], work.contact_scale[c, 1] = first, second
    if first != 1.0 or second != 1.0:
        mix_tangents(work, c, first, 0.0, 0.0, second)
        write_diagonal_blocks(model, work, c)
    other = work.contact_delassus[c, 2]
    share = settings.dt * work.contact_share[c]
    x = first * first * table[a, b, Pair.SURFACE_VISCOSITY] / share
    y = second * second * table[a, b, Pair.SECONDARY_SURFACE_VISCOSITY] / share
    add_row_compliance(work, c, 0, x if first > 0.0 else other)
    add_row_compliance(work, c, 1, y if second > 0.0 else other)


@kernel
def stiffness_of(model, work, c):
    """Return the stiffness k of contact c [N/m], from its share of points or its area."""
    a, b = materials_of(model, work, c)
    modulus = model.pair_table[a, b, Pair.YOUNGS_MODULUS]
    if work.contact_area[c] > 0.0:
        return modulus * work.contact_area[c] / model.pair_table[a, b, Pair.ELASTIC_REST_LENGTH]
    return modulus * work.contact_share[c]


@kernel
def share_adhesion(model, settings, work, first, end):
    """Share the adhesion of a pair among those of its contacts from `first` to `end` − 1 that it reaches.

    It reaches overlapping points, and gaps up to the extension of the pair's spring under this force.

    Writes: work.
    """
    a, b = materials_of(model, work, first)
    table = model.pair_table
    force = table[a, b, Pair.ADHESION_FORCE]
    stiffness = table[a, b, Pair.YOUNGS_MODULUS]
    if table[a, b, Pair.ELASTIC_REST_LENGTH] > 0.0:
        stiffness = 0.0
        for c in range(first, end):
            stiffness += stiffness_of(model, work, c)
    reach = max(0.0, force / stiffness - table[a, b, Pair.ADHESIVE_OVERLAP])
    share_pull(model, work, first, end, -1, reach, settings.dt * force)


@kernel
def is_pulled(work, c, body, reach):
    """Tell whether a pull on a body (−1: any) acts at contact c: it has rows and a gap up to `reach`."""
    is_own = body < 0 or work.contact_body[c, 0] == body or work.contact_body[c, 1] == body
    has_rows = work.contact_is_soft[c] == 0 and work.contact_is_resting[c] == 0
    return is_own and has_rows and work.contact_gap[c] + work.gap_allowance[c] <= reach


@kernel
def share_pull(model, work, first, end, body, reach, pull):
    """Share an impulse that pulls bodies together among those contacts from `first` to `end` − 1 it acts at.

    Writes: work.
    """
    count = 0
    for c in range(first, end):
        count += is_pulled(work, c, body, reach)
    for c in range(first, end):
        if is_pulled(work, c, body, reach):
            down = (0.0, 0.0, -pull / count)
            work.adhesion_impulse[c] -= down[2]
            add_impulse_response(model, work, work.contact_row, c, down, work.free_response)


@kernel
def set_compliance(model, state, settings, work):
    """Set directions, scales and compliances of the rows of compliant pairs, and apply adhesion.

    The normal compliance follows with the target (`set_spring_target`). A rigid contact whose bodies can
    hardly move along its normal, as links that touch nearly along their joint axes, gets a small normal
    compliance, which bounds its impulse.

    Writes: work.
    """
    for c in range(work.contact_count[0]):
        work.contact_area[c] = 0.0
    first = 0
    for c in range(work.contact_count[0]):
        vec.store(work.contact_compliance, c, (0.0, 0.0, 0.0))
        work.contact_scale[c, 0] = work.contact_scale[c, 1] = 1.0
        work.adhesion_impulse[c] = 0.0
        if not is_same_pair(work, first, c):
            first = c
        if work.contact_is_soft[c] != 0 or work.contact_is_resting[c] == 1:
            continue
        a, b = materials_of(model, work, c)
        if model.pair_table[a, b, Pair.YOUNGS_MODULUS] <= 0.0:
            least = MIN_SHARE * work.diagonal_delassus[c]
            add_row_compliance(work, c, 2, max(0.0, least - work.contact_delassus[c, 2]))
            continue
        if model.pair_table[a, b, Pair.ELASTIC_REST_LENGTH] > 0.0 and work.contact_area[c] == 0.0:
            share_area(model, work, c, model.pair_table[a, b, Pair.ELASTIC_REST_LENGTH])
        work.contact_load[c] = -1.0
        old = place_of(state.warm_key, state.warm_count[0], work.contact_key[c])
        if old >= 0:
            _, _, z = vec.mat_vec(vec.load_mat(work.contact_axes, c), vec.load(state.warm_impulse, old))
            work.contact_load[c] = max(0.0, z)
        orient_tangents(model, work, c, a, b)
        if model.pair_table[a, b, Pair.FRICTION_MODEL] == FrictionModel.CONE:
            scale_friction(model, settings, work, c, a, b)
        is_last = c + 1 == work.contact_count[0] or not is_same_pair(work, c, c + 1)
        if is_last and model.pair_table[a, b, Pair.ADHESION_FORCE] > 0.0:
            share_adhesion(model, settings, work, first, c + 1)
    for body in range(work.body_adhesion.shape[0] if model.actuator_gear.shape[0] > 0 else 0):
        if work.body_adhesion[body] > 0.0:  # adhesive actuators
            pull = settings.dt * work.body_adhesion[body]
            share_pull(model, work, 0, work.contact_count[0], body, ADHERES, pull)


@kernel
def set_spring_target(model, settings, work, c, speed):
    """Set the normal compliance of contact c as a spring; return its target velocity [m/s].

    speed: normal velocity at the start of the step (< 0: approaching). −inf: an open gap without adhesion.

    Writes: work.
    """
    a, b = materials_of(model, work, c)
    table = model.pair_table
    h = settings.dt
    gap = work.contact_gap[c] + work.gap_allowance[c]
    if gap > ROUND_OFF and work.adhesion_impulse[c] == 0.0:
        add_row_compliance(work, c, 2, 0.0)
        return -inf
    gamma, r = spook_compliance(1.0 / stiffness_of(model, work, c), table[a, b, Pair.SPOOK_DAMPING], h)
    add_row_compliance(work, c, 2, r)
    gap += table[a, b, Pair.ADHESIVE_OVERLAP]
    return gamma * speed - 4.0 * gamma / h * gap + r * work.adhesion_impulse[c]


@kernel
def to_felt_impulse(work, c):
    """Convert the impulse of contact c from that of the solve to that on the bodies.

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
    """Return an impulse of contact c as the solve has it, from that on the bodies."""
    x, y = work.contact_scale[c, 0], work.contact_scale[c, 1]
    return (
        impulse[0] / x if x > 0.0 else 0.0,
        impulse[1] / y if y > 0.0 else 0.0,
        impulse[2] + work.adhesion_impulse[c],
    )
