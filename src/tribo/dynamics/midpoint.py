"""Group `midpoint.predict_midpoint`: poses and velocities of all bodies half a step ahead."""

from tribo.compiler.jit import kernel
from tribo.dynamics import bias, constrained_drift, integrate, kinematics, mid_velocity, momentum


@kernel
def predict_midpoint(model, state, settings, work):
    """Move all bodies by half a step at their present velocities; with `semi_implicit` they stay.

    Writes: work.
    """
    momentum.note_set_trees(model, state, work)
    bias.predict_free_spins(model, state, settings, work)  # torque-free rotation of free bodies
    mid_velocity.predict_mid_velocity(model, state, settings, work)  # by the last accelerations
    constrained_drift.find_constrained_drift(model, state, settings, work, False)  # of free bodies
    integrate.drift_to_middle(model, state, settings, work)  # q_m = q ⊕ dt/2 v
    kinematics.compute_poses(model, work.mid_q, work)
    bias.write_body_velocities(model, state, work)
