"""Which links of a body file may touch: `collisionDetection`, or the newer `collision_detection_rules`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from tribo.formats.choreonoid.keys import check_keys
from tribo.formats.nodes import known_hint
from tribo.formats.yaml_nodes import YamlNode

Pair = tuple[str, str]
WIRES = ("excludeLinksDynamic", "excludeLinksWireCollision")
OLD = ("excludeTreeDepth", "excludeLinks", "excludeLinkGroups", "excludeSelfCollisionLinks", *WIRES)
GROUP = ("name", "links")
NEW = (
    "disabled_link_chain_level", "enabled_links", "enabled_link_group", "disabled_links",
    "disabled_link_group",
)  # fmt: skip
MAX_PAIRS = 1_000_000


@dataclass(slots=True)
class Rules:
    """Pairs that do not collide."""

    excluded: set[str] = field(default_factory=set)  # links that touch nothing at all
    without_wires: set[str] = field(default_factory=set)  # links that no wire touches
    apart: set[Pair] = field(default_factory=set)  # names in order

    def part(self, first: str, second: str) -> None:
        """Let two links pass through each other."""
        if first != second:
            self.apart.add((min(first, second), max(first, second)))

    def join(self, first: str, second: str) -> None:
        """Let two links touch."""
        self.apart.discard((min(first, second), max(first, second)))


def read(
    root: YamlNode, neighbours: dict[str, list[str]], *, touches_itself: bool | None = None
) -> Rules:  # fmt: skip
    """Read the rules of a file.

    Without any, links that joints connect pass through each other: Choreonoid looks for collisions within
    a body only if a project says so. With `collisionDetection` those at most `excludeTreeDepth` joints
    apart do.

    Args:
        root: The file.
        neighbours: By link those to which joints connect it; free joints connect nothing.
        touches_itself: Rules of a project: False parts all links of the body, True lets all but
            neighbours touch where the file has no rules. None: there is no project.
    """
    rules = _of_file(root, neighbours, touches_itself=touches_itself)
    if touches_itself is False:
        _part_chains(len(neighbours), rules, neighbours)
    return rules


def _of_file(
    root: YamlNode, neighbours: dict[str, list[str]], *, touches_itself: bool | None
) -> Rules:  # fmt: skip
    """Return what the file says, or what holds where it says nothing."""
    rules = Rules()
    if len(neighbours) ** 2 > MAX_PAIRS:
        raise root.error(f"more than {MAX_PAIRS} pairs of links; split the body")
    newer = root.get("collision_detection_rules")
    if newer is not None:
        for entry in newer.elements():
            for name, (key, node) in entry.need("mapping", "a rule").entries.items():
                _apply(name, key, node, rules, neighbours)
        return rules
    older = root.get("collisionDetection", "collision_detection")
    depth = 1 if touches_itself else len(neighbours)
    if older is not None:
        check_keys(older.need("mapping", "collisionDetection"), OLD, "collisionDetection")
        level = older.get("excludeTreeDepth")
        depth = 1 if level is None else _depth(level, "excludeTreeDepth")
    _part_chains(depth, rules, neighbours)
    if older is None and touches_itself is not None:
        return rules
    if older is None:
        root.note(
            "no rules of collision: the links of one thing pass through each other, as in "
            "Choreonoid; collisionDetection: { excludeTreeDepth: 1 } lets all but neighbours touch"
        )
        return rules
    rules.excluded |= set(_names(older.get("excludeLinks"), neighbours))
    for name in _names(older.get("excludeSelfCollisionLinks"), neighbours):
        for other in neighbours:
            rules.part(name, other)
    groups = older.get("excludeLinkGroups")
    for group in [] if groups is None else groups.elements():
        check_keys(group.need("mapping", "a group of links"), GROUP, "a group of links")
        listed = group.get("links")
        if listed is None:
            group.doubt("a group of links without links parts nothing")
        for pair in combinations(_names(listed, neighbours), 2):
            rules.part(*pair)
    for wire in WIRES:
        rules.without_wires |= set(_names(older.get(wire), neighbours))
    return rules


def _apply(name: str, key: YamlNode, node: YamlNode, rules: Rules, neighbours: dict[str, list[str]]) -> None:
    """Apply one of the newer rules; they count in their order."""
    if name == "disabled_link_chain_level":
        _part_chains(_depth(node, name), rules, neighbours)
        return
    if name not in NEW:
        key.doubt(f"rule {key.shown()} is unknown, ignored{known_hint(name, NEW)}")
        return
    links = list(neighbours)
    if not (node.kind == "scalar" and node.text == "all"):
        links = _names(node, neighbours)
    if name == "enabled_links":
        rules.excluded -= set(links)
        rules.apart = {pair for pair in rules.apart if not set(pair) & set(links)}
    elif name == "disabled_links":
        rules.excluded |= set(links)
        for link in links:
            for other in neighbours:
                rules.part(link, other)
    elif name == "enabled_link_group":
        rules.excluded -= set(links)
        for pair in combinations(links, 2):
            rules.join(*pair)
    else:
        for pair in combinations(links, 2):
            rules.part(*pair)


def _names(node: YamlNode | None, known: Iterable[str]) -> list[str]:
    """Return the names in a list that are links."""
    known, made = set(known), []
    for item in [] if node is None else node.elements():
        name = item.word()
        if name in known:
            made.append(name)
        else:
            item.doubt(f"link {item.shown()} does not exist{known_hint(name, known)}")
    return made


def _depth(node: YamlNode, name: str) -> int:
    """Return a number of joints."""
    found = node.number()
    if found != int(found) or found < 0.0:
        raise node.error(f"{name} must be a whole number ≥ 0, got {node.shown()}")
    return int(found)


def _part_chains(depth: int, rules: Rules, neighbours: dict[str, list[str]]) -> None:
    """Let links pass through each other that are at most so many joints apart."""
    for start in neighbours:
        reached, edge = {start}, [start]
        for _ in range(min(depth, len(neighbours))):
            edge = [other for link in edge for other in neighbours[link] if other not in reached]
            reached |= set(edge)
            if not edge:
                break
        for other in reached:
            rules.part(start, other)
