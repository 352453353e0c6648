"""Paths of couplings: tendons from point to point of bodies, around spheres and cylinders; slider-cranks.

    ℓ = Σ w ‖q − p‖ + Σ w arc,   ∂ℓ/∂t = Σ u·(v_q − v_p),   u = w (q − p)/‖q − p‖

w is 1 over the divisor of the pulley before. An arc is a geodesic: to first order its ends slide along it, so
they count as points of the body on which it lies. A slider on an axis a with a rod of length r to the crank,
d from slider to crank, has

    ℓ = a·d − √((a·d)² + r² − d²)

and pushes along g = ∂ℓ/∂d, at the crank on both bodies. Without a rod, r = 0, ℓ = a·d is the position of the
crank along the axis. A rotation element measures a component of the rotation of one frame relative to
another,

    ℓ = a·log(Bᵀ C Q)

with attitudes B and C of the bodies; its torque is a on one body and −a on the other. Source: MuJoCo's
documentation.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.enums import ElementKind
from tribo.math import quat, spatial, vec, wrapping


@kernel
def element_position(model, work, k):
    """Return the position of element k of all paths, world [m]."""
    b = model.element_body[k]
    point = vec.load(model.element_point, k)
    if b < 0:
        return point
    return vec.add(vec.load(work.body_pos, b), vec.mat_vec(vec.load_mat(work.body_rot, b), point))


@kernel
def to_world(model, work, k, a):
    """Return a vector of the body of element k in world axes."""
    b = model.element_body[k]
    return a if b < 0 else vec.mat_vec(vec.load_mat(work.body_rot, b), a)


@kernel
def route_segment(model, work, k, j, p, q):
    """Route the straight segment that leaves element k at p and reaches element j at q.

    Writes: work.
    """
    d = vec.sub(q, p)
    length = vec.norm(d)
    weight = model.element_weight[k]
    work.segment_next[k] = j
    work.segment_length[k] += weight * length
    vec.store(work.segment_from, k, p)
    vec.store(work.segment_to, k, q)
    vec.store(work.segment_pull, k, vec.scale(weight / length if length > 0.0 else 0.0, d))


@kernel
def route_rod(model, work, k, j):
    """Route the rod of a slider, element k, to its crank, element j.

    A rod that is too short counts as perpendicular to the axis.

    Writes: work.
    """
    crank = element_position(model, work, j)
    d = vec.sub(crank, element_position(model, work, k))
    axis = to_world(model, work, k, vec.load(model.element_axis, k))
    rod = model.element_radius[k]
    along = vec.dot(axis, d)
    square = along * along + rod * rod - vec.dot(d, d)
    push = axis
    length = along
    if square > 0.0 and rod > 0.0:
        root = sqrt(square)
        length -= root
        push = vec.axpy(1.0 - along / root, axis, vec.scale(1.0 / root, d))
    weight = model.element_weight[k]
    work.segment_next[k] = j
    work.segment_length[k] = weight * length
    vec.store(work.segment_from, k, crank)
    vec.store(work.segment_to, k, crank)
    vec.store(work.segment_pull, k, vec.scale(weight, push))


@kernel
def measure_rotation(model, work, k, j):
    """Measure the rotation of the frame of element j about the axis of element k, relative to its body.

    Writes: work.
    """
    offset = quat.to_matrix(quat.exp(vec.load(model.element_toward, j)))
    b, c = model.element_body[k], model.element_body[j]
    if c >= 0:
        offset = vec.mat_mul(vec.load_mat(work.body_rot, c), offset)
    if b >= 0:
        offset = vec.mat_t_mul(vec.load_mat(work.body_rot, b), offset)
    axis = vec.load(model.element_axis, k)
    at = element_position(model, work, j)
    weight = model.element_weight[k]
    work.segment_next[k] = j
    work.segment_length[k] = weight * vec.dot(axis, quat.rotation_vector(offset))
    vec.store(work.segment_from, k, at)
    vec.store(work.segment_to, k, at)
    vec.store(work.segment_pull, k, vec.scale(weight, to_world(model, work, k, axis)))


@kernel
def route_tendon(model, work, c):
    """Route tendon c at the present poses: straight segments and lengths.

    Writes: work.
    """
    first, last = model.coupling_path[c, 0], model.coupling_path[c, 1]
    for k in range(first, last):
        work.segment_next[k] = -1
        work.segment_length[k] = 0.0
    for k in range(first, last - 1):
        kind = model.element_kind[k]
        if model.element_weight[k] == 0.0 or kind == ElementKind.SPHERE or kind == ElementKind.CYLINDER:
            continue
        if kind == ElementKind.SLIDER:
            route_rod(model, work, k, k + 1)
            continue
        if kind == ElementKind.TURN:
            measure_rotation(model, work, k, k + 1)
            continue
        p = element_position(model, work, k)
        j = k + 1
        after = model.element_kind[j]
        if after != ElementKind.SPHERE and after != ElementKind.CYLINDER:
            route_segment(model, work, k, j, p, element_position(model, work, j))
            continue
        q = element_position(model, work, k + 2)
        centre = element_position(model, work, j)
        axis = to_world(model, work, j, vec.load(model.element_axis, j))
        side = to_world(model, work, j, vec.load(model.element_toward, j))
        arc, begin, end = wrapping.around(
            vec.sub(p, centre), vec.sub(q, centre), axis, model.element_radius[j], side
        )
        if arc < 0.0:
            route_segment(model, work, k, k + 2, p, q)
            continue
        route_segment(model, work, k, j, p, vec.add(centre, begin))
        route_segment(model, work, j, k + 2, vec.add(centre, end), q)
        work.segment_length[j] += model.element_weight[k] * arc


@kernel
def route_tendons(model, work):
    """Route all tendons.

    Writes: work.
    """
    for c in range(model.coupling_path.shape[0]):
        route_tendon(model, work, c)


@kernel
def wrench_at(model, work, b, point, force):
    """Return the wrench, moment about the tree origin and force, of a force on body b at a point (world)."""
    arm = vec.sub(point, vec.load(work.body_pos, model.tree_body[model.body_tree[b]]))
    moment = vec.cross(arm, force)
    return (moment[0], moment[1], moment[2], force[0], force[1], force[2])


@kernel
def project_wrench(model, work, b, p, wrench):
    """Return the generalized force of a wrench on body b at dof p of its chain."""
    if model.tree_is_single[model.body_tree[b]] == 1:  # its motion axes are those of the world
        return wrench[3 + p] if p < 3 else wrench[p - 3]
    axis = spatial.load(work.dof_axis, model.chain_dof[model.body_chain_start[b] + p])
    return spatial.dot(axis, wrench)


@kernel
def segment_end(model, work, k, end):
    """Return body and wrench at one end (0 from, 1 to) of the straight segment that leaves element k.

    The wrench, moment about the tree origin and force, is the gradient of ℓ by the motion of the body.
    """
    b = model.element_body[k] if end == 0 else model.element_body[work.segment_next[k]]
    if b < 0:
        return b, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    pull = vec.load(work.segment_pull, k)
    if end == 0:
        pull = vec.neg(pull)
    if model.element_kind[k] == ElementKind.TURN:
        return b, (pull[0], pull[1], pull[2], 0.0, 0.0, 0.0)
    point = vec.load(work.segment_from, k) if end == 0 else vec.load(work.segment_to, k)
    return b, wrench_at(model, work, b, point, pull)


@kernel
def path_lengths(model, work, c):
    """Return the lengths of both parts of tendon c, as routed [m]."""
    first = second = 0.0
    for k in range(model.coupling_path[c, 0], model.coupling_path[c, 1]):
        if model.element_part[k] == 0:
            first += work.segment_length[k]
        else:
            second += work.segment_length[k]
    return first, second


@kernel
def path_speeds(model, work, v, c):
    """Return the rates of the lengths of both parts of coupling c [m/s]."""
    first = second = 0.0
    for k in range(model.coupling_path[c, 0], model.coupling_path[c, 1]):
        if work.segment_next[k] < 0:
            continue
        rate = first if model.element_part[k] == 0 else second
        for end in range(2):
            b, wrench = segment_end(model, work, k, end)
            if b < 0:
                continue
            start = model.body_chain_start[b]
            for p in range(model.body_chain_len[b]):
                rate += project_wrench(model, work, b, p, wrench) * v[model.chain_dof[start + p]]
        if model.element_part[k] == 0:
            first = rate
        else:
            second = rate
    return first, second
