"""Stage `impacts.process_impacts`: impacts before the solve.

Tumbling of bodies that are hit is split off; with `impact = "propagate"` impacts follow one another in time.
"""

from tribo.compiler.jit import kernel
from tribo.contact.impact import impact_split
from tribo.contact.lazily_compiled import call_impact
from tribo.contact.problem.islands import contacts_in
from tribo.math import vec
from tribo.model import Impact, Integrator, Late, Status


@kernel
def process_impacts(model, state, settings, work):
    """Split the tumbling of hit bodies; with `propagate`, process rebounds in order of time.

    Writes: work.
    """
    for t in range(work.tree_is_hit.shape[0]):
        if work.tree_is_hit[t] > 0:  # of the last step
            work.tree_is_hit[t] = 0
            for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
                work.hit_response[dof] = 0.0
    for t in range(work.tree_island.shape[0]):
        impact_split.split_tumbling(model, state, settings, work, t)
    work.impact_count[0] = 0
    if settings.impact != Impact.PROPAGATE:
        return
    for dof in range(work.impact_response.shape[0]):
        work.impact_response[dof] = work.impact_shift[dof] = 0.0
    for c in range(work.contact_count[0]):
        vec.store(work.contact_impact, c, (0.0, 0.0, 0.0))
    if model.lazy_address[Late.IMPACT] == 0:
        work.lazy_wanted[Late.IMPACT] = 1
        work.status[0] |= Status.CAPACITY
        return
    is_midpoint = 0 if settings.integrator == Integrator.SEMI_IMPLICIT else 1
    for t in range(work.tree_island.shape[0]):
        if len(contacts_in(work, t)) > 0:
            if call_impact(model.lazy_address[Late.IMPACT], model, work, t, is_midpoint, settings.dt) == 0:
                work.status[0] |= Status.NOT_CONVERGED
