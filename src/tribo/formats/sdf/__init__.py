"""SDF, the format of Gazebo: models and worlds."""

from __future__ import annotations

from tribo.formats.sdf.reading import read, read_robot

__all__ = ["read", "read_robot"]
