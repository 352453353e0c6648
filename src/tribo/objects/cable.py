"""Cables: wires of nodes, chains of capsules that stretch, bend and touch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tribo.checks import check
from tribo.checks.calls import frozen_record
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.materials import Material

if TYPE_CHECKING:
    from tribo.objects.constraint import Constraint
    from tribo.objects.single_body import SingleBody

KINDS = ("free", "fixed", "link")


@frozen_record
@dataclass(frozen=True)
class CableNode:
    """A place through which a cable is laid.

    Args:
        point: (3,) [m], in the frame of `body`.
        body: Object, link or frame of a robot; None: the world.
        kind: "free": the cable is only laid through it. "fixed": it is fastened there and can turn. "link":
            it is clamped there, along the direction in which it is laid. The segment that is fastened passes
            through that body.
        bend_stiffness: [N m/rad] of a link node; None: that of the cable itself, as if it were cast in.
        twist_stiffness: [N m/rad] of a link node about the cable's direction; None: as against bending.

    Raises:
        ValueError, TypeError: A value is wrong.

    Example:
        >>> import tribo
        >>> tribo.CableNode((0, 0, 2), kind="fixed").kind
        'fixed'
    """

    point: Any
    body: Any = None
    kind: str = "free"
    bend_stiffness: float | None = None
    twist_stiffness: float | None = None

    def __post_init__(self) -> None:
        """Check all values."""
        point = check.vector(self.point, "point of a node", 3)
        object.__setattr__(self, "point", tuple(point.tolist()))
        check.choice(self.kind, KINDS, "kind of a node")
        for name in ("bend_stiffness", "twist_stiffness"):
            value = getattr(self, name)
            if value is not None:
                if self.kind != "link":
                    raise ValueError(f"{name} belongs to a link node, this one is {self.kind}")
                object.__setattr__(self, name, check.number(value, name, minimum=0.0))


@dataclass(frozen=True, slots=True)
class CableSection:
    """Cross section and material of a cable: what one metre of it weighs and how stiff it is.

    Args:
        radius: [m].
        material: Its density and its four wire parameters count.

    Example:
        >>> import tribo
        >>> section = CableSection(0.02, tribo.Material("steel", density=7800.0))
        >>> round(section.mass_per_length, 3), f"{section.stretch_stiffness:.3e}"
        (9.802, '7.540e+07')
    """

    radius: float
    material: Material

    @property
    def area(self) -> float:
        """A = π r² [m²]."""
        return pi * self.radius**2

    @property
    def mass_per_length(self) -> float:
        """ρ A [kg/m]."""
        return float(self.material.density) * self.area

    @property
    def stretch_stiffness(self) -> float:
        """E A [N], E of the material's wire_youngs_modulus_stretch."""
        return float(self.material.wire_youngs_modulus_stretch) * self.area

    @property
    def bend_stiffness(self) -> float:
        """E I [N m²], I = π r⁴/4, E of the material's wire_youngs_modulus_bend."""
        return float(self.material.wire_youngs_modulus_bend) * pi * self.radius**4 / 4.0


@dataclass(frozen=True, slots=True)
class CableRule:
    """How a cable adapts by itself, as `Cable.keep_adapting` has it."""

    shortest: float  # [m]
    longest: float  # [m]
    bend: float  # [rad]
    every: int  # steps


@dataclass(frozen=True, slots=True)
class CableParts:
    """Of what a cable is made at a time, and how it adapts."""

    lengths: np.ndarray  # (segments,) [m] without tension
    segments: tuple[SingleBody, ...]
    joints: tuple[Constraint, ...]
    rule: CableRule | None


class CableKeeper(Protocol):
    """The part of a world that laid a cable, as the cable sees it."""

    def adapt(self, cable: Cable, shortest: float, longest: float, bend: float) -> CableParts:
        """Halve and join segments; return the parts that it has then."""

    def note(self, cable: Cable) -> None:
        """Note whether a cable adapts by itself."""


class Cable(Sealed):
    """A wire of nodes, as `World.add_cable` makes it: capsules, end to end, joined by rows that give way.

    Its capsules and joints are objects and constraints of the world, named CABLE/0, CABLE/joint_1 and so on;
    snapshots and world files hold them. `keep_adapting` lets its nodes come and go by themselves. `remove`
    takes all out.
    """

    _inner = frozenset({"become", "is_whole", "next_name", "parts", "rule"})

    def __init__(self, world: Any, name: str, section: CableSection, lengths: np.ndarray,
                 segments: Sequence[SingleBody], joints: Sequence[Constraint],
                 fastenings: Sequence[Constraint], break_force: float,
                 keeper: CableKeeper) -> None:  # fmt: skip
        """Use `World.add_cable`."""
        self._world, self._name, self._section = world, name, section
        self._lengths = lengths
        self._segments, self._joints = tuple(segments), tuple(joints)
        self._fastenings, self._keeper = tuple(fastenings), keeper
        self._break_force = break_force
        self._rule: CableRule | None = None
        self._numbers = len(self._segments)

    def __repr__(self) -> str:
        """Return its name, length and number of segments."""
        return f"<Cable {self._name!r}: {self.length:g} m in {len(self._segments)} segments>"

    @property
    def name(self) -> str:
        """Name, with which those of its parts begin."""
        return self._name

    @property
    def section(self) -> CableSection:
        """Cross section and material."""
        return self._section

    @property
    def segments(self) -> tuple[SingleBody, ...]:
        """Its capsules from start to end; each runs along its local z."""
        return self._segments

    @property
    def joints(self) -> tuple[Constraint, ...]:
        """Constraints that join segment k − 1 to segment k, k = 1 …; break_force of one may be set."""
        return self._joints

    @property
    def fastenings(self) -> tuple[Constraint, ...]:
        """Constraints that fasten it at its fixed and link nodes, in the order of the route."""
        return self._fastenings

    @property
    def lengths(self) -> np.ndarray:
        """Length of each segment without tension, (segments,) [m]."""
        return frozen(self._lengths)

    @property
    def length(self) -> float:
        """Length without tension [m]."""
        return float(self._lengths.sum())

    @property
    def mass(self) -> float:
        """Mass [kg]: ρ A times its length."""
        return float(sum(part.mass for part in self._segments))

    @property
    def points(self) -> np.ndarray:
        """Its nodes, (segments + 1, 3) [m], world: starts of all segments, and the end of the last."""
        half = 0.5 * self._lengths[:, None]
        place = np.array([part.position for part in self._segments])
        along = np.array([part.rotation_matrix[:, 2] for part in self._segments])
        starts, ends = place - half * along, place + half * along
        middle = 0.5 * (starts[1:] + ends[:-1])
        return frozen(np.concatenate([starts[:1], middle, ends[-1:]]))

    @property
    def tensions(self) -> np.ndarray:
        """Mean tension in the last step at each joint, (segments − 1,) [N], < 0: pressed."""
        made = np.zeros(len(self._joints))
        for k, joint in enumerate(self._joints):
            along = self._segments[k].rotation_matrix[:, 2] + self._segments[k + 1].rotation_matrix[:, 2]
            made[k] = joint.force @ along / np.linalg.norm(along)
        return frozen(made)

    @property
    def stretched_length(self) -> float:
        """Length along its nodes now [m]."""
        half = 0.5 * self._lengths[:, None]
        place = np.array([part.position for part in self._segments])
        along = np.array([part.rotation_matrix[:, 2] for part in self._segments])
        gaps = (place - half * along)[1:] - (place + half * along)[:-1]
        axes = along[1:] + along[:-1]
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        return float(self.length + np.einsum("ij,ij->", gaps, axes))

    @property
    def courant_number(self) -> float:
        """Waves across the cable in a step: c dt/ℓ [–], c² = T/(ρ A), of its shortest segment.

        Above 0.6 the step is long for it, above 1.5 it trembles: take longer segments or a shorter time step.
        """
        most = max(0.0, float(self.tensions.max(initial=0.0)))
        speed = (most / self._section.mass_per_length) ** 0.5
        return float(speed * self._world.time_step / self._lengths.min())

    def next_name(self, what: str, taken: Collection[str]) -> str:
        """Return a name for a new part of it, that nothing has or has had."""
        self._numbers += 1
        while (name := f"{self._name}/{what}{self._numbers}") in taken:
            self._numbers += 1
        return name

    def adapt(self, shortest: float, longest: float, bend: float = 0.2) -> bool:
        """Halve segments where it bends or touches, join straight ones; call it every few steps.

        A segment is halved if it touches something, or turns by more than `bend` against a neighbour. Two
        become one if they touch nothing and are as good as straight: a quarter of `bend` between them, half
        of it beside them. Each call halves or joins a segment once. Length, mass and momentum stay, tensions
        go on.
        Fastenings, winches and broken segments stay as they are; nothing is halved that the tension would
        make tremble (`courant_number` > 0.6).

        Segments that change are new objects of the world: `segments`, `joints` and their names are others
        then; a snapshot of before brings the old ones back. Joints beside them are made anew, as `add_cable`
        made the first ones: what was assigned to those that go is lost.

        Args:
            shortest: [m] > 0 below which no segment is halved.
            longest: [m] ≥ 2 `shortest` beyond which none are joined.
            bend: [rad] > 0.

        Returns:
            Whether anything has changed.

        Raises:
            ValueError, TypeError: A value is wrong, or it was removed; it stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> hook = tribo.CableNode((0, 0, 2), kind="fixed")
            >>> rope = world.add_cable([hook, (0, 0, 1)], radius=0.01, segment_length=0.1)
            >>> while rope.adapt(shortest=0.05, longest=0.4):
            ...     pass
            >>> len(rope.segments), round(rope.length, 12)
            (4, 1.0)
        """
        rule = self._checked_rule(shortest, longest, bend)
        before = self._segments
        self.become(self._keeper.adapt(self, rule.shortest, rule.longest, rule.bend))
        return self._segments != before

    def keep_adapting(self, shortest: float, longest: float, bend: float = 0.2, every: int = 10) -> None:
        """Let it adapt by itself from now on, as `adapt` does it, in `World.step` and `World.update`.

        It does so before each step whose number, time over time step, is a multiple of `every`, but the
        first. The result depends on the state alone: a world that is restored does the same again, with the
        segments of the snapshot. A recording then has several `stretches`; a batch is refused until
        `stop_adapting` is called. It ends where a segment is removed by others.

        Args:
            shortest, longest, bend: As in `adapt`.
            every: Steps ≥ 1 from one time to the next.

        Raises:
            ValueError, TypeError: A value is wrong, or it was removed; it stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> hook = tribo.CableNode((0, 0, 2), kind="fixed")
            >>> rope = world.add_cable([hook, (0, 0, 1)], radius=0.01, segment_length=0.1)
            >>> rope.keep_adapting(shortest=0.05, longest=0.4)
            >>> world.step(50)
            >>> rope.is_adapting, len(rope.segments)
            (True, 4)
        """
        rule = self._checked_rule(shortest, longest, bend, every)
        self._world.check_editable(f"how {self._name} adapts")
        self._rule = rule
        self._keeper.note(self)

    def stop_adapting(self) -> None:
        """Let it keep the segments that it has, see `keep_adapting`."""
        self._rule = None
        self._keeper.note(self)

    @property
    def is_adapting(self) -> bool:
        """Whether it adapts by itself, see `keep_adapting`."""
        return self._rule is not None

    def _checked_rule(self, shortest: Any, longest: Any, bend: Any, every: Any = 1) -> CableRule:
        """Return a rule whose values are right; refuse what was removed."""
        least = check.positive(shortest, "shortest")
        most = check.number(longest, "longest")
        angle = check.positive(bend, "bend")
        if not most >= 2.0 * least:
            raise ValueError(
                f"longest must be at least twice shortest, {2.0 * least:g} m, got {most:g}: what is halved "
                "would be joined again"
            )
        if not self.is_whole:
            raise ValueError(f"{self._name} was removed, or one of its segments: lay it anew")
        return CableRule(least, most, angle, check.integer(every, "every", 1))

    # -- what the world asks for ---------------------------------------------------------------
    @property
    def is_whole(self) -> bool:
        """Whether all its segments are in the world."""
        return not any(part.is_removed for part in self._segments)

    @property
    def rule(self) -> CableRule | None:
        """How it adapts by itself; None: it does not."""
        return self._rule

    @property
    def break_force(self) -> float:
        """Force [N] at which joints break that come with new segments."""
        return self._break_force

    def parts(self) -> CableParts:
        """Return of what it is made now."""
        return CableParts(self._lengths, self._segments, self._joints, self._rule)

    def become(self, parts: CableParts) -> None:
        """Take other parts, which are in the world."""
        self._lengths, self._segments, self._joints = parts.lengths, parts.segments, parts.joints
        self._rule = parts.rule
        self._keeper.note(self)

    def remove(self) -> None:
        """Take it out of its world, with all that fastens it."""
        self.stop_adapting()
        for part in self._segments:
            if not part.is_removed:
                self._world.remove(part)
