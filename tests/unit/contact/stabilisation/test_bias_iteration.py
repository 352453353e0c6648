"""The mean h of substeps after a second solve: as if the substeps were integrated again."""

import numpy as np
import pytest

import tribo


def link(name, axis, limit, inner):
    """Return a rod on a hinge, and what hangs on it."""
    place = "0 0 1" if name == "a" else "0.3 0 0"
    rod = 'contype="0" conaffinity="0" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"'
    joint = f'<joint name="{name}" axis="{axis}" {limit}/>'
    return f'<body name="{name}" pos="{place}">{joint}<geom type="capsule" {rod}/>{inner}</body>'


LINKS = link("a", "1 0 1", "", link("b", "0 1 1", 'range="-0.1 0.1"', link("c", "1 1 0", "", "")))
ARM = f'<mujoco><option timestep="0.002"/><compiler angle="radian"/><worldbody>{LINKS}</worldbody></mujoco>'
STARTS = [(7.46899, -26.41988, 35.49786)]  # the second step stops a joint that turns by 0.05 rad
STARTS += [tuple(v) for v in np.random.default_rng(0).uniform(-30, 30, (12, 3))]


def velocities(start, *, is_held):
    """Return velocities after two steps, and the status of each.

    is_held: a slack wire hangs on the arm. It has no force, and trees with constraints integrate again.
    """
    world = tribo.World()
    (robot,) = world.load_mjcf(ARM)
    if is_held:
        world.add_wire(robot.link("c"), None, length=100.0)
    robot.generalized_velocity = start
    made = []
    for _ in range(2):
        world.step()
        made.append((np.array(robot.generalized_velocity), int(world.status)))
    return made


@pytest.mark.parametrize("start", STARTS)
def test_a_moved_h_is_that_of_substeps_that_are_integrated_again(start):
    """Both err by at most 5e-6 of the velocity in a step. A joint meets its stop, so the first h is wrong."""
    for (own, said), (again, other) in zip(
        velocities(start, is_held=False), velocities(start, is_held=True), strict=True
    ):
        assert said == other
        assert np.abs(own - again).max() <= 2 * 5e-6 * np.abs(again).max()
