"""USD: rigid bodies, joints, drives, colliders and materials of UsdPhysics."""

from __future__ import annotations

from tribo.formats.usd.reading import read, read_robot

__all__ = ["read", "read_robot"]
