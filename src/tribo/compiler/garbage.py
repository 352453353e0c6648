"""Work that is put off during compilation: Python's search for garbage, and notices of LLVM's lock."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Keep Python from looking for garbage meanwhile: a compiler makes millions of objects.

    Numba's listeners are not told each time that LLVM is called, either.
    """
    from llvmlite.binding import ffi

    was_on, notices = gc.isenabled(), ffi.lib._lock._cblist  # noqa: SLF001
    told = notices[:]
    gc.disable()
    notices.clear()
    try:
        yield
    finally:
        if told:  # who began meanwhile, in another thread, found none
            notices[:] = told
        if was_on:
            gc.enable()
