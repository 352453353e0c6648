"""Deferred signals: Ctrl-C ends a long call between two steps, with consistent data.

Python runs the handler of a signal between any two of its instructions, and the handler of Ctrl-C raises:
even when tables have been replaced but their addresses are not yet stored, or while another thread works on
them. In a block of `deferred_signals` handlers wait; `let_through` runs the waiting ones, at a place that the
caller chooses. Signals reach the main thread only, so both do nothing in other threads.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from types import FrameType
from typing import Any

LONGEST = 0.05  # [s] between two places where signals are handled, if steps are not longer
_KINDS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGALRM", "SIGTERM") if hasattr(signal, name))
_Handler = Callable[[int, FrameType | None], Any]


class _DeferredSignals:
    """The blocks in which signals wait; one instance, for the one main thread."""

    def __init__(self) -> None:
        self._depth = 0
        self._handlers: list[tuple[Any, _Handler]] = []
        self._waiting: list[tuple[int, _Handler]] = []
        self.since = 0.0  # [s] arrival of the first waiting signal, by the clock; 0: none

    def __enter__(self) -> None:
        """Defer signals."""
        if threading.current_thread() is not threading.main_thread():
            return
        if self._depth == 0:
            self._replace()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        """At the end of the outermost block restore the handlers and run the waiting ones."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._depth == 0:
            self._restore()
            self.let_through()

    @contextmanager
    def permitted(self) -> Iterator[None]:
        """Permit signals in a block within: for long operations that change nothing."""
        is_deferring = self._depth > 0 and threading.current_thread() is threading.main_thread()
        if is_deferring:
            self._restore()
            self.let_through()
        try:
            yield
        finally:
            if is_deferring:
                self._replace()

    def _replace(self) -> None:
        try:
            for kind in _KINDS:
                handler = signal.getsignal(kind)
                if callable(handler):
                    self._handlers.append((kind, handler))
                    signal.signal(kind, self._wait)
        except ValueError:  # not the main interpreter
            self._handlers.clear()
        except BaseException:  # raised by a handler not yet replaced
            self._restore()
            raise

    def _restore(self) -> None:
        while self._handlers:
            kind, handler = self._handlers.pop()
            signal.signal(kind, handler)

    def _wait(self, kind: int, frame: FrameType | None) -> None:
        handler = next((h for k, h in self._handlers if k == kind), None)
        if handler is not None:
            self._waiting.append((kind, handler))
            self.since = self.since or perf_counter()

    def let_through(self) -> None:
        """Run the waiting handlers; their exceptions are raised here."""
        if not self.since or threading.current_thread() is not threading.main_thread():
            return
        waiting, self._waiting, self.since = self._waiting, [], 0.0
        for kind, handler in waiting:
            handler(kind, None)

    def is_late(self) -> bool:
        """Tell whether a signal has waited so long that work stops between two worlds of a step."""
        return self.since > 0.0 and perf_counter() - self.since > LONGEST


deferred_signals = _DeferredSignals()
