"""<equality>: pins, welds, couplings of joints and tendons. All are hard, except those of mocap bodies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tribo.checks.by_name import primed
from tribo.description.constraints import LOCKED, ConstraintDescription
from tribo.description.couplings import CouplingDescription
from tribo.description.trees import ORIGIN, TreeDescription
from tribo.formats.mjcf.bodies import WORLD, Body
from tribo.formats.mjcf.compiler import MAIN, switch
from tribo.formats.mjcf.damping_ratio import inverse_masses, mocap_spring
from tribo.formats.mjcf.defaults import Defaults
from tribo.formats.mjcf.joints import MjcfJoint
from tribo.formats.mjcf.source import Source
from tribo.formats.mjcf.tendons import APART, Tendon, is_possible, lifted, owner, shifted
from tribo.formats.mjcf.trees import Place, Places, Tree
from tribo.formats.nodes import Node
from tribo.formats.pose import Pose, inverse, matrix, normalized
from tribo.model import Joint, Kind

SOFT = "has no effect: equalities are hard here, except those of mocap bodies; leave it out"
SHARED = frozenset({"name", "class", "active"})
USED = {
    "connect": SHARED | {"body1", "body2", "anchor", "site1", "site2"},
    "weld": SHARED | {"body1", "body2", "anchor", "relpose", "site1", "site2"},
    "joint": SHARED | {"joint1", "joint2", "polycoef"},
    "tendon": SHARED | {"tendon1", "tendon2", "polycoef"},
}
SOFTNESS = {
    "connect": frozenset({"solref", "solimp"}),
    "weld": frozenset({"solref", "solimp", "torquescale"}),
}
WITHOUT_EFFECT = dict.fromkeys(SOFTNESS["weld"], SOFT)
NOT_READ = "an equality of this kind is not read: nothing holds what it joins together"
FAR = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # MuJoCo's standard `relpose`: none
LINE = (0.0, 1.0, 0.0, 0.0, 0.0)
TIME_STEP = 0.002  # [s] where a file has none
SINGLE = (Joint.REVOLUTE, Joint.PRISMATIC)


class EqualityReader:
    """Reads <equality>."""

    def __init__(
        self, bodies: list[Body], places: Places, tendons: Mapping[str, Tendon], defaults: Defaults
    ) -> None:
        """Keep what is there."""
        self._tendons = tendons
        self._trees, self._defaults = places.trees, defaults
        self._all, self._drawn = places, places.drawn
        self._places = places.bodies
        self._bodies, self._step = bodies, TIME_STEP
        self._numbers = {body.name: k for k, body in enumerate(bodies)}
        self._joints: dict[str, MjcfJoint] = {
            joint.description.name: joint for body in bodies for joint in body.joints
        }
        self._taken = set(tendons)  # names that no coupling may have
        self.scene: list[ConstraintDescription] = []  # between trees; `objects` are their numbers

    def read(self, source: Source) -> None:
        """Read all <equality> sections."""
        for option in source.sections("option"):
            self._step = option.number("timestep", self._step)
        for section in source.sections("equality"):
            for node in section.children:
                if node.tag not in USED:
                    node.doubt(NOT_READ, f"equality/{node.tag}")
                    continue
                filled = self._defaults.resolve(node, MAIN, "equality")
                known = USED[node.tag]
                if node.tag == "joint":
                    self._follow(filled)
                elif node.tag == "tendon":
                    self._couple_tendons(filled)
                elif self._hold(filled):
                    known |= SOFTNESS[node.tag]
                node.check_attributes(known, WITHOUT_EFFECT)

    # -- bodies ---------------------------------------------------------------------------------
    def _hold(self, node: Node) -> bool:
        """Read <connect> or <weld>; return whether a mocap body pulls by it, as a spring."""
        if "site1" in node.attributes or "site2" in node.attributes:
            (first, at), (second, other) = (
                node.named(key, self._all.sites, "a site") for key in ("site1", "site2")
            )
        else:
            first, second = (self._body(node, key) for key in ("body1", "body2"))
            at, other = self._anchors(node, self._places[first], self._places[second])
        if first == second:
            raise node.error("joins a body to itself; name two bodies")
        a, b = self._places[first], self._places[second]
        moving = [  # what forces move: it does not stand, and no user moves it
            (k, place) for k, place in ((first, a), (second, b))
            if place.tree >= 0 and self._trees[place.tree].description.kind == Kind.DYNAMIC
        ]  # fmt: skip
        if not moving:
            node.doubt("joins bodies that no force moves: it has no effect", "equality/still")
            return False
        is_pulled = len(moving) == 1 and min(a.tree, b.tree) >= 0
        ends = [a.inner @ at, b.inner @ other]
        scale = node.number("torquescale", 1.0)
        what = "pin" if node.tag == "connect" or (is_pulled and scale == 0.0) else "weld"
        made = ConstraintDescription(what, (a.body, b.body), locked=LOCKED[what])
        made.points = np.array([end.position for end in ends])
        made.axes = np.array([matrix(end.quaternion) for end in ends])
        made.links = a.link, b.link
        made.name = node.word("name")
        if not switch(node, "active", "true"):
            made.numbers["is_on"] = False
        if is_pulled:
            held, place = moving[0]
            tree, point = self._trees[place.tree].description, self._bodies[held].inertial.com
            inverse = inverse_masses(
                tree, self._drawn[place.tree], place.body, place.world.point(point), node
            )
            made.numbers |= mocap_spring(node, inverse, 2.0 * self._step, scale if what == "weld" else None)
        self._keep(made, a, b)
        return is_pulled

    def _keep(self, made: ConstraintDescription, a: Place, b: Place) -> None:
        """Give a constraint to the tree that it is in, or to the scene."""
        own = max(a.tree, b.tree)
        tree: TreeDescription = self._trees[own].description
        if min(a.tree, b.tree) < 0 and tree.bodies[0].joint.type == Joint.FIXED:
            base = inverse(self._all.poses[own][0])  # what stands is the robot's base
            made.bodies = (max(a.body, 0), max(b.body, 0))
            for side, place in enumerate((a, b)):
                if place.tree < 0:
                    made.points[side] = base.point(tuple(made.points[side]))
                    made.axes[side] = matrix(base.quaternion) @ made.axes[side]
        elif a.tree != b.tree and min(a.tree, b.tree) >= 0:
            made.objects = (a.tree, b.tree)
            self.scene.append(made)
            return
        tree.constraints.append(made)
        tree.closed = self._drawn[own]

    def _anchors(self, node: Node, a: Place, b: Place) -> tuple[Pose, Pose]:
        """Return where the two bodies meet, in each of them."""
        if node.tag == "connect":
            at = Pose(node.vector("anchor", 3))
            return at, inverse(b.world) @ a.world @ at
        other = Pose(node.vector("anchor", 3, ORIGIN))
        given = node.vector("relpose", 7, FAR)
        if any(given[3:]):
            return Pose(given[:3], normalized(given[3:])), other  # its position is that of the anchor
        return inverse(a.world) @ b.world @ other, other

    def _body(self, node: Node, key: str) -> int:
        if key == "body2" and key not in node.attributes:
            return WORLD
        return node.named(key, self._numbers, "a body")

    # -- joints ---------------------------------------------------------------------------------
    def _follow(self, node: Node) -> None:
        """Read <joint>: joint 1 follows joint 2, or is held where it is.   q₁ − r₁ = p(q₂ − r₂)"""
        first = self._joint(node, "joint1")
        second = self._joint(node, "joint2") if "joint2" in node.attributes else None
        curve = _curve(node)
        if not switch(node, "active", "true"):
            text = 'active="false" is not read for joints and tendons: it is left out'
            node.doubt(text, f"equality/{text}")
            return
        name = first.description.name
        inner = ((second.description.name, 1.0),) if second is not None else ()
        made = CouplingDescription(self._named(node), ((name, 1.0),), inner)
        if second is not None:
            curve = shifted(curve, second.reference)
        made.curve = lifted(curve, first.reference)
        tree = owner(made, self._trees, node)
        if second is None or any(curve[2:]):
            self._give(made, tree)
        elif tree is not None:
            own = {body.joint.name: body.joint for body in tree.description.bodies}
            if own[name].mimic is not None:
                raise node.error(f"joint {name!r} follows another one already; keep one")
            own[name].mimic = (second.description.name, made.curve[1], made.curve[0])

    def _couple_tendons(self, node: Node) -> None:
        """Read <tendon>: as for joints, with the lengths of tendons.   L₁ − L₁₀ = p(L₂ − L₂₀)"""
        found = [
            self._tendons.get(node.text(key)) if key in node.attributes else None
            for key in ("tendon1", "tendon2")
        ]
        first, second = found
        is_lost = "tendon2" in node.attributes and second is None
        if first is None or is_lost or not switch(node, "active", "true"):
            node.doubt("speaks of a tendon that is not read, or is not active: it has no effect",
                       "equality/tendon")  # fmt: skip
            return
        made = CouplingDescription(self._named(node), first.coupling.terms, way=first.coupling.way)
        curve = _curve(node)
        if second is not None:
            if second.tree is not first.tree:
                node.doubt(APART, "apart")
                return
            made.inner, made.inner_way = second.coupling.terms, second.coupling.way
            curve = shifted(curve, second.drawn)
        made.curve = lifted(curve, first.drawn)
        self._give(made, first.tree if is_possible(made, first.tree, node, "has no effect") else None)

    def _named(self, node: Node) -> str:
        """Return the name of a coupling that no tendon has."""
        name = primed(node.word("name") or f"equality_{node.line}", self._taken)
        self._taken.add(name)
        return name

    @staticmethod
    def _give(made: CouplingDescription, tree: Tree | None) -> None:
        """Let a robot have a coupling that holds."""
        made.lower = made.upper = 0.0
        if tree is not None:
            tree.description.couplings.append(made)

    def _joint(self, node: Node, key: str) -> MjcfJoint:
        joint = node.named(key, self._joints, "a joint")
        if joint.type not in SINGLE:
            raise node.error(f"{key}={node.text(key)!r} must be a hinge or slide")
        return joint


def _curve(node: Node) -> tuple[float, ...]:
    return (*node.vector("polycoef", None, LINE), 0.0, 0.0, 0.0, 0.0, 0.0)[:5]
