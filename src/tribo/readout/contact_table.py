"""All contacts of a step as one structured array, without an object for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tribo.engine.engine import Engine
from tribo.model import Impact
from tribo.objects import Object

VECTOR = (np.float64, 3)
ROW = np.dtype([
    ("position", *VECTOR), ("normal", *VECTOR), ("depth", np.float64), ("force", *VECTOR),
    ("object_a", np.int32), ("object_b", np.int32), ("shape_a", np.int32), ("shape_b", np.int32),
])  # fmt: skip
WIDTH = ROW.itemsize // 8  # of a row in doubles; the last two are four places
REALS = 10


class ContactTable:
    """Contacts of the last step as rows; which object a shape belongs to is kept for a build."""

    def __init__(self) -> None:
        """Start without a build."""
        self._model: object = None
        self._owner = self._place = np.empty(0, np.int32)

    def read(self, engine: Engine, objects: Sequence[Object], reach: float) -> np.ndarray:
        """Return a row for each point that overlaps, is within `reach` [m], or carries an impulse.

        Rows are filled as a table of doubles, (n, 12): columns of a structured array cost several times as
        much to write.
        """
        if self._model is not engine.model:
            self._note(engine, objects)
        work, settings = engine.work, engine.settings
        n = int(work.contact_count[0])
        impulse, gap = work.contact_impulse[:n], work.contact_gap[:n]
        if settings.impact == Impact.PROPAGATE:
            impulse = impulse + work.contact_impact[:n]
        axes, shapes = work.contact_axes[:n], work.contact_shape[:n]
        table = np.empty((n, WIDTH))
        table[:, 0:3] = work.contact_pos[:n]
        table[:, 3:6] = axes[:, 6:9]
        np.negative(gap, out=table[:, 6])
        force = impulse[:, None, :] / settings.dt
        np.matmul(force, axes.reshape(n, 3, 3), out=table[:, None, 7:10])
        places = table.view(np.int32)[:, 2 * REALS :]
        places[:, 0:2] = self._owner[shapes]
        places[:, 2:4] = self._place[shapes]
        touches = (gap <= reach) | (impulse[:, 2] > 0.0)
        if np.count_nonzero(touches) < n:
            table = table[touches]
        rows: np.ndarray = table.view(ROW)[:, 0]
        return rows

    def _note(self, engine: Engine, objects: Sequence[Object]) -> None:
        spans = [part.span.shape for part in objects if part.span is not None]
        counts = [span.stop - span.start for span in spans]
        self._owner = np.repeat(np.arange(len(spans), dtype=np.int32), counts)
        self._place = np.concatenate([np.arange(count, dtype=np.int32) for count in (*counts, 0)])
        self._model = engine.model
