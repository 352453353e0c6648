"""What an edit of a kernel costs: from process start to the first step, in a copy of the package.

    python benchmarks/edits.py [edit …] [--edits-only]

Each edit is made in a copy of its own, where nothing but the cache of this machine is at hand, as for who
edits a clone. Seconds by the clock, processor seconds of the process and of those that it starts, and what
was compiled. "nothing" is a start without an edit: what is more than that is the edit's.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tribo

PACKAGE = Path(tribo.__file__).parent
# File, a pattern that is found once, and what is put in its place.
EDITS: dict[str, tuple[str, str, str]] = {
    "nothing": ("step.py", r"\Z", ""),
    "kinematics.compute_poses": (
        "dynamics/kinematics.py",
        r"(def forward\(model, q, work\):\n    \"\"\".*?\"\"\"\n)",
        r"\1    work.body_pos[0, 0] = 0.0\n",
    ),
    "coulomb_cone.solve_contact": (
        "contact/solver/coulomb_cone.py",
        r"(def solve_contact\([^)]*\):\n    \"\"\".*?\"\"\"\n)",
        r"\1    if mu < -1.0:\n        return last\n",
    ),
    "gauss_seidel_iteration.sweep_contact": (
        "contact/solver/gauss_seidel_iteration.py",
        r"    change = 0\.0\n    if step\[0\] != 0\.0 or step\[1\]",
        "    change = 1e-300\n    if step[0] != 0.0 or step[1]",
    ),
    "vec.dot": ("math/vec.py", r"(def dot\(a, b\):\n    \"\"\".*?\"\"\"\n    return )", r"\g<1>1e-300 + "),
    "a field at the end of Work": (
        "model.py",
        r"(class Work\(Record\):\n.*?)(\n\n\n|\Z)",
        r'\1\n    edited = field("nbody")\2',
    ),
    "a field in front of Work": (
        "model.py",
        r"(class Work\(Record\):\n    \"\"\".*?\"\"\"\n)",
        r'\1    edited = field("nbody")\n',
    ),
}
FIRST_STEP = """
import sys
from tribo.compiler import progress
said = []
progress.listeners.append(said.append)
import tribo
world = tribo.World()
world.add_ground()
world.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
world.step()
print(len([s for s in said if s.startswith("kernel")]), len([s for s in said if s.startswith("unit")]))
"""


def start(place: Path) -> tuple[float, float, float, str]:
    """Return seconds by the clock, processor seconds of a first step, memory [MB], and what was compiled."""
    environment = {**os.environ, "PYTHONPATH": str(place), "TRIBO_KERNELS": "compiled"}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", FIRST_STEP],
        cwd=place,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used, after.ru_maxrss / 1024, done.stdout.split("\n")[-2]


def main() -> None:
    """Print a row for each edit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("edits", nargs="*", default=list(EDITS))
    for name in parser.parse_args().edits:
        file, old, new = EDITS[name]
        with tempfile.TemporaryDirectory(prefix="tribo-") as folder:
            place = Path(folder)
            shutil.copytree(PACKAGE, place / "tribo", ignore=shutil.ignore_patterns("__pycache__"))
            start(place)  # compiles what this copy needs before it is edited
            path = place / "tribo" / file
            text, count = re.subn(old, new, path.read_text("utf-8"), count=1, flags=re.DOTALL)
            if count != 1:
                raise SystemExit(f"{name}: {old!r} is not in {file}")
            path.write_text(text, "utf-8")
            wall, used, _, said = start(place)
            again = start(place)[0]
            print(
                f"{name:36} {wall:5.1f} s, {used:5.1f} s of processors; kernels and pieces by this process: "
                f"{said}; next start {again:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
