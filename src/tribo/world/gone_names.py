"""Names of `World` that were the engine's own: they still answer, and say what users call instead."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from tribo.world.contact_laws import take_laws
from tribo.world.interior import Interior

# Names that were in `World` and never meant for users: what to use, and the part that has the old one.
GONE = {
    "is_built": ("World.engine, which is always built", ""),
    "look_along": ("World.ray_test_batch", "sensors"),
    "last_wrench": ("Sensor.measure", "sensors"),
    "material_number": ("World.material_names.index", ""),
    "mean_acceleration": ("ArticulatedSystem.generalized_acceleration", "sensors"),
    "note_name": ("Object.name", ""),
    "note_push": ("ArticulatedSystem.apply_force", ""),
    "note_wrench": ("ArticulatedSystem.apply_force", ""),
    "rebuild": ("World.engine, which is rebuilt where that is due", ""),
    "shapes_at": ("Link.collision_bodies", "sensors"),
    "take_laws": ("World.set_material_pair", ""),
    "write_materials": ("World.engine, which has the present materials", ""),
}


def gone(inside: Interior, name: str) -> Any:
    """Return what an old name stands for, after a warning that names its successor."""
    successor, part = GONE[name]
    warnings.warn(f"World.{name} is for the engine; use {successor}", DeprecationWarning, 3)
    if name == "take_laws":
        return functools.partial(take_laws, inside.materials)
    return getattr(getattr(inside, part) if part else inside, name)
