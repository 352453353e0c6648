"""The world as files of worlds see it: what is read fills it, what is written is read from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tribo.description.constraints import ConstraintDescription
from tribo.engine.engine import Engine
from tribo.materials import ContactMaterial, MaterialTable, PairProperties
from tribo.objects import ArticulatedSystem, HeightMap, Object, SingleBody
from tribo.objects.cable import Cable
from tribo.objects.constraint import Constraint


class FilledWorld(Protocol):
    """The world as files of worlds see it; its `add_…` methods take what those of `tribo.World` do."""

    time_step: float
    erp: float
    erp2: float
    default_pair: PairProperties | ContactMaterial

    @property
    def gravity(self) -> np.ndarray:
        """Gravity, (3,) [m/s²], world."""

    @gravity.setter
    def gravity(self, value: Any) -> None: ...

    @property
    def materials(self) -> MaterialTable:
        """Return the table of material pairs."""

    @property
    def objects(self) -> tuple[Object, ...]:
        """Return all objects."""

    @property
    def cables(self) -> tuple[Cable, ...]:
        """Return all cables."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """Return all constraints between bodies."""

    @property
    def engine(self) -> Engine:
        """Return the records."""

    def __getitem__(self, name: str) -> Object:
        """Return an object by name."""

    def constraint(self, name: str) -> Constraint:
        """Return a constraint by name."""

    def remove(self, item: Any) -> None:
        """Take an object or a constraint out."""

    def load_mjcf(self, source: str | Path, *args: Any, **options: Any) -> list[Object]:
        """Add everything in an MJCF file."""

    def load_project(self, source: str | Path, *args: Any, **options: Any) -> Any:
        """Add everything in a project of Choreonoid."""

    def load_sdf(self, source: str | Path, *args: Any, **options: Any) -> list[Object]:
        """Add everything in an SDF file."""

    def load_usd(self, source: str | Path, *args: Any, **options: Any) -> list[Object]:
        """Add everything in a USD file."""

    def tie_described(self, tie: ConstraintDescription, parts: Any) -> Constraint:
        """Add a constraint that a file describes."""

    def add_ground(self, *args: Any, **options: Any) -> SingleBody:
        """Add a half space."""

    def add_sphere(self, *args: Any, **options: Any) -> SingleBody:
        """Add a ball."""

    def add_box(self, *args: Any, **options: Any) -> SingleBody:
        """Add a box."""

    def add_capsule(self, *args: Any, **options: Any) -> SingleBody:
        """Add a cylinder with round ends."""

    def add_cylinder(self, *args: Any, **options: Any) -> SingleBody:
        """Add a cylinder."""

    def add_cone(self, *args: Any, **options: Any) -> SingleBody:
        """Add a cone."""

    def add_ellipsoid(self, *args: Any, **options: Any) -> SingleBody:
        """Add an ellipsoid."""

    def add_compound(self, *args: Any, **options: Any) -> SingleBody:
        """Add a body of several shapes."""

    def add_mesh(self, *args: Any, **options: Any) -> SingleBody:
        """Add a body with the shape of a mesh."""

    def add_height_map(self, *args: Any, **options: Any) -> HeightMap:
        """Add terrain."""

    def add_articulated_system(self, *args: Any, **options: Any) -> ArticulatedSystem:
        """Add a robot."""
