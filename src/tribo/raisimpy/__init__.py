"""RaiSim's Python interface over tribo, in both of its dialects, without a licence key.

``tribo.raisimpy.install()`` lets ``import raisimpy`` find it; ``python -m tribo.raisimpy script.py`` runs a
script as it is. Differences on purpose: docs/reference/raisim.md.
"""

from __future__ import annotations

import importlib.util
import sys

from tribo.raisimpy import constraints, contact
from tribo.raisimpy.articulated import ArticulatedSystem, ArticulatedSystemOption
from tribo.raisimpy.constraints import (
    CompliantLengthConstraint,
    CustomLengthConstraint,
    LengthConstraint,
    PinConstraint,
    PinConstraintDefinition,
    StiffLengthConstraint,
)
from tribo.raisimpy.contact import (
    AABB,
    BisectionContactSolver,
    Contact,
    Single3DContactProblem,
    SolverConfiguration,
)
from tribo.raisimpy.enums import (
    BodyType,
    ChartType,
    ControlMode,
    Frame,
    GyroscopicMode,
    IntegrationScheme,
    JointType,
    MeasurementSource,
    MeshCollisionMode,
    NoiseType,
    ObjectType,
    SensorType,
    ShapeType,
    StretchType,
    WireType,
)
from tribo.raisimpy.gym import RaisimGymEnv, RaisimGymVecEnv
from tribo.raisimpy.height_map import HeightMap, TerrainProperties
from tribo.raisimpy.joints import (
    CollisionBodies,
    CollisionDefinition,
    CoordinateFrame,
    JointRef,
    LinkRef,
    SparseJacobian,
    SpringElement,
)
from tribo.raisimpy.materials import MaterialManager, MaterialPairProperties
from tribo.raisimpy.messages import (
    RSDFATAL,
    RSDINFO,
    RSDWARN,
    RSFATAL,
    RSFATAL_IF,
    RSINFO,
    RSINFO_IF,
    RSWARN,
    RSWARN_IF,
    RaiSimMsg,
)
from tribo.raisimpy.objects import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Ground,
    Mesh,
    Object,
    SingleBodyObject,
    Sphere,
)
from tribo.raisimpy.ogre import OgreVis
from tribo.raisimpy.sensors import (
    DepthCamera,
    DepthCameraFrame,
    DepthCameraProperties,
    InertialMeasurementUnit,
    RayCollisionItem,
    RayCollisionList,
    RGBCamera,
    Sensor,
    SensorSet,
    SpinningLidar,
)
from tribo.raisimpy.server import RaisimServer, msleep, usleep
from tribo.raisimpy.visuals import (
    ArticulatedSystemVisual,
    BarChart,
    Chart,
    ColorRGB,
    ColorRGBA,
    HeightMapVisual,
    InstancedVisuals,
    PointCloud,
    PolyLine,
    TimeSeriesGraph,
    VisualMesh,
    Visuals,
)
from tribo.raisimpy.world import World, WorldParameterContainer
from tribo.raisimpy.world_objects import CoacdOptions, CompoundObjectChild, Transformation

MSLEEP, USLEEP = msleep, usleep
HalfSpace, JointReference, LinkReference = Ground, JointRef, LinkRef


def COLLISION(i: int) -> int:
    """``1 << i``"""
    return 1 << i


def install(*, replace: bool = False) -> None:
    """Let ``import raisimpy`` find this package, for this process.

    Args:
        replace: Also where RaiSim's own raisimpy is installed, which is left alone otherwise.

    Raises:
        ImportError: Another raisimpy is there, and `replace` was not said.

    Example:
        >>> import tribo.raisimpy
        >>> tribo.raisimpy.install()
        >>> import raisimpy as raisim
        >>> raisim.World().getTimeStep()
        0.005
    """
    here = sys.modules[__name__]
    present = sys.modules.get("raisimpy")
    if present is here:
        return
    if not replace and (present is not None or importlib.util.find_spec("raisimpy") is not None):
        raise ImportError(
            "another raisimpy is installed; tribo.raisimpy.install(replace=True) takes its place in this "
            "process, import tribo.raisimpy as raisim leaves it alone"
        )
    sys.modules["raisimpy"] = here
    sys.modules["raisimpy.contact"], sys.modules["raisimpy.constraints"] = contact, constraints


__all__ = [name for name in dir() if name[0].isupper()] + [
    "constraints", "contact", "install", "msleep", "usleep",
]  # fmt: skip
