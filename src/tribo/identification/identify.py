"""`identify`: parameters of a world from recordings of what it did."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.identification import search as searching
from tribo.identification.channels import Channel, channels_of
from tribo.identification.problem import Problem
from tribo.identification.result import Identification, report
from tribo.identification.simulator import COMMANDS, Input, Runs, Segment, Simulator
from tribo.identification.starts import Start, free_dofs, guess
from tribo.identification.state_layout import StateLayout
from tribo.identification.statistics import bootstrap as bootstrapped
from tribo.identification.statistics import certainty, explains
from tribo.identification.trajectory import Trajectory
from tribo.identification.unknowns import Unknown
from tribo.recording import Recording
from tribo.world.checked import checked_world
from tribo.world.world import World

logger = logging.getLogger("tribo")

NOISE_ROUNDS = 2  # of fits after which a noise that was not given is found anew
LIKELY = 0.1  # probability of its misfit at which a fit is taken without others to compare
DIPS = 6  # times that a fit goes on from a better point near by
MAX_STEPS = 60  # evaluations of a fit
SMALL = 1e-7  # relative change of costs or parameters at which a fit ends
NEEDS = 'identification needs SciPy: pip install "tribo[identification]"'


@answered_call
def identify(
    world: World, recordings: Trajectory | Recording | Sequence[Trajectory | Recording],
    parameters: Unknown | Sequence[Unknown], *, search: str = "scan", segments: int = 1,
    defects: tuple[float, float] = (1e-4, 1e-2), confidence: float = 0.95, bootstrap: int = 0, seed: int = 0,
    threads: int | None = None,
) -> Identification:  # fmt: skip
    """Find parameters of a world with which it moves as recordings say.

    The sum of squares of (simulated − measured)/noise is made least over parameters and over the starts
    of the
    recordings: bounded Gauss–Newton steps (`scipy.optimize.least_squares`) with a Jacobian by central
    differences, for which all candidates are stepped as worlds of one `Batch`. The world stays as it is.

    Args:
        world: Everything that is known; unknown numbers have their first values.
        recordings: `Trajectory` or `Recording`, one or several; the world is in the state where they
            begin, but for the dofs that they measure.
        parameters: `identification.pair`, `body`, `inertial`, `joint`, `motors`, `tilt`, `offset` or an
            `Unknown`.
        search: Before the steps: "scan", the best of 64 points spread over the bounds; "cma" or
            "differential_evolution" where contacts make the sum rough; "none".
        segments: Into how many stretches of equal length each recording is divided, each with a start of its
            own (multiple shooting); for long or chaotic motion.
        defects: Standard deviations of the jump between two segments: coordinates [m, rad], velocities
            [m/s, rad/s].
        confidence: Of the intervals, 0.5 … 0.9999 [–].
        bootstrap: How many sets of data are made of the residuals and fitted, for a second interval; 0: none.
        seed: Of all random numbers.
        threads: As `Batch` has them.

    Raises:
        ImportError: SciPy, or cma, is missing; the message names the extra.
        KeyError: A column, material, object or joint is not in the world; the message proposes the nearest.
        TypeError, ValueError: An argument is wrong, or there are less measured numbers than unknown ones.

    Example:
        >>> import numpy as np, tribo
        >>> from tribo.identification import Trajectory, pair
        >>> def thrown(friction):
        ...     world = tribo.World(time_step=0.005)
        ...     ground = world.add_ground(material="ice")
        ...     world.set_material_pair("ice", "stone", friction=friction)
        ...     stone = world.add_box((0.2, 0.2, 0.1), 1.0, "stone", position=(0, 0, 0.05), name="stone")
        ...     stone.linear_velocity = (1.0, 0.0, 0.0)
        ...     return world, stone
        >>> world, stone = thrown(0.07)
        >>> noise, rows = np.random.default_rng(0).normal(0, 1e-3, 40), []
        >>> for k in range(40):
        ...     rows.append(stone.position[0])
        ...     world.step(4)
        >>> film = Trajectory(0.02 * np.arange(40), {"q/stone/x": rows + noise}, noise=1e-3)
        >>> found = tribo.identify(thrown(0.3)[0], film, pair("ice", "stone", friction=(0, 1)), threads=1)
        >>> estimate = found["ice/stone/friction"]
        >>> bool(estimate.low < 0.07 < estimate.high), estimate.standard_error < 1e-3
        (True, True)
    """
    with check.needed(NEEDS):
        from scipy.optimize import least_squares
    checked_world(world)
    films = _trajectories(recordings)
    unknowns = [one.of_world(world) if one.of_world else one for one in _unknowns(parameters)]
    check.choice(search, searching.SEARCHES, "search")
    count = check.integer(segments, "segments", 1)
    jumps = tuple(check.positive(one, "defects") for one in check.pair(defects, "defects"))
    check.number(confidence, "confidence", minimum=0.5, maximum=0.9999)
    draws = check.integer(bootstrap, "bootstrap", 0)
    check.integer(seed, "seed", 0)
    layout = StateLayout(world)
    first = _first_values(world, unknowns)
    channels = [channels_of(film, layout) for film in films]
    _check_offsets(unknowns, channels)
    simulator, starts = _simulator(world, layout, films, channels, unknowns, first, count, threads)
    problem = Problem(unknowns, channels, simulator, starts, layout, (jumps[0], jumps[1]))
    for film, noise in zip(films, problem.noise, strict=True):
        noise.update(film.noise)
    if problem.rows < problem.size:
        raise ValueError(
            f"{problem.rows} measured numbers cannot show {problem.size} unknown ones "
            f"({problem.count} parameters, {problem.size - problem.count} of starts)"
        )
    x = np.zeros(problem.size)
    x[: problem.count] = np.clip(problem.places(first), 0.0, 1.0)

    def fit(x: np.ndarray) -> Any:
        inner = np.clip(x, problem.least + 1e-9, problem.most - 1e-9)
        return least_squares(
            lambda one: problem.residuals(one[None])[0], inner, problem.jacobian, x_scale="jac",
            bounds=(problem.least, problem.most), xtol=SMALL, ftol=SMALL, gtol=1e-10, max_nfev=MAX_STEPS,
        )  # fmt: skip

    is_given = all(one.label in film.noise for film, of in zip(films, channels, strict=True) for one in of)
    fits = []
    for point in searching.first_points(problem, x, search, seed):
        fits.append(fit(point))
        if is_given and explains(problem, 2.0 * fits[-1].cost, LIKELY):
            break
    best = min(fits, key=lambda one: float(one.cost))
    for _ in range(0 if is_given else NOISE_ROUNDS):
        _find_noise(problem, films, best.fun)
        best = fit(best.x)
    for turn in range(DIPS):
        better = searching.better_point(problem, best.x, best.jac, seed + turn)
        if better is None:
            break
        best = min(best, fit(better), key=lambda one: float(one.cost))
    x = problem.rounded(best.x)
    jacobian = problem.jacobian(x)
    known = certainty(problem, best.fun, jacobian, confidence, given=is_given)
    samples = None
    if draws:
        samples = bootstrapped(problem, x, best.fun, jacobian, draws, seed)
    made = report(
        world, films, unknowns, problem, x, best.fun, known, samples, confidence, bool(best.status > 0)
    )
    for remark in made.remarks:
        logger.warning("identify: %s", remark)
    return made


def _trajectories(recordings: Any) -> list[Trajectory]:
    """Return the recordings as trajectories, each with a name of its own."""
    alone = isinstance(recordings, (Trajectory, Recording))
    given = [recordings] if alone else check.listed(recordings, "recordings", "trajectories")
    made = []
    for one in given:
        said = "recordings must be tribo.Recording or identification.Trajectory (Trajectory.read makes one)"
        check.instance(one, (Trajectory, Recording), said)
        made.append(Trajectory.of(one) if isinstance(one, Recording) else one)
    if not made:
        raise ValueError("recordings are empty: give one at least")
    return made


def _unknowns(parameters: Any) -> list[Unknown]:
    """Return the parameters as a list; no number may be sought twice."""
    alone = isinstance(parameters, Unknown)
    given = [parameters] if alone else check.listed(parameters, "parameters", "unknowns")
    names: set[str] = set()
    for one in given:
        check.instance(one, Unknown, "parameters must be made by tribo.identification.pair, body, joint …")
        for name in one.names:
            if name in names:
                raise ValueError(f"{name} is sought twice; name it once")
            names.add(name)
    if not names:
        raise ValueError("parameters are empty: name what is sought")
    return list(given)


def _first_values(world: World, unknowns: Sequence[Unknown]) -> np.ndarray:
    """Return where the search begins: what the bounds say, else what the world has, within the bounds."""
    made = []
    for unknown in unknowns:
        for bound, value in zip(unknown.bounds, unknown.read(world), strict=True):
            own = value if bound.start is None else bound.start
            made.append(min(max(own, bound.low), bound.high))
    return np.array(made)


def _check_offsets(unknowns: Sequence[Unknown], channels: Sequence[Sequence[Channel]]) -> None:
    labels = {one.label: one.unit for of in channels for one in of if one.width == 1}
    for unknown in unknowns:
        for column, bound in zip(unknown.columns, unknown.bounds, strict=False):
            check.known(column, labels, "measured column")
            if bound.unit != labels[column]:
                raise ValueError(
                    f"{bound.name}: {column} is in {labels[column]}, the offset in {bound.unit}; say unit="
                    f"{labels[column]!r}"
                )


def _simulator(
    world: World, layout: StateLayout, films: Sequence[Trajectory],
    channels: Sequence[Sequence[Channel]], unknowns: Sequence[Unknown], first: np.ndarray, count: int,
    threads: int | None,
) -> tuple[Simulator, list[Start]]:  # fmt: skip
    """Return what runs candidates, and first guesses of the starts of all segments."""
    bounds = [one for unknown in unknowns for one in unknown.bounds]
    offsets: dict[str, float] = {}
    for unknown in unknowns:
        for column in unknown.columns:
            place = bounds.index(unknown.bounds[0])
            offsets[column] = offsets.get(column, 0.0) + float(first[place])
    world_q, world_v = layout.state_of(world)
    whole: list[Segment] = []
    parts: list[Segment] = []
    starts: list[Start] = []
    for k, film in enumerate(films):
        rows = _first_rows(film, count)
        whole.append(_segment(world, layout, film, k, slice(0, len(film)), None))
        for row, stop in zip(rows, [*rows[1:], None], strict=True):
            end = len(film) if stop is None else stop
            parts.append(_segment(world, layout, film, k, slice(row, end), stop))
            kind = film.start if row == 0 else "all"
            q, v = world_q, world_v
            if film.start != "known" or row > 0:
                q, v = guess(channels[k], film.time, row, layout, q, v, offsets)
            starts.append(Start(q, v, *free_dofs(channels[k], layout, kind)))
    simulator = Simulator(world, layout, parts, channels, unknowns, threads)
    if count > 1:
        _guess_inner_starts(
            world, layout, films, channels, unknowns, first, threads, whole, parts, starts, offsets
        )
    return simulator, starts


def _guess_inner_starts(
    world: World, layout: StateLayout, films: Sequence[Trajectory],
    channels: Sequence[Sequence[Channel]], unknowns: Sequence[Unknown], first: np.ndarray,
    threads: int | None, whole: list[Segment], parts: list[Segment], starts: list[Start],
    offsets: dict[str, float],
) -> None:  # fmt: skip
    """Let the world say, with the first values, what is not measured where later segments start."""
    for g, segment in enumerate(parts):
        row = segment.rows.start
        if row == 0:
            origin = starts[g]
            continue
        film = films[segment.recording]
        time = float(film.time[row] - film.time[0])
        base = whole[segment.recording]
        lead = Segment(segment.recording, slice(0, 1), np.zeros(1), time, base.gravity, base.inputs)
        runner = Simulator(world, layout, [lead], channels, unknowns, threads)
        _, q, v = runner.run(Runs(np.zeros(1, int), first[None], origin.q[None], origin.v[None]))
        if np.isfinite(q).all():
            state = guess(channels[segment.recording], film.time, row, layout, q[0], v[0], offsets)
            starts[g].q, starts[g].v = state


def _first_rows(film: Trajectory, count: int) -> list[int]:
    """Return the rows at which the segments of a recording begin."""
    if count > len(film) // 2:
        raise ValueError(f"segments must be at most half of the {len(film)} rows of {film.name}, got {count}")
    since = film.time - film.time[0]
    rows = np.searchsorted(since, since[-1] * np.arange(count) / count)
    return sorted({int(row) for row in rows})


def _segment(
    world: World, layout: StateLayout, film: Trajectory, number: int, rows: slice, stop: int | None
) -> Segment:
    """Return a stretch of a recording with the commands that are given in it."""
    begin = float(film.time[rows.start])
    times = film.time[rows] - begin
    end = None if stop is None else float(film.time[stop] - begin)
    told = []
    for column, values in film.inputs.items():
        what, _, rest = column.partition("/")
        name, joint, place = _place(world, layout, what, rest, f"{column} of {film.name}")
        steps = np.rint((film.time - begin) / layout.time_step).astype(int)
        current = int(np.searchsorted(film.time, begin, "right")) - 1
        last = None
        for row in range(max(current, 0), rows.stop):
            if values[row] != last:
                step = max(int(steps[row]), 0)
                told.append(Input(step, what, name, joint, place, float(values[row])))
                last = values[row]
    return Segment(number, rows, times, end, film.gravity, told)


def _place(world: World, layout: StateLayout, kind: str, rest: str, label: str) -> tuple[str, str, int]:
    """Return object, joint and place in the object's command of a number."""
    name, _, joint = rest.partition("/")
    check.known(name, [one.name for one in layout.objects], f"object ({label})")
    _, at_v = next((q, v) for own, q, v in layout.objects if own == name)
    if not hasattr(world[name], COMMANDS[kind]):
        raise ValueError(f"{label}: {name} takes no such command")
    if kind == "target_q":
        joints = layout.joints_of(name)
        return name, joint, joints[check.known(joint, joints, f"joint with one dof ({label})")]
    own = {dof: at for dof, at in layout.dofs.items() if at_v.start <= at < at_v.stop}
    return name, joint, own[check.known(rest, own, f"dof ({label})")] - at_v.start


def _find_noise(problem: Problem, films: Sequence[Trajectory], residuals: np.ndarray) -> None:
    """Set the noise of columns for which none was given to what their residuals say."""
    share = max(1e-3, 1.0 - problem.size / max(problem.rows, 1))
    for k, (film, noise) in enumerate(zip(films, problem.noise, strict=True)):
        for c, channel in enumerate(problem.channels[k]):
            if channel.label in film.noise:
                continue
            own = [
                residuals[problem.rows_of[g, c]]
                for g, segment in enumerate(problem.simulator.segments)
                if segment.recording == k
            ]
            size = float(np.sqrt(np.mean(np.concatenate(own) ** 2) / share))
            noise[channel.label] = max(noise[channel.label] * size, 1e-12)
