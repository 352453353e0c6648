"""Old names of properties work for one version, say the new name, and are shown nowhere."""

import numpy as np
import pytest

import tribo
from tribo.tools.demo import ASSETS


@pytest.fixture
def robot():
    world = tribo.World()
    return world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("effort_limit", lambda it: it.effort_limits[1]),
        ("pd_gains", lambda it: (it.kp, it.kd)),
        ("center_of_mass", lambda it: it.com_position),
        ("total_mass", lambda it: it.mass),
    ],
)
def test_an_old_name_gives_what_the_new_one_gives(robot, old, new):
    batch = tribo.Batch(robot.world, 2, threads=1)
    for item in (robot, batch["dog"]):
        with pytest.warns(DeprecationWarning, match=f"^{old} is called .*goes with") as said:
            found = getattr(item, old)
        assert said[0].filename == __file__
        np.testing.assert_array_equal(found, new(item))
        assert old not in dir(item)


def test_an_old_name_sets_what_the_new_one_sets(robot):
    knee = robot.joint("LF_KFE")
    with pytest.warns(DeprecationWarning, match="effort_limit is called effort_limits"):
        knee.effort_limit = 20.0
    assert knee.effort_limits == (-20.0, 20.0)
    with pytest.warns(DeprecationWarning, match="effort_limit is called effort_limits"):
        robot.effort_limit = 30.0
    assert knee.effort_limits == (-30.0, 30.0)


def test_limits_of_drives_are_one_or_two(robot):
    knee, hip = robot.joint("LF_KFE"), robot.joint("LF_HFE")
    robot.effort_limits = np.full(12, 9.0)
    assert knee.effort_limits == (-9.0, 9.0)
    robot.effort_limits = -5.0, {joint.name: 7.0 for joint in robot.joints}
    assert knee.effort_limits == (-5.0, 7.0)
    robot.effort_limits = {"LF_KFE": (-1.0, 2.0), "LF_HFE": 3.0}
    assert (knee.effort_limits, hip.effort_limits) == ((-1.0, 2.0), (-3.0, 3.0))
    with pytest.raises(ValueError, match="one limit for both directions, or a pair"):
        robot.effort_limits = 1.0, 2.0, 3.0
    batch = tribo.Batch(robot.world, 2, threads=1)
    batch["dog"].joint("LF_KFE").effort_limits = [4.0, 5.0]
    assert batch["dog"].joint("LF_KFE").effort_limits[1].tolist() == [4.0, 5.0]
