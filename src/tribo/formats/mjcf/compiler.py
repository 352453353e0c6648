"""How MJCF writes angles, rotations and limits: `<compiler>` and what depends on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import inf

import numpy as np

from tribo.description.trees import IDENTITY, ORIGIN, Vector
from tribo.formats.nodes import Node
from tribo.formats.pose import Pose, multiply, normalized, quaternion_of, turn, turn_z_to

MAIN = "main"  # the outermost default class
ROTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
USED = {
    "angle", "eulerseq", "autolimits", "coordinate", "meshdir", "assetdir", "texturedir", "strippath",
    "inertiafromgeom", "inertiagrouprange", "balanceinertia", "boundmass", "boundinertia",
    "settotalmass", "fusestatic", "discardvisual", "usethread", "fitaabb", "saveinertial",
    "savecanonical", "savecompiled", "conflict", "passthrough",
}  # fmt: skip
WITHOUT_EFFECT = {"alignfree": "is not read: free bodies keep their frames; leave it out"}


@dataclass(slots=True)
class Compiler:
    """The settings of all <compiler> sections."""

    is_degree: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    meshdir: str = ""
    strippath: bool = False
    fitaabb: bool = False  # primitives are fitted to boxes around meshes, not to those of equal inertia
    inertiafromgeom: str = "auto"
    inertiagroups: tuple[int, int] = (0, 5)
    balanceinertia: bool = False
    boundmass: float = 0.0
    boundinertia: float = 0.0
    settotalmass: float = -1.0

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return math.radians(value) if self.is_degree else value

    def pose(self, node: Node) -> Pose:
        """Return where an element is in its parent: pos and one of five spellings of a rotation."""
        return Pose(node.vector("pos", 3, ORIGIN), self.rotation(node))

    def rotation(self, node: Node) -> Vector:
        """Return the quaternion of quat, axisangle, euler, xyaxes or zaxis."""
        given = [name for name in ROTATIONS if name in node.attributes]
        if not given:
            return IDENTITY
        if len(given) > 1:
            raise node.error(f"has {' and '.join(given)}, two words for a rotation; keep one")
        name = given[0]
        if name == "quat":
            return self.unit(node, node.vector("quat", 4), name)
        if name == "axisangle":
            *axis, angle = node.vector("axisangle", 4)
            return turn(self.unit(node, tuple(axis), name), self.angle(angle))
        if name == "euler":
            return self._euler(node)
        if name == "zaxis":
            return turn_z_to(self.unit(node, node.vector("zaxis", 3), name))
        return self._axes(node)

    def _euler(self, node: Node) -> Vector:
        made: Vector = IDENTITY
        for letter, angle in zip(self.eulerseq, node.vector("euler", 3), strict=True):
            axis = tuple(float(letter.lower() == name) for name in "xyz")
            one = turn(axis, self.angle(angle))
            made = multiply(made, one) if letter.islower() else multiply(one, made)
        return normalized(made)

    def _axes(self, node: Node) -> Vector:
        numbers = node.vector("xyaxes", 6)
        x = np.array(self.unit(node, numbers[:3], "xyaxes"))
        y = np.array(numbers[3:])
        y = np.array(self.unit(node, tuple((y - x * (x @ y)).tolist()), "xyaxes"))
        return quaternion_of(np.array([x, y, np.cross(x, y)]).T)

    @staticmethod
    def unit(node: Node, vector: Vector, name: str) -> Vector:
        """Return a vector at unit length; one without direction is an error."""
        if math.hypot(*vector) < 1e-14:
            raise node.error(f"{name}={node.attributes[name]!r} has no direction")
        return normalized(vector)

    def is_limited(self, node: Node, switch: str, span: str) -> bool:
        """Tell whether a range counts: a switch says so, or there is one and limits are automatic."""
        value = node.choice(switch, ("true", "false", "auto"), "auto")
        if value != "auto":
            return value == "true"
        low, high = node.vector(span, 2, (0.0, 0.0))
        has_range = low < high
        if has_range and not self.autolimits:
            raise node.error(f"has {span} but not {switch}, and autolimits is off; add {switch}")
        return has_range

    def range_of(self, node: Node, switch: str, span: str) -> tuple[float, float]:
        """Return a range that counts, or one without bounds."""
        lower, upper = node.vector(span, 2) if self.is_limited(node, switch, span) else (-inf, inf)
        if not lower < upper:
            raise node.error(f"{span}={node.attributes[span]!r}: the first must be the smaller")
        return lower, upper


def read_compiler(root: Node) -> Compiler:
    """Read all <compiler> sections of a file; later ones win."""
    made = Compiler()
    for node in root.all("compiler"):
        node.check(USED, silent=("lengthrange",), said=WITHOUT_EFFECT)
        _read(node, made)
    return made


def _read(node: Node, made: Compiler) -> None:
    attributes = node.attributes
    if node.choice("coordinate", ("local", "global"), "local") == "global":
        raise node.error('coordinate="global" is not read (MuJoCo dropped it, too); save it as local')
    if "angle" in attributes:
        made.is_degree = node.choice("angle", ("degree", "radian"), "degree") == "degree"
    if "eulerseq" in attributes:
        made.eulerseq = node.text("eulerseq")
        if len(made.eulerseq) != 3 or made.eulerseq.strip("xyzXYZ"):
            raise node.error(f"eulerseq={made.eulerseq!r} must be three letters of x, y, z, X, Y, Z")
    if "inertiafromgeom" in attributes:
        made.inertiafromgeom = node.choice("inertiafromgeom", ("false", "true", "auto"), "auto")
    if "inertiagrouprange" in attributes:
        low, high = node.vector("inertiagrouprange", 2)
        made.inertiagroups = int(low), int(high)
    for name in ("autolimits", "balanceinertia", "strippath", "fitaabb"):
        if name in attributes:
            setattr(made, name, switch(node, name))
    bounds = node.numbers(("boundmass", "boundinertia"), at_least=0.0)
    for name, number in (bounds | node.numbers(("settotalmass",))).items():
        setattr(made, name, number)
    for name in ("assetdir", "meshdir"):
        if name in attributes:
            made.meshdir = node.text(name)


def switch(node: Node, name: str, default: str = "false") -> bool:
    """Return an attribute that is true or false."""
    return node.choice(name, ("true", "false"), default) == "true"
