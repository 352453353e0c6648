"""A scene as nodes of a viser server; what is alike is one node with many instances.

A value that is assigned to a node again is not sent again: viser compares it with the last one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tribo.checks.orientation import of_matrices as quaternions
from tribo.model import Shape
from tribo.viewer.scene import COLLISION, Color, Drawable, Forces, Group, Poses, Scene
from tribo.viewer.surface import of_shape
from tribo.viewer.visuals import linear

POINT = (225, 60, 50)
FORCE = (26, 158, 92)
TILES = ((176, 184, 196), (150, 160, 174))
TILE_COUNT = 60  # squares of a ground along one side
LONGEST = 2.0  # [m] of an arrow
PALE, PALE_SHARE = np.array([165.0, 172.0, 182.0]), 0.6  # what sleeps is mixed with grey
WIRE = 0.008  # [m] thickness between bodies of usual size
GHOST_OPACITY = 0.45

PLACE = ("position", "wxyz", "visible")  # of a node

Clicked = Callable[[int], None]  # row of the body
# Phase, row of the body, where the mouse began, where it is, the way to the viewer if it is to be twisted.
Dragged = Callable[[str, int, Any, Any, Any], None]
Scaled = tuple[Drawable, tuple[float, ...]]  # a primitive and the scale of its unit surface

# The unit surface that instances of a kind are scaled from.
_UNITS = {Shape.SPHERE: (1.0,), Shape.BOX: (1.0, 1.0, 1.0), Shape.CYLINDER: (1.0, 1.0)}


class Layer:
    """Nodes with many instances that are shown, hidden and moved together."""

    def __init__(self, batches: Sequence[tuple[Any, Sequence[Drawable]]], *, is_seen: bool) -> None:
        """Take the nodes and what their instances stand for."""
        self._group = Group([item for _, items in batches for item in items])
        ends = np.cumsum([0, *(len(items) for _, items in batches)])
        self.handles = [handle for handle, _ in batches]
        self._slices = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self._is_seen = is_seen
        self._poses: Poses | None = None  # the latest
        shades = [getattr(handle, "batched_colors", None) for handle in self.handles]
        self._colors = [None if s is None or s.ndim != 2 else s.copy() for s in shades]

    def move(self, poses: Poses) -> None:
        """Send the positions and orientations that changed, two messages per node; while hidden none."""
        self._poses = poses
        if not self._is_seen or not self.handles:
            return
        position, rotation = self._group.place(poses)
        places = position.astype(np.float32)
        turns = quaternions(rotation).astype(np.float32)
        for handle, part in zip(self.handles, self._slices, strict=True):
            handle.batched_positions = places[part]
            handle.batched_wxyzs = turns[part]

    def listen(self, clicked: Clicked, dragged: Dragged) -> None:
        """Tell of clicks, and of drags with Ctrl or Ctrl and Shift held, which body they meant."""
        for handle, part in zip(self.handles, self._slices, strict=True):
            _listen(handle, self._group.body[part], clicked, dragged)

    @property
    def visible(self) -> bool:
        """Whether the nodes are shown; assign to show them where they are by then, or to hide them."""
        return self._is_seen

    @visible.setter
    def visible(self, is_seen: bool) -> None:
        if is_seen is not self._is_seen:
            self._is_seen = is_seen
            for handle in self.handles:
                handle.visible = is_seen
            if self._poses is not None:
                self.move(self._poses)

    def dim(self, bodies: np.ndarray | None) -> None:
        """Draw some bodies, (nbody,) of bool, paler; None: no body. Meshes with textures stay as they are."""
        chosen = None if bodies is None or not bodies.any() else bodies[self._group.body]
        for handle, part, full in zip(self.handles, self._slices, self._colors, strict=True):
            if full is not None:
                made = full.copy()
                if chosen is not None:
                    pale = chosen[part]
                    made[pale] = (PALE_SHARE * PALE + (1.0 - PALE_SHARE) * made[pale]).astype(np.uint8)
                handle.batched_colors = made

    def remove(self) -> None:
        """Take all nodes away."""
        for handle in self.handles:
            handle.remove()


class Growing:
    """A node of lines or instances that is made anew, in its place, when their number changes.

    Args:
        make: Makes the node of arrays with a row for each part.
        fields: Attributes of the node that take these arrays while their number stays.
        is_lasting: Whether there is a node without parts, too.
    """

    def __init__(self, make: Callable[..., Any], *fields: str, is_lasting: bool = False) -> None:
        """Make no node before there is something to show."""
        self._make, self._fields, self._is_lasting = make, fields, is_lasting
        self.node: Any = None
        self._count = 0

    def show(self, *arrays: np.ndarray) -> None:
        """Show other arrays, each with a row for each part."""
        node, count = self.node, len(arrays[0])
        if node is not None and count == self._count:
            for field, array in zip(self._fields, arrays, strict=False):
                setattr(node, field, array)
            return
        kept = {} if node is None else {name: getattr(node, name) for name in PLACE}
        self.remove()
        if count or self._is_lasting:
            self.node, self._count = self._make(*arrays), count
            for name, value in kept.items():
                setattr(self.node, name, value)

    def remove(self) -> None:
        """Take the node away."""
        if self.node is not None:
            self.node.remove()
        self.node, self._count = None, 0


class Stage:
    """All nodes of one scene.

    Args:
        server: Where they are shown.
        scene: Their kinds.
        poses: Where they are at first.
        root: Name of the node above them all, as "/b"; a second scene on one server needs another one.
        ghost: One colour for a scene that is drawn half transparent over another, without its ground;
            None: as it is.
    """

    def __init__(
        self, server: Any, scene: Scene, poses: Poses, root: str = "", ghost: Color | None = None
    ) -> None:
        """Make the nodes."""
        self._api, self._root = server.scene, root
        pale = None if ghost is None else GHOST_OPACITY
        self.visual = layer(server.scene, f"{root}/visual", scene.visual, paint=ghost, opacity=pale)
        self.collision = layer(
            server.scene, f"{root}/collision", scene.collision, paint=COLLISION, opacity=0.5,
            is_seen=False,
        )  # fmt: skip
        self._ground_nodes: list[Any] = []
        self._ground_bodies = np.zeros(0, int)
        if ghost is None:
            self._grounds(scene.planes, poses)
        none = np.zeros((0, 3), np.float32)
        self._points = self._api.add_point_cloud(
            f"{root}/contacts/points", none, POINT, point_size=0.03, point_shape="circle",
            precision="float32",
        )  # fmt: skip
        color = FORCE if ghost is None else tuple(int(255 * x) for x in ghost)
        self._arrows = self._api.add_arrows(
            f"{root}/contacts/forces", np.zeros((0, 2, 3), np.float32), color,
            shaft_radius=0.008, head_radius=0.02, head_length=0.05,
        )  # fmt: skip
        self._lines = scene.lines
        self._wires = Growing(self._wire, "points")  # of those that are on and whole
        self.move(poses)

    def move(self, poses: Poses) -> None:
        """Send the poses that changed since the last time."""
        self.visual.move(poses)
        self.collision.move(poses)
        ends, colors = self._lines.place(poses)
        self._wires.show(ends.astype(np.float32), colors)

    def _wire(self, points: np.ndarray, colors: np.ndarray) -> Any:
        shades = np.asarray(255.0 * colors + 0.5, np.uint8)[:, None].repeat(2, axis=1)
        return self._api.add_line_segments(
            f"{self._root}/wires", points, shades, thickness=WIRE * self._lines.factor,
            visible=self.visual.visible,
        )  # fmt: skip

    def show(self, shown: Mapping[str, bool]) -> None:
        """Show and hide layers as `panel.LAYERS` names them: all but the ground, which stays."""
        if self._wires.node is not None:
            self._wires.node.visible = shown["visual"]
        self.visual.visible = shown["visual"]
        self.collision.visible = shown["collision"]
        self._points.visible = shown["contacts"]
        self._arrows.visible = shown["forces"]

    def dim(self, bodies: np.ndarray | None) -> None:
        """Draw some bodies paler, (nbody,) of bool; None: no body."""
        self.visual.dim(bodies)

    def show_forces(self, forces: Forces, scale: float) -> None:
        """Send contact points and force arrows."""
        point = forces.point.astype(np.float32)
        arrow = forces.force * scale
        length = np.linalg.norm(arrow, axis=1, keepdims=True)
        arrow *= np.minimum(1.0, LONGEST / np.maximum(length, 1e-9))
        self._points.points = point
        self._arrows.points = np.stack([point, point + arrow], axis=1).astype(np.float32)

    def listen(self, clicked: Clicked, dragged: Dragged) -> None:
        """Tell of clicks, and of drags with Ctrl or Ctrl and Shift held, which body they meant."""
        for shown in (self.visual, self.collision):
            shown.listen(clicked, dragged)
        for handle, body in zip(self._ground_nodes, self._ground_bodies, strict=True):
            _listen(handle, np.array([body]), clicked, dragged)

    def remove(self) -> None:
        """Take all nodes away."""
        for name in ("visual", "collision", "ground", "contacts", "wires"):
            self._api.remove_by_name(f"{self._root}/{name}")

    def _grounds(self, planes: Group, poses: Poses) -> None:
        """Lay out a chequered square for each ground plane."""
        import trimesh

        position, rotation = planes.place(poses)
        for number, wxyz in enumerate(quaternions(rotation)):
            vertices, faces, dark = _tiles(TILE_COUNT)
            mesh: Any = trimesh.Trimesh(vertices, faces, process=False)
            mesh.visual.face_colors = np.array([(*c, 255) for c in TILES], np.uint8)[dark]
            self._ground_nodes.append(self._api.add_mesh_trimesh(
                f"{self._root}/ground/{number}", mesh, wxyz=wxyz, position=position[number], cast_shadow=False
            ))  # fmt: skip
        self._ground_bodies = planes.body


def _listen(handle: Any, bodies: np.ndarray, clicked: Clicked, dragged: Dragged) -> None:
    """Tell of clicks and drags on a node whose instances belong to bodies."""

    def body_of(index: Any) -> int | None:
        number = 0 if index is None else index
        is_ours = isinstance(number, int) and 0 <= number < len(bodies)
        return int(bodies[number]) if is_ours else None

    async def on_click(event: Any) -> None:  # coroutines keep the order of events
        row = body_of(event.instance_index)
        if row is not None:
            clicked(row)

    async def on_drag(event: Any) -> None:
        row = body_of(event.instance_index)
        if row is not None:
            dragged(event.phase, row, event.start_position, event.end_position, None)

    async def on_twist(event: Any) -> None:
        row = body_of(event.instance_index)
        if row is not None:
            start = event.start_position
            toward = np.subtract(event.client.camera.position, start)
            dragged(event.phase, row, start, event.end_position, toward)

    handle.on_click(on_click)
    handle.on_drag("left", modifier="cmd/ctrl")(on_drag)
    handle.on_drag("left", modifier="cmd/ctrl+shift")(on_twist)


def layer(
    api: Any, root: str, group: Group, *, paint: Color | None = None, opacity: float | None = None,
    is_seen: bool = True,
) -> Layer:  # fmt: skip
    """Make a node for each kind of primitive and each mesh.

    Args:
        api: The server's scene.
        root: Where the nodes are, as "/visual".
        group: Their contents.
        paint: One colour for all; None: each its own.
        opacity: Of all, 0…1; None: opaque.
        is_seen: Whether they are shown at first.
    """
    solids: dict[Shape, list[Scaled]] = {}
    meshes: dict[tuple[int, Color | None], list[Drawable]] = {}
    for item in group.items:
        if item.mesh is None:
            for part, scale in _parts(item):
                solids.setdefault(part.kind, []).append((part, scale))
        else:
            own = None if item.mesh.visual.defined and not item.keeps_color else item.color
            meshes.setdefault((id(item.mesh), paint or own), []).append(item)
    made: list[tuple[Any, Sequence[Drawable]]] = []
    for kind, parts in solids.items():
        surface = of_shape(kind, _UNITS[kind])
        colors = [paint or d.color for d, _ in parts]
        handle = api.add_batched_meshes_simple(
            f"{root}/{kind.name.lower()}", surface.vertices, surface.faces, *_unplaced(len(parts)),
            batched_scales=np.array([s for _, s in parts], np.float32),
            batched_colors=_seen(colors), lod="off", opacity=opacity, visible=is_seen,
        )  # fmt: skip
        made.append((handle, [d for d, _ in parts]))
    for number, ((_, own), items) in enumerate(meshes.items()):
        mesh, name = items[0].mesh, f"{root}/mesh_{number}"
        if opacity is not None:
            handle = api.add_batched_meshes_simple(
                name, mesh.vertices, mesh.faces, *_unplaced(len(items)), lod="off", opacity=opacity,
                batched_colors=_seen([own or items[0].color] * len(items)), visible=is_seen,
            )  # fmt: skip
        else:
            if own is not None:
                mesh = mesh.copy()
                mesh.visual.face_colors = [*(int(255 * x) for x in own), 255]
            handle = api.add_batched_meshes_trimesh(name, mesh, *_unplaced(len(items)), visible=is_seen)
        made.append((handle, items))
    return Layer(made, is_seen=is_seen)


def _unplaced(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return quaternions and positions of instances that are not yet placed."""
    return np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3))


def _parts(item: Drawable) -> list[Scaled]:
    """Return a primitive as scaled unit surfaces; a capsule is a cylinder and two balls."""
    size = item.size
    if item.kind == Shape.SPHERE:
        return [(item, (size[0], size[0], size[0]))]
    if item.kind == Shape.BOX:
        return [(item, size)]
    if item.kind == Shape.ELLIPSOID:
        return [(_as(item, Shape.SPHERE, 0.0), size)]
    radius, half = size
    tube: Scaled = (_as(item, Shape.CYLINDER, 0.0), (radius, radius, half))
    if item.kind == Shape.CYLINDER:
        return [tube]
    ball = (radius, radius, radius)
    ends: list[Scaled] = [(_as(item, Shape.SPHERE, z), ball) for z in (-half, half)]
    return ends if half == 0.0 else [tube, *ends]


def _as(item: Drawable, kind: Shape, z: float) -> Drawable:
    return replace(item, kind=kind, position=item.position + item.rotation[:, 2] * z)


def _tiles(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return vertices, faces and colour numbers of count² squares of 1 m."""
    i, j = (a.ravel() for a in np.meshgrid(np.arange(count), np.arange(count)))
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    flat = np.stack([i, j], axis=1)[:, None, :] + corners - count // 2
    vertices = np.concatenate([flat, np.zeros((len(i), 4, 1))], axis=2).reshape(-1, 3)
    first = 4 * np.arange(len(i))[:, None]
    faces = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])], axis=1).reshape(-1, 3)
    return vertices, faces, np.repeat((i + j) % 2, 2)


def _seen(colors: Sequence[Color]) -> np.ndarray:
    """Return colours, each 0…1, as instances take them."""
    return linear(255.0 * np.array(colors))
