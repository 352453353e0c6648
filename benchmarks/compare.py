"""Two results of `run.py` → ratio of every row, with the band that noise explains.

python benchmarks/compare.py OLD.json NEW.json [--any-machine]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from report import MODES, PEERS, TRIBO
from rich.console import Console
from rich.table import Table

MIN_BAND = 0.05  # what an unchanged MuJoCo shows from run to run on a shared machine


def band(times: list[float]) -> float:
    """Return how far the rounds of one row spread: the relative distance of median and minimum."""
    return statistics.median(times) / min(times) - 1.0


def change(old: list[float], new: list[float]) -> tuple[float, float]:
    """Return new speed over old (from the minima) and the band inside which it means nothing."""
    return min(old) / min(new), max(MIN_BAND, band(old) + band(new))


def verdict(speed: float, noise: float) -> str:
    """Put a change into a word."""
    if abs(speed - 1.0) <= noise:
        return "same"
    return "[green]faster[/]" if speed > 1.0 else "[red]slower[/]"


def rows(old: dict[str, Any], new: dict[str, Any]) -> list[list[str]]:
    """Compare tribo in every scene and mode that both files have; peers tell about the machine."""
    found = []
    for scene, part in new["scenes"].items():
        before = old["scenes"].get(scene)
        if before is None:
            continue
        for mode, timings in part["timings"].items():
            earlier = before["timings"].get(mode, {})
            for engine in (TRIBO, *PEERS):
                if engine not in timings or engine not in earlier:
                    continue
                speed, noise = change(earlier[engine]["cpu"], timings[engine]["cpu"])
                found.append([scene, MODES[mode], engine, f"{min(earlier[engine]['cpu']):.2f}",
                              f"{min(timings[engine]['cpu']):.2f}", f"{speed:.3f}", f"±{noise:.3f}",
                              verdict(speed, noise), _hashes(before, part, engine)])  # fmt: skip
    return found


def _hashes(before: dict[str, Any], after: dict[str, Any], engine: str) -> str:
    same = before["truth"][engine].get("hash") == after["truth"][engine].get("hash")
    return "same bits" if same else "other bits"


def main() -> int:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--any-machine", action="store_true", help="compare although the processors differ")
    chosen = parser.parse_args()
    old, new = (json.loads(path.read_text()) for path in (chosen.old, chosen.new))
    if old["machine"]["cpu"] != new["machine"]["cpu"] and not chosen.any_machine:
        print(f"different machines: {old['machine']['cpu']} and {new['machine']['cpu']}; "
              "compare the ratios to MuJoCo instead, or use --any-machine")  # fmt: skip
        return 2
    title = f"{old['commit']} ({old['date']}) → {new['commit']} ({new['date']}), min µs per step"
    table = Table("scene", "how", "engine", "old", "new", "speed", "noise", "", "result", title=title)
    for row in rows(old, new):
        table.add_row(*row)
    console = Console()
    (console if console.is_terminal else Console(width=130)).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
