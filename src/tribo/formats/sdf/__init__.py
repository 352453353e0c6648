"""SDF, the format of Gazebo: models and worlds."""

from __future__ import annotations

from tribo.formats.sdf.reading import read

__all__ = ["read"]
