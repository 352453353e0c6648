"""All scenes and what watches them."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from simbench.scene import Scene, Watch

FAMILIES = ("rolling", "bouncing", "spheres", "standing", "flight", "blocks")


@cache
def scenes() -> dict[str, Scene]:
    """Return all scenes by name; needs tribo and example-robot-data."""
    found = [s for name in FAMILIES for s in import_module(f"simbench.{name}").scenes()]
    return {scene.name: scene for scene in found}


def watch(scene: Scene) -> Watch:
    """Return what knows the error of a scene; needs NumPy only."""
    made: Watch = import_module(f"simbench.{scene.family}").Watch(scene)
    return made
