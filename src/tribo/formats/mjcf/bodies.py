"""The tree of <body> elements, frames resolved: bodies with joints, geoms, sites and masses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from tribo.description.trees import ORIGIN
from tribo.formats import elements
from tribo.formats.inertia import Inertial, merged
from tribo.formats.mjcf.compiler import MAIN, Compiler, switch
from tribo.formats.mjcf.defaults import Defaults
from tribo.formats.mjcf.geoms import Geom, GeomReader, ends
from tribo.formats.mjcf.joints import JointReader, MjcfJoint
from tribo.formats.mjcf.source import Source
from tribo.formats.nodes import Node
from tribo.formats.pose import NO_POSE, Pose
from tribo.model import Joint

WORLD = 0
PLACE = frozenset({"name", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "childclass"})
BODY = PLACE | {"mocap", "user", "fuse", "simple", "sleep", "gravcomp"}
BODY_CHILDREN = ("inertial", "joint", "freejoint", "geom", "site", "body", "frame")
DRAWN = ("camera", "light")
NOT_READ = {
    "composite": "bodies that are made of many are not read: write them out, or load_mujoco a compiled model",
    "flexcomp": "flexible bodies are not read: it is left out",
    "plugin": "plugins are not read: it is left out",
}
SITE = PLACE - {"childclass"} | {
    "class", "type", "size", "fromto", "group", "material", "mesh", "rgba", "user"
}  # fmt: skip
INERTIAL = frozenset(
    {"mass", "pos", "diaginertia", "fullinertia", "quat", "axisangle", "euler", "xyaxes", "zaxis"}
)
Steps: TypeAlias = "Iterator[Steps]"  # what is left to read, deeper elements as iterators of their own
TINY = 1e-15  # [kg, kg m²] MuJoCo's least mass and moment of what moves


@dataclass(slots=True)
class Body:
    """A body in the frame of its parent."""

    node: Node
    name: str
    parent: int  # −1: the world itself
    pose: Pose
    is_mocap: bool = False
    support: float = 0.0  # share of the weight that is borne from outside
    joints: list[MjcfJoint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[tuple[str, Pose]] = field(default_factory=list)
    written: Inertial | None = None
    inertial: Inertial = field(default_factory=Inertial)
    compiler: Compiler = field(default_factory=Compiler)  # of the file in which it stands


class BodyReader:
    """Reads <worldbody>."""

    def __init__(
        self, compiler: Compiler, defaults: Defaults, geoms: GeomReader, joints: JointReader
    ) -> None:
        """Keep the readers of what bodies hold."""
        self._compiler, self._defaults = compiler, defaults
        self._geoms, self._joints = geoms, joints
        self._names: dict[str, dict[str, Node]] = {}
        self.bodies: list[Body] = []

    def read(self, source: Source) -> list[Body]:
        """Return all bodies, parents first, in the order of the file; the first is the world."""
        self._source = source
        self.bodies = [Body(source.root, "world", -1, NO_POSE)]
        self._names["body"] = {"world": source.root}
        for section in source.sections("worldbody"):
            name = self._defaults.check(section, "childclass", MAIN)
            _run(self._children(section, WORLD, NO_POSE, name))
        for body in self.bodies:
            self._weigh(body)
        self._adjust()
        return self.bodies

    def _children(self, node: Node, number: int, frame: Pose, childclass: str) -> Steps:
        """Read what a body, or a frame in it, holds; trees are deeper than Python calls."""
        body = self.bodies[number]
        node.check_children(BODY_CHILDREN, silent=(*DRAWN, *NOT_READ))
        for child in node.children:
            if child.tag in NOT_READ:
                child.doubt(NOT_READ[child.tag], f"body/{child.tag}")
            elif child.tag == "frame":
                child.check_attributes(PLACE)
                inner = self._defaults.check(child, "childclass", childclass)
                outer, attached = self._compiler, self._source.attached.get(id(child))
                pose = frame @ self._compiler.pose(child)
                self._read_by(attached[1].compiler if attached else outer)
                yield self._children(child, number, pose, inner)
                self._read_by(outer)
            elif child.tag == "body":
                yield self._body(child, number, frame, childclass)
            elif child.tag in {"joint", "freejoint"}:
                self._joint(child, body, frame, childclass)
            elif child.tag == "geom":
                name = self._name(child, "geom", f"{body.name}/{len(body.geoms)}")
                body.geoms.append(self._geoms.read(child, childclass, frame, name))
            elif child.tag == "site":
                body.sites.append(self._site(child, frame, childclass))
            elif child.tag == "inertial":
                if body.written is not None:
                    raise child.error(f"body {body.name!r} has two of them; keep one")
                body.written = self._inertial(child, frame)

    def _read_by(self, compiler: Compiler) -> None:
        """Read what follows as a file with this <compiler> means it."""
        self._compiler = self._geoms.compiler = self._joints.compiler = compiler

    def _body(self, node: Node, parent: int, frame: Pose, childclass: str) -> Steps:
        node.check_attributes(BODY)
        name = self._name(node, "body", f"body_{len(self.bodies)}")
        body = Body(node, name, parent, frame @ self._compiler.pose(node), switch(node, "mocap"))
        body.support = node.number("gravcomp", 0.0)
        body.compiler = self._compiler
        number = len(self.bodies)
        self.bodies.append(body)
        inner = self._defaults.check(node, "childclass", childclass)
        yield self._children(node, number, NO_POSE, inner)
        if body.is_mocap and (body.joints or parent != WORLD):
            raise node.error("a mocap body stands in <worldbody> and has no joint; move or change it")

    def _joint(self, node: Node, body: Body, frame: Pose, childclass: str) -> None:
        if body.parent < 0:
            raise node.error("the world cannot move; put the joint into a <body>")
        count = len(self._names.get("joint", {}))
        joint = self._joints.read(node, childclass, frame, self._name(node, "joint", f"joint_{count}"))
        body.joints.append(joint)
        if joint.type == Joint.FREE and body.parent != WORLD:
            raise node.error("a free joint stands in a body of <worldbody>; use another type")
        if len(body.joints) > 1 and any(j.type == Joint.FREE for j in body.joints):
            raise node.error(f"body {body.name!r} is free; it can have no other joint")

    def _site(self, written: Node, frame: Pose, childclass: str) -> tuple[str, Pose]:
        written.check_attributes(SITE)
        node = self._defaults.resolve(written, childclass)
        count = len(self._names.get("site", {}))
        name = self._name(written, "site", f"site_{count}")
        pose = ends(node)[0] if "fromto" in node.attributes else self._compiler.pose(node)
        return name, frame @ pose

    def _inertial(self, node: Node, frame: Pose) -> Inertial:
        node.check_attributes(INERTIAL)
        mass = node.number("mass", at_least=0.0)
        pose = frame @ self._compiler.pose(node)
        if "fullinertia" in node.attributes:
            if "diaginertia" in node.attributes or self._compiler.rotation(node) != (1.0, 0.0, 0.0, 0.0):
                raise node.error("has fullinertia and a rotation or diaginertia; keep fullinertia")
            xx, yy, zz, xy, xz, yz = node.vector("fullinertia", 6)
        else:
            xx, yy, zz = node.vector("diaginertia", 3, (0.0, 0.0, 0.0))
            xy = xz = yz = 0.0
        own = Inertial(mass, inertia=elements.symmetric(xx, xy, xz, yy, yz, zz))
        return own.moved(pose)

    def _name(self, node: Node, kind: str, fallback: str) -> str:
        """Return a name that no other element of its kind has."""
        taken = self._names.setdefault(kind, {})
        name = node.word("name")
        if name in taken and name:
            where = taken[name]
            raise node.error(f"{where.file}:{where.line} has a {kind} of the same name; rename one")
        name = name or fallback
        while name in taken:
            name += "_"
        taken[name] = node
        return name

    # -- masses --------------------------------------------------------------------------------
    def _weigh(self, body: Body) -> None:
        """Find mass, centre and inertia of a body: written, or those of its geoms.

        The centre of a body without mass is where it is in its parent, as MuJoCo has it.
        """
        if body.parent < 0:
            return
        rule, whole = body.compiler.inertiafromgeom, Inertial()
        if rule == "true" or (rule == "auto" and body.written is None):
            low, high = body.compiler.inertiagroups
            for geom in body.geoms:
                if low <= geom.group <= high:
                    self._geoms.give_mass(geom)
            whole = merged([geom.inertial for geom in body.geoms])
        nothing = Inertial(com=body.node.vector("pos", 3, ORIGIN))
        body.inertial = whole if whole.mass > 0.0 else body.written or nothing

    def _adjust(self) -> None:
        """Apply boundmass, boundinertia, balanceinertia and settotalmass."""
        settings = self._compiler
        for body in self.bodies[1:]:
            part = body.inertial
            part.mass = max(part.mass, body.compiler.boundmass)
            part.inertia = self._principal(body, part)
        total = sum(body.inertial.mass for body in self.bodies)
        if settings.settotalmass > 0.0 and total > 0.0:
            factor = settings.settotalmass / total
            for body in self.bodies:
                body.inertial.mass *= factor
                body.inertial.inertia = body.inertial.inertia * factor

    def _principal(self, body: Body, part: Inertial) -> np.ndarray:
        """Return the inertia after checks and corrections of its principal moments."""
        moments, axes = np.linalg.eigh(part.inertia)
        least = body.compiler.boundinertia
        bounded = np.maximum(moments, least) if least > 0.0 else moments.copy()
        if float(bounded[0]) < -1e-9 * float(np.abs(bounded).max()):
            raise body.node.error(
                f"the inertia of body {body.name!r} has eigenvalue {float(bounded[0]):.6g} kg m², must be ≥ 0"
            )
        if bounded[2] > (bounded[0] + bounded[1]) * (1.0 + 1e-9) + TINY:
            if not body.compiler.balanceinertia:
                shown = ", ".join(f"{float(x):.6g}" for x in bounded)
                raise body.node.error(
                    f"the principal moments of body {body.name!r} ({shown} kg m²) violate the triangle "
                    'inequality: no rigid body has them; mend them, or set balanceinertia="true"'
                )
            bounded[:] = bounded.mean()
        if np.array_equal(bounded, moments):
            return part.inertia
        return np.asarray((axes * bounded) @ axes.T)


def _run(top: Steps) -> None:
    """Take all steps, those of deeper elements where they come up."""
    open_elements = [top]
    while open_elements:
        inner = next(open_elements[-1], None)
        if inner is None:
            open_elements.pop()
        else:
            open_elements.append(inner)
