"""USD: rigid bodies, joints, drives, colliders and materials of UsdPhysics."""

from __future__ import annotations

from tribo.formats.usd.reading import read

__all__ = ["read"]
