"""The window of the first RaiSim: calls that mean something go to tribo's viewer, the rest is one remark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from tribo.checks import check
from tribo.raisimpy.server import RaisimServer
from tribo.raisimpy.spelling import Dialects, filled, remark

IGNORED = [
    "setWindowSize", "setDefaultCallbacks", "setKeyboardCallback", "setImguiSetupCallback",
    "setImguiRenderCallback", "setImguiKeyboardCallback", "setAntiAliasing", "setShadowTechnique",
    "setVsync", "setContactVisObjectSize", "setDesiredFps", "setRemoteMode", "getCameraMan", "getLight",
    "getSceneManager", "getViewport", "getRenderWindow", "hideWindow", "showWindow", "loadMaterialFile",
    "addResourceDirectory", "setCameraSpeed", "getPaused", "select",
]  # fmt: skip


class _Window:
    """A part of Ogre's window, such as its light: takes all calls, and does nothing."""

    def __getattr__(self, name: str) -> Callable[..., _Window]:
        if name[:2] == "__":
            raise AttributeError(name)
        return lambda *_, **__: self


def _ignored(name: str) -> Callable[..., _Window]:
    def pass_by(*_: Any, **__: Any) -> _Window:
        remark(f"OgreVis.{name} and its kin belong to Ogre's window; tribo's viewer is a page")
        return _Window()

    pass_by.__doc__ = "nothing: belongs to Ogre's window"
    return pass_by


def _function(call: Any) -> Callable[[], None]:
    if not callable(call):
        raise TypeError(f"a callback must be a function, got {check.shown(call)}")
    made: Callable[[], None] = call
    return made


class OgreVis(Dialects):
    """One viewer of a process: ``OgreVis.get()``; `run` steps the world and shows it.

    Example:
        >>> import tribo.raisimpy as raisim
        >>> vis = raisim.OgreVis.get()
        >>> vis.set_world(raisim.World())
        >>> vis.render_one_frame()
    """

    _one: OgreVis | None = None

    def __init__(self) -> None:
        """Start without a world."""
        self._server: RaisimServer | None = None
        self._setup: Callable[[], None] = lambda: None
        self._control: Callable[[], None] = lambda: None

    @classmethod
    def get(cls) -> Self:
        """``tribo.Viewer(world)``"""
        if cls._one is None:
            cls._one = cls()
        return cls._one  # type: ignore[return-value]

    def setWorld(self, world: Any) -> None:
        """``tribo.Viewer(world)``"""
        self._server = RaisimServer(world)

    def _shown(self) -> RaisimServer:
        if self._server is None:
            raise ValueError("OgreVis has no world; call set_world first")
        return self._server

    def setSetUpCallback(self, call: Callable[[], None]) -> None:
        """your own function, before ``viewer.run()``"""
        self._setup = _function(call)

    setSetupCallback = setSetUpCallback

    def setControlCallback(self, call: Callable[[], None]) -> None:
        """your own function, before each ``world.step()``"""
        self._control = _function(call)

    def initApp(self) -> None:
        """``tribo.Viewer(world)``"""
        self._setup()
        self._shown().launchServer()

    def run(self, duration: float = float("inf")) -> None:
        """``viewer.run(duration)``"""
        server = self._shown()
        it = server._world.tribo
        if duration != float("inf"):
            check.number(duration, "duration", minimum=0.0)
        end = it.time + duration - 0.5 * it.time_step
        while it.time < end:
            self.renderOneFrame()

    remoteRun = run

    def renderOneFrame(self) -> None:
        """``world.step()``, ``viewer.update()``"""
        self._control()
        self._shown().integrateWorldThreadSafe()

    def closeApp(self) -> None:
        """``viewer.close()``"""
        if self._server is not None:
            self._server.killServer()

    def createGraphicalObject(self, item: Any, *values: Any, dimension: float = 0.0, name: str = "",
                              material: str = "") -> list[Any]:  # fmt: skip
        """``object.color = …``: objects are drawn by themselves

        `dimension`, of a ground, stands before `name` and `material`; returned are what a script may select.
        """
        words = [value for value in values if isinstance(value, str)]
        _, material = filled(words, (name, material))
        if material:
            remark(f"OgreVis: materials such as {material!r} are Ogre's; tribo's colours stay")
        return [item]

    def buildHeightMap(self, _: str, item: Any, *__: Any) -> Any:
        """``world.add_height_map(…)``: maps are drawn by themselves"""
        return item

    def addVisualObject(self, name: str, meshName: str, material: str = "",
                        scale: Any = (1.0, 1.0, 1.0), *_: Any) -> Any:  # fmt: skip
        """``viewer.add_visual_sphere(name, …)`` and its kin"""
        server = self._shown()
        size = check.vector(scale, "scale", 3).tolist()
        if "sphere" in check.text(meshName, "meshName").lower():
            return server.addVisualSphere(name, size[0])
        return server.addVisualBox(name, *size)

    def startRecordingVideo(self, path: str) -> None:
        """``tribo.viewer.film.save_film(pictures, path, rate)``"""
        self._shown().startRecordingVideo(path)

    def stopRecordingVideoAndSave(self) -> None:
        """``tribo.viewer.film.save_film(pictures, path, rate)``"""
        self._shown().stopRecordingVideo()

    for _name in IGNORED:
        vars()[_name] = _ignored(_name)
    del _name
