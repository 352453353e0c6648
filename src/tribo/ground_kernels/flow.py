"""Functions that an integrator calls: the rate of y, where the states of points change, what to record."""

from tribo.compiler.jit import entry, kernel
from tribo.ground_kernels import law
from tribo.ground_kernels.tree import accelerate, place_bodies
from tribo.math import spatial, vec


@entry
def rate(tree, work, y, out):
    """Write the rate of y, with every point in the state `tree.point_state`.

    Writes: work, out.
    """
    place_bodies(tree, work, y)
    place_points(tree, work, y)
    power = press_ground(tree, work)
    accelerate(tree, work, y, out)
    first = first_deformation(tree)
    tangents = tree.up  # the dimension of space less one
    for k in range(len(tree.point_body)):
        for j in range(tangents):
            out[first + tangents * k + j] = work.point_rate[k, j]
    out[len(y) - 1] = -power


@kernel
def first_deformation(tree):
    """Return where u begins in y."""
    return 13 * tree.is_floating + 2 * len(tree.tau)


@kernel
def place_points(tree, work, y):
    """Compute positions and velocities of the contact points, and read u.

    Writes: work.
    """
    first = first_deformation(tree)
    tangents = tree.up
    for k in range(len(tree.point_body)):
        i = tree.point_body[k]
        local = vec.load(tree.point_pos, k)
        arm = vec.mat_vec(vec.load_mat(work.body_rot, i), local)
        p = vec.add(vec.load(work.body_pos, i), arm)
        v = spatial.load(work.body_vel, i)
        pd = vec.add((v[3], v[4], v[5]), vec.cross((v[0], v[1], v[2]), p))
        vec.store(work.point_pos, k, p)
        vec.store(work.point_vel, k, pd)
        work.point_u[k, 0] = y[first + tangents * k]
        work.point_u[k, 1] = y[first + tangents * k + 1] if tangents == 2 else 0.0


@kernel
def point_numbers(tree, work, k):
    """Return K, D, μ, height, its rate, tangential velocity and u of a point."""
    up = tree.up
    v = (work.point_vel[k, 0], work.point_vel[k, 1] if up == 2 else 0.0)
    u = (work.point_u[k, 0], work.point_u[k, 1])
    z, zd = work.point_pos[k, up], work.point_vel[k, up]
    return tree.point_K[k], tree.point_D[k], tree.point_mu[k], z, zd, v, u


@kernel
def press_ground(tree, work):
    """Let the ground act on all points; return the power of its forces on the bodies.

    Writes: work.
    """
    up = tree.up
    power = 0.0
    for k in range(len(tree.point_body)):
        K, D, mu, z, zd, v, u = point_numbers(tree, work, k)
        ft, fn, ud = law.response(tree.point_state[k], K, D, mu, z, zd, v, u)
        force = (ft[0], ft[1], fn) if up == 2 else (ft[0], fn, 0.0)
        vec.store(work.point_force, k, force)
        work.point_rate[k, 0] = ud[0]
        work.point_rate[k, 1] = ud[1]
        power += vec.dot(force, vec.load(work.point_vel, k))
        if fn != 0.0:
            n = vec.cross(vec.load(work.point_pos, k), force)
            wrench = (-n[0], -n[1], -n[2], -force[0], -force[1], -force[2])
            spatial.accumulate(work.bias, tree.point_body[k], wrench)
    return power


@entry
def classify(tree, work, y, states):
    """Write the state in which the law puts each point.

    Writes: work, states.
    """
    place_bodies(tree, work, y)
    place_points(tree, work, y)
    for k in range(len(tree.point_body)):
        K, D, mu, z, zd, v, u = point_numbers(tree, work, k)
        states[k] = law.point_state(K, D, mu, z, zd, v, u)


@entry
def state_margins(tree, work, samples, out):
    """Write how far each point is from leaving its state, for each row y of `samples`.

    Writes: work, out.
    """
    for n in range(len(samples)):
        place_bodies(tree, work, samples[n])
        place_points(tree, work, samples[n])
        for k in range(len(tree.point_body)):
            K, D, mu, z, zd, v, u = point_numbers(tree, work, k)
            out[n, k] = law.margin(tree.point_state[k], K, D, mu, z, zd, v, u)


@entry
def observe(tree, work, samples, states, positions, velocities, forces):
    """Write positions, velocities and forces of all points, for each row y and its states.

    Writes: work, positions, velocities, forces.
    """
    for n in range(len(samples)):
        place_bodies(tree, work, samples[n])
        place_points(tree, work, samples[n])
        for k in range(len(tree.point_body)):
            K, D, mu, z, zd, v, u = point_numbers(tree, work, k)
            ft, fn, _ = law.response(states[n, k], K, D, mu, z, zd, v, u)
            force = (ft[0], ft[1], fn) if tree.up == 2 else (ft[0], fn, 0.0)
            for j in range(3):
                positions[n, k, j] = work.point_pos[k, j]
                velocities[n, k, j] = work.point_vel[k, j]
                forces[n, k, j] = force[j]


@entry
def energies(tree, work, samples, out):
    """Write kinetic and potential energy of the bodies for each row y.   ½ v·I v,  −m c·g

    Writes: work, out.
    """
    g = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for n in range(len(samples)):
        place_bodies(tree, work, samples[n])
        kinetic = potential = 0.0
        for i in range(len(tree.body_parent)):
            v = spatial.load(work.body_vel, i)
            kinetic += 0.5 * spatial.dot(v, spatial.inertia_times(work.body_mom, i, v))
            mom = work.body_mom
            potential -= mom[i, 1] * g[0] + mom[i, 2] * g[1] + mom[i, 3] * g[2]
        out[n, 0] = kinetic
        out[n, 1] = potential


@entry
def write_poses(tree, work, samples, positions, rotations):
    """Write positions and axes (as columns) of all bodies for each row y.

    Writes: work, positions, rotations.
    """
    for n in range(len(samples)):
        place_bodies(tree, work, samples[n])
        for i in range(len(tree.body_parent)):
            for j in range(3):
                positions[n, i, j] = work.body_pos[i, j]
                for k in range(3):
                    rotations[n, i, j, k] = work.body_rot[i, 3 * j + k]
