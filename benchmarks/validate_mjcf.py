"""MJCF models in random states next to MuJoCo: the largest differences, file by file.

Run `python benchmarks/validate_mjcf.py --states 100`. It reads `tests/data/mjcf`, random trees, and the
suite of `dm_control` if that package is installed, or any folder given by `--models`.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tests"))
BEGIN, END = "<!-- table of benchmarks/validate_mjcf.py -->", "<!-- end of the table -->"


def models(folders: list[Path]) -> list[tuple[str, str | Path]]:
    """Return names and sources: the tests' own files, random trees, and what is installed or given."""
    from mjcf_trees import random_tree

    found: list[tuple[str, str | Path]] = [
        (file.stem, file) for file in sorted((ROOT / "tests/data/mjcf").glob("*.xml"))
    ]
    found += [(f"random tree {seed}", random_tree(seed, 25)) for seed in range(20)]
    suite = importlib.util.find_spec("dm_control")
    if suite is not None and suite.submodule_search_locations:
        folders = [*folders, Path(suite.submodule_search_locations[0]) / "suite"]
    for folder in folders:
        found += [(f"dm_control {file.stem}", file) for file in sorted(folder.glob("*.xml"))]
    return found


def main() -> int:
    """Compare, print, and return 1 if a difference is larger than allowed."""
    from mujoco_peer import Scene

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--models", type=Path, action="append", default=[])
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.CRITICAL)
    worst: dict[str, tuple[float, float, str]] = {}
    files = compared = wrong = dofs = 0
    for name, source in models(options.models):
        scene = Scene(source)
        files += 1
        dofs += sum(twin.robot.dof for twin in scene.twins)
        for difference in scene.differences(options.states):
            compared += 1
            relative = difference.relative
            wrong += not relative <= difference.allowed
            if relative >= worst.get(difference.what, (0.0,))[0]:
                worst[difference.what] = (relative, difference.allowed, name)
    title = f"{files} models, {dofs} dofs, {options.states} states each, {compared} comparisons"
    heads = ("quantity", "largest relative difference", "allowed", "model")
    rows = [
        (what, f"{relative:.1e}", f"{allowed:.1e}", name) for what, (relative, allowed, name) in worst.items()
    ]
    table = Table(title=title)
    for head in heads:
        table.add_column(head)
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)
    print(f"{wrong} larger than allowed")
    if options.write_docs:
        _write(title, heads, rows)
    return int(wrong > 0)


def _write(title: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Put the table into docs/howto/mjcf.md."""
    page = ROOT / "docs/howto/mjcf.md"
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    lines = [f"{title}:", "", *("| " + " | ".join(row) + " |" for row in (heads, ("---",) * 4, *rows))]
    page.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + after, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
