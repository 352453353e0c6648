"""Energy, momentum, centre of mass and inertia of a whole tree; its centroidal momentum matrix."""

from tribo.compiler.jit import entry, kernel
from tribo.compiler.record import world_of
from tribo.dynamics import couplings, energy, inertia, kinematics, springs
from tribo.math import spatial, vec
from tribo.model import Kind

TOTALS = 18  # numbers per state that `totals` writes


@kernel
def whole_momentum(work):
    """Return m, m c (3) and the inertia about the tree origin (6) of all bodies together."""
    m, x, y, z = 0.0, 0.0, 0.0, 0.0
    s = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    part = work.body_inertia
    for i in range(part.shape[0]):
        m += part[i, 0]
        x += part[i, 1]
        y += part[i, 2]
        z += part[i, 3]
        own = (part[i, 4], part[i, 5], part[i, 6], part[i, 7], part[i, 8], part[i, 9])
        s = spatial.axpy(1.0, own, s)
    return m, (x, y, z), s


@kernel
def composites(model, work):
    """Store the inertia of every body with all that hangs on it, given those of the bodies.

    Writes: work.
    """
    composite = work.body_composite
    count = model.body_parent.shape[0]
    for i in range(count):
        for k in range(10):
            composite[i, k] = work.body_inertia[i, k]
    for i in range(count - 1, 0, -1):
        parent = model.body_parent[i]
        for k in range(10):
            composite[parent, k] += composite[i, k]


@kernel
def about_centre(m, c, s):
    """Return the inertia s about the point from which c is measured, moved to c."""
    return (
        s[0] - m * (c[1] * c[1] + c[2] * c[2]),
        s[1] - m * (c[0] * c[0] + c[2] * c[2]),
        s[2] - m * (c[0] * c[0] + c[1] * c[1]),
        s[3] + m * c[0] * c[1],
        s[4] + m * c[0] * c[2],
        s[5] + m * c[1] * c[2],
    )


@entry
def totals(model, settings, work, q, v, out):
    """Write what belongs to a tree as a whole, for N states, (N, 18).

    kinetic, potential energy [J]; linear momentum (3) [kg m/s]; angular momentum about the world
    origin (3) [kg m²/s]; mass [kg]; centre of mass (3) [m]; inertia about it (6) [kg m²].

    Writes: work, out.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        inertia.rotate_inertias(here, work, 0, here.body_parent.shape[0])
        energy.tree_energy(here, v[e], world_of(settings, e), work, 0, out[e])
        out[e, 1] += springs.spring_energy(here, q[e], work, 0)
        out[e, 1] += couplings.coupling_energy(here, work, q[e], 0)
        m, moment, s = whole_momentum(work)
        arm = vec.scale(1.0 / m, moment)
        centre = vec.add(vec.load(work.body_pos, 0), arm)
        s = about_centre(m, arm, s)
        out[e, 8] = m
        for k in range(3):
            out[e, 9 + k] = centre[k]
        for k in range(6):
            out[e, 12 + k] = s[k]


@entry
def of_trees(model, settings, work, q, v, out):
    """Write energies [J] and momenta of every tree of a world, (ntree, 8), zeros where forces move nothing.

    kinetic, potential energy; linear momentum (3) [kg m/s]; angular momentum about the world origin
    (3) [kg m²/s].

    Writes: work, out.
    """
    kinematics.compute_poses(model, q, work)
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != Kind.DYNAMIC:
            for k in range(8):
                out[t, k] = 0.0
            continue
        inertia.rotate_inertias(model, work, model.tree_body[t], model.tree_body_count[t])
        energy.tree_energy(model, v, settings, work, t, out[t])
        out[t, 1] += springs.spring_energy(model, q, work, t)
        out[t, 1] += couplings.coupling_energy(model, work, q, t)


@entry
def centroidal_matrices(model, work, q, out):
    """Write A with (p, L about the centre of mass) = A v for N states, (N, 6, nv).

    Writes: work, out.
    Source: Orin, Goswami, Lee 2013, "Centroidal dynamics of a humanoid robot", equation 27.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        inertia.rotate_inertias(here, work, 0, here.body_parent.shape[0])
        m, moment, _ = whole_momentum(work)
        centre = vec.scale(1.0 / m, moment)
        composites(here, work)
        for dof in range(out.shape[2]):
            axis = spatial.load(work.dof_axis, dof)
            h = spatial.inertia_times(work.body_composite, here.dof_body[dof], axis)
            shift = vec.cross(centre, (h[3], h[4], h[5]))
            for k in range(3):
                out[e, k, dof] = h[3 + k]
                out[e, 3 + k, dof] = h[k] - shift[k]
