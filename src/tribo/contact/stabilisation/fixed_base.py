"""Part of stage `energy_limiter.limit`: the tolerance of the energy of a robot on a fixed base.

Where joints that turn fast meet their stops, the velocity changes within the step, but forces that depend on
it are taken at one velocity, and all is evaluated at one configuration. One hit would give a chain of ball
joints at 100 rad/s, in steps of 1 ms, as much energy as it has. Stops only take, and so do couplings and
what ties a robot to itself or to what stands still. So it may not leave them with more energy than it had
and its drives gave: gaps that the solve kept open are so at a part of the velocity too; those of joints
beyond their stops close the slower.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import scalars_in
from tribo.contact.problem.scalar_rows import GIVES_WAY, is_coupling_row, tie_of
from tribo.model import Joint, Slot

REVOLUTE = int(Joint.REVOLUTE)
SPHERICAL = int(Joint.SPHERICAL)
LIMIT = int(Slot.LIMIT)

FAST = 0.02  # [rad] in a step; slower joints gain nothing that could be measured
NOTHING, TIES, STOPS = 0, 1, 2  # what holds a robot


@kernel
def joint_rotates_fast(model, state, settings, work, t, is_strict):
    """Tell whether a joint of a tree turns far in this step, by its velocity before or after.

    Not strictly: far for the curve of its stop, which bends the more the narrower it is.
    """
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        joint = model.joint_type[i]
        if joint != REVOLUTE and joint != SPHERICAL:
            continue
        most = FAST / settings.dt
        if joint == SPHERICAL and not is_strict:
            most *= min(1.0, 0.5 * model.joint_upper[i])
        for k in range(model.joint_v[i], model.joint_v[i] + (3 if joint == SPHERICAL else 1)):
            if abs(state.v[k]) > most or abs(work.next_v[k]) > most:
                return True
    return False


@kernel
def grip(model, work, t):
    """Return what holds the robot that is island t: `NOTHING`, `TIES` or `STOPS`."""
    found = NOTHING
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.scalar_impulse[n] == 0.0:
            continue
        if tie_of(model, work, n) >= 0:
            found = max(found, TIES)
            continue
        if is_coupling_row(model, work, n):
            if work.scalar_lower[n] == -inf and work.scalar_reach[n] != GIVES_WAY:
                found = max(found, TIES)
        elif work.scalar_slot[n] == model.joint_slot[work.scalar_body[n, 0]] + LIMIT:
            found = STOPS
    return found
