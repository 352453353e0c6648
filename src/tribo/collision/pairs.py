"""Contact points of two primitive shapes: the pairs with closed forms."""

from tribo.collision.box_box import box_box
from tribo.collision.capsule import capsule_box, capsule_capsule
from tribo.collision.plane import plane_box, plane_capsule, plane_cylinder, plane_sphere
from tribo.collision.sphere import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

PLANE, SPHERE, BOX, CAPSULE, CYLINDER, MESH, CONE, ELLIPSOID, HULL, SURFACE, HEIGHT_MAP = map(int, Shape)

_ORDERED = (
    (SPHERE, PLANE), (BOX, PLANE), (CAPSULE, PLANE), (CYLINDER, PLANE),
    (SPHERE, SPHERE), (BOX, SPHERE), (CAPSULE, SPHERE), (CYLINDER, SPHERE),
    (BOX, BOX), (CAPSULE, BOX), (CAPSULE, CAPSULE),
)  # fmt: skip
_SOLIDS = (SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL)
_GENERAL = (
    (CYLINDER, BOX), (CYLINDER, CAPSULE), (CYLINDER, CYLINDER),
    (CONE, PLANE), (ELLIPSOID, PLANE), (HULL, PLANE),
    *((CONE, kind) for kind in _SOLIDS), *((ELLIPSOID, kind) for kind in _SOLIDS),
    *((HULL, kind) for kind in _SOLIDS),
    *((SURFACE, kind) for kind in _SOLIDS), *((HEIGHT_MAP, kind) for kind in _SOLIDS),
    (SURFACE, PLANE), (SURFACE, SURFACE), (HEIGHT_MAP, SURFACE),
)  # fmt: skip
CLOSED = frozenset(_ORDERED) | frozenset((b, a) for a, b in _ORDERED)  # served by `collide`
SUPPORTED = CLOSED | frozenset(_GENERAL) | frozenset((b, a) for a, b in _GENERAL)
MAX_POINTS = 8  # rows of `out` that `collide` fills at most; the rows after them are scratch


@kernel
def collide(kind_a, kind_b, pos_a, rot_a, size_a, pos_b, rot_b, size_b, margin, out):
    """Write the contact points of two shapes with gap ≤ margin; return their count, at most 8.

    A row of `out`, shape (16, 8), is x, y, z, normal x, y, z, gap, feature: the point midway between the
    surfaces, the unit normal from B into A, the signed gap (negative: overlap), and a whole number 0…2047
    that names the same geometric point from step to step. Rows from 8 on are scratch. Pairs outside `CLOSED`
    have no points here: see `lazily_compiled`.

    Writes: out.
    """
    is_swapped = kind_a < kind_b
    if is_swapped:
        kind_a, kind_b = kind_b, kind_a
        pos_a, pos_b = pos_b, pos_a
        rot_a, rot_b = rot_b, rot_a
        size_a, size_b = size_b, size_a
    n = 0
    if kind_b == PLANE:
        normal = vec.mat_col(rot_b, 2)
        if kind_a == SPHERE:
            n = plane_sphere(pos_a, size_a[0], pos_b, normal, margin, out)
        elif kind_a == BOX:
            n = plane_box(pos_a, rot_a, size_a, pos_b, normal, margin, out)
        elif kind_a == CAPSULE:
            n = plane_capsule(pos_a, rot_a, size_a, pos_b, normal, margin, out)
        elif kind_a == CYLINDER:
            n = plane_cylinder(pos_a, rot_a, size_a, pos_b, rot_b, margin, out)
    elif kind_b == SPHERE:
        if kind_a == SPHERE:
            n = sphere_sphere(pos_a, size_a[0], pos_b, size_b[0], margin, out)
        elif kind_a == BOX:
            n = sphere_box(pos_a, rot_a, size_a, pos_b, size_b[0], margin, out)
        elif kind_a == CAPSULE:
            n = sphere_capsule(pos_a, rot_a, size_a, pos_b, size_b[0], margin, out)
        elif kind_a == CYLINDER:
            n = sphere_cylinder(pos_a, rot_a, size_a, pos_b, size_b[0], margin, out)
    elif kind_a == BOX and kind_b == BOX:
        n = box_box(pos_a, rot_a, size_a, pos_b, rot_b, size_b, margin, out)
    elif kind_a == CAPSULE and kind_b == BOX:
        n = capsule_box(pos_a, rot_a, size_a, pos_b, rot_b, size_b, margin, out)
    elif kind_a == CAPSULE and kind_b == CAPSULE:
        n = capsule_capsule(pos_a, rot_a, size_a, pos_b, rot_b, size_b, margin, out)
    if is_swapped:
        for k in range(n):
            for axis in range(3, 6):
                out[k, axis] = -out[k, axis]
    return n
