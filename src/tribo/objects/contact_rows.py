"""Contacts of one step, copied from the arrays of the engine: each `Contact` is a place in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from struct import Struct

import numpy as np

from tribo.batch_kernels.copies import copy_worlds
from tribo.checks.readonly import frozen
from tribo.compiler.jit import DISABLED
from tribo.engine.engine import Engine
from tribo.materials import ContactMaterial, MaterialTable, PairProperties
from tribo.model import Impact
from tribo.objects.owner import Member
from tribo.objects.states import turned_back

# Of each shape of a world: the object that it belongs to, and the name of its collision body.
Owners = Sequence[tuple[Member, str]]
Law = PairProperties | ContactMaterial

# Fields of `Work` in a row of the copy and how many words each has. Gap and normal impulse are 3 words apart.
FIELDS = {
    "contact_pos": 3, "contact_axes": 9, "contact_gap": 1, "contact_impulse": 3,
    "contact_spin_impulse": 3, "contact_impact": 3, "contact_shape": 2, "contact_state": 1,
}  # fmt: skip
SETTINGS = ("dt", "impact")  # in each row behind them
WIDTH = sum(FIELDS.values()) + len(SETTINGS)  # words of 8 bytes in a row
POSITION, AXES, GAP, IMPULSE = slice(3), slice(3, 12), 12, slice(13, 16)
SPIN, IMPACT, SHAPES, STATE = slice(16, 19), slice(19, 22), slice(22, 24), 24
DT, ORDER = 25, 26
# Of a row: gap, normal impulse, normal impulse of impacts, how impacts are solved.
TOUCH = Struct("=96xd16xd40xd32xq")


class ContactRows:
    """A copy of the contacts of a step, n rows, with the materials and laws as they were then."""

    def __init__(self, copied: bytes, owners: Owners, numbers: bytes, materials: MaterialTable) -> None:
        """Read rows of `FIELDS` and `SETTINGS`.

        Args:
            copied: n rows of `WIDTH` words.
            owners: Of each shape.
            numbers: Of each shape the number of its material, 8 bytes each.
            materials: A table that nobody edits.
        """
        self._copied, self._owners = copied, owners
        self._numbers, self._materials = numbers, materials

    def touching(self, reach: float) -> list[int]:
        """Return the places of points that carry an impulse or whose gap is at most `reach` [m]."""
        return [
            c
            for c, (gap, normal, impact, order) in enumerate(TOUCH.iter_unpack(self._copied))
            if gap <= reach or (normal + impact if order == Impact.PROPAGATE else normal) != 0.0
        ]

    @cached_property
    def _words(self) -> np.ndarray:
        return np.frombuffer(self._copied).reshape(-1, WIDTH)

    @cached_property
    def _laws(self) -> dict[tuple[int, int], tuple[tuple[str, str], Law]]:
        return {}

    @cached_property
    def position(self) -> np.ndarray:
        """Points midway between the surfaces, (n, 3) [m]."""
        return frozen(self._words[:, POSITION])

    @cached_property
    def axes(self) -> np.ndarray:
        """Contact axes, (n, 3, 3) with rows t₁, t₂, n."""
        return frozen(self._words[:, AXES].reshape(-1, 3, 3))

    @cached_property
    def gap(self) -> list[float]:
        """Gaps, n numbers [m]; negative: overlap."""
        gaps: list[float] = self._words[:, GAP].tolist()
        return gaps

    @cached_property
    def shapes(self) -> list[list[int]]:
        """Numbers of the shapes A and B, n lists of two."""
        shapes: list[list[int]] = self._words.view(np.int64)[:, SHAPES].tolist()
        return shapes

    @cached_property
    def states(self) -> list[int]:
        """Of compliant pairs the `ContactState`, −1: a rigid pair."""
        states: list[int] = self._words.view(np.int64)[:, STATE].tolist()
        return states

    def law(self, place: int) -> tuple[tuple[str, str], Law]:
        """Return the materials of A and B of a row, and the law of the pair."""
        shapes = self.shapes[place]
        numbers = np.frombuffer(self._numbers, np.int64)
        key = int(numbers[shapes[0]]), int(numbers[shapes[1]])
        if key not in self._laws:
            names = self._materials.names
            first, second = names[key[0]], names[key[1]]
            self._laws[key] = (first, second), self._materials.pair(first, second)
        return self._laws[key]

    def owner(self, place: int, side: int) -> tuple[Member, str]:
        """Return the object on a side (0: A, 1: B) of a row, and the name of its collision body."""
        return self._owners[self.shapes[place][side]]

    @cached_property
    def impulse(self) -> np.ndarray:
        """Impulses on A, (n, 3) [N s], world axes."""
        local = self._words[:, IMPULSE]
        if self._words.view(np.int64)[0, ORDER] == Impact.PROPAGATE:
            local = local + self._words[:, IMPACT]
        return frozen(turned_back(self.axes, local))

    @cached_property
    def force(self) -> np.ndarray:
        """Forces on A, (n, 3) [N]: impulse / time step."""
        return frozen(self.impulse / self._words[0, DT])

    @cached_property
    def torque_impulse(self) -> np.ndarray:
        """Angular impulses of rolling and spinning friction on A, (n, 3) [N m s]."""
        return frozen(turned_back(self.axes, self._words[:, SPIN]))


class ContactCopier:
    """Copies the contacts of a step in one call of compiled code."""

    def __init__(self) -> None:
        self._records: tuple[object, object] = (None, None)
        self._edited: tuple[object, int] = (None, -1)
        self._materials = MaterialTable()  # a copy

    def copy(self, engine: Engine, owners: Owners, materials: MaterialTable) -> ContactRows | None:
        """Return the contacts of the last step; None: there are none."""
        work = engine.work
        count: int = work.contact_count.item(0)
        if not count:
            return None
        if self._records[0] is not work or self._records[1] is not engine.settings:
            self._lay_out(engine)
        if self._edited[0] is not materials or self._edited[1] != materials.revision:
            self._materials, self._edited = materials.copy(), (materials, materials.revision)
        if DISABLED:
            self._copy_in_python(engine, count)
        else:
            rows = self._counted[:count]
            copy_worlds(self._plan, rows, rows)
        numbers = engine.model.shape_material.tobytes()
        return ContactRows(self._words[:count].tobytes(), owners, numbers, self._materials)

    def _lay_out(self, engine: Engine) -> None:
        """Note where the fields lie: address and bytes to the next row, of the target and the source."""
        room = engine.capacity.contacts
        self._words = np.zeros((room, WIDTH))
        self._places = self._words.view(np.int64)
        self._counted = np.arange(room)
        target, plan = self._words.ctypes.data, []
        for name, width in FIELDS.items():
            source: np.ndarray = getattr(engine.work, name)
            plan.append((target, 8 * WIDTH, source.ctypes.data, source.strides[0], width))
            target += 8 * width
        places = dict(zip(engine.settings.fields, engine.settings.places[:, 0], strict=True))
        for name in SETTINGS:
            plan.append((target, 8 * WIDTH, places[name], 0, 1))
            target += 8
        self._plan = np.array(plan, np.int64)
        self._records = engine.work, engine.settings

    def _copy_in_python(self, engine: Engine, count: int) -> None:
        """Do the same where nothing is compiled."""
        first = 0
        for name, width in FIELDS.items():
            source: np.ndarray = getattr(engine.work, name)[:count].reshape(count, width)
            self._places[:count, first : first + width] = source.view(np.int64)
            first += width
        self._words[:count, DT] = engine.settings.dt
        self._places[:count, ORDER] = engine.settings.impact
