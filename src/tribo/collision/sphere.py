"""Sphere (shape B) against sphere, box, capsule and cylinder (A): exact, one point."""

from math import sqrt

from tribo.collision.point import COINCIDENT, UP, first_row, put_ball, put_balls
from tribo.compiler.jit import kernel
from tribo.math import vec


@kernel
def sphere_sphere(pos_a, radius_a, pos_b, radius_b, margin, out):
    """Write the contact of two spheres; return the count.

    Writes: out.
    """
    return put_balls(out, first_row(), margin, pos_a, radius_a, pos_b, radius_b, UP, 0.0)


@kernel
def point_box(p, half):
    """Return the signed distance of a point from a box and the outward normal, in box axes.

    Inside, the nearest face counts; of equally near ones the first of x, y, z.
    """
    ex = abs(p[0]) - half[0]
    ey = abs(p[1]) - half[1]
    ez = abs(p[2]) - half[2]
    sx = 1.0 if p[0] >= 0.0 else -1.0
    sy = 1.0 if p[1] >= 0.0 else -1.0
    sz = 1.0 if p[2] >= 0.0 else -1.0
    outside = (max(ex, 0.0), max(ey, 0.0), max(ez, 0.0))
    distance = vec.norm(outside)
    if distance > COINCIDENT:
        s = 1.0 / distance
        return distance, (s * sx * outside[0], s * sy * outside[1], s * sz * outside[2])
    if ex >= ey and ex >= ez:
        return ex, (sx, 0.0, 0.0)
    if ey >= ez:
        return ey, (0.0, sy, 0.0)
    return ez, (0.0, 0.0, sz)


@kernel
def point_cylinder(p, radius, half):
    """Return the signed distance of a point from a cylinder and the outward normal, in its axes.

    Inside, the nearer of mantle and cap counts; on the axis the mantle's normal is +x.
    """
    rho = sqrt(p[0] * p[0] + p[1] * p[1])
    er = rho - radius
    ez = abs(p[2]) - half
    sz = 1.0 if p[2] >= 0.0 else -1.0
    x, y = (p[0] / rho, p[1] / rho) if rho > COINCIDENT else (1.0, 0.0)
    if er > 0.0 and ez > 0.0:
        distance = sqrt(er * er + ez * ez)
        if distance > COINCIDENT:
            s = er / distance
            return distance, (s * x, s * y, sz * ez / distance)
    if er > ez:
        return er, (x, y, 0.0)
    return ez, (0.0, 0.0, sz)


@kernel
def sphere_box(pos_a, rot_a, half, pos_b, radius, margin, out):
    """Write the contact of a box (A) and a sphere (B); return the count.

    Writes: out.
    """
    distance, outward = point_box(vec.mat_t_vec(rot_a, vec.sub(pos_b, pos_a)), half)
    outward = vec.mat_vec(rot_a, outward)
    return put_ball(out, first_row(), margin, -1.0, pos_b, radius, distance, outward, 0.0)


@kernel
def sphere_cylinder(pos_a, rot_a, size, pos_b, radius, margin, out):
    """Write the contact of a cylinder (A) and a sphere (B); return the count.

    Writes: out.
    """
    p = vec.mat_t_vec(rot_a, vec.sub(pos_b, pos_a))
    distance, outward = point_cylinder(p, size[0], size[1])
    outward = vec.mat_vec(rot_a, outward)
    return put_ball(out, first_row(), margin, -1.0, pos_b, radius, distance, outward, 0.0)


@kernel
def sphere_capsule(pos_a, rot_a, size, pos_b, radius, margin, out):
    """Write the contact of a capsule (A) and a sphere (B); return the count.

    A sphere centred on the capsule's axis is pushed along the capsule's x axis.

    Writes: out.
    """
    axis = vec.mat_col(rot_a, 2)
    t = vec.dot(axis, vec.sub(pos_b, pos_a))
    t = max(-size[1], min(size[1], t))
    nearest = vec.axpy(t, axis, pos_a)
    side = vec.mat_col(rot_a, 0)
    return put_balls(out, first_row(), margin, nearest, size[0], pos_b, radius, side, 0.0)
