"""<replicate>: what it holds, again and again, each copy a step further, with a number behind its names.

Elements of other sections that name the copies (actuators, tendons, sensors, equalities, excludes, pairs) is
copied along.
Source: MuJoCo's XML reference, body/replicate; compared with MuJoCo 4 in tests/compare.
"""

from __future__ import annotations

from dataclasses import replace

from tribo.formats.mjcf.source import Source
from tribo.formats.nodes import Node, walk
from tribo.formats.pose import NO_POSE, Pose
from tribo.formats.xml import MAX_TAGS

USED = frozenset({"count", "offset", "euler", "sep"})
KINDS = {
    "joint": "joint", "freejoint": "joint", "body": "body", "geom": "geom", "site": "site",
    "fixed": "tendon", "spatial": "tendon",
}  # fmt: skip
# Attributes that name an element, and its kind; ends with a number are read without it.
REFERENCES = {
    "joint": "joint", "jointinparent": "joint", "body": "body", "geom": "geom", "site": "site",
    "tendon": "tendon", "actuator": "actuator", "target": "body", "refsite": "site",
    "cranksite": "site", "slidersite": "site", "sidesite": "site",
}  # fmt: skip
MAX_LOOKED_AT = 5_000_000  # elements, each as often as a <replicate> asks whether it speaks of its copies
SECTIONS = ("tendon", "actuator", "equality", "contact", "sensor")  # each speaks of those before it


def expand(source: Source) -> None:
    """Put copies in the place of every <replicate>, those inside others first.

    Raises:
        DescriptionError: It holds too much, or its numbers are wrong.
    """
    others = sum(1 for tag in SECTIONS for section in source.sections(tag) for _ in walk(section))
    looked_at = 0
    for node, parent in _innermost_first(source):
        looked_at += others + len(parent.children)
        if looked_at > MAX_LOOKED_AT:
            raise node.error("there are too many of them for so many elements; write some out")
        node.check_attributes(USED)
        count = node.integer("count")
        if count < 1:
            raise node.error(f"count={count} must be ≥ 1")
        source.tags += count * sum(1 for _ in walk(node))
        if source.tags > MAX_TAGS:
            raise node.error(f"with all its copies there are more than {MAX_TAGS} elements")
        euler = replace(node, attributes={k: v for k, v in node.attributes.items() if k == "euler"})
        step = Pose(node.vector("offset", 3, (0.0, 0.0, 0.0)), source.rules.compiler.rotation(euler))
        names = names_in(node.children)
        suffixes = [f"{node.attributes.get('sep', '')}{k:0{len(str(count))}d}" for k in range(count)]
        made, pose = [], NO_POSE
        for suffix in suffixes:
            frame = node.made("frame")
            frame.attributes["pos"] = " ".join(map(repr, pose.position))
            frame.attributes["quat"] = " ".join(map(repr, pose.quaternion))
            frame.children = [_copy(child, suffix, names, source) for child in node.children]
            made.append(frame)
            pose = pose @ step
        at = next(k for k, child in enumerate(parent.children) if child is node)
        parent.children[at : at + 1] = made
        _copy_what_speaks(source, suffixes, names)


def _innermost_first(source: Source) -> list[tuple[Node, Node]]:
    """Return each <replicate> with its parent; a copy of one that holds others has none left in it."""
    found = []
    todo = list(source.sections("worldbody"))
    while todo:
        node = todo.pop()
        for child in node.children:
            if child.tag == "replicate":
                found.append((child, node))
            if child.tag in {"body", "frame", "replicate"}:
                todo.append(child)
    return found[::-1]


def names_in(content: list[Node]) -> dict[str, set[str]]:
    """Return the names of bodies, joints, geoms, sites and tendons, by kind."""
    known: dict[str, set[str]] = {kind: set() for kind in (*KINDS.values(), "actuator")}
    for top in content:
        for item in walk(top):
            if item.tag in KINDS and "name" in item.attributes:
                known[KINDS[item.tag]].add(item.attributes["name"].strip())
    return known


def _copy(top: Node, suffix: str, names: dict[str, set[str]], source: Source) -> Node:
    """Return a copy with a suffix behind its own names, and behind those of what is copied along."""
    whole = _renamed(top, suffix, names)
    todo = [(top, whole)]
    while todo:
        old, made = todo.pop()
        if id(old) in source.attached:
            source.attached[id(made)] = (made, source.attached[id(old)][1])
        made.children = [_renamed(child, suffix, names) for child in old.children]
        todo += zip(old.children, made.children, strict=True)
    return whole


def _renamed(node: Node, suffix: str, names: dict[str, set[str]]) -> Node:
    attributes = dict(node.attributes)
    if "name" in attributes:
        attributes["name"] = attributes["name"].strip() + suffix
    for key in _spoken_of(node, names):
        attributes[key] = attributes[key].strip() + suffix
    return replace(node, attributes=attributes, children=list(node.children))


def _spoken_of(node: Node, names: dict[str, set[str]]) -> list[str]:
    """Return the attributes that name something that is copied."""
    found = []
    for key, value in node.attributes.items():
        kind = REFERENCES.get(key.rstrip("12"), "")
        if key in {"objname", "refname"}:
            word = node.attributes.get(key.replace("name", "type"), "").strip()
            kind = "body" if word == "xbody" else word
        if value.strip() in names.get(kind, ()):
            found.append(key)
    return found


def _copy_what_speaks(source: Source, suffixes: list[str], names: dict[str, set[str]]) -> None:
    """Copy the elements of other sections that speak of what was copied, and then of those."""
    for tag in SECTIONS:
        for section in source.sections(tag):
            gone = [item for item in section.children if any(_spoken_of(part, names) for part in walk(item))]
            source.tags += sum(len(suffixes) for item in gone for _ in walk(item))
            if source.tags > MAX_TAGS:
                raise section.error(f"with all its copies there are more than {MAX_TAGS} elements")
            for item in gone:
                kind = KINDS.get(item.tag, tag)
                if kind in names and tag in {"tendon", "actuator"} and "name" in item.attributes:
                    names[kind if tag == "tendon" else "actuator"].add(item.attributes["name"].strip())
            left = {id(item) for item in gone}
            section.children = [item for item in section.children if id(item) not in left]
            section.children += [_copy(item, suffix, names, source) for suffix in suffixes for item in gone]
