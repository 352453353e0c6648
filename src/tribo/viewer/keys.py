"""Keys of the viewer in the browser: what each does, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
        held = (
            "shift" if key == "?" else None
        )  # viser compares the character, and which keys are held
        command = gui.add_command(text[0].upper() + text[1:], hotkey=key, modifier=held)

        async def on_trigger(event: Any, action: Callable[[Any], None] = action) -> None:
            action(event.client)  # in the order of the keys: see `tribo.viewer.inputs`

        command.on_trigger(on_trigger)


def listed() -> str:
    """Return the list of keys and gestures (Markdown)."""
    rows = [
        f"| {NAMES.get(key, key)} | {text} |"
        for key, text in KEYS.values()
        if key not in "23456789"
    ]
    return "\n".join([
        "| key | does |", "| --- | --- |", *rows,
        "| W A S D Q E, arrows | move and turn the camera |",
        "| Ctrl K | all commands, to be searched |",
        "| click | select a body |",
        "| Ctrl and drag | pull a body with a spring |",
        "| Ctrl Shift and drag | twist a body or a joint |",
    ]).replace("| 1 | saved view 1 |", "| 1 … 9 | saved view 1 … 9 |")  # fmt: skip
