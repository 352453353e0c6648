"""<sensor>: what becomes a sensor of the world, and what is listed."""

import numpy as np
import pytest

import tribo
from tribo.formats import mjcf

BODY = (
    '<body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size="0.1" mass="2" pos="0.3 0 0"/>'
    '<site name="arm" pos="0.3 0 0" euler="0 90 0"/></body>'
)


def text(sensors):
    return f"<mujoco><worldbody>{BODY}</worldbody><sensor>{sensors}</sensor></mujoco>"


def test_sensors_have_the_names_of_the_file_and_measure_at_their_sites():
    """In a hanging arm that is held, the IMU feels g along the site's −x, the joint carries m g."""
    world = tribo.World()
    sensors = (
        '<accelerometer name="acc" site="arm"/><gyro name="gyro" site="arm"/><force name="f" site="arm"/>'
        '<jointpos name="angle" joint="j"/><jointvel site="" joint="j"/>'
    )
    (robot,) = world.load_mjcf(text(sensors))
    assert [sensor.name for sensor in world.sensors] == [
        f"arm/{name}" for name in ("acc", "gyro", "f", "angle", "sensor_4")
    ]
    robot.set_pd_gains(1e9, 1e6)
    robot.pd_target = [0.0]
    world.step(20)
    np.testing.assert_allclose(
        world.sensor("arm/acc").measure().linear_acceleration, (-9.81, 0, 0), atol=1e-3
    )
    np.testing.assert_allclose(world.sensor("arm/f").measure().force, (-2 * 9.81, 0, 0), atol=1e-2)
    assert world.sensor("arm/angle").measure().position == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("sensor", "words"),
    [
        ('<touch site="arm"/>', "add_contact_sensor"),
        ('<framepos objtype="site" objname="arm"/>', "robot.frame"),
        ('<subtreecom body="arm"/>', "com_position"),
        ('<gyro site="none"/>', "measures nothing"),
        ("<wurst/>", "not read"),
    ],
)
def test_other_sensors_are_listed(sensor, words):
    assert any(words in note for note in mjcf.read(text(sensor)).doubts)


@pytest.mark.parametrize(
    ("sensor", "words"),
    [
        ('<jointpos joint="k"/>', "is not a joint"),
        ('<gyro name="a" site="arm"/><gyro name="a" site="arm"/>', "same name"),
        ("<gyro/>", "'site' is missing"),
    ],
)
def test_broken_sensors_are_refused(sensor, words):
    with pytest.raises(tribo.DescriptionError, match=words):
        mjcf.read(text(sensor))
