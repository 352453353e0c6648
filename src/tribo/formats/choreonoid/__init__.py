"""Robots, things and projects from Choreonoid's files; what is not read is listed (docs/howto/body-files)."""

from tribo.formats.choreonoid.project import BodyItem, ProjectFile
from tribo.formats.choreonoid.project import read as read_project
from tribo.formats.choreonoid.reading import BodyFile, read, read_robot, read_urdf

__all__ = ["BodyFile", "BodyItem", "ProjectFile", "read", "read_project", "read_robot", "read_urdf"]
