"""A policy within the call: what a network sees of a world, its layers, and the commands that it gives.

A layer is y = f(W x + b); sums run over the inputs in their order, so the bits depend on nothing but the
world. Inputs are scaled as (s − mean)/deviation, limited to ± farthest; an action is
middle + span · y within its limits.
"""

from math import cos, exp, pi, sin

from tribo.batch_kernels.controls import set_control
from tribo.compiler.jit import kernel
from tribo.enums import Activation, Observed
from tribo.math import quat

TOGETHER = 4  # inputs of a layer in one pass over its outputs


@kernel
def turned_back(state, turn, axis, x, y, z):
    """Return a component of Rᵀ (x, y, z), R of the quaternion that begins at an entry of q."""
    m = quat.to_matrix(quat.load(state.q, turn))
    if axis == 0:
        return m[0] * x + m[3] * y + m[6] * z
    if axis == 1:
        return m[1] * x + m[4] * y + m[7] * z
    return m[2] * x + m[5] * y + m[8] * z


@kernel
def observed(pilot, state, i):
    """Return the i-th number that is seen, before it is shifted and scaled."""
    kind, place = pilot.kind[i], pilot.place[i]
    if kind == Observed.COORDINATE:
        return state.q[place]
    if kind == Observed.VELOCITY:
        return state.v[place]
    if kind == Observed.TURNED_VELOCITY:
        x, y, z = state.v[place], state.v[place + 1], state.v[place + 2]
        return turned_back(state, pilot.turn[i], pilot.axis[i], x, y, z)
    if kind == Observed.DOWN:
        return turned_back(state, pilot.turn[i], pilot.axis[i], 0.0, 0.0, -1.0)
    if kind == Observed.COMMAND:
        return pilot.command[place]
    if kind == Observed.ACTION:
        return pilot.action[place]
    angle = 2.0 * pi * ((pilot.rate[i] * state.time[0] + pilot.phase[0]) % 1.0)
    return sin(angle) if kind == Observed.SINE else cos(angle)


@kernel
def bent(way, x):
    """Return what an activation makes of a number."""
    if way == Activation.TANH:
        return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)
    if way == Activation.RELU:
        return max(x, 0.0)
    if way == Activation.ELU:
        return x if x > 0.0 else exp(x) - 1.0
    return x


@kernel
def layer(pilot, k, begin):
    """Compute a layer from one row of `hidden` into the other; return where the next one's weights begin.

    Writes: pilot.
    """
    count, width = pilot.width[k], pilot.width[k + 1]
    source, target = k % 2, 1 - k % 2
    weight, hidden = pilot.weight, pilot.hidden
    bias = begin + count * width
    for j in range(width):
        hidden[target, j] = weight[bias + j]
    i = 0
    while i + TOGETHER <= count:
        a, b = hidden[source, i], hidden[source, i + 1]
        c, d = hidden[source, i + 2], hidden[source, i + 3]
        first = begin + i * width
        second, third, fourth = first + width, first + 2 * width, first + 3 * width
        for j in range(width):
            total = hidden[target, j] + weight[first + j] * a
            total = total + weight[second + j] * b
            total = total + weight[third + j] * c
            hidden[target, j] = total + weight[fourth + j] * d
        i += TOGETHER
    while i < count:
        a, first = hidden[source, i], begin + i * width
        for j in range(width):
            hidden[target, j] += weight[first + j] * a
        i += 1
    way = pilot.activation[0 if k + 2 < pilot.width.shape[0] else 1]
    for j in range(width):
        hidden[target, j] = bent(way, hidden[target, j])
    return bias + width


@kernel
def act(pilot, state, command):
    """Choose an action if the last one was held long enough, and write it into the command.

    A step that is made again, because tables were too small, finds the action chosen.
    Writes: pilot, command.
    """
    if pilot.left[0] > 0:
        return
    farthest = pilot.farthest[0]
    for i in range(pilot.seen.shape[0]):
        pilot.seen[i] = (observed(pilot, state, i) - pilot.shift[i]) * pilot.factor[i]
        scaled = (pilot.seen[i] - pilot.mean[i]) / pilot.deviation[i]
        pilot.hidden[0, i] = min(max(scaled, -farthest), farthest)
    layers = pilot.width.shape[0] - 1
    begin = 0
    for k in range(layers):
        begin = layer(pilot, k, begin)
    for j in range(pilot.action.shape[0]):
        action = pilot.middle[j] + pilot.span[j] * pilot.hidden[layers % 2, j]
        action = min(max(action, pilot.low[j]), pilot.high[j])
        pilot.action[j] = action
        value = pilot.drive_shift[j] + pilot.drive_factor[j] * action
        set_control(command, pilot.drive_kind[j], pilot.drive_place[j], value)
    pilot.left[0] = pilot.every[0]
