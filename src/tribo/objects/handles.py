"""Links and joints of a robot by name: states to read and set, properties to change at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import of_matrices as quaternions
from tribo.checks.readonly import frozen, reading
from tribo.description.extents import rotation_matrix
from tribo.description.trees import VisualDescription
from tribo.model import Joint as JointType
from tribo.objects.collision_body import CollisionBody
from tribo.objects.handle import Handle
from tribo.objects.joint_drive import JointDrive
from tribo.objects.running_surface import RunningSurface
from tribo.objects.states import SIX, SYMMETRIC, turned, unit_quaternions


class Link(Handle, RunningSurface):
    """A body of a robot, ``robot.link("LF_SHANK")``; as a frame, the frame of its description.

    Mass, centre of mass and inertia can be changed between steps; the next step, and every question about
    the dynamics, uses the new values. Links behind fixed joints are parts of their body: what is read
    and set here belongs to the whole body. In a batch, values have a first axis of length worlds.

    Example:
        >>> import tribo
        >>> from tribo.tools.demo import ASSETS
        >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
        >>> trunk = robot.link(robot.body_names[0])
        >>> trunk.mass = 1.1 * trunk.mass
        >>> robot.link("nobody")
        Traceback (most recent call last):
        KeyError: "unknown link of articulated_system_0 'nobody'; known: ..."
    """

    _inner = Handle._inner | {"runs"}

    @property
    def joint(self) -> Joint:
        """The joint on which the link hangs."""
        return Joint(self._owner, self._body_description.joint.name, self._body)

    @property
    def parent(self) -> Link | None:
        """The link on which its joint is, None for the root."""
        parent = self._body_description.parent
        return None if parent < 0 else self._owner.links[parent]

    @property
    def children(self) -> tuple[Link, ...]:
        """Links whose joints are on this link."""
        bodies = self._owner.description.bodies
        return tuple(
            link for link, body in zip(self._owner.links, bodies, strict=True)
            if body.parent == self._body
        )  # fmt: skip

    @property
    def visuals(self) -> tuple[VisualDescription, ...]:
        """Shapes that are drawn."""
        return tuple(self._body_description.visuals)

    @property
    def collision_bodies(self) -> tuple[CollisionBody, ...]:
        """Collision shapes of the link; materials and filters can be changed there."""
        return self._owner._collision_bodies_of(self._body)

    @property
    def mass(self) -> float | np.ndarray:
        """Mass [kg] > 0; assign to change it. The inertia stays: assign that as well."""
        return self._get("body_mass", self._body)  # type: ignore[no-any-return]

    @mass.setter
    def mass(self, value: Any) -> None:
        mass = self._given(value, "mass")
        check.positive(mass.min(), f"mass of {self._name}")
        self._set("body_mass", self._body, mass)

    @property
    def com(self) -> np.ndarray:
        """Centre of mass, (3,) [m], frame of the link; assign to change it."""
        return reading(self._get("body_com", self._body), "com")

    @com.setter
    def com(self, value: Any) -> None:
        self._set("body_com", self._body, self._given(value, "com", 3))

    @property
    def com_position(self) -> np.ndarray:
        """Centre of mass, (3,) [m], world."""
        return self.to_world(self.com)

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about the centre of mass, (3, 3) [kg m²], axes of the link; assign to change it.

        It must be symmetric and positive definite; three numbers stand for a diagonal.
        """
        return reading(np.asarray(self._get("body_inertia", self._body))[..., SYMMETRIC], "inertia")

    @inertia.setter
    def inertia(self, value: Any) -> None:
        array = check.array(value, f"inertia of {self._name}", "(3, 3) numbers")
        if array.shape == (3,):
            array = np.diag(array)
        given = self._given(array, "inertia", 3, 3)
        check.inertias(given, f"inertia of {self._name}")
        self._set("body_inertia", self._body, given[..., SIX[0], SIX[1]])

    @property
    def _has_worlds(self) -> bool:
        return self._owner._is_batch

    def _surface_rows(self) -> np.ndarray:
        counts = [len(body.shapes) for body in self._owner.description.bodies]
        first = sum(counts[: self._body])
        rows = self._owner._command_rows("surface_velocity")
        return rows[:, first : first + counts[self._body]]

    @property
    def gravity_compensation(self) -> float | np.ndarray:
        """Share [–] of its weight that is borne from outside: 0 nothing, 1 weightless; assign to change it.

        A force −share · m g at the centre of mass, as that of a balloon or a magnet; drives have no
        part in it (for that: `ArticulatedSystem.gravity_compensation`).
        """
        return self._get("body_support", self._body)  # type: ignore[no-any-return]

    @gravity_compensation.setter
    def gravity_compensation(self, value: Any) -> None:
        self._set("body_support", self._body, self._given(value, "gravity_compensation"))


class Joint(JointDrive):
    """A joint of a robot, ``robot.joint("LF_HIP")``; as a frame, that of the link which it moves.

    In a batch, values have a first axis of length worlds.

    Example:
        >>> import tribo
        >>> from tribo.tools.demo import ASSETS
        >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
        >>> knee = robot.joint(robot.joint_names[2])
        >>> knee.coordinate = -0.5
        >>> knee.coordinate
        -0.5
    """

    _called = "joint"

    @property
    def link(self) -> Link:
        """The link that it moves."""
        link: Link = self._owner.links[self._body]
        return link

    @property
    def parent_link(self) -> Link | None:
        """The link on which it is, None for the root."""
        return self.link.parent

    @property
    def limits(self) -> tuple[float | np.ndarray, float | np.ndarray]:
        """Lower and upper stop [rad, m], infinite without; assign a pair.

        Of a spherical joint the upper one is the largest angle of its axis (or of its whole turn); the
        lower one is not used. In a batch (worlds,) each; assign numbers for all worlds or such arrays.
        """
        if self._owner._is_batch:
            return self._get("joint_lower", self._body), self._get("joint_upper", self._body)
        joint = self._body_description.joint
        return joint.lower, joint.upper

    @limits.setter
    def limits(self, value: Any) -> None:
        what = f"limits of {self._name}"
        if self.type in (JointType.FREE, JointType.FIXED):
            raise ValueError(f"{what}: a {self.type.name.lower()} joint has no stops")
        lower, upper = (self._stop(x, what) for x in check.pair(value, what))
        wrong = np.flatnonzero(~(lower <= upper))
        if wrong.size:
            k = int(wrong[0])
            raise ValueError(
                f"{what}: lower {float(lower[k])!r} must not be above upper {float(upper[k])!r}"
                + (f" (world {k})" if self._owner._is_batch else "")
            )
        self._set("joint_lower", self._body, lower)
        self._set("joint_upper", self._body, upper)

    def _stop(self, value: Any, what: str) -> np.ndarray:
        """Return stops [rad, m], (worlds,), from one number for all worlds or one for each."""
        made = check.array(value, what, "a pair of numbers")
        count = self._owner._count()
        if made.shape not in ((), (count,)):
            each = f" or one for each of {count} worlds" if self._owner._is_batch else ""
            raise ValueError(f"{what} must be two numbers{each}, got one of shape {made.shape}")
        if np.isnan(made).any():
            raise ValueError(f"{what}: nan is not a number; without a stop it is -inf or inf")
        return np.broadcast_to(made, (count,)).copy()

    # -- state ---------------------------------------------------------------------------------
    @property
    def coordinate(self) -> float | np.ndarray:
        """Its coordinates: a number [rad, m] or an array ((4,) quaternion, (7,) pose); assign to set."""
        return self._state(self._owner._state_rows("q"), self.coordinate_slice)  # type: ignore[no-any-return]

    @coordinate.setter
    def coordinate(self, value: Any) -> None:
        where = self.coordinate_slice
        self._write_state(self._owner._state_rows("q"), where, value, "coordinate")

    @property
    def velocity(self) -> float | np.ndarray:
        """Its velocities: a number [rad/s, m/s] or an array ((3,), (6,)); assign to set."""
        return self._state(self._owner._state_rows("v"), self.velocity_slice)  # type: ignore[no-any-return]

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._write_state(self._owner._state_rows("v"), self.velocity_slice, value, "velocity")

    # -- placement -----------------------------------------------------------------------------
    def _check_placed(self, what: str) -> None:
        if self._body == 0:
            raise ValueError(
                f"{what} of {self._name}: the root has no parent; set position and orientation of the robot"
            )

    @property
    def position_in_parent(self) -> np.ndarray:
        """Origin of the joint, (3,) [m], frame of the parent link; assign to change it."""
        return reading(self._get("joint_pos", self._body), "position_in_parent")

    @position_in_parent.setter
    def position_in_parent(self, value: Any) -> None:
        self._check_placed("position_in_parent")
        self._set("joint_pos", self._body, self._given(value, "position_in_parent", 3))

    @property
    def orientation_in_parent(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z), (4,), of the joint at coordinate 0, its axes to the parent."""
        turn = np.asarray(self._get("joint_rot", self._body))
        found = quaternions(turn.reshape(-1, 3, 3))
        return reading(found if turn.ndim == 2 else found[0], "orientation_in_parent")

    @orientation_in_parent.setter
    def orientation_in_parent(self, value: Any) -> None:
        self._check_placed("orientation_in_parent")
        given = self._given(value, "orientation_in_parent", 4)
        unit_quaternions(given, f"orientation_in_parent of {self._name}")
        self._set("joint_rot", self._body, np.array([rotation_matrix(q).ravel() for q in given]))

    @property
    def axis_in_joint(self) -> np.ndarray:
        """Axis of a revolute or prismatic joint, (3,) unit, axes of the joint; assign any length."""
        return reading(self._get("joint_axis", self._body), "axis_in_joint")

    @axis_in_joint.setter
    def axis_in_joint(self, value: Any) -> None:
        if self.type not in (JointType.REVOLUTE, JointType.PRISMATIC):
            raise ValueError(f"joint {self._name} is {self.type.name.lower()}: it has no axis")
        given = self._given(value, "axis_in_joint", 3)
        length = np.linalg.norm(given, axis=-1, keepdims=True)
        if (length < 1e-12).any():
            raise ValueError(f"axis_in_joint of {self._name} has no direction: {value!r}")
        self._set("joint_axis", self._body, given / length)

    @property
    def axis(self) -> np.ndarray:
        """Axis of a revolute or prismatic joint, (3,) unit, world."""
        # Moving along or about it leaves the axis where it is: the link's axes show it too.
        turn = self.rotation_matrix
        return frozen(turned(turn, self.axis_in_joint))
