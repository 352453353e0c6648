"""Tendons that <equality> holds at a length, or lets follow others."""

import numpy as np
import pytest

import tribo
from tribo.formats import mjcf

ARM = (
    '<site name="w" pos=".2 .3 .6"/><body name="a">'
    '<inertial pos=".2 0 0" mass="1" diaginertia=".01 .02 .02"/>'
    '<joint name="ja" axis="0 1 .2"/><site name="s" pos="0 .1 .1"/>'
    '<body name="b" pos=".4 0 0"><inertial pos=".2 0 .03" mass=".7" diaginertia=".01 .015 .02"/>'
    '<joint name="jb" axis=".1 1 0"/><site name="tip" pos=".4 0 .05"/></body></body>'
)
TENDON = '<spatial name="t" {1}><site site="{0}"/><site site="tip"/></spatial>'
HOLD = '<tendon tendon1="t" {}/>'


def text(tendons, ties, bodies=ARM):
    """Return a file with bodies, tendons and equalities."""
    sections = f"<tendon>{tendons}</tendon><equality>{ties}</equality>"
    return f"<mujoco><worldbody>{bodies}</worldbody>{sections}</mujoco>"


@pytest.mark.parametrize(
    ("start", "own", "offset"),
    [
        ("w", "", 0.0),
        ("s", "", 0.0),
        ("w", 'stiffness="1" springlength="0.1"', 0.0),
        ("w", 'range="0 5"', 0.0),
        ("w", "", -0.01),
    ],
)
def test_a_spatial_tendon_that_is_held_keeps_its_length(start, own, offset):
    """L − L₀ = p₀ while the arm falls for a quarter of a second; free, it becomes 0.17 m longer (from w).

    Each step leaves what its straight prediction of the length misses, dt² of its curvature of some 10 m/s².
    """
    world = tribo.World()
    (robot,) = world.load_mjcf(text(TENDON.format(start, own), HOLD.format(f'polycoef="{offset}"')))
    fixed = np.array([0.2, 0.3, 0.6])

    def length():
        other = fixed if start == "w" else robot.frame(start).position
        return np.linalg.norm(robot.frame("tip").position - other)

    first, q = length(), robot.generalized_coordinate.copy()
    world.time_step = 1e-3
    world.step(250)
    assert world.status == 0
    assert np.abs(robot.generalized_coordinate - q).max() > 0.03
    assert length() - first == pytest.approx(offset, abs=3e-5)


def test_a_tendon_that_follows_one_of_another_robot_is_listed():
    """Its elements are bodies of its own robot: they were taken for those of the other one."""
    bodies = '<body name="c" pos="0 2 0"><joint name="jc"/><geom size="0.1" pos="0.3 0 0"/></body>'
    other = '<fixed name="u"><joint joint="jc" coef="1"/></fixed>'
    tie = HOLD.format('tendon2="u" polycoef="0 0.1"')
    scene = mjcf.read(text(TENDON.format("w", "") + other, tie, ARM + bodies))
    assert any("joints of two objects" in note for note in scene.doubts)
    assert not any(item.tree.couplings for item in scene.objects if item.tree is not None)
