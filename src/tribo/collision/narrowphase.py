"""Stage *narrowphase*: the points at which candidate pairs touch, or might within the step."""

from tribo.collision.late import call_late, family_of
from tribo.collision.pairs import collide
from tribo.collision.place import shape_pose
from tribo.jit import kernel
from tribo.math import vec
from tribo.model import Kind, Pair, Status

CAPACITY = int(Status.CAPACITY)
DYNAMIC = int(Kind.DYNAMIC)
STIFFNESS = int(Pair.STIFFNESS)
FEATURES = 2048  # feature numbers of one pair of shapes
SHAPES = 1 << 26  # shape ids of one world, so that a key fits into 63 bits


@kernel
def sort_points(out, n):
    """Sort the points of a manifold by feature.

    Writes: out.
    """
    for k in range(1, n):
        j = k
        while j > 0 and out[j - 1, 7] > out[j, 7]:
            for m in range(8):
                out[j - 1, m], out[j, m] = out[j, m], out[j - 1, m]
            j -= 1


@kernel
def add_contact(model, work, a, b, k):
    """Append point k of the manifold of shapes a, b; count on without storing when full.

    Writes: work.
    """
    c = work.contact_count[0]
    work.contact_count[0] = c + 1
    if c >= work.contact_key.shape[0]:
        return
    point = work.manifold
    n = (point[k, 3], point[k, 4], point[k, 5])
    t1, t2 = vec.axes_from_normal(n)
    work.contact_shape[c, 0] = a
    work.contact_shape[c, 1] = b
    work.contact_body[c, 0] = model.shape_body[a]
    work.contact_body[c, 1] = model.shape_body[b]
    pair = model.shape_id[a] * SHAPES + model.shape_id[b]
    work.contact_key[c] = pair * FEATURES + int(point[k, 7])
    vec.store(work.contact_pos, c, (point[k, 0], point[k, 1], point[k, 2]))
    vec.store_mat(
        work.contact_axes, c, (t1[0], t1[1], t1[2], t2[0], t2[1], t2[2], n[0], n[1], n[2])
    )
    work.contact_gap[c] = point[k, 6]


@kernel
def primitives(model, work, a, b, margin):
    """Write the contacts of two primitive shapes into the manifold; return their number.

    Writes: work.
    """
    pos_a, rot_a = shape_pose(model, work, a)
    pos_b, rot_b = shape_pose(model, work, b)
    return collide(
        model.shape_kind[a],
        model.shape_kind[b],
        pos_a,
        rot_a,
        vec.load(model.shape_size, a),
        pos_b,
        rot_b,
        vec.load(model.shape_size, b),
        margin,
        work.manifold,
    )


@kernel
def is_moved(model, body):
    """Tell whether forces move a body."""
    return model.body_chain_len[body] > 0 and model.tree_kind[model.body_tree[body]] == DYNAMIC


@kernel
def is_left_out(model, a, b):
    """Tell whether a pair of shapes is left to others: points touch compliant grounds and nothing else."""
    first = model.shape_point[a]
    second = model.shape_point[b]
    material = model.shape_material[a]
    if model.pair_table[material, model.shape_material[b], STIFFNESS] <= 0.0:
        return first == 1 or second == 1
    moves = is_moved(model, model.shape_body[a])
    if moves == is_moved(model, model.shape_body[b]):
        return first == 1 or second == 1
    if moves:
        return first == 2 or second == 1
    return first == 1 or second == 2


@kernel
def contacts(model, work):
    """List all points of all candidate pairs whose gap one step can close.

    A pair whose function is not loaded yet stops the stage with `CAPACITY`; the engine loads it and repeats.

    Writes: work.
    """
    work.contact_count[0] = 0
    for k in range(min(work.candidate_count[0], work.candidate.shape[0])):
        a = work.candidate_sorted[k, 0]
        b = work.candidate_sorted[k, 1]
        if model.shape_point[a] + model.shape_point[b] > 0 and is_left_out(model, a, b):
            continue
        margin = work.body_margin[model.shape_body[a]] + work.body_margin[model.shape_body[b]]
        family = family_of(model.shape_kind[a], model.shape_kind[b])
        if family >= 0:
            if model.late_address[family] == 0:
                work.late_wanted[family] = 1
                work.status[0] |= CAPACITY
                return
            n = call_late(model.late_address[family], model, work, a, b, margin)
        else:
            n = primitives(model, work, a, b, margin)
        sort_points(work.manifold, n)
        for point in range(n):
            add_contact(model, work, a, b, point)
    if work.contact_count[0] > work.contact_key.shape[0]:
        work.status[0] |= CAPACITY
