"""What hard constraints leave open at the end of a step, taken out of the positions.

The target of a row is exact to second order in dt; the rest would show as a gap. Here the gaps e are
evaluated at the positions that the step has reached, and all of them are closed by the shift that is
least in kinetic energy,

    δq = M̂⁻¹ Yᵀ μ,   (Y M̂⁻¹ Yᵀ + ε D) μ = −e,

with the Jacobians Y of the step, up to five times. Velocities stay, but for a factor that keeps the energy
(`shifted`). A row moves by at most its reach, the bend of its curve in one step: what was open for other
reasons is left to the velocities. Near a singular pose some gaps could only be closed by a long way: the
conjugate gradients stop before they take it, and no island goes farther by it than by its step.

Source: post-stabilization, Cline and Pai 2003; conjugate gradients, Hestenes and Stiefel 1952.
"""

from math import inf, sqrt

from tribo.contact import linkage
from tribo.contact.islands import find
from tribo.contact.response import add_scalar_to, scalar_moved_by
from tribo.contact.scalar import tie_of
from tribo.dynamics import kinematics
from tribo.dynamics.inertia import twice_energy, unwhiten
from tribo.jit import kernel
from tribo.math import vec
from tribo.model import Constraint, Status, Tuning

JOINT = int(Constraint.JOINT)
REST = int(Tuning.LENGTH)
COARSE = int(Status.COARSE)

TOLERANCE = 1e-4  # [–] of the gaps, at which the conjugate gradients stop
ROUNDING = 1e-7  # [–] ε: rows that repeat one another share the shift
MAX_SWEEPS = 200
FARTHEST = 1e3  # [–] energy of a shift over that of the gaps closed one by one
MAX_STEPS = 5  # of Newton: each leaves a part (ω dt)/2 of the gaps
CLOSED = 1e-7  # [–] of the reach: gaps below are left
TORN = 0.1  # [–] of the reach: a gap may grow by that much in half a step
SMALL = 1e-6  # [m, rad] a gap that grows by less is of no account
GAIN = 0.25  # [–] a step that leaves more of the squared gaps is the last


@kernel
def place_ends(model, state, work, c):
    """Compute the poses of the two bodies of constraint c at the end of the step.

    Writes: work.
    """
    for side in range(2):
        body = model.constraint_body[c, side]
        if body < 0:
            continue
        for i in range(model.tree_body[model.body_tree[body]], body + 1):
            p, r = kinematics.body_pose(model, state.q, work.swing_pos, work.swing_rot, i)
            vec.store(work.swing_pos, i, p)
            vec.store_mat(work.swing_rot, i, r)


@kernel
def end_gap(model, command, work, c, k):
    """Return the gap [m, rad] of row k of constraint c at the end of the step."""
    own, axes = linkage.body_frame(model, work.swing_pos, work.swing_rot, c, 0)
    point, other = linkage.body_frame(model, work.swing_pos, work.swing_rot, c, 1)
    if model.constraint_kind[c] != JOINT:
        return command.constraint[c, REST] - vec.norm(vec.sub(point, own))
    if k < linkage.ANGULAR:
        return vec.dot(vec.mat_col(axes, k), vec.sub(own, point))
    error = linkage.turned(model.constraint_locked[c], axes, other)
    return vec.dot(vec.mat_col(axes, k - linkage.ANGULAR), error)


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
            place_ends(model, state, work, c)
            placed = c
        gap[n] = end_gap(model, command, work, c, work.scalar_slot[n] - model.constraint_slot[c])


@kernel
def gaps(model, state, command, work, gap):
    """Write what every row that holds has to move, 0 for those of joints; tell whether it is worth it.

    Rows at a bound hold nothing: they get a reach < 0.

    Writes: work, gap.
    """
    for n in range(work.scalar_count[0]):
        impulse = work.scalar_impulse[n]
        if impulse <= work.scalar_lower[n] or impulse >= work.scalar_upper[n]:
            work.scalar_reach[n] = -1.0
    end_gaps(model, state, command, work, gap)
    is_open = False
    for n in range(work.scalar_count[0]):
        reach = work.scalar_reach[n]
        if reach > 0.0:
            is_open = is_open or abs(gap[n]) > CLOSED * reach
            gap[n] = min(max(gap[n], -reach), reach)
    return is_open


@kernel
def respond(model, work, impulse, out):
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
        respond(model, work, ahead, out)
        slope = 0.0
        for n in range(count):
            if work.scalar_reach[n] < 0.0:
                continue
            own = ROUNDING * work.scalar_delassus[n] * ahead[n]
            work.scalar_guess[n] = scalar_moved_by(model, work, n, out, own)
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
    respond(model, work, total, out)
    return start


@kernel
def shorten(model, settings, work, shift):
    """Shorten the shift of islands that would move farther by it than by their step: no gap is worth that.

    Both are measured by M̂; the bend of a curve is no measure where the velocity that bends it was taken back.

    Writes: work, shift.
    """
    way = work.island_way
    for t in range(model.tree_body.shape[0]):
        way[t, 0] = way[t, 1] = 0.0
    for t in range(model.tree_body.shape[0]):
        own = 0.0
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            own += shift[dof] * shift[dof]
        if own > 0.0:
            island = find(work.tree_island, t)
            way[island, 0] += own
            way[island, 1] += settings.dt * settings.dt * twice_energy(model, work, t, work.next_v)
    for t in range(model.tree_body.shape[0]):
        if way[t, 0] > 0.0 and way[t, 1] > 0.0:
            way[t, 2] = max(way[t, 2], way[t, 0] / way[t, 1])
        island = find(work.tree_island, t)
        if way[island, 0] > way[island, 1]:
            part = sqrt(way[island, 1] / way[island, 0])
            for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
                shift[dof] *= part


@kernel
def move(model, state, work, shift):
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
        for i in range(root, root + model.tree_body_count[t]):
            kinematics.drift_joint(model, i, state.q, work.change_v, 1.0, state.q)


@kernel
def is_torn(model, state, command, work):
    """Tell whether a gap is left wider than it was in mid step, by a part of what a step bends.

    Writes: work.
    """
    gap = work.scalar_kept[0]
    end_gaps(model, state, command, work, gap)
    for n in range(work.scalar_count[0]):
        reach = work.scalar_reach[n]
        if reach > 0.0 and abs(gap[n]) > abs(work.scalar_gap[n]) + TORN * reach + SMALL:
            return True
    return False


@kernel
def closure(model, state, command, settings, work):
    """Close the gaps of all constraints that hold. Leave in `end_q` where all was before.

    Where turns are too far for that, and gaps grow, the step is `COARSE`.

    Writes: state, work.
    """
    for k in range(state.q.shape[0]):
        work.end_q[k] = state.q[k]
    for t in range(model.tree_body.shape[0]):
        work.island_way[t, 2] = 0.0
    most = inf
    last = inf
    is_open = True
    for _ in range(MAX_STEPS):
        is_open = gaps(model, state, command, work, work.scalar_kept[0])
        if not is_open:
            break
        size = least_shift(model, work, work.scalar_kept[0], most, work.pile_step)
        if not size < most:
            if size > last:  # the last shift, which `pile_step` still holds, has made it worse
                for dof in range(work.pile_step.shape[0]):
                    work.pile_step[dof] = -work.pile_step[dof]
                move(model, state, work, work.pile_step)
            break
        shorten(model, settings, work, work.pile_step)
        move(model, state, work, work.pile_step)
        last = size
        most = GAIN * size
    if is_open and is_torn(model, state, command, work):
        work.status[0] |= COARSE
