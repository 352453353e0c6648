"""USD: bodies, joints, drives, colliders, materials, units; files that name others."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import usd
from tribo.model import Joint, Shape

pytest.importorskip("pxr")
pytest.importorskip("scipy")

ARM = Path(__file__).parents[2] / "data/usd/arm.usda"
SINGLE = 1e-6  # [–] files hold numbers of single precision, 6e-8 each


def stage(body: str, head: str = "") -> str:
    """Return a stage in metres, z up."""
    return f'#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z"\n{head} )\n{body}'


def prim(kind: str, name: str, schemas: str = "", inside: str = "") -> str:
    applied = ", ".join(f'"Physics{word}API"' for word in schemas.split())
    told = f"(prepend apiSchemas = [{applied}])" if schemas else ""
    return f'def {kind} "{name}" {told} {{\n{inside}\n}}\n'


def ball(name: str, more: str = "", at: tuple[float, ...] = (0, 0, 0)) -> str:
    place = f'double3 xformOp:translate = {at}\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
    inside = f"double radius = 0.1\n{place}{more}"
    return prim("Sphere", name, "RigidBody Collision Mass", inside)


@pytest.fixture(scope="module")
def arm():
    world = tribo.World()
    robot, floor = world.load_usd(ARM)
    return world, robot, floor


def test_units_and_the_up_axis_are_those_of_the_world(arm):
    world, robot, floor = arm
    assert world.gravity == pytest.approx([0.0, 0.0, -9.81])
    assert robot.frame("base").position == pytest.approx([0.0, 0.0, 0.6], rel=SINGLE)
    assert robot.frame("link").position == pytest.approx([0.3, 0.0, 0.6], rel=SINGLE)
    assert floor.description.bodies[0].shapes[0].kind == Shape.PLANE


def test_masses_follow_from_masses_densities_and_colliders(arm):
    _, robot, _ = arm
    base, link, slider = robot.description.bodies
    assert base.mass == 2.0
    assert base.inertia.diagonal() == pytest.approx([0.01, 0.02, 0.03], rel=SINGLE)
    rod = math.pi * 0.02**2 * 0.4 + 4.0 / 3.0 * math.pi * 0.02**3
    wedge = 0.06**3 / 6.0
    assert link.mass == pytest.approx(1000.0 * (rod + wedge), rel=SINGLE)
    assert slider.inertia.diagonal() == pytest.approx([0.4 * 0.5 * 0.03**2] * 3, rel=SINGLE)


def test_joints_have_limits_in_radians_and_metres_and_the_rotor(arm):
    _, robot, _ = arm
    hinge, slide = (body.joint for body in robot.description.bodies[1:])
    assert (hinge.name, hinge.type) == ("hinge", Joint.REVOLUTE)
    assert (hinge.lower, hinge.upper) == pytest.approx((-math.pi / 2, math.pi / 4))
    assert (slide.lower, slide.upper) == pytest.approx((-0.1, 0.1))
    assert hinge.armature == pytest.approx(20e-4)  # kg cm²


def test_a_drive_becomes_gains_and_a_target(arm):
    _, robot, _ = arm
    # 1000 kg cm²/(s² degree) and 100 kg cm²/(s degree); 50000 kg cm²/s²
    assert robot.kp[0] == pytest.approx(1000e-4 * 180 / math.pi, rel=SINGLE)
    assert robot.kd[0] == pytest.approx(100e-4 * 180 / math.pi, rel=SINGLE)
    assert robot.pd_target[0] == pytest.approx(math.radians(30), rel=SINGLE)
    assert robot.joint("hinge").effort_limits[1] == pytest.approx(5.0)


def test_gains_of_a_drive_of_type_acceleration_are_times_the_inertia_that_it_moves():
    """Files with one were refused by an error of NumPy. Here I = 0.02 kg m²."""
    drive = "".join(
        f"float drive:angular:physics:{name} = {value}\n"
        for name, value in (("stiffness", 10), ("damping", 2), ("maxForce", 3))
    )
    kind = 'uniform token drive:angular:physics:type = "acceleration"\n'
    joint = prim("PhysicsRevoluteJoint", "hinge", "", f"rel physics:body1 = </ball>\n{drive}{kind}")
    moments = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (0.02, 0.02, 0.02)\n"
    robot = tribo.World().load_usd(stage(ball("ball", moments) + joint))[0]
    assert robot.kp[0] == pytest.approx(10 * 0.02 * 180 / math.pi, rel=SINGLE)
    assert robot.kd[0] == pytest.approx(2 * 0.02 * 180 / math.pi, rel=SINGLE)
    assert robot.joint("hinge").effort_limits[1] == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ("float physxRigidBody:angularDamping = 0.5", "physxRigidBody:angularDamping is not read"),
        ("float state:angular:physics:position = 5", "start where they are drawn"),
        ("bool physics:startsAsleep = 1", "startsAsleep is not read: it moves from the start"),
        ("float mjc:damping = 0.1", "mjc:damping is not read"),
    ],
)
def test_schemas_of_programs_that_are_not_read_are_named(inside, says):
    world = tribo.World()
    text = stage(ball("ball", inside))
    world.load_usd(text)
    with pytest.raises(DescriptionError, match=says):
        world.load_usd(text, strict=True)
    assert any(says in note for note in usd.read(text)[0].notes)
    quiet = "int physxRigidBody:solverPositionIterationCount = 8\nfloat physxRigidBody:angularDamping = 0"
    quiet += "\nfloat3 physics:linearVelocity = (0, 0, 0)"
    assert not usd.read(stage(ball("ball", quiet)))[0].notes


def test_actuators_and_bodies_that_are_no_rigid_ones_are_named():
    """An MjcActuator, which no schema here knows, was passed over."""
    motor = prim("MjcActuator", "motor", "", "rel mjc:target = </ball>")
    cloth = 'def Mesh "cloth" (prepend apiSchemas = ["PhysicsDeformableBodyAPI"]) {\n}\n'
    notes = usd.read(stage(ball("ball") + motor + cloth))[0].notes
    assert any("MjcActuator are not read: it does nothing" in note for note in notes)
    assert any("deformable bodies are not read" in note for note in notes)


def test_armature_in_the_words_of_mujoco_is_read():
    joint = "rel physics:body1 = </ball>\nfloat mjc:armature = 0.25\nfloat mjc:frictionloss = 0.5"
    robot = tribo.World().load_usd(stage(ball("ball") + prim("PhysicsRevoluteJoint", "hinge", "", joint)))[0]
    assert robot.joint("hinge").armature == pytest.approx(0.25)
    assert robot.description.bodies[-1].joint.friction == pytest.approx(0.5)


def test_a_joint_from_the_second_body_on_moves_the_other_way(arm):
    """`slide` moves its second body, the link, along its x axis as seen from the first, the slider."""
    _, robot, _ = arm
    before = robot.frame("slider").position[0]
    at = robot.at([0.0, 0.05])
    assert at.frame("slider").position[0] == pytest.approx(before - 0.05 - 0.05, rel=1e-5)


def test_materials_meet_by_the_mean(arm):
    world, *_ = arm
    name = next(name for name in world.material_names if name.startswith("usd"))
    pair = world.materials.pair(name, name)
    assert (pair.friction, pair.static_friction, pair.restitution) == pytest.approx((0.8, 0.9, 0.25))


def test_the_drawn_pose_gives_the_coordinates():
    text = stage(
        ball("a") + ball("b", "", (0.3, 0.4, 0.0))
        + prim("PhysicsRevoluteJoint", "j", "", """rel physics:body0 = </a>\nrel physics:body1 = </b>
uniform token physics:axis = "Z"\npoint3f physics:localPos1 = (-0.5, 0, 0)""")
    )  # fmt: skip
    # b is drawn without a turn, so its frame's origin is open by (0.3, 0.4) − (0.5, 0): only the turn counts
    (robot,) = tribo.World().load_usd(text)
    assert robot.generalized_coordinate[7:] == pytest.approx([0.0])


def test_a_generic_joint_is_a_chain_of_its_free_directions():
    locked = "\n".join(
        f"float limit:{way}:physics:low = 1\nfloat limit:{way}:physics:high = -1"
        for way in ("transX", "transY", "transZ", "rotX")
    )
    joint = prim("PhysicsJoint", "j", "", f"rel physics:body0 = </a>\nrel physics:body1 = </b>\n{locked}")
    (robot,) = tribo.World().load_usd(stage(ball("a") + ball("b") + joint))
    assert robot.joint_names == ("j/rotY", "j/rotZ")


def test_a_loop_is_closed_by_a_constraint_and_stays_closed():
    corners = {"a": (0, 0), "b": (1, 0), "c": (1, 1), "d": (0, 1)}
    text = "".join(ball(name, "", (x, y, 0)) for name, (x, y) in corners.items())
    names = list(corners)
    for k, first in enumerate(names):
        second = names[(k + 1) % 4]
        (x, y), (u, v) = corners[first], corners[second]
        text += prim(
            "PhysicsRevoluteJoint", f"j{k}", "",
            f"rel physics:body0 = </{first}>\nrel physics:body1 = </{second}>\n"
            'uniform token physics:axis = "Z"\n'
            f"point3f physics:localPos0 = ({(u - x) / 2}, {(v - y) / 2}, 0)\n"
            f"point3f physics:localPos1 = ({(x - u) / 2}, {(y - v) / 2}, 0)",
        )  # fmt: skip
    world = tribo.World()
    (robot,) = world.load_usd(stage(text))
    (tie,) = world.constraints
    assert robot.dof == 9
    assert np.linalg.norm(tie.gap) < 1e-9
    world.step(100)
    assert np.linalg.norm(tie.gap) < 1e-6


def test_stretched_spheres_are_ellipsoids_and_scales_reach_meshes():
    scaled = """double3 xformOp:scale = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:scale"]\ndouble radius = 0.1"""
    (made,) = tribo.World().load_usd(stage(prim("Sphere", "s", "RigidBody Collision", scaled)))
    (shape,) = made.description.bodies[0].shapes
    assert shape.kind == Shape.ELLIPSOID
    assert shape.size == pytest.approx((0.1, 0.2, 0.3))


def test_bodies_begin_with_their_velocity():
    more = "vector3f physics:velocity = (1, 2, 3)\nvector3f physics:angularVelocity = (0, 0, 180)"
    (made,) = tribo.World().load_usd(stage(ball("b", more)))
    assert made.generalized_velocity == pytest.approx([1, 2, 3, 0, 0, math.pi])


def test_filtered_pairs_and_groups_pass_through_each_other():
    apart = "rel physics:filteredPairs = [</b>]"
    text = ball("a", apart, (0, 0, 1)).replace('"PhysicsMassAPI"', '"PhysicsFilteredPairsAPI"')
    world = tribo.World()
    world.load_usd(stage(text + ball("b", "", (0, 0, 1.05)) + ball("c", "", (0.05, 0, 1))))
    world.step()
    masks = {p.name: p.description.bodies[0].shapes[0] for p in world.objects}
    a, b, c = masks["a"], masks["b"], masks["c"]
    assert a.group & b.mask == 0
    assert b.group & a.mask == 0
    assert a.group & (-1 if c.mask is None else c.mask)
    touching = {frozenset((contact.object_a.name, contact.object_b.name)) for contact in world.contacts}
    assert touching == {frozenset("ac"), frozenset("bc")}


def test_references_beside_the_file_are_read_and_others_are_not(tmp_path, caplog):
    inner, outer = tmp_path / "model", tmp_path / "secret.usda"
    inner.mkdir()
    outer.write_text(stage(ball("secret")))
    (inner / "part.usda").write_text(stage(ball("part"), 'defaultPrim = "part"'))
    (inner / "clip.mtlx").write_text("<materialx/>")
    top = inner / "top.usda"
    top.write_text(
        stage('def Sphere "a" (references = @part.usda@) {}\n'
              'def Sphere "b" (references = @../secret.usda@</secret>) {}\n'
              'def Sphere "c" (references = @clip.mtlx@) {}\n'
              'def Sphere "d" (references = @missing.usda@) {}\n')
    )  # fmt: skip
    world = tribo.World()
    world.load_usd(top)
    said = caplog.text
    assert [part.name for part in world.objects if hasattr(part, "dof")][:1] == ["a"]
    assert "secret.usda' is outside of the file's folder" in said
    assert "clip.mtlx' is no USD" in said
    assert "missing.usda' is not found" in said
    with pytest.raises(DescriptionError, match="an error because of strict=True"):
        usd.read(top, strict=True)
    found, _ = usd.read(top, package_dirs=[tmp_path])
    assert {item.name for item in found.objects if item.tree is not None} == {"a", "b"}


def test_all_kinds_of_files_are_read(tmp_path):
    from pxr import Sdf, UsdUtils

    layer = Sdf.Layer.FindOrOpen(str(ARM))
    for name in ("arm.usdc", "arm.usd", "arm.usda"):
        layer.Export(str(tmp_path / name))
    UsdUtils.CreateNewUsdzPackage(str(tmp_path / "arm.usdc"), str(tmp_path / "arm.usdz"))
    for name in ("arm.usdc", "arm.usd", "arm.usda", "arm.usdz"):
        scene, _ = usd.read(tmp_path / name)
        assert [item.name for item in scene.objects] == ["arm", "floor"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"#usda 1.0\n def Xform {", "OpenUSD says: broken.usd:2:2: does not understand"),
        (b"PXR-USDC" + b"\xff" * 200, "is no USD|could not"),
        (b"nothing", "is no USD|could not"),
        (b"#usda 1.0\n", "holds no rigid body"),
    ],
)
def test_what_is_no_usd_is_refused_in_words(tmp_path, data, says):
    path = tmp_path / "broken.usd"
    path.write_bytes(data)
    with pytest.raises(DescriptionError, match=says):
        tribo.World.load(path)


@pytest.mark.parametrize("name", ["physics:mass", "physics:density", "drive:angular:physics:damping"])
def test_a_negative_number_that_may_not_be_is_not_used_and_said(tmp_path, name):
    path = tmp_path / "a.usda"
    path.write_text(stage(ball("a", f"float {name} = -3")))
    scene, _ = usd.read(path)
    assert [text for text in scene.doubts if f"{name}=-3 is below 0: it is not used" in text]


def test_a_stage_is_read_under_limits_that_are_lower_than_those_of_the_reader():
    """The process that reads sets limits of its own; one above the limit of its parent is an error."""
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
from tribo.formats import usd
print([item.name for item in usd.read({str(ARM)!r})[0].objects])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "['arm', 'floor']\n", done.stderr


def test_a_robot_is_added_like_others_and_told_by_controls():
    robot = tribo.World().add_articulated_system(ARM)
    robot.set_controls([0.2])
    assert robot.pd_target[0] == pytest.approx(0.2)
    assert tribo.World.load(ARM)["arm"].joint_names == robot.joint_names


@pytest.mark.parametrize(("faces", "kind"), [(4, Shape.SURFACE), (3, Shape.HULL)])
def test_a_distance_field_is_exact_triangles_that_move(faces, kind, caplog):
    """A corner of a unit cube has the volume 1/6; without its last face it is open: its hull collides."""
    corners = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
    indices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3][: 3 * faces]
    inside = (
        f"{corners}\nint[] faceVertexCounts = {[3] * faces}\nint[] faceVertexIndices = {indices}\n"
        'uniform token physics:approximation = "sdf"\nfloat physics:density = 6'
    )
    text = stage(prim("Mesh", "m", "RigidBody Collision MeshCollision Mass", inside))
    (made,) = tribo.World().load_usd(text)
    assert made.description.bodies[0].shapes[0].kind == kind
    assert made.mass == pytest.approx(1.0, rel=SINGLE)
    assert ("is open" in caplog.text) == (kind == Shape.HULL)
