"""The library coal as a peer of the narrow phase: its solids, random poses for both, a script's arguments."""

import argparse

import numba
import numpy as np
from scipy.optimize import minimize
from shapes import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, hull_of, rotation

from tribo.collision.closest import find_closest
from tribo.collision.solid import load_solid
from tribo.description.hulls import convex_hull
from tribo.math import vec

KINDS = {
    "sphere": SPHERE,
    "box": BOX,
    "capsule": CAPSULE,
    "cylinder": CYLINDER,
    "cone": CONE,
    "ellipsoid": ELLIPSOID,
    "hull": HULL,
}


ASK = 3e-5  # [rad] where normals differ by more, a plain search decides


def arguments(text, poses):
    """Return a parser of a script's command line: what it is about, poses of each pair, which pairs."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--poses", type=int, default=poses, help="of each pair")
    parser.add_argument("--only", nargs="*", default=[], help="shapes or pairs")
    return parser


def tight_request(coal):
    """Return coal's request of a distance, at its tightest."""
    request = coal.DistanceRequest()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    return request


def coal_hull(coal, points):
    """Return the convex hull of points as coal has it."""
    hull = convex_hull(points)
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in hull.vertices:
        vertices.append(vertex)
    for i, j, k in hull.triangles.tolist():
        triangles.append(coal.Triangle(i, j, k))
    return coal.Convex(vertices, triangles)


def peer(coal, kind, size):
    """Return a solid as coal has it; size: of a hull its corners, or the half axes of `hull_of`."""
    if kind == HULL:
        points = np.asarray(size, float)
        return coal_hull(coal, points if points.ndim > 1 else hull_of(size))
    a, b, c = size
    return {
        SPHERE: lambda: coal.Sphere(a),
        BOX: lambda: coal.Box(2 * a, 2 * b, 2 * c),
        CAPSULE: lambda: coal.Capsule(a, 2 * b),
        CYLINDER: lambda: coal.Cylinder(a, 2 * b),
        CONE: lambda: coal.Cone(a, 2 * b),
        ELLIPSOID: lambda: coal.Ellipsoid(a, b, c),
    }[kind]()


def steepest(gap, start):
    """Return the direction near `start` with the greatest gap, a function of the normal, by plain search."""
    u = np.cross(start, np.eye(3)[np.argmin(np.abs(start))])
    u /= np.linalg.norm(u)
    v = np.cross(start, u)

    def direction(x):
        n = start + x[0] * u + x[1] * v
        return n / np.linalg.norm(n)

    found = minimize(
        lambda x: -gap(direction(x)), np.zeros(2), method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-18, "maxiter": 2000,
                 "initial_simplex": [(0, 0), (3e-4, 0), (0, 3e-4)]},
    )  # fmt: skip
    return direction(found.x)


@numba.njit(error_model="numpy")  # noqa: TID251 - beside the engine
def place(work, poses, k):
    """Write both poses of row k: position, rotation, position, rotation. Writes: work."""
    for body in range(2):
        for i in range(3):
            work.body_pos[body, i] = poses[k, 12 * body + i]
        for i in range(9):
            work.body_rot[body, i] = poses[k, 12 * body + 3 + i]


@numba.njit(error_model="numpy")  # noqa: TID251
def gap_and_normal(model, work, found, k):
    """Write gap and normal of two solids into row k. Writes: work, found."""
    pos = vec.sub(vec.load(work.body_pos, 1), vec.load(work.body_pos, 0))
    rots = vec.load_mat(work.body_rot, 0), vec.load_mat(work.body_rot, 1)
    pair = (load_solid(model, 0), rots[0], load_solid(model, 1), pos, rots[1])
    _, found[k, 0], normal, _, _ = find_closest(model, work, pair, 1e3, -1)
    for i in range(3):
        found[k, 1 + i] = normal[i]


@numba.njit(error_model="numpy")  # noqa: TID251
def gaps(model, work, poses, found):
    """Write gap and normal of each pose. Writes: work, found."""
    for k in range(poses.shape[0]):
        place(work, poses, k)
        gap_and_normal(model, work, found, k)


def near_poses(model, work, target, rng):
    """Return (count, 24) random poses of two solids with given gaps [m]."""
    poses = np.zeros((len(target), 24))
    for k in range(len(target)):
        poses[k, 12:15] = 1.5 * rng.normal(size=3)
        poses[k, 3:12] = rotation(rng.normal(size=3) * 2.0).ravel()
        poses[k, 15:] = rotation(rng.normal(size=3) * 2.0).ravel()
    found = np.empty((len(target), 4))
    for _ in range(3):  # along the normal the gap changes by what B moves
        gaps(model, work, poses, found)
        poses[:, 12:15] -= (target - found[:, 0])[:, None] * found[:, 1:]
    return poses
