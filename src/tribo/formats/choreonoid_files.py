"""Which sources are files of Choreonoid, told by ending or beginning: their readers come later."""

from __future__ import annotations

from pathlib import Path

BODY_ENDINGS = (".body",)
PROJECT_ENDINGS = (".cnoid",)


def is_body(source: object) -> bool:
    """Return whether a source is a body file, by its ending, or the text of one (of several lines)."""
    if isinstance(source, Path) or (isinstance(source, str) and "\n" not in source):
        return Path(source).suffix.lower() in BODY_ENDINGS
    return isinstance(source, str) and not source.lstrip().startswith("<")


def is_project(source: object) -> bool:
    """Return whether a source is the path of a project, by its ending."""
    return isinstance(source, (str, Path)) and str(source).lower().endswith(PROJECT_ENDINGS)
