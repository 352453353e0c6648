"""Plane (shape B) against sphere, box, capsule and cylinder: exact.

The rim of a disc that lies on a plane has no preferred points. Four points at fixed directions *of the plane*
support an upright cylinder: they neither rotate with its spin nor jump when the direction of a vanishing tilt
does. The lowest point of the rim is added, and replaces one of the four that it comes near: the rim of a disc
that rolls reaches each of the four points and leaves it within a step or two, and each would be an impact on
a point of the body. Euler's disc of 8 cm at 15° lost 4e-5 of its energy in every such impact, 1.3e-4 a second
at 0.2 ms; with the replacement it loses none.
"""

from tribo.collision.point import first_row, put_height
from tribo.compiler.jit import kernel
from tribo.math import vec

MIN_TILT = 1e-9  # [rad] below which the lowest point of a disc's rim is round-off
FLAT_COSINE = 0.5  # a disc steeper than this rests on its rim, not on its face
TWIN = 1e-6  # [-] a rim point this near (squared, in radii) to the lowest one is the same point
ROLLED_OVER = 0.04  # [-] the same for a tilted disc, which rolls over that point
TILTED = 1e-3  # [-] sine from which on a disc is tilted


@kernel
def plane_sphere(pos, radius, plane_pos, normal, margin, out):
    """Write the contact of a sphere (A) and a plane (B); return the count.

    Writes: out.
    """
    height = vec.dot(normal, vec.sub(pos, plane_pos))
    point = vec.axpy(-radius, normal, pos)
    return put_height(out, first_row(), margin, point, normal, height - radius, 0.0)


@kernel
def plane_box(pos, rot, half, plane_pos, normal, margin, out):
    """Write a contact per box corner within the margin (A: box, B: plane); return the count.

    Feature: corner number, bit k set if the corner is on the positive side of axis k.

    Writes: out.
    """
    x = vec.scale(half[0], vec.mat_col(rot, 0))
    y = vec.scale(half[1], vec.mat_col(rot, 1))
    z = vec.scale(half[2], vec.mat_col(rot, 2))
    rise_x = vec.dot(normal, x)
    rise_y = vec.dot(normal, y)
    rise_z = vec.dot(normal, z)
    height = vec.dot(normal, vec.sub(pos, plane_pos))
    if not height - abs(rise_x) - abs(rise_y) - abs(rise_z) <= margin:
        return 0
    n = first_row()
    for corner in range(8):
        sx = 1.0 if corner & 1 else -1.0
        sy = 1.0 if corner & 2 else -1.0
        sz = 1.0 if corner & 4 else -1.0
        gap = height + sx * rise_x + sy * rise_y + sz * rise_z
        if gap <= margin:
            point = vec.axpy(sx, x, vec.axpy(sy, y, vec.axpy(sz, z, pos)))
            n = put_height(out, n, margin, point, normal, gap, float(corner))
    return n


@kernel
def plane_capsule(pos, rot, size, plane_pos, normal, margin, out):
    """Write the contacts of the two caps of a capsule (A) with a plane (B); return the count.

    Feature: 0 for the cap at −z, 1 for the cap at +z.

    Writes: out.
    """
    arm = vec.scale(size[1], vec.mat_col(rot, 2))
    middle = vec.axpy(-size[0], normal, pos)
    height = vec.dot(normal, vec.sub(middle, plane_pos))
    rise = vec.dot(normal, arm)
    n = first_row()
    n = put_height(out, n, margin, vec.sub(middle, arm), normal, height - rise, 0.0)
    return put_height(out, n, margin, vec.add(middle, arm), normal, height + rise, 1.0)


@kernel
def plane_cylinder(pos, rot, size, plane_pos, plane_rot, margin, out):
    """Write the contacts of a cylinder (A) with a plane (B); return the count, at most 6.

    Features: 0, 1 the lowest points of the rims at −z and +z; 2…5 (disc at −z) or 6…9 (disc at +z) the rim
    points of the lower disc along ±x and ±y of the plane, while it is tilted by less than 60°.

    Writes: out.
    """
    normal = vec.mat_col(plane_rot, 2)
    axis = vec.mat_col(rot, 2)
    radius = size[0]
    cosine = vec.dot(axis, normal)
    low = -1.0 if cosine >= 0.0 else 1.0  # which end is down
    arm = vec.scale(low * size[1], axis)
    height = vec.dot(normal, vec.sub(pos, plane_pos))
    rise = vec.dot(normal, arm)
    # Projection of the downward direction on the disc; its length is the sine of the tilt. Done twice:
    # the round-off along the axis would matter when a tiny tilt is normalised.
    down = vec.axpy(cosine, axis, vec.neg(normal))
    down = vec.axpy(-vec.dot(down, axis), axis, down)
    sine = vec.norm(down)
    is_tilted = sine > MIN_TILT
    n = first_row()
    if is_tilted:
        down = vec.scale(1.0 / sine, down)
        drop = -radius * sine
        rim = vec.axpy(radius, down, pos)
        feature = 0.0 if low < 0.0 else 1.0
        n = put_height(out, n, margin, vec.add(rim, arm), normal, height + rise + drop, feature)
        point = vec.sub(rim, arm)
        n = put_height(out, n, margin, point, normal, height - rise + drop, 1.0 - feature)
    if abs(cosine) > FLAT_COSINE and height + rise - radius * sine <= margin:
        near = 0.0 if not is_tilted else (ROLLED_OVER if sine > TILTED else TWIN)
        n = _disc(out, n, margin, vec.add(pos, arm), axis, radius, plane_rot, height + rise, low,
                  down, near)  # fmt: skip
    return n


@kernel
def _disc(out, n, margin, centre, axis, radius, plane_rot, height, low, down, near):
    """Write the rim points of a disc along ±x and ±y of the plane; return the next free row.

    Points nearer to the lowest one, along `down`, than `near` (squared, in radii) are omitted.

    Writes: out.
    """
    normal = vec.mat_col(plane_rot, 2)
    side = vec.mat_col(plane_rot, 0)
    along = vec.axpy(-vec.dot(axis, side), axis, side)
    along = vec.scale(1.0 / vec.norm(along), along)
    across = vec.cross(axis, along)
    first = 2.0 if low < 0.0 else 6.0
    for k in range(4):
        spoke = along if k < 2 else across
        if k % 2 == 1:
            spoke = vec.neg(spoke)
        # 1 − cos is half the squared distance on the unit circle.
        if 2.0 * (1.0 - vec.dot(spoke, down)) < near:
            continue
        gap = height + radius * vec.dot(normal, spoke)
        point = vec.axpy(radius, spoke, centre)
        n = put_height(out, n, margin, point, normal, gap, first + k)
    return n
