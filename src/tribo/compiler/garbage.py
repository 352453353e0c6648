"""Python's search for garbage, put off."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Keep Python from looking for garbage meanwhile: a compiler makes millions of objects."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
