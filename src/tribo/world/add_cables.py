"""The part of a world that lays cables: wires of nodes."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Sequence, Set
from copy import copy
from math import ceil, inf
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.by_name import free_name
from tribo.checks.orientation import of_matrices as quaternions
from tribo.checks.orientation import product
from tribo.engine.builder import ALL_GROUPS
from tribo.materials import Material
from tribo.objects.cable import Cable, CableNode, CableParts, CableSection
from tribo.objects.constraint import Constraint
from tribo.objects.end import End, body_pose
from tribo.objects.joint_ties import Lock
from tribo.objects.single_body import SingleBody
from tribo.objects.world_view import WorldView
from tribo.world.adapt_cables import Change, changes
from tribo.world.add_constraints import WorldConstraints, end_in
from tribo.world.add_objects import WorldObjects

logger = logging.getLogger("tribo")

MAX_SEGMENTS = 2000


class WorldCables:
    """Laying cables."""

    def __init__(self, world: WorldView, adding: WorldObjects, ties: WorldConstraints,
                 held: Callable[[], Set[int]] = frozenset,
                 when_changed: Callable[[tuple[str, ...]], None] = lambda names: None) -> None:  # fmt: skip
        """Lay them by means of other parts of a world.

        Args:
            world, adding, ties: These parts.
            held: Returns the ids of objects that must stay.
            when_changed: Is told that segments may have changed, and with what their names begin.
        """
        self._held, self._when_changed = held, when_changed
        self._world, self._adding, self._ties = world, adding, ties
        self.laid: list[Cable] = []
        self.adapting: list[Cable] = []  # those that do it by themselves

    @property
    def cables(self) -> tuple[Cable, ...]:
        """All cables in the order in which they were laid; one that lost a segment is none any more."""
        return tuple(one for one in self.laid if one.is_whole)

    def note(self, cable: Cable) -> None:
        """Note whether a cable adapts by itself, and that its segments may be others."""
        self._when_changed(tuple(f"{one.name}/" for one in self.laid))
        others = [one for one in self.adapting if one is not cable]
        self.adapting = others if cable.rule is None else [*others, cable]

    def add_cable(self, route: Any, *, radius: float, segment_length: float = 0.05,
                  material: Material | str = "default", self_collide: bool = False, collide: bool = True,
                  break_force: float = inf, name: str = "") -> Cable:  # fmt: skip
        """Lay a cable along a route: a wire of nodes that has mass, stretches, bends, and touches shapes.

        Each piece of the route becomes capsules of equal length, joined by rows that give way by L/(E A) in
        length and by L/(E I) about all axes (docs/howto/wires). Where nothing bends it, it is straight.

        Args:
            route: Two or more places in order: points (3,) [m] of the world, or `CableNode`.
            radius: [m].
            segment_length: Longest distance of two nodes [m].
            material: `Material`, of which density and wire parameters count, or the name of one with
                standard values; its shapes have this name for pairs of materials.
            self_collide: Whether its segments touch each other (neighbours never do).
            collide: Whether it touches anything.
            break_force: [N] at which any of its joints breaks.
            name: Empty: "cable_0" and so on.

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> rubber = tribo.Material(
            ...     "rubber", wire_youngs_modulus_stretch=1e6, wire_youngs_modulus_bend=0.0
            ... )
            >>> hook = tribo.CableNode((0, 0, 2), kind="fixed")
            >>> rope = world.add_cable([hook, (0, 0, 1)], radius=0.01, segment_length=0.1, material=rubber)
            >>> len(rope.segments), round(rope.mass, 3)
            (10, 0.314)
        """
        self._world.check_editable("the list of objects")
        check.instance(material, Material | str, "material must be a Material or a name")
        made = Material(material) if isinstance(material, str) else material
        size = check.positive(radius, "radius")
        longest = check.positive(segment_length, "segment_length")
        section = CableSection(size, made)
        nodes = [node if isinstance(node, CableNode) else CableNode(node) for node in _listed(route)]
        placed = [self.node_place(node, k) for k, node in enumerate(nodes)]
        points, corners = _divide([place for place, _ in placed], longest)
        title = self.free_name(name, "cable")
        group, mask = (None, ALL_GROUPS) if collide else (0, 0)
        if collide and not self_collide:
            group = self.free_group()
            mask = ALL_GROUPS & ~group
        turns = _straight_turns(np.diff(points, axis=0))
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        segments = []
        try:
            for k, (length, turn) in enumerate(zip(lengths, turns, strict=True)):
                part = self._adding.add_capsule(
                    size, float(length), section.mass_per_length * float(length), made.name,
                    position=0.5 * (points[k] + points[k + 1]), orientation=turn, name=f"{title}/{k}",
                    collision_group=group, collision_mask=mask,
                )  # fmt: skip
                segments.append(part)
            joints = [
                self._join_segments(section, segments, lengths, k, break_force, f"{title}/joint_{k}")
                for k in range(1, len(segments))
            ]
            fastenings: list[Constraint] = []
            fastened = 0
            for (_, end), node, k in zip(placed, nodes, corners, strict=True):
                if node.kind != "free":
                    what = f"{title}/node_{fastened}"
                    fastened += 1
                    fastenings += self._fasten(section, segments, lengths, node, end, k, what)
        except Exception:
            for part in segments:
                self._world.remove(part)
            raise
        self._doubt_damping(section, title)
        made_cable = Cable(
            self._world, title, section, lengths, segments, joints, fastenings, break_force, self
        )
        self.laid = [*(one for one in self.laid if one.is_whole), made_cable]
        return made_cable

    def adapt(self, cable: Cable, shortest: float, longest: float, bend: float) -> CableParts:
        """Halve and join segments of a cable; return the parts that it has then."""
        self._world.check_editable("the list of objects")
        found = changes(cable, shortest, longest, bend, self._ties.items, self._world.time_step, self._held())
        return self._change(cable, found) if found else cable.parts()

    def _change(self, cable: Cable, found: Sequence[Change]) -> CableParts:
        """Take segments out and put others in; return its parts."""
        count = len(cable.segments) + sum(len(one.pieces) - one.taken for one in found)
        if count > MAX_SEGMENTS:
            raise ValueError(
                f"the cable would have {count} segments, more than {MAX_SEGMENTS}: take a longer shortest"
            )
        old, by_start = cable.segments, {one.k: one for one in found}
        shapes = {one.k: old[one.k].collision_bodies[0] for one in found}
        looks = {
            k: (s.material, s.collision_group, s.collision_mask, old[k].color) for k, s in shapes.items()
        }
        taken = {part.name for part in self._world.objects}
        taken |= {tie.name for tie in self._ties.items}
        kept = {
            (id(a), id(b)): joint for (a, b), joint in zip(itertools.pairwise(old), cable.joints, strict=True)
        }
        for one in found:
            for part in old[one.k : one.k + one.taken]:
                self._world.remove(part)
        segments: list[SingleBody] = []
        lengths: list[float] = []
        k = 0
        while k < len(old):
            change = by_start.get(k)
            if change is None:
                segments.append(old[k])
                lengths.append(float(cable.lengths[k]))
                k += 1
                continue
            material, group, mask, color = looks[k]
            for piece in change.pieces:
                segments.append(self._adding.add_capsule(
                    cable.section.radius, piece.length, piece.mass, material, position=piece.place,
                    orientation=quaternions(piece.turn[None])[0], linear_velocity=piece.velocity,
                    angular_velocity=piece.spin, collision_group=group, collision_mask=mask,
                    color=color, name=cable.next_name("", taken),
                ))  # fmt: skip
                lengths.append(piece.length)
            k += change.taken
        made = np.array(lengths)
        joints = []
        for k, pair in enumerate(itertools.pairwise(segments), 1):
            joint = kept.get((id(pair[0]), id(pair[1])))
            if joint is None:
                name = cable.next_name("joint_", taken)
                joint = self._join_segments(cable.section, segments, made, k, cable.break_force, name)
            joints.append(joint)
        return CableParts(made, tuple(segments), tuple(joints), cable.rule)

    def _doubt_damping(self, section: CableSection, name: str) -> None:
        """Warn of spook dampings that ring: less than two steps."""
        least = 2.0 * self._world.time_step
        for key, stiffness in (
            ("wire_spook_damping_stretch", section.stretch_stiffness),
            ("wire_spook_damping_bend", section.bend_stiffness),
        ):
            value = float(getattr(section.material, key))
            if stiffness > 0.0 and value < least:
                logger.warning(
                    "cable %s: %s of %r is %g s, less than two time steps: it rings. Take %g s or more, or a "
                    "shorter time_step", name, key, section.material.name, value, least,
                )  # fmt: skip

    def free_name(self, name: str, what: str) -> str:
        """Return a name that no object begins with; empty: "cable_0" and so on of a cable."""
        taken = {part.name.split("/")[0] for part in self._world.objects}
        return free_name(name, taken, f"an object or {what}", what)

    def free_group(self) -> int:
        """Return a collision group that no shape is in."""
        used = 0
        for part in self._world.objects:
            for body in part.collision_bodies:
                used |= body.collision_group
        for bit in range(62, 1, -1):
            if not used >> bit & 1:
                return 1 << bit
        raise ValueError("all collision groups are in use: free one, or lay a cable with self_collide=True")

    def node_place(self, node: CableNode, k: int) -> tuple[np.ndarray, End]:
        """Return where a node is in the world, and the end on its body."""
        return self.place(node.body, node.point, f"body of route[{k}]")

    def place(self, item: Any, point: Any, what: str) -> tuple[np.ndarray, End]:
        """Return where a point (3,) [m] of a body is in the world, and the end on it."""
        end = end_in(self._ties.body_of(item, what), point, what)
        return end.pose()[0], end

    def _join_segments(self, section: CableSection, segments: Sequence[Any], lengths: np.ndarray, k: int,
                       break_force: float, name: str) -> Constraint:  # fmt: skip
        """Join segment k to the one before: half of each is what gives way."""
        ends = (
            End(segments[k - 1], 0, np.array([0.0, 0.0, 0.5 * lengths[k - 1]]), np.eye(3)),
            End(segments[k], 0, np.array([0.0, 0.0, -0.5 * lengths[k]]), np.eye(3)),
        )
        length = 0.5 * float(lengths[k - 1] + lengths[k])
        numbers = _soft(section, length) | {"break_force": break_force, "collide": False}
        what = "weld" if section.bend_stiffness > 0.0 else "pin"
        joint = self._ties.tie(Constraint, what, ends, name, numbers)
        joint.is_marked = False
        return joint

    def _fasten(self, section: CableSection, segments: Sequence[Any], lengths: np.ndarray, node: CableNode,
                end: End, k: int, name: str) -> list[Constraint]:  # fmt: skip
        """Fasten the node in front of segment k, or the end of the last one.

        A twist of another stiffness than the bending is a constraint of its own.
        """
        at = min(k, len(segments) - 1)
        along = -0.5 if k == at else 0.5
        own = End(segments[at], 0, np.array([0.0, 0.0, along * float(lengths[at])]), np.eye(3))
        _, turn = body_pose(segments[at], 0)
        _, frame = body_pose(end.part, end.body)
        end.axes = frame.T @ turn
        half = 0.5 * float(lengths[at])
        bend = twist = 0.0
        if node.kind == "link":
            cast = section.bend_stiffness / half
            bend = cast if node.bend_stiffness is None else node.bend_stiffness
            twist = bend if node.twist_stiffness is None else node.twist_stiffness
        numbers = _soft(section, half)
        # The cap of the last segment reaches into what it is on.
        passes = {} if end.part is None else {"collide": False}
        what = "pin" if bend == 0.0 else "weld" if twist == bend else "hinge"
        if bend > 0.0:
            numbers["angular_compliance"] = 1.0 / bend
        made = [self._ties.tie(Constraint, what, (end, own), name, numbers | passes)]
        if twist not in {0.0, bend}:
            numbers = {
                "compliance": 1.0 / twist,
                "spook_damping": numbers["angular_spook_damping"],
                "max_force": inf,
            }
            pair = (copy(end), copy(own))
            made.append(self._ties.tie(Lock, "lock", pair, f"{name}_twist", numbers | passes))
        return made


def _listed(route: Any) -> list[Any]:
    """Return the places of a route."""
    made = check.listed(route, "route", "points or CableNode")
    if len(made) < 2:
        raise ValueError(f"route must have two places or more, got {len(made)}")
    return made


def _divide(places: Sequence[np.ndarray], longest: float) -> tuple[np.ndarray, list[int]]:
    """Return nodes (n, 3) [m] along a route, none farther apart than `longest`, and which are its places."""
    points, corners = [places[0]], [0]
    total = sum(ceil(float(np.linalg.norm(b - a)) / longest) for a, b in itertools.pairwise(places))
    if total > MAX_SEGMENTS:
        raise ValueError(
            f"the route would take {total} segments, more than {MAX_SEGMENTS}: choose a longer segment_length"
        )
    for k, (start, stop) in enumerate(itertools.pairwise(places)):
        way = float(np.linalg.norm(stop - start))
        if way < check.SMALLEST:
            raise ValueError(f"route[{k}] and route[{k + 1}] are in one place")
        count = max(1, ceil(way / longest * (1.0 - 1e-12)))
        points += [start + (stop - start) * (j / count) for j in range(1, count + 1)]
        corners.append(corners[-1] + count)
    return np.array(points), corners


def _straight_turns(ways: np.ndarray) -> list[np.ndarray]:
    """Return orientations (4,) whose z runs along each way, turned from one to the next without twist."""
    z = ways / np.linalg.norm(ways, axis=1)[:, None]
    turn = _shortest(np.array([0.0, 0.0, 1.0]), z[0])
    made = [turn]
    for before, after in itertools.pairwise(z):
        turn = product(_shortest(before, after), turn)
        made.append(turn / np.linalg.norm(turn))
    return made


def _shortest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quaternion (w, x, y, z) of the shortest turn from unit vector a to b."""
    w = 1.0 + float(a @ b)
    if w < 1e-12:  # half a turn, about any axis across
        axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        return np.array([0.0, *(axis / np.linalg.norm(axis))])
    made = np.array([w, *np.cross(a, b)])
    return np.asarray(made / np.linalg.norm(made))


def _soft(section: CableSection, length: float) -> dict[str, Any]:
    """Return what gives way of a piece of cable [m]: ε = L/(E A), L/(E I), with their spook dampings."""
    material = section.material
    numbers = {
        "compliance": length / section.stretch_stiffness,
        "spook_damping": float(material.wire_spook_damping_stretch),
        "angular_spook_damping": float(material.wire_spook_damping_bend),
    }
    if section.bend_stiffness > 0.0:
        numbers["angular_compliance"] = length / section.bend_stiffness
    return numbers
