"""The law of a compliant contact at the velocity of the step's end: force, slopes, one contact alone.

The equations are in `ground_law`. Vectors are in contact axes, forces act on A.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_rows import BETWEEN_MOVED, materials_of
from tribo.contact.solver import coulomb_cone
from tribo.math import spatial, vec
from tribo.math.linalg import ROUND_OFF
from tribo.model import Pair

LOCAL_STEPS = 60
MAX_BEND = 4.0 / 3.0  # [–] bound of the slope of spring and damper, over that of the spring


@kernel
def contact_numbers(model, work, c):
    """Return stiffness K, damping D and friction μ of contact c."""
    a, b = materials_of(model, work, c)
    table = model.pair_table
    return table[a, b, Pair.STIFFNESS], table[a, b, Pair.DAMPING], table[a, b, Pair.FRICTION]


@kernel
def blend_weights(work, c):
    """Return β, β', θ of contact c (`ground_law`)."""
    r = work.soft_blend[c]
    return 0.25 + 0.75 * r, 0.25 * (1.0 - r), 0.5 + 0.5 * r


@kernel
def spring_mean(first, last):
    """Return the mean of δ^3/2 between two depths (0 for negative ones), and its derivative by the second.

    ∫ δ^3/2 dδ / (last − first) = 2/5 (a⁵ − b⁵)/(a² − b²), a² and b² the depths; divided out, so that nothing
    cancels where they are alike.
    """
    if last <= 0.0:
        b = sqrt(max(first, 0.0))
        way = max(first, 0.0) - last
        mean = 0.4 * b**5 / way if b > 0.0 else 0.0
        return mean, mean / way if b > 0.0 else 0.0
    a = sqrt(last)
    if first <= 0.0:
        way = last - first
        mean = 0.4 * a**5 / way
        return mean, (a**3 - mean) / way
    b = sqrt(first)
    both = a + b
    mean = 0.4 * (a * a * (a * a + a * b + b * b) + b**3 * both) / both
    return mean, 0.2 * (3.0 * a**3 + 6.0 * a * a * b + 4.0 * a * b * b + 2.0 * b**3) / (both * both)


@kernel
def normal_law(work, settings, c, K, D, speed):
    """Return s, f_n and −∂f_n/∂v⁺ for a normal velocity at the end of the step; s = 0: no force.

    s³ is the mean of δ^3/2 over the displacement of the step, so that the spring conserves energy.
    """
    h = settings.dt
    r = work.soft_blend[c]
    _, _, theta = blend_weights(work, c)
    start = work.contact_vel[c, 2]
    depth = -work.contact_gap[c]
    mean, slope = spring_mean(depth + 0.5 * h * start, depth - 0.5 * h * speed)
    ahead = sqrt(max(depth - h * speed, 0.0))
    cube = (1.0 - r) * mean + r * ahead**3
    if cube <= 0.0:
        return 0.0, 0.0, 0.0
    s = cube ** (1.0 / 3.0)
    rate = theta * speed + (1.0 - theta) * start
    pressure = K * s * s - D * rate
    if pressure <= 0.0:
        return 0.0, 0.0, 0.0
    slope = K * h * (0.5 * (1.0 - r) * slope + 1.5 * r * ahead)
    # The damper's part of the slope is unbounded at first touch; it is bounded to a third of the spring's.
    bend = min(MAX_BEND, 1.0 - D * rate / (3.0 * K * s * s))
    return s, s * pressure, bend * slope + s * D * theta


@kernel
def trial_force(work, settings, c, K, D, w):
    """Return K u + D v_t for a velocity w at the end of the step, and its derivative by w."""
    h = settings.dt
    now, before, theta = blend_weights(work, c)
    a = work.contact_vel
    lag = K * h * (0.5 - before) + D * (1.0 - theta)
    slope = K * h * now + D * theta
    x = K * work.soft_u[c, 0] + lag * a[c, 0] + slope * w[0]
    y = K * work.soft_u[c, 1] + lag * a[c, 1] + slope * w[1]
    return x, y, slope


@kernel
def force_by_law(model, settings, work, c, w):
    """Return the force of the law for a velocity w at the end of the step, contact axes [N]."""
    K, D, mu = contact_numbers(model, work, c)
    s, normal, _ = normal_law(work, settings, c, K, D, w[2])
    if s == 0.0:
        return (0.0, 0.0, 0.0)
    x, y, _ = trial_force(work, settings, c, K, D, w)
    size = s * sqrt(x * x + y * y)
    part = mu * normal / size if size > mu * normal else 1.0
    return (-part * s * x, -part * s * y, normal)


@kernel
def linear_force(work, c, w):
    """Return the linearised force for a velocity w at the end of the step: force − slope (w − w₀) [N]."""
    f, b, v = work.soft_force, work.soft_slope, work.soft_vel
    return (
        f[c, 0] - b[c, 0] * (w[0] - v[c, 0]),
        f[c, 1] - b[c, 0] * (w[1] - v[c, 1]),
        f[c, 2] - b[c, 1] * (w[2] - v[c, 2]),
    )


@kernel
def cut_force(work, c, mu, w):
    """Return `linear_force` projected on the friction cone: normal force ≥ 0, tangential one ≤ μ f_n."""
    x, y, normal = linear_force(work, c, w)
    normal = max(normal, 0.0)
    size = sqrt(x * x + y * y)
    part = mu * normal / size if size > mu * normal else 1.0
    return (part * x, part * y, normal)


@kernel
def solve_single(model, settings, work, c, free, impulse):
    """Return the velocity at the end of the step if this contact alone changes it from `free`.

    Newton's method from a given impulse: linearised, the law is a contact with compliance, with w + R λ in
    Coulomb's law in place of w. The normal force is convex in depth: from the deepest end, `free`, and after
    one step from anywhere, Newton's method converges from one side.
    """
    h = settings.dt
    K, D, mu = contact_numbers(model, work, c)
    g = spatial.load(work.contact_delassus, c)
    x, y, slope = trial_force(work, settings, c, K, D, (0.0, 0.0, 0.0))
    w = vec.add(vec.sym_vec(g, impulse), free)
    for k in range(LOCAL_STEPS):
        s, normal, normal_slope = normal_law(work, settings, c, K, D, w[2])
        if s == 0.0 and k == 0:
            w = free
            impulse = (0.0, 0.0, 0.0)
            s, normal, normal_slope = normal_law(work, settings, c, K, D, w[2])
        if s == 0.0:
            break
        if abs(h * normal - impulse[2]) <= ROUND_OFF * impulse[2]:
            break
        across = 1.0 / (h * s * slope)
        along = 1.0 / (h * normal_slope)
        soft = (g[0] + across, g[1] + across, g[2] + along, g[3], g[4], g[5])
        shifted = (free[0] + x / slope, free[1] + y / slope, free[2] - w[2] - normal / normal_slope)
        impulse = coulomb_cone.solve_contact(soft, shifted, mu, impulse)
        w = vec.add(vec.sym_vec(g, impulse), free)
    return w


@kernel
def linearise_contact(model, settings, work, c, w):
    """Set force and slopes of contact c, linearised at the velocity w.

    Writes: work.
    """
    K, D, mu = contact_numbers(model, work, c)
    s, normal, normal_slope = normal_law(work, settings, c, K, D, w[2])
    vec.store(work.soft_vel, c, w)
    if s == 0.0:
        work.soft_slope[c, 0] = work.soft_slope[c, 1] = 0.0
        vec.store(work.soft_force, c, (0.0, 0.0, 0.0))
        return
    x, y, slope = trial_force(work, settings, c, K, D, w)
    bound = mu * normal
    size = s * sqrt(x * x + y * y)
    part = 1.0
    if size > bound and work.contact_is_soft[c] != BETWEEN_MOVED:  # between moved, the solve applies the cone
        part = bound / size
        taken = min(1.0, work.soft_slope[c, 0] / (s * slope))
        last = work.soft_trial[c, 0]
        if work.soft_pass[0] > 1 and last > 0.0:
            # Without its own force the size were size (1 + give · share); two passes determine give.
            change = size * taken - last * work.soft_trial[c, 1]
            give = (last - size) / change if change != 0.0 else 0.0
            if 0.0 < give * bound < size * (1.0 + give * taken):
                part = min(1.0, bound / (size * (1.0 + give * taken) - give * bound))
        work.soft_trial[c, 0], work.soft_trial[c, 1] = size, taken
    work.soft_slope[c, 0] = part * s * slope
    work.soft_slope[c, 1] = normal_slope
    vec.store(work.soft_force, c, (-part * s * x, -part * s * y, normal))
