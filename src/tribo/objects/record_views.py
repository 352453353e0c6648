"""Which numbers of a world belong to an object, and where they are."""

from __future__ import annotations

from tribo.engine.engine import Engine
from tribo.objects.owner import Arrays
from tribo.objects.sleeper import SLEEPER_VIEWS

# Numbers that belong to an object: array of a record, and which span of it.
VIEWS = {
    "q": ("state", "q"),
    "v": ("state", "v"),
    "vdot": ("state", "v"),
    "vdot_before": ("state", "v"),
    "scalar_impulse": ("state", "slot"),
    "left_q": ("state", "q"),
    "left_v": ("state", "v"),
    "tree_motion": ("state", "trees"),
    **SLEEPER_VIEWS,
    "wrench": ("command", "body"),
    "surface_velocity": ("command", "shape"),
    "tau": ("command", "v"),
    "drive_form": ("command", "v"),
    "carries": ("command", "v"),
    "kp": ("command", "v"),
    "kd": ("command", "v"),
    "target_q": ("command", "q"),
    "target_v": ("command", "v"),
}


def arrays_of(engine: Engine) -> Arrays:
    """Return attribute, array of the records and kind of span of all that belongs to objects."""
    return [
        (f"_{name}", getattr(getattr(engine, record), name), index)
        for name, (record, index) in VIEWS.items()
    ]
