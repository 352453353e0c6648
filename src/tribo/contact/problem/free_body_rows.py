"""The rows of contacts of free bodies, processed four numbers at a time.

A free body has six consecutive dofs and is a tree of its own. Most contacts of a heap are between two such
bodies, or one and a body that impulses do not move. `contact_lane_groups.lay_out_free_bodies` copies the data
of such a contact in the order of access (`Work.free_body_row`): per axis t₁, t₂, n the rows of the first
body's dofs 0 to 3, those of the second's, and dofs 4 and 5 of both, four numbers at a time; then
(G + lift)⁻¹. A contact with one free body has it twice, the second time with zero rows.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import high, joined, lane, load2, load4, low, spread4, store2, store4, sums

AXIS = 12  # numbers of one axis
SECOND, ENDS = 4, 8  # offsets of the second body's dofs 0–3, and of dofs 4, 5 of both
INVERSE = 3 * AXIS
FREE_BODY_WIDTH = INVERSE + 6


@kernel
def inverse_of(work, c):
    """Return (G + lift)⁻¹ of contact c of free bodies (xx, yy, zz, xy, xz, yz)."""
    row = work.free_body_row
    i = INVERSE
    return (row[c, i], row[c, i + 1], row[c, i + 2], row[c, i + 3], row[c, i + 4], row[c, i + 5])


@kernel
def free_body_velocity(work, c, z, start):
    """Return `start` plus the velocity of contact c of free bodies by a response z."""
    a = work.free_body_dof[c, 0]
    b = work.free_body_dof[c, 1]
    row = work.free_body_row
    i = FREE_BODY_WIDTH * c
    j = i + AXIS
    k = j + AXIS
    first = load4(z, a)
    second = load4(z, b)
    ends = joined(load2(z, a + 4), load2(z, b + 4))
    x, u = sums(load4(row, i) * first, load4(row, i + SECOND) * second, load4(row, i + ENDS) * ends)
    y, v = sums(load4(row, j) * first, load4(row, j + SECOND) * second, load4(row, j + ENDS) * ends)
    n, w = sums(load4(row, k) * first, load4(row, k + SECOND) * second, load4(row, k + ENDS) * ends)
    return (start[0] + x + u, start[1] + y + v, start[2] + n + w)


@kernel
def add_free_body_response(work, c, impulse, z):
    """Add the response to an impulse of contact c of free bodies to an array of dofs.

    Writes: z.
    """
    a = work.free_body_dof[c, 0]
    b = work.free_body_dof[c, 1]
    row = work.free_body_row
    i = FREE_BODY_WIDTH * c
    j = i + AXIS
    k = j + AXIS
    x = spread4(impulse[0])
    y = spread4(impulse[1])
    n = spread4(impulse[2])
    first = load4(row, i) * x + load4(row, j) * y + load4(row, k) * n
    second = load4(row, i + SECOND) * x + load4(row, j + SECOND) * y + load4(row, k + SECOND) * n
    ends = load4(row, i + ENDS) * x + load4(row, j + ENDS) * y + load4(row, k + ENDS) * n
    first = load4(z, a) + first
    ends = joined(load2(z, a + 4), load2(z, b + 4)) + ends
    # The first body is stored last: if both are the same body, the second has zero rows.
    store4(z, b, load4(z, b) + second)
    store2(z, b + 4, high(ends))
    store4(z, a, first)
    store2(z, a + 4, low(ends))


@kernel
def add_lines(value, first_at, second_at, first, second, ends):
    """Add a line to two 6×6 blocks, or to one if they are the same.

    Writes: value.
    """
    store4(value, first_at, load4(value, first_at) + first)
    store2(value, first_at + 4, load2(value, first_at + 4) + low(ends))
    if second_at != first_at:
        store4(value, second_at, load4(value, second_at) + second)
        store2(value, second_at + 4, load2(value, second_at + 4) + high(ends))


@kernel
def add_free_body_blocks(work, c, d, aa, ab, ba, bb):
    """Add the coupling by contact c of free bodies to four 6×6 blocks. matrix += Yᵀ D Y

    d: D row by row; aa, ab, ba, bb: first numbers of the blocks, all equal if there is one body.

    Writes: work.
    """
    value = work.block_value
    row = work.free_body_row
    i = FREE_BODY_WIDTH * c
    j = i + AXIS
    k = j + AXIS
    xf, xs, xe = load4(row, i), load4(row, i + SECOND), load4(row, i + ENDS)
    yf, ys, ye = load4(row, j), load4(row, j + SECOND), load4(row, j + ENDS)
    zf, zs, ze = load4(row, k), load4(row, k + SECOND), load4(row, k + ENDS)
    for part in range(3):
        # Four dofs: of the first body, of the second, the ends of both.
        x, y, z = load4(row, i + 4 * part), load4(row, j + 4 * part), load4(row, k + 4 * part)
        u = x * spread4(d[0]) + y * spread4(d[3]) + z * spread4(d[6])
        v = x * spread4(d[1]) + y * spread4(d[4]) + z * spread4(d[7])
        w = x * spread4(d[2]) + y * spread4(d[5]) + z * spread4(d[8])
        for p in range(4):
            if part == 0:
                line, to_first, to_second = p, aa, ab
            elif part == 1:
                line, to_first, to_second = p, ba, bb
            else:
                line = 4 + p % 2
                to_first, to_second = (aa, ab) if p < 2 else (ba, bb)
            if aa == bb and (part == 1 or (part == 2 and p >= 2)):
                continue
            a, b, e = lane(u, p), lane(v, p), lane(w, p)
            add_lines(
                value,
                to_first + 6 * line,
                to_second + 6 * line,
                a * xf + b * yf + e * zf,
                a * xs + b * ys + e * zs,
                a * xe + b * ye + e * ze,
            )
