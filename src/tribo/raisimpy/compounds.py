"""Shapes of which compounds are made."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import orientation
from tribo.description.colors import color_of
from tribo.raisimpy.arguments import member
from tribo.raisimpy.enums import ObjectType
from tribo.raisimpy.spelling import Dialects, data


class CompoundObjectChild(Dialects):
    """One shape of a compound: `objectParam` holds (r), (x, y, z) or (r, h), and zeros up to four numbers.

    Example:
        >>> child = CompoundObjectChild()
        >>> child.objectType, child.objectParam = ObjectType.BOX, [1, 2, 3, 0]
        >>> child.part(mass=2.0).size
        (1.0, 2.0, 3.0)
    """

    def __init__(self) -> None:
        """Start as a ball of radius zero."""
        self.objectType: ObjectType = ObjectType.SPHERE
        self.objectParam: Any = (0.0, 0.0, 0.0, 0.0)
        self.material, self.appearance = "default", ""
        self.trans: Any = Transformation()

    transformation = property(
        lambda self: self.trans, lambda self, value: setattr(self, "trans", value)
    )

    def part(self, mass: float | None = None) -> Any:
        """Return ``tribo.CompoundPart``."""
        from tribo.description.trees import CompoundPart

        kind = member(ObjectType, self.objectType)
        count = {ObjectType.SPHERE: 1, ObjectType.BOX: 3}.get(kind, 2)
        what = f"objectParam of a {kind.name.lower()}"
        given = check.array(self.objectParam, what, f"{count} numbers, zeros may follow")
        if given.ndim != 1 or given.size < count:
            raise ValueError(f"{what} must be {count} numbers, got {check.shown(self.objectParam)}")
        size = tuple(given[:count].tolist())
        return CompoundPart(
            kind.name.lower(), size[0] if count == 1 else size, mass=mass, position=self.trans.pos,
            orientation=orientation(self.trans.rot, "rot of a compound's child"), material=self.material,
            color=color_of(check.text(self.appearance, "appearance").strip()),
        )  # fmt: skip


data(CompoundObjectChild, "objectType", "objectParam")


class Transformation:
    """A pose: `rot` (3, 3) or a quaternion, `pos` (3,) [m]."""

    def __init__(self, rot: Any = None, pos: Any = (0.0, 0.0, 0.0)) -> None:
        """Start without a turn and at the origin."""
        self.rot: Any = np.eye(3) if rot is None else rot
        self.pos: Any = pos
