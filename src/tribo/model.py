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
    body_tree = field("nbody", dtype=INT)
    body_mass = field("nbody")  # [kg]
    body_com = field("nbody", 3)  # [m] body frame
    body_inertia = field("nbody", 6)  # [kg m²] about the centre of mass, body axes
    body_support = field("nbody")  # [–] share of the weight that is borne from outside
    body_shape_start = field("nbody", dtype=INT)
    body_shape_count = field("nbody", dtype=INT)
    body_box = field("nbody", 6)  # [m] centre, half size of a box around all shapes, body frame
    body_radius = field("nbody")  # [m] farthest point of any shape from the body's origin
    body_group = field("nbody", dtype=INT)  # bits of all its shapes
    body_mask = field("nbody", dtype=INT)  # bits of all its shapes
    body_is_solid = field("nbody", dtype=INT)  # 1: some other body's filter lets it touch
    body_like = field("nbody", dtype=INT)  # of which reference body it is an instance; −1: of none
    body_chain_start = field("nbody", dtype=INT)  # first entry in `chain_dof`
    body_chain_len = field("nbody", dtype=INT)  # number of dofs that move the body
    abreast_body = field("nbody", dtype=INT)  # bodies of a tree in the order of `dynamics.body_lanes`
    abreast_size = field("nbody", dtype=INT)  # how many from here on are abreast; 0: not the first
    chain_dof = field("nchain", dtype=INT)  # dofs from the root to each body
    chain_row = field("nchain", dtype=INT)  # `dof_row` of those dofs

    # Joints.
    joint_type = field("nbody", dtype=INT)  # `Joint`
    joint_q = field("nbody", dtype=INT)  # first coordinate in `State.q`
    joint_v = field("nbody", dtype=INT)  # first dof in `State.v`
    joint_pos = field("nbody", 3)  # [m] joint frame in the parent body
    joint_rot = field("nbody", 9)  # joint axes in the parent body
    joint_axis = field("nbody", 3)  # unit, joint frame
    joint_collides = field("nbody", dtype=INT)  # 1: the body and its parent may touch each other
    joint_lower = field("nbody")  # [rad, m] −inf: no limit
    joint_upper = field("nbody")  # [rad, m] +inf: no limit
    joint_stop_compliance = field("nbody")  # [rad/(N m), m/N] of its stops, 0: they do not give way
    joint_stop_damping = field("nbody")  # [s] spook damping of stops that give way
    joint_stop_force = field("nbody", 2)  # [N m, N] least of the upper stop, most of the lower
    spring_reference = field("nq")  # [m, rad, –] coordinates at which joint springs are at rest
    joint_slot = field("nbody", dtype=INT)  # first `Slot` in `State.scalar_impulse`
    joint_is_cone = field("nbody", dtype=INT)  # spherical: `upper` bounds 1 the axis, 0 the turn

    # Degrees of freedom.
    dof_body = field("nv", dtype=INT)
    dof_depth = field("nv", dtype=INT)  # place in the chain of its body, root first
    dof_row = field("nv", dtype=INT)  # first entry of its row in the packed mass matrix
    dof_damping = field("nv")  # [N s/m, N m s/rad]
    dof_armature = field("nv")  # [kg, kg m²] reflected rotor inertia, added to the diagonal of M
    dof_stiffness = field("nv")  # [N/m, N m/rad] of the joint's spring
    dof_friction = field("nv")  # [N, N m] dry friction
    dof_speed = field("nv")  # [m/s, rad/s] to which the drive accelerates, inf: no limit
    dof_effort_lower = field("nv")  # [N, N m] least drive force ≤ 0, −inf: no limit
    dof_effort_upper = field("nv")  # [N, N m] largest drive force ≥ 0, inf: no limit
    dof_is_moved = field("nv", dtype=INT)  # 1: by forces, 0: by the user (kinematic)

    # Couplings of joints of a tree: φ = s₀ − Σ_k curve_k s₁ᵏ, s = Σ c q + ℓ of each part (`tendon_paths`).
    coupling_body = field("ncoupling", 2, dtype=INT)  # whose chains hold all its joints; −1: no second
    coupling_slot = field("ncoupling", dtype=INT)  # first `CouplingSlot` in `State.scalar_impulse`
    coupling_term = field("ncoupling", 2, dtype=INT)  # its first term, and the first of the next
    coupling_curve = field("ncoupling", 5)
    coupling_range = field("ncoupling", 2)  # of φ; equal: it is held there
    coupling_rest = field("ncoupling", 2)  # of φ; between them its spring is slack
    coupling_stiffness = field("ncoupling")  # [N/m, N m/rad] for a φ in m or rad
    coupling_damping = field("ncoupling")  # [N s/m, N m s/rad]
    coupling_friction = field("ncoupling")  # [N, N m] dry friction
    coupling_inertia = field("ncoupling")  # [kg, kg m²] of a rotor that turns by φ
    term_dof = field("nterm", dtype=INT)
    term_q = field("nterm", dtype=INT)  # its coordinate in `State.q`
    term_side = field("nterm", dtype=INT)  # 0 or 1: in whose chain, see `coupling_body`
    term_part = field("nterm", dtype=INT)
    term_factor = field("nterm")  # c
    coupling_path = field("ncoupling", 2, dtype=INT)  # its first element, and the first of the next
    element_kind = field("nelement", dtype=INT)  # `ElementKind`
    element_body = field("nelement", dtype=INT)  # −1: it stands, in world coordinates
    element_side = field("nelement", dtype=INT)  # 0 or 1: in whose chain its body is
    element_part = field("nelement", dtype=INT)
    element_weight = field("nelement")  # [–] of the thread that begins here; 0: it ends here
    element_point = field("nelement", 3)  # [m] body frame
    element_radius = field("nelement")  # [m] of what it lies around; length of the rod of a slider
    element_axis = field("nelement", 3)  # unit vector of a cylinder, slider or turn, body frame
    # [m] from the centre: on which side it lies, body frame, 0: any; of what turns [rad]: its frame
    element_toward = field("nelement", 3)

    # Actuators with a law of their own: force F = gain(a, L, L') + bias(L, L'), on a coupling or a body.
    actuator_coupling = field("nactuator", dtype=INT)  # −1: none
    actuator_body = field("nactuator", dtype=INT)  # −1: none
    actuator_point = field("nactuator", 3)  # [m] where it pushes, body frame
    actuator_wrench = field("nactuator", 6)  # torque, force for F = 1, body frame
    actuator_adheres = field("nactuator", dtype=INT)  # 1: it pulls the body onto what it touches
    actuator_gear = field("nactuator")  # L = gear φ
    actuator_dynamics = field("nactuator", dtype=INT)  # `Dynamics`
    actuator_time = field("nactuator", 3)  # [s, s, –] T; of a muscle to rise, to fall, width between
    actuator_is_muscle = field("nactuator", 2, dtype=INT)  # 1: gain, bias by `dynamics.muscle`
    actuator_gain = field("nactuator", 9)  # of 1, L, L'; or what a muscle is made of
    actuator_bias = field("nactuator", 9)
    actuator_length = field("nactuator", 2)  # of a muscle: L at both ends of its range
    actuator_control_range = field("nactuator", 2)
    actuator_state_range = field("nactuator", 2)  # of its activation
    actuator_force_range = field("nactuator", 2)  # [N, N m] of F

    # Trees.
    tree_coupling_slot = field("ntree", dtype=INT)  # where slots of its couplings begin
    tree_coupling_count = field("ntree", dtype=INT)
    tree_body = field("ntree", dtype=INT)  # root body
    tree_body_count = field("ntree", dtype=INT)
    tree_v = field("ntree", dtype=INT)  # first dof
    tree_nv = field("ntree", dtype=INT)
    tree_kind = field("ntree", dtype=INT)  # `Kind`
    tree_is_single = field("ntree", dtype=INT)  # 1: free body, origin at COM, no compliant pair
    tree_is_constrained = field("ntree", dtype=INT)  # 1: a constraint ends in it
    tree_is_deep = field("ntree", dtype=INT)  # 1: articulated bodies are faster than rows of M

    # Shapes, sorted by body.
    shape_body = field("nshape", dtype=INT)
    shape_kind = field("nshape", dtype=INT)  # `Shape`
    shape_size = field("nshape", 3)  # [m] see `Shape`
    shape_pos = field("nshape", 3)  # [m] body frame
    shape_rot = field("nshape", 9)
    shape_material = field("nshape", dtype=INT)
    shape_point = field("nshape", dtype=INT)  # compliant grounds: 1 meets only them, 2 by points
    shape_group = field("nshape", dtype=INT)  # bits
    shape_mask = field("nshape", dtype=INT)  # bits of groups that this shape meets
    shape_id = field("nshape", dtype=INT)  # stable over rebuilds, grows with `shape` index
    shape_box = field("nshape", 6)  # [m] centre, half size of a box around it, shape frame
    shape_data = field("nshape", 4, dtype=INT)  # see `tribo.engine.builder`

    # Constraints between bodies. Side A, B of constraint c: rows 2c, 2c + 1.
    constraint_kind = field("nconstraint", dtype=INT)  # `Constraint`
    constraint_body = field("nconstraint", 2, dtype=INT)  # −1: the world
    constraint_point = field("nend", 3)  # [m] attachment, body frame
    constraint_rot = field("nend", 9)  # axes of the constraint in the body
    constraint_locked = field("nconstraint", dtype=INT)  # bits: along x, y, z of A, about x, y, z
    constraint_stretch = field("nconstraint", dtype=INT)  # bits: 1 may not grow, 2 may not shrink
    constraint_slot = field("nconstraint", dtype=INT)  # first of six in `State.scalar_impulse`
    constraint_path = field("nconstraint", 2, dtype=INT)  # first and last point of a wire
    path_body = field("npath", dtype=INT)  # on which the wire runs over a point; −1: the world
    path_point = field("npath", 3)  # [m] body frame

    lazy_address = field(8, dtype=INT)  # of functions compiled when asked for: `Late`; 0: not yet

    # Pools of hulls and meshes.
    vertex = field("nvertex", 3)  # [m] shape frame
    face_normal = field("nface", 3)  # outward unit normal, shape frame
    face_start = field("nface1", dtype=INT)  # first entry in `face_vertex`; one more than faces
    face_vertex = field("ncorner", dtype=INT)  # anticlockwise from outside; entries of `vertex`
    # Around each corner of a hull of more than `FEW_CORNERS`; first those farthest along −x, x, −y, y, −z, z.
    vertex_neighbour = field("nneighbour", dtype=INT)  # corners across an edge, then faces around it
    neighbour_part = field("nadjacent", 3, dtype=INT)  # by corner: first corner, face, end there
    triangle = field("ntriangle", 3, dtype=INT)  # anticlockwise from outside; entries of `vertex`
    triangle_dihedral = field("ntriangle", 3)  # [rad] by how much the surface bends down over each edge
    triangle_own = field("ntriangle", dtype=INT)  # bits: corners 0–2, edges 3–5 that are met as its own
    vertex_normal = field("nvertex", 3)  # unit normal of a surface at its corners; of hulls 0
    box_bound = field("nbox", 6)  # [m] min, max; a tree of boxes per surface, depth first
    box_skip = field("nbox", dtype=INT)  # the box to go on with if this one is missed
    box_triangle = field("nbox", dtype=INT)  # −1: none, the children follow
    height = field("nheight")  # [m] of height maps, x fastest

    pair_table = field("nmaterial", "nmaterial", 27)  # columns of `Pair`; symmetric
    ignored_pair = field("nignored", dtype=INT)  # a · nbody + b for bodies a < b, sorted


class State(Record):
    """All that the future depends on: same State and Command → same result, bit for bit."""

    q = field("nq")  # [m, rad, –] generalized coordinate
    v = field("nv")  # [m/s, rad/s] generalized velocity
    vdot = field("nv")  # [m/s², rad/s²] acceleration of the last step, for the mid-step prediction
    vdot_before = field("nv")  # [m/s², rad/s²] the one before that
    left_q = field("nq")  # of floating trees as the last step left it
    left_v = field("nv")  # the same, also of kinematic trees; if both hold, so does `tree_motion`:
    tree_motion = field("ntree", 10)  # [kg, m, kg m/s, kg m²/s] m, c, p, L about c
    time = field(1)  # [s]
    scalar_impulse = field("nslot")  # [N s, N m s] of the last step's scalar rows, by slot
    tree_is_asleep = field("ntree", dtype=INT)  # 0 awake, 1 at rest on trial, 2 asleep
    quiet_time = field("ntree")  # [s] for which its island has been slow
    rest_keys = field("ntree", dtype=INT)  # of a sleeping tree: what identifies its contacts,
    rest_marks = field("ntree")  # their gaps, normals and friction,
    rest_force = field("nv")  # [N, N m] and the force on it, τ − h
    constraint_is_broken = field("nconstraint", dtype=INT)  # 1: by more than its break force
    constraint_memory = field("nconstraint", 5)  # columns of `Memory`
    warm_count = field(1, dtype=INT)
    warm_key = field("max_contact", dtype=INT)  # contacts of the last step, ascending
    warm_impulse = field("max_contact", 6)  # [N s, N m s] force and torque impulse, world axes
    yield_count = field(1, dtype=INT)
    yield_key = field("max_contact", dtype=INT)  # contacts whose ground is displaced, ascending
    yield_displacement = field("max_contact", 3)  # [m] tangential, u, axes of the ground
    yield_rate = field("max_contact")  # [1/s] K/D, at which u fades without contact
    drive_mode = field("nv", dtype=INT)  # limits each drive was at, with their sign: ±1 effort, ±2 speed
    activation = field("nactuator")  # [–] a of actuators that have one


class Command(Record):
    """Commands of the user; they stay until changed, the external wrench lasts one step."""

    tau = field("nv")  # [N, N m] feed-forward generalized force
    drive_form = field("nv", dtype=INT)  # `DriveForm`
    carries = field("nv", dtype=INT)  # 1: the drive bears the weight as well
    kp = field("nv")  # [N/m, N m/rad]
    kd = field("nv")  # [N s/m, N m s/rad]
    target_q = field("nq")
    target_v = field("nv")
    constraint = field("nconstraint", 25)  # columns of `Tuning`
    control = field("nactuator")  # u of actuators with a law of their own
    can_sleep = field("ntree", dtype=INT)  # 1: if the world lets anything sleep
    has_wrench = field(1, dtype=INT)  # 1: a row below is not zero; 2: it stays till the call ends
    surface_velocity = field("nshape", 6)  # [m/s] v, a of surfaces that run, body frame
    wrench = field("nbody", 6)  # [N m, N] torque, force at the centre of mass, world axes


class Settings(Record):
    """Numbers of a world that users set."""

    dt = field()  # [s] time step
    gravity_x = field()  # [m/s²]
    gravity_y = field()
    gravity_z = field()
    erp = field()  # [–] part of a penetration that one step removes
    erp2 = field()  # [–] added to every restitution
    max_push_out_speed = field()  # [m/s] cap of what `erp` asks for
    tolerance = field()  # [–] of the contact solve, relative to the speed gained in one step
    max_sweeps = field(dtype=INT)
    integrator = field(dtype=INT)  # `Integrator`
    contact_solver = field(dtype=INT)  # `Solver`
    impact = field(dtype=INT)  # `Impact`
    bounce = field(dtype=INT)  # `Bounce`
    effective_radius = field(dtype=INT)  # `EffectiveRadius`
    sleeping = field(dtype=INT)  # 1: what rests for a while is left at rest
    sleep_speed = field()  # [m/s] up to which a tree is quiet
    sleep_angular_speed = field()  # [rad/s]
    sleep_time = field()  # [s] for which it has to be quiet
    filter_both = field(dtype=INT)  # 0: either mask admits a pair, 1: both must
