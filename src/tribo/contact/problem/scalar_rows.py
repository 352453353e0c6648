"""Scalar rows: one impulse between two bounds. All rows of the contact problem except contacts.

A row has sides A and B, each the chain of dofs of a body, and a velocity w = J v − target:

    lower ≤ λ ≤ upper,   w = G λ + c + R λ,   w > 0 only at the lower bound, w < 0 only at the upper one

0 … ∞ is a joint limit or a wire, −∞ … ∞ an equation (pin, weld, mimic joint), −hτ … hτ dry friction or a
motor. A law opens a row, adds its Jacobian, and closes it with target, bounds and compliance R. Its impulse
is stored from step to step in the slot that the law names.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.whitened_products import add_scalar_row_response, shared_dofs
from tribo.dynamics.inertia import form_missing_rows
from tribo.enums import CONSTRAINT_SLOTS
from tribo.math import spatial, vec
from tribo.math.linalg import ROUND_OFF
from tribo.model import Kind, Status

GIVES_WAY = -1.0  # `Work.scalar_reach` of a row that fixes no position


@kernel
def constraint_of_row(model, work, n):
    """Return the constraint between bodies that row n belongs to; −1 for a row of a joint."""
    if model.constraint_slot.shape[0] == 0 or work.scalar_slot[n] < model.constraint_slot[0]:
        return -1
    return (work.scalar_slot[n] - model.constraint_slot[0]) // CONSTRAINT_SLOTS


@kernel
def is_coupling_row(model, work, n):
    """Tell whether row n, not of a constraint between bodies, belongs to a coupling of joints."""
    slot = work.scalar_slot[n]
    return slot >= model.tree_coupling_slot[model.body_tree[work.scalar_body[n, 0]]]


@kernel
def add_impulses_by_slot(work, out):
    """Add the impulses of the present rows to an array by slot.

    Writes: out.
    """
    for n in range(work.scalar_count[0]):
        if work.scalar_slot[n] >= 0:
            out[work.scalar_slot[n]] += work.scalar_impulse[n]


@kernel
def keep_impulses_by_slot(work):
    """Keep the impulses of the present rows by slot, as start of the next solve, if the step had one before.

    Writes: work.
    """
    if work.solves[0] == 0:
        return
    for n in range(work.scalar_count[0]):
        if work.scalar_slot[n] >= 0:
            work.slot_impulse[work.scalar_slot[n]] = 0.0
    add_impulses_by_slot(work, work.slot_impulse)


@kernel
def open_row(model, work, slot, a, b):
    """Begin a row between bodies a and b (−1: none) with J = 0; return its number, −1 without room.

    Writes: work.
    """
    n = work.scalar_count[0]
    first = work.row_count[0]
    free = first
    work.scalar_slot[n] = slot
    for side in range(2):
        body = a if side == 0 else b
        count = model.body_chain_len[body] if body >= 0 else 0
        work.scalar_body[n, side] = max(body, 0)
        work.scalar_len[n, side] = count
        work.scalar_row[n, side] = free
        free += count
    work.row_count[0] = free
    if free > work.row.shape[0]:
        work.status[0] |= Status.CAPACITY
        return -1
    for k in range(first, free):
        work.row[k] = 0.0
    work.scalar_count[0] = n + 1
    return n


@kernel
def add_dof(model, work, n, side, dof, factor):
    """Add a factor to J of row n at a dof of the chain of a side. J += factor

    Writes: work.
    """
    work.row[work.scalar_row[n, side] + model.dof_depth[dof]] += factor


@kernel
def add_wrench(model, work, n, side, torque, force):
    """Add a wrench on a side, at the origin of its tree, world axes, to J of row n. J += fᵀ S

    Writes: work.
    """
    body = work.scalar_body[n, side]
    first = work.scalar_row[n, side]
    if model.tree_is_single[model.body_tree[body]] == 1:  # its motion axes are those of the world
        if work.scalar_len[n, side] > 0:
            for k in range(3):
                work.row[first + k] += force[k]
                work.row[first + 3 + k] += torque[k]
        return
    chain = model.body_chain_start[body]
    wrench = (torque[0], torque[1], torque[2], force[0], force[1], force[2])
    for p in range(work.scalar_len[n, side]):
        axis = spatial.load(work.dof_axis, model.chain_dof[chain + p])
        work.row[first + p] += spatial.dot(axis, wrench)


@kernel
def add_force_along(model, work, n, side, point, direction):
    """Add a unit force along a direction at a point, world axes, to J of row n. J += dᵀ ∂v_point/∂v

    Writes: work.
    """
    root = model.tree_body[model.body_tree[work.scalar_body[n, side]]]
    arm = vec.sub(point, vec.load(work.body_pos, root))
    add_wrench(model, work, n, side, vec.cross(arm, direction), direction)


@kernel
def whiten_scalar(model, work, body, first):
    """Replace the row J of a body's chain by D^(−1/2) L⁻ᵀ Jᵀ.

    Writes: work.
    """
    form_missing_rows(model, work, model.body_tree[body])
    row = work.row
    chain = model.body_chain_start[body]
    lowest = 3 if model.tree_is_single[model.body_tree[body]] == 1 else 0
    for p in range(model.body_chain_len[body] - 1, -1, -1):
        x = row[first + p]
        if x == 0.0:
            continue
        start = model.chain_row[chain + p]
        for r in range(lowest, p):
            row[first + r] -= work.mass_factor[start + r] * x
        row[first + p] = x * work.dof_scale[model.chain_dof[chain + p]]


@kernel
def own_delassus(model, work, n):
    """Return y yᵀ of row n; on shared dofs the sum of both sides acts."""
    row = work.row
    i = work.scalar_row[n, 0]
    j = work.scalar_row[n, 1]
    shared = 0
    if work.scalar_len[n, 0] > 0 and work.scalar_len[n, 1] > 0:
        shared = shared_dofs(model, work.scalar_body[n, 0], work.scalar_body[n, 1])
    total = 0.0
    for p in range(work.scalar_len[n, 0]):
        x = row[i + p]
        if p < shared:
            x += row[j + p]
        total += x * x
    for p in range(shared, work.scalar_len[n, 1]):
        total += row[j + p] * row[j + p]
    return total


@kernel
def set_row_target(work, n, target, speed):
    """Set the target of row n [m/s, rad/s]; `speed`: its velocity without forces.

    Writes: work.
    """
    work.scalar_target[n] = target
    work.scalar_start[n] = speed - target


@kernel
def close_row(model, work, n, target, lower, upper, compliance):
    """Finish a row: velocity relative to the target, bounds [N s, N m s], R, whitened Jacobian, G.

    A row that no impulse can move is removed.

    Writes: work.
    """
    w = add_scalar_row_response(model, work, n, work.start_velocity, 0.0)
    lightness = 0.0  # Σ 1/D of the dofs of both sides: G at unit lever arms
    for side in range(2):
        count = work.scalar_len[n, side]
        if count == 0:
            continue
        body = work.scalar_body[n, side]
        first = work.scalar_row[n, side]
        chain = model.body_chain_start[body]
        if model.tree_kind[model.body_tree[body]] == Kind.DYNAMIC:
            whiten_scalar(model, work, body, first)
            for p in range(count):
                scale = work.dof_scale[model.chain_dof[chain + p]]
                lightness += scale * scale
        else:
            work.scalar_len[n, side] = 0
    delassus = own_delassus(model, work, n)
    if lightness == 0.0 or not delassus + compliance > ROUND_OFF * ROUND_OFF * lightness:
        work.scalar_count[0] = n
        return
    set_row_target(work, n, target, w)
    work.scalar_reach[n] = 0.0
    work.scalar_correction[n] = work.scalar_shift[n] = work.shift_scalar_error[n] = 0.0
    work.scalar_lower[n] = lower
    work.scalar_upper[n] = upper
    work.scalar_compliance[n] = compliance
    work.scalar_delassus[n] = delassus + compliance
