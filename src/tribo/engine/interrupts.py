"""Deferred signals: Ctrl-C ends a long call between two steps, with consistent data.

Python runs the handler of a signal between any two of its instructions, and the handler of Ctrl-C raises:
even when tables have been replaced but their addresses are not yet stored, or while another thread works on
them. In a block of `deferred_signals` handlers wait; `let_through` runs the waiting ones, at a place that the
caller chooses. Signals reach the main thread only, so both do nothing in other threads. Where `_wait` still
stands in for a handler outside of blocks, it passes on what comes. (CPython looks for signals where a
function begins, where a loop goes back and after a call; the counters here change at no such place.)
"""

from __future__ import annotations

import inspect
import signal
import threading
from _signal import getsignal as handler_of  # type: ignore[import-not-found]  # `signal` makes slow enums
from _signal import signal as set_handler
from collections.abc import Callable
from time import perf_counter
from types import FrameType
from typing import Any

LONGEST = 0.05  # [s] between two places where signals are handled, if steps are not longer
_NAMES = "SIGINT SIGTERM SIGALRM SIGVTALRM SIGXCPU SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGCHLD SIGBREAK"
_KINDS = tuple(int(kind) for kind in signal.Signals if kind.name in _NAMES.split())


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


class _DeferredSignals:
    """The blocks in which signals wait; one instance, for the one main thread."""

    def __init__(self) -> None:
        self.depth = 0  # number of blocks around
        self.permitted_at: tuple[int, ...] = (0,)  # where signals are permitted
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}  # replaced now or before
        self._running: tuple[int, ...] = ()  # kinds whose handlers run
        self._waiting: list[int] = []  # kinds of signals, each once
        self._since = 0.0  # [s] arrival of the first of them, by the clock

    def __enter__(self) -> None:
        """Defer signals."""
        if _is_main():
            if self.depth == 0:
                self._replace()
            self.depth += 1

    def __exit__(self, *_: object) -> None:
        """At the end of the outermost block, also within a permitted one, run the waiting handlers."""
        if not _is_main():
            return
        try:
            if self.depth == 1:
                self._restore()
        finally:
            self.depth -= 1
            while self.permitted_at[-1] > self.depth:  # its end was interrupted
                self.permitted_at = self.permitted_at[:-1]
            if self.depth <= self.permitted_at[-1]:
                self.let_through()

    def permitted(self) -> _Permitted:
        """Permit signals in a block within: for long operations that change nothing."""
        return _Permitted(self)

    def _replace(self) -> None:
        try:
            for kind in _KINDS:
                handler = handler_of(kind)
                if callable(handler) and handler != self._wait:
                    self._handlers[kind] = handler
                    set_handler(kind, self._wait)
        except BaseException as error:
            self._restore()
            is_of_handler = error.__traceback__ and error.__traceback__.tb_next
            if is_of_handler or not isinstance(error, ValueError):  # else: not the main interpreter
                raise

    def _restore(self) -> None:
        try:
            for kind, handler in list(self._handlers.items()):
                if handler_of(kind) == self._wait:
                    set_handler(kind, handler)
        except BaseException:  # raised by a handler that is restored already
            self._restore()
            raise

    def _wait(self, kind: int, frame: FrameType | None) -> None:
        if kind in self._running:  # called by a handler that found it in place of its predecessor
            return
        if kind not in self._waiting:
            self._since = self.since or perf_counter()
            self._waiting.append(kind)
        if self.depth <= self.permitted_at[-1]:
            self.let_through(frame)

    def let_through(self, frame: FrameType | None = None) -> None:
        """Run the waiting handlers; an exception is raised here when all have run."""
        if not self._waiting or not _is_main():
            return
        frame = frame or inspect.currentframe()
        while self._waiting:
            kind = self._waiting[0]
            del self._waiting[0]  # no call in between: none is lost
            self._running = (*self._running, kind)
            try:
                self._handlers[kind](kind, frame)
            except BaseException:
                self._running = self._running[:-1]
                self.let_through(frame)
                raise
            self._running = self._running[:-1]

    @property
    def since(self) -> float:
        """Arrival of the first waiting signal, by the clock [s]; 0: none."""
        return self._since if self._waiting else 0.0

    def is_late(self) -> bool:
        """Tell whether a signal has waited so long that work stops between two worlds of a step."""
        return 0.0 < self.since < perf_counter() - LONGEST


class _Permitted:
    def __init__(self, owner: _DeferredSignals) -> None:
        self._owner = owner

    def __enter__(self) -> None:
        if _is_main():
            self._owner.permitted_at += (self._owner.depth,)
            try:
                self._owner.let_through()
            except BaseException:
                self.__exit__()
                raise

    def __exit__(self, *_: object) -> None:
        if _is_main():
            self._owner.permitted_at = self._owner.permitted_at[:-1]


deferred_signals = _DeferredSignals()
