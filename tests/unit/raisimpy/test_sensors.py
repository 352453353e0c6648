"""Sensors of tribo.raisimpy are asked by the link that carries them; two links may carry the same file."""

import numpy as np
import pytest

from tribo import raisimpy as raisim

SENSORS = """<sensor_set name="d435">
  <sensor name="depth" type="depth"><origin xyz="0.05 0 0" rpy="0 0 0"/>
    <camera horizontal_fov="1.0"><image width="4" height="3"/><clip near="0.1" far="10"/></camera></sensor>
  <sensor name="imu" type="imu" update_rate="100"><origin xyz="0 0 0"/></sensor>
  <sensor name="lidar" type="spinning_lidar"><origin xyz="0 0 0"/>
    <yaw samples="4"/><pitch samples="1" min_angle="0" max_angle="0"/><range min="0.1" max="20"/></sensor>
</sensor_set>"""
ROBOT = """<robot name="carrier">
  <link name="base"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="to_front" type="fixed"><parent link="base"/><child link="front_parent"/>
    <origin xyz="0.5 0 0"/></joint>
  <link name="front_parent" sensor="d435.xml"/>
  <joint name="to_rear" type="fixed"><parent link="base"/><child link="rear_parent"/>
    <origin xyz="-0.5 0 0" rpy="0 0 3.141592653589793"/></joint>
  <link name="rear_parent" sensor="d435.xml"/>
</robot>"""


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "d435.xml").write_text(SENSORS)
    (tmp_path / "robot.urdf").write_text(ROBOT)
    world = raisim.World()
    world.setGravity([0, 0, 0])
    for x in (3.0, -4.0):
        wall = world.addBox(1, 9, 9, 1.0)
        wall.setPosition(x, 0, 0)
        wall.setBodyType(raisim.BodyType.STATIC)
    return world.addArticulatedSystem(str(tmp_path / "robot.urdf"))


def test_two_links_with_one_file(robot):
    sets = robot.getSensorSets()
    assert [one.getName() for one in sets] == ["front_parent", "rear_parent"]
    front = robot.getSensorSet("front_parent").getSensor("depth")
    rear = robot.getSensorSet("rear_parent").getSensor("depth")
    # From 0.5 m + 0.05 m to the walls' faces at 2.5 m and −3.5 m.
    assert front.getDepthArray() == pytest.approx(np.full(12, 1.95))
    assert rear.getDepthArray() == pytest.approx(np.full(12, 2.95))
    assert front.get3DPoints()[:, 0] == pytest.approx(np.full(12, 2.5))
    assert rear.get3DPoints()[:, 0] == pytest.approx(np.full(12, -3.5))
    assert front.getPrecomputedRayDir()[:, 0] == pytest.approx(np.ones(12))
    assert robot.getSensorSet("front_parent").getModel() == "d435"
    assert front.getFullName().endswith("/front_parent/d435/depth")
    assert front.getPosition() == pytest.approx([0.55, 0, 0])


def test_what_sensors_measure(robot):
    world = robot._world
    one = robot.getSensorSet("front_parent")
    imu, lidar = one.getSensor("imu"), one.getSensor("lidar")
    assert (imu.getUpdateRate(), imu.getUpdateTimeStamp()) == (100.0, -1.0)
    robot.setBaseAngularVelocity([0, 0, 0.5])
    for _ in range(2):
        world.integrate()
    assert imu.getAngularVelocity() == pytest.approx([0, 0, 0.5])
    assert imu.getUpdateTimeStamp() == pytest.approx(0.01)
    assert imu.getType() == raisim.SensorType.IMU
    assert lidar.getProperties().yawSamples == 4
    assert lidar.getScan()[0, 0] == pytest.approx(2.0, abs=0.02)
    imu.setAngularVelocity([1, 2, 3])
    assert imu.getAngularVelocity().tolist() == [1, 2, 3]
    assert imu.getMeasurementSource() == raisim.MeasurementSource.MANUAL


def test_one_link_with_a_file_keeps_the_short_name(tmp_path):
    (tmp_path / "d435.xml").write_text(SENSORS)
    (tmp_path / "robot.urdf").write_text(ROBOT.replace('"rear_parent" sensor="d435.xml"', '"rear_parent"'))
    world = raisim.World()
    world.addArticulatedSystem(str(tmp_path / "robot.urdf"))
    assert world.tribo.sensors[0].name.partition("/")[2] == "d435/depth"


def test_values_that_a_program_sets_stay_with_their_sensor(robot):
    front = robot.getSensorSet("front_parent").getSensor("depth")
    front.setDepthArray(np.full(12, 7.0))
    again = robot.getSensorSet("front_parent").getSensor("depth")
    assert again.getDepthArray().tolist() == [7.0] * 12
    assert again.getMeasurementSource() == raisim.MeasurementSource.MANUAL
    rear = robot.getSensorSet("rear_parent").getSensor("depth")
    assert rear.getMeasurementSource() == raisim.MeasurementSource.RAISIM
