"""A tree of joints: robots on a floating or a fixed base."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tribo import check
from tribo.builder import COORDINATES, DOFS, is_single
from tribo.formats import urdf_write
from tribo.model import Joint
from tribo.objects import edits
from tribo.objects.base import CollisionBody, Object
from tribo.objects.named_parts import NamedParts
from tribo.objects.states import States
from tribo.tree_model import TreeRecords, tree_records


class ArticulatedSystem(NamedParts, Object):
    """A robot in generalized coordinates.

    Coordinates stand in the order of `body_names`: a floating base has 7 (position, quaternion)
    and 6 dofs (linear, angular velocity, world axes), a spherical joint 4 and 3, other joints 1 and 1.
    """

    _tree: TreeRecords | None = None

    # -- names ---------------------------------------------------------------------------------
    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies; links behind fixed joints are merged into their parents."""
        return tuple(body.name for body in self.description.bodies)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move, in order of their coordinates (without the base)."""
        return tuple(b.joint.name for b in self.description.bodies[1:])

    @property
    def is_floating(self) -> bool:
        """Whether the base moves freely."""
        return self.description.bodies[0].joint.type == Joint.FREE

    @property
    def dof(self) -> int:
        """Number of degrees of freedom."""
        return len(self._v)

    def coordinate_slice(self, joint: str) -> slice:
        """Return where the coordinates of a joint (or of the base, by its joint's name) are."""
        return self._joint_slice(joint, COORDINATES)

    def velocity_slice(self, joint: str) -> slice:
        """Return where the velocities of a joint are."""
        return self._joint_slice(joint, DOFS)

    def _joint_slice(self, joint: str, widths: Mapping[Joint, int]) -> slice:
        names = [body.joint.name for body in self.description.bodies]
        k = names.index(check.known(joint, names, f"joint of {self.name}"))
        first = sum(widths[body.joint.type] for body in self.description.bodies[:k])
        return slice(first, first + widths[self.description.bodies[k].joint.type])

    # -- state ---------------------------------------------------------------------------------
    @property
    def generalized_coordinate(self) -> np.ndarray:
        """Coordinates q, shape (nq,) [m, rad, –] (RaiSim: gc); assign to set them."""
        return self._q.copy()

    @generalized_coordinate.setter
    def generalized_coordinate(self, value: Any) -> None:
        self.world.check_editable(f"generalized_coordinate of {self.name}")
        self._q[:] = self._coordinates(value, "generalized_coordinate")

    @property
    def generalized_velocity(self) -> np.ndarray:
        """Velocities v, shape (dof,) [m/s, rad/s] (RaiSim: gv); assign to set them."""
        return self._v.copy()

    @generalized_velocity.setter
    def generalized_velocity(self, value: Any) -> None:
        self.world.check_editable(f"generalized_velocity of {self.name}")
        self._v[:] = check.vector(value, f"generalized_velocity of {self.name}", self.dof)

    @property
    def generalized_acceleration(self) -> np.ndarray:
        """Mean acceleration v̇ over the last step, contacts included, shape (dof,) [m/s², rad/s²]."""
        return self._vdot.copy()

    def _coordinates(self, value: Any, what: str) -> np.ndarray:
        """Return checked coordinates; written for speed, it is called in control loops."""
        q = np.array(value, np.float64)
        if q.shape != self._q.shape or not math.isfinite(q.sum()):
            q = check.vector(value, f"{what} of {self.name}", len(self._q))
        for joint, first in self._quaternions:
            w, x, y, z = q[first : first + 4].tolist()
            square = w * w + x * x + y * y + z * z
            if square != 1.0:
                name = f"{what} of {self.name}, rotation of {joint}"
                q[first : first + 4] = check.quaternion(q[first : first + 4], name)
        return q

    @cached_property
    def _quaternions(self) -> list[tuple[str, int]]:
        """Joints with a quaternion and where it begins."""
        found, first = [], 0
        for body in self.description.bodies:
            width = COORDINATES[body.joint.type]
            if width >= 4:
                found.append((body.joint.name, first + width - 4))
            first += width
        return found

    # -- drives --------------------------------------------------------------------------------
    @property
    def generalized_force(self) -> np.ndarray:
        """Feed-forward force, shape (dof,) [N, N m]; stays until changed; effort limits apply."""
        return self._tau.copy()

    @generalized_force.setter
    def generalized_force(self, value: Any) -> None:
        self._tau[:] = check.vector(value, f"generalized_force of {self.name}", self.dof)

    def set_pd_gains(self, kp: Any, kd: Any) -> None:
        """Set the gains of the implicit PD drives.

        Args:
            kp, kd: (dof,) each, or one number for all joints (the floating base then gets 0),
                ≥ 0 [N/m, N m/rad] and [N s/m, N m s/rad]. τ = τ_ff − kp (q⁺ − q_d) − kd (v⁺ − v_d)
                with position and velocity at the end of the step (docs/physics/integration).
        """
        made = []
        for value, what in ((kp, "kp"), (kd, "kd")):
            gain = check.gains(value, f"{what} of {self.name}", self.dof)
            if np.ndim(value) == 0 and self.is_floating:
                gain[:6] = 0.0
            made.append(gain)
        self._kp[:], self._kd[:] = made

    @property
    def pd_gains(self) -> tuple[np.ndarray, np.ndarray]:
        """Gains (kp, kd), each of shape (dof,)."""
        return self._kp.copy(), self._kd.copy()

    @property
    def pd_target(self) -> np.ndarray:
        """Target coordinates of the drives, shape (nq,); assign to set them."""
        return self._target_q.copy()

    @pd_target.setter
    def pd_target(self, value: Any) -> None:
        self._target_q[:] = self._coordinates(value, "pd_target")

    @property
    def pd_velocity_target(self) -> np.ndarray:
        """Target velocities of the drives, shape (dof,); assign to set them."""
        return self._target_v.copy()

    @pd_velocity_target.setter
    def pd_velocity_target(self, value: Any) -> None:
        self._target_v[:] = check.vector(value, f"pd_velocity_target of {self.name}", self.dof)

    @property
    def applied_torque(self) -> np.ndarray:
        """What the drives really did in the last step, shape (dof,) [N, N m], limits included."""
        span = self._placed()
        return np.array(self.world.engine.work.applied_torque[span.v])

    @property
    def effort_limit(self) -> np.ndarray:
        """Largest drive force of each dof, shape (dof,) [N, N m], inf without limit."""
        span = self._placed()
        return np.array(self.world.engine.model.dof_effort[span.v])

    def _placed(self) -> Any:
        """Return the span in the records, after a rebuild if one is due."""
        if self.is_removed:
            raise RuntimeError(f"{self.name} was removed from its world")
        _ = self.world.engine
        return self.span

    def _records(self) -> TreeRecords:
        span, engine = self._placed(), self.world.engine
        if self._tree is None or self._tree.world_model is not engine.model:
            self._tree = tree_records(engine, span)
        return self._tree

    def _states(self) -> States:
        records = self._records()
        return States(self.name, records, self._q[None], self._v[None], self._vdot[None], True)

    def _count(self) -> int:
        return 1

    def _live(self, name: str) -> np.ndarray:
        view: np.ndarray = getattr(self, f"_{name}")
        return view[None]

    def _check_editable(self, what: str) -> None:
        self.world.check_editable(what)

    def _collision_bodies_of(self, body: int) -> tuple[CollisionBody, ...]:
        counts = [len(b.shapes) for b in self.description.bodies]
        first = sum(counts[:body])
        return self.collision_bodies[first : first + counts[body]]

    def _set_parameter(self, field: str, row: int, value: np.ndarray, what: str) -> None:
        """Write a number into the description and, if the world is built, into its model."""
        self.world.check_editable(what)
        edits.describe(self.description, field, row, value[0])
        if self.world.is_built:
            edits.write(self._records().model, field, row, value)
            self.world.engine.model.tree_is_single[self._placed().tree] = is_single(
                self.description, self.description.kind
            )

    # -- files ---------------------------------------------------------------------------------
    def to_urdf(self) -> str:
        """Return the robot, with its present masses and placements, as URDF text.

        Every frame that is not a link or a moving joint becomes an empty link on a fixed joint. Collision
        filters are not part of a URDF; `export_urdf` tells what is left out.
        """
        return urdf_write.to_text(self.description, name=self.name)[0]

    def export_urdf(self, path: str | Path) -> list[str]:
        """Write the robot, with its present masses and placements, as a URDF file.

        Args:
            path: File to write; an existing one is replaced. Meshes are referenced, not copied.

        Returns:
            What has no place in a URDF and was left out.

        Raises:
            DescriptionError: The robot cannot be written; the message says what and the remedy.
            OSError: The file cannot be written.
        """
        return urdf_write.write(self.description, path, name=self.name)

    # -- forces from outside -------------------------------------------------------------------
    def apply_force(self, frame: str, force: Any, point: Any = None) -> None:
        """Add an external force on a link for the next step only.

        Args:
            frame: Name of a link, joint or frame.
            force: (3,) [N], world axes.
            point: Where it acts, (3,) [m], in that frame; None: at the centre of mass of the body.
        """
        place = self.frame(frame)
        body = place.body_index
        f = check.vector(force, f"force on {self.name}", 3)
        moment = np.zeros(3)
        if point is not None:
            at = place.to_world(check.vector(point, "point", 3))
            moment = np.cross(at - self.link(place.body_name).com_position, f)
        row = self._wrench_row(body)
        row[:3] += moment
        row[3:] += f

    def apply_torque(self, frame: str, torque: Any) -> None:
        """Add an external torque (3,) [N m], world axes, on a link for the next step only."""
        body = self.frame(frame).body_index
        moment = check.vector(torque, f"torque on {self.name}", 3)
        self._wrench_row(body)[:3] += moment

    def ignore_collision(self, first: str, second: str) -> None:
        """Let two links (or frames) of this robot pass through each other."""
        self.world.check_editable(f"collision rules of {self.name}")
        a, b = self.frame(first).body_index, self.frame(second).body_index
        if a != b:
            self.description.ignored.add((min(a, b), max(a, b)))
            self.world.rebuild()
