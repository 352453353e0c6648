"""What a batch has besides the five records of its worlds: motors, and the controls of a rollout."""

from tribo.compiler.record import Record, field
from tribo.model import INT


class Motors(Record):
    """What stands between the commands of a drive and its joint: delay, lag, torque-speed curve."""

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
    kept = field(
        "nv", 3
    )  # kp, kd, feed-forward of the command while the motor's torque stands there


class Course(Record):
    """Controls over a horizon, and the states to which they lead."""

    every = field(1, dtype=INT)  # [–] steps for which a control is held
    kind = field("ncontrol", dtype=INT)  # 0: feed-forward, 1: target, 2: target velocity
    place = field("ncontrol", dtype=INT)  # entry of the command's array
    control = field("nhorizon", "ncontrol")  # [N, N m; m, rad; m/s, rad/s]
    q = field("nhorizon", "nq")  # [m, rad, –] after each control
    v = field("nhorizon", "nv")  # [m/s, rad/s]
