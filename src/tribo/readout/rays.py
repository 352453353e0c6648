"""Rays into a world: one, many at once, or all that one ray crosses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Answering
from tribo.engine.builder import ALL_GROUPS
from tribo.engine.engine import Engine
from tribo.objects import CollisionBody, Object
from tribo.objects.world_view import WorldView
from tribo.readout.filters import ShapeFilter, object_numbers, shapes_of

MAX_RAYS = 1 << 24  # of one call: a gigabyte of answers
AT_ONCE = 1 << 13  # between two places where signals are heard


class _HitFields(NamedTuple):
    distance: float  # [m] from the origin
    position: np.ndarray  # (3,) [m]
    normal: np.ndarray  # (3,) unit, out of the solid; along the ray where the ray leaves it
    object: Object
    collision_body: CollisionBody  # its `name` is as in `Contact.body_a`
    material: str


class RayHit(Answering, _HitFields):
    """Where a ray crosses the surface of an object; vectors in world axes."""

    __slots__ = ()
    _called = "hit"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RayHits(Answering):
    """The nearest hit of each of N rays, as read-only arrays; nothing hit: infinity, −1 or NaN."""

    _called: ClassVar[str] = "hit"

    origin: np.ndarray  # (N, 3) [m]
    direction: np.ndarray  # (N, 3) as given
    distance: np.ndarray  # (N,) [m]
    normal: np.ndarray  # (N, 3) unit, out of the solid; 0 where nothing was hit
    shape: np.ndarray  # (N,) number of the collision shape in the world
    engine: Engine
    objects: tuple[Object, ...]

    def __repr__(self) -> str:
        """Return how many rays hit something."""
        return f"<RayHits: {int(self.is_hit.sum())} of {len(self.distance)} rays hit>"

    def __len__(self) -> int:
        """Return the number of rays."""
        return len(self.distance)

    @property
    def is_hit(self) -> np.ndarray:
        """Whether each ray hit something, (N,)."""
        return frozen(self.shape >= 0)

    @property
    def position(self) -> np.ndarray:
        """Where the hits are, (N, 3) [m], world; NaN where nothing was hit."""
        length = np.linalg.norm(self.direction, axis=1)
        along = np.where(self.shape >= 0, self.distance, math.nan) / length
        return frozen(self.origin + along[:, None] * self.direction)

    @property
    def object_index(self) -> np.ndarray:
        """Which of `World.objects` was hit, (N,); −1: none."""
        return frozen(object_numbers(self.objects, self.shape))

    @property
    def body_index(self) -> np.ndarray:
        """Which body of that object was hit, (N,), as in `body_names` of a robot; −1: none."""
        first = np.array([part.span.body.start for part in self.objects if part.span], np.int64)
        return self._looked_up(self.engine.model.shape_body, first)

    @property
    def material_index(self) -> np.ndarray:
        """Which of `World.material_names` was hit, (N,); −1: none."""
        return self._looked_up(self.engine.model.shape_material, None)

    def _looked_up(self, table: np.ndarray, first: np.ndarray | None) -> np.ndarray:
        found = np.full(len(self.shape), -1, np.int64)
        hit = self.shape >= 0
        found[hit] = table[self.shape[hit]]
        if first is not None and hit.any():
            found[hit] -= first[self.object_index[hit]]
        return frozen(found)


class WorldRays:
    """The part of a world that answers rays: at its present state, moving nothing.

    A hit is where a ray crosses a surface. A ray that starts inside of a solid hits it where it leaves.
    Terrain has no sides and no bottom. Collision shapes count; what is only drawn does not.
    """

    def __init__(self, world: WorldView) -> None:
        self._world = world
        self._filter: ShapeFilter | None = None

    def look(self, mask: int, ignore: Any) -> ShapeFilter:
        """Return scratch that sees what a question is about."""
        bits = check.bits(mask, "collision_mask")
        things = ignore if isinstance(ignore, (list, tuple, set, frozenset)) else [ignore]
        spans = [shapes_of(thing, self._world, "ignore") for thing in things]
        engine = self._world.engine
        if self._filter is None or not self._filter.fits(engine):
            self._filter = ShapeFilter(engine)
        self._filter.look(bits, spans)
        return self._filter

    def ray_test(self, origin: Any, direction: Any, length: float = math.inf, *,
                 collision_mask: int = ALL_GROUPS, ignore: Any = ()) -> RayHit | None:  # fmt: skip
        """Return what a ray meets first, None if it meets nothing.

        Args:
            origin: (3,) [m], world.
            direction: (3,), world, of any length but 0.
            length: How far the ray reaches [m] ≥ 0.
            collision_mask: Bits; shapes of other groups are not seen.
            ignore: An object, a collision body or a link that is not seen, or a list of such.

        Raises:
            ValueError, TypeError: A value is wrong, or what is ignored belongs to another world.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(radius=0.5, mass=1.0, position=(0, 0, 2))
            >>> hit = world.ray_test((0, 0, 5), (0, 0, -1))
            >>> hit.object is ball, hit.distance
            (True, 2.5)
            >>> world.ray_test((0, 0, 5), (0, 0, -1), ignore=ball).object is ground
            True
        """
        start, toward, reach = self._one_ray(origin, direction, length)
        shape_filter = self.look(collision_mask, ignore)
        hit, shape = self.cast(shape_filter, start, toward, 0.0, reach)
        return None if shape[0] < 0 else self._hit(start[0], toward[0], hit[0], int(shape[0]))

    def ray_test_all(self, origin: Any, direction: Any, length: float = math.inf, *,
                     collision_mask: int = ALL_GROUPS, ignore: Any = ()) -> list[RayHit]:  # fmt: skip
        """Return every crossing of a ray with a surface, nearest first; arguments as in `ray_test`.

        A solid that is crossed is there twice: where the ray enters, and where it leaves.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> box = world.add_box((1, 1, 1), mass=1.0, position=(3, 0, 0))
            >>> [hit.distance for hit in world.ray_test_all((0, 0, 0), (1, 0, 0))]
            [2.5, 3.5]
        """
        from tribo.probes import cast

        start, toward, reach = self._one_ray(origin, direction, length)
        shape_filter = self.look(collision_mask, ignore)
        engine, room = self._world.engine, 32
        while True:
            hit, shape = np.zeros((room, 4)), np.zeros(room, np.int64)
            found = cast.all_hits(
                engine.model, engine.state, shape_filter.work, shape_filter.scene, start, toward, 0.0, reach,
                hit, shape,
            )  # fmt: skip
            if found < 0:
                raise _refused(0, start, toward)
            if found <= room:
                break
            room = found
        order = np.lexsort((shape[:found], hit[:found, 0]))
        return [self._hit(start[0], toward[0], hit[k], int(shape[k])) for k in order]

    def ray_test_batch(self, origins: Any, directions: Any, length: Any = math.inf, *,
                       collision_mask: int = ALL_GROUPS, ignore: Any = ()) -> RayHits:  # fmt: skip
        """Return what each of N rays meets first.

        Args:
            origins: (N, 3) [m], or (3,) for all rays, world.
            directions: (N, 3), or (3,) for all rays, world, of any length but 0.
            length: [m], a number or (N,).
            collision_mask, ignore: As in `ray_test`.

        Raises:
            ValueError, TypeError: A value is wrong; the message names the ray.
            MemoryError: More than 2²⁴ rays in one call.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World()
            >>> _ = world.add_ground()
            >>> down = world.ray_test_batch(np.array([[0, 0, 1.0], [5, 0, 2.0]]), (0, 0, -1))
            >>> down.distance.tolist()
            [1.0, 2.0]
        """
        start, toward = _rows(origins, "origins"), _rows(directions, "directions")
        count = max(len(start), len(toward))
        start, toward = _as_many(start, count, "origins"), _as_many(toward, count, "directions")
        if check.is_scalar(length):
            reach = np.full(count, _length(length))
        else:
            reach = check.array(length, "length", "a number or one per ray")
            if reach.shape != (count,):
                raise ValueError(f"length must be a number or have shape ({count},), got {reach.shape}")
            if not (reach >= 0.0).all():
                k = int(np.argmax(~(reach >= 0.0)))
                raise ValueError(f"length must be ≥ 0, entry {k} is {float(reach[k])!r}")
        shape_filter = self.look(collision_mask, ignore)
        hit, shape = self.cast(shape_filter, start, toward, 0.0, reach)
        return RayHits(
            frozen(start), frozen(toward), frozen(hit[:, 0]), frozen(hit[:, 1:]), frozen(shape),
            self._world.engine, tuple(self._world.objects),
        )  # fmt: skip

    def _one_ray(self, origin: Any, direction: Any, length: Any) -> tuple[np.ndarray, ...]:
        start = check.vector(origin, "origin", 3)[None]
        toward = check.vector(direction, "direction", 3)[None]
        return start, toward, np.array([_length(length)])

    def cast(
        self, seen: ShapeFilter, start: np.ndarray, toward: np.ndarray, nearest: float, reach: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distance and normal (N, 4), and the shape (N,) that each ray hits."""
        engine, count = self._world.engine, len(start)
        hit, shape = np.empty((count, 4)), np.empty(count, np.int64)
        from tribo.probes import cast

        for rays in slices(count):
            bad = cast.closest(
                engine.model, engine.state, seen.work, seen.scene, count <= cast.FEW, start[rays],
                toward[rays], nearest, reach[rays], hit[rays], shape[rays],
            )  # fmt: skip
            if bad >= 0:
                raise _refused(rays.start + bad, start, toward)
        return hit, shape

    def _hit(self, start: np.ndarray, toward: np.ndarray, hit: np.ndarray, shape: int) -> RayHit:
        """Return a hit with names."""
        objects = self._world.objects
        part = objects[int(object_numbers(objects, np.array([shape]))[0])]
        assert part.span is not None
        position = start + hit[0] / np.linalg.norm(toward) * toward
        material = self._world.material_names[self._world.engine.model.shape_material[shape]]
        body = part.collision_bodies[shape - part.span.shape.start]
        return RayHit(float(hit[0]), frozen(position), frozen(hit[1:].copy()), part, body, material)


def slices(count: int) -> list[slice]:
    """Return the parts in which so many rays are cast: signals are heard between two of them.

    Example:
        >>> slices(10_000)
        [slice(0, 5000, None), slice(5000, 10000, None)]
    """
    parts = max(1, -(-count // AT_ONCE))
    edges = [count * k // parts for k in range(parts + 1)]
    return [slice(first, stop) for first, stop in pairwise(edges)]


def _refused(bad: int, start: np.ndarray, toward: np.ndarray) -> ValueError:
    """Return the error of a ray that has no place or no direction."""
    return ValueError(
        f"ray {bad} from {start[bad].tolist()} has direction {toward[bad].tolist()}; the origin "
        "must be finite, the direction finite and not 0"
    )


def _length(value: Any) -> float:
    """Return how far a ray reaches; infinity is allowed."""
    if isinstance(value, (float, np.floating)) and value == math.inf:
        return math.inf
    return check.number(value, "length", minimum=0.0)


def _rows(value: Any, what: str) -> np.ndarray:
    """Return (n, 3) numbers; too many are refused before they are copied."""
    shape: Sequence[int] = np.shape(value) if isinstance(value, np.ndarray) else ()
    if len(shape) == 2 and shape[0] > MAX_RAYS:
        raise MemoryError(f"{what}: {shape[0]} rays, at most {MAX_RAYS} in one call; split them")
    array = check.array(value, what, "(N, 3) numbers")
    if array.ndim not in (1, 2) or array.shape[-1] != 3:
        raise ValueError(f"{what} must have shape (N, 3) or (3,), got {array.shape}")
    return array.reshape(-1, 3)


def _as_many(rows: np.ndarray, count: int, what: str) -> np.ndarray:
    """Return one row per ray."""
    if len(rows) == count:
        return np.ascontiguousarray(rows)
    if len(rows) != 1:
        raise ValueError(f"{what} has {len(rows)} rows for {count} rays; give one, or one per ray")
    return np.repeat(rows, count, axis=0)
