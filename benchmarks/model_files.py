"""Model files of public packages, by format: which load, which are refused and why.

Run `python benchmarks/model_files.py --packages FOLDER --write-docs`, where the folder holds what these put
there:

    pip install --no-deps --target FOLDER airo-models armar dexmate-urdf drake example-robot-data \
        gb-robot-models gym-ignition-models hello-robot-stretch-urdf icub-models jvrc-description newton \
        pybullet

Each file is added to a world of its own with its meshes, and makes ten steps. MJCF files have a page of their
own, by `benchmarks/mjcf_files.py`.
"""

from __future__ import annotations

import argparse
import collections
import logging
import re
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from importlib import metadata
from pathlib import Path
from types import FrameType

import tribo

PAGE = Path(__file__).parent.parent / "docs/model-files.md"
PACKAGES = {  # by folder: names on PyPI
    "airo_models": "airo-models", "armar": "armar", "cmeel.prefix": "example-robot-data",
    "dexmate_urdf": "dexmate-urdf", "gym_ignition_models": "gym-ignition-models",
    "jvrc_description": "jvrc-description", "newton": "newton", "pybullet_data": "pybullet",
    "pydrake": "drake",
    "share/gb_robot_models": "gb-robot-models", "share/iCub": "icub-models",
    "stretch_urdf": "hello-robot-stretch-urdf",
}  # fmt: skip
FORMATS = {
    "URDF": (".urdf",), "SDF": (".sdf", ".world"), "USD": (".usd", ".usda", ".usdc", ".usdz"),
    "VRML": (".wrl",),
}  # fmt: skip
STEPS = 10
PATIENCE = 120  # [s] of a processor for one file


@dataclass(slots=True)
class Result:
    """What became of a file."""

    package: str
    format: str
    file: str
    refused: str = ""
    seconds: float = 0.0
    doubts: list[str] = field(default_factory=list)


class TooSlowError(RuntimeError):
    """A file took too long."""


class Listener(logging.Handler):
    """Keeps the warnings of one file."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning, without the title of the file."""
        self.texts += record.getMessage().split("\n")


def examine(result: Result, path: Path, folders: list[Path]) -> None:
    """Load a file, make some steps, and note what was said."""
    listener = Listener()
    log = logging.getLogger("tribo")
    log.addHandler(listener)
    begin = time.monotonic()
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        world = tribo.World()
        if result.format == "URDF":
            robot = world.add_articulated_system(path, package_dirs=folders)
            listener.texts += robot.description.doubts
        elif result.format == "SDF":
            world.load_sdf(path, package_dirs=folders)
        elif result.format == "USD":
            world.load_usd(path, package_dirs=folders)
        else:
            world.add_mesh(path, mass=1.0)
        world.step(STEPS)
    except (ValueError, RuntimeError, ImportError) as error:
        result.refused = str(error).split("\n", maxsplit=1)[0]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        log.removeHandler(listener)
        result.seconds = time.monotonic() - begin
    result.doubts = list(dict.fromkeys(listener.texts))


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlowError(f"takes more than {PATIENCE} s of a processor")


def main() -> int:
    """Examine all files, print the page; return 1 if fewer than 95 % load."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="folder with the packages")
    parser.add_argument("--only", action="append", default=[], choices=FORMATS)
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    log = logging.getLogger("tribo")
    log.propagate = False
    log.addHandler(logging.NullHandler())
    signal.signal(signal.SIGPROF, _stop)
    root = options.packages.resolve()
    found = []
    for package, path, kind in files(root, options.only or list(FORMATS)):
        folder = root / package
        inner = path.relative_to(folder).as_posix()
        result = Result(PACKAGES[package], kind, inner)
        examine(result, path, package_folders(folder))
        result.refused = result.refused.replace(f"{folder}/", "")
        found.append(result)
        print(f"{result.seconds:6.2f} s {result.package}/{inner}: {result.refused or 'loaded'}",
              file=sys.stderr, flush=True)  # fmt: skip
    text = page(found, versions(root), str(root))
    print(text)
    if options.write_docs:
        PAGE.write_text(text, "utf-8")
    return int(sum(not one.refused for one in found) < 0.95 * len(found))


def files(root: Path, formats: list[str]) -> Iterator[tuple[str, Path, str]]:
    """Iterate over the packages' files: package, path, format."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*")):
            for kind in formats:
                if path.suffix.lower() in FORMATS[kind] and path.is_file():
                    yield package, path, kind


def package_folders(folder: Path) -> list[Path]:
    """Return the folders in which package://NAME and model://NAME are looked up."""
    made = [folder, *(path.parent.parent for path in folder.rglob("package.xml"))]
    made += [path.parent for path in folder.rglob("meshes")]
    made += [path.parent.parent for path in folder.rglob("meshes")]
    return list(dict.fromkeys(one for one in made if one.is_relative_to(folder)))


def versions(folder: Path) -> dict[str, str]:
    """Return the versions of the packages in a folder."""
    return {
        found.metadata["Name"].replace("_", "-"): found.version
        for found in metadata.distributions(path=[str(folder)])
    }


def page(found: list[Result], known: dict[str, str], root: str) -> str:
    """Return the page of the docs."""
    counts = {
        kind: (len(own), sum(not one.refused for one in own))
        for kind in FORMATS
        if (own := [one for one in found if one.format == kind])
    }
    said = ", ".join(f"{loaded} of {count} {kind} files" for kind, (count, loaded) in counts.items())
    lines = [
        "# URDF, SDF and USD files of public packages", "",
        INTRODUCTION.format(said, STEPS, date.today()), "",
        "| package on PyPI | format | files | loaded | with warnings |",
        "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for package in dict.fromkeys(one.package for one in found):
        for kind in FORMATS:
            own = [one for one in found if (one.package, one.format) == (package, kind)]
            if own:
                lines.append(
                    f"| {package} {known.get(package, '')} | {kind} | {len(own)} | "
                    f"{sum(not one.refused for one in own)} | "
                    f"{sum(bool(one.doubts) and not one.refused for one in own)} |"
                )
    lines += ["", "## Refused", ""]
    reasons: dict[str, list[Result]] = collections.defaultdict(list)
    for one in found:
        if one.refused:
            reasons[_short(one.refused, root)].append(one)
    lines += ["| why | files | for example |", "| --- | --- | --- |"] if reasons else ["None."]
    for text, own in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"| {text} | {len(own)} | `{own[0].package}/{own[0].file}` |")
    lines += ["", "## Warnings", "", "| what is said | format | files |", "| --- | --- | --- |"]
    tally = collections.Counter(
        (text, one.format)
        for one in found
        if not one.refused
        for text in {_short(text, root) for text in one.doubts}
    )
    often = sorted(tally.items(), key=lambda item: (-item[1], item[0]))[:40]
    lines += [f"| {text} | {kind} | {count} |" for (text, kind), count in often if text]
    return "\n".join(lines) + "\n"


INTRODUCTION = (
    "{} load and make {} steps. All are files of packages on PyPI, each with its meshes; those that are "
    "refused are listed below with the reason. Made by "
    "`python benchmarks/model_files.py --packages … --write-docs`, which says how to get "
    "the packages; all rows are of {}; none of them has a VRML file. How files are read: "
    "[URDF](howto/urdf.md), [SDF](howto/sdf.md), [USD](howto/usd.md); MJCF files: "
    "[MJCF files of public packages](mjcf-files.md)."
)


def _short(text: str, root: str) -> str:
    """Return a note without places, names and numbers, so that equal ones count as one; empty: no news."""
    text = re.sub(r" \(\d+ times\)$", "", text.replace(f"{root}/", "").strip())
    if re.search(r"\d+ things may not be|^and \d+ more", text):
        return ""
    for known, pattern in FAMILIAR.items():
        if re.search(pattern, text):
            return known
    text = re.sub(r"^.*?<(/[^>]*)>: ", "", text)
    text = re.sub(r"^.*?<(\w+)[^>]*>: ", r"`\1`: ", text)
    text = re.sub(r"^\w\S*: (?=joint|link|the mesh)", "", text)
    text = re.sub(r"'[^']*'", "…", text)
    text = re.sub(r"(?<![\w.])-?\d[\d.e+-]*", "N", text)
    text = re.sub(r" in \S+:N: `?<?\w+[^:]*", "", text)
    return text.replace("|", "/").replace("<", "&lt;")[:160]


FAMILIAR = {
    "joints are beyond their stops": "joints are beyond their stops",
    "its convex hull, which collides, is larger than the mesh": "its convex hull, which collides",
    "overlaps, or gaps of constraints, are closed slowly": "are closed more slowly than asked",
    "the contact solve misses its laws": "the contact solve misses its laws",
    "collision meshes are not found": "not found: (it does|they do) not collide",
    "stops that degrees would explain": r"stops at .* degrees\?",
    "an inertia that looks like a placeholder": "a placeholder, or other units",
}


if __name__ == "__main__":
    sys.exit(main())
