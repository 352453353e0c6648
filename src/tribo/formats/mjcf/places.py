"""Where bodies of an MJCF file, and sites and geoms on them, are in the trees that the file becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribo.description.trees import Vector
from tribo.formats.loops import poses_at
from tribo.formats.mjcf.bodies import WORLD, Body
from tribo.formats.mjcf.geoms import Geom
from tribo.formats.mjcf.trees import Tree
from tribo.formats.pose import NO_POSE, Pose


@dataclass(slots=True)
class Place:
    """A body of the file in the tree that it is part of."""

    tree: int  # −1: it stands
    body: int  # of the tree; −1: the world
    inner: Pose  # of the file's body in that of the tree
    world: Pose  # of the file's body as the file draws it
    link: str = ""  # that it became, as `PartDescription.link`


class Places:
    """All bodies of a file, and their sites and geoms by name."""

    def __init__(
        self, bodies: Sequence[Body], trees: Sequence[Tree], drawn: Sequence[Vector]
    ) -> None:
        """Find them; `drawn` has the coordinates in which the file draws each tree."""
        self.trees, self.drawn = trees, drawn
        self.poses = [
            poses_at(tree.description, q) for tree, q in zip(trees, drawn, strict=True)
        ]  # of the bodies of each tree, as drawn
        self.bodies = self._places(bodies)
        self.sites: dict[str, tuple[int, Pose]] = {
            name: (k, at) for k, body in enumerate(bodies) for name, at in body.sites
        }
        self.geoms: dict[str, tuple[int, Geom]] = {
            geom.name: (k, geom) for k, body in enumerate(bodies) for geom in body.geoms
        }

    def _places(self, bodies: Sequence[Body]) -> list[Place]:
        stand: list[Pose] = []
        for number, own in enumerate(bodies):
            stand.append(NO_POSE if number == WORLD else stand[own.parent] @ own.pose)
        made = [Place(-1, -1, pose, pose) for pose in stand]
        for t, tree in enumerate(self.trees):
            poses = self.poses[t]
            for number, (body, inner) in tree.place.items():
                made[number] = Place(t, body, inner, poses[body] @ inner, tree.links[number])
        return made
