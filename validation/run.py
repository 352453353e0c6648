"""All validation cases: measured errors next to their tolerances, and what other engines make of them.

    python validation/run.py [--only B3 C5 ...] [--fast] [--no-peers] [--write-docs]

With `--only`, `--write-docs` renews the rows and notes of these cases and leaves the others. Above each case
stands what every setting of a peer gave; the page has the best, error by error. PyBullet runs in an
environment of its own, which its wheels want to be Python 3.11 or older:

    python3.11 -m venv pb && pb/bin/pip install numpy pybullet
    PYBULLET_PYTHON=pb/bin/python python validation/run.py

Ends with 1 if a case fails that is not known to, or if a known failure passes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]
os.environ.setdefault("MPLBACKEND", "Agg")

import everything  # noqa: E402
import page  # noqa: E402
import play_bullet  # noqa: E402
import play_tribo  # noqa: E402
import plots  # noqa: E402
from rich.console import Console  # noqa: E402
from suite import BULLET, MUJOCO, CannotPlay, Case, Check, Player, in_order  # noqa: E402

PASS, FAIL, PENDING = "pass", "FAIL", "pending"


@dataclass
class Outcome:
    """What one case gave."""

    case: Case
    verdict: str
    checks: list[Check] = field(default_factory=list)
    peers: dict[str, list[Check] | str] = field(default_factory=dict)  # or why there is nothing
    seconds: float = 0.0


def players(with_peers: bool) -> dict[str, list[Player] | str]:
    """Return the peers: one player or more each (the better counts), or why there is none."""
    made: dict[str, list[Player] | str] = {}
    if not with_peers:
        return made
    try:
        import play_mujoco

        made[MUJOCO] = play_mujoco.players()
    except ImportError:
        made[MUJOCO] = "not installed"
    try:
        made[BULLET] = play_bullet.players()
    except ImportError:
        made[BULLET] = "not installed"
    return made


def best(case: Case, engines: list[Player], tell: Callable[[str, list[Check]], None]) -> list[Check] | str:
    """Return the smallest error of every check over several settings, or why there is none."""
    found: list[list[Check]] = []
    reason = ""
    for engine in engines:
        try:
            found.append(case.run(engine))
            tell(f"{engine.name}, {engine.setting}", found[-1])
        except CannotPlay as error:
            reason = reason or str(error)
        except (ArithmeticError, ValueError, IndexError) as error:
            reason = reason or f"no result ({type(error).__name__})"  # it flew apart
    if not found:
        return reason
    return [min(same, key=lambda c: c.error if c.error == c.error else float("inf"))
            for same in zip(*found, strict=True)]  # fmt: skip


def measure(
    case: Case, peers: dict[str, list[Player] | str], tell: Callable[[str, list[Check]], None]
) -> Outcome:
    """Run one case in all engines; tell what each setting of a peer gave."""
    if case.is_pending:
        return Outcome(case, PENDING)
    start = time.perf_counter()
    checks = case.run(play_tribo.player())
    made = Outcome(case, PASS if all(c.is_met for c in checks) else FAIL, checks)
    made.seconds = time.perf_counter() - start
    for name in case.peers:
        engines = peers.get(name, "not run")
        if isinstance(engines, str):
            made.peers[name] = engines
        else:
            made.peers[name] = best(case, engines, tell)
    return made


def arguments() -> argparse.Namespace:
    """Read the command line."""
    names = [case.id for case in in_order()]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="ID")
    parser.add_argument("--fast", action="store_true", help="only what `make test` runs as well")
    parser.add_argument("--no-peers", action="store_true", help="tribo only")
    parser.add_argument("--write-docs", action="store_true", help="renew docs/validation.md, or rows of it")
    return parser.parse_args()


def main() -> int:
    """Measure, print, write."""
    chosen = arguments()
    console = Console(width=150)
    engines = players(not chosen.no_peers)
    outcomes = []

    def tell(who: str, checks: list[Check]) -> None:
        figures = ", ".join(c.why or f"{c.error:.2g}" for c in checks)
        console.print(f"     {who}: {figures}", style="dim", markup=False)

    for case in in_order():
        if case.id not in chosen.only or (chosen.fast and not case.fast):
            continue
        made = measure(case, engines, tell)
        outcomes.append(made)
        lines = [f"{c.what} {c.error:.2g} ≤ {c.tolerance:.2g}{'' if c.is_met else ' !'}" for c in made.checks]
        console.print(f"{case.id:4} {made.verdict:8} {made.seconds:6.2f} s  "
                      + (", ".join(lines) or f"waits for {case.waits_for}"), markup=False)  # fmt: skip
    if chosen.write_docs:
        if len(outcomes) == len(in_order()):
            plots.write(outcomes, engines)
        page.write(outcomes, everything.FAMILIES, is_whole=len(outcomes) == len(in_order()))
    surprises = [o.case.id for o in outcomes if (o.verdict == FAIL) != bool(o.case.known)]
    count = {v: sum(o.verdict == v for o in outcomes) for v in (PASS, FAIL, PENDING)}
    console.print(", ".join(f"{n} {v}" for v, n in count.items()))
    if surprises:
        console.print(f"not as known: {', '.join(surprises)}", style="red")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
