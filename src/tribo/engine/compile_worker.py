"""A process that compiles parts of the step for another one: see `team`.

It reads what to do from its input, a line each, "kernel NAME", "unit NAME" or "late NAME", and answers
"done" or "failed"; what it compiles it says, too. Results are files of the kernel store and of Numba's cache.
"""

from __future__ import annotations

import sys
import traceback

from tribo.compiler import progress
from tribo.compiler.garbage import compiling
from tribo.engine import lazy_kernels, units
from tribo.model import Late


def compile_kernel(name: str) -> None:
    """Type and lower a kernel and all that it calls, unless another process is at it."""
    if not units.is_taken(name):
        units.compile_kernel(name)


def compile_unit(name: str) -> None:
    """Make machine code of the piece that begins with a kernel, for each version of it.

    If its arguments are known, for the version with these: other pieces need not be typed yet.
    """
    parts = units.parts()
    if units.arguments(name) is not None:
        parts.unit(units.compile_kernel(name))
        return
    for head in parts.heads_below(units.roots()).values():
        if head.kernel == f"tribo.{name}":
            parts.unit(head)


def compile_late(name: str) -> None:
    """Compile a function that is called by address."""
    lazy_kernels.address(Late[name])


def say(line: str) -> None:
    """Tell who asked."""
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Do what the input says."""
    from tribo.compiler import kept_kernels

    progress.listeners.append(say)
    jobs = {"kernel": compile_kernel, "unit": compile_unit, "late": compile_late}
    with compiling():
        for line in sys.stdin:
            what, name = line.split()
            try:
                jobs[what](name)
                said = "done"
            except Exception:  # who asked compiles it once more and shows what is wrong
                traceback.print_exc()
                kept_kernels.give_up()
                said = "failed"
            say(said)


if __name__ == "__main__":
    main()
