"""The distance of two shapes, and their nearest points.

An answer is the tuple (found, gap, unit normal from B into A, point of A, point of B), in world axes. A
negative gap is an overlap: the length of the least push that separates two convex shapes; with terrain the
depth of the deepest contact point.
"""

from math import inf, sqrt

from tribo.collision.closest import find_closest
from tribo.collision.core import own_centre
from tribo.collision.point import deepest
from tribo.collision.solid import TRIANGLE, load_solid, radius, support_at
from tribo.collision.terrain import IDENTITY, solid_box, terrain_pair
from tribo.collision.triangles import height_at
from tribo.compiler.jit import entry, kernel
from tribo.math import vec
from tribo.model import Shape
from tribo.probes.convex_ray import interval
from tribo.probes.scene import place_shapes, set_box
from tribo.probes.terrain_ray import cross_height_map, cross_surface

ZERO = (0.0, 0.0, 0.0)
APART = (False, 0.0, ZERO, ZERO, ZERO)
UP = (0.0, 0.0, 1.0)


@kernel
def from_plane(model, work, scene, a, b, limit):
    """Return the answer for a convex shape a and a half space b."""
    ground_rot = vec.load_mat(scene.shape_rot, b)
    normal = vec.mat_col(ground_rot, 2)
    solid = load_solid(model, a)
    pos = vec.load(scene.shape_pos, a)
    rot = vec.load_mat(scene.shape_rot, a)
    lowest = support_at(model, work, solid, ZERO, rot, vec.neg(normal))
    lowest = vec.axpy(-radius(solid), normal, lowest)
    gap = vec.dot(normal, vec.add(lowest, vec.sub(pos, vec.load(scene.shape_pos, b))))
    if not gap <= limit:
        return APART
    at = vec.add(pos, lowest)
    return (True, gap, normal, at, vec.axpy(-gap, normal, at))


@kernel
def of_convex(model, work, scene, a, b, limit):
    """Return the answer for two convex shapes."""
    origin = vec.load(scene.shape_pos, a)
    pair = (
        load_solid(model, a),
        vec.load_mat(scene.shape_rot, a),
        load_solid(model, b),
        vec.sub(vec.load(scene.shape_pos, b), origin),
        vec.load_mat(scene.shape_rot, b),
    )
    found, gap, normal, at_a, at_b = find_closest(model, work, pair, limit, -1)
    if not found:
        return APART
    return (True, gap, normal, vec.add(origin, at_a), vec.add(origin, at_b))


@kernel
def box_distance(low, high, box):
    """Return the distance of two boxes, one as (min), (max), the other as (min, max)."""
    square = 0.0
    for k in range(3):
        apart = max(0.0, max(low[k] - box[3 + k], box[k] - high[k]))
        square += apart * apart
    return sqrt(square)


@kernel
def from_triangle(model, work, solid, rot, pos, p, q, r, size, best):
    """Return the better of an answer and that for a triangle; points are relative to the solid.

    Writes: work.
    """
    corners = (vec.sub(p, pos), vec.sub(q, pos), vec.sub(r, pos))
    for k in range(3):
        vec.store(work.triangle, k, corners[k])
    pair = (solid, rot, (TRIANGLE, size, 0.0, 0.0, 0, 0, 0, 0), ZERO, IDENTITY)
    answer = find_closest(model, work, pair, best[1], -1)
    if answer[0] and answer[1] < best[1]:
        return answer
    return best


@kernel
def from_surface(model, work, s, solid, rot, pos, box, best):
    """Return the answer for a solid and the triangles of a surface, in its frame.

    Writes: work.
    """
    node = model.shape_data[s, 2]
    last = node + model.shape_data[s, 3]
    while node < last:
        low = (model.box_bound[node, 0], model.box_bound[node, 1], model.box_bound[node, 2])
        high = (model.box_bound[node, 3], model.box_bound[node, 4], model.box_bound[node, 5])
        if box_distance(low, high, box) > best[1]:
            node = model.box_skip[node]
            continue
        t = model.box_triangle[node]
        node += 1
        if t >= 0:
            p = vec.load(model.vertex, model.triangle[t, 0])
            q = vec.load(model.vertex, model.triangle[t, 1])
            r = vec.load(model.vertex, model.triangle[t, 2])
            size = model.shape_size[s, 0]
            best = from_triangle(model, work, solid, rot, pos, p, q, r, size, best)
    return best


@kernel
def from_cell(model, work, s, i, j, solid, rot, pos, box, best):
    """Return the better of an answer and those for the two triangles of a cell.

    Writes: work.
    """
    p = height_at(model, s, i, j)
    q = height_at(model, s, i + 1, j)
    r = height_at(model, s, i + 1, j + 1)
    o = height_at(model, s, i, j + 1)
    low = (p[0], p[1], min(min(p[2], q[2]), min(r[2], o[2])))
    high = (r[0], r[1], max(max(p[2], q[2]), max(r[2], o[2])))
    if box_distance(low, high, box) > best[1]:
        return best
    size = 0.5 * min(model.shape_size[s, 0], model.shape_size[s, 1])
    best = from_triangle(model, work, solid, rot, pos, p, q, r, size, best)
    return from_triangle(model, work, solid, rot, pos, p, r, o, size, best)


@kernel
def cell_of(model, s, x, axis):
    """Return the cell of a height map that holds a coordinate, clamped to its border."""
    count = model.shape_data[s, 1 + axis]
    place = x / model.shape_size[s, axis] + 0.5 * (count - 1)
    return int(max(0.0, min(count - 2.0, place)))


@kernel
def from_heights(model, work, s, solid, rot, pos, box, best):
    """Return the answer for a solid and the triangles of a height map, in its frame.

    Writes: work.
    """
    i = cell_of(model, s, pos[0], 0)
    j = cell_of(model, s, pos[1], 1)
    best = from_cell(model, work, s, i, j, solid, rot, pos, box, best)  # a first bound
    reach = best[1]
    for row in range(cell_of(model, s, box[1] - reach, 1), cell_of(model, s, box[4] + reach, 1) + 1):
        first = cell_of(model, s, box[0] - reach, 0)
        for column in range(first, cell_of(model, s, box[3] + reach, 0) + 1):
            best = from_cell(model, work, s, column, row, solid, rot, pos, box, best)
    return best


@kernel
def from_terrain(model, work, scene, a, b, limit):
    """Return the answer for a convex shape a and terrain b.

    Writes: work.
    """
    solid = load_solid(model, a)
    ground_pos = vec.load(scene.shape_pos, b)
    ground_rot = vec.load_mat(scene.shape_rot, b)
    world_pos = vec.load(scene.shape_pos, a)
    world_rot = vec.load_mat(scene.shape_rot, a)
    com = own_centre(model, a)
    n = terrain_pair(model, work, b, solid, com, world_pos, world_rot, ground_pos, ground_rot, 0.0)
    if n > 0:
        k = deepest(work.manifold, n)
        gap = work.manifold[k, 6]
        normal = (work.manifold[k, 3], work.manifold[k, 4], work.manifold[k, 5])
        middle = vec.load(work.manifold, k)
        return (
            gap <= limit, gap, normal,
            vec.axpy(0.5 * gap, normal, middle), vec.axpy(-0.5 * gap, normal, middle),
        )  # fmt: skip
    pos = vec.mat_t_vec(ground_rot, vec.sub(world_pos, ground_pos))
    rot = vec.mat_t_mul(ground_rot, world_rot)
    box = solid_box(model, work, solid, pos, rot)
    best = (False, limit, ZERO, ZERO, ZERO)
    if model.shape_kind[b] == Shape.HEIGHT_MAP:
        best = from_heights(model, work, b, solid, rot, pos, box, best)
    else:
        best = from_surface(model, work, b, solid, rot, pos, box, best)
    if not best[0]:
        return APART
    return (
        True, best[1], vec.mat_vec(ground_rot, best[2]),
        vec.add(world_pos, vec.mat_vec(ground_rot, best[3])),
        vec.add(world_pos, vec.mat_vec(ground_rot, best[4])),
    )  # fmt: skip


@kernel
def is_ground(kind):
    """Tell whether a shape is unbounded below; two such shapes have no distance."""
    return kind == Shape.PLANE or kind >= Shape.SURFACE


@kernel
def find_between(model, work, scene, a, b, limit):
    """Return the answer for two shapes, at least one of them bounded.

    Writes: work.
    """
    is_swapped = is_ground(model.shape_kind[a])
    if is_swapped:
        a, b = b, a
    if model.shape_kind[b] == Shape.PLANE:
        answer = from_plane(model, work, scene, a, b, limit)
    elif model.shape_kind[b] >= Shape.SURFACE:
        answer = from_terrain(model, work, scene, a, b, limit)
    else:
        answer = of_convex(model, work, scene, a, b, limit)
    if is_swapped:
        return (answer[0], answer[1], vec.neg(answer[2]), answer[4], answer[3])
    return answer


@entry
def nearest(model, state, work, scene, spans, limit, out, pair):
    """Find the nearest pair of shapes spans[0] … spans[1] − 1 and spans[2] … spans[3] − 1.

    Returns 1 if it is within the limit, 0 if not, −1 if no two of them have a distance. out (10,): gap,
    normal, point of A, point of B; pair (2,): their numbers.

    Writes: work, scene, out, pair.
    """
    place_shapes(model, state, work, scene)
    for part in range(0, 4, 2):
        for s in range(spans[part], spans[part + 1]):
            if scene.is_seen[s] != 0 and model.shape_kind[s] != Shape.PLANE:
                if not set_box(model, work, scene, s):
                    scene.is_seen[s] = 0
    answer = -1
    for a in range(spans[0], spans[1]):
        for b in range(spans[2], spans[3]):
            if scene.is_seen[a] == 0 or scene.is_seen[b] == 0 or a == b:
                continue
            if is_ground(model.shape_kind[a]) and is_ground(model.shape_kind[b]):
                continue
            answer = max(answer, 0)
            if model.shape_kind[a] != Shape.PLANE and model.shape_kind[b] != Shape.PLANE:
                low = (scene.box[a, 0], scene.box[a, 1], scene.box[a, 2])
                high = (scene.box[a, 3], scene.box[a, 4], scene.box[a, 5])
                apart = box_distance(low, high, scene.box[b])
                if apart > 0.0 and apart > limit:  # overlapping boxes do not bound a depth
                    continue
            found, gap, normal, at_a, at_b = find_between(model, work, scene, a, b, limit)
            if found and (gap < limit or answer == 0):
                answer = 1
                limit = gap
                pair[0] = a
                pair[1] = b
                out[0] = gap
                for k in range(3):
                    out[1 + k] = normal[k]
                    out[4 + k] = at_a[k]
                    out[7 + k] = at_b[k]
    return answer


@kernel
def contains(model, scene, s, point):
    """Tell whether a point lies in a shape, or in the ground below terrain."""
    rot = vec.load_mat(scene.shape_rot, s)
    p = vec.mat_t_vec(rot, vec.sub(point, vec.load(scene.shape_pos, s)))
    if model.shape_kind[s] >= Shape.SURFACE:  # inside if the first hit of an upward ray is from inside
        if model.shape_kind[s] == Shape.HEIGHT_MAP:
            found, _, normal = cross_height_map(model, s, p, UP, 0.0, inf)
        else:
            found, _, normal = cross_surface(model, s, p, UP, 0.0, inf)
        return found and normal[2] > 0.0
    t_in, t_out, _, _ = interval(model, s, p, UP)
    return t_in <= 0.0 and t_out >= 0.0


@kernel
def meets_region(model, work, scene, s, low, high):
    """Tell whether the box of a shape, or a half space itself, overlaps a box.

    Writes: scene.
    """
    if model.shape_kind[s] == Shape.PLANE:
        n = vec.mat_col(vec.load_mat(scene.shape_rot, s), 2)
        corner = (
            low[0] if n[0] > 0.0 else high[0],
            low[1] if n[1] > 0.0 else high[1],
            low[2] if n[2] > 0.0 else high[2],
        )
        return vec.dot(n, vec.sub(corner, vec.load(scene.shape_pos, s))) <= 0.0
    return set_box(model, work, scene, s) and box_distance(low, high, scene.box[s]) == 0.0


@entry
def there(model, state, work, scene, low, high, is_point):
    """Mark in `scene.is_seen` the shapes that contain a point, or whose boxes overlap a box (3,), (3,).

    Writes: work, scene.
    """
    place_shapes(model, state, work, scene)
    corner = (low[0], low[1], low[2])
    other = (high[0], high[1], high[2])
    for s in range(model.shape_kind.shape[0]):
        if scene.is_seen[s] == 0:
            continue
        if is_point:
            is_there = contains(model, scene, s, corner)
        else:
            is_there = meets_region(model, work, scene, s, corner, other)
        scene.is_seen[s] = 1 if is_there else 0
