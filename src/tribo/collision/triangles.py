"""The triangles of terrain: corners, normals, and the folds over their edges."""

from math import atan2

from tribo.collision.solid import HEIGHT_MAP
from tribo.compiler.jit import kernel
from tribo.math import vec

OPEN = 4.0  # [rad] fold of an edge without neighbour: any normal is admissible
FLUSH = 1e-6  # [-] of the smaller solid: tolerance of points in a plane
SAME_FACE = 1e-9  # [rad] between two normals of one plane
ON_EDGE = 1e-6  # [-] a point with less weight on the opposite corner lies on the edge


@kernel
def normal_of(p, q, r):
    """Return the unit normal of a triangle."""
    normal = vec.cross(vec.sub(q, p), vec.sub(r, p))
    return vec.scale(1.0 / vec.norm(normal), normal)


@kernel
def weight_opposite(p, q, r, x):
    """Return the barycentric weight of r in a point x of the triangle p, q, r."""
    normal = vec.cross(vec.sub(q, p), vec.sub(r, p))
    return vec.dot(normal, vec.cross(vec.sub(q, p), vec.sub(x, p))) / vec.dot(normal, normal)


@kernel
def dihedral_angle(edge, normal, other):
    """Return the angle by which a surface bends down over a directed edge of a face; < 0: up."""
    outward = vec.cross(edge, normal)
    return atan2(vec.dot(other, outward) / vec.norm(edge), vec.dot(other, normal))


@kernel
def height_at(model, s, i, j):
    """Return the corner (i, j) of a height map, clamped to its border."""
    nx = model.shape_data[s, 1]
    ny = model.shape_data[s, 2]
    i = max(0, min(nx - 1, i))
    j = max(0, min(ny - 1, j))
    dx = model.shape_size[s, 0]
    dy = model.shape_size[s, 1]
    z = model.height[model.shape_data[s, 0] + j * nx + i]
    return ((i - 0.5 * (nx - 1)) * dx, (j - 0.5 * (ny - 1)) * dy, z)


@kernel
def cell_normal(model, s, i, j, half):
    """Return the normal of triangle `half` (0 below, 1 above the diagonal) of a cell."""
    p = height_at(model, s, i, j)
    r = height_at(model, s, i + 1, j + 1)
    if half == 0:
        return normal_of(p, height_at(model, s, i + 1, j), r)
    return normal_of(p, r, height_at(model, s, i, j + 1))


@kernel
def cell_angle(model, s, i, j, half, edge, normal):
    """Return the fold of a height map over a directed edge towards a cell's triangle."""
    if i < 0 or j < 0 or i >= model.shape_data[s, 1] - 1 or j >= model.shape_data[s, 2] - 1:
        return OPEN
    return dihedral_angle(edge, normal, cell_normal(model, s, i, j, half))


@kernel
def dihedral_angles(model, s, place, normal):
    """Return the folds of terrain s over the three edges of its triangle at a place."""
    i, j, half = place
    if model.shape_kind[s] != HEIGHT_MAP:
        return vec.load(model.triangle_dihedral, i)
    p = height_at(model, s, i, j)
    r = height_at(model, s, i + 1, j + 1)
    if half == 0:
        q = height_at(model, s, i + 1, j)
        return (
            cell_angle(model, s, i, j - 1, 1, vec.sub(q, p), normal),
            cell_angle(model, s, i + 1, j, 1, vec.sub(r, q), normal),
            cell_angle(model, s, i, j, 1, vec.sub(p, r), normal),
        )
    o = height_at(model, s, i, j + 1)
    return (
        cell_angle(model, s, i, j, 0, vec.sub(r, p), normal),
        cell_angle(model, s, i, j + 1, 0, vec.sub(o, r), normal),
        cell_angle(model, s, i - 1, j, 0, vec.sub(p, o), normal),
    )


@kernel
def load_triangle(model, work, s, number, pos):
    """Write the corners of a triangle of terrain, relative to `pos`, into `work.triangle`.

    Writes: work.
    """
    if model.shape_kind[s] == HEIGHT_MAP:
        cell = number // 2
        j = cell // model.shape_data[s, 1]
        i = cell - j * model.shape_data[s, 1]
        is_above = number % 2
        p = height_at(model, s, i, j)
        q = height_at(model, s, i + 1, j + is_above)
        r = height_at(model, s, i + 1 - is_above, j + 1)
    else:
        t = model.shape_data[s, 0] + number
        p = vec.load(model.vertex, model.triangle[t, 0])
        q = vec.load(model.vertex, model.triangle[t, 1])
        r = vec.load(model.vertex, model.triangle[t, 2])
    vec.store(work.triangle, 0, vec.sub(p, pos))
    vec.store(work.triangle, 1, vec.sub(q, pos))
    vec.store(work.triangle, 2, vec.sub(r, pos))


@kernel
def is_under(model, s, x):
    """Tell whether a point is below the surface of a height map."""
    u = x[0] / model.shape_size[s, 0] + 0.5 * (model.shape_data[s, 1] - 1)
    v = x[1] / model.shape_size[s, 1] + 0.5 * (model.shape_data[s, 2] - 1)
    i = int(max(0.0, min(model.shape_data[s, 1] - 2.0, u)))
    j = int(max(0.0, min(model.shape_data[s, 2] - 2.0, v)))
    if not (0.0 <= u - i <= 1.0 and 0.0 <= v - j <= 1.0):
        return False
    normal = cell_normal(model, s, i, j, 0 if u - i >= v - j else 1)
    return vec.dot(vec.sub(x, height_at(model, s, i, j)), normal) < 0.0


@kernel
def holds_point(p, q, r, x, slop):
    """Tell whether a point lies on a triangle, to a tolerance across it [m]."""
    if not abs(vec.dot(vec.sub(x, p), normal_of(p, q, r))) <= slop:
        return False
    return (
        weight_opposite(p, q, r, x) >= -ON_EDGE
        and weight_opposite(q, r, p, x) >= -ON_EDGE
        and weight_opposite(r, p, q, x) >= -ON_EDGE
    )


@kernel
def cells_rise_above(model, s, x, normal, height):
    """Tell whether a cell of height map s that holds point x has a corner above the plane normal · y = height."""
    nx = model.shape_data[s, 1]
    ny = model.shape_data[s, 2]
    u = x[0] / model.shape_size[s, 0] + 0.5 * (nx - 1)
    v = x[1] / model.shape_size[s, 1] + 0.5 * (ny - 1)
    for j in range(int(max(0.0, v - ON_EDGE)), int(min(ny - 2.0, v + ON_EDGE)) + 1):
        for i in range(int(max(0.0, u - ON_EDGE)), int(min(nx - 2.0, u + ON_EDGE)) + 1):
            for k in range(4):
                if vec.dot(height_at(model, s, i + k % 2, j + k // 2), normal) > height:
                    return True
    return False


@kernel
def rises_above(model, s, x, normal, height, slop):
    """Tell whether a triangle of terrain s that holds point x has a corner above a plane; True if none holds it.

    The plane is normal · y = height, in the frame of the terrain; slop: tolerance of all points [m].
    """
    if model.shape_kind[s] == HEIGHT_MAP:
        return cells_rise_above(model, s, x, normal, height + slop)
    node = model.shape_data[s, 2]
    last = node + model.shape_data[s, 3]
    is_empty = True
    while node < last:
        is_near = True
        for axis in range(3):
            if x[axis] - slop > model.box_bound[node, 3 + axis] or x[axis] + slop < model.box_bound[node, axis]:
                is_near = False
        if not is_near:
            node = model.box_skip[node]
            continue
        t = model.box_triangle[node]
        node += 1
        if t < 0:
            continue
        p = vec.load(model.vertex, model.triangle[t, 0])
        q = vec.load(model.vertex, model.triangle[t, 1])
        r = vec.load(model.vertex, model.triangle[t, 2])
        if holds_point(p, q, r, x, slop):
            is_empty = False
            if max(vec.dot(p, normal), vec.dot(q, normal), vec.dot(r, normal)) > height + slop:
                return True
    return is_empty
