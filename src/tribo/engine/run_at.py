"""The one way into compiled code: worlds of the five records, advanced by their remaining steps."""

from tribo.compiler.jit import entry
from tribo.compiler.record import from_address, world_of
from tribo.model import Command, Model, Settings, State, Work
from tribo.step import advance, run, update

TYPES = [record._numba_type_ for record in (Model, State, Command, Settings, Work)]
MODEL, STATE, COMMAND, SETTINGS, WORK = TYPES


@entry
def run_at(addresses, remaining, first, stop, half):
    """Advance worlds first … stop − 1 of the records at five addresses, each by its remaining steps.

    Return how many have something to say in `work.status`. half: 0 whole steps, 1 `update`, 2 `advance`.
    Writes: remaining.
    """
    troubled = 0
    for e in range(first, stop):
        model = world_of(from_address(MODEL, addresses[0]), e)
        state = world_of(from_address(STATE, addresses[1]), e)
        command = world_of(from_address(COMMAND, addresses[2]), e)
        settings = world_of(from_address(SETTINGS, addresses[3]), e)
        work = world_of(from_address(WORK, addresses[4]), e)
        if half == 0:
            remaining[e] -= run(model, state, command, settings, work, remaining[e])
        elif half == 1:
            update(model, state, settings, work)
        else:
            advance(model, state, command, settings, work)
        troubled += 1 if work.status[0] != 0 else 0
    return troubled
