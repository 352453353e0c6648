"""Removes the gaps that hard constraints leave at the end of a step from the positions.

The target of a row is exact to second order in dt; the rest would show as a gap. Here the gaps e are
evaluated at the positions that the step has reached, and all of them are closed by the shift that is
least in kinetic energy,

    δq = M̂⁻¹ Yᵀ μ,   (Y M̂⁻¹ Yᵀ + ε D) μ = −e,

with the Jacobians Y of the step, up to five times. Velocities stay, but for the spin of free bodies, which
keep their angular momentum as they are turned, those of robots on a fixed base, which are carried along
(`transport_velocity`), and a factor that keeps the energy (`projection_energy`). A row moves by
at most its reach, the bend of its curve in one step: `position_pass` closes what was open before the step.
Near a singular pose some gaps could only be closed by a large displacement: the conjugate gradients stop
before they take it, and no island goes farther by it than by its step.

Source: post-stabilization, Cline and Pai 2003; conjugate gradients, Hestenes and Stiefel 1952.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.constraints import attachments, lengths, linkage
from tribo.contact.constraints.constraint_work import ANGULAR
from tribo.contact.problem.islands import find_representative
from tribo.contact.problem.scalar_rows import tie_of
from tribo.contact.problem.whitened_products import add_scalar_row_response, add_scalar_to
from tribo.contact.stabilisation.group_momentum import has_group
from tribo.dynamics import bias, kinematics
from tribo.dynamics.bias import is_constrained_single
from tribo.dynamics.momentum import keep_spin
from tribo.dynamics.whitening import twice_energy, unwhiten, unwhiten_tree, whiten_tree
from tribo.math import vec
from tribo.model import Integrator, Joint, Status

SPHERICAL = int(Joint.SPHERICAL)
FREE = int(Joint.FREE)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
TIME_STEP_TOO_LONG = int(Status.TIME_STEP_TOO_LONG)

TOLERANCE = 1e-4  # [–] of the gaps, at which the conjugate gradients stop
ROUNDING = 1e-7  # [–] ε: rows that repeat one another share the shift
MAX_SWEEPS = 200
FARTHEST = 1e3  # [–] energy of a shift over that of the gaps closed one by one
MAX_STEPS = 5  # of Newton: each leaves a part (ω dt)/2 of the gaps
CLOSED = 1e-7  # [–] of the reach: gaps below are left
TORN = 0.1  # [–] of the reach: a gap may grow by that much in half a step
LONG_SHIFT = 1e-3  # [–] of the displacement of a step: after longer shifts `projection_energy` looks
SHORT_SHIFT = 1e-5  # [–] of the displacement of a step: shorter shifts change too little to look at
SMALL = 1e-6  # [m, rad] a gap that grows by less is of no account
OPEN, TORN_APART = 1, 2  # a gap that is left too wide; one that is far wider than it was
GAIN = 0.25  # [–] a step that leaves more of the squared gaps is the last


@kernel
def end_gaps(model, state, command, work, gap):
    """Write how far open every row with a reach is now, 0 for others.

    Writes: work, gap.
    """
    placed = -1
    for n in range(work.scalar_count[0]):
        gap[n] = 0.0
        if work.scalar_reach[n] <= 0.0:
            continue
        c = tie_of(model, work, n)
        if c != placed:
            attachments.place_ends(model, state.q, work, c)
            placed = c
        k = work.scalar_slot[n] - model.constraint_slot[c]
        gap[n] = linkage.constraint_gap(model, command, work, c, k)


@kernel
def write_gaps(model, state, command, work, gap):
    """Write what every row that holds has to move, 0 for those of joints. Return Σ e²/G, 0 if hardly any.

    Rows at a bound hold nothing: they get a reach < 0.

    Writes: work, gap.
    """
    for n in range(work.scalar_count[0]):
        impulse = work.scalar_impulse[n]
        if impulse <= work.scalar_lower[n] or impulse >= work.scalar_upper[n]:
            work.scalar_reach[n] = -1.0
    end_gaps(model, state, command, work, gap)
    is_open = False
    width = 0.0
    for n in range(work.scalar_count[0]):
        reach = work.scalar_reach[n]
        if reach > 0.0:
            is_open = is_open or abs(gap[n]) > CLOSED * reach
            width += gap[n] * (gap[n] / work.scalar_delassus[n])
            gap[n] = min(max(gap[n], -reach), reach)
    return width if is_open else 0.0


@kernel
def impulse_response(model, work, impulse, out):
    """Set an array of dofs to the response to impulses on the rows.   out = Yᵀ μ

    Writes: out.
    """
    for dof in range(out.shape[0]):
        out[dof] = 0.0
    for n in range(work.scalar_count[0]):
        if impulse[n] != 0.0:
            add_scalar_to(model, work, n, impulse[n], out)


@kernel
def least_shift(model, work, rest, most, out):
    """Set an array of dofs to the whitened shift that closes the gaps in `rest`, if they are small.

    Conjugate gradients, scaled by the rows' own G. Return Σ e²/G; from `most` on nothing is done.

    Writes: work, rest, out.
    """
    count = work.scalar_count[0]
    total = work.scalar_kept[1]
    ahead = work.scalar_kept[2]
    size = 0.0
    for n in range(count):
        total[n] = 0.0
        rest[n] = -rest[n]
        ahead[n] = rest[n] / work.scalar_delassus[n]
        size += rest[n] * ahead[n]
    start = size
    if not start < most:
        return start
    enough = TOLERANCE * TOLERANCE * start
    energy = 0.0
    for _ in range(min(2 * count, MAX_SWEEPS)):
        impulse_response(model, work, ahead, out)
        slope = 0.0
        for n in range(count):
            if work.scalar_reach[n] < 0.0:
                continue
            own = ROUNDING * work.scalar_delassus[n] * ahead[n]
            work.scalar_guess[n] = add_scalar_row_response(model, work, n, out, own)
            slope += ahead[n] * work.scalar_guess[n]
        if not slope > 0.0:
            break
        step = size / slope
        energy += step * size
        if energy > FARTHEST * start:
            break
        before = size
        size = 0.0
        for n in range(count):
            if work.scalar_reach[n] < 0.0:
                continue
            total[n] += step * ahead[n]
            rest[n] -= step * work.scalar_guess[n]
            size += rest[n] * rest[n] / work.scalar_delassus[n]
        if not size > enough:
            break
        for n in range(count):
            if work.scalar_reach[n] >= 0.0:
                ahead[n] = rest[n] / work.scalar_delassus[n] + size / before * ahead[n]
    impulse_response(model, work, total, out)
    return start


@kernel
def measure_shift(model, settings, work, shift):
    """Measure by M̂ how far islands go by a whitened shift, and by their step; keep the largest ratio so far.

    Writes: work.
    """
    size = work.island_shift_size
    for t in range(model.tree_body.shape[0]):
        size[t, 0] = size[t, 1] = 0.0
    for t in range(model.tree_body.shape[0]):
        own = 0.0
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            own += shift[dof] * shift[dof]
        if own > 0.0:
            island = find_representative(work.tree_island, t)
            size[island, 0] += own
            size[island, 1] += settings.dt * settings.dt * twice_energy(model, work, t, work.next_v)
    for t in range(model.tree_body.shape[0]):
        if size[t, 0] > 0.0 and size[t, 1] > 0.0:
            size[t, 2] = max(size[t, 2], size[t, 0] / size[t, 1])


@kernel
def limit_shift(model, settings, work, shift):
    """Shorten the shift of islands that would move farther by it than by their step: no gap is worth that.

    The bend of a curve is no measure where the velocity that bends it was taken back.

    Writes: work, shift.
    """
    measure_shift(model, settings, work, shift)
    size = work.island_shift_size
    for t in range(model.tree_body.shape[0]):
        island = find_representative(work.tree_island, t)
        if size[island, 0] > size[island, 1]:
            part = sqrt(size[island, 1] / size[island, 0])
            for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
                shift[dof] *= part


@kernel
def shift_coordinates(model, state, work, shift):
    """Shift the coordinates of every tree by what a whitened array says.

    Writes: state, work.
    """
    unwhiten(model, work, shift, work.change_v)
    for t in range(model.tree_body.shape[0]):
        moves = False
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            moves = moves or work.change_v[dof] != 0.0
        if not moves:
            continue
        root = model.tree_body[t]
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            work.shift_v[dof] += work.change_v[dof]
        for i in range(root, root + model.tree_body_count[t]):
            kinematics.drift_joint(model, i, state.q, work.change_v, 1.0, state.q)


@kernel
def undo_shift(model, state, work):
    """Take back the last shift, which `pile_step` still holds: it has made it worse.

    Writes: state, work.
    """
    for dof in range(work.pile_step.shape[0]):
        work.pile_step[dof] = -work.pile_step[dof]
    shift_coordinates(model, state, work, work.pile_step)


@kernel
def gap_growth(work, gap, first, end, closes):
    """Tell whether rows first … end − 1, of one constraint, end a step too wide: `OPEN`, `TORN_APART`, or 0.

    All together, since their directions turn. Open is wider than in mid step by a part of what a step bends,
    or than when it began by more than what a step closes; torn apart is the latter, and wide as well.
    """
    after = middle = before = 0.0
    for n in range(first, end):
        after += gap[n] * gap[n]
        middle += work.scalar_gap[n] * work.scalar_gap[n]
        before += work.scalar_gap_before[n] * work.scalar_gap_before[n]
    after, middle, before = sqrt(after), sqrt(middle), sqrt(before)
    much = TORN * work.scalar_reach[first]
    if after > before + closes:
        return TORN_APART if after > much else OPEN
    return OPEN if after > middle + much + SMALL else 0


@kernel
def end_of_rows(model, work, first):
    """Return the number after those of the rows that hold the same directions of the same constraint."""
    group = (work.scalar_slot[first] - model.constraint_slot[0]) // ANGULAR
    end = first + 1
    while end < work.scalar_count[0]:
        if (work.scalar_slot[end] - model.constraint_slot[0]) // ANGULAR != group:
            break
        end += 1
    return end


@kernel
def report_gaps(model, state, command, settings, work):
    """Say so where gaps are left too wide; note islands in which one is far wider than it was.

    Writes: work.
    """
    gap = work.scalar_kept[0]
    end_gaps(model, state, command, work, gap)
    closes = settings.dt * settings.max_push_out_speed
    first = 0
    while first < work.scalar_count[0]:
        end = end_of_rows(model, work, first)
        found = gap_growth(work, gap, first, end, closes) if work.scalar_reach[first] > 0.0 else 0
        if found > 0:
            work.status[0] |= TIME_STEP_TOO_LONG
        if found == TORN_APART:
            for side in range(2):
                if work.scalar_len[first, side] > 0:
                    tree = model.body_tree[work.scalar_body[first, side]]
                    work.island_is_torn[find_representative(work.tree_island, tree)] = 1
        first = end


@kernel
def transport_velocity(model, state, settings, work, t):
    """Carry the velocity of a robot along its shift δ, parallel in the geometry of its kinetic energy.

    δv = −M̂⁻¹ C(δ, v), C from h(v) = C(v, v), and ½ δ × ω where a joint turns about three axes, those of its
    parent. With M for M̂, what is moved without forces keeps its energy. M̂ holds drives and dampings as well:
    a robot that has them keeps its energy but for a part of what these do.

    Writes: state, work (body_vel, body_acc and body_force of the tree stay as they are at v + δ/dt and the
        poses of mid step; what reads them next computes them anew).
    """
    first, last = model.tree_v[t], model.tree_v[t] + model.tree_nv[t]
    rate = 1.0 / settings.dt
    for dof in range(first, last):
        work.bias_before[dof] = work.bias_force[dof]
        work.change_v[dof] = state.v[dof] - rate * work.shift_v[dof]
    bias.compute_tree_bias(model, work.change_v, settings, work, t)
    for dof in range(first, last):
        work.rk_acc[dof] = work.bias_force[dof]
        work.change_v[dof] = state.v[dof] + rate * work.shift_v[dof]
    bias.compute_tree_bias(model, work.change_v, settings, work, t)
    for dof in range(first, last):
        work.change_v[dof] = 0.25 * settings.dt * (work.rk_acc[dof] - work.bias_force[dof])
        work.bias_force[dof] = work.bias_before[dof]
    whiten_tree(model, work, t, work.change_v)
    unwhiten_tree(model, work, t, work.change_v, work.change_v)
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        if model.joint_type[i] == SPHERICAL:
            k = model.joint_v[i]
            turn = (work.shift_v[k], work.shift_v[k + 1], work.shift_v[k + 2])
            more = vec.cross(turn, (state.v[k], state.v[k + 1], state.v[k + 2]))
            for j in range(3):
                work.change_v[k + j] += 0.5 * more[j]
    for dof in range(first, last):
        state.v[dof] += work.change_v[dof]


@kernel
def velocity_follows(model, settings, work, t):
    """Tell whether the velocity of tree t follows its shift.

    That of a robot on a fixed base does, but for shifts that are next to nothing, and for long ones, after
    which `projection_energy` looks. That one leaves out what touches something or is driven: a long shift of
    such a robot leaves the velocity as it is. How long a shift is stands with the island's representative.
    Not under `semi_implicit`, whose energy goes to and fro.
    """
    if settings.integrator == SEMI_IMPLICIT:
        return False
    if model.joint_type[model.tree_body[t]] == FREE or model.tree_is_single[t] == 1:
        return False
    size = work.island_shift_size[find_representative(work.tree_island, t), 2]
    return SHORT_SHIFT * SHORT_SHIFT < size <= LONG_SHIFT * LONG_SHIFT


@kernel
def transport_velocities(model, state, settings, work):
    """Let velocities follow the shifts: free bodies keep their angular momentum, robots are carried along.

    Writes: state, work.
    """
    for t in range(model.tree_body.shape[0]):
        if is_constrained_single(model, t):
            keep_spin(model, t, work.end_q, state.q, state.v)
        elif velocity_follows(model, settings, work, t):
            transport_velocity(model, state, settings, work, t)


@kernel
def store_positions(model, state, work):
    """Note where all is before the positions are corrected.

    Writes: work.
    """
    for k in range(state.q.shape[0]):
        work.end_q[k] = state.q[k]
    for dof in range(work.shift_v.shape[0]):
        work.shift_v[dof] = 0.0
    for t in range(model.tree_body.shape[0]):
        work.island_shift_size[t, 2] = 0.0
        work.island_is_torn[t] = 0


@kernel
def close_constraint_gaps(model, state, command, settings, work):
    """Close the gaps, shift by shift, until they are closed or a shift makes them wider.

    Writes: state, work.
    """
    is_strict = has_group(work, 0, model.tree_body.shape[0])
    most = last = widest = inf
    for _ in range(MAX_STEPS):
        width = write_gaps(model, state, command, work, work.scalar_kept[0])
        if width == 0.0:
            transport_velocities(model, state, settings, work)
            return
        if is_strict and width > widest:
            undo_shift(model, state, work)
            break
        size = least_shift(model, work, work.scalar_kept[0], most, work.pile_step)
        if not size < most:
            if size > last:
                undo_shift(model, state, work)
            break
        limit_shift(model, settings, work, work.pile_step)
        shift_coordinates(model, state, work, work.pile_step)
        last, widest = size, width
        most = GAIN * size
    transport_velocities(model, state, settings, work)
    report_gaps(model, state, command, settings, work)


@kernel
def project_positions(model, state, command, settings, work):
    """Close the gaps of all constraints that hold. Leave in `end_q` where all was before.

    Where turns are too far, and gaps grow, the step is `TIME_STEP_TOO_LONG`. A shift that makes it worse is
    taken back: by what is within reach, or, where robots are tied to each other, by all that is open.

    Writes: state, work.
    """
    close_constraint_gaps(model, state, command, settings, work)
    lengths.slip_winches(model, state, command, work)
