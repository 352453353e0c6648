"""Choreonoid's body files: links, joints, shapes, masses, materials, rules of collision, errors."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.formats import choreonoid
from tribo.formats.inertia import Inertial, merged
from tribo.formats.pose import matrix
from tribo.formats.shape_mass import moments, solid
from tribo.materials import Material, MaterialLibrary
from tribo.model import Joint, Shape
from tribo.tools import cli
from tribo.tools.demo import ASSETS

FILE = Path(__file__).parents[3] / "data" / "choreonoid_arm.body"
HEAD = "format: ChoreonoidBody\nformatVersion: 1.0\n"
LINKS = HEAD + "links:\n - "


def library():
    made = MaterialLibrary()
    for name, density in (("Ground", 2500.0), ("steel", 7850.0), ("rubber", 1100.0)):
        made.add(Material(name, density=density))
    return made


@pytest.fixture(scope="module")
def arm():
    return choreonoid.read(FILE, materials=library(), strict=True)


def link(text, **options):
    """Return the one body of a file with one link, and what the reader says."""
    made = choreonoid.read(HEAD + f"links:\n - {{ name: a, {text} }}\n", **options)
    return made.trees[0].bodies[0], made


def rotation(axis, degrees):
    half = math.radians(degrees) / 2
    return matrix((math.cos(half), *(math.sin(half) * x for x in axis)))


def test_trees_joints_and_their_order(arm):
    assert [tree.bodies[0].name for tree in arm.trees] == ["BASE", "PAYLOAD"]
    robot = arm.trees[0]
    assert [(body.name, body.parent) for body in robot.bodies] == [
        ("BASE", -1), ("UPPER", 0), ("FOREARM", 1), ("HAND", 2),
    ]  # fmt: skip
    base, upper, forearm, hand = (body.joint for body in robot.bodies)
    assert (base.type, upper.type, forearm.type, hand.type) == (
        Joint.FIXED, Joint.REVOLUTE, Joint.REVOLUTE, Joint.PRISMATIC,
    )  # fmt: skip
    assert base.position == (1.0, 2.0, 3.0)
    np.testing.assert_allclose(matrix(base.quaternion), rotation((0, 0, 1), 90), atol=1e-15)
    assert (upper.name, forearm.name) == ("SHOULDER", "FOREARM")
    assert (upper.axis, forearm.axis, hand.axis) == ((0, 1, 0), (0, 1, 0), (-1, 0, 0))
    assert (upper.lower, upper.upper) == (math.radians(-90), math.inf)
    assert (forearm.lower, forearm.upper) == pytest.approx((0.0, math.radians(150)))
    assert (hand.lower, hand.upper) == (-0.2, 0.2)
    assert (upper.velocity, forearm.velocity, hand.velocity) == pytest.approx((math.pi, math.inf, 0.5))
    assert upper.armature == pytest.approx(1e-4 * 50**2)
    assert hand.position == pytest.approx((0.4, 0.0, 0.05))
    turn = rotation((0, 0, 1), 90) @ rotation((1, 0, 0), -90)
    np.testing.assert_allclose(matrix(forearm.quaternion), turn, atol=1e-15)
    assert robot.start == pytest.approx((math.radians(30), 0.0, 0.1))


def test_a_free_link_starts_where_its_parent_carries_it(arm):
    start = arm.trees[1].start
    assert start[:3] == pytest.approx((1.0, 2.0, 4.0))
    np.testing.assert_allclose(matrix(start[3:]), rotation((0, 0, 1), 90), atol=1e-15)


def test_free_links_follow_the_joints_above_them_at_the_start():
    text = HEAD + "links:\n - { name: a }\n"
    text += " - { name: b, parent: a, jointType: revolute, jointAxis: Z, jointAngle: 90, mass: 1,\n"
    text += "     inertia: [ 1, 0, 0, 1, 0, 1 ] }\n"
    text += " - { name: s, parent: b, jointType: prismatic, jointAxis: X, jointDisplacement: 2, mass: 1,\n"
    text += "     inertia: [ 1, 0, 0, 1, 0, 1 ], translation: [ 1, 0, 0 ] }\n"
    text += " - { name: c, parent: s, jointType: free, translation: [ 0.5, 0, 0 ], mass: 1,\n"
    text += "     inertia: [ 1, 0, 0, 1, 0, 1 ] }\n"
    assert choreonoid.read(text).trees[1].start[:3] == pytest.approx((0.0, 3.5, 0.0))


def test_rigid_bodies_are_summed_by_the_parallel_axis_theorem(arm):
    upper = arm.trees[0].bodies[1]
    turn = rotation((0, 0, 1), 90)
    added = Inertial(0.5, (0.2, 0.0, 0.0), turn @ np.diag([0.002, 0.003, 0.004]) @ turn.T)
    whole = merged([Inertial(1.5, (0.15, 0.0, 0.0), np.diag([0.001, 0.02, 0.02])), added])
    assert upper.mass == 2.0
    np.testing.assert_allclose(upper.com, whole.com, atol=1e-16)
    np.testing.assert_allclose(upper.inertia, whole.inertia, atol=1e-16)


def test_a_negative_density_is_that_of_the_material_and_is_said():
    """Choreonoid takes the material's; a wrong sign went unsaid. 0 is how files write none."""
    shape = "elements: { Shape: { geometry: { type: Box, size: [ 1, 1, 1 ] } } }"
    for density, says in (("-8000", True), ("0", False)):
        body, made = link(f"jointType: free, massType: density, density: {density}, {shape}")
        assert body.mass == pytest.approx(1000.0)
        assert any("counts as none" in note for note in made.notes) == says


def test_density_gives_mass_centre_and_inertia(arm):
    # The link's own density, then that of its material; numbers of mass beside it have no effect.
    hand, payload = arm.trees[0].bodies[3], arm.trees[1].bodies[0]
    assert hand.mass == pytest.approx(2000 * moments(hand.shapes[0])[0], rel=1e-15)
    whole = merged([solid(shape, density=7850.0) for shape in payload.shapes])
    assert payload.mass == pytest.approx(2 * 7850 * math.pi * 0.05**2 * 0.2, rel=1e-14)
    np.testing.assert_allclose(payload.com, 0.0, atol=1e-16)
    np.testing.assert_allclose(payload.inertia, whole.inertia, atol=1e-15)


def test_rod_of_a_shipped_file_has_the_mass_that_it_says():
    body, _ = link("jointType: free, massType: density, density: 8000, mass: 1, elements: { Shape: "
                   "{ geometry: { type: Box, size: [ 1.5, 0.15, 0.15 ] } } }")  # fmt: skip
    assert body.mass == pytest.approx(270.0, rel=1e-14)
    np.testing.assert_allclose(np.diag(body.inertia), (1.0125, 51.13125, 51.13125), rtol=1e-13)


def test_shapes_lie_along_y_and_scale(arm):
    robot = arm.trees[0]
    _, upper, forearm, hand = robot.bodies
    assert [shape.kind for shape in upper.shapes] == [Shape.CYLINDER, Shape.SPHERE]
    cylinder, ball = upper.shapes
    assert cylinder.size == (0.05, 0.06)
    assert cylinder.position == pytest.approx((0.3, 0.0, 0.0))
    # Its axis, local z, is along y of the RigidBody, which is turned by 90° about z: −x of the link.
    np.testing.assert_allclose(matrix(cylinder.quaternion)[:, 2], (-1, 0, 0), atol=1e-15)
    assert ball.position == pytest.approx((0.0, 0.0, 0.2))
    assert [visual.kind for visual in upper.visuals] == [Shape.CYLINDER, Shape.SPHERE]
    assert upper.visuals[1].color == (1.0, 0.0, 0.0, 0.75)
    assert (forearm.shapes[0].kind, forearm.shapes[0].size) == (
        Shape.ELLIPSOID, pytest.approx((0.2, 0.08, 0.03)),
    )  # fmt: skip
    assert (hand.shapes[0].kind, hand.shapes[0].size) == (Shape.CAPSULE, (0.02, 0.05))
    np.testing.assert_allclose(matrix(hand.shapes[0].quaternion)[:, 2], (0, 1, 0), atol=1e-15)
    assert [body.shapes[0].material for body in robot.bodies] == ["Ground", "default", "default", "rubber"]


CUBE = "vertices: [ 0,0,0, 1,0,0, 1,1,0, 0,1,0, 0,0,1, 1,0,1, 1,1,1, 0,1,1 ]"
FACES = "faces: [ 0,3,2,1,-1, 4,5,6,7,-1, 0,1,5,4,-1, 1,2,6,5,-1, 2,3,7,6,-1, 3,0,4,7,-1 ]"


@pytest.mark.parametrize("scale", ["[ 1, 2, 3 ]", "[ -1, 2, 3 ]"])
def test_meshes_in_the_file(scale):
    pytest.importorskip("trimesh")
    geometry = f"geometry: {{ type: IndexedFaceSet, {CUBE}, {FACES} }}"
    shape = f"elements: {{ Shape: {{ scale: {scale}, translation: [ 0, 0, 5 ], {geometry} }} }}"
    body, _ = link(f"jointType: free, massType: density, density: 10, {shape}", strict=True)
    assert body.mass == pytest.approx(60.0)
    sign = -1.0 if "-1" in scale else 1.0
    np.testing.assert_allclose(body.com, (sign * 0.5, 1.0, 6.5), atol=1e-14)
    np.testing.assert_allclose(np.diag(body.inertia), (65.0, 50.0, 25.0), rtol=1e-13)
    standing, _ = link(shape)
    assert standing.shapes[0].kind == Shape.SURFACE


def test_elevation_grids_are_terrain():
    pytest.importorskip("trimesh")
    heights = ", ".join(str(0.1 * k) for k in range(4))
    grid = "type: ElevationGrid, xDimension: 4, zDimension: 3, xSpacing: 1, zSpacing: 2, height: [ %s ]"
    grid %= ", ".join([heights] * 3)
    # Choreonoid's grids rise along y; this one is turned so that they rise along z, 0.1 per metre of x.
    element = f"elements: {{ Shape: {{ rotation: [ 1, 0, 0, 90 ], geometry: {{ {grid} }} }} }}"
    world = tribo.World()
    world.load_body(LINKS + f"{{ name: a, {element} }}\n", strict=True)
    for x, y in ((0.5, -1.0), (1.7, -3.9), (2.9, -0.1)):
        hit = world.ray_test((x, y, 5.0), (0.0, 0.0, -1.0), 10.0)
        assert hit.position[2] == pytest.approx(0.1 * x)
        assert hit.normal[2] > 0.9
    with pytest.raises(tribo.DescriptionError, match=r"height must be 4 · 3 numbers.*got 2"):
        link("elements: { Shape: { geometry: { type: ElevationGrid, xDimension: 4, zDimension: 3, "
             "height: [ 1, 2 ] } } }")  # fmt: skip
    with pytest.raises(tribo.DescriptionError, match="must be whole numbers ≥ 2"):
        link("elements: { Shape: { geometry: { type: ElevationGrid, xDimension: 1, zDimension: 3 } } }")


def test_mesh_files_beside_the_body(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "box.off").write_text(trimesh.creation.box((1, 2, 3)).export(file_type="off"))
    path = tmp_path / "m.body"
    element = "elements: { Shape: { scale: 0.5, geometry: { type: Resource, uri: box.off } } }"
    path.write_text(LINKS + f"{{ name: a, jointType: free, massType: density, density: 8, {element} }}\n")
    robot = tribo.World().add_articulated_system(path, strict=True)
    assert robot.mass == pytest.approx(6.0)
    (tmp_path / "box.off").rename(tmp_path.parent / "outside.off")
    path.write_text(path.read_text().replace("box.off", "../../../../../../etc/outside.off").replace(
        "massType: density, density: 8,", "mass: 1,"))  # fmt: skip
    (doubt, *_) = [d for d in choreonoid.read(path).doubts if "outside.off" in d]
    assert "mesh '../../../../../../etc/outside.off': " in doubt


PARTS = """
- &ball { type: Shape, translation: [ 0, 0, 1 ], geometry: { type: Sphere, radius: 0.1 } }
- &brick { type: Box, size: [ 1, 2, 3 ] }
"""


def test_elements_of_a_yaml_file_are_read(tmp_path):
    """A Resource may name a file of elements, or what an anchor there names; it was no mesh format."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "parts.yaml").write_text(PARTS)
    (tmp_path / "parts" / "whole.yaml").write_text("type: Resource\nuri: parts.yaml\nnode: ball\n")
    path = tmp_path / "m.body"

    def shapes(elements):
        path.write_text(
            LINKS + f"{{ name: a, jointType: free, massType: density, density: 8, {elements} }}\n"
        )
        robot = tribo.World().add_articulated_system(path, strict=True)
        return robot.description.bodies[0].shapes

    (ball,) = shapes(
        "elements: [ { type: Resource, translation: [ 1, 0, 0 ], uri: parts/parts.yaml, node: ball } ]"
    )
    assert (ball.size, ball.position) == ((0.1,), (1.0, 0.0, 1.0))
    assert shapes("elements: [ { type: Resource, uri: parts/whole.yaml } ]")[0].size == (0.1,)
    geometry = "geometry: { type: Resource, uri: parts/parts.yaml, fragment: brick }"
    (brick,) = shapes(f"elements: [ {{ type: Shape, {geometry} }} ]")
    assert brick.size == (0.5, 1.0, 1.5)
    named = "elements: [ { type: Resource, uri: parts/parts.yaml, node: bal } ]"
    with pytest.raises(tribo.DescriptionError, match=r"&bal is no anchor of parts/parts\.yaml.*'ball'"):
        shapes(named)
    (tmp_path / "parts" / "loop.yaml").write_text("type: Resource\nuri: loop.yaml\n")
    with pytest.raises(tribo.DescriptionError, match="contains itself"):
        shapes(named.replace("parts.yaml, node: bal", "loop.yaml"))
    with pytest.raises(tribo.DescriptionError, match=r"none\.yaml.*(not found|outside)"):
        shapes(named.replace("parts/parts.yaml, node: bal", "../../../../etc/none.yaml"))


# -- materials -------------------------------------------------------------------------------------
def test_use_link_info_makes_a_material_of_the_links_own():
    text = "jointType: free, massType: density, density: 100, material: useLinkInfo, roughness: 0.9, "
    text += "viscosity: 0.1, elements: { Shape: { geometry: { type: Sphere, radius: 0.5 } } }"
    world = tribo.World()
    made = world.load_body(HEAD + f"name: B\nlinks:\n - {{ name: a, {text} }}\n", materials=library())
    assert made[0].mass == pytest.approx(100 * math.pi / 6)
    assert made[0].collision_bodies[0].material == "B/a"
    found = world.materials.pair("steel", "B/a")
    assert found.friction == pytest.approx(math.sqrt(0.9 * 0.5))
    assert found.restitution == pytest.approx(math.sqrt(0.9 * 0.5))
    assert world.materials.pair("B/a", "B/a").friction == pytest.approx(0.9)
    origin = world.explain_pair("steel", "B/a").origin["friction"]
    assert origin == "mixed from the link's own values and those of the other material"
    made = choreonoid.read(HEAD + f"name: C\nlinks:\n - {{ name: a, {text}, adhesionForce: 9 }}\n")
    assert made.laws["C/a", "C/a"].adhesion_force == 18.0  # the sum of both
    # Without useLinkInfo such keys have no effect, as with a named material.
    body, _ = link(text.replace("useLinkInfo", "steel") + ", adhesionForce: 9")
    assert body.shapes[0].material == "steel"


def test_unknown_materials_and_densities_are_said():
    shape = "elements: { Shape: { geometry: { type: Sphere, radius: 0.5 } } }"
    _, made = link(f"jointType: free, massType: density, material: stell, {shape}")
    assert "the density of material 'stell' is not known: 1000 kg/m³ is taken" in made.doubts[0]
    _, made = link(f"jointType: free, massType: density, material: stell, {shape}", materials=library())
    assert "material 'stell' of link 'a' is not in the material table" in made.doubts[0]
    _, made = link(f"jointType: free, massType: density, material: Default, {shape}")
    assert made.doubts == []
    with pytest.raises(tribo.DescriptionError, match="materials are for densities in body files"):
        tribo.World().add_articulated_system(ASSETS / "quadruped.urdf", materials=library())


# -- collisions ------------------------------------------------------------------------------------
CHAIN = "links:\n - { name: l0 }\n" + "".join(
    f" - {{ name: l{k}, parent: l{k - 1}, jointType: revolute, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ],\n"
    "     elements: { Shape: { geometry: { type: Sphere, radius: 0.1 } } } }\n"
    for k in range(1, 5)
)
RULES = {
    "": {(a, b) for a in range(5) for b in range(a + 1, 5)},
    "collisionDetection: { excludeTreeDepth: 1 }\n": {(k, k + 1) for k in range(4)},
    "collisionDetection: {}\n": {(k, k + 1) for k in range(4)},
    "collisionDetection: { excludeTreeDepth: 0 }\n": set(),
    "collisionDetection: { excludeTreeDepth: 2 }\n": {(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)},
    "collisionDetection: { excludeTreeDepth: 0, excludeLinkGroups: [ { links: [ l0, l2, l4 ] } ] }\n":
        {(0, 2), (0, 4), (2, 4)},
    "collisionDetection: { excludeTreeDepth: 0, excludeSelfCollisionLinks: [ l2 ] }\n":
        {(0, 2), (1, 2), (2, 3), (2, 4)},
    "collision_detection_rules: [ disabled_links: all, enabled_link_group: [ l0, l3 ] ]\n":
        {(a, b) for a in range(5) for b in range(a + 1, 5)} - {(0, 3)},
    "collision_detection_rules: [ disabled_link_chain_level: 1, enabled_links: [ l1 ] ]\n": {(2, 3), (3, 4)},
    "collision_detection_rules: [ disabled_link_group: [ l0, l3, l4 ] ]\n": {(0, 3), (0, 4), (3, 4)},
}  # fmt: skip


@pytest.mark.parametrize("rules", RULES)
def test_rules_of_collision(rules):
    robot = tribo.World().add_articulated_system(HEAD + CHAIN + rules, strict=True)
    found = {tuple(sorted(int(name[1:]) for name in pair)) for pair in robot.ignored_collisions}
    assert found == RULES[rules]


def test_excluded_links_touch_nothing():
    text = HEAD + CHAIN + "collisionDetection: { excludeLinks: [ l2 ] }\n"
    robot = tribo.World().add_articulated_system(text, strict=True)
    groups = {one.name: (one.collision_group, one.collision_mask) for one in robot.collision_bodies}
    assert groups["l2/0"] == (0, 0)
    assert groups["l1/0"] != (0, 0)


def test_rules_name_links_that_exist():
    rules = "collisionDetection: { excludeLinks: [ l22 ], excludeTreeDept: 1 }\n"
    doubts = choreonoid.read(HEAD + CHAIN + rules).doubts
    assert any("link 'l22' does not exist; did you mean 'l2'?" in text for text in doubts)
    assert any("did you mean 'excludeTreeDepth'" in text for text in doubts)


def test_links_of_different_things_can_be_kept_apart():
    free = "".join(
        f" - {{ name: f{k}, parent: l0, jointType: free, translation: [ {k}, 0, 1 ], mass: 1,\n"
        " inertia: [ 1, 0, 0, 1, 0, 1 ], elements: { Shape: { geometry: { type: Sphere, radius: 0.2 } } } }\n"
        for k in range(3)
    )
    ground = " - { name: g, parent: l0, elements: { Shape: { translation: [ 0, 0, -1 ], geometry:\n"
    ground += "     { type: Box, size: [ 9, 9, 1 ] } } } }\n"
    rules = "collisionDetection: { excludeLinkGroups: [ { links: [ g, f1 ] } ] }\n"
    world = tribo.World(time_step=0.005)
    _, *balls = world.load_body(LINKS + "{ name: l0 }\n" + ground + free + rules, strict=True)
    world.step(160)  # 0.8 s: 3.1 m of free fall
    heights = [ball.position[2] for ball in balls]
    assert heights[1] == pytest.approx(1 - 0.5 * 9.81 * 0.64)
    assert heights[0] == pytest.approx(-0.3, abs=0.01)
    assert heights[2] == heights[0]
    ball = "elements: { Shape: { geometry: { type: Sphere, radius: 0.2 } } }"
    many = "".join(f" - {{ name: x{k}, parent: l0, jointType: free, {ball} }}\n" for k in range(60))
    names = ", ".join(f"x{k}" for k in range(60))
    rules = f"collisionDetection: {{ excludeLinkGroups: [ {{ links: [ {names} ] }} ] }}\n"
    doubts = choreonoid.read(LINKS + "{ name: l0 }\n" + many + rules).doubts
    assert any("more than 48 links of different things shall not touch" in text for text in doubts)


# -- in a world ------------------------------------------------------------------------------------
def test_a_robot_starts_as_its_file_says_and_swings():
    """A pendulum from a body file: T = 2π √(I/(m g l)) for small swings, to the order of the amplitude²."""
    text = HEAD + "links:\n - { name: a }\n"
    text += " - { name: b, parent: a, jointType: revolute, jointAxis: Y, jointAngle: 0.5, mass: 2,\n"
    text += "     centerOfMass: [ 0, 0, -0.5 ], inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }\n"
    world = tribo.World(time_step=0.001)
    robot = world.add_articulated_system(text)
    angle = math.radians(0.5)
    assert robot.generalized_coordinate == pytest.approx([angle])
    rate = math.sqrt(2 * 9.81 * 0.5 / (0.1 + 2 * 0.25))
    world.step(500)
    expected = angle * math.cos(rate * 0.5 * (1 - angle**2 / 16))
    assert robot.generalized_coordinate[0] == pytest.approx(expected, abs=1e-5 * angle)


def test_all_things_of_a_file_fall_into_a_world(tmp_path):
    world = tribo.World()
    arm, payload = world.load_body(FILE, materials=library())
    assert (arm.name, arm.dof, payload.name, payload.dof) == ("BASE", 3, "PAYLOAD", 6)
    assert world.load_body(FILE, materials=library())[0].name == "BASE'"
    with pytest.raises(tribo.DescriptionError, match=r"2 things that no joint connects.*world\.load_body"):
        world.add_articulated_system(FILE, materials=library())
    before = len(world.objects), world.material_names
    ball = "elements: { Shape: { geometry: { type: Sphere } } }"
    text = LINKS + f"{{ name: a, jointType: free, material: jelly, massType: density, {ball} }}\n"
    text += " - { name: b, parent: a, jointType: free, mass: 1, elements:\n     { Shape: { geometry: { type: "
    text += "Resource, uri: nix.off } } } }\n"
    (tmp_path / "nix.off").write_text("OFF\n")
    (tmp_path / "x.body").write_text(text)
    with pytest.raises(tribo.DescriptionError, match=r"collision mesh of b/0: .*nix\.off"):
        world.load_body(tmp_path / "x.body")
    assert (len(world.objects), world.material_names) == before


def test_a_saved_world_steps_bitwise_alike(tmp_path):
    world = tribo.World()
    text = FILE.read_text().replace("unlimited", "90")  # a missing stop cannot be written
    arm, payload = world.load_body(text, materials=library())
    world.save(tmp_path / "w.xml")
    other = tribo.World.load(tmp_path / "w.xml")
    assert [thing.name for thing in other.objects] == ["BASE", "PAYLOAD"]
    for each in (world, other):
        each.step(50)
    for mine, theirs in zip((arm, payload), other.objects, strict=True):
        assert mine.mass == theirs.mass
        assert np.array_equal(mine.generalized_coordinate, theirs.generalized_coordinate)


def test_boxes_slide_as_materials_of_the_file_say():
    """The slope of Choreonoid's material sample, in small: each box obeys a = g (sin θ − μ cos θ)."""
    table = "materials: [ { name: Ground }, { name: m1 }, { name: m2 } ]\ncontact_materials:\n"
    table += " - { materials: [ Ground, m1 ], friction: 0.1 }\n"
    table += " - { materials: [ Ground, m2 ], friction: 0.7 }\n"
    box = "geometry: { type: Box, size: [ 0.5, 0.5, 0.5 ] } } }"
    box = f"jointType: free, massType: density, elements: {{ Shape: {{ {box}"
    text = LINKS + "{ name: floor, rotation: [ 1, 0, 0, -30 ], material: Ground, elements:\n"
    text += "  { Shape: { translation: [ 0, 0, -0.1 ], geometry: { type: Box, size: [ 20, 40, 0.2 ] } } } }\n"
    for k, x in ((1, -2), (2, 2)):
        text += f" - {{ name: b{k}, parent: floor, translation: [ {x}, -3, 0.25 ], material: m{k}, {box} }}\n"
    materials = tribo.read_materials(table)
    world = tribo.World(time_step=0.002)
    world.load_materials(materials, rigid=True)
    _, first, second = world.load_body(text, materials=materials)
    world.step(250)
    angle = math.radians(30)
    expected = 0.5 * 9.81 * (math.sin(angle) - 0.1 * math.cos(angle))
    assert np.linalg.norm(first.linear_velocity) == pytest.approx(expected, rel=1e-6)
    assert np.linalg.norm(second.linear_velocity) < 1e-9


NOTATIONS = {  # of the manual: keys of a link, its mass, its material
    "traditional": ("centerOfMass: [ 0, 0, 0.1 ], mass: 3, inertia: [ 1, 0, 0, 1, 0, 1 ]", 3.0, "default"),
    "material file": ("massType: density, material: steel", 7850.0, "steel"),
    "material file with a density": ("massType: density, material: steel, density: 7000", 7000.0, "steel"),
    "traditional with a material": (
        "massType: mass, mass: 3, inertia: [ 1, 0, 0, 1, 0, 1 ], material: steel", 3.0, "steel",
    ),
    "direct": (
        "massType: density, material: useLinkInfo, density: 500, roughness: 0.3", 500.0, "body/a",
    ),
    "everything written": (
        "massType: density, material: steel, density: 7000, mass: 3, roughness: 0.3, viscosity: 0.1",
        7000.0, "steel",
    ),
}  # fmt: skip


@pytest.mark.parametrize("notation", NOTATIONS)
def test_notations_of_mass_and_material(notation):
    keys, mass, material = NOTATIONS[notation]
    cube = "elements: { Shape: { geometry: { type: Box, size: [ 1, 1, 1 ] } } }"
    body, made = link(f"jointType: free, {keys}, {cube}", materials=library(), strict=True)
    assert body.mass == pytest.approx(mass, rel=1e-14)
    assert body.shapes[0].material == material
    assert body.com == ((0.0, 0.0, 0.1) if notation == "traditional" else (0.0, 0.0, 0.0))
    if "density" in keys:
        np.testing.assert_allclose(body.inertia, mass / 6 * np.eye(3), rtol=1e-14)
    assert bool(made.laws) == (notation == "direct")


# -- what is refused or said -----------------------------------------------------------------------
SHAPE = LINKS + "{ name: a, elements: { Shape: { %s } } }\n"
ERRORS = [
    ("a: 1\n", "is no body file of Choreonoid: it must begin with format: ChoreonoidBody"),
    ("modelFile: x.wrl\na: 1\n", "is a wrapper around another file"),
    (HEAD, "has no links"),
    (HEAD + "links: []\n", "has no link;"),
    (HEAD.replace("1.0", "3.0") + "links: []\n", "format version 3.0 is not read"),
    (HEAD + "angleUnit: grad\nlinks: []\n", "angleUnit must be one of degree, radian, got 'grad'"),
    (LINKS + "{ jointType: free }\n", "a link needs a name"),
    (LINKS + "{ name: a }\n - { name: a, parent: a }\n", "a link named 'a' stands in <body file>:4:4"),
    (LINKS + "{ name: a }\n - { name: b }\n", "link 'b': has no parent; the root is 'a'"),
    (LINKS + "{ name: arm }\n - { name: b, parent: am }\n", "does not exist; did you mean 'arm'?"),
    (LINKS + "{ name: a }\n - { name: b, parent: c }\n - { name: c, parent: b }\n", "loop of parents"),
    (HEAD + "rootLink: x\nlinks:\n - { name: a }\n", "rootLink 'x' does not exist"),
    (LINKS + "{ name: a, jointType: revolut }\n", "joint type 'revolut' of link 'a' is unknown"),
    (LINKS + "{ name: a }\n - { name: b, parent: a, jointType: revolute, jointAxis: W }\n",
     "must be X, Y, Z, -X, -Y, -Z or three numbers, got 'W'"),
    (LINKS + "{ name: a }\n - { name: b, parent: a, jointType: revolute, jointRange: [ 2, 1 ] }\n",
     "the lower limit 2 is above the upper one 1"),
    (LINKS + "{ name: a, rotation: [ 0, 0, 0, 1 ] }\n", "the axis of a rotation has no direction"),
    (LINKS + "{ name: a, jointType: free, mass: -1 }\n", "the mass of link 'a' must be ≥ 0 kg"),
    (LINKS + "{ name: a, jointType: free, mass: 1, inertia: [ 1, 2, 3 ] }\n", "list of 9 or 6 numbers"),
    (LINKS + "{ name: a, massType: weight }\n", "massType must be one of mass, density, got 'weight'"),
    (LINKS + "{ name: a, jointType: free, massType: density }\n", "has massType density and no shape"),
    (LINKS + "{ name: a, elements: [ { name: x } ] }\n", "an element needs type"),
    (LINKS + "{ name: a, type: SubBody, uri: x.body }\n", "SubBody 'x.body': not found"),
    (LINKS + "{ name: a, type: SubBody, uri: x.txt }\n", "a SubBody needs uri: FILE.body, got 'x.txt'"),
    (LINKS + "{ name: a, type: ContinuousTrack }\n", "a ContinuousTrack needs parent"),
    (SHAPE % "geometry: { type: Box, size: [ -1, 1, 1 ] }", "lengths must be from"),
    (SHAPE % "scale: [ 1, 1, 2 ], geometry: { type: Cylinder }", "scales 1, 1, 2 make no Cylinder of this"),
    (LINKS + "{ name: a, elements: { Transform: { scale: [ 1, 2, 1 ], elements: { Shape: { rotation: "
     "[ 0, 0, 1, 30 ], geometry: { type: Box } } } } } }\n", "rotations above this shape shear it"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_errors_say_where_and_what(text, message):
    with pytest.raises(tribo.DescriptionError) as caught:
        choreonoid.read(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("<body file>:")


def test_a_box_without_thickness_is_thin_and_said():
    made = choreonoid.read(SHAPE % "geometry: { type: Box, size: [ 2, 1, 0 ] }")
    assert made.trees[0].bodies[0].shapes[0].size == (1.0, 0.5, 0.0005)
    (doubt,) = made.doubts
    assert doubt.endswith("a Box without thickness is 0.001 m thick")


DOUBTS = [
    ("jointMotorCompliacne: 1", "'jointMotorCompliacne' of a link is unknown, ignored; did you mean"),
    (
        "jointCompliance: 1e-8",
        "joint_compliance is left out: a joint of a tree gives way only along what it moves; load_body(…",
    ),
    ("elements: [ { type: Camera } ]", "Camera is left out: devices are not read"),
    ("elements: [ { type: Shap } ]", "Shap is left out: it is not known"),
    ("elements: [ { type: Shape } ]", "a Shape without geometry is left out"),
    ("elements: [ { type: Shape, geometry: { type: Torus } } ]", "the geometry 'Torus' is left out"),
    ("elements: [ { type: Resource, uri: x.fbx } ]", "mesh 'x.fbx': not a mesh format"),
]


@pytest.mark.parametrize(("text", "message"), DOUBTS)
def test_what_is_left_out_is_said(text, message):
    _, made = link(text)
    assert len(made.doubts) == 1, made.doubts
    assert message in made.doubts[0]
    with pytest.raises(tribo.DescriptionError, match=r"an error because of strict=True"):
        link(text, strict=True)


def test_links_that_stand_need_no_mass():
    fixed = LINKS + "{ name: a }\n - { name: b, parent: a }\n - { name: c, parent: b, jointType: revolute, "
    fixed += "mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ] }\n"
    assert choreonoid.read(fixed).doubts == []
    (doubt,) = choreonoid.read(fixed + " - { name: d, parent: c }\n").doubts
    assert "link 'd' has no mass and inertia" in doubt


def test_bodies_that_are_parts_of_others(tmp_path):
    finger = "jointType: prismatic, jointAxis: Y, mass: 0.1, inertia: [ 1, 0, 0, 1, 0, 1 ]"
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "hand.body").write_text(
        HEAD + "angleUnit: radian\nlinks:\n"
        " - { name: PALM, jointType: free, translation: [ 9, 9, 9 ], mass: 1,\n"
        "     inertia: [ 1, 0, 0, 1, 0, 1 ], rotation: [ 0, 0, 1, 1.5 ] }\n"
        f" - {{ name: F, joint_name: J, parent: PALM, jointRange: 0.1, {finger} }}\n"
    )  # fmt: skip
    main = tmp_path / "arm.body"
    arm = "jointType: revolute, jointAxis: Y, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ]"
    main.write_text(
        LINKS + f"{{ name: base }}\n - {{ name: ARM, parent: base, {arm} }}\n"
        " - { type: SubBody, uri: parts/hand.body, prefix: L_, parent: ARM, jointType: fixed,\n"
        "     translation: [ 0, 0, 1 ] }\n"
        " - { type: SubBody, uri: parts/hand.body, suffix: _R, parent: base }\n"
    )  # fmt: skip
    robot, hand = choreonoid.read(main, strict=True).trees
    assert [body.name for body in robot.bodies] == ["base", "ARM", "L_F"]
    assert robot.bodies[2].joint.name == "L_J"
    assert robot.bodies[1].mass == 2.0  # with the palm that is fixed to it
    (palm,) = [frame for frame in robot.frames if frame.name == "L_PALM"]
    assert palm.position == (0.0, 0.0, 1.0)
    assert palm.quaternion == pytest.approx((math.cos(0.75), 0, 0, math.sin(0.75)))  # that of its own file
    assert [body.name for body in hand.bodies] == ["PALM_R", "F_R"]
    assert hand.start[:3] == (9.0, 9.0, 9.0)
    main.write_text(main.read_text().replace("parts/hand.body", "arm.body"))
    with pytest.raises(tribo.DescriptionError, match=r"SubBody 'arm\.body' contains itself"):
        choreonoid.read(main)
    main.write_text(main.read_text().replace("arm.body", "../" * 8 + "etc/x.body"))
    with pytest.raises(tribo.DescriptionError, match=r"x\.body': (not found|refused)"):
        choreonoid.read(main)


@pytest.mark.parametrize(("rule", "message"), [
    ("excludeTreeDepth: -1", "must be a whole number ≥ 0, got '-1'"),
    ("excludeTreeDepth: 1.5", "must be a whole number ≥ 0, got '1.5'"),
    ("excludeLinkGroups: 5", "a group of links must be a mapping"),
])  # fmt: skip
def test_wrong_rules_of_collision_are_errors(rule, message):
    """They were taken for others, or for nothing, without a word."""
    with pytest.raises(tribo.DescriptionError, match=message):
        choreonoid.read(f"{LINKS}{{ name: a }}\ncollisionDetection: {{ {rule} }}\n")


def test_a_group_of_links_without_links_is_said():
    rules = "collisionDetection: { excludeLinkGroups: [ { name: arm, link: [ a ] } ] }\n"
    doubts = choreonoid.read(f"{LINKS}{{ name: a }}\n{rules}").doubts
    assert any("did you mean 'links'" in text for text in doubts)
    assert any("without links" in text for text in doubts)


def test_lengths_of_shapes_are_said_as_they_are_checked():
    box = f"{LINKS}{{ name: a, elements: {{ Shape: {{ geometry: {{ type: Sphere, radius: 0 }} }} }} }}\n"
    with pytest.raises(tribo.DescriptionError, match=r"radii and half lengths must be .*got \[0.0\]$"):
        choreonoid.read(box)


FOUR_BAR = """
links:
 - { name: base }
 - { name: a, parent: base, jointType: revolute, jointAxis: Z, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ] }
 - { name: b, parent: a, jointType: revolute, jointAxis: Z, translation: [ 0, 1, 0.1 ], mass: 1,
     inertia: [ 1, 0, 0, 1, 0, 1 ] }
 - { name: tip, parent: b, translation: [ 2, 0, 0 ], mass: 0, inertia: [ 0, 0, 0, 0, 0, 0 ] }
 - { name: c, parent: base, jointType: revolute, jointAxis: Z, translation: [ 2, 0, 0 ], mass: 1,
     inertia: [ 1, 0, 0, 1, 0, 1 ] }
extraJoints:
"""
PISTON = " - { link1Name: tip, link2Name: c, jointType: piston, jointAxis: Z, link2LocalPos: [ 0, 1, 0 ] }\n"
BALL = " - { link1Name: tip, link2Name: c, jointType: ball, link2LocalPos: [ 0, 1, 0.1 ] }\n"


@pytest.mark.parametrize("joint", [PISTON, BALL])
def test_extra_joints_close_loops(joint):
    """A parallelogram: its two sides turn alike, whichever joint closes it."""
    world = tribo.World(time_step=0.002)
    world.gravity = (0.0, -9.81, 0.0)
    robot = world.add_articulated_system(HEAD + FOUR_BAR + joint, strict=True)
    assert len(world.constraints) == 1
    robot.generalized_velocity = (1.0, -1.0, 1.0)
    world.step(300)
    q = robot.generalized_coordinate
    assert abs(q[0]) > 0.1
    assert q[2] == pytest.approx(q[0], abs=1e-9)
    assert q[1] == pytest.approx(-q[0], abs=1e-9)


def test_extra_joints_that_are_not_read_or_open():
    doubts = choreonoid.read(HEAD + FOUR_BAR + BALL.replace("0.1 ]", "0 ]")).doubts
    assert "the extra joint is 0.1 m open at the start" in doubts[0]
    doubts = choreonoid.read(HEAD + FOUR_BAR + BALL.replace("ball", "screw")).doubts
    assert "type 'screw' is left out" in doubts[0]
    for wrong, message in (
        (
            BALL.replace("link1Name: tip", "link1Name: tp"),
            "link1_name 'tp' does not exist; did you mean 'tip'",
        ),
        (BALL.replace("link2Name: c", "link2Name: b"), "joins a link to itself"),
        (PISTON.replace("jointAxis: Z, ", ""), "a piston needs a jointAxis"),
    ):
        with pytest.raises(tribo.DescriptionError, match=message):
            choreonoid.read(HEAD + FOUR_BAR + wrong)


def test_links_that_say_nothing_weigh_what_choreonoid_takes():
    body, made = link("jointType: free")
    assert (body.mass, body.inertia.tolist()) == (1.0, np.eye(3).tolist())
    assert "link 'a' has no mass and inertia: Choreonoid's 1 kg, or 1 kg m² about each axis" in made.doubts[0]


def test_radians_and_a_mapping_of_links():
    text = HEAD + "angleUnit: radian\nlinks:\n  Link: { name: a, rotation: [ 0, 0, 1, 1.5 ] }\n"
    joint = choreonoid.read(text, strict=True).trees[0].bodies[0].joint
    assert joint.quaternion == pytest.approx((math.cos(0.75), 0, 0, math.sin(0.75)))


def test_without_pyyaml_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match=r'YAML files need PyYAML: pip install "tribo\[yaml\]"'):
        choreonoid.read(FILE)
    assert cli.main(["check", str(FILE)]) == 1
    assert 'pip install "tribo[yaml]"' in capsys.readouterr().err.replace("\n", " ")


def test_keys_of_controllers_are_notes():
    _, made = link("gripStrength: 3")
    assert made.doubts == []
    assert any("'gripStrength' of a link is unknown" in text for text in made.notes)


def test_the_command_checks_and_runs_body_files(capsys, tmp_path):
    table = tmp_path / "m.yaml"
    table.write_text(
        "materials:\n - { name: steel, density: 100 }\n - { name: rubber }\n - { name: Ground }\n"
    )
    assert cli.main(["check", str(FILE), "--materials", str(table)]) == 0
    out = capsys.readouterr().out
    assert f"choreonoid_arm.body, PAYLOAD: mass {100 * 2 * math.pi * 0.05**2 * 0.2:.6g} kg" in out
    assert "SHOULDER" in out
    assert cli.main(["run", str(FILE), "--duration", "0.01", "--materials", str(table)]) == 0
    assert "PAYLOAD" in capsys.readouterr().out
    # The thinnest shape of rubber is the hand, 4 cm; rods of steel are 10 cm thick, 0.314 kg together.
    table.write_text(
        "materials:\n - { name: steel, density: 100 }\n - { name: rubber }\n - { name: Ground }\n"
        "contact_materials:\n - { materials: [ steel, rubber, Ground ], adhesionForce: 1,\n"
        "     adhesivOverlap: 0.05, spookDamping: 0.01, youngsModulus: 1e5,\n"
        "     frictionModel: [ box, iterative ] }\n"
        " - { materials: [ steel, steel ], adhesionForce: 1, adhesivOverlap: 0.05 }\n"
    )  # fmt: skip
    assert cli.main(["check", str(FILE), "--materials", str(table), "--time-step", "0.01"]) == 0
    out = capsys.readouterr().out
    for pair, thin in (("Ground | rubber", True), ("Ground | steel", False), ("steel | steel", False)):
        assert (f"{pair}: adhesive_overlap 0.05 m is not thinner than the shape (0.04 m)" in out) == thin
    assert "Ground | steel: spook_damping 0.01 s is less than two time steps" in out
    assert "Ground | steel: youngs_modulus 100000 Pa is too stiff for sweeps alone at 0.314159 kg" in out
    assert cli.main(["check", str(ASSETS / "quadruped.urdf"), "--materials", str(table)]) == 1
    assert "--materials is for body files" in capsys.readouterr().err


DOOR = """
format: ChoreonoidBody
formatVersion: 1.0
name: Room
links:
  - { name: Pillar, elements: { Shape: { geometry: { type: Box, size: [ 0.1, 0.1, 2 ] } } } }
  - name: Door
    parent: Pillar
    jointType: free
    translation: [ 0.1, 0, 0 ]
    mass: 10.0
    centerOfMass: [ 0.4, 0, 0 ]
    inertia: [ 1, 0, 0, 1, 0, 1 ]
    elements:
      - type: AGXBreakableJointDevice
        link1Name: Pillar
        link2Name: Door
        jointType: revolute
        position: [ 0.1, 0, 0 ]
        jointAxis: [ 0, 0, 1 ]
        jointCompliance: 1e-6
        breakType: force
        period: 0.05
        breakLimitForce: 120
        validAxis: [ 0, 1, 0 ]
        signedAxis: [ 0, -1, 0 ]
      - type: AGXMagneticJointDevice
        name: latch
        link1Name: Pillar
        link2Name: Door
        position1: [ 0.9, 0, 0 ]
        position2: [ 0.8, 0, 0 ]
        validDistance: 0.01
        validAngle: 5
"""


def test_breakable_and_magnetic_joints_are_constraints_between_things():
    """The hinge carries the door on its compliance; the latch catches at once; both are as written."""
    world = tribo.World()
    pillar, door = world.load_body(DOOR)
    hinge, latch = world.constraints
    assert (hinge.type, latch.type) == ("hinge", "magnet")
    assert hinge.objects == (pillar, door)
    assert (hinge.break_force, hinge.break_time, hinge.compliance) == (120.0, 0.05, 1e-6)
    np.testing.assert_allclose(hinge.break_direction, (0, -1, 0))
    assert (latch.name, latch.catch_distance) == ("latch", 0.01)
    assert latch.catch_angle == pytest.approx(math.radians(5.0))
    np.testing.assert_allclose(hinge.points[0], (0.1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(hinge.gap, 0.0, atol=1e-12)
    latch.is_on = False
    world.step(200)
    assert not hinge.is_broken
    assert hinge.force[2] == pytest.approx(-10.0 * 9.81, rel=1e-2)  # on the pillar


BAD_DEVICES = [
    ("jointType: revolute", "jointType: twist", "jointType must be one of revolute, prismatic, fixed"),
    ("breakType: force", "breakType: noise", "breakType must be one of force, impulse"),
    ("link2Name: Door", "link2Name: Dore", "link2_name 'Dore' does not exist"),
    ("link2Name: Door", "link2Name: Pillar", "joins a link to itself"),
    ("validDistance: 0.01", "validDistance: 0", "needs validDistance > 0 m"),
    ("period: 0.05", "period: -1", "period must be ≥ 0"),
]


@pytest.mark.parametrize(("good", "bad", "message"), BAD_DEVICES)
def test_devices_that_cannot_be_are_errors(good, bad, message):
    with pytest.raises(tribo.DescriptionError) as caught:
        choreonoid.read(DOOR.replace(good, bad))
    assert message in str(caught.value)


def test_an_extrusion_is_a_section_along_a_spine():
    text = "type: Extrusion, crossSection: [ 1, 1, 1, -1, -1, -1, -1, 1, 1, 1 ], spine: [ 0, 0, 0, 0, 3, 0 ]"
    body, _ = link(f"elements: {{ Shape: {{ geometry: {{ {text} }} }} }}")
    corners = body.shapes[0].geometry.vertices
    np.testing.assert_allclose([corners.min(axis=0), corners.max(axis=0)], [[-1, 0, -1], [1, 3, 1]])
    with pytest.raises(tribo.DescriptionError, match="spine must be rows of 3 numbers"):
        link("elements: { Shape: { geometry: { type: Extrusion, spine: [ 0, 0 ] } } }")
