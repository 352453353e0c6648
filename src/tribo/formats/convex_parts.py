"""Split a mesh into convex parts; what was found once is kept on disk."""

from __future__ import annotations

import hashlib
import logging
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks.array_files import read_arrays
from tribo.checks.replacing import replaced
from tribo.compiler.jit import cache_root
from tribo.description.hulls import Hull, convex_hull
from tribo.formats.workers import ProcessError, work

logger = logging.getLogger("tribo")

CONCAVITY = 0.05  # [-] of the size: how far a part may be from convex
MAX_PARTS = 64
MAX_CORNERS = 64  # of a part
LARGEST = 1 << 28  # [bytes] of a file
FORM = 1  # of the files: another number, another file


def convex_parts(
    vertices: np.ndarray, triangles: np.ndarray, concavity: float = CONCAVITY,
    max_parts: int = MAX_PARTS, what: str = "mesh",
) -> list[Hull]:  # fmt: skip
    """Return convex solids that together are nearly the mesh.

    The result is kept under the user's cache folder, named by the content of the mesh and the
    settings: a second call, also in another process, reads it from there.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) entries of `vertices`, anticlockwise seen from outside.
        concavity: [-] of the mesh's size; smaller: more parts and nearer to the mesh; 0.01 … 1.
        max_parts: Most parts.
        what: How messages call the mesh.

    Raises:
        ImportError: The package coacd is missing.
        ValueError: The mesh has no volume that could be split.

    Source: Wei et al. 2022, Approximate Convex Decomposition with Collision-Aware Concavity.
    """
    points = np.ascontiguousarray(vertices, np.float64)
    faces = np.ascontiguousarray(triangles, np.int64)
    key = hashlib.sha256(repr((FORM, concavity, max_parts, MAX_CORNERS, points.shape)).encode())
    key.update(points.tobytes())
    key.update(faces.tobytes())
    path = cache_root() / "convex" / f"{key.hexdigest()[:32]}.npz"
    pieces = _kept(path)
    if pieces is None:
        pieces = _split(points, faces, concavity, max_parts, what)
        _keep(path, pieces)
    solids = []
    for piece in pieces:
        try:
            solids.append(convex_hull(piece, f"a part of {what}"))
        except ValueError:  # a splinter without thickness
            continue
    if not solids:
        raise ValueError(f"{what}: none of its {len(pieces)} convex parts has a volume")
    return solids


def _split(
    points: np.ndarray, faces: np.ndarray, concavity: float, max_parts: int, what: str
) -> list[np.ndarray]:
    if find_spec("coacd") is None:
        raise ImportError('convex decomposition needs coacd: pip install "tribo[decomposition]"')
    logger.info("%s: splitting into convex parts (once; the result is kept) …", what)
    wanted = {"threshold": concavity, "max_convex_hull": max_parts, "max_ch_vertex": MAX_CORNERS}
    try:
        return work(split_by_coacd, points, faces.astype(np.int32), wanted)
    except (ProcessError, ValueError) as error:
        raise ValueError(f"{what}: cannot be split into convex parts ({error})") from None


def split_by_coacd(points: np.ndarray, faces: np.ndarray, wanted: dict[str, Any]) -> list[np.ndarray]:
    """Return the corners of convex parts; coacd hears no interrupt, and may end its process."""
    import coacd

    coacd.set_log_level("error")
    made = coacd.run_coacd(coacd.Mesh(points, faces), decimate=True, seed=0, **wanted)
    return [np.asarray(corners, np.float64) for corners, _ in made]


def _kept(path: Path) -> list[np.ndarray] | None:
    """Return what an earlier call found; None if there is nothing, or nothing usable."""
    try:
        kept = read_arrays(path, LARGEST)
        points, starts = kept["points"], kept["starts"]
    except (OSError, ValueError, KeyError):
        return None
    is_good = (
        points.ndim == 2
        and points.shape[1] == 3
        and points.dtype == np.float64
        and starts.ndim == 1
        and starts.dtype == np.int64
        and bool(np.isfinite(points).all())
    )
    return np.split(points, starts) if is_good else None


def _keep(path: Path, pieces: list[np.ndarray]) -> None:
    """Write a file at once or not at all; a folder that cannot be written costs only time."""
    starts = np.cumsum([len(piece) for piece in pieces])[:-1]
    arrays: dict[str, Any] = {"points": np.concatenate(pieces), "starts": starts}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced(path) as stream:
            np.savez(stream, **arrays)
    except OSError as error:
        logger.debug("convex parts are not kept: %s", error)
