"""The part of a robot that tells the actuators of its file what to do, and what they remember."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.description.actuators import names_of_activated
from tribo.objects.base import Object
from tribo.objects.controls import Commands, Controls


class Actuated(Object):
    """The actuators of a robot."""

    def set_controls(self, controls: Any) -> None:
        """Tell the actuators of its file what to do: MuJoCo's control vector becomes targets and forces.

        Args:
            controls: u, (nu,), one number for each actuator of the file in its order, those of other robots
                of the file, and those that are not read, included. They are kept within `ctrlrange`.

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
        self.check_present("set_controls")
        own = Controls(self.description)
        self._tell(own, own.checked(controls, self.name))

    @property
    def activation(self) -> np.ndarray:
        """Activations of its actuators, (na,) [–], live: of muscles, filters and integrators, in their order.

        `activated` has the names of the actuators. They belong to the state: snapshots and resets keep them.

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
        return self._live("_activation")[: len(self.activated)]

    @activation.setter
    def activation(self, value: Any) -> None:
        live = self.activation
        given = check.vector(value, f"activation of {self.name}", len(live))
        if len(live) > 0:
            live[:] = given

    @property
    def activated(self) -> tuple[str, ...]:
        """Names of the actuators whose activations `activation` has."""
        return names_of_activated(self.description.actuators)

    def _tell(self, own: Controls, controls: np.ndarray) -> None:
        drives = Commands(self._target_q, self._target_v, self._tau, self._kd, self._control)
        own.tell(controls, drives)
