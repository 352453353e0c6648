"""The contacts of two shapes where they are now, whichever function finds them."""

from tribo.collision.late import call_late, family_of
from tribo.collision.pairs import collide
from tribo.collision.place import shape_pose
from tribo.jit import kernel
from tribo.math import vec
from tribo.model import Status

CAPACITY = int(Status.CAPACITY)


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
def meet(model, work, a, b, margin):
    """Write the contacts of two shapes into the manifold, sorted; return their number, −1: not loaded yet.

    A pair whose function is not loaded stops the stage with `CAPACITY`; the engine loads it and repeats.

    Writes: work.
    """
    family = family_of(model.shape_kind[a], model.shape_kind[b])
    if family < 0:
        n = primitives(model, work, a, b, margin)
    else:
        if model.late_address[family] == 0:
            work.late_wanted[family] = 1
            work.status[0] |= CAPACITY
            return -1
        n = call_late(model.late_address[family], model, work, a, b, margin)
    sort_points(work.manifold, n)
    return n
