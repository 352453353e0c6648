"""The triangles of terrain: corners, normals, and the folds over their edges."""

from math import atan2, inf

from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

OPEN = 4.0  # [rad] fold of an edge without neighbour: any normal is admissible
FLUSH = 1e-6  # [-] of the smaller solid: tolerance of points in a plane
SAME_FACE = 1e-9  # [rad] between two normals of one plane
STEEP = 0.5  # cosine of two normals
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
def cell_corners(model, s, i, j, half):
    """Return the corners of triangle `half` (0 below, 1 above the diagonal) of a cell."""
    p = height_at(model, s, i, j)
    return p, height_at(model, s, i + 1, j + half), height_at(model, s, i + 1 - half, j + 1)


@kernel
def cells_near(model, s, low, high, margin):
    """Return the first and last cells along x and y of a height map between two corners, and a margin on."""
    nx, ny = model.shape_data[s, 1], model.shape_data[s, 2]
    dx, dy = model.shape_size[s, 0], model.shape_size[s, 1]
    return (
        int(max(0.0, min(nx - 1.0, (low[0] - margin) / dx + 0.5 * (nx - 1)))),
        int(max(-2.0, min(nx - 2.0, (high[0] + margin) / dx + 0.5 * (nx - 1)))),
        int(max(0.0, min(ny - 1.0, (low[1] - margin) / dy + 0.5 * (ny - 1)))),
        int(max(-2.0, min(ny - 2.0, (high[1] + margin) / dy + 0.5 * (ny - 1)))),
    )


@kernel
def face_corners(model, t):
    """Return the corners of triangle t of a surface."""
    v = model.triangle[t]
    return vec.load(model.vertex, v[0]), vec.load(model.vertex, v[1]), vec.load(model.vertex, v[2])


@kernel
def cell_angle(model, s, i, j, half, edge, normal):
    """Return the fold of a height map over a directed edge towards a cell's triangle."""
    if i < 0 or j < 0 or i >= model.shape_data[s, 1] - 1 or j >= model.shape_data[s, 2] - 1:
        return OPEN
    p, q, r = cell_corners(model, s, i, j, half)
    return dihedral_angle(edge, normal, normal_of(p, q, r))


@kernel
def dihedral_angles(model, s, place, normal):
    """Return the folds of terrain s over the three edges of its triangle at a place."""
    i, j, half = place
    if model.shape_kind[s] != Shape.HEIGHT_MAP:
        return vec.load(model.triangle_dihedral, i)
    p, q, r = cell_corners(model, s, i, j, half)
    other = 1 - half
    return (
        cell_angle(model, s, i, j - other, other, vec.sub(q, p), normal),
        cell_angle(model, s, i + other, j + half, other, vec.sub(r, q), normal),
        cell_angle(model, s, i - half, j, other, vec.sub(p, r), normal),
    )


@kernel
def load_triangle(model, work, s, number, pos):
    """Write the corners of a triangle of terrain, relative to `pos`, into `work.triangle`.

    Writes: work.
    """
    if model.shape_kind[s] == Shape.HEIGHT_MAP:
        cell = number // 2
        j = cell // model.shape_data[s, 1]
        p, q, r = cell_corners(model, s, cell - j * model.shape_data[s, 1], j, number % 2)
    else:
        p, q, r = face_corners(model, model.shape_data[s, 0] + number)
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
    p, q, r = cell_corners(model, s, i, j, 0 if u - i >= v - j else 1)
    return vec.dot(vec.sub(x, p), normal_of(p, q, r)) < 0.0


@kernel
def is_over(p, q, r, x):
    """Tell whether the projection of a point along the normal of a triangle is in it."""
    return (
        weight_opposite(p, q, r, x) >= -ON_EDGE
        and weight_opposite(q, r, p, x) >= -ON_EDGE
        and weight_opposite(r, p, q, x) >= -ON_EDGE
    )


@kernel
def misses(model, node, low, high, margin):
    """Tell whether bounds are farther than a margin from the box of a node of a surface."""
    for axis in range(3):
        if low[axis] - margin > model.box_bound[node, 3 + axis]:
            return True
        if high[axis] + margin < model.box_bound[node, axis]:
            return True
    return False


@kernel
def reach_at(p, q, r, x, normal, slop):
    """Return how high a triangle reaches along a direction if it holds point x, else −∞."""
    if not abs(vec.dot(vec.sub(x, p), normal_of(p, q, r))) <= slop or not is_over(p, q, r, x):
        return -inf
    return max(vec.dot(p, normal), vec.dot(q, normal), vec.dot(r, normal))


@kernel
def terrain_reach(model, s, x, normal, slop):
    """Return how high the triangles of terrain s that hold point x reach along a direction [m].

    ∞ if none holds it: nothing is known of a point beside a height map. All in the frame of the terrain;
    slop: tolerance of the point across a triangle [m].
    """
    reach = -inf
    if model.shape_kind[s] == Shape.HEIGHT_MAP:
        cells = cells_near(model, s, x, x, slop)
        for j in range(cells[2], cells[3] + 1):
            for i in range(cells[0], cells[1] + 1):
                for half in range(2):
                    p, q, r = cell_corners(model, s, i, j, half)
                    reach = max(reach, reach_at(p, q, r, x, normal, slop))
        return reach if reach > -inf else inf
    node = model.shape_data[s, 2]
    last = node + model.shape_data[s, 3]
    while node < last:
        if misses(model, node, x, x, slop):
            node = model.box_skip[node]
            continue
        if model.box_triangle[node] >= 0:
            p, q, r = face_corners(model, model.box_triangle[node])
            reach = max(reach, reach_at(p, q, r, x, normal, slop))
        node += 1
    return reach if reach > -inf else inf
