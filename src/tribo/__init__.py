"""tribo: rigid-body physics for robots; every pair of materials has its own contact law."""

from typing import TYPE_CHECKING, Any

from tribo.batch.batch import Batch, rollout
from tribo.batch.collisions import BatchCollisions
from tribo.batch.contacts import BatchContacts
from tribo.batch.pool import StatePool
from tribo.batch.rays import BatchRayHits
from tribo.batch.rollout import Rollout
from tribo.checks.check import nearest
from tribo.checks.errors import EditError, SimulationError
from tribo.description.heights import HeightField
from tribo.description.trees import (
    CompoundPart,
    DescriptionError,
    JointDescription,
    LinkDescription,
)
from tribo.engine.warm_up import warm_up
from tribo.materials import (
    ContactMaterial,
    EffectivePair,
    Material,
    MaterialLibrary,
    MaterialTable,
    PairProperties,
)
from tribo.model import Kind, Status
from tribo.objects import ArticulatedSystem, CollisionBody, HeightMap, Object, SingleBody
from tribo.objects.cable import Cable, CableNode
from tribo.objects.constraint import Constraint, Motor
from tribo.objects.contact import Contact
from tribo.objects.joint_ties import Lock, Magnet, Winch
from tribo.objects.wire import Wire
from tribo.readout.distances import Distance
from tribo.readout.rays import RayHit, RayHits
from tribo.readout.snapshot import Snapshot
from tribo.recording import Recording
from tribo.world.world import World

STATIC, KINEMATIC, DYNAMIC = Kind.STATIC, Kind.KINEMATIC, Kind.DYNAMIC
__version__ = "0.1.0"

if TYPE_CHECKING:
    from tribo.formats.material_files import read_materials
    from tribo.viewer import Renderer, Viewer


def __getattr__(name: str) -> Any:
    """Import what needs optional packages, or takes long, when it is first asked for."""
    if name in {"Viewer", "Renderer"}:
        from tribo import viewer

        return getattr(viewer, name)
    if name == "read_materials":
        from tribo.formats.material_files import read_materials

        return read_materials
    raise AttributeError(f"module 'tribo' has no attribute {name!r}{nearest(name, __all__)}")


def __dir__() -> list[str]:
    """Return the public names."""
    return [*__all__, "__doc__", "__version__"]


__all__ = [
    "DYNAMIC",
    "KINEMATIC",
    "STATIC",
    "ArticulatedSystem",
    "Batch",
    "BatchCollisions",
    "BatchContacts",
    "BatchRayHits",
    "Cable",
    "CableNode",
    "CollisionBody",
    "CompoundPart",
    "Constraint",
    "Contact",
    "ContactMaterial",
    "DescriptionError",
    "Distance",
    "EditError",
    "EffectivePair",
    "HeightField",
    "HeightMap",
    "JointDescription",
    "Kind",
    "LinkDescription",
    "Lock",
    "Magnet",
    "Material",
    "MaterialLibrary",
    "MaterialTable",
    "Motor",
    "Object",
    "PairProperties",
    "RayHit",
    "RayHits",
    "Recording",
    "Renderer",
    "Rollout",
    "SimulationError",
    "SingleBody",
    "Snapshot",
    "StatePool",
    "Status",
    "Viewer",
    "Winch",
    "Wire",
    "World",
    "read_materials",
    "rollout",
    "warm_up",
]
