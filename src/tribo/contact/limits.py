"""Stage *limits*: joint limits as one-sided rows of the contact problem.

A limit is a contact of a joint with its stop: gap g ≥ 0, restitution 0, g + dt w ≥ 0.
"""

from math import inf

from tribo.jit import kernel
from tribo.model import Joint, Kind, Status

REVOLUTE = int(Joint.REVOLUTE)
PRISMATIC = int(Joint.PRISMATIC)
DYNAMIC = int(Kind.DYNAMIC)
CAPACITY = int(Status.CAPACITY)


@kernel
def add_limit(model, state, settings, work, i, sign, gap):
    """Append the limit of joint i if one step can reach it.   w ≥ −gap/dt, or recovery if beyond

    Writes: work.
    """
    dof = model.joint_v[i]
    if gap > 0.0:
        target = -gap / settings.dt
    else:
        target = min(-gap * settings.erp / settings.dt, settings.max_push_out_speed)
    n = work.limit_count[0]
    first = work.row_count[0]
    depth = model.dof_depth[dof]
    work.row_count[0] = first + depth + 1
    work.limit_count[0] = n + 1
    work.limit_body[n] = i
    work.limit_sign[n] = sign
    work.limit_start[n] = sign * state.v[dof] - target
    work.limit_row[n] = first
    if work.row_count[0] > work.row.shape[0]:
        return
    row = work.row
    chain = model.body_chain_start[i]
    for p in range(depth):
        row[first + p] = 0.0
    row[first + depth] = sign
    delassus = 0.0
    for p in range(depth, -1, -1):
        other = model.chain_dof[chain + p]
        start = model.dof_row[other]
        for r in range(p):
            row[first + r] -= work.mass_factor[start + r] * row[first + p]
        row[first + p] *= work.dof_scale[other]
        delassus += row[first + p] * row[first + p]
    work.limit_delassus[n] = delassus


@kernel
def limit_rows(model, state, settings, work):
    """Build the rows of the joint limits that this step can reach.

    Writes: work.
    """
    work.limit_count[0] = 0
    for i in range(model.joint_type.shape[0]):
        joint = model.joint_type[i]
        if joint != REVOLUTE and joint != PRISMATIC:
            continue
        lower = model.joint_lower[i]
        upper = model.joint_upper[i]
        if (lower == -inf and upper == inf) or model.tree_kind[model.body_tree[i]] != DYNAMIC:
            continue
        q = work.mid_q[model.joint_q[i]]
        # Impulses of other rows may push towards the stop: take it in well before it is reached.
        reach = 2.0 * settings.dt * abs(state.v[model.joint_v[i]])
        reach += 0.02 * min(1.0, upper - lower)
        if q - lower <= reach:
            add_limit(model, state, settings, work, i, 1.0, q - lower)
        if upper - q <= reach:
            add_limit(model, state, settings, work, i, -1.0, upper - q)
    if work.row_count[0] > work.row.shape[0]:
        work.status[0] |= CAPACITY
