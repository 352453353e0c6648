"""Commands of a robot, of one world or of a batch: gains, targets, forces, and the actuators of its file."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made, renamed
from tribo.checks.readonly import frozen
from tribo.description.actuators import names_of_activated
from tribo.objects.controls import Controls
from tribo.objects.drives import Drives

BASE = {"target_q": 7}  # numbers of a floating base in a command; 6 in all others


def check_base_gains(gain: np.ndarray, now: np.ndarray, what: str, joints: int) -> None:
    """Refuse gains (…, dof) that would newly hold a floating base, as if springs tied it to the world.

    Raises:
        ValueError: The first six numbers are neither 0 nor what they are now.
    """
    first = gain[..., :6]
    if ((first != 0.0) & (first != now[..., :6])).any():
        raise ValueError(
            f"the first six numbers of {what} would hold its floating base, as springs to the world do: give "
            f"{joints} numbers, for the joints alone, or say hold_base=True"
        )


def command(what: str, field: str, doc: str) -> Made[np.ndarray]:
    """Return the property of a command, by its name and its array in `Command`; live."""
    name, base = f"_{field}", BASE.get(field, 6)

    def read(self: Any) -> np.ndarray:
        return self._live(name)  # type: ignore[no-any-return]

    def write(self: Any, value: Any) -> None:
        if self._is_batch:
            now = self._live(name)
        else:
            now = getattr(self, name)
            if base == 6 and check.is_plain(value, len(now)) and not self.is_removed:
                now[:] = value  # what a controller does in each step comes first
                return
        rest = 0.0 if field == "tau" else now[..., :base]
        made = self._drive_values(value, what, now, base, rest)
        now[...] = self._normalized(np.array(made), what) if base == 7 else made

    return Made(read, write, doc)


class Actuated(Drives):
    """The drives of a robot as a controller commands them; of a batch, arrays begin with the world."""

    _controls: Controls | None = None

    if TYPE_CHECKING:

        def _live(self, name: str) -> np.ndarray:
            """Return an array of the records to write into."""

        def _normalized(self, q: np.ndarray, what: str) -> np.ndarray:
            """Return coordinates with quaternions of unit length; refuse what is far from it."""

    @abstractmethod
    def _now(self, name: str) -> np.ndarray:
        """Return an array of the records as it is now, to be changed by a checked assignment."""

    @abstractmethod
    def _drive_values(self, value: Any, what: str, now: np.ndarray, base: int, rest: Any) -> np.ndarray:
        """Return checked numbers of the shape of `now`.

        Args:
            value, what: The given value and its name.
            now: The present numbers.
            base: Numbers of a floating base, which may be left out; 0: they must be there.
            rest: Their replacement.
        """

    # -- drives --------------------------------------------------------------------------------
    generalized_force = command(
        "generalized_force", "tau",
        """Feed-forward force, (dof,) or in a batch (worlds, dof) [N, N m], live; effort limits apply.

        It stays until changed. Assigned values for the joints alone, (dof − 6,), leave nothing on a floating
        base.
        """,
    )  # fmt: skip
    pd_target = command(
        "pd_target", "target_q",
        """Target coordinates of the drives, (nq,) or in a batch (worlds, nq) [m, rad, –], live; assignable.

        Assigned values for the joints alone, (nq − 7,), leave the target of a floating base.
        """,
    )  # fmt: skip
    pd_velocity_target = command(
        "pd_velocity_target", "target_v",
        """Target velocities of the drives, (dof,) or in a batch (worlds, dof) [m/s, rad/s], live; assignable.

        Assigned values for the joints alone, (dof − 6,), leave the target of a floating base.
        """,
    )  # fmt: skip

    @property
    def kp(self) -> np.ndarray:
        """Stiffness of the drives, (dof,) or in a batch (worlds, dof) [N/m, N m/rad], live."""
        return self._live("_kp")

    @kp.setter
    def kp(self, value: Any) -> None:
        self.set_pd_gains(value, self._now("_kd"))

    @property
    def kd(self) -> np.ndarray:
        """Damping of the drives, (dof,) or in a batch (worlds, dof) [N s/m, N m s/rad], live."""
        return self._live("_kd")

    @kd.setter
    def kd(self, value: Any) -> None:
        self.set_pd_gains(self._now("_kp"), value)

    pd_gains = renamed("pd_gains", "kp and kd", lambda it: (it.kp, it.kd), is_set=False)

    @abstractmethod
    def _torques(self) -> np.ndarray:
        """Return what drives did in the last step, (dof,) or in a batch (worlds, dof)."""

    def _torque_rows(self) -> np.ndarray:
        return self._torques() if self._is_batch else self._torques()[None]

    @abstractmethod
    def set_pd_gains(self, kp: Any, kd: Any, *, hold_base: bool = False) -> None:
        """Set the gains of the implicit PD drives."""

    def _gains(self, kp: Any, kd: Any, rows: Any, hold_base: bool) -> list[np.ndarray]:
        """Return checked gains of some rows of what there is now."""
        check.boolean(hold_base, f"hold_base of {self.name}")
        made = []
        for value, name in ((kp, "kp"), (kd, "kd")):
            now, given, what = self._now(f"_{name}")[rows], value, f"{name} of {self.name}"
            joints = now.shape[-1] - 6 * self.is_floating
            if check.is_scalar(value):
                given = np.full(joints, check.number(value, what, minimum=0.0))
            gain = self._drive_values(given, name, now, 6, 0.0)
            made.append(check.not_negative(gain, what))
            if self.is_floating and not hold_base:
                check_base_gains(gain, now, what, joints)
        return made

    @property
    def applied_torque(self) -> np.ndarray:
        """Efforts of drives in the last step, with limits, (dof,) or in a batch (worlds, dof) [N, N m]."""
        return frozen(np.array(self._torques()))

    # -- actuators of the file -----------------------------------------------------------------
    def set_controls(self, controls: Any) -> None:
        """Tell the actuators of its file what to do: MuJoCo's control vector becomes targets and forces.

        Args:
            controls: u, (nu,), in a batch also (worlds, nu): one number for each actuator of the file in its
                order, those of other robots of the file, and those that are not read, included. They are kept
                within `ctrlrange`.

        Raises:
            ValueError: The shape is wrong, or a number is not finite; the drives stay as they were.

        Example:
            >>> import tribo
            >>> arm = '<body><joint name="j"/><geom size="0.1" pos="0 0 0.3"/></body>'
            >>> servo = '<actuator><position joint="j" kp="50" kv="5"/></actuator>'
            >>> text = f"<mujoco><worldbody>{arm}</worldbody>{servo}</mujoco>"
            >>> robot = tribo.World().add_articulated_system(text)
            >>> robot.set_controls([0.3])
            >>> float(robot.pd_target[0])
            0.3
        """
        self._command_rows("control")  # of a robot that was removed there is none
        own = self._own_controls()
        self._tell(own, own.checked(controls, self.name, self._count() if self._is_batch else None))

    @property
    def activation(self) -> np.ndarray:
        """Activations of its actuators, (na,) or in a batch (worlds, na) [–], live, in their order.

        Of muscles, filters and integrators; `activated` has the names of the actuators. They belong to the
        state: snapshots and resets keep them.

        Example:
            >>> import tribo
            >>> arm = '<body><joint name="j"/><geom size="0.1" pos="0 0 0.3"/></body>'
            >>> lag = '<actuator><general name="m" joint="j" dyntype="filter" dynprm="0.1"/></actuator>'
            >>> text = f"<mujoco><worldbody>{arm}</worldbody>{lag}</mujoco>"
            >>> world = tribo.World(gravity=(0, 0, 0))
            >>> robot = world.add_articulated_system(text)
            >>> robot.set_controls([1.0])
            >>> world.step()  # dt/T = 0.01
            >>> robot.activated, robot.activation.round(6).tolist()
            (('m',), [0.01])
        """
        return self._live("_activation")[..., : len(self.activated)]

    @activation.setter
    def activation(self, value: Any) -> None:
        live = self.activation
        given = self._drive_values(value, "activation", live, 0, None)
        if live.size:
            live[...] = given

    @property
    def activated(self) -> tuple[str, ...]:
        """Names of the actuators whose activations `activation` has."""
        return names_of_activated(self.description.actuators)

    def _own_controls(self) -> Controls:
        """Return the map from controls to commands; it is kept."""
        if self._controls is None or self._controls.description is not self.description:
            self._controls = Controls(self.description)
        return self._controls

    def _tell(self, own: Controls, controls: np.ndarray) -> None:
        own.tell(controls, {name: self._now(name) for name in own.commands})
