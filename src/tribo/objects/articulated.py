"""A tree of joints: robots on a floating or a fixed base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tribo import check
from tribo.builder import COORDINATES, DOFS, rotation_matrix
from tribo.model import Joint
from tribo.objects.base import Object, frozen


class ArticulatedSystem(Object):
    """A robot in generalized coordinates.

    Coordinates stand in the order of `body_names`: a floating base has 7 (position, quaternion)
    and 6 dofs (linear, angular velocity, world axes), a spherical joint 4 and 3, other joints 1 and 1.
    """

    def _looks(self) -> str:
        base = "floating" if self.is_floating else "fixed"
        return f"{base} base, {len(self.joint_names)} joints, {self.dof} dofs"

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
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames: one per joint, fixed ones too, and one per link."""
        return tuple(frame.name for frame in self.description.frames)

    @property
    def is_floating(self) -> bool:
        """Whether the base moves freely."""
        return self.description.bodies[0].joint.type == Joint.FREE

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

    # -- drives --------------------------------------------------------------------------------
    def _drive_values(self, value: Any, what: str, full: int, base: int, rest: Any) -> np.ndarray:
        """Return `full` checked numbers; `rest` stands for those of the base if they are left out."""
        self.check_present(what)
        what = f"{what} of {self.name}"
        made = check.array(value, what, "numbers")
        if made.shape == (full,):
            return check.within_range(made, what)
        if not self.is_floating or made.shape != (full - base,):
            joints = f", or ({full - base},) for the joints alone" if self.is_floating else ""
            raise ValueError(f"{what} must have shape ({full},){joints}, got {made.shape}")
        made = np.concatenate([np.zeros(base), check.within_range(made, what)])
        made[:base] = rest
        return made

    @property
    def generalized_force(self) -> np.ndarray:
        """Feed-forward force, shape (dof,) [N, N m], live; stays until changed; effort limits apply.

        Assigned values for the joints alone, (dof − 6,), leave nothing on a floating base.
        """
        return self._live("_tau")

    @generalized_force.setter
    def generalized_force(self, value: Any) -> None:
        self._tau[:] = self._drive_values(value, "generalized_force", self.dof, 6, 0.0)

    def set_pd_gains(self, kp: Any, kd: Any) -> None:
        """Set the gains of the implicit PD drives.

        Args:
            kp, kd: One number for all joints, or (dof,), or for a robot with a floating base
                (dof − 6,): the joints alone. The base gets 0 unless it is given its own numbers.
                ≥ 0 [N/m, N m/rad] and [N s/m, N m s/rad]. τ = τ_ff − kp (q⁺ − q_d) − kd (v⁺ − v_d)
                with position and velocity at the end of the step (docs/physics/integration).

        Raises:
            ValueError: A gain is negative or not finite, or there are too few or too many.
        """
        made = []
        for value, what in ((kp, "kp"), (kd, "kd")):
            given = value
            if check.is_scalar(value):
                number = check.number(value, f"{what} of {self.name}", minimum=0.0)
                given = np.full(self.dof - 6 * self.is_floating, number)
            gain = self._drive_values(given, what, self.dof, 6, 0.0)
            made.append(check.not_negative(gain, f"{what} of {self.name}"))
        self._kp[:], self._kd[:] = made

    @property
    def kp(self) -> np.ndarray:
        """Stiffness of the drives, shape (dof,) [N/m, N m/rad], live."""
        return self._live("_kp")

    @kp.setter
    def kp(self, value: Any) -> None:
        self.set_pd_gains(value, self._kd)

    @property
    def kd(self) -> np.ndarray:
        """Damping of the drives, shape (dof,) [N s/m, N m s/rad], live."""
        return self._live("_kd")

    @kd.setter
    def kd(self, value: Any) -> None:
        self.set_pd_gains(self._kp, value)

    @property
    def pd_gains(self) -> tuple[np.ndarray, np.ndarray]:
        """Gains (kp, kd), each of shape (dof,), live."""
        return self.kp, self.kd

    @property
    def pd_target(self) -> np.ndarray:
        """Target coordinates of the drives, shape (nq,), live; assign to set them.

        Assigned values for the joints alone, (nq − 7,), leave the target of a floating base.
        """
        return self._live("_target_q")

    @pd_target.setter
    def pd_target(self, value: Any) -> None:
        rest = self._target_q[:7]
        made = self._drive_values(value, "pd_target", len(self._q), 7, rest)
        self._target_q[:] = self._normalized(made, "pd_target")

    @property
    def pd_velocity_target(self) -> np.ndarray:
        """Target velocities of the drives, shape (dof,), live; assign to set them.

        Assigned values for the joints alone, (dof − 6,), leave the target of a floating base.
        """
        return self._live("_target_v")

    @pd_velocity_target.setter
    def pd_velocity_target(self, value: Any) -> None:
        rest = self._target_v[:6]
        self._target_v[:] = self._drive_values(value, "pd_velocity_target", self.dof, 6, rest)

    @property
    def applied_torque(self) -> np.ndarray:
        """What the drives really did in the last step, shape (dof,) [N, N m], limits included."""
        span = self._placed()
        return frozen(np.array(self.world.engine.work.applied_torque[span.v]))

    @property
    def effort_limit(self) -> np.ndarray:
        """Largest drive force of each dof, shape (dof,) [N, N m], inf without limit."""
        span = self._placed()
        return frozen(np.array(self.world.engine.model.dof_effort[span.v]))

    def _placed(self) -> Any:
        """Return the span in the records, after a rebuild if one is due."""
        self.check_present("a readout")
        _ = self.world.engine
        return self.span

    # -- dynamics at the present state ---------------------------------------------------------
    @property
    def mass_matrix(self) -> np.ndarray:
        """Mass matrix M at the present coordinates, shape (dof, dof) [kg, kg m, kg m²]."""
        span = self._placed()
        engine = self.world.engine
        work, model = engine.observe(), engine.model
        first, last = span.v.start, span.v.stop
        matrix = np.zeros((last - first, last - first))
        for dof in range(first, last):
            depth, row = model.dof_depth[dof], model.dof_row[dof]
            start = model.body_chain_start[model.dof_body[dof]]
            chain = model.chain_dof[start : start + depth + 1] - first
            matrix[dof - first, chain] = matrix[chain, dof - first] = work.mass_matrix[
                row : row + depth + 1
            ]
        return frozen(matrix)

    # -- frames --------------------------------------------------------------------------------
    def _frame(self, name: str) -> tuple[int, np.ndarray, np.ndarray]:
        frames = {frame.name: frame for frame in reversed(self.description.frames)}
        for k, body in enumerate(self.description.bodies):
            if body.name == name and name not in frames:
                return k, np.zeros(3), np.eye(3)
        frame = frames[check.known(name, frames, f"frame of {self.name}")]
        return frame.body, np.array(frame.position, float), rotation_matrix(frame.quaternion)

    def frame_position(self, name: str) -> np.ndarray:
        """Return the position of a frame, link or joint, shape (3,) [m], world, at the present state."""
        body, offset, _ = self._frame(name)
        work, row = self.world.engine.observe(), self._placed().body.start + body
        return frozen(work.body_pos[row] + work.body_rot[row].reshape(3, 3) @ offset)

    def frame_orientation(self, name: str) -> np.ndarray:
        """Return the rotation of a frame, link or joint, shape (3, 3), frame axes to world."""
        body, _, rotation = self._frame(name)
        work, row = self.world.engine.observe(), self._placed().body.start + body
        return frozen(work.body_rot[row].reshape(3, 3) @ rotation)

    def body_poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (n, 3) [m] and rotations (n, 3, 3) of all bodies at the present state."""
        work, rows = self.world.engine.observe(), self._placed().body
        positions, rotations = work.body_pos[rows], work.body_rot[rows].reshape(-1, 3, 3)
        return frozen(positions.copy()), frozen(rotations.copy())

    def apply_force(self, frame: str, force: Any, point: Any = None) -> None:
        """Add an external force on a link for the next step only.

        Args:
            frame: Name of a link, joint or frame.
            force: (3,) [N], world axes.
            point: Where it acts, (3,) [m], in that frame; None: at the centre of mass of the body.
        """
        body, offset, rotation = self._frame(frame)
        f = check.vector(force, f"force on {self.name}", 3)
        moment = np.zeros(3)
        if point is not None:
            local = offset + rotation @ check.vector(point, "point", 3)
            work, k = self.world.engine.observe(), self._placed().body.start + body
            com = np.array(self.description.bodies[body].com)
            moment = np.cross(work.body_rot[k].reshape(3, 3) @ (local - com), f)
        row = self._wrench_row(body)
        row[:3] += moment
        row[3:] += f

    def apply_torque(self, frame: str, torque: Any) -> None:
        """Add an external torque (3,) [N m], world axes, on a link for the next step only."""
        body, _, _ = self._frame(frame)
        moment = check.vector(torque, f"torque on {self.name}", 3)
        self._wrench_row(body)[:3] += moment

    def ignore_collision(self, first: str, second: str) -> None:
        """Let two links (or frames) of this robot pass through each other."""
        self.check_editable("ignore_collision")
        a, b = self._frame(first)[0], self._frame(second)[0]
        if a != b:
            self.description.ignored.add((min(a, b), max(a, b)))
            self.world.rebuild()
