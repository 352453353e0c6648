"""Stage `narrowphase.find_contacts`: points at which candidate pairs touch, or may in the step."""

from tribo.collision.advancement import has_own_times, meet_before_middle, meet_moving
from tribo.collision.broadphase import boxes_are_near, is_moved
from tribo.collision.margins import pair_margin
from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Pair, Shape, Status

FEATURES = 2048  # feature numbers of one pair of shapes
ZERO = (0.0, 0.0, 0.0)
SHAPES = 1 << 26  # shape ids of one world; a key fits into 63 bits


@kernel
def first_key(model, a, b):
    """Return the key of feature 0 of a pair of shapes; its other features have the next `FEATURES` − 1."""
    return (model.shape_id[a] * SHAPES + model.shape_id[b]) * FEATURES


@kernel
def write_contact(model, work, c, a, b, key, point, n, gap, travel):
    """Write the geometry of contact c of shapes a, b.

    Writes: work.
    """
    t1, t2 = vec.axes_from_normal(n)
    work.contact_shape[c, 0] = a
    work.contact_shape[c, 1] = b
    work.contact_body[c, 0] = model.shape_body[a]
    work.contact_body[c, 1] = model.shape_body[b]
    work.contact_key[c] = key
    vec.store(work.contact_pos, c, point)
    vec.store_mat(work.contact_axes, c, (t1[0], t1[1], t1[2], t2[0], t2[1], t2[2], n[0], n[1], n[2]))
    work.contact_gap[c] = gap
    vec.store(work.contact_travel, c, travel)
    work.contact_travel[c, 3] = 0.0


@kernel
def move_contact(work, source, to):
    """Copy the geometry of a contact to another index of the list.

    Writes: work.
    """
    for side in range(2):
        work.contact_shape[to, side] = work.contact_shape[source, side]
        work.contact_body[to, side] = work.contact_body[source, side]
    work.contact_key[to] = work.contact_key[source]
    vec.store(work.contact_pos, to, vec.load(work.contact_pos, source))
    vec.store_mat(work.contact_axes, to, vec.load_mat(work.contact_axes, source))
    work.contact_gap[to] = work.contact_gap[source]
    for k in range(4):
        work.contact_travel[to, k] = work.contact_travel[source, k]
    work.contact_share[to] = work.contact_share[source]


@kernel
def add_contact(model, work, a, b, k):
    """Append point k of the manifold of shapes a, b; if the table is full, only count it.

    Writes: work.
    """
    c = work.contact_count[0]
    work.contact_count[0] = c + 1
    if c >= work.contact_key.shape[0]:
        return
    row = work.manifold
    key = first_key(model, a, b) + int(row[k, 7])
    point = (row[k, 0], row[k, 1], row[k, 2])
    n = (row[k, 3], row[k, 4], row[k, 5])
    write_contact(model, work, c, a, b, key, point, n, row[k, 6], vec.load(work.travel, k))
    work.contact_travel[c, 3] = work.travel[k, 3]


@kernel
def is_of_other_points(model, a, b):
    """Tell whether other points serve a pair of shapes: points of compliant grounds touch nothing else."""
    first = model.shape_point[a]
    second = model.shape_point[b]
    material = model.shape_material[a]
    if model.pair_table[material, model.shape_material[b], Pair.STIFFNESS] <= 0.0:
        return first == 1 or second == 1
    moves = is_moved(model, model.shape_body[a])
    if moves == is_moved(model, model.shape_body[b]):
        return first == 1 or second == 1
    if moves:
        return first == 2 or second == 1
    return first == 1 or second == 2


@kernel
def is_looked_after(model, a, b):
    """Tell whether `predicted_contacts` covers two shapes: rigid ones that do not rebound."""
    if model.shape_point[a] + model.shape_point[b] > 0 and is_of_other_points(model, a, b):
        return False
    table = model.pair_table
    m = model.shape_material[a]
    n = model.shape_material[b]
    if table[m, n, Pair.STIFFNESS] > 0.0 or table[m, n, Pair.YOUNGS_MODULUS] > 0.0:
        return False
    return table[m, n, Pair.RESTITUTION] <= 0.0


@kernel
def pair_reach(model, state, settings, work, a, b):
    """Return the largest gap at which two shapes have contacts in this step [m].

    The gap that their own motion can close; for pairs that prediction does not cover, the reach of their
    bodies.
    """
    if is_looked_after(model, a, b):
        return pair_margin(model, state, settings, work, a, b)
    return work.body_margin[model.shape_body[a]] + work.body_margin[model.shape_body[b]]


@kernel
def adhesion_way(model, a, b):
    """Return a gap beyond the way of two shapes at which they still have contacts [m]: 0 without adhesion."""
    i, j = model.shape_body[a], model.shape_body[b]
    adheres = model.pair_table[model.shape_material[a], model.shape_material[b], Pair.ADHESION_FORCE] > 0.0
    return model.body_adhesive_reach[i] + model.body_adhesive_reach[j] if adheres else 0.0


@kernel
def find_contacts(model, state, settings, work):
    """List all points of all candidate pairs whose gap one step can close.

    Sets `TIME_STEP_TOO_LONG` if half a step after poses or velocities were set leads past something.

    Writes: work.
    """
    work.contact_count[0] = 0
    for k in range(work.travel.shape[0]):
        vec.store(work.travel, k, ZERO)
        work.travel[k, 3] = 0.0
    for k in range(min(work.candidate_count[0], work.candidate.shape[0])):
        a = work.candidate_sorted[k, 0]
        b = work.candidate_sorted[k, 1]
        if model.shape_point[a] + model.shape_point[b] > 0 and is_of_other_points(model, a, b):
            continue
        margin = pair_reach(model, state, settings, work, a, b)
        beyond = adhesion_way(model, a, b)
        has_plane = model.shape_kind[a] == Shape.PLANE or model.shape_kind[b] == Shape.PLANE
        if not (has_plane or boxes_are_near(work.shape_bound, a, work.shape_bound, b, margin + beyond)):
            continue
        n = meet_before_middle(model, state, settings, work, a, b, margin)
        if n == 0 or not has_own_times(model, settings, a, b):
            work.status[0] |= Status.TIME_STEP_TOO_LONG if n > 0 else 0
            n = meet_moving(model, state, settings, work, a, b, margin, beyond)
        if n < 0:
            return
        for point in range(n):
            add_contact(model, work, a, b, point)
            vec.store(work.travel, point, ZERO)
            work.travel[point, 3] = 0.0
    if work.contact_count[0] > work.contact_key.shape[0]:
        work.status[0] |= Status.CAPACITY
