"""From the objects of a world to its records, and what is carried over from those before."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tribo.checks import check
from tribo.engine.builder import Capacity, build_model
from tribo.engine.engine import Engine
from tribo.engine.interrupts import deferred_signals
from tribo.engine.kept_runs import Kept, Run
from tribo.engine.layout import Layout, Span
from tribo.materials import ContactMaterial, MaterialTable
from tribo.model import Settings
from tribo.objects import Object
from tribo.objects.constraint import Constraint
from tribo.objects.owner import Arrays
from tribo.objects.record_views import arrays_of
from tribo.readout.contacts_and_energies import carry_readings

logger = logging.getLogger("tribo")

_KEPT = (  # of the state, whatever objects come and go
    "time", "warm_count", "warm_key", "warm_impulse",
    "yield_count", "yield_key", "yield_displacement", "yield_rate",
)  # fmt: skip


@dataclass(slots=True)
class Built:
    """The records of a world, and where its objects are in them."""

    engine: Engine
    layout: Layout
    materials: tuple[str, ...]  # names, in the order of their numbers
    ids: np.ndarray  # of the objects, rising: they are counted as objects are added
    arrays: Arrays  # in which the objects' numbers are
    holders: list[Object]  # that have looked at their numbers since the build

    def numbers(self, ids: np.ndarray) -> np.ndarray:
        """Return which of the objects have these ids, −1: none."""
        found = np.minimum(np.searchsorted(self.ids, ids), max(len(self.ids) - 1, 0))
        return np.where(self.ids[found] == ids, found, -1) if len(self.ids) else np.full(len(ids), -1)

    def hand_out(self, part: Object) -> tuple[Arrays, Span]:
        """Return the arrays that hold an object's numbers, and where they are in them."""
        self.holders.append(part)
        return self.arrays, self.layout.span(int(np.searchsorted(self.ids, part.id)))


def build(
    objects: Sequence[Object], constraints: Sequence[Constraint], materials: MaterialTable,
    settings: Settings, before: Built | None,
) -> Built:  # fmt: skip
    """Build the records of objects and constraints; move state, commands and warm start over.

    An object that is as it was costs what copying its numbers costs: it looks at them again when it is
    next asked for them.
    """
    for tie in constraints:
        tie.detach()
    ties = []
    if constraints:
        ends = np.cumsum([0, *(len(part.description.bodies) for part in objects)]).tolist()
        first_body = {part.id: first for part, first in zip(objects, ends, strict=False)}
        ties = [tie.tie(first_body) for tie in constraints]
    references = References(objects, materials)
    ids = np.array([part.id for part in objects], np.int64)
    kept = None
    if before is not None and materials.names[: len(before.materials)] == before.materials:
        as_built = np.array([part.is_as_built for part in objects], bool)
        places = np.where(as_built, before.numbers(ids), -1)
        kept = Kept(before.engine.model, before.layout, places)
    capacity = before.engine.capacity if before else Capacity()
    with deferred_signals.permitted():  # it lasts, and no object knows of these records yet
        model, layout, sizes = build_model(
            [part.description for part in objects], lambda k: objects[k].part(), materials, capacity, ties,
            references.find, kept,
        )  # fmt: skip
        model.body_like[:] = references.instances
        engine = Engine(model, sizes, capacity, settings=settings)
    runs = list(kept.runs()) if kept is not None else []
    if before is not None:
        for name in _KEPT:
            getattr(engine.state, name)[...] = getattr(before.engine.state, name)
        _carry(ids, before, engine, layout, runs)
    arrays = arrays_of(engine)
    _move(objects, before, arrays, layout, runs)
    for c, tie in enumerate(constraints):
        tie.attach(engine, c)
    engine.command.has_wrench[0] = engine.command.wrench.any()
    return Built(engine, layout, materials.names, ids, arrays, [])


def _move(
    objects: Sequence[Object], before: Built | None, arrays: Arrays, layout: Layout, runs: list[Run]
) -> None:
    """Move the numbers of all objects into new records: those of a run at once."""
    is_new = np.ones(len(objects), bool)
    for run in runs:
        assert before is not None
        was = before.layout.span(run.old, run.old + run.count)
        now = layout.span(run.new, run.new + run.count)
        for (_, source, index), (_, target, _) in zip(before.arrays, arrays, strict=True):
            target[getattr(now, index)] = source[getattr(was, index)]
        is_new[run.new : run.new + run.count] = False
    for k in np.flatnonzero(is_new).tolist():
        objects[k].attach(arrays, layout.span(k))
    for part in before.holders if before is not None else ():
        part.let_go()


def _carry(ids: np.ndarray, before: Built, engine: Engine, layout: Layout, runs: list[Run]) -> None:
    """Carry over what the last step left to read, of all objects that are in both."""
    spans = [
        (before.layout.span(run.old, run.old + run.count), layout.span(run.new, run.new + run.count))
        for run in runs
    ]
    was = before.numbers(ids)
    for run in runs:
        was[run.new : run.new + run.count] = -1
    again = np.flatnonzero(was >= 0).tolist()
    spans += [(before.layout.span(int(was[k])), layout.span(k)) for k in again]
    carry_readings(before.engine, engine, spans)


class References:
    """The reference bodies of contact materials, and their instances.

    The objects called `crane`, `crane'`, `crane''` are instances of one body, as `World.load_body` names
    them: where one of them touches, friction turns with that one.
    """

    def __init__(self, objects: Sequence[Object], materials: MaterialTable) -> None:
        """Look them up; one that is not there is said where both materials of its pair are."""
        laws = list(materials.references())
        self._places: dict[str, list[tuple[int, Object]]] = {}
        # By body: the first instance of the same, −1: of none; one number for all where there is no law.
        self.instances = np.full(1, -1)
        if not laws:
            return
        first = 0
        for part in objects:
            for name in {part.name, part.name.rstrip("'")}:
                self._places.setdefault(name, []).append((first, part))
            first += len(part.description.bodies)
        self.instances = np.full(first, -1)
        there = {
            shape.material for part in objects for body in part.description.bodies for shape in body.shapes
        }
        for one, other, law in laws:
            doubt = self._doubt(law)
            if doubt and {one, other} <= there:
                logger.warning("contact material of %r and %r: %s", one, other, doubt)
            if doubt:
                continue
            body, _ = self.find(law)
            for start, part in self._places[law.reference_body]:
                link = _link(part, law.reference_link)
                if link >= 0:
                    self.instances[start + link] = body

    def find(self, law: ContactMaterial) -> tuple[int, float]:
        """Return the number of a law's reference body and the mass of its object [kg]; −1, 0 without one."""
        if self._doubt(law):
            return -1, 0.0
        start, part = self._places[law.reference_body][0]
        mass = sum(body.mass for body in part.description.bodies)
        return start + _link(part, law.reference_link), float(mass)

    def _doubt(self, law: ContactMaterial) -> str:
        """Return why a reference body cannot be found, nothing if it can."""
        if law.reference_body not in self._places:
            near = check.nearest(law.reference_body, list(self._places))
            return f"no object is called {law.reference_body!r}{near}; its friction turns with the world"
        part = self._places[law.reference_body][0][1]
        if _link(part, law.reference_link) < 0:
            known = [body.name for body in part.description.bodies]
            near = check.nearest(law.reference_link, known)
            return (
                f"{law.reference_body!r} has no link {law.reference_link!r}{near}; its friction turns with "
                "the world"
            )
        return ""


def _link(part: Object, name: str) -> int:
    """Return which body of an object carries a link, the root for no name; −1 if none does."""
    if not name:
        return 0
    for k, body in enumerate(part.description.bodies):
        if name == body.name or name in {made.link for made in body.shapes}:
            return k
    return -1
