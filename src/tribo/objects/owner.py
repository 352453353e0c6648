"""The world as its objects see it, and an object as what belongs to it sees it.

Objects, their shapes, contacts and constraints point at each other. These Protocols say what each may ask of
the others, so that the files below import none above them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from tribo.description.constraints import ConstraintDescription
from tribo.description.trees import TreeDescription
from tribo.engine.engine import Engine
from tribo.engine.layout import Span
from tribo.model import Kind

# Attribute of an object, array of a record, kind of span.
Arrays = list[tuple[str, np.ndarray, str]]
# Of an external wrench on a body, (6,), what acts on a link merged into it: by id of the object and link.
Pushes = dict[tuple[int, str], np.ndarray]


class Member(Protocol):
    """An object of a world, as its shapes, its contacts and its constraints see it."""

    description: TreeDescription
    span: Span | None
    is_removed: bool
    _surface_velocity: np.ndarray

    _world: Owner

    @property
    def world(self) -> Any:
        """Return the `World` that it is in."""

    @property
    def id(self) -> int:
        """Return the number that no other object of the world has had or will have."""

    @property
    def name(self) -> str:
        """Return the name under which the world finds it."""

    @property
    def body_type(self) -> Kind:
        """Return who moves it."""

    @property
    def position(self) -> np.ndarray:
        """Return where its (root) body is, (3,) [m], world."""

    @property
    def orientation(self) -> np.ndarray:
        """Return the unit quaternion (w, x, y, z) of its (root) body, (4,), body axes to world."""

    @property
    def rotation_matrix(self) -> np.ndarray:
        """Return the rotation of its (root) body, (3, 3), body axes to world."""

    @property
    def mass(self) -> float:
        """Return its total mass [kg]."""

    @property
    def collision_group(self) -> int:
        """Return the bits of the groups that it belongs to."""

    @property
    def collision_mask(self) -> int:
        """Return the bits of the groups that it meets."""

    def check_present(self, what: str) -> None:
        """Refuse what needs an object that is still in its world."""

    def check_editable(self, what: str) -> None:
        """Refuse an edit of what was removed, or between `update` and `advance`."""

    def _contact_motion(self, collision_body: str, point: np.ndarray) -> Any:
        """Return the `ContactMotion` of a collision body at a point (3,) [m] of the world."""


class Bond(Protocol):
    """A constraint between bodies, as the objects that it joins see it."""

    @property
    def name(self) -> str:
        """Return its name, unique among the constraints of the world."""

    @property
    def objects(self) -> tuple[Any, Any]:
        """Return the two objects that it joins; None: the world."""

    @property
    def ends(self) -> tuple[Any, Any]:
        """Return where it holds on to the two bodies."""

    @property
    def collide(self) -> bool:
        """Tell whether the two bodies touch each other."""

    @property
    def is_on(self) -> bool:
        """Tell whether it acts."""

    @property
    def is_broken(self) -> bool:
        """Tell whether it broke."""

    @property
    def is_changed(self) -> bool:
        """Tell whether its numbers are others than those of a new one."""

    def describe(self) -> ConstraintDescription:
        """Return it as a file describes it."""


class Owner(Protocol):
    """The world as its objects see it."""

    @property
    def face(self) -> Any:
        """Return the `World` that users hold."""

    @property
    def engine(self) -> Engine:
        """Return the records, rebuilt if something was added or removed."""

    @property
    def constraints(self) -> Sequence[Bond]:
        """Return all constraints between bodies."""

    sleeping: bool  # whether the world lets objects sleep
    is_midway: bool  # whether `update` was called and `advance` was not yet

    def check_editable(self, what: str, verb: str = "changed") -> None:
        """Refuse an edit, or what `verb` says, between `update` and `advance`."""

    def rebuild(self) -> None:
        """Note that the arrays must be built anew before the next step."""

    @property
    def is_built(self) -> bool:
        """Tell whether the records hold all objects as they are now."""

    def overlaps(self, a: Any, b: Any) -> bool:
        """Tell whether two things touch or overlap."""

    def note_name(self, part: Any, name: str) -> None:
        """Note that an object will be called otherwise, by a name that is free."""

    material_names: tuple[str, ...]  # in order of their numbers
    gravity: np.ndarray  # (3,) [m/s²]

    def hand_out(self, part: Any) -> tuple[Arrays, Span]:
        """Return the arrays of the last build that hold an object's numbers, and where they are in them."""

    def note_wrench(self) -> None:
        """Note that an external force acts in the next step."""

    def note_push(self, part: Any, link: str, wrench: np.ndarray) -> None:
        """Note how much of an external wrench (6,) acts on a link that was merged into a body."""

    def contacts_of(self, part: Any) -> list[Any]:
        """Return the contacts of an object, seen from it."""

    def material_number(self, name: str) -> int:
        """Return the number of a material; a new name gets a new number."""
