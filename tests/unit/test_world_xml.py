"""Worlds as files: what is read, what is written, and that both step alike."""

import logging
import shutil
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo import world_xml
from tribo.description.trees import DescriptionError
from tribo.readout.state_bytes import fingerprint

ASSETS = Path(tribo.__file__).parent / "assets"
SPHERES = ASSETS / "three_spheres.xml"
QUADRUPED = ASSETS / "quadruped.urdf"


def read(source):
    world = tribo.World()
    world_xml.read_into(world, source)
    return world


def saved_and_read(world, path):
    world_xml.save(world, path)
    return read(path)


def assert_steps_alike(first, second, steps):
    for _ in range(steps):
        first.step()
        second.step()
    np.testing.assert_array_equal(first.engine.state.q, second.engine.state.q)
    np.testing.assert_array_equal(first.engine.state.v, second.engine.state.v)


def crowded_world():
    """Return a world with one of everything, at poses that are no round numbers."""
    rng = np.random.default_rng(7)
    world = tribo.World(time_step=0.0011, gravity=(0.1, 0.0, -9.7))
    world.erp, world.erp2 = 0.15, 0.01
    world.default_pair = tribo.PairProperties(friction=0.55, restitution=0.1)
    world.set_material_pair("steel", "rubber", friction=0.3, static_friction=0.7, rolling_friction=0.1)
    world.add_ground(0.125, material="steel", name="floor")
    for k, (add, size) in enumerate((
        ("add_sphere", {"radius": 0.31}),
        ("add_box", {"size": (0.3, 0.7, 0.11)}),
        ("add_capsule", {"radius": 0.1, "height": 0.33}),
        ("add_cylinder", {"radius": 0.2, "height": 0.17}),
        ("add_sphere", {"radius": 0.2, "body_type": "kinematic"}),
        ("add_box", {"size": (1, 1, 0.1), "body_type": "static"}),
    )):  # fmt: skip
        quaternion = rng.normal(size=4)
        part = getattr(world, add)(
            **size, mass=1.0 / 3.0 + k, material=("steel", "rubber")[k % 2],
            position=rng.normal(size=3) + np.array([k, 0, 2]),
            orientation=quaternion / np.linalg.norm(quaternion),
        )  # fmt: skip
        if part.body_type != tribo.STATIC:
            part.linear_velocity = rng.normal(size=3)
            part.angular_velocity = rng.normal(size=3)
    world.add_sphere(0.1, 1.0, inertia=np.diag([0.1, 0.12, 0.13]), collision_group=6, collision_mask=-3,
                     position=(0, 3, 1))  # fmt: skip
    return world


def test_the_founding_world_is_read_as_printed():
    world = read(SPHERES)
    assert [part.name for part in world.objects] == [
        "ground", "sphere_steel", "sphere_rubber", "sphere_copper",
    ]  # fmt: skip
    assert world.time_step == 0.001
    assert [world[f"sphere_{m}"].material for m in ("steel", "rubber")] == ["steel", "rubber"]
    np.testing.assert_array_equal(world["sphere_copper"].position, (2, 0, 5))
    pair = world.materials.pair("steel", "steel")
    assert (pair.restitution, pair.rolling_friction, pair.spinning_friction) == (0.95, 0.02, 0.01)
    assert world.default_pair.friction == 0.8


def test_a_saved_world_steps_bitwise_alike(tmp_path):
    world = crowded_world()
    assert_steps_alike(world, saved_and_read(world, tmp_path / "w.xml"), 300)


def test_a_saved_world_keeps_groups_types_and_settings(tmp_path):
    world = crowded_world()
    again = saved_and_read(world, tmp_path / "w.xml")
    for old, new in zip(world.objects, again.objects, strict=True):
        assert (old.name, old.material, old.body_type) == (new.name, new.material, new.body_type)
        body, other = old.collision_bodies[0], new.collision_bodies[0]
        assert (body.size, body.collision_group, body.collision_mask) == (
            other.size, other.collision_group, other.collision_mask,
        )  # fmt: skip
        np.testing.assert_array_equal(old.position, new.position)
    assert (again.erp, again.erp2, again.time_step) == (world.erp, world.erp2, world.time_step)
    assert again.materials.pair("rubber", "steel") == world.materials.pair("steel", "rubber")


def test_a_state_that_was_simulated_is_written_to_the_last_bit(tmp_path):
    world = crowded_world()
    world.step(123)
    again = saved_and_read(world, tmp_path / "w.xml")
    np.testing.assert_array_equal(again.engine.state.q, world.engine.state.q)
    np.testing.assert_array_equal(again.engine.state.v, world.engine.state.v)


def test_robots_are_referred_to_and_keep_their_state(tmp_path):
    world = tribo.World()
    world.add_ground(material="steel")
    robot = world.add_articulated_system(QUADRUPED, name="quad")
    q = robot.generalized_coordinate
    q[2], q[7:] = 0.6, np.linspace(-0.3, 0.3, 12)
    turn = np.array([0.9, 0.1, -0.2, 0.3])
    q[3:7] = turn / np.linalg.norm(turn)
    robot.generalized_coordinate = q
    robot.generalized_velocity = np.linspace(-1.0, 1.0, 18)
    again = saved_and_read(world, tmp_path / "w.xml")
    assert again["quad"].joint_names == robot.joint_names
    assert_steps_alike(world, again, 200)


def test_what_a_file_cannot_hold_is_named(tmp_path, caplog):
    world = tribo.World()
    robot = world.add_articulated_system(QUADRUPED, name="quad")
    robot.drive_form = "stable"
    world.integrator = "semi_implicit"
    world.sleeping = True
    world.bounce = "gate"
    with caplog.at_level(logging.WARNING, "tribo"):
        world_xml.save(world, tmp_path / "w.xml")
    assert "drive form of 'quad'" in caplog.text
    for setting in ("integrator", "sleeping", "bounce"):
        assert setting in caplog.text
    assert "sleep_time" not in caplog.text


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda w: w.add_ground(normal=(0, 1, 1)), "not level"),
        (lambda w: setattr(w["quad"], "body_type", "kinematic"), "kinematic"),
    ],
)
def test_what_changes_the_motion_and_has_no_place_is_refused(tmp_path, spoil, says):
    world = tribo.World()
    world.add_articulated_system(QUADRUPED, name="quad")
    spoil(world)
    with pytest.raises(DescriptionError, match=says):
        world_xml.save(world, tmp_path / "w.xml")
    assert not (tmp_path / "w.xml").exists()


def test_gains_materials_and_groups_of_collision_bodies_are_kept(tmp_path, caplog):
    """Gains were lost with a warning; a changed material, or the group of one shape, could not be saved."""
    world = crowded_world()
    robot = world.add_articulated_system(QUADRUPED, name="quad", position=(0, 0, 3))
    rng = np.random.default_rng(2)
    robot.set_pd_gains(rng.uniform(1, 9, 12), rng.uniform(0, 1, 12))
    robot.pd_target = rng.uniform(-0.3, 0.3, 12)
    robot.pd_velocity_target = rng.uniform(-0.3, 0.3, 12)
    robot.generalized_force = rng.uniform(-1, 1, 12)
    foot = robot.collision_body("LF_FOOT/0")
    foot.material, foot.collision_group, foot.collision_mask = "ice", 4, -2
    parts = [tribo.CompoundPart("box", (1, 1, 1)), tribo.CompoundPart("sphere", 0.2, position=(0, 0, 1))]
    chair = world.add_compound(parts, 2.0, position=(5, 5, 5), name="chair")
    chair.collision_bodies[1].material = "rubber"
    chair.collision_bodies[1].collision_group = 8
    robot.name = "dog"
    with caplog.at_level(logging.WARNING, "tribo"):
        again = saved_and_read(world, tmp_path / "w.xml")
    assert "does not hold" not in caplog.text
    copy = again["dog"]
    for name in ("kp", "kd", "pd_target", "pd_velocity_target", "generalized_force"):
        np.testing.assert_array_equal(getattr(copy, name), getattr(robot, name))
    for part in (robot, chair):
        rules, others = (
            [(b.name, b.material, b.collision_group, b.collision_mask) for b in one.collision_bodies]
            for one in (part, again[part.name])
        )
        assert rules == others
    assert_steps_alike(world, again, 100)


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ('<drive kp="1 2"/>', "kp of"), ('<drive kp="-1"/>', "kp of"), ('<drive target="1"/>', "pd_target"),
        ('<collision_body name="LF_FOT/0" material="a" collision_group="1" collision_mask="1"/>',
         "did you mean 'LF_FOOT/0'"),
        ('<collision_body name="LF_FOOT/0" material="a" collision_group="1"/>', "collision_mask"),
    ],
)  # fmt: skip
def test_bad_drives_and_rules_in_a_file_are_refused(tmp_path, inside, says):
    shutil.copy(QUADRUPED, tmp_path / "quad.urdf")
    robot = f'<articulated_system name="r" urdf_path="quad.urdf">{inside}</articulated_system>'
    (tmp_path / "w.xml").write_text(f"<raisim><objects>{robot}</objects></raisim>")
    with pytest.raises(DescriptionError, match=says):
        tribo.World.load(tmp_path / "w.xml")


def test_robots_from_text_get_files_beside_the_world(tmp_path):
    """One file each, also if names differ only in what a file name cannot hold."""
    text = '<?xml version="1.0" encoding="latin-1"?>' + QUADRUPED.read_text("utf-8").partition("?>")[2]
    text = text.replace("trunk", "Körper")
    world = tribo.World()
    world.add_ground()
    for k, name in enumerate(("a b", "a/b", "A_b")):
        robot = world.add_articulated_system(text, name=name, position=(2 * k, 0, 0.5))
        assert robot.frame_position("Körper")[0] == 2 * k
    again = saved_and_read(world, tmp_path / "w.xml")
    files = sorted(file.name for file in tmp_path.glob("*.urdf"))
    assert files == ["w.A_b_3.urdf", "w.a_b.urdf", "w.a_b_2.urdf"]
    assert again["a/b"].body_names == world["a/b"].body_names
    assert_steps_alike(world, again, 20)


def built(name="stand"):
    """Return a robot built in Python: a stand, an arm with a spring, a ball joint with a tool."""
    root = tribo.LinkDescription(name)
    root.add_shape("box", (0.2, 0.2, 0.1), mass=3.0)
    arm = root.add_child("arm", "revolute", position=(0, 0, 0.1), axis=(0, 1, 0), lower=-1.0, upper=1.0,
                         stiffness=5.0, damping=0.1, friction=0.2, armature=0.01)  # fmt: skip
    arm.add_shape("capsule", (0.03, 0.4), mass=1.0, position=(0, 0, 0.2), material="rubber")
    tool = arm.add_child("tool", "spherical", position=(0, 0, 0.4))
    tool.add_shape("sphere", (0.05,), mass=0.3, position=(0.1, 0, 0))
    tool.add_child("tip", "fixed", position=(0.2, 0, 0))
    return root


@pytest.mark.parametrize("stands", [False, True])
def test_a_robot_built_in_python_is_saved_with_a_urdf_of_its_own(stands, tmp_path):
    """The same numbers to round-off of turns, and bitwise the same state."""
    world, root = tribo.World(), built()
    if stands:
        root.fix_to_world()
    turn = np.array([0.9, 0.1, -0.2, 0.3]) / np.linalg.norm([0.9, 0.1, -0.2, 0.3])
    robot = world.add_articulated_system(root, name="arm", position=(1, 2, 3), orientation=turn)
    robot.joint("arm_joint").coordinate = 0.3
    robot.generalized_velocity = np.linspace(-1, 1, robot.dof)
    robot.ignore_collision("stand", "tool")
    world_xml.save(world, tmp_path / "w.xml")
    assert {path.name for path in tmp_path.iterdir()} == {"w.xml", "w.arm.urdf"}
    again = tribo.World.load(tmp_path / "w.xml")["arm"]
    np.testing.assert_array_equal(again.generalized_coordinate, robot.generalized_coordinate)
    np.testing.assert_array_equal(again.generalized_velocity, robot.generalized_velocity)
    np.testing.assert_allclose(again.mass_matrix, robot.mass_matrix, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(again.bias_force, robot.bias_force, rtol=1e-13, atol=1e-13)
    for name in ("arm", "tip", "tool"):
        np.testing.assert_allclose(again.frame(name).position, robot.frame(name).position, atol=1e-14)
    assert [b.name for b in again.collision_bodies][1:] == ["arm/0", "tool/0"]
    assert len(again.ignored_collisions) == len(robot.ignored_collisions) == 3


def test_a_robot_built_in_python_keeps_groups_and_masks_of_its_shapes(tmp_path):
    world = tribo.World()
    robot = world.add_articulated_system(built(), name="arm")
    robot.collision_body("arm/0").collision_group = 2
    robot.collision_body("tool/0").collision_mask = 12
    world_xml.save(world, tmp_path / "w.xml")
    again = tribo.World.load(tmp_path / "w.xml")["arm"]
    assert again.collision_body("arm/0").collision_group == 2
    for body in robot.collision_bodies:
        found = again.collision_body(body.name)
        assert (found.collision_group, found.collision_mask) == (body.collision_group, body.collision_mask)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda r: setattr(r.link("arm"), "gravity_compensation", 0.5), "gravity_compensation of link 'arm'"),
        (lambda r: setattr(r.joint("arm_joint"), "effort_limits", (-1.0, 2.0)), "least effort"),
        (lambda r: setattr(r, "body_type", "kinematic"), "kinematic"),
    ],
)  # fmt: skip
def test_what_a_urdf_of_its_own_cannot_hold_is_refused(change, says, tmp_path):
    world = tribo.World()
    change(world.add_articulated_system(built(), name="arm"))
    with pytest.raises(DescriptionError, match=f"'arm'.*{says}"):
        world_xml.save(world, tmp_path / "w.xml")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mode", ["auto", "hull", "none"])
def test_a_robot_of_meshes_refers_to_their_files(mode, tmp_path):
    """Its own URDF names them from where it stands; what they collide as is in the world file."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "part.obj").write_text(
        "\n".join([*lines, "f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"])
    )
    root = built()
    root.fix_to_world()
    root.add_mesh(tmp_path / "meshes" / "part.obj", position=(0, 0, 1), quaternion=(0.6, 0.48, 0, 0.64))
    world = tribo.World()
    world.add_articulated_system(root, name="arm", collision_meshes=mode)
    world_xml.save(world, tmp_path / "w.xml")
    assert 'filename="meshes/part.obj"' in (tmp_path / "w.arm.urdf").read_text()
    again = tribo.World.load(tmp_path / "w.xml")
    assert fingerprint(again.engine) == fingerprint(world.engine)
    again.save(tmp_path / "again.xml")  # its robot comes from a URDF now
    last = tribo.World.load(tmp_path / "again.xml")
    assert fingerprint(last.engine) == fingerprint(world.engine)


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ('collision_meshes="hulls"', "collision_meshes='hulls' must be one of auto, hull"),
        ('collision_meshes="hull" convexify_meshes="1"', "keep one"),
    ],
)
def test_what_meshes_of_a_robot_collide_as_is_one_word(attributes, says, tmp_path):
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="world"/></robot>')
    (tmp_path / "w.xml").write_text(
        f'<raisim><objects><articulatedSystem urdf_path="r.urdf" {attributes}/></objects></raisim>'
    )
    with pytest.raises(DescriptionError, match=says):
        tribo.World.load(tmp_path / "w.xml")


MOVING_STATIC = (
    '<sphere name="a" mass="1" body_type="static"><dim radius="1"/>'
    '<state pos="0 0 0" quat="1 0 0 0" linVel="1 0 0" angVel="0 0 0"/></sphere>'
)
BALL = '<sphere name="{}" mass="1" material="m"><dim radius="1"/></sphere>'


def test_names_that_occur_twice_are_told_apart(caplog):
    world = read(f"<raisim><objects>{BALL.format('a') * 2}{BALL.format('')}</objects></raisim>")
    assert [part.name for part in world.objects] == ["a", "sphere_1", "sphere_2"]
    assert "second object named 'a'" in caplog.text


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ('<sphere name="a" mass="1" com="0 0"><dim radius="1"/></sphere>', "com"),
        (MOVING_STATIC, "static"),
        ('<sphere name="a" mass="-1"><dim radius="1"/></sphere>', "mass"),
        ('<articulatedSystem name="r" urdfPath="nowhere.urdf"/>', "nowhere.urdf"),
    ],
)  # fmt: skip
def test_a_bad_object_leaves_the_world_empty(inside, says):
    world = tribo.World()
    with pytest.raises(DescriptionError, match=says):
        world_xml.read_into(world, f"<raisim><objects>{BALL.format('first')}{inside}</objects></raisim>")
    assert not world.objects
    assert world.time_step == 1e-3


def test_a_wrong_number_of_coordinates_is_named(tmp_path):
    path = tmp_path / "w.xml"
    path.write_text(
        f'<raisim><objects><articulatedSystem name="r" urdfPath="{QUADRUPED}">'
        '<state qpos="1 2 3"/></articulatedSystem></objects></raisim>'
    )
    world = tribo.World()
    with pytest.raises(DescriptionError, match="generalized_coordinate of r"):
        world_xml.read_into(world, path)
    assert not world.objects


def test_materials_from_their_own_file(tmp_path):
    """A table alone, and a bad one that changes nothing."""
    file = tmp_path / "materials.xml"
    file.write_text(
        '<material><default friction="0.3" restitution="0" restitution_threshold="0"/>'
        '<pair_prop name1="ice" name2="steel" friction="0.05" restitution="0.1" '
        'restitution_threshold="0.01" rolling_friction="0.02"/></material>'
    )
    world = tribo.World()
    world.load_materials(file)
    assert world.default_pair.friction == 0.3
    assert world.materials.pair("steel", "ice").rolling_friction == 0.02
    file.write_text('<material><pair_prop name1="a" name2="b" friction="-1"/></material>')
    with pytest.raises(DescriptionError, match="friction"):
        world.load_materials(file)
    assert world.default_pair.friction == 0.3
    assert "a" not in world.material_names


def shapes_world(folder):
    """Return a world with a cone, an ellipsoid, compounds, meshes and terrain, and where the meshes are."""
    trimesh = pytest.importorskip("trimesh")
    wedge = trimesh.convex.convex_hull(np.random.default_rng(2).normal(size=(12, 3)) * 0.1 + 0.3)
    wedge.export(folder / "wedge.stl")
    trimesh.creation.box((4.0, 4.0, 0.3)).export(folder / "slab.obj")
    world = tribo.World()
    turn = np.array([0.9, 0.1, -0.3, 0.2])
    turn /= np.linalg.norm(turn)
    parts = [
        tribo.CompoundPart("box", (0.3, 0.1, 0.1), color=(0.1, 0.2, 0.3, 1.0)),
        tribo.CompoundPart("cone", (0.07, 0.21), position=(0.1, 0.2, 0.3), orientation=turn, material="ice"),
        tribo.CompoundPart("capsule", (0.05, 0.13), position=(-0.1, 0.0, 0.0)),
        tribo.CompoundPart("ellipsoid", (0.05, 0.07, 0.09), position=(-0.1, 0.1, 0.0), orientation=turn),
    ]  # fmt: skip
    world.add_mesh(folder / "slab.obj", mode="exact", name="slab", position=(0.1, 0, -0.123))
    field = tribo.HeightField.fractal(size=(3.1, 2.3), samples=(7, 5), z_scale=0.2, seed=1)
    world.add_height_map(field, position=(4.0, 1.0, 0.1), orientation=turn)
    world.add_cone(0.1, 0.3, 1.1, position=(0.5, 0, 0.3), orientation=turn)
    world.add_ellipsoid((0.1, 0.07, 0.13), 0.7, position=(0.5, 0.5, 0.3), orientation=turn)
    world.add_compound(parts, 1.7, position=(0.0, 0.3, 0.37), orientation=turn)
    world.add_mesh(folder / "wedge.stl", mass=0.9, scale=(1.0, -1.1, 0.9), position=(-0.5, 0.1, 0.31),
                   orientation=turn)  # fmt: skip
    world.add_box((0.1, 0.2, 0.3), 1.3, com=(0.01, 0.0, -0.02), position=(-0.5, 0.7, 0.4))
    return world


def test_meshes_compounds_and_terrain_come_back_bit_for_bit(tmp_path):
    world = shapes_world(tmp_path)
    again = saved_and_read(world, tmp_path / "world.xml")
    for one, other in zip(world.objects, again.objects, strict=True):
        assert (one.name, one.mass, one.body_type) == (other.name, other.mass, other.body_type)
        np.testing.assert_array_equal(one.position, other.position)
        np.testing.assert_array_equal(one.orientation, other.orientation)
        for a, b in zip(one.description.bodies[0].shapes, other.description.bodies[0].shapes, strict=True):
            assert (a.kind, a.size, a.position, a.quaternion, a.material) == (
                b.kind, b.size, b.position, b.quaternion, b.material,
            )  # fmt: skip
        if not isinstance(one, tribo.HeightMap):
            np.testing.assert_array_equal(one.inertia, other.inertia)
    np.testing.assert_array_equal(world.objects[1].heights, again.objects[1].heights)
    assert_steps_alike(world, again, 5)


def objects(text):
    return f"<raisim><objects>{text}</objects></raisim>"


def test_positions_in_files_are_those_of_the_frame_not_of_the_centre_of_mass():
    children = (
        '<children><sphere><dim radius="0.1"/></sphere><sphere material="ice"><dim radius="0.1"/>'
        '<state pos="0 0 1"/></sphere></children>'
    )
    state = '<state pos="1 2 3" quat="0 1 0 0"/>'
    world = read(objects(f'<compound mass="2">{children}{state}</compound>'))
    np.testing.assert_allclose(world.objects[0].position, (1, 2, 2.5))  # half turn about x
    world = read(objects(f'<compound mass="2" com="0 0 0.25">{children}{state}</compound>'))
    np.testing.assert_allclose(world.objects[0].position, (1, 2, 2.75))
    assert [b.material for b in world.objects[0].collision_bodies] == ["default", "ice"]


@pytest.mark.parametrize("spelling", ["camel", "snake", "raisim"])
def test_height_maps_in_four_forms(tmp_path, spelling):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.array([[0, 255], [0, 0]], np.uint8)).save(tmp_path / "a.png")
    (tmp_path / "a.txt").write_text("2 2 4 2  0 0.5 1 1.5")
    text = objects(
        '<heightmap xSample="2" ySample="2" xSize="4" ySize="2" centerX="1" '
        'centerY="2" height="0 0.5 1 1.5"/>'
        '<heightmap text="a.txt" centerX="1" centerY="2"/>'
        '<heightmap png="[THIS_DIR]/a.png" xSize="4" ySize="2" zScale="0.01" zOffset="0.5"/>'
        '<heightmap xSize="4" ySize="2" xSample="8" ySample="6"><terrainProperties zScale="0.3" seed="4" '
        'fractalOctaves="2" stepSize="0.1"/></heightmap>'
    )
    if spelling == "snake":
        text = text.replace("xS", "x_s").replace("yS", "y_s").replace("zS", "z_s").replace(
            "centerX", "center_x").replace("centerY", "center_y")  # fmt: skip
    if spelling == "raisim":  # as its own files name those of a picture
        text = text.replace('zScale="0.01" zOffset', 'heightScale="0.01" heightOffset')
    (tmp_path / "w.xml").write_text(text)
    raw, file, picture, hills = read(tmp_path / "w.xml").objects
    np.testing.assert_array_equal(raw.heights, [[0, 0.5], [1, 1.5]])
    np.testing.assert_array_equal(file.heights, raw.heights)
    np.testing.assert_array_equal(raw.position, (1, 2, 0))
    np.testing.assert_array_equal(picture.heights, [[0.5, 0.5], [0.5, 0.01 * 255 + 0.5]])
    own = tribo.HeightField.fractal(
        size=(4, 2), samples=(8, 6), z_scale=0.3, octaves=2, step_size=0.1, seed=4
    )
    np.testing.assert_array_equal(hills.heights, own.heights)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<heightmap name="h"/>', "one of height, png, text"),
        ('<heightmap xSize="1" ySize="1" xSample="2" ySample="2" height="1 2 3"/>', "3 numbers"),
        ('<heightmap xSize="1" ySize="1" png="none.png"/>', "no file"),
        ('<heightmap text="../../../../../../../../etc/hosts"/>', "refused"),
        ('<heightmap xSize="0" ySize="1" png="w.xml"/>', "x_size"),
        ('<heightmap xSize="1" ySize="1" png="w.xml"/>', "not a PNG"),
        ('<mesh mass="1" file_name="none.stl"/>', "no file"),
        ('<mesh mass="1" file_name="w.xml"/>', "format"),
        ('<mesh mass="1" file_name="w.xml" scale="0"/>', "none of them 0"),
        ('<mesh mass="1" file_name="w.xml" collision="exact"/>', "format"),
        ('<compound mass="1"><children/></compound>', "no children"),
        ('<compound mass="1"><children><torus/></children></compound>', "made of sphere"),
    ],
)
def test_bad_shapes_are_refused_and_the_world_stays_empty(tmp_path, text, message):
    (tmp_path / "w.xml").write_text(objects(text))
    world = tribo.World()
    with pytest.raises(DescriptionError, match=message):
        world_xml.read_into(world, tmp_path / "w.xml")
    assert world.objects == ()


@pytest.mark.parametrize("joints", [None, {"LF_KFE": True, "RH_HAA": True}])
def test_drives_that_bear_the_weight_do_so_after_loading(tmp_path, caplog, joints):
    """The file said that it does not hold this, and the robot sank."""
    world = tribo.World()
    robot = world.add_articulated_system(QUADRUPED, name="quad", position=(0, 0, 0.5))
    robot.set_pd_gains(5.0, 0.5)
    robot.gravity_compensation = True if joints is None else joints
    world_xml.save(world, tmp_path / "w.xml")
    assert "gravity compensation" not in caplog.text
    again = tribo.World.load(tmp_path / "w.xml")
    for joint in robot.joints:
        assert again["quad"].joint(joint.name).gravity_compensation == joint.gravity_compensation
    assert_steps_alike(world, again, 100)
    robot.gravity_compensation = False
    world_xml.save(world, tmp_path / "w.xml")
    assert "gravity_compensation" not in (tmp_path / "w.xml").read_text()


@pytest.mark.parametrize("given", ["1 0", " ".join(["0.5"] * 18), " ".join(["0"] * 19), "1" + " 0" * 17])
def test_weight_is_borne_by_a_drive_or_not(tmp_path, given):
    robot = f'<articulatedSystem name="q" urdf_path="{QUADRUPED}"><drive gravity_compensation="{given}"/>'
    (tmp_path / "w.xml").write_text(objects(robot + "</articulatedSystem>"))
    world = tribo.World()
    with pytest.raises(
        DescriptionError, match="'q': gravity_compensation of <drive> must be 0 or 1 for each"
    ):
        world_xml.read_into(world, tmp_path / "w.xml")
    assert world.objects == ()


def test_weight_that_is_borne_and_forms_of_drives_are_not_lost_in_silence(tmp_path, caplog):
    world = tribo.World()
    robot = world.add_articulated_system(QUADRUPED, name="dog")
    robot.drive_form = "averaged"
    world_xml.save(world, tmp_path / "world.xml")
    assert "the drive form of 'dog'" in caplog.text
    robot.link("trunk").gravity_compensation = 1.0
    with pytest.raises(DescriptionError, match=r"differ from its URDF .*\(link 'trunk'\)"):
        world_xml.save(world, tmp_path / "world.xml")
    robot.link("trunk").gravity_compensation = 0.0
    robot.joint("LF_HFE").effort_limits = 50.0
    with pytest.raises(DescriptionError, match=r"\(joint 'LF_HFE': effort"):
        world_xml.save(world, tmp_path / "world.xml")


@pytest.mark.parametrize("ending", [".urdf", ".USDA", ".json", ".yaml", ".sdf"])
def test_the_ending_of_another_format_is_refused(tmp_path, ending):
    world = tribo.World()
    world.add_sphere(0.1, mass=1.0)
    with pytest.raises(ValueError, match=r"save writes a world as RaiSim XML.*let it end in \.xml"):
        world.save(tmp_path / f"scene{ending}")
    assert list(tmp_path.iterdir()) == []


MOVED = """<mujoco><worldbody>
 <body name="arm"><joint name="a" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
  <body name="fore" pos=".6 0 0"><joint name="b" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></body>
 </worldbody><tendon>
  <fixed name="t" {}><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed>
 </tendon>{}</mujoco>"""


@pytest.mark.parametrize(
    ("tendon", "more", "part"),
    [
        ('stiffness="40"', "", "tendon or equality 't'"),
        ("", '<equality><tendon name="e" tendon1="t"/></equality>', "tendon or equality 'e'"),
        (
            "",
            '<equality><joint name="e" joint1="b" joint2="a" polycoef="0 1 .5"/></equality>',
            "equality 'e'",
        ),
        ("", '<actuator><muscle name="m" joint="a" lengthrange="-1 1"/></actuator>', "actuator 'm'"),
        ("", '<actuator><motor name="m" tendon="t"/></actuator>', "actuator 'm'"),
    ],
)
def test_tendons_equalities_and_actuators_are_not_lost_in_silence(tendon, more, part, tmp_path):
    """The loaded world moved differently, without a word, and `export_urdf` returned []."""
    world = tribo.World()
    robot = world.load_mjcf(MOVED.format(tendon, more))[0]
    with pytest.raises(DescriptionError, match=f"object 'arm': .*{part}.*world.save_state"):
        world.save(tmp_path / "w.xml")
    assert not list(tmp_path.iterdir())
    assert [note for note in robot.export_urdf(tmp_path / "arm.urdf") if f"{part} is not written" in note]


def test_a_world_keeps_gains_and_forces_of_motors_and_names_their_loss(tmp_path, caplog):
    motors = '<motor name="m" joint="a" gear="3"/><position name="p" joint="b" kp="50" kv="5"/>'
    world = tribo.World()
    robot = world.load_mjcf(MOVED.format("", f"<actuator>{motors}</actuator>"))[0]
    robot.set_controls([1.0, 0.3])
    world.save(tmp_path / "w.xml")
    assert "does not hold the actuators (robot.set_controls) of 'arm'" in caplog.text
    assert_steps_alike(world, tribo.World.load(tmp_path / "w.xml"), 50)
    notes = robot.export_urdf(tmp_path / "arm.urdf")
    assert notes[-2:] == ["actuator 'm' is not written", "actuator 'p' is not written"]


def test_a_world_with_a_mocap_body_is_refused_with_a_remedy(tmp_path):
    world = tribo.World()
    world.load_mjcf(
        '<mujoco><worldbody><body name="m" mocap="true"><geom size=".1"/></body></worldbody></mujoco>'
    )
    with pytest.raises(DescriptionError, match=r"object 'm': a kinematic robot .*world.save_state"):
        world.save(tmp_path / "w.xml")
