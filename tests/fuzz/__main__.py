"""`make fuzz`: so many inputs, or so many seconds, whichever comes first; seeds are fixed.

python -m fuzz                       all of them, 100 000 inputs
python -m fuzz readers --inputs 500  a part
python -m fuzz calls --only 1234     one input again, with its traceback
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter

from fuzz import calls, readers, scenes, soak, watch

PLACE = re.compile(r"File .*, line \d+")
PARTS = {"readers": readers, "calls": calls, "scenes": scenes, "soak": soak}
SHARES = {"readers": 0.6, "calls": 0.398, "scenes": 0.002}  # of all inputs
TIMES = {"readers": 0.3, "calls": 0.5, "scenes": 0.1, "soak": 0.1}  # of all seconds, at most
SOAKED = 2  # a robot and a stack; ten steps of each for every input


def main() -> int:
    """Run; return 1 if something was found."""
    parser = argparse.ArgumentParser(
        prog="fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", nargs="?", choices=PARTS, help="which; default: all")
    parser.add_argument("--inputs", type=int, default=100_000, help="how many inputs in all")
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long at most, in all")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", type=int, help="play this input here, without protection")
    options = parser.parse_args()
    if options.only is not None:
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
        numbers = list(range(options.first, options.first + count))
        found = watch.run(
            PARTS[name].play, PARTS[name].prepare, numbers,
            seconds=options.seconds * TIMES[name] / hour,
            patience=getattr(PARTS[name], "PATIENCE", watch.PATIENCE),
        )  # fmt: skip
        spent = time.monotonic() - start
        print(
            f"{name}: {found.inputs} of {count} inputs in {spent:.0f} s, {found.accepted} accepted, "
            f"{len(found.defects)} defects",
            flush=True,
        )
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
