"""Keys of body files in both spellings, and values that several of their nodes have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from tribo.checks.check import LARGEST
from tribo.description.trees import IDENTITY, ORIGIN, TreeDescription, Vector
from tribo.formats import elements
from tribo.formats.loops import place_of
from tribo.formats.material_keys import camel
from tribo.formats.nodes import known_hint
from tribo.formats.pose import Pose, multiply, normalized, turn
from tribo.formats.yaml_nodes import YamlNode
from tribo.materials import Material, MaterialLibrary

UNLIMITED = math.inf
Softness: TypeAlias = tuple[float, float]  # [m/N, rad/(N m)], [s]


def value(node: YamlNode, name: str) -> YamlNode | None:
    """Return the value of a key that is written ``joint_type`` or ``jointType``; None if it is not there."""
    return node.get(name, camel(name))


def number(node: YamlNode, name: str, default: float) -> float:
    """Return a number, or the default."""
    found = value(node, name)
    return default if found is None else found.number()


def positive(node: YamlNode, name: str, default: float = 0.0) -> float:
    """Return a finite number above zero, or the default.

    Raises:
        DescriptionError: It is not, or it is missing and the default is zero.
    """
    found = number(node, name, default)
    if not 0.0 < found < math.inf:
        raise node.error(f"{name} must be > 0, got {found:g}")
    return found


def at_least(node: YamlNode, name: str, default: float) -> float:
    """Return a number ≥ 0, or the default.

    Raises:
        DescriptionError: It is below.
    """
    found = number(node, name, default)
    if not found >= 0.0:
        raise node.error(f"{name} must be ≥ 0, got {found:g}")
    return found


def vector(node: YamlNode, name: str, default: Vector = ORIGIN) -> Vector:
    """Return three numbers, or the default."""
    found = value(node, name)
    return default if found is None else found.numbers(3)


def direction(node: YamlNode, name: str, default: Vector) -> Vector:
    """Return an axis of unit length, or the default."""
    found = value(node, name)
    return default if found is None else axis(found)


def forces(node: YamlNode, name: str) -> tuple[float, float] | None:
    """Return a range of forces, which holds 0; None if it is not there."""
    found = value(node, name)
    if found is None:
        return None
    low, high = span(found)
    if not low <= 0.0 <= high:
        raise found.error(f"{name} must hold 0, got {low:g}, {high:g}")
    return low, high


def softness(node: YamlNode, names: Sequence[str], standard: tuple[float, float]) -> Softness:
    """Return compliance and damping of a constraint, both from 0 on.

    Raises:
        DescriptionError: One is below 0, or too large.
    """
    compliance, damping = (number(node, *one) for one in zip(names, standard, strict=True))
    if not 0.0 <= compliance <= LARGEST or not 0.0 <= damping <= LARGEST:
        raise node.error(f"{names[0]} and {names[1]} must be ≥ 0, got {compliance:g} and {damping:g}")
    return compliance, damping


def list_of(node: YamlNode, name: str) -> list[YamlNode]:
    """Return the entries of a list; none if it is not there."""
    found = value(node, name)
    return [] if found is None else found.need("list", name).items


def find(name: str, trees: Sequence[TreeDescription]) -> tuple[int, int, Pose, str] | None:
    """Return tree and body of a link, where it is in the body, and what carries it; None: there is none."""
    for k, tree in enumerate(trees):
        found = place_of(tree, name)
        if found is not None:
            return (k, *found)
    return None


def link_of(node: YamlNode, key: str, trees: Sequence[TreeDescription]) -> tuple[int, int, Pose, str]:
    """Return what `find` does of the link that a key names.

    Raises:
        DescriptionError: There is no such link.
    """
    name = word(node, key)
    found = find(name, trees)
    if found is None:
        raise node.error(f"{key} {name!r} {not_there(name, trees)}")
    return found


def not_there(name: str, trees: Sequence[TreeDescription]) -> str:
    """Return how to say that no link has a name."""
    names = [frame.name for tree in trees for frame in tree.frames]
    names += [body.name for tree in trees for body in tree.bodies]
    return f"does not exist{known_hint(name, names)}"


def choice(node: YamlNode, name: str, words: Iterable[str], default: str) -> str:
    """Return a text that is one of a few, or the default.

    Raises:
        DescriptionError: It is another one.
    """
    made, words = word(node, name, default), tuple(words)
    if made not in words:
        at = value(node, name) or node
        raise at.error(f"{camel(name)} must be one of {', '.join(words)}, got {at.shown()}")
    return made


def count(node: YamlNode, name: str, default: float, least: int, most: int) -> int:
    """Return a whole number within bounds, or the default.

    Raises:
        DescriptionError: It is none.
    """
    found = number(node, name, default)
    if found != int(found) or not least <= found <= most:
        raise node.error(f"{camel(name)} must be a whole number from {least} to {most}, got {found:g}")
    return int(found)


def word(node: YamlNode, name: str, default: str = "") -> str:
    """Return a text, or the default."""
    found = value(node, name)
    return default if found is None else found.word()


def check_keys(node: YamlNode, known: Iterable[str], what: str, *, is_open: bool = False) -> None:
    """Report unknown keys; where programs may add their own (`is_open`), doubt likely misspellings only."""
    known = {spelling for name in known for spelling in (name, camel(name))}
    for name, (key, _) in node.entries.items():
        if name not in known:
            hint = known_hint(name, known)
            text = f"{key.shown()} of {what} is unknown, ignored{hint}"
            if hint or not is_open:
                key.doubt(text, f"{key.place} unknown")
            else:
                key.note(f"{text}", f"key {name[:80]}")


def _several(node: YamlNode) -> list[YamlNode]:
    """Return the lists that stand in a list, or the one that it is itself."""
    return node.items if node.items and node.items[0].kind == "list" else [node]


class Angles:
    """Reads angles and turns in the unit of a file."""

    def __init__(self, *, degrees: bool) -> None:
        """Take the unit: degrees, or radians."""
        self._factor = math.pi / 180.0 if degrees else 1.0

    def angle(self, number: float) -> float:
        """Return an angle in radians."""
        return number * self._factor

    def pose(self, node: YamlNode) -> Pose:
        """Return translation and rotation of a node."""
        return Pose(self._translation(node.get("translation")), self.turn(node.get("rotation")))

    @staticmethod
    def _translation(node: YamlNode | None) -> tuple[float, ...]:
        """Return three numbers, or the sum of several such lists."""
        if node is None:
            return (0.0, 0.0, 0.0)
        parts = [item.numbers(3) for item in _several(node)]
        return tuple(sum(part[k] for part in parts) for k in range(3))

    def turn(self, node: YamlNode | None) -> tuple[float, ...]:
        """Return the quaternion of an axis with an angle, or of several, the last one first applied."""
        made: Vector = IDENTITY
        if node is None:
            return made
        for item in _several(node):
            *axis, angle = item.numbers(4)
            length = math.hypot(*axis)
            if length < 1e-6:
                raise item.error("the axis of a rotation has no direction; give x, y, z and the angle")
            step = turn(tuple(x / length for x in axis), self.angle(angle))
            made = step if made == IDENTITY else multiply(made, step)
        return normalized(made)


def inertia(node: YamlNode) -> np.ndarray:
    """Return a symmetric matrix (3, 3) [kg m²] of nine numbers, or of the six xx, xy, xz, yy, yz, zz."""
    numbers = node.numbers((9, 6))
    if len(numbers) == 9:
        made = np.array(numbers).reshape(3, 3)
        if not np.allclose(made, made.T, rtol=1e-6, atol=1e-12 * float(np.abs(made).max())):
            raise node.error(f"the inertia must be symmetric, got {made.tolist()}")
        return np.asarray(0.5 * (made + made.T))
    return elements.symmetric(*numbers)


AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def axis(node: YamlNode) -> tuple[float, ...]:
    """Return an axis of unit length: three numbers, or X, -Y and so on."""
    if node.kind == "scalar":
        name = node.word().upper()
        sign = -1.0 if name.startswith("-") else 1.0
        if name.lstrip("-") not in AXES:
            raise node.error(f"must be X, Y, Z, -X, -Y, -Z or three numbers, got {node.shown()}")
        return tuple(sign * x for x in AXES[name.lstrip("-")])
    numbers = node.numbers(3)
    if max(abs(x) for x in numbers) < 1e-12:
        raise node.error("the axis has no direction; give for example [ 0, 0, 1 ]")
    return normalized(numbers)


def limit(node: YamlNode) -> float:
    """Return a number that may be infinite."""
    found = node.as_number()
    if found is None:
        raise node.error(f"must be a number or unlimited, got {node.shown()}")
    return found


def span(node: YamlNode) -> tuple[float, float]:
    """Return a range: two limits, or one number for both sides."""
    if node.kind == "scalar":
        upper = limit(node)
        return -abs(upper), abs(upper)
    items = node.need("list", "a range").items
    if len(items) != 2:
        raise node.error(f"a range must be two numbers, got {len(items)}")
    lower, upper = limit(items[0]), limit(items[1])
    lower = -UNLIMITED if lower == UNLIMITED else lower  # `unlimited` on the lower side
    if lower > upper:
        raise node.error(f"the lower limit {lower:g} is above the upper one {upper:g}; swap them")
    return lower, upper


def truth(node: YamlNode, key: str) -> bool | None:
    """Return whether a key is true; None if it is not there.

    Raises:
        DescriptionError: It is neither true nor false.
    """
    found = value(node, key)
    if found is None:
        return None
    answer = found.as_bool()
    if answer is None:
        raise found.error(f"{key} must be true or false, got {found.shown()}")
    return answer


def refuse_twins(names: Iterable[str], nodes: Sequence[YamlNode], what: str) -> None:
    """Refuse a name that stands twice; `what` they are, in the plural.

    Raises:
        DescriptionError: It does.
    """
    seen: set[str] = set()
    for name, node in zip(names, nodes, strict=True):
        if name in seen:
            raise node.error(f"there are two {what} named {name!r}; rename one")
        seen.add(name)


def material_of(node: YamlNode, key: str, library: MaterialLibrary | None) -> Material:
    """Return the material that a key names; one that no table has gets standard values, which is said."""
    name = word(node, key) or "default"
    if library is not None and name in library.names:
        return library.material(name)
    if name.lower() != "default":
        known = () if library is None else library.names
        node.doubt(f"{camel(key)} {name!r} is not known: standard values are used{known_hint(name, known)}")
    return Material(name)
