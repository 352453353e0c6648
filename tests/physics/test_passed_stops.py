"""Stops of light joints that a hit spins up within the step: none is passed."""

import numpy as np
import pytest

import tribo

HAND = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
 <body pos="0 0 1"><joint name="rail" type="slide" axis="0 0 1"/>
  <geom type="box" size=".05 .05 .05" mass="1" contype="0" conaffinity="0"/>
  <body pos="0 0 -0.1"><joint name="finger" {joint}/>
   <geom type="capsule" fromto="0 0 0 .03 0 -.003" size=".004" mass=".005"/></body></body></worldbody>
 {more}</mujoco>"""
TENDON = '<tendon><fixed name="t" range="-0.07 1.4"><joint joint="finger" coef="2"/></fixed></tendon>'


def falling_hand(joint, more="", dt=1e-3):
    world = tribo.World()
    (robot,) = (
        o
        for o in world.load_mjcf(HAND.format(joint=joint, more=more))
        if isinstance(o, tribo.ArticulatedSystem)
    )
    world.time_step = dt
    return world, robot


def least(world, read, duration=0.7):
    """Return the least value that something had while the hand falls on its finger."""
    found = np.inf
    for _ in range(round(duration / world.time_step)):
        world.step()
        found = min(found, float(read()))
    return found


@pytest.mark.parametrize("dt", [5e-4, 1e-3, 2e-3])
@pytest.mark.parametrize("stop", [1.0, 2.0, 4.0])
def test_a_finger_that_strikes_the_ground_stays_within_its_stop(stop, dt):
    """It turns by 0.1 rad in the step of the hit, past a stop 0.02 to 0.07 rad away.

    The pass that closes its overlap by a shift opens the stop by a ten-thousandth of that (ε: 1e-2, 1e-6).
    """
    world, robot = falling_hand(f'axis="0 1 0" range="-{stop} 90" limited="true"', dt=dt)
    deepest = 0.0

    def angle():
        nonlocal deepest
        deepest = max(deepest, *(contact.depth for contact in world.contacts), 0.0)
        return robot.joint("finger").coordinate

    found = least(world, angle)
    assert found > -np.radians(stop) - 1e-9 - 2e-4 * deepest / 0.03
    assert deepest < 2e-6
    assert robot.joint("finger").limit_force > 0.1  # the stop bears the finger at the end


def test_a_tendon_that_a_hit_pulls_stays_within_its_range():
    world, robot = falling_hand('axis="0 1 0"', TENDON)
    assert least(world, lambda: 2.0 * robot.joint("finger").coordinate) > -0.07 - 1e-9


def test_a_ball_joint_stays_within_its_cone():
    """The cone is curved: the turn of a step passes it by its second order, closed in the next step."""
    world, robot = falling_hand('type="ball" range="0 2" limited="true"')
    turn = 0.0
    for _ in range(700):
        world.step()
        w = min(1.0, abs(float(robot.joint("finger").coordinate[0])))
        turn = max(turn, 2.0 * np.arccos(w))
    assert turn > np.radians(1.9)
    assert turn < np.radians(2.0) + 2e-4
