"""The part of a joint's handle that reads and sets its state, its drive and its drive train."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from operator import attrgetter
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made, renamed
from tribo.checks.readonly import reading
from tribo.engine.layout import COORDINATES, DOFS, SLOTS
from tribo.enums import COUPLING_SLOTS, CouplingSlot, DriveForm
from tribo.model import Joint as JointType
from tribo.model import Slot
from tribo.objects.handle import Handle
from tribo.objects.states import unit_quaternions

FORMS = tuple(form.name.lower() for form in DriveForm)


def command(
    what: str, field: str, *, doc: str, is_coordinate: bool = False, not_negative: bool = False
) -> Made[float | np.ndarray]:
    """Return the property of a command of a joint, by its name and its array in `Command`."""
    where = attrgetter("coordinate_slice" if is_coordinate else "velocity_slice")

    def read(self: Any) -> float | np.ndarray:
        return self._state(self._owner._command_rows(field), where(self))  # type: ignore[no-any-return]

    def write(self: Any, value: Any) -> None:
        self._write_command(field, where(self), value, what, not_negative=not_negative)

    return Made(read, write, doc)


def number_of_dofs(what: str, field: str, doc: str, none: float | None = None) -> Made[float | np.ndarray]:
    """Return the property of a number that all dofs of a joint share, by its name and its field in `Model`.

    none: The value that the base may have in an array for all dofs, if a floating base has no such number.
    """

    def read(self: Any) -> float | np.ndarray:
        return self._dof_number(field)  # type: ignore[no-any-return]

    def write(self: Any, value: Any) -> None:
        if none is None or not self._is_base_without(value, what, none):
            self._set_dof_number(field, value, what)

    return Made(read, write, doc)


def state_part(rows: np.ndarray, where: slice, is_batch: bool) -> Any:
    """Return a copy of some columns of (worlds, n): a number where it is one column of one world."""
    if where.stop - where.start == 1:
        return reading(rows[:, where.start].copy()) if is_batch else float(rows[0, where.start])
    return reading((rows[:, where] if is_batch else rows[0, where]).copy())


class JointDrive(Handle):
    """State, drive and drive train of one joint; `Joint` adds its placement.

    Numbers of a joint with one dof are floats, of one with more arrays; in a batch they have a first axis
    of length worlds.
    """

    @property
    def type(self) -> JointType:
        """Revolute, prismatic, spherical, free or fixed."""
        return self._body_description.joint.type

    # -- where its numbers are -----------------------------------------------------------------
    @property
    def coordinate_slice(self) -> slice:
        """Where its coordinates are in `generalized_coordinate`."""
        return self._slice(COORDINATES)

    @property
    def velocity_slice(self) -> slice:
        """Where its velocities are in `generalized_velocity`."""
        return self._slice(DOFS)

    def _slice(self, widths: Mapping[JointType, int]) -> slice:
        bodies = self._owner.description.bodies
        first = sum(widths[body.joint.type] for body in bodies[: self._body])
        return slice(first, first + widths[self.type])

    def _state(self, rows: np.ndarray, where: slice) -> Any:
        return state_part(rows, where, self._owner._is_batch)

    def _checked_state(self, where: slice, value: Any, what: str) -> np.ndarray:
        """Return checked numbers, (1 or worlds, width)."""
        width = where.stop - where.start
        if not width:
            raise ValueError(f"joint {self._name} is fixed: it has no {what}")
        checked = self._given(value, what) if width == 1 else self._given(value, what, width)
        return checked.reshape(-1, width)

    def _write_state(self, array: np.ndarray, where: slice, value: Any, what: str) -> None:
        self._owner._check_editable(f"{what} of {self._name}")
        checked = self._checked_state(where, value, what)
        if what == "coordinate" and where.stop - where.start >= 4:
            unit_quaternions(checked[:, -4:], f"coordinate of {self._name}")
        self._set_row(array, where, checked)

    # -- commands ------------------------------------------------------------------------------
    def _write_command(
        self, name: str, where: slice, value: Any, what: str, *, not_negative: bool = False
    ) -> None:
        """Check and write a command of this joint; one number stands for all its dofs."""
        rows = self._owner._command_rows(name)
        width = where.stop - where.start
        if check.is_scalar(value) and width > 1 and what in ("kp", "kd", "generalized_force"):
            value = np.full(width, check.number(value, f"{what} of {self._name}"))
        checked = self._checked_state(where, value, what)
        if not_negative:
            check.not_negative(checked, f"{what} of {self._name}")
        if what == "pd_target" and width >= 4:
            unit_quaternions(checked[:, -4:], f"pd_target of {self._name}")
        self._set_row(rows, where, checked)

    kp = command(
        "kp", "kp", not_negative=True,
        doc="Stiffness of its drive, ≥ 0 [N m/rad, N/m]; assign a number, or one for each dof.",
    )  # fmt: skip
    kd = command(
        "kd", "kd", not_negative=True,
        doc="Damping of its drive, ≥ 0 [N m s/rad, N s/m]; assign a number, or one for each dof.",
    )  # fmt: skip
    pd_target = command(
        "pd_target", "target_q", is_coordinate=True,
        doc="Target of its drive, as `coordinate` [rad, m, –]: a number, a quaternion (4,), a pose (7,).",
    )  # fmt: skip
    pd_velocity_target = command(
        "pd_velocity_target", "target_v",
        doc="Target velocity of its drive, as `velocity` [rad/s, m/s]; assign to set it.",
    )  # fmt: skip
    generalized_force = command(
        "generalized_force", "tau", doc="Feed-forward force of its drive [N m, N]; stays until changed."
    )

    @property
    def drive_form(self) -> str:
        """Form of its PD drive: "implicit", "stable", "averaged" or "trapezoid" (docs/physics/drives).

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> knee = robot.joint("LF_KFE")
            >>> knee.kp, knee.kd, knee.drive_form = 80.0, 2.0, "averaged"
            >>> robot.joint("RF_KFE").drive_form
            'implicit'
        """
        rows = self._owner._command_rows("drive_form")[:, self.velocity_slice]
        found = np.unique(rows)
        if found.size > 1:
            return "mixed"
        return FORMS[int(found[0])] if found.size else FORMS[0]

    @drive_form.setter
    def drive_form(self, value: str) -> None:
        form = FORMS.index(check.choice(value, FORMS, f"drive_form of {self._name}"))
        self._set_row(self._owner._command_rows("drive_form"), self.velocity_slice, form)

    @property
    def gravity_compensation(self) -> bool:
        """Whether its drive bears the weight of what hangs on it, within its effort limit; assignable."""
        rows = self._owner._command_rows("carries")[:, self.velocity_slice]
        return bool(rows.size and rows.all())

    @gravity_compensation.setter
    def gravity_compensation(self, value: bool) -> None:
        check.instance(value, (bool, np.bool_), f"gravity_compensation of {self._name} must be True or False")
        if self._body == 0 and value:
            raise ValueError(f"joint {self._name} is the root's: no drive bears the whole robot")
        self._set_row(self._owner._command_rows("carries"), self.velocity_slice, value)

    @property
    def applied_torque(self) -> float | np.ndarray:
        """Effort of its drive in the last step [N m, N], limits included; read-only."""
        return self._state(self._owner._torque_rows(), self.velocity_slice)  # type: ignore[no-any-return]

    # -- what rows of the joint did in the last step -------------------------------------------
    def _row_force(self, first: int, count: int) -> Any:
        """Return forces of scalar rows of this joint, with the time step of now [N m, N]."""
        bodies = self._owner.description.bodies[: self._body]
        slot = first + sum(SLOTS[body.joint.type] for body in bodies)
        rows = self._owner._row_forces()
        return self._state(rows, slice(slot, slot + count))

    @property
    def limit_force(self) -> float | np.ndarray:
        """Force of its stop in the last step [N m, N], 0 where it does not touch it; read-only.

        > 0: the lower stop pushes up, < 0: the upper one pushes down. Of a spherical joint ≥ 0: the torque
        that turns it back into its cone.
        """
        return self._row_force(Slot.LIMIT, 1) if SLOTS[self.type] else 0.0

    @property
    def friction_force(self) -> float | np.ndarray:
        """Dry friction in the last step [N m, N], for each dof; read-only."""
        where = self.velocity_slice
        if not SLOTS[self.type]:
            return 0.0
        return self._row_force(Slot.FRICTION, where.stop - where.start)  # type: ignore[no-any-return]

    @property
    def mimic_force(self) -> float | np.ndarray:
        """Force that held it to the joint that it follows in the last step [N m, N]; read-only."""
        if self._body_description.joint.mimic is None:
            return 0.0
        description = self._owner.description
        before = sum(body.joint.mimic is not None for body in description.bodies[: self._body])
        slot = sum(SLOTS[body.joint.type] for body in description.bodies)
        slot += COUPLING_SLOTS * (len(description.couplings) + before) + CouplingSlot.HOLD
        rows = self._owner._row_forces()
        return self._state(rows, slice(slot, slot + 1))  # type: ignore[no-any-return]

    @property
    def mimic(self) -> tuple[str, float, float] | None:
        """The joint that it follows, q = ratio q_leader + offset: name, ratio, offset [rad, m]; or None."""
        return self._body_description.joint.mimic

    # -- drive train ---------------------------------------------------------------------------
    armature = number_of_dofs(
        "armature", "dof_armature",
        """Inertia of the rotor seen at the joint, ≥ 0 [kg m², kg], the same for all its dofs; assignable.

        Times the square of the gear ratio: what the joint feels, not what the motor's data sheet says.
        """,
    )  # fmt: skip
    damping = number_of_dofs(
        "damping", "dof_damping",
        "Damping, ≥ 0 [N m s/rad, N s/m], the same for all its dofs; assign to change it.",
    )  # fmt: skip
    stiffness = number_of_dofs(
        "stiffness", "dof_stiffness",
        """Stiffness of its spring, ≥ 0 [N m/rad, N/m], the same for all its dofs; assign to change it.

        The force −k (q − `spring_reference`), mean over the step: the spring keeps energy.
        """,
    )  # fmt: skip

    @property
    def spring_reference(self) -> float | np.ndarray:
        """Coordinates [rad, m, –] at which its spring is at rest, as `coordinate`; assign to change them."""
        where = self.coordinate_slice
        found = self._owner._parameter("spring_reference", where)
        if where.stop - where.start == 1:
            found = found[..., 0]
        return float(found) if found.ndim == 0 else reading(found.copy(), "spring_reference")

    @spring_reference.setter
    def spring_reference(self, value: Any) -> None:
        where = self.coordinate_slice
        checked = self._checked_state(where, value, "spring_reference")
        if where.stop - where.start >= 4:
            unit_quaternions(checked[:, -4:], f"spring_reference of {self._name}")
        for k in range(where.start, where.stop):
            self._set("spring_reference", k, checked[:, k - where.start])

    dry_friction = number_of_dofs(
        "dry_friction", "dof_friction",
        """Dry friction τ_f, ≥ 0 [N m, N], the same for all its dofs; assign to change it.

        A joint at rest stays at rest, exactly, under every load up to τ_f; a moving one is braked by τ_f.
        """,
        none=0.0,
    )  # fmt: skip

    @property
    def velocity_limit(self) -> float | np.ndarray:
        """Speed to which its drive accelerates, ≥ 0 [rad/s, m/s], inf without limit; assign to change it.

        The drive gives just so much that v⁺ reaches the limit, and nothing if something else drives the joint
        beyond; it may always brake. Loads, impacts and assignments can make a joint faster.
        """
        return self._dof_number("dof_speed", inf)

    @velocity_limit.setter
    def velocity_limit(self, value: Any) -> None:
        if self._is_base_without(value, "velocity_limit", inf):
            return
        self._set_dofs("dof_speed", self._limit(value, "velocity_limit"))

    def _is_base_without(self, value: Any, what: str, none: float) -> bool:
        """Tell whether this is the free joint of a floating base, which is no machine part and has none."""
        if self.type != JointType.FREE:
            return False
        if isinstance(value, (np.ndarray, np.generic)) and (np.asarray(value) == none).all():
            return True  # the base's entries of an array for all dofs
        raise ValueError(f"{self._name} is the free joint of a floating base: it has no {what}")

    @property
    def effort_limits(self) -> tuple[float | np.ndarray, float | np.ndarray]:
        """Least and largest force of its drive, ≤ 0 and ≥ 0 [N m, N], inf without limit; assignable.

        Assign one limit for both directions, or a tuple (lower, upper). It limits feed-forward, PD and
        gravity compensation together; springs and damping are not the drive's.
        """
        return self._dof_number("dof_effort_lower", -inf), self._dof_number("dof_effort_upper", inf)

    @effort_limits.setter
    def effort_limits(self, value: Any) -> None:
        if not isinstance(value, tuple):
            limit = self._limit(value, "effort_limits")
            self._set_dofs("dof_effort_upper", limit)
            self._set_dofs("dof_effort_lower", -limit)
            return
        what = f"effort_limits of {self._name}"
        low, high = check.pair(value, what)
        least = check.array(low, what, "a pair of numbers")
        most = check.array(high, what, "a pair of numbers")
        if (least > 0.0).any() or (most < 0.0).any():
            raise ValueError(
                f"{what} are (lower, upper) with lower ≤ 0 and upper ≥ 0, got "
                f"({check.shown(low)}, {check.shown(high)})"
            )
        lower = -self._limit(-least, "effort_limits, minus lower,")
        upper = self._limit(most, "effort_limits, upper,")
        self._set_dofs("dof_effort_lower", lower)
        self._set_dofs("dof_effort_upper", upper)

    effort_limit = renamed("effort_limit", "effort_limits", lambda it: it.effort_limits[1])

    def _dof_number(self, field: str, missing: float = 0.0) -> float | np.ndarray:
        where = self.velocity_slice
        if where.start == where.stop:
            return missing
        return self._get(field, where.start)  # type: ignore[no-any-return]

    def _limit(self, value: Any, what: str) -> np.ndarray:
        """Return a checked limit ≥ 0, possibly infinite, one per world."""
        what = f"{what} of {self._name}"
        made = check.for_each(value, what, self._owner._count())
        if not (made >= 0.0).all():
            raise ValueError(f"{what} must be ≥ 0 (or inf), got {check.shown(value)}")
        self._check_moves("limit")
        return made.copy()

    def _check_moves(self, what: str) -> None:
        where = self.velocity_slice
        if where.start == where.stop:
            raise ValueError(f"joint {self._name} is fixed: it has no {what}")

    def _set_dof_number(self, field: str, value: Any, what: str) -> None:
        given = self._given(value, what)
        if (given < 0.0).any():
            raise ValueError(f"{what} of {self._name} must be ≥ 0, got {float(given.min())!r}")
        self._check_moves(what)
        self._set_dofs(field, given)

    def _set_dofs(self, field: str, given: np.ndarray) -> None:
        where = self.velocity_slice
        for dof in range(where.start, where.stop):
            self._set(field, dof, given)
