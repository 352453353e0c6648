"""Where a constraint holds on to a body."""

from __future__ import annotations

import numpy as np

from tribo.checks.errors import EditError
from tribo.model import Joint
from tribo.model import Kind as BodyType
from tribo.objects.base import Object, shift_since
from tribo.objects.states import turned


class End:
    """Where a constraint holds on: a point and axes on a body of an object, or in the world."""

    def __init__(
        self, part: Object | None, body: int, point: np.ndarray, axes: np.ndarray,
        link: str | None = None,
    ) -> None:  # fmt: skip
        """Take point (3,) and axes (3, 3) in the frame of a body; part None: in the world.

        link: of the body's links that it holds, as `ShapeDescription.link`; None: not known.
        """
        self.part, self.body, self.axes, self.link = part, body, axes, link
        self._point, self._origin = point, None if part is None else part.description.origin

    @property
    def point(self) -> np.ndarray:
        """Where it holds on, (3,) [m], frame of the body; it stays at its place among the shapes."""
        return np.asarray(self._point + shift_since(self._origin, self.part))

    @property
    def place(self) -> tuple[object, ...]:
        """Where it was attached: what differs between two ends that are not the same."""
        return tuple(self._point.tolist()), self._origin

    @property
    def stands(self) -> bool:
        """Whether no force moves it: the world, a fixed base, what is static or kinematic."""
        if self.part is None or self.part.body_type != BodyType.DYNAMIC:
            return True
        return self.body == 0 and self.part.description.bodies[0].joint.type == Joint.FIXED

    @property
    def is_still(self) -> bool:
        """Whether it stays where it is: it stands, and the user does not move it."""
        is_led = self.part is not None and self.part.body_type == BodyType.KINEMATIC
        return self.stands and not is_led

    @property
    def label(self) -> str:
        """Return object and body, in words."""
        if self.part is None:
            return "the world"
        bodies = self.part.description.bodies
        return self.part.name if len(bodies) == 1 else f"{self.part.name}/{bodies[self.body].name}"

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Return point and axes in the world, at the present state."""
        place, turn = body_pose(self.part, self.body)
        return place + turned(turn, self.point), turn @ self.axes


def body_pose(part: Object | None, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Return position (3,) [m] and rotation (3, 3) [–] of a body of an object now; None: the world.

    Raises:
        EditError: The object was removed from its world.
    """
    if part is None:
        return np.zeros(3), np.eye(3)
    if part.is_removed:
        raise EditError(
            f"{part.name} was removed from its world and its constraints with it: they have no place and no "
            "force any more; add both anew"
        )
    if body == 0:
        return np.array(part.position), np.array(part.rotation_matrix)
    engine = part._world.engine
    assert part.span is not None
    work, k = engine.observe(), part.span.body.start + body
    return work.body_pos[k].copy(), work.body_rot[k].reshape(3, 3).copy()


def end_on(part: Object | None, body: int, point: np.ndarray, axes: np.ndarray, link: str | None) -> End:
    """Return the end on a body whose point and axes are given in the world, at the present state."""
    place, turn = body_pose(part, body)
    return End(part, body, turn.T @ (point - place), turn.T @ axes, link)
