"""Joints that begin beyond their stops go back slowly; the first step says so."""

import pytest

import tribo

LEVER = """<mujoco><option gravity="0 0 0"/><worldbody><body name="lever" pos="0 0 1">
<joint name="hinge" axis="0 1 0" range="-30 30" limited="true"/>
<geom type="sphere" size="0.1" pos="0.3 0 0" mass="1"/>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize(("angle", "is_said"), [(1.5, True), (-1.5, True), (0.5, False), (0.53, False)])
def test_joints_far_beyond_a_stop_are_named_once(angle, is_said, caplog):
    world = tribo.World()
    world.load_mjcf(LEVER)
    (robot,) = world.objects
    robot.generalized_coordinate = [angle]
    world.step(100)
    world.step(100)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == is_said
    if is_said:
        assert "hinge of lever by 0.976 rad" in said[0]
        assert "0.3 rad/s" in said[0]
        assert abs(robot.generalized_coordinate[0]) == pytest.approx(1.5 - 0.3 * 0.4, abs=2e-3)


def test_they_go_back_as_fast_as_the_world_lets_them():
    world = tribo.World()
    world.load_mjcf(LEVER)
    world.max_push_out_speed = 3.0
    (robot,) = world.objects
    robot.generalized_coordinate = [1.5]
    world.step(100)
    assert robot.generalized_coordinate[0] == pytest.approx(1.5 - 3.0 * 0.2, abs=2e-2)
