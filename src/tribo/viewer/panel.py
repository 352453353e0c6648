"""The controls in the browser: what they ask for, checked, and nothing else."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tribo.checks import check
from tribo.model import Status
from tribo.viewer import inputs

if TYPE_CHECKING:
    from tribo.world.world import World

LOWEST, HIGHEST = -16.0, 0.0  # decimal logarithms of the residual at both ends of the bar
GRAVE = Status.INVALID | Status.CAPACITY | Status.NOT_CONVERGED | Status.INFEASIBLE
MEANING = {
    Status.INVALID: "not finite: the world stays at its last valid state",
    Status.CAPACITY: "more contacts than there is room for",
    Status.NOT_CONVERGED: "contacts off their laws by more than a thousandth",
    Status.TIME_STEP_TOO_LONG: "time step too long for what is stiff or fast",
    Status.INFEASIBLE: "constraints contradict each other",
    Status.FELL_BACK_TO_MIDPOINT: "midpoint instead of Runge–Kutta where things touch",
    Status.CORRECTION_LIMITED: "overlaps or gaps are taken back more slowly than asked",
}


@dataclass(frozen=True, slots=True)
class Quality:
    """Values of the bar."""

    bar: float  # 0…100: the residual between 1e-16 and 1, on a logarithmic scale
    color: Any  # green: well; yellow: a remark; red: the step cannot be trusted
    text: str


def quality_of(world: World) -> Quality:
    """Return how the last step of a world went."""
    status = world.status
    residual = float(world.residual.max(initial=0.0))
    if math.isfinite(residual):
        height = math.log10(max(residual, 1e-300))
        bar = 100.0 * min(max((height - LOWEST) / (HIGHEST - LOWEST), 0.0), 1.0)
    else:
        bar = 100.0
    color = "red" if status & GRAVE else "yellow" if status else "green"
    said = "; ".join(f"**{bit.name}**: {text}" for bit, text in MEANING.items() if status & bit)
    return Quality(bar, color, f"residual **{residual:.1e}** · {said or 'well'}")


NOBODY = "nothing"
SLOWEST, FASTEST = 0.01, 4.0
LONGEST_ARROW_SCALE = 0.05  # [m/N]
STRONGEST = 10.0  # times the spring's usual strength
NO_VIEW = "free"
LAYERS = {  # text of the box, whether it is shown at first
    "visual": ("Visuals", True), "collision": ("Collision shapes", False),
    "contacts": ("Contact points", True), "forces": ("Forces", True), "cones": ("Friction cones", False),
    "names": ("Names", False), "frames": ("Body frames", False), "joints": ("Joint axes", False),
    "masses": ("Centres of mass", False), "inertias": ("Inertia boxes", False),
    "gaps": ("Gaps of constraints", False), "axes": ("Axes and scale", False), "sensors": ("Sensors", False),
    "colors": ("Colours of cameras", False), "times": ("Times of stages", False),
    "sleepers": ("Dim what sleeps", True),
}  # fmt: skip


@dataclass(slots=True)
class Wishes:
    """Settings of the browser's panel; every value is within its range."""

    is_playing: bool = True
    speed: float = 1.0  # world time per wall time
    steps: int = 0  # single steps asked for and not yet made
    back: int = 0  # single steps back, likewise
    moment: float | None = None  # [s] that was chosen on the time line
    wants_reset: bool = False
    shown: dict[str, bool] = field(default_factory=lambda: {name: LAYERS[name][1] for name in LAYERS})
    force_scale: float = 0.002  # [m/N]
    follows: str = NOBODY
    strength: float = 1.0  # of the spring that pulls


_NOTHING = Wishes()  # nothing is asked for


def clipped(value: Any, low: float, high: float, otherwise: float) -> float:
    """Return a number from the browser within its range, or the old one if it is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return otherwise
    return min(max(float(value), low), high)


class Panel:
    """Buttons, sliders and read-outs of one viser server."""

    def __init__(self, server: Any, names: Sequence[str], force_scale: float) -> None:
        """Put the controls on the page; `names` can be followed."""
        self._server, self._lock = server, threading.Lock()
        self._wishes = Wishes(force_scale=force_scale)
        self._names = tuple(names)
        self._is_driven = True
        gui = server.gui
        gui.configure_theme(show_share_button=False, show_logo=False, brand_color=(39, 110, 171))
        self._buttons: list[Any] = []
        self._said = gui.add_markdown("", visible=False)
        with gui.add_folder("Time"):
            self._play = self._button(gui, "Pause", self.play)
            self._line = gui.add_slider(
                "Time line [s]", min=0.0, max=1.0, step=1e-3, initial_value=0.0, disabled=True
            )
            inputs.on_change(self._line, self._scrub)
            self._button(gui, "Step back", self.step_back)
            self._button(gui, "Single step", self.step)
            self._button(gui, "Reset", self.reset)
            slider = gui.add_slider("Speed", min=0.05, max=FASTEST, step=0.05, initial_value=1.0)
            inputs.on_change(slider, self._set_speed)
        self._status = gui.add_markdown("")
        self._bar = gui.add_progress_bar(0.0, color="green")
        self._quality = gui.add_markdown("")
        self.charts = gui.add_folder("Charts", visible=False)  # shown with the first chart
        self.images = gui.add_folder("Cameras", visible=False)  # of sensors, while they are shown
        with gui.add_folder("Selected"):
            self._selected = gui.add_markdown("")
            pull = gui.add_slider("Spring strength", min=0.1, max=STRONGEST, step=0.1, initial_value=1.0)
            inputs.on_change(pull, self._set_strength)
        with gui.add_folder("Show"):
            self._boxes: dict[str, Any] = {}
            for name, (text, is_shown) in LAYERS.items():
                self._boxes[name] = gui.add_checkbox(text, initial_value=is_shown)
                inputs.on_change(self._boxes[name], functools.partial(self._show_layer, name))
            scale = gui.add_slider(
                "Arrows [mm/N]", min=0.0, max=1e3 * LONGEST_ARROW_SCALE, step=0.1,
                initial_value=round(min(1e3 * force_scale, 1e3 * LONGEST_ARROW_SCALE), 1),
            )  # fmt: skip
            inputs.on_change(scale, self._set_scale)
        with gui.add_folder("Camera"):
            self._follow = gui.add_dropdown("Follow", (NOBODY, *self._names))
            inputs.on_change(self._follow, self._set_follow)
            self.views = gui.add_dropdown("View", (NO_VIEW,))
            self.save_view = gui.add_button("Save this view")

    @property
    def wishes(self) -> Wishes:
        """The present settings; change nothing in them."""
        return self._wishes

    def take(self, name: str) -> Any:
        """Return what was asked for by a button, a field of `Wishes`, and forget it."""
        with self._lock:
            asked = getattr(self._wishes, name)
            setattr(self._wishes, name, getattr(_NOTHING, name))
        return asked

    def set_names(self, names: Sequence[str]) -> None:
        """Offer other objects to follow."""
        self._names = tuple(names)
        if self._wishes.follows not in self._names:
            self._wishes.follows = NOBODY
        options = (NOBODY, *self._names)
        inputs.show(self._server, self._follow, options=options, value=self._followed)

    def follow(self, name: str) -> None:
        """Follow an object, or `NOBODY`; a name that is not there changes nothing."""
        if name == NOBODY or name in self._names:
            self._wishes.follows = name
            inputs.show(self._server, self._follow, value=self._followed)

    def show_layers(self, layers: Mapping[str, bool]) -> None:
        """Set boxes of *Show* by name, or none if one of the names or values is wrong.

        Raises:
            KeyError: There is no such layer; the message proposes the nearest.
            TypeError: A value is neither True nor False.
        """
        for name, value in layers.items():
            check.known(name, self._boxes, "layer")
            check.instance(value, bool, f"{name} must be True or False")
        for name, value in layers.items():
            self._show_layer(name, value)
            now = functools.partial(self._wishes.shown.get, name)  # a person may set it meanwhile
            inputs.show(self._server, self._boxes[name], value=now)

    def set_driven(self, is_driven: bool) -> None:
        """Say whether the controls of time do something: from `Viewer.run` to `update`."""
        self._is_driven = is_driven
        for control in (*self._buttons, self._line):
            control.disabled = not is_driven

    def show_line(self, first: float, now: float, last: float) -> None:
        """Show on the time line which moments there are, and which is shown [s]."""
        end = max(last, first + 1e-3)
        value = round(min(max(now, first), end), 3)
        inputs.show(self._server, self._line, min=round(first, 3), max=round(end, 3), value=value)

    def pause(self) -> None:
        """Stop as if the button had been pressed."""
        with self._lock:
            self._set_playing(False)

    def show(self, text: str) -> None:
        """Show the read-outs (Markdown)."""
        self._status.content = text

    def show_quality(self, quality: Quality) -> None:
        """Show how exactly the last step was solved, as a bar and a text."""
        self._bar.value, self._bar.color = quality.bar, quality.color
        self._quality.content = quality.text

    def show_selected(self, text: str) -> None:
        """Show what is known of the selected body (Markdown)."""
        self._selected.content = text

    def show_views(self, names: Sequence[str]) -> None:
        """Offer saved views; none of them is chosen."""
        inputs.show(self._server, self.views, options=(NO_VIEW, *names), value=NO_VIEW)

    def say(self, text: str) -> None:
        """Say why something that was asked for could not be done; nothing takes it back."""
        self._said.content = f"⚠ {text[:500]}" if text else ""
        self._said.visible = bool(text)

    # -- what the browser may do -----------------------------------------------------------------
    def _button(self, gui: Any, text: str, action: Callable[[], None]) -> Any:
        button = gui.add_button(text)
        inputs.on_press(button, action)
        self._buttons.append(button)
        return button

    def play(self) -> None:
        """Play or pause as if the button had been pressed."""
        if not self._is_driven:
            return
        with self._lock:
            self._set_playing(not self._wishes.is_playing)

    def _set_playing(self, is_playing: bool) -> None:
        """Play or pause, and say so on the button; hold the lock."""
        self._wishes.is_playing = is_playing
        self._play.label = "Pause" if is_playing else "Play"

    def step(self) -> None:
        """Ask for one step as if the button had been pressed."""
        self._ask_step("steps")

    def step_back(self) -> None:
        """Ask for one step back as if the button had been pressed."""
        self._ask_step("back")

    def _ask_step(self, name: str) -> None:
        """Pause, and ask for one more single step: of `Wishes.steps` or of `Wishes.back`."""
        if not self._is_driven:
            return
        with self._lock:
            self._set_playing(False)
            setattr(self._wishes, name, min(getattr(self._wishes, name) + 1, 100))

    def _scrub(self, value: Any) -> None:
        if not self._is_driven:
            return
        with self._lock:
            self._set_playing(False)
            self._wishes.moment = clipped(value, -1e15, 1e15, 0.0)

    def reset(self) -> None:
        """Ask for the start as if the button had been pressed."""
        if not self._is_driven:
            return
        with self._lock:
            self._wishes.wants_reset = True

    def _set_speed(self, value: Any) -> None:
        self._wishes.speed = clipped(value, SLOWEST, FASTEST, self._wishes.speed)

    def _set_scale(self, value: Any) -> None:
        old = 1e3 * self._wishes.force_scale
        self._wishes.force_scale = 1e-3 * clipped(value, 0.0, 1e3 * LONGEST_ARROW_SCALE, old)

    def _set_strength(self, value: Any) -> None:
        self._wishes.strength = clipped(value, 0.1, STRONGEST, self._wishes.strength)

    def _followed(self) -> str:
        """Return what is followed now, on the event loop: a person may have chosen meanwhile."""
        return self._wishes.follows

    def _set_follow(self, value: Any) -> None:
        self._wishes.follows = value if value in self._names else NOBODY

    def _show_layer(self, name: str, value: Any) -> None:
        self._wishes.shown[name] = value is True
