"""The five records that every kernel reads and writes; their enums are in `src/tribo/enums.py`.

``Model`` is constant after the build, ``State`` is all that the future depends on, ``Command`` what the user
asks for, ``Settings`` are numbers, ``Work`` is scratch: with a fresh one the future is bitwise the same.

SI units; world axes unless a name or comment says otherwise; quaternions (w, x, y, z); 3×3 matrices row-major
in 9 numbers, symmetric ones as (xx, yy, zz, xy, xz, yz); spatial vectors as (angular, linear) about the *tree
origin* (position of the tree's root body) in world axes.
"""

from tribo.compiler.record import INT, Record, field
from tribo.enums import (
    Constraint,
    ContactState,
    Impact,
    IntegrationMode,
    Integrator,
    Joint,
    Kind,
    Late,
    Pair,
    Shape,
    Slot,
    Status,
)
from tribo.work import Work

__all__ = [
    "INT",
    "Command",
    "Constraint",
    "ContactState",
    "Impact",
    "IntegrationMode",
    "Integrator",
    "Joint",
    "Kind",
    "Late",
    "Model",
    "Pair",
    "Settings",
    "Shape",
    "Slot",
    "State",
    "Status",
    "Work",
]  # fmt: skip

FEW_CORNERS = 32  # of a hull; up to so many are all looked at
MAX_DOFS = 96  # of an island that is solved in its dofs; of more it is solved in blocks


class Model(Record):
    """Contents of a world: topology, masses, shapes, materials."""

    # Bodies, parents first. Body i hangs on joint i.
    body_parent = field("nbody", dtype=INT)  # −1: the world
    body_tree = field("nbody", dtype=INT)  # tree
    body_mass = field("nbody")  # [kg]
    body_com = field("nbody", 3)  # [m] centre of mass, body frame
    body_inertia = field("nbody", 6)  # [kg m²] about the centre of mass, body axes
    body_support = field("nbody")  # [–] part of the weight that is supported externally
    body_shape_start = field("nbody", dtype=INT)  # first shape
    body_shape_count = field("nbody", dtype=INT)  # number of shapes
    body_box = field("nbody", 6)  # [m] centre, half size of the bounding box of all shapes, body frame
    body_radius = field("nbody")  # [m] largest distance of a shape point from the origin of the body
    body_adhesive_reach = field("nbody")  # [m] half of the largest gap across which it may adhere
    body_group = field("nbody", dtype=INT)  # union of the collision groups of its shapes, bits
    body_mask = field("nbody", dtype=INT)  # union of the collision masks of its shapes, bits
    body_is_solid = field("nbody", dtype=INT)  # 1: some filter admits a pair with another body
    body_like = field("nbody", dtype=INT)  # reference body of an instance; −1: no instance
    body_chain_start = field("nbody", dtype=INT)  # first entry in `chain_dof`
    body_chain_len = field("nbody", dtype=INT)  # number of dofs that move the body
    abreast_body = field("nbody", dtype=INT)  # bodies of a tree in the order of `dynamics.body_lanes`
    abreast_size = field("nbody", dtype=INT)  # bodies of the lane group that starts here; 0: not the first
    chain_dof = field("nchain", dtype=INT)  # dofs from the root to each body
    chain_row = field("nchain", dtype=INT)  # `dof_row` of those dofs

    # Joints.
    joint_type = field("nbody", dtype=INT)  # `Joint`
    joint_q = field("nbody", dtype=INT)  # first coordinate in `State.q`
    joint_v = field("nbody", dtype=INT)  # first dof in `State.v`
    joint_pos = field("nbody", 3)  # [m] origin of the joint frame, parent frame
    joint_rot = field("nbody", 9)  # [–] rotation matrix of the joint frame, parent frame
    joint_axis = field("nbody", 3)  # [–] unit vector, joint frame
    joint_collides = field("nbody", dtype=INT)  # 1: body and parent may collide
    joint_lower = field("nbody")  # [rad, m] −inf: no limit
    joint_upper = field("nbody")  # [rad, m] +inf: no limit
    joint_stop_compliance = field("nbody")  # [rad/(N m), m/N] of the stops; 0: rigid
    joint_stop_damping = field("nbody")  # [s] SPOOK damping of compliant stops
    joint_stop_force = field("nbody", 2)  # [N m, N] lower bound of the upper stop, upper of the lower
    spring_reference = field("nq")  # [m, rad, –] rest coordinates of joint springs
    joint_slot = field("nbody", dtype=INT)  # first `Slot` in `State.scalar_impulse`
    joint_is_cone = field("nbody", dtype=INT)  # spherical: `joint_upper` limits 1 the axis, 0 the rotation

    # Degrees of freedom.
    dof_body = field("nv", dtype=INT)  # body behind the joint of the dof
    dof_depth = field("nv", dtype=INT)  # position in the chain of its body, root first
    dof_row = field("nv", dtype=INT)  # first entry of its row in the packed mass matrix
    dof_damping = field("nv")  # [N s/m, N m s/rad] viscous damping
    dof_armature = field("nv")  # [kg, kg m²] reflected rotor inertia, added to the diagonal of M
    dof_stiffness = field("nv")  # [N/m, N m/rad] joint spring
    dof_friction = field("nv")  # [N, N m] dry friction
    dof_speed = field("nv")  # [m/s, rad/s] speed limit of the drive; inf: none
    dof_effort_lower = field("nv")  # [N, N m] lower bound of the drive force, ≤ 0; −inf: none
    dof_effort_upper = field("nv")  # [N, N m] upper bound of the drive force, ≥ 0; inf: none
    dof_effort_is_total = field("nv", dtype=INT)  # 1: the bounds are those of all its actuators
    dof_is_moved = field("nv", dtype=INT)  # 1: moved by forces; 0: prescribed motion (kinematic)

    # Couplings of joints of a tree: φ = s₀ − Σ_k curve_k s₁ᵏ, s = Σ c q + ℓ of each part (`tendon_paths`).
    coupling_body = field("ncoupling", 2, dtype=INT)  # bodies whose chains contain its joints; −1: no second
    coupling_slot = field("ncoupling", dtype=INT)  # first `CouplingSlot` in `State.scalar_impulse`
    coupling_term = field("ncoupling", 2, dtype=INT)  # first term, and one past the last
    coupling_curve = field("ncoupling", 5)  # coefficients of the polynomial in s₁
    coupling_range = field("ncoupling", 2)  # range of φ; equal bounds: an equation
    coupling_rest = field("ncoupling", 2)  # range of φ without spring force
    coupling_stiffness = field("ncoupling")  # [N/m, N m/rad] for a φ in m or rad
    coupling_damping = field("ncoupling")  # [N s/m, N m s/rad]
    coupling_friction = field("ncoupling")  # [N, N m] dry friction
    coupling_inertia = field("ncoupling")  # [kg, kg m²] rotor inertia, speed φ̇
    term_dof = field("nterm", dtype=INT)  # dof
    term_q = field("nterm", dtype=INT)  # coordinate in `State.q`
    term_side = field("nterm", dtype=INT)  # 0 or 1: index in `coupling_body` of the chain with the joint
    term_part = field("nterm", dtype=INT)  # part of the coupling: 0 s₀, 1 s₁
    term_factor = field("nterm")  # coefficient c of the coordinate
    coupling_path = field("ncoupling", 2, dtype=INT)  # first element, and one past the last
    element_kind = field("nelement", dtype=INT)  # `ElementKind`
    element_body = field("nelement", dtype=INT)  # −1: the world
    element_side = field("nelement", dtype=INT)  # 0 or 1: index in `coupling_body` of the chain with the body
    element_part = field("nelement", dtype=INT)  # part of the coupling: 0 s₀, 1 s₁
    element_weight = field("nelement")  # [–] weight of the segment that starts here; 0: the tendon ends here
    element_point = field("nelement", 3)  # [m] body frame
    element_radius = field("nelement")  # [m] radius of the wrapping surface; length of the rod of a slider
    element_axis = field("nelement", 3)  # unit vector of a cylinder, slider or rotation, body frame
    # [m] from the centre: on which side it lies, body frame, 0: any; of what turns [rad]: its frame
    element_toward = field("nelement", 3)

    # Actuators with a law of their own: force F = gain(a, L, L') + bias(L, L'), on a coupling or a body.
    actuator_coupling = field("nactuator", dtype=INT)  # −1: none
    actuator_body = field("nactuator", dtype=INT)  # −1: none
    actuator_point = field("nactuator", 3)  # [m] point of application, body frame
    actuator_wrench = field("nactuator", 6)  # torque, force at F = 1, body frame
    actuator_adheres = field("nactuator", dtype=INT)  # 1: adhesion of the body to bodies in contact
    actuator_gear = field("nactuator")  # L = gear φ
    actuator_dynamics = field("nactuator", dtype=INT)  # `Dynamics` of the activation
    actuator_time = field("nactuator", 3)  # [s, s, –] T; muscle: activation, deactivation, smoothing width
    actuator_is_muscle = field("nactuator", 2, dtype=INT)  # 1: gain, bias of a muscle (`dynamics.muscle`)
    actuator_gain = field("nactuator", 9)  # coefficients of 1, L, L'; or parameters of a muscle (`Muscle`)
    actuator_bias = field("nactuator", 9)  # coefficients of 1, L, L'; or parameters of a muscle (`Muscle`)
    actuator_length = field("nactuator", 2)  # muscle: L at both ends of its range
    actuator_control_range = field("nactuator", 2)  # lower, upper bound of u
    actuator_state_range = field("nactuator", 2)  # lower, upper bound of the activation
    actuator_force_range = field("nactuator", 2)  # [N, N m] lower, upper bound of F

    # Trees.
    tree_coupling_slot = field("ntree", dtype=INT)  # first slot of its couplings
    tree_coupling_count = field("ntree", dtype=INT)  # number of couplings
    tree_body = field("ntree", dtype=INT)  # root body
    tree_body_count = field("ntree", dtype=INT)  # number of bodies
    tree_v = field("ntree", dtype=INT)  # first dof
    tree_nv = field("ntree", dtype=INT)  # number of dofs
    tree_kind = field("ntree", dtype=INT)  # `Kind`
    tree_is_single = field("ntree", dtype=INT)  # 1: free body, origin at its COM, no compliant pair
    tree_is_constrained = field("ntree", dtype=INT)  # 1: an end of a constraint is in it
    tree_is_deep = field("ntree", dtype=INT)  # 1: articulated bodies cost less than rows of M

    # Shapes, sorted by body.
    shape_body = field("nshape", dtype=INT)
    shape_kind = field("nshape", dtype=INT)  # `Shape`
    shape_size = field("nshape", 3)  # [m] dimensions by `Shape`
    shape_pos = field("nshape", 3)  # [m] origin, body frame
    shape_rot = field("nshape", 9)  # [–] rotation matrix, body frame
    shape_material = field("nshape", dtype=INT)  # index in `pair_table`
    shape_point = field("nshape", dtype=INT)  # compliant grounds: 1 collides with them only; 2 by points
    shape_group = field("nshape", dtype=INT)  # collision groups, bits
    shape_mask = field("nshape", dtype=INT)  # collision groups that the shape collides with, bits
    shape_id = field("nshape", dtype=INT)  # identifier, the same after rebuilds; increases with the index
    shape_box = field("nshape", 6)  # [m] centre, half size of its bounding box, shape frame
    shape_data = field("nshape", 4, dtype=INT)  # indices in the pools (`tribo.engine.builder`)

    # Constraints between bodies. Side A, B of constraint c: rows 2c, 2c + 1.
    constraint_kind = field("nconstraint", dtype=INT)  # `Constraint`
    constraint_body = field("nconstraint", 2, dtype=INT)  # bodies A, B; −1: the world
    constraint_point = field("nend", 3)  # [m] attachment point, body frame
    constraint_rot = field("nend", 9)  # [–] rotation matrix of the constraint frame, body frame
    constraint_locked = field("nconstraint", dtype=INT)  # bits: along x, y, z of A, about x, y, z
    constraint_stretch = field("nconstraint", dtype=INT)  # bits: 1 resists extension, 2 resists compression
    constraint_slot = field("nconstraint", dtype=INT)  # first of six slots in `State.scalar_impulse`
    constraint_path = field("nconstraint", 2, dtype=INT)  # first and last point of the path of a wire
    path_body = field("npath", dtype=INT)  # body of a path point; −1: the world
    path_point = field("npath", 3)  # [m] body frame

    lazy_address = field(8, dtype=INT)  # of lazily compiled functions (`Late`); 0: not yet compiled

    # Pools of hulls and meshes.
    vertex = field("nvertex", 3)  # [m] shape frame
    face_normal = field("nface", 3)  # outward unit normal, shape frame
    face_start = field("nface1", dtype=INT)  # first entry in `face_vertex`; one entry more than faces
    face_vertex = field("ncorner", dtype=INT)  # counter-clockwise from outside; indices of `vertex`
    # Around each corner of a hull of more than `FEW_CORNERS`; before them the extreme corners along −x, x, ….
    vertex_neighbour = field("nneighbour", dtype=INT)  # corners across an edge, then faces around it
    neighbour_part = field("nadjacent", 3, dtype=INT)  # by corner: first corner, face, end there
    triangle = field("ntriangle", 3, dtype=INT)  # counter-clockwise from outside; indices of `vertex`
    triangle_dihedral = field("ntriangle", 3)  # [rad] exterior dihedral angle at each edge, > 0: convex
    triangle_own = field("ntriangle", dtype=INT)  # bits: corners 0–2, edges 3–5 assigned to this triangle
    vertex_normal = field("nvertex", 3)  # unit normal of a surface at its vertices; of hulls 0
    box_bound = field("nbox", 6)  # [m] min, max; bounding volume hierarchy of a surface, depth first
    box_skip = field("nbox", dtype=INT)  # box to continue with after a miss
    box_triangle = field("nbox", dtype=INT)  # triangle of a leaf; −1: inner node, its children follow
    height = field("nheight")  # [m] heights of height maps, x fastest

    pair_table = field("nmaterial", "nmaterial", 27)  # columns of `Pair`; symmetric in the materials
    ignored_pair = field("nignored", dtype=INT)  # a · nbody + b for bodies a < b, sorted


class State(Record):
    """All that the future depends on: same State and Command → same result, bit for bit."""

    q = field("nq")  # [m, rad, –] generalized coordinate
    v = field("nv")  # [m/s, rad/s] generalized velocity
    vdot = field("nv")  # [m/s², rad/s²] acceleration of the last step, for the mid-step prediction
    vdot_before = field("nv")  # [m/s², rad/s²] acceleration of the step before the last
    left_q = field("nq")  # [m, rad, –] q after the last step
    left_v = field("nv")  # [m/s, rad/s] v after the last step
    tree_motion = field("ntree", 10)  # [kg, m, kg m/s, kg m²/s] m, c, p, L about c, at q, v; m = 0: not known
    time = field(2)  # [s] sum of the steps, and what rounding left of it
    scalar_impulse = field("nslot")  # [N s, N m s] impulses of the scalar rows of the last step, by slot
    tree_is_asleep = field("ntree", dtype=INT)  # `Sleep`
    quiet_time = field("ntree")  # [s] duration for which its island has been slow
    rest_keys = field("ntree", dtype=INT)  # sleeping tree: hash of the keys of its contacts
    rest_marks = field("ntree")  # sleeping tree: fingerprint of their gaps, normals and friction
    rest_force = field("nv")  # [N, N m] sleeping tree: force τ − h
    constraint_is_broken = field("nconstraint", dtype=INT)  # 1: its break force was exceeded
    constraint_memory = field("nconstraint", 5)  # columns of `Memory`
    warm_count = field(1, dtype=INT)  # number of contacts of the last step
    warm_key = field("max_contact", dtype=INT)  # keys of the contacts of the last step, ascending
    warm_impulse = field("max_contact", 6)  # [N s, N m s] force and torque impulse, world axes
    yield_count = field(1, dtype=INT)  # number of displaced contacts with compliant ground
    yield_key = field("max_contact", dtype=INT)  # keys of those contacts, ascending
    yield_displacement = field("max_contact", 3)  # [m] tangential displacement u, axes of the ground
    yield_rate = field("max_contact")  # [1/s] K/D, decay rate of u without contact
    drive_mode = field("nv", dtype=INT)  # limits each drive was at, with their sign: ±1 effort, ±2 speed
    activation = field("nactuator")  # [–] a of actuators with activation dynamics


class Command(Record):
    """Commands of the user; they stay until changed, the external wrench lasts one step."""

    tau = field("nv")  # [N, N m] feed-forward generalized force
    drive_form = field("nv", dtype=INT)  # `DriveForm`
    carries = field("nv", dtype=INT)  # 1: the drive compensates gravity
    kp = field("nv")  # [N/m, N m/rad]
    kd = field("nv")  # [N s/m, N m s/rad]
    target_q = field("nq")
    target_v = field("nv")
    constraint = field("nconstraint", 25)  # columns of `Tuning`
    control = field("nactuator")  # u of actuators with their own force law
    can_sleep = field("ntree", dtype=INT)  # 1: sleep is permitted, if the world permits it
    has_wrench = field(1, dtype=INT)  # 1: a row of `wrench` is not zero; 2: it stays until the call ends
    surface_velocity = field("nshape", 6)  # [m/s] v, a of surfaces with surface velocity, body frame
    wrench = field("nbody", 6)  # [N m, N] torque, force at the centre of mass, world axes


class Settings(Record):
    """Numbers of a world that users set."""

    dt = field()  # [s] time step
    gravity_x = field()  # [m/s²]
    gravity_y = field()
    gravity_z = field()
    erp = field()  # [–] share of a penetration that one step removes
    erp2 = field()  # [–] added to the restitution of every pair
    max_push_out_speed = field()  # [m/s] bound of the correction speed of overlaps and gaps
    tolerance = field()  # [–] tolerance of the contact solve, relative to the speed gained in one step
    max_sweeps = field(dtype=INT)  # bound of the sweeps of a solve
    integrator = field(dtype=INT)  # `Integrator`
    contact_solver = field(dtype=INT)  # `Solver`
    impact = field(dtype=INT)  # `Impact`
    bounce = field(dtype=INT)  # `Bounce`
    effective_radius = field(dtype=INT)  # `EffectiveRadius`
    sleeping = field(dtype=INT)  # 1: islands at rest fall asleep
    sleep_speed = field()  # [m/s] upper bound of the speed of a slow tree
    sleep_angular_speed = field()  # [rad/s] upper bound of its angular speed
    sleep_time = field()  # [s] duration for which an island must be slow
    filter_both = field(dtype=INT)  # 0: one mask that admits the pair suffices; 1: both must
