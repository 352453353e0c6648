"""Stage `projection_energy.close_loops`: constraints are closed in the positions, and the energy kept.

A shift changes poses, and with them the mass matrix, but not the velocities; so it changes the kinetic energy
by a part as large as its angle: 5 % in a step that swings an arm by 0.3 rad. Joint springs add to it. So the
velocities beyond the rigid motion of the island are multiplied by one factor that restores the energy. Such a
factor keeps momenta, and constraints stay satisfied. It applies to islands that `energy_limiter` watches:
they rotate far, have no contacts, and no motors, springs or external forces act on them. Not with
`semi_implicit`, whose energy oscillates.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.lazily_compiled import call_projection
from tribo.contact.problem.islands import trees_in
from tribo.contact.stabilisation import energy_limiter, group_momentum
from tribo.contact.stabilisation.position_projection import LONG_SHIFT
from tribo.contact.stabilisation.velocity_scaling import island_energy, scaling_goal
from tribo.dynamics.bias import is_constrained_single
from tribo.dynamics.kinematics import end_of_q
from tribo.dynamics.momentum import keep_spin, set_tree_momentum
from tribo.enums import Momentum
from tribo.model import IntegrationMode, Integrator, Late, Status

RESTORE_FACTOR = 0.9  # [–] of that motion after `restore_poses`: prevents endless repetition
MAX_FACTOR = 1.1  # [–] of the motion beyond the rigid one, which remains small


@kernel
def keep_island_momenta(model, state, work, t):
    """Set `change_v` to the velocities of island t, with base velocities and `end_q` that keep its momenta.

    Writes: work.
    """
    for tree in trees_in(work, t):
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            work.change_v[dof] = state.v[dof]
        if is_constrained_single(model, tree):
            keep_spin(model, tree, state.q, work.end_q, work.change_v)
        if work.tree_is_kept[tree] == Momentum.KEPT:
            set_tree_momentum(model, work.end_q, work.change_v, work, tree)
    group_momentum.set_group_momenta(model, work.end_q, work.change_v, work, trees_in(work, t))


@kernel
def restore_poses(model, state, work, t):
    """Restore the poses of island t, a group, at the step's start: its gaps are then what they were.

    At these poses the rigid motion with its momentum has no more energy than before. Its centre of mass moves
    on (`group_momentum`).

    Writes: state, work.
    """
    for tree in trees_in(work, t):
        for k in range(model.joint_q[model.tree_body[tree]], end_of_q(model, tree)):
            state.q[k] = work.begin_q[k]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            state.vdot[dof] = state.vdot_before[dof] = 0.0
        work.tree_mode[tree] = IntegrationMode.LIMITED


@kernel
def rescale_energy(model, state, settings, work, t, part):
    """Scale the motion of island t beyond its rigid one to the energy at `end_q`, and times `part`.

    `end_q`: poses before the shift. Sets `TIME_STEP_TOO_LONG` if the rigid motion alone has more energy.

    Writes: state, work.
    """
    keep_island_momenta(model, state, work, t)
    before = island_energy(model, settings, work, t, work.change_v)
    rigid = work.rigid_motion_v
    for tree in trees_in(work, t):
        for k in range(model.joint_q[model.tree_body[tree]], end_of_q(model, tree)):
            work.end_q[k] = state.q[k]
    keep_island_momenta(model, state, work, t)
    after = island_energy(model, settings, work, t, work.change_v)
    scaling_goal(model, work, t, work.change_v, rigid)
    least = island_energy(model, settings, work, t, rigid)
    if not after > least:
        return
    part *= min(sqrt(max(0.0, before - least) / (after - least)), MAX_FACTOR)
    for tree in trees_in(work, t):
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            state.v[dof] = rigid[dof] + part * (work.change_v[dof] - rigid[dof])
    if before < least:
        work.status[0] |= Status.TIME_STEP_TOO_LONG


@kernel
def conserve_energy(model, state, settings, work):
    """Restore the energy of islands that rotate far and were shifted far, or torn.

    Writes: state, work.
    """
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return
    for t in range(model.tree_body.shape[0]):
        is_torn = work.island_is_torn[t] == 1
        if not is_torn and work.island_shift_size[t, 2] <= LONG_SHIFT * LONG_SHIFT:
            continue
        rotates_far = False
        for tree in trees_in(work, t):
            far = energy_limiter.tree_rotates_far(model, state, settings, work, tree)
            rotates_far = rotates_far or far
        if not rotates_far or not energy_limiter.is_apart(model, work, t):
            continue
        is_torn = is_torn and group_momentum.is_group(work, t)
        if is_torn:
            restore_poses(model, state, work, t)
        if is_torn or work.island_shift_size[t, 2] > LONG_SHIFT * LONG_SHIFT:
            rescale_energy(model, state, settings, work, t, RESTORE_FACTOR if is_torn else 1.0)


@kernel
def close_loops(model, state, command, settings, work):
    """Close the gaps that constraints have at the end of the step; store broken constraints and their memory.

    Writes: state, work.
    """
    if model.constraint_kind.shape[0] > 0:
        for c in range(model.constraint_kind.shape[0]):
            state.constraint_is_broken[c] = work.constraint_is_broken[c]
            for k in range(state.constraint_memory.shape[1]):
                state.constraint_memory[c, k] = work.constraint_memory[c, k]
        call_projection(model.lazy_address[Late.PROJECTION], model, state, command, settings, work)
        conserve_energy(model, state, settings, work)
