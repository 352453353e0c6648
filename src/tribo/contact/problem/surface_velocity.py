"""Stage `surface_velocity.set_surface_velocities`: conveyors and tracks.

The surface of a shape moves at the velocity u relative to its body; friction acts as if the body moved so,
and the body stays where it is. In the frame of the body, with the outward normal n of the shape at the
contact,

    u = v + ‖a‖ (a × n)/‖a × n‖

v is a uniform velocity (conveyor). a is the axis of a belt times its speed; the belt runs round the body as a
wheel turns about that axis. Only the part of u in the plane of contact counts.
Source: Choreonoid's manual, pseudo continuous track.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.math.linalg import ALIKE


@kernel
def belt_velocity(model, command, work, shape, normal):
    """Return the velocity of a shape's surface relative to its body, at an outward normal; world [m/s]."""
    rot = vec.load_mat(work.body_rot, model.shape_body[shape])
    u = vec.mat_vec(rot, vec.load(command.surface_velocity, shape))
    axis = vec.load_from(command.surface_velocity, shape, 3)
    square = vec.dot(axis, axis)
    if square > 0.0:
        round_it = vec.cross(vec.mat_vec(rot, axis), normal)
        size = vec.norm(round_it)
        speed = sqrt(square)
        if size > ALIKE * speed:  # else the normal is along the axis
            u = vec.axpy(speed / size, round_it, u)
    return u


@kernel
def has_belt(command, shape):
    """Tell whether the surface of a shape moves relative to its body."""
    most = 0.0
    for k in range(6):
        most = max(most, abs(command.surface_velocity[shape, k]))
    return most > 0.0


@kernel
def set_surface_velocities(model, command, work):
    """Set the surface velocity of each contact, A's minus B's, in the plane of contact.

    Writes: work.
    """
    for c in range(work.contact_count[0]):
        u = (0.0, 0.0, 0.0)
        n = vec.load_from(work.contact_axes, c, 6)  # from B into A
        a, b = work.contact_shape[c, 0], work.contact_shape[c, 1]
        if has_belt(command, a):
            u = belt_velocity(model, command, work, a, vec.neg(n))
        if has_belt(command, b):
            u = vec.sub(u, belt_velocity(model, command, work, b, n))
        u = vec.axpy(-vec.dot(u, n), n, u)
        vec.store(work.contact_surface, c, u)


@kernel
def add_surface(work, c):
    """Add the surface velocity of contact c to its velocity.

    Writes: work.
    """
    x, y, _ = vec.mat_vec(vec.load_mat(work.contact_axes, c), vec.load(work.contact_surface, c))
    work.contact_vel[c, 0] += x
    work.contact_vel[c, 1] += y
