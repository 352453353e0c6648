"""The one place that knows the compiler: ``@kernel`` and everything about caching.

Numba's own disk cache asks only whether the file of the *outermost* function has changed, so it
runs stale machine code after an edit in another file, and it ignores ``NUMBA_BOUNDSCHECK``.
Here the cache folder of a layer is named after the source of that layer and of all layers below
it: an edit in ``contact/`` recompiles ``contact`` and ``step`` and nothing else.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pathlib
import platform
from collections.abc import Callable
from typing import Any

# Idle OpenMP threads spin; on a busy machine that slows a batch fifty-fold. A short spin costs nothing.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

import numba
import numpy as np

# Compiled layers, lowest first. Siblings may stand in any order.
LAYERS = ("jit", "record", "math", "model", "dynamics", "collision", "contact", "step")
DISABLED = bool(numba.config.DISABLE_JIT)

_PACKAGE = pathlib.Path(__file__).parent


def cache_root() -> pathlib.Path:
    """Return the folder under which compiled kernels are kept (``NUMBA_CACHE_DIR`` wins)."""
    if numba.config.CACHE_DIR:
        return pathlib.Path(numba.config.CACHE_DIR)
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "tribo"


_ROOT = cache_root()


@functools.cache
def cache_folder(layer: str) -> pathlib.Path:
    """Return the cache folder of a layer, named after everything its kernels are made of."""
    facts = (numba.__version__, np.__version__, numba.config.BOUNDSCHECK, platform.machine())
    key = hashlib.sha256(repr(facts).encode())
    for name in LAYERS[: LAYERS.index(layer) + 1]:
        for path in sorted(_PACKAGE.glob(f"{name}.py")) + sorted(_PACKAGE.glob(f"{name}/*.py")):
            key.update(path.read_bytes())
    return _ROOT / layer / key.hexdigest()[:16]


def kernel(function: Callable[..., Any] | None = None, *, parallel: bool = False) -> Any:
    """Compile a function; every kernel of the engine uses this decorator and no other."""
    if function is None:
        return functools.partial(kernel, parallel=parallel)
    saved = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder(function.__module__.split(".")[1]))
    try:
        # No fastmath: it would delete the NaN checks that stop a blown-up world.
        return numba.njit(cache=True, error_model="numpy", parallel=parallel, nogil=True)(function)
    finally:
        numba.config.CACHE_DIR = saved
