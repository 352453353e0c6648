"""Robots and scenes from MJCF, the format of MuJoCo: the subset that rigid bodies need.

Omissions are listed: as a note, or with `strict` as an error (docs/howto/mjcf).
"""

from tribo.formats.mjcf.reading import read, read_model

__all__ = ["read", "read_model"]
