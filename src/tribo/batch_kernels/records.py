"""Records of a batch besides the five of its worlds: motors, a policy, the controls of a rollout."""

from tribo.compiler.record import Record, field
from tribo.model import INT


class Motors(Record):
    """The motor between the commands of a drive and its joint: delay, lag, torque-speed curve."""

    is_on = field(1, dtype=INT)  # 1: at least one dof has a motor
    dof_q = field("nv", dtype=INT)  # coordinate of a dof with a motor; −1: no motor
    delay = field("nv", dtype=INT)  # [–] delay of the commands, in steps
    lag = field("nv")  # [s] time constant of the torque; 0: no lag
    stall = field("nv")  # [N, N m] torque at zero speed of the torque–speed line; inf: no line
    no_load = field("nv")  # [m/s, rad/s] speed of zero torque of that line
    torque = field("nv")  # [N, N m] motor torque of the last step
    tried = field("nv")  # [N, N m] motor torque of the present step
    sent = field("ndelay", "nv", 3)  # target, target velocity, feed-forward of the last 1, 2, … steps
    sent_count = field("nv", dtype=INT)  # number of stored commands
    kept = field("nv", 3)  # kp, kd, feed-forward of the command, saved while the motor torque replaces it


class Pilot(Record):
    """A policy network that observes a world every few steps and writes its commands.

    `command` … `seen` exist per world, `hidden` per thread, all others once per batch.
    """

    every = field(1, dtype=INT)  # [–] steps per action; 0: no policy
    kind = field("nseen", dtype=INT)  # `Observed`: kind of each observed number
    place = field("nseen", dtype=INT)  # index in q, v, command or action; of a vector the first in v
    turn = field("nseen", dtype=INT)  # index in q of the quaternion that rotates the vector
    axis = field("nseen", dtype=INT)  # component of the vector
    rate = field("nseen")  # [1/s] frequency of a clock
    shift = field("nseen")  # offset that is subtracted from the number, in its unit
    factor = field("nseen")  # factor on the difference
    mean = field("nseen")  # mean of the observation
    deviation = field("nseen")  # standard deviation of the observation
    farthest = field(1)  # [–] bound of the normalised observation
    width = field("nlayer", dtype=INT)  # number of inputs of each layer, and of outputs of the last
    weight = field("nweight")  # by layer: weights (in, out), then the bias (out)
    activation = field(2, dtype=INT)  # `Activation` of the hidden layers, and of the last layer
    middle = field("naction")  # action at output 0
    span = field("naction")  # change of the action per unit of output
    low = field("naction")  # lower bound of the action
    high = field("naction")  # upper bound of the action
    drive_kind = field("naction", dtype=INT)  # 0: feed-forward, 1: target, 2: target velocity
    drive_place = field("naction", dtype=INT)  # index in the array of the command
    drive_shift = field("naction")  # [N, N m; m, rad; m/s, rad/s] command at action 0
    drive_factor = field("naction")  # change of the command per unit of action
    command = field("ncommand")  # command input of the policy, set by the user
    phase = field(1)  # [–] phase of the clock, in turns
    action = field("naction")  # last action
    left = field(1, dtype=INT)  # [–] remaining steps of the last action
    seen = field("nseen")  # observation of the last action
    hidden = field(2, "nwide")  # input and output of a layer


class Course(Record):
    """Controls over a horizon, and the resulting states."""

    every = field(1, dtype=INT)  # [–] steps per control
    kind = field("ncontrol", dtype=INT)  # 0: feed-forward, 1: target, 2: target velocity
    place = field("ncontrol", dtype=INT)  # index in the array of the command
    control = field("nhorizon", "ncontrol")  # [N, N m; m, rad; m/s, rad/s] controls by time
    q = field("nhorizon", "nq")  # [m, rad, –] after each control
    v = field("nhorizon", "nv")  # [m/s, rad/s]
