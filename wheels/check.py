"""Check a built wheel: does it run wherever its name says, and without Numba?

    python wheels/check.py dist/tribo-….whl [--install]

`auditwheel` reads which C library it needs. With `--install` the wheel is installed in a fresh environment,
with the extra `viewer` and without Numba; the README's example, some of `examples/` and the viewer play.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The README's example, the package's quadruped, meshes, queries and rays are among these and `readme`.
EXAMPLES = (
    "01_three_materials", "05_quadruped", "06_snapshot", "07_batch", "08_computed_torque", "10_four_bar",
    "13_terrain", "14_mesh_stack", "16_lidar", "24_soft_ground",
)  # fmt: skip
START = """
import importlib.util, pathlib, time
assert importlib.util.find_spec("numba") is None
begin = time.perf_counter()
import tribo
imported = time.perf_counter()
world = tribo.World()
world.add_ground()
ball = world.add_sphere(radius=0.5, mass=1.0, position=(0, 0, 5))
robot = pathlib.Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
world.add_articulated_system(robot, position=(0, 3, 0.6))
world.step()
stepped = time.perf_counter()
import resource
print(f"import {imported - begin:.2f} s, first step {stepped - begin:.2f} s after it began, "
      f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
"""
VIEWER = """
import tribo
world = tribo.World()
world.add_ground()
ball = world.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
with tribo.Viewer(world, port=8219) as viewer:
    for _ in range(20):
        world.step()
        viewer.update()
print("viewer")
"""


def least(text: str) -> tuple[int, int]:
    """Return the C library of a manylinux tag in a text: (2, 31)."""
    found = re.search(r"manylinux_(\d+)_(\d+)_x86_64", text)
    if found is None:
        raise SystemExit(f"no manylinux tag in {text.strip()!r}")
    return int(found[1]), int(found[2])


def audit(path: Path) -> None:
    """Compare what the wheel needs with what its name says; exit with an error if that is less."""
    command = [sys.executable, "-m", "auditwheel", "show", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    text = " ".join(done.stdout.split())
    said = re.search(r'platform tag: "([^"]+)"', text)
    if said is None:
        raise SystemExit(done.stdout)
    needed, promised = least(said[1]), least(path.name)
    if needed > promised:
        raise SystemExit(f"{path.name} needs glibc {needed}: correct TAG in wheels/hatch_build.py")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, needs {said[1]}")


def readme() -> str:
    """Return the first program of the README."""
    return (ROOT / "README.md").read_text("utf-8").split("```python\n")[1].split("```")[0]


def play(path: Path) -> None:
    """Install the wheel in a fresh environment and run examples there; exit with an error if one fails."""
    with tempfile.TemporaryDirectory(prefix="tribo-") as folder:
        place = Path(folder)
        venv.create(place / "env", with_pip=True)
        python = place / "env" / "bin" / "python"
        wanted = f"tribo[viewer,ground] @ {path.resolve().as_uri()}"
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted]
        subprocess.run(command, check=True)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        environment |= {"TRIBO_KERNELS": "prebuilt", "NUMBA_CACHE_DIR": str(place / "none")}

        def run(*arguments: str | Path) -> None:
            subprocess.run([python, *arguments], cwd=place, env=environment, check=True)

        for code in (START, START, readme(), VIEWER):
            run("-c", code)
        for name in EXAMPLES:
            run(ROOT / "examples" / f"{name}.py")


def main() -> None:
    """Check the wheel that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--install", action="store_true")
    chosen = parser.parse_args()
    audit(chosen.wheel)
    if chosen.install:
        play(chosen.wheel)


if __name__ == "__main__":
    main()
