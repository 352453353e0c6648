"""Robots and things from Choreonoid's body files; what is not read is listed (docs/howto/body-files)."""

from tribo.formats.choreonoid.reading import BodyFile, is_body, read, read_robot

__all__ = ["BodyFile", "is_body", "read", "read_robot"]
