"""Sizes of collision shapes in a batch: every world may have its own."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.batch.part import Part
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.description import inertias
from tribo.description.extents import body_bounds
from tribo.description.trees import BodyDescription, ShapeDescription
from tribo.model import Kind, Shape
from tribo.objects.collision_body import PRIMITIVES

NUMBERS = {
    Shape.SPHERE: "radius",
    Shape.BOX: "half of each edge",
    Shape.CAPSULE: "radius, half of the distance between the centres of its caps",
    Shape.CYLINDER: "radius, half of its height",
    Shape.CONE: "radius, half of its height",
    Shape.ELLIPSOID: "semi-axes",
}
CENTRED = tuple(kind for kind in PRIMITIVES if kind != Shape.CONE)  # solids about their middle


class BatchShapes:
    """The part of a batch that says how large shapes are."""

    def __init__(self, batch: BatchOwner) -> None:
        self._batch = batch

    def shape_size(self, name: str, shape: str | None = None) -> np.ndarray:
        """Return the numbers of a collision shape in each world, (worlds, k) [m], as `CollisionBody.size`.

        Args:
            name: Of the object, a static one too.
            shape: Name of its collision shape, "LINK/0"; None: its only one.

        Raises:
            KeyError: There is no such object or shape; the message proposes the nearest name.
            ValueError: The object has several shapes and none is named.
        """
        _, described, row = self._found(name, shape)
        found = self._batch.engine.model.arrays["shape_size"][:, row, : len(described.size)]
        return frozen(np.array(np.broadcast_to(found, (len(self._batch), found.shape[1]))))

    def set_shape_size(
        self, name: str, size: Any, shape: str | None = None, *, worlds: Any = slice(None),
        update_inertia: bool = False,
    ) -> None:  # fmt: skip
        """Set how large a sphere, box, capsule, cylinder, cone or ellipsoid is, world by world.

        A world then does, bit for bit, what it would do alone with that size. The place of the shape on its
        body, masses and what is drawn stay as they are; snapshots do not hold sizes.

        Args:
            name: Of the object, a static one too.
            size: Numbers as `CollisionBody.size` has them [m]: radius; half of each edge of a box; radius
                and half of the height or, of a capsule, of the distance between the centres of its caps. One
                shape of (k,) for all these worlds, or (n, k) with a row for each of the n; of spheres also
                one number or (n,).
            shape: Name of the collision shape, "LINK/0"; None: the only one of the object.
            worlds: Index, slice or mask of the worlds that are set; the others stay, and cost nothing.
            update_inertia: Give the body the inertia of a homogeneous solid of that size and its present
                mass: of a single body of one shape in its middle, but for cones.

        Raises:
            KeyError: There is no such object or shape; the message proposes the nearest name.
            TypeError, ValueError: A size is wrong, the shape is one that more than lengths make (hulls,
                meshes, terrain), or its inertia does not follow from its size; nothing is changed.
            EditError: Another thread steps the batch.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> batch.set_shape_size("ball", [0.2, 0.3], worlds=np.array([True, False, True]))
            >>> batch.shape_size("ball").tolist()
            [[0.2], [0.1], [0.3]]
        """
        part, described, row = self._found(name, shape)
        what = f"size of {described.name} of {name}"
        self._batch.check_idle(what)
        if described.kind not in PRIMITIVES or described.is_point:
            kind = check.with_article(described.kind.name.lower())
            raise ValueError(
                f"{what}: {kind} is made by more than lengths, and all worlds of a batch share it; change it "
                "in the world, before the batch is made"
            )
        check.boolean(update_inertia, "update_inertia")
        chosen = self._batch.chosen_worlds(worlds).ravel()
        made = _sizes(size, described, what, chosen)
        if update_inertia:
            _check_middle(part, what)
            masses = np.broadcast_to(self._batch[name].mass, len(self._batch))[chosen]
            moments = [
                inertias.about_middle(described.kind, tuple(numbers), mass)
                for numbers, mass in zip(made.tolist(), masses.tolist(), strict=True)
            ]
            link = part.description.bodies[0].name
            self._batch[name].set_link(link, chosen, inertia=np.array(moments).reshape(-1, 3, 3))
        self._write(part, row, chosen, made)

    def _found(self, name: str, shape: str | None) -> tuple[Part, ShapeDescription, int]:
        """Return an object, the description of one of its shapes, and which row of the model it is."""
        part = self._batch.parts[check.known(name, self._batch.parts, "object")]
        shapes = {s.name: s for body in part.description.bodies for s in body.shapes}
        if shape is None:
            if len(shapes) != 1:
                names = ", ".join(shapes) or "none"
                raise ValueError(f"{name} has {len(shapes)} collision shapes; name one of them: {names}")
            shape = next(iter(shapes))
        place = list(shapes).index(check.known(shape, shapes, f"collision shape of {name}"))
        return part, shapes[shape], part.span.shape.start + place

    def _write(self, part: Part, row: int, chosen: np.ndarray, made: np.ndarray) -> None:
        """Write sizes (n, k) of a shape in n worlds, and what follows from them."""
        engine = self._batch.engine
        engine.own("shape_size", "body_box", "body_radius")
        model = engine.model.arrays
        width = made.shape[1]
        model["shape_size"][chosen, row, :width] = made
        body = int(model["shape_body"][0, row])
        number = body - part.span.body.start
        first = part.span.shape.start + sum(len(before.shapes) for before in part.description.bodies[:number])
        resized = _copied(part.description.bodies[number])
        for e in chosen:
            for k, described in enumerate(resized.shapes):
                if described.kind in PRIMITIVES:
                    sizes = model["shape_size"][e, first + k, : len(described.size)]
                    described.size = tuple(sizes.tolist())
            model["body_box"][e, body], model["body_radius"][e, body] = body_bounds(resized)
        engine.work.arrays["sweep_is_listed"][chosen] = 0


def _copied(body: BodyDescription) -> BodyDescription:
    """Return a body with shapes of its own, whose sizes may be changed."""
    made = copy(body)
    made.shapes = [copy(shape) for shape in body.shapes]
    return made


def _sizes(given: Any, described: ShapeDescription, what: str, chosen: np.ndarray) -> np.ndarray:
    """Return checked sizes for some worlds, (n, k)."""
    n, k = len(chosen), len(described.size)
    meaning = f"[m]: {NUMBERS[described.kind]}"
    made = check.within_range(check.array(given, what, f"numbers {meaning}"), what)
    if k == 1 and made.shape in ((), (n,)):
        made = np.broadcast_to(made, n)[:, None]
    if made.shape == (k,):
        made = np.tile(made, (n, 1))
    if made.shape != (n, k):
        alone = f"one number or have shape ({n},)" if k == 1 else f"have shape ({k},)"
        raise ValueError(
            f"{what} must {alone} or ({n}, {k}) for the {n} worlds that are set, {meaning}; got {made.shape}"
        )
    bad = ~(made > 0.0).all(axis=1)
    if bad.any():
        raise ValueError(
            f"{what} must be > 0 {meaning}; in world {chosen[bad][0]} it is {made[bad][0].tolist()}"
        )
    return np.array(made)


def _check_middle(part: Part, what: str) -> None:
    """Refuse bodies whose inertia does not follow from the size of a shape."""
    shapes = part.description.bodies[0].shapes
    if not (
        part.is_single and part.kind != Kind.STATIC and len(shapes) == 1 and shapes[0].kind in CENTRED
        and not np.any(shapes[0].position) and tuple(shapes[0].quaternion) == (1.0, 0.0, 0.0, 0.0)
    ):  # fmt: skip
        raise ValueError(
            f"{what}: update_inertia is for single bodies that move, of one sphere, box, capsule, cylinder "
            "or ellipsoid in their middle; set the inertia of others with set_link(name, worlds, inertia=…)"
        )
