"""Which shapes a question about a world sees, and the scratch with which it is answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.engine.builder import PILE, POLYTOPE, TOUCHES
from tribo.engine.engine import Engine
from tribo.model import Model, Shape, Work
from tribo.objects import CollisionBody, Object
from tribo.objects.handles import Link
from tribo.objects.owner import Member
from tribo.objects.world_view import WorldView
from tribo.probes.records import Scene

OUTLINE = 6  # corners of the features that primitives have


class ShapeFilter:
    """Scratch for one model of a world; a new model needs a new one."""

    def __init__(self, engine: Engine) -> None:
        """Make room for the shapes of a model."""
        self.engine, self.model = engine, engine.model
        count = len(engine.model.shape_kind)
        sizes = {"nshape": count, "nshape1": count + 1, "nnode": 2 * count + 1}
        self.scene = Scene.allocate(sizes)
        least = dict.fromkeys(engine.capacity.sizes, 1)
        general = {"npolytope": POLYTOPE, "npolytope2": 2 * POLYTOPE, "noutline": OUTLINE}
        general |= {"ntouch": TOUCHES, "npile": PILE}
        general = {name: max(room, engine.sizes[name]) for name, room in general.items()}
        self.work = Work.allocate(engine.sizes | least | general)

    def fits(self, engine: Engine) -> bool:
        """Tell whether this is (still) the scratch of an engine."""
        return self.engine is engine and self.model is engine.model

    def look(self, mask: int, ignored: Iterable[slice]) -> int:
        """See the shapes in groups of a mask but some; return how many there are."""
        model: Model = self.model
        seen = self.scene.is_seen
        seen[:] = (model.shape_group & mask) != 0
        seen[model.shape_kind == Shape.MESH] = 0
        for span in ignored:
            seen[span] = 0
        return int(seen.sum())


def shapes_of(thing: Any, world: WorldView, what: str) -> slice:
    """Return which shapes of a world belong to an object, a collision body or a link.

    Raises:
        TypeError: It is something else.
        ValueError: It belongs to another world.
        EditError: It was removed from its world.
    """
    owner: Member
    parts: tuple[CollisionBody, ...]
    if isinstance(thing, CollisionBody):
        owner, parts = thing.owner, (thing,)
    elif isinstance(thing, Object):
        owner, parts = thing, thing.collision_bodies
    elif isinstance(thing, Link) and isinstance(thing.owner, Object):
        owner, parts = thing.owner, thing.collision_bodies
    else:
        raise TypeError(
            f"{what} must be an object, a collision body or a link of a robot, got {check.shown(thing)}"
        )
    owner.check_present(what)
    if owner.world is not world.face:
        raise ValueError(f"{what}: {owner.name} belongs to another world")
    _ = world.engine
    assert owner.span is not None
    first = owner.span.shape.start + (parts[0].number if parts else 0)
    return slice(first, first + len(parts))


def object_numbers(objects: tuple[Object, ...], shapes: np.ndarray) -> np.ndarray:
    """Return the place of each shape's object among the objects; −1 stays −1."""
    first = np.array([part.span.shape.start for part in objects if part.span is not None])
    # Objects without shapes start where the next one does: the last of several is the owner.
    found = np.searchsorted(first, shapes, side="right") - 1
    return np.where(shapes >= 0, found, -1)
