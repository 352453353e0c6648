"""Which numbers of a world belong to an object, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tribo.checks.live import LiveArray
from tribo.checks.sealed import Answering
from tribo.engine.engine import Engine
from tribo.engine.layout import Span
from tribo.objects.owner import Arrays, Owner

# Numbers that belong to an object: array of a record, and which span of it.
VIEWS = {
    "q": ("state", "q"), "v": ("state", "v"), "vdot": ("state", "v"), "vdot_before": ("state", "v"),
    "drive_mode": ("state", "v"), "scalar_impulse": ("state", "slot"), "activation": ("state", "actuator"),
    "control": ("command", "actuator"), "left_q": ("state", "q"), "left_v": ("state", "v"),
    "tree_motion": ("state", "trees"), "tree_is_asleep": ("state", "trees"),
    "quiet_time": ("state", "trees"), "rest_keys": ("state", "trees"), "rest_marks": ("state", "trees"),
    "rest_force": ("state", "v"), "can_sleep": ("command", "trees"),
    "wrench": ("command", "body"), "surface_velocity": ("command", "shape"), "tau": ("command", "v"),
    "drive_form": ("command", "v"), "carries": ("command", "v"), "kp": ("command", "v"),
    "kd": ("command", "v"), "target_q": ("command", "q"), "target_v": ("command", "v"),
}  # fmt: skip
ELSEWHERE = 2e15  # [m, rad, –] of `State.left_q`: beyond all coordinates, the last step left none like these
IN_RECORDS = frozenset(("span", *(f"_{name}" for name in VIEWS)))  # attributes that a build moves


def arrays_of(engine: Engine) -> Arrays:
    """Return attribute, array of the records and kind of span of all that belongs to objects."""
    return [
        (f"_{name}", getattr(getattr(engine, record), name), index) for name, (record, index) in VIEWS.items()
    ]


class InRecords(Answering):
    """The part of an object that knows where its numbers are: in the records of its world, or with itself."""

    _world: Owner
    span: Span | None
    _handed: dict[str, LiveArray]
    _is_as_built: bool
    _is_in_records: bool

    @property
    def is_as_built(self) -> bool:
        """Whether the last build has all of its description."""
        return self._is_as_built

    if not TYPE_CHECKING:  # type checkers would take it for a licence to ask for anything

        def __getattr__(self, name: str) -> Any:
            """Find this object's numbers in the records, when it is first asked for them after a build.

            A build leaves thousands of objects alone that nobody looks at.
            """
            own = vars(self)
            if name not in IN_RECORDS or not own.get("_is_in_records"):
                return super().__getattr__(name)
            arrays, span = self._world.hand_out(self)
            own["span"] = span
            for attribute, array, index in arrays:
                own[attribute] = array[getattr(span, index)]
            return own[name]

    def attach(self, arrays: Arrays, span: Span) -> None:
        """Write this object's numbers into the records of a freshly built world."""
        for name, array, index in arrays:
            array[getattr(span, index)] = getattr(self, name)
        self._is_as_built = self._is_in_records = True
        self.let_go()

    def let_go(self) -> None:
        """Forget where this object's numbers were: they are in the records of a freshly built world.

        Arrays that were handed out before are refused from now on. An object that keeps its numbers
        itself keeps them.
        """
        if not self._is_in_records:
            return
        self._freeze_handed()
        own = vars(self)
        for name in IN_RECORDS:
            own.pop(name, None)

    def detach(self) -> None:
        """Keep this object's numbers apart from the records, before a rebuild.

        Arrays that were handed out, and slices of them, are no longer those of the object: writing to them is
        refused.
        """
        self._freeze_handed()
        own = vars(self)
        for name in VIEWS:
            own[f"_{name}"] = getattr(self, f"_{name}").copy()
        self._is_as_built = self._is_in_records = False
        self.span = None

    def _freeze_handed(self) -> None:
        """Refuse from now on what is written into arrays that were handed out."""
        for array in self._handed.values():
            array.let_go()
        self._handed.clear()
