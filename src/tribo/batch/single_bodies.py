"""One single body in all worlds of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.batch.objects import ObjectBatch
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.objects.states import rows


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

    _is_single_body = True

    @property
    def mass(self) -> np.ndarray:
        """Mass [kg] > 0 in each world, (worlds,); assign one for all or (worlds,). The inertia stays."""
        return np.asarray(self.links[0].mass)

    @mass.setter
    def mass(self, value: Any) -> None:
        given = rows(value, f"mass of {self.name}", (), len(self._batch))
        check.positive(given.min(), f"mass of {self.name}")
        self.links[0].mass = given

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about the centre of mass, (worlds, 3, 3) [kg m²], body axes; assign to change it.

        (3,) is a diagonal and (3, 3) a matrix for all worlds.
        """
        return self.links[0].inertia

    @inertia.setter
    def inertia(self, value: Any) -> None:
        what, n = f"inertia of {self.name}", len(self._batch)
        given = check.array(value, what, "numbers [kg m²]")
        if given.shape not in ((3,), (3, 3), (n, 3, 3)):
            raise ValueError(
                f"{what} must have shape (3,), (3, 3) or {(n, 3, 3)}, got {given.shape}"
            )
        if given.ndim == 3:
            check.inertias(given, what)
        else:
            check.inertia(given, what)
        self.links[0].inertia = given

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

    # -- forces from outside -------------------------------------------------------------------
    def apply_force(  # type: ignore[override]  # a body has no frames to choose from
        self, force: Any, point: Any = None, *, axes: str = "world"
    ) -> None:
        """Add an external force for the next step only, as `SingleBody.apply_force`.

        Args:
            force: (3,) or (worlds, 3) [N].
            point: Where it acts, (3,) or (worlds, 3) [m], world; None: at the centre of mass.
            axes: Of the force: "world" or "body".

        Raises:
            ValueError, TypeError: A vector has a wrong shape or is not finite, or axes is another word.
        """
        link = self.links[0]
        given = self._in_world(force, f"force on {self.name}", axes)
        torque = np.zeros_like(given)
        if point is not None:
            at = rows(point, f"point on {self.name}", (3,), len(self._batch))
            torque = np.cross(at - link.com_position, given)
        self._add_wrench(link, torque, given)

    def apply_torque(  # type: ignore[override]
        self, torque: Any, *, axes: str = "world"
    ) -> None:
        """Add an external torque for the next step only; errors as `apply_force`.

        Args:
            torque: (3,) or (worlds, 3) [N m].
            axes: Of the torque: "world" or "body".
        """
        given = self._in_world(torque, f"torque on {self.name}", axes)
        self._add_wrench(self.links[0], given, np.zeros_like(given))

    def _in_world(self, value: Any, what: str, axes: str) -> np.ndarray:
        """Return checked vectors in world axes, (worlds, 3)."""
        choice = check.choice(axes, ("world", "body"), f"axes of the {what}")
        return self._turned(self.links[0], value, what, "frame" if choice == "body" else "world")

    @property
    def com(self) -> np.ndarray:
        """Centre of mass, (worlds, 3) [m], in the frame in which the shapes were given; assign to move it.

        Worlds share their shapes, so the body's origin stays where it is, which in a world it does not:
        `position`, `linear_velocity` and `generalized_coordinate` go on being those of the centre of mass
        that the body had when the batch was made. ``links[0].com_position`` is where the new one is.
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
