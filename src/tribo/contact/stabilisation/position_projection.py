"""Stage `position_projection.begin_shifts`: shifts, with which `projection_energy` closes constraints.

The target of a row is exact to second order in dt; the rest would remain as a gap. The gaps e are evaluated
at the positions of the end of the step and closed by the shift of least kinetic energy,

    δq = M̂⁻¹ Yᵀ μ,   (Y M̂⁻¹ Yᵀ + ε D) μ = −e,

with the Jacobians Y of the step, up to five times. Velocities stay, with three exceptions: spins of free
bodies (their angular momentum stays), velocities of robots on a fixed base (`transport_velocity`), and a
factor that conserves energy (`projection_energy`). A row moves at most by its reach, the effect of curvature
in one step; `position_pass` closes gaps that were open before the step. Near singular poses some gaps need a
large displacement: the conjugate gradients stop before it, and no island moves farther by a shift than by its
step.

Source: post-stabilization, Cline and Pai 2003; conjugate gradients, Hestenes and Stiefel 1952.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.constraints import lengths, linkage
from tribo.contact.constraints.constraint_work import ANGULAR
from tribo.contact.constraints.linkage import ROUNDING
from tribo.contact.problem import attachments
from tribo.contact.problem.islands import find_representative
from tribo.contact.problem.scalar_rows import constraint_of_row
from tribo.contact.problem.whitened_products import add_scalar_row_response, add_scalar_to
from tribo.contact.stabilisation.group_momentum import has_group, moved_trees
from tribo.dynamics import bias, kinematics
from tribo.dynamics.bias import is_constrained_single
from tribo.dynamics.momentum import keep_spin
from tribo.dynamics.whitening import twice_energy, unwhiten, unwhiten_tree, whiten_tree
from tribo.math import vec
from tribo.model import Integrator, Joint, Status

TOLERANCE = 1e-4  # [–] of the gaps: the conjugate gradients stop there
MAX_SWEEPS = 200
MAX_SHIFT_ENERGY = 1e3  # [–] bound of the energy of a shift over that of closing each gap alone
MAX_STEPS = 5  # Newton steps; each leaves a part (ω dt)/2 of the gaps
CLOSED = 1e-7  # [–] of the reach: smaller gaps stay
GAP_GROWTH = 0.1  # [–] of the reach: admissible growth of a gap in half a step
LONG_SHIFT = 1e-3  # [–] of the displacement of a step: `projection_energy` corrects longer shifts
SHORT_SHIFT = 1e-5  # [–] of the displacement of a step: shorter shifts need no correction
UNREPORTED_GROWTH = 1e-6  # [m, rad] growth of a gap that is not reported
OPEN, WIDENED = 1, 2  # codes: wider than admissible after the step; far wider than before it
GAIN = 0.25  # [–] of the squared gaps: a Newton step that leaves more is the last


@kernel
def end_gaps(model, state, command, work, gap):
    """Write the present gap of every row with a reach; 0 for the others.

    Writes: work, gap.
    """
    placed = -1
    for n in range(work.scalar_count[0]):
        gap[n] = 0.0
        if work.scalar_reach[n] <= 0.0:
            continue
        c = constraint_of_row(model, work, n)
        if c != placed:
            attachments.place_ends(model, state.q, work, c)
            placed = c
        k = work.scalar_slot[n] - model.constraint_slot[c]
        gap[n] = linkage.constraint_gap(model, command, work, c, k)


@kernel
def write_gaps(model, state, command, work, gap):
    """Write the gap that every holding row is to close, 0 for rows of joints; return Σ e²/G, 0 if closed.

    Rows at a bound do not hold: their reach becomes −1.

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
    """Set an array of dofs to the response to impulses on all rows. out = Yᵀ μ

    Writes: out.
    """
    for dof in range(out.shape[0]):
        out[dof] = 0.0
    for n in range(work.scalar_count[0]):
        if impulse[n] != 0.0:
            add_scalar_to(model, work, n, impulse[n], out)


@kernel
def least_shift(model, work, rest, most, out):
    """Set `out` to the whitened shift of least energy that closes the gaps in `rest`; return Σ e²/G.

    Conjugate gradients, preconditioned by the rows' own G. Does nothing if Σ e²/G ≥ most.

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
        if energy > MAX_SHIFT_ENERGY * start:
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
    """Measure, with M̂, the whitened shift and the step of every island; keep the largest ratio so far.

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
    """Shorten the shift of islands that would move farther by it than by their step.

    The curvature (reach) is no bound where the velocity that causes it was reversed.

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
    """Shift the coordinates of every tree by a whitened displacement.

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
    """Undo the last shift, `pile_step`, which has widened the gaps.

    Writes: state, work.
    """
    for dof in range(work.pile_step.shape[0]):
        work.pile_step[dof] = -work.pile_step[dof]
    shift_coordinates(model, state, work, work.pile_step)


@kernel
def gap_growth(work, gap, first, end, closes):
    """Return whether rows first … end − 1, of one constraint, end too wide: `OPEN`, `WIDENED`, or 0.

    The norm over the rows counts, since their directions rotate. `OPEN`: wider than in mid step by more than
    `GAP_GROWTH` · reach, or than at the step's start by more than a step closes. `WIDENED`: the latter, and
    wider than `GAP_GROWTH` · reach.
    """
    after = middle = before = 0.0
    for n in range(first, end):
        after += gap[n] * gap[n]
        middle += work.scalar_gap[n] * work.scalar_gap[n]
        before += work.scalar_gap_before[n] * work.scalar_gap_before[n]
    after, middle, before = sqrt(after), sqrt(middle), sqrt(before)
    much = GAP_GROWTH * work.scalar_reach[first]
    if after > before + closes:
        return WIDENED if after > much else OPEN
    return OPEN if after > middle + much + UNREPORTED_GROWTH else 0


@kernel
def end_of_rows(model, work, first):
    """Return one past the last row of the same three directions of the same constraint."""
    slot, begin = work.scalar_slot, model.constraint_slot[0]
    end = first + 1
    while end < work.scalar_count[0] and (slot[end] - begin) // ANGULAR == (slot[first] - begin) // ANGULAR:
        end += 1
    return end


@kernel
def report_gaps(model, state, command, settings, work):
    """Set `TIME_STEP_TOO_LONG` where gaps are left too wide; mark islands in which a gap is torn.

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
            work.status[0] |= Status.TIME_STEP_TOO_LONG
        if found == WIDENED:
            for side in range(2):
                if work.scalar_len[first, side] > 0:
                    tree = model.body_tree[work.scalar_body[first, side]]
                    work.island_is_torn[find_representative(work.tree_island, tree)] = 1
        first = end


@kernel
def transport_velocity(model, state, settings, work, t):
    """Transport the velocity of a robot along its shift δ, parallel in the metric of its kinetic energy.

    δv = −M̂⁻¹ C(δ, v), C from h(v) = C(v, v), and ½ δ × ω for spherical joints, whose velocities are in the
    parent's axes. With M for M̂, motion without forces keeps its energy. M̂ also holds drives and dampings:
    robots with these keep it up to a part of their effect.

    Writes: state, work (body_vel, body_acc and body_force of the tree are left at v + δ/dt and the poses of
    mid step; later readers recompute them).
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
        if model.joint_type[i] == Joint.SPHERICAL:
            k = model.joint_v[i]
            turn = (work.shift_v[k], work.shift_v[k + 1], work.shift_v[k + 2])
            more = vec.cross(turn, (state.v[k], state.v[k + 1], state.v[k + 2]))
            for j in range(3):
                work.change_v[k + j] += 0.5 * more[j]
    for dof in range(first, last):
        state.v[dof] += work.change_v[dof]


@kernel
def velocity_follows(model, settings, work, t):
    """Tell whether the velocity of tree t is transported along its shift.

    Only for robots on a fixed base, and shifts from `SHORT_SHIFT` to `LONG_SHIFT`; `projection_energy`
    corrects longer ones, but not of robots with contacts or drives. The length of the shift is stored at the
    island's representative. Not with `semi_implicit`, whose energy oscillates.
    """
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return False
    if model.joint_type[model.tree_body[t]] == Joint.FREE or model.tree_is_single[t] == 1:
        return False
    size = work.island_shift_size[find_representative(work.tree_island, t), 2]
    return SHORT_SHIFT * SHORT_SHIFT < size <= LONG_SHIFT * LONG_SHIFT


@kernel
def transport_velocities(model, state, settings, work):
    """Transport velocities along the shifts: free bodies keep their angular momentum, robots as above.

    Writes: state, work.
    """
    for t in range(model.tree_body.shape[0]):
        if is_constrained_single(model, t):
            keep_spin(model, t, work.end_q, state.q, state.v)
        elif velocity_follows(model, settings, work, t):
            transport_velocity(model, state, settings, work, t)


@kernel
def begin_shifts(model, state, work):
    """Store the coordinates before the positions are corrected, if there are constraints; clear the measures.

    Writes: work.
    """
    if model.constraint_kind.shape[0] == 0:
        return
    for k in range(state.q.shape[0]):
        work.end_q[k] = state.q[k]
    for dof in range(work.shift_v.shape[0]):
        work.shift_v[dof] = 0.0
    for t in range(model.tree_body.shape[0]):
        work.island_shift_size[t, 2] = 0.0
        work.island_is_torn[t] = 0


@kernel
def close_constraint_gaps(model, state, command, settings, work):
    """Close the gaps by repeated shifts, until they are closed or a shift widens them.

    Writes: state, work.
    """
    is_strict = has_group(work, moved_trees(work))
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
    """Close the gaps of all constraints that hold. `end_q` holds the coordinates before.

    Gaps that grow set `TIME_STEP_TOO_LONG`. A shift that widens the gaps within reach, or, in groups of
    robots tied to one another, all gaps, is undone.

    Writes: state, work.
    """
    close_constraint_gaps(model, state, command, settings, work)
    lengths.slip_winches(model, state, command, work)
