"""Write the film of a bounce that docs/howto/identify.md reads: heights of a ball, frame by frame.

    python benchmarks/bounce_film.py [src/tribo/assets/bounce.csv]

The heights are the closed form, not a simulation: parabolas, and Newton's restitution at each impact. The
ruler of the film begins 12 mm below the table, the errors of the points have a standard deviation of 2 mm.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

RESTITUTION, GRAVITY, RADIUS = 0.78, 9.81, 0.02
DROP, RULER, NOISE, RATE, FRAMES = 0.42, 0.012, 0.002, 60.0, 96


def height(times: np.ndarray) -> np.ndarray:
    """Return the height of the lowest point of a ball that falls from `DROP` at time 0, (n,) [m]."""
    made, start, speed = (np.empty_like(times), -np.sqrt(2.0 * DROP / GRAVITY), np.sqrt(2.0 * GRAVITY * DROP))
    for k, time in enumerate(times):
        while time - start > 2.0 * speed / GRAVITY:
            start, speed = start + 2.0 * speed / GRAVITY, RESTITUTION * speed
        since = time - start
        made[k] = speed * since - 0.5 * GRAVITY * since**2
    return made


def main() -> None:
    """Write the file."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "src/tribo/assets/bounce.csv")
    times = np.arange(FRAMES) / RATE
    shown = height(times) + RADIUS + RULER
    shown += np.random.default_rng(51).normal(0.0, NOISE, FRAMES)
    rows = [f"{t:.4f},{1e3 * h:.1f}" for t, h in zip(times, shown, strict=True)]
    path.write_text("\n".join(["time [s],height [mm]", *rows, ""]), "utf-8")


if __name__ == "__main__":
    main()
