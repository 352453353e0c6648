"""Shapes of robots: what collides, and what is drawn."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

from tribo.checks.orientation import quaternion
from tribo.description.extents import rotation_matrix
from tribo.raisimpy.arguments import picked, turned
from tribo.raisimpy.joints import CollisionBodies, CollisionDefinition, half_sizes
from tribo.raisimpy.objects import Object
from tribo.raisimpy.spelling import means, nothing, prints, vector


class RobotShapes(Object):
    """Collision and visual shapes of a robot; a body is named by its number or its link's name."""

    _old: ClassVar[dict[str, str]] = {
        "set_collision_object_shape_parameters": "setCollisionBodyShapeParameters",
        "set_collision_object_position_offset": "setCollisionBodyPositionOffset",
        "set_collision_object_orientation_offset": "setCollisionBodyOrientationOffset",
    }  # fmt: skip

    def _body_name(self, body: Any) -> str:
        if isinstance(body, str):
            return body
        return str(picked(self._links, body, "body", self._it).name)

    @functools.cached_property
    def _links(self) -> Any:
        """Handles of its bodies, which are made once, as those of its frames: a robot keeps its topology."""
        return self._it.links

    @functools.cached_property
    def _drawn(self) -> list[Any]:
        return [(link, shown) for link in self._links for shown in link.visuals]

    @functools.cached_property
    def _colliding(self) -> list[Any]:
        return [(self._links[self.body_of(it.name)], it) for it in self._it.collision_bodies]

    def body_of(self, collision_body: str) -> int:
        """Return the number of the body to which a collision body "LINK/0" belongs."""
        return int(self._it.frame(collision_body.rpartition("/")[0]).body_index)

    # -- what collides --------------------------------------------------------------------------------
    def getCollisionBodies(self) -> CollisionBodies:
        """``collision_bodies``"""
        return CollisionBodies(CollisionDefinition(body) for body in self._it.collision_bodies)

    def getCollisionBody(self, name: str) -> CollisionDefinition:
        """``collision_body("LINK/0")``"""
        return CollisionDefinition(self._it.collision_body(name))

    def _shape(self, which: Any) -> Any:
        it = self._it
        if isinstance(which, str):
            return it.collision_body(which)
        return picked(it.collision_bodies, which, "collision body", it)

    def setCollisionBodyShapeParameters(self, which: Any, *params: Any) -> None:
        """``collision_body("LINK/0").size = …``: half edges, half heights"""
        shape = self._shape(which)
        shape.size = half_sizes(shape.shape.name, params, f"size of {shape.name}")

    def setCollisionBodyPositionOffset(self, which: Any, *offset: Any) -> None:
        """``collision_body("LINK/0").position_in_body = …``"""
        self._shape(which).position_in_body = vector(offset)

    def setCollisionBodyOrientationOffset(self, which: Any, *offset: Any) -> None:
        """``collision_body("LINK/0").orientation_in_body = …``: also roll, pitch and yaw [rad]"""
        shape = self._shape(which)
        shape.orientation_in_body = turned(offset, f"orientation_in_body of {shape.name}")

    setCollisionObjectShapeParameters = setCollisionBodyShapeParameters
    setCollisionObjectPositionOffset = setCollisionBodyPositionOffset
    setCollisionObjectOrientationOffset = setCollisionBodyOrientationOffset

    def ignoreCollisionBetween(self, first: Any, second: Any) -> None:
        """``ignore_collision(first, second)``"""
        self._it.ignore_collision(self._body_name(first), self._body_name(second))

    def getIgnoredCollisionPairs(self) -> Any:
        """``ignored_collisions``"""
        return self._it.ignored_collisions

    dumpCollisionBodyPairInfo = prints("ignored_collisions")

    updateSelfCollisionCache = nothing("filters count from the next step on")
    setAllowedNumberOfInternalContactsBetweenTwoBodies = nothing("two links touch at all points")

    # -- what is drawn ------------------------------------------------------------------------
    getVisOb = means("``link(name).visuals``", lambda self: [shown for _, shown in self._drawn])

    def getVisColOb(self) -> list[Any]:
        """``collision_bodies``"""
        return [shape for _, shape in self._colliding]

    def getVisObPose(self, index: int) -> tuple[Any, Any]:
        """``link(name).to_world(visual.position)``, ``link(name).rotation_matrix``"""
        link, shown = picked(self._drawn, index, "visual", self._it)
        return _pose(link, shown.position, shown.quaternion)

    def getVisualObjectPosition(self, index: int) -> Any:
        """``link(name).to_world(visual.position)``"""
        return self.getVisObPose(index)[0]

    def getVisualObjectOrientation(self, index: int) -> Any:
        """``link(name).orientation``, times the visual's: a quaternion"""
        return quaternion(rotation_matrix=self.getVisObPose(index)[1])

    def getVisColObPose(self, index: int) -> tuple[Any, Any]:
        """``collision_bodies[…].position_in_body``, ``.orientation_in_body``"""
        link, shape = picked(self._colliding, index, "collision body", self._it)
        return _pose(link, shape.position_in_body, shape.orientation_in_body)

    def getVisColObPosition(self, index: int) -> Any:
        """``link(name).to_world(collision_bodies[…].position_in_body)``"""
        return self.getVisColObPose(index)[0]

    def getVisColObOrientation(self, index: int) -> Any:
        """``link(name).orientation``, times ``collision_bodies[…].orientation_in_body``: a quaternion"""
        return quaternion(rotation_matrix=self.getVisColObPose(index)[1])


def _pose(link: Any, position: Any, quaternion: Any) -> tuple[Any, Any]:
    """Return where something fixed to a link is, and how it is turned."""
    turn = link.rotation_matrix
    return turn.dot(position) + link.position, turn.dot(rotation_matrix(quaternion))
