"""Functions that are compiled when a step first needs them, as those of piles and constraints."""

from tribo.compiler import signature as types
from tribo.compiler.jit import late
from tribo.compiler.record import from_address, late_call
from tribo.contact.compliant import ground_law
from tribo.contact.constraints.linkage import write_linkages
from tribo.contact.impact.event_driven import propagate_impacts
from tribo.contact.solver import pile_problem
from tribo.contact.stabilisation.position_projection import project_positions
from tribo.model import Command, Late, Model, Settings, State, Work

MODEL, WORK = Model._numba_type_, Work._numba_type_
STATE, COMMAND, SETTINGS = State._numba_type_, Command._numba_type_, Settings._numba_type_
SIGNATURE = types.int64(*[types.int64] * 4, types.float64)
WHOLE = types.int64(*[types.int64] * 5)


def _pile_at(model_at, work_at, what, z, number):
    model, work = from_address(MODEL, model_at), from_address(WORK, work_at)
    return pile_problem.run_pile_operation(model, work, what, z, number)


def _impact_at(model_at, work_at, t, is_midpoint, dt):
    model, work = from_address(MODEL, model_at), from_address(WORK, work_at)
    return 1 if propagate_impacts(model, work, t, is_midpoint != 0, dt) else 0


def _compliant_at(model_at, state_at, settings_at, work_at, part):
    model, state = from_address(MODEL, model_at), from_address(STATE, state_at)
    settings, work = from_address(SETTINGS, settings_at), from_address(WORK, work_at)
    return ground_law.run_ground_part(model, state, settings, work, part)


def _linkage_at(model_at, state_at, command_at, settings_at, work_at):
    model, state = from_address(MODEL, model_at), from_address(STATE, state_at)
    command, settings = from_address(COMMAND, command_at), from_address(SETTINGS, settings_at)
    write_linkages(model, state, command, settings, from_address(WORK, work_at))
    return 0


def _projection_at(model_at, state_at, command_at, settings_at, work_at):
    model, state = from_address(MODEL, model_at), from_address(STATE, state_at)
    command, settings = from_address(COMMAND, command_at), from_address(SETTINGS, settings_at)
    project_positions(model, state, command, settings, from_address(WORK, work_at))
    return 0


ADDRESS = {
    Late.PILE: late(_pile_at, SIGNATURE),
    Late.IMPACT: late(_impact_at, SIGNATURE),
    Late.COMPLIANT: late(_compliant_at, WHOLE),
    Late.LINKAGE: late(_linkage_at, WHOLE),
    Late.PROJECTION: late(_projection_at, WHOLE),
}

call_late = late_call(pile_problem.run_pile_operation)
call_impact = late_call(propagate_impacts)
call_compliant = late_call(ground_law.run_ground_part)
call_linkage = late_call(write_linkages)
call_projection = late_call(project_positions)
