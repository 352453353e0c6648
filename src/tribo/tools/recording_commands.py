"""The commands of `tribo` that write and read recordings."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

import tribo
from tribo.recording.plots import KINDS
from tribo.tools.arguments import add_command, add_file, positive
from tribo.tools.load_file import load

console = Console(highlight=False)
FILM_RATE = 30  # [1/s] pictures of a film
EVERY = 0.005  # [s] of world time between frames


def add_commands(
    commands: Any, step: Callable[[tribo.World, int], None], steps_of: Callable[..., int]
) -> None:
    """Add the commands to the parser of `tribo`, which hands over how it steps."""

    def run(chosen: argparse.Namespace) -> int:
        return _record(chosen, step, steps_of)

    record = add_command(commands, "record", run, "step a world or a robot and record it",
                     "tribo record world.xml run.zarr --seconds 10")  # fmt: skip
    add_file(record)
    record.add_argument("out", type=Path, metavar="OUT", help="the recording, e.g. run.zarr")
    record.add_argument("--seconds", "--duration", type=positive, default=5.0, metavar="S",
                        dest="duration", help="world time [s] (5)")  # fmt: skip
    record.add_argument("--every", type=positive, default=EVERY, metavar="S",
                        help=f"world time between frames [s] ({EVERY:g})")  # fmt: skip
    record.add_argument("--overwrite", action="store_true", help="replace an older recording of this name")
    play = add_command(commands, "replay", _replay, "show a recording in the browser, or film it",
                   "tribo replay run.zarr world.xml")  # fmt: skip
    _add_recording(play)
    add_file(play)
    play.add_argument("--film", type=Path, metavar="MP4", help="write a film instead")
    play.add_argument("--page", type=Path, metavar="HTML", help="write one HTML file that plays it instead")
    play.add_argument("--beside", type=Path, metavar="OTHER",
                      help="another recording of this scene, in blue over the first")  # fmt: skip
    play.add_argument("--host", default="127.0.0.1", help="address to listen on (this machine only)")
    play.add_argument("--port", type=int, default=8080, help="port to listen on (8080)")
    play.add_argument("--duration", type=positive, metavar="S", help="end after S seconds")
    export = add_command(commands, "export", _export, "write a recording as CSV, Parquet, NumPy or USD",
                     "tribo export run.zarr run.csv --arrays q v")  # fmt: skip
    _add_recording(export)
    export.add_argument(
        "out", type=Path, metavar="OUT", help="file: .csv, .parquet, .npz, .usd, .usda, .usdc or .usdz"
    )
    export.add_argument("--arrays", nargs="+", metavar="NAME", help="those to keep; standard: all")
    export.add_argument(
        "--contacts", action="store_true", help="a table with a row per contact, not per frame"
    )

    plot = add_command(commands, "plot", _plot, "draw a recording over time",
                   "tribo plot run.zarr run.png --kinds energy joint_positions")  # fmt: skip
    _add_recording(plot)
    plot.add_argument("out", type=Path, metavar="OUT", help="picture: .png, .pdf or .svg")
    plot.add_argument("--kinds", nargs="+", default=[], choices=KINDS, metavar="KIND",
                      help=f"one below the other, of: {', '.join(KINDS)}")  # fmt: skip
    plot.add_argument("--object", metavar="NAME", help="show this object alone")


def _replay(chosen: argparse.Namespace) -> int:
    from tribo.viewer.page import save_page
    from tribo.viewer.player import Player
    from tribo.viewer.replay import replay

    recording = open_recording(chosen)
    world, _ = load(chosen)
    if chosen.beside is not None and (chosen.film is not None or chosen.page is not None):
        raise ValueError("--beside is for the browser; leave out --film and --page")
    if chosen.page is not None:
        size = save_page(replay(recording, world, FILM_RATE), chosen.page, chosen.recording.name)
        console.print(f"wrote {chosen.page}, {size / 1e6:.1f} MB", markup=False, soft_wrap=True)
        return 0
    if chosen.film is not None:
        replay(recording, world, FILM_RATE).save(chosen.film, FILM_RATE)
        console.print(f"wrote {chosen.film}", markup=False, soft_wrap=True)
        return 0
    other = None
    if chosen.beside is not None:
        chosen.recording = chosen.beside
        other = replay(open_recording(chosen), world)
    with Player(replay(recording, world), chosen.host, chosen.port, other=other) as player:
        console.print(f"open {player.address} in a browser; Ctrl-C ends", markup=False)
        try:
            player.run(chosen.duration)
        except KeyboardInterrupt:
            console.print()
    return 0


def _plot(chosen: argparse.Namespace) -> int:
    if not chosen.out.absolute().parent.is_dir():
        raise ValueError(f"{chosen.out}: its folder does not exist; make it first")
    open_recording(chosen).plot(*chosen.kinds, part=chosen.object, path=chosen.out)
    console.print(f"drew {chosen.out}", markup=False, soft_wrap=True)
    return 0


def _add_recording(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", type=Path, metavar="RECORDING", help="from `tribo record`")
    parser.add_argument("--from", dest="start", type=float, metavar="S", help="first time [s]")
    parser.add_argument("--to", dest="stop", type=float, metavar="S", help="last time [s]")


def open_recording(chosen: argparse.Namespace) -> tribo.Recording:
    """Return the part of a recording that was asked for; if its clock was set back, of what came after.

    Raises:
        ValueError: It has no frames.
    """
    recording = tribo.Recording(chosen.recording)
    if recording.restarts:
        last, frames = recording.restarts[-1], recording.frames
        recording = recording.part(last, frames)
        console.print(
            f"the clock of {chosen.recording} was set back; this is what came after: frames {last} to "
            f"{frames - 1}", markup=False, soft_wrap=True,
        )  # fmt: skip
    if chosen.start is not None or chosen.stop is not None:
        recording = recording.between(chosen.start, chosen.stop)
    if not recording.frames:
        raise ValueError(f"{chosen.recording}: no frames there")
    if not recording.is_complete:
        console.print(f"{chosen.recording} was not closed; read to its last chunk", markup=False)
    return recording


def _export(chosen: argparse.Namespace) -> int:
    recording = open_recording(chosen)
    recording.export(chosen.out, chosen.arrays, contacts=chosen.contacts)
    console.print(f"wrote {recording.frames} frames to {chosen.out}", markup=False, soft_wrap=True)
    return 0


def _record(
    chosen: argparse.Namespace, step: Callable[[tribo.World, int], None],
    steps_of: Callable[..., int],
) -> int:  # fmt: skip
    world, _ = load(chosen)
    steps = steps_of(chosen, world)
    tribo.warm_up()
    start = time.perf_counter()
    try:
        made = world.record(chosen.out, chosen.every, overwrite=chosen.overwrite)
    except FileExistsError as error:  # in the words of the command line
        said = str(error).replace("pass overwrite=True", "add --overwrite to replace")
        raise FileExistsError(said.replace("replace for an", "replace an")) from None
    with made as recorder:
        step(world, steps)
    wall = time.perf_counter() - start
    console.print(
        f"recorded {recorder.frames} frames of {steps * world.time_step:g} s in {chosen.out} ({wall:.2g} s)",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    return 0
