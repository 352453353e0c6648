"""A process that reads a large mesh, for `mesh_reading`: Python hears no signals while an OBJ is parsed."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from tribo.formats.mesh_reading import MADE, WANTED, MeshError, parsed


def read(folder: Path) -> None:
    """Read the mesh whose path stands in a folder, and write there what it is, or why it is refused."""
    path = Path((folder / WANTED).read_text("utf-8"))
    try:
        made: object = parsed(path)
    except MeshError as error:
        made = str(error)
    with (folder / MADE).open("wb") as stream:
        pickle.dump(made, stream, pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    read(Path(sys.argv[1]))
