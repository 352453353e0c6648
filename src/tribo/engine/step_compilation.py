"""Compilation of the step: loads cached parts and compiles the rest, by several processes if it is much."""

from __future__ import annotations

import json
import os

from tribo.compiler import kernel_store, progress
from tribo.compiler.jit import backend
from tribo.compiler.progress import Notice
from tribo.compiler.signature import Array, int64
from tribo.engine import team, units
from tribo.model import Late

_MANY_KERNELS = 30  # from which on processes are started, which takes as long as ten kernels
_MANY_UNITS = 6
_KERNEL, _UNIT, _LATE = 1, 8, 30  # rough durations, in units of a kernel


class _Work:
    """Counts and reports progress."""

    def __init__(self, notice: Notice, kernels: int, pieces: int) -> None:
        self._notice, self._done, self._named = notice, 0, kernels
        self.kernels, self.pieces = kernels, pieces

    def __call__(self, line: str) -> None:
        """Process a line of a compiling process."""
        what, _, name = line.partition(" ")
        if what in {"kernel", "unit"}:
            self._done += _KERNEL if what == "kernel" else _UNIT
            whole = self.kernels * _KERNEL + self.pieces * _UNIT
            self._notice(name if what == "kernel" else f"machine code of {name}", self._done, whole)


def _cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_step(notice: Notice) -> None:
    """Compile `run_at` and its callees, or load them.

    Args:
        notice: Called with the last item, the amount done and the total, in the same unit.
    """
    from tribo.compiler import linking

    contents, seen = _contents(), _seen()
    work = _Work(notice, len(contents - seen), len(units.HEADS))
    with progress.listening(work):
        # Without a cache, processes cannot hand over their results.
        is_shared = _cores() > 1 and kernel_store.write(_list(), json.dumps(sorted(seen)).encode())
        if len(contents - seen) > _MANY_KERNELS and is_shared:
            with team.gathered(_cores()) as members:
                known = [name for name in units.HEADS if units.arguments(name) is not None]
                kernels = [f"kernel {name}" for name in known]
                members.do([*kernels, *(f"unit {name}" for name in units.PIECES)], work)
        roots, parts = units.roots(), units.parts()
        missing = parts.missing(roots)
        work.pieces = len(missing)
        if len(missing) >= _MANY_UNITS and is_shared:
            with team.gathered(_cores()) as members:
                members.do([f"unit {name.removeprefix('tribo.')}" for name in missing], work)
        with linking.parted(parts):
            _run_at()
    _remember(seen | contents)
    kernel_store.tidy()


def compile_late(notice: Notice) -> None:
    """Compile all functions that are called by address, or load them."""
    from tribo.engine import lazy_kernels

    names = [part.name for part in Late]
    done = [0]

    def told(line: str) -> None:
        if line == "done":
            done[0] += 1
        notice(line.partition(" ")[2], done[0] * _LATE, len(names) * _LATE)

    if _cores() > 1:
        with team.gathered(min(_cores(), len(names))) as members:
            members.do([f"late {name}" for name in names], told)
    for part in Late:
        lazy_kernels.address(part)


def _run_at() -> None:
    from tribo.engine.run_at import run_at

    addresses = Array(int64, 1)
    kinds = (addresses, addresses, int64, int64, int64)
    run_at.compile(tuple(map(backend().numba_type, kinds)))


def _contents() -> set[str]:
    """Return the digests of all kernels of a step and of the fields of records."""
    found, todo = {}, [units.kernel(name).dispatcher for name in units.WHOLE]
    while todo:
        made_of = todo.pop().made_of
        if made_of is not None and made_of.name not in found:
            found[made_of.name] = made_of.content[:16]
            todo += [callee.dispatcher for callee in made_of.callees.values()]
    fields = {f"{name} {k} {row}" for name, k, row in units.fields()}
    return {*found.values(), *fields}


def _list() -> str:
    from tribo.compiler import linking

    return kernel_store.key("seen", linking.facts())


def _seen() -> set[str]:
    """Return the digests compiled here before; used only to decide whether to start processes."""
    kept = kernel_store.read(_list())
    return set() if kept is None else set(json.loads(kept))


def _remember(contents: set[str]) -> None:
    kernel_store.write(_list(), json.dumps(sorted(contents)).encode())
