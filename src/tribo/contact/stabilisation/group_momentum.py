"""Stages `group_momentum.set_group_targets`, `.keep_group_momenta`: momentum of groups of bodies.

Constraints and contacts exchange momentum between trees, so a single tree does not conserve its own
(`dynamics.momentum`). A *group*, all trees that act on one another, conserves the sum. The position of its
centre of mass and its momenta after the step are known, and the missing rigid motion is added to every base.
A rigid motion neither opens nor closes constraints and contacts. Groups with forces from the world, or
against fixed bodies, are left as they are.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.constraints.path_curvature import side_of
from tribo.contact.far_contacts import is_at_later_pose
from tribo.contact.problem.islands import find_representative, join_islands, moved_tree, trees_in
from tribo.contact.problem.scalar_rows import constraint_of_row
from tribo.dynamics.integrate import STRUCK, end_of
from tribo.dynamics.momentum import base_impulse, load_motion, point_inertia, store_motion, tree_motion
from tribo.enums import Momentum
from tribo.math import linalg, quat, spatial, vec
from tribo.model import Integrator, Joint, Kind

# Entries of `group_motion` during the search: the world does not act on the group, as far as is known.
ALONE = 1.0
CONSTRAINED = 2.0  # the same, with constraints or robots


@kernel
def base_place(model, q, tree):
    """Return the position of the base of a floating tree [m]."""
    at = model.joint_q[model.tree_body[tree]]
    return (q[at], q[at + 1], q[at + 2])


@kernel
def momentum_group(work, tree):
    """Return the first tree of a tree's group; −1 if it is in none that conserves its momentum."""
    first = find_representative(work.tree_group, tree)
    return first if work.tree_is_kept[first] >= Momentum.TOGETHER else -1


@kernel
def has_group(work, trees):
    """Tell whether a group that conserves its momentum begins with one of these trees."""
    is_any = False
    for tree in trees:
        is_any = is_any or work.tree_is_kept[tree] >= Momentum.TOGETHER
    return is_any


@kernel
def is_group(work, t):
    """Tell whether island t is one group that conserves its momentum."""
    is_one = True
    for tree in trees_in(work, t):
        is_one = is_one and momentum_group(work, tree) == t
    return is_one


@kernel
def is_contact_active(work, c):
    """Tell whether contact c has an impulse in this step, or may shift an overlap at its end."""
    is_pushed = vec.load(work.contact_impulse, c) != (0.0, 0.0, 0.0)
    shifts = work.contact_target[c] > -inf and work.contact_correction[c] > 0.0
    return is_pushed or shifts or work.contact_is_soft[c] != 0 or work.adhesion_impulse[c] > 0.0


@kernel
def join_ends(model, work):
    """Join the trees that act on one another to groups; return whether there is a pair.

    Groups are `ALONE` or `CONSTRAINED`, as far as is known: an entry of `group_motion` of the first tree.

    Writes: work.
    """
    for tree in range(model.tree_body.shape[0]):
        work.tree_group[tree] = tree
        work.group_motion[tree, 0] = 0.0
    for n in range(work.scalar_count[0]):
        if work.scalar_impulse[n] != 0.0:
            join_islands(work.tree_group, end_of(model, work, n, 0), end_of(model, work, n, 1))
    for c in range(work.contact_count[0]):
        if is_contact_active(work, c):
            a = moved_tree(model, work.contact_body[c, 0])
            join_islands(work.tree_group, a, moved_tree(model, work.contact_body[c, 1]))
    is_any = False
    for tree in range(model.tree_body.shape[0]):
        first = find_representative(work.tree_group, tree)
        if first != tree:
            work.group_motion[first, 0] = max(work.group_motion[first, 0], ALONE)
            is_any = True
        if model.tree_is_single[tree] == 0:
            work.group_motion[first, 0] = CONSTRAINED
    for n in range(work.scalar_count[0]):
        if work.scalar_impulse[n] != 0.0 and constraint_of_row(model, work, n) >= 0:
            tree = max(end_of(model, work, n, 0), end_of(model, work, n, 1))
            if tree >= 0:
                work.group_motion[find_representative(work.tree_group, tree), 0] = CONSTRAINED
    return is_any


@kernel
def mark_held_group(work, tree):
    """Mark that the world acts on the group of a tree (−1: none).

    Writes: work.
    """
    if tree >= 0:
        work.group_motion[find_representative(work.tree_group, tree), 0] = 0.0


@kernel
def runs_over_world(model, c):
    """Tell whether the path of constraint c, if it is a wire, runs over a fixed point."""
    first, last = model.constraint_path[c, 0], model.constraint_path[c, 1]
    if first == last:
        return False
    stands = False
    for k in range(first, last + 1):
        stands = stands or side_of(model, c, model.path_body[k]) < 0
    return stands


@kernel
def find_held(model, work):
    """Mark the groups that exchange momentum with the world, or are free bodies that met within the step.

    The latter have impulses at a later pose: exact velocities, but not mid-step positions.

    Writes: work.
    """
    for tree in range(model.tree_body.shape[0]):
        is_floating = model.joint_type[model.tree_body[tree]] == Joint.FREE
        if not is_floating or model.tree_kind[tree] != Kind.DYNAMIC or work.tree_is_resting[tree] == 1:
            mark_held_group(work, tree)
    for n in range(work.scalar_count[0]):
        c = constraint_of_row(model, work, n)
        if work.scalar_impulse[n] != 0.0 and c >= 0:
            a, b = end_of(model, work, n, 0), end_of(model, work, n, 1)
            if min(a, b) < 0 or runs_over_world(model, c):
                mark_held_group(work, max(a, b))
    for c in range(work.contact_count[0]):
        if is_contact_active(work, c):
            a, b = moved_tree(model, work.contact_body[c, 0]), moved_tree(model, work.contact_body[c, 1])
            group = find_representative(work.tree_group, max(a, b, 0))
            if min(a, b) < 0 or (is_at_later_pose(work, c) and work.group_motion[group, 0] == ALONE):
                mark_held_group(work, max(a, b))
    for c in range(model.coupling_path.shape[0]):
        for k in range(model.coupling_path[c, 0], model.coupling_path[c, 1]):
            if model.element_body[k] < 0:  # a tendon runs over a fixed point
                mark_held_group(work, model.body_tree[model.coupling_body[c, 0]])


@kernel
def find_lone_groups(model, work):
    """Find the groups that conserve their momentum; return whether there is one.

    Writes: work.
    """
    if not join_ends(model, work):
        return False
    find_held(model, work)
    is_any = False
    for tree in range(model.tree_body.shape[0]):
        first = find_representative(work.tree_group, tree)
        what = work.group_motion[first, 0]
        if first != tree and what > 0.0:
            work.tree_is_kept[tree] = Momentum.LEFT_ALONE
            work.tree_is_kept[first] = Momentum.TOGETHER if what == CONSTRAINED else Momentum.TOUCHING
            is_any = True
    return is_any


@kernel
def late_spin_change(model, state, work, tree):
    """Return the change of a hit body's angular momentum from the step's start to the impact in mid step."""
    root = model.tree_body[tree]
    b = model.tree_v[tree] + 3
    s = spatial.load(model.body_inertia, root)
    omega = (state.v[b], state.v[b + 1], state.v[b + 2])
    r = quat.to_matrix(quat.load(state.q, model.joint_q[root] + 3))
    before = vec.sym_vec(vec.rotate_sym(r, s), omega)
    omega = vec.add(omega, vec.load(work.hit_rotation, tree))
    middle = vec.rotate_sym(vec.load_mat(work.body_rot, root), s)
    return vec.sub(vec.sym_vec(middle, omega), before)


@kernel
def set_group_targets(model, state, settings, work):
    """Set the centre of mass and the momenta that every group has to have after the step.

    Internal forces add nothing; weight, drives of bases, external wrenches and impacts before the solve do.
    Of a hit body the angular momentum at the impact counts (`late_spin_change`): with e = 1 the energy stays.

    Writes: work.
    """
    if settings.integrator == Integrator.SEMI_IMPLICIT or not find_lone_groups(model, work):
        return
    dt = settings.dt
    sum_group_motion(model, state.q, state.v, work, moved_trees(work))
    for tree in range(model.tree_body.shape[0]):
        if momentum_group(work, tree) == tree:
            m, c, p, l = load_motion(work.group_motion, tree)
            middle = vec.add(base_place(model, state.q, tree), vec.axpy(0.5 * dt / m, p, c))
            weight = (m * settings.gravity_x, m * settings.gravity_y, m * settings.gravity_z)
            store_motion(work.tree_target, tree, m, middle, vec.axpy(dt, weight, p), l)
    for tree in range(model.tree_body.shape[0]):
        first = momentum_group(work, tree)
        if first >= 0:
            m, middle, p, l = load_motion(work.tree_target, first)
            push, turn = base_impulse(model, settings, work, tree)
            arm = vec.sub(vec.load(work.body_pos, model.tree_body[tree]), middle)
            turn = vec.add(turn, vec.cross(arm, push))
            if work.tree_is_hit[tree] == STRUCK:
                turn = vec.add(turn, late_spin_change(model, state, work, tree))
            store_motion(work.tree_target, first, m, middle, vec.add(p, push), vec.add(l, turn))
    for tree in range(model.tree_body.shape[0]):
        if momentum_group(work, tree) == tree:
            m, middle, p, l = load_motion(work.tree_target, tree)
            store_motion(work.tree_target, tree, m, vec.axpy(0.5 * dt / m, p, middle), p, l)


@kernel
def moved_trees(work):
    """Return the trees of all islands that impulses move, island by island."""
    return work.island_tree[0 : work.island_tree_start[work.island_tree.shape[0]]]


@kernel
def group_within(work, tree, trees):
    """Return `momentum_group` of a tree; −1 if its first tree is none of these, of one island or all."""
    first = momentum_group(work, tree)
    if first < 0 or len(trees) == len(moved_trees(work)):
        return first
    island = find_representative(work.tree_island, tree)
    return first if find_representative(work.tree_island, first) == island else -1


@kernel
def sum_group_motion(model, q, v, work, trees):
    """Sum m, c, p, L about c and the inertia about c of groups of trees at (q, v).

    trees: of one island or all. c is relative to the base of the first tree of a group.

    Writes: work.
    """
    for tree in trees:
        store_motion(work.group_motion, tree, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        spatial.store(work.group_inertia, tree, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for tree in trees:
        first = group_within(work, tree, trees)
        if first < 0:
            continue
        m, moment, p, l = load_motion(work.group_motion, first)
        mass, arm, push, spin, own = tree_motion(model, q, v, work, tree)
        c = vec.add(arm, vec.sub(base_place(model, q, tree), base_place(model, q, first)))
        l = vec.add(l, vec.add(spin, vec.cross(c, push)))
        store_motion(work.group_motion, first, m + mass, vec.axpy(mass, c, moment), vec.add(p, push), l)
        s = spatial.load(work.group_inertia, first)
        s = spatial.axpy(1.0, own, spatial.axpy(mass, point_inertia(c), s))
        spatial.store(work.group_inertia, first, s)
    for tree in trees:
        if work.group_motion[tree, 0] > 0.0:
            m, moment, p, l = load_motion(work.group_motion, tree)
            c = vec.scale(1.0 / m, moment)
            store_motion(work.group_motion, tree, m, c, p, vec.sub(l, vec.cross(c, p)))
            s = spatial.load(work.group_inertia, tree)
            spatial.store(work.group_inertia, tree, spatial.axpy(-m, point_inertia(c), s))


@kernel
def set_group_momenta(model, q, v, work, trees):
    """Correct base velocities and positions of groups at (q, v) to their momenta.

    Writes: q, v, work.
    """
    if not has_group(work, trees):
        return
    sum_group_motion(model, q, v, work, trees)
    for tree in trees:
        if work.group_motion[tree, 0] > 0.0:
            m, c, p, l = load_motion(work.group_motion, tree)
            _, place, push, spin = load_motion(work.tree_target, tree)
            s = spatial.load(work.group_inertia, tree)
            omega = vec.sym_vec(linalg.sym_inverse(s), vec.sub(spin, l))
            velocity = vec.axpy(1.0 / m, vec.sub(push, p), vec.cross(c, omega))
            is_touching = work.tree_is_kept[tree] == Momentum.TOUCHING
            if is_touching:
                velocity = vec.cross(c, omega)
            shift = vec.sub(vec.sub(place, base_place(model, q, tree)), c)
            if is_touching or work.impact_count[0] > 0:  # already exact
                shift = (0.0, 0.0, 0.0)
            store_motion(work.group_motion, tree, m, shift, velocity, omega)
    for is_first in (False, True):  # others are moved about the first tree of their group: it comes last
        for tree in trees:
            first = group_within(work, tree, trees)
            if first < 0 or (first == tree) != is_first:
                continue
            _, shift, velocity, omega = load_motion(work.group_motion, first)
            arm = vec.sub(base_place(model, q, tree), base_place(model, q, first))
            there = vec.add(velocity, vec.cross(omega, arm))
            at = model.joint_q[model.tree_body[tree]]
            dof = model.tree_v[tree]
            for k in range(3):
                v[dof + k] += there[k]
                v[dof + 3 + k] += omega[k]
                q[at + k] += shift[k]


@kernel
def keep_group_momenta(model, state, work):
    """Correct every awake group to its momentum at the end of the step.

    Writes: state, work.
    """
    for tree in range(model.tree_body.shape[0]):
        if state.tree_is_asleep[tree] > 0 and momentum_group(work, tree) >= 0:
            work.tree_is_kept[momentum_group(work, tree)] = Momentum.LEFT_ALONE
    set_group_momenta(model, state.q, state.v, work, moved_trees(work))
