"""Every property of UsdPhysics moves something, is said not to be read, or is listed as moving nothing.

The properties are those of the schemas that are installed with OpenUSD. Each is written into a stage in which
it matters; then the description of the scene, its notes included, must be another one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from contracts.test_silent_losses_mjcf import REFUSED, flat

from tribo.checks.errors import DescriptionError
from tribo.formats.usd import stage as stages
from tribo.formats.usd.reading import read
from tribo.formats.usd.unread import SILENT
from tribo.formats.usd.worker import Reading

pytest.importorskip("pxr")
pytest.importorskip("scipy")
from pxr import Gf, Sdf, Usd, UsdPhysics

BODY = """def Xform "{0}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
    float physics:mass = 2
    float3 physics:diagonalInertia = (0.1, 0.2, 0.25)
    quatf physics:principalAxes = (0.8, 0.6, 0, 0)
    double3 xformOp:translate = ({1}, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "shape" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {{
        double size = 0.2
        rel material:binding = </World/rubber>
    }}
}}
"""
JOINT = """def {0} "{0}" {3} {{
    rel physics:body0 = </World/{1}>
    rel physics:body1 = </World/{2}>
    point3f physics:localPos0 = (0.5, 0, 0)
    point3f physics:localPos1 = (-0.5, 0, 0)
    {4}
}}
"""
DRIVEN = '(prepend apiSchemas = ["PhysicsDriveAPI:angular"])'
LIMIT = "float physics:lowerLimit = -20\nfloat physics:upperLimit = 30\n"
DRIVE = (
    "float drive:{0}:physics:stiffness = 5\nfloat drive:{0}:physics:damping = 1\n"
    "float drive:{0}:physics:maxForce = 9\n"
)
FREE = "".join(
    f"float limit:{word}:physics:low = {low}\nfloat limit:{word}:physics:high = {high}\n"
    for word, low, high in (
        ("transX", 1, -1), ("transY", 1, -1), ("transZ", 1, -1), ("rotX", -10, 10), ("rotY", 1, -1),
        ("rotZ", 1, -1),
    )
)  # fmt: skip
LIMITS = ", ".join(f'"PhysicsLimitAPI:{kind}{axis}"' for kind in ("trans", "rot") for axis in "XYZ")
LIMITED = f"(prepend apiSchemas = [{LIMITS}])"
HINGE = LIMIT + DRIVE.format("angular")
TEXT = f"""#usda 1.0
( metersPerUnit = 1
  upAxis = "Z" )
def PhysicsScene "scene" {{ }}
def Xform "World" {{
    def Material "rubber" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {{
        float physics:dynamicFriction = 0.5
    }}
    {"".join(BODY.format(name, 2 * k) for k, name in enumerate("abcdefg"))}
    def Sphere "dense" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI",
            "MaterialBindingAPI"]) {{
        double3 xformOp:translate = (0, 5, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        rel material:binding = </World/rubber>
    }}
    def Mesh "wedge" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {{
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    }}
    def Cube "apart" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"]) {{ }}
    {JOINT.format("PhysicsRevoluteJoint", "a", "b", DRIVEN, HINGE)}
    {JOINT.format("PhysicsPrismaticJoint", "b", "c", "", LIMIT)}
    {JOINT.format("PhysicsSphericalJoint", "c", "d", "", "")}
    {JOINT.format("PhysicsFixedJoint", "d", "e", "", "")}
    {JOINT.format("PhysicsJoint", "e", "f", LIMITED, FREE)}
    {JOINT.format("PhysicsDistanceJoint", "f", "g", "", "")}
    def PhysicsCollisionGroup "group" (prepend apiSchemas = ["CollectionAPI:colliders"]) {{
        rel collection:colliders:includes = </World/a>
        rel physics:filteredGroups = </World/other>
    }}
    def PhysicsCollisionGroup "other" (prepend apiSchemas = ["CollectionAPI:colliders"]) {{
        rel collection:colliders:includes = [</World/c>, </World/apart>]
    }}
}}
"""
PLACES = {  # of schemas that are applied: the prim whose property it is
    "PhysicsRigidBodyAPI": "/World/dense", "PhysicsMassAPI": "/World/a",
    "PhysicsCollisionAPI": "/World/a/shape", "PhysicsMeshCollisionAPI": "/World/wedge",
    "PhysicsMaterialAPI": "/World/rubber", "PhysicsFilteredPairsAPI": "/World/apart",
    "PhysicsLimitAPI": "/World/PhysicsJoint", "PhysicsDriveAPI": "/World/PhysicsRevoluteJoint",
    "PhysicsScene": "/scene", "PhysicsCollisionGroup": "/World/group",
}  # fmt: skip
INSTANCE = {"PhysicsLimitAPI": "rotX", "PhysicsDriveAPI": "angular"}
JOINTS = (
    "PhysicsJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint",
    "PhysicsDistanceJoint", "PhysicsFixedJoint",
)  # fmt: skip
OF_ALL = ("proxyPrim", "purpose", "visibility", "xformOpOrder")  # of anything that is drawn
WORDS = {  # of tokens: values
    "physics:axis": ("X", "Y", "Z"), "physics:approximation": ("none", "boundingSphere"),
    "drive:angular:physics:type": ("acceleration",),
}  # fmt: skip
TARGETS = {  # of relations
    "physics:body0": "/World/g", "physics:body1": "/World/g", "physics:filteredGroups": "/World/group",
    "physics:filteredPairs": "/World/b", "physics:simulationOwner": "/scene",
}  # fmt: skip
ELSEWHERE = {  # what has no effect in this stage, and has a test of its own
    # It is left out with a word, whatever else it says.
    *(("PhysicsDistanceJoint", name) for name in ("localPos0", "localPos1", "localRot0", "localRot1")),
    *(("PhysicsDistanceJoint", name) for name in ("maxDistance", "minDistance", "collisionEnabled")),
    *(("PhysicsDistanceJoint", name) for name in ("excludeFromArticulation", "body1")),
    ("PhysicsFixedJoint", "collisionEnabled"),  # its bodies are one
    ("PhysicsMassAPI", "density"),  # beside a mass; test_masses_follow_from_masses_densities…
}  # fmt: skip


def cases() -> Iterator[tuple[str, str]]:
    """Iterate over schemas and their properties."""
    registry = Usd.SchemaRegistry()
    for schema in (*PLACES, *JOINTS):
        found = registry.FindAppliedAPIPrimDefinition(schema)
        found = found or registry.FindConcretePrimDefinition(schema)
        for name in found.GetPropertyNames():
            if name not in OF_ALL and not name.startswith("collection:"):
                yield schema, name.replace("__INSTANCE_NAME__", INSTANCE.get(schema, ""))


CASES = sorted(set(cases()))


def values(kind: Sdf.ValueTypeName, name: str) -> tuple[Any, ...]:
    """Return values of a type of which one at least is not usual."""
    if name in WORDS:
        return WORDS[name]
    made: dict[str, tuple[Any, ...]] = {
        "bool": (True, False), "float": (0.37, 60.0), "string": ("new",),
        "vector3f": (Gf.Vec3f(0.1, 0.2, 0.3),), "point3f": (Gf.Vec3f(0.1, 0.2, 0.3),),
        "float3": (Gf.Vec3f(0.31, 0.32, 0.33),), "quatf": (Gf.Quatf(0.0, 1.0, 0.0, 0.0),),
    }  # fmt: skip
    return made[str(kind)]


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> Callable[[Usd.Stage], str]:
    """Return what reads a stage, OpenUSD in this process: all that it says, or what is wrong with it."""

    def work(wanted: bytes, what: str) -> bytes:
        arrays: list[bytes] = []
        head = json.dumps(Reading(json.loads(wanted), arrays).run()).encode()
        return b"".join((str(len(head)).encode().rjust(16), head, *arrays))

    monkeypatch.setattr(stages, "_work", work)

    def describe(stage: Usd.Stage) -> str:
        try:
            return repr(flat(read(stage.GetRootLayer().ExportToString())[0]))
        except DescriptionError as error:
            return f"{REFUSED}{error}"

    return describe


def opened() -> Usd.Stage:
    """Return the stage, in memory."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    assert layer.ImportFromString(TEXT)
    return Usd.Stage.Open(layer)


def test_the_stage_is_read_as_a_robot(described: Callable[[Usd.Stage], str]) -> None:
    text = described(opened())
    assert not text.startswith(REFUSED), text
    assert {str(UsdPhysics.Scene.Get(opened(), "/scene").GetPath())} == {"/scene"}
    assert len(CASES) > 90


@pytest.mark.parametrize(("schema", "name"), CASES, ids=[f"{schema}-{name}" for schema, name in CASES])
def test_every_property_is_read_or_said_or_listed(
    schema: str, name: str, described: Callable[[Usd.Stage], str]
) -> None:
    before = described(opened())
    path = PLACES.get(schema, f"/World/{schema}")
    stage = opened()
    prim = stage.GetPrimAtPath(path)
    kind = None if prim.GetRelationship(name) else prim.GetAttribute(name).GetTypeName()
    changed = False
    for value in (TARGETS[name],) if kind is None else values(kind, name):
        stage = opened()
        prim = stage.GetPrimAtPath(path)
        if kind is None:
            prim.CreateRelationship(name).SetTargets([value])
        else:
            prim.GetAttribute(name).Set(value)
        changed = changed or described(stage) != before
    is_listed = name in SILENT or (schema, name.removeprefix("physics:")) in ELSEWHERE
    assert changed != is_listed
