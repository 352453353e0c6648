"""Several worlds of a batch side by side: as one scene, in pictures and in the browser."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.viewer import draw
from tribo.viewer.pace import Pace
from tribo.viewer.raster import Camera
from tribo.viewer.renderer import DIRECTION, seeing
from tribo.viewer.scene import Drawable, Group, Poses, Scene, describe, read_poses
from tribo.viewer.session import Session, start
from tribo.viewer.stage import Stage
from tribo.viewer.views import Views
from tribo.viewer.visual_objects import VisualObjects

if TYPE_CHECKING:
    from tribo.batch.batch import Batch
    from tribo.world.world import World

MAX_BODIES = 20_000  # of all worlds that are shown
GAP = 1.3  # times the extent of a world: from one world to the next


class SideBySide:
    """Worlds of a batch in rows and columns, drawn as one scene.

    Args:
        batch: Whose states are shown.
        world: The world that the batch was made of: it says what the bodies look like.
        worlds: Numbers of the worlds to show; None: the first 16.
        spacing: From one world to the next [m]; None: what the world takes up now, and a third of it.

    Raises:
        ValueError: The world is not the one of the batch; a number is out of range; too many bodies in all.
        TypeError: Numbers that are no whole numbers.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> ball = world.add_sphere(radius=0.1, mass=1.0, name="ball", position=(0, 0, 1))
        >>> batch = tribo.Batch(world, 9, threads=1)
        >>> batch["ball"].generalized_coordinate[:, 2] = range(1, 10)
        >>> row = SideBySide(batch, world, spacing=2.0)
        >>> row.rgb_array(width=64, height=48).shape
        (48, 64, 3)
        >>> row.poses().position[[1, 3, 17], :].tolist()      # the balls of worlds 0, 1 and 8
        [[-2.0, -2.0, 1.0], [0.0, -2.0, 2.0], [2.0, 2.0, 9.0]]
    """

    def __init__(
        self, batch: Batch, world: World, worlds: Sequence[int] | None = None,
        spacing: float | None = None,
    ) -> None:  # fmt: skip
        """Describe the scene once; states are read with each picture."""
        _check_same(batch, world)
        self._batch, self._world = batch, world
        chosen = range(min(16, len(batch))) if worlds is None else worlds
        self.worlds = np.array([check.integer(k, "number of a world", 0) for k in chosen], int)
        if not self.worlds.size or self.worlds.max() >= len(batch):
            raise ValueError(
                f"worlds must be numbers from 0 to {len(batch) - 1}, at least one, got {check.shown(worlds)}"
            )
        one, poses = describe(world), read_poses(world)
        bodies = len(poses.position)
        if bodies * len(self.worlds) > MAX_BODIES:
            raise ValueError(
                f"{len(self.worlds)} worlds of {bodies} bodies are more than {MAX_BODIES} bodies; show fewer"
            )
        self._poses = poses
        self.spacing = _extent(one, poses) if spacing is None else check.positive(spacing, "spacing")
        self.offset = grid(len(self.worlds), self.spacing)
        self.scene = _copied(one, bodies, self.offset)

    def poses(self) -> Poses:
        """Return where the bodies of the worlds are now: world after world."""
        count, still = len(self.worlds), self._poses
        position = np.repeat(still.position[None], count, axis=0)
        rotation = np.repeat(still.rotation[None], count, axis=0)
        for name in self._batch.names:
            span = self._world[name].span
            assert span is not None
            place, turn = self._batch.poses_of(name)
            position[:, span.body], rotation[:, span.body] = place[self.worlds], turn[self.worlds]
        position = np.where(np.isfinite(position), position, 0.0) + self.offset[:, None]
        moment = float(self._batch.time[self.worlds[0]])
        return Poses(moment, position.reshape(-1, 3), rotation.reshape(-1, 3, 3), still.is_held)

    def camera(self, direction: Any = DIRECTION, aspect: float = 1.5) -> Camera:
        """Return a camera that sees all worlds, grounds aside, from a direction, (3,)."""
        return seeing(self.scene.visual.vertices(self.poses()), direction, aspect=aspect)

    def rgb_array(self, camera: Camera | None = None, width: int = 640, height: int = 480) -> np.ndarray:
        """Return a picture of all worlds, (height, width, 3) of uint8, without a browser."""
        style = draw.Style(check.integer(width, "width", 1), check.integer(height, "height", 1))
        chosen = camera or self.camera(aspect=width / height)
        return draw.picture(self.scene, self.poses(), chosen, style)


class BatchViewer(Session, VisualObjects, Views):
    """Shows several worlds of a batch side by side in the browser; your loop steps them.

    Args:
        batch, world, worlds, spacing: See `SideBySide`.
        host, port, hosts, token: See `Viewer`.

    Raises:
        ImportError: viser is missing; the message says how to get it.
        ValueError, TypeError, OSError: As `SideBySide` and `Viewer`.

    Example:
        >>> import tribo
        >>> from tribo.viewer import BatchViewer
        >>> world = tribo.World()
        >>> ball = world.add_sphere(radius=0.1, mass=1.0, name="ball")
        >>> batch = tribo.Batch(world, 4, threads=1)
        >>> with BatchViewer(batch, world, port=8125) as view:
        ...     for _ in range(10):
        ...         _ = batch.step()
        ...         view.update()
    """

    def __init__(
        self, batch: Batch, world: World, worlds: Sequence[int] | None = None,
        spacing: float | None = None, *, host: str = "127.0.0.1", port: int = 8080,
        hosts: Sequence[str] = (), token: str | None = None,
    ) -> None:  # fmt: skip
        """Start the server; it runs until `close`."""
        VisualObjects.__init__(self)
        Views.__init__(self)
        self.shown = SideBySide(batch, world, worlds, spacing)
        self._server, self._token = start(host, port, hosts, token)
        self._server.gui.configure_theme(show_share_button=False, show_logo=False)
        self._text = self._server.gui.add_markdown("")
        self._batch = batch
        self._stage = Stage(self._server, self.shown.scene, self.shown.poses())
        names = self._server.scene
        for number, place in zip(self.shown.worlds, self.shown.offset, strict=True):
            names.add_label(f"/worlds/{number}", f"{number}", position=place, font_screen_scale=0.8)
        self._is_open, self.pictures = True, 0
        self._pace = Pace()
        self._place(self.shown.camera())

    def update(self) -> None:
        """Show the present states; call it after every step, it returns at once most times."""
        if not self._is_open or not self._pace.is_due(is_each=True):
            return
        begin = time.perf_counter()
        self.pictures += 1
        with self._server.atomic():
            self._stage.move(self.shown.poses())
        moment = self._batch.time[self.shown.worlds]
        valid = int(self._batch.is_valid.sum())
        self._text.content = (
            f"time **{moment.min():.3f} … {moment.max():.3f} s** · {len(moment)} of {len(self._batch)} "
            f"worlds shown · {valid} valid"
        )
        self._pace.drawn(begin, time.perf_counter())


def grid(count: int, spacing: float) -> np.ndarray:
    """Return places (count, 3) [m] in rows along x around the origin, as square as can be."""
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    k = np.arange(count)
    x, y = k % columns - 0.5 * (columns - 1), k // columns - 0.5 * (rows - 1)
    return spacing * np.stack([x, y, np.zeros(count)], axis=1)


def _check_same(batch: Batch, world: World) -> None:
    """Refuse a world whose objects are not those of the batch."""
    mine = [part.name for part in world.objects]
    bodies = len(world.engine.model.body_tree)
    if not all(name in batch for name in mine) or bodies != len(batch.engine.model.body_tree):
        raise ValueError(
            f"world is not the one that the batch was made of: it has {check.shown(mine)}; keep that world"
        )


def _extent(one: Scene, poses: Poses) -> float:
    """Return how far apart worlds should be [m]."""
    vertices = one.visual.vertices(poses)
    if not len(vertices):
        return 1.0
    return GAP * max(float(np.ptp(vertices[:, :2], axis=0).max()), 0.5)


def _copied(one: Scene, bodies: int, offset: np.ndarray) -> Scene:
    """Return a scene with one copy of all drawables per world; level grounds are laid once."""
    every = range(len(offset))

    def copies(items: Sequence[Drawable]) -> Group:
        return Group([replace(item, body=item.body + k * bodies) for k in every for item in items])

    lines, fixed = one.lines, one.lines.body < 0
    point = np.concatenate([lines.point + np.where(fixed, 1.0, 0.0)[..., None] * way for way in offset])
    body = np.concatenate([np.where(fixed, -1, lines.body + k * bodies) for k in every])
    number, color = np.tile(lines.number, len(offset)), np.tile(lines.color, (len(offset), 1))
    copied = replace(lines, number=number, body=body, point=point, color=color)
    return replace(one, visual=copies(one.visual.items), collision=copies(one.collision.items), lines=copied)
