"""The world as its objects see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from tribo.engine.engine import Engine
    from tribo.engine.layout import Span
    from tribo.objects.base import Object
    from tribo.objects.constraint import Constraint
    from tribo.objects.contact import Contact
    from tribo.objects.record_views import Arrays


class Owner(Protocol):
    """The world as its objects see it."""

    @property
    def engine(self) -> Engine:
        """Return the records, rebuilt if something was added or removed."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """Return all constraints between bodies."""

    @property
    def sleeping(self) -> bool:
        """Tell whether the world lets objects sleep."""

    @property
    def is_midway(self) -> bool:
        """Tell whether `update` was called and `advance` was not yet."""

    def check_editable(self, what: str) -> None:
        """Refuse an edit between `update` and `advance`."""

    def rebuild(self) -> None:
        """Note that the arrays must be built anew before the next step."""

    @property
    def is_built(self) -> bool:
        """Tell whether the records hold all objects as they are now."""

    def overlaps(self, a: Any, b: Any) -> bool:
        """Tell whether two things touch or overlap."""

    def note_name(self, part: Object, name: str) -> None:
        """Note that an object will be called otherwise, by a name that is free."""

    @property
    def gravity(self) -> np.ndarray:
        """Return gravity (3,) [m/s²]."""

    def hand_out(self, part: Object) -> tuple[Arrays, Span]:
        """Return the arrays of the last build that hold an object's numbers, and where they are in them."""

    def note_wrench(self) -> None:
        """Note that an external force acts in the next step."""

    def note_push(self, part: Object, link: str, wrench: np.ndarray) -> None:
        """Note how much of an external wrench (6,) acts on a link that was merged into a body."""

    def contacts_of(self, part: Object) -> list[Contact]:
        """Return the contacts of an object, seen from it."""

    @property
    def material_names(self) -> tuple[str, ...]:
        """Return the names of all materials in order of their numbers."""

    def material_number(self, name: str) -> int:
        """Return the number of a material; a new name gets a new number."""
