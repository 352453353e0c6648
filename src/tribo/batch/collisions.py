"""Which shapes began to touch and which came apart in the steps of a call, in all worlds of a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tribo.batch.contacts import BatchContacts, OfPairs, read_contacts
from tribo.batch.owner import BatchOwner
from tribo.checks import check
from tribo.engine.interrupts import deferred_signals


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BatchCollisions(OfPairs):
    """Pairs of shapes that began or ceased to touch, n in all worlds together, in the order of the steps.

    All arrays are read-only copies.

    Example:
        >>> import tribo
        >>> world = tribo.World(time_step=0.01)
        >>> ground = world.add_ground()
        >>> ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 0.2), name="ball")
        >>> batch = tribo.Batch(world, 2, threads=1)
        >>> batch["ball"].generalized_coordinate[1, 2] = 5.0
        >>> batch.watch_collisions = True
        >>> _ = batch.step(30)
        >>> found = batch.collisions
        >>> found.world.tolist(), found.begins.tolist(), found.between("ball", ground.name).tolist()
        ([0], [True], [True])
    """

    world: np.ndarray  # (n,) which world
    step: np.ndarray  # (n,) which step of the call, from 0
    begins: np.ndarray  # (n,) of bool: they began to touch; else: they ceased to
    object: np.ndarray  # (n, 2) A and B: which of `object_names`
    body: np.ndarray  # (n, 2) body of that object, as in `body_names` of a robot
    shape: np.ndarray  # (n, 2) number of the collision shape in the world
    impulse: np.ndarray  # (n, 3) [N s] on A in that step, world axes, all points; 0 as they cease
    position: np.ndarray  # (n, 3) [m] middle of these points, world axes; 0 as they cease
    object_names: tuple[str, ...]

    def __repr__(self) -> str:
        """Return how many pairs began to touch, and how many ceased to."""
        begun = int(self.begins.sum())
        return f"<BatchCollisions: {begun} begin, {len(self) - begun} end>"


class CollisionWatch:
    """The part of a batch that notes who begins to touch whom."""

    _touching: np.ndarray  # pairs that touched in the last step: numbers of world and shapes in one

    def __init__(self, batch: BatchOwner) -> None:
        self._batch, self._is_watching = batch, False
        self._events: list[dict[str, np.ndarray]] = []

    @property
    def watch_collisions(self) -> bool:
        """Whether `step` notes which shapes begin to touch; then it makes one step after the other.

        The numbers are the same, bit for bit; each step costs the reading of its contacts more.
        """
        return self._is_watching

    @watch_collisions.setter
    def watch_collisions(self, value: bool) -> None:
        self._is_watching = bool(check.boolean(value, "watch_collisions"))
        self._events = []
        self._touching = _pairs_of(self.contacts(), self._shape_count())[0]

    @property
    def collisions(self) -> BatchCollisions:
        """Pairs that began and ceased to touch in the last call of `step`: `BatchCollisions`.

        Pairs that touched in the step before the call did not begin, whatever was set in between.

        Raises:
            RuntimeError: `watch_collisions` is off.
        """
        if not self._is_watching:
            raise RuntimeError("collisions are not noted; set batch.watch_collisions = True first")
        return _collected(self._events, tuple(self._batch.parts))

    def contacts(self) -> BatchContacts:
        """Return the points that touched in the last step, of all worlds."""
        spans = {name: part.span for name, part in self._batch.parts.items()}
        return read_contacts(self._batch.engine, spans, self._batch.material_names)

    def _shape_count(self) -> int:
        return int(self._batch.engine.model.arrays["shape_body"].shape[1])

    def run_watched(self, n: int, threads: int, before_last: Callable[[], None] | None = None) -> np.ndarray:
        """Make n steps one by one; return how many each world has left undone.

        before_last: Called before the last of them.
        """
        engine = self._batch.engine
        left, said = np.zeros(engine.worlds, np.int64), np.zeros_like(engine.status)
        self._events = []
        for step in range(n):
            if before_last is not None and step == n - 1:
                before_last()
            left += engine.run_all(1, threads)
            said |= engine.status
            self._note(step)
            if step + 1 < n:
                deferred_signals.let_through()
        engine.status |= said  # what one of many steps had to say is not lost
        return left

    def _note(self, step: int) -> None:
        """Note what the last step changed."""
        found, count = self.contacts(), self._shape_count()
        pairs, place = _pairs_of(found, count)
        before, self._touching = self._touching, pairs
        begins = np.flatnonzero(~np.isin(pairs, before, assume_unique=True))
        ended = before[~np.isin(before, pairs, assume_unique=True)]
        if not len(begins) + len(ended):
            return
        dt = self._batch.engine.settings.arrays["dt"].reshape(-1)[found.world, None]
        points = np.bincount(place, minlength=len(pairs))[:, None]
        impulse, position = (
            np.stack([np.bincount(place, a[:, k], len(pairs)) for k in range(3)], axis=1)
            for a in (found.force * dt, found.position)
        )
        keys = np.concatenate([pairs[begins], ended])
        shape = np.stack([keys // count % count, keys % count], axis=1)
        first_shape = np.array([part.span.shape.start for part in self._batch.parts.values()])
        first_body = np.array([part.span.body.start for part in self._batch.parts.values()])
        number = np.searchsorted(first_shape, shape, side="right") - 1
        body = self._batch.engine.model.arrays["shape_body"][0][shape]
        none = np.zeros((len(ended), 3))
        self._events.append({
            "world": keys // (count * count), "step": np.full(len(keys), step),
            "begins": np.arange(len(keys)) < len(begins), "object": number,
            "body": body - first_body[number], "shape": shape,
            "impulse": np.concatenate([impulse[begins], none]),
            "position": np.concatenate([(position / points)[begins], none]),
        })  # fmt: skip


def _pairs_of(found: BatchContacts, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs that touch, sorted, and for each point which of them it belongs to."""
    keys = (found.world * count + found.shape[:, 0]) * count + found.shape[:, 1]
    pairs, place = np.unique(keys, return_inverse=True)
    return pairs, place


def _collected(events: list[dict[str, Any]], names: tuple[str, ...]) -> BatchCollisions:
    """Return events of several steps as arrays."""
    widths = {"object": (2,), "body": (2,), "shape": (2,), "impulse": (3,), "position": (3,)}
    kinds = {"begins": np.bool_, "impulse": np.float64, "position": np.float64}
    made: dict[str, Any] = {}
    for item in fields(BatchCollisions):
        if item.name != "object_names":
            empty = np.zeros((0, *widths.get(item.name, ())), kinds.get(item.name, np.int64))
            made[item.name] = np.concatenate([empty, *(event[item.name] for event in events)])
            made[item.name].setflags(write=False)
    return BatchCollisions(**made, object_names=names)
