"""Enumerations: the meaning of the integers in the records."""

from enum import IntEnum, IntFlag


class Joint(IntEnum):
    """Joint between a body and its parent."""

    FIXED = 0  # only at the root of a tree: the body is part of the world
    REVOLUTE = 1  # 1 coordinate, angle about `joint_axis` [rad]
    PRISMATIC = 2  # 1 coordinate, travel along `joint_axis` [m]
    SPHERICAL = 3  # quaternion; velocity = relative angular velocity, joint axes of the parent
    FREE = 4  # position, quaternion; velocity = linear (of the origin), angular, both in world axes


class Kind(IntEnum):
    """Body type of a tree."""

    STATIC = 0  # never moves
    KINEMATIC = 1  # velocity prescribed by the user; contacts do not change it
    DYNAMIC = 2  # moved by forces


class Shape(IntEnum):
    """Collision shapes, with their dimensions in `shape_size`."""

    PLANE = 0  # half space below local z = 0
    SPHERE = 1  # radius
    BOX = 2  # half edge lengths x, y, z
    CAPSULE = 3  # radius, half distance between cap centres (along z)
    CYLINDER = 4  # radius, half height (along z)
    MESH = 5  # mesh file without loaded triangles: visual only, no collision
    CONE = 6  # base radius, half height (along z, apex at +z)
    ELLIPSOID = 7  # semi-axes x, y, z
    HULL = 8  # half of the smallest width; convex, vertices and faces in the pools of the model
    SURFACE = 9  # typical edge length; triangles in the pools, solid below them
    HEIGHT_MAP = 10  # spacing of the samples along x, y; heights in the pool, solid below


class Integrator(IntEnum):
    """Time integration method (`docs/physics/integration`)."""

    MIDPOINT = 0
    SEMI_IMPLICIT = 1
    RK4 = 2  # fourth order; midpoint for trees in contact


class IntegrationMode(IntEnum):
    """Integration of a tree over a step: entries of `Work.tree_mode`."""

    SETTLED = 0  # one bias force h for the step, at the resulting mean velocity
    SUBSTEPPED = 1  # rotates too far for second order, without active rows: substeps of fourth order
    SUBSTEPS_PENDING = 2  # rotates too far, with active rows: substeps with the solved forces follow
    SUBSTEPS_DONE = 3  # substeps finished; their end is yet to be compared with the solved velocity
    NOT_SETTLED = 4  # rotates too far, and the iteration of h did not converge
    SUBSTEPS_FAILED = 5  # the end of the substeps is not finite, or differs much from the solved velocity
    EXPLICIT_BIAS = 6  # fallback: h at the velocity at the start of the step
    LIMITED = 7  # velocity reduced, because its rows would have added energy


class Momentum(IntEnum):
    """Momentum of a floating tree at the end of a step: entries of `Work.tree_is_kept`."""

    LEFT_ALONE = 0
    KEPT = 1  # the tree conserves its own
    TOGETHER = 2  # first tree of a group that conserves its momentum
    TOUCHING = 3  # the same, of free bodies without constraints: their linear momentum is exact already


class Sleep(IntEnum):
    """Sleep of a tree: entries of `State.tree_is_asleep`."""

    AWAKE = 0
    CANDIDATE = 1  # slow for long enough; the step from rest decides
    ASLEEP = 2


class Readiness(IntEnum):
    """Readiness of an island to sleep: entries of `Work.island_readiness`."""

    READY = 0
    WAITING = 1  # for `sleep_time`
    MOVING = 2


class DriveLimit(IntEnum):
    """Limits for which a drive has a row: bits of `Work.drive_mode`."""

    EFFORT = 1
    SPEED = 2


class DriveForm(IntEnum):
    """Time at which the errors of a PD drive are evaluated (`docs/physics/drives`)."""

    IMPLICIT = 0  # both at the end of the step: e + dt v⁺, v⁺
    STABLE = 1  # "stable PD": e + dt v, v⁺
    AVERAGED = 2  # mean of this and the next evaluation: e + dt/2 v⁺, (v + v⁺)/2
    TRAPEZOID = 3  # mean over the step: e + dt/4 (v⁺ − v) at mid step, (v + v⁺)/2


class Impact(IntEnum):
    """Law of simultaneous impacts of several contacts (`docs/physics/contact-points`)."""

    SIMULTANEOUS = 0  # one common problem
    PROPAGATE = 1  # one impact after the other, in the order of time


class Bounce(IntEnum):
    """Use of the restitution threshold (`docs/physics/materials`)."""

    OFFSET = 0  # e · max(0, v − threshold)
    GATE = 1  # e · v, if v > threshold


class EffectiveRadius(IntEnum):
    """Length r_e that bounds rolling and spinning friction (`docs/physics/materials`)."""

    NORMAL = 0  # arm of the normal force: (contact − centre of mass) · n
    DISTANCE = 1  # contact to centre of mass; of round shapes on their side across their axis


class Solver(IntEnum):
    """Contact solver (`docs/physics/contact`)."""

    EXACT = 0  # Newton's method, and sweeps where they are faster
    SWEEPS = 1  # Gauss–Seidel sweeps only


class Pair(IntEnum):
    """Columns of `Model.pair_table`."""

    FRICTION = 0
    RESTITUTION = 1
    RESTITUTION_THRESHOLD = 2
    STATIC_FRICTION = 3
    STATIC_FRICTION_VELOCITY = 4
    ROLLING_FRICTION = 5
    SPINNING_FRICTION = 6
    STIFFNESS = 7  # > 0: a compliant pair
    DAMPING = 8
    ROLLING_LENGTH = 9
    SPINNING_LENGTH = 10
    YOUNGS_MODULUS = 11  # > 0: a pair of contact materials with compliant rows
    SPOOK_DAMPING = 12
    SURFACE_VISCOSITY = 13
    SECONDARY_SURFACE_VISCOSITY = 14
    SECONDARY_FRICTION = 15
    ADHESION_FORCE = 16
    ADHESIVE_OVERLAP = 17
    FRICTION_MODEL = 18  # `FrictionModel`
    NORMAL_FORCE = 19  # of each point, for `FrictionModel.CONSTANT_FORCE_BOX`
    DIRECTION = 20  # and 21, 22: the first direction of friction, in the frame of a body
    REFERENCE_BODY = 23  # body of that frame; −1: the world
    REDUCTION = 24  # `Reduction`
    REDUCTION_BINS = 25  # number of bins of a patch
    ELASTIC_REST_LENGTH = 26  # > 0: thickness of the elastic layer; the stiffness is per area


class Reduction(IntEnum):
    """Grouping of contact points of a contact material into patches, of which few points are kept."""

    NONE = 0
    GEOMETRY = 1  # a patch: points of two bodies with the same two materials
    ALL = 2  # a patch: points of two bodies with the same law


class SurfaceKind(IntEnum):
    """Kind of a surface at a contact (`contact_drift`)."""

    UNKNOWN = 0
    FLAT = 1
    CURVED = 2
    EDGED = 3  # a corner, edge or face of a polyhedron: which one is not determined


class Hold(IntEnum):
    """Errors for which a scalar row holds a position: entries of `Work.shift_hold`."""

    NEVER = 0
    POSITIVE = 1
    NEGATIVE = 2
    ALWAYS = 3


class FrictionModel(IntEnum):
    """Bound on the friction of a contact material."""

    CONE = 0  # ‖λ_t‖ ≤ μ λ_n; with a secondary coefficient an ellipse
    BOX = 1  # |λ_k| ≤ μ_k N h along each direction, N as in the last step
    SCALED_BOX = 2  # the same, N as in this step
    CONSTANT_FORCE_BOX = 3  # the same, N given


class Slot(IntEnum):
    """Slots of a joint in `State.scalar_impulse`, counted from `Model.joint_slot`."""

    LIMIT = 0  # both stops; > 0 from below
    FRICTION = 1  # one for each dof
    DRIVE = 2  # of a joint with one dof; 4, 5, 6 of a spherical joint: one for both limits of each dof


class CouplingSlot(IntEnum):
    """Slots of a coupling of joints in `State.scalar_impulse`, counted from `Model.coupling_slot`."""

    HOLD = 0  # equation, or both stops; > 0 from below
    FRICTION = 1
    SPRING = 2
    DAMPER = 3
    DRIVE = 4  # actuators


COUPLING_SLOTS = 5


class ElementKind(IntEnum):
    """Elements of the path of a tendon."""

    POINT = 0
    SPHERE = 1  # wrapping surface between two points
    CYLINDER = 2
    SLIDER = 3  # slider on an axis; a rod connects it to the next element, the crank
    TURN = 4  # reference frame of the rotation of the next element about an axis


class Dynamics(IntEnum):
    """Activation dynamics of an actuator: a by its control u."""

    NONE = 0  # no activation: the force depends on u directly
    INTEGRATOR = 1  # ȧ = u
    FILTER = 2  # ȧ = (u − a)/T, step by step
    FILTER_EXACT = 3  # the same, in closed form
    MUSCLE = 4  # ȧ = (u − a)/T(u, a)


class Muscle(IntEnum):
    """Columns of `Model.actuator_gain` of a muscle."""

    FIRST = 0
    LAST = 1
    PEAK = 2
    LEAST = 4
    MOST = 5
    FASTEST = 6
    PASSIVE = 7
    STRETCHED = 8


class CouplingDrive(IntEnum):
    """Columns of `Work.coupling_drive`: the sum of the actuators of a coupling."""

    FORCE = 0
    STIFFNESS = 1
    DAMPING = 2
    LEAST = 3  # bounds of the force
    MOST = 4


CONSTRAINT_SLOTS = 6  # slots of a constraint between bodies, from `Model.constraint_slot` on


class Constraint(IntEnum):
    """Constraints between two bodies, or a body and the world."""

    JOINT = 0  # some directions of a frame are locked: pin, weld, hinge, …
    LENGTH = 1  # distance of two points: wire, rod, spring
    MOTOR = 2  # speed about or along an axis, with a bounded force
    WINCH = 3  # length of a wire on a drum, with a bounded force
    LOCK = 4  # angle about, or position along, an axis, with a bounded force


class Tuning(IntEnum):
    """Columns of `Command.constraint`: adjustable parameters of constraints."""

    IS_ON = 0  # 0: inactive
    ERP = 1  # [–] share of a gap that one step removes
    LENGTH = 2  # [m] at rest
    STIFFNESS = 3  # [N/m] inf: hard
    DAMPING = 4  # [N s/m]
    SPEED = 5  # [rad/s, m/s] of a motor
    FORCE = 6  # [N m, N] bound of a motor or winch; tension of a custom wire
    BREAK_FORCE = 7  # [N] inf: never
    COMPLIANCE = 8  # [m/N] of a joint or lock; [m/(N s), rad/(N m s)] of a motor; 0: hard
    ANGULAR_COMPLIANCE = 9  # [rad/(N m)]
    SPOOK_DAMPING = 10  # [s] SPOOK damping time of compliant directions
    ANGULAR_SPOOK_DAMPING = 11  # [s]
    BACK_FORCE = 12  # [N m, N] bound of a motor against its direction; of the brake of a winch
    BREAK_IMPULSE = 13  # [N s] inf: never
    BREAK_TIME = 14  # [s] duration of the overload until it breaks
    BREAK_OFFSET = 15  # [N] subtracted from the force
    BREAK_DIRECTION = 16  # and 17, 18: direction of the relevant force component, axes of A; 0: the norm
    CATCH_DISTANCE = 19  # [m] up to which a magnet catches; 0: no magnet
    CATCH_ANGLE = 20  # [rad] up to which a magnet catches
    MIN_LENGTH = 21  # [m] at which a winch stops
    MAX_LENGTH = 22  # [m] at which the drum is empty
    POSITION = 23  # [m, rad] of a lock
    FRICTION = 24  # [–] of a wire at the points of its path


class Memory(IntEnum):
    """Columns of `State.constraint_memory`: state of constraints."""

    LENGTH = 0  # [m] unwound by a winch; of a wire or rod: rest length in the last step
    OVERLOAD = 1  # [s] duration of the present overload
    WEAR = 2  # [N s] impulse of all steps so far
    IS_CAUGHT = 3  # 1: the magnet is active
    IS_IDLE = 4  # 1: not a rigid joint or wire that was active in the last step


class ConstraintWork(IntEnum):
    """Work of the impulses of a constraint in this step: `Work.constraint_work`, `Work.tree_mark`."""

    ALLOWED = 0
    NONE = 1  # its rows ask that they do none
    UNKNOWN = 2  # of a tree: no constraint has marked it


class Late(IntEnum):
    """Lazily compiled functions: entries of `Model.lazy_address`."""

    CONVEX = 0  # general pairs of convex shapes
    TERRAIN = 1  # pairs with triangle surfaces and height maps
    PILE = 2  # rows and matrix of an island of many bodies
    IMPACT = 3  # event-driven impacts
    COMPLIANT = 4  # contacts of compliant pairs
    LINKAGE = 5  # rows of constraints between bodies
    RK4 = 6  # steps of fourth order: the integrator, and trees that rotate far
    PROJECTION = 7  # projection of positions on constraints at the end of a step


class ContactState(IntEnum):
    """State of a point on a compliant ground."""

    LIFTED = 0  # no force
    STICKING = 1  # the surface of the ground moves with it
    SLIPPING = 2  # the tangential force is on the friction cone


class Observed(IntEnum):
    """Observations of a policy within a batch: entries of `Pilot.kind`."""

    COORDINATE = 0
    VELOCITY = 1
    TURNED_VELOCITY = 2  # component of a vector of v, in axes of a body
    DOWN = 3  # component of the direction down, in axes of a body
    COMMAND = 4  # command input of the policy
    ACTION = 5  # the last action
    SINE = 6  # of a clock
    COSINE = 7


class Activation(IntEnum):
    """Activation function of a layer."""

    NONE = 0  # identity
    TANH = 1
    RELU = 2  # max(x, 0)
    ELU = 3  # x, below 0 eˣ − 1


class Status(IntFlag):
    """Bits of `Work.status`."""

    INVALID = 1  # a velocity, or its square, is not finite; the state was not advanced
    CAPACITY = 2  # more contacts than `Work` has room for; the state was not advanced
    NOT_CONVERGED = 4  # violation of a law above a thousandth of the speed to remove: `Work.residual`
    TIME_STEP_TOO_LONG = 8  # for the stiffness of a compliant pair, or for the rotation per step
    INFEASIBLE = 16  # contradictory constraints; each yields
    FELL_BACK_TO_MIDPOINT = 32  # under `rk4`: trees in contact, at a stop, or with too much rotation
    CORRECTION_LIMITED = 64  # overlaps or gaps are corrected more slowly than requested
    COARSE, CONTRADICTION, MIDPOINT_USED, SLOWED = 8, 16, 32, 64  # their former names

    def __str__(self) -> str:
        """Return its words, "CORRECTION_LIMITED | TIME_STEP_TOO_LONG"; where nothing is set "OK"."""
        return " | ".join(bit.name or "" for bit in Status if bit & self) or "OK"

    def __format__(self, spec: str) -> str:
        """Return its words, or the number in a format of numbers."""
        return int.__format__(int(self), spec) if spec else str(self)
