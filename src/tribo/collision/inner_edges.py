"""Stage `inner_edges.suppress_edges`: drops contacts on edges between shapes that lie flush.

The narrow phase treats adjacent tiles one by one, so a body that slides over them meets edges that the floor
as a whole does not have. Consider two contacts of a convex body: c with shape S, and d with shape D, where S
and D do not move relative to one another. If all of S is below the tangent plane at d and all of the body is
above it, the two can only touch in that plane, and c's normal adds nothing. Then c is

* removed, if the body is round there, c is steep, or S is terrain and overlaps the body, so that its faces
  have contacts of their own: the body's deepest point belongs to d;
* rotated, else: it becomes a row along d's normal, its gap taken from S's farthest point along it. One with
  terrain stays as it is: a turn about d may bring the body to it.

Both may be of later poses (`advancement`): the path of c leads on through D. The body is then above the plane
of d until it meets D, if it is now.

Triangles that rise above the plane (walls, curbs) keep their contacts, and so do contacts along the same
normal, which share the load, and those of a ridge, where each plane has the other shape below it.
"""

from math import inf

from tribo.collision.advancement import farthest_along
from tribo.collision.broadphase import is_moved
from tribo.collision.margins import origin_motion
from tribo.collision.narrowphase import move_contact
from tribo.collision.place import shape_pose
from tribo.collision.solid import extent, is_arc, is_convex, load_solid, radius, support_at
from tribo.collision.triangles import FLUSH, SAME_FACE, STEEP, terrain_reach
from tribo.compiler.jit import kernel
from tribo.math import quat, vec
from tribo.model import Joint, Pair, Shape

SAME_VELOCITY = 1e-9  # [-] relative difference of two equal velocities
SAME_RUN = 0.1  # [-] of SAME_FACE: tolerance of the normals of a run
BROKEN = -1  # in place of the first pair of a run: one of its contacts was rotated


@kernel
def is_part(model, s):
    """Tell whether a shape may have neighbours at rest relative to it."""
    body = model.shape_body[s]
    return model.body_shape_count[body] > 1 or not is_moved(model, body)


@kernel
def may_lie_flush(model, work, c, side):
    """Tell whether the other shape of contact c may be a tile under the convex one on `side`."""
    return is_convex(model.shape_kind[work.contact_shape[c, side]]) and is_part(
        model, work.contact_shape[c, 1 - side]
    )


@kernel
def begins_pair(work, c):
    """Tell whether contact c is the first of its pair of shapes."""
    shape = work.contact_shape
    return c == 0 or shape[c, 0] != shape[c - 1, 0] or shape[c, 1] != shape[c - 1, 1]


@kernel
def are_near(a, b, limit):
    """Tell whether two vectors differ by less than a limit."""
    off = vec.sub(a, b)
    return vec.dot(off, off) < limit * limit


@kernel
def join_run(work, n, c, side):
    """Add a pair to the run of the pair before it in the list of its shape, or begin a new run.

    A run: consecutive pairs with one common normal. Stored are the pair after the run and its first pair,
    `BROKEN` if it is no longer a run.

    Writes: work.
    """
    shape = work.contact_shape
    before = work.pair_before[c, side]
    first = BROKEN
    if before >= 0:
        first = work.pair_run[before // 2, 2 * (before % 2) + 1]
    own = toward(work, c, side)
    is_uniform = True
    joins = first >= 0
    normal = own
    if joins:
        normal = toward(work, first // 2, first % 2)
    d = c
    while d < n and shape[d, 0] == shape[c, 0] and shape[d, 1] == shape[c, 1]:
        here = toward(work, d, side)
        is_uniform = is_uniform and are_near(here, own, SAME_RUN * SAME_FACE)
        joins = joins and are_near(here, normal, SAME_RUN * SAME_FACE)
        d += 1
    if joins:
        work.pair_run[c, 2 * side] = work.pair_run[before // 2, 2 * (before % 2)]
        work.pair_run[c, 2 * side + 1] = first
    else:
        work.pair_run[c, 2 * side] = before
        work.pair_run[c, 2 * side + 1] = 2 * c + side if is_uniform else BROKEN


@kernel
def break_run(work, c):
    """Mark that a contact of the pair that begins with c was rotated.

    Writes: work.
    """
    for side in range(2):
        first = work.pair_run[c, 2 * side + 1]
        if first >= 0:
            work.pair_run[first // 2, 2 * (first % 2) + 1] = BROKEN


@kernel
def after_run(work, pair, normal):
    """Return the pair after the run of a pair if all contacts of it have a given normal, else that pair."""
    c = pair // 2
    side = pair % 2
    first = work.pair_run[c, 2 * side + 1]
    if first < 0 or work.pair_run[first // 2, 2 * (first % 2) + 1] < 0:
        return pair
    shared = toward(work, first // 2, first % 2)
    if are_near(shared, normal, (1.0 - 2.0 * SAME_RUN) * SAME_FACE):
        return work.pair_run[c, 2 * side]
    return pair


@kernel
def list_pairs(model, work, n):
    """List the pairs of every shape that may lie on others; `shape_slot` holds the last.

    A pair is identified by its first contact and the side of the shape, 2 c + side.

    Writes: work.
    """
    for c in range(n):
        work.shape_slot[work.contact_shape[c, 0]] = -1
        work.shape_slot[work.contact_shape[c, 1]] = -1
        for side in range(2):
            work.pair_run[c, 2 * side + 1] = BROKEN
    for c in range(n):
        if not begins_pair(work, c):
            continue
        a = work.contact_shape[c, 0]
        b = work.contact_shape[c, 1]
        if model.pair_table[model.shape_material[a], model.shape_material[b], Pair.STIFFNESS] > 0.0:
            continue
        for side in range(2):
            if may_lie_flush(model, work, c, side):
                s = work.contact_shape[c, side]
                work.pair_before[c, side] = work.shape_slot[s]
                work.shape_slot[s] = 2 * c + side
                join_run(work, n, c, side)


@kernel
def carrier_motion(model, state, work, i, p):
    """Return angular velocity and velocity at p of a body that forces do not move.

    Infinite for a moving kinematic link: it is at rest relative to nothing.
    """
    still = (0.0, 0.0, 0.0)
    chain = model.body_chain_start[i]
    is_still = True
    for k in range(chain, chain + model.body_chain_len[i]):
        is_still = is_still and state.v[model.chain_dof[k]] == 0.0
    if is_still:
        return still, still
    if model.joint_type[i] != Joint.FREE:
        return (inf, inf, inf), still
    dof = model.joint_v[i]
    spin = (state.v[dof + 3], state.v[dof + 4], state.v[dof + 5])
    arm = vec.sub(p, vec.load(work.body_pos, i))
    return spin, vec.add((state.v[dof], state.v[dof + 1], state.v[dof + 2]), vec.cross(spin, arm))


@kernel
def are_alike(a, b):
    """Tell whether two vectors are equal up to round-off."""
    off = vec.sub(a, b)
    return vec.dot(off, off) <= SAME_VELOCITY * SAME_VELOCITY * (vec.dot(a, a) + vec.dot(b, b))


@kernel
def stand_still(model, state, work, i, j):
    """Tell whether two bodies do not move relative to one another."""
    if i == j:
        return True
    if is_moved(model, i) or is_moved(model, j):
        return False
    p = vec.load(work.body_pos, i)
    spin_i, vel_i = carrier_motion(model, state, work, i, p)
    spin_j, vel_j = carrier_motion(model, state, work, j, p)
    return are_alike(spin_i, spin_j) and are_alike(vel_i, vel_j)


@kernel
def support_reach(model, work, s, d):
    """Return the support height of a convex shape along a unit direction, from the world's origin [m]."""
    pos, rot = shape_pose(model, work, s)
    solid = load_solid(model, s)
    return vec.dot(support_at(model, work, solid, pos, rot, d), d) + radius(solid)


@kernel
def toward(work, c, side):
    """Return the normal of contact c into the shape on `side`."""
    sign = 1.0 if side == 0 else -1.0
    axes = work.contact_axes
    return (sign * axes[c, 6], sign * axes[c, 7], sign * axes[c, 8])


@kernel
def is_on_the_way(work, c):
    """Tell whether contact c belongs to a later pose within the step."""
    way = vec.load(work.contact_travel, c)
    return vec.dot(way, way) > 0.0


@kernel
def own_point(work, c, side):
    """Return the present contact point of the shape on `side` of contact c."""
    if is_on_the_way(work, c):
        return vec.axpy(0.5 - side, vec.load(work.contact_travel, c), vec.load(work.contact_pos, c))
    return vec.axpy(0.5 * work.contact_gap[c], toward(work, c, side), vec.load(work.contact_pos, c))


@kernel
def lowest_at(model, state, work, c, side, normal):
    """Return the least height of the shape on `side` of c along a normal, rotated as it is at c [m]."""
    s = work.contact_shape[c, side]
    down = vec.neg(normal)
    if not is_on_the_way(work, c):
        return -support_reach(model, work, s, down)
    i = work.contact_body[c, side]
    turn = vec.scale(work.contact_travel[c, 3], origin_motion(model, state, work, i)[1])
    before = vec.mat_t_vec(quat.to_matrix(quat.exp(turn)), down)
    return -vec.dot(vec.load(work.body_pos, i), down) - farthest_along(model, work, s, before)


@kernel
def stands_out(model, work, c, side, normal, height, slop):
    """Tell whether the shape on `side` of contact c has a point above the plane normal · x = height.

    Of terrain the triangles at the contact count.
    """
    s = work.contact_shape[c, side]
    if is_convex(model.shape_kind[s]):
        return support_reach(model, work, s, normal) > height + slop
    pos, rot = shape_pose(model, work, s)
    point = vec.mat_t_vec(rot, vec.sub(own_point(work, c, side), pos))
    own = vec.mat_t_vec(rot, normal)
    return terrain_reach(model, s, point, own, slop) > height - vec.dot(pos, normal) + slop


@kernel
def is_round_between(model, work, c, side, d, other):
    """Tell whether a shape is round from its contact d to its contact c."""
    arm = vec.sub(own_point(work, c, side), own_point(work, d, other))
    kind = model.shape_kind[work.contact_shape[c, side]]
    return is_arc(kind, toward(work, c, side), toward(work, d, other), arm)


@kernel
def says_all(model, state, work, c, side, d, other):
    """Tell whether contact d of a shape makes the normal of its contact c redundant.

    The shape is on `side` of c and on side `other` of d.
    """
    normal_c = toward(work, c, side)
    normal_d = toward(work, d, other)
    if are_near(normal_c, normal_d, SAME_FACE):
        return False
    body = work.contact_body
    if not stand_still(model, state, work, body[c, 1 - side], body[d, 1 - other]):
        return False
    top = work.contact_shape[c, side]
    s = work.contact_shape[c, 1 - side]
    slop = FLUSH * extent(load_solid(model, top))
    if is_convex(model.shape_kind[s]):
        slop = min(slop, FLUSH * extent(load_solid(model, s)))
    height = vec.dot(own_point(work, d, 1 - other), normal_d)
    if stands_out(model, work, c, 1 - side, normal_d, height, slop):
        return False
    if is_on_the_way(work, d) and -support_reach(model, work, top, vec.neg(normal_d)) < height - slop:
        return False  # the body comes from below
    own = vec.dot(own_point(work, d, other), normal_d)
    if lowest_at(model, state, work, d, other, normal_d) < own - slop:
        return False  # the body is deepest elsewhere
    t = work.contact_shape[d, 1 - other]
    if model.shape_kind[t] == Shape.PLANE:
        return True
    plane = vec.dot(own_point(work, c, 1 - side), normal_c)
    if is_convex(model.shape_kind[t]):  # below the plane at c, it forms a ridge with S
        return support_reach(model, work, t, normal_c) > plane + slop
    if not is_round_between(model, work, c, side, d, other):
        plane += slop
    return vec.dot(own_point(work, d, 1 - other), normal_c) > plane


@kernel
def has_no_place(model, work, c, side, d, other):
    """Tell whether c has no point of its own on the body: a round one, a steep c, an overlap with terrain."""
    if vec.dot(toward(work, c, side), toward(work, d, other)) < STEEP:
        return True
    if not is_convex(model.shape_kind[work.contact_shape[c, 1 - side]]) and work.contact_gap[c] <= 0.0:
        return True
    return is_round_between(model, work, c, side, d, other)


@kernel
def turn_normal(model, work, c, side, normal):
    """Rotate the normal of contact c to `normal`, which points out of the other shape.

    Writes: work.
    """
    point = own_point(work, c, side)
    gap = vec.dot(point, normal) - support_reach(model, work, work.contact_shape[c, 1 - side], normal)
    n = normal if side == 0 else vec.neg(normal)
    t1, t2 = vec.axes_from_normal(n)
    vec.store_mat(work.contact_axes, c, (t1[0], t1[1], t1[2], t2[0], t2[1], t2[2], n[0], n[1], n[2]))
    if not is_on_the_way(work, c):
        vec.store(work.contact_pos, c, vec.axpy(-0.5 * gap, normal, point))
    work.contact_gap[c] = gap


@kernel
def judge_edge(model, state, work, n, first, c, side):
    """Remove (key −1) or rotate contact c if another pair of its shape on `side` makes it redundant.

    Writes: work.
    """
    shape = work.contact_shape
    pair = work.shape_slot[shape[c, side]]
    normal = toward(work, c, side)
    while pair >= 0:
        after = after_run(work, pair, normal)
        if after != pair:
            pair = after
            continue
        d = pair // 2
        other = pair % 2
        pair = work.pair_before[d, other]
        if d == first:
            continue
        a = shape[d, 0]
        b = shape[d, 1]
        while d < n and shape[d, 0] == a and shape[d, 1] == b:
            if work.contact_key[d] >= 0 and says_all(model, state, work, c, side, d, other):
                if has_no_place(model, work, c, side, d, other):
                    work.contact_key[c] = -1
                elif is_convex(model.shape_kind[shape[c, 1 - side]]):
                    turn_normal(model, work, c, side, toward(work, d, other))
                    break_run(work, first)
                return
            d += 1


@kernel
def remove_marked(work, n):
    """Remove the marked contacts from the list.

    Writes: work.
    """
    kept = 0
    for c in range(n):
        if work.contact_key[c] < 0:
            continue
        if kept < c:
            move_contact(work, c, kept)
        kept += 1
    work.contact_count[0] = kept


@kernel
def suppress_edges(model, state, work):
    """Remove or rotate the contacts with edges that lie flush with a neighbour.

    Writes: work.
    Cost: one pass over the pairs of shapes; on tiles, contacts × runs of pairs that share a normal.
    """
    n = work.contact_count[0]
    if n > work.contact_key.shape[0]:
        return
    list_pairs(model, work, n)
    first = 0
    for c in range(n):
        if begins_pair(work, c):
            first = c
        a = work.contact_shape[c, 0]
        b = work.contact_shape[c, 1]
        if model.pair_table[model.shape_material[a], model.shape_material[b], Pair.STIFFNESS] > 0.0:
            continue
        if model.shape_kind[a] != Shape.PLANE and model.shape_kind[b] != Shape.PLANE:
            for side in range(2):
                if work.contact_key[c] >= 0 and may_lie_flush(model, work, c, side):
                    judge_edge(model, state, work, n, first, c, side)
    remove_marked(work, n)
