"""RaiSim's sensor files: a ``<sensor_set>`` that a link of a URDF refers to."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from tribo.description.trees import SensorDescription
from tribo.formats.nodes import Node
from tribo.formats.pose import Pose
from tribo.formats.urdf_geometry import read_origin
from tribo.formats.xml import parse

PLACES = (".", "sensor", "sensors", "..", "../sensors")  # where a file is looked up, from the URDF
MAX_SENSORS = 1000  # of one robot
NOISES = ("gaussian", "uniform")
NO_NOISE = ("no_noise", "none", "")
HOUSING = ("inertial", "visual", "collision")
CLOCKWISE, OTHERWISE = (("cw", "clockwise", "-1"), ("ccw", "counter_clockwise", "counterclockwise", "1"))
KINDS = ("imu", "spinning_lidar", "depth", "rgb")


@dataclass(frozen=True, slots=True)
class SensorSet:
    """A sensor file, read, and the link that refers to it."""

    link: Node
    root: Node
    name: str


def find_sets(robot: Node, source: Path | None) -> list[SensorSet]:
    """Return the sensor files that the links of a URDF refer to.

    A file must lie in the URDF's folder, in ``sensor`` or ``sensors`` there, one folder above, or in
    ``sensors`` beside; symbolic links are followed before that is checked.

    Raises:
        DescriptionError: One is not allowed or wrong, or (strict) not there; the message says
            where and the remedy.
    """
    found = []
    for link in robot.all("link"):
        if "sensor" not in link.attributes:
            continue
        reference = link.text("sensor")
        path = _find(link, reference, source)
        if path is None:
            where = (
                "URDF text has no folder to look in"
                if source is None
                else f"it is not in the folder of the URDF, nor in {', '.join(PLACES[1:])} from there"
            )
            link.doubt(f"sensor={reference[:80]!r} was not found: {where}; its sensors are left out")
            continue
        root = parse(path, "sensor file", robot.report)
        if root.tag != "sensor_set":
            raise root.error("is not a sensor file; the outermost element must be <sensor_set>")
        name = root.word("name") or PurePosixPath(reference).stem
        found.append(SensorSet(link, root, name))
    return found


def add_housings(robot: Node, sets: list[SensorSet]) -> None:
    """Add the housings of sensor sets to a URDF: each is a link of its own, fixed where the set is."""
    taken = {node.attributes.get("name", "") for node in robot.children}
    for one in sets:
        for k, part in enumerate(one.root.all("link")):
            body = [node for node in part.children if node.tag in HOUSING]
            if not body:
                continue
            name = f"{one.link.text('name')}_{one.name}" + (f"_{k}" if k else "")
            while name in taken:
                name += "_housing"
            taken.add(name)
            robot.children.append(replace(part, attributes={"name": name}, children=body))
            ends = [
                part.made(tag, {"link": link})
                for tag, link in (("parent", one.link.text("name")), ("child", name))
            ]
            joint = part.made("joint", {"name": name, "type": "fixed"}, ends)
            joint.children += one.root.all("origin")
            robot.children.append(joint)


def read_set(one: SensorSet) -> list[SensorDescription]:
    """Return the sensors of a set: those that stand in it, and those in its <link>.

    Raises:
        DescriptionError: One is wrong; the message says where and the remedy.
    """
    root = one.root
    root.check_children(("origin", "link", "sensor"))
    place = read_origin(root)
    nodes = list(root.all("sensor"))
    for part in root.all("link"):
        part.check(("name",), ("sensor", *HOUSING))
        nodes += part.all("sensor")
    if not nodes:
        root.doubt("has no <sensor>: nothing is measured")
    found: list[SensorDescription] = []
    for node in nodes:
        sensor = _sensor(node, one.name, one.link.text("name"), place)
        if sensor is None:
            continue
        if any(other.name == sensor.name for other in found):
            raise node.error("a sensor of this name is already in the set; rename one")
        found.append(sensor)
        if len(found) > MAX_SENSORS:
            raise node.error(f"more than {MAX_SENSORS} sensors in one set; split it")
    return found


def _find(link: Node, reference: str, source: Path | None) -> Path | None:
    """Return the file behind a reference, None if there is none; refuse what is outside of the folders."""
    asked = PurePosixPath(reference.replace("\\", "/"))
    if not reference or asked.is_absolute() or ".." in asked.parts or "\0" in reference or ":" in reference:
        raise link.error(f"sensor={reference[:80]!r} must be a plain file name below the folder of the URDF")
    if source is None:
        return None
    folder = source.resolve().parent
    for place in PLACES:
        home = (folder / place).resolve()
        try:
            path = (home / asked).resolve()
            is_there = path.is_file()
        except (OSError, RuntimeError):
            continue
        if is_there:
            if not path.is_relative_to(home):
                raise link.error(f"sensor={reference!r} leads out of {home}; copy the file there")
            return path
    return None


def _sensor(node: Node, group: str, link: str, place: Pose) -> SensorDescription | None:
    node.check_attributes(("name", "type", "update_rate"))
    kind = node.text("type").lower()
    if kind not in KINDS:
        raise node.error(f"type={kind[:80]!r} is unknown; use one of {', '.join(KINDS)}")
    if kind == "rgb":
        node.doubt("colour cameras are not simulated, the sensor is left out", "rgb")
        return None
    pose = place @ read_origin(node)
    rate = node.number("update_rate", 0.0, at_least=0.0) or None
    noise = _noise(node.one("noise"))
    values: dict[str, object] = {}
    if kind == "imu":
        node.check_children(("origin", "limit", "noise"))
        limit = node.one("limit")
        if limit is not None:
            values["max_acceleration"] = limit.number("acc_limit", math.inf, above=0.0)
            values["max_angular_velocity"] = limit.number("ang_vel_limit", math.inf, above=0.0)
    elif kind == "depth":
        values, noise = _camera(node)
    else:
        values = _lidar(node)
    return SensorDescription(
        kind, f"{group}/{node.text('name')}", link, pose.position, pose.quaternion, rate, noise, values
    )  # fmt: skip


def _noise(node: Node | None) -> dict[str, str | float] | None:
    if node is None:
        return None
    kind = node.choice("type", (*NOISES, *NO_NOISE), "", fold=True)
    if kind in NO_NOISE:
        return None
    return {
        "kind": kind,
        "mean": node.number("mean", 0.0),
        "stddev": node.number("stddev", node.number("std", 0.0), at_least=0.0),
    }


def _camera(node: Node) -> tuple[dict[str, object], dict[str, str | float] | None]:
    """Return the numbers of a camera; its parts stand in <camera> or beside it."""
    node.check_children(("origin", "camera", "image", "clip", "noise", "data"))
    camera = node.need("camera")
    camera.check_children(("image", "clip", "noise", "data"))

    def part(tag: str) -> Node | None:
        inside = camera.one(tag)
        return inside if inside is not None else node.one(tag)

    image, clip = part("image"), part("clip")
    if image is None:
        raise camera.error("<image> is missing; add it")
    values: dict[str, object] = {
        "horizontal_fov": camera.number("horizontal_fov", above=0.0),
        "width": image.integer("width"),
        "height": image.integer("height"),
    }
    if clip is not None:
        values["clip"] = (clip.number("near", at_least=0.0), clip.number("far", above=0.0))
    return values, _noise(part("noise"))


def _lidar(node: Node) -> dict[str, object]:
    node.check_children(("origin", "model", "yaw", "pitch", "spin", "range", "noise"))
    yaw, pitch, span = (node.need(tag) for tag in ("yaw", "pitch", "range"))
    spin = node.one("spin")
    samples = pitch.integer("samples")
    if not 1 <= samples <= 100_000:
        raise pitch.error(f"samples={samples} must be between 1 and 100000")
    low = pitch.number("min_angle")
    high = pitch.number("max_angle", low)
    step = (high - low) / (samples - 1) if samples > 1 else 0.0
    values: dict[str, object] = {
        "yaw_samples": yaw.integer("samples"),
        "pitch": [low + k * step for k in range(samples)],
        "range_limits": (span.number("min", at_least=0.0), span.number("max", above=0.0)),
    }
    if spin is not None:
        direction = spin.choice("direction", (*CLOCKWISE, *OTHERWISE), "ccw", fold=True)
        values["clockwise"] = direction in CLOCKWISE
        values["spin_rate"] = spin.number("rate", 0.0, at_least=0.0)
    return values
