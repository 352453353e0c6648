"""Calls that take a world refuse anything else, and say where the world of an object is."""

from __future__ import annotations

from typing import Any

from tribo.checks import check
from tribo.world.world import World


def checked_world(given: Any, otherwise: str = "") -> World:
    """Return a world that was given to a call.

    Raises:
        TypeError: It is none; the message names the world of an object, or says what `otherwise` does.
    """
    if isinstance(given, World):
        return given
    of_object = isinstance(getattr(given, "world", None), World)
    hint = f"; give its world: {given.name}.world" if of_object else otherwise
    raise TypeError(f"world must be a tribo.World, got {check.shown(given)}{hint}")
