"""RaiSim's enumerations."""

from enum import Enum, IntEnum
from typing import Any, NoReturn

from tribo.checks.check import shown


class _Named:
    """An enumeration that answers a value that it does not have with those that it has."""

    @classmethod
    def _missing_(cls, value: Any) -> NoReturn:
        known = ", ".join(f"{cls.__name__}.{name}" for name in cls.__members__)  # type: ignore[attr-defined]
        raise ValueError(f"{cls.__name__} must be one of {known}, got {shown(value)}")


class ObjectType(_Named, IntEnum):
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


class BodyType(_Named, IntEnum):
    """Kinds of bodies: static, moved by the user through its velocity, moved by forces."""

    STATIC = 1
    KINEMATIC = 2
    DYNAMIC = 3


class ControlMode(_Named, IntEnum):
    """Modes of control of a robot's joints."""

    FORCE_AND_TORQUE = 0
    PD_PLUS_FEEDFORWARD_TORQUE = 1
    VELOCITY_PLUS_FEEDFORWARD_TORQUE = 2


class Frame(_Named, IntEnum):
    """Axes of a vector."""

    WORLD_FRAME = 0
    PARENT_FRAME = 1
    BODY_FRAME = 2


class IntegrationScheme(_Named, IntEnum):
    """How velocities become positions."""

    TRAPEZOID = 0
    SEMI_IMPLICIT = 1
    EULER = 2
    RUNGE_KUTTA_4 = 3


class JointType(_Named, IntEnum):
    """How a body moves relative to its parent."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    SPHERICAL = 3
    FLOATING = 4


class ShapeType(_Named, IntEnum):
    """Shapes of links."""

    Box = 0
    Cylinder = 1
    Sphere = 2
    Mesh = 3
    Capsule = 4
    Cone = 5


class GyroscopicMode(_Named, IntEnum):
    """How a gyroscopic torque is integrated."""

    IMPLICIT_GYROSCOPIC_FORCE_BODY = 0
    IMPLICIT_GYROSCOPIC_FORCE_WORLD = 1
    EXPLICIT_GYROSCOPIC_FORCE = 2
    NO_GYROSCOPIC_FORCE = 3


class MeshCollisionMode(_Named, Enum):
    """The shape as which a mesh collides."""

    ORIGINAL_MESH = "exact"
    CONVEX_HULL = "hull"
    CONVEX_APPROXIMATION = "decomposition"
    CONVEXIFY = "decomposition"


class StretchType(_Named, Enum):
    """The motions that a wire resists."""

    STRETCH_RESISTANT_ONLY = "stretch"
    COMPRESSION_RESISTANT_ONLY = "compression"
    BOTH = "both"


class WireType(_Named, Enum):
    """How a wire works."""

    STIFF = "stiff"
    COMPLIANT = "compliant"
    CUSTOM = "custom"


class MeasurementSource(_Named, IntEnum):
    """Sources of the values of a sensor."""

    RAISIM = 0
    MANUAL = 1


class NoiseType(_Named, Enum):
    """Distribution of a sensor's errors."""

    GAUSSIAN = "gaussian"
    UNIFORM = "uniform"
    NO_NOISE = "no_noise"


class SensorType(_Named, Enum):
    """Kinds of sensors."""

    RGB = "rgb"
    DEPTH = "depth"
    IMU = "imu"
    SPINNING_LIDAR = "spinning_lidar"


class ChartType(_Named, IntEnum):
    """Kinds of charts."""

    TIME_SERIES = 0
    BAR_CHART = 1
