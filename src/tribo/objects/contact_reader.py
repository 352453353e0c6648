"""Sums of contacts on an object: in a world, and in all worlds of a batch at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.description.trees import TreeDescription
from tribo.engine.engine import Engine
from tribo.model import Impact
from tribo.objects.states import turned_back


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
        _, engine, shapes = self._contact_records()
        at, world, impulse, shape = _touching(engine, shapes)
        force = _forces(engine, at, world, impulse)
        body = np.repeat(np.arange(len(bodies)), [len(b.shapes) for b in bodies])
        total = _summed(force, world, shape, body, (engine.worlds, len(bodies)))
        each = (3,) if self._is_single_body else (len(bodies), 3)
        found = total.reshape(engine.worlds, *each)
        return frozen(found if self._is_batch else found[0])

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
        at, world, impulse, shape = _touching(engine, shapes)
        force = _forces(engine, at, world, impulse)
        arm = _rows(engine.work.arrays["contact_pos"], 3)[at]
        arm = arm - np.broadcast_to(point, (engine.worlds, 3))[world]
        wrench = np.concatenate([np.cross(arm, force), force], axis=1)
        found = _summed(wrench, world, shape, np.arange(n), (engine.worlds, n))
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
        name, engine, shapes = self._contact_records()
        _, world, _, shape = _touching(engine, shapes)
        mine = shape >= 0
        if body is not None:
            bodies = self.description.bodies
            merged = [frame.link for frame in self.description.frames if frame.link]
            check.known(body, [*(b.name for b in bodies), *merged], f"body of {name}")
            chosen = np.array([body in (b.name, s.link) for b in bodies for s in b.shapes], bool)
            mine = mine & chosen[shape] if len(chosen) else mine
        found = np.zeros(engine.worlds, bool)
        found[world[mine.any(axis=1)]] = True
        return frozen(found) if self._is_batch else bool(found[0])


def _forces(engine: Engine, at: np.ndarray, world: np.ndarray, impulse: np.ndarray) -> np.ndarray:
    """Return mean forces on A in the last step, (n, 3) [N], world axes; contacts as `_touching` has them."""
    axes = _rows(engine.work.arrays["contact_axes"], 9)[at].reshape(-1, 3, 3)
    return np.asarray(turned_back(axes, impulse) / engine.settings.arrays["dt"].reshape(-1, 1)[world])


def _summed(
    on_a: np.ndarray, world: np.ndarray, shape: np.ndarray, row: np.ndarray, size: tuple[int, int]
) -> np.ndarray:
    """Return sums (worlds, rows, k) of vectors on A, (n, k), and against B.

    Args:
        on_a, world, shape: Of contacts, as `_touching` has world and shape.
        row: Of each shape.
        size: Numbers of worlds and rows.
    """
    mine = np.flatnonzero(shape.ravel() >= 0)  # sides of contacts, in the order of the engine
    on_side = np.stack([on_a, -on_a], axis=1).reshape(-1, on_a.shape[1])[mine]
    place = world[mine // 2] * size[1] + row[shape.ravel()[mine]]
    total = np.empty((size[0] * size[1], on_a.shape[1]))
    for k in range(on_a.shape[1]):
        total[:, k] = np.bincount(place, on_side[:, k], len(total))
    return total.reshape(*size, on_a.shape[1])


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


def _touching(engine: Engine, shapes: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the contacts of an object with given shapes in the last step, n of all worlds together.

    Returns:
        Row of the contact in the tables of all worlds and its world, (n,); impulse on A, (n, 3) [N s],
        contact axes; shape of the object on side A and B, (n, 2), −1: another object's.
    """
    work = engine.work.arrays
    at, world, impulse = all_contacts(engine)
    shape = _rows(work["contact_shape"], 2)[at]
    is_own = (shape >= shapes.start) & (shape < shapes.stop)
    touches = (impulse[:, 2] > 0.0) | ~(work["contact_gap"].ravel()[at] > 0.0)
    kept = touches & is_own.any(axis=1)
    shape = np.where(is_own, shape - shapes.start, -1)
    return at[kept], world[kept], impulse[kept], shape[kept]


def _rows(table: np.ndarray, width: int) -> np.ndarray:
    """Return a table of all worlds, (worlds, room, width), as one list of rows: the same memory."""
    return table.reshape(-1, width)
