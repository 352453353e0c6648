"""Errors of joints relative to a target, and the energy of joint springs."""

from math import atan2, sqrt

from tribo.compiler.jit import kernel
from tribo.math import quat
from tribo.model import Joint


@kernel
def rotation_error(q, target):
    """Return the rotation vector from `target` to q [rad], in axes of the parent."""
    e = quat.mul(q, (target[0], -target[1], -target[2], -target[3]))
    s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    if s < quat.SMALL_ANGLE:
        k = 2.0 if e[0] > 0.0 else -2.0
    else:
        k = 2.0 * atan2(s, e[0]) / s if e[0] > 0.0 else -2.0 * atan2(s, -e[0]) / s
    return (k * e[1], k * e[2], k * e[3])


@kernel
def set_errors(model, gain, q, target, i, error):
    """Write coordinate − target of the dofs of joint i; of rotations only if a gain is not 0.

    Writes: error.
    """
    joint = model.joint_type[i]
    a = model.joint_q[i]
    b = model.joint_v[i]
    if joint == Joint.SPHERICAL or joint == Joint.FREE:
        shift = 3 if joint == Joint.FREE else 0
        for k in range(shift):
            error[b + k] = q[a + k] - target[a + k]
        e = (0.0, 0.0, 0.0)
        b3 = b + shift
        if gain[b3] != 0.0 or gain[b3 + 1] != 0.0 or gain[b3 + 2] != 0.0:
            e = rotation_error(quat.load(q, a + shift), quat.load(target, a + shift))
        for k in range(3):
            error[b3 + k] = e[k]
    else:
        error[b] = q[a] - target[a]


@kernel
def spring_energy(model, q, work, t):
    """Return the energy of the joint springs of a tree [J].   Σ ½ k e²

    Writes: work.
    """
    root = model.tree_body[t]
    total = 0.0
    for i in range(root, root + model.tree_body_count[t]):
        first = model.joint_v[i]
        last = model.tree_v[t] + model.tree_nv[t]
        if i + 1 < root + model.tree_body_count[t]:
            last = model.joint_v[i + 1]
        if first == last:
            continue
        set_errors(model, model.dof_stiffness, q, model.spring_reference, i, work.spring_error)
        for dof in range(first, last):
            e = work.spring_error[dof]
            total += 0.5 * model.dof_stiffness[dof] * e * e
    return total
