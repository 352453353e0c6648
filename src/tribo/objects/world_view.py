"""The world as its parts see it: rays, sensors, recordings, files, warnings."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from tribo.materials import MaterialTable
from tribo.model import Status
from tribo.objects.articulated import ArticulatedSystem
from tribo.objects.base import Object
from tribo.objects.constraint import Constraint
from tribo.objects.contact import Contact
from tribo.objects.owner import Owner, Pushes


class WorldView(Owner, Protocol):
    """The world as its parts see it: what its objects see (`Owner`), the objects, and how steps went."""

    pushes: Pushes  # external wrenches of the next step on merged links
    is_measured: bool  # whether steps stop for sensors or for a recording

    @property
    def objects(self) -> tuple[Object, ...]:
        """Return all objects in the order in which they were added."""

    def remove(self, item: Any) -> None:
        """Take an object with all that hangs on it, or a constraint, out of the world."""

    def equip(self, part: ArticulatedSystem) -> None:
        """Add the sensors and the constraints that a robot's file declares."""

    def write_materials(self) -> None:
        """Pass a changed pair table on to the model."""

    @property
    def time(self) -> float:
        """Return the world time [s]."""

    constraints: tuple[Constraint, ...]  # all, in the order in which they were added
    materials: MaterialTable  # the table of material pairs
    time_step: float  # [s]
    tolerance: float  # [–] residual at which a contact solve ends
    max_push_out_speed: float  # [m/s] fastest speed at which an overlap is removed

    contacts: list[Contact]  # the points that touched in the last step
    status: Status  # how the last step went, all steps of a call combined
    residual: np.ndarray  # (3,) [–] violations that the last contact solve left
    sweeps: int  # of the last contact solve
