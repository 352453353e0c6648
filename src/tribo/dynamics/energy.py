"""Energy and momentum of trees: at the poses and inertias in `work`, or at any state."""

from tribo.compiler.jit import kernel
from tribo.dynamics.bias import write_tree_velocities
from tribo.dynamics.momentum import move_body
from tribo.math import spatial, vec

ARMATURE_ARM = 0.2  # [m] lever arm that converts armature to mass; about the length of a link


@kernel
def tree_energy(model, v, settings, work, t, out):
    """Write kinetic and potential energy [J], linear and angular momentum about the world origin.

    out = [kinetic, potential, p (3) [kg m/s], L (3) [kg m²/s]]. Inertias of the tree must be in
    `work.body_inertia`, also those of a single body. Rotors (armature) count as ½ v² times their
    inertia; their share of the angular momentum is neglected, as in M.

    Writes: out, work.
    """
    root = model.tree_body[t]
    origin = vec.load(work.body_pos, root)
    for k in range(8):
        out[k] = 0.0
    write_tree_velocities(model, v, work, t)
    for i in range(root, root + model.tree_body_count[t]):
        velocity = spatial.load(work.body_vel, i)
        momentum = spatial.inertia_times(work.body_inertia, i, velocity)
        m = work.body_inertia[i, 0]
        moment = (
            work.body_inertia[i, 1] + m * origin[0],
            work.body_inertia[i, 2] + m * origin[1],
            work.body_inertia[i, 3] + m * origin[2],
        )
        p = (momentum[3], momentum[4], momentum[5])
        angular = vec.add((momentum[0], momentum[1], momentum[2]), vec.cross(origin, p))
        out[0] += 0.5 * spatial.dot(velocity, momentum)
        out[1] -= (
            moment[0] * settings.gravity_x + moment[1] * settings.gravity_y + moment[2] * settings.gravity_z
        )
        for k in range(3):
            out[2 + k] += p[k]
            out[5 + k] += angular[k]
    first = model.tree_v[t]
    for dof in range(first, first + model.tree_nv[t]):
        out[0] += 0.5 * model.dof_armature[dof] * v[dof] * v[dof]


@kernel
def energy_at(model, q, v, settings, work, t):
    """Return kinetic and potential energy of a tree [J] at any coordinates and velocities.

    Writes: work.
    """
    kinetic = potential = 0.0
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        p, r, omega, velocity = move_body(model, q, v, work, i)
        arm = vec.mat_vec(r, vec.load(model.body_com, i))
        velocity = vec.add(velocity, vec.cross(omega, arm))
        c = vec.add(p, arm)
        own = vec.rotate_sym(r, spatial.load(model.body_inertia, i))
        weight = vec.dot(c, (settings.gravity_x, settings.gravity_y, settings.gravity_z))
        potential -= model.body_mass[i] * weight
        kinetic += 0.5 * model.body_mass[i] * vec.dot(velocity, velocity)
        kinetic += 0.5 * vec.dot(omega, vec.sym_vec(own, omega))
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        kinetic += 0.5 * model.dof_armature[dof] * v[dof] * v[dof]
    return kinetic, potential


@kernel
def tree_mass(model, t):
    """Return the mass of all bodies of tree t [kg], plus that of its rotors at the arm `ARMATURE_ARM`."""
    mass = 0.0
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        mass += model.body_mass[i]
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        mass += model.dof_armature[dof] / (ARMATURE_ARM * ARMATURE_ARM)
    return mass
