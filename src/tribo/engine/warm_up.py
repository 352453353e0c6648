"""Compiling: once per machine and version of the source, with a word about it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tribo.compiler.garbage import compiling
from tribo.compiler.jit import DISABLED, PREBUILT, backend
from tribo.compiler.signature import Array, Field, float64, int64
from tribo.engine import lazy_kernels
from tribo.model import Command, Late, Model, Settings, State, Work

_STEP = "engine.run_at"  # the layer of the step as Python calls it
_warm: set[str] = (
    {_STEP, "contact"} if DISABLED or PREBUILT else set()
)  # layers that this process has ready


def is_compiled(layer: str = _STEP) -> bool:
    """Tell whether the kernels of this version are there, prebuilt or cached; "contact": the late ones."""
    return layer in _warm or _mark(layer).exists()


def _mark(layer: str) -> Path:
    """Return the file that says that a layer is complete in the disk cache."""
    return Path(backend().cache_folder(layer)) / "complete"


def warm_up(*, everything: bool = False, quiet: bool = False) -> None:
    """Compile all kernels of a step unless they are prebuilt or in the disk cache.

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
            with contextlib.suppress(
                OSError
            ):  # nothing can be kept there, which `backend` has said
                _mark(layer).parent.mkdir(parents=True, exist_ok=True)
                _mark(layer).touch()
        _warm.add(layer)


def _stages() -> list[tuple[Any, tuple[Any, ...]]]:
    """Return the kernels of a step with their arguments, in an order that lets the bar move."""
    from tribo.collision import broadphase, inner_edges, narrowphase
    from tribo.contact.constraints import constraint_rows
    from tribo.contact.problem import (
        contact_reduction,
        contact_rows,
        contact_targets,
        joint_limit_rows,
    )
    from tribo.contact.solver import gauss_seidel, residual_report
    from tribo.dynamics import actuation, bias, inertia, integrate, kinematics
    from tribo.engine.run_at import run_at

    addresses = Array(int64, 1)
    return [
        (kinematics.forward, (Model, Field(float64, 1), Work)),
        (inertia.mass_matrix, (Model, Work)),
        (bias.bias_force, (Model, State, Settings, Work)),
        (broadphase.candidates, (Model, State, Settings, Work)),
        (narrowphase.contacts, (Model, State, Settings, Work)),
        (inner_edges.suppress, (Model, State, Work)),
        (contact_reduction.reduce, (Model, Work)),
        (actuation.begin, (Model, State, Command, Settings, Work)),
        (actuation.drives, (Model, State, Command, Settings, Work)),
        (inertia.factorize, (Model, Work)),
        (integrate.integrate, (Model, State, Settings, Work)),
        (contact_rows.contact_rows, (Model, State, Work)),
        (contact_targets.targets, (Model, Settings, Work)),
        (joint_limit_rows.limit_rows, (Model, State, Settings, Work)),
        (constraint_rows.constraint_rows, (Model, State, Command, Settings, Work)),
        (gauss_seidel.solve, (Model, State, Settings, Work)),
        (residual_report.report, (Model, Settings, Work)),
        (run_at, (addresses, addresses, int64, int64, int64)),
    ]


def _jobs(layer: str) -> list[tuple[str, Callable[[], Any]]]:
    """Return what is to be compiled: labels and calls that do it."""
    if layer == _STEP:
        return [
            (_label(function), partial(function.compile, tuple(map(backend().numba_type, kinds))))
            for function, kinds in _stages()
        ]
    return [(f"{part.name.lower()}", partial(lazy_kernels.address, part)) for part in Late]


def _compile(jobs: list[tuple[str, Callable[[], Any]]], quiet: bool) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=quiet)
    console.print("tribo: compiling its kernels (once per machine and version) …")
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar, compiling(), backend().announced():
        task = bar.add_task("compiling", total=len(jobs))
        for label, job in jobs:
            bar.update(task, description=label)
            job()
            bar.advance(task)


def _label(function: Callable[..., Any]) -> str:
    return f"{function.__module__.split('.')[-1]}.{function.__name__}"
