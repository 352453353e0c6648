"""A visit to the four contacts of a group, and their violations."""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import chosen, load4, roots, some, spread4
from tribo.contact.problem.lane_group_rows import (
    FRICTION,
    INVERSE,
    LANE_GROUP_WIDTH,
    OWN,
    axis_velocity,
    lane_group_contacts,
    lane_group_impulses,
    lane_group_velocity,
    load_lane_group_bodies,
    load_six,
    push_lane_group,
)
from tribo.contact.solver.coulomb_cone import NO_FRICTION
from tribo.contact.solver.coulomb_cone_lanes import solve_four, sum_of_sizes
from tribo.math import lane_rows, vec


@kernel
def visit_lane_group(work, p):
    """Solve the contacts of group p, all others fixed; return changes of velocities, and unsolved lanes.

    Writes: work.
    """
    row = work.lane_group_row
    at = LANE_GROUP_WIDTH * p
    zero = spread4(0.0)
    before = lane_group_impulses(work, p)
    first = load_lane_group_bodies(work, p, 0)
    second = load_lane_group_bodies(work, p, 1)
    z = axis_velocity(work, p, 2, before[2], first, second)
    if not some(zero < sum_of_sizes(before)) and not some(z < zero):  # all are open and stay open
        return zero, z < zero
    x = axis_velocity(work, p, 0, before[0], first, second)
    y = axis_velocity(work, p, 1, before[1], first, second)
    g = load_six(row, at + OWN)
    free = vec.sub((x, y, z), vec.sym_vec(g, before))
    mu = load4(row, at + FRICTION)
    (x, y, z), is_hard = solve_four(g, load_six(row, at + INVERSE), free, mu, before)
    x = chosen(is_hard, before[0], x)
    y = chosen(is_hard, before[1], y)
    z = chosen(is_hard, before[2], z)
    step = vec.sub((x, y, z), before)
    if not some(zero < sum_of_sizes(step)):
        return zero, is_hard
    # The first contact is stored last, since empty lanes repeat it.
    lane_rows.store3(work.contact_impulse, lane_group_contacts(work, p), (x, y, z))
    push_lane_group(work, p, step, first, second)
    return sum_of_sizes(vec.sym_vec(g, step)), is_hard


@kernel
def larger_lanes(a, b):
    """Return the larger of two numbers, lane by lane; a lane of b that is NaN is left out."""
    return chosen(a < b, b, a)


@kernel
def lane_group_violations(work, p):
    """Return the violations of the contacts of group p [m/s]: `contact_violation` lane by lane."""
    row = work.lane_group_row
    at = LANE_GROUP_WIDTH * p
    zero = spread4(0.0)
    one = spread4(1.0)
    mu = load4(row, at + FRICTION)
    trace = load4(row, at + OWN) + load4(row, at + OWN + 4) + load4(row, at + OWN + 8)
    gives_way = zero < trace
    r = chosen(gives_way, spread4(3.0) / trace, zero)
    x = lane_group_impulses(work, p)
    w = lane_group_velocity(
        work, p, x, load_lane_group_bodies(work, p, 0), load_lane_group_bodies(work, p, 1)
    )
    a = x[0] - r * w[0]
    b = x[1] - r * w[1]
    c = x[2] - r * (w[2] + mu * roots(w[0] * w[0] + w[1] * w[1]))
    t = roots(a * a + b * b)
    is_smooth = mu <= spread4(NO_FRICTION)
    keeps = t <= mu * c
    n = chosen(mu * t <= zero - c, zero, (mu * t + c) / (one + mu * mu))
    s = mu * n / chosen(zero < t, t, one)
    n = chosen(is_smooth, larger_lanes(zero, c), chosen(keeps, c, n))
    s = chosen(is_smooth, zero, chosen(keeps, one, s))
    worst = larger_lanes(abs(x[0] - s * a), larger_lanes(abs(x[1] - s * b), abs(x[2] - n)))
    is_open = (sum_of_sizes(x) <= zero) & (zero <= w[2])
    return chosen(gives_way & ~is_open, worst / r, zero)
