"""The first crossing of a ray with terrain: a surface of triangles, or a height map.

A crossing is the tuple (found, t, unit normal out of the ground). Both tests are watertight: a ray that meets
an edge exactly meets one of its faces.
"""

from math import floor

from tribo.compiler.jit import kernel
from tribo.math import vec

UP = (0.0, 0.0, 1.0)
MISS = (False, 0.0, UP)
TINY = 1e-150
SLACK = 1e-9  # [m] tolerance of a missed box
CLEAR = 1e-6  # [-] of a cell: a descending ray starts at least that far above the highest sample


@kernel
def inverse(d):
    """Return 1/d per axis; a large finite number in place of infinity, so that 0 times it is 0."""
    x = 1.0 / d[0] if abs(d[0]) > TINY else 1e150
    y = 1.0 / d[1] if abs(d[1]) > TINY else 1e150
    z = 1.0 / d[2] if abs(d[2]) > TINY else 1e150
    return (x, y, z)


@kernel
def meets_box(bound, node, o, inv, low, high):
    """Tell whether a ray between t = low and high meets a box (min, max)."""
    x0 = (bound[node, 0] - o[0]) * inv[0]
    x1 = (bound[node, 3] - o[0]) * inv[0]
    y0 = (bound[node, 1] - o[1]) * inv[1]
    y1 = (bound[node, 4] - o[1]) * inv[1]
    z0 = (bound[node, 2] - o[2]) * inv[2]
    z1 = (bound[node, 5] - o[2]) * inv[2]
    near = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), low))
    far = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), high))
    return near <= far + SLACK


@kernel
def cross_triangle(a, b, c, o, d, low, high):
    """Return the crossing of a line with a triangle, from either side, between t = low and high.

    The three volumes are computed identically from both sides of an edge, so no ray passes between two
    triangles.
    """
    a = vec.sub(a, o)
    b = vec.sub(b, o)
    c = vec.sub(c, o)
    u = vec.dot(d, vec.cross(c, b))
    v = vec.dot(d, vec.cross(a, c))
    w = vec.dot(d, vec.cross(b, a))
    if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
        return MISS
    if u + v + w == 0.0:
        return MISS
    normal = vec.cross(vec.sub(b, a), vec.sub(c, a))
    t = vec.dot(normal, a) / vec.dot(normal, d)
    if not (low <= t <= high):
        return MISS
    return (True, t, vec.scale(1.0 / vec.norm(normal), normal))


@kernel
def cross_surface(model, s, o, d, low, high):
    """Return the first crossing with a surface of triangles."""
    best = MISS
    inv = inverse(d)
    node = model.shape_data[s, 2]
    last = node + model.shape_data[s, 3]
    while node < last:
        if not meets_box(model.box_bound, node, o, inv, low, high):
            node = model.box_skip[node]
            continue
        t = model.box_triangle[node]
        node += 1
        if t < 0:
            continue
        found = cross_triangle(
            vec.load(model.vertex, model.triangle[t, 0]),
            vec.load(model.vertex, model.triangle[t, 1]),
            vec.load(model.vertex, model.triangle[t, 2]),
            o, d, low, high,
        )  # fmt: skip
        if found[0]:
            best = found
            high = found[1]
    return best


@kernel
def clipped(x, rate, least, most, low, high):
    """Return the part of low … high in which x + t rate lies between two values (high < low: none)."""
    if rate == 0.0:
        if least <= x <= most:
            return low, high
        return 1.0, -1.0
    one = (least - x) / rate
    other = (most - x) / rate
    return max(low, min(one, other)), min(high, max(one, other))


@kernel
def slopes(p, q, r, o, half):
    """Return the slopes of a triangle of a cell with corners p, q, r, o along both axes."""
    if half == 0:
        return q - p, r - q
    return r - o, o - p


@kernel
def over(p, q, r, o, half, x, y, z):
    """Return the height of z over a triangle of a cell; x, y: position in the cell, 0 … 1."""
    a, b = slopes(p, q, r, o, half)
    return z - (p + a * x + b * y)


@kernel
def crossing(t, gap, then, after, a, b):
    """Return the crossing of a ray whose height over a plane of slopes a, b changes from gap to after."""
    if gap != after:
        t += (then - t) * gap / (gap - after)
    n = (-a, -b, 1.0)
    return (True, t, vec.scale(1.0 / vec.norm(n), n))


@kernel
def in_cell(p, q, r, c, cell, ray, t, leave, is_known, is_above, dx, dy):
    """Return the crossing of a ray with the two triangles of a cell, and whether it enters above the ground.

    p, q, r, c: heights of the corners (0, 0), (1, 0), (1, 1), (0, 1). ray: u, v, z at t = 0 and their rates,
    in cells, cells and metres; it is in the cell from t to `leave`. If `is_known`, the ray came from the side
    `is_above`: if it enters on the other side, it has crossed the ground between two cells.
    """
    i, j = cell
    u, v, height, du, dv, rise = ray
    x = u + t * du - i
    y = v + t * dv - j
    half = 0 if x >= y else 1
    gap = over(p, q, r, c, half, x, y, height + t * rise)
    if not is_known:
        is_above = gap >= 0.0
    elif (gap >= 0.0) != is_above:
        a, b = slopes(p, q, r, c, half)
        return crossing(t, gap, t, gap, a / dx, b / dy), is_above
    x = u + leave * du - i
    y = v + leave * dv - j
    last_half = 0 if x >= y else 1
    if last_half != half:
        then = min(max(((i - j) - (u - v)) / (du - dv), t), leave)
        a, b = slopes(p, q, r, c, half)
        place = u + then * du - i
        after = over(p, q, r, c, half, place, place, height + then * rise)
        if (after >= 0.0) != is_above:
            return crossing(t, gap, then, after, a / dx, b / dy), is_above
        t = then
        gap = after
    after = over(p, q, r, c, last_half, x, y, height + leave * rise)
    if (after >= 0.0) != is_above:
        a, b = slopes(p, q, r, c, last_half)
        return crossing(t, gap, leave, after, a / dx, b / dy), is_above
    return MISS, is_above


@kernel
def cross_height_map(model, s, o, d, low, high):
    """Return the first crossing with a height map; cells are visited in the order of the ray.

    In cell units the ray is (u, v)(t). Over either triangle of a cell its height over the ground is linear in
    t; a change of its sign is a crossing, even if round-off puts it between two cells. A ray in the surface
    does not cross it.
    Source: Amanatides, Woo 1987 for the walk.
    """
    nx = model.shape_data[s, 1]
    ny = model.shape_data[s, 2]
    dx = model.shape_size[s, 0]
    dy = model.shape_size[s, 1]
    u = o[0] / dx + 0.5 * (nx - 1)
    v = o[1] / dy + 0.5 * (ny - 1)
    du = d[0] / dx
    dv = d[1] / dy
    bottom = model.shape_box[s, 2] - model.shape_box[s, 5]
    top = model.shape_box[s, 2] + model.shape_box[s, 5]
    top += CLEAR * min(dx, dy) + 1e-9 * abs(top)
    t, end = clipped(u, du, 0.0, nx - 1.0, low, high)
    t, end = clipped(v, dv, 0.0, ny - 1.0, t, end)
    t, end = clipped(o[2], d[2], bottom, top, t, end)
    if not t <= end:
        return MISS
    i = min(max(floor(u + t * du), 0), nx - 2)
    j = min(max(floor(v + t * dv), 0), ny - 2)
    inv_u = 1.0 / du if du != 0.0 else 0.0
    inv_v = 1.0 / dv if dv != 0.0 else 0.0
    step_u = 1 if du > 0.0 else -1
    step_v = 1 if dv > 0.0 else -1
    ray = (u, v, o[2], du, dv, d[2])
    is_known = False
    is_above = True
    while True:
        t_u = (i + (step_u > 0) - u) * inv_u if du != 0.0 else 1e300
        t_v = (j + (step_v > 0) - v) * inv_v if dv != 0.0 else 1e300
        leave = max(t, min(end, min(t_u, t_v)))
        base = model.shape_data[s, 0] + j * nx + i
        p = model.height[base]
        q = model.height[base + 1]
        c = model.height[base + nx]
        r = model.height[base + nx + 1]
        z = o[2] + t * d[2]
        z_leave = o[2] + leave * d[2]
        is_clear = is_known and (
            min(z, z_leave) > max(max(p, q), max(c, r))
            if is_above
            else max(z, z_leave) < min(min(p, q), min(c, r))
        )
        if not is_clear:
            found, is_above = in_cell(p, q, r, c, (i, j), ray, t, leave, is_known, is_above, dx, dy)
            if found[0]:
                return found
            is_known = True
        if leave >= end:
            return MISS
        t = leave
        if t_u <= t_v:
            i += step_u
            if i < 0 or i > nx - 2:
                return MISS
        else:
            j += step_v
            if j < 0 or j > ny - 2:
                return MISS
