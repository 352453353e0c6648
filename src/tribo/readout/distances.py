"""Distances between objects, and what is at a place."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.engine.builder import ALL_GROUPS
from tribo.objects import CollisionBody
from tribo.objects.world_view import WorldView
from tribo.readout.filters import object_numbers, shapes_of
from tribo.readout.rays import WorldRays


class Distance(NamedTuple):
    """How far apart two things are; vectors in world axes."""

    distance: float  # [m]; negative: the depth of an overlap
    normal: np.ndarray  # (3,) unit, from b to a
    point_a: np.ndarray  # (3,) [m] of a, nearest to b (or deepest in it)
    point_b: np.ndarray  # (3,) [m] of b
    collision_body_a: CollisionBody
    collision_body_b: CollisionBody


class WorldProximity:
    """The part of a world that answers how far things are apart and what is where."""

    def __init__(self, world: WorldView, rays: WorldRays) -> None:
        """Ask a world; what a question sees is what rays see."""
        self._world, self._rays = world, rays

    def distance(self, a: Any, b: Any, limit: float = math.inf) -> Distance | None:
        """Return how far apart two things are, None if farther than a limit.

        Args:
            a, b: Objects, collision bodies or links of robots. Of several shapes the nearest pair counts;
                collision groups and masks do not.
            limit: [m]; what is farther apart is found out sooner.

        Returns:
            Distance and nearest points. Of convex shapes that overlap: the length of the least push that
            parts them, negative; with terrain: the depth of the deepest contact point.

        Raises:
            ValueError: Two pieces of ground have no distance, nor has what has no collision shape.
            TypeError: a or b is something else.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> one = world.add_sphere(radius=0.5, mass=1.0)
            >>> two = world.add_box((1, 1, 1), mass=1.0, position=(2, 0, 0))
            >>> found = world.distance(one, two)
            >>> found.distance, found.point_b.tolist()
            (1.0, [1.5, 0.0, 0.0])
        """
        from tribo.probes import near

        is_open = check.is_scalar(limit) and limit == math.inf
        reach = math.inf if is_open else check.number(limit, "limit")
        sides = shapes_of(a, self._world, "a"), shapes_of(b, self._world, "b")
        shape_filter, engine = self._rays.look(ALL_GROUPS, ()), self._world.engine
        shape_filter.scene.is_seen[:] = 0
        for side in sides:
            shape_filter.scene.is_seen[side] = 1
        spans = np.array([x for side in sides for x in (side.start, side.stop)], np.int64)
        out, pair = np.zeros(10), np.zeros(2, np.int64)
        found = near.nearest(
            engine.model, engine.state, shape_filter.work, shape_filter.scene, spans, reach, out, pair
        )
        if found < 0:
            raise ValueError(
                f"no distance between {check.shown(a)} and {check.shown(b)}: each needs a collision "
                "shape, and two pieces of ground have none"
            )
        if not found:
            return None
        first, second = self._bodies(pair)
        normal, at_a, at_b = (frozen(out[k : k + 3].copy()) for k in (1, 4, 7))
        return Distance(float(out[0]), normal, at_a, at_b, first, second)

    def overlaps(self, a: Any, b: Any) -> bool:
        """Tell whether two things touch or overlap; arguments as in `distance`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(radius=0.5, mass=1.0, position=(0, 0, 0.4))
            >>> world.overlaps(ball, ground)
            True
        """
        return self.distance(a, b, 0.0) is not None

    def collision_bodies_in(
        self, low: Any, high: Any, *, collision_mask: int = ALL_GROUPS
    ) -> list[CollisionBody]:
        """Return the collision bodies whose bounding boxes overlap a box, in the order of the objects.

        Args:
            low, high: (3,) [m] its least and greatest corner, world.
            collision_mask: Bits; shapes of other groups are not seen.

        Raises:
            ValueError: `low` is beyond `high`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.5, mass=1.0)
            >>> world.collision_bodies_in((0.4, 0, 0), (2, 1, 1)) == list(ball.collision_bodies)
            True
        """
        corner, other = check.vector(low, "low", 3), check.vector(high, "high", 3)
        if (corner > other).any():
            raise ValueError(f"low {corner.tolist()} must not be beyond high {other.tolist()} on any axis")
        return self._there(corner, other, False, collision_mask)

    def collision_bodies_at(self, point: Any, *, collision_mask: int = ALL_GROUPS) -> list[CollisionBody]:
        """Return the collision bodies around a point (3,) [m], world; terrain: the ground below it.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.5, mass=1.0)
            >>> [body.name for body in world.collision_bodies_at((0.1, 0.2, 0.3))]
            ['sphere/0']
        """
        at = check.vector(point, "point", 3)
        return self._there(at, at, True, collision_mask)

    def _there(self, low: np.ndarray, high: np.ndarray, is_point: bool, mask: int) -> list[CollisionBody]:
        from tribo.probes import near

        shape_filter, engine = self._rays.look(mask, ()), self._world.engine
        near.there(engine.model, engine.state, shape_filter.work, shape_filter.scene, low, high, is_point)
        return self._bodies(np.flatnonzero(shape_filter.scene.is_seen))

    def _bodies(self, shapes: np.ndarray) -> list[CollisionBody]:
        """Return collision bodies by their numbers in the world."""
        objects, found = self._world.objects, []
        for s, k in zip(shapes.tolist(), object_numbers(self._world.objects, shapes).tolist(), strict=True):
            span = objects[k].span
            assert span is not None
            found.append(objects[k].collision_bodies[s - span.shape.start])
        return found
