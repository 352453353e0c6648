"""Products with the rows of a problem: w = Y z, and the response Yᵀ λ.

A dense problem is multiplied here, four numbers at a time; a pile by `pile_problem`.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, spread4, store4, transposed
from tribo.contact.lazily_compiled import call_late
from tribo.contact.solver.pile_problem import GATHER, MEASURE
from tribo.contact.solver.proximal_rows import Entry, Size, Vector, wide
from tribo.model import Late


@kernel
def call_pile_operation(model, work, what, z, number):
    """Call `pile_problem.run_pile_operation`, which is compiled on first use; return its answer.

    Writes: work.
    """
    return call_late(model.lazy_address[Late.PILE], model, work, what, z, number)


@kernel
def measure_motion(model, work, z):
    """Write the velocities Y z + START of row Z to MOTION; of another row, a change, Y z to CHANGE.

    Writes: work.
    """
    if work.dense_size[Size.PILE] > 0:
        call_pile_operation(model, work, MEASURE, z, 0.0)
        return
    out, part = (Entry.MOTION, 1.0) if z == Vector.Z else (Entry.CHANGE, 0.0)
    y, x, v = work.dense_row, work.column_vector, work.dense_vector
    width = wide(work.dense_size[Size.COLUMNS])
    at, stride = x.shape[1] * z, y.shape[1]
    for i in range(0, work.dense_size[Size.ROWS], 4):
        q = stride * i
        a = b = c = d = spread4(0.0)
        for j in range(0, width, 4):
            four = load4(x, at + j)
            a = a + four * load4(y, q + j)
            b = b + four * load4(y, q + stride + j)
            c = c + four * load4(y, q + 2 * stride + j)
            d = d + four * load4(y, q + 3 * stride + j)
        a, b, c, d = transposed(a, b, c, d)
        begin = part * load4(v, v.shape[1] * Entry.START + i)
        store4(v, v.shape[1] * out + i, ((a + b) + (c + d)) + begin)


@kernel
def gather_response(model, work, v, z):
    """Add Yᵀ times row v of `dense_vector` to row z of `column_vector`.

    Writes: work.
    """
    if work.dense_size[Size.PILE] > 0:
        call_pile_operation(model, work, GATHER, z, v)
        return
    y, x, numbers = work.dense_row, work.column_vector, work.dense_vector
    width, rows = wide(work.dense_size[Size.COLUMNS]), wide(work.dense_size[Size.ROWS])
    at, stride = x.shape[1] * z, y.shape[1]
    for j in range(0, width, 4):
        even = load4(x, at + j)
        odd = spread4(0.0)
        for i in range(0, rows, 2):
            even = even + load4(y, stride * i + j) * spread4(numbers[v, i])
            odd = odd + load4(y, stride * i + stride + j) * spread4(numbers[v, i + 1])
        store4(x, at + j, even + odd)


@kernel
def write_response(model, work, z):
    """Set row z of `column_vector` to z_free + Yᵀ λ.

    Writes: work.
    """
    x = work.column_vector
    for k in range(work.dense_size[Size.FIRST], work.dense_size[Size.COLUMNS], 4):
        store4(x, x.shape[1] * z + k, load4(x, x.shape[1] * Vector.FREE + k))
    gather_response(model, work, Entry.IMPULSE, z)
