"""Sums of contacts on an object: in a world, and in all worlds of a batch at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.description.trees import TreeDescription
from tribo.engine.engine import Engine
from tribo.model import Impact
from tribo.queries.contacts import sum_contacts


class ContactReader(Sealed, ABC):
    """Sums of the last step's contacts on an object, without a `Contact` for each."""

    description: TreeDescription
    _is_batch = False
    _is_single_body = False  # its sums have no axis of bodies

    @abstractmethod
    def _contact_records(self) -> tuple[str, Engine, slice]:
        """Return the object's name, the records of all worlds, and where its shapes are in them."""

    @property
    def net_contact_force(self) -> np.ndarray:
        """Sum of the contact forces [N], world axes: (3,) of a single body, (bodies, 3) of a robot.

        In a batch the world is the first axis: (worlds, 3), (worlds, bodies, 3). Mean forces over the last
        step, as `Contact.force_on` has them; of a robot in the order of `body_names`, and links behind fixed
        joints count to their bodies. It stays until the next step, whatever is set meanwhile; before the
        first one it is zero. Where a step failed it means nothing: ask `is_valid` of a batch, `status` of a
        world. After `World.update` it is zero until `advance`: points that overlap are known, no forces yet.
        Contacts of an object go with it when it is removed.

        Raises:
            EditError: The object was removed from its world.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 0.1), name="ball")
            >>> world.step()
            >>> ball.net_contact_force[2].round(6).tolist()
            19.62
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> batch["ball"].generalized_coordinate[2, 2] = 1.0
            >>> _ = batch.step()
            >>> batch["ball"].net_contact_force[:, 2].round(6).tolist()
            [19.62, 19.62, 0.0]
        """
        bodies = self.description.bodies
        body = [k for k, one in enumerate(bodies) for _ in one.shapes]
        force = np.ascontiguousarray(self._contact_sums(body, len(bodies))[..., 3:6])
        found = force[:, 0] if self._is_single_body else force
        return frozen(found if self._is_batch else found[0])

    def _contact_sums(self, rows: Sequence[int], count: int, about: Any = 0.0) -> np.ndarray:
        """Return what `sum_contacts` says of `count` rows, (worlds, count, 7); rows: of each shape."""
        _, engine, shapes = self._contact_records()
        points = np.full((engine.worlds, 3), about)
        sums = np.zeros((engine.worlds, count, 7))
        sum_contacts(engine.settings, engine.work, shapes.start, np.array(rows, np.int64), points, sums)
        return sums

    def contact_wrenches(self, about: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Torque and force of contacts on each collision shape, (shapes, 6) or (worlds, shapes, 6) [N m, N].

        World axes, torque first; rolling and spinning friction are not in the torque. The order is that of
        the shapes of the bodies of `description`, body by body. When they count: as `net_contact_force`.

        Args:
            about: Point about which torques are taken, (3,), or in a batch (worlds, 3) [m], world axes.

        Raises:
            ValueError, TypeError: The point has a wrong shape or is not finite.
            EditError: The object was removed from its world.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(0.1, mass=2.0, position=(0, 3, 0.1), name="ball")
            >>> world.step()
            >>> ball.contact_wrenches()[0].round(6).tolist()
            [58.86, 0.0, 0.0, 0.0, 0.0, 19.62]
        """
        name, engine, shapes = self._contact_records()
        n = shapes.stop - shapes.start
        point = check.within_range(check.array(about, f"point of {name}", "numbers"), "point")
        if point.shape not in ((3,), (engine.worlds, 3)):
            raise ValueError(f"about of {name} must have shape (3,) or (worlds, 3), got {point.shape}")
        found = np.ascontiguousarray(self._contact_sums(range(n), n, point)[..., :6])
        return frozen(found if self._is_batch else found[0])

    def in_contact(self, body: str | None = None) -> Any:
        """Return whether the object touched something in the last step, bool or in a batch (worlds,) of bool.

        The contacts are those that `contacts` of a world lists: points that overlap or carry an impulse;
        after `World.update`, until `advance`, points that overlap, no forces yet. Contacts with a removed
        partner are gone.

        Args:
            body: Of a robot, one of `body_names`: all shapes of this body alone. Or a link that a fixed joint
                made part of a body, such as the foot of a shank: the shapes of this link alone. None: all.

        Raises:
            KeyError: There is no such body or link; the message proposes the nearest name.
            EditError: The object was removed from its world.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> dog = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 1), name="dog")
            >>> world.step()
            >>> dog.in_contact(), dog.in_contact("LF_FOOT")
            (False, False)
            >>> tribo.Batch(world, 2, threads=1)["dog"].in_contact("LF_FOOT").tolist()
            [False, False]
        """
        name, _, _ = self._contact_records()  # refuses an object that was removed
        bodies = self.description.bodies
        if body is not None:
            merged = [frame.link for frame in self.description.frames if frame.link]
            check.known(body, [*(b.name for b in bodies), *merged], f"body of {name}")
        rows = [0 if body in (None, b.name, s.link) else -1 for b in bodies for s in b.shapes]
        found = self._contact_sums(rows, 1)[:, 0, 6] > 0.0
        return frozen(found) if self._is_batch else bool(found[0])


def all_contacts(engine: Engine) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all contacts of the last step, n of all worlds together, whether they push or not.

    Returns:
        Row of the contact in the tables of all worlds and its world, (n,); impulse on A, (n, 3) [N s],
        contact axes.
    """
    work = engine.work.arrays
    room = work["contact_gap"].shape[1]
    at = np.flatnonzero(np.arange(room) < work["contact_count"])
    world = at // room
    impulse = _rows(work["contact_impulse"], 3)[at]
    propagates = engine.settings.arrays["impact"].reshape(-1)[world] == Impact.PROPAGATE
    if propagates.any():
        impulse[propagates] += _rows(work["contact_impact"], 3)[at[propagates]]
    return at, world, impulse


def _rows(table: np.ndarray, width: int) -> np.ndarray:
    """Return a table of all worlds, (worlds, room, width), as one list of rows: the same memory."""
    return table.reshape(-1, width)
