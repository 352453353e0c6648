"""How the cost of a step grows: piles of N bodies, chains of n links, N robots, and hard robots.

    PYTHONPATH=benchmarks python benchmarks/scale.py [--only piles chains robots hard] [--limit 60]

Goals: cost per contact and step within 1.5 × from 300 to 10 000 bodies; cost of a chain grows with an
exponent of at most 1.15; cost per robot constant within 20 %.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import run
from rich.console import Console
from rich.table import Table
from scenes import chain_text, robot_path
from simbench.engines.tribo import Engine
from simbench.standing import scene
from simbench.verdict import number

import tribo
from tribo.model import Status

PILES = (100, 300, 1000, 3000, 10_000)
LINKS = (10, 20, 50, 100, 200)
ROBOTS = {"anymal": (1, 4, 9, 25, 49, 100, 225), "humanoid": (1, 4, 9, 25, 100, 225)}
ROUNDS = 5
PHASES = (0.1, 0.3)  # [s] of a pile's life: layers have met; columns of balls fall over
WINDOW = 20  # steps of a pile that are timed
BEGIN, END = "<!-- scale: begin -->", "<!-- scale: end -->"


@dataclass
class Row:
    """One size of one family."""

    family: str
    size: int
    step: float  # [µs] median of the rounds
    least: float  # [µs]
    steps: int  # timed
    contacts: float = 0.0  # mean over the rounds
    sweeps: float = 0.0
    flagged: float = 0.0  # share of the steps (piles) or rounds that did not converge


def timed(family: str, size: int, world: tribo.World, advance: Callable[[int], None], limit: float,
          again: Callable[[], None] = lambda: None) -> Row:  # fmt: skip
    """Time one size for about `limit` seconds at most; `again` prepares each round."""
    begin = time.process_time()
    advance(1)
    once = time.process_time() - begin
    steps = max(1, min(500, int(limit / ROUNDS / max(once, 1e-5))))
    durations, seen = [], []
    for _ in range(ROUNDS):
        again()
        begin = time.process_time()
        advance(steps)
        durations.append((time.process_time() - begin) / steps * 1e6)
        flagged = bool(world.status & Status.NOT_CONVERGED)
        seen.append((int(world.engine.work.contact_count[0]), world.sweeps, flagged))
        if sum(durations) * steps > 2e6 * limit:
            break
    contacts, sweeps, flags = np.mean(seen, axis=0)
    return Row(family, size, float(np.median(durations)), min(durations), steps * len(durations),
               float(contacts), float(sweeps), float(flags))  # fmt: skip


def window(family: str, size: int, world: tribo.World) -> Row:
    """Time the next `WINDOW` steps of a pile, three times the same ones: sizes are compared in one phase."""
    start = world.snapshot()
    durations = []
    for _ in range(3):
        world.restore(start)
        seen = []
        spent = 0.0
        for _ in range(WINDOW):
            begin = time.process_time()
            world.step(1)
            spent += time.process_time() - begin
            flagged = bool(world.status & Status.NOT_CONVERGED)
            seen.append((int(world.engine.work.contact_count[0]), world.sweeps, flagged))
        durations.append(spent / WINDOW * 1e6)
    contacts, sweeps, flags = np.mean(seen, axis=0)
    return Row(family, size, float(np.median(durations)), min(durations), 3 * WINDOW,
               float(contacts), float(sweeps), float(flags))  # fmt: skip


def pile(kind: str, count: int) -> tribo.World:
    """Return a world with a loose cube of balls or boxes, one layer nearly on the other.

    Odd layers of boxes are shifted by a quarter of an edge, so that all of them are one island.
    """
    world = tribo.World()
    world.default_pair = tribo.PairProperties(friction=0.5)
    world.add_ground()
    side = round(count ** (1 / 3))
    noise = np.random.default_rng(1).uniform(-1e-3, 1e-3, (count, 2))
    for k in range(count):
        layer, rest = divmod(k, side * side)
        at = (0.202 * (rest % side) + noise[k, 0], 0.202 * (rest // side) + noise[k, 1], 0.1 + 0.2005 * layer)
        if kind == "spheres":
            world.add_sphere(0.1, 1.0, position=at)
        else:
            world.add_box((0.2,) * 3, 1.0, position=(at[0] + 0.05 * (layer % 2), *at[1:]))
    return world


def piles(limit: float) -> Iterator[Row]:
    for kind in ("spheres", "boxes"):
        for solver, name in (("exact", ""), ("sweeps", ", ten sweeps")):
            for count in PILES:
                world = pile(kind, count)
                world.contact_solver = solver
                if solver == "sweeps":
                    world.max_sweeps = 10
                begin = time.perf_counter()
                for at in PHASES:
                    while world.time < at and time.perf_counter() - begin < limit:
                        world.step(1)
                    if world.time >= at:
                        yield window(f"pile of {kind}{name}, {at:g} s", count, world)


def chains(limit: float) -> Iterator[Row]:
    for links in LINKS:
        world = tribo.World()
        robot = world.add_articulated_system(chain_text(links))
        q = robot.generalized_coordinate
        q[:] = 0.1
        robot.generalized_coordinate = q
        world.step(10)
        start = world.snapshot()
        yield timed("chain", links, world, world.step, min(limit, 3.0), partial(world.restore, start))


def robots(limit: float) -> Iterator[Row]:
    for kind, counts in ROBOTS.items():
        for count in counts:
            engine = Engine(scene(kind, round(count**0.5)), "own drive")
            engine.run(200)
            yield timed(kind, count, engine.world, engine.run, min(limit, 5.0))


def hard(limit: float) -> Iterator[Row]:
    """ANYmal B with its own collision shapes, 2.5 mm in one another; and in flight, legs driven fast."""
    path = robot_path("anymal_b_simple_description/robots/anymal.urdf")
    for name, ignores in (("overlaps", False), ("ignore_overlaps", True)):
        world = tribo.World()
        world.add_ground()
        robot = world.add_articulated_system(path, position=(0, 0, 0.6))
        robot.set_pd_gains(100.0, 2.0)
        if ignores:
            robot.ignore_overlaps()
        world.step(1000)
        start = world.snapshot()
        yield timed(f"anymal, {name}", 1, world, world.step, min(limit, 3.0), partial(world.restore, start))
    for speed in (0.0, 4.0, 15.0):
        world = tribo.World(gravity=(0, 0, 0))
        robot = world.add_articulated_system(path, collision_mask=0)
        robot.set_pd_gains(0.0, 2.0)
        rate = robot.pd_velocity_target
        rate[6:] = speed * (-1.0) ** np.arange(robot.dof - 6)
        robot.pd_velocity_target = rate
        world.step(200)
        start = world.snapshot()
        yield timed(
            f"anymal, legs at {speed:g} rad/s", 1, world, world.step, min(limit, 3.0),
            partial(world.restore, start),
        )  # fmt: skip


FAMILIES = {"piles": piles, "chains": chains, "robots": robots, "hard": hard}


def exponent(rows: list[Row]) -> float:
    """Return p of the fit cost = c nᵖ."""
    return float(np.polyfit(np.log([r.size for r in rows]), np.log([r.step for r in rows]), 1)[0])


def summary(family: str, rows: list[Row]) -> str:
    """Say what the goal is and what came out."""
    if family == "chain":
        return f"exponent {exponent(rows):.2f} (goal ≤ 1.15)"
    if family.startswith("pile"):
        cost = [r.step / r.contacts for r in rows if r.size >= 300]
        return f"cost per contact varies by × {max(cost) / min(cost):.2f} from 300 on (goal ≤ 1.5)"
    cost = [r.step / r.size for r in rows]
    return f"cost per robot varies by × {max(cost) / min(cost):.2f} (goal ≤ 1.2)"


HEAD = ["family", "size", "µs per step", "least", "per body, link or robot", "contacts", "per contact",
        "sweeps", "not converged"]  # fmt: skip


def cells(r: Row) -> list[str]:
    per_contact = number(r.step / r.contacts) if r.family.startswith("pile") else "–"
    return [r.family, str(r.size), number(r.step), number(r.least), number(r.step / r.size),
            number(r.contacts), per_contact, number(r.sweeps), f"{100 * r.flagged:.0f} %"]  # fmt: skip


def write(page: Path, rows: list[Row], sums: list[str]) -> None:
    """Replace what stands between the markers of the page."""
    text = page.read_text()
    before, rest = text.split(BEGIN)
    lines = [BEGIN, "", f"{run.cpu_name()}, commit {run.commit()}, `python benchmarks/scale.py`.", ""]
    lines += [f"* {line}" for line in sums]
    lines += ["", "| " + " | ".join(HEAD) + " |", "| " + " | ".join("---" for _ in HEAD) + " |"]
    lines += ["| " + " | ".join(cells(r)) + " |" for r in rows]
    page.write_text(before + "\n".join([*lines, "", END]) + rest.split(END)[1])


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--only", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--limit", type=float, default=60.0, help="[s] for one size")
    parser.add_argument("--page", type=Path, default=None, help="write the table into this page")
    parser.add_argument("--save", type=Path, default=None, help="write the rows as JSON")
    chosen = parser.parse_args()
    console, rows = Console(), []
    table = Table(*HEAD)
    for name in chosen.only:
        for found in FAMILIES[name](chosen.limit):
            rows.append(found)
            table.add_row(*cells(found))
            print(*cells(found), flush=True)
    (console if console.is_terminal else Console(width=150)).print(table)
    families = dict.fromkeys(r.family for r in rows if not r.family.startswith("anymal,"))
    sums = [f"{f}: {summary(f, [r for r in rows if r.family == f])}" for f in families]
    console.print("\n".join(sums))
    if chosen.save:
        chosen.save.write_text(json.dumps([asdict(r) for r in rows], indent=1) + "\n")
    if chosen.page:
        write(chosen.page, rows, sums)


if __name__ == "__main__":
    main()
