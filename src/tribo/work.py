"""The record `Work`: what kernels tell one another within a step; all of it is scratch.

With a fresh one the future is bitwise the same. Units and axes are those of `src/tribo/model.py`. New fields
go to the end: one in front shifts the numbers of all others, and every kernel is compiled anew.
"""

from tribo.compiler.record import INT, Record, field


class Work(Record):
    """Scratch: everything here follows from the other records."""

    # Kinematics at the configuration where the step is evaluated.
    mid_q = field("nq")
    mid_v = field("nv")  # [m/s, rad/s] velocity at which velocity-dependent forces are taken
    start_velocity = field("nv")  # [m/s, rad/s] velocity to which forces and impulses are added
    body_pos = field("nbody", 3)  # [m]
    body_rot = field("nbody", 9)
    body_vel = field("nbody", 6)  # spatial velocity
    body_acc = field("nbody", 6)  # spatial acceleration without that of the joints
    body_inertia = field("nbody", 10)  # m, m c (3), inertia about the tree origin (6)
    body_composite = field("nbody", 10)  # the same of body and all descendants
    body_force = field("nbody", 6)  # spatial force
    dof_axis = field("nv", 6)  # motion axes, spatial
    # Rotation of free bodies without torque: over the step, or half of it, if a constraint is tied to it.
    single_spin = field("ntree", 3)  # [rad/s] mean angular velocity, world
    single_free_spin = field("ntree", 3)  # [rad/s] angular velocity at the end, world

    # Trees that nothing touches, and what replaces the rows of M there.
    tree_overlap = field("ntree")  # [m] deepest overlap of its contacts
    tree_is_free = field("ntree", dtype=INT)  # 1: no contact and no joint limit is within reach
    tree_is_rowless = field("ntree", dtype=INT)  # 1: free and deep: rows of M are not formed
    articulated = field("nbody", 36)  # inertia of a body with all below, row-major; spatial
    dof_column = field("nv", 6)  # articulated inertia times motion axis, spatial

    # Momentum of floating trees.
    tree_is_kept = field("ntree", dtype=INT)  # 1: base will agree with the momentum; 2: `together`
    tree_target = field("ntree", 10)  # what `State.tree_motion` will be
    tree_group = field("ntree", dtype=INT)  # on the way to the first of those tied to it
    group_motion = field("ntree", 10)  # of a group: as `State.tree_motion`, or added
    group_inertia = field("ntree", 6)  # [kg m²] about its centre of mass
    # Bodies at the end of the step, [m] from the base's origin; before that, in the world (projection).
    joint_cos_sin = field("nbody", 2)  # [–] cosine and sine of the angle of a revolute joint
    relative_pos = field("nbody", 3)
    relative_rot = field("nbody", 9)
    relative_vel = field("nbody", 6)  # angular velocity, velocity of the body's origin

    begin_q = field("nq")  # coordinates when the step began, if there are constraints
    end_q = field("nq")  # coordinates at the end of the step, tried by `brake`

    # Velocity in the middle of the step.
    # Fixed-point iterations of h in this step; one more than it may make, 0: all it needs; 1: no drafts.
    bias_rounds = field(3, dtype=INT)
    bias_before = field("nv")  # [N, N m] `bias_force` before an iteration
    # 1: an h may change, or did, after its solve; 2: solved again.
    island_is_stale = field("ntree", dtype=INT)
    island_miss = field("ntree")  # [–] of the speed to remove: how far from the law; inf: a draft
    change_v = field("nv")  # [m/s, rad/s] scratch

    # Stages of Runge and Kutta's method.
    tree_mode = field("ntree", dtype=INT)  # `IntegrationMode`: how it is integrated
    tree_is_fourth = field("ntree", dtype=INT)  # 1: took a step of fourth order
    tree_is_coarse = field("ntree", dtype=INT)  # 1: turns too far for the most parts
    joint_is_ruled = field("nbody", dtype=INT)  # 1: ends where a step of second order has it
    rk_q = field("nq")
    rk_v = field("nv")
    rk_rate = field("nv")  # [m/s, rad/s] of the coordinates in a stage; what was not held
    rk_rate_sum = field("nv")
    rk_acc = field("nv")  # [m/s², rad/s²] in a stage; zeros (brake)
    rk_force = field("nv")  # [√J/s] whitened, of the stage before
    rk_acc_sum = field("nv")
    rk_torque = field("nv")  # [N, N m] of drives, weighted sum of the stages
    rk_inertia = field("nv")  # `drive_inertia` meanwhile
    held_force = field("nv")  # [N, N m] all forces but h, solved for and held over the step

    # Dynamics. Packed matrices: row of dof i = its chain, root first, itself last.
    mass_matrix = field("nmatrix")
    mass_factor = field("nmatrix")  # M̂ = Lᵀ D L: L below the diagonal, D on it
    dof_scale = field("nv")  # D^(−1/2), 0 for a dof that forces do not move
    bias_force = field("nv")  # [N, N m] h in M v̇ + h = τ + Jᵀλ/dt
    drive_inertia = field("nv")  # [kg, kg m²] what drives and damping add to the diagonal of M
    drive_force = field("nv")  # [N, N m] all forces but h and contacts, at the present velocity
    drive_error = field("nv")  # [m, rad] coordinate − target where the step is evaluated
    spring_error = field("nv")  # [m, rad] the same of the joint's spring
    drive_mode = field("nv", dtype=INT)  # limits for which a drive has a row: 1 effort, 2 speed
    effort_row = field("nv", dtype=INT)  # scalar row that is the drive, within its effort limits
    speed_row = field("nv", dtype=INT)  # scalar row that takes off what goes beyond its speed limit
    drive_rounds = field(1, dtype=INT)  # solves of this step
    feed_forward = field("nv")  # [N, N m] commanded, with the weight where drives bear it
    outside_force = field("nv")  # [N, N m] of external wrenches and of what bears bodies
    actuator_push = field("nv")  # [N, N m] of actuators that neither stiffen nor damp
    coupling_drive = field("ncoupling", 5)  # F, stiffness, damping, least, most F of actuators
    segment_next = field(
        "nelement", dtype=INT
    )  # where the straight part ends that begins here; −1: none does
    segment_length = field("nelement")  # [m] of this part, and of the arc around this element, weighted
    segment_from = field("nelement", 3)  # [m] where the part begins, world
    segment_to = field("nelement", 3)  # [m] where it ends
    segment_pull = field("nelement", 3)  # [–] ∂ℓ/∂(its end)
    body_adhesion = field("nbody")  # [N] with which actuators pull it onto what it touches
    applied_torque = field("nv")  # [N, N m] what drives did in the last step
    free_response = field("nv")  # z if nothing touched: D^(−1/2) L⁻ᵀ dt (τ − h)
    next_v = field("nv")
    response = field("nv")  # z = D^(1/2) L (v⁺ − v), whitened: what forces and impulses change

    # Collision.
    body_bound = field("nbody", 6)  # [m] min, max of a box around the shapes, with margin
    shape_bound = field("nshape", 6)  # [m] min, max of a box around it as it stands
    body_margin = field("nbody")  # [m] how far the surface may move until the next evaluation
    body_excess = field("nbody")  # [m] by how much farther the solved velocity moves it
    sweep_order = field("nbody", dtype=INT)
    sweep_count = field(1, dtype=INT)
    sweep_head = field("nbody", dtype=INT)  # of columns: the body listed last, 16 · body + slot
    sweep_next = field("nbody", 16, dtype=INT)  # the one listed before it, by slot
    sweep_column = field("nbody", 2, dtype=INT)  # the first column that a body touches, on two axes
    sweep_is_listed = field(1, dtype=INT)  # 0: the list is to be made (fresh scratch, new filters)
    lazy_wanted = field(8, dtype=INT)  # 1: the step stopped for want of this function
    candidate_count = field(1, dtype=INT)
    candidate = field("max_pair", 2, dtype=INT)  # shape pairs a < b
    candidate_sorted = field("max_pair", 2, dtype=INT)
    shape_slot = field("nshape1", dtype=INT)
    manifold = field(16, 8)  # pos, normal, gap, feature of one pair
    travel = field(16, 4)  # [m, s] of each of its points, as in `contact_travel`
    # Scratch of one pair of convex solids.
    simplex = field(4, 7)  # of GJK: point of A − B, its part on A, weight
    polytope = field("npolytope", 6)  # of EPA: points of A − B, their parts on A
    polytope_face = field("npolytope2", 7)  # three points, outward unit normal, distance
    polytope_edge = field("npolytope", 2, dtype=INT)  # outline of the faces seen from a point
    outline = field(2, "noutline", 4)  # of the feature of A and of B: u, v, height, number
    touch = field("ntouch", 8)  # contacts before their reduction, as in `manifold`
    triangle = field(3, 3)  # [m] corners of a face of terrain, from the centre of the solid on it
    nearest = field(1, 7)  # [m] point of B that is nearest to A, normal into A there, gap
    pile = field("npile", 9)  # as in `manifold`, with all triangles of a terrain; `terrain.ACCEPTED`

    # Contacts: A = lower shape index; normal from B into A; frame rows t₁, t₂, n.
    contact_count = field(1, dtype=INT)
    far_count = field(1, dtype=INT)  # that the step does not close: at the end of the table
    prediction_rounds = field(1, dtype=INT)  # in which `predicted_contacts` has found new points in this step
    body_next_motion = field("nbody", 7)  # as solved for: `predicted_contacts.find_motions`
    contact_shape = field("max_contact", 2, dtype=INT)
    contact_body = field("max_contact", 2, dtype=INT)
    contact_key = field("max_contact", dtype=INT)
    # By side: another pair of that shape (`inner_edges`); the pair after its run, the first of it.
    pair_before = field("max_contact", 2, dtype=INT)
    pair_run = field("max_contact", 4, dtype=INT)
    contact_pos = field("max_contact", 3)  # [m] mid gap
    contact_axes = field("max_contact", 9)
    contact_surface = field("max_contact", 3)  # [m/s] of A's surface minus that of B's, world
    contact_gap = field("max_contact")  # [m] negative: overlap
    contact_travel = field("max_contact", 4)  # [m] from B's place of a point to A's; [s] when it is
    contact_radius = field("max_contact")  # [m] r_e of rolling friction
    contact_friction = field("max_contact")
    contact_rolling = field("max_contact")  # [m] μ_r r_e + rolling length
    contact_spinning = field("max_contact")  # [m] μ_spin r_e + spinning length
    contact_target = field("max_contact")  # [m/s] least normal velocity; −inf: inactive
    contact_correction = field("max_contact")  # [m/s] at which `position_pass` closes its overlap
    contact_bounce = field("max_contact")  # [m/s] the target, where restitution sets it; else 0
    contact_restitution = field("max_contact")  # [–] with `erp2`
    contact_threshold = field("max_contact")  # [m/s] of restitution
    contact_loss = field("max_contact")  # [m/s] of an approach, before restitution counts
    contact_rest = field("max_contact")  # [m/s] the target without rebound
    contact_impact = field("max_contact", 3)  # [N s] impulse of the impacts, contact axes
    contact_vel = field("max_contact", 3)  # [m/s] J v, v as the step begins, contact axes
    contact_drift = field("max_contact", 3)  # [m/s] β: by what J v changes until the step ends
    contact_drift_error = field("max_contact")  # [m/s] of β: what its series leaves out
    gap_allowance = field("max_contact")  # [m] overlap that is none at the ends of steps
    contact_start = field("max_contact", 3)  # [m/s] J v + β − target: the velocity without forces
    contact_spin_start = field("max_contact", 3)  # [rad/s] the angular part
    contact_impulse = field("max_contact", 3)  # [N s] on A, contact axes
    contact_spin_impulse = field("max_contact", 3)  # [N m s] of rolling and spinning friction
    contact_delassus = field("max_contact", 6)  # [1/kg] own block of G
    contact_spin_delassus = field("max_contact", 6)  # [1/(kg m²)] own angular block
    contact_row = field("max_contact", 2, dtype=INT)  # first number of side A, B in `row`
    contact_spin_row = field("max_contact", 2, dtype=INT)  # the same for torques
    contact_len = field("max_contact", 2, dtype=INT)  # dofs of side A, B; 0: does not give way
    contact_is_spun = field("max_contact", dtype=INT)  # 1: has rolling or spinning friction rows
    # Contacts of compliant pairs; vectors in contact axes.
    soft_count = field(1, dtype=INT)
    soft_pass = field(1, dtype=INT)  # linearisations of this step
    diagonal_delassus = field("max_contact")  # [1/kg] mean of the diagonal of its block of G, without R
    contact_compliance = field("max_contact", 3)  # [1/kg] R of t₁, t₂, n: w = G λ + c + R λ
    contact_scale = field("max_contact", 2)  # [–] lengths of the rows t₁, t₂: friction's ellipse
    contact_friction_row = field("max_contact", 2, dtype=INT)  # its scalar rows: friction's box
    contact_load = field("max_contact")  # [N s] normal impulse of the last step, where it gives way
    friction_count = field(1, dtype=INT)  # rows of boxes of friction
    adhesion_impulse = field("max_contact")  # [N s] adhesion: a force, and λ_n counts from it
    contact_share = field("max_contact")  # [–] for how many points of its patch it stands
    contact_area = field("max_contact")  # [m²] of its patch that it stands for; 0: it is a point
    contact_patch = field("max_contact", 2, dtype=INT)  # its first, −1: none; whose normal it has
    share_system = field(6, 7)  # equations of the shares of one face
    kept_distance = field("max_contact")  # [–] to the nearest that is kept; −1: it is kept
    contact_is_soft = field("max_contact", dtype=INT)  # a compliant pair: 1 one side moves, 2 both
    contact_state = field("max_contact", dtype=INT)  # 0 lifted, 1 sticks, 2 slips; −1: a rigid pair
    soft_peak = field("max_contact")  # [–] x at the deepest point of a bounce
    soft_blend = field("max_contact")  # [–] r: 0 trapezoidal, 1 implicit
    soft_u = field("max_contact", 2)  # [m] u at the beginning of the step
    soft_force = field("max_contact", 3)  # [N] on A at `soft_vel`
    soft_vel = field("max_contact", 3)  # [m/s] velocity at which the law is linearised
    soft_trial = field("max_contact", 2)  # [N, –] trial force of a slipping one a pass ago, share
    soft_slope = field("max_contact", 2)  # [N s/m] −∂f/∂v, tangential and normal
    soft_kept = field("max_contact", 4)  # those of `State` while they are merged
    soft_key = field("max_contact", dtype=INT)  # `State.yield_key` meanwhile
    soft_mass = field("nmatrix")  # M, while `mass_matrix` holds M + dt Jᵀ slope J
    soft_column = field("nv", 3)  # J of one contact, dof by dof
    contact_is_resting = field("max_contact", dtype=INT)  # 1: between trees at rest, not solved
    row_count = field(1, dtype=INT)
    row = field("max_row")  # whitened Jacobians D^(−1/2) L⁻ᵀ Jᵀ, three numbers per dof of a chain

    # Scalar rows: joint limits and all else with one impulse between two bounds.
    scalar_count = field(1, dtype=INT)
    scalar_slot = field("nscalar", dtype=INT)  # place in `State.scalar_impulse`
    scalar_body = field("nscalar", 2, dtype=INT)  # bodies of side A, B; any where there are no dofs
    scalar_len = field("nscalar", 2, dtype=INT)  # dofs of side A, B; 0: does not give way
    scalar_row = field("nscalar", 2, dtype=INT)  # first number of side A, B in `row`, one per dof
    scalar_start = field("nscalar")  # [m/s, rad/s] velocity without forces − target
    scalar_target = field("nscalar")  # [m/s, rad/s]
    scalar_correction = field("nscalar")  # [m/s, rad/s] part of the target that closes a gap
    scalar_shift = field("nscalar")  # [m/s, rad/s] at which `position_pass` closes a gap
    scalar_lower = field("nscalar")  # [N s, N m s] least impulse, ≤ 0
    scalar_upper = field("nscalar")  # [N s, N m s] largest impulse, ≥ 0
    scalar_compliance = field("nscalar")  # [1/kg, 1/(kg m²)] R
    scalar_delassus = field("nscalar")  # [1/kg, 1/(kg m²)] its own G + R, > 0
    scalar_impulse = field("nscalar")  # [N s, N m s]
    scalar_reach = field("nscalar")  # [m, rad] most that a projection moves it; < 0: none
    scalar_gap = field("nscalar")  # [m, rad] of a constraint that fixes a position, in mid step
    scalar_gap_before = field("nscalar")  # [m, rad] at the step's start if wide, else the same

    # Islands, named by their lowest tree; lists sorted by island.
    tree_island = field("ntree", dtype=INT)
    island_shift_size = field("ntree", 3)  # [kg m²] squared: of what closes gaps, of the step; their ratio
    island_is_torn = field("ntree", dtype=INT)  # 1: a gap ends the step far wider than it was
    island_last_tree = field("ntree", dtype=INT)  # if something holds, or is lost
    island_contact_start = field("ntree1", dtype=INT)
    island_contact = field("max_contact", dtype=INT)
    island_scalar_start = field("ntree1", dtype=INT)
    island_scalar = field("nscalar", dtype=INT)

    # Sleep.
    resting_count = field(1, dtype=INT)  # trees that rest in this step
    tree_is_resting = field("ntree", dtype=INT)  # 1: asleep, and nothing wakes it
    tree_is_disturbed = field("ntree", dtype=INT)  # 1: something keeps it from sleep
    tree_keys = field("ntree", dtype=INT)  # what `State.rest_keys` would be
    tree_marks = field("ntree")  # what `State.rest_marks` would be
    tree_is_borne = field("ntree", dtype=INT)  # 1: a contact pushes it
    island_readiness = field("ntree", dtype=INT)  # 0 ready to sleep, 1 waiting, 2 restless

    # The problem of one island in its dofs (`src/tribo/contact/solver/proximal_rows.py`).
    column_count = field(1, dtype=INT)  # columns that the largest island wants here
    dense_count = field(1, dtype=INT)  # rows that the largest island wants here, with directions
    dense_size = field(8, dtype=INT)  # of the present one, see there
    column_of = field("nv", dtype=INT)  # place of a dof in the list, from 1 on; 0: none
    column_dof = field("nv", dtype=INT)  # the list: the first has the last column
    column_matrix = field("ncolumn", "ncolumn")  # [–] of a Newton step, then its factor
    column_vector = field(5, "nwide")  # responses by column: z, z_free, what lacks, a step, …
    dense_row = field("ndense", "ncolumn")  # Y, whitened rows over the roots of their own blocks
    dense_vector = field(16, "ndense")  # numbers of rows: velocities, rates, impulses, …
    law_row = field("ndense", 3, dtype=INT)  # first row, kind, row of the normal impulse
    law_number = field("ndense", 2)  # share of that impulse, r of the natural map
    row_direction = field("ndense", dtype=INT)  # of a normal or spinning row
    direction_row = field("ndense", 2, dtype=INT)  # rows l and p of Y: what it feels, and pushes
    direction_number = field("ndense", 3)  # 1/d, to what it leads, its part of the impulses
    direction_part = field("ncolumn")  # the unknowns of a Newton step

    # The block-sparse problem of one island: nodes are its trees.
    node_count = field(1, dtype=INT)  # nodes that the largest island wants here
    value_count = field(1, dtype=INT)  # numbers that its blocks want
    factor_work = field(1)  # multiplications of one factor
    tree_node = field("ntree", dtype=INT)  # −1: not in this island
    node_tree = field("ntree", dtype=INT)  # also of an island without blocks
    node_order = field("nnode", dtype=INT)  # of elimination
    node_rank = field("nnode", dtype=INT)  # place in that order, −1: not yet
    node_degree = field("nnode", dtype=INT)  # neighbours not yet eliminated
    node_later_count = field("nnode", dtype=INT)
    node_later = field("nnode", "nnode", dtype=INT)  # neighbours that are eliminated later
    block_at = field("nnode", "nnode", dtype=INT)  # first number in `block_value`, −1: no block
    block_value = field("nvalue")  # row by row
    block_scratch = field("nv")
    pile_residual = field("nv")  # −Yᵀ λ
    newton_start = field("nv")  # z where a far sweep begins
    rigid_motion_v = field("nv")  # of an island: all its bodies as one
    pile_step = field("nv")  # also the direction of far sweeps; the shift that closes loops (projection)
    contact_estimate = field("max_contact", 3)  # [N s] of an impact
    contact_spin_guess = field("max_contact", 3)  # [m/s] before an impact
    contact_shift = field("max_contact")  # [m/s] speed after an impact
    contact_kept = field(3, "max_contact", 6)  # impulses to come back to (`checkpoint`), and a direction
    scalar_kept = field(3, "nscalar")
    scalar_guess = field("nscalar")  # of a projection, by row

    # The shift that corrects positions (`src/tribo/contact/position_pass.py`).
    shift_has_tangents = field("max_contact", dtype=INT)  # 1: its tangents, too; −1: no part of it
    shift_error = field("max_contact", 3)  # [m/s] what is left of what it asks for, contact axes
    shift_target = field("max_contact")  # [m/s] what its normal asks for
    shift_impulse = field("max_contact", 3)
    shift_hold = field("nscalar", dtype=INT)
    shift_scalar_error = field("nscalar")  # [m/s, rad/s]
    shift_scalar_target = field("nscalar")
    shift_scalar_impulse = field("nscalar")

    # What this step makes of the state's fields of the same names.
    constraint_is_broken = field("nconstraint", dtype=INT)
    constraint_memory = field("nconstraint", 5)

    # Bodies that tumble and are hit: where an impact meets them (`src/tribo/contact/impact/impact_split.py`).
    tree_is_hit = field("ntree", dtype=INT)  # 1: met in the middle of its drift; 2: it rolls
    hit_rotation = field("ntree", 3)  # [rad/s] of the middle minus that of the state
    hit_response = field("nv")  # the same, whitened; 0 for all others

    # Impacts of contacts that rebound one after the other.
    impact_count = field(1, dtype=INT)  # 0: `impact_response` and `impact_shift` hold nothing
    impact_response = field("nv")  # whitened velocity that they give
    contact_push = field("max_contact", 3)  # [m/s] velocity that forces give in the step
    impact_shift = field("nv")  # whitened: how much farther they move than the drift says

    # How the solve went.
    newton_steps = field(1, dtype=INT)  # of islands solved in blocks
    removed_speed = field(1)  # [m/s] that the island to be solved must remove
    status = field(1, dtype=INT)  # bits of `Status`
    sweeps = field(1, dtype=INT)
    residual = field(3)  # primal, dual, complementarity, normalised (contact-science §1.1)
    tree_has_prediction = field("ntree", dtype=INT)  # 1: `predicted_contacts` has just added a contact to it
    island_origin = field("ntree", dtype=INT)  # `Origin`: from which impulses its solve begins

    # How free bodies on constraints drift in half a step, besides by their velocity (`constrained_drift`).
    constrained_turns = field(1, dtype=INT)  # 1: one of them turns so far that it matters
    constrained_shift = field("ntree", 6)  # [rad, m] turn and displacement, world
    constrained_inverse = field("ntree", 6)  # [1/(kg m²)] inverse inertia at the outer end of the half
    end_arm = field("nend", 3)  # [m] from the centre of mass to an end of a constraint, there
    end_position_error = field("nend", 3)  # [m] by which the end is to get on more
    end_lever = field("nend")  # [–] by how much a turn moves it more in mid step
    constrained_group = field("ntree", dtype=INT)  # on the way to the first of those that are tied together
    constrained_is_anchored = field("ntree", dtype=INT)  # of a group: 1: tied to what is no free body
    constrained_is_loop = field("ntree", dtype=INT)  # of a group: 1: its ties form a loop

    # Contacts of free bodies, laid out for sweeps (`src/tribo/contact/solver/free_body_contacts.py`).
    free_body_dof = field("max_contact", 2, dtype=INT)  # first dof of two sides, −1: another kind
    free_body_row = field("max_contact", 42)  # rows, and the inverse of its own block

    # Four of them side by side (`src/tribo/contact/solver/contact_lane_groups.py`).
    lane_group_island = field(1, dtype=INT)  # 1 + the island whose groups these are, 0: nobody's
    lane_group_count = field(1, dtype=INT)
    lane_group_size = field("max_contact", dtype=INT)  # contacts in a group, while they are formed
    lane_group_contact = field("max_contact", 4, dtype=INT)
    lane_group_dof = field("max_lane_group", 8, dtype=INT)  # `free_body_dof` of each contact
    lane_group_row = field("max_lane_group", 220)  # all numbers of which a visit makes use
    ungrouped_count = field(1, dtype=INT)  # contacts in no group
    ungrouped_contact = field("max_contact", dtype=INT)  # these
    tree_lane_groups = field("ntree", dtype=INT)  # bits of the groups with room in which a tree is
    slot_lane_group = field(62, dtype=INT)  # the group of each bit

    # Constraints of robots that turn far in the step.
    substep_displacement = field("nv")  # [m, rad] ∫ v dt of the substeps
    substep_velocity = field("nv")  # [m/s, rad/s] whose mean with v⁺, times dt, is that
    shift_v = field("nv")  # [m, rad] shift at the end of the step that closed gaps
    constraint_is_workless = field("nconstraint", dtype=INT)  # 1: it is to do no work
    tree_has_constraint_work = field("ntree", dtype=INT)  # 1: a constraint does work on it
