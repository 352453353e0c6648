"""Meshes as text: triangles written as OBJ, and which line of such a file cannot be read."""

from __future__ import annotations

import numpy as np

from tribo.checks import check

NUMBERS = {"v": 3, "vn": 3, "vt": 1}  # at least so many behind each word of an OBJ file


def obj(vertices: np.ndarray, triangles: np.ndarray) -> str:
    """Return triangles as an OBJ file whose numbers read back bit for bit.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) entries of `vertices`.

    Example:
        >>> import numpy as np
        >>> print(obj(np.array([[0.1, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])), end="")
        v 0.1 0.0 0.0
        v 1.0 0.0 0.0
        v 0.0 1.0 0.0
        f 1 2 3
    """
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, float).tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (np.asarray(triangles) + 1).tolist()]
    return "\n".join([*lines, ""])


def first_bad_line(data: bytes) -> str:
    """Return what is wrong with the first bad line of an OBJ file, "" if there is none.

    Looked for after reading failed: libraries speak of their arrays, not of the file.
    """
    vertices = sum(line.split(None, 1)[:1] == [b"v"] for line in data.splitlines())
    for number, raw in enumerate(data.splitlines(), 1):
        words = raw.decode("utf-8", "replace").split()
        if not words:
            continue
        where = f"line {number}, {check.shown(' '.join(words))}:"
        if words[0] in NUMBERS:
            wrong = _first_wrong(words[1:])
            if wrong is not None:
                return f"{where} {check.shown(wrong)} is no number"
            if len(words) - 1 < NUMBERS[words[0]]:
                return f"{where} {words[0]} needs {NUMBERS[words[0]]} numbers, got {len(words) - 1}"
        elif words[0] == "f":
            for corner in words[1:]:
                index = corner.split("/")[0]
                if not index.lstrip("+-").isdigit():
                    return f"{where} {check.shown(corner)} is no corner; write numbers of vertices"
                if not 1 <= abs(int(index)) <= vertices:
                    return f"{where} there is no vertex {index}, the file has {vertices}"
            if len(words) < 4:
                return f"{where} a face needs 3 corners or more, got {len(words) - 1}"
    return ""


def _first_wrong(words: list[str]) -> str | None:
    for word in words:
        try:
            float(word)
        except ValueError:
            return word
    return None
