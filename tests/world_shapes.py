"""Shapes in worlds for tests of rays and distances: how each is added, and where its inside is."""

import numpy as np
import pytest

import tribo

CORNERS = np.random.default_rng(3).normal(size=(20, 3)) * (0.5, 0.3, 0.4)


def capsule(p):
    z = np.clip(p[:, 2], -0.4, 0.4)
    return np.linalg.norm(p - np.stack([0 * z, 0 * z, z], axis=1), axis=1) - 0.3


def cone(p):
    across = np.hypot(p[:, 0], p[:, 1])
    return np.maximum(across - 0.3 * (0.4 - p[:, 2]) / 0.8, -p[:, 2] - 0.4)


def hull(p):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.convex.convex_hull(CORNERS)
    heights = (p[:, None] - mesh.triangles[None, :, 0]) * mesh.face_normals
    return heights.sum(axis=2).max(axis=1)


# Of each shape: how it is added, and a function that is < 0 inside.
SHAPES = {
    "sphere": (lambda w, **at: w.add_sphere(0.4, 1.0, **at), lambda p: np.linalg.norm(p, axis=1) - 0.4),
    "box": (
        lambda w, **at: w.add_box((0.4, 0.6, 0.8), 1.0, **at),
        lambda p: (np.abs(p) - (0.2, 0.3, 0.4)).max(axis=1),
    ),
    "capsule": (lambda w, **at: w.add_capsule(0.3, 0.8, 1.0, **at), capsule),
    "cylinder": (
        lambda w, **at: w.add_cylinder(0.3, 0.8, 1.0, **at),
        lambda p: np.maximum(np.hypot(p[:, 0], p[:, 1]) - 0.3, np.abs(p[:, 2]) - 0.4),
    ),
    "cone": (lambda w, **at: w.add_cone(0.3, 0.8, 1.0, **at), cone),
    "ellipsoid": (
        lambda w, **at: w.add_ellipsoid((0.2, 0.3, 0.4), 1.0, **at),
        lambda p: np.linalg.norm(p / (0.2, 0.3, 0.4), axis=1) - 1.0,
    ),
    "hull": (lambda w, **at: w.add_convex(CORNERS, 1.0, **at), hull),
}


def turned(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def bumpy(nx=40, ny=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.3, 0.3, size=(ny, nx))


def triangles_of(values, dx, dy):
    ny, nx = values.shape
    i, j = np.meshgrid(np.arange(nx), np.arange(ny))
    points = np.stack([(i - (nx - 1) / 2) * dx, (j - (ny - 1) / 2) * dy, values], axis=2).reshape(-1, 3)
    a = (np.arange(ny - 1)[:, None] * nx + np.arange(nx - 1)).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + nx + 1], 1), np.stack([a, a + nx + 1, a + nx], 1)])
    return points, faces


def crowd(count=300):
    world = tribo.World()
    world.add_ground(material="steel")
    rng = np.random.default_rng(9)
    for k, name in enumerate(list(SHAPES) * (count // len(SHAPES))):
        SHAPES[name][0](
            world, position=rng.uniform((-9, -9, 0), (9, 9, 9)), orientation=turned(rng),
            material=f"m{k % 3}", collision_group=1 << (k % 2),
        )  # fmt: skip
    return world
