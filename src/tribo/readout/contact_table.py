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


class ContactTable:
    """Contacts of the last step as rows; which object a shape belongs to is kept for a build."""

    def __init__(self) -> None:
        """Start without a build."""
        self._model: object = None
        self._owner = self._first = np.empty(0, np.int32)

    def read(self, engine: Engine, objects: Sequence[Object], reach: float) -> np.ndarray:
        """Return a row for each point that overlaps, is within `reach` [m], or carries an impulse."""
        if self._model is not engine.model:
            self._note(engine, objects)
        work, settings = engine.work, engine.settings
        n = int(work.contact_count[0])
        impulse, gap = work.contact_impulse[:n], work.contact_gap[:n]
        if settings.impact == Impact.PROPAGATE:
            impulse = impulse + work.contact_impact[:n]
        axes = work.contact_axes[:n].reshape(n, 3, 3)
        rows = np.empty(n, ROW)
        rows["position"] = work.contact_pos[:n]
        rows["normal"] = axes[:, 2]
        rows["depth"] = -gap
        rows["force"] = np.matmul(impulse[:, None, :], axes)[:, 0] / settings.dt
        for side, shapes in zip("ab", work.contact_shape[:n].T, strict=True):
            owner = self._owner[shapes]
            rows[f"object_{side}"] = owner
            rows[f"shape_{side}"] = shapes - self._first[owner]
        touches = (gap <= reach) | (impulse[:, 2] > 0.0)
        return rows if touches.all() else rows[touches]

    def _note(self, engine: Engine, objects: Sequence[Object]) -> None:
        spans = [part.span.shape for part in objects if part.span is not None]
        self._first = np.array([span.start for span in spans], np.int32)
        counts = [span.stop - span.start for span in spans]
        self._owner = np.repeat(np.arange(len(spans), dtype=np.int32), counts)
        self._model = engine.model
