"""Stage `rk4.integrate_fourth_order`: Runge and Kutta's method, compiled on first use."""

from tribo.compiler import signature as types
from tribo.compiler.jit import kernel, late
from tribo.compiler.record import from_address, late_call
from tribo.dynamics.runge_kutta import run_substep_part
from tribo.model import Command, IntegrationMode, Integrator, Late, Model, Settings, State, Status, Work

MODEL, STATE, COMMAND, SETTINGS, WORK = (
    record._numba_type_ for record in (Model, State, Command, Settings, Work)
)
SIGNATURE = types.int64(*[types.int64] * 5)


def _advance_at(model_at, state_at, command_at, settings_at, work_at):
    run_substep_part(
        from_address(MODEL, model_at),
        from_address(STATE, state_at),
        from_address(COMMAND, command_at),
        from_address(SETTINGS, settings_at),
        from_address(WORK, work_at),
    )
    return 0


ADDRESS = {Late.RK4: late(_advance_at, SIGNATURE)}
call_late = late_call(run_substep_part)


@kernel
def is_compiled(model, work):
    """Tell whether the method is compiled; else request it.

    Writes: work.
    """
    if model.lazy_address[Late.RK4] == 0:
        work.lazy_wanted[Late.RK4] = 1
        work.status[0] |= Status.CAPACITY
    return model.lazy_address[Late.RK4] != 0


@kernel
def integrate_held_trees(model, state, command, settings, work):
    """Integrate the trees that are `SUBSTEPS_PENDING` in substeps; return whether that was possible.

    Writes: work.
    """
    if is_compiled(model, work):
        call_late(model.lazy_address[Late.RK4], model, state, command, settings, work)
        return True
    return False


@kernel
def integrate_fourth_order(model, state, command, settings, work):
    """Advance unconstrained trees by Runge and Kutta's method, if `rk4` is set or they rotate too far.

    Trees that rotate too far and cannot use it set `TIME_STEP_TOO_LONG`.

    Writes: work.
    """
    is_needed = settings.integrator == Integrator.RK4
    for t in range(model.tree_body.shape[0]):
        mode = work.tree_mode[t]
        if mode == IntegrationMode.NOT_SETTLED or mode == IntegrationMode.EXPLICIT_BIAS:
            work.status[0] |= Status.TIME_STEP_TOO_LONG
        is_needed = is_needed or (mode == IntegrationMode.SUBSTEPPED and work.tree_is_free[t] == 1)
    if is_needed and is_compiled(model, work):
        call_late(model.lazy_address[Late.RK4], model, state, command, settings, work)
