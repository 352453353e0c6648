"""Compilation ahead of the first step: once per machine and version of the source."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tribo.checks.calls import answered_call
from tribo.compiler import progress
from tribo.compiler.garbage import compiling
from tribo.compiler.jit import DISABLED, PREBUILT, backend

_STEP = "engine.run_at"  # the layer of the step as Python calls it
_warm: set[str] = {_STEP, "contact"} if DISABLED or PREBUILT else set()  # layers ready in this process


def is_compiled(layer: str = _STEP) -> bool:
    """Tell whether the kernels of this version are prebuilt or cached; "contact": the lazy ones."""
    return layer in _warm or _mark(layer).exists()


def _mark(layer: str) -> Path:
    """Return the file that marks a layer as complete in the disk cache."""
    return Path(backend().cache_folder(layer)) / "complete"


@answered_call
def warm_up(*, everything: bool = False, quiet: bool = False) -> None:
    """Compile all kernels of a step unless they are prebuilt or in the disk cache.

    The first world does this by itself at its first step. It takes about a minute on two cores, once per
    machine and version; stderr shows a progress bar or, without a terminal, a line every ten seconds.

    Args:
        everything: Also what a world compiles when cones, ellipsoids, hulls, meshes, height maps, or
            cylinders with boxes, capsules or cylinders first come near one another, when joints first
            rotate far in a step, or for piles.
        quiet: Print nothing.

    Example:
        >>> import tribo
        >>> tribo.warm_up()
    """
    for layer in (_STEP, "contact") if everything else (_STEP,):
        if layer in _warm:
            continue
        if not is_compiled(layer):
            _compile(layer, quiet)
            with contextlib.suppress(OSError):  # no cache; `backend` has reported it
                _mark(layer).parent.mkdir(parents=True, exist_ok=True)
                _mark(layer).touch()
        _warm.add(layer)


def _compile(layer: str, quiet: bool) -> None:
    from tribo.engine import step_compilation

    what = "its kernels" if layer == _STEP else "its late kernels"
    with progress.shown(f"{what} (once per machine and version)", quiet=quiet) as notice, compiling():
        if layer == _STEP:
            step_compilation.compile_step(notice)
        else:
            step_compilation.compile_late(notice)
