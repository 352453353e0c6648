"""Robots, things and projects from Choreonoid's files; what is not read is listed (docs/howto/body-files)."""

from tribo.formats.choreonoid.project import BodyItem, ProjectFile, is_project
from tribo.formats.choreonoid.project import read as read_project
from tribo.formats.choreonoid.reading import BodyFile, is_body, read, read_robot

__all__ = [
    "BodyFile", "BodyItem", "ProjectFile", "is_body", "is_project", "read", "read_project", "read_robot",
]  # fmt: skip
