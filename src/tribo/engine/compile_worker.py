"""A process that compiles parts of the step for another process: see `team`.

It reads jobs from its input, a line each, "kernel NAME", "unit NAME" or "late NAME", and answers "done" or
"failed"; it also reports each item that it compiles. Results are files of the kernel store and of Numba's
cache.
"""

from __future__ import annotations

import sys
import traceback

from tribo.compiler import progress
from tribo.compiler.garbage import compiling
from tribo.engine import lazy_kernels, units
from tribo.model import Late


def compile_kernel(name: str) -> None:
    """Type and lower a kernel and its callees, unless another process does."""
    if not units.is_taken(name):
        units.compile_kernel(name)


def compile_unit(name: str) -> None:
    """Make machine code of the unit that begins with a kernel, for each version of it.

    If its argument types are known, for that version: the other units need not be typed yet.
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
    """Report to the parent process."""
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Run the jobs of the input."""
    from tribo.compiler import kept_kernels

    progress.listeners.append(say)
    jobs = {"kernel": compile_kernel, "unit": compile_unit, "late": compile_late}
    with compiling():
        for line in sys.stdin:
            what, name = line.split()
            try:
                jobs[what](name)
                said = "done"
            except Exception:  # the parent compiles it again and shows the error
                traceback.print_exc()
                kept_kernels.give_up()
                said = "failed"
            say(said)


if __name__ == "__main__":
    main()
