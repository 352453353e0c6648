"""MuJoCo's own binary meshes (.msh): four counts, then vertices, normals, texture coordinates, triangles.

All numbers have 32 bits, little end first. Source: MuJoCo's XML reference, asset/mesh.
"""

from __future__ import annotations

import numpy as np

from tribo.formats.mesh_bounds import MAX_FACES, MeshError

HEAD = 16  # [bytes]


def read_msh(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) and triangles (m, 3).

    Raises:
        MeshError: The counts do not fit the size of the file, or a triangle names no vertex.
    """
    if len(data) < HEAD:
        raise MeshError(f"{len(data)} bytes are too few for a .msh file, which begins with 16")
    vertices, normals, corners, triangles = np.frombuffer(data, "<i4", 4).tolist()
    if not (vertices > 0 and normals >= 0 and corners >= 0 and 0 < triangles <= MAX_FACES):
        raise MeshError(
            f"it announces {vertices} vertices, {normals} normals, {corners} texture coordinates and "
            f"{triangles} triangles; a .msh file has at least one vertex and 1 … {MAX_FACES} triangles"
        )
    wanted = HEAD + 4 * (3 * vertices + 3 * normals + 2 * corners + 3 * triangles)
    if len(data) != wanted:
        raise MeshError(f"{len(data)} bytes, what it announces takes {wanted}: it is cut or no .msh")
    points = np.frombuffer(data, "<f4", 3 * vertices, HEAD).reshape(-1, 3)
    faces = np.frombuffer(data, "<i4", 3 * triangles, wanted - 12 * triangles).reshape(-1, 3)
    if faces.min() < 0 or faces.max() >= vertices:
        raise MeshError(f"a triangle names vertex {faces.max()}, there are {vertices}")
    return points.astype(np.float64), faces.astype(np.int64)
