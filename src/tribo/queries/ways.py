"""Ways of couplings where bodies are placed: lengths, and what they pull on."""

from tribo.compiler.jit import entry
from tribo.dynamics import tendon_paths


@entry
def lay_ways(model, work):
    """Lay the ways of all couplings where `work.body_pos` and `body_rot` have the bodies.

    Writes: work.
    """
    tendon_paths.route_tendons(model, work)
