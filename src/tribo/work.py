"""The record `Work`: intermediate results of a step, all of them scratch.

With a fresh one the future is bitwise the same. Worlds that one thread steps share most of it
(`src/tribo/engine/thread_scratch.py`). Units and axes are those of `src/tribo/model.py`. New fields go to the
end: one in front shifts the numbers of all others, and every kernel is compiled anew.
"""

from tribo.compiler.record import INT, Record, field


class Work(Record):
    """Scratch: every field is computed from the other records; what `separation` holds only saves time."""

    # Kinematics at the configuration where the step is evaluated.
    mid_q = field("nq")  # [m, rad, –] coordinates at which the step is evaluated
    mid_v = field("nv")  # [m/s, rad/s] velocity at which velocity-dependent forces are evaluated
    start_velocity = field("nv")  # [m/s, rad/s] velocity before the forces and impulses of the step
    body_pos = field("nbody", 3)  # [m] origin, world
    body_rot = field("nbody", 9)  # [–] rotation matrix, body to world
    body_vel = field("nbody", 6)  # [rad/s, m/s] spatial velocity
    body_acc = field("nbody", 6)  # [rad/s², m/s²] spatial acceleration at zero joint acceleration
    body_inertia = field("nbody", 10)  # [kg, kg m, kg m²] m, m c (3), inertia about the tree origin (6)
    body_composite = field("nbody", 10)  # [kg, kg m, kg m²] the same of the body and all descendants
    body_force = field("nbody", 6)  # [N m, N] spatial force
    dof_axis = field("nv", 6)  # [–] motion axis of a dof, spatial
    # Torque-free rotation of free bodies: over the step, or over half of it for a body with a constraint.
    single_spin = field("ntree", 3)  # [rad/s] mean angular velocity, world
    single_free_spin = field("ntree", 3)  # [rad/s] angular velocity at the end, world

    # Trees without contact, and the articulated inertias that replace the rows of M there.
    tree_overlap = field("ntree")  # [m] deepest overlap of its contacts, springs included
    tree_is_free = field("ntree", dtype=INT)  # 1: no contact and no joint limit is within reach
    tree_is_rowless = field("ntree", dtype=INT)  # 1: free and deep; the rows of M are not computed
    articulated = field("nbody", 36)  # [kg m², kg m, kg] articulated-body inertia, 6×6 row-major
    dof_column = field("nv", 6)  # [kg m, kg] articulated inertia times motion axis, spatial

    # Momentum of floating trees.
    tree_is_kept = field("ntree", dtype=INT)  # `Momentum`
    tree_was_set = field("ntree", dtype=INT)  # 1: the last step did not leave it where it is
    tree_target = field("ntree", 10)  # [kg, m, kg m/s, kg m²/s] value of `State.tree_motion` after the step
    tree_group = field("ntree", dtype=INT)  # parent in the union-find forest of trees that interact
    group_motion = field("ntree", 10)  # [kg, m, kg m/s, kg m²/s] of a group, as `State.tree_motion`
    group_inertia = field("ntree", 6)  # [kg m²] of a group about its centre of mass
    # Bodies at the end of the step, relative to the origin of the base; in the projection in the world.
    joint_cos_sin = field("nbody", 2)  # [–] cosine and sine of the angle of a revolute joint
    relative_pos = field("nbody", 3)  # [m] origin of the body
    relative_rot = field("nbody", 9)  # [–] rotation matrix of the body
    relative_vel = field("nbody", 6)  # [rad/s, m/s] angular velocity; velocity of the origin of the body

    begin_q = field("nq")  # [m, rad, –] coordinates at the start of the step, if there are constraints
    end_q = field("nq")  # [m, rad, –] trial coordinates at the end of the step

    # Velocity in mid step. Iterations of h; 1 + their bound, 0: unbounded; 1: solve exactly in each of them.
    bias_rounds = field(3, dtype=INT)
    bias_before = field("nv")  # [N, N m] `bias_force` before an iteration
    island_is_stale = field("ntree", dtype=INT)  # 1: h changed after the solve, or may; 2: solved again
    island_miss = field("ntree")  # [–] violation of the laws over the speed to remove; inf: draft solution
    change_v = field("nv")  # [m/s, rad/s] scratch: a change of velocity

    # Stages of Runge and Kutta's method.
    tree_mode = field("ntree", dtype=INT)  # `IntegrationMode`
    tree_is_fourth = field("ntree", dtype=INT)  # 1: the step of this tree was of fourth order
    tree_is_coarse = field("ntree", dtype=INT)  # 1: rotates too far for the largest number of substeps
    joint_is_ruled = field("nbody", dtype=INT)  # 1: an equation of a coupling determines its coordinate
    rk_q = field("nq")  # [m, rad, –] coordinates at the start of a substep
    rk_v = field("nv")  # [m/s, rad/s] velocity at the start of a substep
    rk_rate = field("nv")  # [m/s, rad/s] rate of the coordinates in a stage
    rk_rate_sum = field("nv")  # [m/s, rad/s] weighted sum of the rates of the stages
    rk_acc = field("nv")  # [m/s², rad/s²] acceleration in a stage
    rk_force = field("nv")  # [√J/s] whitened force of the stage before
    rk_acc_sum = field("nv")  # [m/s², rad/s²] weighted sum of the accelerations of the stages
    rk_torque = field("nv")  # [N, N m] torques of the drives, weighted sum over the stages
    rk_inertia = field("nv")  # [kg, kg m²] saved `drive_inertia`
    held_force = field("nv")  # [N, N m] all forces but h, constant over the substeps

    # Dynamics. Packed matrices: row of dof i = its chain, root first, itself last.
    mass_matrix = field("nmatrix")  # [kg, kg m, kg m²] M
    mass_factor = field("nmatrix")  # M̂ = Lᵀ D L: L below the diagonal, D on it
    dof_scale = field("nv")  # D^(−1/2); 0 for a dof with prescribed motion
    bias_force = field("nv")  # [N, N m] h in M v̇ + h = τ + Jᵀλ/dt
    drive_inertia = field("nv")  # [kg, kg m²] implicit drives and damping: addition to the diagonal of M
    drive_force = field("nv")  # [N, N m] all forces but h and contacts, at the present velocity
    drive_error = field("nv")  # [m, rad] coordinate − target where the step is evaluated
    spring_error = field("nv")  # [m, rad] the same of the joint's spring
    drive_mode = field("nv", dtype=INT)  # bits (`DriveLimit`) of the limits for which a drive has a row
    effort_row = field("nv", dtype=INT)  # scalar row of a drive within its effort limits; −1: none
    speed_row = field("nv", dtype=INT)  # scalar row of the speed limit of a drive; −1: none
    feed_forward = field("nv")  # [N, N m] given forces with the drive: commanded, borne weight, bounded push
    outside_force = field("nv")  # [N, N m] generalized force of external wrenches and of body support
    actuator_push = field("nv")  # [N, N m] force of actuators without stiffness and damping
    coupling_drive = field("ncoupling", 5)  # `CouplingDrive`: sums of actuators
    segment_next = field("nelement", dtype=INT)  # end of the straight part that begins here; −1: none
    segment_length = field("nelement")  # [m] weighted length of this part, and of the arc around this element
    segment_from = field("nelement", 3)  # [m] start of the straight part, world
    segment_to = field("nelement", 3)  # [m] end of the straight part, world
    segment_pull = field("nelement", 3)  # [–] derivative of the length by the end of the part
    body_adhesion = field("nbody")  # [N] total adhesion force of its actuators
    applied_torque = field("nv")  # [N, N m] torque of the drives in the last step
    free_response = field("nv")  # whitened response to all forces but contacts: D^(−1/2) L⁻ᵀ dt (τ − h)
    next_v = field("nv")  # [m/s, rad/s] v⁺, velocity at the end of the step
    response = field("nv")  # z = D^(1/2) L (v⁺ − v): whitened response to forces and impulses

    # Collision.
    body_bound = field("nbody", 6)  # [m] min, max of the axis-aligned box around the shapes, with margin
    shape_bound = field("nshape", 6)  # [m] min, max of the axis-aligned box at the present pose
    body_margin = field("nbody")  # [m] bound of the displacement of the surface until the next evaluation
    body_excess = field("nbody")  # [m] displacement by the solved velocity beyond `body_margin`
    sweep_order = field("nbody", dtype=INT)  # bodies in the order of sweep and prune
    sweep_count = field(1, dtype=INT)  # number of bodies in `sweep_order`
    sweep_head = field("nbody", dtype=INT)  # by grid column: last listed body, 16 · body + slot
    sweep_next = field("nbody", 16, dtype=INT)  # by body and slot: the body listed before it in that column
    sweep_column = field("nbody", 2, dtype=INT)  # first grid column of the body on both axes
    sweep_is_listed = field(1, dtype=INT)  # 0: the list must be rebuilt (fresh scratch, new filters)
    lazy_wanted = field(8, dtype=INT)  # 1: the step stopped because this `Late` function is not compiled
    candidate_count = field(1, dtype=INT)  # number of candidate pairs
    candidate = field("max_pair", 2, dtype=INT)  # pairs of shapes a < b whose boxes overlap
    candidate_sorted = field("max_pair", 2, dtype=INT)  # scratch: the same, sorted
    shape_slot = field("nshape1", dtype=INT)  # scratch: an entry by shape
    manifold = field(16, 8)  # [m] contacts of one pair: position (3), normal (3), gap, feature number
    travel = field(16, 4)  # [m, s] `contact_travel` of each point of `manifold`
    # Scratch of one pair of convex solids.
    simplex = field(4, 7)  # of GJK: point of A − B, its part on A, weight
    polytope = field("npolytope", 6)  # [m] of EPA: points of A − B, their parts on A
    polytope_face = field("npolytope2", 7)  # of EPA: three points, outward unit normal, distance
    polytope_edge = field("npolytope", 2, dtype=INT)  # of EPA: silhouette of the faces visible from a point
    outline = field(2, "noutline", 4)  # features of A and of B: u, v, height, feature number
    touch = field("ntouch", 8)  # contacts before the reduction, columns of `manifold`
    triangle = field(3, 3)  # [m] corners of a terrain face, relative to the centre of the solid
    nearest = field(1, 7)  # [m] nearest point of B to A, normal into A there, gap
    pile = field("npile", 12)  # of all triangles of a terrain: as `manifold`, `terrain.ACCEPTED`, `find_foot`

    # Contacts: A = lower shape index; normal from B into A; frame rows t₁, t₂, n.
    contact_count = field(1, dtype=INT)  # number of contacts, without deferred ones
    far_count = field(1, dtype=INT)  # number of deferred contacts, whose gaps remain open; behind the others
    prediction_rounds = field(1, dtype=INT)  # rounds that found new points, or passed stops
    body_next_motion = field("nbody", 13)  # solved motion of a body (`solved_motions.find_motions`)
    contact_shape = field("max_contact", 2, dtype=INT)  # shapes A, B
    contact_body = field("max_contact", 2, dtype=INT)  # bodies A, B
    contact_key = field("max_contact", dtype=INT)  # identifier: shape ids and feature number
    # By side: previous pair of that shape; pair before the run of equal normals, first pair of the run.
    pair_before = field("max_contact", 2, dtype=INT)
    pair_run = field("max_contact", 4, dtype=INT)
    contact_pos = field("max_contact", 3)  # [m] middle of the gap, world
    contact_axes = field("max_contact", 9)  # [–] rows t₁, t₂, n, world
    contact_surface = field("max_contact", 3)  # [m/s] surface velocity of A minus that of B, world
    contact_gap = field("max_contact")  # [m] < 0: overlap
    contact_travel = field("max_contact", 4)  # [m] displacement of the point from B to A (3); [s] until then
    contact_radius = field("max_contact")  # [m] r_e of rolling friction
    contact_friction = field("max_contact")  # [–] μ
    contact_rolling = field("max_contact")  # [m] μ_r r_e + rolling length
    contact_spinning = field("max_contact")  # [m] μ_spin r_e + spinning length
    contact_target = field("max_contact")  # [m/s] lower bound of the normal velocity; −inf: inactive
    contact_correction = field("max_contact")  # [m/s] rate at which `position_pass` closes the overlap
    contact_bounce = field("max_contact")  # [m/s] the target if restitution sets it; else 0
    contact_restitution = field("max_contact")  # [–] restitution of the pair plus `erp2`
    contact_threshold = field("max_contact")  # [m/s] approach speed below which restitution is 0
    contact_loss = field("max_contact")  # [m/s] reduction of the approach speed before restitution applies
    contact_rest = field("max_contact")  # [m/s] the target without rebound
    contact_impact = field("max_contact", 3)  # [N s] sum of the impulses of the impacts, contact axes
    contact_vel = field("max_contact", 3)  # [m/s] J v at the velocity before the step, contact axes
    contact_drift = field("max_contact", 3)  # [m/s] β: change of J v until the end of the step
    contact_drift_error = field("max_contact")  # [m/s] truncation error of β
    gap_allowance = field("max_contact")  # [m] overlap at the ends of steps that counts as none
    contact_start = field("max_contact", 3)  # [m/s] J v + β − target: velocity without forces, contact axes
    contact_spin_start = field("max_contact", 3)  # [rad/s] angular velocity without forces, contact axes
    contact_impulse = field("max_contact", 3)  # [N s] on A, contact axes
    contact_spin_impulse = field("max_contact", 3)  # [N m s] rolling and spinning friction on A, contact axes
    contact_delassus = field("max_contact", 6)  # [1/kg] diagonal block of the Delassus matrix G, contact axes
    contact_spin_delassus = field("max_contact", 6)  # [1/(kg m²)] angular diagonal block of G
    contact_row = field("max_contact", 2, dtype=INT)  # first entry in `row` of side A, B
    contact_spin_row = field("max_contact", 2, dtype=INT)  # the same for torque rows
    contact_len = field("max_contact", 2, dtype=INT)  # number of dofs of side A, B; 0: not moved by impulses
    contact_is_spun = field("max_contact", dtype=INT)  # 1: rows of rolling or spinning friction
    # Contacts of compliant pairs; vectors in contact axes.
    soft_count = field(1, dtype=INT)  # number of compliant contacts
    soft_pass = field(1, dtype=INT)  # linearisations of this step
    diagonal_delassus = field("max_contact")  # [1/kg] mean diagonal entry of its block of G, without R
    contact_compliance = field("max_contact", 3)  # [1/kg] R of t₁, t₂, n: w = G λ + c + R λ
    contact_scale = field("max_contact", 2)  # [–] scale factors of the rows t₁, t₂ for elliptic friction
    contact_friction_row = field("max_contact", 2, dtype=INT)  # scalar rows of box friction
    contact_load = field("max_contact")  # [N s] normal impulse of the last step of a compliant contact
    friction_count = field(1, dtype=INT)  # number of rows of box friction
    adhesion_impulse = field("max_contact")  # [N s] impulse of adhesion; λ_n is measured from it
    contact_share = field("max_contact")  # [–] number of points of the patch that the contact represents
    contact_area = field("max_contact")  # [m²] area of the patch that the contact represents; 0: a point
    contact_patch = field("max_contact", 2, dtype=INT)  # first contact of its patch, −1: none; of its normal
    share_system = field(6, 7)  # linear equations of the shares of one face
    kept_distance = field("max_contact")  # [–] scaled distance to the nearest kept contact; −1: kept
    contact_is_soft = field("max_contact", dtype=INT)  # compliant pair: 1 one side moves, 2 both; 0 rigid
    contact_state = field("max_contact", dtype=INT)  # 0 open, 1 sticking, 2 slipping; −1: a rigid pair
    soft_peak = field("max_contact")  # [–] x, step over time scale of the law, at the deepest point
    soft_blend = field("max_contact")  # [–] r, weight of the implicit rule: 0 trapezoidal, 1 implicit
    soft_u = field("max_contact", 2)  # [m] tangential displacement u at the start of the step
    soft_force = field("max_contact", 3)  # [N] force on A at `soft_vel`, contact axes
    soft_vel = field("max_contact", 3)  # [m/s] relative velocity of the linearisation, contact axes
    soft_trial = field("max_contact", 2)  # [N, –] trial force of a slipping contact a pass ago, share
    soft_slope = field("max_contact", 2)  # [N s/m] −∂f/∂v, tangential and normal
    soft_kept = field("max_contact", 4)  # copy of `State.yield_displacement` and `.yield_rate` for the merge
    soft_key = field("max_contact", dtype=INT)  # copy of `State.yield_key` for the merge
    soft_mass = field("nmatrix")  # [kg, kg m, kg m²] saved M, while `mass_matrix` holds M + dt Jᵀ slope J
    soft_column = field("nv", 3)  # J of one contact, dof by dof
    contact_is_resting = field("max_contact", dtype=INT)  # 1: between trees at rest, not solved
    row_count = field(1, dtype=INT)  # used entries of `row`
    row = field("max_row")  # whitened Jacobians D^(−1/2) L⁻ᵀ Jᵀ, three entries per dof of a chain

    # Scalar rows: joint limits, drives, constraints: one impulse between two bounds.
    scalar_count = field(1, dtype=INT)  # number of scalar rows
    scalar_slot = field("nscalar", dtype=INT)  # index in `State.scalar_impulse`
    scalar_body = field("nscalar", 2, dtype=INT)  # bodies of side A, B; arbitrary for a side without dofs
    scalar_len = field("nscalar", 2, dtype=INT)  # number of dofs of side A, B; 0: not moved by impulses
    scalar_row = field("nscalar", 2, dtype=INT)  # first entry in `row` of side A, B, one per dof
    scalar_start = field("nscalar")  # [m/s, rad/s] velocity without forces minus target
    scalar_target = field("nscalar")  # [m/s, rad/s] target velocity
    scalar_correction = field("nscalar")  # [m/s, rad/s] part of the target that closes a gap
    scalar_shift = field("nscalar")  # [m/s, rad/s] rate at which `position_pass` closes a gap
    scalar_lower = field("nscalar")  # [N s, N m s] lower bound of the impulse, ≤ 0
    scalar_upper = field("nscalar")  # [N s, N m s] upper bound of the impulse, ≥ 0
    scalar_compliance = field("nscalar")  # [1/kg, 1/(kg m²)] R
    scalar_delassus = field("nscalar")  # [1/kg, 1/(kg m²)] diagonal entry of G + R, > 0
    scalar_impulse = field("nscalar")  # [N s, N m s] impulse
    scalar_reach = field("nscalar")  # [m, rad] bound of its shift by the projection; < 0: no position row
    scalar_gap = field("nscalar")  # [m, rad] gap of a constraint on positions in mid step
    scalar_gap_before = field("nscalar")  # [m, rad] gap at the start of the step if wide, else `scalar_gap`

    # Islands, numbered by their lowest tree; lists sorted by island.
    tree_island = field("ntree", dtype=INT)  # parent in the union-find forest
    island_shift_size = field("ntree", 3)  # [kg m²] square of the whitened shift, of the displacement; ratio
    island_is_torn = field("ntree", dtype=INT)  # 1: a gap is far wider after the step than before it
    island_tree_start = field("ntree1", dtype=INT)  # first entry of the island in `island_tree`
    island_tree = field("ntree", dtype=INT)  # trees that impulses move, by island
    island_contact_start = field("ntree1", dtype=INT)  # first entry of the island in `island_contact`
    island_contact = field("max_contact", dtype=INT)  # contacts by island
    island_scalar_start = field("ntree1", dtype=INT)  # first entry of the island in `island_scalar`
    island_scalar = field("nscalar", dtype=INT)  # scalar rows by island

    # Sleep.
    resting_count = field(1, dtype=INT)  # number of trees at rest in this step
    tree_is_resting = field("ntree", dtype=INT)  # 1: asleep, and nothing wakes it
    tree_is_disturbed = field("ntree", dtype=INT)  # 1: kept from sleep in this step
    tree_keys = field("ntree", dtype=INT)  # candidate for `State.rest_keys`
    tree_marks = field("ntree")  # candidate for `State.rest_marks`
    island_readiness = field("ntree", dtype=INT)  # `Readiness`

    # The problem of one island in its dofs (`src/tribo/contact/solver/proximal_rows.py`).
    column_count = field(1, dtype=INT)  # columns of the dense problem of the largest island
    dense_count = field(1, dtype=INT)  # rows of the dense problem of the largest island, with directions
    dense_size = field(10, dtype=INT)  # sizes of the present problem (`proximal_rows`)
    column_of = field("nv", dtype=INT)  # position of a dof in `column_dof`, from 1; 0: not listed
    column_dof = field("nv", dtype=INT)  # dofs of the problem; the first has the last column
    column_matrix = field("ncolumn", "ncolumn")  # [–] matrix of a Newton step, then its factor
    column_vector = field(5, "nwide")  # by column: z, z_free, residual, Newton step, response to the impulses
    dense_row = field("ndense", "ncolumn")  # Y, whitened rows over the root of their mean diagonal entry of G
    dense_vector = field(16, "ndense")  # by row: start, compliance, …, the rows of `proximal_rows`
    law_row = field("ndense", 3, dtype=INT)  # of a law: first row, kind, row of its normal impulse
    law_number = field("ndense", 2)  # [–] of a law: coefficient of the normal impulse, natural step
    row_direction = field("ndense", dtype=INT)  # direction of a normal or spinning row
    direction_row = field("ndense", 2, dtype=INT)  # of a direction: rows l (velocity), p (impulse) of Y
    direction_number = field("ndense", 3)  # of a direction: 1/d, requested change, impulse
    direction_part = field("ncolumn")  # unknowns of a Newton step

    # The block-sparse problem of one island: nodes are its trees.
    node_count = field(1, dtype=INT)  # number of nodes of the largest island
    value_count = field(1, dtype=INT)  # number of entries of its blocks
    tree_node = field("ntree", dtype=INT)  # node of a tree; −1: not in this island
    node_tree = field("ntree", dtype=INT)  # tree of a node, also for an island without blocks
    node_order = field("nnode", dtype=INT)  # elimination order
    node_rank = field("nnode", dtype=INT)  # position in the elimination order; −1: not yet eliminated
    node_degree = field("nnode", dtype=INT)  # number of neighbours not yet eliminated
    node_later_count = field("nnode", dtype=INT)  # length of the list in `node_later`
    node_later = field("nnode", "nnode", dtype=INT)  # neighbours that are eliminated later
    block_at = field("nnode", "nnode", dtype=INT)  # first entry in `block_value`; −1: zero block
    block_value = field("nvalue")  # entries of the blocks, row by row
    block_scratch = field("nv")  # scratch of the block factorisation
    pile_residual = field("nv")  # −Yᵀ λ; scratch of products
    newton_start = field("nv")  # z at the start of a conjugate sweep
    rigid_motion_v = field("nv")  # [m/s, rad/s] velocity of an island as one rigid body
    pile_step = field("nv")  # whitened step: of Newton, of conjugate sweeps, or of the position projection
    contact_estimate = field("max_contact", 3)  # [N s] estimated impulse of an impact
    contact_spin_guess = field("max_contact", 3)  # [m/s] relative velocity before an impact, contact axes
    contact_shift = field("max_contact")  # [m/s] normal speed after an impact; −1: not part of it
    contact_kept = field(3, "max_contact", 6)  # [N s] stored impulses (`checkpoint`), and a search direction
    scalar_kept = field(3, "nscalar")  # [N s, N m s] the same of scalar rows
    scalar_guess = field("nscalar")  # multipliers of the position projection, by row

    # The shift that corrects positions (`src/tribo/contact/position_pass.py`).
    shift_has_tangents = field("max_contact", dtype=INT)  # 1: tangential rows, too; 0: normal only; −1: none
    shift_error = field("max_contact", 3)  # [m/s] remaining correction, contact axes
    shift_target = field("max_contact")  # [m/s] requested correction along the normal
    shift_impulse = field("max_contact", 3)  # multipliers of the correction, contact axes
    shift_hold = field("nscalar", dtype=INT)  # `Hold`: when a scalar row takes part
    shift_scalar_error = field("nscalar")  # [m/s, rad/s] remaining correction of a scalar row
    shift_scalar_target = field("nscalar")  # [m/s, rad/s] requested correction of a scalar row
    shift_scalar_impulse = field("nscalar")  # multiplier of a scalar row

    # Values of the fields of `State` of the same names after this step.
    constraint_is_broken = field("nconstraint", dtype=INT)  # 1: broken
    constraint_memory = field("nconstraint", 5)  # columns of `Memory`

    # Rotating bodies that are hit (`src/tribo/contact/impact/impact_split.py`).
    tree_is_hit = field("ntree", dtype=INT)  # 1: an impact is expected in mid drift; 2: it rolls
    hit_rotation = field("ntree", 3)  # [rad/s] angular velocity in mid step minus that of the state
    hit_response = field("nv")  # the same, whitened; 0 for trees that are not hit

    # Event-driven impacts (`src/tribo/contact/impact/event_driven.py`).
    impact_count = field(1, dtype=INT)  # number of impacts; 0: the two fields `impact_…` are undefined
    impact_response = field("nv")  # whitened velocity change by the impacts
    contact_push = field("max_contact", 3)  # [m/s] velocity change by the forces of the step, contact axes
    impact_shift = field("nv")  # whitened displacement by the impacts beyond the drift

    # Convergence of the solve.
    newton_steps = field(1, dtype=INT)  # Newton steps in all solves of this step
    removed_speed = field(1)  # [m/s] speed that the solve of the island must remove
    status = field(1, dtype=INT)  # bits of `Status`
    sweeps = field(1, dtype=INT)  # number of sweeps
    residual = field(3)  # [–] primal, dual, complementarity; normalised
    solves = field(1, dtype=INT)  # calls of `solve_islands` in this step
    slot_impulse = field("nslot")  # [N s, N m s] initial impulses of scalar rows, by slot

    # Correction of the drift of free bodies on constraints in half a step (`constrained_drift`).
    constrained_turns = field(1, dtype=INT)  # 1: a free body rotates enough to need the correction
    constrained_shift = field("ntree", 6)  # [rad, m] rotation and displacement of the correction, world
    constrained_inverse = field("ntree", 6)  # [1/(kg m²)] inverse inertia at the end of the half step
    end_arm = field("nend", 3)  # [m] from the centre of mass to an end of a constraint, at the same time
    end_position_error = field("nend", 3)  # [m] missing displacement of the end
    end_lever = field("nend")  # [–] factor on the displacement of the end by a rotation in mid step
    constrained_group = field("ntree", dtype=INT)  # parent in the union-find forest of free bodies
    constrained_is_anchored = field("ntree", dtype=INT)  # of a group: 1: also connected to other trees
    constrained_is_loop = field("ntree", dtype=INT)  # of a group: 1: its constraints form a loop

    # Contacts of free bodies, laid out for sweeps (`src/tribo/contact/solver/contact_lane_groups.py`).
    free_body_dof = field("max_contact", 2, dtype=INT)  # first dof of both sides; −1: another kind of contact
    free_body_row = field("max_contact", 42)  # whitened rows, inverse of the diagonal block

    # Groups of four of these contacts (`src/tribo/contact/solver/contact_lane_groups.py`).
    lane_group_island = field(1, dtype=INT)  # 1 + island of the groups; 0: none
    lane_group_count = field(1, dtype=INT)  # number of groups
    lane_group_size = field("max_contact", dtype=INT)  # contacts in a group, during its formation
    lane_group_contact = field("max_contact", 4, dtype=INT)  # contacts of a group, by lane
    lane_group_dof = field("max_lane_group", 8, dtype=INT)  # `free_body_dof` of each contact of a group
    lane_group_row = field("max_lane_group", 220)  # input of a visit, contacts side by side
    ungrouped_count = field(1, dtype=INT)  # number of contacts without a group
    ungrouped_contact = field("max_contact", dtype=INT)  # contacts without a group
    tree_lane_groups = field("ntree", dtype=INT)  # bits of the open groups that contain the tree
    slot_lane_group = field(62, dtype=INT)  # group of each bit

    # Constraints of robots that rotate far in the step (`constraint_work`).
    substep_displacement = field("nv")  # [m, rad] ∫ v dt over the substeps
    substep_velocity = field("nv")  # [m/s, rad/s] v_s with dt (v_s + v⁺)/2 = `substep_displacement`
    shift_v = field("nv")  # [m, rad] displacement of the position projection at the end of the step
    constraint_work = field("nconstraint", dtype=INT)  # `ConstraintWork`
    tree_mark = field("ntree", dtype=INT)  # `ConstraintWork` of its constraints
    # Pairs that are apart. Kept from step to step: it spares a search, results do not depend on it.
    # Shapes a, b; a direction that separates them, in a's axes; their corners farthest along it, −1: unknown.
    separation = field("max_pair", 7)
