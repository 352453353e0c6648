"""The contacts of two shapes at their present poses, by the function of their family."""

from tribo.collision.core import core_kind, placed
from tribo.collision.lazily_compiled import call_late, family_of
from tribo.collision.pairs import collide
from tribo.compiler.jit import kernel
from tribo.model import Status


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
    pos_a, rot_a, solid_a = placed(model, work, a)
    pos_b, rot_b, solid_b = placed(model, work, b)
    size_a = (solid_a[1], solid_a[2], solid_a[3])
    size_b = (solid_b[1], solid_b[2], solid_b[3])
    return collide(
        solid_a[0], solid_b[0], pos_a, rot_a, size_a, pos_b, rot_b, size_b, margin, work.manifold
    )  # fmt: skip


@kernel
def find_meeting(model, work, a, b, margin):
    """Write the contacts of two shapes into the manifold, sorted; return their number, −1: not compiled.

    A pair whose function is not compiled stops the stage with `CAPACITY`; the engine compiles it and repeats.
    A shape may be a core, −1 − s: see `core`.

    Writes: work.
    """
    family = family_of(core_kind(model, a), core_kind(model, b))
    if family < 0:
        n = primitives(model, work, a, b, margin)
    else:
        if model.lazy_address[family] == 0:
            work.lazy_wanted[family] = 1
            work.status[0] |= Status.CAPACITY
            return -1
        n = call_late(model.lazy_address[family], model, work, a, b, margin)
    sort_points(work.manifold, n)
    return n
