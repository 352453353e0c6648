"""The common part of all queries: how many dofs a joint has, how its motion axes turn."""

from tribo.compiler.jit import kernel
from tribo.dynamics.articulated import dof_count
from tribo.math import spatial
from tribo.model import Joint


@kernel
def axis_rates(model, v, work, scratch):
    """Store how fast the motion axes change, seen from a fixed point.   ṡ = v_parent × s

    Axes of joints are carried along by the parent. Those of a free root keep their direction, but the
    axes of its rotation pass through its origin, which moves on.

    Writes: scratch.
    """
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(model.body_parent.shape[0]):
        dof = model.joint_v[i]
        if model.joint_type[i] == Joint.FREE:
            carried = (0.0, 0.0, 0.0, v[dof], v[dof + 1], v[dof + 2])
        elif model.body_parent[i] >= 0:
            carried = spatial.load(work.body_vel, model.body_parent[i])
        else:
            carried = zero
        for k in range(dof, dof + dof_count(model.joint_type[i])):
            rate = spatial.cross_motion(carried, spatial.load(work.dof_axis, k))
            spatial.store(scratch.dof_rate, k, rate)
