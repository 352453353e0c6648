"""Ray casts: the first hit of a ray, or all hits.

Every crossing of a surface within reach is a hit. A ray that starts inside a solid hits it where it leaves;
the normal points out of the solid, so it has a positive component along the ray there.
"""

from math import inf

from tribo.compiler.jit import entry, kernel
from tribo.compiler.record import world_of
from tribo.math import vec
from tribo.model import Shape
from tribo.probes.convex_ray import ENDLESS, interval
from tribo.probes.scene import build, place_shapes
from tribo.probes.terrain_ray import cross_height_map, cross_surface, inverse, meets_box

FEW = 8  # rays, up to which boxes are tested one after another, without a tree
SAME = 1e-9  # [m], or of the distance: nearer crossings of one shape coincide


@kernel
def on_shape(model, scene, s, origin, d, low, high):
    """Return the first crossing of a ray with shape s: (found, t, normal), normal in shape axes."""
    rot = vec.load_mat(scene.shape_rot, s)
    o = vec.mat_t_vec(rot, vec.sub(origin, vec.load(scene.shape_pos, s)))
    d = vec.mat_t_vec(rot, d)
    kind = model.shape_kind[s]
    shift = 0.0
    if kind != Shape.PLANE:  # start at the point of the ray next to the shape
        box = model.shape_box
        shift = vec.dot(d, vec.sub((box[s, 0], box[s, 1], box[s, 2]), o))
        o = vec.axpy(shift, d, o)
    if kind == Shape.HEIGHT_MAP:
        found, t, normal = cross_height_map(model, s, o, d, low - shift, high - shift)
        return found, t + shift, normal
    if kind == Shape.SURFACE:
        found, t, normal = cross_surface(model, s, o, d, low - shift, high - shift)
        return found, t + shift, normal
    t_in, t_out, n_in, n_out = interval(model, s, o, d)
    if t_in <= t_out:
        if low <= t_in + shift <= high:
            return True, t_in + shift, n_in
        if t_out < ENDLESS and low <= t_out + shift <= high:
            return True, t_out + shift, n_out
    return False, 0.0, n_in


@kernel
def is_ray(o, d, reach):
    """Tell whether a ray has a finite origin, a direction and a length."""
    return abs(o[0]) + abs(o[1]) + abs(o[2]) < 1e300 and 1e-150 < vec.norm(d) < 1e150 and reach >= 0.0


@kernel
def prepare_scene(model, state, work, scene, is_flat):
    """Compute the poses of all visible shapes, and the tree of their boxes.

    Writes: work, scene.
    """
    place_shapes(model, state, work, scene)
    build(model, work, scene, is_flat)


@kernel
def cast_rays(model, scene, origin, direction, start, reach, hit, shape):
    """Write the nearest hit of each ray in a prepared scene; return the first invalid ray, −1: none.

    Writes: hit, shape.
    """
    for e in range(origin.shape[0]):
        o = vec.load(origin, e)
        d = vec.load(direction, e)
        if not is_ray(o, d, reach[e]):
            return e
        d = vec.scale(1.0 / vec.norm(d), d)
        inv = inverse(d)
        high = reach[e]
        best = -1
        n = (0.0, 0.0, 0.0)
        node = 0
        while node < scene.node_count[0]:
            if not meets_box(scene.bound, node, o, inv, start, high):
                node = scene.skip[node]
                continue
            s = scene.leaf[node]
            node += 1
            if s < 0:
                continue
            found, t, normal = on_shape(model, scene, s, o, d, start, high)
            if found and (t < high or best < 0):
                high = t
                best = s
                n = normal
        shape[e] = best
        hit[e, 0] = inf
        if best >= 0:
            hit[e, 0] = high
            n = vec.mat_vec(vec.load_mat(scene.shape_rot, best), n)
        for k in range(3):
            hit[e, 1 + k] = n[k]
    return -1


@entry
def closest(model, state, work, scene, is_flat, origin, direction, start, reach, hit, shape):
    """Write the nearest hit of each ray (N, 3), (N, 3), (N,); return the first invalid ray, −1: none.

    hit (N, 4): distance, unit normal (world), inf without a hit; shape (N,): −1 without a hit. Hits nearer
    than `start` are ignored.

    Writes: work, scene, hit, shape.
    """
    prepare_scene(model, state, work, scene, is_flat)
    return cast_rays(model, scene, origin, direction, start, reach, hit, shape)


@entry
def closest_in_worlds(model, state, work, scene, first, stop, origin, direction, start, reach, hit, shape):
    """Cast N rays in each of the worlds first … stop − 1, as `closest`; return the first invalid world.

    The arrays have the world as first axis; directions and reaches may have one row for all worlds. −1: none
    is invalid.

    Writes: work, scene, hit, shape.
    """
    for e in range(first, stop):
        here = world_of(model, e)
        prepare_scene(here, world_of(state, e), work, scene, origin.shape[1] <= FEW)
        along = direction[e if direction.shape[0] > 1 else 0]
        far = reach[e if reach.shape[0] > 1 else 0]
        if cast_rays(here, scene, origin[e], along, start, far, hit[e], shape[e]) >= 0:
            return e
    return -1


@entry
def all_hits(model, state, work, scene, origin, direction, start, reach, hit, shape):
    """Write all hits of one ray, shape by shape; return their number, −1 of an invalid ray.

    hit (n, 4): distance, unit normal (world); shape (n,). The number may exceed the room.

    Writes: work, scene, hit, shape.
    """
    prepare_scene(model, state, work, scene, True)
    o = vec.load(origin, 0)
    d = vec.load(direction, 0)
    if not is_ray(o, d, reach[0]):
        return -1
    d = vec.scale(1.0 / vec.norm(d), d)
    inv = inverse(d)
    count = 0
    for node in range(scene.node_count[0]):
        if not meets_box(scene.bound, node, o, inv, start, reach[0]):
            continue
        s = scene.leaf[node]
        low = start
        found, t, normal = on_shape(model, scene, s, o, d, low, reach[0])
        while found:
            if count < hit.shape[0]:
                normal = vec.mat_vec(vec.load_mat(scene.shape_rot, s), normal)
                shape[count] = s
                hit[count, 0] = t
                for k in range(3):
                    hit[count, 1 + k] = normal[k]
            count += 1
            low = t + max(SAME, SAME * t)
            found, t, normal = on_shape(model, scene, s, o, d, low, reach[0])
    return count
