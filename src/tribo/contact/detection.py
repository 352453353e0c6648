"""Group `detection.detect_contacts`: contact points of bodies that touch or may touch within the step."""

from tribo.collision import broadphase, inner_edges, narrowphase
from tribo.compiler.jit import kernel
from tribo.contact import far_contacts, predicted_contacts
from tribo.contact.compliant import compliant_contacts
from tribo.contact.problem import contact_reduction, unconstrained_trees


@kernel
def detect_contacts(model, state, settings, work):
    """List the contacts of the step, and mark the trees that no contact or row can reach in it.

    Writes: work.
    """
    broadphase.find_candidates(model, state, settings, work)  # pairs of shapes that may touch
    narrowphase.find_contacts(model, state, settings, work)  # points, normals, gaps
    predicted_contacts.begin_prediction(work)  # nothing is predicted or solved yet
    inner_edges.suppress_edges(model, state, work)  # edges between flush neighbours
    contact_reduction.reduce_contacts(model, work)  # fewer points for a large patch
    far_contacts.defer_far_contacts(model, state, settings, work)  # gaps that stay open in the step
    compliant_contacts.mark_compliant(model, state, work)  # contacts with a spring law
    unconstrained_trees.note_unconstrained_trees(model, state, settings, work)  # need no rows of M
