"""A tree of joints: robots on a floating or a fixed base."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen, part_of
from tribo.engine.builder import mark_singles
from tribo.engine.layout import COORDINATES, DOFS
from tribo.engine.subtree import TreeRecords, tree_records
from tribo.formats import self_collision
from tribo.model import Joint, Kind
from tribo.objects import edits
from tribo.objects.actuated import Actuated
from tribo.objects.base import Object
from tribo.objects.collision_body import CollisionBody
from tribo.objects.contact import Contact, ContactMotion
from tribo.objects.frames import Frame
from tribo.objects.notebook import robot_table
from tribo.objects.states import States

logger = logging.getLogger("tribo")

NONE = np.zeros(0)  # velocities of a base that has none


class ArticulatedSystem(Actuated, Object):
    """A robot in generalized coordinates.

    Coordinates stand in the order of `body_names`: a floating base has 7 (position, quaternion)
    and 6 dofs (linear, angular velocity, world axes), a spherical joint 4 and 3, other joints 1 and 1.

    Example:
        >>> import tribo
        >>> from tribo.tools.demo import ASSETS
        >>> world = tribo.World()
        >>> robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 1))
        >>> robot.set_pd_gains(kp=50.0, kd=1.0)
        >>> world.step(10)
        >>> robot.dof, robot.joint_names[:3]
        (18, ('LF_HAA', 'LF_HFE', 'LF_KFE'))
    """

    _called = "robot"
    _tree: TreeRecords | None = None
    _sleeps_unasked = False

    def _looks(self) -> str:
        base = "floating" if self.is_floating else "fixed"
        return f"{base} base, {len(self.joint_names)} joints, {self.dof} dofs"

    def _repr_html_(self) -> str:
        """Return the robot as a notebook shows it: a table of its joints."""
        return robot_table(self, self.describe())

    # -- names ---------------------------------------------------------------------------------
    def coordinate_slice(self, joint: str) -> slice:
        """Return where the coordinates of a joint (or of the base, by its joint's name) are.

        Raises:
            KeyError: There is no such joint; the message proposes the nearest.
        """
        return self._joint_slice(joint, COORDINATES)

    def velocity_slice(self, joint: str) -> slice:
        """Return where the velocities of a joint are; errors as `coordinate_slice`."""
        return self._joint_slice(joint, DOFS)

    def _joint_slice(self, joint: str, widths: Mapping[Joint, int]) -> slice:
        names = [body.joint.name for body in self.description.bodies]
        k = names.index(check.known(joint, names, f"joint of {self.name}"))
        return self.description.joint_slices(widths)[k]

    # -- state ---------------------------------------------------------------------------------
    @property
    def linear_velocity(self) -> np.ndarray:
        """Velocity of the base's origin, (3,) [m/s], world; zero if it is fixed. Assign to set it."""
        return part_of(self._v if self.is_floating else NONE, 0, 3, "linear_velocity")

    @linear_velocity.setter
    def linear_velocity(self, value: Any) -> None:
        self._set_base_velocity(value, "linear_velocity", slice(0, 3))

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocity of the base, (3,) [rad/s], world axes; zero if it is fixed. Assign to set it."""
        return part_of(self._v if self.is_floating else NONE, 3, 3, "angular_velocity")

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._set_base_velocity(value, "angular_velocity", slice(3, 6))

    def _set_base_velocity(self, value: Any, what: str, where: slice) -> None:
        self.check_editable(what)
        if not self.is_floating:
            raise ValueError(f"{what} of {self.name}: its base is fixed to the world and has none")
        self._v[where] = check.vector(value, f"{what} of {self.name}", 3)

    @property
    def generalized_acceleration(self) -> np.ndarray:
        """Acceleration v̇ of the last step that lasts, shape (dof,) [m/s², rad/s²]; 0 asleep.

        It is (v⁺ − v)/Δt, contacts included (30 rad/s at 1 ms: to 3e-5 of it), or, if that is smaller, what
        all forces but those of contacts give: a hit does not last. `World.add_imu` measures (v⁺ − v)/Δt.
        """
        return frozen(self._vdot.copy())

    # -- drives --------------------------------------------------------------------------------
    def _drive_values(self, value: Any, what: str, now: np.ndarray, base: int, rest: Any) -> np.ndarray:
        """Return as many checked numbers as now; `rest` stands for the base's if they are left out."""
        self.check_present(what)
        full = len(now)
        if check.is_plain(value, full):
            return value  # type: ignore[no-any-return]
        if self.is_floating and check.is_plain(value, full - base):
            return self._with_base(value, full, rest)
        if isinstance(value, Mapping) and base:
            return self._named(value, now, what)
        what = f"{what} of {self.name}"
        made = check.array(value, what, "numbers")
        if made.shape == (full,):
            return check.within_range(made, what)
        may_miss = bool(base) and self.is_floating
        if not may_miss or made.shape != (full - base,):
            joints = f", or ({full - base},) for the joints alone" if may_miss else ""
            raise ValueError(f"{what} must have shape ({full},){joints}, got {made.shape}")
        return self._with_base(check.within_range(made, what), full, rest)

    @staticmethod
    def _with_base(of_joints: np.ndarray, full: int, rest: Any) -> np.ndarray:
        """Return numbers of the joints behind `rest`, which stands for those of the base."""
        made = np.empty(full)
        first = full - len(of_joints)
        made[:first], made[first:] = rest, of_joints
        return made

    def _now(self, name: str) -> np.ndarray:
        found: np.ndarray = getattr(self, name)
        return found

    def set_pd_gains(self, kp: Any, kd: Any, *, hold_base: bool = False) -> None:
        """Set the gains of the implicit PD drives.

        Args:
            kp, kd: One number for all joints, or (dof,), or for a robot with a floating base
                (dof − 6,): the joints alone, the base gets 0.
                A mapping {joint name: number} changes these joints only.
                ≥ 0 [N/m, N m/rad] and [N s/m, N m s/rad]. τ = τ_ff − kp (q⁺ − q_d) − kd (v⁺ − v_d)
                with position and velocity at the end of the step, or as `drive_form` says.
            hold_base: Whether the first six of (dof,) numbers hold a floating base, as springs and dampers
                to the world would.

        Raises:
            ValueError: A gain is negative or not finite, there are too few or too many, or they hold the base
                and that was not asked for.
        """
        self._kp[:], self._kd[:] = self._gains(kp, kd, ..., hold_base)

    def take_start(self) -> np.ndarray:
        """Take coordinates, gains and targets with which the description says that the robot starts.

        Returns:
            (nq,) [m, rad, –] The coordinates in which its file draws it.
        """
        if self.description.start is not None:
            self._q[:] = self._coordinates(self.description.start, "start")
            self._target_q[:] = self._q
        start = self.description.start_activations
        for k, name in enumerate(self.activated):
            self._activation[k] = start.get(name, 0.0)
        for actuator in (one for one in self.description.actuators if one.law is None):
            at = self.velocity_slice(actuator.joint)
            self._kp[at] += actuator.kp
            self._kd[at] += actuator.kd
        if self.description.actuators:
            controls = self._own_controls()
            self._tell(controls, controls.named(self.description.start_controls))
        if self.description.drawn is not None:
            return self._coordinates(self.description.drawn, "drawn")
        return self._q.copy()

    @property
    def mass(self) -> float:
        """Mass of all bodies [kg]."""
        return float(sum(body.mass for body in self.description.bodies))

    def _placed(self) -> Any:
        """Return the span in the records, after a rebuild if one is due."""
        self.check_present("a readout")
        _ = self._world.engine
        return self.span

    def _records(self) -> TreeRecords:
        span, engine = self._placed(), self._world.engine
        if self._tree is None or self._tree.world_model is not engine.model:
            self._tree = tree_records(engine, span)
        return self._tree

    def _states(self) -> States:
        records = self._records()
        return States(self.name, records, self._q[None], self._v[None], self._vdot[None], True)

    def _count(self) -> int:
        return 1

    def _state_rows(self, name: str) -> np.ndarray:
        view: np.ndarray = getattr(self, f"_{name}")
        return view[None]

    def _command_rows(self, name: str) -> np.ndarray:
        self.check_present(name)
        return self._state_rows(name)

    def _row_forces(self) -> np.ndarray:
        self.check_present("a readout")
        return self._scalar_impulse[None] / float(self._world.engine.settings.dt)

    def _torques(self) -> np.ndarray:
        span = self._placed()
        found: np.ndarray = self._world.engine.work.applied_torque[span.v]
        return found

    def _check_editable(self, what: str) -> None:
        self.check_editable(what)

    def _collision_bodies_of(self, body: int) -> tuple[CollisionBody, ...]:
        counts = [len(b.shapes) for b in self.description.bodies]
        first = sum(counts[:body])
        return self.collision_bodies[first : first + counts[body]]

    def _set_parameter(self, field: str, row: int, value: np.ndarray, what: str) -> None:
        """Write a number into the description and, if the world is built, into its model."""
        self.check_editable(what)
        edits.describe(self.description, field, row, value[0])
        self._tree_motion[:, 0] = 0.0  # its momentum is another now
        if self._world.is_built:
            self._records().model.arrays[field][:, row] = value
            if field == "body_com":
                mark_singles(self._world.engine.model)

    # -- files ---------------------------------------------------------------------------------
    def to_urdf(self) -> str:
        """Return the robot, with its present masses and placements, as URDF text.

        Every frame that is not a link or a moving joint becomes an empty link on a fixed joint; mass and
        shapes of links behind fixed joints are written as those of their body. Links that
        pass through each other are written as in an SRDF, pins, welds and hinges between two bodies as
        <constraints>, closed in the present state; `export_urdf` tells what is left out.
        """
        from tribo.formats import urdf_write
        from tribo.objects.robot_export import with_loops

        return urdf_write.to_text(with_loops(self)[0], name=self.name)[0]

    def export_urdf(self, path: str | Path) -> list[str]:
        """Write the robot, with its present masses, placements and loops, as a URDF file (see `to_urdf`).

        Args:
            path: File to write; an existing one is replaced. Meshes are referenced, not copied.

        Returns:
            Parts that have no place in a URDF and were left out.

        Raises:
            DescriptionError: The robot cannot be written; the message says what and the remedy.
            OSError: The file cannot be written.
            TypeError, ValueError: The path is none, or that of a folder.
        """
        from tribo.formats import urdf_write
        from tribo.objects.robot_export import with_loops

        path = check.path(path, "path")
        tree, notes = with_loops(self)
        return notes + urdf_write.write(tree, path, name=self.name)

    def _add_wrench(self, place: Frame, torque: np.ndarray, force: np.ndarray) -> None:
        row = self._wrench_row(place.body_index)
        row[:3] += torque[0]
        row[3:] += force[0]
        if place.part_name:
            self._world.note_push(self, place.part_name, np.concatenate([torque[0], force[0]]))

    # -- self-collision ------------------------------------------------------------------------
    def ignore_collision(self, first: str, second: str) -> None:
        """Let two links of this robot pass through each other, in effect from the next step on.

        A link and the one on which it hangs do so from the start.

        Args:
            first, second: Names of links; of those behind fixed joints the whole body counts.

        Raises:
            KeyError: There is no link or frame of this name.
        """
        self._set_touching("ignore_collision", first, second, touching=False)

    def allow_collision(self, first: str, second: str) -> None:
        """Let two links of this robot touch each other, also a link and the one on which it hangs.

        Those that a constraint with ``collide=False`` ties together still do not.

        Args:
            first, second: Names of links, as in `ignore_collision`.

        Raises:
            KeyError: There is no link or frame of this name.
        """
        self._set_touching("allow_collision", first, second, touching=True)

    def _contact_motion(self, collision_body: str, point: np.ndarray) -> ContactMotion:
        """Return how the link of a collision body moves, and yields, at a point (3,) [m] of the world."""
        body = next(
            k
            for k, body in enumerate(self.description.bodies)
            if any(shape.name == collision_body for shape in body.shapes)
        )
        frame = Frame(self, self.body_names[body], body)
        local = frame.to_local(point)
        velocity = frozen(frame.velocity_of(local))
        if self.body_type != Kind.DYNAMIC:
            return ContactMotion(velocity, np.zeros((3, 0)), np.zeros((0, 0)))
        return ContactMotion(velocity, frame.jacobian(local), self.inverse_mass_matrix)

    def ignore_overlaps(self) -> tuple[tuple[str, str], ...]:
        """Let all links that touch or overlap in the present pose pass through each other from now on.

        For robots whose collision shapes are in one another by construction: such contacts never open, and
        each step says `CORRECTION_LIMITED`. The worlds of a `Batch` are copies: call it before they are made.

        Returns:
            The pairs, by name, that were not ignored before.

        Example:
            >>> import tribo
            >>> robot = tribo.LinkDescription("base")
            >>> link = robot
            >>> robot.add_shape("box", (0.2, 0.2, 0.2), mass=1.0)
            >>> for name in ("shoulder", "arm"):
            ...     link = link.add_child(name, "revolute", position=(0.05, 0, 0))
            ...     link.add_shape("sphere", (0.05,), mass=0.1)
            >>> world = tribo.World()
            >>> arm = world.add_articulated_system(robot, self_collision="as in file")
            >>> arm.ignore_overlaps()
            (('base', 'arm'),)
        """
        self.check_editable("ignore_overlaps")
        known = set(self.ignored_collisions)
        links = [link for link in self.links if link.collision_bodies]
        found = tuple(
            (a.name, b.name)
            for a, b in combinations(links, 2)
            if (a.name, b.name) not in known and self._world.overlaps(a, b)
        )
        for first, second in found:
            self._set_touching("ignore_overlaps", first, second, touching=False)
        return found

    def _set_touching(self, what: str, first: str, second: str, *, touching: bool) -> None:
        self.check_editable(what)
        a, b = self.frame(first).body_index, self.frame(second).body_index
        if a != b:
            self_collision.set_pair(self.description, a, b, touching=touching)
            self._is_as_built = False
            self._world.rebuild()

    @property
    def ignored_collisions(self) -> tuple[tuple[str, str], ...]:
        """Pairs of links, by name, that pass through each other.

        Groups, masks and constraints with ``collide=False`` can exclude more.
        """
        names = self.body_names
        return tuple((names[a], names[b]) for a, b in self_collision.ignored_pairs(self.description))

    @property
    def internal_contacts(self) -> list[Contact]:
        """Contacts of the last step between two links of this robot, each once."""
        both = [c for c in self.contacts if c.object_a is c.object_b]
        return [contact for contact in both if contact.is_a]
