"""How well a contact of the last step keeps its law, from the impulse that its bodies felt."""

from __future__ import annotations

import numpy as np

from tribo.engine.engine import Engine
from tribo.model import Pair


def kept(engine: Engine, c: int) -> tuple[float, float, float]:
    """Return the coefficient of friction of a contact, its load in parts of the bound, what it misses [m/s].

    The solve has the impulse of a contact material before adhesion, and over the lengths of its directions.
    """
    from tribo.contact.solver.natural_residual import contact_violation

    work, model = engine.work, engine.model
    felt = work.contact_impulse[c].copy()
    x, y = np.divide(
        felt[:2], work.contact_scale[c], where=work.contact_scale[c] > 0.0, out=np.zeros(2)
    )
    normal = felt[2] + work.contact_pull[c]
    friction = float(work.contact_friction[c])
    bound = friction * normal
    load = float(np.hypot(x, y)) / bound if bound > 0.0 else 0.0
    rows = [int(n) for n in work.contact_friction_row[c] if n >= 0]
    if rows:  # a box: each direction has a bound of its own
        bounds = np.maximum(work.scalar_upper[rows], np.finfo(float).tiny)
        load, x, y = float((abs(work.scalar_impulse[rows]) / bounds).max()), 0.0, 0.0
        a, b = (model.shape_material[s] for s in work.contact_shape[c])
        friction = float(model.pair_table[a, b, Pair.FRICTION])
    if not np.isfinite(work.contact_target[c]):  # it bounces later, sleeps, or is compliant ground
        return friction, load, 0.0
    work.contact_impulse[c] = x, y, normal
    missed = float(contact_violation(model, work, c))
    work.contact_impulse[c] = felt
    return friction, load, missed
