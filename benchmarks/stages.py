"""Where the time of a step goes: each stage of `tribo.step` by the clock.

Two columns: *in the step*, the stage among all others with the clock read between them (medians over
the steps of a noisy run), and *alone*, the stage called again and again on one recorded state, which
flatters it (warm cache, known branches). With --heap instead of scenes: the 200 boxes of
`benchmarks/mixed_pile.py`, rigid or compliant, means over each 0.1 s of motion by the processor's clock.

    python benchmarks/stages.py [scene ...] [--only-step]
    python benchmarks/stages.py --heap compliant
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

import mixed_pile
import numpy as np
from rich.console import Console
from rich.table import Table
from scenes import scenes
from tribo_scenes import TriboSimulation

from tribo import step
from tribo.compiler.jit import kernel, script

_LIBC = ctypes.CDLL(None)
_clock = _LIBC.clock_gettime
_clock.argtypes, _clock.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_int


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


class _Clocked(ast.NodeTransformer):
    """Puts a reading of the clock behind every stage that is called, wherever it stands."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def _read(self, statement: Any) -> Any:
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        stages = [c.func.attr for c in calls if isinstance(c.func, ast.Attribute)]
        if not stages:
            return statement
        return [statement, *ast.parse(f"took(spent, calls, stamp, {self._names.index(stages[0])})").body]

    visit_Expr = visit_Assign = _read


def took(spent: np.ndarray, calls: np.ndarray, stamp: np.ndarray, stage: int) -> None:
    """Add the time since the last reading to a stage; compiled with the step."""
    clock(stamp[2, 0], stamp[1].ctypes)  # type: ignore[name-defined]  # noqa: F821
    spent[stage] += (stamp[1, 0] - stamp[0, 0]) * 1000000000 + stamp[1, 1] - stamp[0, 1]
    calls[stage] += 1
    stamp[0, 0] = stamp[1, 0]
    stamp[0, 1] = stamp[1, 1]


def stepper() -> Callable[..., Any]:
    """Return the step with the clock read after every stage, in all the rounds that the step makes."""
    names = [*STAGES, "clock"]
    space: dict[str, Any] = {**vars(step), "clock": _clock}
    exec(inspect.getsource(took), space)
    space["took"] = kernel(space["took"])
    for function in (step.update, step.advance):
        tree = _Clocked(names).visit(ast.parse(inspect.getsource(function.py_func)))
        made = tree.body[0]
        made.decorator_list = []
        made.args.args += [ast.arg("spent"), ast.arg("calls"), ast.arg("stamp")]
        exec(ast.unparse(ast.fix_missing_locations(tree)), space)
        space[made.name] = kernel(space[made.name])
    lines = [
        "def timed(model, state, command, settings, work, targets, spent, calls, stamp):",
        "    for k in range(spent.shape[0]):",
        "        if targets.shape[0] > 0:",
        "            for i in range(targets.shape[1]):",
        "                command.target_q[i] = targets[k, i]",
        "        clock(stamp[2, 0], stamp[0].ctypes)",
        "        update(model, state, settings, work, spent[k], calls[k], stamp)",
        "        if work.status[0] & CAPACITY == 0:",
        "            advance(model, state, command, settings, work, spent[k], calls[k], stamp)",
        "        if work.status[0] & CAPACITY:",
        "            return k",
        f"        took(spent[k], calls[k], stamp, {len(STAGES)})",
        "    return spent.shape[0]",
    ]
    exec("\n".join(lines), space)
    made_of: Callable[..., Any] = script(space["timed"])
    return made_of


class Spent:
    """What each stage takes in each step, by the clock."""

    def __init__(self, steps: int, clock: int) -> None:
        """Make room for so many steps; `clock`: that of the operating system which is read."""
        self.ns = np.zeros((steps, len(STAGES) + 1), np.int64)
        self.calls = np.zeros_like(self.ns)
        self.stamp = np.zeros((3, 2), np.int64)
        self.stamp[2, 0] = clock

    def micros(self) -> np.ndarray:
        """Return (steps, stages) [µs] without what reading the clock takes."""
        reading = np.median(self.ns[:, -1])
        spans = self.ns[:, :-1] - reading * self.calls[:, :-1]
        return np.asarray(np.maximum(spans, 0.0) * 1e-3)


def in_step(sim: TriboSimulation, steps: int) -> np.ndarray:
    """Return the duration of each stage in each step, shape (steps, stages) [µs], clock taken off."""
    timed = stepper()
    sim.run_native(steps)  # tables grow here; the clocked steps repeat these, bit for bit
    e = sim.world.engine
    targets = sim.targets if sim.scene.is_driven else np.empty((0, 0))
    for _ in range(3):
        sim.reset()
        spent = Spent(steps, time.CLOCK_MONOTONIC)
        timed(e.model, e.state, e.command, e.settings, e.work, targets, spent.ns, spent.calls, spent.stamp)
    return spent.micros()


def heap(kind: str, console: Console, turns: int = 20, steps: int = 50) -> None:
    """Print what the stages of a falling heap take, those of a column in each 0.1 s."""
    timed, none = stepper(), np.empty((0, 0))
    names = list(STAGES)
    means = np.zeros((turns, len(names)))
    rounds = np.zeros(turns)
    for is_timed in (False, True):  # tables grow in the first run, which the second repeats bit for bit
        pile = mixed_pile.Tribo(
            mixed_pile.parts(200, boxes=True), 0.1 / steps, is_compliant=kind == "compliant"
        )
        if not is_timed:
            pile.step(turns * steps)
            continue
        pile.step(0)
        for turn in range(turns):
            made = 0
            found: list[np.ndarray] = []
            while made < steps:
                e, spent = pile.world.engine, Spent(steps - made, time.CLOCK_PROCESS_CPUTIME_ID)
                n = timed(
                    e.model, e.state, e.command, e.settings, e.work, none, spent.ns, spent.calls, spent.stamp
                )
                found.append(spent.micros()[:n])
                rounds[turn] += spent.calls[:n, names.index("solve")].sum()
                made += n
                if made < steps:  # a table was too small: it grows in a step that is not timed
                    pile.step(1)
                    made += 1
            means[turn] = np.concatenate(found).mean(axis=0)
            rounds[turn] /= sum(len(part) for part in found)
    _print_heap(kind, console, means, rounds)


def _print_heap(kind: str, console: Console, means: np.ndarray, rounds: np.ndarray) -> None:
    """Print a row for each 0.1 s: the six largest stages, all others, and how often a step is solved."""
    names = list(STAGES)
    largest = np.argsort(-means.mean(axis=0))[:6]
    table = Table("t [s]", *(names[k] for k in largest), "others", "all [µs]", "rounds",
                  title=f"heap of 200 boxes, {kind}, µs a step")  # fmt: skip
    for turn, row in enumerate([*means, means.mean(axis=0)]):
        is_mean = turn == len(means)
        cells = [f"{row[k]:.0f}" for k in largest]
        rest = row.sum() - row[largest].sum()
        count = rounds.mean() if is_mean else rounds[turn]
        title = "mean" if is_mean else f"{0.1 * (turn + 1):.1f}"
        table.add_row(title, *cells, f"{rest:.0f}", f"{row.sum():.0f}", f"{count:.2f}")
    for column in table.columns[1:]:
        column.justify = "right"
    console.print(table)


def preparation() -> Callable[..., Any]:
    """Return a step that stops before it takes over its result: warm start and state stay old."""
    calls = [call for name, call in STAGES.items() if name not in LAST]
    head = ["def prepare(model, state, command, settings, work):", "    work.status[0] = 0"]
    lines = [*head, *(f"    {call}" for call in calls)]
    return _compile("prepare", lines)


def alone(sim: TriboSimulation, name: str, prepare: Callable[..., Any], repeats: int = 400) -> float:
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
        "stage", "in the step µs", "min µs", "share", *(["alone µs"] if with_alone else []), title=name
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
    parser.add_argument("--heap", choices=("rigid", "compliant"), help="instead of scenes")
    parser.add_argument("--only-step", action="store_true", help="skip the column of stages alone")
    chosen = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    if chosen.heap:
        heap(chosen.heap, Console(width=110))
        return
    for name in chosen.scenes:
        profile(name, Console(width=100), not chosen.only_step)


if __name__ == "__main__":
    main()
