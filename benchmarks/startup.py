"""What a newcomer feels first: compiling, importing, the first step. Each in a fresh process.

python benchmarks/startup.py [--rounds 15]     # prebuilt kernels only (`make kernels` first)

Processes find the modules' bytecode, as those of an installed package do: a first one that is not counted
writes it, whatever PYTHONDONTWRITEBYTECODE says.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tribo.compiler.jit import PREBUILT

# The bodies of the demo: three spheres and a quadruped on the ground, stepped once.
_DEMO = """
import time
begin = time.perf_counter()
import tribo
from pathlib import Path
imported = time.perf_counter()
world = tribo.World()
world.add_ground(material="steel")
for k, material in enumerate(("steel", "rubber", "copper")):
    world.add_sphere(radius=0.5, mass=1.0, material=material, position=(2.0 * k, 0, 2))
    world.set_material_pair("steel", material, restitution=0.3 * k)
robot = Path(tribo.__file__).parent / "assets/quadruped.urdf"
world.add_articulated_system(robot, position=(0, 3, 0.6))
built = time.perf_counter()
world.step()
stepped = time.perf_counter()
import json
import resource
times = {"import s": imported - begin, "build s": built - imported, "first step s": stepped - built}
times["RSS MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(times))
"""


def once(cache: str | None = None, kernels: str = "compiled") -> dict[str, float]:
    """Run the demo's first step in a fresh process; return durations, processor time [s] and memory."""
    paths = os.pathsep.join(p for p in sys.path if p)
    environment = dict(os.environ, PYTHONPATH=paths, TRIBO_KERNELS=kernels)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    used, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-c", _DEMO]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return {"wall s": wall, "cpu s": cpu, **json.loads(done.stdout.splitlines()[-1])}


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Return the cold start (empty cache), the warm one (median) and the least warm one."""
    with tempfile.TemporaryDirectory() as folder:
        cold = once(folder)
        size = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
        warm = [once(folder) for _ in range(rounds)]
    found = {"cold": {**cold, "cache MB": size / 1e6}, **_summary("warm", warm)}
    return found | prebuilt(rounds) if PREBUILT else found


def prebuilt(rounds: int) -> dict[str, dict[str, float]]:
    """Return the start with prebuilt kernels (median) and the least; the first one is left out."""
    runs = [once(kernels="prebuilt") for _ in range(rounds + 1)]
    return _summary("prebuilt", runs[1:])


def _summary(what: str, runs: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    least = {key: min(run[key] for run in runs) for key in runs[0]}
    return {f"{what} median": middle, f"{what} least": least}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    for name, row in prebuilt(parser.parse_args().rounds).items():
        print(name, {key: round(value, 3) for key, value in row.items()})
