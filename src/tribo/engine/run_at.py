"""The entry into the compiled step: advances worlds by their remaining steps."""

from tribo.batch_kernels.records import Course, Motors, Pilot
from tribo.batch_kernels.rollout import roll_out
from tribo.compiler.jit import entry
from tribo.compiler.record import from_address, world_of
from tribo.model import Command, Model, Settings, State, Work
from tribo.step import advance, update

RECORDS = (Model, State, Command, Settings, Work, Motors, Course, Pilot)
MODEL, STATE, COMMAND, SETTINGS, WORK, MOTORS, COURSE, PILOT = [r._numba_type_ for r in RECORDS]


@entry
def run_at(addresses, remaining, first, stop, part):
    """Advance worlds first … stop − 1 of the records at eight addresses, each by its remaining steps.

    Returns how many have a status. part: 0 whole steps, 1 `update`, 2 `advance`, 3 whole steps under the
    controls of a course.
    Writes: remaining.
    """
    troubled = 0
    for e in range(first, stop):
        model = world_of(from_address(MODEL, addresses[0]), e)
        state = world_of(from_address(STATE, addresses[1]), e)
        command = world_of(from_address(COMMAND, addresses[2]), e)
        settings = world_of(from_address(SETTINGS, addresses[3]), e)
        work = world_of(from_address(WORK, addresses[4]), e)
        if part == 1:
            update(model, state, settings, work)
        elif part == 2:
            advance(model, state, command, settings, work)
        else:
            motors = world_of(from_address(MOTORS, addresses[5]), e)
            course = world_of(from_address(COURSE, addresses[6]), e)
            pilot = world_of(from_address(PILOT, addresses[7]), e)
            remaining[e] -= roll_out(
                motors, course, pilot, model, state, command, settings, work, remaining[e], part == 3
            )
        troubled += 1 if work.status[0] != 0 else 0
    return troubled
