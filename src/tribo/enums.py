"""The words of the records: what their whole numbers mean."""

from enum import IntEnum, IntFlag


class Joint(IntEnum):
    """How a body moves relative to its parent."""

    FIXED = 0  # only at the root of a tree: the body is part of the world
    REVOLUTE = 1  # 1 coordinate, angle about `joint_axis` [rad]
    PRISMATIC = 2  # 1 coordinate, travel along `joint_axis` [m]
    SPHERICAL = 3  # quaternion; velocity = relative angular velocity, joint axes of the parent
    FREE = 4  # position, quaternion; velocity = linear (of the origin), angular, both in world axes


class Kind(IntEnum):
    """Body type: forces, the user, or nothing moves a tree."""

    STATIC = 0  # nobody: it stays
    KINEMATIC = 1  # the user: it keeps the velocity that it is given, whatever it meets
    DYNAMIC = 2  # forces


class Shape(IntEnum):
    """Collision shapes; `shape_size` holds the numbers named here."""

    PLANE = 0  # half space below local z = 0
    SPHERE = 1  # radius
    BOX = 2  # half edge lengths x, y, z
    CAPSULE = 3  # radius, half distance between cap centres (along z)
    CYLINDER = 4  # radius, half height (along z)
    MESH = 5  # file whose triangles are not loaded: drawn, not collided with
    CONE = 6  # base radius, half height (along z, apex at +z)
    ELLIPSOID = 7  # semi-axes x, y, z
    HULL = 8  # half of the least width; convex, vertices and faces in the pools of the model
    SURFACE = 9  # a length of a triangle; triangles in the pools, solid below them
    HEIGHT_MAP = 10  # distance of samples along x, y; heights in the pool, solid below


class Integrator(IntEnum):
    """Where within a step forces and contacts are evaluated (`docs/physics/integration`)."""

    MIDPOINT = 0
    SEMI_IMPLICIT = 1
    RK4 = 2  # midpoint for trees that something touches


class Origin(IntEnum):
    """From which impulses the solve of an island begins: `Work.island_origin`."""

    LAST_STEP = 0
    LAST_ROUND = 1  # contacts were added to it in this step
    UNCHANGED = 2  # contacts were added to others: it is solved as well as it was


class IntegrationMode(IntEnum):
    """How a tree is integrated over a step: entries of `Work.tree_mode`."""

    SETTLED = 0  # one bias force h for the step, at the velocity that results
    SUBSTEPPED = 1  # turns too far for second order, no row acts: substeps of fourth order
    SUBSTEPS_PENDING = 2  # turns too far, rows act: substeps under the forces that were solved for
    SUBSTEPS_DONE = 3  # has made them; next, their end is compared with the velocity solved for
    NOT_SETTLED = 4  # turns too far, and the iterations of h ended without agreement
    SUBSTEPS_FAILED = 5  # the end of the substeps is no number, or far off
    EXPLICIT_BIAS = 6  # after that: h at the velocity with which the step begins
    LIMITED = 7  # its velocity was reduced: its rows would have added energy


class DriveForm(IntEnum):
    """Which position and velocity the error of a PD drive belongs to (`docs/physics/drives`)."""

    IMPLICIT = 0  # both at the end: e + dt v⁺, v⁺
    STABLE = 1  # "stable PD": e + dt v, v⁺
    AVERAGED = 2  # mean of this evaluation and the next: e + dt/2 v⁺, (v + v⁺)/2
    TRAPEZOID = 3  # mean over the step: e + dt/4 (v⁺ − v) at mid step, (v + v⁺)/2


class Impact(IntEnum):
    """Law of impacts where several contacts meet at once (`docs/physics/contact`)."""

    SIMULTANEOUS = 0  # all of them are one problem
    PROPAGATE = 1  # each is an impact of its own, in the order of time


class Bounce(IntEnum):
    """How a restitution threshold counts (`docs/physics/materials`)."""

    OFFSET = 0  # e · max(0, v − threshold)
    GATE = 1  # e · v, if v > threshold


class EffectiveRadius(IntEnum):
    """Length r_e that bounds rolling and spinning friction (`docs/physics/materials`)."""

    NORMAL = 0  # arm of the normal force: (contact − centre of mass) · n
    DISTANCE = 1  # contact to centre of mass; of round shapes on their side without the part along their axis


class Solver(IntEnum):
    """How far contact problems are solved (`docs/physics/contact`)."""

    EXACT = 0  # sweeps, and Newton's method where they are slow
    SWEEPS = 1  # sweeps only


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
    YOUNGS_MODULUS = 11  # > 0: a pair of a contact material, whose rows have a compliance
    SPOOK_DAMPING = 12
    SURFACE_VISCOSITY = 13
    SECONDARY_SURFACE_VISCOSITY = 14
    SECONDARY_FRICTION = 15
    ADHESION_FORCE = 16
    ADHESIVE_OVERLAP = 17
    FRICTION_MODEL = 18  # `FrictionModel`
    NORMAL_FORCE = 19  # of each point, for `FrictionModel.CONSTANT_FORCE_BOX`
    DIRECTION = 20  # and 21, 22: the first direction of friction, in the frame of a body
    REFERENCE_BODY = 23  # that body; −1: the world
    REDUCTION = 24  # `Reduction`
    REDUCTION_BINS = 25  # into how many parts it cuts a patch
    ELASTIC_REST_LENGTH = 26  # > 0: thickness of the layer that gives way, stiffness is by area


class Reduction(IntEnum):
    """Which contact points of a contact material make one patch, of which a few are kept."""

    NONE = 0
    GEOMETRY = 1  # those of two bodies between the same two materials
    ALL = 2  # those of two bodies with the same law


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

    HOLD = 0  # its equation, or both its stops; > 0 from below
    FRICTION = 1
    SPRING = 2
    DAMPER = 3
    DRIVE = 4  # what actuators do to it


COUPLING_SLOTS = 5


class ElementKind(IntEnum):
    """Elements of the way of a coupling."""

    POINT = 0
    SPHERE = 1  # between two points: the thread lies around it where it would cut it
    CYLINDER = 2
    SLIDER = 3  # a point that slides along an axis; a rod joins it to the next one, the crank
    TURN = 4  # a frame about an axis of which the next one turns


class Dynamics(IntEnum):
    """How the activation a of an actuator follows its control u."""

    NONE = 0  # it has none: the control acts at once
    INTEGRATOR = 1  # ȧ = u
    FILTER = 2  # ȧ = (u − a)/T, step by step
    FILTER_EXACT = 3  # the same, in closed form
    MUSCLE = 4  # ȧ = (u − a)/T(u, a)


CONSTRAINT_SLOTS = 6  # how many slots a constraint between bodies has, from `Model.constraint_slot` on


class Constraint(IntEnum):
    """Ways in which two bodies, or a body and the world, are tied together."""

    JOINT = 0  # some directions of a frame are locked: pin, weld, hinge, …
    LENGTH = 1  # distance of two points: wire, rod, spring
    MOTOR = 2  # speed about or along an axis, with a largest force
    WINCH = 3  # length of a wire that a drum takes in or lets out, with a largest force
    LOCK = 4  # angle about, or place along, an axis, with a largest force


class Tuning(IntEnum):
    """Columns of `Command.constraint`: what may change while a constraint stays."""

    IS_ON = 0  # 0: as if it were not there
    ERP = 1  # [–] part of a gap that one step removes
    LENGTH = 2  # [m] at rest
    STIFFNESS = 3  # [N/m] inf: hard
    DAMPING = 4  # [N s/m]
    SPEED = 5  # [rad/s, m/s] of a motor
    FORCE = 6  # [N m, N] most of a motor or winch; tension of a custom wire
    BREAK_FORCE = 7  # [N] inf: never
    COMPLIANCE = 8  # [m/N] of a joint or lock; [m/(N s), rad/(N m s)] of a motor; 0: hard
    ANGULAR_COMPLIANCE = 9  # [rad/(N m)]
    SPOOK_DAMPING = 10  # [s] in which what gives way comes back
    ANGULAR_SPOOK_DAMPING = 11  # [s]
    BACK_FORCE = 12  # [N m, N] most of a motor against its direction; of a winch's brake
    BREAK_IMPULSE = 13  # [N s] inf: never
    BREAK_TIME = 14  # [s] for which the force must be too large
    BREAK_OFFSET = 15  # [N] of the force that does not count
    BREAK_DIRECTION = 16  # and 17, 18: what counts, axes of A; 0: the whole force
    CATCH_DISTANCE = 19  # [m] from which on a magnet catches; 0: no magnet
    CATCH_ANGLE = 20  # [rad]
    MIN_LENGTH = 21  # [m] at which a winch stops
    MAX_LENGTH = 22  # [m] at which the drum is empty
    POSITION = 23  # [m, rad] of a lock
    FRICTION = 24  # [–] of a wire over the places where it runs


class Memory(IntEnum):
    """Columns of `State.constraint_memory`: what constraints remember from step to step."""

    LENGTH = 0  # [m] let out by a winch; of a wire or rod: at rest, in the last step
    OVERLOAD = 1  # [s] for which the force has been too large
    WEAR = 2  # [N s] impulse of all steps so far
    IS_CAUGHT = 3  # 1: a magnet that holds
    IS_IDLE = 4  # 1: neither joint nor wire without compliance that held in the last step


class Late(IntEnum):
    """Functions that are compiled when a step first needs them: entries of `Model.lazy_address`."""

    CONVEX = 0  # general pairs of convex shapes
    TERRAIN = 1  # pairs with triangle surfaces and height maps
    PILE = 2  # rows and matrix of an island of many bodies
    IMPACT = 3  # impacts that are handed on
    COMPLIANT = 4  # contacts of compliant pairs
    LINKAGE = 5  # rows of constraints between bodies
    RK4 = 6  # steps of fourth order: the integrator of that name, and trees that turn far
    PROJECTION = 7  # what constraints leave open at the end of a step


class ContactState(IntEnum):
    """State of a point on a compliant ground."""

    LIFTED = 0  # no force
    STICKING = 1  # the ground's surface goes along
    SLIPPING = 2  # the tangential force is on the friction cone


class Observed(IntEnum):
    """Kind of a number that a policy within a batch observes: entries of `Pilot.kind`."""

    COORDINATE = 0
    VELOCITY = 1
    TURNED_VELOCITY = 2  # component of a vector of v, in axes of a body
    DOWN = 3  # component of the direction down, in axes of a body
    COMMAND = 4  # what the user wants of the policy
    ACTION = 5  # the last one
    SINE = 6  # of a clock
    COSINE = 7


class Activation(IntEnum):
    """Activation function of a layer."""

    NONE = 0  # nothing
    TANH = 1
    RELU = 2  # max(x, 0)
    ELU = 3  # x, below 0 eˣ − 1


class Status(IntFlag):
    """Bits of `Work.status`."""

    INVALID = 1  # a velocity, or its square, stopped being a finite number; the state was not advanced
    CAPACITY = 2  # more contacts than `Work` has room for; the state was not advanced
    NOT_CONVERGED = 4  # a law is missed by more than a thousandth of the speed to remove: `Work.residual`
    TIME_STEP_TOO_LONG = 8  # for a compliant pair's stiffness, or for how fast something turns
    INFEASIBLE = 16  # constraints contradict one another; each gives way
    FELL_BACK_TO_MIDPOINT = 32  # under `rk4`: trees in contact, at a stop, or that turn too far
    CORRECTION_LIMITED = 64  # overlaps or gaps of constraints are corrected more slowly than asked
    COARSE, CONTRADICTION, MIDPOINT_USED, SLOWED = 8, 16, 32, 64  # their former names

    def __str__(self) -> str:
        """Return its words, "CORRECTION_LIMITED | TIME_STEP_TOO_LONG"; where nothing is set "OK"."""
        return " | ".join(bit.name or "" for bit in Status if bit & self) or "OK"

    def __format__(self, spec: str) -> str:
        """Return its words, or the number in a format of numbers."""
        return int.__format__(int(self), spec) if spec else str(self)
