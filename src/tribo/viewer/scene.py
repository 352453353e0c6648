"""Drawables of a world as plain data: shapes on bodies, poses, contact forces."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.description.extents import body_bounds, rotation_matrix
from tribo.description.trees import MeshFile, ShapeDescription, VisualDescription
from tribo.enums import Sleep
from tribo.model import Shape
from tribo.objects import Object, SingleBody
from tribo.objects.end import End
from tribo.objects.wire import Wire
from tribo.readout.contacts_and_energies import contact_impulses
from tribo.viewer import surface as meshes
from tribo.viewer.mark_sizes import factor_of
from tribo.viewer.surface import of_shape

if TYPE_CHECKING:
    from tribo.engine.engine import Engine
    from tribo.world.world import World

Color = tuple[float, float, float]

# Colours of common materials; others get one from their name.
MATERIALS: dict[str, Color] = {
    "steel": (0.56, 0.62, 0.70),
    "iron": (0.42, 0.44, 0.48),
    "aluminium": (0.75, 0.77, 0.80),
    "copper": (0.83, 0.45, 0.24),
    "brass": (0.80, 0.65, 0.28),
    "rubber": (0.17, 0.18, 0.21),
    "ice": (0.70, 0.87, 0.96),
    "wood": (0.66, 0.47, 0.29),
    "glass": (0.62, 0.82, 0.80),
    "stone": (0.66, 0.63, 0.58),
    "grass": (0.45, 0.58, 0.36),
}
PALETTE: tuple[Color, ...] = (
    (0.27, 0.50, 0.74),
    (0.90, 0.55, 0.24),
    (0.33, 0.63, 0.45),
    (0.76, 0.33, 0.36),
    (0.55, 0.45, 0.71),
    (0.83, 0.68, 0.30),
    (0.36, 0.64, 0.67),
)
GEOMETRIES = (Shape.CONE, Shape.HULL, Shape.SURFACE, Shape.HEIGHT_MAP)  # drawn as meshes
COLLISION: Color = (0.95, 0.55, 0.15)
MARK: Color = (0.86, 0.22, 0.20)
MARKS: dict[str, tuple[Shape, tuple[float, ...]]] = {  # [m] what shows a constraint
    "pin": (Shape.SPHERE, (0.025,)), "equality": (Shape.SPHERE, (0.025,)),
    "hinge": (Shape.CYLINDER, (0.02, 0.04)), "weld": (Shape.BOX, (0.022, 0.022, 0.022)),
}  # fmt: skip
NOWHERE = (0.0, 0.0, -1e4)  # [m]
WIRES: dict[str, Color] = {
    "stiff": (0.20, 0.22, 0.26), "compliant": (0.85, 0.50, 0.12), "custom": (0.20, 0.42, 0.78),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Drawable:
    """A shape that is fixed to a body, be it seen or touched."""

    name: str  # "robot/LF_FOOT/0"
    owner: str  # name of the object
    body: int  # row of `Work.body_pos`
    kind: Shape
    size: tuple[float, ...]
    position: np.ndarray  # (3,) [m] body frame
    rotation: np.ndarray  # (3, 3)
    color: Color
    mesh: Any = None  # trimesh.Trimesh
    keeps_color: bool = False  # the colour was set: it replaces those of the mesh
    constraint: int = -1  # number of the constraint that it shows; −1: none

    def vertices(self) -> np.ndarray:
        """Return its vertices (n, 3) [m] in axes of its own."""
        if self.mesh is None:
            return of_shape(self.kind, self.size).vertices
        return np.asarray(self.mesh.vertices, float)


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """Where all bodies of a world are at one time; a copy."""

    time: float  # [s]
    position: np.ndarray  # (nbody, 3) [m]
    rotation: np.ndarray  # (nbody, 3, 3)
    is_held: np.ndarray | None = None  # (nconstraint,) is on and not broken; None: all


@dataclass(frozen=True, slots=True, eq=False)
class Forces:
    """Contact points of the last step."""

    point: np.ndarray  # (n, 3) [m]
    force: np.ndarray  # (n, 3) [N] pointing away from the static side, or from B to A


class Group:
    """Drawables with the arrays that place them."""

    def __init__(self, items: Sequence[Drawable]) -> None:
        """Gather bodies, places on them, and constraints that they show."""
        n = len(items)
        self.items = tuple(items)
        self.body = np.array([d.body for d in items], int)
        self._offset = np.array([d.position for d in items], float).reshape(n, 3)
        self._rotation = np.array([d.rotation for d in items], float).reshape(n, 3, 3)
        self._constraint = np.array([d.constraint for d in items], int)

    def is_shown(self, poses: Poses) -> np.ndarray:
        """Return which items are drawn, (n,) of bool: not the marks of what is off or broken."""
        shown = np.ones(len(self.items), bool)
        if poses.is_held is not None:
            marks = self._constraint >= 0
            shown[marks] = poses.is_held[self._constraint[marks]]
        return shown

    def place(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (n, 3) [m] and rotations (n, 3, 3) of all items in the world.

        Hidden shapes are far below everything: the browser's instances cannot be left out one by one.
        """
        turned = poses.rotation[self.body]
        position = poses.position[self.body] + np.einsum("nij,nj->ni", turned, self._offset)
        position[~self.is_shown(poses)] = NOWHERE
        return position, turned @ self._rotation

    def placed(self, poses: Poses) -> list[tuple[Drawable, np.ndarray, np.ndarray]]:
        """Return what is drawn, each with its position (3,) [m] and rotation (3, 3) in the world."""
        every = zip(self.items, *self.place(poses), strict=True)
        return [one for one, is_shown in zip(every, self.is_shown(poses), strict=True) if is_shown]

    def vertices(self, poses: Poses) -> np.ndarray:
        """Return the vertices (n, 3) [m] of what is drawn in the world: no colours, no normals."""
        made = [item.vertices() @ turn.T + place for item, place, turn in self.placed(poses)]
        return np.concatenate([np.zeros((0, 3)), *made])


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Wires and rods: straight lines between points of two bodies."""

    number: np.ndarray  # (n,) of the constraint in the world
    body: np.ndarray  # (n, 2), −1: the world
    point: np.ndarray  # (n, 2, 3) [m] body frame
    color: np.ndarray  # (n, 3)
    factor: float = 1.0  # times the standard thickness at which they are drawn

    def place(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends (m, 2, 3) [m] of those that are on and whole, in the world, and their colours."""
        held = slice(None) if poses.is_held is None else poses.is_held[self.number]
        body, point = self.body[held], self.point[held]
        turned = np.einsum("nsij,nsj->nsi", poses.rotation[body], point)
        ends = np.where((body < 0)[..., None], point, poses.position[body] + turned)
        return ends, self.color[held]


NO_LINES = Lines(
    np.zeros(0, int), np.zeros((0, 2), int), np.zeros((0, 2, 3)), np.zeros((0, 3))
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All drawables of a world."""

    visual: Group  # what the things look like
    collision: Group  # what they touch with, of those that look different
    planes: Group
    root: dict[str, int]  # row of the root body of each object that can be followed, by name
    lines: Lines = NO_LINES

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objects that can be followed."""
        return tuple(self.root)


def describe(world: World, load: Callable[[MeshFile], Any] = meshes.load) -> Scene:
    """List what there is to draw.

    A body shows its visuals; where it has none, or a mesh of it cannot be read, its collision
    shapes stand in.

    Args:
        world: Its records are built if that is due.
        load: Reads a mesh; None means that it cannot be drawn.
    """
    _ = world.engine
    visual: list[Drawable] = []
    collision: list[Drawable] = []
    planes: list[Drawable] = []
    for part in world.objects:
        assert part.span is not None
        first = part.span.body.start
        for k, body in enumerate(part.description.bodies):
            felt = [_drawn(part, first + k, body.name, s, load) for s in body.shapes if not s.is_point]
            planes += [d for d in felt if d is not None and d.kind == Shape.PLANE]
            solids = [d for d in felt if d is not None and d.kind != Shape.PLANE]
            seen = [_drawn(part, first + k, body.name, v, load) for v in body.visuals]
            looks = [d for d in seen if d is not None]
            visual += looks
            if looks and len(looks) == len(seen):
                collision += solids
            else:
                visual += solids
    marks, lines = _constraints(world)
    return Scene(Group(visual + marks), Group(collision), Group(planes), roots(world), lines)


def roots(world: World) -> dict[str, int]:
    """Return the rows of the root bodies of all objects but endless grounds, by name."""
    return {
        part.name: part.span.body.start
        for part in world.objects
        if part.span is not None
        and all(shape.kind != Shape.PLANE for shape in part.description.bodies[0].shapes)
    }


def read_poses(world: World) -> Poses:
    """Copy the present poses of all bodies."""
    work = world.engine.observe()
    held = np.array([tie.is_on and not tie.is_broken for tie in world.constraints], bool)
    rotation = work.body_rot.reshape(-1, 3, 3).copy()
    return Poses(world.time, work.body_pos.copy(), rotation, held)


def read_forces(world: World) -> Forces:
    """Copy points and forces of the contacts of the last step, each once."""
    engine = world.engine
    work = engine.work
    n = int(work.contact_count[0])
    impulse = contact_impulses(engine)
    touches = (impulse[:, 2] != 0.0) | (work.contact_gap[:n] <= 0.0)
    axes = work.contact_axes[:n].reshape(-1, 3, 3)[touches]
    force = np.einsum("nij,ni->nj", axes, impulse[touches]) / world.time_step
    force *= away_from_static(engine, work.contact_body[:n][touches])[:, None]
    return Forces(work.contact_pos[:n][touches].copy(), force)


def away_from_static(engine: Engine, bodies: np.ndarray) -> np.ndarray:
    """Return −1 where the first of two bodies, (n, 2), stands and the second does not, otherwise 1, (n,)."""
    gives_way = engine.model.body_chain_len[bodies] > 0
    return np.where(~gives_way[:, 0] & gives_way[:, 1], -1.0, 1.0)


def sleeping_bodies(world: World) -> np.ndarray:
    """Return which bodies sleep, (nbody,) of bool."""
    engine = world.engine
    if not world.sleeping:
        return np.zeros(len(engine.model.body_tree), bool)
    return np.asarray((engine.state.tree_is_asleep == Sleep.ASLEEP)[engine.model.body_tree])


def radius(world: World, name: str) -> float:
    """Return how far the origins of an object's bodies and its shapes reach from its root [m]."""
    part = world[name]
    assert part.span is not None
    places = read_poses(world).position[part.span.body]
    reach = float(np.linalg.norm(places - places[0], axis=1).max())
    sizes = [body_bounds(body)[1] for body in part.description.bodies]
    return reach + max(sizes, default=0.0)


def _constraints(world: World) -> tuple[list[Drawable], Lines]:
    """Return what shows pins, hinges and welds, and the lines of wires and rods."""
    marks: list[Drawable] = []
    lines: list[tuple[int, list[int], list[np.ndarray], Color]] = []
    for number, tie in enumerate(world.constraints):
        rows = [_row(end) for end in tie.ends]
        if isinstance(tie, Wire):
            for legs in zip(tie.way, tie.way[1:], strict=False):
                ends = [end.point for end in legs]
                lines.append((number, [_row(end) for end in legs], ends, WIRES[tie.wire_type]))
        elif tie.type in MARKS and tie.is_marked:
            side = 0 if rows[0] >= 0 else 1
            end, part = tie.ends[side], tie.objects[side]
            assert part is not None
            kind, usual = MARKS[tie.type]
            size = tuple(factor_of(tie) * edge for edge in usual)
            marks.append(
                Drawable(tie.name, part.name, rows[side], kind, size, end.point, end.axes, MARK,
                         constraint=number)
            )  # fmt: skip
    if not lines:
        return marks, NO_LINES
    numbers, bodies, points, colors = zip(*lines, strict=True)
    factor = float(np.median([factor_of(world.constraints[number]) for number in set(numbers)]))
    columns = np.array(numbers), np.array(bodies), np.array(points), np.array(colors)
    return marks, Lines(*columns, factor=factor)


def _row(end: End) -> int:
    """Return the row of the body that an end is on, −1: the world."""
    span = None if end.part is None else end.part.span
    return -1 if span is None else span.body.start + end.body


def material_color(material: str, number: int = 0) -> Color:
    """Return the colour of a material; `number` tells things of the default material apart."""
    if material in MATERIALS:
        return MATERIALS[material]
    if material != "default":
        number = hashlib.sha256(material.encode()).digest()[0]
    return PALETTE[number % len(PALETTE)]


def _drawn(part: Object, body: int, link: str, item: ShapeDescription | VisualDescription,
           load: Callable[[MeshFile], Any]) -> Drawable | None:  # fmt: skip
    """Return a shape or a visual of a link; None if its mesh cannot be drawn."""
    name, kind, mesh, given = link, item.kind, None, part.color
    plain: Color = (0.72, 0.74, 0.77)
    if isinstance(part, SingleBody):
        plain = material_color(part.material, part.id)
    if isinstance(item, VisualDescription):
        given = given or item.color
        mesh = None if item.triangles is None else meshes.of_triangles(*item.triangles)
    elif kind != Shape.MESH:
        name, plain = item.name, material_color(item.material, part.id)
        mesh = meshes.of_geometry(item) if kind in GEOMETRIES else None
        kind = kind if mesh is None else Shape.MESH
    if mesh is None and kind == Shape.MESH:
        mesh = None if item.mesh is None else load(item.mesh)
        if mesh is None:
            return None
    color = plain if given is None else (given[0], given[1], given[2])
    return Drawable(
        f"{part.name}/{name}", part.name, body, kind, tuple(item.size or ()),
        np.array(item.position, float), rotation_matrix(item.quaternion), color, mesh,
        keeps_color=given is not None or item.kind in GEOMETRIES,
    )  # fmt: skip


def lowest_point(world: World, part: Object) -> float:
    """Return the height of the lowest point of an object's collision shapes [m]; inf without any.

    Planes and meshes of files do not count.
    """
    poses = read_poses(world)
    assert part.span is not None
    items = [
        _drawn(part, part.span.body.start + k, body.name, shape, lambda _: None)
        for k, body in enumerate(part.description.bodies)
        for shape in body.shapes
    ]
    solids = Group([item for item in items if item is not None and item.kind != Shape.PLANE])
    return float(solids.vertices(poses)[:, 2].min(initial=np.inf))
