"""All robots of example-robot-data in random states next to Pinocchio: the largest differences.

Run `make validate-dynamics`, or `python benchmarks/validate.py --states 100`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.append(str(Path(__file__).parent.parent / "tests"))


def main() -> int:
    """Compare, print, and return 1 if a difference is larger than allowed."""
    from pinocchio_robots import compare
    from robots import robot_files

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=100)
    options = parser.parse_args()
    worst: dict[str, tuple[float, float, str]] = {}
    robots = compared = wrong = 0
    for file in robot_files():
        before = compared
        for difference in compare(file, options.states):
            compared += 1
            relative = difference.relative
            wrong += relative > difference.allowed
            if relative >= worst.get(difference.what, (0.0,))[0]:
                worst[difference.what] = (relative, difference.allowed, file.name)
        robots += compared > before
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
