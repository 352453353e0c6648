"""The triangles of terrain: corners, normals, and the folds over their edges."""

from math import atan2

from tribo.collision.solid import HEIGHT_MAP
from tribo.compiler.jit import kernel
from tribo.math import vec

OPEN = 4.0  # [rad] fold of an edge without neighbour: any normal is admissible


@kernel
def normal_of(p, q, r):
    """Return the unit normal of a triangle."""
    normal = vec.cross(vec.sub(q, p), vec.sub(r, p))
    return vec.scale(1.0 / vec.norm(normal), normal)


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
