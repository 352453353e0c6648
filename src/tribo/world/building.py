"""From the objects of a world to its records, and what is carried over from those before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tribo.engine.builder import Capacity, build_model
from tribo.engine.engine import Engine
from tribo.engine.kept_runs import Kept, Run
from tribo.engine.layout import Layout
from tribo.materials import MaterialTable
from tribo.model import Settings
from tribo.objects import Object
from tribo.objects.constraint import Constraint
from tribo.objects.record_views import arrays_of
from tribo.readout.contacts_and_energies import carry_readings
from tribo.world.reference_bodies import References

_KEPT = (  # of the state, whatever objects come and go
    "time", "warm_count", "warm_key", "warm_impulse",
    "yield_count", "yield_key", "yield_u", "yield_rate",
)  # fmt: skip


@dataclass(slots=True)
class Built:
    """The records of a world, and where its objects are in them."""

    engine: Engine
    layout: Layout
    materials: tuple[str, ...]  # names, in the order of their numbers
    ids: list[int]  # of the objects


def build(
    objects: Sequence[Object], constraints: Sequence[Constraint], materials: MaterialTable,
    settings: Settings, before: Built | None,
) -> Built:  # fmt: skip
    """Build the records of objects and constraints; move state, commands and warm start over.

    An object that is as it was costs what copying its numbers costs.
    """
    for tie in constraints:
        tie.detach()
    ties = []
    if constraints:
        ends = np.cumsum([0, *(len(part.description.bodies) for part in objects)]).tolist()
        first_body = {part.id: first for part, first in zip(objects, ends, strict=False)}
        ties = [tie.tie(first_body) for tie in constraints]
    references = References(objects, materials)
    kept = None
    if before is not None and materials.names[: len(before.materials)] == before.materials:
        places = np.array([part.place for part in objects], np.int64)
        kept = Kept(before.engine.model, before.layout, places)
    capacity = before.engine.capacity if before else Capacity()
    parts = [part.part() for part in objects]
    model, layout, sizes = build_model(parts, materials, capacity, ties, references.find, kept)
    model.body_like[:] = references.instances
    engine = Engine(model, sizes, capacity, settings=settings)
    runs = list(kept.runs()) if kept is not None else []
    if before is not None:
        for name in _KEPT:
            getattr(engine.state, name)[...] = getattr(before.engine.state, name)
        _carry(objects, before, engine, layout, runs)
    _attach(objects, before, engine, layout, runs)
    for c, tie in enumerate(constraints):
        tie.attach(engine, c)
    engine.command.has_wrench[0] = engine.command.wrench.any()
    return Built(engine, layout, materials.names, [part.id for part in objects])


def _attach(
    objects: Sequence[Object], before: Built | None, engine: Engine, layout: Layout, runs: list[Run]
) -> None:
    """Move the numbers of all objects into new records: those of a run at once."""
    arrays = arrays_of(engine)
    is_copied, stays = np.zeros(len(objects), bool), np.zeros(len(objects), bool)
    for run in runs:
        assert before is not None
        was = before.layout.span(run.old, run.old + run.count)
        now = layout.span(run.new, run.new + run.count)
        sources = arrays_of(before.engine)
        for (_, source, index), (_, target, _) in zip(sources, arrays, strict=True):
            target[getattr(now, index)] = source[getattr(was, index)]
        members = slice(run.new, run.new + run.count)
        is_copied[members], stays[members] = True, was == now
    for k, part in enumerate(objects):
        span = part.span if stays[k] else None
        part.attach(arrays, span or layout.span(k), is_copied=bool(is_copied[k]))


def _carry(
    objects: Sequence[Object], before: Built, engine: Engine, layout: Layout, runs: list[Run]
) -> None:
    """Carry over what the last step left to read, of all objects that are in both."""
    spans = [
        (
            before.layout.span(run.old, run.old + run.count),
            layout.span(run.new, run.new + run.count),
        )
        for run in runs
    ]
    others = np.ones(len(objects), bool)
    for run in runs:
        others[run.new : run.new + run.count] = False
    if others.any():
        known = {number: k for k, number in enumerate(before.ids)}
        again = [k for k in np.flatnonzero(others).tolist() if objects[k].id in known]
        spans += [(before.layout.span(known[objects[k].id]), layout.span(k)) for k in again]
    carry_readings(before.engine, engine, spans)
