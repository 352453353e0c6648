"""Contacts of one step, copied from the arrays of the engine: each `Contact` is a place in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tribo.checks.readonly import frozen
from tribo.engine.engine import Engine
from tribo.materials import ContactMaterial, MaterialTable, PairProperties
from tribo.objects.owner import Member
from tribo.objects.states import turned_back

# Of each shape of a world: the object that it belongs to, and the name of its collision body.
Owners = Sequence[tuple[Member, str]]


class ContactRows:
    """A copy of the contacts of a step, n rows, with the laws of their pairs.

    Attributes:
        position, axes, gap: (n, 3) [m], (n, 3, 3) with rows t₁, t₂, n, and a list [m].
        shapes: Numbers of the shapes A and B, n lists of two.
        laws: Of each row: the two materials and the law of the pair.
        states: Of compliant pairs what they do (`ContactState`), −1: a rigid pair.
    """

    def __init__(
        self, engine: Engine, owners: Owners, materials: MaterialTable, local: np.ndarray
    ) -> None:
        """Copy the contacts of the last step; `local` are their impulses (n, 3) [N s], contact axes."""
        work, n = engine.work, len(local)
        self._owners, self._dt = owners, engine.settings.dt
        self._local, self._spin = local.copy(), work.contact_spin_impulse[:n].copy()
        self.position = frozen(work.contact_pos[:n].copy())
        self.axes = frozen(work.contact_axes[:n].copy()).reshape(n, 3, 3)
        self.gap: list[float] = work.contact_gap[:n].tolist()
        self.states: list[int] = work.contact_state[:n].tolist()
        shapes = work.contact_shape[:n]
        self.shapes: list[list[int]] = shapes.tolist()
        known: dict[tuple[int, int], tuple[tuple[str, str], PairProperties | ContactMaterial]] = {}
        self.laws = []
        for a, b in engine.model.shape_material[shapes].tolist():
            if (a, b) not in known:
                named = materials.names[a], materials.names[b]
                known[a, b] = named, materials.pair(*named)
            self.laws.append(known[a, b])

    def owner(self, place: int, side: int) -> tuple[Member, str]:
        """Return the object on a side (0: A, 1: B) of a row, and the name of its collision body."""
        return self._owners[self.shapes[place][side]]

    @cached_property
    def impulse(self) -> np.ndarray:
        """Impulses on A, (n, 3) [N s], world axes."""
        return frozen(turned_back(self.axes, self._local))

    @cached_property
    def force(self) -> np.ndarray:
        """Forces on A, (n, 3) [N]: impulse / time step."""
        return frozen(self.impulse / self._dt)

    @cached_property
    def torque_impulse(self) -> np.ndarray:
        """Angular impulses of rolling and spinning friction on A, (n, 3) [N m s]."""
        return frozen(turned_back(self.axes, self._spin))
