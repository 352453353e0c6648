"""Which line of a mesh that is written as text cannot be read."""

from __future__ import annotations

from tribo.checks import check

NUMBERS = {"v": 3, "vn": 3, "vt": 1}  # at least so many behind each word of an OBJ file


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
