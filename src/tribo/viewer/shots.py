"""A run kept as poses, to be drawn when it is over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tribo.viewer import draw, scene
from tribo.viewer.raster import Camera

if TYPE_CHECKING:
    from tribo.world.world import World

STILL = 1e-3  # [m, –] what moves less between two pictures is not drawn anew
ARROW = 0.25  # [m] mean length of the last arrows


class Shots:
    """Poses and contact forces of a world at the times of a film."""

    def __init__(self, world: World) -> None:
        """Note what there is to draw; objects must not change from here on."""
        self.scene = scene.describe(world)
        self.poses: list[scene.Poses] = []
        self.forces: list[scene.Forces] = []

    def note(self, world: World) -> None:
        """Keep the present state as a frame."""
        self.poses.append(scene.read_poses(world))
        self.forces.append(scene.read_forces(world))

    def pictures(
        self, camera: Camera, style: draw.Style, *, with_forces: bool
    ) -> Iterator[np.ndarray]:
        """Draw one frame after another; a still one is drawn once."""
        if with_forces:
            style = replace(style, force_scale=self._force_scale())
        drawn: tuple[scene.Poses, np.ndarray] | None = None
        for poses, forces in zip(self.poses, self.forces, strict=True):
            if drawn is None or not _look_alike(drawn[0], poses):
                drawn = poses, draw.picture(self.scene, poses, camera, style, forces)
            yield drawn[1]

    def _force_scale(self) -> float:
        force = self.forces[-1].force
        total = float(np.linalg.norm(force, axis=1).sum())
        return ARROW * len(force) / total if total > 0.0 else 0.0


def _look_alike(first: scene.Poses, second: scene.Poses) -> bool:
    moved = np.abs(first.position - second.position).max(initial=0.0)
    turned = np.abs(first.rotation - second.rotation).max(initial=0.0)
    return bool(max(moved, turned) < STILL)
