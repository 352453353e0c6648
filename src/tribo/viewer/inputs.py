"""Inputs of a page, set by persons and by the program: neither undoes the other unseen.

The server's event loop stores what a person set, and then calls what listens. A thread that set the same
input between the two would let the listener read the program's value: what the person did would be lost. So
values are set on the event loop only, and all that listens runs there, in the order in which persons did
things.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

PATIENCE = 1.0  # [s] to wait for an event loop


def show(server: Any, handle: Any, **values: Any) -> None:
    """Let an input, or anything else that persons can set, show something; it does so a moment later.

    A server that was stopped and an input that was removed meanwhile show nothing.

    Args:
        server: The server.
        handle: The element that shows it.
        values: New values of its attributes, in this order; a function is called on the event loop and
            returns the value.
    """

    def assign() -> None:
        with contextlib.suppress(RuntimeError):  # so viser refuses what was removed
            for name, value in values.items():
                setattr(handle, name, value() if callable(value) else value)

    with contextlib.suppress(RuntimeError):  # the loop was closed
        server.get_event_loop().call_soon_threadsafe(assign)


def settle(server: Any) -> None:
    """Wait until all that was to be shown so far is shown; never call it on the event loop."""
    is_done = threading.Event()
    with contextlib.suppress(RuntimeError):  # the loop was closed
        server.get_event_loop().call_soon_threadsafe(is_done.set)
        is_done.wait(PATIENCE)


def on_change(handle: Any, act: Callable[[Any], None]) -> None:
    """Call `act` on the event loop with each value that a person sets; not with those of the program."""

    async def on_update(event: Any) -> None:
        if event.client is not None:
            act(event.target.value)

    handle.on_update(on_update)


def on_press(button: Any, act: Callable[[], None]) -> None:
    """Call `act` on the event loop each time that a person presses a button."""

    async def on_click(_: Any) -> None:
        act()

    button.on_click(on_click)


MOST = 1000  # different things that can wait

Key = tuple[Any, ...]


class Orders:
    """The latest wish of each kind, in the order in which they came.

    Handlers of the server post from their threads; the thread that steps the world takes. However fast a
    browser sends, no more than one order per control waits.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = threading.Lock()
        self._waiting: dict[Key, Any] = {}

    def post(self, key: Key, value: Any = None) -> None:
        """Wish for something; a wish of the same key that still waits is forgotten."""
        with self._lock:
            self._waiting.pop(key, None)  # the order is that of the latest wishes
            if len(self._waiting) < MOST:
                self._waiting[key] = value

    def take(self) -> list[tuple[Key, Any]]:
        """Return all that wait, and forget them."""
        if not self._waiting:  # the usual case, without a lock
            return []
        with self._lock:
            taken, self._waiting = self._waiting, {}
        return list(taken.items())
