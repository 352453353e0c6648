"""Types of what users hand in, for editors and type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from tribo.enums import Kind

# One row of numbers; rows of them; anything of numbers, of any number of axes.
Vector: TypeAlias = Sequence[float] | npt.NDArray[Any]
Rows: TypeAlias = Sequence[Vector] | npt.NDArray[Any]
Numbers: TypeAlias = float | Vector | Rows | Sequence[Rows]


class Rotation(Protocol):
    """A rotation as SciPy has it, ``scipy.spatial.transform.Rotation``."""

    def as_matrix(self) -> np.ndarray:
        """Return its matrix, (3, 3)."""


Orientation: TypeAlias = Vector | Rows | Rotation
Euler: TypeAlias = tuple[str, Vector]
AxisAngle: TypeAlias = Vector | tuple[Vector, float]
Color: TypeAlias = str | Vector
BodyType: TypeAlias = Kind | Literal["dynamic", "kinematic", "static"]


class BodyOptions(TypedDict, total=False):
    """Options of all `add_…` of single bodies beside size, mass and material."""

    name: str
    position: Vector | None
    orientation: Orientation | None
    rpy: Vector | None
    euler: Euler | None
    axis_angle: AxisAngle | None
    rotation_matrix: Rows | None
    linear_velocity: Vector | None
    angular_velocity: Vector | None
    com: Vector | None
    inertia: Vector | Rows | None
    body_type: BodyType | None
    collision_group: int | None
    collision_mask: int | None
    ground_points: Rows | None
    color: Color | None


class PoseOptions(TypedDict, total=False):
    """Where something that is only drawn stands."""

    position: Vector
    orientation: Orientation


class ViewerOptions(TypedDict, total=False):
    """Options of a viewer beside its world."""

    host: str
    port: int
    hosts: Sequence[str]
    token: str | None
