"""Requests of browsers, kept until the thread that owns the world does them."""

from __future__ import annotations

import threading
from typing import Any

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
