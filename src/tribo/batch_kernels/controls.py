"""One number that is commanded of a world: of a plan, or of a policy."""

from tribo.compiler.jit import kernel

FEED_FORWARD, TARGET = 0, 1  # kinds of a control; any other: target velocity


@kernel
def set_control(command, kind, place, value):
    """Write a control of a kind to its place in the command.

    Writes: command.
    """
    if kind == FEED_FORWARD:
        command.tau[place] = value
    elif kind == TARGET:
        command.target_q[place] = value
    else:
        command.target_v[place] = value
