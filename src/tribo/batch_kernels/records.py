"""Records of a batch besides the five of its worlds: motors, a policy, the controls of a rollout."""

from tribo.compiler.record import Record, field
from tribo.model import INT


class Motors(Record):
    """The motor between the commands of a drive and its joint: delay, lag, torque-speed curve."""

    is_on = field(1, dtype=INT)  # 1: some dof has a motor
    dof_q = field("nv", dtype=INT)  # coordinate of a dof with a motor, −1: it has none
    delay = field("nv", dtype=INT)  # [–] steps by which commands are late
    lag = field("nv")  # [s] time constant of the torque, 0: at once
    stall = field("nv")  # [N, N m] torque at rest of the torque-speed line, inf: no line
    no_load = field("nv")  # [m/s, rad/s] speed at which it reaches 0
    torque = field("nv")  # [N, N m] what it gave in the last step
    tried = field("nv")  # [N, N m] what it gives in the step that is being made
    sent = field("ndelay", "nv", 3)  # target, its velocity, feed-forward of 1, 2, … steps ago
    sent_count = field("nv", dtype=INT)  # how many of these there are
    kept = field("nv", 3)  # kp, kd, feed-forward of the command while the motor's torque stands there


class Pilot(Record):
    """A network that reads a world every few steps and writes its commands.

    `command` … `seen` belong to a world, `hidden` to a thread, all others are one for the batch.
    """

    every = field(1, dtype=INT)  # [–] steps for which an action is held; 0: there is no policy
    kind = field("nseen", dtype=INT)  # what each number is that is seen: `Observed`
    place = field("nseen", dtype=INT)  # entry of q, v, command or action; first of a vector in v
    turn = field("nseen", dtype=INT)  # entry of q where the quaternion begins that turns the vector
    axis = field("nseen", dtype=INT)  # component of the vector
    rate = field("nseen")  # [1/s] of a clock
    shift = field("nseen")  # [that of the number] what is taken off it …
    factor = field("nseen")  # … and by what the rest is multiplied
    mean = field("nseen")  # of what is seen
    deviation = field("nseen")
    farthest = field(1)  # [–] what is seen is limited to as many deviations
    width = field("nlayer", dtype=INT)  # numbers that go into each layer, and out of the last
    weight = field("nweight")  # by layer: weights (in, out), then the bias (out)
    activation = field(2, dtype=INT)  # between layers and after the last: `Activation`
    middle = field("naction")  # action of an output of 0
    span = field("naction")  # by which an output of 1 changes it
    low = field("naction")  # limits of the action
    high = field("naction")
    drive_kind = field("naction", dtype=INT)  # 0: feed-forward, 1: target, 2: target velocity
    drive_place = field("naction", dtype=INT)  # entry of the command's array
    drive_shift = field("naction")  # [N, N m; m, rad; m/s, rad/s] command of an action of 0
    drive_factor = field("naction")  # by which an action of 1 changes it
    command = field("ncommand")  # what the user wants of the policy
    phase = field(1)  # [–] by which the clock is ahead, in turns
    action = field("naction")  # the last one
    left = field(1, dtype=INT)  # [–] steps for which it still holds
    seen = field("nseen")  # what was seen for it
    hidden = field(2, "nwide")  # what goes into a layer, and what comes out


class Course(Record):
    """Controls over a horizon, and the states to which they lead."""

    every = field(1, dtype=INT)  # [–] steps for which a control is held
    kind = field("ncontrol", dtype=INT)  # 0: feed-forward, 1: target, 2: target velocity
    place = field("ncontrol", dtype=INT)  # entry of the command's array
    control = field("nhorizon", "ncontrol")  # [N, N m; m, rad; m/s, rad/s]
    q = field("nhorizon", "nq")  # [m, rad, –] after each control
    v = field("nhorizon", "nv")  # [m/s, rad/s]
