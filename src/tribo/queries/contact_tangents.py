"""How the rows of a contact change with coordinates: its place, its normal, its gap, and how its way bends.

A coordinate moves both bodies by twists. With the displacements d of the two points that touch, the turns ω
of the bodies, n from B into A, radii r and gap φ,

    δφ = n · (d_A − d_B),   (r_A + r_B + φ) δn = r_A ω_A × n + r_B ω_B × n + d_A − d_B   (along the tangents),

where a flat surface has no radius and n turns with it; each point goes on by r (ω × n − δn) over its body.
Corners are round with a radius of 0. The axes of the contact turn with n, and about it not at all.
Source: Montana 1988, "The kinematics of contact and grasp", as in `contact_drift`.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_drift import (
    CANCELLED,
    SLOW,
    TOO_FAR,
    drift_of_points,
    drift_of_rolling,
    fade_weight,
    stick_weight,
    surface_curvature,
    trusted_drift,
)
from tribo.contact.problem.contact_targets import beyond_deadband
from tribo.enums import SurfaceKind
from tribo.math import spatial, vec
from tribo.queries.tree_tangents import moves_axis, shifts_base

ZERO = (0.0, 0.0, 0.0)
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
PART = 1e-7  # [–] of a change of 1 by which β is moved: its rounding, 1e-16 of 0.01, stays below 1e-11


@kernel
def is_known(one):
    """Tell whether a surface is one whose radius is the same along all tangents, or flat."""
    return one[0] == SurfaceKind.FLAT or (one[0] == SurfaceKind.CURVED and one[1] == one[3] and one[2] == 0.0)


@kernel
def origin_of(model, work, body):
    """Return the point about which spatial vectors of a body are taken."""
    return vec.load(work.body_pos, model.tree_body[model.body_tree[body]])


@kernel
def speed_at(twist, arm):
    """Return the velocity of a point of a body."""
    return vec.add((twist[3], twist[4], twist[5]), vec.cross((twist[0], twist[1], twist[2]), arm))


@kernel
def ends(work, c):
    """Return where contact c touches A and B."""
    p = vec.load(work.contact_pos, c)
    n = (work.contact_axes[c, 6], work.contact_axes[c, 7], work.contact_axes[c, 8])
    half = 0.5 * work.contact_gap[c]
    return vec.axpy(half, n, p), vec.axpy(-half, n, p)


@kernel
def pushed_ends(work, c):
    """Return where the force of contact c acts on A and B: `contact_rows.contact_point`."""
    a, b = ends(work, c)
    if work.contact_len[c, 0] > 0 and work.contact_len[c, 1] > 0:
        p = vec.load(work.contact_pos, c)
        return p, p
    return a, b


@kernel
def moved_place(model, work, c, ha, hb, xa, xb):
    """Return δn, δp_A, δp_B and δφ of contact c when its bodies move by twists."""
    pa, pb = ends(work, c)
    axes = vec.load_mat(work.contact_axes, c)
    n = (axes[6], axes[7], axes[8])
    gap = work.contact_gap[c]
    da = speed_at(xa, vec.sub(pa, origin_of(model, work, work.contact_body[c, 0])))
    db = speed_at(xb, vec.sub(pb, origin_of(model, work, work.contact_body[c, 1])))
    opened = vec.dot(n, vec.sub(da, db))
    a = vec.cross((xa[0], xa[1], xa[2]), n)
    b = vec.cross((xb[0], xb[1], xb[2]), n)
    if hb[0] == SurfaceKind.FLAT:
        turned = b
    elif ha[0] == SurfaceKind.FLAT:
        turned = a
    else:
        across = vec.axpy(-opened, n, vec.sub(da, db))
        turned = vec.add(across, vec.add(vec.scale(ha[1], a), vec.scale(hb[1], b)))
        turned = vec.scale(1.0 / (ha[1] + hb[1] + gap), turned)
    apart = vec.axpy(gap, turned, vec.scale(opened, n))
    if ha[0] != SurfaceKind.FLAT:
        pa = vec.axpy(ha[1], vec.sub(a, turned), da)
        pb = vec.sub(pa, apart)
    else:
        pb = vec.axpy(hb[1], vec.sub(turned, b), db)
        pa = vec.add(pb, apart)
    return turned, pa, pb, opened


@kernel
def carried_speed(model, work, twists, body, j, arm):
    """Return by how much the velocity of a point of a body changes as coordinate j carries all behind it.

    twists: of all bodies; the point itself stays where it is.
    """
    axis = spatial.load(work.dof_axis, j)
    v = spatial.load(twists, body)
    if not shifts_base(model, j):
        v = spatial.axpy(-1.0, spatial.load(twists, model.dof_body[j]), v)
    return speed_at(spatial.cross_motion(axis, v), arm)


@kernel
def relative_change(model, work, twists, c, j, has_a, has_b, turn, places, moved):
    """Return by how much the velocity J v of contact c in its axes changes with coordinate j.

    turn: of the axes; places: where the two velocities are taken; moved: by how much these places move.
    """
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    apart = ZERO
    change = ZERO
    if model.body_chain_len[one] > 0:
        arm = vec.sub(places[0], origin_of(model, work, one))
        v = spatial.load(twists, one)
        apart = speed_at(v, arm)
        change = vec.cross((v[0], v[1], v[2]), moved[0])
        if has_a:
            change = vec.add(change, carried_speed(model, work, twists, one, j, arm))
    if model.body_chain_len[other] > 0:
        arm = vec.sub(places[1], origin_of(model, work, other))
        v = spatial.load(twists, other)
        apart = vec.sub(apart, speed_at(v, arm))
        change = vec.sub(change, vec.cross((v[0], v[1], v[2]), moved[1]))
        if has_b:
            change = vec.sub(change, carried_speed(model, work, twists, other, j, arm))
    axes = vec.load_mat(work.contact_axes, c)
    return vec.mat_vec(axes, vec.add(change, vec.cross(apart, turn)))


@kernel
def is_moved_by(model, body, j):
    """Tell whether dof j moves a body."""
    depth = model.dof_depth[j]
    if depth >= model.body_chain_len[body]:
        return False
    return model.chain_dof[model.body_chain_start[body] + depth] == j


@kernel
def force_row(work, k, force, arm):
    """Return what dof k feels of a force at an arm from the origin of its tree."""
    s = spatial.load(work.dof_axis, k)
    m = vec.cross(arm, force)
    return s[0] * m[0] + s[1] * m[1] + s[2] * m[2] + s[3] * force[0] + s[4] * force[1] + s[5] * force[2]


@kernel
def add_force_change(model, work, tangents, body, j, has, force, place, changed, moved, column):
    """Add to a column what the dofs of a body feel of a force otherwise as coordinate j moves.

    changed, moved: changes of the force and of its place; has: whether coordinate j moves the body.

    Writes: tangents.
    """
    arm = vec.sub(place, origin_of(model, work, body))
    moment = vec.cross(arm, force)
    wrench = (moment[0], moment[1], moment[2], force[0], force[1], force[2])
    more = vec.add(vec.cross(moved, force), vec.cross(arm, changed))
    change = (more[0], more[1], more[2], changed[0], changed[1], changed[2])
    axis = spatial.load(work.dof_axis, j)
    chain = model.body_chain_start[body]
    for p in range(model.body_chain_len[body]):
        k = model.chain_dof[chain + p]
        s = spatial.load(work.dof_axis, k)
        x = spatial.dot(s, change)
        if has and moves_axis(model, j, k):
            x += spatial.dot(spatial.cross_motion(axis, s), wrench)
        tangents.system[k, column] += x


@kernel
def motion_at(settings, twist, rate, arm):
    """Return ω, α, velocity and acceleration of a point of a body at constant joint velocities."""
    omega = (twist[0], twist[1], twist[2])
    alpha = (rate[0], rate[1], rate[2])
    v = speed_at(twist, arm)
    a = (rate[3] + settings.gravity_x, rate[4] + settings.gravity_y, rate[5] + settings.gravity_z)
    a = vec.add(a, vec.add(vec.cross(alpha, arm), vec.cross(omega, v)))
    return omega, alpha, v, a


@kernel
def motion_change(twist, rate, arm, by_twist, by_rate, by_arm):
    """Return by how much the same four change with changes of twist, rate and arm."""
    omega = (twist[0], twist[1], twist[2])
    alpha = (rate[0], rate[1], rate[2])
    v = speed_at(twist, arm)
    turned = (by_twist[0], by_twist[1], by_twist[2])
    faster = (by_rate[0], by_rate[1], by_rate[2])
    dv = vec.add(speed_at(by_twist, arm), vec.cross(omega, by_arm))
    da = vec.add((by_rate[3], by_rate[4], by_rate[5]), vec.cross(faster, arm))
    da = vec.add(da, vec.cross(alpha, by_arm))
    da = vec.add(da, vec.add(vec.cross(turned, v), vec.cross(omega, dv)))
    return turned, faster, dv, da


@kernel
def bend_of(settings, axes, ha, hb, one, other, v, gap):
    """Return β of a contact as far as it counts: `contact_drift.point_drift`, of given motions.

    one, other: `motion_at` of both bodies; axes: those in which v = J v is given and β is returned. The
    common part of both turns is taken in the axes that the step has for this normal.
    """
    kept = axes
    n = (axes[6], axes[7], axes[8])
    t1, t2 = vec.axes_from_normal(n)
    axes = (t1[0], t1[1], t1[2], t2[0], t2[1], t2[2], n[0], n[1], n[2])
    v = vec.mat_vec(axes, vec.mat_t_vec(kept, v))
    wa, _, va, aa = one
    wb, _, vb, ab = other
    turn = settings.dt * sqrt(max(vec.dot(wa, wa), vec.dot(wb, wb)))
    if not (turn > SLOW and turn < TOO_FAR):
        return ZERO
    sx, sy, _ = vec.mat_vec(axes, vec.sub(va, vb))
    slip = (sx, sy, 0.0)
    if ha[1] + ha[3] + hb[1] + hb[3] > 0.0:
        x, y, z, speed = drift_of_rolling(settings, axes, ha, hb, (wa, aa), (wb, ab), ZERO)
        half = 0.5 * settings.dt
        off = sqrt((sx - half * x) ** 2 + (sy - half * y) ** 2)
        slips = 1.0 - stick_weight(off, half * sqrt(x * x + y * y + z * z))
        if slips > 0.0:
            slip = vec.scale(slips, slip)
            x, y, z, speed = drift_of_rolling(settings, axes, ha, hb, (wa, aa), (wb, ab), slip)
        if speed < 0.0:
            return ZERO
        far = max(turn, settings.dt * speed)
    else:
        x, y, z = drift_of_points(settings, axes, ha, hb, (wa, aa), (wb, ab), slip)
        far = turn
    weight = 0.5 * settings.dt * fade_weight(far)
    rounding = CANCELLED * (vec.norm(aa) + vec.norm(ab))
    beta = (
        weight * beyond_deadband(x, rounding),
        weight * beyond_deadband(y, rounding),
        weight * beyond_deadband(z, rounding),
    )
    if beta[0] == 0.0 and beta[1] == 0.0 and beta[2] == 0.0:
        return ZERO
    return vec.mat_vec(kept, vec.mat_t_vec(axes, trusted_drift(settings, v, gap, beta)))


@kernel
def along_four(part, one, change):
    """Return ω, α, v and a of a motion, moved by a part of its change."""
    return (
        vec.axpy(part, change[0], one[0]),
        vec.axpy(part, change[1], one[1]),
        vec.axpy(part, change[2], one[2]),
        vec.axpy(part, change[3], one[3]),
    )


@kernel
def turned_axes(axes, part, turn):
    """Return axes (t₁, t₂, n) turned by a small part of a rotation vector."""
    x = vec.axpy(part, vec.cross(turn, (axes[0], axes[1], axes[2])), (axes[0], axes[1], axes[2]))
    y = vec.axpy(part, vec.cross(turn, (axes[3], axes[4], axes[5])), (axes[3], axes[4], axes[5]))
    z = vec.axpy(part, vec.cross(turn, (axes[6], axes[7], axes[8])), (axes[6], axes[7], axes[8]))
    return (x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])


@kernel
def bend_change(settings, axes, ha, hb, one, other, v, gap, turn, by_one, by_other, by_v, by_gap):
    """Return by how much β changes with its arguments: a central difference of this one formula."""
    more, less = gap + PART * by_gap, gap - PART * by_gap
    if not min(more, less) > 0.0:  # β feels gaps that are open
        more = less = gap
    plus = bend_of(
        settings, turned_axes(axes, PART, turn), ha, hb, along_four(PART, one, by_one),
        along_four(PART, other, by_other), vec.axpy(PART, by_v, v), more,
    )  # fmt: skip
    minus = bend_of(
        settings, turned_axes(axes, -PART, turn), ha, hb, along_four(-PART, one, by_one),
        along_four(-PART, other, by_other), vec.axpy(-PART, by_v, v), less,
    )  # fmt: skip
    return vec.scale(0.5 / PART, vec.sub(plus, minus))


@kernel
def surfaces_of(model, work, c):
    """Return both surfaces at contact c."""
    axes = vec.load_mat(work.contact_axes, c)
    return surface_curvature(model, work, c, 0, axes), surface_curvature(model, work, c, 1, axes)


@kernel
def body_motion_at(model, settings, work, tangents, body, p):
    """Return `motion_at` of a body at a point of the world; nothing moves of what has no dofs."""
    if model.body_chain_len[body] == 0:
        return ZERO, ZERO, ZERO, ZERO
    arm = vec.sub(p, origin_of(model, work, body))
    return motion_at(settings, spatial.load(tangents.twist, body), spatial.load(tangents.rate, body), arm)


@kernel
def body_change_by_q(model, work, tangents, body, j, has, p, moved):
    """Return by how much `body_motion_at` changes with coordinate j, by which the point moves, too."""
    if model.body_chain_len[body] == 0:
        return ZERO, ZERO, ZERO, ZERO
    twist = spatial.load(tangents.twist, body)
    rate = spatial.load(tangents.rate, body)
    by_twist = by_rate = STILL
    if has:
        axis = spatial.load(work.dof_axis, j)
        own = model.dof_body[j]
        v, a = twist, rate
        if not shifts_base(model, j):
            v = spatial.axpy(-1.0, spatial.load(tangents.twist, own), twist)
            a = spatial.axpy(-1.0, spatial.load(tangents.rate, own), rate)
        by_twist = spatial.cross_motion(axis, v)
        by_rate = spatial.cross_motion(axis, a)
        turning = spatial.cross_motion(spatial.load(tangents.turning, j), v)
        by_rate = spatial.axpy(1.0, turning, by_rate)
    arm = vec.sub(p, origin_of(model, work, body))
    return motion_change(twist, rate, arm, by_twist, by_rate, moved)


@kernel
def body_change_by_v(model, work, tangents, body, j, has, p):
    """Return by how much `body_motion_at` changes with velocity j."""
    if model.body_chain_len[body] == 0 or not has:
        return ZERO, ZERO, ZERO, ZERO
    twist = spatial.load(tangents.twist, body)
    axis = spatial.load(work.dof_axis, j)
    v = spatial.axpy(-1.0, spatial.load(tangents.twist, model.dof_body[j]), twist)
    by_rate = spatial.axpy(1.0, spatial.cross_motion(axis, v), spatial.load(tangents.own_rate, j))
    arm = vec.sub(p, origin_of(model, work, body))
    return motion_change(twist, spatial.load(tangents.rate, body), arm, axis, by_rate, ZERO)
