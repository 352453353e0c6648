"""Breaking of constraints by force or accumulated impulse, and the catching of magnets.

f is the size of the force on side A in the last step, or its component along a direction, less an offset.
Force: broken once f has exceeded its limit for longer than a given time. Impulse: broken once the sum of dt f
over all steps exceeds its limit; the sum never decays.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.enums import Memory, Tuning
from tribo.model import Constraint

LENGTH = int(Constraint.LENGTH)
WINCH = int(Constraint.WINCH)
BREAK = int(Tuning.BREAK_FORCE)
BREAK_IMPULSE = int(Tuning.BREAK_IMPULSE)
BREAK_TIME = int(Tuning.BREAK_TIME)
BREAK_OFFSET = int(Tuning.BREAK_OFFSET)
BREAK_DIRECTION = int(Tuning.BREAK_DIRECTION)
CATCH_DISTANCE = int(Tuning.CATCH_DISTANCE)
CATCH_ANGLE = int(Tuning.CATCH_ANGLE)
OVERLOAD = int(Memory.OVERLOAD)
WEAR = int(Memory.WEAR)
IS_CAUGHT = int(Memory.IS_CAUGHT)
ROUNDING = 1e-9  # [–] of a step: round-off of a duration


@kernel
def breaking_load(model, state, command, settings, c):
    """Return the impulse of the last step that counts for the breaking of constraint c [N s]."""
    slot = model.constraint_slot[c]
    tuning = command.constraint
    square, along, length = 0.0, 0.0, 0.0
    kind = model.constraint_kind[c]
    for k in range(1 if kind == LENGTH or kind == WINCH else 3):  # further rows of a wire are friction
        impulse = state.scalar_impulse[slot + k]
        square += impulse * impulse
        along += impulse * tuning[c, BREAK_DIRECTION + k]
        length += tuning[c, BREAK_DIRECTION + k] * tuning[c, BREAK_DIRECTION + k]
    size = sqrt(square) if length == 0.0 else max(0.0, along)
    return max(0.0, size - settings.dt * tuning[c, BREAK_OFFSET])


@kernel
def is_breaking(model, state, command, settings, work, c):
    """Tell whether constraint c breaks by the last step; accumulate its overload time and impulse.

    Writes: work.
    """
    tuning = command.constraint
    memory = work.constraint_memory
    if tuning[c, BREAK] == inf and tuning[c, BREAK_IMPULSE] == inf:
        return False
    dt = settings.dt
    impulse = breaking_load(model, state, command, settings, c)
    memory[c, WEAR] += impulse
    if impulse > dt * tuning[c, BREAK]:
        memory[c, OVERLOAD] += dt
    else:
        memory[c, OVERLOAD] = 0.0
    if memory[c, WEAR] > tuning[c, BREAK_IMPULSE]:
        return True
    return memory[c, OVERLOAD] > tuning[c, BREAK_TIME] + ROUNDING * dt


@kernel
def is_waiting_magnet(state, command, c):
    """Tell whether constraint c is a magnet that holds nothing at the start of the step."""
    if command.constraint[c, CATCH_DISTANCE] <= 0.0:
        return False
    return state.constraint_memory[c, IS_CAUGHT] == 0.0


@kernel
def is_attached(command, work, c, distance, angle):
    """Tell whether constraint c holds: no magnet, or a magnet that has caught or catches now.

    Writes: work.
    """
    if command.constraint[c, CATCH_DISTANCE] <= 0.0 or work.constraint_memory[c, IS_CAUGHT] != 0.0:
        return True
    if distance > command.constraint[c, CATCH_DISTANCE]:
        return False
    if angle > command.constraint[c, CATCH_ANGLE]:
        return False
    work.constraint_memory[c, IS_CAUGHT] = 1.0
    return True
