"""A batch as its parts see it: its objects, constraints, materials, rays, states and warnings."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from tribo.batch.part import Part
from tribo.engine.engine import Engine
from tribo.engine.plans import Plan
from tribo.engine.subtree import TreeRecords


class BatchOwner(Protocol):
    """A batch as its parts see it."""

    engine: Engine  # records of all worlds
    threads: int  # number of worker threads
    parts: dict[str, Part]  # what is kept of the objects, by name, in the order of the world
    material_names: tuple[str, ...]  # in order of their numbers

    @property
    def time(self) -> np.ndarray:
        """Return the world times, (worlds,) [s]."""

    @property
    def sleeping(self) -> np.ndarray:
        """Tell which worlds let objects sleep, (worlds,) of bool [–]."""

    def __len__(self) -> int:
        """Return the number of worlds."""

    def __getitem__(self, name: str) -> Any:
        """Return an object in all worlds, by name."""

    def note_push_on(self, name: str, link: str, wrench: np.ndarray) -> None:
        """Remember on which link of a body an external force acts in the next step, (worlds, 6)."""

    def forget_last_step(self, worlds: Any) -> None:
        """Note that what is known about the last step of some worlds belongs to another state."""

    def check_idle(self, what: str) -> None:
        """Refuse an edit while another thread steps the batch."""

    def chosen_worlds(self, worlds: Any) -> np.ndarray:
        """Return the numbers of the worlds of an index, slice or mask, (n,)."""

    def records_of(self, name: str) -> TreeRecords:
        """Return the records with which queries about an object compute."""

    def poses_of(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (worlds, bodies, 3) [m] and rotations of the bodies of an object, by name."""

    def go(self, n: int, plan: Plan | None) -> np.ndarray:
        """Advance every world, under the controls of a course if there is one; tell which made it."""
