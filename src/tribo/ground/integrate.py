"""Adaptive integration of a model on a compliant ground, segment by segment.

Within a segment every point stays in one state, so that the right-hand side is smooth; the step that
leaves it is cut at the event and a new segment begins. The steps are made by the solver classes behind
SciPy's `solve_ivp`, explicit and implicit ones.
"""

from __future__ import annotations

import time as clock
import warnings
from typing import Any

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from scipy import integrate

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.errors import SimulationError
from tribo.ground.design import GroundWarning
from tribo.ground.events import Event, changes, first_change
from tribo.ground.law import Ground
from tribo.ground.motion import Motion, Piece
from tribo.ground.system import System
from tribo.spatial.model import Model

METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
EXPLICIT = ("RK23", "RK45", "DOP853")
PATIENCE = 1.0  # [s] of wall time before a progress bar appears
ZENO_WINDOW = 1e-9  # [s] in which …
ZENO_EVENTS = 20  # … so many events per point are a defect, not a motion
MANY_STEPS = 2_000_000  # explicit steps that stability alone would ask for


@answered_call
def simulate(
    model: Model, ground: Ground, duration: float, *, xfb: Any = None, q: Any = None, qd: Any = None,
    u: Any = None, tau: Any = None, method: str = "RK45", rtol: float = 1e-7, atol: Any = 1e-9,
    max_step: float = np.inf, start: float = 0.0, progress: bool | None = None,
) -> Motion:  # fmt: skip
    """Move a model on a compliant ground and find every touch-down, lift-off, stick and slip.

    Args:
        model: With contact points `gc`, spatial or planar. Planar models must set their gravity.
        ground: K, D and mu.
        duration: [s] > 0.
        xfb: (13,) state of a floating base, see `tribo.spatial.FDfb`; None: the base is fixed.
        q, qd: Joint variables and rates (without those of a floating base); None: zero.
        u: Tangential deformation of the ground, (2, n) or planar (1, n) [m]; None: zero.
        tau: Joint forces: a vector, or a function ``tau(time, coordinates)``; None: zero.
        method: "RK45", "RK23", "DOP853", or for stiff grounds "Radau", "BDF", "LSODA".
        rtol, atol: Relative and absolute error that a step may have; `atol` also one per entry of y.
        max_step: [s] longest step.
        start: [s] time of the first state.
        progress: Show a progress bar on stderr; None: if that is a terminal and it takes a while.

    Returns:
        Times, states, forces, contact states and events; see `Motion`.

    Raises:
        ValueError, TypeError: An argument is wrong.
        SimulationError: A step fails, or states change without end.

    Example:
        >>> from tribo.spatial import rollingdisc
        >>> disc = [1, 0, 0, 0, 0, 0, 0.0501, 0, 0, 0, 0, 0, 0]    # at rest, 0.1 mm above the ground
        >>> motion = simulate(rollingdisc(16), Ground(K=1e6, D=2000.0, mu=0.5), 0.01, xfb=disc)
        >>> [event.kind for event in motion.events[:2]]
        ['touch_down', 'touch_down']
    """
    for given, kind, remedy in (
        (model, Model, "e.g. rollingdisc(16), or spatial.from_tribo(robot)"),
        (ground, Ground, "Ground(K=…, D=…, mu=…)"),
    ):
        if not isinstance(given, kind):
            raise TypeError(
                f"simulate takes a {kind.__module__}.{kind.__name__}, {remedy}; got {check.shown(given)}"
            )
    duration = check.number(duration, "duration", minimum=0.0, exclusive=True)
    start = check.number(start, "start")
    check.known(method, METHODS, "method")
    options: dict[str, Any] = {
        "rtol": check.number(rtol, "rtol", minimum=0.0, exclusive=True),
        "atol": np.asarray(atol, float),
        "max_step": np.inf,
    }
    if not (np.isfinite(options["atol"]).all() and (options["atol"] >= 0.0).all()):
        raise ValueError(f"atol must be ≥ 0 and finite, got {atol!r}")
    if max_step != np.inf:
        options["max_step"] = check.number(max_step, "max_step", minimum=0.0, exclusive=True)
    system = System(model, ground, floats=xfb is not None, tau=tau)
    y = system.pack(xfb, q, qd, u)
    _warn_if_stiff(ground, method, duration)
    run = _Run(system, method, options, start + duration)
    with _Bar(start, duration, progress) as bar:
        run.go(start, y, bar)
    return run.motion()


def _warn_if_stiff(ground: Ground, method: str, duration: float) -> None:
    """Say so if stability alone asks an explicit method for very many steps."""
    steps = duration * float(np.max(np.asarray(ground.K) / np.asarray(ground.D)))
    if method in EXPLICIT and steps > MANY_STEPS:
        warnings.warn(
            f"the ground recovers in D/K = {duration / steps:.2g} s: {method} needs some {steps:.1g} steps "
            f"for {duration:g} s; use a stiff method (Radau, BDF, LSODA), a larger D or a smaller K",
            GroundWarning,
            stacklevel=3,
        )


class _Run:
    """One integration: what it has found so far."""

    def __init__(self, system: System, method: str, options: dict[str, Any], end: float) -> None:
        self.system, self.end, self.options = system, end, options
        self.solver: Any = getattr(integrate, method)
        self.pieces: list[Piece] = []
        self.events: list[Event] = []
        self.times: list[float] = []
        self.rows: list[np.ndarray] = []
        self.states: list[np.ndarray] = []

    def motion(self) -> Motion:
        """Return what was found."""
        return Motion(
            self.system, np.array(self.times), np.array(self.rows), np.array(self.states),
            tuple(self.events), tuple(self.pieces),
        )  # fmt: skip

    def go(self, time: float, y: np.ndarray, bar: _Bar) -> None:
        """Integrate from segment to segment."""
        self.system.enter(self.system.classify(y))
        self._note(time, y)
        step: float | None = None
        while time < self.end:
            time, y, step = self._segment(time, y, step, bar)
            before, after = self.system.states, self.system.classify(y)
            self.events += changes(time, before, after)
            self.system.enter(after)
            self._note(time, y)
            self._refuse_endless(time)

    def _segment(
        self, time: float, y: np.ndarray, step: float | None, bar: _Bar
    ) -> tuple[float, np.ndarray, float]:
        """Integrate until a point leaves its state or the time is over; return where, and the last step."""
        if self.solver is integrate.LSODA:
            step = None  # it begins at order one and knows best how
        elif step is not None:
            step = min(step, self.end - time)
        if not np.isfinite(self.system.rate(time, y)).all():  # SciPy would look for a step for ever
            raise SimulationError(
                f"integration stopped at t = {time:.9g} s (a rate is not finite); look for joints that carry "
                "no inertia, and at the torques"
            )
        solver = self.solver(self.system.rate, time, y, self.end, first_step=step, **self.options)
        states = self.system.states
        while True:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "lsoda:")  # its failure is an error below
                message = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise SimulationError(
                    f"integration stopped at t = {solver.t:.9g} s ({message or 'a number is not finite'}); "
                    "look at the model's inertias there, or try a stiff method: method='Radau'"
                )
            look = solver.dense_output()
            found = first_change(self.system, look, solver.t_old, solver.t)
            size = solver.t - solver.t_old
            end, row = found if found is not None else (solver.t, solver.y)
            self.pieces.append(Piece(solver.t_old, end, look, states))
            if found is not None or solver.status == "finished":
                return end, row, size
            self._note(end, row)
            bar.show(end)

    def _note(self, time: float, y: np.ndarray) -> None:
        self.times.append(time)
        self.rows.append(np.array(y))
        self.states.append(self.system.states)

    def _refuse_endless(self, time: float) -> None:
        """Stop a motion that changes states without getting on."""
        most = ZENO_EVENTS * self.system.points
        if len(self.events) > most and time - self.events[-most].time < ZENO_WINDOW:
            points = sorted({event.point for event in self.events[-most:]})
            raise SimulationError(
                f"points {points[:8]} change their states without end at t = {time:.9g} s; use tighter "
                "tolerances (rtol, atol), or look at a torque that jumps with the state"
            )


class _Bar:
    """A progress bar that appears when a run takes long."""

    def __init__(self, start: float, duration: float, wanted: bool | None) -> None:
        self._start, self._duration, self._wanted = start, duration, wanted
        self._progress: Progress | None = None
        self._task: Any = None
        self._next = clock.perf_counter() + (0.0 if wanted else PATIENCE)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, time: float) -> None:
        """Show how far the run is; mostly returns at once."""
        now = clock.perf_counter()
        if self._wanted is False or now < self._next:
            return
        self._next = now + 0.1
        if self._progress is None:
            from rich.console import Console

            console = Console(stderr=True, force_terminal=self._wanted)
            if self._wanted is None and not console.is_terminal:
                self._wanted = False
                return
            columns = (TextColumn("simulating"), BarColumn(), TextColumn("{task.fields[at]}"))
            self._progress = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
            self._task = self._progress.add_task("", total=self._duration, at="")
            self._progress.start()
        done = time - self._start
        self._progress.update(self._task, completed=done, at=f"{time:.3f} s")
