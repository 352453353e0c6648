"""Sine and cosine of four angles at once.

An angle x is reduced by multiples of π/2, which is subtracted in two parts of 33 and 53 bits, to |r| ≤ π/4
(Cody and Waite 1980); there a polynomial is right to a unit of the last place. The remainder of the
reduction is 2e-26 |x|, which counts only next to multiples of π/2. Angles beyond `FARTHEST` are asked of
the C library. Each lane is what it is whatever the others are.
Source: the reduction and the polynomials' coefficients of fdlibm (Sun Microsystems 1993).
"""

from math import cos, sin

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import chosen, filled, number, some, spread4

FARTHEST = 1e6  # [rad] up to which the multiple of π/2 has 20 bits
ROUNDER = 6755399441055744.0  # 1.5 · 2⁵²: what is added to it becomes a whole number
QUARTERS = 0.6366197723675814  # 2/π
FIRST = 1.5707963267341256  # π/2, 33 bits
REST = 6.077100506506192e-11  # what they leave of it
S1, S2, S3, S4, S5, S6 = (
    -0.16666666666666632,
    0.00833333333332249,
    -0.00019841269829857949,
    2.7557313707070068e-06,
    -2.5050760253406863e-08,
    1.58969099521155e-10,
)
C1, C2, C3, C4, C5, C6 = (
    0.0416666666666666,
    -0.001388888888887411,
    2.480158728947673e-05,
    -2.7557314351390663e-07,
    2.087572321298175e-09,
    -1.1359647557788195e-11,
)


@kernel
def near_zero(r, rest):
    """Return sine and cosine of r + rest, |r| ≤ π/4, rest a part of r's last place."""
    z = r * r
    v = z * r
    tail = S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)))
    s = r - ((z * (0.5 * rest - v * tail) - rest) - v * S1)
    half = 0.5 * z
    w = 1.0 - half
    tail = z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * C6)))))
    return s, w + (((1.0 - w) - half) + (z * tail - r * rest))


@kernel
def sines(x):
    """Return the sines and cosines of four angles [rad]."""
    n = (x * QUARTERS + ROUNDER) - ROUNDER
    most = x - n * FIRST
    little = n * REST
    r = most - little
    s, c = near_zero(r, (most - r) - little)
    quarter = n - 4.0 * ((n * 0.25 - 0.375 + ROUNDER) - ROUNDER)  # 0, 1, 2, 3
    odd = abs(quarter - 2.0)  # 1 in an odd one
    is_odd = (odd <= spread4(1.0)) & (spread4(1.0) <= odd)
    sine, cosine = chosen(is_odd, c, s), chosen(is_odd, s, c)
    one, two = spread4(0.5), spread4(1.5)
    sine = chosen(two < quarter, -sine, sine)
    cosine = chosen((one < quarter) & (quarter < spread4(2.5)), -cosine, cosine)
    is_far = spread4(FARTHEST) < abs(x)
    if some(is_far):
        far = chosen(is_far, x, spread4(0.0))
        a, b, c, d = number(far, 0), number(far, 1), number(far, 2), number(far, 3)
        sine = chosen(is_far, filled(sin(a), sin(b), sin(c), sin(d)), sine)
        cosine = chosen(is_far, filled(cos(a), cos(b), cos(c), cos(d)), cosine)
    return sine, cosine
