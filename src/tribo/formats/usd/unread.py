"""Which attributes of a stage are read, which mean nothing here, and which are left out and say so.

UsdPhysics' own are listed one by one. Of the schemas of programs (PhysX, Newton, MuJoCo) a few are read;
settings of their solvers are passed over; all others are named once each.
"""

from __future__ import annotations

import math
import re
from typing import Any

from tribo.formats.usd.joints import ARMATURE, FRICTION, SPEED
from tribo.formats.usd.stage import Prim, Stage

READ = frozenset(
    f"physics:{word}"
    for word in (
        "angularVelocity", "approximation", "axis", "breakForce", "breakTorque", "centerOfMass",
        "collisionEnabled", "coneAngle0Limit", "coneAngle1Limit", "density", "diagonalInertia",
        "dynamicFriction", "excludeFromArticulation", "gravityDirection", "gravityMagnitude",
        "invertFilteredGroups", "jointEnabled", "kinematicEnabled", "localPos0", "localPos1", "localRot0",
        "localRot1", "lowerLimit", "mass", "maxDistance", "minDistance", "principalAxes", "restitution",
        "rigidBodyEnabled", "staticFriction", "upperLimit", "velocity",
    )
) | {*ARMATURE, *FRICTION, *SPEED} | {
    "physxArticulation:enabledSelfCollisions", "physxRigidBody:disableGravity",
}  # fmt: skip
OF_DIRECTIONS = re.compile(
    r"drive:\w+:physics:(damping|maxForce|stiffness|targetPosition|targetVelocity|type)"
    r"|limit:\w+:physics:(low|high)"
)
TARGETS = frozenset(
    {"physics:body0", "physics:body1", "physics:filteredGroups", "physics:filteredPairs",
     "collection:colliders:includes"}
)  # fmt: skip
# Of a second scene, which is said; how a collection grows.
SILENT = frozenset(
    {"physics:simulationOwner", "collection:colliders:expansionRule",
     "collection:colliders:includeRoot"}
)  # fmt: skip
# Settings of solvers that are not here.
SOLVERS = re.compile(
    r"physxScene:.*"
    r"|physx\w+:\w*([Ii]teration|[Tt]hreshold|[Oo]ffset|[Dd]epenetration|CCD|[Ss]tabiliz|[Ss]olver|[Ss]leep"
    r"|[Cc]ooking|[Vv]oxel|[Hh]ull|retainAccelerations|improvePatchFriction)\w*"
    r"|newton:([\w:]*([Ss]olver|[Ii]teration|[Tt]olerance)\w*)"
    r"|mjc:(group|option:\w*(solver|iterations|tolerance|jacobian|cone|impratio|ccd)\w*)"
)
SAID = {
    "physics:startsAsleep": "it moves from the start",
    "physics:mergeGroup": "each group stands for itself",
    "collection:colliders:excludes": "they belong to the group, too",
    "newton:timeStepsPerSecond": "set world.time_step",
    "mjc:option:timestep": "set world.time_step",
}
STATE = re.compile(r"(state|newton):\w+:(physics:)?(position|velocity|appliedForce)")
USUAL = {  # values that change nothing, besides zero, false and nothing
    "physxMaterial:frictionCombineMode": "average",
    "physxMaterial:restitutionCombineMode": "average",
    "physxRigidBody:enableGyroscopicForces": True,
    "physxRigidBody:solveContact": True,
    "physxArticulation:articulationEnabled": True,
}
PROGRAMS = ("Mjc", "Newton", "Physx")  # whose prims have types of their own
DEFORMABLE = re.compile(r"\w*Deformable\w*API")
NOT_NEGATIVE = re.compile(r"physics:(mass|density)|drive:\w+:physics:(stiffness|damping|maxForce)")
NEVER = 1e30  # [–] from here on a bound is none; single precision ends at 3.4e38


def screen(stage: Stage) -> None:
    """Say which attributes, relations and prims of a stage are not read, once each."""
    for prim in stage.prims.values():
        if prim.type.startswith(PROGRAMS):
            prim.doubt(f"prims of type {prim.type} are not read: it does nothing", prim.type)
            continue
        if any(DEFORMABLE.fullmatch(name) for name in prim.applied):
            prim.doubt("deformable bodies are not read: it is left as it is", "deformable")
        for name, value in prim.values.items():
            is_number = isinstance(value, (int, float))
            if is_number and value < 0.0 and NOT_NEGATIVE.fullmatch(name):
                prim.doubt(f"{name}={value:g} is below 0: it is not used", f"{name} < 0")
            is_known = name in READ | SILENT or OF_DIRECTIONS.fullmatch(name) or SOLVERS.fullmatch(name)
            if not is_known and _matters(name, value):
                _say(prim, name)
        for name, targets in prim.targets.items():
            if targets and name not in TARGETS | SILENT:
                _say(prim, name)


def _matters(name: str, value: Any) -> bool:
    if name in USUAL:
        return bool(value != USUAL[name])
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value != 0.0 and not abs(value) >= NEVER and not math.isnan(value)
    is_nothing = isinstance(value, list) and not any(value)
    return bool(value) and not is_nothing


def _say(prim: Prim, name: str) -> None:
    why = SAID.get(name, "")
    if STATE.fullmatch(name):
        name, why = STATE.sub(r"\1:…:\2\3", name), "robots start where they are drawn, at rest"
    prim.doubt(f"{name} is not read{': ' if why else ''}{why}", name)
