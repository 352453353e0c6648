"""From the arrays of a step to contacts, energies and momenta with names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from tribo.contacts import Contact
from tribo.dynamics import energy
from tribo.dynamics.inertia import body_inertias
from tribo.engine import Engine
from tribo.materials import MaterialTable
from tribo.objects import Object


def read_contacts(
    engine: Engine, objects: Sequence[Object], materials: MaterialTable, only: Object | None = None
) -> list[Contact]:
    """Return the points that touched in the last step: they overlap or carry an impulse.

    With `only`, the contacts of one object, seen from it (a self-contact appears twice).
    """
    work = engine.work
    first_shape = [part.span.shape.start for part in objects if part.span is not None]
    found = []
    for c in range(int(work.contact_count[0])):
        carries = work.contact_impulse[c, 2] > 0.0
        if not carries and work.contact_gap[c] > 0.0:
            continue
        owners = [objects[bisect_right(first_shape, s) - 1] for s in work.contact_shape[c]]
        if only is not None and only not in owners:
            continue
        contact = _contact(engine, materials, c, owners)
        if only is None or owners[0] is only:
            found.append(contact)
        if only is not None and owners[1] is only:
            found.append(contact.seen_from_b())
    return found


def _contact(engine: Engine, materials: MaterialTable, c: int, owners: Sequence[Object]) -> Contact:
    work, model = engine.work, engine.model
    frame = work.contact_axes[c].reshape(3, 3).copy()
    impulse = frame.T @ work.contact_impulse[c]
    shapes = work.contact_shape[c]
    bodies = []
    for owner, shape in zip(owners, shapes, strict=True):
        assert owner.span is not None
        bodies.append(owner.collision_bodies[shape - owner.span.shape.start].name)
    first, second = (materials.names[model.shape_material[s]] for s in shapes)
    return Contact(
        position=work.contact_pos[c].copy(),
        normal=frame[2].copy(),
        frame=frame,
        depth=-float(work.contact_gap[c]),
        impulse=impulse,
        force=impulse / engine.settings.dt,
        torque_impulse=frame.T @ work.contact_spin_impulse[c],
        object_a=owners[0],
        object_b=owners[1],
        body_a=bodies[0],
        body_b=bodies[1],
        materials=(first, second),
        pair=materials.pair(first, second),
    )


def tree_energies(engine: Engine) -> np.ndarray:
    """Return [kinetic, potential, p (3), L (3)] of every tree at the present state, (ntree, 8).

    Trees that are not dynamic have zeros: their energy is nobody's business.
    """
    work, model = engine.observe(), engine.model
    result = np.zeros((len(model.tree_body), 8))
    row = np.zeros(8)
    for t in range(len(model.tree_body)):
        if model.tree_kind[t] != energy.DYNAMIC:
            continue
        body_inertias(model, work, model.tree_body[t], model.tree_body_count[t])
        energy.tree_energy(model, engine.state.v, engine.settings, work, t, row)
        result[t] = row
    return result
