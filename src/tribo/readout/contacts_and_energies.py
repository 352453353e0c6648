"""From the arrays of a step to contacts, energies and momenta with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.engine.engine import Engine
from tribo.engine.layout import Span
from tribo.model import Impact, Status
from tribo.objects import Object
from tribo.objects.contact import PER_CONTACT, SAID, Contact, views
from tribo.objects.contact_rows import ContactCopier
from tribo.objects.world_view import WorldView
from tribo.queries import momentum
from tribo.queries.contacts import table_of_contacts

if TYPE_CHECKING:
    from tribo.readout.explain_contact import ContactDiagnosis

VECTOR = (np.float64, 3)
ROW = np.dtype([
    ("position", *VECTOR), ("normal", *VECTOR), ("depth", np.float64), ("force", *VECTOR),
    ("object_a", np.int64), ("object_b", np.int64), ("shape_a", np.int64), ("shape_b", np.int64),
])  # fmt: skip
WIDTH = ROW.itemsize // 8  # of a row in words


class ContactTable:
    """Contacts of the last step as rows; which object a shape belongs to is kept for a build."""

    def __init__(self) -> None:
        self._model: object = None
        self._owner = np.empty((0, 2), np.int64)
        self._owners: list[tuple[Object, str]] | None = None
        self._make_room(0)

    def read(self, engine: Engine, world: WorldView, reach: float) -> np.ndarray:
        """Return a row for each point that overlaps, is within `reach` [m], or carries an impulse."""
        if self._model is not engine.model:
            self._note(engine, world.objects)
        if len(self._numbers) < engine.capacity.contacts:
            self._make_room(engine.capacity.contacts)
        count = table_of_contacts(
            engine.settings, engine.work, self._owner, reach, self._numbers, self._places
        )
        return np.ndarray(count, ROW, self._words[: count * WIDTH].copy())

    def owners(self, engine: Engine, world: WorldView) -> Sequence[tuple[Object, str]]:
        """Return of each shape the object that it belongs to and the name of its collision body."""
        if self._model is not engine.model:
            self._note(engine, world.objects)
        if self._owners is None:
            self._owners = [
                (part, body.name)
                for part in world.objects
                if part.span is not None
                for body in part.collision_bodies
            ]
        return self._owners

    def _note(self, engine: Engine, objects: Sequence[Object]) -> None:
        spans = [part.span.shape for part in objects if part.span is not None]
        counts = [span.stop - span.start for span in spans]
        owners = np.repeat(np.arange(len(spans)), counts)
        places = [np.arange(count) for count in (*counts, 0)]
        self._owner = np.ascontiguousarray(np.stack([owners, np.concatenate(places)], axis=1))
        self._model, self._owners = engine.model, None

    def _make_room(self, count: int) -> None:
        self._words = np.zeros(count * WIDTH)
        self._numbers = self._words.reshape(count, WIDTH)
        self._places = self._numbers.view(np.int64)


def contact_impulses(engine: Engine) -> np.ndarray:
    """Return the impulses of all contacts in the last step, shape (n, 3) [N s], contact axes."""
    work = engine.work
    n = int(work.contact_count[0])
    if engine.settings.impact == Impact.PROPAGATE:
        return np.asarray(work.contact_impulse[:n] + work.contact_impact[:n])
    return np.asarray(work.contact_impulse[:n])


ROUNDING = 1e-7  # [m] of a gap between what touches: solves and positions are rounded


def midway_reach(engine: Engine) -> float:
    """Return the gap [m] up to which points touch before their impulses are known.   g (dt/2)²/2

    That is how far weight alone moves something within the half step to where gaps are found: what stands has
    gaps of either sign there, by round-off.
    """
    s = engine.settings
    weight = float(np.hypot(np.hypot(s.gravity_x, s.gravity_y), s.gravity_z))
    return ROUNDING + weight * float(s.dt) ** 2 / 8.0


def carry_readings(old: Engine, new: Engine, spans: Sequence[tuple[Span, Span]]) -> None:
    """Copy what the last step left to read into records built anew.

    Args:
        old, new: Records before and after.
        spans: Of each object that is in both: where it was, where it is.
    """
    before, after = old.work, new.work
    for name in SAID:
        getattr(after, name)[...] = getattr(before, name)
    number = np.full(len(old.model.shape_kind), -1)  # of each shape now; −1: it is gone
    for was, now in spans:
        number[was.shape] = np.arange(now.shape.start, now.shape.stop)
        if was.v.stop - was.v.start == now.v.stop - now.v.start:
            after.applied_torque[now.v] = before.applied_torque[was.v]
    count = int(before.contact_count[0])
    kept = np.flatnonzero((number[before.contact_shape[:count]] >= 0).all(axis=1))
    for name in PER_CONTACT:
        getattr(after, name)[: len(kept)] = getattr(before, name)[kept]
    after.contact_shape[: len(kept)] = number[before.contact_shape[kept]]
    after.contact_count[0] = len(kept)


def tree_energies(engine: Engine) -> np.ndarray:
    """Return [kinetic, potential, p (3), L (3)] of every tree at the present state, (ntree, 8).

    Trees that are not dynamic have zeros: their energy is nobody's business.
    """
    result = np.empty((len(engine.model.tree_body), 8))
    state = engine.state
    momentum.of_trees(engine.model, engine.settings, engine.scratch(), state.q, state.v, result)
    return result


class WorldReadout:
    """The part of a world that reads: contacts, energies, momenta, how the last step went."""

    def __init__(self, world: WorldView) -> None:
        self._world, self._table, self._copier = world, ContactTable(), ContactCopier()

    @property
    def contacts(self) -> list[Contact]:
        """Points that touched in the last step.

        Between `update` and `advance` they are the points that touch now, without impulses: those that
        overlap, or whose gap is no more than weight alone closes in half a step.

        They stay until the next step, also if objects are added or removed; a removed object takes
        its own along. `Contact.force_on` gives the force on either side.
        """
        return self._read_contacts(None)

    @property
    def contact_data(self) -> np.ndarray:
        """The same as one structured array, (n,), without a `Contact` for each.

        Fields: position (3,) [m], normal (3,) into A, depth [m], force (3,) [N] on A; object_a, object_b,
        places in `objects`; shape_a, shape_b, places in their `collision_bodies`.
        """
        world = self._world
        engine = world.engine
        reach = midway_reach(engine) if world.is_midway else 0.0
        return self._table.read(engine, world, reach)

    def contacts_of(self, part: Object) -> list[Contact]:
        """Return the contacts of an object, seen from it: forces act on it.

        Raises:
            TypeError: It is no object.
            ValueError: It is none of this world.
        """
        check.instance(part, Object, "contacts_of takes an object, as world['name'] is one")
        if all(part is not own for own in self._world.objects):
            raise ValueError(f"{part.name} is no object of this world; take one of world.objects")
        return self._read_contacts(part)

    def _read_contacts(self, only: Object | None) -> list[Contact]:
        engine = self._world.engine
        reach = midway_reach(engine) if self._world.is_midway else 0.0
        owners = self._table.owners(engine, self._world)
        rows = self._copier.copy(engine, owners, self._world.materials)
        if rows is None:
            return []
        places = rows.touching(reach)
        if only is None:
            return views(rows, places)
        return [
            contact
            for c in places
            for side, shape in enumerate(rows.shapes[c])
            if owners[shape][0] is only
            for contact in views(rows, [c], side == 0)
        ]

    def diagnose_contact(self, first: Object, second: Object) -> ContactDiagnosis:
        """Return what the last step found between two objects: friction in use, forces, stick or slip, gaps.

        Printed it is a table. Points within reach of the step are listed whether or not they carry a force.

        Args:
            first, second: Objects of this world; the same one twice asks about its own links.

        Raises:
            TypeError: One of them is no object.
            ValueError: The numbers are gone: objects were added or removed, or a state was restored since.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> box = world.add_box(size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
            >>> world.step(10)
            >>> found = world.diagnose_contact(box, ground)
            >>> found.count("stick"), round(found.normal_force, 6)
            (4, 9.81)
        """
        for part in (first, second):
            check.instance(part, Object, "diagnose_contact takes objects")
        from tribo.readout.explain_contact import diagnose

        return diagnose(self._world.engine, first, second)

    @property
    def kinetic_energy(self) -> float:
        """Of all dynamic objects [J]."""
        return float(tree_energies(self._world.engine)[:, 0].sum())

    @property
    def potential_energy(self) -> float:
        """Of dynamic objects in gravity, zero at the world origin; of springs of joints and tendons [J]."""
        return float(tree_energies(self._world.engine)[:, 1].sum())

    @property
    def energy(self) -> float:
        """Kinetic and potential [J]."""
        return float(tree_energies(self._world.engine)[:, :2].sum())

    @property
    def linear_momentum(self) -> np.ndarray:
        """Of all dynamic objects, shape (3,) [kg m/s], world."""
        return frozen(tree_energies(self._world.engine)[:, 2:5].sum(axis=0))

    @property
    def angular_momentum(self) -> np.ndarray:
        """Of all dynamic objects about the world origin, shape (3,) [kg m²/s]."""
        return frozen(tree_energies(self._world.engine)[:, 5:8].sum(axis=0))

    @property
    def status(self) -> Status:
        """How the last step went, all n of `step(n)` combined; 0: well."""
        return Status(int(self._world.engine.status[0, 0]))

    @property
    def residual(self) -> np.ndarray:
        """Primal, dual and complementarity violation of the last contact solve, shape (3,) [–]."""
        return frozen(np.array(self._world.engine.work.residual))

    @property
    def sweeps(self) -> int:
        """Sweeps of the last contact solve."""
        return int(self._world.engine.work.sweeps[0])
