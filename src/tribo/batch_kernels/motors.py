"""Motors: the torque that a drive commands comes late, with a lag, and less the faster the joint turns.

Before each step the law τ_w = τ_ff + K_p (q_d − q) + K_d (v_d − v) is evaluated with the measured q and v
and commands of some steps ago, as a sampled controller does; the torque follows with a time constant T,
τ ← τ + (1 − e^(−dt/T)) (τ_w − τ), and is limited to the line between stall torque and no-load speed. It is
held over the step. Source: Hwangbo et al. 2019, "Learning agile and dynamic motor skills for legged robots";
the torque-speed line of a DC motor, e.g. Siciliano et al. 2009, "Robotics", §5.2.
"""

from math import exp, inf

from tribo.compiler.jit import kernel
from tribo.dynamics.actuation import pd_torque


@kernel
def line(motors, model, dof, v):
    """Return the least and the largest torque at a speed.   τ_s (±1 − v/v_0), and no push beyond v_0"""
    lower = model.dof_effort_lower[dof]
    upper = model.dof_effort_upper[dof]
    stall = motors.stall[dof]
    if stall != inf:
        back = v / motors.no_load[dof]
        upper = min(upper, max(0.0, stall * (1.0 - back)))
        lower = max(lower, min(0.0, stall * (-1.0 - back)))
    return lower, upper


@kernel
def motor_torque(motors, state, command, dof):
    """Return the torque of the drive's law with the commands that have arrived."""
    target = command.target_q[motors.dof_q[dof]]
    rate = command.target_v[dof]
    feed_forward = command.tau[dof]
    late = min(motors.delay[dof], motors.sent_count[dof]) - 1
    if late >= 0:
        target = motors.sent[late, dof, 0]
        rate = motors.sent[late, dof, 1]
        feed_forward = motors.sent[late, dof, 2]
    error, rate_error = state.q[motors.dof_q[dof]] - target, state.v[dof] - rate
    return pd_torque(feed_forward, command.kp[dof], error, command.kd[dof], rate_error)


@kernel
def engage(motors, model, state, command, settings):
    """Put the torques of the motors in place of the drives' laws, for one step.

    Writes: motors, command.
    """
    if motors.is_on[0] == 0:
        return
    for dof in range(state.v.shape[0]):
        if motors.dof_q[dof] < 0:
            continue
        torque = motor_torque(motors, state, command, dof)
        lag = motors.lag[dof]
        if lag > 0.0:
            before = motors.torque[dof]
            torque = before + (1.0 - exp(-settings.dt / lag)) * (torque - before)
        lower, upper = line(motors, model, dof, state.v[dof])
        torque = min(max(torque, lower), upper)
        motors.tried[dof] = torque
        motors.kept[dof, 0] = command.kp[dof]
        motors.kept[dof, 1] = command.kd[dof]
        motors.kept[dof, 2] = command.tau[dof]
        command.tau[dof] = torque
        command.kp[dof] = 0.0
        command.kd[dof] = 0.0


@kernel
def disengage(motors, command, is_made):
    """Put the user's commands back; remember them and the torque if the step was made.

    Writes: motors, command.
    """
    if motors.is_on[0] == 0:
        return
    room = motors.sent.shape[0]
    for dof in range(motors.dof_q.shape[0]):
        if motors.dof_q[dof] < 0:
            continue
        command.kp[dof] = motors.kept[dof, 0]
        command.kd[dof] = motors.kept[dof, 1]
        command.tau[dof] = motors.kept[dof, 2]
        if not is_made:
            continue
        motors.torque[dof] = motors.tried[dof]
        if room == 0:
            continue
        for k in range(room - 1, 0, -1):
            for part in range(3):
                motors.sent[k, dof, part] = motors.sent[k - 1, dof, part]
        motors.sent[0, dof, 0] = command.target_q[motors.dof_q[dof]]
        motors.sent[0, dof, 1] = command.target_v[dof]
        motors.sent[0, dof, 2] = command.tau[dof]
        motors.sent_count[dof] = min(motors.sent_count[dof] + 1, room)
