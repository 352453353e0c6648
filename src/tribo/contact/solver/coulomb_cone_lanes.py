"""The exact solution of four contacts at a time: `coulomb_cone` lane by lane.

Stick, slip or opening is decided per lane. Lanes in which Newton's method fails from both of two starting
directions are reported as hard; the caller solves them one by one.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import chosen, roots, some, spread4
from tribo.contact.solver.coulomb_cone import MAX_TURN, NEWTON_STEPS, NO_FRICTION, STUCK, slip_terms
from tribo.math import vec
from tribo.math.linalg import ROUND_OFF

LAST_TURN = 1e-2  # [rad] a step as small is the last: the next visit continues from there


@kernel
def sum_of_sizes(x):
    """Return |x₁| + |x₂| + |x₃|."""
    return abs(x[0]) + abs(x[1]) + abs(x[2])


@kernel
def first_guess(c, stick, last):
    """Return the starting direction of the search, not normalised: last friction, that of sticking, or −c."""
    zero = spread4(0.0)
    is_new = (last[0] * last[0] + last[1] * last[1]) <= zero
    is_apart = is_new & (stick[2] <= zero)
    return (
        chosen(is_apart, zero - c[0], chosen(is_new, stick[0], last[0])),
        chosen(is_apart, zero - c[1], chosen(is_new, stick[1], last[1])),
    )


@kernel
def direction(x):
    """Return the unit vector of two numbers; the first axis where both are zero."""
    zero = spread4(0.0)
    one = spread4(1.0)
    s = roots(x[0] * x[0] + x[1] * x[1])
    has_none = s <= zero
    s = chosen(has_none, one, s)
    return chosen(has_none, one, x[0] / s), chosen(has_none, zero, x[1] / s)


@kernel
def solve_slips(g, c, mu, x, y, slips):
    """Return the slip impulses by Newton's method on the angle from directions (x, y), and which are found.

    slips: lanes to solve; the others are undefined. As `coulomb_cone.slip_by_newton`, with a rotation by 2
    atan(N/D), N/D half of Newton's step, which takes one division. It ends after a step smaller than
    `LAST_TURN`: the next visit starts from there, with the square of the error.
    """
    zero = spread4(0.0)
    one = spread4(1.0)
    two = spread4(2.0)
    most = spread4(0.5 * MAX_TURN)
    near = spread4(0.5 * LAST_TURN)
    k = one / mu
    n = zero - c[2]
    along = zero
    goes_on = slips
    for _ in range(NEWTON_STEPS):
        _, along, up, rate = slip_terms(g, c, k, n, x, y)
        down = two * rate
        size = abs(down)
        up = chosen(down < zero, zero - up, up)
        up = chosen(up < zero - most * size, zero - most * size, chosen(most * size < up, most * size, up))
        goes_on = slips & ~(abs(up) <= near * size)
        f = one / (size * size + up * up)
        cs = (size * size - up * up) * f
        sn = two * size * up * f
        x, y = cs * x - sn * y, sn * x + cs * y
        if not some(goes_on):
            break
    d = g[2] * k + g[4] * x + g[5] * y
    r = n / d
    is_found = slips & ~goes_on & (zero < d) & (zero < r) & (along <= zero)
    return (r * x, r * y, r * k), is_found


@kernel
def solve_four(g, inverse, c, mu, last):
    """Return the impulses of four contacts [N s], and which lanes are hard: these are not solved.

    g: own blocks (xx, yy, zz, xy, xz, yz); inverse: `coulomb_cone.lifted_inverse`; c: velocities without
    their own impulses, relative to the targets; last: previous impulses, a guess.
    """
    zero = spread4(0.0)
    lift = spread4(ROUND_OFF) * (g[0] + g[1] + g[2])
    is_rough = spread4(NO_FRICTION) < mu
    is_pressed = c[2] < zero
    gives_way = is_rough & (lift < g[2])  # else a normal impulse does not move the bodies: a jam
    stick = vec.sub((zero, zero, zero), vec.sym_vec(inverse, c))
    bound = mu * stick[2]
    in_cone = (zero <= stick[2]) & (stick[0] * stick[0] + stick[1] * stick[1] <= bound * bound)
    # Sticking leaves w = −lift λ. If that is not small, c has a part that no impulse removes.
    in_cone = in_cone & (lift * sum_of_sizes(stick) <= spread4(STUCK) * sum_of_sizes(c))
    sticks = gives_way & in_cone & (c[2] <= zero)
    slips = gives_way & is_pressed & ~in_cone
    is_smooth = is_pressed & ~is_rough & (zero < g[2])
    x = chosen(sticks, stick[0], zero)
    y = chosen(sticks, stick[1], zero)
    z = chosen(is_smooth, (zero - c[2]) / g[2], chosen(sticks, stick[2], zero))
    if some(slips):
        start = first_guess(c, stick, last)
        for _ in range(2):
            along, across = direction(start)
            found, is_found = solve_slips(g, c, mu, along, across, slips)
            x = chosen(is_found, found[0], x)
            y = chosen(is_found, found[1], y)
            z = chosen(is_found, found[2], z)
            slips = slips & ~is_found
            if not some(slips):
                break
            start = (zero - c[0], zero - c[1])
    return (x, y, z), slips
