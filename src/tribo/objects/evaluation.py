"""A robot at its present state or at any other: the same questions, without disturbing the world."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.description.trees import TreeDescription
from tribo.engine.subtree import TreeRecords
from tribo.objects.dynamics import Dynamics
from tribo.objects.frames import FrameOwner
from tribo.objects.states import States, coordinates, rows


class Evaluation(Dynamics, FrameOwner):
    """A robot at given coordinates, velocities and accelerations: ``robot.at(q, v)``.

    It answers as the robot would in that state, with its masses and the gravity of its world at the
    time of the question. With N states all answers have a first axis of length N and come from one
    compiled call.

    Example:
        >>> import numpy as np, tribo
        >>> from tribo.tools.demo import ASSETS
        >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
        >>> q = np.tile(robot.generalized_coordinate, (1000, 1))
        >>> q[:, 7:] = np.random.default_rng(0).uniform(-1, 1, (1000, 12))
        >>> robot.at(q).mass_matrix.shape
        (1000, 18, 18)
        >>> robot.at(q).frame("LF_FOOT").position.shape
        (1000, 3)
    """

    def __init__(self, owner: Evaluable, q: Any, v: Any, vdot: Any) -> None:
        """Use ``robot.at(q, v, vdot)``."""
        now = owner._states()
        self.name, self.description = owner.name, owner.description
        self._owner = owner
        given = [check.values(x, "q, v, vdot").ndim for x in (q, v, vdot) if x is not None]
        self._is_single = now.is_single and max(given, default=1) < 2
        if q is None:
            self._q = now.q.copy()
        else:
            self._q = coordinates(
                q, self.description, f"coordinates of {self.name}", now.q.shape[1]
            )
        count = max([len(self._q), *(len(x) for x in (v, vdot) if np.ndim(x) == 2)])
        if not now.is_single and count != len(now.q):
            count = len(now.q)  # each world of a batch has its own masses: one state for each
        nv = now.v.shape[1]
        self._q = rows(self._q[0] if len(self._q) == 1 else self._q, f"coordinates of {self.name}",
                       self._q.shape[1:], count)  # fmt: skip
        still = np.zeros(nv)
        self._v = rows(still if v is None else v, f"velocities of {self.name}", (nv,), count)
        self._vdot = rows(
            still if vdot is None else vdot, f"accelerations of {self.name}", (nv,), count
        )

    def __repr__(self) -> str:
        """Return the robot's name and how many states it is asked about."""
        return f"<Evaluation of {self.name!r} at {len(self)} states>"

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._q)

    def _states(self) -> States:
        return States(
            self.name, self._owner._records(), self._q, self._v, self._vdot, self._is_single
        )


class Evaluable(Dynamics, FrameOwner):
    """A robot with a present state that can be asked about other states."""

    name: str
    description: TreeDescription

    @abstractmethod
    def _records(self) -> TreeRecords:
        """Return the records with which queries about this robot compute."""

    def at(self, q: Any = None, v: Any = None, vdot: Any = None) -> Evaluation:
        """Return the robot as it would be at other states; the world is not touched.

        Args:
            q: Coordinates, (nq,) or (N, nq) [m, rad, –]; None: the present ones.
            v: Velocities, (dof,) or (N, dof) [m/s, rad/s]; None: zero.
            vdot: Accelerations, (dof,) or (N, dof) [m/s², rad/s²], for accelerations of frames and
                for joint reactions; None: zero.

        Raises:
            ValueError: A shape is wrong, a number is not finite, a quaternion is not of unit length.
        """
        return Evaluation(self, q, v, vdot)
