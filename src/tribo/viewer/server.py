"""`Viewer`: a world in the browser."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tribo.checks import check
from tribo.checks.calls import said_by_class
from tribo.checks.errors import EditError, SimulationError
from tribo.objects import Object
from tribo.viewer import scene as scenes
from tribo.viewer.charts import Charts
from tribo.viewer.commands import Commands
from tribo.viewer.history import History
from tribo.viewer.inputs import Orders
from tribo.viewer.overlays import Overlays
from tribo.viewer.pace import FRAME, SHARE, Pace, StageTimes
from tribo.viewer.panel import NOBODY, Panel, quality_of
from tribo.viewer.sensor_marks import SensorMarks
from tribo.viewer.session import OF_BATCHES, Session, end_of_run, start
from tribo.viewer.stage import Stage
from tribo.viewer.touch import Touch
from tribo.viewer.views import Views, camera_of
from tribo.viewer.visual_objects import VisualObjects
from tribo.world.checked import checked_world

if TYPE_CHECKING:
    from tribo.world.world import World

logger = logging.getLogger("tribo")

# [–] Part of the time that pictures may take while `run` waits for the clock anyway.
RUN_SHARE = 0.5
STATUS = 0.5  # [s] between two read-outs


class Viewer(Session, VisualObjects, Charts, Views):
    """Shows a world in the browser.

    Args:
        world: The world; only the thread that calls `run` or `update` touches it.
        host: Address to listen on. The standard one can be reached from this machine only; on any other
            every request needs a token, which `address` has.
        port: Port to listen on; the next free one if it is taken.
        hosts: Names under which a browser may ask for this machine, besides its IP addresses, "localhost"
            and its own name: that of a proxy, for example. Under any other the viewer answers nothing.
        token: The token of browsers, at least 8 letters or digits; None: nothing on this machine, a new
            one elsewhere.

    Raises:
        ImportError: viser is missing; the message says how to get it.
        OSError: `host` is no address of this machine.
        TypeError: `world` is no world.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ball = world.add_sphere(radius=0.1, mass=1.0)
        >>> with Viewer(world, port=8099) as viewer:    # or: viewer.run()
        ...     for _ in range(100):
        ...         world.step()
        ...         viewer.update()
    """

    @said_by_class
    def __init__(
        self, world: World, host: str = "127.0.0.1", port: int = 8080, hosts: Sequence[str] = (),
        token: str | None = None,
    ) -> None:  # fmt: skip
        """Start the server; it runs until `close`."""
        checked_world(world, OF_BATCHES)
        VisualObjects.__init__(self)
        Charts.__init__(self)
        Views.__init__(self)
        self._world = world
        self._saved = world.snapshot()
        self._measuring = tuple(world.sensors)  # those whose state it holds
        self._engine = world.engine
        self._scene = scenes.describe(world)
        poses = scenes.read_poses(world)
        self._server, self._token = start(host, port, hosts, token)
        self._history = History(world)
        self._panel = Panel(self._server, self._scene.names, _arrow_scale(world))
        self._panel.set_driven(False)
        self._orders = Orders()
        self._touch = Touch(self._server, world, self._orders)
        self._commands = Commands(
            self, self._server, self._orders, self._touch, lambda: self._poses, self._show_all
        )
        self._sensors = SensorMarks(self._server, self._panel.images, world)
        self._set_stage(poses)
        self._poses = poses
        self._is_driven = False
        self._times = StageTimes()
        self._step_cost = 0.0  # [s] of one step, as `run` sees it
        self._pace = Pace()
        self._next_status = 0.0
        self._pictures = 0
        self._speed_from = (time.perf_counter(), world.time)
        self._is_open = True
        self._show_all()
        self._counted = self._pace.counted(self._look)
        if type(self).update is Viewer.update:
            self.update = self._counted  # type: ignore[method-assign]  # without a call in between

    # -- the user's side -------------------------------------------------------------------------
    @property
    def world(self) -> World:
        """The world that is shown."""
        return self._world

    @property
    def panel(self) -> Panel:
        """The controls; ``viewer.panel.follow("robot")`` lets the camera go along."""
        return self._panel

    @property
    def is_open(self) -> bool:
        """Whether the server runs."""
        return self._is_open

    @property
    def pictures(self) -> int:
        """How many pictures were sent so far."""
        return self._pictures

    def update(self) -> None:
        """Show the present state; call it after every step, it returns at once most times.

        At most 60 pictures per second are sent, and fewer if they would take more than a few
        percent of the time from the simulation.
        """
        self._counted()

    def _look(self) -> None:
        """Let a grip pull, and draw if a picture is due."""
        if self._is_driven and self._is_open:
            self._set_driven(False)
        self._touch.pull()
        is_held = self._touch.grip is not None  # its force lasts one step
        if self._pace.is_due(is_each=is_held) and self._is_open:
            self._push()

    def run(self, duration: float | None = None) -> None:
        """Step the world in real time, as the controls in the browser say.

        The controls of time stay on between two calls, presses wait for the next; `update` turns them off.

        Args:
            duration: Wall time [s] after which to return, at least 0; None: when the viewer is closed.

        Raises:
            ValueError, TypeError: `duration` is negative, not finite or no number.
        """
        end = end_of_run(duration)
        if not self.is_open:
            return
        self._pace.share = RUN_SHARE
        if not self._is_driven:
            self._set_driven(True)
        try:
            last = time.perf_counter()
            debt = 0.0  # [s] world time that is due
            while self._is_open and last < end:
                self._obey()
                wishes = self._panel.wishes
                now = time.perf_counter()
                # What a slow machine cannot keep up with is left out, not caught up with.
                debt = min(debt + (now - last) * wishes.speed, 0.1) if wishes.is_playing else 0.0
                last = now
                debt -= self._catch_up(debt)
                if self._pace.is_due(is_each=False):
                    self._push()
                time.sleep(max(0.0, min(self._pace.next, now + FRAME) - time.perf_counter()))
        finally:
            self._pace.share = SHARE

    def close(self) -> None:
        """Stop the server, and let go what is pulled."""
        self._touch.grip = None
        super().close()

    def follow(self, part: Object | str | None) -> None:
        """Let every camera go along with an object; None: with nothing.

        Raises:
            KeyError: There is none of that name; the message proposes the nearest.
        """
        if part is None:
            self._panel.follow(NOBODY)
            return
        name = part.name if isinstance(part, Object) else part
        self._renew()
        self._rename()
        self._panel.follow(check.known(name, self._scene.names, "object to follow"))

    def show_layers(self, **layers: bool) -> None:
        """Show or hide what the boxes of *Show* do: ``view.show_layers(cones=True, visual=False)``.

        Args:
            layers: visual, collision, contacts, forces, cones, names, frames, joints, masses, inertias, gaps,
                axes, sensors, colors (of cameras), times (of stages, while `run` steps); sleepers: whether
                what sleeps is drawn paler.

        Raises:
            KeyError: There is no such layer; the message proposes the nearest.
            TypeError: A value is neither True nor False.
        """
        self._panel.show_layers(layers)

    def focus_on(self, part: Object | str) -> None:
        """Turn every camera to an object and go near enough to see it well.

        Raises:
            KeyError: There is none of that name; the message proposes the nearest.
        """
        name = part.name if isinstance(part, Object) else part
        self._renew()
        self._rename()
        row = self._scene.root[check.known(name, self._scene.root, "object")]
        place = scenes.read_poses(self._world).position[row]
        way = np.subtract(self.camera.eye, self.camera.target)
        way /= max(float(np.linalg.norm(way)), 1e-9)
        reach = 1.0 + 3.0 * scenes.radius(self._world, name)
        self.set_camera(place + reach * way, place)

    def reset(self) -> None:
        """Go back to the state in which the viewer was made, or saw objects or sensors come or go."""
        self._renew()
        try:
            self._world.restore(self._saved)
        except (ValueError, EditError) as error:
            logger.warning("cannot reset: %s", error)
            self._panel.say(f"cannot reset: {error}")
        self._speed_from = (time.perf_counter(), self._world.time)
        self._next_status = 0.0

    # -- inside ----------------------------------------------------------------------------------
    def _obey(self) -> None:
        """Do what was asked for by buttons."""
        self._carry_out()
        if self._panel.take("wants_reset"):
            self.reset()
        moment, back = self._panel.take("moment"), self._panel.take("back")
        if moment is not None or back:
            self._renew()
        try:
            if moment is not None:
                self._history.go_to(moment)
            if back:
                self._history.step_back(back)
        except (ValueError, EditError, SimulationError) as error:
            self._panel.say(f"cannot go back: {error}")
        if moment is not None or back:
            self._next_status = 0.0
        steps = self._panel.take("steps")
        if steps:
            self._step(steps)

    def _catch_up(self, debt: float) -> float:
        """Step as far as is due, but no longer than a frame; return the time stepped."""
        stop = time.perf_counter() + FRAME
        due = int(debt / self._world.time_step)
        done = 0
        while done < due and (left := stop - time.perf_counter()) > 0.0:
            fitting = int(left / max(self._step_cost, 1e-9))
            some = max(1, min(due - done, 10, fitting))
            if not self._step(some):
                return debt
            done += some
        return done * self._world.time_step

    def _step(self, n: int) -> bool:
        """Step; a world that cannot go on is paused and stays to be looked at."""
        begin = time.perf_counter()
        try:
            is_timed = self._panel.wishes.shown["times"]
            if self._touch.grip is None and not is_timed:
                self._world.step(n)
            else:
                for _ in range(n):  # the force of a grip lasts one step
                    self._touch.pull()
                    if is_timed:
                        self._times.step(self._world)
                    else:
                        self._world.step()
        except SimulationError as error:
            logger.error("%s", error)
            self._panel.pause()
            self._panel.show(f"**stopped**: {error}")
            self._next_status = np.inf
            return False
        self._history.note()
        self._step_cost += 0.1 * ((time.perf_counter() - begin) / max(n, 1) - self._step_cost)
        return True

    def _push(self) -> None:
        """Send what changed, and decide when to do it again."""
        start = time.perf_counter()
        self._pictures += 1
        world = self._world
        if not self._is_driven:
            self._carry_out()
        self._renew()
        wishes = self._panel.wishes
        shown = wishes.shown
        poses = scenes.read_poses(world)
        with self._server.atomic():
            self._stage.show(shown)
            self._stage.move(poses)
            if shown["contacts"] or shown["forces"]:
                self._stage.show_forces(scenes.read_forces(world), wishes.force_scale)
            self._stage.dim(scenes.sleeping_bodies(world) if shown["sleepers"] else None)
            self._overlays.show(poses, wishes)
            self._sensors.show(is_on=shown["sensors"])
            is_paused = self._is_driven and not wishes.is_playing
            self._touch.show(poses, is_paused=is_paused)
            found = self._touch.selected
            self._commands.joints.show(None if found is None else found.part, can_place=is_paused)
            if wishes.follows != NOBODY:
                self._go_along(poses, self._scene.root[wishes.follows])
            self._poses = poses
            if start >= self._next_status:
                self._report(start)
        self._pace.drawn(start, time.perf_counter())

    def _report(self, now: float) -> None:
        """Show time, real-time factor, contacts, and what else changes slowly."""
        world = self._world
        before, then = self._speed_from
        factor = (world.time - then) / max(now - before, 1e-9)
        self._speed_from = (now, world.time)
        self._next_status = now + STATUS
        self._rename()
        shown = self._panel.wishes.shown
        times = self._times.text() if shown["times"] else ""
        self._panel.show(
            f"time **{world.time:.3f} s** · real-time factor **{factor:.2f}** · "
            f"contacts **{int(world.engine.work.contact_count[0])}**"
            + (f" · step **{1e3 * self._step_cost:.3g} ms**" if self._is_driven else "")
            + (f" · {times}" if times else "")
        )
        self._panel.show_quality(quality_of(world))
        first, last = self._history.span
        self._panel.show_line(first, world.time, last)
        self._panel.show_selected(self._touch.text())
        self._commands.joints.refresh()
        self._commands.world.refresh()
        self._sensors.show_colors(self._scene, is_on=shown["colors"])
        self._flush_charts()

    def _renew(self) -> None:
        """Make all nodes anew if objects were added or removed.

        A reset then goes back to this moment, as it does after sensors came or went.
        """
        if not self._is_open:
            return
        if self._world.engine is self._engine:
            if tuple(self._world.sensors) != self._measuring:
                self._save()
                self._history.clear()
            return
        self._stage.remove()
        self._overlays.remove()
        self._engine = self._world.engine
        self._scene = scenes.describe(self._world)
        self._poses = scenes.read_poses(self._world)
        self._set_stage(self._poses)
        self._save()
        self._history.clear()
        self._panel.set_names(self._scene.names)

    def _save(self) -> None:
        """Keep the state to which a reset goes back."""
        with contextlib.suppress(EditError):  # no state to keep: `update` was called, `advance` not
            self._saved = self._world.snapshot()
            self._measuring = tuple(self._world.sensors)

    def _rename(self) -> None:
        """Show the names that objects have now; what was followed stays so."""
        root = scenes.roots(self._world)
        before = self._scene.root
        if root == before:
            return
        followed = before.get(self._panel.wishes.follows)
        self._scene = replace(self._scene, root=root)
        self._panel.set_names(self._scene.names)
        for name, row in root.items():
            if row == followed:
                self._panel.follow(name)

    def _set_stage(self, poses: scenes.Poses) -> None:
        """Make the nodes of the scene."""
        self._stage = Stage(self._server, self._scene, poses)
        self._touch.listen(self._stage)
        self._overlays = Overlays(self._server.scene, self._world)

    def _set_driven(self, is_driven: bool) -> None:
        self._is_driven = is_driven
        self._panel.set_driven(is_driven)

    def _carry_out(self) -> None:
        """Do what was asked for in the browser."""
        if self._commands.carry_out():
            self._next_status = 0.0

    def _show_views(self) -> None:
        self._panel.show_views(self.views)

    def _show_all(self) -> None:
        """Put every camera where it sees all that moves."""
        poses = scenes.read_poses(self._world)
        rows = list(self._scene.root.values())
        centre, reach = np.zeros(3), 1.0
        if rows:
            places = poses.position[rows]
            centre = 0.5 * (places.min(axis=0) + places.max(axis=0))
            reach = 1.0 + 0.45 * float(np.ptp(places, axis=0).max())
        self._place(camera_of(centre + reach * np.array([1.3, -1.9, 0.9]), centre))

    def _go_along(self, poses: scenes.Poses, row: int) -> None:
        """Move every camera as far as the followed body moved."""
        way = poses.position[row] - self._poses.position[row]
        if np.linalg.norm(way) > 1e-5:
            for client in self._server.get_clients().values():
                client.camera.position = client.camera.position + way


def _arrow_scale(world: World) -> float:
    """Return a length per force at which a tenth of the total weight is 10 cm."""
    mass = sum(part.mass for part in world.objects if part.body_type == 2)
    weight = mass * float(np.linalg.norm(world.gravity))
    return float(np.clip(0.1 / (0.1 * weight), 1e-5, 0.05)) if weight > 0.0 else 0.002
