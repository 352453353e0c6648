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
from tribo.viewer.session import check_open
from tribo.viewer.visual_sets import (
    VisualArticulatedSystem,
    VisualInstances,
    VisualPointCloud,
    VisualPolyline,
    VisualText,
)
from tribo.viewer.visuals import (
    BLUE,
    LENGTHS,
    Spot,
    Visual,
    VisualHeightMap,
    VisualMesh,
    VisualShape,
    mesh_surface,
    points_of,
)

if TYPE_CHECKING:
    from tribo.description.trees import TreeDescription

Kind = TypeVar("Kind", bound=Visual)

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
        return self._keep(VisualShape(self._spot(name, pose), "sphere", radius, color))

    def add_visual_box(
        self, name: str, size: Any, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw a box of full edge lengths `size` (3,) [m]."""
        return self._keep(VisualShape(self._spot(name, pose), "box", size, color))

    def add_visual_cylinder(
        self, name: str, radius: float, height: float, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw a cylinder along its own z, full `height` [m]."""
        return self._keep(VisualShape(self._spot(name, pose), "cylinder", (radius, height), color))

    def add_visual_capsule(
        self, name: str, radius: float, height: float, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw a capsule along its own z, `height` [m] between the centres of its caps."""
        return self._keep(VisualShape(self._spot(name, pose), "capsule", (radius, height), color))

    def add_visual_arrow(
        self, name: str, radius: float, height: float, color: Any = BLUE, **pose: Unpack[PoseOptions]
    ) -> VisualShape:
        """Draw an arrow from its origin along its own z: `radius` of the head, `height` to the tip [m]."""
        return self._keep(VisualShape(self._spot(name, pose), "arrow", (radius, height), color))

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
        shade = (0.72, 0.74, 0.77) if color is None else color
        return self._keep(VisualMesh(self._spot(name, pose), mesh_surface(points, triangles), shade))

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
        return self._keep(VisualHeightMap(self._spot(name, pose), surface, color, values.shape))

    # -- many at once ----------------------------------------------------------------------------
    def add_visual_polyline(
        self, name: str, points: Any = (), color: Any = INK, width: float = 0.01, **pose: Unpack[PoseOptions]
    ) -> VisualPolyline:
        """Draw a line through points (n, 3) [m], `width` [m] thick."""
        return self._keep(VisualPolyline(self._spot(name, pose), points, color, width))

    def add_visual_point_cloud(
        self,
        name: str,
        points: Any = (),
        colors: Any = BLUE,
        point_size: float = 0.02,
        **pose: Unpack[PoseOptions],
    ) -> VisualPointCloud:
        """Draw points (n, 3) [m] of a diameter [m], in one colour or (n, 3) colours."""
        return self._keep(VisualPointCloud(self._spot(name, pose), points, colors, point_size))

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
        kind = check.choice(shape, LENGTHS, f"shape of {name}")
        return self._keep(VisualInstances(self._spot(name, pose), kind, size, color))

    def add_visual_text(
        self, name: str, text: str, height: float | None = None, **pose: Unpack[PoseOptions]
    ) -> VisualText:
        """Write a text into the scene, `height` [m] tall, or of one size on the screen if None."""
        return self._keep(VisualText(self._spot(name, pose), text, height))

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

        spot, world = self._spot(name, {}), World()  # the robot has the pose
        robot = world.add_articulated_system(source, name=name, package_dirs=package_dirs, **pose)
        return self._keep(VisualArticulatedSystem(spot, world, robot, color))

    # -- inside ----------------------------------------------------------------------------------
    def _keep(self, thing: Kind) -> Kind:
        self._visuals[thing.name] = thing
        return thing

    def _forget(self, name: str) -> None:
        self._visuals.pop(name, None)

    def _spot(self, name: Any, given: PoseOptions) -> Spot:
        """Return a new place among the nodes: names may have any character, their paths may not."""
        check_open(is_open=self._is_open)
        if check.name(name, "name of a visual object") in self._visuals:
            raise ValueError(f"a visual object {name!r} is there already; remove it, or take another name")
        for word in given:
            check.choice(word, ("position", "orientation"), f"option of {name}")
        pose = {
            "position": check.vector(given.get("position", (0, 0, 0)), f"position of {name}", 3),
            "wxyz": check.quaternion(given.get("orientation", (1, 0, 0, 0)), f"orientation of {name}"),
        }
        return Spot(self._server.scene, f"/only_drawn/{next(self._drawn)}", name, pose, self._forget)


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
