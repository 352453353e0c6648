"""All contacts of a step as one structured array, without an object for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tribo.engine.engine import Engine
from tribo.objects import Object
from tribo.objects.world_view import WorldView
from tribo.queries.contacts import table_of_contacts

VECTOR = (np.float64, 3)
ROW = np.dtype([
    ("position", *VECTOR), ("normal", *VECTOR), ("depth", np.float64), ("force", *VECTOR),
    ("object_a", np.int64), ("object_b", np.int64), ("shape_a", np.int64), ("shape_b", np.int64),
])  # fmt: skip
WIDTH = ROW.itemsize // 8  # of a row in words


class ContactTable:
    """Contacts of the last step as rows; which object a shape belongs to is kept for a build."""

    def __init__(self) -> None:
        """Start without a build."""
        self._model: object = None
        self._owner = np.empty((0, 2), np.int64)
        self._owners: list[tuple[Object, str]] | None = None
        self._make_room(0)

    def read(self, engine: Engine, world: WorldView, reach: float) -> np.ndarray:
        """Return a row for each point that overlaps, is within `reach` [m], or carries an impulse."""
        if self._model is not engine.model:
            self._note(engine, world.objects)
        if len(self._numbers) < engine.capacity.contacts:
            self._make_room(engine.capacity.contacts)
        count = table_of_contacts(
            engine.settings, engine.work, self._owner, reach, self._numbers, self._places
        )
        return np.ndarray(count, ROW, self._words[: count * WIDTH].copy())

    def owners(self, engine: Engine, world: WorldView) -> Sequence[tuple[Object, str]]:
        """Return of each shape the object that it belongs to and the name of its collision body."""
        if self._model is not engine.model:
            self._note(engine, world.objects)
        if self._owners is None:
            self._owners = [
                (part, body.name)
                for part in world.objects
                if part.span is not None
                for body in part.collision_bodies
            ]
        return self._owners

    def _note(self, engine: Engine, objects: Sequence[Object]) -> None:
        spans = [part.span.shape for part in objects if part.span is not None]
        counts = [span.stop - span.start for span in spans]
        owners = np.repeat(np.arange(len(spans)), counts)
        places = [np.arange(count) for count in (*counts, 0)]
        self._owner = np.ascontiguousarray(np.stack([owners, np.concatenate(places)], axis=1))
        self._model, self._owners = engine.model, None

    def _make_room(self, count: int) -> None:
        self._words = np.zeros(count * WIDTH)
        self._numbers = self._words.reshape(count, WIDTH)
        self._places = self._numbers.view(np.int64)
