"""Contact forces on an object in all worlds of a batch at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tribo import check
from tribo.model import Impact
from tribo.objects.base import frozen

if TYPE_CHECKING:
    from tribo.batch import Batch
    from tribo.batch_object import Part
    from tribo.description import TreeDescription


class ContactReader(check.Sealed):
    """What the last step's contacts did to an object, world by world, without a `Contact` for each."""

    name: str
    description: TreeDescription
    _batch: Batch
    _part: Part

    @property
    def net_contact_force(self) -> np.ndarray:
        """Sum of the contact forces on each body, (worlds, bodies, 3) [N], world axes.

        Mean forces over the last step, as `Contact.force_on` has them, in the order of `body_names`: links
        behind fixed joints count to their bodies. It stays until the next step, whatever is set meanwhile;
        before the first one it is zero. In a world whose step failed it means nothing: ask `is_valid`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 0.1), name="ball")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> batch["ball"].generalized_coordinate[2, 2] = 1.0
            >>> _ = batch.step()
            >>> batch["ball"].net_contact_force[:, 0, 2].round(6).tolist()
            [19.62, 19.62, 0.0]
        """
        engine, bodies = self._batch.engine, self.description.bodies
        at, world, impulse, shape = self._touching()
        axes = _rows(engine.work.arrays["contact_axes"], 9)[at].reshape(-1, 3, 3)
        given = (axes.transpose(0, 2, 1) @ impulse[:, :, None])[:, :, 0]
        force = given / engine.settings.arrays["dt"].reshape(-1, 1)[world]
        body = np.repeat(np.arange(len(bodies)), [len(b.shapes) for b in bodies])
        mine = np.flatnonzero(shape.ravel() >= 0)  # sides of contacts, in the order of the engine
        on_side = np.stack([force, -force], axis=1).reshape(-1, 3)[mine]
        place = world[mine // 2] * len(bodies) + body[shape.ravel()[mine]]
        total = np.empty((engine.worlds * len(bodies), 3))
        for k in range(3):
            total[:, k] = np.bincount(place, on_side[:, k], len(total))
        return frozen(total.reshape(engine.worlds, len(bodies), 3))

    def in_contact(self, body: str) -> np.ndarray:
        """Return whether a body touched something in the last step, (worlds,) of bool [–].

        What counts is what `World.contacts` lists: points that overlap or carry an impulse.

        Args:
            body: One of `body_names`: all shapes of the body. Or a link that a fixed joint made part of a
                body, such as the foot of a shank: the shapes of this link alone.

        Raises:
            KeyError: There is no such body or link; the message proposes the nearest name.

        Example:
            >>> import tribo
            >>> from tribo.demo import ASSETS
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> dog = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 1), name="dog")
            >>> batch = tribo.Batch(world, 2, threads=1)
            >>> _ = batch.step()
            >>> batch["dog"].in_contact("LF_FOOT").tolist()
            [False, False]
        """
        bodies = self.description.bodies
        merged = [frame.link for frame in self.description.frames if frame.link]
        check.known(body, [*(b.name for b in bodies), *merged], f"body of {self.name}")
        chosen = np.array([body in (b.name, s.link) for b in bodies for s in b.shapes], bool)
        _, world, _, shape = self._touching()
        mine = (shape >= 0) & chosen[shape]
        found = np.zeros(len(self._batch), bool)
        found[world[mine.any(axis=1)]] = True
        return frozen(found)

    def _touching(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the contacts of the object in the last step, n of all worlds together.

        Returns:
            Row of the contact in the tables of all worlds and its world, (n,); impulse on A, (n, 3) [N s],
            contact axes; shape of the object on side A and B, (n, 2), −1: another object's.
        """
        engine, span = self._batch.engine, self._part.span.shape
        work = engine.work.arrays
        room = work["contact_gap"].shape[1]
        at = np.flatnonzero(np.arange(room) < work["contact_count"])
        shape = _rows(work["contact_shape"], 2)[at]
        is_own = (shape >= span.start) & (shape < span.stop)
        impulse = _rows(work["contact_impulse"], 3)[at]
        world = at // room
        hands_on = engine.settings.arrays["impact"].reshape(-1)[world] == Impact.PROPAGATE
        if hands_on.any():
            impulse[hands_on] += _rows(work["contact_blow"], 3)[at[hands_on]]
        touches = (impulse[:, 2] > 0.0) | ~(work["contact_gap"].ravel()[at] > 0.0)
        kept = touches & is_own.any(axis=1)
        shape = np.where(is_own, shape - span.start, -1)
        return at[kept], world[kept], impulse[kept], shape[kept]


def _rows(table: np.ndarray, width: int) -> np.ndarray:
    """Return a table of all worlds, (worlds, room, width), as one list of rows: the same memory."""
    return table.reshape(-1, width)
