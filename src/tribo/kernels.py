"""Compiling: once per machine and version of the source, with a word about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tribo import step
from tribo.collision import broadphase, narrowphase
from tribo.contact import laws, limits, residual, rows, sweep
from tribo.dynamics import actuation, bias, inertia, integrate, kinematics
from tribo.jit import DISABLED, cache_folder
from tribo.step import COMMAND, MODEL, SETTINGS, STATE, WORK

_VECTOR = types.Array(types.float64, 1, "C")
_ADDRESSES = types.Array(types.int64, 1, "C")
_STAGES: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (kinematics.forward, (MODEL, _VECTOR, WORK)),
    (inertia.mass_matrix, (MODEL, WORK)),
    (bias.bias_force, (MODEL, STATE, SETTINGS, WORK)),
    (broadphase.candidates, (MODEL, STATE, SETTINGS, WORK)),
    (narrowphase.contacts, (MODEL, WORK)),
    (actuation.drives, (MODEL, STATE, COMMAND, SETTINGS, WORK)),
    (inertia.factorize, (MODEL, WORK)),
    (integrate.integrate, (MODEL, STATE, SETTINGS, WORK)),
    (rows.contact_rows, (MODEL, STATE, WORK)),
    (laws.laws, (MODEL, SETTINGS, WORK)),
    (limits.limit_rows, (MODEL, STATE, SETTINGS, WORK)),
    (sweep.solve, (MODEL, STATE, SETTINGS, WORK)),
    (residual.residual, (MODEL, SETTINGS, WORK)),
    (step.run_at, (_ADDRESSES, _ADDRESSES, types.int64, types.int64, types.int64)),
)

_is_warm = DISABLED


def is_compiled() -> bool:
    """Tell whether the kernels of this version are in the disk cache."""
    return DISABLED or (cache_folder("step") / "complete").exists()


def warm_up(*, quiet: bool = False) -> None:
    """Compile all kernels of a step unless they are in the disk cache.

    The first world does this by itself at its first step. It takes some tens of seconds, once
    per machine and version; a progress bar on stderr says so when that is a terminal.

    Example:
        >>> import tribo
        >>> tribo.warm_up()
    """
    global _is_warm  # noqa: PLW0603 - one process compiles once
    if _is_warm:
        return
    if not is_compiled():
        _compile_all(quiet)
        folder = cache_folder("step")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "complete").touch()
    _is_warm = True


def _compile_all(quiet: bool) -> None:
    console = Console(stderr=True, quiet=quiet)
    console.print("tribo: compiling its kernels (once per machine and version) …")
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("compiling", total=len(_STAGES))
        for function, signature in _STAGES:
            bar.update(task, description=_label(function))
            function.compile(signature)
            bar.advance(task)


def _label(function: Callable[..., Any]) -> str:
    return f"{function.__module__.split('.')[-1]}.{function.__name__}"
