"""`Player`: a finished motion in the browser, played, scrubbed and looked at from any side."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.viewer import inputs
from tribo.viewer.pace import FRAME
from tribo.viewer.panel import LAYERS, clipped
from tribo.viewer.scene import Forces
from tribo.viewer.session import Session, end_of_run, start
from tribo.viewer.stage import Stage
from tribo.viewer.take import Take
from tribo.viewer.touch import plain_name
from tribo.viewer.views import begin_at
from tribo.viewer.visual_objects import VisualObjects

NO_FORCES = Forces(np.zeros((0, 3)), np.zeros((0, 3)))
FASTEST = 4.0  # of the motion's own time, forwards and backwards
OTHER = (0.20, 0.45, 0.90)  # colour of the motion that is compared
WHICH = ("both", "the first", "the other")


class Player(Session, VisualObjects):
    """Plays a take in the browser: the job of Spatial_v2's showmotion.

    Args:
        take: Frames to show.
        host, port, hosts, token: Where it listens and who may look, as `tribo.Viewer` has them.
        other: A second motion of the same bodies, drawn in blue and half transparent over the first at the
            same time; the panel says how far the two are apart.

    Raises:
        ImportError: viser is missing; the message says how to get it.
        OSError: `host` is no address of this machine.
        ValueError: `other` has other bodies.

    Example:
        >>> from tribo.ground import Ground, simulate
        >>> from tribo.spatial import rollingdisc
        >>> disc = [1, 0, 0, 0, 0, 0, 0.06, 0, 0, 0, 0, 0, 0]
        >>> motion = simulate(rollingdisc(16), Ground(1e6, 2e3), 0.1, xfb=disc)
        >>> with Player(Take.of(motion), port=8123) as player:    # or: player.run()
        ...     player.show(0.05)
    """

    def __init__(
        self, take: Take, host: str = "127.0.0.1", port: int = 8080, hosts: Sequence[str] = (),
        token: str | None = None, other: Take | None = None,
    ) -> None:  # fmt: skip
        """Start the server; it runs until `close`."""
        if other is not None and other.position.shape[1] != take.position.shape[1]:
            raise ValueError(
                f"other has {other.position.shape[1]} bodies, take {take.position.shape[1]}; compare motions "
                "of the same bodies"
            )
        VisualObjects.__init__(self)
        self.take, self.other = take, other
        self._server, self._token = start(host, port, hosts, token)
        self._lock = threading.RLock()  # of what is shown, and whether it goes on
        self._time = float(take.time[0])
        self._speed, self._is_playing, self._repeats = 1.0, True, True
        self._shows_forces = True
        self._is_open = True
        self._shown: tuple[int, int] | None = None
        self._stage = Stage(self._server, take.scene, take.poses(0))
        self._ghost: Stage | None = None
        if other is not None:
            self._ghost = Stage(self._server, other.scene, other.poses(0), "/other", OTHER)
        begin_at(self._server, take.camera())
        self._controls()

    @property
    def time(self) -> float:
        """Time of the motion that is shown [s]."""
        return self._time

    def show(self, moment: float) -> None:
        """Show the frame at a time of the motion [s]; times outside are moved to its ends.

        A closed player shows nothing.
        """
        low, high = self._span
        with self._lock:
            if not self._is_open:
                return
            self._time = float(np.clip(check.number(moment, "moment"), low, high))
            k = nearest(self.take, self._time)
            n = -1 if self.other is None else nearest(self.other, self._time)
            if (k, n) == self._shown:
                return
            self._shown = k, n
            with self._server.atomic():
                self._stage.move(self.take.poses(k))
                forces = self.take.forces(k) if self._shows_forces else NO_FORCES
                self._stage.show_forces(forces, self.take.arrow)
                if self._ghost is not None and self.other is not None:
                    self._ghost.move(self.other.poses(n))
                    there = self.other.forces(n) if self._shows_forces else NO_FORCES
                    self._ghost.show_forces(there, self.take.arrow)
                    self._apart.content = self._distance(k, n)

    def run(self, duration: float | None = None) -> None:
        """Play until the player is closed, or for `duration` seconds of wall time.

        Raises:
            ValueError, TypeError: `duration` is negative, not finite or no number.
        """
        end = end_of_run(duration)
        last = time.perf_counter()
        while self._is_open and last < end:
            now = time.perf_counter()
            with self._lock:  # who pauses or scrubs meanwhile comes after this picture
                if self._is_playing:
                    self.show(self._after((now - last) * self._speed))
                    self._show_time()
            last = now
            time.sleep(FRAME)

    @property
    def _span(self) -> tuple[float, float]:
        """First and last time that there is to show [s]."""
        takes = [self.take] if self.other is None else [self.take, self.other]
        return min(float(t.time[0]) for t in takes), max(float(t.time[-1]) for t in takes)

    def _distance(self, k: int, n: int) -> str:
        """Return which body is farthest from where it is in the other motion."""
        assert self.other is not None
        apart = np.linalg.norm(self.take.position[k] - self.other.position[n], axis=1)
        body = int(apart.argmax())
        name = next((d.name for d in self.take.scene.visual.items if d.body == body), f"body {body}")
        return f"farthest apart: **{float(apart[body]):.3g} m**, {plain_name(name)}"

    def _after(self, step: float) -> float:
        """Return the time to show next; at the ends begin again or stay."""
        low, high = self._span
        after = self._time + step
        if low <= after <= high:
            return after
        if self._repeats:
            return low if step > 0.0 else high
        self._set_playing(False)
        return min(max(after, low), high)

    # -- what the browser may do -------------------------------------------------------------------
    def _controls(self) -> None:
        gui = self._server.gui
        gui.configure_theme(show_share_button=False, show_logo=False, brand_color=(39, 110, 171))
        self._play = gui.add_button("Pause")
        inputs.on_press(self._play, self._toggle)
        start_button, end_button = gui.add_button("To the start"), gui.add_button("To the end")
        inputs.on_press(start_button, lambda: self._scrub(self._span[0]))
        inputs.on_press(end_button, lambda: self._scrub(self._span[1]))
        low, high = self._span
        self._slider = gui.add_slider(
            "Time [s]", min=low, max=high, step=max(1e-3, (high - low) / 1000), initial_value=low
        )
        inputs.on_change(self._slider, self._scrub)
        speed = gui.add_slider("Speed", min=-FASTEST, max=FASTEST, step=0.05, initial_value=1.0)
        inputs.on_change(speed, self._set_speed)
        repeat = gui.add_checkbox("Repeat", initial_value=True)
        inputs.on_change(repeat, lambda value: setattr(self, "_repeats", value is True))
        forces = gui.add_checkbox("Forces", initial_value=True)
        inputs.on_change(forces, lambda value: self._set_forces(value is True))
        if self._ghost is not None:
            which = gui.add_dropdown("Shown", WHICH, initial_value=WHICH[0])
            inputs.on_change(which, self._choose)
            self._apart = gui.add_markdown("")

    def _scrub(self, moment: Any) -> None:
        with self._lock:
            self._set_playing(False)
            self.show(clipped(moment, *self._span, self._time))
            self._show_time()

    def _show_time(self) -> None:
        inputs.show(self._server, self._slider, value=round(self._time, 3))

    def _toggle(self) -> None:
        with self._lock:
            self._set_playing(not self._is_playing)

    def _set_playing(self, is_playing: bool) -> None:
        self._is_playing = is_playing
        self._play.label = "Pause" if is_playing else "Play"

    def _set_speed(self, value: Any) -> None:
        self._speed = clipped(value, -FASTEST, FASTEST, self._speed)

    def _choose(self, value: Any) -> None:
        """Show the first motion, the other, or both."""
        if value in WHICH and self._ghost is not None:
            with self._lock:
                for stage, absent in ((self._stage, WHICH[2]), (self._ghost, WHICH[1])):
                    stage.show(dict.fromkeys(LAYERS, value != absent) | {"collision": False})
                self._shown = None  # what was hidden has not moved along
                self.show(self._time)

    def _set_forces(self, is_shown: bool) -> None:
        with self._lock:
            self._shows_forces, self._shown = is_shown, None
            self.show(self._time)


def nearest(take: Take, moment: float) -> int:
    """Return the frame of a take that is nearest to a time [s]."""
    return int(np.argmin(np.abs(take.time - moment)))
