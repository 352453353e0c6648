"""The commands of `tribo` that write and read recordings."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

import tribo

console = Console(highlight=False)
EVERY = 0.005  # [s] of world time between frames

Load = Callable[[argparse.Namespace], tuple[tribo.World, str]]
Command = Callable[..., argparse.ArgumentParser]


def add_commands(
    commands: Any, command: Command, add_file: Callable[..., None], positive: Any, load: Load,
    step: Callable[[tribo.World, int], None], steps_of: Callable[..., int],
) -> None:  # fmt: skip
    """Add the commands to the parser of `tribo`, which hands over its own ways to read and to step."""

    def run(chosen: argparse.Namespace) -> int:
        return _record(chosen, load, step, steps_of)

    record = command(commands, "record", run, "step a world or a robot and record it",
                     "tribo record world.xml run.zarr --seconds 10")  # fmt: skip
    add_file(record)
    record.add_argument("out", type=Path, metavar="OUT", help="the recording, e.g. run.zarr")
    record.add_argument("--seconds", "--duration", type=positive, default=5.0, metavar="S",
                        dest="duration", help="world time [s] (5)")  # fmt: skip
    record.add_argument("--every", type=positive, default=EVERY, metavar="S",
                        help=f"world time between frames [s] ({EVERY:g})")  # fmt: skip
    record.add_argument(
        "--overwrite", action="store_true", help="replace an older recording of this name"
    )


def _record(
    chosen: argparse.Namespace, load: Load, step: Callable[[tribo.World, int], None],
    steps_of: Callable[..., int],
) -> int:  # fmt: skip
    world, _ = load(chosen)
    steps = steps_of(chosen, world)
    tribo.warm_up()
    start = time.perf_counter()
    with world.record(chosen.out, chosen.every, overwrite=chosen.overwrite) as recorder:
        step(world, steps)
    wall = time.perf_counter() - start
    console.print(
        f"recorded {recorder.frames} frames of {steps * world.time_step:g} s in {chosen.out} ({wall:.2g} s)",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    return 0
