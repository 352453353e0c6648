"""Ten seconds of Spatial_v2's rolling disc with all events, next to GNU Octave's ode45 without any.

    python benchmarks/rolling_disc.py [--duration 10] [--rtol 1e-7] [--atol 1e-9]

One thread each, processor time. A run whose disc is not where Spatial_v2's own is after 1.5 s gets no
speed. Octave takes part if it is installed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np

from tribo.ground import Ground, Motion, simulate
from tribo.spatial import rollingdisc

TRUTH = 0.432605  # [m] x at 1.5 s, computed with the original at a tolerance of 1e-11
START = [np.cos(0.09), 0, 0, np.sin(0.09), 0, 0, 0.1, 0, 0, 0, 0.6, 0, 0]


def disc(duration: float, rtol: float, atol: float, method: str) -> tuple[Motion, float]:
    """Return a motion and the processor time that it took."""
    ground = Ground(K=1e6, D=2000.0, mu=0.1)
    begin = time.process_time()
    motion = simulate(
        rollingdisc(16), ground, duration, xfb=START, rtol=rtol, atol=atol, method=method,
        progress=False,
    )  # fmt: skip
    return motion, time.process_time() - begin


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--duration", type=float, default=10.0)
    parser.add_argument("--rtol", type=float, default=1e-7)
    parser.add_argument("--atol", type=float, default=1e-9)
    wanted = parser.parse_args()
    if wanted.duration < 1.5:
        parser.error("--duration must be at least 1.5 s: the guard looks there")
    for method in ("RK45", "DOP853"):
        disc(0.01, wanted.rtol, wanted.atol, method)  # compiles
        motion, used = disc(wanted.duration, wanted.rtol, wanted.atol, method)
        off = motion.at(1.5).xfb[0, 4] - TRUTH
        told = f"{used:.2f} s, {len(motion.time)} steps, {len(motion.events)} events"
        print(f"tribo {method:7} {told if abs(off) < 1e-3 else 'guard failed'}   off by {off:.1e} m")
    octave = shutil.which("octave-cli") or shutil.which("octave")
    if octave is None:
        print("octave: not installed")
        return
    script = Path(__file__).with_suffix(".m")
    numbers = [str(x) for x in (wanted.duration, wanted.rtol, wanted.atol)]
    command = [octave, "--no-gui", "--quiet", str(script), *numbers]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    off = float(out[2]) - TRUTH
    told = f"{float(out[0]):.2f} s, {out[1]} points of time, no events"
    print(f"octave ode45  {told if abs(off) < 1e-3 else 'guard failed'}   off by {off:.1e} m")


if __name__ == "__main__":
    main()
