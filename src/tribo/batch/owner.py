"""A batch as its parts see it: its records, objects and worlds; what it does for them is in `interior`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from tribo.batch.part import Part
from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.engine.engine import Engine
from tribo.engine.plans import Plan
from tribo.engine.subtree import TreeRecords, tree_records


class BatchOwner(ABC):
    """A batch as its parts see it."""

    engine: Engine  # records of all worlds
    threads: int  # number of worker threads
    parts: dict[str, Part]  # what is kept of the objects, by name, in the order of the world
    material_names: tuple[str, ...]  # in order of their numbers
    note_push_on: Callable[[str, str, np.ndarray], None]  # `BatchSensors.note_push`
    forget_last_step: Callable[[Any], None]  # `BatchSensors.forget_last_step`

    def __init__(self) -> None:
        """Start with no records of objects; no thread steps the batch."""
        self._records: dict[str, TreeRecords] = {}
        self.idle = [True]  # empty while some thread steps the batch

    def __len__(self) -> int:
        """Return the number of worlds."""
        return self.engine.worlds

    @abstractmethod
    def __getitem__(self, name: str) -> Any:
        """Return an object in all worlds, by name."""

    @property
    def time(self) -> np.ndarray:
        """Return the world times, (worlds,) [s]."""
        return np.asarray(self.engine.state.arrays["time"][:, 0].copy())

    @property
    def sleeping(self) -> np.ndarray:
        """Tell which worlds let objects sleep, (worlds,) of bool [–]."""
        return np.asarray(self.engine.settings.arrays["sleeping"].reshape(len(self)) != 0)

    def records_of(self, name: str) -> TreeRecords:
        """Return the records with which queries about an object compute."""
        found = self._records.get(name)
        if found is None or found.world_model is not self.engine.model:
            span = self.parts[name].span
            found = self._records[name] = tree_records(self.engine, span)
        return found

    def chosen_worlds(self, worlds: Any) -> np.ndarray:
        """Return the numbers of the worlds of an index, slice or mask, (n,) [–].

        Raises:
            ValueError: There is no such world.
        """
        try:
            if isinstance(worlds, (bool, np.bool_)):
                raise TypeError("a truth value is no index")
            return np.asarray(np.arange(len(self))[worlds])
        except (IndexError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"worlds must be an index, a slice or a mask of {len(self)} worlds, "
                f"got {check.shown(worlds)}: {error}"
            ) from None

    def check_idle(self, what: str) -> None:
        """Refuse an edit of the model while another thread steps the batch.

        Raises:
            EditError: A step is under way.
        """
        if not self.idle:
            raise EditError(f"{what} must wait: another thread steps this batch")

    @abstractmethod
    def poses_of(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (worlds, bodies, 3) [m] and rotations of the bodies of an object, by name."""

    @abstractmethod
    def go(self, n: int, plan: Plan | None, hold_forces: bool = False) -> np.ndarray:
        """Advance every world, under the controls of a plan if there is one; tell which made it."""
