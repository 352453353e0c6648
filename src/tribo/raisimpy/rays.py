"""Hits of rays and of a world's depth cameras."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import orientation
from tribo.raisimpy.arguments import instance, member, picked
from tribo.raisimpy.enums import NoiseType
from tribo.raisimpy.spelling import Dialects, Wrapper, data, means, nothing, reads
from tribo.sensors import Noise


class RayCollisionItem(Wrapper):
    """A hit of a ray."""

    def __init__(self, world: Any, it: Any) -> None:
        """Wrap a hit of tribo."""
        super().__init__(it)
        self._world = world

    getPosition = reads("position")
    getCollisionBody = reads("collision_body")
    getObject = means("``object``", lambda self: self._world.wrap(self._it.object))


class RayCollisionList(list[Any]):
    """The closest hit of a ray, or none."""

    def __init__(self, world: Any, hits: list[Any]) -> None:
        """Wrap hits of tribo."""
        super().__init__(RayCollisionItem(world, hit) for hit in hits)

    size = means("``0 if hit is None else 1``", lambda self: len(self))
    at = means("``world.ray_test(…)``", lambda self, index: picked(self, index, "hit"))

    setSize = set_size = resize = reserve = nothing("a list of Python")


def ray_ignore(world: Any, number: int, body: int) -> Any:
    """Return what a ray shall ignore: an object of the world by its index, or one body of it."""
    if type(number) is type(body) is int and number == body == -10:  # RaiSim's word for none
        return ()
    check.integer(body, "localId", -check.MAX_INTEGER)
    if not 0 <= check.integer(number, "objectId", -check.MAX_INTEGER) < len(world.objects):
        return ()
    part = world.objects[number]
    if body >= 0 and hasattr(part, "body_names"):
        return part.link(picked(part.body_names, body, f"body of {part.name}"))
    return part


@dataclass
class DepthCameraProperties(Dialects):
    """How a world's depth camera sees."""

    width: int = 160
    height: int = 120
    clipNear: float = 0.05
    clipFar: float = 50.0
    hFOV: float = 1.2
    captureDepth: bool = True
    captureSegmentation: bool = False
    capturePoints: bool = False
    depthNoiseType: Any = "no_noise"
    depthNoiseMean: float = 0.0
    depthNoiseStd: float = 0.0
    seed: int = 0


data(DepthCameraProperties)


@dataclass
class DepthCameraFrame(Dialects):
    """Its measurement: depth [m] (NaN: nothing), number of the object (−1: none), points [m], time [s]."""

    depth: Any = None
    segmentation: Any = None
    points: Any = None
    timestamp: float = -1.0


def capture(world: Any, position: Any, rotation: Any, properties: Any, frame: Any) -> Any:
    """Return what a depth camera at a pose sees now."""
    p = instance(properties, DepthCameraProperties, "properties")
    made = DepthCameraFrame() if frame is None else instance(frame, DepthCameraFrame, "frame")
    kind, noise = member(NoiseType, p.depthNoiseType), None
    if kind != NoiseType.NO_NOISE:
        noise = Noise(mean=p.depthNoiseMean, stddev=p.depthNoiseStd, kind=kind.value)
    camera = world.add_depth_camera(
        None, position=position, orientation=orientation(rotation, "rotation"), width=p.width,
        height=p.height, horizontal_fov=p.hFOV, clip=(p.clipNear, p.clipFar), noise=noise, seed=p.seed,
    )  # fmt: skip
    try:
        seen = camera.measure()
        made.timestamp = seen.time
        made.depth = np.ravel(seen.depth) if p.captureDepth else None
        made.segmentation = np.ravel(seen.segmentation) if p.captureSegmentation else None
        made.points = camera.points().reshape(-1, 3) if p.capturePoints else None
    finally:
        world.remove_sensor(camera)
    return made
