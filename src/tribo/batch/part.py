"""An object of the copied world, as a batch keeps it, and where its numbers stand in the command."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tribo.checks import check
from tribo.description.trees import TreeDescription
from tribo.engine.layout import COORDINATES, DOFS, Span
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


KINDS = {"forces": 0, "targets": 1, "velocity_targets": 2}  # as in `batch_kernels/controls.py`


def places_of(part: Part, kind: str) -> list[tuple[str | None, int]]:
    """Return joint (None: of the root) and place in the command of each number that can be controlled.

    Args:
        part: The object.
        kind: One of `KINDS`.
    """
    q, v = part.span.q.start, part.span.v.start
    found: list[tuple[str | None, int]] = []
    for k, body in enumerate(part.description.bodies):
        width, joint = DOFS[body.joint.type], body.joint.name
        if kind == "targets":
            if width == 1:
                found.append((joint, q))
        else:
            root = k == 0 and width != 1
            found += [(None if root else joint, v + i) for i in range(width)]
        q, v = q + COORDINATES[body.joint.type], v + width
    return found


def place_of(places: list[tuple[str | None, int]], joint: str, name: str) -> int:
    """Return the place of the one number of a joint.

    Args:
        places: The result of `places_of`.
        joint: Its name.
        name: Of the object, for messages.

    Raises:
        KeyError: There is no such joint.
        ValueError: It has several degrees of freedom.
    """
    by_name = {found: place for found, place in places if found is not None}
    check.known(joint, by_name, f"joint of {name}")
    if sum(found == joint for found, _ in places) != 1:
        raise ValueError(
            f"joint {joint} of {name} has several degrees of freedom, a name stands for one: give an array"
        )
    return by_name[joint]


def named_places(part: Part, kind: str, joints: Sequence[str] | None) -> list[tuple[str, int]]:
    """Return joint and place of the one number of each joint, in the order of the names.

    Args:
        part: The object.
        kind: One of `KINDS`.
        joints: Names of joints with one degree of freedom; None: all of these.

    Raises:
        KeyError: There is no such joint.
        TypeError, ValueError: They are no list, there is none, or one has several degrees of freedom.
    """
    if joints is None:
        names = [joint for joint, _ in places_of(part, "targets") if joint is not None]
    else:
        names = check.listed(joints, f"joints of {part.name}", "names")
    if joints is not None and not names:
        raise ValueError(f"joints of {part.name} is empty: name some, or None for all")
    if not names:
        raise ValueError(f"{part.name} has no joint with one degree of freedom")
    places = places_of(part, kind)
    return [(name, place_of(places, name, part.name)) for name in names]
