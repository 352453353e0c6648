"""Friction that files give to one surface, as materials: of URDF in the words of three programs, of SDF, USD.

These programs give each surface its own coefficients and make those of a pair from both. Here a pair of
materials has coefficients; so each combination of numbers is a material, named after them, and the same
combination in two files is the same material. Against the material "default" its own numbers count; of two,
Gazebo takes the smaller friction, Bullet the product, Drake 2 μ₁ μ₂ / (μ₁ + μ₂), programs of USD the mean.

Sources: https://classic.gazebosim.org/tutorials?tut=friction; Bullet's manual, combined friction; Drake's
documentation of multibody::CoulombFriction; PhysX, combine mode "average".
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

from tribo.description.trees import TreeDescription, WorldDescription
from tribo.formats.nodes import Node
from tribo.materials.table import DEFAULT_MATERIAL, MAX_FRICTION, Law, PairProperties

GAZEBO, BULLET, DRAKE, USD = "gazebo", "bullet", "drake", "usd"
GAZEBO_WORDS = ("mu1", "mu2", "kp", "kd")
BULLET_WORDS = ("lateral_friction", "rolling_friction", "spinning_friction", "restitution")
BULLET_SILENT = ("stiffness", "damping", "contact_cfm", "contact_erp", "friction_anchor")
DRAKE_CHILD = "drake:proximity_properties"
RIGID = "its contact stiffness and damping are not read: contacts of it are rigid"
_NAME = re.compile(r"(gazebo|bullet|drake|usd)((?: [a-z_]+ [0-9.e+-]+)+)")


@dataclass(frozen=True, slots=True)
class Surface:
    """Contact parameters of a surface."""

    dialect: str
    friction: float = 1.0  # [–]
    static: float = 0.0  # [–] at rest; less than `friction`: as friction
    rolling: float = 0.0  # [m] lever arm of the normal force
    spinning: float = 0.0  # [m]
    restitution: float = 0.0  # [–]
    threshold: float = 0.0  # [m/s]

    @property
    def material(self) -> str:
        """The name of the material: the dialect and every number that is not the usual one."""
        said = [f"friction {self.friction!r}"]
        said += [
            f"{item.name} {getattr(self, item.name)!r}"
            for item in fields(self)[2:]
            if getattr(self, item.name) != item.default
        ]
        return " ".join([self.dialect, *said])

    def properties(self) -> PairProperties:
        """Return how it meets a material of which no file says more."""
        return PairProperties(
            friction=self.friction,
            static_friction=max(self.static, self.friction),
            rolling_length=self.rolling,
            spinning_length=self.spinning,
            restitution=self.restitution if self.dialect != BULLET else 0.0,  # times that of the other
            restitution_threshold=self.threshold,
        )


def of_material(name: str) -> Surface | None:
    """Return what a material of this name brings to its contacts, None if it is none of these.

    Example:
        >>> of_material("bullet friction 0.9 rolling 0.01").rolling
        0.01
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    words = found[2].split()
    known = {item.name for item in fields(Surface)[1:]}
    try:
        numbers = {key: float(value) for key, value in zip(words[::2], words[1::2], strict=True)}
    except ValueError:
        return None
    return Surface(found[1], **numbers) if numbers.keys() <= known else None


def _harmonic(a: float, b: float) -> float:
    return 2.0 * a * b / (a + b) if a + b > 0.0 else 0.0


def _mean(a: float, b: float) -> float:
    return 0.5 * (a + b)


MEANS: dict[str, Callable[[float, float], float]] = {  # of the numbers of two surfaces
    GAZEBO: min, BULLET: operator.mul, DRAKE: _harmonic, USD: _mean,
}  # fmt: skip


def combined(one: Surface, other: Surface) -> PairProperties:
    """Return how two surfaces meet; of two dialects the smaller numbers."""
    are_alike = one.dialect == other.dialect
    mean = MEANS[one.dialect] if are_alike else min
    rebound = max if are_alike and one.dialect in {GAZEBO, DRAKE} else mean
    friction = min(mean(one.friction, other.friction), MAX_FRICTION)
    static = mean(*(max(s.static, s.friction) for s in (one, other)))
    weights = (other.friction, one.friction) if one.dialect == other.dialect == BULLET else (1.0, 1.0)
    rolling, spinning = (
        min(a * weights[0] + b * weights[1], MAX_FRICTION)
        for a, b in ((one.rolling, other.rolling), (one.spinning, other.spinning))
    )
    return PairProperties(
        friction=friction,
        static_friction=min(max(static, friction), MAX_FRICTION),
        rolling_length=rolling,
        spinning_length=spinning,
        restitution=rebound(one.restitution, other.restitution),
        restitution_threshold=max(one.threshold, other.threshold),
    )


def laws_between(names: Iterable[str], others: Iterable[str]) -> dict[tuple[str, str], Law]:
    """Return the contact laws of such materials, with each other and with others."""
    own = {name: s for name in names if (s := of_material(name)) is not None}
    made: dict[tuple[str, str], Law] = {}
    for other in others:
        law = of_material(other)
        for name, surface in own.items():
            if law is not None:
                made[name, other] = combined(surface, law)
            elif other == DEFAULT_MATERIAL:
                made[name, other] = surface.properties()
    return made


def laws_of(tree: TreeDescription) -> dict[tuple[str, str], Law]:
    """Return the contact laws of all such materials of a robot, among themselves and with "default"."""
    names = dict.fromkeys(shape.material for body in tree.bodies for shape in body.shapes)
    own = [name for name in names if of_material(name) is not None]
    return laws_between(own, [DEFAULT_MATERIAL, *names]) if own else {}


def add_laws(scene: WorldDescription) -> None:
    """Add the contact laws of all such materials of a scene."""
    names = {item.shape.material for item in scene.objects if item.shape is not None}
    trees = [item.tree for item in scene.objects if item.tree is not None]
    names |= {shape.material for tree in trees for body in tree.bodies for shape in body.shapes}
    both = [DEFAULT_MATERIAL, *sorted(names - {DEFAULT_MATERIAL})]
    scene.pairs |= laws_between(both, both)


def of_gazebo(robot: Node) -> dict[str, Surface]:
    """Return what <gazebo reference="LINK"> elements say of friction, by link."""
    found: dict[str, Surface] = {}
    for node in robot.all("gazebo"):
        link = node.word("reference")
        given = {tag: _said(node, tag) for tag in GAZEBO_WORDS}
        if not link or all(child is None for child in given.values()):
            continue
        mu = [_value(child) for tag in ("mu1", "mu2") if (child := given[tag]) is not None]
        if mu:
            if len(mu) == 2 and mu[0] != mu[1]:
                node.note(
                    f"mu1 and mu2 of {link} differ: the smaller one counts in all directions", "mu1 mu2"
                )
            found[link] = Surface(GAZEBO, _bounded(node, min(mu)))
        if given["kp"] is not None or given["kd"] is not None:
            node.note(f"{RIGID}", "kp kd")
    return found


def of_bullet(link: Node) -> Surface | None:
    """Return what <contact> in a link says of friction, None: nothing."""
    node = next(link.all("contact"), None)
    if node is None:
        return None
    node.check_children(BULLET_WORDS, BULLET_SILENT)
    numbers = {word: _value(child) for word in BULLET_WORDS if (child := _said(node, word)) is not None}
    if any(_said(node, word) is not None for word in ("stiffness", "damping")):
        node.note(f"{RIGID}", "contact stiffness")
    if not numbers:
        return None
    return Surface(
        BULLET,
        _bounded(node, numbers.get("lateral_friction", 0.5)),
        rolling=min(max(numbers.get("rolling_friction", 0.0), 0.0), MAX_FRICTION),
        spinning=min(max(numbers.get("spinning_friction", 0.0), 0.0), MAX_FRICTION),
        restitution=min(max(numbers.get("restitution", 0.0), 0.0), 1.0),
    )


def of_drake(collision: Node) -> Surface | None:
    """Return what <drake:proximity_properties> in a <collision> says of friction, None: nothing."""
    node = next(collision.all(DRAKE_CHILD), None)
    if node is None:
        return None
    given = [_said(node, f"drake:mu_{word}") for word in ("dynamic", "static")]
    numbers = [_bounded(node, _value(child)) for child in given if child is not None]
    if len(numbers) < len(node.children):
        node.note(f"{RIGID}", "drake proximity")
    if not numbers:
        return None
    return Surface(DRAKE, numbers[0], static=max(numbers) if max(numbers) > numbers[0] else 0.0)


def _said(node: Node, tag: str) -> Node | None:
    """Return the last child with a tag."""
    return next(reversed(list(node.all(tag))), None)


def _value(node: Node) -> float:
    """Return the number that an element holds, as text or as its attribute `value`."""
    if "value" not in node.attributes:
        node.attributes["value"] = node.content
    return node.number("value")


def _bounded(node: Node, friction: float) -> float:
    """Return a coefficient that this engine has."""
    if not 0.0 <= friction <= MAX_FRICTION:
        node.note(
            f"a coefficient of friction of {friction:g} is taken as "
            f"{min(max(friction, 0.0), MAX_FRICTION):g}",
            "friction bound",
        )
    return min(max(friction, 0.0), MAX_FRICTION)
