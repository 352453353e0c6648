"""Commands from the browser, by keys, clicks and sliders, done by the thread of the world."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from tribo.checks.errors import EditError, SimulationError
from tribo.objects import Object
from tribo.viewer import inputs
from tribo.viewer.controls import JointControls, WorldControls, post_changes
from tribo.viewer.inputs import Key, Orders
from tribo.viewer.panel import NO_VIEW, Panel
from tribo.viewer.scene import Poses
from tribo.viewer.touch import Touch
from tribo.world.world import World

# viser's own keys: W A S D Q E and the arrows move the camera, Ctrl K opens the list of commands.
KEYS: dict[str, tuple[str, str]] = {  # action: key in viser's words, what it does
    "play": ("space", "play or pause"),
    "step": ("arrowright", "one step (viser turns the camera as well)"),
    "next": ("N", "one step"),
    "back": ("B", "one step back"),
    "reset": ("backspace", "back to the start"),
    "follow": ("F", "follow what is selected, or nothing"),
    "deselect": ("escape", "select nothing"),
    "home": ("0", "see everything"),
    "save": ("V", "save this view"),
    "keys": ("H", "this list"),
    "help": ("?", "this list"),
} | {f"view {k}": (str(k), f"saved view {k}") for k in range(1, 10)}
NAMES = {"space": "Space", "arrowright": "→", "backspace": "Backspace", "escape": "Esc"}


def add_keys(gui: Any, actions: Mapping[str, Callable[[Any], None]]) -> None:
    """Bind keys to actions; each takes the client who pressed.

    Raises:
        KeyError: An action of `KEYS` is missing.
    """
    for name, (key, text) in KEYS.items():
        action = actions[name]
        # viser compares the character, and which keys are held.
        held = "shift" if key == "?" else None
        command = gui.add_command(text[0].upper() + text[1:], hotkey=key, modifier=held)

        async def on_trigger(event: Any, action: Callable[[Any], None] = action) -> None:
            action(event.client)  # in the order of the keys: see `tribo.viewer.inputs`

        command.on_trigger(on_trigger)


def listed() -> str:
    """Return the list of keys and gestures (Markdown)."""
    rows = [f"| {NAMES.get(key, key)} | {text} |" for key, text in KEYS.values() if key not in "23456789"]
    return "\n".join([
        "| key | does |", "| --- | --- |", *rows,
        "| W A S D Q E, arrows | move and turn the camera |",
        "| Ctrl K | all commands, to be searched |",
        "| click | select a body |",
        "| Ctrl and drag | pull a body with a spring |",
        "| Ctrl Shift and drag | twist a body or a joint |",
    ]).replace("| 1 | saved view 1 |", "| 1 … 9 | saved view 1 … 9 |")  # fmt: skip


KEPT_VIEWS = 9  # keys of saved views


class Led(Protocol):
    """The viewer as commands see it."""

    @property
    def world(self) -> World:
        """Return the world that is shown."""

    @property
    def panel(self) -> Panel:
        """Return the controls."""

    @property
    def views(self) -> tuple[str, ...]:
        """Return the names of the saved views."""

    def follow(self, part: Object | str | None) -> None:
        """Let every camera go along with an object; None: with nothing."""

    def save_view(self) -> str:
        """Keep what the first browser sees."""

    def show_view(self, name: str) -> None:
        """Put every camera where a view was saved."""


class Commands:
    """Takes what browsers post, and does it when the world may be touched.

    Args:
        viewer: Whose cameras and views they are.
        server: Its server.
        orders: Waiting commands.
        touch: The selected body and its spring.
        shown: Returns the poses of the last picture.
        home: Puts the camera where it sees everything.
    """

    def __init__(
        self, viewer: Led, server: Any, orders: Orders, touch: Touch,
        shown: Callable[[], Poses], home: Callable[[], None],
    ) -> None:  # fmt: skip
        """Make the controls of joints and world, bind the keys."""
        self._viewer, self._panel, self._orders, self._touch = viewer, viewer.panel, orders, touch
        self._shown, self._home = shown, home
        self.joints = JointControls(server, orders)
        self.world = WorldControls(server, viewer.world, orders)
        self._bind(server.gui)

    def carry_out(self) -> bool:
        """Do what was asked for; say in the panel what cannot be done. Return whether there was anything."""
        self._touch.strength = self._panel.wishes.strength
        waiting = self._orders.take()
        for key, value in waiting:
            try:
                self.do(key, value)
            except (ValueError, TypeError, KeyError, EditError, SimulationError) as error:
                self._panel.say(str(error.args[0] if error.args else error))
            else:
                self._panel.say("")
        return bool(waiting)

    def do(self, key: Key, value: Any) -> None:
        """Do one thing.

        Raises:
            ValueError, TypeError, KeyError, EditError, SimulationError: It cannot be done now.
        """
        touch, word = self._touch, key[0]
        if word == "select":
            touch.select(value)
        elif word == "deselect":
            touch.selected = None
        elif word == "drag":
            row, start, end, toward = value
            touch.drag(key[1], row, start, end, toward, self._shown())
        elif word == "pose":
            if self._panel.wishes.is_playing:
                raise ValueError("pause the world before you move things by hand")
            touch.move(*value)
        elif word == "follow":
            found = touch.selected
            is_new = found is not None and self._panel.wishes.follows != found.part.name
            self._viewer.follow(found.part if found is not None and is_new else None)
        elif word == "home":
            self._home()
        elif word == "view":
            self._show_view(value)
        elif word == "save view":
            self._viewer.save_view()
        elif not self.world.obey(key, value):
            self.joints.obey(key, value)

    def _show_view(self, wanted: str | int) -> None:
        """Show a saved view, by name or by its number; none where there is none."""
        views = self._viewer.views
        if isinstance(wanted, int):
            wanted = views[wanted] if wanted < len(views) else NO_VIEW
        if wanted != NO_VIEW:
            self._viewer.show_view(wanted)
            self._panel.show_views(views)  # so that the same one can be chosen again

    def _bind(self, gui: Any) -> None:
        """Take keys and the controls of views."""
        panel, post = self._panel, self._orders.post
        post_changes(panel.views, self._orders, ("view",))
        inputs.on_press(panel.save_view, lambda: post(("save view",)))
        actions: dict[str, Callable[[Any], None]] = {
            "play": lambda _: panel.play(), "step": lambda _: panel.step(),
            "next": lambda _: panel.step(), "back": lambda _: panel.step_back(),
            "reset": lambda _: panel.reset(),
            "follow": lambda _: post(("follow",)), "deselect": lambda _: post(("deselect",)),
            "home": lambda _: post(("home",)), "save": lambda _: post(("save view",)),
            "keys": _show_keys, "help": _show_keys,
        }  # fmt: skip
        for k in range(KEPT_VIEWS):
            actions[f"view {k + 1}"] = functools.partial(self._post_view, k)
        add_keys(gui, actions)

    def _post_view(self, number: int, _: Any) -> None:
        self._orders.post(("view",), number)


def _show_keys(client: Any) -> None:
    """Open the list of keys for one browser."""
    with client.gui.add_modal("Keys") as window:
        client.gui.add_markdown(listed())
        client.gui.add_button("Close").on_click(lambda _: window.close())
