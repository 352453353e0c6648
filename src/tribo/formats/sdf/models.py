"""Models of SDF with all that is nested in them or included, as one list of links and joints.

Names of what a nested model holds begin with its name and "::". Poses are relative to any frame: links,
joints, nested models and <frame>s are frames. Source: http://sdformat.org/tutorials?tut=pose_frame_semantics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tribo.checks.check import LARGEST
from tribo.description.trees import Vector
from tribo.formats.elements import unit_axis
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.nodes import Node, known_hint
from tribo.formats.pose import NO_POSE, Pose, from_roll_pitch_yaw, inverse, normalized, rotate
from tribo.formats.report import Report
from tribo.formats.sdf.unread import screen
from tribo.formats.xml import parse

ROOT = "__model__"
STANDARD = {  # models that Gazebo's installation brings along, for files that name them and have none
    "sun": """<sdf version="1.6"><light name="sun" type="directional"/></sdf>""",
    "ground_plane": """<sdf version="1.6"><model name="ground_plane"><static>1</static><link name="link">
        <collision name="collision"><geometry><plane><normal>0 0 1</normal></plane></geometry><surface>
        <friction><ode><mu>100</mu><mu2>50</mu2></ode></friction></surface></collision></link></model></sdf>""",
}
MAX_DEPTH = 32  # of models in models
MAX_PARTS = 20_000  # links and joints of a file with all that it includes


@dataclass(slots=True)
class Part:
    """A link or a joint, and where it is."""

    node: Node
    name: str  # with those of the models around it
    pose: Pose  # in the outermost model
    finder: MeshFinder
    ends: tuple[str, str] = ("", "")  # of a joint: parent and child link
    axes: tuple[Vector, ...] = ()  # of a joint, in its own frame


@dataclass(slots=True)
class Model:
    """A model, its poses in its own frame."""

    node: Node
    name: str
    links: list[Part] = field(default_factory=list)
    joints: list[Part] = field(default_factory=list)
    frames: dict[str, Pose] = field(default_factory=dict)
    carriers: dict[str, str] = field(default_factory=dict)  # frame → link to which it is attached
    canonical: str = ""  # the link to which its own frame is attached
    is_static: bool = False
    meets_itself: bool = False

    def moved(self, pose: Pose, prefix: str) -> Model:
        """Return it as seen from a frame in which it has a pose, its names behind a prefix."""

        def part(one: Part) -> Part:
            ends = tuple(_within(prefix, end) for end in one.ends)
            return Part(one.node, prefix + one.name, pose @ one.pose, one.finder, (ends[0], ends[1]),
                        one.axes)  # fmt: skip

        return Model(
            self.node, self.name, [part(x) for x in self.links], [part(x) for x in self.joints],
            {prefix + name: pose @ at for name, at in self.frames.items()},
            {prefix + name: _within(prefix, link) for name, link in self.carriers.items()},
            _within(prefix, self.canonical), self.is_static, self.meets_itself,
        )  # fmt: skip


def _within(prefix: str, name: str) -> str:
    return name if name in {"", "world"} else prefix + name


class Library:
    """Reads models, and those that they include, of one file."""

    def __init__(self, package_dirs: Sequence[Path], report: Report) -> None:
        """Look for included models in folders."""
        self._dirs, self._report, self._parts = package_dirs, report, 0
        self._files: dict[Path, Node] = {}

    def included(self, node: Node, finder: MeshFinder, depth: int) -> Model | None:
        """Return the model of an <include>, None if it is not read: one of the internet, or a light."""
        self._count(node)
        uri = word(node, "uri")
        if uri.partition("://")[0] in {"http", "https", "fuel"}:
            node.doubt(f"{uri[:100]} is not fetched: it is left out")
            return None
        path, reason = _model_file(uri, finder)
        known = uri.removeprefix("model://").rstrip("/")
        if path is None and known in STANDARD:
            node.note(f"{uri} is not found: that of Gazebo is taken")
            root = parse(STANDARD[known], "SDF", self._report)
        elif path is None:
            raise node.error(f"model {uri[:200]!r}: {reason}")
        else:
            if path not in self._files:
                self._files[path] = parse(path, "SDF", self._report)
            root = self._files[path]
        if root.tag != "sdf":
            raise node.error(f"{path} is no SDF; its outermost element must be <sdf>")
        found = child(root, "model")
        if found is None and child(root, "light") is not None:
            node.note(f"{uri} is a light: it is left out")
            return None
        if found is None:
            raise node.error(f"{path} holds no <model>")
        made = self.model(found, MeshFinder(path, self._dirs), version_of(root), depth + 1)
        if (name := word(node, "name")) and name != made.name:
            made.name = name
        made.is_static = truth(node, "static", default=made.is_static)
        return made

    def model(self, node: Node, finder: MeshFinder, version: tuple[int, ...], depth: int = 0) -> Model:
        """Return a model with all that is in it, in its own frame."""
        if depth > MAX_DEPTH:
            raise node.error(f"models stand in or include one another more than {MAX_DEPTH} deep")
        screen(node)
        made = Model(node, node.text("name"))
        made.is_static = truth(node, "static")
        made.meets_itself = truth(node, "self_collide")
        raw: dict[str, tuple[Pose, str, Node]] = {}

        def frame(name: str, pose: Pose, relative: str, owner: Node) -> None:
            if name in raw or name in made.frames or name == ROOT:
                raise owner.error(f"there are two frames named {name!r}; rename one")
            raw[name] = pose, relative or ROOT, owner

        for item in node.all("link"):
            self._count(item)
            name = item.text("name")
            frame(name, *pose_of(item), item)
            made.carriers[name] = name
        nested = [*node.all("model"), *node.all("include")]
        inner: list[tuple[str, Model, str]] = []
        for item in nested:
            sub = (
                self.model(item, finder, version, depth + 1) if item.tag == "model"
                else self.included(item, finder, depth)
            )  # fmt: skip
            if sub is None:
                continue
            placed, relative = pose_of(item if child(item, "pose") is not None else sub.node)
            anchor = word(item, "placement_frame") or sub.node.attributes.get("placement_frame", "")
            if anchor:
                placed = placed @ inverse(_known(sub.frames, anchor, item))
            frame(sub.name, placed, relative, item)
            is_merged = item.word("merge").lower() in {"1", "true"}
            inner.append((sub.name, sub, "" if is_merged else f"{sub.name}::"))
        for name, sub, prefix in inner:
            for own, pose in sub.frames.items():
                frame(prefix + own, pose, name, node)
            for own, link in sub.carriers.items():
                made.carriers[prefix + own] = prefix + link
            if sub.links:
                made.carriers[name] = prefix + sub.canonical
        made.canonical = node.word("canonical_link") or next(iter(made.carriers.values()), "")
        if node.word("canonical_link"):
            node.named("canonical_link", made.carriers, "a link of the model")
        joints = list(node.all("joint"))
        for item in joints:
            self._count(item)
            pose, relative = pose_of(item)
            ends = word(item, "parent"), word(item, "child")
            frame(item.text("name"), pose, relative or ends[1], item)
            made.carriers[item.text("name")] = ends[1]
        for item in node.all("frame"):
            attached = item.word("attached_to")
            pose, relative = pose_of(item)
            frame(item.text("name"), pose, relative or attached, item)
            made.carriers[item.text("name")] = attached or made.canonical
        made.frames = _resolved(raw)
        made.links += [
            Part(item, item.text("name"), made.frames[item.text("name")], finder) for item in node.all("link")
        ]
        for name, sub, prefix in inner:
            moved = sub.moved(made.frames[name], prefix)
            made.links += moved.links
            made.joints += moved.joints
        for item in joints:
            name = item.text("name")
            end = [self._carrier(made, word(item, tag), item) for tag in ("parent", "child")]
            axes = tuple(
                _axis(axis, made.frames, made.frames[name], version)
                for tag in ("axis", "axis2") for axis in item.all(tag)
            )  # fmt: skip
            made.joints.append(Part(item, name, made.frames[name], finder, (end[0], end[1]), axes))
        return made

    def _carrier(self, made: Model, name: str, joint: Node) -> str:
        """Return the link that a frame is attached to, at last."""
        if name == "world":
            return name
        known = {part.name for part in made.links}
        seen = set()
        while name not in known:
            if name in seen or name not in made.carriers:
                raise joint.error(f"{name!r} is no link or frame of the model{known_hint(name, known)}")
            seen.add(name)
            name = made.carriers[name]
        return name

    def _count(self, node: Node) -> None:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise node.error(f"more than {MAX_PARTS} links and joints; split the file")


def version_of(root: Node) -> tuple[int, ...]:
    """Return the version of a file, (1, 7) for example."""
    words = root.word("version").split(".")
    return tuple(int(x) for x in words if x.isascii() and x.isdecimal() and len(x) < 6)


def _axis(axis: Node, frames: dict[str, Pose], joint: Pose, version: tuple[int, ...]) -> Vector:
    """Return an axis in the frame of its joint, in which it is given; in old files, in the model's."""
    given = child(axis, "xyz")
    direction = (0.0, 0.0, 1.0) if given is None else unit_axis(vector(given, 3), given)
    name = "" if given is None else given.attributes.get("expressed_in", "").strip()
    if not name and (truth(axis, "use_parent_model_frame") or (1,) <= version < (1, 5)):
        name = ROOT
    if not name:
        return direction
    frame = _known(frames, name, axis)
    return rotate(inverse(joint).quaternion, rotate(frame.quaternion, direction))


def _known(frames: dict[str, Pose], name: str, node: Node) -> Pose:
    if name not in frames:
        raise node.error(f"frame {name!r} does not exist{known_hint(name, frames)}")
    return frames[name]


def _resolved(raw: dict[str, tuple[Pose, str, Node]]) -> dict[str, Pose]:
    """Return the pose of each frame in the model.

    Raises:
        DescriptionError: A frame is unknown, or some are relative to one another in a circle.
    """
    for _, relative, owner in raw.values():
        if relative not in raw and relative != ROOT:
            raise owner.error(f"frame {relative!r} does not exist{known_hint(relative, raw)}")
    made = {ROOT: NO_POSE}
    try:
        for name in TopologicalSorter({name: {item[1]} for name, item in raw.items()}).static_order():
            if name != ROOT:
                made[name] = made[raw[name][1]] @ raw[name][0]
    except CycleError as error:
        at = error.args[1][0]
        raise raw[at][2].error(f"poses are relative to one another in a circle ({at!r})") from None
    return made


def _model_file(uri: str, finder: MeshFinder) -> tuple[Path | None, str]:
    """Return the file of a model: itself, or what stands in the folder that is named."""
    if uri.lower().endswith((".sdf", ".world")):
        return finder.look_up(uri)
    reason = "not found; give the folder that holds it in package_dirs"
    for name in ("model.sdf", f"{uri.rstrip('/').rpartition('/')[2]}.sdf"):
        path, why = finder.look_up(f"{uri.rstrip('/')}/{name}")
        if path is not None:
            return path, ""
        reason = why
    return None, reason


ENDLESS = 1e15  # [rad, m, N …] SDF writes 1e16 or inf for no limit
TRUE = frozenset({"1", "true"})


def child(node: Node, tag: str) -> Node | None:
    """Return the first child with a tag, None if there is none."""
    return next(node.all(tag), None)


def word(node: Node, tag: str, default: str = "") -> str:
    """Return the text of a child."""
    found = child(node, tag)
    return default if found is None else found.content


def truth(node: Node, tag: str, *, default: bool = False) -> bool:
    """Return a child that is true or false."""
    text = word(node, tag).lower()
    return default if not text else text in TRUE


def vector(node: Node, count: int | None) -> Vector:
    """Return the numbers that are the text of an element."""
    node.attributes["value"] = node.content
    return node.vector("value", count, largest=LARGEST)


def number(node: Node, tag: str, default: float) -> float:
    """Return the number in a child; "inf" and what is as large is infinity."""
    found = child(node, tag)
    if found is None or not found.content:
        return default
    text = found.content.lower().lstrip("+")
    if text.lstrip("-") in {"inf", "infinity"}:
        return -math.inf if text.startswith("-") else math.inf
    found.attributes["value"] = found.content
    value = found.number("value")
    return math.copysign(math.inf, value) if abs(value) >= ENDLESS else value


def pose_of(node: Node) -> tuple[Pose, str]:
    """Return the pose of an element, and the frame in which it is given; empty: the usual one."""
    found = child(node, "pose")
    if found is None:
        return NO_POSE, ""
    relative = found.attributes.get("relative_to", found.attributes.get("frame", "")).strip()
    if not found.content:
        return NO_POSE, relative
    if found.word("rotation_format") == "quat_xyzw":
        numbers = vector(found, 7)
        turn = (numbers[6], *numbers[3:6])
        if not any(turn):
            raise found.error("its quaternion is zero")
        return Pose(numbers[:3], normalized(turn)), relative
    numbers = vector(found, 6)
    unit = math.radians(1.0) if found.word("degrees") in TRUE else 1.0
    return Pose(numbers[:3], from_roll_pitch_yaw(tuple(unit * x for x in numbers[3:]))), relative
