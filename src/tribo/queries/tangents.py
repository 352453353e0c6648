"""Scratch and results of the derivatives of a step (`step_tangents`)."""

from enum import IntEnum

from tribo.compiler.jit import kernel
from tribo.compiler.record import INT, Record, field
from tribo.model import Joint

# Entries of `Tangents.counts`.
Count = IntEnum(
    "Count", "CONTACTS SCALARS ROWS COLUMNS REDUNDANT OBSTACLE PLACE SIDES SPINS SHIFTED LIMITS", start=0
)


class Obstacle(IntEnum):
    """Reasons why a step has no derivatives here; the place is a body, contact, dof or row."""

    NONE = 0
    ROOM = 1  # tables are too small: `Tangents.counts` says how large they have to be
    LASTING = 24  # derivatives of the response to forces alone are needed: `stage[3]`
    ROUNDS = 2  # h was taken anew: the step has to be made and differentiated round by round
    CONSTRAINT = 3
    FAST_ROTATION = 4
    FLOATS = 5
    RESTS = 6
    COMPLIANT = 7
    AHEAD = 8
    REBOUND = 9
    ROLLING_LENGTH = 10
    STATIC_FRICTION = 11
    SURFACES = 12
    CARRIER = 13
    BOX_FRICTION = 14
    OVERLAP = 15
    JOINT_ROW = 16
    AT_STOP = 17
    BORNE = 18
    MISMATCH = 19
    BORDER = 20
    SAG = 21
    HIT = 22
    ACTUATOR = 23
    SHARES = 25


class Tangents(Record):
    """Inputs of the derivatives of a step besides `Work`, and their results.

    Rows of the system: nv of the equation of motion, three for each active contact, one for each active
    scalar row, three for each contact with rolling or spinning friction. Its columns: the unknowns δv⁺ and
    δλ, one for each row, padded to a multiple of four; then the inputs δq_m, δv, δv̄, δτ, nv each, after the
    first round also the v̄ of the rows of contacts; then a unit target velocity of each gap; padded.
    Columns of results: δq, δv, δτ and the accelerations of the last two steps, nv each, then for each gap
    half of the difference of its two slopes, by the size of its change.
    """

    # Inputs, stored before the step, which changes them.
    start_q = field("nq")  # [m, rad, –] q before the step
    start_v = field("nv")  # [m/s, rad/s] v before the step
    start_vdot = field("nv")  # [m/s², rad/s²] `State.vdot` before the step
    start_vdot_before = field("nv")  # [m/s², rad/s²] `State.vdot_before` before the step
    wrench = field("nbody", 6)  # [N m, N] at the centre of mass, world axes
    # Progress: rounds done; then flags: all rounds done; one-sided derivatives differ; rows are omitted;
    # `free_by` is valid; inputs include the last accelerations; inputs include sizes of gaps.
    stage = field(7, dtype=INT)
    mean = field("nv")  # [m/s, rad/s] v̄ after the previous round, if there was one
    mean_by_grown = field("nv", "nby")  # δv̄ by the inputs, if there was one
    mean_by_fallen = field("nv", "nby")  # … where they are < 0

    # Response to forces alone, without rows. Shift at the end of the step.
    free_v = field("nv")  # [m/s, rad/s] velocity change by forces alone
    free_by = field("nv", "nby")  # δ of `free_v` by the inputs
    free_twist = field("nbody", 6)  # [rad/s, m/s] twist of the bodies at `free_v`
    shift = field("nv")  # [m, rad] shift at the end of the step
    shift_push = field("nrow", 3)  # dt R⁻¹ e of active contacts, contact axes
    is_watched = field("nrow", dtype=INT)  # 1: the row is inactive in the shift
    shift_by = field("nrow", "nby")  # inactive rows: δ of dt e by the inputs
    shift_fallen = field("nrow", "nby")  # … where inputs are < 0

    # Momentum of floating trees.
    start_mass = field("nv", "nv")  # M at the state before the step
    start_bend = field("nv", "nv")  # ∂(M v)/∂q there
    solved_by = field("nv", "nby")  # δv⁺ before the momentum correction
    pushes = field("nrow", "ncolumn")  # equation of motion before forces and rows
    pushed_by = field("nrow", "nby")  # … by the inputs, at the same v⁺

    # Motion of the bodies, spatial.
    first_mean = field("nv")  # [m/s, rad/s] v̄ of the first round
    first_mean_by = field("nv", 2)  # … by the accelerations of the last two steps
    twist = field("nbody", 6)  # [rad/s, m/s] at v̄
    rate = field("nbody", 6)  # [rad/s², m/s²] acceleration at v̄ and v̇ = 0, gravity as upward acceleration
    full = field("nbody", 6)  # the same at v̇ = (v⁺ − v)/dt
    start_twist = field("nbody", 6)  # [rad/s, m/s] at v
    end_twist = field("nbody", 6)  # [rad/s, m/s] at v⁺
    force = field("nbody", 6)  # [N m, N] force on a body and all descendants at `full`
    composite = field("nbody", 10)  # composite inertia of a body and all descendants
    swept = field("nbody", 36)  # B, x ↦ I (x × v) + x ×* I v + v ×* I x, of the same, row-major
    vdot = field("nv")  # [m/s², rad/s²] (v⁺ − v)/dt
    end_q = field("nq")  # [m, rad, –] coordinates reached with v⁺

    # Of each dof, spatial.
    turning = field("nv", 6)  # change of a velocity by its coordinate, beyond s ×
    turning_rate = field("nv", 6)  # … an acceleration
    own_rate = field("nv", 6)  # change of the acceleration of its body by its velocity
    inertia_axis = field("nv", 6)  # I^c s
    swept_axis = field("nv", 6)  # B^cᵀ s

    # Derivatives of the coordinates within the step, blocks of joints.
    middle_by_q = field("nv", "nv")  # δq_m by δq
    middle_by_v = field("nv", "nv")  # … by δv
    middle_by_rate = field("nv", "nv")  # … by the acceleration of the last step, of ball joints
    end_by_middle = field("nv", "nv")  # δq⁺ by δq_m
    end_by_v = field("nv", "nv")  # … by δv⁺
    end_by_start = field("nv", "nv")  # … by δv, of ball joints
    end_by_rate = field("nv", "nv")  # … by the acceleration, of ball joints that are hit
    is_hit = field("nv", dtype=INT)  # 1: the stored acceleration is that of forces alone

    # Drive of a dof: 1 within its law; 2, 3 constant force at its upper, lower limit.
    follows = field("nv", dtype=INT)
    system = field("nrow", "ncolumn")  # matrix of the linear system
    order = field("nrow", dtype=INT)  # rows in elimination order
    pivot = field("nrow", dtype=INT)  # pivot row of each unknown; −1: none
    way = field("nrow")  # null direction of the system, δv⁺ and δλ
    answer = field("nrow", "ncolumn")  # solution: δv⁺ and δλ by input
    lack = field("nrow", "ncolumn")  # redundant rows: residual request
    grown = field("nresult", "nby")  # δq⁺, δv⁺, δλ by the inputs, for increments > 0
    fallen = field("nresult", "nby")  # … for increments < 0; valid if `counts` says so
    left = field("nrow", "nby")  # `lack` by the inputs
    left_fallen = field("nrow", "nby")  # … where they are < 0
    com_rows = field("nbody", 6, "nv")  # Jacobians of the centres of mass, (angular, linear), world

    # Active contacts and active scalar rows; the gaps of the rows follow those of the contacts.
    # contacts, scalars, rows, columns, redundant, obstacle, place, sides, spins, shifted, forces at limits
    counts = field(11, dtype=INT)
    contact = field("nrow", dtype=INT)  # contact of each row of active contacts
    slips = field("nrow", dtype=INT)  # 1: slipping
    sag_of = field("nrow", dtype=INT)  # contact of its pair that bounds its sag
    gap_by_q = field("nrow", "nv")  # δgap by δq_m, if it has a target
    gap_by_v = field("nrow", "nv")  # … by δv
    gap_by_mean = field("nrow", "nv")  # … by δv̄
    gap_slope = field("nrow", 2)  # [1/s] of its target velocity by its gap: where that grows, falls
    shift_slope = field("nrow", 2)  # … of the speed that the shift is to have
    law_slope = field("nrow", 3)  # … by the speed before forces, what these add, the gap of a rebound
    bounce_slope = field("nrow", 2)  # of w* of a rebound by restitution, by its threshold
    target_by_q = field("nrow", "nv")  # δ of the target by δq_m through these
    target_by_v = field("nrow", "nv")
    target_by_mean = field("nrow", "nv")
    target_by = field("nrow", "nby")  # of a contact: the same by the inputs, in the first round
    has_target = field("nrow", dtype=INT)  # 1: the gap has a target
    gap_by = field("nrow", "nby")  # δgap by the inputs, if it has a target
    asked = field("nrow", "nby")  # δ of the request of a gap by the inputs
    block = field("nv", 2, dtype=INT)  # first dof and number of dofs of its rotation
    scalar = field("nrow", dtype=INT)  # scalar row of each active row
    spin = field("nrow", dtype=INT)  # rolling friction: index among the active contacts
    spin_slips = field("nrow", 2, dtype=INT)  # 1: rolling, spinning friction slips
    row_by = field("nrow", "nv")  # J of all scalar rows
    scalar_by_speed = field("nrow")  # derivative of the target by J v
    scalar_is_held = field("nrow", dtype=INT)  # 1: equation, active in both directions
    scalar_side = field("nrow")  # 1: lower stop, −1: upper stop; 0: no stop


@kernel
def filled_up(count):
    """Return the next multiple of four."""
    return 4 * ((count + 3) // 4)


@kernel
def bend_columns(tangents):
    """Return where columns of δv̄ begin to which rows of contacts belong, and where those of gaps begin."""
    n = tangents.start_v.shape[0]
    at_q = filled_up(tangents.counts[Count.ROWS])
    if tangents.stage[0] == 0:
        return at_q + 2 * n, at_q + 4 * n
    return at_q + 4 * n, at_q + 5 * n


@kernel
def object_to(tangents, obstacle, place):
    """Note an obstacle, the first one.

    Writes: tangents.
    """
    if tangents.counts[Count.OBSTACLE] == 0:
        tangents.counts[Count.OBSTACLE] = obstacle
        tangents.counts[Count.PLACE] = place


@kernel
def differs(a, b, size):
    """Tell whether two numbers differ by more than rounding of numbers of a size."""
    return not abs(a - b) <= 1e-12 * (size + abs(a) + abs(b))


@kernel
def first_of_block(model, j):
    """Return the first dof of those that turn together with dof j, and how many they are."""
    body = model.dof_body[j]
    joint = model.joint_type[body]
    first = model.joint_v[body]
    if joint == Joint.FREE:
        first += 3
    elif joint != Joint.SPHERICAL:
        return j, 1
    return (first, 3) if j >= first else (j, 1)


@kernel
def add_by_inputs(tangents, out, row, k, columns, by_q, by_v, by_mean):
    """Add by inputs what changes with coordinate k in the middle, its velocity and its first v̄.

    Writes: out.
    """
    n = tangents.start_v.shape[0]
    is_wide = columns > 3 * n
    out[row, n + k] += by_v + by_mean
    if is_wide:
        out[row, 3 * n + k] += by_mean * tangents.first_mean_by[k, 0]
        out[row, 4 * n + k] += by_mean * tangents.first_mean_by[k, 1]
    if by_q == 0.0:
        return
    for m in range(tangents.block[k, 0], tangents.block[k, 0] + tangents.block[k, 1]):
        out[row, m] += by_q * tangents.middle_by_q[k, m]
        out[row, n + m] += by_q * tangents.middle_by_v[k, m]
        if is_wide:
            out[row, 3 * n + m] += by_q * tangents.middle_by_rate[k, m]


@kernel
def clear_system(tangents, rows, columns):
    """Write zeros into the system.

    Writes: tangents.
    """
    for r in range(rows):
        for k in range(columns):
            tangents.system[r, k] = 0.0
            tangents.lack[r, k] = 0.0
