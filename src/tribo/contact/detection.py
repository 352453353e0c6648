"""Group `detection.find`: finds the points of bodies that touch, or might within the step."""

from tribo.collision import broadphase, inner_edges, narrowphase
from tribo.compiler.jit import kernel
from tribo.contact import far_contacts, look_ahead
from tribo.contact.compliant import compliant_contacts
from tribo.contact.problem import contact_reduction, unconstrained_trees


@kernel
def find(model, state, settings, work):
    """List the contacts of the step, and the trees that nothing can touch in it.

    Writes: work.
    """
    broadphase.candidates(model, state, settings, work)  # who might touch whom?
    narrowphase.contacts(model, state, settings, work)  # points, normals, gaps
    look_ahead.begin_look_ahead(work)  # nothing was added or tried in this step yet
    inner_edges.suppress(model, state, work)  # which edges lie flush with a neighbour?
    contact_reduction.reduce(model, work)  # which points of a patch bear it?
    far_contacts.set_apart(model, state, settings, work)  # which of them does the step not close?
    compliant_contacts.mark_compliant_contacts(model, state, work)  # which give way like springs?
    unconstrained_trees.note_unconstrained_trees(model, state, settings, work)  # untouched trees
