"""Functions that are compiled when a step first needs them, as those of piles and constraints."""

from tribo.compiler import signature as types
from tribo.compiler.jit import DISABLED, late
from tribo.compiler.record import call_at, call_stage_at, call_step_at, from_address
from tribo.contact.compliant import ground_law
from tribo.contact.constraints.linkage import write_linkages
from tribo.contact.constraints.position_projection import project_positions
from tribo.contact.impact.event_driven import propagate_impacts
from tribo.contact.solver import pile_problem
from tribo.model import Command, Late, Model, Settings, State, Work

MODEL, WORK = Model._numba_type_, Work._numba_type_
STATE, COMMAND = State._numba_type_, Command._numba_type_
SETTINGS = Settings._numba_type_
SIGNATURE = types.int64(*[types.int64] * 4, types.float64)


def _pile_at(model_at, work_at, what, z, number):
    model = from_address(MODEL, model_at)
    work = from_address(WORK, work_at)
    return pile_problem.run_pile_operation(model, work, what, z, number)


def _impact_at(model_at, work_at, t, is_midpoint, dt):
    model = from_address(MODEL, model_at)
    work = from_address(WORK, work_at)
    return 1 if propagate_impacts(model, work, t, is_midpoint != 0, dt) else 0


def _compliant_at(model_at, state_at, settings_at, work_at, part):
    model = from_address(MODEL, model_at)
    state = from_address(STATE, state_at)
    settings = from_address(SETTINGS, settings_at)
    work = from_address(WORK, work_at)
    return ground_law.run_ground_part(model, state, settings, work, part)


def _linkage_at(model_at, state_at, command_at, settings_at, work_at):
    write_linkages(
        from_address(MODEL, model_at),
        from_address(STATE, state_at),
        from_address(COMMAND, command_at),
        from_address(SETTINGS, settings_at),
        from_address(WORK, work_at),
    )
    return 0


def _projection_at(model_at, state_at, command_at, settings_at, work_at):
    project_positions(
        from_address(MODEL, model_at),
        from_address(STATE, state_at),
        from_address(COMMAND, command_at),
        from_address(SETTINGS, settings_at),
        from_address(WORK, work_at),
    )
    return 0


ADDRESS = {
    Late.PILE: late(_pile_at, SIGNATURE),
    Late.IMPACT: late(_impact_at, SIGNATURE),
    Late.COMPLIANT: late(_compliant_at, types.int64(*[types.int64] * 5)),
    Late.LINKAGE: late(_linkage_at, types.int64(*[types.int64] * 5)),
    Late.PROJECTION: late(_projection_at, types.int64(*[types.int64] * 5)),
}


def _call_python(address, model, work, what, z, number):
    return pile_problem.run_pile_operation(model, work, what, z, number)


def _call_impact_python(address, model, work, t, is_midpoint, dt):
    return propagate_impacts(model, work, t, is_midpoint != 0, dt)


call_late = _call_python if DISABLED else call_at
call_impact = _call_impact_python if DISABLED else call_at


def _call_compliant(address, model, state, settings, work, part):
    return ground_law.run_ground_part(model, state, settings, work, part)


call_compliant = _call_compliant if DISABLED else call_step_at


def _linkage_python(address, model, state, command, settings, work):
    write_linkages(model, state, command, settings, work)
    return 0


call_linkage = _linkage_python if DISABLED else call_stage_at


def _projection_python(address, model, state, command, settings, work):
    project_positions(model, state, command, settings, work)
    return 0


call_projection = _projection_python if DISABLED else call_stage_at
