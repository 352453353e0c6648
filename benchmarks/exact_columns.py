"""Exact derivatives of sampled steps of robots from files, column by column, against differences.

    python benchmarks/exact_columns.py FILES [--seed 0] [--samples 10] [--steps 200]

Robots twitch at random, as in `linearize.py FILES`. In some of their steps each column of the exact
derivative is compared with Richardson's extrapolation of differences of steps without drafts, of those within
which its input meets no border. A column is off if it misses by more than the bound of the extrapolation and
1e-6 of its largest number, or of 1: the figures of docs/physics/derivatives.md.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import logging
from pathlib import Path

import numpy as np
from linearize import LADDER, TOLERANCE, noise_of, richardson, twitching

import tribo

NEAR = 1e-6  # [–] of the largest number of a column


class Plain(tribo.control.Linearizer):
    """Differences of steps that are solved to the end at once: a draft of them leaves its own error."""

    def _batch(self, world, count):
        batch = super()._batch(world, count)
        batch.engine.work.arrays["bias_rounds"][:, 2] = 1
        return batch


def differences(world):
    """Return derivatives of a step, their bounds, and which columns are known."""
    noise = noise_of(world)
    made = [Plain(world, step=step, threads=1, method="differences").at(world) for step in LADDER]
    borders = [{change.input for change in one.changes} | set(one.kinks) for one in made]
    at_border = np.array([[name in one for name in made[0].names] for one in borders])
    best = np.full(len(made[0].names), np.inf)
    values, bounds = np.zeros_like(made[0].central), np.zeros_like(made[0].central)
    for k in range(len(made) - 2):
        value, bound, by_column = richardson(made[k : k + 3], noise)
        better = ~at_border[k : k + 3].any(axis=0) & (by_column < best)
        best[better] = by_column[better]
        values[:, better], bounds[:, better] = value[:, better], bound[:, better]
    return values, bounds, np.isfinite(best)


def compared(path, generator, samples, steps):
    """Count what was found in the sampled steps of a file."""
    found = collections.Counter()
    chosen = set(generator.choice(steps, samples, replace=False).tolist())
    linearizer = None
    for k, world in enumerate(itertools.islice(twitching(path, generator), steps)):
        world.tolerance = TOLERANCE
        linearizer = linearizer or tribo.control.Linearizer(world, threads=1)
        if k not in chosen:
            continue
        made = linearizer.at(world)
        if made.method != "exact":
            found["not exact"] += 1
            continue
        values, bounds, known = differences(world)
        size = np.maximum(np.abs(values).max(axis=0), 1.0)
        is_off = known & (np.abs(made.central - values) > bounds + NEAR * size).any(axis=0)
        found += collections.Counter(
            steps=1, columns=len(known), compared=int(known.sum()), off=int(is_off.sum()),
            **{"steps with one that is off": int(is_off.any())},
        )  # fmt: skip
        for name in np.array(made.names)[is_off]:
            print(f"    {path.name}, step {k}: {name} is off")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--samples", type=int, default=10, help="steps of each file")
    parser.add_argument("--steps", type=int, default=200, help="among which they are")
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    generator, total = np.random.default_rng(chosen.seed), collections.Counter()
    for path in chosen.files:
        found = compared(path, generator, chosen.samples, chosen.steps)
        print(f"{path.name}: {dict(found)}", flush=True)
        total += found
    print(f"all: {dict(total)}")


if __name__ == "__main__":
    main()
