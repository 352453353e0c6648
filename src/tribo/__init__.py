"""tribo: rigid-body physics for robots; every pair of materials has its own contact law."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Type checkers know a package that something imports.
    from tribo import (
        batch,
        checks,
        compiler,
        control,
        description,
        engine,
        enums,
        formats,
        ground,
        gym,
        identification,
        jax,
        learn,
        materials,
        math,
        model,
        objects,
        raisimpy,
        readout,
        recording,
        robots,
        sensors,
        spatial,
        torch,
        viewer,
        world,
    )  # fmt: skip
    from tribo.batch.batch import Batch
    from tribo.batch.collisions import BatchCollisions
    from tribo.batch.contacts import BatchContacts
    from tribo.batch.network import Commanded, Network, Seen
    from tribo.batch.policy import BatchPolicy
    from tribo.batch.pool import StatePool
    from tribo.batch.rays import BatchRayHits
    from tribo.batch.rollout import Rollout
    from tribo.checks.errors import EditError, SimulationError
    from tribo.checks.orientation import quaternion
    from tribo.control.contact_dynamics import contact_inverse_dynamics
    from tribo.control.equilibrium import equilibrium
    from tribo.control.largest_load import largest_load
    from tribo.control.linearize import linearize
    from tribo.control.rollout import rollout
    from tribo.description.heights import HeightField
    from tribo.description.trees import CompoundPart, DescriptionError, JointDescription, LinkDescription
    from tribo.engine.warm_up import warm_up
    from tribo.formats.material_files import read_materials, write_materials
    from tribo.identification.identify import identify
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
    from tribo.objects.track import Belt, Track, TrackWheel
    from tribo.objects.wire import Wire
    from tribo.readout.distances import Distance
    from tribo.readout.rays import RayHit, RayHits
    from tribo.readout.snapshot import Snapshot
    from tribo.recording import Recording
    from tribo.viewer import Renderer, Viewer
    from tribo.world.world import World

    STATIC, KINEMATIC, DYNAMIC = Kind.STATIC, Kind.KINEMATIC, Kind.DYNAMIC

__version__ = "0.1.0"

# Where the public names are: a program imports what it names, so that `import tribo` costs next to nothing.
# The imports above say the same to type checkers and editors; a test compares.
_PLACES = {
    "tribo.batch.batch": "Batch",
    "tribo.batch.collisions": "BatchCollisions",
    "tribo.batch.contacts": "BatchContacts",
    "tribo.batch.network": "Commanded Network Seen",
    "tribo.batch.policy": "BatchPolicy",
    "tribo.batch.pool": "StatePool",
    "tribo.batch.rays": "BatchRayHits",
    "tribo.batch.rollout": "Rollout",
    "tribo.checks.orientation": "quaternion",
    "tribo.checks.errors": "EditError SimulationError",
    "tribo.control.contact_dynamics": "contact_inverse_dynamics",
    "tribo.control.equilibrium": "equilibrium",
    "tribo.control.largest_load": "largest_load",
    "tribo.control.linearize": "linearize",
    "tribo.control.rollout": "rollout",
    "tribo.description.heights": "HeightField",
    "tribo.description.trees": "CompoundPart DescriptionError JointDescription LinkDescription",
    "tribo.engine.warm_up": "warm_up",
    "tribo.formats.material_files": "read_materials write_materials",
    "tribo.identification.identify": "identify",
    "tribo.materials": "ContactMaterial EffectivePair Material MaterialLibrary MaterialTable PairProperties",
    "tribo.model": "Kind Status",
    "tribo.objects": "ArticulatedSystem CollisionBody HeightMap Object SingleBody",
    "tribo.objects.cable": "Cable CableNode",
    "tribo.objects.constraint": "Constraint Motor",
    "tribo.objects.contact": "Contact",
    "tribo.objects.joint_ties": "Lock Magnet Winch",
    "tribo.objects.track": "Belt Track TrackWheel",
    "tribo.objects.wire": "Wire",
    "tribo.readout.distances": "Distance",
    "tribo.readout.rays": "RayHit RayHits",
    "tribo.readout.snapshot": "Snapshot",
    "tribo.recording": "Recording",
    "tribo.viewer": "Renderer Viewer",
    "tribo.world.world": "World",
}
_HOME = {name: module for module, names in _PLACES.items() for name in names.split()}
_KINDS = {"STATIC", "KINEMATIC", "DYNAMIC"}
# What a program finds in the package without importing it itself: all that a world brings along.
_BESIDE = {
    "control",
    "gym",
    "ground",
    "identification",
    "jax",
    "learn",
    "raisimpy",
    "robots",
    "spatial",
    "torch",
    "viewer",
}  # packages of their own, some with an extra
_WITHIN = {
    "batch", "checks", "compiler", "description", "engine", "enums", "formats", "materials", "math", "model",
    "objects", "readout", "recording", "sensors", "world",
}  # fmt: skip


if not TYPE_CHECKING:  # type checkers would take it for a licence to ask for anything

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first asked for."""
        if name in _HOME:
            found = getattr(import_module(_HOME[name]), name)
        elif name in _KINDS:
            found = getattr(import_module("tribo.model").Kind, name)
        elif name in _BESIDE:
            found = import_module(f"tribo.{name}")
        elif name in _WITHIN:
            import_module("tribo.world.world")
            import_module("tribo.batch.batch")
            found = import_module(f"tribo.{name}")
        else:
            hint = ""
            if not name.startswith("_"):  # test runners ask for private names often
                from tribo.checks.answers import answer

                hint = answer("tribo", name, __all__)
            raise AttributeError(f"module 'tribo' has no attribute {name!r}{hint}", name=name, obj=None)
        globals()[name] = found
        return found


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
    "BatchPolicy",
    "BatchRayHits",
    "Belt",
    "Cable",
    "CableNode",
    "CollisionBody",
    "Commanded",
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
    "Network",
    "Object",
    "PairProperties",
    "RayHit",
    "RayHits",
    "Recording",
    "Renderer",
    "Rollout",
    "Seen",
    "SimulationError",
    "SingleBody",
    "Snapshot",
    "StatePool",
    "Status",
    "Track",
    "TrackWheel",
    "Viewer",
    "Winch",
    "Wire",
    "World",
    "contact_inverse_dynamics",
    "equilibrium",
    "identify",
    "largest_load",
    "linearize",
    "quaternion",
    "read_materials",
    "rollout",
    "warm_up",
    "write_materials",
]
