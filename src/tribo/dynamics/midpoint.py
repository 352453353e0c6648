"""Group `midpoint.reach`: computes poses and velocities of all bodies half a step ahead."""

from tribo.compiler.jit import kernel
from tribo.dynamics import bias, integrate, kinematics, middle, tied_drift


@kernel
def reach(model, state, settings, work):
    """Move all bodies half a step on as they move now, or leave them where they are (semi-implicit).

    Writes: work.
    """
    bias.single_spins(model, state, settings, work)  # how does a free body tumble?
    middle.predict(model, state, settings, work)  # v̄, the velocity in mid step
    tied_drift.find_tied_drift(
        model, state, settings, work, False
    )  # what keeps ties together meanwhile
    integrate.drift_to_middle(model, state, settings, work)  # q_m = q ⊕ dt/2 v
    kinematics.forward(model, work.mid_q, work)  # where is every body?
    bias.body_velocities(model, state, work)  # how fast does it move?
