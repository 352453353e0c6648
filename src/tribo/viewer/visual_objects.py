"""`add_visual_…` of viewers: things that are only drawn, by name."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import numpy as np

from tribo.checks import check
from tribo.checks.types import PoseOptions
from tribo.description.hulls import Heights
from tribo.description.trees import ShapeDescription
from tribo.formats import mesh_reading
from tribo.model import Shape
from tribo.viewer import surface as meshes
from tribo.viewer.scene import describe
from tribo.viewer.session import check_open
from tribo.viewer.stage import layer
from tribo.viewer.surface import Surface
from tribo.viewer.visual_sets import (
    VisualArticulatedSystem,
    VisualInstances,
    VisualPointCloud,
    VisualPolyline,
    VisualText,
    text_of,
)
from tribo.viewer.visuals import (
    BLUE,
    Color,
    Visual,
    VisualHeightMap,
    VisualMesh,
    VisualShape,
    color_of,
    colors_of,
    linear,
    mesh_surface,
    opacity_of,
    points_of,
    rgb,
    shape_surface,
    size_of,
)

if TYPE_CHECKING:
    from tribo.description.trees import TreeDescription

Kind = TypeVar("Kind", bound=Visual)

SHAPES = ("sphere", "box", "cylinder", "capsule", "arrow")
INK = (0.12, 0.13, 0.16)
GHOST = (0.35, 0.62, 0.90, 0.4)
GROUND = (0.55, 0.60, 0.52)


class VisualObjects:
    """The part of a viewer that draws what is in no world.

    Every method takes a name first, by which `visual` finds the thing and `remove_visual` takes it away, and
    further position (3,) [m] and orientation (w, x, y, z) in world axes. Colours are red, green, blue and
    perhaps opacity, each 0…1. A name that is taken, a number that is not finite, or a closed viewer is a
    ValueError and draws nothing.
    """

    _server: Any
    _is_open: bool

    def __init__(self) -> None:
        """Begin without any."""
        self._visuals: dict[str, Visual] = {}
        self._drawn = itertools.count()

    # -- by name ---------------------------------------------------------------------------------
    @property
    def visuals(self) -> tuple[Visual, ...]:
        """All things that are only drawn, in the order in which they were added."""
        return tuple(self._visuals.values())

    def visual(self, name: str) -> Visual:
        """Return a thing that is only drawn.

        Raises:
            KeyError: There is none of that name; the message proposes the nearest.
        """
        return self._visuals[check.known(name, self._visuals, "visual object")]

    def remove_visual(self, name: str) -> None:
        """Take a thing away that is only drawn.

        Raises:
            KeyError: There is none of that name; the message proposes the nearest.
        """
        self.visual(name).remove()

    # -- solids ----------------------------------------------------------------------------------
    def add_visual_sphere(
        self, name: str, radius: float, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw a sphere of a radius [m].

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
            >>> with tribo.Viewer(world, port=8140) as view:
            ...     goal = view.add_visual_sphere("goal", 0.15, color=(1, 0.4, 0, 0.5), position=(1, 0, 1))
            ...     goal.position = 1.2, 0, 1
            ...     view.visual("goal") is goal
            True
        """
        return self._add_shape("sphere", name, radius, color, pose)

    def add_visual_box(
        self, name: str, size: Any, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw a box of full edge lengths `size` (3,) [m]."""
        return self._add_shape("box", name, size, color, pose)

    def add_visual_cylinder(
        self, name: str, radius: float, height: float, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw a cylinder along its own z, full `height` [m]."""
        return self._add_shape("cylinder", name, (radius, height), color, pose)

    def add_visual_capsule(
        self, name: str, radius: float, height: float, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw a capsule along its own z, `height` [m] between the centres of its caps."""
        return self._add_shape("capsule", name, (radius, height), color, pose)

    def add_visual_arrow(
        self, name: str, radius: float, height: float, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw an arrow from its origin along its own z: `radius` of the head, `height` to the tip [m]."""
        return self._add_shape("arrow", name, (radius, height), color, pose)

    def add_visual_mesh(
        self, name: str, file: str | Path | None = None, *, vertices: Any = None, faces: Any = None,
        scale: Any = 1.0, color: Any = None, **pose: Unpack[PoseOptions],
    ) -> VisualMesh:  # fmt: skip
        """Draw a mesh, of a file or of arrays.

        Args:
            name: By which it is found.
            file: DAE, STL, OBJ, PLY, OFF, GLB or glTF; nothing outside its folder is read.
            vertices: (n, 3) [m], instead of a file; `VisualMesh.update` moves them.
            faces: (m, 3) numbers of vertices, counter-clockwise seen from outside.
            scale: Factor, or (3,) factors along the axes.
            color: Of the whole; None: grey.
            pose: position, orientation.

        Raises:
            ValueError, TypeError: Neither or both were given, the file cannot be read, or faces name
                vertices that are not there.
        """
        if (file is None) == (vertices is None):
            raise ValueError(f"mesh {name!r} needs a file, or vertices and faces")
        factors = check.array(scale, f"scale of {name}", "one factor or three")
        if factors.shape not in {(), (3,)} or not (factors > 0.0).all():
            raise ValueError(f"scale of {name} must be one factor or three, > 0, got {scale!r}")
        factors = check.within_range(np.broadcast_to(factors, 3).copy(), f"scale of {name}")
        if file is not None:
            read = mesh_reading.read(check.path(file, f"file of {name}"), tuple(factors.tolist()))
            points, triangles = np.asarray(read.vertices, float), np.asarray(read.faces)
        else:
            points = points_of(vertices, f"vertices of {name}", 3) * factors
            triangles = _triangles(faces, len(points), f"faces of {name}")
        surface = mesh_surface(points, triangles)
        node, shade = self._mesh(name, surface, (0.72, 0.74, 0.77) if color is None else color, pose)
        return self._keep(VisualMesh(name, node, self._forget, surface, shade))

    def add_visual_height_map(
        self, name: str, heights: Any, size: Any, color: Any = GROUND, **pose: Unpack[PoseOptions]
    ) -> VisualHeightMap:
        """Draw a height map: heights (ny, nx) [m] with x along a row, lengths (2,) [m] along x and y.

        It is centred on its position, as `World.add_height_map`; `update_heights` replaces the heights.
        """
        values = check.array(heights, f"heights of {name}", "heights of shape (ny, nx)")
        if values.ndim != 2 or min(values.shape) < 2:
            raise ValueError(f"heights of {name} must have shape (ny ≥ 2, nx ≥ 2), got {values.shape}")
        check.within_range(values, f"heights of {name}")
        x, y = (float(a) for a in check.vector(size, f"size of {name}", 2))
        if min(x, y) <= 0.0:
            raise ValueError(f"size of {name} must be > 0, got {(x, y)}")
        ny, nx = values.shape
        ground = Heights(values, x / (nx - 1), y / (ny - 1))
        made = meshes.of_geometry(ShapeDescription(Shape.HEIGHT_MAP, (), name=name, geometry=ground))
        assert made is not None
        surface = mesh_surface(np.asarray(made.vertices), np.asarray(made.faces))
        node, shade = self._mesh(name, surface, color, pose)
        return self._keep(VisualHeightMap(name, node, self._forget, surface, shade, values.shape))

    # -- many at once ----------------------------------------------------------------------------
    def add_visual_polyline(
        self, name: str, points: Any = (), color: Any = INK, width: float = 0.01, **pose: Unpack[PoseOptions]
    ) -> VisualPolyline:
        """Draw a line through points (n, 3) [m], `width` [m] thick."""
        self._check_name(name)
        path = points_of(points, f"points of {name}")
        shade, thick = (color_of(color, f"color of {name}"), check.positive(width, f"width of {name}"))
        place = self._pose(name, pose)

        def make(segments: np.ndarray, color: Color) -> Any:
            return self._server.scene.add_line_segments(
                self._path(), segments, np.array(rgb(color), np.uint8), thickness=thick, **place
            )

        return self._keep(VisualPolyline(name, make, self._forget, path, shade, thick))

    def add_visual_point_cloud(
        self,
        name: str,
        points: Any = (),
        colors: Any = BLUE,
        point_size: float = 0.02,
        **pose: Unpack[PoseOptions],
    ) -> VisualPointCloud:
        """Draw points (n, 3) [m] of a diameter [m], in one colour or (n, 3) colours."""
        self._check_name(name)
        cloud = points_of(points, f"points of {name}")
        shades = colors_of(colors, len(cloud), f"colors of {name}")
        node = self._server.scene.add_point_cloud(
            self._path(), cloud, shades, point_size=check.positive(point_size, f"point_size of {name}"),
            point_shape="circle", precision="float32", **self._pose(name, pose),
        )  # fmt: skip
        return self._keep(VisualPointCloud(name, node, self._forget, cloud, shades))

    def add_instanced_visuals(
        self, name: str, shape: str, size: Any, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualInstances:
        """Draw many copies of a shape; `VisualInstances.update` says where.

        Args:
            name: By which they are found.
            shape: "sphere", "box", "cylinder", "capsule" or "arrow".
            size: Lengths [m] as in `add_visual_sphere` and its kin: radius; three edges; radius and height.
            color: Of those that get no other; the opacity is that of all.
            pose: position, orientation of the whole.

        Example:
            >>> import tribo
            >>> with tribo.Viewer(tribo.World(), port=8145) as view:
            ...     crowd = view.add_instanced_visuals("crowd", "box", (0.1, 0.1, 0.1))
            ...     crowd.update([[0, 0, 0], [1, 0, 0]], scales=[1, 2])
            ...     len(crowd)
            2
        """
        self._check_name(name)
        kind = check.choice(shape, SHAPES, f"shape of {name}")
        lengths = size_of(kind, size, f"size of {name}")
        shade, place = color_of(color, f"color of {name}"), self._pose(name, pose)
        surface = shape_surface(kind, lengths)

        def make(places: np.ndarray, turns: np.ndarray, scales: np.ndarray, colors: np.ndarray) -> Any:
            return self._server.scene.add_batched_meshes_simple(
                self._path(), surface.vertices, surface.faces, turns, places, batched_scales=scales,
                batched_colors=linear(colors), lod="off", opacity=opacity_of(shade), **place,
            )  # fmt: skip

        return self._keep(VisualInstances(name, make, self._forget, kind, lengths, shade))

    def add_visual_text(
        self, name: str, text: str, height: float | None = None, **pose: Unpack[PoseOptions]
    ) -> VisualText:
        """Write a text into the scene, `height` [m] tall, or of one size on the screen if None."""
        self._check_name(name)
        size: dict[str, Any] = {}
        if height is not None:
            size = {"font_size_mode": "scene", "font_scene_height": check.positive(height, "height")}
        node = self._server.scene.add_label(
            self._path(), text_of(text, f"text of {name}"), anchor="bottom-center", **size,
            **self._pose(name, pose),
        )  # fmt: skip
        return self._keep(VisualText(name, node, self._forget))

    def add_visual_articulated_system(
        self, name: str, source: str | Path | TreeDescription, color: Any = GHOST,
        package_dirs: Sequence[Path | str] = (), **pose: Unpack[PoseOptions],
    ) -> VisualArticulatedSystem:  # fmt: skip
        """Draw a robot that nothing moves or meets: a ghost, for a plan or a reference motion.

        Args:
            name: By which it is found.
            source: As in `World.add_articulated_system`.
            color: Of the whole robot, with opacity; None: the colours of its file.
            package_dirs: Where files that it names are looked up.
            pose: position, orientation of the base.

        Raises:
            DescriptionError: The file cannot be built.
        """
        from tribo.world.world import World

        self._check_name(name)
        shade = None if color is None else color_of(color, f"color of {name}")
        world = World()
        robot = world.add_articulated_system(source, name=name, package_dirs=package_dirs, **pose)
        scene = describe(world)
        nodes = layer(
            self._server.scene, self._path(), scene.visual,
            paint=None if shade is None else (shade[0], shade[1], shade[2]),
            opacity=None if shade is None else opacity_of(shade),
        )  # fmt: skip
        return self._keep(VisualArticulatedSystem(name, nodes, self._forget, world, scene, robot, shade))

    # -- inside ----------------------------------------------------------------------------------
    def _add_shape(self, kind: str, name: str, size: Any, color: Any, pose: PoseOptions) -> VisualShape:
        self._check_name(name)
        lengths = size_of(kind, size, f"size of {name}")
        node, shade = self._mesh(name, shape_surface(kind, lengths), color, pose)
        return self._keep(VisualShape(name, node, self._forget, kind, lengths, shade))

    def _mesh(self, name: str, surface: Surface, color: Any, pose: PoseOptions) -> tuple[Any, Color]:
        """Return the node of a mesh of one colour, and the colour."""
        self._check_name(name)
        shade = color_of(color, f"color of {name}")
        node = self._server.scene.add_mesh_simple(
            self._path(), np.asarray(surface.vertices, np.float32),
            np.asarray(surface.faces, np.uint32), color=rgb(shade), opacity=opacity_of(shade),
            side="front" if surface.is_closed else "double", **self._pose(name, pose),
        )  # fmt: skip
        return node, shade

    def _keep(self, thing: Kind) -> Kind:
        self._visuals[thing.name] = thing
        return thing

    def _forget(self, name: str) -> None:
        self._visuals.pop(name, None)

    def _path(self) -> str:
        """Return a new place among the nodes: names may have any character, places may not."""
        return f"/only_drawn/{next(self._drawn)}"

    def _check_name(self, name: Any) -> None:
        check_open(is_open=self._is_open)
        if check.name(name, "name of a visual object") in self._visuals:
            raise ValueError(f"a visual object {name!r} is there already; remove it, or take another name")

    @staticmethod
    def _pose(name: str, given: PoseOptions) -> dict[str, Any]:
        """Return position and orientation, checked, as nodes take them."""
        for word in given:
            check.choice(word, ("position", "orientation"), f"option of {name}")
        return {
            "position": check.vector(given.get("position", (0, 0, 0)), f"position of {name}", 3),
            "wxyz": check.quaternion(given.get("orientation", (1, 0, 0, 0)), f"orientation of {name}"),
        }


def _triangles(value: Any, count: int, what: str) -> np.ndarray:
    """Return numbers of vertices, (m, 3), each below `count`."""
    if value is None:
        raise ValueError(f"{what} are missing: give (m, 3) numbers of vertices")
    made = check.array(value, what, "numbers of vertices, (m, 3)")
    if made.ndim != 2 or made.shape[1] != 3 or not len(made):
        raise ValueError(f"{what} must have shape (m ≥ 1, 3), got {made.shape}")
    if (made != np.floor(made)).any() or not ((made >= 0) & (made < count)).all():
        raise ValueError(f"{what} must be whole numbers from 0 to {count - 1}")
    return made.astype(np.int64)
