"""Rays in all worlds of a batch at once: what robots see of their surroundings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.engine.builder import ALL_GROUPS
from tribo.engine.interrupts import deferred_signals
from tribo.engine.threads import run_together
from tribo.probes import cast
from tribo.readout.filters import ShapeFilter
from tribo.readout.rays import AT_ONCE, MAX_RAYS, slices


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BatchRayHits:
    """The nearest hit of each of N rays in each world, as read-only arrays."""

    distance: np.ndarray  # (worlds, N) [m]; infinity where nothing was hit
    position: np.ndarray  # (worlds, N, 3) [m], world; NaN where nothing was hit
    normal: np.ndarray  # (worlds, N, 3) unit, out of the solid; 0 where nothing was hit
    shape: np.ndarray  # (worlds, N) number of the collision shape in the world; −1: none

    def __repr__(self) -> str:
        """Return how many rays hit something."""
        return f"<BatchRayHits: {int(self.is_hit.sum())} of {self.shape.size} rays hit>"

    @property
    def is_hit(self) -> np.ndarray:
        """Whether each ray hit something, (worlds, N)."""
        return frozen(self.shape >= 0)


class BatchRays:
    """The part of a batch that answers rays: at its present state, moving nothing."""

    def __init__(self, batch: BatchOwner) -> None:
        self._batch = batch
        self._filters: list[ShapeFilter] = []

    def ray_test_batch(
        self, origins: Any, directions: Any, length: Any = math.inf, *,
        collision_mask: int = ALL_GROUPS, ignore: str | Sequence[str] = (),
    ) -> BatchRayHits:  # fmt: skip
        """Return what each of N rays in each world meets first, as `World.ray_test_batch` does, bit for bit.

        Args:
            origins: (worlds, N, 3), or (N, 3) for all worlds [m], world.
            directions: (worlds, N, 3), (N, 3), or (3,) for all rays, world, of any length but 0.
            length: How far rays reach [m] ≥ 0: a number, (N,) or (worlds, N).
            collision_mask: Bits; shapes of other groups are not seen.
            ignore: Names of objects that are not seen.

        Raises:
            ValueError, TypeError, KeyError: A value is wrong, or there is no such object.
            MemoryError: More than 2²⁴ rays in one call.
            EditError: Another thread steps the batch.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(0.5, mass=1.0, name="ball")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> batch["ball"].generalized_coordinate[:, 2] = 2, 3, 4
            >>> batch.ray_test_batch([[0, 0, 9.0]], (0, 0, -1)).distance[:, 0].tolist()
            [6.5, 5.5, 4.5]
        """
        self._batch.check_idle("ray_test_batch")
        worlds = len(self._batch)
        start = check.within_range(check.array(origins, "origins", "numbers"), "origins")
        toward = check.within_range(check.array(directions, "directions", "numbers"), "directions")
        count = max([n for a in (start, toward) if a.ndim > 1 for n in a.shape[-2:-1]], default=1)
        start = _of_worlds(start, "origins", (count, 3), worlds, worlds)
        toward = _of_worlds(toward, "directions", (count, 3), worlds, 1)
        far = check.array(length, "length", "numbers")
        if not (far >= 0.0).all():
            raise ValueError(f"length must be ≥ 0, got {check.shown(length)}")
        far = _of_worlds(far, "length", (count,), worlds, 1)
        if worlds * count > MAX_RAYS:
            raise MemoryError(f"{worlds * count} rays in one call; the limit is {MAX_RAYS}")
        norm = np.linalg.norm(toward, axis=2)
        if not ((norm > 1e-150) & (norm < 1e150)).all():
            raise ValueError("directions must not be 0: a ray needs a direction")
        bits = check.bits(collision_mask, "collision_mask")
        hit, shape = self._cast(bits, self._spans(ignore), start, toward, 0.0, far)
        along = np.where(shape >= 0, hit[:, :, 0], math.nan) / norm
        return BatchRayHits(
            frozen(hit[:, :, 0]), frozen(start + along[:, :, None] * toward),
            frozen(hit[:, :, 1:]), frozen(shape),
        )  # fmt: skip

    def height_scan(
        self, name: str, points: Any, *, above: float = 1.0, below: float = 10.0,
        collision_mask: int = ALL_GROUPS, ignore: str | Sequence[str] = (),
    ) -> np.ndarray:  # fmt: skip
        """Return heights of what is below points around an object, (worlds, N) [m], world.

        Rays go straight down; the points turn with the object about the vertical. Surfaces higher than
        `above` over its base are not seen. NaN where there is nothing.

        Args:
            name: Of the object, which is not seen itself.
            points: (N, 2) [m]: forward and to the left of its base.
            above, below: Where rays begin over the base, and how far down they go from it [m] ≥ 0.
            collision_mask, ignore: As in `ray_test_batch`.

        Raises:
            ValueError, TypeError, KeyError: A value is wrong, or there is no such object.
            EditError: Another thread steps the batch.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> step = world.add_box((1, 1, 0.2), 1.0, position=(1, 0, 0.1), body_type="static")
            >>> ball = world.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 0.5))
            >>> batch = tribo.Batch(world, 2, threads=1)
            >>> batch.height_scan("ball", [(0.0, 0.0), (1.0, 0.0)]).round(9).tolist()
            [[0.0, 0.2], [0.0, 0.2]]
        """
        grid = check.within_range(check.array(points, "points", "numbers"), "points")
        if grid.ndim != 2 or grid.shape[1] != 2:
            raise ValueError(f"points must have shape (N, 2), got {grid.shape}")
        top = check.number(above, "above", minimum=0.0)
        depth = check.number(below, "below", minimum=0.0)
        base, turn = self._batch[name].position, self._batch[name].orientation
        w, x, y, z = turn.T
        heading = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))[:, None]
        cosine, sine = np.cos(heading), np.sin(heading)
        origins = np.empty((len(self._batch), len(grid), 3))
        origins[:, :, 0] = base[:, :1] + cosine * grid[:, 0] - sine * grid[:, 1]
        origins[:, :, 1] = base[:, 1:2] + sine * grid[:, 0] + cosine * grid[:, 1]
        origins[:, :, 2] = base[:, 2:] + top
        unseen = [name, *([ignore] if isinstance(ignore, str) else ignore)]
        down = np.array([0.0, 0.0, -1.0])
        hits = self.ray_test_batch(origins, down, top + depth, collision_mask=collision_mask, ignore=unseen)
        return hits.position[:, :, 2]

    def look(
        self, start: np.ndarray, toward: np.ndarray, nearest: float, reach: np.ndarray, hidden: slice
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distance [m] (infinity: nothing) and object number (−1) of R rays of sensors, (worlds, R).

        Args:
            start, toward: (worlds, R, 3) [m], world.
            nearest: Distance from which on something is seen [m].
            reach: (R,) [m].
            hidden: Shapes that are not seen.
        """
        count = toward.shape[1]
        start, toward, far = (
            np.array(np.broadcast_to(a, shape), order="C")
            for a, shape in ((start, toward.shape), (toward, toward.shape), (reach, (1, count)))
        )
        hit, shape = self._cast(ALL_GROUPS, [hidden], start, toward, nearest, far)
        first = np.array([part.span.shape.start for part in self._batch.parts.values()])
        number = np.searchsorted(first, shape, side="right") - 1
        return hit[:, :, 0].copy(), np.where(shape >= 0, number, -1)

    def _spans(self, ignore: str | Sequence[str]) -> list[slice]:
        """Return which shapes belong to objects that are not seen."""
        if not check.is_iterable(ignore):
            raise TypeError(f"ignore must be names of objects, got {check.shown(ignore)}")
        names = [ignore] if isinstance(ignore, str) else list(ignore)
        parts = self._batch.parts
        return [parts[check.known(name, parts, "object")].span.shape for name in names]

    def _cast(
        self, bits: int, spans: list[slice], start: np.ndarray, toward: np.ndarray, nearest: float,
        far: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Return distance and normal (worlds, N, 4), and the shape that each ray hits, (worlds, N).

        Each thread asks the rays of some worlds.
        """
        hit = np.empty((len(self._batch), start.shape[1], 4))
        shape = np.empty(hit.shape[:2], np.int64)
        self._look(bits, spans)
        for rays in slices(start.shape[1]):
            given = [np.ascontiguousarray(a[:, rays]) for a in (start, toward, far)]
            made = (np.empty((len(hit), given[0].shape[1], 4)), np.empty(given[0].shape[:2], np.int64))
            self._cast_slice(given, nearest, *made)
            hit[:, rays], shape[:, rays] = made
        return hit, shape

    def _look(self, bits: int, spans: list[slice]) -> None:
        """Have a filter for each thread, which sees shapes of some groups."""
        engine = self._batch.engine
        threads = min(self._batch.threads, len(self._batch))
        filters = [shape_filter for shape_filter in self._filters if shape_filter.fits(engine)]
        filters += [ShapeFilter(engine) for _ in range(threads - len(filters))]
        self._filters = filters[:threads]
        for shape_filter in self._filters:
            shape_filter.look(bits, spans)

    def _cast_slice(
        self, given: list[np.ndarray], nearest: float, hit: np.ndarray, shape: np.ndarray
    ) -> None:
        """Cast rays, as many in all worlds; if a signal waits, stop between two shares of the worlds."""
        worlds, engine = len(self._batch), self._batch.engine
        start, toward, far = given
        few = max(1, min(worlds // (4 * len(self._filters)), AT_ONCE // max(1, start.shape[1])))
        starts = iter(range(0, worlds, few))  # one iterator: each start is handed out once

        def work(shape_filter: ShapeFilter) -> None:
            for first in starts:
                cast.closest_in_worlds(
                    engine.model, engine.state, shape_filter.work, shape_filter.scene, first,
                    min(first + few, worlds), start, toward, nearest, far, hit, shape,
                )  # fmt: skip
                if deferred_signals.is_late():
                    return

        with deferred_signals:
            while True:
                run_together([partial(work, shape_filter) for shape_filter in self._filters])
                if not deferred_signals.is_late():
                    return
                deferred_signals.let_through()


def _of_worlds(value: np.ndarray, what: str, shape: tuple[int, ...], worlds: int, least: int) -> np.ndarray:
    """Return numbers with the world as first axis, (1 or worlds, *shape); `least`: how many there must be."""
    full = len(shape) + 1
    if value.ndim < full or value.shape != (worlds, *shape):
        try:
            value = np.broadcast_to(value, shape)[None]
        except ValueError:
            raise ValueError(
                f"{what} must have shape {shape} or {(worlds, *shape)}, got {value.shape}"
            ) from None
    if len(value) < least:
        value = np.broadcast_to(value, (least, *shape))
    return np.ascontiguousarray(value)
