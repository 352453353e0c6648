"""One collision shape of an object: its material and its collision rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import orientation as as_quaternion
from tribo.checks.readonly import reading
from tribo.description.extents import body_bounds, rotation_matrix
from tribo.description.trees import ShapeDescription
from tribo.engine.builder import mark_by_materials
from tribo.model import Shape
from tribo.objects.owner import Member
from tribo.objects.running_surface import RunningSurface

PRIMITIVES = (Shape.SPHERE, Shape.BOX, Shape.CAPSULE, Shape.CYLINDER, Shape.CONE, Shape.ELLIPSOID)


def looks(body: CollisionBody) -> str:
    """Return shape and material in words, with the size as it is given to `add_…`: edges, heights [m]."""
    halves = {Shape.BOX: (0, 1, 2), Shape.CAPSULE: (1,), Shape.CYLINDER: (1,), Shape.CONE: (1,)}
    doubled = halves.get(body.shape, ())
    given = ", ".join(f"{2.0 * x if k in doubled else x:g}" for k, x in enumerate(body.size))
    return f"{body.shape.name.lower()}({given}) of {body.material!r}"


class CollisionBody(RunningSurface):
    """One collision shape of an object, e.g. ``robot.collision_body("LF_FOOT/0")``."""

    _called = "shape"

    def __init__(self, owner: Member, number: int, shape: ShapeDescription) -> None:
        """Use `Object.collision_body`."""
        self._owner, self._number, self._shape = owner, number, shape

    def __repr__(self) -> str:
        """Return object, name, shape and material."""
        return f"<CollisionBody {self.name!r} of {self._owner.name!r}: {looks(self)}>"

    @property
    def name(self) -> str:
        """Name of link and number, "LINK/0"."""
        return self._shape.name

    def _surface_rows(self) -> np.ndarray:
        self._owner.check_present("a surface that runs")
        rows: np.ndarray = self._owner._surface_velocity[None, self._number : self._number + 1]
        return rows

    def _check_surface(self, what: str) -> None:
        self._owner.check_editable(what)

    @property
    def owner(self) -> Member:
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
        """Numbers of the shape [m]: radii, half edges, half heights; assign to change those of a primitive.

        Visuals and mass stay as they are.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> foot = robot.collision_body("LF_FOOT/0")
            >>> foot.size = 1.1 * foot.size[0]
            >>> round(foot.size[0], 6)
            0.0275
        """
        return self._shape.size

    @size.setter
    def size(self, value: Any) -> None:
        what = f"size of {self.name}"
        self._owner.check_editable(what)
        if self.shape not in PRIMITIVES or self.is_point:
            kind = check.with_article(self.shape.name.lower())
            raise ValueError(f"{what}: {kind} is given by more than lengths")
        count = len(self._shape.size)
        given = [value] if check.is_scalar(value) else value
        numbers = check.vector(given, what, count)
        self._shape.size = tuple(check.positive(x, f"each length of {what}") for x in numbers.tolist())
        self._write("shape_size", [*self._shape.size, 0.0, 0.0, 0.0][:3])
        self._write_bounds()

    @property
    def position_in_body(self) -> np.ndarray:
        """Where the shape is on its body, (3,) [m], body frame; assign to move it."""
        return reading(np.array(self._shape.position), "position_in_body")

    @position_in_body.setter
    def position_in_body(self, value: Any) -> None:
        what = f"position_in_body of {self.name}"
        self._check_moves(what)
        self._shape.position = tuple(check.vector(value, what, 3).tolist())
        self._write("shape_pos", self._shape.position)
        self._write_bounds()

    @property
    def orientation_in_body(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z), (4,), shape axes to body axes; assign to turn it."""
        return reading(np.array(self._shape.quaternion), "orientation_in_body")

    @orientation_in_body.setter
    def orientation_in_body(self, value: Any) -> None:
        what = f"orientation_in_body of {self.name}"
        self._check_moves(what)
        self._shape.quaternion = tuple(as_quaternion(value, what).tolist())
        self._write("shape_rot", rotation_matrix(self._shape.quaternion).ravel())
        self._write_bounds()

    def _check_moves(self, what: str) -> None:
        self._owner.check_editable(what)
        if self._shape.is_terrain:
            raise ValueError(f"{what}: terrain stands where its object is; move that")

    def _write_bounds(self) -> None:
        """Renew the box and radius around the body, from which it is found to be near others."""
        owner = self._owner
        if not owner._world.is_built or owner.span is None:
            return
        model = owner._world.engine.model
        body = int(model.shape_body[owner.span.shape.start + self._number])
        described = owner.description.bodies[body - owner.span.body.start]
        model.body_box[body], model.body_radius[body] = body_bounds(described)

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
        number = self._owner._world.material_number(name)
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

    def _write(self, field: str, value: Any) -> None:
        if not self._owner._world.is_built:  # the description is enough, the builder will read it
            return
        engine, span = self._owner._world.engine, self._owner.span
        if span is not None:
            getattr(engine.model, field)[span.shape.start + self._number] = value
            engine.filters_changed()
            mark_by_materials(engine.model)
