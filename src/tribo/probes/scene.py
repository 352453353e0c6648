"""The shapes of a query: poses at the present state, and a tree of boxes.

The tree is walked in the order of its nodes; each stores the node to continue with if it is missed. Half
spaces have no box: they come before the tree, in nodes of their own that no ray misses.
"""

from tribo.collision.broadphase import shape_bound
from tribo.collision.place import shape_pose
from tribo.compiler.jit import kernel
from tribo.dynamics import kinematics
from tribo.math import vec
from tribo.model import Shape

FAR = 1e150  # [m] stands for no bound
PAD = 1e-9  # [-] of the coordinates: enlargement of boxes against round-off


@kernel
def place_shapes(model, state, work, scene):
    """Write the pose of every shape of the query at the present state.

    Writes: work, scene.
    """
    kinematics.compute_poses(model, state.q, work)
    for s in range(model.shape_kind.shape[0]):
        if model.shape_kind[s] == Shape.MESH or model.shape_point[s] == 1:
            scene.is_seen[s] = 0
        if scene.is_seen[s] != 0:
            position, rotation = shape_pose(model, work, s)
            vec.store(scene.shape_pos, s, position)
            vec.store_mat(scene.shape_rot, s, rotation)


@kernel
def set_box(model, work, scene, s):
    """Write the box of a shape; tell whether its numbers are finite.

    Writes: scene.
    """
    bound = shape_bound(model, work, s)
    for k in range(3):
        pad = PAD * max(1.0, max(abs(bound[k]), abs(bound[3 + k])))
        scene.box[s, k] = bound[k] - pad
        scene.box[s, 3 + k] = bound[3 + k] + pad
        if not bound[3 + k] - bound[k] < FAR:
            return False
    return True


@kernel
def set_leaf(scene, node, s, is_bounded):
    """Make a node that holds one shape.

    Writes: scene.
    """
    for k in range(3):
        scene.bound[node, k] = scene.box[s, k] if is_bounded else -FAR
        scene.bound[node, 3 + k] = scene.box[s, 3 + k] if is_bounded else FAR
    scene.leaf[node] = s
    scene.skip[node] = node + 1


@kernel
def middle(scene, entry, axis):
    """Return twice the centre of the box of an entry of `order` along an axis."""
    s = scene.order[entry]
    return scene.box[s, axis] + scene.box[s, 3 + axis]


@kernel
def divide(scene, first, last, wanted, axis):
    """Partition shapes first … last − 1 so that none before `wanted` is beyond those after it.

    Writes: scene.
    Source: Hoare 1961, find.
    """
    low = first
    high = last - 1
    while low < high:
        pivot = middle(scene, (low + high) // 2, axis)
        i = low
        j = high
        while i <= j:
            while middle(scene, i, axis) < pivot:
                i += 1
            while middle(scene, j, axis) > pivot:
                j -= 1
            if i <= j:
                kept = scene.order[i]
                scene.order[i] = scene.order[j]
                scene.order[j] = kept
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            return


@kernel
def split(scene, node, first, count):
    """Make a node around shapes of `order`; return the axis of their largest spread.

    Writes: scene.
    """
    axis = 0
    widest = -1.0
    for k in range(3):
        low = FAR
        high = -FAR
        least = FAR
        most = -FAR
        for entry in range(first, first + count):
            s = scene.order[entry]
            low = min(low, scene.box[s, k])
            high = max(high, scene.box[s, 3 + k])
            centre = middle(scene, entry, k)
            least = min(least, centre)
            most = max(most, centre)
        scene.bound[node, k] = low
        scene.bound[node, 3 + k] = high
        if most - least > widest:
            widest = most - least
            axis = k
    scene.leaf[node] = -1
    scene.skip[node] = node + 2 * count - 1
    return axis


@kernel
def build(model, work, scene, is_flat):
    """List the shapes of the query: as a tree of boxes or, if is_flat, one after another.

    Writes: scene.
    """
    node = 0
    count = 0
    for s in range(model.shape_kind.shape[0]):
        if scene.is_seen[s] == 0:
            continue
        if model.shape_kind[s] == Shape.PLANE:
            set_leaf(scene, node, s, False)
            node += 1
        elif set_box(model, work, scene, s):  # a shape at NaN is omitted
            scene.order[count] = s
            count += 1
    if is_flat:
        for entry in range(count):
            set_leaf(scene, node + entry, scene.order[entry], True)
        scene.node_count[0] = node + count
        return
    scene.node_count[0] = node + max(0, 2 * count - 1)
    left = 0
    if count > 0:
        scene.waiting[0, 0] = node
        scene.waiting[0, 1] = 0
        scene.waiting[0, 2] = count
        left = 1
    while left > 0:
        left -= 1
        node = scene.waiting[left, 0]
        first = scene.waiting[left, 1]
        count = scene.waiting[left, 2]
        if count == 1:
            set_leaf(scene, node, scene.order[first], True)
            continue
        axis = split(scene, node, first, count)
        half = count // 2
        divide(scene, first, first + count, first + half, axis)
        scene.waiting[left, 0] = node + 2 * half
        scene.waiting[left, 1] = first + half
        scene.waiting[left, 2] = count - half
        scene.waiting[left + 1, 0] = node + 1
        scene.waiting[left + 1, 1] = first
        scene.waiting[left + 1, 2] = half
        left += 2
