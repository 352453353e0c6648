"""Compiling: once per machine and version of the source, with a word about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import types
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tribo.collision import broadphase, inner_edges, narrowphase
from tribo.compiler.field_array import FieldArray
from tribo.compiler.jit import DISABLED, cache_folder, compiling
from tribo.contact.constraints import constraint_rows
from tribo.contact.problem import contact_rows, contact_targets, joint_limit_rows
from tribo.contact.solver import gauss_seidel, residual_report
from tribo.dynamics import actuation, bias, inertia, integrate, kinematics
from tribo.engine import lazy_kernels
from tribo.engine.run_at import COMMAND, MODEL, SETTINGS, STATE, WORK, run_at
from tribo.model import Late

_FIELD = FieldArray(types.float64, 1)
_ADDRESSES = types.Array(types.int64, 1, "C")
_STAGES: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (kinematics.forward, (MODEL, _FIELD, WORK)),
    (inertia.mass_matrix, (MODEL, WORK)),
    (bias.bias_force, (MODEL, STATE, SETTINGS, WORK)),
    (broadphase.candidates, (MODEL, STATE, SETTINGS, WORK)),
    (narrowphase.contacts, (MODEL, STATE, SETTINGS, WORK)),
    (inner_edges.suppress, (MODEL, STATE, WORK)),
    (actuation.begin, (MODEL, STATE, COMMAND, SETTINGS, WORK)),
    (actuation.drives, (MODEL, STATE, COMMAND, SETTINGS, WORK)),
    (inertia.factorize, (MODEL, WORK)),
    (integrate.integrate, (MODEL, STATE, SETTINGS, WORK)),
    (contact_rows.contact_rows, (MODEL, STATE, WORK)),
    (contact_targets.targets, (MODEL, SETTINGS, WORK)),
    (joint_limit_rows.limit_rows, (MODEL, STATE, SETTINGS, WORK)),
    (constraint_rows.constraint_rows, (MODEL, STATE, COMMAND, SETTINGS, WORK)),
    (gauss_seidel.solve, (MODEL, STATE, SETTINGS, WORK)),
    (residual_report.report, (MODEL, SETTINGS, WORK)),
    (run_at, (_ADDRESSES, _ADDRESSES, types.int64, types.int64, types.int64)),
)

_STEP = "engine.run_at"  # the layer of the step as Python calls it
_warm: set[str] = {_STEP, "contact"} if DISABLED else set()  # layers that this process has ready


def is_compiled(layer: str = _STEP) -> bool:
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
    for layer in (_STEP, "contact") if everything else (_STEP,):
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
    if layer == _STEP:
        return [(_label(function), partial(function.compile, kind)) for function, kind in _STAGES]
    return [(f"{part.name.lower()}", partial(lazy_kernels.address, part)) for part in Late]


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
