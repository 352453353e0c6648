"""Primitives that are fitted to meshes: size and place from the mesh, as MuJoCo finds them."""

from __future__ import annotations

import math

import numpy as np

from tribo.checks.check import SMALLEST
from tribo.description.trees import Vector
from tribo.formats.mjcf.compiler import quaternion_of
from tribo.formats.mjcf.meshes import Mesh
from tribo.formats.pose import Pose

FITTED = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def fitted(kind: str, mesh: Mesh, *, to_box: bool) -> tuple[Vector, Pose]:
    """Return the size of a primitive, as MuJoCo has it, and its pose in the frame of the mesh.

    Its axes are the principal ones, z along the longest. The half lengths h₀ ≤ h₁ ≤ h₂ are those of the box
    with the same mass and inertia, or with `to_box` (MuJoCo's `fitaabb`) of the box around the mesh: an
    ellipsoid and a box take them; a sphere has their mean, or the largest; a cylinder the radius (h₀ + h₁)/2,
    or max(h₀, h₁), and the half length h₂, a capsule that less half its radius, or its radius.

    Source: MuJoCo's XML reference, geom/mesh and compiler/fitaabb; compared with MuJoCo 4 in tests/compare.
    """
    whole = mesh.inertial()
    moments, axes = np.linalg.eigh(whole.inertia)
    moments, axes = moments[::-1], axes[:, ::-1]  # the longest half length last
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    centre = np.array(whole.com)
    if to_box:
        seen = (mesh.triangles()[0] - centre) @ axes
        low, high = seen.min(axis=0), seen.max(axis=0)
        centre = centre + axes @ (0.5 * (low + high))
        half = 0.5 * (high - low)
    else:
        half = 0.5 * np.sqrt(np.maximum(0.0, 6.0 * (moments.sum() - 2.0 * moments) / whole.mass))
    a, b, c = half.tolist()
    pose = Pose(tuple(centre.tolist()), quaternion_of(axes))
    if kind in {"ellipsoid", "box"}:
        return (a, b, c), pose
    if kind == "sphere":
        return (max(a, b, c) if to_box else math.fsum((a, b, c)) / 3.0,), pose
    radius = max(a, b) if to_box else 0.5 * (a + b)
    if kind == "cylinder":
        return (radius, c), pose
    return (radius, max(SMALLEST, c - (radius if to_box else 0.5 * radius))), pose
