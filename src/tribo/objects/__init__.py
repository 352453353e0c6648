"""What a world hands out: handles of single bodies, robots and their collision bodies."""

from tribo.objects.articulated import ArticulatedSystem
from tribo.objects.base import Object
from tribo.objects.collision_body import CollisionBody
from tribo.objects.height_map import HeightMap
from tribo.objects.single_body import SingleBody

__all__ = ["ArticulatedSystem", "CollisionBody", "HeightMap", "Object", "SingleBody"]
