"""Breaking of constraints by force or accumulated impulse, and the catching of magnets.

f is the size of the force on side A in the last step, or its component along a direction, less an offset.
Force: broken once f has exceeded its limit for longer than a given time. Impulse: broken once the sum of dt f
over all steps exceeds its limit; the sum never decays.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.enums import Memory, Tuning
from tribo.model import Constraint

ROUNDING = 1e-9  # [–] of a step: round-off of a duration


@kernel
def breaking_load(model, state, command, settings, c):
    """Return the impulse of the last step that counts for the breaking of constraint c [N s]."""
    slot = model.constraint_slot[c]
    tuning = command.constraint
    square, along, length = 0.0, 0.0, 0.0
    kind = model.constraint_kind[c]
    is_wire = kind == Constraint.LENGTH or kind == Constraint.WINCH
    for k in range(1 if is_wire else 3):  # further rows of a wire are friction
        impulse = state.scalar_impulse[slot + k]
        square += impulse * impulse
        along += impulse * tuning[c, Tuning.BREAK_DIRECTION + k]
        length += tuning[c, Tuning.BREAK_DIRECTION + k] * tuning[c, Tuning.BREAK_DIRECTION + k]
    size = sqrt(square) if length == 0.0 else max(0.0, along)
    return max(0.0, size - settings.dt * tuning[c, Tuning.BREAK_OFFSET])


@kernel
def is_breaking(model, state, command, settings, work, c):
    """Tell whether constraint c breaks by the last step; accumulate its overload time and impulse.

    Writes: work.
    """
    tuning = command.constraint
    memory = work.constraint_memory
    if tuning[c, Tuning.BREAK_FORCE] == inf and tuning[c, Tuning.BREAK_IMPULSE] == inf:
        return False
    dt = settings.dt
    impulse = breaking_load(model, state, command, settings, c)
    memory[c, Memory.WEAR] += impulse
    is_overload = impulse > dt * tuning[c, Tuning.BREAK_FORCE]
    memory[c, Memory.OVERLOAD] = memory[c, Memory.OVERLOAD] + dt if is_overload else 0.0
    if memory[c, Memory.WEAR] > tuning[c, Tuning.BREAK_IMPULSE]:
        return True
    return memory[c, Memory.OVERLOAD] > tuning[c, Tuning.BREAK_TIME] + ROUNDING * dt


@kernel
def is_attached(command, work, c, distance, angle):
    """Tell whether constraint c holds: no magnet, or a magnet that has caught or catches now.

    Writes: work.
    """
    reach = command.constraint[c, Tuning.CATCH_DISTANCE]
    if reach <= 0.0 or work.constraint_memory[c, Memory.IS_CAUGHT] != 0.0:
        return True
    if distance > reach or angle > command.constraint[c, Tuning.CATCH_ANGLE]:
        return False
    work.constraint_memory[c, Memory.IS_CAUGHT] = 1.0
    return True
