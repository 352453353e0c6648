"""What controls of actuators write into the commands of drives, next to the same sums number by number."""

import numpy as np
import pytest

import tribo

BODY = '<body pos="0 0 {0}"><joint name="{1}" axis="0 1 0"/><geom size="0.02" mass="0.1"/>'
# Motors with limits of their own, servos, a damper; several on one joint; not in the order of the joints.
ACTUATORS = """
<motor name="m1" joint="c" gear="2" ctrlrange="-1 1" ctrllimited="true" forcerange="-0.5 0.7"
       forcelimited="true"/>
<position name="p1" joint="a" kp="50" ctrlrange="-0.4 0.9" ctrllimited="true"/>
<position name="p2" joint="a" kp="30"/>
<velocity name="v1" joint="b" kv="3"/>
<motor name="m2" joint="c" gear="-1"/>
<damper name="d1" joint="d" kv="2" ctrlrange="0 5"/>
"""


def robot_in(world):
    """Add a chain of four hinges with the actuators."""
    bodies = "".join(BODY.format(0.1, name) for name in "abcd")
    return world.add_articulated_system(
        f"<mujoco><worldbody>{bodies}{'</body>' * 4}</worldbody><actuator>{ACTUATORS}</actuator></mujoco>",
        name="chain",
    )


def expected(u):
    """Return target of a, target speed of b, force of c, damping of d for controls (6,)."""
    target = (50 * np.clip(u[1], -0.4, 0.9) + 30 * u[2]) / 80
    force = 2 * np.clip(np.clip(u[0], -1, 1), -0.5, 0.7) - u[4]
    return target, u[3], force, 2 * np.clip(u[5], 0, 5)


@pytest.mark.parametrize("seed", range(5))
def test_commands_are_sums_of_actuators_within_their_limits(seed):
    world = tribo.World(gravity=(0, 0, 0))
    robot = robot_in(world)
    damping = robot.kd[3]
    u = np.random.default_rng(seed).uniform(-3, 3, 6)
    robot.set_controls(u)
    target, speed, force, more = expected(u)
    assert robot.pd_target[0] == pytest.approx(target, abs=1e-12)
    assert robot.pd_velocity_target[1] == pytest.approx(speed, abs=1e-12)
    assert robot.generalized_force[2] == pytest.approx(force, abs=1e-12)
    assert robot.kd[3] - damping == pytest.approx(more, abs=1e-12)


def test_worlds_of_a_batch_have_their_own_controls():
    world = tribo.World(gravity=(0, 0, 0))
    robot_in(world)
    batch = tribo.Batch(world, 4, threads=1)
    chain = batch["chain"]
    u = np.random.default_rng(0).uniform(-3, 3, (4, 6))
    chain.set_controls(u)
    for k in range(4):
        target, speed, force, _ = expected(u[k])
        assert chain.pd_target[k, 0] == pytest.approx(target, abs=1e-12)
        assert chain.pd_velocity_target[k, 1] == pytest.approx(speed, abs=1e-12)
        assert chain.generalized_force[k, 2] == pytest.approx(force, abs=1e-12)
    chain.set_controls(u[1])
    assert np.array_equal(chain.pd_target, np.broadcast_to(chain.pd_target[1], chain.pd_target.shape))
