"""Run SimBenchmark: every scene in tribo and, live in the same run, in the peers that are installed.

    make simbench                                  all scenes, all peers, docs/simbenchmark.md renewed
    PYTHONPATH=benchmarks python -m simbench --only 666 kapla --engines tribo physx

PyBullet and SAPIEN (PhysX) may live in environments of their own:

    python3 -m venv pb && pb/bin/pip install numpy pybullet
    make simbench ARGS="--pybullet pb/bin/python"      (or TRIBO_SIMBENCH_PYBULLET=pb/bin/python)

Engines take turns within a scene, so that a change of the machine's load meets all of them alike.
Processor time counts. The result of each scene is kept in benchmarks/results/<machine>/simbench/.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rich.console import Console

from simbench import page, results
from simbench.families import scenes
from simbench.rounds import measure

ENGINES = ("tribo", "mujoco", "pybullet", "physx")
SEPARATE = {"pybullet": "TRIBO_SIMBENCH_PYBULLET", "physx": "TRIBO_SIMBENCH_SAPIEN"}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    names = list(scenes())
    parser = argparse.ArgumentParser(prog="simbench", description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--only", nargs="*", choices=names, default=names, metavar="SCENE",
                        help="none: only write the page from what is kept; " + ", ".join(names))  # fmt: skip
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--quick", action="store_true", help="a tenth of the time of each scene")
    parser.add_argument("--limit", type=float, default=120.0,
                        help="[s] of stepping per engine and scene; then it stops and says when")  # fmt: skip
    parser.add_argument("--pybullet", default=os.environ.get(SEPARATE["pybullet"], ""),
                        metavar="PYTHON", help="interpreter that has pybullet")  # fmt: skip
    parser.add_argument("--sapien", default=os.environ.get(SEPARATE["physx"], ""),
                        metavar="PYTHON", help="interpreter that has sapien")  # fmt: skip
    parser.add_argument("--no-save", action="store_true", help="write no JSON")
    parser.add_argument("--page", type=Path, default=None, help="write the tables into this page")
    return parser.parse_args()


def main() -> None:
    """Measure, print, keep."""
    chosen = arguments()
    pythons = {"pybullet": chosen.pybullet, "physx": chosen.sapien}
    console = Console()
    if not console.is_terminal:
        console = Console(width=170)
    share = 0.1 if chosen.quick else 1.0
    for name in chosen.only:
        scene = scenes()[name]
        with console.status(f"measuring {name}"):
            found = measure(scene, chosen.engines, pythons, share, chosen.limit)
        page.show(scene, found, console)
        if not chosen.no_save:
            results.save(name, found)
    if chosen.page:
        page.write(chosen.page, scenes(), results.load_all())


if __name__ == "__main__":
    main()
