"""Couplings of joints against closed forms: equations, stops, springs, friction, rotors of tendons."""

import math

import numpy as np
import pytest

import tribo
from tribo.description.couplings import CouplingDescription, sides
from tribo.readout.culprits import row_name

SLIDES = (
    '<body name="base"><geom size="0.1"/>'
    '<body name="l"><joint name="l" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body>'
    '<body name="r"><joint name="r" type="slide" axis="0 1 0"/><geom size="0.1" mass="5"/></body></body>'
)
TERMS = '<joint joint="l" coef="0.5"/><joint joint="r" coef="-2"/>'
LIGHTNESS = 0.5**2 / 2.0 + 2.0**2 / 5.0  # [1/kg] J M⁻¹ Jᵀ


def hand(*sections, gravity=(0.0, 0.0, 0.0), bodies=SLIDES):
    world = tribo.World(gravity=gravity)
    text = f'<mujoco><option><flag contact="disable"/></option><worldbody>{bodies}</worldbody>'
    robot = next(
        one for one in world.load_mjcf(f"{text}{''.join(sections)}</mujoco>", take_options=False) if one.dof
    )
    return world, robot


def tendon(numbers):
    return f'<tendon><fixed name="t" {numbers}>{TERMS}</fixed></tendon>'


def length(robot):
    return float(np.dot((0.5, -2.0), robot.generalized_coordinate))


def test_a_spring_of_a_tendon_swings_as_a_harmonic():
    """L̈ = −(J M⁻¹ Jᵀ) k L; the midpoint rule turns by 2 atan(ω dt/2) a step and keeps ½ k L² + ½ v M v."""
    world, robot = hand(tendon('stiffness="40" springlength="0"'))
    robot.generalized_coordinate = [0.2, 0.05]
    start = robot.generalized_coordinate.copy()
    first = length(robot)
    omega = math.sqrt(40.0 * LIGHTNESS)
    steps = 2000
    world.step(steps)
    angle = steps * 2.0 * math.atan(0.5 * omega * world.time_step)
    assert length(robot) == pytest.approx(first * math.cos(angle), abs=3e-6 * abs(first) * steps**0.5)
    v = robot.generalized_velocity
    energy = 20.0 * length(robot) ** 2 + 0.5 * (2.0 * v[0] ** 2 + 5.0 * v[1] ** 2)
    assert energy == pytest.approx(20.0 * first**2, rel=1e-9)
    across = np.array([2.0 / 2.0, 0.5 / 5.0])  # M⁻¹ of what moves no tendon
    moved = robot.generalized_coordinate - start
    assert np.dot(moved * (2.0, 5.0), across) == pytest.approx(0.0, abs=1e-9)


def test_between_two_lengths_at_rest_a_spring_is_slack():
    world, robot = hand(tendon('stiffness="40" springlength="-0.1 0.3"'))
    robot.generalized_velocity = [0.1, 0.0]
    world.step(100)
    np.testing.assert_allclose(robot.generalized_velocity, [0.1, 0.0], atol=1e-14)
    robot.generalized_coordinate, robot.generalized_velocity = [1.0, 0.0], [0.0, 0.0]
    world.step(1)
    impulse = robot.generalized_velocity[0] * 2.0 / 0.5
    assert impulse == pytest.approx(-40.0 * (0.5 - 0.3) * world.time_step, rel=1e-4)


def test_a_rotor_of_a_tendon_is_an_inertia():
    """(M + m Jᵀ J) v̇ = τ."""
    world, robot = hand(tendon('armature="3"'))
    robot.generalized_force = [1.0, 2.0]
    world.step(10)
    matrix = np.diag([2.0, 5.0]) + 3.0 * np.outer((0.5, -2.0), (0.5, -2.0))
    expected = np.linalg.solve(matrix, [1.0, 2.0]) * 10 * world.time_step
    np.testing.assert_allclose(robot.generalized_velocity, expected, rtol=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_tendon_stops_at_its_range(side):
    world, robot = hand(tendon('range="-0.3 0.3"'))
    robot.generalized_velocity = [side, 0.0]
    world.step(3000)
    assert abs(length(robot)) <= 0.3 + 1e-9
    rate = np.dot((0.5, -2.0), robot.generalized_velocity)
    assert rate == pytest.approx(0.0, abs=1e-9)
    assert length(robot) == pytest.approx(0.3 * side, abs=1e-6)


def test_dry_friction_of_a_tendon_holds_up_to_its_bound():
    """A force along Jᵀ stays below 0.7; 0.2 more moves L as 0.2 does without friction."""
    world, robot = hand(tendon('frictionloss="0.7"'))
    robot.generalized_force = 0.69 * np.array([0.5, -2.0])
    world.step(100)
    np.testing.assert_allclose(robot.generalized_velocity, 0.0, atol=1e-12)
    robot.generalized_force = 0.9 * np.array([0.5, -2.0])
    world.step(100)
    expected = 100 * world.time_step * 0.2 * np.array([0.5 / 2.0, -2.0 / 5.0])
    np.testing.assert_allclose(robot.generalized_velocity, expected, rtol=1e-9)


CURVE = (0.1, 0.5, -0.7, 0.3, 0.2)


def test_a_joint_follows_another_along_a_polynomial():
    """y = p(x) and ẏ = p' ẋ: the error of a step is of third order in what x moves."""
    numbers = " ".join(map(str, CURVE))
    world, robot = hand(f'<equality><joint joint1="r" joint2="l" polycoef="{numbers}"/></equality>')
    curve = np.polynomial.Polynomial(CURVE)
    robot.generalized_coordinate = [0.0, curve(0.0)]
    robot.generalized_velocity = [0.5, curve.deriv()(0.0) * 0.5]
    energy = 0.5 * (2.0 + 5.0 * curve.deriv()(0.0) ** 2) * 0.25
    for _ in range(20):
        world.step(100)
        x, y = robot.generalized_coordinate
        assert y == pytest.approx(curve(x), abs=1e-5)
        now = 0.5 * np.dot((2.0, 5.0), robot.generalized_velocity**2)
        assert now == pytest.approx(energy, rel=1e-3)
    assert x > 0.5


def test_a_joint_may_be_held_where_it_is():
    held = '<equality><joint joint1="r" polycoef="0.2"/></equality>'
    world, robot = hand(held, gravity=(0.0, -9.81, 0.0))
    robot.generalized_coordinate = [0.0, 0.2]
    world.step(500)
    assert robot.generalized_coordinate[1] == pytest.approx(0.2, abs=1e-12)


def test_a_tendon_follows_another():
    """L₁ = l and L₂ = r, L₁ − L₁₀ = 2 (L₂ − L₂₀) + (L₂ − L₂₀)²; r is drawn at 0.1."""
    two = '<tendon><fixed name="t"><joint joint="l" coef="1"/></fixed>'
    two += '<fixed name="u"><joint joint="r" coef="1"/></fixed></tendon>'
    tie = '<equality><tendon tendon1="t" tendon2="u" polycoef="0 2 1"/></equality>'
    bodies = SLIDES.replace('name="r" type', 'name="r" ref="0.1" type')
    world, robot = hand(two, tie, bodies=bodies)
    robot.generalized_coordinate, robot.generalized_velocity = [0.0, 0.1], [1.0, 0.5]
    world.step(400)
    x, y = robot.generalized_coordinate
    assert x == pytest.approx(2.0 * (y - 0.1) + (y - 0.1) ** 2, abs=1e-6)
    assert x > 0.3


def test_what_holds_is_named():
    """L = 0.5 l − 2 r is at its lower stop, and slides."""
    bodies = SLIDES.replace('axis="0 1 0"', 'axis="1 0 0"')
    world, robot = hand(tendon('range="0.3 0.4" frictionloss="0.1"'), bodies=bodies)
    world.step()
    names = {row_name(world._inside.engine, world.objects, [], n) for n in range(2)}
    assert names == {
        f"a stop of the coupling 't' of {robot.name}",
        f"dry friction of the coupling 't' of {robot.name}",
    }


def test_joints_of_two_branches_can_be_coupled_and_no_more():
    joints, parents = ["root", "a", "b", "c", "d"], [-1, 0, 1, 0, 0]
    one = CouplingDescription("t", (("b", 1.0), ("a", 1.0)), (("d", 1.0),))
    assert sides(one, joints, parents) == ((4, 2), [1, 1, 0])
    assert sides(CouplingDescription("t", (("a", 1.0), ("b", 1.0))), joints, parents) == ((2, -1), [0, 0])
    with pytest.raises(tribo.DescriptionError, match="3 branches"):
        sides(CouplingDescription("t", (("b", 1.0), ("c", 1.0), ("d", 1.0))), joints, parents)
    with pytest.raises(tribo.DescriptionError, match="no joint of the robot"):
        sides(CouplingDescription("t", (("x", 1.0),)), joints, parents)
    with pytest.raises(tribo.DescriptionError, match="finite"):
        sides(CouplingDescription("t", (("a", math.nan),)), joints, parents)
