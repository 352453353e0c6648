"""Default classes: what an element says if it says nothing."""

from __future__ import annotations

from dataclasses import replace

from tribo.description.trees import DescriptionError
from tribo.formats.mjcf.compiler import MAIN, ROTATIONS
from tribo.formats.nodes import Node, known_hint, words_of

DRAWN = frozenset({"texture", "material", "camera", "light"})
ACTUATORS = {
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
    "adhesion", "orientation", "pid", "dcmotor",
}  # fmt: skip
# Vectors that may be short: the numbers that they leave out are those of the class (MuJoCo's XML reference).
SHORT = {
    "size", "friction", "polycoef", "stiffness", "damping", "gainprm", "biasprm", "dynprm", "gear",
    "solref", "solimp",
}  # fmt: skip
KNOWN = frozenset({"joint", "geom", "site", "mesh", "pair", "equality", "tendon"}) | ACTUATORS | DRAWN


class Defaults:
    """Attributes of each default class, those that it inherits included.

    Defaults of actuators are kept as the elements themselves, in order: `<motor>` and `<position>`
    speak of the same actuator, each in its own words.
    """

    def __init__(self, sections: list[Node]) -> None:
        """Read all <default> sections."""
        self._values: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
        self._actuators: dict[str, list[Node]] = {MAIN: []}
        self._places: dict[str, Node] = {}
        for node in sections:
            name = node.attributes.get("class", MAIN).strip()
            if name != MAIN:
                raise node.error(
                    f"class={name!r}: the outermost <default> is class {MAIN!r}; put "
                    f"<default class={name!r}> into it"
                )
            self._read(node)

    def take(self, name: str, sections: list[Node]) -> None:
        """Read the sections of a model that was attached, whose outermost class has a name here."""
        if name in self._values:
            where = sections[0] if sections else None
            text = f"two models that are attached have the default class {name!r}; change a prefix"
            raise where.error(text) if where is not None else DescriptionError(text)
        self._values[name], self._actuators[name] = {}, []
        for node in sections:
            self._read(node, name)

    def _read(self, top: Node, main: str = MAIN) -> None:
        """Read a section: the main class and the classes in it."""
        todo = [(top, main, main)]
        while todo:
            node, name, parent = todo.pop()
            node.check(("class",), ("default", *sorted(KNOWN)))
            if (name in self._places or name in self._values) and node is not top:
                raise node.error(
                    f"class {name!r} stands in line {self._places.get(name, top).line}; rename one"
                )
            self._places.setdefault(name, node)
            if node is not top:
                self._values[name] = {k: dict(v) for k, v in self._values[parent].items()}
                self._actuators[name] = list(self._actuators[parent])
            for child in node.children:
                if child.tag in ACTUATORS:
                    self._actuators[name].append(child)
                elif child.tag != "default":
                    given = child.attributes
                    above = self._values[name].get(child.tag, {})
                    self._values[name][child.tag] = merged(above, given)
            todo += [(child, child.text("class"), name) for child in node.all("default")]

    def resolve(self, node: Node, childclass: str, tag: str | None = None) -> Node:
        """Return an element with what its class says where it says nothing."""
        values = self._values[self.class_of(node, childclass)].get(tag or node.tag, {})
        return replace(node, attributes=merged(values, node.attributes))

    def actuators(self, node: Node) -> list[Node]:
        """Return the default elements that an actuator inherits from, first to last."""
        return self._actuators[self.class_of(node, MAIN)]

    def class_of(self, node: Node, childclass: str) -> str:
        """Return the name of the class of an element."""
        return self.check(node, "class", childclass)

    def check(self, node: Node, attribute: str, default: str) -> str:
        """Return an attribute that names a class; one that does not exist is an error."""
        name = node.attributes.get(attribute, default).strip()
        if name not in self._values:
            hint = known_hint(name, self._values)
            raise node.error(f"{attribute}={name!r}: there is no such default class{hint}")
        return name


def merged(inherited: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Return both; an own rotation replaces an inherited one, however that is spelled."""
    if any(name in own for name in ROTATIONS):
        inherited = {key: value for key, value in inherited.items() if key not in ROTATIONS}
    made = {**inherited, **own}
    for name in SHORT & inherited.keys() & own.keys():
        given, rest = words_of(own[name]), words_of(inherited[name])
        made[name] = " ".join((*given, *rest[len(given) :]))
    return made
