"""Environment variables of the compiler."""

from __future__ import annotations

import os


def is_set(name: str) -> bool:
    """Tell whether a variable of the environment is there, and neither empty nor a word for no."""
    return os.environ.get(name, "").strip().lower() not in {"", "0", "no", "off", "false"}


DISABLED = is_set("NUMBA_DISABLE_JIT")  # kernels are plain Python
# Who sets one of these wants to see what Numba makes of the sources.
INSPECTED = [
    name
    for name in (
        "NUMBA_BOUNDSCHECK",
        "NUMBA_CPU_FEATURES",
        "NUMBA_CPU_NAME",
        "NUMBA_DEBUG",
        "NUMBA_DEBUGINFO",
        "NUMBA_ENABLE_PROFILING",
        "NUMBA_OPT",
    )
    if is_set(name)
]
# "compiled": by Numba, always; "prebuilt": an error if there is no library that fits.
KERNELS = os.environ.get("TRIBO_KERNELS", "")
if KERNELS not in {"", "compiled", "prebuilt"}:
    raise ValueError(f"TRIBO_KERNELS must be 'compiled', 'prebuilt' or unset, got {KERNELS!r}")
CLAIMS = "TRIBO_COMPILE_CLAIMS"  # folder in which processes that compile together say what they are at
