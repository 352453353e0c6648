"""All robots of example-robot-data in random states next to Pinocchio: the largest differences.

Run `make validate-dynamics`, or `python benchmarks/validate.py --states 100`.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import tribo
from tribo.description import DescriptionError
from tribo.formats import urdf

sys.path.append(str(Path(__file__).parent.parent / "tests"))


def main() -> int:
    """Compare, print, and return 1 if a difference is larger than allowed."""
    from pinocchio_peer import Peer, random_states
    from pinocchio_robots import ALL, GRAVITY, Case
    from robots import robot_files

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=100)
    options = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    worst: dict[str, tuple[float, float, str]] = {}
    robots = compared = wrong = 0
    for file in robot_files():
        try:
            tree = urdf.read(file)
        except DescriptionError:
            continue
        robots += 1
        robot = tribo.World(gravity=GRAVITY).add_articulated_system(tree)
        rng = np.random.default_rng(len(file.name))
        states = random_states(tree, rng, options.states)
        case = Case(robot, Peer(file, tree, GRAVITY), states, rng)
        for quantities in ALL:
            for difference in quantities(case):
                compared += 1
                relative = difference.relative
                wrong += relative > difference.allowed
                if relative >= worst.get(difference.what, (0.0,))[0]:
                    worst[difference.what] = (relative, difference.allowed, file.name)
    table = Table(title=f"{robots} robots, {options.states} states each, {compared} comparisons")
    for head in ("quantity", "largest relative difference", "allowed", "robot"):
        table.add_column(head)
    for what, (relative, allowed, name) in worst.items():
        table.add_row(what, f"{relative:.1e}", f"{allowed:.1e}", name)
    Console(width=110).print(table)
    print(f"{wrong} larger than allowed")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
