"""Where the time of a step goes: each stage of `tribo.step` by the clock.

Two columns: *in the step*, the stage among all others with the clock read between them (medians over
the steps of a noisy run), and *alone*, the stage called again and again on one recorded state, which
flatters it (warm cache, known branches).

    python benchmarks/stages.py [scene ...] [--only-step]
"""

from __future__ import annotations

import argparse
import ctypes
import logging
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from rich.console import Console
from rich.table import Table
from scenes import scenes
from tribo_scenes import TriboSimulation

from tribo.collision import broadphase, narrowphase
from tribo.contact import islands, laws, limits, residual, rows, sweep
from tribo.dynamics import actuation, bias, inertia, integrate, kinematics

_LIBC = ctypes.CDLL(None)
_clock = _LIBC.clock_gettime
_clock.argtypes, _clock.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_int
_MONOTONIC = time.CLOCK_MONOTONIC

# Name and call of every stage, in the order of `tribo.step`.
UPDATE = {
    "single_spins": "bias.single_spins(model, state, settings, work)",
    "drift_to_middle": "integrate.drift_to_middle(model, state, settings, work)",
    "forward": "kinematics.forward(model, work.mid_q, work)",
    "mass_matrix": "inertia.mass_matrix(model, work)",
    "mid_velocity": "bias.mid_velocity(model, state, settings, work)",
    "bias_force": "bias.bias_force(model, state, settings, work)",
    "candidates": "broadphase.candidates(model, state, settings, work)",
    "contacts": "narrowphase.contacts(model, work)",
}
ADVANCE = {
    "drives": "actuation.drives(model, state, command, settings, work)",
    "factorize": "inertia.factorize(model, work)",
    "free_velocity": "integrate.free_velocity(model, state, settings, work)",
    "contact_rows": "rows.contact_rows(model, state, work)",
    "laws": "laws.laws(model, settings, work)",
    "limit_rows": "limits.limit_rows(model, settings, work)",
    "islands": "islands.islands(model, work)",
    "solve": "sweep.solve(model, state, settings, work)",
    "next_velocity": "integrate.next_velocity(model, work)",
    "saturate": "actuation.saturate(model, state, command, settings, work)",
    "residual": "residual.residual(model, settings, work)",
    "is_finite": "integrate.is_finite(work)",
    "remember": "sweep.remember(state, work)",
    "integrate": "integrate.integrate(model, state, settings, work)",
}
STAGES = UPDATE | ADVANCE
_KERNELS = {
    "clock": _clock, "bias": bias, "integrate": integrate, "kinematics": kinematics,
    "inertia": inertia, "broadphase": broadphase, "narrowphase": narrowphase, "actuation": actuation,
    "rows": rows, "laws": laws, "limits": limits, "islands": islands, "sweep": sweep,
    "residual": residual,
}  # fmt: skip


def _compile(name: str, lines: list[str]) -> Callable[..., Any]:
    """Compile a function from its lines: stages are called by their names in the step."""
    space: dict[str, Any] = dict(_KERNELS)
    exec("\n".join(lines), space)  # noqa: S102 - text from the tables above
    return numba.njit(error_model="numpy")(space[name])  # type: ignore[no-any-return]


def stepper() -> Callable[..., Any]:
    """Return the step with the clock read after every stage.

    Drives that reach their effort limit are not solved again, so a scene must stay below it.
    """
    lines = ["def timed(model, state, command, settings, work, targets, stamps):",
             "    for k in range(stamps.shape[0]):",
             "        if targets.shape[0] > 0:",
             "            for i in range(targets.shape[1]):",
             "                command.target_q[i] = targets[k, i]",
             "        work.status[0] = 0",
             "        actuation.reset_saturation(work)",
             f"        clock({_MONOTONIC}, stamps[k, 0].ctypes)"]  # fmt: skip
    for n, call in enumerate(STAGES.values()):
        lines += [f"        {call}", f"        clock({_MONOTONIC}, stamps[k, {n + 1}].ctypes)"]
    lines += [f"        clock({_MONOTONIC}, stamps[k, {len(STAGES) + 1}].ctypes)"]
    return _compile("timed", lines)


def in_step(sim: TriboSimulation, steps: int) -> np.ndarray:
    """Return the duration of each stage in each step, shape (steps, stages) [µs], clock taken off."""
    timed = stepper()
    e = sim.world.engine
    targets = sim.targets if sim.scene.is_driven else np.empty((0, 0))
    stamps = np.zeros((steps, len(STAGES) + 2, 2), np.int64)
    for _ in range(3):
        sim.reset()
        timed(e.model, e.state, e.command, e.settings, e.work, targets, stamps)
    moments = stamps[..., 0] * 1e6 + stamps[..., 1] * 1e-3
    spans = np.diff(moments, axis=1)
    clock = np.median(spans[:, -1])
    return np.asarray(spans[:, :-1] - clock)


def alone(sim: TriboSimulation, name: str, repeats: int = 400) -> float:
    """Return the least time of a stage called again and again on one state [µs]."""
    lines = ["def timed(model, state, command, settings, work, n):",
             "    for _ in range(n):", f"        {STAGES[name]}"]  # fmt: skip
    timed = _compile("timed", lines)
    sim.reset()
    sim.run_native(50)
    e = sim.world.engine
    sim.world.update()  # leave `work` as it is in the middle of a step
    sim.world.advance()
    arguments = (e.model, e.state, e.command, e.settings, e.work)
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
    table = Table("stage", "in the step µs", "min µs", "share", *(["alone µs"] if with_alone else []), title=name)
    median, least = np.median(spans, axis=0), spans.min(axis=0)
    for k, stage in enumerate(STAGES):
        cells = [stage, f"{median[k]:.2f}", f"{least[k]:.2f}", f"{median[k] / median.sum():.0%}"]
        if with_alone:
            cells.append(f"{alone(sim, stage):.2f}")
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
