"""An object of the copied world, as a batch keeps it."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from tribo.description.trees import TreeDescription
from tribo.engine.layout import Span
from tribo.model import Kind
from tribo.objects import ArticulatedSystem, Object, SingleBody


@dataclass(frozen=True, slots=True)
class Part:
    """An object, as a batch keeps it."""

    name: str
    kind: Kind
    span: Span
    description: TreeDescription
    is_floating: bool
    is_single: bool  # a `SingleBody`, no robot
    quaternions: tuple[tuple[str, int], ...]  # joint and where its quaternion begins
    fixed_pose: np.ndarray  # (7,) of a root that does not move

    @classmethod
    def of(cls, part: Object) -> Part:
        """Note what a batch needs of an object of a world."""
        assert part.span is not None
        floating = isinstance(part, ArticulatedSystem) and part.is_floating
        description = copy.deepcopy(part.description)
        return cls(
            part.name,
            part.body_type,
            part.span,
            description,
            floating,
            isinstance(part, SingleBody),
            tuple(part.quaternions),
            part.fixed_pose.copy(),
        )
