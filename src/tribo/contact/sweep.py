"""Stage *sweep*: contact after contact, each solved exactly given the others, until nothing changes.

Impulses live in `work.contact_impulse`; what they do to the velocities is carried along as the
whitened vector z = Σ yᵀ λ (`work.response`), so one contact costs O(depth) whatever the pile.
Source: Hwangbo, Lee, Hutter 2018 (per-contact iteration), with the local solve of `cone`.
"""

from math import inf, sqrt

from tribo.contact import cone, exact
from tribo.jit import kernel
from tribo.math import spatial, vec
from tribo.model import Status

NOT_CONVERGED = int(Status.NOT_CONVERGED)
PATIENCE = 3  # sweeps before the exact stage is worth its price


@kernel
def add_response(model, work, c, shift, x, y, z):
    """Add the response to an impulse (shift 0) or torque impulse (3) of contact c.

    Writes: work.
    """
    width = 6 if work.contact_is_spun[c] == 1 else 3
    row = work.row
    response = work.response
    dofs = model.chain_dof
    for side in range(2):
        i = work.contact_row[c, side] + shift
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            response[dofs[chain + p]] += row[i] * x + row[i + 1] * y + row[i + 2] * z
            i += width


@kernel
def velocity(model, work, c, shift):
    """Return the contact velocity minus its target (shift 0), or the angular velocity (3)."""
    width = 6 if work.contact_is_spun[c] == 1 else 3
    row = work.row
    response = work.response
    dofs = model.chain_dof
    x = work.contact_free[c, shift]
    y = work.contact_free[c, shift + 1]
    z = work.contact_free[c, shift + 2]
    for side in range(2):
        i = work.contact_row[c, side] + shift
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            s = response[dofs[chain + p]]
            x += row[i] * s
            y += row[i + 1] * s
            z += row[i + 2] * s
            i += width
    return (x, y, z)


@kernel
def warm_start(model, state, work):
    """Begin with the impulses that the same contacts and limits had in the last step.

    Writes: work.
    """
    for dof in range(work.response.shape[0]):
        work.response[dof] = 0.0
    old = 0
    for c in range(work.contact_count[0]):
        for k in range(6):
            work.contact_impulse[c, k] = 0.0
        key = work.contact_key[c]
        while old < state.warm_count[0] and state.warm_key[old] < key:
            old += 1
        if old == state.warm_count[0] or state.warm_key[old] != key:
            continue
        if work.contact_target[c] == -inf:
            continue
        axes = vec.load_mat(work.contact_axes, c)
        warm = state.warm_impulse
        x, y, z = vec.mat_vec(axes, (warm[old, 0], warm[old, 1], warm[old, 2]))
        if z <= 0.0:
            continue
        vec.store(work.contact_impulse, c, (x, y, z))
        add_response(model, work, c, 0, x, y, z)
        if work.contact_is_spun[c] == 1:
            x, y, z = vec.mat_vec(axes, (warm[old, 3], warm[old, 4], warm[old, 5]))
            for k, value in enumerate((x, y, z)):
                work.contact_impulse[c, 3 + k] = value
            add_response(model, work, c, 3, x, y, z)
    for n in range(work.limit_count[0]):
        work.limit_impulse[n] = max(
            0.0, work.limit_sign[n] * state.limit_impulse[work.limit_body[n]]
        )
        add_limit_response(model, work, n, work.limit_impulse[n])


@kernel
def add_limit_response(model, work, n, impulse):
    """Add the response to an impulse of limit n.

    Writes: work.
    """
    i = work.limit_body[n]
    first = work.limit_row[n]
    chain = model.body_chain_start[i]
    for p in range(model.body_chain_len[i]):
        work.response[model.chain_dof[chain + p]] += work.row[first + p] * impulse


@kernel
def sweep_limit(model, work, n):
    """Solve one joint limit given all other rows; return the change of its velocity.

    Writes: work.
    """
    i = work.limit_body[n]
    first = work.limit_row[n]
    chain = model.body_chain_start[i]
    w = work.limit_free[n]
    for p in range(model.body_chain_len[i]):
        w += work.row[first + p] * work.response[model.chain_dof[chain + p]]
    before = work.limit_impulse[n]
    after = max(0.0, before - w / work.limit_delassus[n])
    work.limit_impulse[n] = after
    if after != before:
        add_limit_response(model, work, n, after - before)
    return abs(after - before) * work.limit_delassus[n]


@kernel
def sweep_contact(model, work, c):
    """Solve one contact given all other rows; return the change of its velocity.

    Writes: work.
    """
    g = spatial.load(work.contact_delassus, c)
    before = vec.load(work.contact_impulse, c)
    w = velocity(model, work, c, 0)
    c_free = cone.affine(g, (-before[0], -before[1], -before[2]), w)
    after = cone.solve_contact(g, c_free, work.contact_friction[c], before)
    x, y, z = vec.sub(after, before)
    change = 0.0
    if x != 0.0 or y != 0.0 or z != 0.0:
        vec.store(work.contact_impulse, c, after)
        add_response(model, work, c, 0, x, y, z)
        d = cone.affine(g, (x, y, z), (0.0, 0.0, 0.0))
        change = abs(d[0]) + abs(d[1]) + abs(d[2])
    if work.contact_is_spun[c] == 1:
        change += sweep_spin(model, work, c, after[2])
    return change


@kernel
def sweep_spin(model, work, c, normal):
    """Solve rolling and spinning friction of one contact; return the change of speed at its radius.

    Writes: work.
    """
    k = spatial.load(work.contact_spin_delassus, c)
    t = work.contact_impulse
    before = (t[c, 3], t[c, 4], t[c, 5])
    omega = velocity(model, work, c, 3)
    after = cone.solve_spin(
        k, omega, before, work.contact_rolling[c], work.contact_spinning[c], normal
    )
    x, y, z = vec.sub(after, before)
    if x == 0.0 and y == 0.0 and z == 0.0:
        return 0.0
    t[c, 3], t[c, 4], t[c, 5] = after
    add_response(model, work, c, 3, x, y, z)
    d = cone.affine(k, (x, y, z), (0.0, 0.0, 0.0))
    return work.contact_radius[c] * (abs(d[0]) + abs(d[1]) + abs(d[2]))


@kernel
def step_speed(settings):
    """Return the speed that weight gains in one step [m/s]."""
    g2 = settings.gravity_x**2 + settings.gravity_y**2 + settings.gravity_z**2
    return settings.dt * sqrt(g2)


@kernel
def island_speed(settings, work, t):
    """Return the speed relative to which island t is converged: the largest that it must remove."""
    scale = step_speed(settings)
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        scale = max(scale, -work.contact_free[work.island_contact[k], 2])
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        scale = max(scale, -work.limit_free[work.island_limit[k]])
    return scale


@kernel
def sweep_island(model, work, t):
    """Visit every contact and limit of island t once; return the largest change of a velocity.

    Writes: work.
    """
    change = 0.0
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        change = max(change, sweep_limit(model, work, work.island_limit[k]))
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        change = max(change, sweep_contact(model, work, work.island_contact[k]))
    return change


@kernel
def has_spin(work, t):
    """Tell whether a contact of island t has rolling or spinning friction."""
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        if work.contact_is_spun[work.island_contact[k]] == 1:
            return True
    return False


@kernel
def solve_island(model, settings, work, t):
    """Find the impulses of island t: sweeps, and the dense problem if they are slow.

    Writes: work.
    """
    limit = settings.tolerance * island_speed(settings, work, t)
    may_be_exact = exact.island_rows(work, t) <= work.dense.shape[1] and not has_spin(work, t)
    for k in range(settings.max_sweeps):
        work.sweeps[0] = max(work.sweeps[0], k + 1)
        if sweep_island(model, work, t) <= limit:
            return
        if k + 1 == PATIENCE and may_be_exact and exact.solve_exactly(model, work, t, limit):
            return
    work.status[0] |= NOT_CONVERGED


@kernel
def solve(model, state, settings, work):
    """Find the impulses of all contacts and limits.

    Writes: work.
    """
    warm_start(model, state, work)
    work.sweeps[0] = 0
    for t in range(work.tree_island.shape[0]):
        if exact.island_rows(work, t) > 0:
            solve_island(model, settings, work, t)


@kernel
def remember(state, work):
    """Keep the impulses for the next step's start.

    Writes: state.
    """
    n = 0
    for c in range(work.contact_count[0]):
        if work.contact_impulse[c, 2] <= 0.0:
            continue
        axes = vec.load_mat(work.contact_axes, c)
        t = work.contact_impulse
        state.warm_key[n] = work.contact_key[c]
        force = vec.mat_t_vec(axes, (t[c, 0], t[c, 1], t[c, 2]))
        torque = vec.mat_t_vec(axes, (t[c, 3], t[c, 4], t[c, 5]))
        for k in range(3):
            state.warm_impulse[n, k] = force[k]
            state.warm_impulse[n, 3 + k] = torque[k]
        n += 1
    state.warm_count[0] = n
    for i in range(state.limit_impulse.shape[0]):
        state.limit_impulse[i] = 0.0
    for m in range(work.limit_count[0]):
        state.limit_impulse[work.limit_body[m]] += work.limit_sign[m] * work.limit_impulse[m]
