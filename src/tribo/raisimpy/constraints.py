"""Wires between two points, and pins that close loops."""

from __future__ import annotations

from typing import Any, ClassVar

from tribo.checks import check
from tribo.raisimpy.arguments import behind, member, picked
from tribo.raisimpy.enums import StretchType, WireType
from tribo.raisimpy.objects import Object
from tribo.raisimpy.spelling import Dialects, Wrapper, keeps, means, nothing, reads, writes

WORDS = {  # StretchType is a string in RaiSim
    "STRETCH_RESISTANT_ONLY": "stretch", "COMPRESSION_RESISTANT_ONLY": "compression", "BOTH": "both",
}  # fmt: skip


class LengthConstraint(Wrapper):
    """Two points and a rest length."""

    StretchType = StretchType
    _old: ClassVar[dict[str, str]] = {"get_normal": "getNorm"}

    def __init__(self, world: Any, it: Any, ends: tuple[Any, ...]) -> None:
        """Wrap a wire of tribo between (object, body, point) and (object, body, point)."""
        super().__init__(it)
        self._world, self._ends, self._width = world, ends, 0.01
        self._color: Any = ""
        self._stretch = StretchType(it.resists) if it.wire_type != "custom" else StretchType("both")

    getName = reads("name")
    setName = writes("name")
    getLength = reads("length")
    setLength = writes("length")
    getDistance = reads("distance")
    getStretch = reads("stretch")
    update = nothing("distances belong to the present state")
    getNorm = reads("direction")

    name = keeps("name")

    getP1 = means("``points[0]``", lambda self: self._it.points[0])
    getP2 = means("``points[1]``", lambda self: self._it.points[1])
    getBody1 = means("``objects[0]``", lambda self: self._ends[0][0])
    getBody2 = means("``objects[1]``", lambda self: self._ends[1][0])
    getLocalIdx1 = means("``parts[0]``", lambda self: int(self._ends[0][1]))
    getLocalIdx2 = means("``parts[1]``", lambda self: int(self._ends[1][1]))
    getOb1MountPos = means("``first_point=`` of ``world.add_wire``", lambda self: self._ends[0][2])
    getOb2MountPos = means("``second_point=`` of ``world.add_wire``", lambda self: self._ends[1][2])
    getStretchType = means("``resists``", lambda self: self._stretch)

    def setStretchType(self, kind: Any) -> None:
        """``resists = …``"""
        chosen = member(StretchType, WORDS.get(kind, kind) if isinstance(kind, str) else kind)
        if self._it.wire_type != "custom":
            self._it.resists = chosen.value
        self._stretch = chosen

    getWireType = means("``wire_type``", lambda self: WireType(self._it.wire_type))

    def getVisualizationWidth(self) -> float:
        """nothing: the viewer draws wires by itself"""
        return self._width

    def setVisualizationWidth(self, width: float) -> None:
        """nothing: the viewer draws wires by itself"""
        self._width = check.positive(width, "width")

    getColor = means("nothing: the viewer draws wires by itself", lambda self: self._color)

    def setColor(self, *color: Any) -> None:
        """nothing: the viewer draws wires by itself"""
        self._color = color[0] if len(color) == 1 else color

    isActive = means("``tension != 0``", lambda self: bool(self._it.tension != 0.0))


class StiffLengthConstraint(LengthConstraint):
    """A wire that does not give way."""


class CompliantLengthConstraint(LengthConstraint):
    """A wire with a stiffness."""

    getStiffness = reads("stiffness")
    getTension = reads("tension")
    getPotentialEnergy = reads("potential_energy")
    applyTension = nothing("world.step applies it")


class CustomLengthConstraint(LengthConstraint):
    """A wire whose tension the user gives."""

    setTension = writes("tension")


class PinConstraint(Wrapper):
    """A pin that closes a loop of a robot's file."""

    def _end(self, side: int) -> Any:
        return self._it.ends[side]

    body1 = property(lambda self: self._end(0).label, doc="``ends[0]``")
    body2 = property(lambda self: self._end(1).label, doc="``ends[1]``")
    anchor = property(lambda self: self._end(0).point, doc="``position=`` of ``world.add_pin``")
    pos1_b = property(lambda self: self._end(0).point, doc="``ends[0].point``")
    pos2_b = property(lambda self: self._end(1).point, doc="``ends[1].point``")
    pos1_w = property(lambda self: self._it.points[0], doc="``points[0]``")
    pos2_w = property(lambda self: self._it.points[1], doc="``points[1]``")
    localIdx1 = property(lambda self: self._end(0).body, doc="``ends[0].body``")
    localIdx2 = property(lambda self: self._end(1).body, doc="``ends[1].body``")


class PinConstraintDefinition(Dialects):
    """A pin of a URDF's ``<constraints>``: two links and an anchor, which ``world.add_pin`` takes."""

    def __init__(self, body1: str = "", body2: str = "", anchor: Any = (0.0, 0.0, 0.0)) -> None:
        """Keep them."""
        self.body1, self.body2, self.anchor = body1, body2, anchor


KINDS = {
    "stiff": StiffLengthConstraint, "compliant": CompliantLengthConstraint,
    "custom": CustomLengthConstraint,
}  # fmt: skip


def attachment(part: Any, body: int, point: Any) -> tuple[Any, Any]:
    """Return what ``world.add_wire`` takes for an object, a body of it and a point in that body's frame."""
    it, place = behind(part, Object, "an end of a wire"), check.vector(point, "point of a wire", 3)
    if hasattr(it, "body_names"):
        return it.link(picked(it.body_names, body, "body", it)), place
    return it, place - it.com
