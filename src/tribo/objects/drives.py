"""Drives and drive trains of all joints of a robot at once, of one world or of a batch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made, renamed
from tribo.checks.readonly import reading
from tribo.engine.layout import COORDINATES, DOFS
from tribo.model import Joint as JointType
from tribo.objects.frames import Frame
from tribo.objects.joint_drive import FORMS
from tribo.objects.named_parts import NamedParts
from tribo.objects.states import rows, turned


def numbers_of_dofs(what: str, field: str, doc: str) -> Made[np.ndarray]:
    """Return the property of a number of all dofs of a robot, by its name and its field in `Model`."""

    def read(self: Any) -> np.ndarray:
        return self._dof_numbers(field)  # type: ignore[no-any-return]

    def write(self: Any, value: Any) -> None:
        self._set_joints(what, value)

    return Made(read, write, doc)


class Drives(NamedParts):
    """Properties of a robot's drives and joints, whole or by joint name.

    Everywhere a mapping {joint name: value} changes these joints and leaves the others; one number
    stands for all joints; an array has a number for each dof, or without the base's.

    Example:
        >>> import tribo
        >>> from tribo.tools.demo import ASSETS
        >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
        >>> robot.set_pd_gains(60.0, 2.0)
        >>> robot.set_pd_gains({"LF_KFE": 80.0}, {"LF_KFE": 3.0})
        >>> robot.damping = 0.1
        >>> robot.effort_limits = {"LF_KFE": 20.0}
        >>> robot.drive_form = "averaged"
        >>> robot.joint("LF_KFE").effort_limits, robot.joint("RF_KFE").damping
        ((-20.0, 20.0), 0.1)
    """

    def _named(self, value: Mapping[str, Any], present: np.ndarray, what: str) -> np.ndarray:
        """Return present numbers (…, dof or nq) in which those of some joints are replaced."""
        made = np.array(present)
        is_coordinates = what == "pd_target"
        for name, number in value.items():
            joint = self.joint(name)
            where = joint.coordinate_slice if is_coordinates else joint.velocity_slice
            checked = check.within_range(
                check.array(number, f"{what} of {name}", "numbers"), f"{what} of {name}"
            )
            if where.stop - where.start == 1 and checked.ndim == 1 and made.ndim == 2:
                checked = checked[:, None]  # one number for each world
            try:
                made[..., where] = checked
            except ValueError:
                raise ValueError(
                    f"{what} of {name} must be {where.stop - where.start} numbers, got shape {checked.shape}"
                ) from None
        return made

    def _dof_numbers(self, field: str) -> np.ndarray:
        """Return a field of the dofs, (dof,), for a batch (worlds, dof)."""
        return reading(self._parameter(field, slice(None)).copy())

    def _spread(self, value: Any, what: str) -> dict[str, Any]:
        """Return values by joint from a number, a mapping or an array; those of a joint must be equal."""
        if isinstance(value, Mapping):
            return {self.joint(name).name: number for name, number in value.items()}
        if check.is_scalar(value):
            return {joint.name: value for joint in self.joints}
        what = f"{what} of {self.name}"
        array = check.array(value, what, "numbers")
        slices = self.description.joint_slices(DOFS)
        nv, base = slices[-1].stop, slices[0].stop
        if array.ndim == 0 or array.shape[-1] not in (nv, nv - base):
            raise ValueError(f"{what} must have shape ({nv},), or ({nv - base},) for the joints "
                             f"alone, got {array.shape}")  # fmt: skip
        if array.ndim > 2 or (array.ndim == 2 and not self._is_batch):
            raise ValueError(f"{what} must have shape ({nv},), got {array.shape}")
        made, left_out = {}, nv - array.shape[-1]  # numbers of the base
        for body, where in zip(self.description.bodies, slices, strict=True):
            if where.start == where.stop or where.start < left_out:
                continue
            own = array[..., where.start - left_out : where.stop - left_out]
            if (own != own[..., :1]).any():
                width, name = own.shape[-1], body.joint.name
                raise ValueError(f"{what}: the {width} numbers of joint {name} must be equal")
            made[body.joint.name] = own[..., 0]  # an array, also of one number
        return made

    def _set_joints(self, attribute: str, value: Any) -> None:
        """Set a property of joints, of all that are given or of none."""
        self._assign(attribute, self._spread(value, attribute))

    # -- the drives ----------------------------------------------------------------------------
    @property
    def drive_form(self) -> str:
        """Form of the PD drives: "implicit", "stable", "averaged", "trapezoid", or "mixed".

        Assign a name for all dofs, or {joint: name}. See docs/physics/drives for their equations.

        Raises:
            ValueError: The name is none of the four.
        """
        found = np.unique(self._command_rows("drive_form"))
        return FORMS[int(found[0])] if found.size == 1 else "mixed" if found.size else FORMS[0]

    @drive_form.setter
    def drive_form(self, value: str | Mapping[str, str]) -> None:
        if isinstance(value, Mapping):
            self._assign("drive_form", value)
            return
        form = FORMS.index(check.choice(value, FORMS, f"drive_form of {self.name}"))
        self._command_rows("drive_form")[:] = form

    @property
    def gravity_compensation(self) -> bool:
        """Whether the drives bear the weight of the robot, within their effort limits.

        Each joint's drive adds g(q), its entry of `gravity_force` where the step is evaluated, to the
        feed-forward force; a floating base still falls. Assign a truth value, or {joint: value}.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> robot.gravity_compensation = True
            >>> robot.joint("LF_KFE").gravity_compensation
            True
        """
        return bool(self.joints) and all(joint.gravity_compensation for joint in self.joints)

    @gravity_compensation.setter
    def gravity_compensation(self, value: bool | Mapping[str, bool]) -> None:
        named = value if isinstance(value, Mapping) else {joint.name: value for joint in self.joints}
        self._assign("gravity_compensation", named)

    @property
    def effort_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest drive force of each dof, each (dof,) [N, N m], inf without limit; assignable.

        Assign what holds in both directions, as a number, an array or {joint: number}, or a tuple
        (lower, upper) of two such. It limits feed-forward, PD and gravity compensation together.

        Raises:
            ValueError, TypeError: A limit is negative, or lower > 0, or a shape is wrong; nothing is changed.
        """
        return self._dof_numbers("dof_effort_lower"), self._dof_numbers("dof_effort_upper")

    @effort_limits.setter
    def effort_limits(self, value: Any) -> None:
        if not isinstance(value, tuple):
            self._set_joints("effort_limits", value)
            return
        if len(value) != 2:
            raise ValueError(
                f"effort_limits of {self.name} must be one limit for both directions, or a pair "
                f"(lower, upper), got {check.shown(value)}"
            )
        lower, upper = (self._spread(side, "effort_limits") for side in value)
        if lower.keys() != upper.keys():
            raise ValueError(f"effort_limits of {self.name}: lower and upper name other joints")
        self._assign("effort_limits", {name: (lower[name], upper[name]) for name in lower})

    effort_limit = renamed("effort_limit", "effort_limits", lambda it: it.effort_limits[1])

    velocity_limit = numbers_of_dofs(
        "velocity_limit", "dof_speed",
        """Speed to which each dof's drive accelerates, shape (dof,) [m/s, rad/s], inf without; assignable.

        The drive gives just so much that v⁺ reaches the limit, and nothing if something else drives the
        joint beyond; it may always brake.
        """,
    )  # fmt: skip

    @property
    def active_limits(self) -> dict[str, float | np.ndarray]:
        """Joints at a stop in the last step and the force of it [N m, N], as `Joint.limit_force`.

        In a batch: joints at a stop in any world, (worlds,) each.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> robot.joint("LF_KFE").coordinate = robot.joint("LF_KFE").limits[1]
            >>> robot.joint("LF_KFE").generalized_force = 5.0
            >>> robot.world.step()
            >>> list(robot.active_limits)
            ['LF_KFE']
        """
        forces = {joint.name: joint.limit_force for joint in self.joints}
        return {name: force for name, force in forces.items() if np.any(force)}

    # -- the drive trains ----------------------------------------------------------------------
    armature = numbers_of_dofs(
        "armature", "dof_armature",
        "Rotor inertia seen at each dof, shape (dof,) [kg, kg m²]; assignable (RaiSim: rotor inertia).",
    )  # fmt: skip
    damping = numbers_of_dofs(
        "damping", "dof_damping", "Damping of each dof, shape (dof,) [N s/m, N m s/rad]; assignable."
    )
    dry_friction = numbers_of_dofs(
        "dry_friction", "dof_friction",
        "Dry friction of each dof, shape (dof,) [N, N m]; assignable. A joint at rest sticks exactly.",
    )  # fmt: skip
    stiffness = numbers_of_dofs(
        "stiffness", "dof_stiffness",
        "Stiffness of each dof's spring, shape (dof,) [N/m, N m/rad]; assignable.",
    )  # fmt: skip

    @property
    def spring_reference(self) -> np.ndarray:
        """Coordinates at which springs are at rest, shape (nq,) [m, rad, –].

        Assign one number for all joints of one coordinate, (nq,), the joints' alone without the 7 of a
        floating base, or {joint: value}.

        Raises:
            ValueError, TypeError: A shape is wrong or a number not finite; nothing is changed.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> robot.spring_reference = 0.5
            >>> robot.joint("LF_KFE").spring_reference
            0.5
        """
        return self._dof_numbers("spring_reference")

    @spring_reference.setter
    def spring_reference(self, value: Any) -> None:
        if not isinstance(value, Mapping):
            value = self._spread_references(value)
        self._assign("spring_reference", value)

    def _spread_references(self, value: Any) -> dict[str, Any]:
        """Return references of springs by joint from one number or an array of coordinates."""
        what = f"spring_reference of {self.name}"
        bodies = [b for b in self.description.bodies if b.joint.type != JointType.FIXED]
        widths = {body.joint.name: COORDINATES[body.joint.type] for body in bodies}
        if check.is_scalar(value):
            number = check.number(value, what)
            single = {name: number for name, width in widths.items() if width == 1}
            if not single:
                raise ValueError(
                    f"{what}: one number stands for the joints of one coordinate, and it has none; "
                    "give {joint: quaternion}"
                )
            return single
        array = check.array(value, what, "numbers")
        nq = sum(widths.values())
        base = 7 * (bool(bodies) and bodies[0].joint.type == JointType.FREE)
        if array.shape[-1] not in (nq, nq - base) or array.ndim > 1 + self._is_batch:
            alone = f", or ({nq - base},) for the joints alone" if base else ""
            raise ValueError(f"{what} must have shape ({nq},){alone}, got {array.shape}")
        if array.shape[-1] != nq:
            del widths[bodies[0].joint.name]
        made, first = {}, 0
        for name, width in widths.items():
            own = array[..., first : first + width]
            made[name] = own[..., 0] if width == 1 else own
            first += width
        return made

    # -- forces from outside -------------------------------------------------------------------
    def apply_force(self, frame: str, force: Any, point: Any = None, *, axes: str = "world") -> None:
        """Add an external force on a link for the next step only.

        Args:
            frame: Name of a link, joint or frame.
            force: (3,) [N]; in a batch also (worlds, 3).
            point: Where it acts, (3,) [m], in that frame; None: at the centre of mass of the body.
            axes: Of the force: "world", or "frame" for those of the frame at the call, for the whole step.

        Raises:
            KeyError: There is no such frame; the message proposes the nearest.
            ValueError, TypeError: A vector has a wrong shape or is not finite, or axes is another word.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> robot.apply_force("LF_FOOT", (0, 0, 20), point=(0, 0, -0.02))
            >>> robot.apply_force("trunk", (5, 0, 0), axes="frame")
        """
        place = self.frame(frame)
        given = self._turned(place, force, f"force on {self.name}", axes)
        torque = np.zeros_like(given)
        if point is not None:
            at = rows(point, f"point on {self.name}", (3,), self._count())
            at = place.to_world(at if self._is_batch else at[0])
            torque = np.cross(at - self.links[place.body_index].com_position, given)
        self._add_wrench(place, torque, given)

    def apply_torque(self, frame: str, torque: Any, *, axes: str = "world") -> None:
        """Add an external torque on a link for the next step only.

        Args:
            frame: Name of a link, joint or frame.
            torque: (3,) [N m]; in a batch also (worlds, 3).
            axes: Of the torque: "world", or "frame" for those of the frame at the call, for the whole step.

        Raises:
            KeyError: There is no such frame; the message proposes the nearest.
            ValueError, TypeError: The torque has a wrong shape or is not finite, or axes is another word.
        """
        place = self.frame(frame)
        given = self._turned(place, torque, f"torque on {self.name}", axes)
        self._add_wrench(place, given, np.zeros_like(given))

    def _turned(self, place: Frame, value: Any, what: str, axes: str) -> np.ndarray:
        """Return a checked vector in world axes, (worlds, 3)."""
        choice = check.choice(axes, ("world", "frame"), f"axes of the {what}")
        given = (
            rows(value, what, (3,), self._count()) if self._is_batch else check.vector(value, what, 3)[None]
        )
        if choice == "frame":
            given = turned(place.rotation_matrix, given)
        return given

    @abstractmethod
    def _add_wrench(self, place: Frame, torque: np.ndarray, force: np.ndarray) -> None:
        """Add torque and force on a frame's body at its centre of mass, (worlds, 3) each, world axes."""
