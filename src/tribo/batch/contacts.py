"""The contacts of all worlds of a batch as arrays, one row for each point."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.engine.engine import Engine
from tribo.objects.contact_reader import all_contacts
from tribo.objects.states import turned_back


class OfPairs:
    """Rows that each belong to a world and to two objects, A and B."""

    __slots__ = ()

    world: np.ndarray  # (n,) which world
    object: np.ndarray  # (n, 2) A and B: which of `object_names`
    object_names: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of rows n."""
        return len(self.world)

    def between(self, first: str, second: str) -> np.ndarray:
        """Return which rows are between two objects, (n,) of bool, whichever of them is A.

        Raises:
            KeyError: There is no such object; the message proposes the nearest name.
        """
        a, b = (
            self.object == self.object_names.index(check.known(name, self.object_names, "object"))
            for name in (first, second)
        )
        return np.asarray((a[:, 0] & b[:, 1]) | (a[:, 1] & b[:, 0]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BatchContacts(OfPairs):
    """The points that touched in the last step, n in all worlds together; vectors in world axes.

    The rows of world k are ``start[k]:start[k + 1]``, in the order of `World.contacts`, and hold the same
    numbers, bit for bit. Forces act on A, the opposite ones on B. All arrays are read-only copies.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 0.1), name="ball")
        >>> batch = tribo.Batch(world, 3, threads=1)
        >>> batch["ball"].generalized_coordinate[1, 2] = 1.0
        >>> _ = batch.step()
        >>> contacts = batch.contacts
        >>> contacts.world.tolist(), contacts.start.tolist()
        ([0, 2], [0, 1, 1, 2])
        >>> contacts.force_on("ball")[:, 2].round(6).tolist()
        [19.62, 19.62]
    """

    world: np.ndarray  # (n,) which world
    start: np.ndarray  # (worlds + 1,) where the rows of each world begin; the last: n
    position: np.ndarray  # (n, 3) [m] between the two surfaces
    normal: np.ndarray  # (n, 3) unit, from B into A
    depth: np.ndarray  # (n,) [m] > 0: overlap where the step was evaluated
    force: np.ndarray  # (n, 3) [N] on A, mean over the step
    torque: np.ndarray  # (n, 3) [N m] of rolling and spinning friction on A, mean over the step
    object: np.ndarray  # (n, 2) A and B: which of `object_names`
    body: np.ndarray  # (n, 2) body of that object, as in `body_names` of a robot
    shape: np.ndarray  # (n, 2) number of the collision shape in the world
    material: np.ndarray  # (n, 2) which of `material_names`
    object_names: tuple[str, ...]
    material_names: tuple[str, ...]

    def __repr__(self) -> str:
        """Return how many points touched, and in how many worlds."""
        return f"<BatchContacts: {len(self)} points in {len(self.start) - 1} worlds>"

    def force_on(self, name: str) -> np.ndarray:
        """Return the forces on an object, (n, 3) [N]; 0 where it has no part, and between its own bodies.

        Raises:
            KeyError: There is no such object; the message proposes the nearest name.
        """
        number = self.object_names.index(check.known(name, self.object_names, "object"))
        sign = (self.object[:, :1] == number).astype(float) - (self.object[:, 1:] == number)
        return frozen(sign * self.force)

    def padded(self, name: str, width: int) -> np.ndarray:
        """Return one of the arrays with the world as first axis, (worlds, width, …), filled up with zeros.

        Args:
            name: "position", "normal", "depth", "force" or "torque".
            width: Rows for each world; where a world has more points, its first ones are there.

        Raises:
            KeyError: There is no such array.
            ValueError: The width is not a number ≥ 1.
        """
        known = ("position", "normal", "depth", "force", "torque")
        source = getattr(self, check.known(name, known, "array"))
        check.integer(width, "width", 1)
        place = np.arange(len(self)) - self.start[self.world]
        fits = place < width
        made = np.zeros((len(self.start) - 1, width, *source.shape[1:]))
        made[self.world[fits], place[fits]] = source[fits]
        return frozen(made)


def read_contacts(engine: Engine, spans: dict[str, Any], materials: tuple[str, ...]) -> BatchContacts:
    """Return the contacts of the last step in all worlds.

    Args:
        engine: Records of the worlds.
        spans: Where each object is in them, by name, in the order of the world.
        materials: Names of the materials.
    """
    work, model = engine.work.arrays, engine.model.arrays
    at, world, impulse = all_contacts(engine)
    gap = work["contact_gap"].reshape(-1)[at]
    touches = (impulse[:, 2] != 0.0) | ~(gap > 0.0)
    at, world, impulse, gap = at[touches], world[touches], impulse[touches], gap[touches]
    axes = work["contact_axes"].reshape(-1, 3, 3)[at]
    dt = engine.settings.arrays["dt"].reshape(-1)[world, None]
    spin = work["contact_spin_impulse"].reshape(-1, 3)[at]
    shape = work["contact_shape"].reshape(-1, 2)[at]
    body = model["shape_body"][0][shape]
    first_shape = np.array([span.shape.start for span in spans.values()])
    number = np.searchsorted(first_shape, shape, side="right") - 1
    first_body = np.array([span.body.start for span in spans.values()], np.int64)
    made = BatchContacts(
        world=world,
        start=np.searchsorted(world, np.arange(engine.worlds + 1)),
        position=work["contact_pos"].reshape(-1, 3)[at],
        normal=axes[:, 2].copy(),
        depth=-gap,
        force=turned_back(axes, impulse) / dt,
        torque=turned_back(axes, spin) / dt,
        object=number,
        body=body - first_body[number] if len(first_body) else body,
        shape=shape,
        material=model["shape_material"][0][shape],
        object_names=tuple(spans),
        material_names=materials,
    )
    for item in fields(made):
        value = getattr(made, item.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return made
