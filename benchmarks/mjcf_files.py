"""MJCF files of public packages: which load, and whether they say what MuJoCo compiles, field by field.

Run `python benchmarks/mjcf_files.py --packages SITE_PACKAGES --write-docs`, where the folder holds what
`pip install --no-deps --target SITE_PACKAGES dm_control gymnasium gymnasium-robotics metaworld robosuite`
puts there. MuJoCo must be installed. Each file that MuJoCo compiles is read by tribo twice, as a file
(`tribo.formats.mjcf.read`) and out of MuJoCo's arrays (`read_model`); both are compared, then the world is
built and makes ten steps.
"""

from __future__ import annotations

import argparse
import collections
import logging
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np

import tribo
from tribo.description.trees import TreeDescription, WorldDescription
from tribo.formats import mjcf

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/mjcf-files.md"
PACKAGES = {
    "dm_control": "dm_control", "gymnasium": "gymnasium", "gymnasium_robotics": "gymnasium-robotics",
    "metaworld": "metaworld", "robosuite": "robosuite",
}  # fmt: skip
STEPS = 10
EQUAL = 1e-9  # [–] of the largest number of the kind in a file
JOINT = ("position", "quaternion", "axis", "lower", "upper", "damping", "armature", "friction",
         "stiffness", "effort_range")  # fmt: skip
ACTUATOR = ("gear", "gain", "bias", "control_range", "damper", "index")


@dataclass(slots=True)
class Result:
    """What became of a file."""

    package: str
    file: str
    refused: str = ""
    doubts: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)  # actuators that do nothing
    differences: dict[str, float] = field(default_factory=dict)  # by field


def examine(package: str, folder: Path, file: Path) -> Result | None:
    """Return what becomes of a file; None: MuJoCo does not compile it either."""
    try:
        model = mujoco.MjModel.from_xml_path(str(file))
    except ValueError:
        return None
    made = Result(package, file.relative_to(folder).as_posix())
    try:
        scene = mjcf.read(file, package_dirs=[folder])
        made.doubts = scene.doubts
        made.idle = [text for text in scene.doubts if "does nothing" in text]
        made.differences = differences(scene, mjcf.read_model(model))
        world = tribo.World()
        world.take_scene(scene)
        world.step(STEPS)
    except (ValueError, RuntimeError) as error:
        made.refused = str(error).replace(f"{folder.parent}/", "")
    return made


def differences(one: WorldDescription, two: WorldDescription) -> dict[str, float]:
    """Return the largest difference of each field, relative to its largest number in the file."""
    first, second = (collected(scene) for scene in (one, two))
    found = {}
    for name in sorted(first.keys() | second.keys()):
        a, b = (np.array(numbers.get(name, []), float) for numbers in (first, second))
        if a.shape != b.shape:
            found[f"number of: {name}"] = np.inf
            continue
        finite = np.isfinite(a)
        if not np.array_equal(finite, np.isfinite(b)):
            found[name] = np.inf
        elif a.size:
            largest = max(float(np.abs(b[finite]).max(initial=0.0)), 1e-12)
            found[name] = float(np.abs(a[finite] - b[finite]).max(initial=0.0)) / largest
    return found


def collected(scene: WorldDescription) -> dict[str, list[float]]:
    """Return all numbers of a scene by field."""
    made: dict[str, list[float]] = collections.defaultdict(list)
    made["option"] += [scene.time_step, *scene.gravity]
    for item in scene.objects:
        if item.tree is not None:
            for name, numbers in of_tree(item.tree):
                made[name] += numbers
        elif item.shape is not None:
            made["standing geom kind"].append(float(item.shape.kind))
    made["geoms that a geom can meet"] = partners(scene)
    return dict(made)


def partners(scene: WorldDescription) -> list[float]:
    """Return for each geom how many others its bits let it meet: which bits say so does not matter."""
    shapes = [item.shape for item in scene.objects if item.shape is not None]
    shapes += [
        shape
        for item in scene.objects
        if item.tree is not None
        for body in item.tree.bodies
        for shape in body.shapes
    ]
    group, mask = (
        np.array([getattr(shape, name) for shape in shapes], np.uint64) for name in ("group", "mask")
    )
    meets = (group[:, None] & mask) | (mask[:, None] & group)
    return (meets != 0).sum(axis=1).astype(float).tolist()


def of_tree(tree: TreeDescription) -> Iterator[tuple[str, list[float]]]:
    """Iterate over fields and numbers of a robot."""
    for body in tree.bodies:
        yield "mass", [body.mass]
        yield "centre of mass", list(body.com) if body.mass else []
        yield "inertia", body.inertia.ravel().tolist()
        yield "gravcomp", [body.gravity_compensation]
        for name in JOINT:
            numbers = np.ravel(getattr(body.joint, name)).tolist()
            if name == "quaternion":
                numbers = (np.outer(numbers, numbers)).ravel().tolist()
            yield f"joint {name}", numbers
        yield "equality joint", list((body.joint.mimic or ("", 0.0, 0.0))[1:])
        for shape in body.shapes:
            yield "geom kind", [float(shape.kind)]
            numbers = re.findall(r"[-+.\de]+", shape.material.split(" of ")[0].replace("mjcf", ""))
            yield "geom friction", [float(x) for x in numbers]
            if shape.geometry is None:
                yield "geom size", list(shape.size)
                yield "geom place", list(shape.position)
    for item in tree.actuators:
        for name in ACTUATOR:
            yield f"actuator {name}", np.ravel(getattr(item, name)).astype(float).tolist()
        law = item.law
        if law is not None:
            numbers = (law.gear, law.dynamics, law.time, law.gain, law.bias, law.state_range, law.wrench)
            yield "actuator law", [float(x) for part in numbers for x in np.ravel(part)]
            yield "length range of muscles", list(law.length_range)
    for one in tree.couplings:
        yield "coupling", [c for _, c in (*one.terms, *one.inner)]
        yield "coupling curve", list(one.curve)
        yield "coupling range", [one.lower, one.upper, *one.rest]
        yield "coupling forces", [one.stiffness, one.damping, one.friction, one.inertia]
    for tie in tree.constraints:
        yield "equality", [float(x) for x in np.ravel(tie.points)]
    yield "start", list(tree.start or ())


def main() -> int:
    """Examine all files, print a table; return 1 if fewer than 99 % load or one differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="folder with the packages")
    parser.add_argument("--only", action="append", default=[], choices=PACKAGES)
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.CRITICAL)
    found = []
    for package in options.only or PACKAGES:
        folder = (options.packages / package).resolve()
        if not folder.is_dir():
            parser.error(f"{folder} is not there: pip install --no-deps {PACKAGES[package]}")
        for file in sorted(folder.rglob("*.xml")):
            result = examine(package, folder, file)
            if result is not None:
                found.append(result)
    text = page(found, versions(options.packages))
    print(text)
    if options.write_docs:
        PAGE.write_text(text, "utf-8")
    loaded = sum(not one.refused for one in found)
    return int(loaded < 0.99 * len(found))


def versions(folder: Path) -> dict[str, str]:
    """Return the versions of the packages in a folder."""
    return {
        found.metadata["Name"].replace("-", "_"): found.version
        for found in metadata.distributions(path=[str(folder)])
    }


def page(found: list[Result], known: dict[str, str]) -> str:
    """Return the page of the docs."""
    loaded = sum(not one.refused for one in found)
    idle = sum(bool(one.idle) for one in found)
    lines = [
        "# MJCF files of public packages", "",
        INTRODUCTION.format(len(found), mujoco.__version__, loaded, STEPS, idle), "",
        "| package | files | loaded | with idle actuators | as MuJoCo compiles them |",
        "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for package in dict.fromkeys(one.package for one in found):
        own = [one for one in found if one.package == package]
        alike = sum(not one.refused and max(one.differences.values(), default=0.0) <= EQUAL for one in own)
        lines.append(
            f"| {package} {known.get(package, '')} | {len(own)} | {sum(not one.refused for one in own)} | "
            f"{sum(bool(one.idle) for one in own)} | {alike} |"
        )
    lines += ["", "## Differences", "", DIFFERENCES.format(EQUAL), ""]
    worst = collections.defaultdict(list)
    for one in found:
        for name, size in one.differences.items():
            if size > EQUAL:
                worst[name].append((size, f"{one.package}/{one.file}"))
    lines += ["| field | files | largest | in |", "| --- | --- | --- | --- |"]
    for name, sizes in sorted(worst.items()):
        size, file = max(sizes)
        lines.append(f"| {name} | {len(sizes)} | {size:.1e} | `{file}` |")
    lines += ["", "## Refused", ""]
    lines += [f"* `{one.package}/{one.file}`: {one.refused}" for one in found if one.refused]
    if loaded == len(found):
        lines.append("None.")
    lines += ["", "## Actuators that do nothing", ""]
    lines += [
        f"* `{one.package}/{one.file}`: {'; '.join(_short(text) for text in one.idle)}"
        for one in found
        if one.idle
    ]
    if not idle:
        lines.append("None.")
    lines += ["", "## Other elements that are not read", "", "| what is said | files |", "| --- | --- |"]
    counts = collections.Counter(
        text for one in found for text in {_short(text) for text in one.doubts} - set(one.idle)
    )
    lines += [
        f"| {text.replace('|', '/')} | {count} |"
        for text, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if "does nothing" not in text
    ]
    return "\n".join(lines) + "\n"


INTRODUCTION = (
    "Of {} files that MuJoCo {} compiles, {} load in tribo and make {} steps; {} have an actuator that does "
    "nothing. Made by `python benchmarks/mjcf_files.py --packages … --write-docs`; how files "
    "are read: [Scenes and robots from MuJoCo](howto/mjcf.md)."
)
DIFFERENCES = (
    "Each file is read as a file, and out of the arrays that MuJoCo compiled from it; the table has fields "
    "that differ by more than {:g} of the largest number of their kind in the file."
)


def _short(text: str) -> str:
    """Return a note without its place, names and counts."""
    text = re.sub(r" \(\d+ times\)$", "", text)
    text = re.sub(r"^.*?: <(\w+)[^>]*>: ", r"`\1`: ", text)
    return re.sub(r"'[^']*'", "…", text)


if __name__ == "__main__":
    sys.exit(main())
