"""`make honesty`: 500 random scenes of 500 steps; every step whose status is clean must keep its books.

python -m honesty                      all of it
python -m honesty --scenes 60          the first so many
python -m honesty --only 123           one scene, step by step
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import tribo
from honesty import scenes
from honesty.judging import judge


def main() -> int:
    """Run; return 1 if a clean step did what it must not."""
    parser = argparse.ArgumentParser(prog="honesty", description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("--scenes", type=int, default=500)
    parser.add_argument("--steps", type=int, default=500, help="of each scene")
    parser.add_argument("--only", type=int, help="play this scene and say each step that is wrong")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="file for the figures, as JSON")
    options = parser.parse_args()
    if options.only is not None:
        print(json.dumps(judge(options.only, options.steps, says=True), indent=1))
        return 0
    tribo.warm_up(everything=True, quiet=True)
    start = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        jobs = [(number, options.steps) for number in range(options.scenes)]
        played = pool.starmap(judge, jobs, chunksize=4)
    figures = {name: sum(p[name] for p in played) for name in ("steps", "lying", "flagged", "right")}
    print(f"{len(played)} scenes, {figures['steps']} steps in {time.monotonic() - start:.0f} s")
    print(table(played))
    share = 100.0 * figures["flagged"] / figures["steps"]
    print(f"flagged: {figures['flagged']} ({share:.2f} %), of them wrong: {figures['right']}")
    if options.out:
        options.out.write_text(json.dumps({"figures": figures, "scenes": played}, indent=1))
    return 1 if figures["lying"] else 0


def table(played: list[dict[str, Any]]) -> str:
    """Return lies by kind of scene and of wrong, with the worst as a multiple of its bound."""
    wrongs = ("energy", "momentum", "spin", "overlap", "gap", "cone")
    lines = ["kind of scene  steps   clean and wrong  " + "  ".join(f"{w:>16}" for w in wrongs)]
    for kind in (*scenes.KINDS, "all"):
        mine = [p for p in played if kind in (p["kind"], "all")]
        cells = []
        for wrong in wrongs:
            count = sum(p["lies"].get(wrong, 0) for p in mine)
            worst = max((p["worst"].get(wrong, 0.0) for p in mine), default=0.0)
            cells.append(f"{count:>7} × {worst:<6.2g}" if count else f"{'–':>16}")
        steps, lying = sum(p["steps"] for p in mine), sum(p["lying"] for p in mine)
        lines.append(f"{kind:13}{steps:>7}{lying:>18}  " + "  ".join(cells))
    return "\n".join(lines)


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(main())
