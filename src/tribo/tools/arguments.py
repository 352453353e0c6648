"""Arguments of the command `tribo`: options that commands share, and answers to misspelt ones."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn

from tribo.checks import answers, check

CHECKED = "RaiSim world, MJCF, URDF, body file, project (.cnoid), or material file (YAML)"
FILES = "RaiSim world, scene or robot of MuJoCo (MJCF), robot (URDF), body file or project of Choreonoid"


class Parser(argparse.ArgumentParser):
    """A parser that answers a misspelt command or option with the nearest one."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return what was chosen; an option that a command does not have is answered by that command."""
        chosen, rest = self.parse_known_args(args, namespace)
        if rest:
            parser: Parser = getattr(chosen, "parser", self)
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        return chosen

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, with the nearest name, and end with code 2."""
        super().error(message + self._hint(message))

    def _hint(self, message: str) -> str:
        """Return the end of a message about a command or an option that does not exist, or nothing."""
        choice = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if choice:
            word = choice[1]
            if Path(word).exists():
                return f"; to show that file: {self.prog} view {word}"
            return _proposed(word, re.findall(r"[\w-]+", choice[2]))
        unknown = re.search(r"unrecognized arguments: (--[\w-]+)", message)
        if unknown:
            return _proposed(unknown[1], sorted(set(re.findall(r"--[\w-]+", self.format_help()))))
        return ""


def _proposed(word: str, names: Sequence[str]) -> str:
    for meant, words in answers.table()["command"]:
        if meant in names and word.lower() in words:
            return f"; did you mean {meant!r}?"
    hint = check.nearest(word, names)
    return hint if "did you mean" in hint else ""


def add_command(
    commands: Any, name: str, action: Callable[[argparse.Namespace], int], text: str, example: str
) -> argparse.ArgumentParser:
    """Add a command with its help and an example."""
    made: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".",
        epilog=f"example:\n  {example}", formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    made.set_defaults(action=action, parser=made)
    return made


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add FILE and what is asked of a file that is stepped."""
    parser.add_argument("file", type=Path, metavar="FILE", help=FILES)
    parser.add_argument("--time-step", type=positive, metavar="S", help="instead of the file's [s]")
    parser.add_argument("--hold", action="store_true", help="drives hold every robot's posture")
    parser.add_argument("--set", type=_parameter, action="append", default=[], metavar="NAME=VALUE",
                        help="of @@NAME in a template; may be repeated")  # fmt: skip
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add how a file is read."""
    parser.add_argument("--package-dir", type=Path, action="append", default=[], metavar="DIR",
                        help="where files that it names are looked up; may be repeated")  # fmt: skip
    parser.add_argument("--root", dest="package_dir", type=Path, action="append", metavar="DIR",
                        help="the outermost folder that its ../ may lead to")  # fmt: skip
    parser.add_argument("--fixed-base", action="store_true",
                        help="the robot's root is fixed to the world, as an arm's is")  # fmt: skip
    parser.add_argument("--strict", action="store_true", help="unknown tags are errors")
    parser.add_argument("--materials", type=Path, action="append", default=[], metavar="YAML",
                        help="materials of a body file: densities, friction; may be repeated")  # fmt: skip


def add_materials(parser: argparse.ArgumentParser) -> None:
    """Add what is asked of a material file."""
    own = parser.add_argument_group("material files (YAML)")
    own.add_argument("--default-table", type=Path, action="append", default=[], metavar="YAML",
                     help="a table over which FILE is put; may be repeated")  # fmt: skip
    own.add_argument("--pair", nargs=2, metavar=("A", "B"), help="all values of one pair, with formulas")
    own.add_argument("--time-step", type=positive, metavar="S", help="judge the values for it [s]")
    own.add_argument("--mass", type=positive, metavar="KG", help="of the lightest body")
    own.add_argument("--thickness", type=positive, metavar="M", help="of the thinnest shape")


def progress(console: Console, *more: ProgressColumn) -> Progress:
    """Return a bar with its text and the time so far, and `more`; on a terminal only, until it is done."""
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), *more
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if "=" in text and name:
        return name, value
    raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE")


def positive(text: str) -> float:
    """Return a number > 0 of the command line."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a finite number > 0, got {text[:60]!r}")
    return value
