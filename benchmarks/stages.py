"""Where the time of a step goes: each stage of `tribo.step` by the clock.

Two columns: *in the step*, the stage among all others with the clock read between them (medians over
the steps of a noisy run), and *alone*, the stage called again and again on one recorded state, which
flatters it (warm cache, known branches).

    python benchmarks/stages.py [scene ...] [--only-step]
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import inspect
import logging
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scenes import scenes
from tribo_scenes import TriboSimulation

from tribo import step
from tribo.compiler.jit import script

_LIBC = ctypes.CDLL(None)
_clock = _LIBC.clock_gettime
_clock.argtypes, _clock.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_int
_MONOTONIC = time.CLOCK_MONOTONIC


def stages() -> dict[str, str]:
    """Return name and call of every stage in order, as the source of `tribo.step` has them."""
    found = {}
    for function in (step.update, step.advance):
        tree = ast.parse(inspect.getsource(function.py_func))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
            if isinstance(call.func, ast.Attribute):
                found[call.func.attr] = ast.unparse(call)
    return found


STAGES = stages()
LAST = ("remember", "integrate", "release")  # they take over the result


def _compile(name: str, lines: list[str]) -> Callable[..., Any]:
    """Compile a function from its lines: stages are called by their names in the step."""
    space: dict[str, Any] = {**vars(step), "clock": _clock}
    exec("\n".join(lines), space)
    made: Callable[..., Any] = script(space[name])
    return made


def stepper() -> Callable[..., Any]:
    """Return the step with the clock read after every stage.

    Branches of the step are not followed: every stage is called once. Drives that reach their effort
    limit are not solved again, so a scene must stay below it.
    """
    lines = ["def timed(model, state, command, settings, work, targets, stamps):",
             "    for k in range(stamps.shape[0]):",
             "        if targets.shape[0] > 0:",
             "            for i in range(targets.shape[1]):",
             "                command.target_q[i] = targets[k, i]",
             "        work.status[0] = 0",
             f"        clock({_MONOTONIC}, stamps[k, 0].ctypes)"]  # fmt: skip
    for n, call in enumerate(STAGES.values()):
        lines += [f"        {call}", f"        clock({_MONOTONIC}, stamps[k, {n + 1}].ctypes)"]
    lines += [f"        clock({_MONOTONIC}, stamps[k, {len(STAGES) + 1}].ctypes)"]
    return _compile("timed", lines)


def in_step(sim: TriboSimulation, steps: int) -> np.ndarray:
    """Return the duration of each stage in each step, shape (steps, stages) [µs], clock taken off."""
    timed = stepper()
    sim.run_native(steps)  # tables grow here; the clocked steps repeat these, bit for bit
    e = sim.world.engine
    targets = sim.targets if sim.scene.is_driven else np.empty((0, 0))
    stamps = np.zeros((steps, len(STAGES) + 2, 2), np.int64)
    for _ in range(3):
        sim.reset()
        timed(e.model, e.state, e.command, e.settings, e.work, targets, stamps)
    moments = stamps[..., 0] * 1e6 + stamps[..., 1] * 1e-3
    spans = np.diff(moments, axis=1)
    clock = np.median(spans[:, -1])
    return np.maximum(spans[:, :-1] - clock, 0.0)


def preparation() -> Callable[..., Any]:
    """Return a step that stops before it takes over its result: warm start and state stay old."""
    calls = [call for name, call in STAGES.items() if name not in LAST]
    head = ["def prepare(model, state, command, settings, work):", "    work.status[0] = 0"]
    lines = [*head, *(f"    {call}" for call in calls)]
    return _compile("prepare", lines)


def alone(
    sim: TriboSimulation, name: str, prepare: Callable[..., Any], repeats: int = 400
) -> float:
    """Return the least time of a stage called again and again on one state [µs]."""
    lines = ["def timed(model, state, command, settings, work, n):",
             "    for _ in range(n):", f"        {STAGES[name]}"]  # fmt: skip
    timed = _compile("timed", lines)
    sim.reset()
    sim.run_native(50)
    e = sim.world.engine
    arguments = (e.model, e.state, e.command, e.settings, e.work)
    prepare(*arguments)
    timed(*arguments, 1)
    best = np.inf
    for _ in range(7):
        begin = time.perf_counter()
        timed(*arguments, repeats)
        best = min(best, time.perf_counter() - begin)
    return float(best / repeats * 1e6)


def profile(name: str, console: Console, with_alone: bool) -> None:
    """Print the table of one scene."""
    sim = TriboSimulation(scenes()[name])
    spans = in_step(sim, min(4000, sim.scene.steps))
    table = Table(
        "stage",
        "in the step µs",
        "min µs",
        "share",
        *(["alone µs"] if with_alone else []),
        title=name,
    )
    prepare = preparation() if with_alone else None
    median, least = np.median(spans, axis=0), spans.min(axis=0)
    for k, stage in enumerate(STAGES):
        cells = [stage, f"{median[k]:.2f}", f"{least[k]:.2f}", f"{median[k] / median.sum():.0%}"]
        if prepare is not None:
            cells.append(f"{alone(sim, stage, prepare):.2f}")
        table.add_row(*cells)
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_section()
    table.add_row("sum", f"{median.sum():.2f}", f"{least.sum():.2f}", "")
    console.print(table)


def main() -> None:
    """Print where the time goes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("scenes", nargs="*", default=["anymal_stand", "anymal_free"])
    parser.add_argument("--only-step", action="store_true", help="skip the column of stages alone")
    chosen = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    for name in chosen.scenes:
        profile(name, Console(width=100), not chosen.only_step)


if __name__ == "__main__":
    main()
