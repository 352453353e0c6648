"""Compiling: once per machine and version of the source, with a word about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import types
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tribo import on_demand, step
from tribo.collision import broadphase, inner_edges, narrowphase
from tribo.contact import constraints, laws, limits, residual, rows, sweep
from tribo.dynamics import actuation, bias, inertia, integrate, kinematics
from tribo.field_array import FieldArray
from tribo.jit import DISABLED, cache_folder, compiling
from tribo.model import Late
from tribo.step import COMMAND, MODEL, SETTINGS, STATE, WORK

_FIELD = FieldArray(types.float64, 1)
_ADDRESSES = types.Array(types.int64, 1, "C")
_STAGES: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (kinematics.forward, (MODEL, _FIELD, WORK)),
    (inertia.mass_matrix, (MODEL, WORK)),
    (bias.bias_force, (MODEL, STATE, SETTINGS, WORK)),
    (broadphase.candidates, (MODEL, STATE, SETTINGS, WORK)),
    (narrowphase.contacts, (MODEL, STATE, SETTINGS, WORK)),
    (inner_edges.pass_over, (MODEL, STATE, WORK)),
    (actuation.begin, (MODEL, STATE, COMMAND, SETTINGS, WORK)),
    (actuation.drives, (MODEL, STATE, COMMAND, SETTINGS, WORK)),
    (inertia.factorize, (MODEL, WORK)),
    (integrate.integrate, (MODEL, STATE, SETTINGS, WORK)),
    (rows.contact_rows, (MODEL, STATE, WORK)),
    (laws.laws, (MODEL, SETTINGS, WORK)),
    (limits.limit_rows, (MODEL, STATE, SETTINGS, WORK)),
    (constraints.constraint_rows, (MODEL, STATE, COMMAND, SETTINGS, WORK)),
    (sweep.solve, (MODEL, STATE, SETTINGS, WORK)),
    (residual.residual, (MODEL, SETTINGS, WORK)),
    (step.run_at, (_ADDRESSES, _ADDRESSES, types.int64, types.int64, types.int64)),
)

_warm: set[str] = {"step", "contact"} if DISABLED else set()  # layers that this process has ready


def is_compiled(layer: str = "step") -> bool:
    """Tell whether the kernels of this version are in the disk cache; "contact": the late ones."""
    return DISABLED or (cache_folder(layer) / "complete").exists()


def warm_up(*, everything: bool = False, quiet: bool = False) -> None:
    """Compile all kernels of a step unless they are in the disk cache.

    The first world does this by itself at its first step. It takes one to two minutes, once
    per machine and version; a progress bar on stderr says so when that is a terminal.

    Args:
        everything: Also what a world compiles when cones, ellipsoids, hulls, meshes, height maps, or
            cylinders with boxes, capsules or cylinders first come near one another, when joints first
            turn far in a step, or for contacts that sweeps are slow for.
        quiet: Print nothing.

    Example:
        >>> import tribo
        >>> tribo.warm_up()
    """
    for layer in ("step", "contact") if everything else ("step",):
        if layer in _warm:
            continue
        if not is_compiled(layer):
            _compile(_jobs(layer), quiet)
            folder = cache_folder(layer)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "complete").touch()
        _warm.add(layer)


def _jobs(layer: str) -> list[tuple[str, Callable[[], Any]]]:
    """Return what is to be compiled: labels and calls that do it."""
    if layer == "step":
        return [(_label(function), partial(function.compile, kind)) for function, kind in _STAGES]
    return [(f"{part.name.lower()}", partial(on_demand.address, part)) for part in Late]


def _compile(jobs: list[tuple[str, Callable[[], Any]]], quiet: bool) -> None:
    console = Console(stderr=True, quiet=quiet)
    console.print("tribo: compiling its kernels (once per machine and version) …")
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar, compiling():
        task = bar.add_task("compiling", total=len(jobs))
        for label, job in jobs:
            bar.update(task, description=label)
            job()
            bar.advance(task)


def _label(function: Callable[..., Any]) -> str:
    return f"{function.__module__.split('.')[-1]}.{function.__name__}"
