"""One collision shape of an object: its material and its collision rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribo import check
from tribo.builder import mark_singles
from tribo.description import ShapeDescription
from tribo.model import Shape

if TYPE_CHECKING:
    from tribo.objects.base import Object


class CollisionBody(check.Sealed):
    """One collision shape of an object, e.g. ``robot.collision_body("LF_FOOT/0")``."""

    def __init__(self, owner: Object, number: int, shape: ShapeDescription) -> None:
        """Use `Object.collision_body`."""
        self._owner, self._number, self._shape = owner, number, shape

    def __repr__(self) -> str:
        """Return object, name, shape and material."""
        size = ", ".join(f"{x:g}" for x in self.size)
        return (
            f"<CollisionBody {self.name!r} of {self._owner.name!r}: "
            f"{self.shape.name.lower()}({size}) of {self.material!r}>"
        )

    @property
    def name(self) -> str:
        """Name of link and number, "LINK/0"."""
        return self._shape.name

    @property
    def owner(self) -> Object:
        """The object that it is part of."""
        return self._owner

    @property
    def number(self) -> int:
        """Place among the `collision_bodies` of its object."""
        return self._number

    @property
    def shape(self) -> Shape:
        """Kind of shape."""
        return self._shape.kind

    @property
    def is_point(self) -> bool:
        """Whether it is a point that touches compliant grounds only (``ground_points=``)."""
        return self._shape.is_point

    @property
    def size(self) -> tuple[float, ...]:
        """Numbers of the shape [m], see `tribo.model.Shape`."""
        return self._shape.size

    @property
    def material(self) -> str:
        """Name of the material; assign to change it.

        Example:
            >>> import tribo
            >>> ball = tribo.World().add_sphere(radius=0.1, mass=1.0)
            >>> ball.collision_bodies[0].material = "ice"
            >>> ball.collision_bodies[0].material
            'ice'
        """
        return self._shape.material

    @material.setter
    def material(self, name: str) -> None:
        self._owner.check_editable(f"the material of {self.name}")
        number = self._owner.world.material_number(name)
        self._shape.material = name
        self._write("shape_material", number)

    @property
    def collision_group(self) -> int:
        """Bits of the groups that this shape belongs to."""
        return self._owner.collision_group if self._shape.group is None else self._shape.group

    @collision_group.setter
    def collision_group(self, value: int) -> None:
        self._owner.check_editable(f"the collision group of {self.name}")
        self._shape.group = check.bits(value, "collision_group")
        self._write("shape_group", self._shape.group)

    @property
    def collision_mask(self) -> int:
        """Bits of the groups that this shape meets."""
        return self._owner.collision_mask if self._shape.mask is None else self._shape.mask

    @collision_mask.setter
    def collision_mask(self, value: int) -> None:
        self._owner.check_editable(f"the collision mask of {self.name}")
        self._shape.mask = check.bits(value, "collision_mask")
        self._write("shape_mask", self._shape.mask)

    def _write(self, field: str, value: int) -> None:
        if not self._owner.world.is_built:  # the description is enough, the builder will read it
            return
        engine, span = self._owner.world.engine, self._owner.span
        if span is not None:
            getattr(engine.model, field)[span.shape.start + self._number] = value
            engine.filters_changed()
            mark_singles(engine.model)
