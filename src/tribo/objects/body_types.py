"""What may move an object, and what can only stand."""

from __future__ import annotations

from typing import Any

from tribo.checks import check
from tribo.model import Kind, Shape

TERRAIN = {
    Shape.PLANE: "half space",
    Shape.SURFACE: "surface of triangles",
    Shape.HEIGHT_MAP: "height map",
}


def as_kind(value: Any) -> Kind:
    """Return a body type given as enum or name."""
    if isinstance(value, Kind):
        return value
    word = value.lower() if isinstance(value, str) else value
    return Kind[check.choice(word, [k.name.lower() for k in Kind], "body_type").upper()]
