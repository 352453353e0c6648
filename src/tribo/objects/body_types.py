"""Body types: which objects may move, and which can only stand."""

from __future__ import annotations

import logging
import weakref
from typing import Any

from tribo.checks import check
from tribo.model import Kind, Shape

logger = logging.getLogger("tribo")
_said: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()

TERRAIN = {Shape.PLANE: "half space", Shape.SURFACE: "surface of triangles", Shape.HEIGHT_MAP: "height map"}


def as_kind(value: Any) -> Kind:
    """Return a body type given as enum or name."""
    if isinstance(value, Kind):
        return value
    word = value.lower() if isinstance(value, str) else value
    return Kind[check.choice(word, [k.name.lower() for k in Kind], "body_type").upper()]


def note_push(owner: Any, name: str, kind: Kind) -> None:
    """Say, once for an owner (object or batch) and name, that a force does nothing to what none moves."""
    if kind == Kind.DYNAMIC:
        return
    said = _said.setdefault(owner, set())
    if name in said:
        return
    said.add(name)
    word = kind.name.lower()
    logger.warning("%s is %s: forces and torques on it have no effect (said once)", name, word)
