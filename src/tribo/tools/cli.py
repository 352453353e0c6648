"""The command `tribo`."""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import TimeRemainingColumn
from rich.table import Table

import tribo
from tribo.formats.material_files import ENDINGS as YAML_ENDINGS
from tribo.tools import learn_commands, material_report, recording_commands, render_command, robot_report
from tribo.tools.arguments import (
    CHECKED,
    Parser,
    add_command,
    add_file,
    add_materials,
    add_reading,
    positive,
    progress,
)
from tribo.tools.load_file import InputError, kind_of_file, load, materials_of

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False, soft_wrap=True)

MAX_STEPS = 1e9  # of one run: hours of the smallest scene

EXAMPLES = """examples:
  tribo run world.xml --duration 10 --plot run.png
  tribo run robot.urdf --hold --duration 2
  tribo view world.xml
  tribo record world.xml run.zarr --seconds 10
  tribo check robot.urdf
  tribo check world.xml
  tribo check materials.yaml --time-step 0.005
  tribo train CartPole --out runs/cart_pole
  tribo play runs/cart_pole
  tribo warmup
"""


Remarks = robot_report.Report | material_report.MaterialReport


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 well, 1 bad input or a failed simulation, 2 usage."""
    chosen = _parser().parse_args(arguments)
    level = logging.INFO if chosen.verbose else logging.WARNING
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    logging.getLogger("tribo").setLevel(level)
    try:
        code: int = chosen.action(chosen)
    except KeyboardInterrupt:
        return 130
    except KeyError as error:
        errors.print(f"tribo: {error.args[0] if error.args else error}", style="red", markup=False)
    except (ValueError, TypeError, OSError, ImportError, RuntimeError, MemoryError) as error:
        errors.print(f"tribo: {error}", style="red", markup=False)
    else:
        return code
    return 1


def _parser() -> Parser:
    parser = Parser(
        prog="tribo", description="Rigid-body physics for robots.", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"tribo {tribo.__version__}")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what readers ignored")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = add_command(commands, "run", _run, "step a world or a robot and sum up",
                   "tribo run world.xml --duration 10 --plot run.png")  # fmt: skip
    add_file(run)
    run.add_argument("--duration", type=positive, default=5.0, metavar="S", help="world time [s] (5)")
    run.add_argument("--plot", type=Path, metavar="PNG", help="draw heights, energy, normal forces, residual")
    run.add_argument("--record", help=argparse.SUPPRESS)  # of an older version

    view = add_command(commands, "view", _view, "show a world or a robot in the browser",
                    "tribo view robot.urdf --hold")  # fmt: skip
    add_file(view)
    view.add_argument("--host", default="127.0.0.1", help="address to listen on (this machine only)")
    view.add_argument("--port", type=int, default=8080, help="port to listen on (8080)")
    view.add_argument("--duration", type=positive, metavar="S", help="end after S seconds")

    recording_commands.add_commands(commands, _step_all, _steps)
    render_command.add_to(commands)
    check = add_command(commands, "check", _check, "say what a file holds and what looks wrong",
                     "tribo check robot.urdf")  # fmt: skip
    check.add_argument("file", type=Path, metavar="FILE", help=CHECKED)
    add_reading(check)
    add_materials(check)

    learn_commands.add_commands(commands)
    bench = add_command(commands, "bench", _bench, "measure this machine (in a source checkout)",
                     "tribo bench --help")  # fmt: skip
    bench.add_argument("rest", nargs=argparse.REMAINDER, help="handed on to benchmarks/run.py")
    warmup = add_command(commands, "warmup", _warm_up, "compile all kernels now", "tribo warmup --all")
    warmup.add_argument(
        "--all", action="store_true", help="also those of cones, ellipsoids, hulls, meshes and height maps"
    )
    return parser


# -- commands ----------------------------------------------------------------------------------
def _steps(chosen: argparse.Namespace, world: tribo.World) -> int:
    """Return how many steps were asked for."""
    duration: float = chosen.duration
    steps = max(1, round(duration / world.time_step))
    if steps > MAX_STEPS:
        raise InputError(
            f"{duration:g} s are {steps:.3g} steps of {world.time_step:g} s, at most {MAX_STEPS:g} "
            "are made; take a longer --time-step or a shorter --duration"
        )
    return steps


def _step_all(world: tribo.World, steps: int, stride: int = 100) -> None:
    """Step with a progress bar, `stride` steps at a time."""
    with progress(errors, TimeRemainingColumn()) as bar:
        task = bar.add_task("stepping", total=steps)
        for first in range(0, steps, stride):
            some = min(stride, steps - first)
            world.step(some)
            bar.advance(task, some)


def _run(chosen: argparse.Namespace) -> int:
    if chosen.record is not None:
        raise InputError(
            "--record is gone: `tribo record FILE run.zarr` keeps everything over time, and "
            "`tribo export run.zarr run.npz` makes NumPy arrays of it"
        )
    plot: Path | None = chosen.plot
    if plot is not None and not plot.absolute().parent.is_dir():
        raise InputError(f"{plot}: its folder does not exist; make it first")
    world, _ = load(chosen)
    steps = _steps(chosen, world)
    tribo.warm_up()
    if plot is None:
        _run_and_sum_up(chosen.file, world, steps)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "run.zarr"
        with world.record(kept, recording_commands.EVERY):
            _run_and_sum_up(chosen.file, world, steps)
        tribo.Recording(kept).plot(path=plot)
    console.print(f"drew {plot}", markup=False)
    return 0


def _run_and_sum_up(path: Path, world: tribo.World, steps: int) -> None:
    start = time.perf_counter()
    _step_all(world, steps)
    _sum_up(path, world, steps, time.perf_counter() - start)


def _sum_up(path: Path, world: tribo.World, steps: int, wall: float) -> None:
    table = Table(title=path.name, show_header=False, title_justify="left")
    rows = {
        "world time": f"{world.time:.6g} s",
        "steps": f"{steps} of {1e3 * world.time_step:g} ms",
        "speed": f"{steps / wall:,.0f} steps/s, {steps * world.time_step / wall:.3g} × real time",
        "energy": f"kinetic {world.kinetic_energy:.6g} J, potential {world.potential_energy:.6g} J",
        "contacts": f"{len(world.contacts)}",
        "residual": f"{world.residual.max():.1e}",
        "status": world.status.name or "well",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)
    places = Table("object", *(escape(f"{axis} [m]") for axis in "xyz"))
    for part in world.objects[:20]:
        places.add_row(part.name, *(f"{x:.6g}" for x in part.position))
    console.print(places)
    if len(world.objects) > 20:
        console.print(f"… and {len(world.objects) - 20} more")


def _view(chosen: argparse.Namespace) -> int:
    from tribo.viewer import Viewer

    world, follows = load(chosen)
    tribo.warm_up()
    with Viewer(world, chosen.host, chosen.port) as viewer:
        viewer.panel.follow(follows)
        console.print(f"open {viewer.address} in a browser; Ctrl-C ends", markup=False)
        try:
            viewer.run(chosen.duration)
        except KeyboardInterrupt:
            console.print()
    return 0


def _check(chosen: argparse.Namespace) -> int:
    if chosen.file.suffix.lower() in YAML_ENDINGS:
        return _check_materials(chosen)
    for name in ("default_table", "pair", "time_step", "mass", "thickness"):
        if getattr(chosen, name) and not (name == "time_step" and chosen.materials):
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{chosen.file}: {option} is for material files (.yaml); leave it out")
    dirs, kind = tuple(chosen.package_dir), kind_of_file(chosen.file)
    materials = materials_of(chosen, kind)
    if chosen.fixed_base and kind != "robot":
        raise InputError(f"{chosen.file}: --fixed-base is for robots (URDF); leave it out")
    for report in robot_report.examine(
        chosen.file, kind, package_dirs=dirs, strict=chosen.strict, fixed_base=chosen.fixed_base,
        materials=materials, time_step=chosen.time_step,
    ):  # fmt: skip
        console.print(report.headline, markup=False)
        for name, titles in robot_report.TABLES.items():
            _show(titles, getattr(report, name))
        if report.keyframes:
            console.print(f"keyframes: {', '.join(report.keyframes)}", markup=False)
        _show_complaints(report)
    return 0


def _check_materials(chosen: argparse.Namespace) -> int:
    if chosen.materials:
        raise InputError(f"{chosen.file}: is a material file; tables below it: --default-table YAML")
    report = material_report.examine(
        chosen.file, below=chosen.default_table, pair=chosen.pair, strict=chosen.strict,
        time_step=chosen.time_step, mass=chosen.mass, thickness=chosen.thickness,
    )  # fmt: skip
    console.print(report.text, markup=False, soft_wrap=True)
    _show_complaints(report)
    return 0


def _show(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a table that has rows."""
    table = Table(*map(escape, titles))
    for row in rows:
        table.add_row(*map(escape, row))
    if rows:
        console.print(table)


def _show_complaints(report: Remarks) -> None:
    for text in report.warnings:
        console.print(f"warning: {text}", style="yellow", markup=False, soft_wrap=True)
    for text in report.notes:
        console.print(f"note: {text}", markup=False, soft_wrap=True)


def _bench(chosen: argparse.Namespace) -> int:
    script = Path(tribo.__file__).parents[2] / "benchmarks" / "run.py"
    if not script.is_file():
        raise InputError(
            "benchmarks are not part of the installed package; get the source and run 'make bench' there"
        )
    return subprocess.run([sys.executable, script, *chosen.rest], check=False).returncode


def _warm_up(chosen: argparse.Namespace) -> int:
    start = time.perf_counter()
    tribo.warm_up(everything=chosen.all)
    console.print(f"kernels are ready ({time.perf_counter() - start:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
