"""Messages during compilation: a line, then on a terminal a bar, else a line now and then."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

EVERY = 10.0  # [s] between lines where no terminal shows a bar
Notice = Callable[[str, int, int | None], Any]  # label, work done by now, all work if that is known

listeners: list[Callable[[str], Any]] = []  # are told what was compiled: "kernel NAME", "unit NAME"
_shown: list[str] = []  # what is being shown


def tell(line: str) -> None:
    """Tell who listens what was compiled."""
    for listener in listeners:
        listener(line)


@contextlib.contextmanager
def listening(listener: Callable[[str], Any]) -> Iterator[None]:
    """Have something told what is compiled meanwhile."""
    listeners.append(listener)
    try:
        yield
    finally:
        listeners.remove(listener)


@contextlib.contextmanager
def shown(title: str, *, quiet: bool = False) -> Iterator[Notice]:
    """Say a line, and show a bar meanwhile where stderr is a terminal, elsewhere a line every ten seconds.

    Functions compiled within it are part of it and are not announced.

    Args:
        title: Compiled functions, and how often.
        quiet: Say and show nothing.
    """
    is_within = bool(_shown)
    _shown.append(title)
    try:
        if is_within or quiet:
            yield _nothing
            return
        sys.stderr.write(f"tribo: compiling {title} …\n")
        sys.stderr.flush()
        with _bar() if sys.stderr.isatty() else _lines() as notice:
            yield notice
    finally:
        _shown.pop()


def _nothing(_label: str, _done: int, _whole: int | None) -> None:
    """Show nothing."""


@contextlib.contextmanager
def _lines() -> Iterator[Notice]:
    done: list[int | None] = [0, None]
    ends = threading.Event()
    start = time.monotonic()

    def notice(_label: str, now: int, whole: int | None) -> None:
        done[:] = now, whole

    def say() -> None:
        while not ends.wait(EVERY):
            now, whole = done
            part = f", {100 * (now or 0) // whole} %" if whole else ""
            sys.stderr.write(f"tribo: still compiling, {time.monotonic() - start:.0f} s{part}\n")
            sys.stderr.flush()

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield notice
    finally:
        ends.set()
        thread.join()


@contextlib.contextmanager
def _bar() -> Iterator[Notice]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        BarColumn(), TimeElapsedColumn(), TextColumn("of about"), TimeRemainingColumn(), TextColumn("more"),
        TextColumn("{task.description}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def notice(label: str, done: int, whole: int | None) -> None:
            bar.update(task, description=label, completed=done, total=whole)

        yield notice


@contextlib.contextmanager
def shown_by_itself(title: str) -> Iterator[None]:
    """Show how the kernels of one function are compiled, of which nobody knows how many are new."""
    done = [0]
    with shown(title) as notice:

        def told(line: str) -> None:
            done[0] += 1
            notice(line.partition(" ")[2], done[0], None)

        with listening(told):
            yield
