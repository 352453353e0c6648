"""Steps of one world with its motors, under commands that stay, follow a plan, or are those of a policy."""

from tribo.batch_kernels import motors, policy
from tribo.batch_kernels.controls import set_control
from tribo.compiler.jit import kernel
from tribo.step import run


@kernel
def apply(course, command, k):
    """Write the k-th control of a plan into the command.

    Writes: command.
    """
    for c in range(course.kind.shape[0]):
        set_control(command, course.kind[c], course.place[c], course.control[k, c])


@kernel
def write_plan_row(course, state, k):
    """Write the state into the k-th row of a plan.

    Writes: course.
    """
    for i in range(state.q.shape[0]):
        course.q[k, i] = state.q[i]
    for i in range(state.v.shape[0]):
        course.v[k, i] = state.v[i]


@kernel
def roll_out(gear, course, pilot, model, state, command, settings, work, n, is_planned):
    """Advance one world by up to n steps; return how many were made (see `work.status`).

    With a plan, n are the steps that are left of it: the first ones may have been made before.

    Args:
        gear: The `Motors`.
        course: The plan, if `is_planned`.
        pilot: The policy.

    Writes: gear, course, pilot, state, command, work.
    """
    every = course.every[0] if is_planned else n
    before = course.control.shape[0] * every - n if is_planned else 0
    made = 0
    said = 0
    while made < n:
        k = (before + made) // every
        chunk = (k + 1) * every - before - made
        if is_planned:
            apply(course, command, k)
        if pilot.every[0] > 0:
            policy.act(pilot, state, command)
            chunk = min(chunk, pilot.left[0])
        if gear.is_on[0] != 0:
            chunk = 1
        motors.engage(gear, model, state, command, settings)
        done = run(model, state, command, settings, work, chunk)
        motors.disengage(gear, command, done == chunk)
        said |= work.status[0]
        made += done
        if pilot.every[0] > 0:
            pilot.left[0] -= done
        if done < chunk:
            break
        if is_planned and (before + made) % every == 0:
            write_plan_row(course, state, k)
    if n > 0:
        work.status[0] = said
    return made
