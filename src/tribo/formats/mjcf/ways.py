"""Ways of spatial tendons: from site to site, around spheres and cylinders, over pulleys; slider-cranks.

Source: MuJoCo's XML reference, tendon/spatial; `cranksite`, `slidersite`, `cranklength` and `refsite` of
actuators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tribo.description.couplings import CouplingDescription, WayElement
from tribo.description.trees import TreeDescription
from tribo.engine.coupled import write_ways
from tribo.enums import ElementKind
from tribo.formats.mjcf.trees import Places
from tribo.formats.nodes import Node
from tribo.formats.pose import Pose, inverse, matrix, quaternion_of, rotate
from tribo.model import Joint, Model, Work
from tribo.queries.ways import lay_ways

KINDS = {"sphere": ElementKind.SPHERE, "cylinder": ElementKind.CYLINDER}
CHILDREN = ("site", "geom", "pulley")
MIN_DIVISOR = 1e-15  # [–] of a pulley: with less its weight is no number
CENTRE = 1e-12  # [m] off the centre: a side there is inside, not left out
ROUND = (ElementKind.SPHERE, ElementKind.CYLINDER)


@dataclass(slots=True)
class Way:
    """Elements of a way, each with the tree on which it is, −1: it stands."""

    elements: list[WayElement]
    trees: list[int]
    obstacle: str = ""  # why it is not read

    @property
    def moving(self) -> list[int]:
        """The trees over which it runs."""
        return sorted(set(self.trees) - {-1})


class WayReader:
    """Reads ways of tendons and sliders."""

    def __init__(self, places: Places) -> None:
        """Keep where sites and geoms are."""
        self._places = places

    def tendon(self, node: Node) -> Way:
        """Read the way of a <spatial>.

        Raises:
            DescriptionError: A site or geom does not exist, or they come in an order that has no meaning.
        """
        way = Way([], [])
        weight = 1.0
        for child in node.children:
            if child.tag == "site":
                self._site(child, "site", way, weight)
            elif child.tag == "geom":
                self._geom(child, way)
            elif child.tag == "pulley":
                self._end(child, way)
                divisor = child.number("divisor", above=0.0)
                if divisor < MIN_DIVISOR:
                    raise child.error(f"divisor={divisor:g} is too small; {MIN_DIVISOR:g} is the least")
                weight = 1.0 / divisor
        self._end(node, way)
        return way

    def slider(self, node: Node, rod: float) -> Way:
        """Read the way of an actuator on a slider-crank, whose rod has a length [m].

        Raises:
            DescriptionError: A site does not exist.
        """
        way = Way([], [])
        self._site(node, "slidersite", way, 1.0)
        turn = matrix(self._at.quaternion)
        axis = tuple(turn[:, 2].tolist())
        way.elements[0] = replace(way.elements[0], kind=ElementKind.SLIDER, radius=rod, axis=axis)
        self._site(node, "cranksite", way, 0.0)
        return way

    def difference(self, node: Node, gear: Sequence[float]) -> Way:
        """Read the way of an actuator on a site as seen from its `refsite`: where it is and how it is turned.

        Args:
            node: The actuator.
            gear: (6,) along and about the axes of the reference.

        Raises:
            DescriptionError: A site does not exist.
        """
        way = Way([], [])
        seen, at = (node.named(key, self._places.sites, "a site") for key in ("refsite", "site"))
        placed = [(self._places.bodies[number], pose) for number, pose in (seen, at)]
        bodies, poses = ([place.body for place, _ in placed], [place.inner @ p for place, p in placed])
        trees = [place.tree for place, _ in placed]
        for k in range(2):  # a base that stands carries what stands with it: it may be moved
            other = trees[1 - k]
            if trees[k] < 0 <= other and self._stands(other):
                trees[k], bodies[k] = other, 0
                poses[k] = inverse(self._places.poses[other][0]) @ poses[k]
        turn, offset = (matrix(pose.quaternion) for pose in poses)
        points = [tuple(pose.position) for pose in poses]
        frame = _rotation_vector(offset @ turn.T)
        for kind, part, toward in (
            (ElementKind.SLIDER, gear[:3], (0.0, 0.0, 0.0)),
            (ElementKind.TURN, gear[3:], frame),
        ):
            weight = float(np.linalg.norm(part))
            if weight > 0.0:
                axis = tuple((turn @ np.array(part) / weight).tolist())
                way.elements.append(WayElement(bodies[0], points[0], weight, kind, axis=axis))
                way.elements.append(WayElement(bodies[1], points[1], 0.0, toward=toward))
                way.trees += trees
        return way

    def _stands(self, number: int) -> bool:
        return self._places.trees[number].description.bodies[0].joint.type == Joint.FIXED

    def _put(self, number: int, pose: Pose, way: Way) -> Pose:
        """Note on which tree an element is; return its pose in the body there, in the world if it stands."""
        place = self._places.bodies[number]
        way.trees.append(place.tree)
        return place.inner @ pose

    def _site(self, node: Node, key: str, way: Way, weight: float) -> None:
        number, pose = node.named(key, self._places.sites, "a site")
        self._at = self._put(number, pose, way)
        body = self._places.bodies[number].body
        way.elements.append(WayElement(body, tuple(self._at.position), weight))

    def _geom(self, node: Node, way: Way) -> None:
        name = node.text("geom")
        number, geom = node.named("geom", self._places.geoms, "a geom")
        if geom.type not in KINDS:
            raise node.error(f"geom={name!r} is a {geom.type}; a tendon wraps a sphere or cylinder")
        if not way.elements or way.elements[-1].kind in ROUND or way.elements[-1].weight == 0.0:
            raise node.error("must stand between two sites")
        at = self._put(number, geom.pose, way)
        radius, body = geom.size[0], self._places.bodies[number].body
        axis = tuple(matrix(at.quaternion)[:, 2].tolist()) if geom.type == "cylinder" else (0.0,) * 3
        toward = np.zeros(3)
        if node.word("sidesite"):
            side = node.text("sidesite")
            on, pose = node.named("sidesite", self._places.sites, "a site")
            there = self._places.bodies[on]
            toward = np.array((there.inner @ pose).position) - np.array(at.position)
            if (there.tree, there.body) != (way.trees[-1], body):
                way.obstacle = f"sidesite={side!r} is on another body than its geom"
            if not toward.any():
                toward[0] = CENTRE
        way.elements.append(
            WayElement(body, tuple(at.position), 1.0, KINDS[geom.type], radius, axis, tuple(toward.tolist()))
        )

    def _end(self, node: Node, way: Way) -> None:
        """End a thread: nothing begins at its last site."""
        if way.elements:
            if way.elements[-1].kind in ROUND:
                raise node.error("a geom must stand between two sites")
            way.elements[-1] = replace(way.elements[-1], weight=0.0)

    def on_robot(self, way: Way) -> int:
        """Give all of a way to the one tree over which it runs, and return this.

        Points of the world are given to the base of a robot that stands, so that they move with it.
        """
        (number,) = way.moving
        if self._stands(number):
            base = inverse(self._places.poses[number][0])
            for k, element in enumerate(way.elements):
                if way.trees[k] < 0:
                    axis, toward = (rotate(base.quaternion, v) for v in (element.axis, element.toward))
                    point = base.point(element.point)
                    way.elements[k] = replace(element, body=0, point=point, axis=axis, toward=toward)
        return number


def _rotation_vector(turn: np.ndarray) -> tuple[float, float, float]:
    w, *v = quaternion_of(turn)
    length = float(np.linalg.norm(v))
    angle = 2.0 * math.atan2(length, w)
    x, y, z = (angle / length * np.array(v)).tolist() if length > 0.0 else (0.0, 0.0, 0.0)
    return x, y, z


def length(coupling: CouplingDescription, poses: Sequence[Pose]) -> float:
    """Return the length of the way of a coupling [m] for poses of the bodies of its tree."""
    return float(laid(coupling, poses).arrays["segment_length"].sum())


def laid(coupling: CouplingDescription, poses: Sequence[Pose]) -> Work:
    """Return scratch in which the way of a coupling is laid for poses of the bodies of its tree."""
    sizes = {
        name: 0
        for record in (Model, Work)
        for declared in record.fields.values()
        for name in declared.shape
        if isinstance(name, str)
    }
    sizes |= {"ncoupling": 1, "nelement": len(coupling.way), "nbody": len(poses)}
    model, work = Model.allocate(sizes), Work.allocate(sizes)
    write_ways(model, coupling)
    for k, pose in enumerate(poses):
        work.arrays["body_pos"][0, k] = pose.position
        work.arrays["body_rot"][0, k] = matrix(pose.quaternion).reshape(work.arrays["body_rot"].shape[2:])
    lay_ways(model, work)
    return work


def moment(
    coupling: CouplingDescription, tree: TreeDescription, poses: Sequence[Pose],
    jacobians: Sequence[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:  # fmt: skip
    """Return how the length of the way of a coupling grows with each dof, (dof,).

    Args:
        coupling: Its way counts.
        tree: The robot that has it.
        poses: Of its bodies.
        jacobians: Of the rotation of each body, and of the point of it at the world's origin, (3, dof).
    """
    row = np.zeros(jacobians[0][0].shape[1])
    work = laid(coupling, poses).arrays
    for k, element in enumerate(coupling.way):
        after = int(work["segment_next"][0, k])
        if after < 0:
            continue
        ends = (element.body, "segment_from", -1.0), (coupling.way[after].body, "segment_to", 1.0)
        for body, place, sign in ends:
            if 0 <= body < len(tree.bodies):
                rotation, origin = jacobians[body]
                at = origin + np.cross(rotation, work[place][0, k], axis=0)
                grows = rotation if element.kind == ElementKind.TURN else at
                row += sign * work["segment_pull"][0, k] @ grows
    return row
