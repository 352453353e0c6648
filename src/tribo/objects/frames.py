"""Named frames on a robot: where they are, how they move, their Jacobians; and their owners."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import of_matrices as quaternions
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.description.extents import rotation_matrix
from tribo.description.trees import IDENTITY, ORIGIN
from tribo.objects.parts import part_of, reactions, through_fixed_joint
from tribo.objects.states import StateHost, States, rows
from tribo.queries import point as queries

_MOTION = {
    "position": slice(0, 3), "velocity": slice(12, 15), "angular_velocity": slice(15, 18),
    "acceleration": slice(18, 21), "angular_acceleration": slice(21, 24),
}  # fmt: skip
_ROTATION = slice(3, 12)
_POINT, _TURN = slice(0, 3), slice(3, 6)  # rows of a Jacobian


class Frame(Sealed):
    """A frame fixed to a body of a robot, e.g. ``robot.frame("imu_joint")``.

    Every joint, fixed ones too, and every link has one. All results are in world axes; for N states
    (``robot.at(q).frame(name)``, ``batch["robot"].frame(name)``) they have a first axis of length N.
    A point is given in this frame: (3,) [m], or (N, 3) for one point per state; None: the origin.

    Example:
        >>> import tribo
        >>> from tribo.tools.demo import ASSETS
        >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
        >>> foot = robot.frame("LF_FOOT")
        >>> foot.jacobian().shape
        (3, 18)
        >>> bool((foot.jacobian() @ robot.generalized_velocity == foot.linear_velocity).all())
        True
    """

    _called = "frame"
    _inner = frozenset(("part_name",))
    _owner: StateHost
    _name: str
    _body: int
    _part: str  # link that a fixed joint made part of the body; empty: none
    _offset: np.ndarray
    _quaternion: np.ndarray

    def __init__(self, owner: StateHost, name: str, body: int,
                 position: Any = ORIGIN, quaternion: Any = IDENTITY, link: str = "") -> None:  # fmt: skip
        """Use ``robot.frame(name)``."""
        vars(self).update(  # at once: a robot makes many
            _owner=owner, _name=name, _body=body, _part=link,
            _offset=np.array(position, np.float64), _quaternion=np.array(quaternion, np.float64),
        )  # fmt: skip

    def __repr__(self) -> str:
        """Return class, name and body."""
        return f"<{type(self).__name__} {self.name!r} on body {self.body_name!r}>"

    @property
    def name(self) -> str:
        """Name of the frame: that of its joint or link."""
        return self._name

    @property
    def owner(self) -> StateHost:
        """The robot (at its state, at other states, or in many worlds) that it belongs to."""
        return self._owner

    @property
    def body_name(self) -> str:
        """Name of the body that carries it."""
        return self._owner.description.bodies[self._body].name

    @property
    def body_index(self) -> int:
        """Number of that body in `body_names`."""
        return self._body

    @property
    def link_name(self) -> str:
        """Name of the link that carries it: that of the body, or one that a fixed joint made a part of it."""
        return self._part or self.body_name

    @property
    def part_name(self) -> str:
        """Name of the merged link that carries it, empty for the body's own link."""
        return self._part

    @property
    def position_in_body(self) -> np.ndarray:
        """Origin of the frame, (3,) [m], in the frame of its body."""
        return frozen(self._offset.copy())

    @property
    def orientation_in_body(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z) of the frame, (4,), frame axes to body axes."""
        return frozen(self._quaternion.copy())

    @cached_property
    def _rotation(self) -> np.ndarray:
        """Rotation, (3, 3), frame axes to body axes."""
        return rotation_matrix(self._quaternion)

    # -- motion --------------------------------------------------------------------------------
    def _local(self, at: States, point: Any) -> np.ndarray:
        """Return points of this frame in the body's frame, (N, 3)."""
        if point is None:
            return np.tile(self._offset, (len(at.q), 1))
        given = at.given(point, f"point in frame {self.name}", 3)
        return np.ascontiguousarray(given @ self._rotation.T + self._offset)

    def _motion(self, point: Any = None) -> tuple[States, np.ndarray]:
        at = self._owner._states()
        local = self._local(at, point)
        return at, at.answer(queries.motions, (24,), *at.accelerated, self._body, local)

    def _read(self, what: str, point: Any = None) -> np.ndarray:
        at, out = self._motion(point)
        return at.result(out)[..., _MOTION[what]]

    @property
    def position(self) -> np.ndarray:
        """Position of the origin, (3,) [m], world."""
        return self._read("position")

    @property
    def rotation_matrix(self) -> np.ndarray:
        """Rotation, (3, 3), frame axes to world."""
        at, out = self._motion()
        return at.result(out[:, _ROTATION].reshape(-1, 3, 3) @ self._rotation)

    @property
    def orientation(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z), (4,), frame axes to world, w ≥ 0."""
        at, out = self._motion()
        turns = out[:, _ROTATION].reshape(-1, 3, 3) @ self._rotation
        return at.result(quaternions(turns))

    @property
    def linear_velocity(self) -> np.ndarray:
        """Velocity of the origin, (3,) [m/s], world axes."""
        return self._read("velocity")

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocity, (3,) [rad/s], world axes."""
        return self._read("angular_velocity")

    @property
    def linear_acceleration(self) -> np.ndarray:
        """Acceleration of the origin, (3,) [m/s²], world axes, gravity not subtracted.

        It belongs to the generalized acceleration of the state: the last step's for a robot in a world,
        that given to `at` otherwise.
        """
        return self._read("acceleration")

    @property
    def angular_acceleration(self) -> np.ndarray:
        """Angular acceleration, (3,) [rad/s²], world axes; see `linear_acceleration`."""
        return self._read("angular_acceleration")

    # -- points --------------------------------------------------------------------------------
    def to_world(self, point: Any) -> np.ndarray:
        """Return where a `point` of this frame is, both (3,) or (N, 3) [m], in the world.

        Raises:
            ValueError, TypeError: The point has a wrong shape or is not finite.
        """
        return self._read("position", point)

    def to_local(self, point: Any) -> np.ndarray:
        """Return a `point` of the world, (3,) or (N, 3) [m], in this frame.

        Raises:
            ValueError, TypeError: The point has a wrong shape or is not finite.
        """
        at, out = self._motion()
        given = rows(point, "point", (3,), len(out))
        turn = out[:, _ROTATION].reshape(-1, 3, 3) @ self._rotation
        return at.result(np.einsum("nji,nj->ni", turn, given - out[:, :3]))

    def velocity_of(self, point: Any) -> np.ndarray:
        """Return the velocity of a `point` of this frame, (3,) [m/s], world axes; errors as `to_world`."""
        return self._read("velocity", point)

    def acceleration_of(self, point: Any) -> np.ndarray:
        """Return the acceleration of a `point` of this frame, (3,) [m/s²], world axes; errors as `to_world`.

        Which acceleration it belongs to says `linear_acceleration`.
        """
        return self._read("acceleration", point)

    # -- forces --------------------------------------------------------------------------------
    def reaction(self, acceleration: Any = None, wrench: Any = None, part_wrench: Any = None) -> np.ndarray:
        """Return torque and force that the link with this frame receives through the joint on which it hangs.

        That joint may be fixed: then it is what the link, all that is fixed to it and all that hangs on these
        receive from the rest of the body.

        Args:
            acceleration, wrench: As in `joint_reactions` of the robot.
            part_wrench: The part of `wrench` that acts behind the fixed joint, (6,) or (N, 6): torque [N
                m] and force [N] at the centre of mass of the whole body, world axes; None: nothing.

        Returns:
            (6,) or (N, 6): torque about the origin of this frame [N m] and force [N], world axes.

        Raises:
            ValueError, TypeError: An array has a wrong shape or is not finite.
            EditError: The mass of the body was changed at run time; how it is shared is not known.

        Example:
            >>> import numpy as np, tribo
            >>> arm = tribo.LinkDescription("arm", mass=1.0, inertia=0.1 * np.eye(3))
            >>> arm.fix_to_world()
            >>> tool = arm.add_child("tool", "fixed", position=(0.5, 0, 0), joint_name="flange")
            >>> tool.mass, tool.com = 2.0, (0.1, 0, 0)
            >>> robot = tribo.World().add_articulated_system(arm)
            >>> robot.frame("flange").reaction().round(9).tolist()
            [0.0, -1.962, 0.0, 0.0, 0.0, 19.62]
        """
        at = self._owner._states()
        description = self._owner.description
        outside = at.loads(len(description.bodies), acceleration, wrench)
        part = part_of(description, self._body, self._part)
        if part is None:
            if part_wrench is not None:
                raise ValueError(
                    f"part_wrench of {self._name}: {self.link_name!r} hangs on a joint that moves; what acts "
                    "on it is in wrench"
                )
            found = reactions(at, outside)[:, self._body]
        else:
            own = at.zeros(6)
            if part_wrench is not None:
                own = at.given(part_wrench, "part_wrench", 6)
            found = through_fixed_joint(at, part, outside, own)
        _, motion = self._motion()
        arm = np.einsum("nij,j->ni", motion[:, _ROTATION].reshape(-1, 3, 3), self._offset)
        torque = found[:, :3] - np.cross(arm, found[:, 3:])
        return at.result(np.concatenate([torque, found[:, 3:]], axis=1))

    # -- Jacobians -----------------------------------------------------------------------------
    def _jacobian(self, point: Any, part: slice, *, is_rate: bool = False) -> np.ndarray:
        at = self._owner._states()
        query = queries.jacobian_rates if is_rate else queries.jacobians
        given = at.moving_at_length if is_rate else at.placed
        found = at.answer(query, (6, at.v.shape[1]), *given, self._body, self._local(at, point))
        return at.result(found)[..., part, :]

    def jacobian(self, point: Any = None) -> np.ndarray:
        """Return J of the velocity of a point of this frame, (3, dof) [–, m], world axes.   J v = ṗ

        Source: Featherstone 2008, section 4.5; columns are motion axes, moved to the point.

        Args:
            point: (3,) [m] in this frame; None: its origin. Errors as `to_world`.

        Example:
            >>> import numpy as np, tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> robot.generalized_velocity = np.linspace(-1, 1, robot.dof)
            >>> foot = robot.frame("LF_FOOT")
            >>> np.allclose(foot.jacobian() @ robot.generalized_velocity, foot.linear_velocity)
            True
        """
        return self._jacobian(point, _POINT)

    def rotational_jacobian(self) -> np.ndarray:
        """Return J of the angular velocity, (3, dof) [–], world axes.   J v = ω"""
        return self._jacobian(None, _TURN)

    def jacobian_rate(self, point: Any = None) -> np.ndarray:
        """Return the time derivative of `jacobian` of a `point`, (3, dof) [1/s, m/s].   p̈ = J v̇ + J̇ v

        Errors as `to_world`.
        """
        return self._jacobian(point, _POINT, is_rate=True)

    def rotational_jacobian_rate(self) -> np.ndarray:
        """Return the time derivative of `rotational_jacobian`, (3, dof) [1/s].   α = J v̇ + J̇ v"""
        return self._jacobian(None, _TURN, is_rate=True)

    @property
    def dofs(self) -> np.ndarray:
        """Numbers of the dofs that move the frame, (k,) [–], root first: its non-zero columns."""
        model = self._owner._states().records.model
        first = model.body_chain_start[self._body]
        return frozen(np.array(model.chain_dof[first : first + model.body_chain_len[self._body]]))

    def sparse_jacobian(self, point: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return `dofs` (k,) and their columns of `jacobian` at a `point`, (3, k) [–, m].

        Errors as `to_world`.
        """
        dofs = self.dofs
        return dofs, frozen(self.jacobian(point)[..., dofs])

    def sparse_rotational_jacobian(self) -> tuple[np.ndarray, np.ndarray]:
        """Return `dofs` (k,) and the columns of `rotational_jacobian` that belong to them, (3, k) [–]."""
        dofs = self.dofs
        return dofs, frozen(self.rotational_jacobian()[..., dofs])


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
        return Frame(self, name, *self._places[check.known(name, self._places, f"frame of {self.name}")])

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
        queries.poses(*at.placed, position, rotation)
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
        queries.velocities(*at.accelerated, linear, angular)
        return at.result(linear), at.result(angular)
