"""One single body in all worlds of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo import check
from tribo.batch_object import ObjectBatch
from tribo.objects.states import rows
from tribo.readonly import frozen


class SingleBodyBatch(ObjectBatch):
    """A single body in all worlds of a batch: what `SingleBody` has, with the world as first axis.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> box = world.add_box(size=(1, 1, 1), mass=1.0, name="box")
        >>> boxes = tribo.Batch(world, 3, threads=1)["box"]
        >>> boxes.mass = 1.0, 2.0, 3.0
        >>> boxes.mass.tolist()
        [1.0, 2.0, 3.0]
    """

    @property
    def mass(self) -> np.ndarray:
        """Mass [kg] > 0 in each world, (worlds,); assign one for all or (worlds,). The inertia stays."""
        return np.asarray(self.links[0].mass)

    @mass.setter
    def mass(self, value: Any) -> None:
        self.links[0].mass = value

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about the centre of mass, (worlds, 3, 3) [kg m²], body axes; assign to change it.

        (3,) is a diagonal and (3, 3) a matrix for all worlds.
        """
        return self.links[0].inertia

    @inertia.setter
    def inertia(self, value: Any) -> None:
        self.links[0].inertia = value

    @property
    def linear_damping(self) -> np.ndarray:
        """Drag [N s/m] ≥ 0, (worlds,), see `SingleBody`; assign one for all or (worlds,)."""
        return frozen(self.damping[:, 0].copy())

    @linear_damping.setter
    def linear_damping(self, value: Any) -> None:
        self._set_drag("linear_damping", value, slice(0, 3))

    @property
    def angular_damping(self) -> np.ndarray:
        """Drag [N m s/rad] ≥ 0, (worlds,), see `SingleBody`; assign one for all or (worlds,)."""
        return frozen(self.damping[:, 3].copy())

    @angular_damping.setter
    def angular_damping(self, value: Any) -> None:
        self._set_drag("angular_damping", value, slice(3, 6))

    def _set_drag(self, what: str, value: Any, dofs: slice) -> None:
        given = rows(value, f"{what} of {self.name}", (), len(self._batch))
        check.not_negative(given, f"{what} of {self.name}")
        self._set_parameter("dof_damping", dofs, given[:, None], what)

    @property
    def com(self) -> np.ndarray:
        """Centre of mass, (worlds, 3) [m], in the frame in which the shapes were given; assign to move it.

        Worlds share their shapes, so here the body's origin stays where it is, and `position` and
        `linear_velocity` are those of the centre of mass that the body had when the batch was made.
        """
        return self.links[0].com - self.description.origin

    @com.setter
    def com(self, value: Any) -> None:
        given = check.array(value, f"com of {self.name}", "(3,) or (worlds, 3) numbers")
        if given.shape not in ((3,), (len(self._batch), 3)):
            raise ValueError(
                f"com of {self.name} must have shape (3,) or ({len(self._batch)}, 3), got {given.shape}"
            )
        self.links[0].com = given + self.description.origin
