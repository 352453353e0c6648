"""Contact problems that are hard: how many are solved, how far the rest is off, and what each costs.

`collect` plays scenes of free bodies (small piles at 1 and 4 ms, bodies between jaws that close, bodies
stuck in a funnel) and keeps the islands whose steps needed more than ten Newton steps, or were not solved.
`solve` solves those of tests/data again. `figure` draws the error over the steps of sweeps, far sweeps
and Newton's method with a memory, and the time over the dofs.

    python benchmarks/contact_problems.py collect --count 1500
    python benchmarks/contact_problems.py solve
    python benchmarks/contact_problems.py figure docs/_static/contact-problems.png
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import tribo
from tribo.contact.solver import (
    block_matrix,
    conjugate_sweeps,
    gauss_seidel_iteration,
    island_solve,
    natural_residual,
)
from tribo.contact.solver import pile as pile_of_bodies
from tribo.engine.engine import Engine

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import hard_problems as problems

HARD = 10  # Newton steps
LOOKS = np.unique(np.geomspace(1, 400, 25).astype(int))  # steps after which the error is looked at
EXACT = 1e-16  # [–] error that a picture shows as none


def turned(rng: np.random.Generator) -> np.ndarray:
    """Return a random orientation."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def add_random(world: tribo.World, rng: np.random.Generator, position: tuple[float, ...]) -> None:
    """Add a box, ball, cylinder or capsule of 0.1 to 0.3 m and 0.1 to 10 kg."""
    half, mass = rng.uniform(0.05, 0.15, 3), 10.0 ** rng.uniform(-1, 1)
    pose = {"position": position, "orientation": turned(rng)}
    kind = rng.integers(5)
    if kind == 0:
        world.add_sphere(half[0], mass, position=position)
    elif kind == 1:
        world.add_cylinder(half[0], 2 * half[1], mass, **pose)
    elif kind == 2:
        world.add_capsule(half[0], 2 * half[1], mass, **pose)
    else:
        world.add_box(2 * half, mass, **pose)


def pile(rng: np.random.Generator) -> tribo.World:
    """Drop 3 to 7 bodies onto one another."""
    world = tribo.World(rng.choice([1e-3, 4e-3]))
    world.add_ground()
    for k in range(rng.integers(3, 8)):
        add_random(world, rng, (*rng.uniform(-0.1, 0.1, 2), 0.15 + 0.3 * k))
    return world


def jam(rng: np.random.Generator) -> tribo.World:
    """Press bodies between two jaws that close."""
    world = tribo.World(2e-3)
    world.add_ground()
    for side in (-1, 1):
        jaw = world.add_box((0.1, 1.0, 1.0), 1.0, position=(0.45 * side, 0, 0.5), body_type="kinematic")
        jaw.linear_velocity = -0.1 * side, 0, 0
    for k in range(rng.integers(3, 8)):
        add_random(world, rng, (*rng.uniform(-0.1, 0.1, 2), 0.15 + 0.25 * k))
    return world


def funnel(rng: np.random.Generator) -> tribo.World:
    """Let bodies slide into a funnel of four boards and get stuck."""
    world = tribo.World(2e-3)
    tilt = np.sin(np.pi / 8), np.cos(np.pi / 8)
    for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
        place, q = [0.0, 0.0, 0.3], [tilt[1], 0.0, 0.0, 0.0]
        place[axis] = 0.35 * sign
        q[2 - axis] = -tilt[0] * sign if axis == 0 else tilt[0] * sign
        world.add_box((0.6, 0.6, 0.02), 1.0, position=place, orientation=q, body_type="static")
    for k in range(rng.integers(3, 8)):
        add_random(world, rng, (*rng.uniform(-0.05, 0.05, 2), 0.5 + 0.3 * k))
    return world


def hard_islands(world: tribo.World, steps: int) -> Iterator[problems.Problem]:
    """Step a world and give the islands that were hard."""
    for _ in range(steps):
        before: dict[int, np.ndarray] = {}
        if world.time > 0.0:
            state = world.engine.state
            warm = int(state.warm_count[0])
            before = dict(
                zip(state.warm_key[:warm].tolist(), state.warm_impulse[:warm, :3].copy(), strict=True)
            )
        world.step()
        work = world.engine.work
        if work.newton_steps[0] <= HARD * work.solves[0] and work.island_miss.max() <= problems.SOLVED:
            continue
        for t in range(len(work.tree_island)):
            if 4 <= work.island_contact_start[t + 1] - work.island_contact_start[t] <= 40:
                yield problems.read(world.engine, before, t)


def collect(count: int, path: Path) -> None:
    """Play scenes until enough problems were met, a third of each kind; write them."""
    found: list[problems.Problem] = []
    for make in (pile, jam, funnel):
        own: list[problems.Problem] = []
        rng = np.random.default_rng(11)
        while len(own) < count // 3:
            own += list(hard_islands(make(rng), 800))[:60]  # not too many of one scene
        found += own[: count // 3]
    problems.save(found, path)
    print(f"{len(found)} problems, {path.stat().st_size / 1e6:.2f} MB")


def figures(engine: Engine, problem: problems.Problem) -> tuple[bool, float, float, float]:
    """Solve a problem; return whether it is solved, its error and energy, both relative, and the time [s]."""
    problems.write(engine, problem)
    start = time.thread_time()
    island_solve.solve_islands(engine.model, engine.state, engine.settings, engine.work)
    taken = time.thread_time() - start
    work, n = engine.work, len(problem.bodies)
    error = natural_residual.island_violation(engine.model, work, 0)
    speed = natural_residual.island_speed(engine.settings, work, 0)
    x = work.contact_impulse[:n].ravel()
    g, c = problem.dense()
    gain = 0.5 * x @ g @ x + x @ c
    return (work.island_miss[0] <= problems.SOLVED, error / speed, gain / max(abs(x @ c), 1e-300), taken)


def solve(path: Path) -> None:
    """Print what becomes of the problems of a file."""
    loaded = problems.load(path)
    engine = problems.engine_for(loaded)
    figures(engine, loaded[0])  # compile
    third = len(loaded) // 3
    print("kind | problems | unsolved | their error, median, largest | energy | median, 99 % [µs]")
    for k, name in enumerate(("piles", "jaws", "funnels")):
        rows = np.array([figures(engine, p) for p in loaded[k * third : (k + 1) * third]])
        lost = rows[rows[:, 0] == 0, 1]
        said = f"{np.median(lost):.1e}, {lost.max():.1e}" if len(lost) else "–"
        times = 1e6 * np.percentile(rows[:, 3], [50, 99])
        gain = rows[:, 2].max()
        print(name, third, len(lost), said, f"{gain:.1e}", f"{times[0]:.0f}, {times[1]:.0f}", sep=" | ")


def errors(engine: Engine, problem: problems.Problem, way: str) -> list[float]:
    """Return the relative error after each of `LOOKS` steps of one way of solving, from no impulse."""
    problems.write(engine, problem._replace(impulse=np.zeros_like(problem.impulse)))
    model, state, settings, work = engine.model, engine.state, engine.settings, engine.work
    island_solve.warm_start(model, state, settings, work)
    speed = natural_residual.island_speed(settings, work, 0)
    work.removed_speed[0] = speed
    count = block_matrix.find_nodes(model, work, 0)
    found, done, error = [], 0, 1.0
    for look in LOOKS.tolist():
        # Newton's method and far sweeps remember more than impulses: each look begins anew
        if way == "Newton with a memory" and error > EXACT:
            gauss_seidel_iteration.start_cold(model, work, 0)
            last = work.newton_steps[0] + look
            pile_of_bodies.improve_piece(model, work, 0, count, 0.0, last, np.inf, True)
        elif way == "far sweeps":
            gauss_seidel_iteration.start_cold(model, work, 0)
            conjugate_sweeps.sweep_conjugate(model, work, 0, count, look, 0.0)
        elif way == "sweeps":
            for _ in range(look - done):
                gauss_seidel_iteration.sweep_island(model, work, 0)
        error = max(natural_residual.island_violation(model, work, 0) / speed, EXACT)
        found.append(error)
        done = look
    return found


def draw(path: Path, picture: Path) -> None:
    """Draw the error over the steps, of every fifth problem, and the time to solve over the dofs, of all.

    Error: median, and the middle four fifths. Time: the least of three; the median of each number of dofs.
    """
    from matplotlib import pyplot as plt

    loaded = problems.load(path)
    engine = problems.engine_for(loaded)
    _, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for way in ("sweeps", "far sweeps", "Newton with a memory"):
        seen = np.array([errors(engine, problem, way) for problem in loaded[::5]])
        low, middle, high = np.percentile(seen, [10, 50, 90], axis=0)
        (line,) = left.loglog(LOOKS, middle, label=way)
        left.fill_between(LOOKS, low, high, color=line.get_color(), alpha=0.15)
    left.set_xlabel("steps from no impulse")
    left.set_ylabel("error over the speed to remove")
    left.legend()
    dofs = np.array([problem.free.size for problem in loaded])
    taken = np.array([min(figures(engine, p)[3] for _ in range(3)) for p in loaded])
    right.semilogy(dofs, 1e3 * taken, ".", color="0.7", markersize=3)
    counts = np.unique(dofs)
    right.semilogy(counts, [1e3 * np.median(taken[dofs == n]) for n in counts], "o-", label="median")
    right.set_xticks(counts)
    right.set_xlabel("dofs of the island")
    right.set_ylabel("time to solve [ms]")
    right.legend()
    plt.savefig(picture, dpi=120)


def main() -> None:
    """Read the arguments and do what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["collect", "solve", "figure"])
    parser.add_argument("picture", nargs="?", type=Path)
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--file", type=Path, default=problems.FILE)
    arguments = parser.parse_args()
    if arguments.what == "collect":
        collect(arguments.count, arguments.file)
    elif arguments.what == "solve":
        solve(arguments.file)
    else:
        draw(arguments.file, arguments.picture)


if __name__ == "__main__":
    main()
