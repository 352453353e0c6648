"""The exact solution of one contact: Signorini's condition and Coulomb's cone in three numbers.

w = G λ + c with the contact's own block G. Open: λ = 0. Stick: w = 0. Slip: w_n = 0 and λ on the cone,
opposed to the slip, λ_t = −μ λ_n w_t/‖w_t‖. The cone meets the plane w_n = 0 in a curve λ(θ), and slip
opposes friction where w_t × λ_t = 0: one root in the angle θ.

Hwangbo et al. 2018 take instead the point of least kinetic energy on this curve. That is not Coulomb's law
when normal and tangential motion are coupled (2.7° mean error in direction).
Source: docs/physics/contact.
"""

from math import atan2, cos, sin, sqrt

from tribo.compiler.jit import kernel
from tribo.math import linalg, vec
from tribo.math.linalg import ROUND_OFF, TINY

SLIDES = 1.0 - 1e-9  # [–] of a bound: an impulse from here on counts as sliding
NO_FRICTION = ROUND_OFF  # [–] a smaller μ is none
STUCK = 1e-3  # [–] of the speed before: a sticking contact keeps more only if G is singular
BRACKET_STEP = 0.05  # [rad] of the outward search for a change of sign
NEWTON_STEPS = 8  # enough from a good start; bisection follows
MAX_TURN = 0.5  # [rad] of a Newton step
SMALL_TURN = 1e-3  # [rad] below it two terms of sine and cosine are exact
LAST_TURN = 1e-7  # [rad] after a step as small the error is its square
BISECTIONS = 60  # 0.05 rad / 2⁶⁰ is below round-off
FIXED_POINT_STEPS = 200
SECULAR_STEPS = 30  # Newton's method from below takes 4 to 8


@kernel
def slip_impulse(g, c, mu, x, y):
    """Return the impulse on the cone in direction (x, y) with w_n = 0, and its friction r (< 0: none)."""
    d = g[2] / mu + g[4] * x + g[5] * y
    r = -c[2] / d
    if d <= 0.0:
        r = -1.0
    return (r * x, r * y, r / mu), r


@kernel
def slip_error(g, c, impulse):
    """Return w_t × λ_t (zero when parallel) and w_t · λ_t (negative when opposite)."""
    wx, wy, _ = vec.add(vec.sym_vec(g, impulse), c)
    return wx * impulse[1] - wy * impulse[0], wx * impulse[0] + wy * impulse[1]


@kernel
def slip_terms(g, c, k, n, x, y):
    """Return d of `slip_impulse` in direction (x, y), and of w_t d/r: along, across, slope of across.

    k = 1/μ, n = −c_n; numbers, or lanes of numbers. The component across is −w_t × λ_t; the slope is minus
    its derivative by the angle, so Newton's step is across/slope.
    """
    d = g[2] * k + g[4] * x + g[5] * y
    slope = g[5] * x - g[4] * y
    u = n * (g[0] * x + g[3] * y + g[4] * k) + d * c[0]
    v = n * (g[3] * x + g[1] * y + g[5] * k) + d * c[1]
    du = n * (g[3] * x - g[0] * y) + slope * c[0]
    dv = n * (g[1] * x - g[3] * y) + slope * c[1]
    along = u * x + v * y
    return d, along, v * x - u * y, along + du * y - dv * x


@kernel
def slip_by_newton(g, c, mu, x, y):
    """Return the slip impulse by Newton's method on the angle from direction (x, y), and success.

    w_t × λ_t/r times d of `slip_impulse` is a polynomial in the direction: no step needs a root, and terms
    without c can be computed early.
    """
    k = 1.0 / mu
    n = -c[2]
    for _ in range(NEWTON_STEPS):
        d, along, across, rate = slip_terms(g, c, k, n, x, y)
        if d <= 0.0:
            break
        turn = across / rate
        if not abs(turn) <= MAX_TURN:
            turn = MAX_TURN if turn > 0.0 else -MAX_TURN
        if abs(turn) < SMALL_TURN:
            cs = 1.0 - 0.5 * turn * turn
            sn = turn * (1.0 - (1.0 / 6.0) * turn * turn)
        else:
            f = 1.0 / (1.0 + 0.25 * turn * turn)
            cs = (1.0 - 0.25 * turn * turn) * f
            sn = turn * f
        x, y = cs * x - sn * y, sn * x + cs * y
        if abs(turn) <= LAST_TURN:
            impulse, r = slip_impulse(g, c, mu, x, y)
            return impulse, r > 0.0 and along <= 0.0
    return (0.0, 0.0, 0.0), False


@kernel
def slip_by_bisection(g, c, mu, x, y):
    """Return the slip impulse by bracketing outwards from direction (x, y) and bisection, and success."""
    start = atan2(y, x)
    first, _ = slip_impulse(g, c, mu, x, y)
    steps = int(3.2 / BRACKET_STEP)
    for k in range(1, steps + 1):
        for side in range(2):
            sign = 1.0 if side == 0 else -1.0
            low = start + sign * (k - 1) * BRACKET_STEP
            high = start + sign * k * BRACKET_STEP
            a, r_a = slip_impulse(g, c, mu, cos(low), sin(low))
            b, r_b = slip_impulse(g, c, mu, cos(high), sin(high))
            if r_a <= 0.0 or r_b <= 0.0:
                continue
            error_a, _ = slip_error(g, c, a)
            error_b, along_b = slip_error(g, c, b)
            if (error_a > 0.0) == (error_b > 0.0) or along_b > 0.0:
                continue
            middle = 0.5 * (low + high)
            b, is_found = slip_by_newton(g, c, mu, cos(middle), sin(middle))
            if is_found:
                return b, True
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                b, r_b = slip_impulse(g, c, mu, cos(middle), sin(middle))
                error_b, _ = slip_error(g, c, b)
                if (error_b > 0.0) == (error_a > 0.0):
                    low = middle
                else:
                    high = middle
            return b, True
    return first, False


@kernel
def nearest_in_cone(mu, x):
    """Return the nearest point of the friction cone."""
    t = sqrt(x[0] * x[0] + x[1] * x[1])
    if t <= mu * x[2]:
        return x
    if mu * t <= -x[2]:
        return (0.0, 0.0, 0.0)
    n = (mu * t + x[2]) / (1.0 + mu * mu)
    s = mu * n / t
    return (s * x[0], s * x[1], n)


@kernel
def slip_by_fixed_point(g, c, mu):
    """Return the impulse by projected descent on the De Saxcé form: always finite (Painlevé regime)."""
    rho = 1.0 / (g[0] + g[1] + g[2])
    impulse = (0.0, 0.0, 0.0)
    for _ in range(FIXED_POINT_STEPS):
        w = vec.add(vec.sym_vec(g, impulse), c)
        lift = mu * sqrt(w[0] * w[0] + w[1] * w[1])
        impulse = nearest_in_cone(
            mu, (impulse[0] - rho * w[0], impulse[1] - rho * w[1], impulse[2] - rho * (w[2] + lift))
        )
    return impulse


@kernel
def solve_slip(g, c, mu, stick, last):
    """Return the impulse of a slipping contact; `last` is a guess of its direction.

    Newton's method from the last direction, then from −c, then bisection, then the fixed-point iteration.
    """
    x, y = last[0], last[1]
    if x == 0.0 and y == 0.0:
        x, y = stick[0], stick[1]
        if stick[2] <= 0.0:
            x, y = -c[0], -c[1]
    s = sqrt(x * x + y * y)
    if s == 0.0:
        x, y, s = 1.0, 0.0, 1.0
    x /= s
    y /= s
    impulse, found = slip_by_newton(g, c, mu, x, y)
    s = sqrt(c[0] * c[0] + c[1] * c[1])
    if not found and s > 0.0:
        impulse, found = slip_by_newton(g, c, mu, -c[0] / s, -c[1] / s)
    if not found:
        impulse, found = slip_by_bisection(g, c, mu, x, y)
    if not found:
        impulse = slip_by_fixed_point(g, c, mu)
    return impulse


@kernel
def lifted_inverse(g):
    """Return (G + ROUND_OFF tr(G) 1)⁻¹ of a contact's own block, finite where G is singular."""
    lift = ROUND_OFF * (g[0] + g[1] + g[2])
    return linalg.sym_inverse((g[0] + lift, g[1] + lift, g[2] + lift, g[3], g[4], g[5]))


@kernel
def solve_contact(g, c, mu, last):
    """Return the impulse λ of one contact [N s].

    g: own block (xx, yy, zz, xy, xz, yz); c: velocity without its own impulse, relative to the target; last:
    previous impulse, a guess.
    """
    if c[2] >= 0.0 and not (mu > NO_FRICTION and c[2] == 0.0):
        return (0.0, 0.0, 0.0)
    if mu <= NO_FRICTION:
        return (0.0, 0.0, -c[2] / g[2]) if g[2] > 0.0 else (0.0, 0.0, 0.0)
    return solve_rough(g, lifted_inverse(g), c, mu, last)


@kernel
def solve_rough(g, inverse, c, mu, last):
    """Return the impulse λ of one contact with friction, if c_n ≤ 0; inverse: `lifted_inverse`."""
    lift = ROUND_OFF * (g[0] + g[1] + g[2])
    if g[2] <= lift:  # a normal impulse does not move the bodies: a jam
        return (0.0, 0.0, 0.0)
    stick = vec.sym_vec(inverse, vec.neg(c))
    bound = mu * stick[2]
    in_cone = stick[2] >= 0.0 and stick[0] * stick[0] + stick[1] * stick[1] <= bound * bound
    # Sticking leaves w = −lift λ. If that is not small, c has a part that no impulse removes.
    left = lift * (abs(stick[0]) + abs(stick[1]) + abs(stick[2]))
    if in_cone and left <= STUCK * (abs(c[0]) + abs(c[1]) + abs(c[2])):
        return stick
    if c[2] >= 0.0:
        return (0.0, 0.0, 0.0)
    return solve_slip(g, c, mu, stick, last)


@kernel
def solve_spin(k, omega, torque, rolling, spinning, normal):
    """Return the new impulse of rolling and spinning friction of one contact [N m s].

    k: own angular block; omega: angular velocity with the present torque impulse. The impulse is clamped to
    ‖τ_xy‖ ≤ rolling · λ_n, |τ_z| ≤ spinning · λ_n (coefficients in m). Both parts are solved in turn, each
    with the other fixed, up to four times.
    """
    c = vec.add(vec.sym_vec(k, vec.neg(torque)), omega)
    limit_z = spinning * normal
    limit_t = rolling * normal
    lift = ROUND_OFF * (k[0] + k[1] + k[2])
    if lift <= 0.0:
        return (0.0, 0.0, 0.0)
    x, y, z = torque
    for _ in range(4):
        # rolling part for the present z
        bx = c[0] + k[4] * z
        by = c[1] + k[5] * z
        det = (k[0] + lift) * (k[1] + lift) - k[3] * k[3]
        x = -((k[1] + lift) * bx - k[3] * by) / det
        y = -((k[0] + lift) * by - k[3] * bx) / det
        t = sqrt(x * x + y * y)
        if t > limit_t:
            x, y = clamp_disc(k, bx, by, limit_t)
        z = -(c[2] + k[4] * x + k[5] * y) / (k[2] + lift)
        z = min(max(z, -limit_z), limit_z)
        if k[4] == 0.0 and k[5] == 0.0:
            break
    return (x, y, z)


@kernel
def clamp_disc(k, bx, by, limit):
    """Return the impulse τ of length `limit` that opposes the rolling velocity that it leaves.

    K τ + b = −s τ with s ≥ 0. In the principal axes of K this is one equation in s (secular equation), solved
    by Newton's method on 1/‖τ(s)‖, which converges from below. K's smaller eigenvalue must be positive.
    """
    mean = 0.5 * (k[0] + k[1])
    half = 0.5 * (k[0] - k[1])
    spread = sqrt(half * half + k[3] * k[3])
    angle = 0.5 * atan2(k[3], half)
    cs = cos(angle)
    sn = sin(angle)
    b_high = cs * bx + sn * by
    b_low = cs * by - sn * bx
    high = mean + spread
    low = max(mean - spread, ROUND_OFF * mean)
    s = max(0.0, sqrt(bx * bx + by * by) / max(limit, TINY) - high)
    u = v = length = 0.0
    for _ in range(SECULAR_STEPS):
        u = -b_high / (high + s)
        v = -b_low / (low + s)
        length = sqrt(u * u + v * v)
        if not length > limit * (1.0 + 1e-15):
            break
        slope = u * u / (high + s) + v * v / (low + s)
        s += (length / max(limit, TINY) - 1.0) * length * length / slope
    if length == 0.0:
        return 0.0, 0.0
    scale = limit / length
    return scale * (cs * u - sn * v), scale * (sn * u + cs * v)
