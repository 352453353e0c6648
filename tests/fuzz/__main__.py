"""`make fuzz`: so many inputs, or so many seconds, whichever comes first; seeds are their numbers.

python -m fuzz                       all of them, 100 000 inputs that no run has played before
python -m fuzz readers --inputs 500  a part
python -m fuzz guided --seconds 600  files that reach new branches of the readers, changed further (Atheris)
python -m fuzz calls --only 1234     one input again, with its traceback

Each run adds a line to `tests/fuzz/runs.csv`; numbers go on where the last run of a part ended.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
from collections import Counter
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from fuzz import calls, guided, raisim_calls, readers, scenes, signals, soak, watch

PLACE = re.compile(r"File .*, line \d+")
PARTS = {
    "readers": readers,
    "guided": guided,
    "calls": calls,
    "raisim": raisim_calls,
    "signals": signals,
    "scenes": scenes,
    "soak": soak,
}
SHARES = {
    "readers": 0.2,
    "guided": 0.4,
    "calls": 0.288,
    "raisim": 0.1,
    "signals": 0.01,
    "scenes": 0.002,
}  # of all inputs
TIMES = {
    "readers": 0.1,
    "guided": 0.2,
    "calls": 0.3,
    "raisim": 0.1,
    "signals": 0.1,
    "scenes": 0.1,
    "soak": 0.1,
}  # of all seconds, at most
SOAKED = 2  # a robot and a stack; ten steps of each for every input
RUNS = Path(__file__).with_name("runs.csv")
COLUMNS = ("date", "part", "first", "inputs", "accepted", "defects", "seconds")


def next_number(part: str) -> int:
    """Return the first input that no run has played."""
    with RUNS.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == part]
    return max((int(row["first"]) + int(row["inputs"]) for row in rows), default=0)


def note(part: str, first: int, found: watch.Findings, seconds: float) -> None:
    """Add a run to the list, and say how many inputs all runs had together."""
    row = (date.today(), part, first, found.inputs, found.accepted, len(found.defects), round(seconds))
    with RUNS.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(row)
    with RUNS.open(newline="") as file:
        whole = sum(int(row["inputs"]) for row in csv.DictReader(file))
    print(f"  {whole} inputs in all runs of {RUNS.name}")


def main() -> int:
    """Run; return 1 if something was found."""
    sys.dont_write_bytecode = True  # a first import of ours is no misdeed of an input
    parser = argparse.ArgumentParser(
        prog="fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", nargs="?", choices=PARTS, help="which; default: all")
    parser.add_argument("--inputs", type=int, default=100_000, help="how many inputs in all")
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long at most, in all")
    parser.add_argument("--first", type=int, help="number of the first input; default: the first new one")
    parser.add_argument("--only", type=int, help="play this input here, without protection")
    options = parser.parse_args()
    if options.only is not None:
        if options.part == "guided":
            parser.error("inputs of the guided part have no numbers; those with defects are in out/fuzz")
        part = PARTS[options.part or "readers"]
        part.prepare()
        print("accepted" if part.play(options.only) else "refused")
        return 0
    chosen = [options.part] if options.part else list(PARTS)
    whole = sum(SHARES.get(name, 0.0) for name in chosen) or 1.0
    hour = sum(TIMES[name] for name in chosen)
    soak.STEPS = 10 * options.inputs
    defects = 0
    for name in chosen:
        count = max(1, round(options.inputs * SHARES.get(name, 0.0) / whole))
        count = SOAKED if name == "soak" else count
        start = time.monotonic()
        seconds = options.seconds * TIMES[name] / hour
        first = next_number(name) if options.first is None else options.first
        if name == "guided" and find_spec("atheris") is None:
            print("guided: left out, it needs Atheris: pip install 'tribo[fuzz]' (Linux, up to Python 3.13)")
            continue
        if name == "guided":
            found = guided.run(count, seconds, lambda line: print(line, flush=True))
        else:
            numbers = list(range(SOAKED) if name == "soak" else range(first, first + count))
            found = watch.run(
                PARTS[name].play, PARTS[name].prepare, numbers, seconds=seconds,
                patience=getattr(PARTS[name], "PATIENCE", watch.PATIENCE),
            )  # fmt: skip
        spent = time.monotonic() - start
        print(
            f"{name}: {found.inputs} of {count} inputs in {spent:.0f} s, {found.accepted} accepted, "
            f"{len(found.defects)} defects",
            flush=True,
        )
        note(name, first, found, spent)
        seen: set[str] = set()
        for kind, number, text in found.defects:
            place = kind + "".join(PLACE.findall(text)[-1:])
            if place not in seen and len(seen) < 20:  # one of each kind and place
                seen.add(place)
                print(f"  input {number}: {kind}\n    " + text.strip().replace("\n", "\n    "))
        for kind, times in Counter(kind for kind, _, _ in found.defects).most_common():
            print(f"  {times:6} × {kind}")
        defects += len(found.defects) + (found.inputs < count and not options.seconds)
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
