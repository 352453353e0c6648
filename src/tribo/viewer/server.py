"""`Viewer`: a world in the browser."""

from __future__ import annotations

import contextlib
import functools
import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError, SimulationError
from tribo.objects import Object
from tribo.viewer import scene as scenes
from tribo.viewer.charts import Charts
from tribo.viewer.controls import JointControls, WorldControls
from tribo.viewer.keys import add_keys, listed
from tribo.viewer.orders import Key, Orders
from tribo.viewer.overlays import Overlays
from tribo.viewer.panel import NO_VIEW, NOBODY, Panel
from tribo.viewer.quality import quality_of
from tribo.viewer.raster import Camera
from tribo.viewer.sensor_marks import SensorMarks
from tribo.viewer.session import Session, start
from tribo.viewer.stage import Stage
from tribo.viewer.stage_times import StageTimes
from tribo.viewer.touch import Touch
from tribo.viewer.views import Views, camera_of
from tribo.viewer.visual_objects import VisualObjects

if TYPE_CHECKING:
    from tribo.world.world import World

logger = logging.getLogger("tribo")

FRAME = 1.0 / 60.0  # [s] shortest time between two pictures
SLOWEST_FRAME = 0.5  # [s] longest, however much a picture costs
GLANCE = 2e-3  # [s] between two looks at the clock
MOST_SKIPPED = 256  # calls of `update` between them
SHARE = 0.015  # [–] part of the time that `update` may take from a simulation
RUN_SHARE = 0.5  # the same while `run` waits for the clock anyway
STATUS = 0.25  # [s] between two read-outs


class Viewer(Session, VisualObjects, Charts, Views):
    """Shows a world in the browser.

    Args:
        world: What to show; only the thread that calls `run` or `update` touches it.
        host: Address to listen on. The standard one can be reached from this machine only; on any other
            every request needs a token, which `address` has.
        port: Port to listen on; the next free one if it is taken.
        hosts: Names under which a browser may ask for this machine, besides its IP addresses, "localhost"
            and its own name: that of a proxy, for example. Under any other the viewer answers nothing.
        token: What a browser must bring, at least 8 letters or digits; None: nothing on this machine, a new
            one elsewhere.

    Raises:
        ImportError: viser is missing; the message says how to get it.
        OSError: `host` is no address of this machine.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ball = world.add_sphere(radius=0.1, mass=1.0)
        >>> with Viewer(world, port=8099) as viewer:    # or: viewer.run()
        ...     for _ in range(100):
        ...         world.step()
        ...         viewer.update()
    """

    def __init__(
        self, world: World, host: str = "127.0.0.1", port: int = 8080, hosts: Sequence[str] = (),
        token: str | None = None,
    ) -> None:  # fmt: skip
        """Start the server; it runs until `close`."""
        VisualObjects.__init__(self)
        Charts.__init__(self)
        Views.__init__(self)
        self._world = world
        self._saved = world.snapshot()
        self._engine = world.engine
        self._scene = scenes.describe(world)
        poses = scenes.read_poses(world)
        self._server, self._token = start(host, port, hosts, token)
        self._panel = Panel(self._server, self._scene.names, _arrow_scale(world))
        self._panel.set_driven(False)
        self._orders = Orders()
        self._joints = JointControls(self._server.gui, self._orders)
        self._controls = WorldControls(self._server.gui, world, self._orders)
        self._touch = Touch(self._server, world, self._orders)
        self._sensors = SensorMarks(self._server, self._panel.images, world)
        self._set_stage(poses)
        self._poses = poses
        self._is_driven = False
        self._times = StageTimes()
        self._step_cost = 0.0  # [s] of one step, as `run` sees it
        self._shown: tuple[Any, ...] = ()
        self._share, self._cost = SHARE, 0.0
        self._next = self._next_status = self._looked = 0.0
        self._skip = self._skipped = 1
        self._pictures = 0
        self._speed_from = (time.perf_counter(), world.time)
        self._others = _other_threads()
        self._is_open = True
        self._home = self._whole(poses)
        self._place(self._home)
        self._listen()

    # -- the user's side -------------------------------------------------------------------------
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
        self._skip -= 1  # counting is cheaper than looking at the clock, or at anything else
        if self._skip <= 0:
            self._touch.pull()
            self._look()

    def _look(self) -> None:
        """Look at the clock; count calls until it is worth while to look again."""
        now = time.perf_counter()
        rate = self._skipped / max(now - self._looked, 1e-9)
        self._skip = self._skipped = max(1, min(int(rate * GLANCE), MOST_SKIPPED))
        self._looked = now
        if now >= self._next and self._is_open:
            self._push()
        if self._touch.grip is not None:
            self._skip = self._skipped = 1  # its force lasts one step

    def run(self, duration: float | None = None) -> None:
        """Step the world in real time, as the controls in the browser say.

        Args:
            duration: Wall time [s] after which to return; None: when the viewer is closed.
        """
        end = (
            np.inf if duration is None else time.perf_counter() + check.number(duration, "duration")
        )
        if not self.is_open:
            return
        self._share = RUN_SHARE
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
                self._look()
                time.sleep(max(0.0, min(self._next, now + FRAME) - time.perf_counter()))
        finally:
            self._share = SHARE
            if self._is_open:
                self._set_driven(False)

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
        self._panel.follow(check.known(name, self._scene.names, "object to follow"))

    def show_layers(self, **layers: bool) -> None:
        """Show or hide what the boxes of *Show* do: ``view.show_layers(cones=True, visual=False)``.

        Args:
            layers: visual, collision, contacts, forces, cones, names, frames, joints, masses, inertias, gaps,
                sensors, colors (of cameras), times (of stages, while `run` steps); sleepers: whether what
                sleeps is drawn paler.

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
        row = self._scene.root[check.known(name, self._scene.root, "object")]
        place = scenes.read_poses(self._world).position[row]
        way = np.subtract(self.camera.eye, self.camera.target)
        way /= max(float(np.linalg.norm(way)), 1e-9)
        reach = 1.0 + 3.0 * scenes.radius(self._world, name)
        self.set_camera(place + reach * way, place)

    def reset(self) -> None:
        """Go back to the state in which the viewer was made, or saw that objects had come or gone."""
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
        if self._panel.take_reset():
            self.reset()
        steps = self._panel.take_steps()
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
            is_timed = self._panel.wishes.shows_times
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
        shown = wishes.layers()
        poses = scenes.read_poses(world)
        with self._server.atomic():
            if shown != self._shown:
                self._stage.show(wishes)
                self._shown = shown
            self._stage.move(poses)
            if wishes.shows_contacts or wishes.shows_forces:
                self._stage.show_forces(scenes.read_forces(world), wishes.force_scale)
            self._stage.dim(scenes.sleeping_bodies(world) if wishes.dims_sleepers else None)
            self._overlays.show(poses, wishes)
            self._sensors.show(is_on=wishes.shows_sensors)
            is_paused = self._is_driven and not wishes.is_playing
            self._touch.show(poses, is_paused=is_paused)
            found = self._touch.selected
            self._joints.show(None if found is None else found.part, can_place=is_paused)
        if wishes.follows != NOBODY:
            self._go_along(poses, self._scene.root[wishes.follows])
        self._poses = poses
        now = time.perf_counter()
        if now >= self._next_status:
            self._report(now)
        others = _other_threads()
        spent = now - start + max(0.0, others - self._others)
        self._others = others
        self._cost += 0.2 * (spent - self._cost)
        self._next = now + min(max(FRAME, self._cost / self._share), SLOWEST_FRAME)

    def _report(self, now: float) -> None:
        """Show time, real-time factor, contacts, and what else changes slowly."""
        world = self._world
        before, then = self._speed_from
        factor = (world.time - then) / max(now - before, 1e-9)
        self._speed_from = (now, world.time)
        self._next_status = now + STATUS
        times = self._times.text() if self._panel.wishes.shows_times else ""
        self._panel.show(
            f"time **{world.time:.3f} s** · real-time factor **{factor:.2f}** · "
            f"contacts **{int(world.engine.work.contact_count[0])}**"
            + (f" · step **{1e3 * self._step_cost:.3g} ms**" if self._is_driven else "")
            + (f" · {times}" if times else "")
        )
        self._panel.show_quality(quality_of(world))
        self._panel.show_selected(self._touch.text())
        self._joints.refresh()
        self._controls.refresh()
        self._sensors.show_colors(self._scene, is_on=self._panel.wishes.shows_colors)
        self._flush_charts()

    def _renew(self) -> None:
        """Make all nodes anew if objects were added or removed; a reset then goes back to this moment."""
        if self._world.engine is self._engine or not self._is_open:
            return
        self._stage.remove()
        self._overlays.remove()
        self._engine = self._world.engine
        self._scene = scenes.describe(self._world)
        self._poses = scenes.read_poses(self._world)
        self._set_stage(self._poses)
        with contextlib.suppress(EditError):  # no state to keep: `update` was called, `advance` not
            self._saved = self._world.snapshot()
        self._panel.set_names(self._scene.names)
        self._shown = ()

    def _set_stage(self, poses: scenes.Poses) -> None:
        """Make the nodes of the scene."""
        self._stage = Stage(self._server, self._scene, poses)
        self._touch.listen(self._stage)
        self._overlays = Overlays(self._server.scene, self._world)

    def _set_driven(self, is_driven: bool) -> None:
        self._is_driven = is_driven
        self._panel.set_driven(is_driven)

    def _listen(self) -> None:
        """Take keys and the controls of views."""
        panel, post = self._panel, self._orders.post

        async def on_view(event: Any) -> None:
            if event.client is not None:
                post(("view",), event.target.value)

        async def on_save(_: Any) -> None:
            post(("save view",))

        panel.on_view(on_view)
        panel.on_save_view(on_save)
        actions = {
            "play": lambda _: panel.play(), "step": lambda _: panel.step(),
            "next": lambda _: panel.step(), "reset": lambda _: panel.reset(),
            "follow": lambda _: post(("follow",)), "deselect": lambda _: post(("deselect",)),
            "home": lambda _: post(("home",)), "save": lambda _: post(("save view",)),
            "keys": _show_keys, "help": _show_keys,
        }  # fmt: skip
        for k in range(9):
            actions[f"view {k + 1}"] = functools.partial(self._post_view, k)
        add_keys(self._server.gui, actions)

    def _post_view(self, number: int, _: Any) -> None:
        self._orders.post(("view",), number)

    def _carry_out(self) -> None:
        """Do what was asked for in the browser; say in the panel what cannot be done."""
        self._touch.strength = self._panel.wishes.strength
        for key, value in self._orders.take():
            try:
                self._do(key, value)
            except (ValueError, TypeError, KeyError, EditError, SimulationError) as error:
                self._panel.say(str(error.args[0] if error.args else error))
            else:
                self._panel.say("")
            self._next_status = 0.0

    def _do(self, key: Key, value: Any) -> None:
        touch, word = self._touch, key[0]
        if word == "select":
            touch.select(value)
        elif word == "deselect":
            touch.selected = None
        elif word == "drag":
            row, start, end, toward = value
            touch.drag(key[1], row, start, end, toward, self._poses)
        elif word == "pose":
            if self._panel.wishes.is_playing:
                raise ValueError("pause the world before you move things by hand")
            touch.move(*value)
        elif word == "follow":
            found = touch.selected
            is_new = found is not None and self._panel.wishes.follows != found.part.name
            self.follow(found.part if found is not None and is_new else None)
        elif word == "home":
            self._place(self._whole(scenes.read_poses(self._world)))
        elif word == "view":
            name = (
                self.views[value] if isinstance(value, int) and value < len(self.views) else value
            )
            if name != NO_VIEW and not isinstance(name, int):
                self.show_view(name)
                self._panel.show_views(self.views)  # so that the same one can be chosen again
        elif word == "save view":
            self.save_view()
        elif not self._controls.obey(key, value):
            self._joints.obey(key, value)

    def _show_views(self) -> None:
        self._panel.show_views(self.views)

    def _whole(self, poses: scenes.Poses) -> Camera:
        """Return a camera that sees all that moves."""
        rows = list(self._scene.root.values())
        centre, reach = np.zeros(3), 1.0
        if rows:
            places = poses.position[rows]
            centre = 0.5 * (places.min(axis=0) + places.max(axis=0))
            reach = 1.0 + 0.45 * float(np.ptp(places, axis=0).max())
        return camera_of(centre + reach * np.array([1.3, -1.9, 0.9]), centre)

    def _go_along(self, poses: scenes.Poses, row: int) -> None:
        """Move every camera as far as the followed body moved."""
        way = poses.position[row] - self._poses.position[row]
        if np.linalg.norm(way) > 1e-5:
            for client in self._server.get_clients().values():
                client.camera.position = client.camera.position + way


def _show_keys(client: Any) -> None:
    """Open the list of keys for one browser."""
    with client.gui.add_modal("Keys") as window:
        client.gui.add_markdown(listed())
        client.gui.add_button("Close").on_click(lambda _: window.close())


def _other_threads() -> float:
    """Return the processor time of all threads but this one [s]."""
    return time.process_time() - time.thread_time()


def _arrow_scale(world: World) -> float:
    """Return a length per force at which a tenth of the total weight is 10 cm."""
    mass = sum(part.mass for part in world.objects if part.body_type == 2)
    weight = mass * float(np.linalg.norm(world.gravity))
    return float(np.clip(0.1 / (0.1 * weight), 1e-5, 0.05)) if weight > 0.0 else 0.002
