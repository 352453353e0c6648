"""RaiSim's sensor files: what they declare, and what they must not reach."""

import shutil
from pathlib import Path

import pytest

import tribo

DATA = Path(__file__).parents[2] / "data" / "sensors" / "head.xml"
ROBOT = """<robot><link name="base" sensor="{}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def robot_file(folder, reference):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "robot.urdf"
    path.write_text(ROBOT.format(reference))
    return path


@pytest.mark.parametrize("place", [".", "sensor", "sensors", "..", "../sensors"])
def test_a_file_brings_its_sensors(tmp_path, place):
    urdf = robot_file(tmp_path / "robots" / "urdf", "head.xml")
    home = urdf.parent / place
    home.mkdir(exist_ok=True)
    shutil.copy(DATA, home / "head.xml")
    world = tribo.World()
    robot = world.add_articulated_system(urdf, name="dog", position=(0, 0, 1))
    assert [s.name for s in world.sensors] == ["dog/head/imu", "dog/head/front", "dog/head/puck"]
    imu, camera, lidar = world.sensors
    assert imu.parent is robot
    assert imu.position.tolist() == pytest.approx([0.1, 0, 1.07])
    assert [s.update_rate for s in world.sensors] == [200, 30, 10]
    assert camera.measure().depth.shape == (12, 16)
    assert camera.rotation_matrix[2, 0] < 0  # it looks down
    assert lidar.measure().ranges.shape == (180, 3)
    assert lidar.reading.yaw[1] < 0  # clockwise
    world.step(10)
    assert imu.reading.time == pytest.approx(0.01)
    assert any("colour" in note for note in robot.description.notes)
    world.remove(robot)
    assert world.sensors == ()


@pytest.mark.parametrize(
    "reference",
    ["../../secret.xml", "/etc/passwd", "a/../../secret.xml", "C:/secret.xml", "file:///etc/passwd", ""],
)
def test_no_path_leads_out_of_the_folders(tmp_path, reference):
    (tmp_path / "secret.xml").write_text(DATA.read_text())
    urdf = robot_file(tmp_path / "a" / "b" / "c", reference)
    world = tribo.World()
    with pytest.raises(tribo.DescriptionError, match=r"plain file name|missing"):
        world.add_articulated_system(urdf)
    assert world.objects == ()


def test_nor_does_a_link(tmp_path):
    (tmp_path / "secret.xml").write_text(DATA.read_text())
    urdf = robot_file(tmp_path / "a" / "b" / "c", "head.xml")
    (urdf.parent / "head.xml").symlink_to(tmp_path / "secret.xml")
    with pytest.raises(tribo.DescriptionError, match="leads out"):
        tribo.World().add_articulated_system(urdf)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<sensor_set name", "<robot name", "sensor_set|not well-formed"),
        ('type="imu"', 'type="sonar"', "sonar.*unknown"),
        ('width="16"', 'width="1e9"', "whole number"),
        ('width="16"', 'width="100000000"', "pixels"),
        ('stddev="0.01"', 'stddev="-1"', "stddev"),
        ('stddev="0.01"', 'stddev="nan"', "finite"),
        ('type="gaussian"', 'type="pink"', "pink"),
        ('samples="3"', 'samples="100000000"', "between 1 and"),
        ('samples="180"', 'samples="0"', "yaw_samples"),
        ('max="50"', 'max="0.1"', "min < max"),
        ('update_rate="200"', 'update_rate="20000"', "steps per second"),
        ('horizontal_fov="1.5"', 'horizontal_fov="9"', "π|horizontal_fov"),
        ('direction="cw"', 'direction="up"', "direction"),
        ('name="front"', 'name="imu"', "already in the set"),
        ("<sensor_set", '<!DOCTYPE x [<!ENTITY a "b">]><sensor_set', "DOCTYPE"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_and_the_world_stays(tmp_path, old, new, message):
    urdf = robot_file(tmp_path, "head.xml")
    text = DATA.read_text()
    assert old in text
    (tmp_path / "head.xml").write_text(text.replace(old, new, 1))
    world = tribo.World()
    with pytest.raises((ValueError, MemoryError), match=message):
        world.add_articulated_system(urdf)
    assert world.objects == ()
    assert world.sensors == ()


def test_missing_files_and_text(tmp_path):
    for source, message in (
        (robot_file(tmp_path, "head.xml"), "not in"),
        (ROBOT.format("head.xml"), "no folder"),
    ):
        robot = tribo.World().add_articulated_system(source)
        assert any(message in note for note in robot.description.notes)
        with pytest.raises(tribo.DescriptionError, match=message):
            tribo.World().add_articulated_system(source, strict=True)


HOUSED = """<sensor_set name="eye"><origin xyz="0.2 0 0"/>
<link name="case"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.05"/></geometry></collision>
<sensor name="imu" type="imu" update_rate="100"><origin xyz="0 0 0.1"/></sensor></link></sensor_set>"""


def test_sensors_in_the_link_of_a_set_and_its_housing(tmp_path):
    """<sensor_set><link><sensor>, as RaiSim's own files nest them; the housing's mass and shapes count."""
    urdf = robot_file(tmp_path, "eye.xml")
    (tmp_path / "eye.xml").write_text(HOUSED)
    world = tribo.World()
    robot = world.add_articulated_system(urdf, name="dog", position=(0, 0, 1))
    assert [sensor.name for sensor in world.sensors] == ["dog/eye/imu"]
    assert world.sensors[0].position.tolist() == pytest.approx([0.2, 0, 1.1])
    assert robot.mass == pytest.approx(1.5)
    assert robot.description.bodies[0].com == pytest.approx((0.5 * 0.3 / 1.5, 0, 0))
    assert robot.description.notes == []
    world.add_ground(0.9)
    world.step(2000)
    assert robot.in_contact()  # the base has no shape of its own


def test_a_set_without_sensors_says_so(tmp_path, caplog):
    urdf = robot_file(tmp_path, "eye.xml")
    (tmp_path / "eye.xml").write_text('<sensor_set name="eye"><link name="case"/></sensor_set>')
    robot = tribo.World().add_articulated_system(urdf)
    assert any("nothing is measured" in note for note in robot.description.doubts)
