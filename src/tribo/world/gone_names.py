"""Names of `World` that were the engine's own: they still answer, and say what users call instead."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from tribo.checks.calls import answered
from tribo.checks.sealed import Answering
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

# Names in `World` for its own parts, and one that has no effect any more; completion shows users the rest.
INNER = frozenset(("check_editable", "continuous_collision", "load", "take_scene", "tie_described"))
MAKES_ANOTHER = (
    "load makes a new world: world = tribo.World.load(path); what reads a file into a world that is there "
    "already is add_articulated_system, load_mjcf, load_sdf, load_usd, load_body, load_project or load_state"
)


class OnClass:
    """A class method that instances lack: called on one, its result would be taken for that one."""

    def __init__(self, method: Any) -> None:
        """Keep the class method, which answers arguments that do not fit."""
        self._method: Any = classmethod(answered(method.__func__))

    def __get__(self, instance: Any, owner: Any) -> Any:
        """Return the method, of the class only."""
        if instance is not None:
            raise AttributeError(MAKES_ANOTHER)
        return self._method.__get__(None, owner)


def refuse_unknown(world: Any, name: str) -> None:
    """Refuse what was never a name of worlds.

    Raises:
        AttributeError: It is no name of a world, or one of the class only.
    """
    if name not in GONE:
        if name == "load":
            raise AttributeError(MAKES_ANOTHER, name=name, obj=None)
        if name[0] != "_" and name in world:
            said = f"'World' object has no attribute {name!r}; use world[{name!r}], the object of that name"
            raise AttributeError(said, name=name, obj=None)
        Answering.__getattr__(world, name)  # type: ignore[attr-defined]


def gone(inside: Interior, name: str) -> Any:
    """Return what an old name stands for, after a warning that names its successor."""
    successor, part = GONE[name]
    warnings.warn(f"World.{name} is for the engine; use {successor}", DeprecationWarning, 3)
    if name == "take_laws":
        return functools.partial(take_laws, inside.materials)
    return getattr(getattr(inside, part) if part else inside, name)
