"""The server: its visual objects and charts go to tribo's viewer, a page of the browser."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, ClassVar

from tribo.checks import check
from tribo.raisimpy import visuals
from tribo.raisimpy.arguments import behind, instance
from tribo.raisimpy.height_map import channels
from tribo.raisimpy.objects import Object
from tribo.raisimpy.spelling import Dialects, means, nothing
from tribo.raisimpy.world import World
from tribo.raisimpy.world_objects import height_field
from tribo.viewer import Camera, Renderer, Viewer
from tribo.viewer.film import save_film, save_picture

logger = logging.getLogger("tribo")
PICTURES = 30  # per second of world time, of films
_SELF = "the viewer is a page that joins and leaves by itself"


class RaisimServer(Dialects):
    """Shows a world; without `launchServer` it draws nothing, and programs run as they are.

    Example:
        >>> import tribo.raisimpy as raisim
        >>> world = raisim.World()
        >>> server = raisim.RaisimServer(world)
        >>> goal = server.addVisualSphere("goal", 0.1, 1, 0, 0, 1)
        >>> goal.setPosition(0, 0, 1)
        >>> server.integrateWorldThreadSafe()
        >>> server.getVisualObject("goal") is goal
        True
    """

    make_viewer: ClassVar[Callable[..., Any]] = Viewer

    def __init__(self, world: World) -> None:
        """Belong to a world."""
        self._world = instance(world, World, "world")
        self._viewer: Any = None
        self._drawn: dict[str, visuals.Drawn] = {}
        self._paused = self._is_asleep = False
        self._camera: tuple[Any, Any] | None = None
        self._film: tuple[str, list[Any], float] | None = None

    @property
    def viewer(self) -> Any:
        """The viewer of tribo; None before `launchServer`."""
        return self._viewer

    # -- start, end, steps ---------------------------------------------------------------------
    def launchServer(self, port: int = 8080) -> None:
        """``tribo.Viewer(world, port=port)``"""
        if self._viewer is not None:
            return
        self._viewer = type(self).make_viewer(self._world.tribo, port=port)
        logger.info("raisimpy: the world is shown at %s", self._viewer.address)
        for thing in self._drawn.values():
            thing.show(self._viewer)
        if self._camera is not None:
            self._viewer.set_camera(*self._camera)

    def killServer(self) -> None:
        """``viewer.close()``"""
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None
            for thing in self._drawn.values():
                thing._thing = None

    def integrateWorldThreadSafe(self, before: Callable[[], None] | None = None) -> None:
        """``world.step()``, ``viewer.update()``"""
        if before is not None:
            if not callable(before):
                raise TypeError(f"before must be a function, got {check.shown(before)}")
            before()
        if not self._paused:
            self._world.integrate()
        self.processRequests()

    def processRequests(self) -> None:
        """``viewer.update()``"""
        if self._film is not None:
            self._take_picture()
        if self._viewer is None or self._is_asleep:
            return
        for thing in self._drawn.values():
            thing.push()
        self._viewer.update()

    def applyInteractionForce(self) -> None:
        """``viewer.update()`` applies what the mouse does"""
        self.processRequests()

    def isConnected(self) -> bool:
        """``viewer.is_open``"""
        return self._viewer is not None and bool(self._viewer.is_open)

    def isTerminateRequested(self) -> bool:
        """nothing: a page that is closed does not end the program"""
        return False

    waitForNewClients = means("``viewer.is_open``", lambda self, _=0.0: self.isConnected())
    setupSocket = nothing(_SELF)
    acceptConnection = nothing(_SELF)
    closeConnection = nothing(_SELF)
    waitForMessageFromClient = nothing(_SELF)
    waitForMessageToClient = nothing(_SELF)
    lockVisualizationServerMutex = nothing("viewer.update() is called by the thread that steps")
    unlockVisualizationServerMutex = lockVisualizationServerMutex
    setBindLoopbackOnly = nothing("the viewer answers this machine only, unless host= says otherwise")

    def hibernate(self) -> None:
        """``viewer.update()`` left out"""
        self._is_asleep = True

    def wakeup(self) -> None:
        """``viewer.update()``"""
        self._is_asleep = False

    def pauseSimulation(self) -> None:
        """``world.step()`` left out"""
        self._paused = True

    def resumeSimulation(self) -> None:
        """``world.step()``"""
        self._paused = False

    def isSimulationPaused(self) -> bool:
        """the loop of the program that calls ``world.step()``"""
        return self._paused

    def stepSimulation(self, n: int = 1) -> None:
        """``world.step(n)``"""
        for _ in range(check.integer(n, "n", 0)):
            self._world.integrate()
        self.processRequests()

    needsSensorUpdate = means("nothing: sensors measure without a viewer", lambda self: False)

    # -- view, pictures ------------------------------------------------------------------------
    def setCameraPositionAndLookAt(self, position: Any, lookAt: Any) -> None:
        """``viewer.set_camera(position, look_at)``"""
        eye, target = check.vector(position, "position", 3), check.vector(lookAt, "lookAt", 3)
        self._camera = eye, target
        if self._viewer is not None:
            self._viewer.set_camera(eye, target)

    def focusOn(self, item: Any) -> None:
        """``viewer.focus_on(object)``"""
        it = behind(item, Object, "item")
        if self._viewer is not None:
            self._viewer.focus_on(it)

    def _picture(self) -> Any:
        view = None
        if self._camera is not None:
            eye, target = (tuple(v.tolist()) for v in self._camera)
            view = Camera(eye=eye, target=target)
        return Renderer(self._world.tribo).rgb_array(view)

    def requestSaveScreenshot(self, path: str = "screenshot.png") -> None:
        """``save_picture(tribo.Renderer(world).rgb_array(), path)``"""
        save_picture(self._picture(), check.path(path, "path"))

    def startRecordingVideo(self, name: str) -> None:
        """``tribo.viewer.film.save_film(pictures, path, rate)``"""
        self._film = (str(check.path(name, "name")), [], self._world.tribo.time)

    def _take_picture(self) -> None:
        assert self._film is not None
        name, pictures, due = self._film
        if self._world.tribo.time >= due:
            pictures.append(self._picture())
            self._film = (name, pictures, due + 1.0 / PICTURES)

    def stopRecordingVideo(self) -> None:
        """``tribo.viewer.film.save_film(pictures, path, rate)``"""
        if self._film is not None:
            name, pictures, _ = self._film
            self._film = None
            save_film(pictures, name, PICTURES)

    # -- what is only drawn --------------------------------------------------------------------
    def _keep(self, thing: Any) -> Any:
        if thing.name in self._drawn:
            raise ValueError(f"there is already a visual object {thing.name!r}; take another name")
        self._drawn[thing.name] = thing
        if self._viewer is not None:
            thing.show(self._viewer)
        return thing

    def _shape(self, name: str, kind: str, size: Any, look: tuple[Any, ...]) -> Any:
        color = _color(look, (1.0, 1.0, 1.0))
        color = (*color, *(1.0,) * (4 - len(color)))
        return self._keep(visuals.Visuals(name, kind, size, color, look[4:]))

    def addVisualSphere(self, name: str, radius: float, *look: Any) -> Any:
        """``viewer.add_visual_sphere(name, radius, color)``"""
        return self._shape(name, "sphere", (radius,), look)

    def addVisualBox(self, name: str, x: float, y: float, z: float, *look: Any) -> Any:
        """``viewer.add_visual_box(name, (x, y, z), color)``"""
        return self._shape(name, "box", (x, y, z), look)

    def addVisualCylinder(self, name: str, radius: float, height: float, *look: Any) -> Any:
        """``viewer.add_visual_cylinder(name, radius, height, color)``"""
        return self._shape(name, "cylinder", (radius, height), look)

    def addVisualCapsule(self, name: str, radius: float, height: float, *look: Any) -> Any:
        """``viewer.add_visual_capsule(name, radius, height, color)``"""
        return self._shape(name, "capsule", (radius, height), look)

    def addVisualArrow(self, name: str, radius: float, height: float, *look: Any) -> Any:
        """``viewer.add_visual_arrow(name, radius, height, color)``"""
        return self._shape(name, "arrow", (radius, height), look)

    def addVisualMesh(self, name: str, *values: Any) -> visuals.VisualMesh:
        """``viewer.add_visual_mesh(name, file, scale=…)``, ``(name, vertices=…, faces=…)``"""
        add = "add_visual_mesh"
        if not values:
            raise TypeError("addVisualMesh takes a name and a file, or a name, vertices and triangles")
        if isinstance(values[0], str):
            file, scale, *look = (*values, 1.0) if len(values) == 1 else values
            color = _color(look, None)
            made = visuals.VisualMesh(name, add, file, scale=scale, color=color)
        else:
            if len(values) < 2:
                raise TypeError("addVisualMesh takes triangles, (n, 3), after the vertices")
            faces = visuals.rows(values[1 if len(values) == 2 else 2], "triangles").astype(int)
            points = visuals.rows(values[0], "vertices")
            if faces.size and not 0 <= faces.min() <= faces.max() < len(points):
                raise ValueError(f"triangles must name vertices 0 … {len(points) - 1}")
            made = visuals.VisualMesh(name, add, vertices=points, faces=faces, color=None)
        return self._keep(made)  # type: ignore[no-any-return]

    def addVisualPolyLine(self, name: str) -> visuals.PolyLine:
        """``viewer.add_visual_polyline(name, points)``"""
        return self._keep(visuals.PolyLine(name))  # type: ignore[no-any-return]

    def addVisualArticulatedSystem(self, name: str, urdf: str, *look: Any) -> Any:
        """``viewer.add_visual_articulated_system(name, urdf, color)``"""
        return self._keep(visuals.ArticulatedSystemVisual(name, urdf, _color(look, None)))

    def addVisualHeightMap(self, name: str, *values: Any, **named: Any) -> Any:
        """``viewer.add_visual_height_map(name, heights, size, color)``"""
        field, place, z, rest = height_field(values, named)
        color = _color(rest, (0.55, 0.6, 0.52))
        return self._keep(visuals.HeightMapVisual(name, field, (*place, z), color))

    def addInstancedVisuals(
        self, name: str, kind: Any, size: Any, color1: Any = (0.27, 0.5, 0.74),
        color2: Any = (0.27, 0.5, 0.74),
    ) -> visuals.InstancedVisuals:  # fmt: skip
        """``viewer.add_instanced_visuals(name, shape, size, color)``"""
        word = getattr(kind, "name", str(kind)).lower()
        made = visuals.InstancedVisuals(name, word, size, color1, color2)
        return self._keep(made)  # type: ignore[no-any-return]

    def addPointCloud(self, name: str) -> visuals.PointCloud:
        """``viewer.add_visual_point_cloud(name, points, colors, point_size)``"""
        return self._keep(visuals.PointCloud(name))  # type: ignore[no-any-return]

    def getVisualObject(self, name: str) -> Any:
        """``viewer.visual(name)``"""
        return self._drawn.get(check.name(name, "name"))

    getVisualPolyLine = getVisualObject
    getVisualArticulatedSystem = getVisualObject
    getVisualHeightMap = getVisualObject

    def removeVisualObject(self, name: Any) -> None:
        """``viewer.remove_visual(name)``"""
        shown = check.known(getattr(name, "name", name), self._drawn, "visual object")
        thing = self._drawn.pop(shown)
        if self._viewer is not None:
            self._viewer.remove_visual(thing.name)

    removeVisualPolyLine = removeVisualObject
    removeVisualArticulatedSystem = removeVisualObject
    removeVisualHeightMap = removeVisualObject
    removePointCloud = removeVisualObject

    def addTimeSeriesGraph(self, title: str, names: Any, xAxis: str = "time [s]",
                           yAxis: str = "") -> visuals.TimeSeriesGraph:  # fmt: skip
        """``viewer.add_time_series_graph(title, names, x_axis, y_axis)``"""
        return self._keep(visuals.TimeSeriesGraph(title, names, xAxis, yAxis))  # type: ignore[no-any-return]

    def addBarChart(self, title: str, names: Any) -> visuals.BarChart:
        """``viewer.add_bar_chart(title, names)``"""
        return self._keep(visuals.BarChart(title, names))  # type: ignore[no-any-return]


def _color(look: Any, default: Any) -> Any:
    """Return the colour of what follows the sizes of a visual: 3 or 4 numbers, or none."""
    return channels(look[:4]) if look else default


def msleep(milliseconds: float) -> None:
    """``time.sleep(1e-3 * milliseconds)``"""
    time.sleep(1e-3 * milliseconds)


def usleep(microseconds: float) -> None:
    """``time.sleep(1e-6 * microseconds)``"""
    time.sleep(1e-6 * microseconds)
