"""The camera of the browser: put somewhere, kept as a view, and led along with an object."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.viewer.raster import Camera
from tribo.viewer.session import check_open

MAX_VIEWS = 100
FOV = 45.0  # [°] vertical, of the browser's camera
NUDGE = 1e-4  # [–] of the coordinates: viser takes values within 1e-5 for equal


class Views:
    """The part of a viewer that places cameras."""

    _server: Any
    _is_open: bool

    def __init__(self) -> None:
        """Begin without saved views."""
        self._views: dict[str, Camera] = {}

    @property
    def camera(self) -> Camera:
        """Where the first browser looks from now; with none open, where the next one will begin."""
        start = self._server.initial_camera
        place, target, fov = start.position, start.look_at, start.fov
        for client in self._server.get_clients().values():
            place, target, fov = client.camera.position, client.camera.look_at, client.camera.fov
            break
        return camera_of(place, target, float(np.degrees(fov)))

    def set_camera(self, position: Any, look_at: Any) -> None:
        """Put the camera of every browser somewhere, those that open later included.

        Args:
            position: Where it is, (3,) [m].
            look_at: The point in the middle, (3,) [m].

        Raises:
            ValueError, TypeError: A vector has a wrong shape or is not finite, or both are the same; the
                viewer is closed.

        Example:
            >>> import tribo
            >>> with tribo.Viewer(tribo.World(), port=8150) as view:
            ...     view.set_camera(position=(3, -3, 2), look_at=(0, 0, 0.5))
            ...     view.camera.eye
            (3.0, -3.0, 2.0)
        """
        place, target = (
            check.vector(position, "position of the camera", 3),
            check.vector(look_at, "look_at of the camera", 3),
        )
        if float(np.linalg.norm(place - target)) < 1e-6:
            raise ValueError("look_at of the camera must be another place than its position")
        self._place(camera_of(place, target))

    @property
    def views(self) -> tuple[str, ...]:
        """Names of the saved views, in their order: the keys 1 to 9 show the first nine."""
        return tuple(self._views)

    def save_view(self, name: str = "", camera: Camera | None = None) -> str:
        """Keep a view under a name; return the name.

        Args:
            name: A view of that name is replaced; empty: "view 1" and so on.
            camera: The camera to keep; None: what the first browser sees now.

        Raises:
            ValueError, TypeError: There are a hundred already, or `camera` is none that sees something.
        """
        if not name:
            number = 1
            while f"view {number}" in self._views:
                number += 1
            name = f"view {number}"
        check.name(name, "name of a view")
        if name not in self._views and len(self._views) >= MAX_VIEWS:
            raise ValueError(f"there are {MAX_VIEWS} views already; save under one of their names")
        self._views[name] = self.camera if camera is None else checked_camera(camera)
        self._show_views()
        return name

    def show_view(self, name: str) -> None:
        """Put every camera where a view was saved.

        Raises:
            KeyError: There is none of that name; the message proposes the nearest.
        """
        self._place(self._views[check.known(name, self._views, "view")])

    def _place(self, camera: Camera) -> None:
        """Put the camera of every browser where another camera is."""
        check_open(is_open=self._is_open)
        begin_at(self._server, camera)
        for client in self._server.get_clients().values():
            move_camera(client.camera, camera.eye, camera.target)

    def _show_views(self) -> None:
        """Offer the saved views in the browser."""


def begin_at(server: Any, camera: Camera) -> None:
    """Let browsers that open later look from where a camera is."""
    start = server.initial_camera
    start.position, start.look_at, start.fov = camera.eye, camera.target, np.radians(camera.fov)


def move_camera(camera: Any, eye: Any, target: Any) -> None:
    """Put the camera of a browser at a place (3,) [m], and let it look at another (3,) [m].

    viser sends nothing where its note of the camera equals the new value. This note may be older than what
    the browser shows, as just after a key has moved the camera. So each value is set to another one first.
    """
    for name, place in (("position", np.asarray(eye, float)), ("look_at", np.asarray(target, float))):
        setattr(camera, name, place + NUDGE * (1.0 + np.abs(place).max()))
        setattr(camera, name, place)


def camera_of(position: Any, look_at: Any, fov: float = FOV, up: Any = (0.0, 0.0, 1.0)) -> Camera:
    """Return a camera at a place (3,) [m] that looks at another (3,) [m]."""
    x, y, z = (float(k) for k in position)
    u, v, w = (float(k) for k in look_at)
    a, b, c = (float(k) for k in up)
    return Camera((x, y, z), (u, v, w), fov, (a, b, c))


def camera_of_box(low: np.ndarray, high: np.ndarray, direction: Any) -> Camera:
    """Return a camera that sees a box, (3,) and (3,) [m], and what is about it from a direction."""
    reach = 0.7 + 0.9 * float(np.max(high - low))
    way = np.asarray(direction, float)
    middle = 0.5 * (low + high)
    return camera_of(middle + 1.6 * reach * way / np.linalg.norm(way), middle)


def checked_camera(camera: Any) -> Camera:
    """Return a camera of plain finite numbers.

    Raises:
        TypeError, ValueError: It is no camera, or one that sees nothing; the message says why.
    """
    check.instance(camera, Camera, "camera must be a tribo.viewer.Camera")
    eye, target = check.vector(camera.eye, "eye", 3), check.vector(camera.target, "target", 3)
    if float(np.linalg.norm(eye - target)) < 1e-9:
        raise ValueError("a camera must look at another place than its own")
    if not 0.0 < check.number(camera.fov, "fov") < 180.0:
        raise ValueError(f"fov must be between 0° and 180°, got {camera.fov!r}")
    return camera_of(eye, target, float(camera.fov), check.vector(camera.up, "up", 3))
