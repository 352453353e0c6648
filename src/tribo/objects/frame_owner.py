"""Owners of named frames: a robot, a robot at other states, a robot in many worlds."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.objects.frames import Frame
from tribo.objects.states import StateHost
from tribo.queries import point as queries


class FrameOwner(StateHost):
    """An owner of named frames: a robot, a robot at other states, a robot in many worlds."""

    @cached_property
    def _places(self) -> dict[str, tuple[Any, ...]]:
        """Where each frame is: body, position and quaternion in it, merged link; names do not change."""
        bodies = self.description.bodies
        moving = {body.joint.name: k for k, body in enumerate(bodies) if k > 0}
        own = moving | {body.name: k for k, body in enumerate(bodies)}
        found: dict[str, tuple[Any, ...]] = {}
        for frame in self.description.frames:
            found.setdefault(frame.name, (frame.body, frame.position, frame.quaternion, frame.link))
        for name in (*moving, *(body.name for body in bodies)):
            found.setdefault(name, (own[name],))
        return found

    def frame(self, name: str) -> Frame:
        """Return the frame of a joint (fixed ones too) or link, by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        return Frame(
            self, name, *self._places[check.known(name, self._places, f"frame of {self.name}")]
        )

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames: one per joint, fixed ones too, and one per link."""
        return tuple(self._places)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All frames."""
        return tuple(Frame(self, name, *place) for name, place in self._places.items())

    def frame_position(self, name: str) -> np.ndarray:
        """Return the position of a frame, link or joint, (3,) [m], world; errors as `frame`."""
        return self.frame(name).position

    def frame_orientation(self, name: str) -> np.ndarray:
        """Return the rotation of a frame, link or joint, (3, 3), frame axes to world; errors as `frame`."""
        return self.frame(name).rotation_matrix

    def body_poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (bodies, 3) [m] and rotations (bodies, 3, 3), body axes to world."""
        at, count = self._states(), len(self.description.bodies)
        position, rotation = at.zeros(count, 3), at.zeros(count, 9)
        queries.poses(at.records.model, at.records.work, at.q, position, rotation)
        return at.result(position), at.result(rotation.reshape(-1, count, 3, 3))

    def body_velocities(self) -> tuple[np.ndarray, np.ndarray]:
        """Return velocities of the bodies' origins (bodies, 3) [m/s] and angular ones (bodies, 3) [rad/s].

        World axes, in the order of `body_names`; in a batch with the world as first axis.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> robot.generalized_velocity[:6] = 1, 0, 0, 0, 0, 3
            >>> linear, angular = robot.body_velocities()
            >>> linear[0].tolist(), angular[0].tolist()
            ([1.0, 0.0, 0.0], [0.0, 0.0, 3.0])
        """
        at, count = self._states(), len(self.description.bodies)
        linear, angular = at.zeros(count, 3), at.zeros(count, 3)
        queries.velocities(
            at.records.model, at.records.settings, at.records.work, at.q, at.v, at.vdot, linear, angular
        )  # fmt: skip
        return at.result(linear), at.result(angular)
