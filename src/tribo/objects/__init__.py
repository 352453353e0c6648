"""Handles of a world's parts: single bodies, robots, their links, joints, frames, collision bodies."""

from tribo.objects.articulated import ArticulatedSystem
from tribo.objects.base import Object
from tribo.objects.collision_body import CollisionBody
from tribo.objects.dynamics import Evaluation
from tribo.objects.frames import Frame
from tribo.objects.handles import Joint, Link
from tribo.objects.height_map import HeightMap
from tribo.objects.inverse_kinematics import Reached
from tribo.objects.single_body import SingleBody

__all__ = [
    "ArticulatedSystem",
    "CollisionBody",
    "Evaluation",
    "Frame",
    "HeightMap",
    "Joint",
    "Link",
    "Object",
    "Reached",
    "SingleBody",
]
