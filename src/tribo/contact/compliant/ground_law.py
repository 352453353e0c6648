"""The compliant law at fixed steps: Spatial_v2's massless ground, implicit where it is stiff.

A contact at depth δ under a ground with K, D, μ, displaced by u, with s = √δ:

    f_n = s (K δ − D v_n) ≥ 0,   f_t = −s (K u + D v_t), cut to μ f_n

A step uses for s³ the mean of δ^3/2 from δ + h/2 v_n to δ − h/2 v_n⁺, with v⁺ the velocity at the end of the
step: the normal spring then conserves energy at any stiffness (a discrete gradient). With

    u_e = u + h/2 v_t + h (β v_t⁺ − β' v_t),   v_e = θ v⁺ + (1 − θ) v

β = β' = 1/4, θ = 1/2 is the trapezoidal rule, of second order. A contact that is far too stiff for the step
would oscillate with it; there the law is that of implicit Euler, s² = δ − h v_n⁺, β = 1, β' = 0, θ = 1, which
is stable at any stiffness. A weight r blends the two, r/(1 − r) = (x/4)⁴, x = h s (3/2 K h + D) G_nn: the
part of the velocity that the contact alone would remove in a step.

v⁺ is found by Newton's method: the slopes join M̂, and the step is solved again until the forces are those of
the law. The first linearisation is at the end of one sweep over these contacts, each solved alone with the
full law; a slipping contact has the slope of a damper that gives μ f_n.
Source: Spatial_v2 (2012); Azad & Featherstone 2010; Gonzalez 1996 (discrete gradients);
docs/physics/compliant-ground.
"""

from math import exp, sqrt

from tribo.collision.broadphase import is_moved
from tribo.collision.narrowphase import FEATURES, SHAPES
from tribo.collision.sorted_keys import place_of
from tribo.compiler.jit import kernel
from tribo.contact.compliant.contact_force import (
    contact_numbers,
    cut_force,
    force_by_law,
    linear_force,
    linearise_contact,
    normal_law,
    solve_single,
    trial_force,
)
from tribo.contact.problem import contact_rows, surface_velocity, whitened_products
from tribo.contact.problem.contact_rows import ON_GROUND
from tribo.contact.problem.contact_targets import slow_speed
from tribo.dynamics import inertia, whitening
from tribo.dynamics.momentum import was_put_elsewhere
from tribo.enums import ContactState
from tribo.math import spatial, vec
from tribo.model import Kind, Status

STIFF = 4.0  # [–] x of a contact too fast for the step (hω = 2, D = 0): its law is half implicit
RESOLVED_BOUNCE = 0.5  # [–] x at the deepest point of a bounce whose restitution is within 2 % of the law's
START_STEP, APPLY_FORCE, ITERATE, STORE_STATE = 0, 1, 2, 3  # operations of the stage
MAX_PASSES = 100
TOLERANCE = 1e-11  # [–] of the largest force: admissible error of a force
ROUNDING = 1e-14  # [–] of slope times speed: round-off of a force
MIN_DISPLACEMENT = 1e-15  # [m] a smaller displacement is 0


@kernel
def moved_side(model, work, c):
    """Return the first side of contact c that forces move; the other is its ground."""
    return 0 if is_moved(model, work.contact_body[c, 0]) else 1


@kernel
def write_jacobian_columns(model, work, c, side):
    """Write J of one side of contact c dof by dof to `soft_column`: contact axes, per unit velocity.

    Writes: work.
    """
    body = work.contact_body[c, side]
    origin = vec.load(work.body_pos, model.tree_body[model.body_tree[body]])
    arm = vec.sub(contact_rows.contact_point(model, work, c, side), origin)
    axes = vec.load_mat(work.contact_axes, c)
    chain = model.body_chain_start[body]
    for p in range(model.body_chain_len[body]):
        s = spatial.load(work.dof_axis, model.chain_dof[chain + p])
        moved = vec.add((s[3], s[4], s[5]), vec.cross((s[0], s[1], s[2]), arm))
        column = vec.mat_vec(axes, moved)
        vec.store(work.soft_column, p, column if side == 0 else vec.neg(column))


@kernel
def ground_velocity(model, work, c, v):
    """Return the velocity of contact c at velocities v, contact axes, with that of moving surfaces [m/s].

    Writes: work.
    """
    x, y, z = vec.mat_vec(vec.load_mat(work.contact_axes, c), vec.load(work.contact_surface, c))
    for side in range(2):
        body = work.contact_body[c, side]
        if model.body_chain_len[body] == 0:
            continue
        write_jacobian_columns(model, work, c, side)
        chain = model.body_chain_start[body]
        for p in range(model.body_chain_len[body]):
            speed = v[model.chain_dof[chain + p]]
            x += work.soft_column[p, 0] * speed
            y += work.soft_column[p, 1] * speed
            z += work.soft_column[p, 2] * speed
    return (x, y, z)


@kernel
def is_forgotten(model, state, key):
    """Tell whether the contact with this key begins anew: a dynamic body of it was put elsewhere."""
    pair = key // FEATURES
    for shape_id in (pair // SHAPES, pair % SHAPES):
        s = place_of(model.shape_id, model.shape_id.shape[0], shape_id)
        if s >= 0:
            t = model.body_tree[model.shape_body[s]]
            if model.tree_kind[t] == Kind.DYNAMIC and was_put_elsewhere(model, state, t):
                return True
    return False


@kernel
def bounce_peak(settings, work, c, K, D):
    """Return x at the deepest point of a bounce; 0 for a contact that closes no faster than by weight.

    0.4 K δ^5/2 there is the present energy of spring and motion: the bounce without damping.
    """
    speed = -work.contact_vel[c, 2]
    if speed <= slow_speed(settings) or work.contact_gap[c] > speed * settings.dt:
        return 0.0
    depth = max(0.0, -work.contact_gap[c])
    inverse_mass = work.contact_delassus[c, 2]
    deepest = (depth**2.5 + 1.25 * speed * speed / (K * inverse_mass)) ** 0.4
    return settings.dt * sqrt(deepest) * (1.5 * K * settings.dt + D) * inverse_mass


@kernel
def prepare_ground(model, state, settings, work):
    """Set velocity, rows, block of G, blend weight, u and last impulse of every compliant contact.

    Writes: work.
    """
    h = settings.dt
    work.row_count[0] = 0
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] == 0:
            continue
        work.contact_is_spun[c] = 0
        vec.store(work.contact_vel, c, (0.0, 0.0, 0.0))
        for side in range(2):
            work.contact_len[c, side] = 0
            body = work.contact_body[c, side]
            if model.body_chain_len[body] > 0:
                contact_rows.write_side_rows(model, work, c, side, is_moved(model, body))
        surface_velocity.add_surface(work, c)
        contact_rows.diagonal_block(model, work, work.contact_row, c, work.contact_delassus)
        K, D, _ = contact_numbers(model, work, c)
        speed = work.contact_vel[c, 2]
        depth = max(0.0, -work.contact_gap[c] + h * max(0.0, -speed))
        x = h * sqrt(depth) * (1.5 * K * h + D) * work.contact_delassus[c, 2]
        part = (x / STIFF) ** 4
        work.soft_blend[c] = part / (1.0 + part)
        work.soft_peak[c] = bounce_peak(settings, work, c, K, D)
        if work.soft_peak[c] > RESOLVED_BOUNCE:
            work.status[0] |= Status.TIME_STEP_TOO_LONG
        work.soft_u[c, 0] = work.soft_u[c, 1] = 0.0
        old = place_of(state.yield_key, state.yield_count[0], work.contact_key[c])
        if old >= 0 and not is_forgotten(model, state, work.contact_key[c]):
            ground = work.contact_body[c, 1 - moved_side(model, work, c)]
            u = vec.mat_vec(vec.load_mat(work.body_rot, ground), vec.load(state.yield_displacement, old))
            work.soft_u[c, 0], work.soft_u[c, 1], _ = vec.mat_vec(vec.load_mat(work.contact_axes, c), u)
        impulse = (0.0, 0.0, 0.0)
        old = place_of(state.warm_key, state.warm_count[0], work.contact_key[c])
        if old >= 0:
            impulse = vec.mat_vec(vec.load_mat(work.contact_axes, c), vec.load(state.warm_impulse, old))
        vec.store(work.contact_impulse, c, impulse)
        work.soft_trial[c, 0] = 0.0


@kernel
def sweep_ground(model, settings, work):
    """Solve every compliant contact alone, one after the other.

    Writes: work.
    """
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] == 0:
            continue
        g = spatial.load(work.contact_delassus, c)
        before = vec.load(work.contact_impulse, c)
        w = whitened_products.row_velocity(model, work, work.contact_row, work.contact_vel, c)
        free = vec.add(vec.sym_vec(g, vec.neg(before)), w)
        w = solve_single(model, settings, work, c, free, before)
        after = vec.scale(settings.dt, force_by_law(model, settings, work, c, w))
        vec.store(work.contact_impulse, c, after)
        whitened_products.add_impulse_response(
            model, work, work.contact_row, c, vec.sub(after, before), work.response
        )


@kernel
def linearise_ground(model, state, settings, work):
    """Linearise every compliant contact at the end of one sweep over them, without the rigid contacts.

    Writes: work.
    """
    for k in range(work.soft_mass.shape[0]):
        work.soft_mass[k] = work.mass_matrix[k]
    inertia.factorize(model, work)
    prepare_ground(model, state, settings, work)
    for dof in range(work.response.shape[0]):
        work.response[dof] = settings.dt * (work.drive_force[dof] - work.bias_force[dof])
    whitening.whiten(model, work, work.response)
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] != 0:
            impulse = vec.load(work.contact_impulse, c)
            whitened_products.add_impulse_response(model, work, work.contact_row, c, impulse, work.response)
    sweep_ground(model, settings, work)
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] != 0:
            w = whitened_products.row_velocity(model, work, work.contact_row, work.contact_vel, c)
            linearise_contact(model, settings, work, c, w)


@kernel
def push_ground(model, settings, work):
    """Add Jᵀ f of contacts with a ground to the drive forces, and h Jᵀ slope J to M.

    Writes: work.
    """
    h = settings.dt
    for k in range(work.soft_mass.shape[0]):
        work.mass_matrix[k] = work.soft_mass[k]
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] != ON_GROUND:
            continue
        side = moved_side(model, work, c)
        write_jacobian_columns(model, work, c, side)
        f = linear_force(work, c, vec.load(work.contact_vel, c))
        across, along = h * work.soft_slope[c, 0], h * work.soft_slope[c, 1]
        body = work.contact_body[c, side]
        chain = model.body_chain_start[body]
        column = work.soft_column
        for p in range(model.body_chain_len[body]):
            dof = model.chain_dof[chain + p]
            work.drive_force[dof] += vec.dot(vec.load(column, p), f)
            x = across * column[p, 0]
            y = across * column[p, 1]
            z = along * column[p, 2]
            row = model.dof_row[dof]
            for q in range(p + 1):
                work.mass_matrix[row + q] += x * column[q, 0] + y * column[q, 1] + z * column[q, 2]


@kernel
def applied_force(model, work, c, w):
    """Return the force of contact c that the step has used, for a velocity w at its end [N]."""
    if work.contact_is_soft[c] == ON_GROUND:
        return linear_force(work, c, w)
    _, _, mu = contact_numbers(model, work, c)
    return cut_force(work, c, mu, w)


@kernel
def settle_ground(model, settings, work):
    """Set the impulses of compliant contacts; if one is not that of the law, linearise again and return 1.

    Writes: work.
    """
    largest = 0.0
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] != 0:
            w = ground_velocity(model, work, c, work.next_v)
            f = applied_force(model, work, c, w)
            if work.contact_is_soft[c] == ON_GROUND:
                vec.store(work.contact_impulse, c, vec.scale(settings.dt, f))
            largest = max(largest, vec.norm(f), vec.norm(force_by_law(model, settings, work, c, w)))
    is_settled = True
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] == 0:
            continue
        w = ground_velocity(model, work, c, work.next_v)
        lack = vec.sub(force_by_law(model, settings, work, c, w), applied_force(model, work, c, w))
        speed = vec.norm(w) + vec.norm(vec.load(work.contact_vel, c))
        slope = max(work.soft_slope[c, 0], work.soft_slope[c, 1])
        if vec.norm(lack) > TOLERANCE * largest + ROUNDING * slope * speed:
            is_settled = False
    if not is_settled and work.soft_pass[0] < MAX_PASSES:
        for c in range(work.contact_count[0]):
            if work.contact_is_soft[c] != 0:
                linearise_contact(model, settings, work, c, ground_velocity(model, work, c, work.next_v))
        return 1
    if not is_settled and work.soft_pass[0] == MAX_PASSES:
        for c in range(work.contact_count[0]):  # fix the forces, within their cones; rows are within theirs
            if work.contact_is_soft[c] == ON_GROUND:
                _, _, mu = contact_numbers(model, work, c)
                w = ground_velocity(model, work, c, work.next_v)
                vec.store(work.soft_force, c, cut_force(work, c, mu, w))
                work.soft_slope[c, 0] = work.soft_slope[c, 1] = 0.0
        return 1
    if work.soft_pass[0] > MAX_PASSES:
        work.status[0] |= Status.NOT_CONVERGED
    for k in range(work.soft_mass.shape[0]):
        work.mass_matrix[k] = work.soft_mass[k]
    return 0


@kernel
def displacement_after(model, settings, work, c):
    """Return u of contact c at the end of the step (contact axes) [m], and its state.

    Writes: work.
    """
    h = settings.dt
    K, D, mu = contact_numbers(model, work, c)
    u = (work.soft_u[c, 0], work.soft_u[c, 1])
    fade = exp(-h * K / D) if D > 0.0 else 0.0
    w = ground_velocity(model, work, c, work.next_v)
    s, normal, _ = normal_law(work, settings, c, K, D, w[2])
    if s == 0.0:
        return (fade * u[0], fade * u[1]), ContactState.LIFTED
    x, y, _ = trial_force(work, settings, c, K, D, w)
    size = sqrt(x * x + y * y)
    if s * size <= mu * normal:
        a = work.contact_vel
        return (u[0] + 0.5 * h * (a[c, 0] + w[0]), u[1] + 0.5 * h * (a[c, 1] + w[1])), ContactState.STICKING
    end = mu * normal / (s * size * K)
    goal = (end * x, end * y)
    return (goal[0] + fade * (u[0] - goal[0]), goal[1] + fade * (u[1] - goal[1])), ContactState.SLIPPING


@kernel
def keep_displacement(state, n, key, u, rate):
    """Append a displacement to the state unless it is 0; return the number stored.

    Writes: state.
    """
    if vec.norm(u) <= MIN_DISPLACEMENT or n >= state.yield_key.shape[0]:
        return n
    state.yield_key[n] = key
    state.yield_rate[n] = rate
    vec.store(state.yield_displacement, n, u)
    return n + 1


@kernel
def keep_faded(model, state, work, settings, n, k):
    """Append the decayed displacement of ground without contact; return the number stored.

    Writes: state.
    """
    if is_forgotten(model, state, work.soft_key[k]):
        return n
    u = vec.load(work.soft_kept, k)
    fade = exp(-settings.dt * work.soft_kept[k, 3])
    return keep_displacement(state, n, work.soft_key[k], vec.scale(fade, u), work.soft_kept[k, 3])


@kernel
def write_displacements(model, state, settings, work):
    """Store the displacements of the ground at the end of the step, with and without contact.

    Writes: state, work.
    """
    count = state.yield_count[0]
    for k in range(count):
        work.soft_key[k] = state.yield_key[k]
        vec.store(work.soft_kept, k, vec.load(state.yield_displacement, k))
        work.soft_kept[k, 3] = state.yield_rate[k]
    n = old = 0
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] == 0:
            continue
        key = work.contact_key[c]
        while old < count and work.soft_key[old] < key:
            n = keep_faded(model, state, work, settings, n, old)
            old += 1
        if old < count and work.soft_key[old] == key:
            old += 1
        u, work.contact_state[c] = displacement_after(model, settings, work, c)
        K, D, _ = contact_numbers(model, work, c)
        axes = vec.load_mat(work.contact_axes, c)
        ground = work.contact_body[c, 1 - moved_side(model, work, c)]
        world = vec.mat_t_vec(axes, (u[0], u[1], 0.0))
        local = vec.mat_t_vec(vec.load_mat(work.body_rot, ground), world)
        n = keep_displacement(state, n, key, local, K / D if D > 0.0 else 1e300)
    for k in range(old, count):
        n = keep_faded(model, state, work, settings, n, k)
    state.yield_count[0] = n


@kernel
def run_ground_part(model, state, settings, work, part):
    """Run one part of the stage; return the answer of `settle_ground`, else 0.

    Writes: state, work.
    """
    if part == START_STEP:
        linearise_ground(model, state, settings, work)
    elif part == APPLY_FORCE:
        push_ground(model, settings, work)
    elif part == ITERATE:
        return settle_ground(model, settings, work)
    else:
        write_displacements(model, state, settings, work)
    return 0
