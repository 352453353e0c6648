"""Names of RaiSim that have no counterpart here, and why: an attempt to use one says it."""

from __future__ import annotations

_SOFT = (
    "tribo has rigid bodies; soft grounds are compliant pairs (set_material_pair with a stiffness)"
)
_SOFT_FIELDS = (
    "totalMass", "distanceCompliance", "distanceStiffness", "bendCompliance", "bendStiffness",
    "youngsModulus", "poissonRatio", "thickness", "crossSectionArea", "damping", "collisionRadius",
    "iterations", "substeps", "solverMode",
)  # fmt: skip
_GRAINS = "tribo has no granular media; many small spheres are the nearest (world.add_sphere)"
_INSIDE = "belongs to the inside of RaiSim's solver; what it is for: robot.solve_mass_matrix, contact.inverse_inertia"
_SOCKET = "belongs to RaiSim's socket; tribo's viewer is a page of the browser that joins by itself"

ABSENT: dict[str, dict[str, str]] = {
    "World": {
        "addDeformableCloth": _SOFT,
        "addDeformableObject": _SOFT,
        "addGranularParticles": _GRAINS,
        "addGranularBox": _GRAINS,
        "exportMeshAssetsToObj": "world.save(path) writes the world with the files that its meshes came from",
        "setCollisionCountersEnabled": "world.summary() and world.sweeps say how a step went",
        "getLastCollisionCounters": "world.summary() and world.sweeps say how a step went",
        "integrateNoContactDetection": "mask the contacts instead: collision_mask = 0 of the bodies",
    },
    "Single3DContactProblem": {
        "impact_vel": "read contact.relative_velocity before world.step(): no velocity of before it is kept",
    },
    "ArticulatedSystem": {
        "getFullDelassusAndTauStar": _INSIDE,
        "getj_MinvJT_T1D": _INSIDE,
        "set_collision_bodies": "shapes are edited one by one: collision_body(name).size, .material, …",
    },
    "DeformableObject": dict.fromkeys(
        [*_SOFT_FIELDS, "Material", "MeshBuildOptions", "pinVertex", "unpinVertex", "addDistanceConstraint", "addDistanceConstraints", "addInternalStruts", "getNumParticles", "getPositions", "getTriangles", "getVisualPosition", "setPositionOffset"], _SOFT),
    "GranularSystem": dict.fromkeys(
        ["emitBox", "emitBoxRandom", "addParticle", "saveGranularState", "getLastStepStats"], _GRAINS),
    "RaisimServer": dict.fromkeys(
        ["setMap"], "the page has one light background; viewer.set_camera says where to look from"),
}  # fmt: skip
