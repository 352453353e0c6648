"""Projects of Choreonoid (.cnoid): what of them makes a world, and that they lead to no other file."""

import math
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.formats import choreonoid
from tribo.formats.yaml_nodes import MAX_DEPTH

DATA = Path(__file__).parents[3] / "data"

FLOOR = """
format: ChoreonoidBody
formatVersion: 1.0
name: Floor
links:
  - { name: BASE, jointType: fixed, material: Ground, translation: [ 9, 9, 9 ],
      elements: { Shape: { geometry: { type: Box, size: [ 8, 8, 0.2 ] } } } }
"""
THINGS = """
format: ChoreonoidBody
formatVersion: 1.0
name: Things
links:
  - { name: plate, jointType: fixed, material: Ground,
      elements: { Shape: { geometry: { type: Box, size: [ 2, 2, 0.2 ] } } } }
  - { name: cube, parent: plate, jointType: free, translation: [ 0, 0, 0.2 ], material: steel,
      massType: density, elements: { Shape: { geometry: { type: Box, size: [ 0.2, 0.2, 0.2 ] } } } }
"""
ARM = """
format: ChoreonoidBody
formatVersion: 1.0
name: Arm
links:
  - { name: root, jointType: free, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ],
      elements: { Shape: { geometry: { type: Sphere, radius: 0.1 } } } }
  - { name: slide, parent: root, jointType: prismatic, jointId: 1, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ],
      jointAxis: Z }
  - { name: turn, parent: slide, jointType: revolute, jointId: 0, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ],
      jointAxis: Y, elements: { Shape: { geometry: { type: Sphere, radius: 0.1 } } } }
"""
MATERIALS = """
materials:
  - { name: Ground, roughness: 1.0, viscosity: 1.0 }
  - { name: steel, density: 8000, roughness: 0.25, viscosity: 1.0 }
contactMaterials:
  - { materials: [ Ground, steel ], youngsModulus: 1e5, spookDamping: 0.02, friction: 0.3 }
"""
PROJECT = """
items:
  id: 0
  name: "Root"
  plugin: Base
  class: RootItem
  children:
    -
      id: 1
      name: "World"
      plugin: Body
      class: WorldItem
      data:
        collisionDetection: false
        collisionDetector: AISTCollisionDetector
        materialTableFile: "${PROJECT_DIR}/materials.yaml"
      children:
        -
          id: 2
          name: "AGXSimulator"
          plugin: AGXDynamics
          class: AGXSimulatorItem
          data: { timestep: 0.002, Gravity: [ 0, 0, -9.8 ], ContactReduction: true }
        -
          id: 3
          name: "ground"
          plugin: Body
          class: BodyItem
          data:
            modelFile: "${SHARE}/model/misc/floor.body"
            rootPosition: [ 0, 0, -0.1 ]
            rootAttitude: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]
            selfCollisionDetection: false
          children:
            - { id: 4, class: SimpleControllerItem, name: "walk", data: { controller: "Walk" } }
ITEMS
views:
  - { id: 0, plugin: Base, class: SceneView }
"""
CUBE = """
        -
          id: 9
          name: "NAME"
          class: BodyItem
          data:
            modelFile: "${PROJECT_DIR}/things.body"
            DATA
"""


def folder(tmp_path, items="", **files):
    """Write a project and what it names; return its path and the folder share."""
    place = tmp_path / "work" / "deep" / "project"
    share = tmp_path / "share"
    (share / "model" / "misc").mkdir(parents=True)
    place.mkdir(parents=True)
    (share / "model" / "misc" / "floor.body").write_text(FLOOR)
    named = {"things.body": THINGS, "arm.body": ARM, "materials.yaml": MATERIALS, **files}
    for name, text in named.items():
        (place / name).write_text(text)
    (place / "scene.cnoid").write_text(PROJECT.replace("ITEMS", items))
    return place / "scene.cnoid", share


def item(name, *data, file="things.body"):
    return (
        CUBE.replace("NAME", name).replace("things.body", file).replace("DATA", "\n            ".join(data))
    )


def test_a_project_makes_a_world(tmp_path):
    """Gravity, time step, materials and places are those of the project; the cube rests at m g/(4 k) deep."""
    path, share = folder(tmp_path, item("pair", "rootPosition: [ 0, 0, 1 ]", "selfCollisionDetection: true"))
    world = tribo.World()
    parts = world.load_project(path, package_dirs=share)
    assert world.time_step == 0.002
    assert world.gravity == pytest.approx((0, 0, -9.8))
    assert list(parts) == ["ground", "pair"]
    assert [part.name for part in parts["pair"]] == ["pair", "cube"]
    assert world["ground"].frame("BASE").position == pytest.approx([0, 0, -0.1])
    pair = world.materials.pair("Ground", "steel")
    assert (pair.youngs_modulus, pair.friction) == (1e5, 0.3)
    cube = world["cube"]
    assert cube.mass == pytest.approx(8000 * 0.2**3, rel=1e-12)
    assert cube.position == pytest.approx([0, 0, 1.2])
    world.step(1500)
    assert cube.position[2] == pytest.approx(1.2 - cube.mass * 9.8 / 4e5, abs=1e-8)


URDF = """<robot name="r"><link name="base"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hip" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1"/></joint></robot>"""


@pytest.mark.parametrize("is_fixed", [True, False])
def test_the_body_of_a_project_may_be_a_urdf(tmp_path, is_fixed):
    settings = ["rootPosition: [ 1, 2, 3 ]", "jointDisplacements: [ 30 ]"]
    settings += ["fixRoot: true"] if is_fixed else []
    path, share = folder(tmp_path, item("robot", *settings, file="robot.urdf"), **{"robot.urdf": URDF})
    world = tribo.World()
    world.load_project(path, package_dirs=share)
    robot = world["robot"]
    assert robot.dof == (1 if is_fixed else 7)
    assert robot.frame("base").position == pytest.approx([1, 2, 3])
    assert robot.generalized_coordinate[-1] == pytest.approx(math.radians(30))
    world.step(10)
    assert world.status == 0


def test_a_project_as_the_program_writes_it():
    """The arm of tests/data leans by 30° and carries its free links along."""
    world = tribo.World.load(DATA / "choreonoid_scene.cnoid")
    assert world.time_step == 0.005
    assert world["Arm"].frame("BASE").position == pytest.approx([0, 0, 1])
    upright = world["Arm"].frame("BASE").rotation_matrix[2, 2]
    assert upright == pytest.approx(math.cos(math.radians(30)), abs=1e-9)
    world.step(10)


def test_world_load_and_the_command_take_it(tmp_path, capsys):
    from tribo.tools import cli

    path, share = folder(tmp_path, item("pair", "rootPosition: [ 0, 0, 1 ]"))
    world = tribo.World.load(path, package_dirs=share)
    assert world["cube"].position == pytest.approx([0, 0, 1.2])
    with pytest.raises(ValueError, match="no @@parameters"):
        tribo.World.load(path, package_dirs=share, parameters={"a": 1})
    assert cli.main(["check", str(path), "--package-dir", str(share)]) == 0
    shown = capsys.readouterr().out
    assert "time step 0.002 s" in shown
    assert "SimpleControllerItem is left out" in shown
    assert cli.main(["run", str(path), "--package-dir", str(share), "--duration", "0.01"]) == 0


@pytest.mark.parametrize(
    ("said", "touches"), [("selfCollisionDetection: true", True), ("selfCollisionDetection: false", False)]
)
def test_things_of_one_body_meet_only_if_the_project_says_so(tmp_path, said, touches):
    path, share = folder(tmp_path, item("pair", "rootPosition: [ 0, 0, 1 ]", said))
    world = tribo.World.load(path, package_dirs=share)
    world.step(400)  # 0.8 s: it falls through its plate to the floor, which is another body
    assert world["cube"].position[2] == pytest.approx(1.2 if touches else 0.1, abs=0.01)


def test_links_of_a_robot_meet_if_the_project_says_so(tmp_path):
    for said, expected in (("true", True), ("false", False)):
        path, share = folder(
            tmp_path / said, item("arm", f"selfCollisionDetection: {said}", "rootPosition: [ 0, 0, 3 ]",
                                  file="arm.body")
        )  # fmt: skip
        world = tribo.World.load(path, package_dirs=share)
        world.step(1)
        # root and turn are two joints apart, at one place
        assert bool(world["arm"].internal_contacts) == expected


def test_what_does_not_collide(tmp_path):
    path, share = folder(tmp_path, item("pair", "rootPosition: [ 0, 0, 1 ]", "collisionDetection: false"))
    world = tribo.World.load(path, package_dirs=share)
    world.step(500)
    assert world["cube"].position[2] < -1.0


def test_root_and_joints_start_as_the_project_says(tmp_path):
    """A turn of 90° about z, row by row; joints in the order of their ids; a fixed root."""
    half = math.sqrt(0.5)
    path, share = folder(
        tmp_path,
        item("first", "rootPosition: [ 1, 2, 3 ]", "rootAttitude: [ 0, -1, 0, 1, 0, 0, 0, 0, 1 ]",
             "jointPositions: [ 0.5, 0.25 ]", file="arm.body")
        + item("second", "root_translation: [ 1, 2, 5 ]", "root_rotation: [ 0, 0, 1, 90 ]",
               "jointDisplacements: [ 90, 0 ]", "fix_root: true", file="arm.body")
        + item("third", "rootPosition: [ 0, 0, 7 ]", "initialRootPosition: [ 0, 0, 8 ]",
               "jointDisplacements: [ 10, 0 ]", "initialJointDisplacements: [ 20 ]", file="arm.body"),
    )  # fmt: skip
    world = tribo.World.load(path, package_dirs=share)
    first, second, third = world["first"], world["second"], world["third"]
    assert first.position == pytest.approx([1, 2, 3])
    assert first.orientation == pytest.approx([half, 0, 0, half])
    assert first.joint_coordinates["turn"] == pytest.approx(0.5)
    assert first.joint_coordinates["slide"] == pytest.approx(0.25)
    assert first.is_floating
    assert not second.is_floating
    assert second.frame("root").position == pytest.approx([1, 2, 5])
    assert second.joint_coordinates["turn"] == pytest.approx(math.pi / 2)
    assert third.position == pytest.approx([0, 0, 8])
    assert third.joint_coordinates["turn"] == pytest.approx(math.radians(20))


def test_a_root_that_the_file_fixes_may_move(tmp_path):
    path, share = folder(tmp_path, item("pair", "rootPosition: [ 0, 0, 4 ]", "fix_root: false"))
    world = tribo.World.load(path, package_dirs=share)
    assert world["pair"].is_floating
    world.step(10)
    assert world["pair"].linear_velocity[2] < 0.0


def test_tables_of_items_are_put_over_that_of_the_world(tmp_path):
    table = "contactMaterials: [ { materials: [ Ground, steel ], friction: 0.7 } ]\n"
    own = '\n        - { class: MaterialTableItem, name: more, data: { file: "${PROJECT_DIR}/more.yaml" } }\n'
    path, share = folder(tmp_path, own + item("pair"), **{"more.yaml": table})
    world = tribo.World.load(path, package_dirs=share)
    assert world.materials.pair("Ground", "steel").friction == 0.7
    assert world["cube"].mass == pytest.approx(64.0)


def test_a_reference_body_is_the_item_of_that_name(tmp_path, caplog):
    """Friction turns with the body of the project, not with what its first link is called."""
    table = MATERIALS.replace(
        "friction: 0.3", "friction: 0.3, frictionModel: [ oriented_box, direct ], "
        "primaryDirection: [ 1, 0, 0 ], secondaryFriction: 0.1, referenceBodyName: pair, "
        "referenceLinkName: plate",
    )  # fmt: skip
    path, share = folder(tmp_path, item("pair"), **{"materials.yaml": table})
    world = tribo.World.load(path, package_dirs=share)
    world.step()
    assert "no object is called" not in caplog.text


SECRET = 'modelFile: "${PROJECT_DIR}/things.body"'
REFUSED = {
    "above its folders": ('modelFile: "../../../../secret.body"', "outside"),
    "an absolute path": ('modelFile: "/etc/hostname"', "outside"),
    "another variable": ('modelFile: "${HOME}/secret.body"', r"only \$\{SHARE\}"),
    "a file that is not there": ('modelFile: "${SHARE}/none.body"', "give it in package_dirs"),
    "no file": ("name: x", "names no file"),
    "another kind of file": ('modelFile: "${PROJECT_DIR}/materials.yaml"', "no body file"),
    "no rotation": (SECRET + "\n            rootAttitude: [ 1, 0, 0, 0, 2, 0, 0, 0, 1 ]", "rotation matrix"),
    "too few numbers": (SECRET + "\n            rootPosition: [ 1, 0 ]", "3 numbers"),
    "joints as words": (SECRET + "\n            jointPositions: [ a ]", "finite number"),
    "no truth": (SECRET + "\n            fix_root: perhaps", "true or false"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_wrong_is_said_and_the_world_stays(tmp_path, what):
    data, message = REFUSED[what]
    path, share = folder(tmp_path)
    (tmp_path / "secret.body").write_text(THINGS)
    path.write_text(PROJECT.replace("ITEMS", item("x", "").replace(SECRET, data)))
    world = tribo.World()
    with pytest.raises(tribo.DescriptionError, match=message) as said:
        world.load_project(path, package_dirs=share)
    assert "scene.cnoid:" in str(said.value)
    assert not world.objects
    assert world.time_step == 1e-3
    assert world.material_names == ("default",)


def test_an_error_within_a_body_leaves_the_world_as_it_was(tmp_path):
    """The second body cannot be built: the first is taken out again, and so are the materials."""
    path, share = folder(tmp_path, item("pair") + item("bad"))
    world = tribo.World()
    world.max_sweeps = 7
    taken = "format: ChoreonoidBody\nname: bad\nlinks: [ { name: ball, jointType: free, mass: 1,\n"
    taken += " inertia: [ 1, 0, 0, 1, 0, 1 ], elements: [ { type: AGXWireDevice, radius: 0.01, Nodes: [\n"
    taken += " { type: fixed, position: [ 0, 0, 0 ] }, { type: fixed, position: [ 0, 0, 0 ] } ] } ] } ]\n"
    (path.parent / "bad.body").write_text(taken)
    path.write_text(PROJECT.replace("ITEMS", item("pair") + item("bad", file="bad.body")))
    with pytest.raises(tribo.DescriptionError, match="BodyItem 'bad'"):
        world.load_project(path, package_dirs=share)
    assert not world.objects
    assert not world.constraints
    assert world.material_names == ("default",)


def test_a_world_with_objects_is_refused(tmp_path):
    path, share = folder(tmp_path)
    world = tribo.World()
    world.add_ground()
    with pytest.raises(ValueError, match="without objects"):
        world.load_project(path, package_dirs=share)


WORLD_OF = """
items: { children: [ { class: WorldItem, children: [
  { class: AGXSimulatorItem, data: { timestep: STEP } } ] } ] }
"""


@pytest.mark.parametrize(("text", "message"), [
    ("a: 1\n", "has no items"),
    ("items: { class: RootItem }\n\n", "has no WorldItem"),
    ("items: 3\n\n", "must be a mapping"),
    ("items: { children: [ 1 ] }\n\n", "must be a mapping"),
    ("items: " + MAX_DEPTH * "{ children: [ " + "\n", "levels deep"),
    (WORLD_OF.replace("STEP", "0"), "1e-9 to 10 s"),
])  # fmt: skip
def test_what_is_no_project(text, message):
    with pytest.raises(tribo.DescriptionError, match=message):
        choreonoid.read_project(text)


def test_many_items_are_refused():
    """Aliases make a tree of 2^20 items of a few lines."""
    lines = ["a0: &a0 { class: FolderItem }"]
    lines += [f"a{k}: &a{k} {{ children: [ *a{k - 1}, *a{k - 1} ] }}" for k in range(1, 21)]
    text = "\n".join([*lines, "items: { children: [ *a20 ] }", ""])
    with pytest.raises(tribo.DescriptionError, match=r"values with its aliases|more than 5000 items"):
        choreonoid.read_project(text)


def test_what_is_left_out_is_said(tmp_path):
    more = """
        - { class: BulletSimulatorItem, name: other }
"""
    path, share = folder(
        tmp_path, more + item("pair", "parent_body_linkage: attached", "enable_joint_limits: false")
    )
    text = path.read_text().replace("ContactReduction: true", "ContactReduction: false, NumThreads: 2")
    path.write_text(text)
    found = choreonoid.read_project(path, package_dirs=(share,))
    doubts, notes = "\n".join(found.doubts), "\n".join(found.notes)
    assert "parent_body_linkage of 'pair' is left out" in doubts
    assert "enable_joint_limits of 'pair'" in doubts
    assert "ContactReduction is left out" in doubts
    assert "BulletSimulatorItem is left out, AGXSimulatorItem counts" in notes
    with pytest.raises(tribo.DescriptionError, match="strict=True"):
        choreonoid.read_project(path, package_dirs=(share,), strict=True)


def test_a_table_that_is_not_there_is_said(tmp_path, caplog):
    path, share = folder(tmp_path, item("pair"))
    (path.parent / "materials.yaml").unlink()
    tribo.World.load(path, package_dirs=share)
    assert "the material table" in caplog.text


def test_more_displacements_than_joints_are_said(tmp_path, caplog):
    path, share = folder(tmp_path, item("arm", "jointPositions: [ 0, 0, 1 ]", file="arm.body"))
    tribo.World.load(path, package_dirs=share)
    assert "3 joint displacements, the body 2 joints" in caplog.text


def test_a_saved_world_steps_bitwise_alike(tmp_path):
    path, share = folder(tmp_path, item("pair", "rootPosition: [ 0, 0, 1 ]", "selfCollisionDetection: true"))
    world = tribo.World.load(path, package_dirs=share)
    world.save(tmp_path / "world.xml")
    other = tribo.World.load(tmp_path / "world.xml")
    world.step(300)
    other.step(300)
    np.testing.assert_array_equal(world["cube"].position, other["cube"].position)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_reference_body_is_missed_only_where_its_materials_are(tmp_path, caplog, is_there):
    """One table serves many projects: it speaks of robots that are not in this one."""
    table = MATERIALS.replace(
        "friction: 0.3", "friction: 0.3, frictionModel: [ oriented_box, direct ], "
        "primaryDirection: [ 1, 0, 0 ], secondaryFriction: 0.1, referenceBodyName: crane",
    )  # fmt: skip
    path, share = folder(tmp_path, item("pair"), **{"materials.yaml": table})
    world = tribo.World.load(path, package_dirs=share)
    if not is_there:
        for part in world.objects[:]:
            world.remove(part)
        world.add_sphere(0.1, 1.0)
    world.step()
    assert ("no object is called 'crane'" in caplog.text) == is_there
