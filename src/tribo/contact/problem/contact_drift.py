"""Stage `contact_drift.compute_drift`: the drift J̇v of contacts, by the curvature of their paths.

The velocity v⁺ at the end of the step is the mean from this evaluation to the next, and belongs to the time
dt/2 from here. There the velocity of a contact is J v⁺ + β,

    β = dt/2 J̇ v,   J̇ v = a_A + ω_A × (ċ − v_A) − a_B − ω_B × (ċ − v_B) + (ṅ · (v_A − v_B)) n,

where v and a are velocity and acceleration, at constant joint velocities, of the two material points in
contact, and ċ is the velocity of the contact location. At the contact both surfaces have the same normal;
with H the radii of curvature (derivative of a support point by its direction),

    ċ = v_A + H_A (ω_A × n − ṅ) = v_B − H_B (ω_B × n − ṅ).

Where neither surface is curved (corners, edges, faces), a sticking contact is one material point of each
body. These two must coincide again at the end of the step: ∫ v_A = ∫ v_B gives, along the tangents and
without ċ,

    β = dt/2 (a_A − a_B) + dt²/6 (ω_A × a_A − ω_B × a_B).

A gap that is closed at the ends of steps is dt/4 of β's normal part at the evaluation (`gap_allowance`). A
ball that rolls about its centre has β = 0. Sides of capsules, with a line of contact, have no β here.
Source: Montana 1988, "The kinematics of contact and grasp".
"""

from math import sqrt

from tribo.collision.feature import face_towards
from tribo.collision.place import shape_pose
from tribo.collision.solid import load_solid
from tribo.compiler.jit import kernel
from tribo.contact.far_contacts import is_at_later_pose
from tribo.contact.problem.attachments import attached_motion
from tribo.contact.problem.contact_targets import ROUND_OFF_BAND, beyond_deadband, step_speed
from tribo.contact.problem.islands import is_same_pair
from tribo.enums import SurfaceKind
from tribo.math import vec
from tribo.math.linalg import ALIKE
from tribo.model import Integrator, Kind, Shape

SLOW = 1e-5  # [rad] rotation per step below which paths of contacts do not drift
FAR = 0.3  # [rad] rotation, or [radii] motion of the contact, per step: up to here β counts in full
TOO_FAR = 0.6  # from here on it does not count
STUCK = 2.0  # [–] of β: slip at the start of the step up to which β counts in full
CANCELLED = 1e-9  # [–] of the accelerations whose difference is J̇ v: less is round-off
AXIAL = 1e-9  # [–] 1 − cosine between a face's normal and a contact's
ZERO = (0.0, 0.0, 0.0)
UNSEEN = ((int(SurfaceKind.UNKNOWN), 0.0, 0.0, 0.0, 1.0), (int(SurfaceKind.UNKNOWN), 0.0, 0.0, 0.0, 1.0))


@kernel
def body_spin(model, work, body):
    """Return the angular velocity of a body [rad/s]."""
    if model.body_chain_len[body] == 0:
        return ZERO
    if model.tree_is_single[model.body_tree[body]] == 0:
        return vec.load(work.body_vel, body)
    b = model.joint_v[body] + 3
    return (work.mid_v[b], work.mid_v[b + 1], work.mid_v[b + 2])


@kernel
def rim_radii(rot, size, local, p, axes):
    """Return H (xx, xy, yy) of the rim of a cylinder or cone; 0 (corner) if p is not its lowest point."""
    around = sqrt(local[0] * local[0] + local[1] * local[1])
    if not around > ALIKE:
        return 0.0, 0.0, 0.0
    x = p[0] - size[0] * local[0] / around
    y = p[1] - size[0] * local[1] / around
    if x * x + y * y > ALIKE * size[0] * size[0]:
        return 0.0, 0.0, 0.0
    t = vec.mat_vec(rot, (-local[1] / around, local[0] / around, 0.0))
    u, v, _ = vec.mat_vec(axes, t)
    rate = size[0] / around
    return rate * u * u, rate * u * v, rate * v * v


@kernel
def ellipsoid_radii(rot, size, local, axes):
    """Return H (xx, xy, yy) of an ellipsoid with outward normal `local`.

    H = (D² − c cᵀ)/‖D n‖, c = D² n/‖D n‖, D = diag(semi-axes).
    """
    d = (size[0] * local[0], size[1] * local[1], size[2] * local[2])
    reach = vec.norm(d)
    c = vec.scale(1.0 / reach, (size[0] * d[0], size[1] * d[1], size[2] * d[2]))
    s = vec.mat_t_vec(rot, (axes[0], axes[1], axes[2]))
    t = vec.mat_t_vec(rot, (axes[3], axes[4], axes[5]))
    sc, tc = vec.dot(s, c), vec.dot(t, c)
    s = (size[0] * s[0], size[1] * s[1], size[2] * s[2])
    t = (size[0] * t[0], size[1] * t[1], size[2] * t[2])
    return (
        (vec.dot(s, s) - sc * sc) / reach,
        (vec.dot(s, t) - sc * tc) / reach,
        (vec.dot(t, t) - tc * tc) / reach,
    )


@kernel
def surface_curvature(model, work, c, side, axes):
    """Return kind, radii of curvature H (xx, xy, yy) along t₁, t₂, and size of a surface at contact c.

    FLAT: the contact moves freely over it. CURVED: the support point moves over it as the normal rotates; a
    corner is curved with radii 0. EDGED: a corner, edge or face of a polyhedron, which the point cannot tell
    apart; that does not matter if the other surface has no radius either.
    """
    s = work.contact_shape[c, side]
    kind = model.shape_kind[s]
    nothing = (SurfaceKind.UNKNOWN, 0.0, 0.0, 0.0, 1.0)
    if kind == Shape.PLANE or kind >= Shape.SURFACE:
        return (SurfaceKind.FLAT, 0.0, 0.0, 0.0, 1.0)
    size = vec.load(model.shape_size, s)
    if kind == Shape.SPHERE:
        return (SurfaceKind.CURVED, size[0], 0.0, size[0], size[0])
    other = model.shape_kind[work.contact_shape[c, 1 - side]]
    if other == Shape.PLANE and (kind == Shape.HULL or kind == Shape.BOX):
        return (SurfaceKind.CURVED, 0.0, 0.0, 0.0, 1.0)
    pos, rot = shape_pose(model, work, s)
    n = (axes[6], axes[7], axes[8])
    local = vec.mat_t_vec(rot, vec.neg(n) if side == 0 else n)
    if kind == Shape.HULL or (kind == Shape.BOX and other < Shape.SURFACE):
        _, _, cosine = face_towards(model, work, load_solid(model, s), local)
        is_flat = other < Shape.SURFACE and cosine > 1.0 - AXIAL
        return (SurfaceKind.FLAT if is_flat else SurfaceKind.EDGED, 0.0, 0.0, 0.0, 1.0)
    if kind == Shape.ELLIPSOID:
        xx, xy, yy = ellipsoid_radii(rot, size, local, axes)
        return (SurfaceKind.CURVED, xx, xy, yy, max(size[0], size[1], size[2]))
    half = 0.5 * work.contact_gap[c]
    p = vec.axpy(half if side == 0 else -half, n, vec.load(work.contact_pos, c))
    p = vec.mat_t_vec(rot, vec.sub(p, pos))
    if kind == Shape.BOX:  # a corner on terrain
        near = ALIKE * max(size[0], size[1], size[2])
        d = (abs(abs(p[0]) - size[0]), abs(abs(p[1]) - size[1]), abs(abs(p[2]) - size[2]))
        return (SurfaceKind.CURVED if max(d[0], d[1], d[2]) < near else SurfaceKind.EDGED, 0.0, 0.0, 0.0, 1.0)
    if kind == Shape.CAPSULE:
        # A point of a cap is one radius along the normal from the end of the axis.
        z = abs(p[2] - size[0] * local[2])
        if z < size[1] * (1.0 - ALIKE):
            return nothing
        return (SurfaceKind.CURVED, size[0], 0.0, size[0], size[0])
    if other != Shape.PLANE and abs(local[2]) > 1.0 - AXIAL:
        return (SurfaceKind.FLAT, 0.0, 0.0, 0.0, 1.0)  # the end of a cylinder, or the base of a cone
    if kind == Shape.CONE and p[2] > 0.0:  # the apex
        return (SurfaceKind.CURVED, 0.0, 0.0, 0.0, size[0])
    xx, xy, yy = rim_radii(rot, size, local, p, axes)
    return (SurfaceKind.CURVED, xx, xy, yy, size[0])


@kernel
def common_part(x, y):
    """Return the smaller of two numbers of the same sign; 0 if their signs differ."""
    return 0.0 if x * y <= 0.0 else (x if abs(x) < abs(y) else y)


@kernel
def common_rotation(a, b):
    """Return the common part of two angular velocities, component by component in the axes of a contact."""
    return (common_part(a[0], b[0]), common_part(a[1], b[1]), common_part(a[2], b[2]))


@kernel
def common_turn(model, settings, work, c):
    """Return the common rotation of both bodies of contact c in a step, in its axes [rad]."""
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    if model.body_chain_len[one] == 0 or model.body_chain_len[other] == 0:
        return ZERO
    axes = vec.load_mat(work.contact_axes, c)
    a = vec.mat_vec(axes, body_spin(model, work, one))
    b = vec.mat_vec(axes, body_spin(model, work, other))
    return vec.scale(settings.dt, common_rotation(a, b))


@kernel
def apply_curvature(h, x, y):
    """Return H times a tangent vector."""
    return h[1] * x + h[2] * y, h[2] * x + h[3] * y


@kernel
def fade_weight(x):
    """Return 1 up to `FAR`, 0 from `TOO_FAR` on, linear in between."""
    return min(1.0, max(0.0, (TOO_FAR - x) / (TOO_FAR - FAR)))


@kernel
def has_edge_or_face(one, other):
    """Tell whether one surface is `EDGED`, the other has a radius: on it edges and faces roll differently."""
    return one[0] == SurfaceKind.EDGED and other[0] == SurfaceKind.CURVED and other[1] + other[3] > 0.0


@kernel
def stick_weight(slip, size):
    """Return 1 for a slip up to `STUCK` times a β of that size, 0 for one β more, linear in between."""
    return min(1.0, max(0.0, STUCK + 1.0 - slip / size)) if size > 0.0 else 0.0


@kernel
def drift_of_points(settings, axes, ha, hb, turning_a, turning_b, slip):
    """Return the step's mean of a_A − a_B at corners, edges and faces, with the effect of slip along n.

    turning: angular velocity and acceleration of the point, of A and B; slip in the contact's axes. A corner
    stays at its point of its body and n with the face, however it slips: −2 n · (ω × slip) with the face's ω.
    Where edges cross, or a corner is not told from a face, that is unknown: the normal part counts by the
    weight of sticking.
    """
    wa, aa = turning_a
    wb, ab = turning_b
    third = settings.dt / 3.0
    j = vec.sub(vec.axpy(third, vec.cross(wa, aa), aa), vec.axpy(third, vec.cross(wb, ab), ab))
    x, y, z = vec.mat_vec(axes, j)
    half = 0.5 * settings.dt
    off = sqrt((slip[0] - half * x) ** 2 + (slip[1] - half * y) ** 2)
    part = stick_weight(off, half * vec.norm(j))
    if (
        ha[0] != SurfaceKind.FLAT
        and hb[0] != SurfaceKind.FLAT
        and (ha[0] == SurfaceKind.EDGED or hb[0] == SurfaceKind.EDGED)
    ):
        return x, y, part * z
    omega = wb if ha[0] != SurfaceKind.FLAT else wa
    if ha[0] == SurfaceKind.FLAT and hb[0] == SurfaceKind.FLAT:
        omega = vec.scale(0.5, vec.add(wa, wb))
    across = vec.cross(vec.mat_vec(axes, omega), slip)[2]
    return x, y, z - 2.0 * (1.0 - part) * across


@kernel
def acceleration_change(model, work, body, p, omega, other):
    """Return the change of the acceleration of a point p if its body rotates at `other` instead of omega."""
    if model.body_chain_len[body] == 0:
        return ZERO
    arm = vec.sub(p, vec.load(work.body_pos, body))
    after = vec.cross(other, vec.cross(other, arm))
    return vec.sub(after, vec.cross(omega, vec.cross(omega, arm)))


@kernel
def drift_of_rolling(settings, axes, ha, hb, turning_a, turning_b, slip):
    """Return J̇v if at least one surface is curved, and the speed of the contact in sizes of a surface [1/s].

    turning, slip: see `drift_of_points`. The speed is −1 where the surfaces conform so closely that it is
    undefined. The common rotation of both bodies rotates J̇v, too; as a mean over the step that adds
    dt/3 ω × J̇v.
    """
    wa, aa = turning_a
    wb, ab = turning_b
    n = (axes[6], axes[7], axes[8])
    ax, ay, _ = vec.mat_vec(axes, vec.cross(wa, n))
    bx, by, _ = vec.mat_vec(axes, vec.cross(wb, n))
    sx, sy, _ = slip
    if hb[0] == SurfaceKind.FLAT:
        nx, ny = bx, by
    elif ha[0] == SurfaceKind.FLAT:
        nx, ny = ax, ay
    else:
        xx, xy, yy = ha[1] + hb[1], ha[2] + hb[2], ha[3] + hb[3]
        det = xx * yy - xy * xy
        if not det > ALIKE * ALIKE * ha[4] * hb[4]:
            return 0.0, 0.0, 0.0, -1.0
        fx, fy = apply_curvature(ha, ax, ay)
        gx, gy = apply_curvature(hb, bx, by)
        fx += gx + sx
        fy += gy + sy
        nx = (yy * fx - xy * fy) / det
        ny = (xx * fy - xy * fx) / det
    ux, uy = apply_curvature(ha, ax - nx, ay - ny)  # of the contact over A
    wx, wy = apply_curvature(hb, nx - bx, ny - by)  # … over B
    if ha[0] == SurfaceKind.FLAT:
        ux, uy = wx - sx, wy - sy
    elif hb[0] == SurfaceKind.FLAT:
        wx, wy = ux + sx, uy + sy
    # Motion over a flat surface is not bounded.
    speed = sqrt(ux * ux + uy * uy) / ha[4] if ha[0] == SurfaceKind.CURVED else 0.0
    if hb[0] == SurfaceKind.CURVED:
        speed = max(speed, sqrt(wx * wx + wy * wy) / hb[4])
    over_a = vec.mat_t_vec(axes, (ux, uy, 0.0))
    over_b = vec.mat_t_vec(axes, (wx, wy, 0.0))
    j = vec.sub(vec.add(aa, vec.cross(wa, over_a)), vec.add(ab, vec.cross(wb, over_b)))
    j = vec.mat_vec(axes, j)
    together = common_rotation(vec.mat_vec(axes, wa), vec.mat_vec(axes, wb))
    x, y, z = vec.axpy(settings.dt / 3.0, vec.cross(together, j), j)
    return x, y, z + nx * sx + ny * sy, speed


@kernel
def is_flat_or_edged(model, s):
    """Tell whether a shape has flat faces only: its kind at a contact does not depend on the position."""
    kind = model.shape_kind[s]
    return kind == Shape.PLANE or kind == Shape.BOX or kind == Shape.HULL


@kernel
def is_as_before(model, work, c):
    """Tell whether contact c has the kinds of surfaces of contact c − 1: same pair, same normal."""
    if c == 0 or not is_same_pair(work, c - 1, c):
        return False
    axes = work.contact_axes
    if vec.load_from(axes, c, 6) != vec.load_from(axes, c - 1, 6):
        return False
    one, other = work.contact_shape[c, 0], work.contact_shape[c, 1]
    return is_flat_or_edged(model, one) and is_flat_or_edged(model, other)


@kernel
def point_drift(model, settings, work, c, before):
    """Return β of contact c in its axes, weighted, its truncation error [m/s], and the kinds of its surfaces.

    before: the surfaces of the contact before, `UNSEEN` if unknown.
    """
    wa = body_spin(model, work, work.contact_body[c, 0])
    wb = body_spin(model, work, work.contact_body[c, 1])
    turn = settings.dt * sqrt(max(vec.dot(wa, wa), vec.dot(wb, wb)))
    if not (turn > SLOW and turn < TOO_FAR):
        return ZERO, 0.0, UNSEEN
    if is_at_later_pose(work, c):
        return ZERO, 0.0, UNSEEN
    axes = vec.load_mat(work.contact_axes, c)
    ha, hb = before
    if ha[0] == SurfaceKind.UNKNOWN or not is_as_before(model, work, c):
        ha = surface_curvature(model, work, c, 0, axes)
        hb = surface_curvature(model, work, c, 1, axes)
    if (
        ha[0] == SurfaceKind.UNKNOWN
        or hb[0] == SurfaceKind.UNKNOWN
        or has_edge_or_face(ha, hb)
        or has_edge_or_face(hb, ha)
    ):
        return ZERO, 0.0, UNSEEN
    p = vec.load(work.contact_pos, c)
    va, _, aa, _ = attached_motion(model, settings, work, work.contact_body[c, 0], p)
    vb, _, ab, _ = attached_motion(model, settings, work, work.contact_body[c, 1], p)
    sx, sy, _ = vec.mat_vec(axes, vec.sub(va, vb))
    slip = (sx, sy, 0.0)
    if ha[1] + ha[3] + hb[1] + hb[3] > 0.0:
        # The slip of a sticking contact at this time is reversed within the step: its mean is 0.
        x, y, z, speed = drift_of_rolling(settings, axes, ha, hb, (wa, aa), (wb, ab), ZERO)
        half = 0.5 * settings.dt
        off = sqrt((sx - half * x) ** 2 + (sy - half * y) ** 2)
        slips = 1.0 - stick_weight(off, half * sqrt(x * x + y * y + z * z))
        if slips > 0.0:
            slip = vec.scale(slips, slip)
            x, y, z, speed = drift_of_rolling(settings, axes, ha, hb, (wa, aa), (wb, ab), slip)
        if speed < 0.0:
            return ZERO, 0.0, UNSEEN
        far = max(turn, settings.dt * speed)
    else:
        # Sticking faces rotate together at the end of the step.
        if ha[0] == SurfaceKind.FLAT and hb[0] == SurfaceKind.FLAT:
            mean = vec.scale(0.5, vec.add(wa, wb))
            aa = vec.add(aa, acceleration_change(model, work, work.contact_body[c, 0], p, wa, mean))
            ab = vec.add(ab, acceleration_change(model, work, work.contact_body[c, 1], p, wb, mean))
        x, y, z = drift_of_points(settings, axes, ha, hb, (wa, aa), (wb, ab), slip)
        far = turn
    weight = 0.5 * settings.dt * fade_weight(far)
    rounding = CANCELLED * (vec.norm(aa) + vec.norm(ab))
    beta = (
        weight * beyond_deadband(x, rounding),
        weight * beyond_deadband(y, rounding),
        weight * beyond_deadband(z, rounding),
    )
    return beta, turn * turn * vec.norm(beta), (ha, hb)


@kernel
def trusted_drift(settings, v, gap, beta):
    """Return the part of β that is used at a contact velocity v = J v, both in the contact's axes.

    Tangents: a sticking contact has the velocity β here, or 2 β if it had none half a step ago; β counts by
    `stick_weight` of the difference. A slipping contact has friction against its slip here. Normal: β < 0
    asks the bodies to separate, no faster than they approach: an impulse that at most reverses an approach
    adds no energy. Bodies that are apart may approach before that.
    """
    size = sqrt(beta[0] * beta[0] + beta[1] * beta[1])
    nothing = ROUND_OFF_BAND * step_speed(settings)
    part = 0.0
    if size > nothing:
        slip = sqrt((v[0] - beta[0]) ** 2 + (v[1] - beta[1]) ** 2)
        part = stick_weight(slip, size) * (1.0 - nothing / size)
    z = max(beta[2], min(0.0, v[2]))
    if z < 0.0 and gap > 0.0:
        z = min(0.0, z + gap / settings.dt)
    return (part * beta[0], part * beta[1], beyond_deadband(z, nothing))


@kernel
def slip_without_jump(model, state, work, c, v):
    """Return v of contact c less the last change of velocity of kinematic bodies, if that is less slip.

    A carrier that accelerates seems to slip by that change; its load does not.
    """
    x, y, z = v
    for side in range(2):
        body = work.contact_body[c, side]
        if model.body_chain_len[body] == 0 or model.tree_kind[model.body_tree[body]] != Kind.KINEMATIC:
            continue
        i = work.contact_row[c, side]
        chain = model.body_chain_start[body]
        for p in range(model.body_chain_len[body]):
            dof = model.chain_dof[chain + p]
            change = state.v[dof] - state.left_v[dof]
            x -= work.row[i] * change
            y -= work.row[i + 1] * change
            i += 3
    return (x, y, z) if x * x + y * y < v[0] * v[0] + v[1] * v[1] else v


@kernel
def equalise_sag(work):
    """Set the `gap_allowance` of all points of a pair to the largest: other points of a rim take its place.

    Writes: work.
    """
    first = 0
    while first < work.contact_count[0]:
        end = first
        deepest = 0.0
        while end < work.contact_count[0] and is_same_pair(work, first, end):
            deepest = work.gap_allowance[end] if end == first else max(deepest, work.gap_allowance[end])
            end += 1
        for c in range(first, end):
            work.gap_allowance[c] = deepest
        first = end


@kernel
def compute_drift(model, state, settings, work):
    """Compute β of every contact, its truncation error, and the gap allowance.

    Writes: work.
    """
    sag = 0.0 if settings.integrator == Integrator.SEMI_IMPLICIT else 0.25 * settings.dt
    bends = False
    surfaces = UNSEEN
    for c in range(work.contact_count[0]):
        beta, error = ZERO, 0.0
        if work.contact_is_soft[c] == 0 and work.contact_is_resting[c] == 0:
            beta, error, surfaces = point_drift(model, settings, work, c, surfaces)
        else:
            surfaces = UNSEEN
        if beta != ZERO:
            v = vec.load(work.contact_vel, c)
            v = slip_without_jump(model, state, work, c, v)
            beta = trusted_drift(settings, v, work.contact_gap[c], beta)
            bends = True
        vec.store(work.contact_drift, c, beta)
        work.contact_drift_error[c] = error
        work.gap_allowance[c] = -sag * beta[2]
    if bends and sag > 0.0:
        equalise_sag(work)
