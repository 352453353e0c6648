"""The sparse problem of an island as a function of its own, compiled when a sweep is first too slow.

A ball, a robot that stands, a few boxes never need it, and it would be a quarter of the step's compile time.
"""

from numba import types

from tribo.contact.impact import hand_on
from tribo.contact.pile import solve_pile
from tribo.jit import DISABLED, late
from tribo.model import Late, Model, Work
from tribo.record import call_at, from_address, world_of

MODEL, WORK = Model._numba_type_, Work._numba_type_
SIGNATURE = types.int64(*[types.int64] * 6, types.float64)


def _pile_at(model_table, model_world, work_table, work_world, t, budget, limit):
    model = world_of(from_address(MODEL, model_table), model_world)
    work = world_of(from_address(WORK, work_table), work_world)
    return 1 if solve_pile(model, work, t, budget, limit) else 0


def _impact_at(model_table, model_world, work_table, work_world, t, is_midpoint, dt):
    model = world_of(from_address(MODEL, model_table), model_world)
    work = world_of(from_address(WORK, work_table), work_world)
    return 1 if hand_on(model, work, t, is_midpoint != 0, dt) else 0


ADDRESS = {Late.PILE: late(_pile_at, SIGNATURE), Late.IMPACT: late(_impact_at, SIGNATURE)}


def _call_python(address, model, work, t, budget, limit):
    return solve_pile(model, work, t, budget, limit)


def _call_impact_python(address, model, work, t, is_midpoint, dt):
    return hand_on(model, work, t, is_midpoint != 0, dt)


call_late = _call_python if DISABLED else call_at
call_impact = _call_impact_python if DISABLED else call_at
