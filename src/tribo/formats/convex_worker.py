"""A process that splits a mesh into convex parts, for `convex_parts`: it can be ended, and may die alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

MESH, PARTS, WANTED = "mesh.npz", "parts.npz", "wanted.json"


def split(folder: Path) -> None:
    """Read a mesh and what is wanted from a folder, and write the corners of the parts there."""
    import coacd

    coacd.set_log_level("error")
    with np.load(folder / MESH, allow_pickle=False) as mesh:
        points, faces = mesh["points"], mesh["faces"]
    wanted = json.loads((folder / WANTED).read_text())
    made = coacd.run_coacd(coacd.Mesh(points, faces), decimate=True, seed=0, **wanted)
    parts = {str(k): np.asarray(corners, np.float64) for k, (corners, _) in enumerate(made)}
    np.savez(folder / PARTS, **parts)  # type: ignore[arg-type]


if __name__ == "__main__":
    split(Path(sys.argv[1]))
