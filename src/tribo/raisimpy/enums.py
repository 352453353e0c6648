"""RaiSim's enumerations."""

from enum import Enum, IntEnum


class ObjectType(IntEnum):
    """The kind of an object."""

    SPHERE = 0
    BOX = 1
    CYLINDER = 2
    CONE = 3
    CAPSULE = 4
    MESH = 5
    HALFSPACE = 6
    COMPOUND = 7
    HEIGHTMAP = 8
    ARTICULATED_SYSTEM = 9


class BodyType(IntEnum):
    """Kinds of bodies: static, moved by the user through its velocity, moved by forces."""

    STATIC = 1
    KINEMATIC = 2
    DYNAMIC = 3


class ControlMode(IntEnum):
    """Modes of control of a robot's joints."""

    FORCE_AND_TORQUE = 0
    PD_PLUS_FEEDFORWARD_TORQUE = 1
    VELOCITY_PLUS_FEEDFORWARD_TORQUE = 2


class Frame(IntEnum):
    """Axes of a vector."""

    WORLD_FRAME = 0
    PARENT_FRAME = 1
    BODY_FRAME = 2


class IntegrationScheme(IntEnum):
    """How velocities become positions."""

    TRAPEZOID = 0
    SEMI_IMPLICIT = 1
    EULER = 2
    RUNGE_KUTTA_4 = 3


class JointType(IntEnum):
    """How a body moves relative to its parent."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    SPHERICAL = 3
    FLOATING = 4


class ShapeType(IntEnum):
    """Shapes of links."""

    Box = 0
    Cylinder = 1
    Sphere = 2
    Mesh = 3
    Capsule = 4
    Cone = 5


class GyroscopicMode(IntEnum):
    """How a gyroscopic torque is integrated."""

    IMPLICIT_GYROSCOPIC_FORCE_BODY = 0
    IMPLICIT_GYROSCOPIC_FORCE_WORLD = 1
    EXPLICIT_GYROSCOPIC_FORCE = 2
    NO_GYROSCOPIC_FORCE = 3


class MeshCollisionMode(Enum):
    """The shape as which a mesh collides."""

    ORIGINAL_MESH = "exact"
    CONVEX_HULL = "hull"
    CONVEX_APPROXIMATION = "decomposition"
    CONVEXIFY = "decomposition"


class StretchType(Enum):
    """The motions that a wire resists."""

    STRETCH_RESISTANT_ONLY = "stretch"
    COMPRESSION_RESISTANT_ONLY = "compression"
    BOTH = "both"


class WireType(Enum):
    """How a wire works."""

    STIFF = "stiff"
    COMPLIANT = "compliant"
    CUSTOM = "custom"


class MeasurementSource(IntEnum):
    """Sources of the values of a sensor."""

    RAISIM = 0
    MANUAL = 1


class NoiseType(Enum):
    """Distribution of a sensor's errors."""

    GAUSSIAN = "gaussian"
    UNIFORM = "uniform"
    NO_NOISE = "no_noise"


class SensorType(Enum):
    """Kinds of sensors."""

    RGB = "rgb"
    DEPTH = "depth"
    IMU = "imu"
    SPINNING_LIDAR = "spinning_lidar"


class ChartType(IntEnum):
    """Kinds of charts."""

    TIME_SERIES = 0
    BAR_CHART = 1
