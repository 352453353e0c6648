"""What a world hands out: handles of single bodies, robots and their collision bodies."""

from tribo.objects.articulated import ArticulatedSystem
from tribo.objects.base import Object
from tribo.objects.collision_body import CollisionBody
from tribo.objects.single_body import SingleBody

__all__ = ["ArticulatedSystem", "CollisionBody", "Object", "SingleBody"]
