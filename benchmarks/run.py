"""Speed and truth of every scene, next to MuJoCo in the same process.

    python benchmarks/run.py [--quick] [--only anymal_stand ...] [--no-peers] [--write-docs]

Every scene is first checked: an engine whose guard fails (the robot fell) gets no speed. Then the
engines take turns, one thread each, and the processor time of each turn counts. Results are kept as
JSON in benchmarks/results/<machine>/.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import logging
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import many_worlds
import report
import startup
from measure import Job, in_turns
from rich.console import Console
from scenes import Scene, Simulation, Truth, scenes
from tribo_scenes import TriboSimulation

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
EXTRA_ROWS = ("public_robots", "motion", "many_worlds", "startup")
PACKAGES = ("numba", "numpy", "mujoco", "example-robot-data")


def engines(with_peers: bool) -> dict[str, Callable[[Scene], Simulation]]:
    """Return what builds a scene in each engine."""
    made: dict[str, Callable[[Scene], Simulation]] = {report.TRIBO: TriboSimulation}
    if with_peers:
        try:
            from peers_mujoco import MujocoSimulation
        except ModuleNotFoundError as error:
            raise SystemExit(
                f"{error.name} is missing, next to which tribo is measured: pip install -e '.[bench]' in the "
                "source checkout, or --no-peers"
            ) from None

        for name, stiff in zip(report.PEERS, (False, True), strict=True):
            made[name] = lambda scene, stiff=stiff: MujocoSimulation(scene, stiff)
    return made


def measure_scene(scene: Scene, with_peers: bool, rounds: int, share: float) -> dict[str, Any]:
    """Check a scene in all engines, then time those that pass."""
    sims = {name: build(scene) for name, build in engines(with_peers).items()}
    truth: dict[str, Truth] = {name: sim.truth() for name, sim in sims.items()}
    problems = {name: "guard failed" for name, t in truth.items() if not scene.guard(t)}
    steps = max(1, int(share * scene.steps))
    timings = {}
    for mode in report.MODES:
        if mode == "run_view" and not scene.is_driven:
            continue
        jobs = {
            name: Job(sim.reset, getattr(sim, mode, sim.run))
            for name, sim in sims.items()
            if name not in problems
        }
        found = in_turns(jobs, steps, rounds)
        timings[mode] = {name: {"cpu": t.cpu, "wall": t.wall} for name, t in found.items()}
    return {"text": scene.text, "steps": steps, "truth": truth, "problems": problems, "timings": timings}


def public_robots(steps: int) -> dict[str, dict[str, float]]:
    """Measure robots of public packages in motion; the module imports MuJoCo."""
    from public_robots import measure

    return measure(steps)


def motion(steps: int) -> dict[str, dict[str, float]]:
    """Measure robots that land, twitch, grip and lie limp; the module imports MuJoCo."""
    import robots_in_motion

    return robots_in_motion.measure(steps)


def cpu_name() -> str:
    """Return the processor's model."""
    path = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", path.read_text()) if path.exists() else None
    return found[1].strip() if found else platform.processor() or platform.machine()


def commit() -> str:
    """Return the short commit, "+" if the tree differs from it."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "src")
        return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def versions() -> dict[str, str]:
    """Return the versions of what was measured."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def load() -> list[float]:
    """Return the machine's load averages."""
    return [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else [0.0]


def save(result: dict[str, Any], machine: str) -> Path:
    """Write a result and return where."""
    folder = RESULTS / (machine or re.sub(r"\W+", "-", f"{cpu_name()} {os.cpu_count()} cores").lower())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result['date']}-{result['commit'].replace('+', '-changed')}.json"
    path.write_text(json.dumps(result, indent=1, default=float) + "\n")
    return path


def arguments() -> argparse.Namespace:
    """Read the command line."""
    names = [*scenes(), *EXTRA_ROWS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="shorter and fewer rounds")
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="ROW", help=", ".join(names)
    )
    parser.add_argument("--no-peers", action="store_true", help="tribo only")
    parser.add_argument("--rounds", type=int, default=0, help="turns of each engine (standard: 9, quick 3)")
    parser.add_argument(
        "--machine", default="", help="name of the folder of results (standard: from the processor)"
    )
    parser.add_argument("--no-save", action="store_true", help="write no JSON")
    parser.add_argument(
        "--write-docs", action="store_true", help="renew the tables of docs/develop/performance.md"
    )
    return parser.parse_args()


def main() -> int:
    """Measure, print, keep."""
    chosen = arguments()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    console = Console()
    if not console.is_terminal:
        console = Console(width=170)
    rounds = chosen.rounds or (3 if chosen.quick else 9)
    peers = not chosen.no_peers
    before = load()
    result: dict[str, Any] = {"scenes": {}}
    with console.status("") as status:
        for name in chosen.only:
            status.update(f"measuring {name}")
            if name == "many_worlds":
                result[name] = many_worlds.measure(rounds, 50 if chosen.quick else 200, peers)
            elif name == "public_robots":
                result[name] = public_robots(400 if chosen.quick else 2000) if peers else {}
            elif name == "motion":
                result[name] = motion(800 if chosen.quick else 4000) if peers else {}
            elif name == "startup":
                result[name] = startup.measure(3 if chosen.quick else 7)
            else:
                share = 0.25 if chosen.quick else 1.0
                result["scenes"][name] = measure_scene(scenes()[name], peers, rounds, share)
    result["machine"] = {"cpu": cpu_name(), "cores": os.cpu_count(), "system": platform.platform(),
                         "load before": before, "load after": load()}  # fmt: skip
    result["versions"], result["commit"] = versions(), commit()
    result["date"] = dt.datetime.now(dt.UTC).date().isoformat()
    result["command"] = shlex.join(["python", "benchmarks/run.py", *sys.argv[1:]])
    report.show(result, console)
    if not chosen.no_save:
        console.print(f"kept in {save(result, chosen.machine).relative_to(ROOT)}")
    if chosen.write_docs:
        report.write_docs(result)
    failed = [f"{name}: {part['problems']}" for name, part in result["scenes"].items() if part["problems"]]
    failed += result.get("many_worlds", {}).get("problems", [])
    for line in failed:
        console.print(f"guard failed in {line}", style="red")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
